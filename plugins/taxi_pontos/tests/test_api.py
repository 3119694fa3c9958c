"""Who may stand at a stand, by the stand alone."""

from __future__ import annotations

from datetime import date

import pytest

from registry_taxi_pontos.api import Stand, admission

FIRST, LAST = date(2026, 2, 13), date(2026, 2, 18)


@pytest.mark.parametrize(
    ("stand", "designated", "admitted", "reasons"),
    [
        (Stand("livre"), False, True, ("free",)),
        (Stand("livre"), True, True, ("free",)),
        (Stand("privado"), True, True, ("designated",)),
        (Stand("privado"), False, False, ("not_designated",)),
        (Stand("livre", True, FIRST, None), False, False, ("no_end",)),
        (Stand("privado", True, None, None), False, False, ("not_designated", "no_end")),
    ],
)
def test_access(stand: Stand, designated: bool, admitted: bool, reasons: tuple[str, ...]) -> None:
    answer = admission(stand, designated, FIRST)
    assert (answer.admitted, answer.reasons) == (admitted, reasons)


@pytest.mark.parametrize(
    ("on", "reason"),
    [
        (date(2026, 2, 12), "not_yet"),
        (FIRST, "provisional"),
        (date(2026, 2, 14), "provisional"),
        (date(2026, 2, 17), "provisional"),
        (LAST, "provisional"),
        (date(2026, 2, 19), "over"),
    ],
)
def test_a_provisional_stand_admits_from_its_first_day_to_its_last(on: date, reason: str) -> None:
    answer = admission(Stand("livre", True, FIRST, LAST), False, on)
    assert (answer.admitted, answer.reasons) == (reason == "provisional", (reason,))


def test_without_a_first_day_it_admits_until_its_last() -> None:
    assert admission(Stand("livre", True, None, LAST), False, date(2000, 1, 1)).admitted
