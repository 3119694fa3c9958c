"""What a set-up is told: by options, by a file of answers, or by someone at the keyboard."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from datetime import date
from decimal import Decimal
from difflib import get_close_matches
from pathlib import Path
from typing import Any, TypeVar

import click

from registry.domain.text import TextError, parse_date, parse_rate
from registry.services.setup_changes import DayInput
from registry.settings.files import read

T = TypeVar("T")
_PLACES = 12


@dataclass(frozen=True)
class UserAnswer:
    """A user to be entered; without a password a link is printed. No roles = those that administer users."""

    username: str
    name: str
    roles: tuple[str, ...] = ()
    password: str = field(default="", repr=False)


@dataclass(frozen=True)
class OfficeAnswer:
    """A user to be appointed to an office of a regime, by act, from a day on."""

    user: str
    regime: str
    office: str
    act: str
    since: date
    until: date | None = None
    substitute: bool = False


@dataclass(frozen=True)
class IndexAnswer:
    """A value that an act sets, from a day on."""

    key: str
    value: Decimal
    since: date
    act: str


@dataclass(frozen=True)
class Answers:
    """Everything that was told. ``authority`` holds what is known of name, short_name, zone, phone, address."""

    code: str = ""
    authority: Mapping[str, str] = field(default_factory=dict)
    renaming: bool = False
    regimes: tuple[str, ...] = ()
    days: tuple[DayInput, ...] = ()
    site: str = ""
    users: tuple[UserAnswer, ...] = ()
    offices: tuple[OfficeAnswer, ...] = ()
    indexes: tuple[IndexAnswer, ...] = ()

    def under(self, options: Answers) -> Answers:
        """These answers with those of the command's options over them; lists are joined."""
        joined = {
            name: (*getattr(self, name), *getattr(options, name)) for name in ("days", "users", "offices", "indexes")
        }
        return replace(
            self,
            code=options.code or self.code,
            authority={**self.authority, **options.authority},
            renaming=options.renaming or self.renaming,
            regimes=options.regimes or self.regimes,
            site=options.site or self.site,
            **joined,
        )


def from_options(given: Mapping[str, Any]) -> Answers:
    """The answers of the command's options. Raises ``click.UsageError`` for one that cannot be read."""
    users = [UserAnswer(name, full, _words(roles)) for name, full, roles in given["users"]]
    if given["admin"]:
        if not given["admin_name"]:
            raise click.UsageError("Diga também --admin-name, o nome completo do administrador.")
        users.insert(0, UserAnswer(given["admin"], given["admin_name"], (), given["admin_password"] or ""))
    names = ("name", "short_name", "zone", "phone", "address")
    return Answers(
        code=given["code"] or "",
        authority={name: given[name] for name in names if given[name] is not None},
        renaming=given["rename"],
        regimes=tuple(given["regimes"]),
        days=tuple(DayInput(day, name) for day, name in given["days"]),
        site=given["site"] or "",
        users=tuple(users),
        offices=tuple(
            OfficeAnswer(user, regime, office, act, _day("--office", since))
            for user, regime, office, act, since in given["offices"]
        ),
        indexes=tuple(
            IndexAnswer(key, _number("--index", value), _day("--index", since), act)
            for key, value, since, act in given["indexes"]
        ),
    )


def read_answers(path: Path) -> Answers:
    """The answers of a TOML file. Raises ``click.UsageError`` naming the table and key; SettingsError, no TOML."""
    content = read(path)
    _known(path, "", content, ("authority", "day", "site", "admin", "user", "office", "index"))
    told = _table(path, content, "authority")
    _known(path, "authority", told, ("code", "name", "short_name", "zone", "phone", "address", "rename", "regimes"))
    admin = _table(path, content, "admin")
    users = [_user(path, each, "user") for each in _tables(path, content, "user")]
    if admin:
        users.insert(0, _user(path, admin, "admin"))
    names = ("name", "short_name", "zone", "phone", "address")
    return Answers(
        code=_text(path, "authority", told, "code", ""),
        authority={name: _text(path, "authority", told, name) for name in names if name in told},
        renaming=bool(told.get("rename", False)),
        regimes=tuple(_list(path, "authority", told, "regimes")),
        days=tuple(_own_day(path, each) for each in _tables(path, content, "day")),
        site=_text(path, "", content, "site", ""),
        users=tuple(users),
        offices=tuple(_office(path, each) for each in _tables(path, content, "office")),
        indexes=tuple(_index(path, each) for each in _tables(path, content, "index")),
    )


