"""The set-up of an authority: what it is, its days and regimes, kept in the installation's own file.

:func:`save` makes one change of the file under the writers' turn, with its audit entry. Nothing is set up in the
demonstration.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Mapping

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from registry.domain.occasion import Occasion
from registry.domain.sentences import join_words
from registry.plugins import PluginError, PluginHost
from registry.services.authorities import enter_authorities
from registry.services.desk import Desk
from registry.services.editing import done_before
from registry.services.errors import NotFound, Refused, Stale, StaleField
from registry.services.history import name_of
from registry.services.regimes_offered import Offer
from registry.services.setup_changes import (
    AuthorityInput,
    DayInput,
    applied,
    end_day,
    entry,
    put_authority,
    put_day,
    put_regimes,
)
from registry.services.setup_file import Content, content_of, entry_of, write_setup
from registry.settings import Settings
from registry.store.audit import AuditEntry, plain, record
from registry.store.base import TableError
from registry.store.migrate import MigrationError, check, of_plugins
from registry.store.once import remember
from registry.store.permits import Permit
from registry.store.requests import Request

ACT = "setup.changed"
SUBJECT = "setup"
DEMONSTRATION = "Esta é a demonstração: nela a configuração não muda. Para um órgão de verdade, rode registry setup."
LABELS = {
    "name": "Nome",
    "short_name": "Nome curto",
    "zone": "Fuso horário",
    "phone": "Telefone",
    "address": "Endereço",
}


def save_authority(occasion: Occasion, desk: Desk, given: AuthorityInput, version: int) -> None:
    """Changes what the occasion's authority is. Raises as :func:`put_authority`; Stale."""

    def change(content: Content) -> None:
        put_authority(content, occasion.authority, given, renaming=True)

    save(occasion, desk, change, version)


def save_regimes(occasion: Occasion, desk: Desk, regimes: Iterable[str], offers: Mapping[str, Offer]) -> None:
    """Changes which regimes the authority administers.

    Raises as :func:`put_regimes`; Refused when a regime with permits or requests would go, or a plugin cannot be loaded
    yet.
    """
    wanted = list(regimes)

    def change(content: Content) -> None:
        put_regimes(content, occasion.authority, wanted, offers)

    with desk.store.reading() as session:
        for regime in set(desk.authority(occasion.authority).regimes) - set(wanted):
            if held := _held(session, occasion.authority, regime):
                text = f"O regime {regime} tem {held} neste órgão: ele fica, para que se leiam."
                raise Refused({"regimes": text})
    save(occasion, desk, change)


def _held(session: Session, authority: str, regime: str) -> str:
    """What an authority has in a regime, «1 outorga e 2 requerimentos»; "" when nothing."""
    told = []
    tables: tuple[tuple[type[Permit] | type[Request], str], ...] = ((Permit, "outorga"), (Request, "requerimento"))
    for table, word in tables:
        mine = (table.authority == authority, table.regime == regime)
        if count := session.scalar(select(func.count()).select_from(table).where(*mine)):
            told.append(f"{count} {word}{'' if count == 1 else 's'}")
    return join_words(told)


def add_day(occasion: Occasion, desk: Desk, given: DayInput) -> None:
    """Adds a day of the authority's own, of the law's days none twice. Raises as :func:`put_day`."""
    law = days_of_law(desk.host, occasion.authority)
    save(occasion, desk, lambda content: put_day(content, occasion.authority, given, law))


def days_of_law(host: PluginHost, authority: str) -> dict[str, str]:
    """The days that the law of an authority's regimes has, rule to name."""
    books = [host.plugins[each.plugin].lawbook for each in host.regimes_of(authority)]
    return {rule.rule: rule.name for book in books for rule in book.calendar.rules}


def close_own_day(occasion: Occasion, desk: Desk, key: str, until_year: int) -> None:
    """Sets the last year of a day of the authority's own. Raises as :func:`end_day`."""
    year = occasion.on.year
    save(occasion, desk, lambda content: end_day(content, occasion.authority, key, until_year, year))


