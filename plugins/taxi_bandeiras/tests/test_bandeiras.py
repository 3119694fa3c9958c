from __future__ import annotations

from dataclasses import replace
from datetime import date, datetime, time
from zoneinfo import ZoneInfo

import pytest

from registry_taxi_bandeiras.api import BandTable, BandTableError, Override, Window, band_at

ZONE = ZoneInfo("America/Recife")
TABLE = BandTable(
    windows=(
        Window("day", time(6), time(22), 1, "row-1"),
        Window("day", time(22), time(6), 2, "row-2"),
        Window("night", time(0), time(12), 3, "row-3"),
        Window("night", time(12), time(0), 4, "row-4"),
    ),
    whole_day_band=2,
    whole_day_provision="row-whole",
    whole_days=(6,),
    holiday=lambda day: "Dia do rio" if day == date(2026, 12, 8) else None,
)


def at(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=ZONE)


@pytest.mark.parametrize(
    ("instant", "band", "provision"),
    [
        ("2026-11-30T05:59:59", 2, "row-2"),
        ("2026-11-30T06:00:00", 1, "row-1"),
        ("2026-11-30T21:59:59", 1, "row-1"),
        ("2026-11-30T22:00:00", 2, "row-2"),
        ("2026-11-28T23:59:59", 2, "row-2"),
        ("2026-11-29T00:00:00", 2, "row-whole"),
        ("2026-11-29T23:59:59", 2, "row-whole"),
        ("2026-12-08T12:00:00", 2, "row-whole"),
    ],
)
def test_start_is_in_the_window_and_end_is_not(instant: str, band: int, provision: str) -> None:
    found = band_at(TABLE, at(instant), "day", ZONE)
    assert (found.band, found.provision) == (band, provision)


@pytest.mark.parametrize(
    ("instant", "until", "then"),
    [
        ("2026-11-30T10:42:00", "2026-11-30T22:00:00", 2),
        ("2026-11-30T22:00:00", "2026-12-01T06:00:00", 1),
        # Saturday night, the whole of Sunday and Monday's small hours are one stretch of band 2
        ("2026-11-28T22:00:00", "2026-11-30T06:00:00", 1),
        # the evening before a holiday: band 2 from 22h, the holiday, and on to 6h of the day after
        ("2026-12-07T23:00:00", "2026-12-09T06:00:00", 1),
        ("2026-12-07T21:00:00", "2026-12-07T22:00:00", 2),
    ],
)
def test_until_is_the_next_change_of_band_not_of_row(instant: str, until: str, then: int) -> None:
    found = band_at(TABLE, at(instant), "day", ZONE)
    assert found.until == datetime.fromisoformat(until)
    assert found.then == then


def test_an_instant_from_elsewhere_is_brought_to_the_zone() -> None:
    found = band_at(TABLE, datetime.fromisoformat("2026-12-01T01:00:00+00:00"), "day", ZONE)
    assert found.local == datetime.fromisoformat("2026-11-30T22:00")
    assert found.band == 2


def test_summer_time_of_the_past_counts() -> None:
    # 2001-12-03 08:00 UTC was 06:00 in Recife (UTC-2), a winter rule would say 05:00
    assert band_at(TABLE, datetime.fromisoformat("2001-12-03T08:00:00+00:00"), "day", ZONE).band == 1


def test_an_act_outranks_the_table_and_names_itself() -> None:
    act = Override(at("2026-12-01T06:00:00"), at("2026-12-02T06:00:00"), 2, "Decreto 1/2026", ("day",))
    table = replace(TABLE, overrides=(act,))
    inside = band_at(table, at("2026-12-01T12:00:00"), "day", ZONE)
    assert (inside.band, inside.cause, inside.reason) == (2, "override", "Decreto 1/2026")
    assert inside.until == datetime.fromisoformat("2026-12-02T06:00")
    assert band_at(table, at("2026-12-01T12:00:00"), "night", ZONE).band == 4
    assert band_at(table, at("2026-12-02T06:00:00"), "day", ZONE).band == 1
    # band 2 begins at 22h of the eve and the act carries it on
    assert band_at(table, at("2026-11-30T23:00:00"), "day", ZONE).until == datetime.fromisoformat("2026-12-02T06:00")


def test_a_band_that_never_changes_has_no_until() -> None:
    table = replace(TABLE, windows=(Window("day", time(0), time(0), 2, "row"),))
    assert band_at(table, at("2026-11-30T10:00:00"), "day", ZONE).until is None


def test_unknown_service_and_naive_instant_are_refused() -> None:
    with pytest.raises(BandTableError, match="'boat'"):
        band_at(TABLE, at("2026-11-30T10:00:00"), "boat", ZONE)
    with pytest.raises(ValueError, match="aware"):
        band_at(TABLE, datetime.fromisoformat("2026-11-30T10:00"), "day", ZONE)