def _user(path: Path, entry: Mapping[str, Any], table: str) -> UserAnswer:
    _known(path, table, entry, [each.name for each in fields(UserAnswer)])
    roles = tuple(_list(path, table, entry, "roles"))
    name, password = _text(path, table, entry, "name"), _text(path, table, entry, "password", "")
    return UserAnswer(_text(path, table, entry, "username"), name, roles, password)


def _own_day(path: Path, entry: Mapping[str, Any]) -> DayInput:
    _known(path, "day", entry, [each.name for each in fields(DayInput)])
    year = entry.get("from_year")
    if year is not None and (not isinstance(year, int) or isinstance(year, bool)):
        raise _wrong(path, "day", "from_year", "um ano, como 2020")
    optional = bool(entry.get("optional", False))
    return DayInput(_text(path, "day", entry, "day"), _text(path, "day", entry, "name"), year, optional)


def _office(path: Path, entry: Mapping[str, Any]) -> OfficeAnswer:
    _known(path, "office", entry, [each.name for each in fields(OfficeAnswer)])
    user, regime, office, act = (_text(path, "office", entry, name) for name in ("user", "regime", "office", "act"))
    since, until = _day(f"{path}: office", entry.get("since")), entry.get("until")
    last = None if until is None else _day(f"{path}: office", until)
    return OfficeAnswer(user, regime, office, act, since, last, bool(entry.get("substitute", False)))


def _index(path: Path, entry: Mapping[str, Any]) -> IndexAnswer:
    _known(path, "index", entry, [each.name for each in fields(IndexAnswer)])
    key, act = _text(path, "index", entry, "key"), _text(path, "index", entry, "act")
    place = f"{path}: index {key}"
    return IndexAnswer(key, _number(place, entry.get("value")), _day(place, entry.get("since")), act)


def _known(path: Path, table: str, content: Mapping[str, Any], keys: Iterable[str]) -> None:
    options = list(keys)
    for key in content:
        if key not in options:
            near = get_close_matches(key, options, n=1)
            mend = f"Você quis escrever «{near[0]}»?" if near else f"Há: {', '.join(options)}."
            raise click.UsageError(f"{path}: não existe a chave «{f'{table}.' if table else ''}{key}». {mend}")


def _table(path: Path, content: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    return _of(path, content, key, {}, lambda value: isinstance(value, Mapping), f"uma tabela [{key}]")


def _tables(path: Path, content: Mapping[str, Any], key: str) -> list[Mapping[str, Any]]:
    def right(value: Any) -> bool:
        return isinstance(value, list) and all(isinstance(each, Mapping) for each in value)

    return _of(path, content, key, [], right, f"tabelas [[{key}]]")


def _list(path: Path, table: str, entry: Mapping[str, Any], key: str) -> list[str]:
    def right(value: Any) -> bool:
        return isinstance(value, list) and all(isinstance(each, str) for each in value)

    return _of(path, entry, key, [], right, "uma lista de textos", table)


def _text(path: Path, table: str, entry: Mapping[str, Any], key: str, absent: str | None = None) -> str:
    return _of(path, entry, key, absent, lambda value: isinstance(value, str), "um texto entre aspas", table)


def _of(
    path: Path,
    content: Mapping[str, Any],
    key: str,
    absent: T | None,
    right: Callable[[Any], bool],
    what: str,
    table: str = "",
) -> T:
    value: Any = content.get(key, absent)
    if value is None or not right(value):
        raise _wrong(path, table, key, what)
    found: T = value
    return found


def _wrong(path: Path, table: str, key: str, what: str) -> click.UsageError:
    return click.UsageError(f"{path}: «{f'{table}.' if table else ''}{key}» deve ser {what}.")


def _words(text: str) -> tuple[str, ...]:
    return tuple(filter(None, (each.strip() for each in text.split(","))))


def _day(place: str, value: Any) -> date:
    if type(value) is date:
        return value
    try:
        return parse_date(str(value), iso=True)
    except TextError as error:
        raise click.UsageError(f"{place}: {value!r}: {error.message_pt}") from error


def _number(place: str, value: Any) -> Decimal:
    try:
        return parse_rate(str(value), _PLACES)
    except TextError as error:
        raise click.UsageError(f"{place}: {value!r}: {error.message_pt} Escreva o número entre aspas.") from error
