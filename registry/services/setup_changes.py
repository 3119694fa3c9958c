"""Changes of what a set-up's file holds: pure functions on its content, each of which refuses what cannot be."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from difflib import get_close_matches
from functools import lru_cache
from importlib.resources import files
from typing import Any
from zoneinfo import available_timezones

from registry.domain.calendar import CalendarError, DayRule
from registry.domain.text import fold
from registry.services.errors import NotFound, Refused
from registry.services.regimes_offered import Offer, with_needed
from registry.services.setup_file import Content
from registry.settings import Settings, authorities_from

_CODE = re.compile(r"[a-z][a-z0-9_-]{1,30}")
_SITE = re.compile(r"https?://[A-Za-z0-9.-]+(:[0-9]{1,5})?")
_FIXED = re.compile(r"(\d{1,2})/(\d{1,2})")
_EASTER = re.compile(r"(?:pascoa|easter)\s*([+-]\s*\d{1,3})?")
_LONGEST = 200
_FIRST_YEAR, _LAST_YEAR = 1900, 2200


@dataclass(frozen=True)
class AuthorityInput:
    """What an authority is, as it is typed; ``zone`` is a name such as ``Continente/Cidade``."""

    name: str
    short_name: str
    zone: str
    phone: str = ""
    address: str = ""


@dataclass(frozen=True)
class DayInput:
    """A day of the authority's own that comes back every year: ``24/06``, or ``Páscoa-2`` for days from Easter.

    ``from_year`` None = always; ``optional``: ponto facultativo, which is a business day.
    """

    day: str
    name: str
    from_year: int | None = None
    optional: bool = False


def put_authority(content: Content, code: str, given: AuthorityInput, *, renaming: bool = False) -> None:
    """Enters the authority of this code, or changes what it is.

    Raises Refused: a field is empty, too long or unknown; the code is another authority's (``renaming``: it is the same
    one under a new name).
    """
    faults: dict[str, str] = {
        name: f"Encurte: o limite é {_LONGEST} letras." for name, text in asdict(given).items() if len(text) > _LONGEST
    }
    if not _CODE.fullmatch(code):
        faults["code"] = "O código tem de 2 a 31 letras minúsculas sem acento, números, traço ou sublinhado."
    if not given.name.strip():
        faults["name"] = "Escreva o nome do órgão."
    faults |= zone_fault(given.zone)
    known = next((each for each in content["authority"] if each["code"] == code), None)
    if known is not None and not renaming and "name" not in faults and not _same(known["name"], given.name):
        faults["code"] = (
            f"O código {code} já é de {known['name']}. Escolha outro código, ou confirme que é o mesmo órgão."
        )
    if faults:
        raise Refused(faults)
    if known is None:
        known = {"code": code, "regimes": [], "calendar": []}
        content["authority"].append(known)
    cleaned = {name: " ".join(text.split()) for name, text in asdict(given).items()}
    known |= cleaned | {"short_name": cleaned["short_name"] or cleaned["name"]}


def put_regimes(content: Content, code: str, regimes: Iterable[str], offers: Mapping[str, Offer]) -> None:
    """Makes these the regimes that the authority administers; plugins that they need are loaded from then on.

    Raises Refused: none, one that no installed plugin has, or one that another authority administers.
    """
    wanted = list(dict.fromkeys(regimes))
    taken = {
        regime: each["name"]
        for each in content["authority"]
        if each["code"] != code
        for regime in each.get("regimes", ())
    }
    fault = "" if wanted else "Escolha ao menos um regime."
    mine = entry(content, code).get("regimes", ())
    for regime in (each for each in wanted if each not in mine):
        if regime not in offers:
            near = get_close_matches(regime, list(offers), n=1)
            mend = f"Você quis escrever «{near[0]}»?" if near else f"Há: {', '.join(sorted(offers)) or 'nenhum'}."
            fault = f"Nenhum módulo instalado tem o regime {regime}. {mend}"
        elif regime in taken:
            fault = f"O regime {regime} já é administrado por {taken[regime]}."
    if fault:
        raise Refused({"regimes": fault})
    entry(content, code)["regimes"] = wanted
    for regime in wanted:
        needed = with_needed(offers[regime].plugin) if regime in offers else ()
        content["plugins"] += [name for name in needed if name not in content["plugins"]]


def put_day(content: Content, code: str, given: DayInput, known: Mapping[str, str] | None = None) -> None:
    """Adds a day of the authority's own; ``known`` are the days that the law of its regimes has, rule to name.

    Raises Refused: a day that is in no year, no name, a year that is none, or a day that is there already.
    """
    faults: dict[str, str] = {}
    rule = ""
    try:
        rule = day_rule(given.day)
    except Refused as refused:
        faults |= refused.fields
    if not given.name.strip():
        faults["name"] = "Escreva o nome do dia, como «Padroeira»."
    elif len(given.name) > _LONGEST:
        faults["name"] = f"Encurte: o limite é {_LONGEST} letras."
    if given.from_year is not None and not _FIRST_YEAR <= given.from_year <= _LAST_YEAR:
        faults["from_year"] = "Use o ano com 4 números."
    days = entry(content, code).setdefault("calendar", [])
    there = next((day["name"] for day in days if day["rule"] == rule and not _ended(day, given.from_year)), "")
    if rule and (other := there or (known or {}).get(rule, "")):
        faults["day"] = f"Este dia já está no calendário: {other}."
    if faults:
        raise Refused(faults)
    kind = {"kind": "optional"} if given.optional else {}
    since = {} if given.from_year is None else {"from_year": given.from_year}
    days.append({"rule": rule, "name": " ".join(given.name.split()), **kind, **since})


def end_day(content: Content, code: str, key: str, until_year: int, this_year: int) -> None:
    """Sets the last year of a day, by its :func:`day_key`. Days that were stay: terms have been counted with them.

    Raises Refused for a year before last year; NotFound.
    """
    day = next((each for each in entry(content, code).get("calendar", []) if day_key(each) == key), None)
    if day is None:
        raise NotFound
    if not this_year - 1 <= until_year <= _LAST_YEAR:
        raise Refused(
            {"until_year": f"O último ano não pode ser antes de {this_year - 1}: há prazos contados com ele."}
        )
    day["until_year"] = until_year


def day_key(day: Mapping[str, Any]) -> str:
    """What tells a day of the calendar from the others: its rule and first year."""
    return f"{day['rule']}.{day.get('from_year', 0)}"


def put_site(content: Content, site: str) -> None:
    """Keeps the address by which people reach the registry; one of HTTPS makes the cookie travel by it alone.

    Raises Refused.
    """
    bare = site.strip().rstrip("/")
    if not _SITE.fullmatch(bare):
        raise Refused({"site": "Escreva o endereço como https://registro.exemplo.gov.br, sem nada depois."})
    content.setdefault("server", {})["site"] = bare
    secure = bare.startswith("https://")
    if secure or "secure_cookie" in content.get("session", {}):
        content.setdefault("session", {})["secure_cookie"] = secure


def applied(settings: Settings, content: Content) -> Settings:
    """The settings as they will be with this content. Raises SettingsError."""
    authorities = authorities_from(content["authority"], str(settings.setup_file))
    return replace(settings, authorities=authorities, plugins=tuple(content["plugins"]), demo=False)


def day_rule(typed: str) -> str:
    """The calendar's rule of a day as people type it. Raises Refused at ``day``."""
    bare = fold(typed).strip()
    if found := _FIXED.fullmatch(bare):
        rule = f"{int(found[2]):02d}-{int(found[1]):02d}"
    elif found := _EASTER.fullmatch(bare):
        shift = (found[1] or "").replace(" ", "")
        rule = f"easter{shift}" if shift.strip("+-0") else "easter"
    else:
        rule = bare
    try:
        DayRule(rule, typed)
    except CalendarError:
        raise Refused({"day": "Escreva o dia como 24/06, ou como Páscoa-2 (dias antes ou depois da Páscoa)."}) from None
    return rule


