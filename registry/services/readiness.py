"""What is still missing before the first permit: one checklist for the screen and the command line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Literal

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from registry.domain.regime import Regime
from registry.domain.sentences import join_words
from registry.domain.text import format_date, format_number
from registry.services import indexes, invitations, users
from registry.services.act_pages import acts_not_entered
from registry.services.desk import Desk
from registry.services.offices import Held
from registry.services.users import UserLine
from registry.settings import Settings, unsafe
from registry.store.permits import Permit

State = Literal["done", "missing", "advice"]
FIRST_PERMIT = {
    "users.manage": "administrar usuários",
    "people.edit": "cadastrar pessoas",
    "vehicles.edit": "cadastrar veículos",
    "requests.edit": "abrir requerimentos",
    "requests.analyse": "conferir documentos",
    "inspections.record": "registrar vistorias",
    "charges.receive": "receber taxas",
    "requests.decide": "abrir as decisões",
}
"""The permissions that a first permit needs somebody to have, and what they are for (pt-BR)."""

_HEAD_AGE = timedelta(days=2)


@dataclass(frozen=True)
class Step:
    """One thing to have in place.

    ``place`` is where it is done (authority, regimes, days, users, user, index, acts, imports, server), ``key`` which
    one there; ``command`` does the same on the command line. ``missing`` stands before the first permit, ``advice``
    does not.
    """

    label: str
    state: State
    note: str
    place: str
    key: str = ""
    command: str = "registry setup"


def installation(settings: Settings, has_demo_users: bool, behind: str = "") -> tuple[Step, ...]:
    """What holds for all authorities. ``behind`` says how the database is not at the program's version; "" = it is."""
    steps = [
        Step("Banco de dados", "missing" if behind else "done", behind or "Na versão do programa.", "server"),
        *(
            Step("Segurança", "missing", f"{fault[0].upper()}{fault[1:]}.", "server")
            for fault in unsafe(settings, has_demo_users)
        ),
    ]
    if not settings.authorities:
        steps.append(Step("Órgão", "missing", "Nenhum órgão na configuração.", "server"))
    site = settings.site or "Diga por qual endereço se chega ao sistema: os links de senha começam por ele."
    steps.append(Step("Endereço público", "done" if settings.site else "advice", site, "server"))
    if settings.site.startswith("https://") and not settings.proxies:
        note = "O endereço é https e a configuração não diz que há um proxy: os limites contariam todos como um só."
        steps.append(Step("Proxy", "advice", f"{note} Escreva proxies = 1 em [server].", "server"))
    return tuple(steps)


def of_authority(session: Session, desk: Desk, authority: str, at: datetime, heads: Path) -> tuple[Step, ...]:
    """What an authority has and lacks at an instant (aware, in its zone). ``heads`` is the file of audit heads."""
    today = at.date()
    staff = users.users_of(session, authority)
    links = invitations.waiting(session, authority, at)
    usable = [each for each in staff if each.active and (not each.waiting or each.id in links)]
    return (
        *_what_it_is(desk, authority),
        *_calendar(session, desk, authority, today.year + 1),
        *_staff(desk.settings, usable, {each.id for each in usable if each.waiting}),
        *(step for regime in desk.regimes_of(authority) for step in _offices(desk.settings, regime, usable, today)),
        *_indexes(session, desk, authority, today),
        *_acts(session, desk, authority),
        _records(session, authority),
        _heads(heads, at),
    )


def missing(steps: Iterable[Step]) -> tuple[Step, ...]:
    """Those without which no permit can be granted."""
    return tuple(step for step in steps if step.state == "missing")


def _what_it_is(desk: Desk, authority: str) -> Iterator[Step]:
    known = desk.authority(authority)
    blank = [label for label, value in (("telefone", known.phone), ("endereço", known.address)) if not value]
    note = f"{known.name}, horário de {known.zone.key}."
    if blank:
        note += f" Falta {' e '.join(blank)}, que o público lê."
    yield Step("Dados do órgão", "advice" if blank else "done", note, "authority")
    regimes = desk.regimes_of(authority)
    gone = [code for code in known.regimes if code not in {each.code for each in regimes}]
    if gone:
        yield Step("Regimes", "missing", f"O módulo de {join_words(gone)} não está carregado.", "regimes")
    elif not regimes:
        yield Step("Regimes", "missing", "Escolha o que o órgão administra.", "regimes")
    else:
        yield Step("Regimes", "done", f"{join_words([each.label for each in regimes])}.", "regimes")


def _calendar(session: Session, desk: Desk, authority: str, year: int) -> Iterator[Step]:
    label = f"Calendário de {year}"
    for code in [each.code for each in desk.regimes_of(authority)] or [""]:
        calendar = desk.calendar(session, authority, code)
        first = date(year, 1, 1)
        days = (first + timedelta(days=ahead) for ahead in range(366))
        count = sum(day.year == year and calendar.holiday_name(day) is not None for day in days)
        if not count:
            yield Step(label, "missing", f"Nenhum feriado em {year}: os prazos contariam todos os dias.", "days")
            return
    own = len(desk.authority(authority).calendar)
    if own:
        yield Step(
            label, "done", f"{count} feriados; {own} {'dia é' if own == 1 else 'dias são'} do próprio órgão.", "days"
        )
    else:
        note = f"{count} feriados, da lei do regime. Confira se faltam os do lugar e acrescente-os."
        yield Step(label, "advice", note, "days")