def save(occasion: Occasion, desk: Desk, change: Callable[[Content], None], version: int | None = None) -> None:
    """Makes one change of the file, enters the authority anew and records it; nothing when nothing differs.

    Args:
        change: mends the content in place or raises Refused.
        version: of :func:`version_of`, as the editor saw it; None where no other's work can be overwritten.

    Raises:
        Refused: as ``change``; in the demonstration; a plugin that does not load, or whose tables are not there yet.
        Stale: somebody changed the same fields since.
    """
    if desk.settings.demo:
        raise Refused(message=DEMONSTRATION)
    with desk.store.writing() as session:
        if done_before(session, occasion, ACT) is not None:
            return
        content = content_of(desk.settings)
        if all(each["code"] != occasion.authority for each in content["authority"]):
            raise NotFound
        before = copy.deepcopy(entry(content, occasion.authority))
        change(content)
        after = entry(content, occasion.authority)
        if after == before:
            return
        if version is not None:
            _refuse_stale(session, occasion.authority, version, before, after)
        chosen = applied(desk.settings, content)
        if chosen.plugins != desk.settings.plugins:
            _try_plugins(desk, chosen)
        enter_authorities(session, chosen)
        made = record(session, occasion, ACT, SUBJECT, 0, before, after)
        remember(session, occasion, ACT, made.seq)
        try:
            write_setup(desk.settings.setup_file, content, occasion.actor, occasion.at)
        except OSError as error:
            text = f"Não foi possível gravar {desk.settings.setup_file}: {error.strerror}. Confira o dono da pasta."
            raise Refused(message=text) from error


def record_settings(session: Session, occasion: Occasion, settings: Settings) -> bool:
    """Records what the occasion's authority is, where the last entry tells otherwise; whether it did."""
    last = _newest(session, occasion.authority)
    after = plain(entry_of(settings, occasion.authority))
    if last is not None and last.after == after:
        return False
    record(session, occasion, ACT, SUBJECT, 0, last.after if last else None, after)
    return True


def version_of(session: Session, authority: str) -> int:
    """The number of the last change of an authority's set-up, for a form to carry; 0 before the first."""
    last = _newest(session, authority)
    return last.seq if last else 0


def _newest(session: Session, authority: str) -> AuditEntry | None:
    mine = (AuditEntry.subject == SUBJECT, AuditEntry.authority == authority)
    return session.scalars(select(AuditEntry).where(*mine).order_by(AuditEntry.seq.desc()).limit(1)).one_or_none()


def _refuse_stale(session: Session, authority: str, version: int, now: Content, mine: Content) -> None:
    mine_too = (AuditEntry.subject == SUBJECT, AuditEntry.authority == authority, AuditEntry.seq > version)
    later = session.scalars(select(AuditEntry).where(*mine_too).order_by(AuditEntry.seq)).all()
    if not later:
        return
    opened = later[0].before or now
    fields = tuple(
        StaleField(name, label, opened.get(name, ""), mine[name], now.get(name, ""))
        for name, label in LABELS.items()
        if mine[name] != now.get(name, "") and opened.get(name, "") != now.get(name, "")
    )
    if fields:
        last = later[-1]
        raise Stale(fields, name_of(session, last.authority, last.actor), last.at, last.seq)


def _try_plugins(desk: Desk, chosen: Settings) -> None:
    """The plugins load together and their tables are there. Raises Refused."""
    try:
        check(desk.store, of_plugins(PluginHost.load(chosen)))
    except (PluginError, TableError) as error:
        raise Refused({"regimes": str(error)}) from error
    except MigrationError as error:
        names = ", ".join(name for name in chosen.plugins if name not in desk.settings.plugins)
        text = f"O módulo {names} tem tabelas que o banco ainda não tem. No servidor, rode: registry setup"
        raise Refused({"regimes": text}) from error
