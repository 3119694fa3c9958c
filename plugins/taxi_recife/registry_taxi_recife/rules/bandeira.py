"""Art. 4: which bandeira (fare band) is in force at an instant, and until when."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime, time
from typing import Any

from registry.api.law import FactError, Ground, Law, Verdict, known, question
from registry_taxi_bandeiras.api import PERIODS, Band, BandTable, Override, Window, band_at
from registry_taxi_recife.rules.common import ground

WINDOWS = "bandeira.windows"
WHOLE_DAY = "bandeira.whole_day"
WEEKDAYS = ("segunda-feira", "terça-feira", "quarta-feira", "quinta-feira", "sexta-feira", "sábado", "domingo")


@dataclass(frozen=True)
class BandeiraGiven:
    """``at`` is an aware instant; ``service`` comum or especial."""

    at: datetime
    service: str


@dataclass(frozen=True)
class BandeiraAnswer:
    """``local`` is naive civil time, ``basis`` the row of art. 4 or ``override``; ``until`` the civil instant of the
    next change (None: none within a month) and ``then`` the band from it."""

    local: datetime
    bandeira: int
    basis: str
    until: datetime | None
    then: int | None


@question("bandeira", cites=["art-4-a-1", "art-4-a-2", "art-4-b-1", "art-4-b-2", "art-4-par-un"])
def bandeira(given: BandeiraGiven, law: Law) -> Verdict[BandeiraAnswer]:
    """The band of a service at an instant. A period set by act outranks Sundays and holidays, these the hours.

    Raises ``FactError`` for a service that the table lacks.
    """
    table = band_table(law, given.at.astimezone(law.zone).date())
    service = known("O serviço", given.service, (window.service for window in table.windows))
    band = band_at(table, given.at, service, law.zone)
    basis = "override" if band.cause == "override" else band.provision
    answer = BandeiraAnswer(band.local, band.band, basis, band.until, band.then)
    return Verdict("allow", answer, (_ground(band, law),))


def band_table(law: Law, on: date) -> BandTable:
    """The table of art. 4 as it stands on a day, with the authority's holidays and the periods set by act."""
    whole = law.value(WHOLE_DAY, on).value
    return BandTable(
        windows=tuple(_window(row) for row in law.value(WINDOWS, on).value),
        whole_day_band=whole["band"],
        whole_day_provision=law.value(WHOLE_DAY, on).provision,
        whole_days=tuple(WEEKDAYS.index(name) for name in whole["weekdays"]),
        holiday=law.calendar.holiday_name,
        overrides=tuple(_overrides(law, on)),
    )


def _window(row: Mapping[str, Any]) -> Window:
    start, end = time.fromisoformat(row["start"]), time.fromisoformat(row["end"])
    return Window(row["service"], start, end, row["band"], row["provision"])


def _overrides(law: Law, on: date) -> Iterable[Override]:
    entries = law.indexes.get(PERIODS, ()) or (law.value(PERIODS, on),)
    for entry in entries:
        for period in entry.value:
            if lacking := [name for name in ("from", "to", "bandeira") if not period.get(name)]:
                raise FactError(f"{PERIODS}: a um período falta {', '.join(lacking)}")
            yield Override(
                start=_instant(period["from"], law),
                end=_instant(period["to"], law),
                band=_band(period["bandeira"]),
                act=period.get("act", "") or entry.act,
                services=tuple(period.get("services", ())),
            )


def _band(text: Any) -> int:
    try:
        return int(text)
    except ValueError:
        raise FactError(f"{PERIODS}: esperava o número da bandeira, veio «{text}»") from None


def _instant(text: str, law: Law) -> datetime:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise FactError(f"{PERIODS}: esperava um dia e hora como 2020-02-21T06:00, veio «{text}»") from None
    return moment if moment.tzinfo else moment.replace(tzinfo=law.zone)


def _ground(band: Band, law: Law) -> Ground:
    on = band.local.date()
    facts: dict[str, Any] = {"band": band.band, "on": on, "clock": band.local.time()}
    if band.cause == "override":
        return ground(law, "art-4-par-un", "band_by_act", None, act=band.reason, **facts)
    if band.cause == "holiday":
        values = (law.value(WHOLE_DAY, on),)
        return ground(law, band.provision, "band_holiday", None, values, holiday=band.reason, **facts)
    if band.window is None:
        values = (law.value(WHOLE_DAY, on),)
        return ground(law, band.provision, "band_weekday", None, values, weekday=WEEKDAYS[on.weekday()], **facts)
    window = {"start": band.window.start, "end": band.window.end, "weekday": WEEKDAYS[on.weekday()]}
    return ground(law, band.provision, "band_window", None, (law.value(WINDOWS, on),), **facts, **window)
