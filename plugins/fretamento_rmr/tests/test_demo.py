"""The invented records: right numbers, no plate twice, each in the state that it claims."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from datetime import date, datetime, time
from zoneinfo import ZoneInfo

import pytest

from registry.api.law import (
    Document,
    Dossier,
    Holder,
    Inspection,
    Law,
    Licence,
    Permit,
    RequestFacts,
    Restriction,
    Vehicle,
    ask,
    check_cnh,
    load_lawbook,
    parse_document,
    parse_plate,
    parse_renavam,
)
from registry_fretamento_rmr import plugin
from registry_fretamento_rmr.regime import NEW_TERM, REGIME

ON = date(2026, 11, 30)
ZONE = ZoneInfo("America/Recife")
ROWS = list(plugin.registry_demo_rows())
STORIES = [row for row in ROWS if "vehicle" in row]
GRANTED = [row for row in STORIES if row["permit"]]
ASKED = [row for row in STORIES if row["request"]]
BOOK = load_lawbook("registry_fretamento_rmr")
LIKE = BOOK.value("min_seats_incl_driver", ON)
COSTS = tuple(
    replace(LIKE, key="custo_km", value=row["index"]["value"], since=row["index"]["from"])
    for row in ROWS
    if "index" in row and row["index"]["key"] == "custo_km"
)
LAW = Law(BOOK, BOOK.calendar, ZONE, indexes={"custo_km": COSTS})
REASON = {
    "authorised": (),
    "suspension_to_come": (),
    "suspension_over": (),
    "inspection_expired": ("inspection_expired",),
    "registration_expired": ("registration_expired",),
    "suspended": ("suspended",),
    "seized": ("seized",),
    "accident_block": ("accident_block",),
    "off_road": ("off_road",),
}


def named(row) -> str:
    return f"{row['vehicle']['plate']}-{row['state']}"


def dossier(row) -> Dossier:
    """The row as the store would give it."""
    who, car, permit, asked = row["person"], row["vehicle"], row["permit"], row["request"]
    seen = [each for each in row["inspections"] if each["state"] == "aprovada"]
    last = permit["licences"][-1] if permit else None
    cooperative = who["cooperative"]
    return Dossier(
        regime="fretamento_rmr",
        on=ON,
        at=datetime.combine(ON, time(10), tzinfo=ZONE),
        request=RequestFacts(
            1, asked["kind"], "", asked["category"], asked["holder_kind"], asked["filed_on"], asked["facts"]
        )
        if asked
        else None,
        holder=Holder(1, who["kind"], who["name"], who["document"]),
        cooperative=Holder(2, "cooperative", cooperative["name"]) if cooperative else None,
        vehicle=Vehicle(
            1, car["plate"], parse_plate(car["plate"]).key, car["type"], year_made=car["year_made"], seats=car["seats"]
        ),
        documents=tuple(Document(p["code"], p["status"], p["expires_on"], p["copies"]) for p in asked["documents"])
        if asked
        else (),
        inspection=Inspection(1, "yearly", seen[-1]["done_on"], True, valid_until=seen[-1]["valid_until"])
        if seen
        else None,
        permit=Permit(
            1, permit["number"], "fretamento", permit["granted_on"], 1, permit["ended_on"], permit["end_reason"]
        )
        if permit
        else None,
        licence=Licence(last["number"], last["issued_on"], last["valid_until"], last["ended_on"]) if last else None,
        restrictions=tuple(Restriction(bar["kind"], bar["since"], bar["until"]) for bar in row["restrictions"]),
    )


def test_about_a_hundred_of_every_state_and_holder() -> None:
    assert 90 <= len(STORIES) <= 130
    states = Counter(row["state"] for row in STORIES)
    assert {*REASON, "ended", "rascunho", "em_exigencia", "pronto", "indeferido"} <= states.keys()
    assert {row["person"]["holder_kind"] for row in GRANTED} == {"PF", "PJ", "COOP_MEMBER"}


def test_the_same_on_every_run() -> None:
    assert list(plugin.registry_demo_rows()) == ROWS


def test_every_number_has_its_check_digits_and_stands_once() -> None:
    for row in STORIES:
        person, cooperative = row["person"], row["person"]["cooperative"]
        parse_document(person["document"])
        assert not person["cnh"] or check_cnh(person["cnh"]).sum_ok
        parse_renavam(row["vehicle"]["renavam"])
        if cooperative:
            parse_document(cooperative["document"])
    for unique in (
        [parse_plate(row["vehicle"]["plate"]).key for row in STORIES],
        [row["vehicle"]["renavam"] for row in STORIES],
        [each["seal"] for row in STORIES for each in row["inspections"] if each["seal"]],
        [term["number"] for row in GRANTED for term in row["permit"]["licences"]],
    ):
        assert len(unique) == len(set(unique))


def test_a_document_or_permit_number_means_one_holder() -> None:
    names: dict[str, set[str]] = {}
    holders: dict[str, set[str]] = {}
    for row in STORIES:
        names.setdefault(row["person"]["document"], set()).add(row["person"]["name"])
        if row["permit"]:
            holders.setdefault(row["permit"]["number"], set()).add(row["person"]["document"])
    assert all(len(found) == 1 for found in (*names.values(), *holders.values()))


@pytest.mark.parametrize("row", GRANTED, ids=named)
def test_each_permit_stands_as_it_claims(row) -> None:
    found = ask(REGIME.status[0].rule, dossier(row), LAW, "fretamento_rmr")
    reasons = found.verdict.answer.reasons
    if row["state"] == "ended":
        assert "authorization_not_active" in reasons
    else:
        assert reasons == REASON[row["state"]]


@pytest.mark.parametrize("row", [row for row in ASKED if row["state"] == "pronto"], ids=named)
def test_a_request_ready_for_decision_meets_no_objection(row) -> None:
    found = [ask(rule, dossier(row), LAW, "fretamento_rmr") for rule in NEW_TERM.rules]
    assert not [each.summary for each in found if each and each.impedes]


@pytest.mark.parametrize("row", [row for row in ASKED if row["state"] == "indeferido"], ids=named)
def test_a_refused_request_had_a_ground(row) -> None:
    found = [ask(rule, dossier(row), LAW, "fretamento_rmr") for rule in NEW_TERM.rules]
    assert any(each and each.outcome == "deny" for each in found)
