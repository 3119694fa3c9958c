"""The questions of a set-up at the keyboard. An empty answer leaves a thing for later; a checklist drives the rest."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date
from typing import Any, TypeVar

import click

from registry.cli.console import Console
from registry.cli.setup.answers import IndexAnswer, OfficeAnswer, UserAnswer
from registry.cli.setup.entering import add_role, enter_index, enter_office, enter_user
from registry.domain.text import TextError, format_date, parse_date, parse_rate
from registry.jobs import heads_file
from registry.services import readiness
from registry.services.errors import Refused
from registry.services.indexes import index_page
from registry.services.readiness import FIRST_PERMIT, Step
from registry.services.regimes_offered import Offer
from registry.services.setup_changes import DayInput, zone_fault, zones

T = TypeVar("T")
_ASKED = {
    "name": "Nome do órgão, como nos papéis",
    "short_name": "Nome curto (vazio = o nome)",
    "zone": "Fuso horário",
    "phone": "Telefone que o público lê (vazio = depois)",
    "address": "Endereço que o público lê (vazio = depois)",
}


def ask_code(codes: Iterable[str]) -> str:
    """The code of an authority, new or one of these."""
    there = f" (há: {', '.join(codes)})" if codes else ""
    return _text(f"Código do órgão, como «prefeitura»{there}", "Digite o código.")


def ask_authority(fields: Iterable[str]) -> dict[str, str]:
    """What nobody told about the authority."""
    told = {}
    for name in fields:
        if name == "zone":
            click.echo(f"Fusos: {', '.join(zones())}")
            told[name] = _ask(_ASKED[name], _zone)
        else:
            told[name] = _text(_ASKED[name], "Escreva o nome." if name == "name" else "")
    return told


def ask_regimes(offers: Mapping[str, Offer]) -> tuple[str, ...]:
    """Which regimes the authority administers; none = later."""
    for code, offer in offers.items():
        click.echo(f"  {code}: {offer.label}")

    def read(typed: str) -> tuple[str, ...]:
        chosen = tuple(filter(None, (each.strip() for each in typed.split(","))))
        for each in chosen:
            if each not in offers:
                raise click.UsageError(f"Nenhum módulo instalado tem o regime {each}. Há: {', '.join(offers)}.")
        return chosen

    return _ask("Regimes que o órgão administra, separados por vírgula (vazio = depois)", read)


def ask_days(put: Callable[[DayInput], None]) -> None:
    """The days of the authority's own, until an empty answer."""
    while day := _text("Feriado do lugar, como 24/06 ou Páscoa-2 (vazio = nenhum mais)"):
        try:
            put(DayInput(day, _text("Nome do dia", "Escreva o nome do dia.")))
        except Refused as refused:
            click.echo(" ".join(refused.fields.values()))


def ask_site() -> str:
    """The address by which people reach the registry; "" = later."""

    def read(typed: str) -> str:
        if typed and not typed.startswith(("http://", "https://")):
            raise click.UsageError("Escreva o endereço como https://registro.exemplo.gov.br.")
        return typed

    return _ask("Endereço público, como https://registro.exemplo.gov.br (vazio = depois)", read)


def ask_for_missing(fresh: Console, code: str) -> None:
    """Asks for each thing that the checklist says is missing, until none is left that was not put off."""
    asked: set[tuple[str, str]] = set()
    while step := _next(fresh, code, asked):
        asked.add((step.place, step.key))
        click.echo(f"\n{step.label}: {step.note}")
        if step.place == "index":
            _ask_index(fresh, code, step)
        elif ":" in step.key:
            _ask_office(fresh, code, step)
        else:
            _ask_user(fresh, code, step.key)


def _next(fresh: Console, code: str, asked: set[tuple[str, str]]) -> Step | None:
    settings = fresh.settings
    at = fresh.now(settings.authority(code).zone)
    with fresh.store.reading() as session:
        steps = readiness.of_authority(session, fresh.desk, code, at, heads_file(settings.var))
    answerable = (step for step in readiness.missing(steps) if step.place in ("users", "index"))
    return next((step for step in answerable if (step.place, step.key) not in asked), None)


def _ask_user(fresh: Console, code: str, permission: str) -> None:
    username = _text(f"Usuário de quem vai {FIRST_PERMIT[permission]} (vazio = depois)")
    if not username:
        return
    roles = fresh.settings.permissions[permission]
    role = roles[0]
    if len(roles) > 1:
        role = _ask(f"Perfil ({', '.join(roles)})", _one_of(roles), role)
    if add_role(fresh, code, username, role):
        return
    name = _text("Nome completo (vazio = depois)")
    if not name:
        return
    text = "Senha (vazio = mostrar um link de convite)"
    password = (
        click.prompt(text, default="", hide_input=True, show_default=False) if permission == "users.manage" else ""
    )
    enter_user(fresh, code, UserAnswer(username, name, (role,), password))


def _ask_office(fresh: Console, code: str, step: Step) -> None:
    username = _text("Usuário de quem está no cargo (vazio = depois)")
    if not username:
        return
    role = fresh.settings.permissions["requests.decide"][0]
    if not add_role(fresh, code, username, role):
        name = _text("Nome completo (vazio = depois)")
        if not name:
            return
        enter_user(fresh, code, UserAnswer(username, name, (role,)))
    regime, _, office = step.key.partition(":")
    act = _text("Ato que nomeia, como «Portaria 12/2026»", "Escreva o ato.")
    enter_office(fresh, code, OfficeAnswer(username, regime, office, act, _ask_day(fresh, code)))


def _ask_index(fresh: Console, code: str, step: Step) -> None:
    with fresh.store.reading() as session:
        lines = index_page(session, fresh.desk, code, fresh.occasion(code).on)
    kind = next(line.kind for line in lines if line.kind.key == step.key)

    def read(typed: str) -> Any:
        return parse_rate(typed, kind.places) if typed else None

    value = _ask(f"Valor em {kind.unit}, com até {kind.places} casas (vazio = depois)", read)
    if value is None:
        return
    act = _text("Ato que fixa o valor, como «Portaria 112/2026»", "Escreva o ato.")
    enter_index(fresh, code, IndexAnswer(kind.key, value, _ask_day(fresh, code), act))


def _ask_day(fresh: Console, code: str) -> date:
    today = format_date(fresh.occasion(code).on)
    return _ask("Desde o dia", parse_date, default=today)


def _zone(typed: str) -> str:
    if fault := zone_fault(typed):
        raise click.UsageError(fault["zone"])
    return typed


def _one_of(known: Sequence[str]) -> Callable[[str], str]:
    def read(typed: str) -> str:
        if typed not in known:
            raise click.UsageError(f"Escreva um destes: {', '.join(known)}.")
        return typed

    return read


def _text(text: str, wanted: str = "") -> str:
    """One answer as it was typed; with ``wanted`` it is asked again until it is not empty."""

    def read(typed: str) -> str:
        if wanted and not typed:
            raise click.UsageError(wanted)
        return typed

    return _ask(text, read)


def _ask(text: str, read: Callable[[str], T], default: str = "") -> T:
    """One answer, read; asked again while it cannot be read."""

    def checked(typed: str) -> T:
        try:
            return read(typed.strip())
        except TextError as error:
            raise click.UsageError(error.message_pt) from error

    answer: T = click.prompt(text, default=default, show_default=bool(default), value_proc=checked)
    return answer
