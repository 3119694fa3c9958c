"""From a rule and a dossier to a finding; several outcomes of one role."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, datetime
from itertools import permutations
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from registry.domain.calendar import Calendar
from registry.domain.dossier import Document, Dossier, Permit, RequestFacts, Restriction
from registry.domain.law import Ground, Law, Question, Verdict
from registry.domain.lawbook import Lawbook
from registry.domain.regime import Missing, Outcome, Rule, ask, combined

ZONE = ZoneInfo("America/Recife")
ON = date(2026, 11, 30)
DOSSIER = Dossier("bus", ON, datetime(2026, 11, 30, 12, tzinfo=ZONE))
LAW = Law(Lawbook("city", "1"), Calendar(), ZONE)


def asked(answer: Any) -> Question[Any, Any]:
    return Question("seats", (), answer, int, str)


def verdict(outcome: Outcome, *grounds: Ground) -> Question[Any, Any]:
    return asked(lambda given, law: Verdict(outcome, str(given), grounds))


def finding(question: Question[Any, Any], given: Any = 4, **rule: Any) -> Any:
    return ask(Rule(question, lambda dossier: given, "Lugares", **rule), DOSSIER, LAW, "city")


def test_a_rule_that_does_not_touch_the_dossier_finds_nothing():
    assert finding(verdict("deny"), given=None) is None


def test_missing_facts_are_named_and_impede():
    found = finding(verdict("allow"), given=Missing(("ano de fabricação", "portas")))
    assert (found.outcome, found.missing, found.verdict) == ("pending", ("ano de fabricação", "portas"), None)
    assert "ano de fabricação, portas" in found.summary
    assert found.impedes


def test_a_value_not_in_force_is_pending_and_keeps_what_was_asked():
    found = finding(asked(lambda given, law: law.value("ufr", ON)))
    assert (found.outcome, found.given, found.missing) == ("pending", 4, ("valor de ufr em vigor",))


def test_any_other_fault_of_a_rule_is_not_hidden():
    with pytest.raises(ZeroDivisionError):
        finding(asked(lambda given, law: 1 // 0))


def test_the_summary_is_the_first_ground_that_forbids_else_the_first():
    good, bad = Ground("a", "Está certo.", True), Ground("b", "Falta lugar.", False)
    assert finding(verdict("deny", good, bad)).summary == "Falta lugar."
    assert finding(verdict("allow", good)).summary == "Está certo."
    assert finding(verdict("allow")).summary == "Lugares"


def test_what_waits_to_be_looked_at_is_said_before_what_is_in_order():
    good, sent = Ground("a", "Está certo.", True), Ground("b", "Confira a foto.", None)
    found = finding(verdict("pending", good, sent))
    assert (found.summary, found.to_check, found.weight) == ("Confira a foto.", True, "check")
    bad = finding(verdict("pending", sent, Ground("c", "Falta a CNH.", False)))
    assert (bad.summary, bad.to_check, bad.weight) == ("Falta a CNH.", False, "wait")


@pytest.mark.parametrize(
    ("outcome", "blocks", "weight"),
    [("allow", True, "ok"), ("deny", True, "bad"), ("refer", True, "bad"), ("deny", False, "warn")],
)
def test_a_finding_weighs_the_same_on_every_screen(outcome: Outcome, blocks: bool, weight: str):
    assert finding(verdict(outcome), blocks=blocks).weight == weight
    assert finding(verdict("allow"), given=Missing(("o ano",)), blocks=blocks).weight == ("wait" if blocks else "warn")


@pytest.mark.parametrize(
    ("outcome", "blocks", "impedes"),
    [
        ("allow", True, False),
        ("deny", True, True),
        ("refer", True, True),
        ("pending", True, True),
        ("deny", False, False),
    ],
)
def test_what_impedes(outcome: Outcome, blocks: bool, impedes: bool):
    assert finding(verdict(outcome), blocks=blocks).impedes is impedes


def test_deny_outranks_refer_outranks_pending_outranks_allow_in_any_order():
    ranks: list[Outcome] = ["deny", "refer", "pending", "allow"]
    for start, strongest in enumerate(ranks):
        for order in permutations(ranks[start:]):
            assert combined(list(order)) == strongest


def test_where_nothing_was_asked_nothing_is_allowed():
    assert combined([]) == "pending"


@pytest.mark.parametrize(("on", "counts"), [(date(2026, 11, 29), True), (ON, True), (date(2026, 12, 1), False)])
def test_an_accepted_document_counts_through_its_last_day(on: date, counts: bool):
    assert Document("D", "aceito", expires_on=ON).accepted(on) is counts
    assert Document("D", "com_ressalva", expires_on=ON).accepted(on) is counts
    assert not Document("D", "enviado", expires_on=ON).accepted(on)
    assert Document("D", "dispensado", expires_on=date(2000, 1, 1)).accepted(on)


@pytest.mark.parametrize(
    ("on", "live"), [(date(2026, 11, 29), False), (ON, True), (date(2026, 12, 9), True), (date(2026, 12, 10), False)]
)
def test_a_permit_lives_from_its_grant_to_the_day_before_its_end(on: date, live: bool):
    assert Permit(1, "0001", "c", ON, 1, ended_on=date(2026, 12, 10)).live(on) is live


@pytest.mark.parametrize(
    ("on", "bars"), [(date(2026, 11, 29), False), (ON, True), (date(2026, 12, 10), True), (date(2026, 12, 11), False)]
)
def test_a_restriction_bars_on_both_its_ends(on: date, bars: bool):
    assert Restriction("seizure", ON, date(2026, 12, 10)).in_force(on) is bars
    assert Restriction("seizure", ON).in_force(date(2100, 1, 1))


def test_the_restriction_in_force_that_ends_last():
    short = Restriction("suspension", ON, date(2026, 12, 1))
    long = Restriction("suspension", ON, date(2026, 12, 2))
    other = Restriction("seizure", ON)
    past = Restriction("suspension", date(2020, 1, 1), date(2020, 1, 2))
    found = replace(DOSSIER, restrictions=(past, short, long, other)).restricted("suspension")
    assert found is long
    assert replace(DOSSIER, restrictions=(past,)).restricted("suspension") is None


def test_facts_of_the_form():
    request = RequestFacts(1, "new", "1/2026", "comum", "PF", ON, facts={"capital": 0})
    assert replace(DOSSIER, request=request).fact("capital") == 0
    assert replace(DOSSIER, request=request).fact("fleet") is None
    assert DOSSIER.fact("capital") is None