def day_text(rule: str) -> str:
    """A rule as people read it: ``24/06``, ``Páscoa-2``; any other as it is."""
    if rule.startswith("easter"):
        return f"Páscoa{rule.removeprefix('easter')}"
    month, _, day = rule.partition("-")
    return f"{day}/{month}" if month.isdecimal() and day.isdecimal() else rule


def zone_fault(zone: str) -> dict[str, str]:
    """What is wrong with a zone, at ``zone``; empty when nothing is."""
    if zone in available_timezones():
        return {}
    near = get_close_matches(zone.replace(" ", "_"), zones(), n=1, cutoff=0.5)
    hint = f" Você quis escrever «{near[0]}»?" if near else ""
    return {"zone": f"Não existe o fuso «{zone}».{hint}"}


@lru_cache(maxsize=1)
def zones() -> tuple[str, ...]:
    """The zones of Brazil, as the time zone data has them."""
    try:
        table = files("tzdata").joinpath("zoneinfo/zone.tab").read_text(encoding="utf-8")
    except (ModuleNotFoundError, FileNotFoundError):
        return tuple(sorted(available_timezones()))
    rows = [line.split("\t") for line in table.splitlines() if line.startswith("BR\t")]
    return tuple(sorted(row[2] for row in rows))


def entry(content: Content, code: str) -> dict[str, Any]:
    """The ``[[authority]]`` entry of this code. Raises StopIteration where there is none."""
    found: dict[str, Any] = next(each for each in content["authority"] if each["code"] == code)
    return found


def _ended(day: Mapping[str, Any], from_year: int | None) -> bool:
    until = day.get("until_year")
    return until is not None and from_year is not None and until < from_year


def _same(one: str, other: str) -> bool:
    return fold(" ".join(one.split())) == fold(" ".join(other.split()))
