"""Art. 10, § 1º: until when an alvará is valid."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from registry.api.law import Law, Verdict, add_months, question
from registry_taxi_recife.rules.common import ground

MONTHS = "alvara.months"


@dataclass(frozen=True)
class AlvaraGiven:
    """``issued`` is the day of issue."""

    issued: date


@dataclass(frozen=True)
class AlvaraAnswer:
    """``valid_until`` is the last valid day; it never rolls to a business day."""

    valid_until: date


@question("alvara", cites=["art-10-par-1"])
def alvara(given: AlvaraGiven, law: Law) -> Verdict[AlvaraAnswer]:
    """Twelve months from issue, ending on the equal-numbered day (or the next one where the month lacks it)."""
    months = law.value(MONTHS, given.issued)
    valid_until = add_months(given.issued, months.integer)
    facts = {"issued": given.issued, "until": valid_until, "months": months.integer}
    return Verdict(
        "allow", AlvaraAnswer(valid_until), (ground(law, "art-10-par-1", "alvara_term", None, (months,), **facts),)
    )
