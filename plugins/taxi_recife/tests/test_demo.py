from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from datetime import date, datetime
from typing import Any
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
    parse_cnpj,
    parse_cpf,
    parse_plate,
    parse_renavam,
)
from registry_taxi_recife.plugin import registry_demo_rows
from registry_taxi_recife.regime import TAXI_RECIFE

DAY = date(2026, 11, 30)
AT = datetime(2026, 11, 30, 10, 42, tzinfo=ZoneInfo("America/Recife"))
ROWS = list(registry_demo_rows())
STORIES = [row for row in ROWS if "index" not in row]
PERMITS = [row for row in STORIES if row["permit"]]
REQUESTS = [row for row in STORIES if row["request"]]

EXPECTED = {
    "authorised": ("allow", set()),
    "suspension_to_come": ("allow", set()),
    "suspension_over": ("allow", set()),
    "alvara_expired": ("deny", {"alvara_expired"}),
    "inspection_expired": ("deny", {"inspection_expired"}),
    "suspended": ("deny", {"suspended_until"}),
    "off_road": ("deny", {"off_road_since"}),
    "too_old": ("deny", {"too_old"}),
    "under_review": ("pending", {"under_review"}),
}


def dossier_of(row: Mapping[str, Any]) -> Dossier:
    car, person, permit = row["vehicle"], row["person"], row["permit"]
    plate = parse_plate(car["plate"])
    done = [
        Inspection(
            number,
            each["kind"],
            each["done_on"],
            each["state"] == "aprovada",
            tuple(code for code, item in each["items"].items() if item["result"] == "falha"),
            valid_until=each["valid_until"],
        )
        for number, each in enumerate(row["inspections"])
        if each["done_on"]
    ]
    licences = permit["licences"] if permit else []
    request = row["request"]
    return Dossier(
        regime="taxi_recife",
        on=DAY,
        at=AT,
        holder=Holder(1, person["kind"], person["name"], sex=person["sex"], nationality=person["nationality"])
        if person
        else None,
        vehicle=Vehicle(
            1,
            plate.text,
            plate.key,
            make=car["make"],
            model=car["model"],
            year_made=car["year_made"],
            doors=car["doors"],
            seats=car["seats"],
            colour=car["colour"],
        ),
        permit=Permit(1, permit["number"], permit["category"], permit["granted_on"], 1, permit["ended_on"])
        if permit
        else None,
        licence=Licence(*(licences[-1][key] for key in ("number", "issued_on", "valid_until", "ended_on")))
        if licences
        else None,
        inspection=next((each for each in reversed(done) if each.passed), None),
        inspections=tuple(done),
        restrictions=tuple(Restriction(bar["kind"], bar["since"], bar["until"]) for bar in row["restrictions"]),
        documents=tuple(
            Document(each["code"], each["status"], each["expires_on"], each["copies"]) for each in request["documents"]
        )
        if request
        else (),
        request=RequestFacts(
            1,
            request["kind"],
            "",
            request["category"],
            request["holder_kind"],
            request["filed_on"],
            request["facts"],
        )
        if request
        else None,
        counts={"live_permits": len(PERMITS)},
    )


def findings(row: Mapping[str, Any], law: Law) -> set[str]:
    kind = TAXI_RECIFE.request_kind("nova_permissao")
    found = [ask(rule, dossier_of(row), law, "taxi_recife") for rule in kind.rules]
    return {each.rule for each in found if each is not None and each.impedes}


@pytest.mark.parametrize("row", PERMITS, ids=lambda row: f"{row['state']}-{row['vehicle']['plate']}")
def test_each_permit_is_in_the_state_that_it_shows(row: Mapping[str, Any], law: Law) -> None:
    rule = TAXI_RECIFE.status[0].rule
    verdict = rule.question(rule.given(dossier_of(row)), law)
    if row["state"] == "ended":
        assert "permit_ended_on" in {ground.code for ground in verdict.against}
        return
    assert (verdict.outcome, {ground.code for ground in verdict.against}) == EXPECTED[row["state"]]


def test_requests_are_where_they_say(law: Law) -> None:
    by_state: dict[str, list[set[str]]] = {}
    for row in REQUESTS:
        by_state.setdefault(row["state"], []).append(findings(row, law))
    assert all(found == set() for found in by_state["pronto"])
    assert all(found == {"Condições da vaga"} for found in by_state["indeferido"])
    assert all(found == {"Documentos"} for found in by_state["em_exigencia"])
    assert all("Vistoria" in found for found in by_state["aguarda_vistoria"])
    assert all("Condições da vaga" in found for found in by_state["rascunho"])


def test_every_state_and_kind_of_holder_is_there() -> None:
    assert set(EXPECTED) | {"ended"} == {row["state"] for row in PERMITS}
    assert {row["person"]["holder_kind"] for row in PERMITS if row["person"]} == {"autonomous_driver", "company"}
    assert {row["permit"]["category"] for row in PERMITS} == {"comum", "especial"}
    assert len(STORIES) >= 100


def test_numbers_are_right_and_none_is_used_twice() -> None:
    keys = Counter(parse_plate(row["vehicle"]["plate"]).key for row in STORIES)
    renavams = Counter(parse_renavam(row["vehicle"]["renavam"]) for row in STORIES)
    seals = Counter(each["seal"] for row in STORIES for each in row["inspections"] if each["seal"])
    licences = Counter(each["number"] for row in PERMITS for each in row["permit"]["licences"])
    for counter in (keys, renavams, seals, licences):
        assert max(counter.values()) == 1
    people: dict[str, str] = {}
    for row in STORIES:
        if person := row["person"]:
            check = parse_cpf if person["kind"] == "natural" else parse_cnpj
            assert check(person["document"])
            assert people.setdefault(person["document"], person["name"]) == person["name"]
            assert not person["cnh"] or check_cnh(person["cnh"]).sum_ok


def test_a_permit_number_has_one_holder_and_one_day_of_grant() -> None:
    seen: dict[str, tuple[str, str, date]] = {}
    for row in PERMITS:
        permit = row["permit"]
        told = ((row["person"] or {}).get("document", ""), permit["category"], permit["granted_on"])
        assert seen.setdefault(permit["number"], told) == told
        assert permit["granted_on"] <= permit["vehicle_since"]
        for licence in permit["licences"]:
            assert permit["vehicle_since"] <= licence["issued_on"] <= DAY


def test_inspections_look_at_the_items_of_their_holder(law: Law) -> None:
    for row in STORIES:
        items = {item.code for item in TAXI_RECIFE.inspection.items(dossier_of(row), law)}
        for each in row["inspections"]:
            assert not each["done_on"] or set(each["items"]) == items


def test_nothing_done_lies_in_the_future() -> None:
    for row in STORIES:
        for each in row["inspections"]:
            assert each["done_on"] is None or each["done_on"] <= DAY


def test_the_demo_is_the_same_on_every_run() -> None:
    assert list(registry_demo_rows()) == ROWS