def _staff(settings: Settings, usable: list[UserLine], invited: set[int]) -> Iterator[Step]:
    able: list[str] = []
    for permission, what in FIRST_PERMIT.items():
        roles = settings.permissions.get(permission, ())
        if any(set(each.roles) & set(roles) for each in usable):
            able.append(what)
        else:
            labels = " ou ".join(settings.roles.get(role, role) for role in roles)
            note = f"Ninguém pode {what}. Convide alguém com o perfil {labels}."
            yield Step(f"Quem vai {what}", "missing", note, "users", permission)
    if able:
        waiting = f" {len(invited)} ainda não escolheram a senha." if len(invited) > 1 else ""
        waiting = " 1 ainda não escolheu a senha." if len(invited) == 1 else waiting
        many = f"{len(usable)} usuários" if len(usable) > 1 else "1 usuário"
        yield Step("Usuários", "done", f"{many}. Já há quem possa {join_words(able)}.{waiting}", "users")


def _offices(settings: Settings, regime: Regime, usable: list[UserLine], today: date) -> Iterator[Step]:
    deciding = {kind.office for kind in regime.request_kinds}
    for office in regime.offices:
        label = f"{office.label} ({regime.short_label})"
        key = f"{regime.code}:{office.code}"
        holders = [
            user for user in usable if any(_holds(each, regime.code, office.code, today) for each in user.offices)
        ]
        later = _later(usable, regime.code, office.code, today)
        command = f"registry user appoint USUÁRIO {regime.code} {office.code} --act ATO"
        if not holders and office.code in deciding:
            note = f"Ninguém está nomeado hoje, e é quem decide pedidos.{later}"
            yield Step(label, "missing", note, "users", key, command)
        elif not holders:
            note = f"Ninguém está nomeado hoje. Não decide a primeira outorga.{later}"
            yield Step(label, "advice", note, "users", key, command)
        elif office.code in deciding and not any(_decides(settings, user) for user in holders):
            roles = " ou ".join(settings.roles.get(role, role) for role in _deciders(settings))
            note = f"{holders[0].name} está no cargo e não abre as decisões: dê-lhe o perfil {roles}."
            yield Step(label, "missing", note, "user", str(holders[0].id), "registry setup")
        else:
            yield Step(
                label, "done", f"{join_words([user.name for user in holders])}.", "user", str(holders[0].id), command
            )


def _later(usable: list[UserLine], regime: str, office: str, today: date) -> str:
    """Who takes the office on a day to come, as a sentence; "" = nobody."""
    coming = [
        (each.since, user.name)
        for user in usable
        for each in user.offices
        if (each.regime, each.office) == (regime, office) and each.since > today
    ]
    if not coming:
        return ""
    since, name = min(coming)
    return f" {name} começa em {format_date(since)}."


def _holds(held: Held, regime: str, office: str, day: date) -> bool:
    here = held.regime == regime and held.office == office
    return here and held.since <= day and (held.until is None or day <= held.until)


def _deciders(settings: Settings) -> tuple[str, ...]:
    return settings.permissions.get("requests.decide", ())


def _decides(settings: Settings, user: UserLine) -> bool:
    return bool(set(user.roles) & set(_deciders(settings)))


def _indexes(session: Session, desk: Desk, authority: str, today: date) -> Iterator[Step]:
    for line in indexes.index_page(session, desk, authority, today):
        kind, value = line.kind, line.in_force
        command = f"registry setup --index {kind.key} VALOR DIA ATO"
        if value is not None:
            number = format_number(value.decimal)
            note = f"{number} ({kind.unit}), desde {format_date(value.since)}{f', {value.act}' if value.act else ''}."
            yield Step(kind.label, "done", note, "index", kind.key, command)
        elif line.next is not None:
            note = f"Só vale a partir de {format_date(line.next.since)}."
            yield Step(kind.label, "advice" if kind.optional else "missing", note, "index", kind.key, command)
        elif kind.optional:
            yield Step(kind.label, "advice", f"Sem valor. {kind.note}".strip(), "index", kind.key, command)
        else:
            yield Step(
                kind.label, "missing", f"Falta o valor em vigor, por ato ({line.cite}).", "index", kind.key, command
            )


def _acts(session: Session, desk: Desk, authority: str) -> Iterator[Step]:
    names = acts_not_entered(session, desk, authority)
    if names:
        more = f" e mais {len(names) - 3}" if len(names) > 3 else ""
        note = f"Citados e ainda não cadastrados: {'; '.join(names[:3])}{more}."
        yield Step("Atos", "advice", note, "acts", command="registry act add TIPO NÚMERO --day DATA")


def _records(session: Session, authority: str) -> Step:
    count = session.scalar(select(func.count()).select_from(Permit).where(Permit.authority == authority)) or 0
    if count:
        return Step(
            "Registros existentes", "done", f"{format_number(count)} outorgas.", "imports", command="registry import"
        )
    note = "Se o órgão já tem outorgas em planilha, importe antes de começar."
    return Step(
        "Registros existentes", "advice", note, "imports", command="registry import vehicles ARQUIVO --regime REGIME"
    )


def _heads(heads: Path, at: datetime) -> Step:
    label, command = "Cópias e auditoria", "registry jobs run; registry backup ARQUIVO"
    if heads.is_file() and at.timestamp() - heads.stat().st_mtime < _HEAD_AGE.total_seconds():
        return Step(label, "done", "O trabalho da noite rodou há menos de dois dias.", "server", command=command)
    note = "Agende o trabalho da noite e as cópias, e guarde-as fora deste servidor."
    return Step(label, "advice", note, "server", command=command)
