"""The regime on dossiers: what the form lacks is named, every objection is told, a good request is granted."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, datetime, timedelta
from decimal import Decimal
from zoneinfo import ZoneInfo

import pytest

from registry.api.law import (
    AddVehicle,
    Debt,
    Document,
    Dossier,
    GrantPermit,
    Holder,
    Inspection,
    IssueLicence,
    Law,
    Licence,
    Occasion,
    Permit,
    RequestFacts,
    Restriction,
    Vehicle,
    ask,
    load_lawbook,
)
from registry_fretamento_rmr.regime import NEW_TERM, REGIME

ON = date(2026, 11, 30)
ZONE = ZoneInfo("America/Recife")
BOOK = load_lawbook("registry_fretamento_rmr")
COST = replace(
    BOOK.value("min_seats_incl_driver", ON), key="custo_km", value="5.1374", since=date(2026, 7, 1), act="Portaria 112"
)
LAW = Law(BOOK, BOOK.calendar, ZONE, indexes={"custo_km": (COST,)})
FACTS = {
    "emergency_windows": 2,
    "policy_valid_through": date(2027, 9, 26),
    "cover_per_person": Decimal("25687.00"),
    "cover_material": Decimal("128435.00"),
    "fleet_size": 1,
    "fleet_value": Decimal("238000.00"),
    "paid_in_capital": Decimal("80000.00"),
    "own_staff": False,
    "parts_stock": False,
    "had_cassation": False,
}


def dossier(holder_kind: str = "PJ", **changes: object) -> Dossier:
    """A company's request for a micro-bus with everything in order."""
    kind = "company" if holder_kind == "PJ" else "natural"
    bare = Dossier(
        regime="fretamento_rmr",
        on=ON,
        at=datetime(2026, 11, 30, 10, 42, tzinfo=ZONE),
        request=RequestFacts(1, "novo_termo", "2026/004512", "fretamento", holder_kind, ON, dict(FACTS)),
        holder=Holder(7, kind, "Rota Viva Transportes Ltda."),
        vehicle=Vehicle(3, "RZT6B18", "RZT6118", "microonibus", "Marcopolo", "Volare", 2022, seats=24, colour="branca"),
        inspection=Inspection(4, "first", date(2026, 11, 24), True, seal="004187", valid_until=date(2027, 11, 24)),
    )
    papers = tuple(
        Document(paper.code, "aceito", count=paper.copies)
        for paper in NEW_TERM.documents(bare, LAW)
        if paper.source == "upload"
    )
    return replace(replace(bare, documents=papers), **changes)


def with_facts(base: Dossier, **facts: object) -> Dossier:
    assert base.request
    return replace(base, request=replace(base.request, facts={**base.request.facts, **facts}))


def findings(base: Dossier) -> dict[str, object]:
    asked = (ask(rule, base, LAW, "fretamento_rmr") for rule in NEW_TERM.rules)
    return {found.rule: found for found in asked if found}


def test_a_good_request_meets_no_objection() -> None:
    for kind in ("PJ", "PF", "COOP_MEMBER"):
        base = dossier(kind)
        if kind == "COOP_MEMBER":
            base = replace(base, cooperative=Holder(9, "cooperative", "Cooperativa Mar Azul"))
            base = with_facts(base, cooperative_accredited=True)
        assert not [found.summary for found in findings(base).values() if found.impedes], kind


def test_a_short_cover_and_an_expired_certificate_are_both_told() -> None:
    base = with_facts(dossier(), cover_material=Decimal("100000.00"))
    papers = tuple(
        replace(paper, expires_on=date(2026, 11, 20)) if paper.code == "D-II-j" else paper for paper in base.documents
    )
    against = {name: found for name, found in findings(replace(base, documents=papers)).items() if found.impedes}
    assert set(against) == {"Seguro", "Documentos"}
    assert against["Seguro"].summary == (
        "A cobertura de danos materiais é de R$\u00a0100.000,00, abaixo do mínimo de R$\u00a0128.435,00."
    )
    assert "Certidões negativas" in against["Documentos"].summary


@pytest.mark.parametrize("name", ["emergency_windows", "policy_valid_through", "cover_per_person", "had_cassation"])
def test_a_fact_not_given_is_named_and_never_guessed(name: str) -> None:
    pending = [
        found for found in findings(with_facts(dossier(), **{name: None})).values() if found.outcome == "pending"
    ]
    assert len(pending) == 1
    assert pending[0].missing


def test_what_was_sent_is_to_be_looked_at_and_too_few_copies_are_counted() -> None:
    base = dossier("PF")
    changed = {
        "D-I-a": Document("D-I-a", "enviado", sent=1),
        "D-I-g": Document("D-I-g", "aceito", count=11),
        "D-I-h": Document("D-I-h", "aceito", count=1, sent=1),
    }
    papers = tuple(changed.get(paper.code, paper) for paper in base.documents)
    found = findings(replace(base, documents=papers))["Documentos"]
    assert found.outcome == "deny"
    assert [ground.text for ground in found.verdict.against] == [
        "16 fotos do veículo (4 de cada lado), para aprovar o leiaute: faltam 5 de 16."
    ]
    assert [ground.text for ground in found.verdict.grounds if ground.holds is None] == [
        "Confira o documento enviado: Identidade e CPF.",
        "Confira o documento enviado: 2 fotos 3x4 coloridas e recentes.",
    ]
    fifteen = tuple(replace(paper, count=15) if paper.code == "D-I-g" else paper for paper in papers)
    assert findings(replace(base, documents=fifteen))["Documentos"].summary.endswith("falta 1 de 16.")
    only_sent = tuple(changed["D-I-a"] if paper.code == "D-I-a" else paper for paper in base.documents)
    found = findings(replace(base, documents=only_sent))["Documentos"]
    assert (found.outcome, found.weight, found.impedes) == ("pending", "check", True)
    waived = tuple(Document("D-I-g", "dispensado") if paper.code == "D-I-g" else paper for paper in base.documents)
    assert findings(replace(base, documents=waived))["Documentos"].outcome == "allow"


def test_without_the_index_value_the_insurance_waits() -> None:
    rule = next(rule for rule in NEW_TERM.rules if rule.title == "Seguro")
    found = ask(rule, dossier(), replace(LAW, indexes={}), "fretamento_rmr")
    assert found and found.outcome == "pending"


def test_the_inspection_is_its_own_report() -> None:
    wanted = {paper.code: paper.source for paper in NEW_TERM.documents(dossier("PF"), LAW)}
    assert wanted["D-I-j"] == wanted["D-IV-b"] == "inspection"
    assert "Documentos" in {n for n, f in findings(dossier("PF", inspection=None)).items() if f.impedes}


@pytest.mark.parametrize(("fleet", "waived"), [(10, True), (11, False)])
def test_staff_proof_is_waived_with_its_reason(fleet: int, waived: bool) -> None:
    wanted = NEW_TERM.documents(with_facts(dossier(), fleet_size=fleet), LAW)
    proof = next(paper for paper in wanted if paper.code == "D-II-h")
    assert proof.waived == ("Só para frota acima de 10 veículos." if waived else "")


def test_the_criminal_certificate_is_restricted() -> None:
    assert [paper.code for paper in NEW_TERM.documents(dossier("PF"), LAW) if paper.restricted] == ["D-I-i"]


def test_a_member_brings_both_lists_and_one_vehicle() -> None:
    base = with_facts(dossier("COOP_MEMBER"), cooperative_accredited=True)
    assert "D-209-par-2" in {paper.code for paper in NEW_TERM.documents(base, LAW)}
    held = Permit(5, "0366", "fretamento", date(2022, 8, 15), 7, vehicle_plates=("KJL2C07",))
    assert findings(replace(base, permits=(held,)))["Um veículo por cooperado"].outcome == "deny"
    over = replace(held, ended_on=ON, end_reason="cancelled_on_request")
    assert findings(replace(base, permits=(over,)))["Um veículo por cooperado"].outcome == "allow"


def test_a_second_number_for_one_holder_is_warned_of() -> None:
    held = Permit(5, "0391", "fretamento", date(2022, 8, 15), 7)
    other = findings(dossier(permits=(held,)))["Número da autorização"]
    assert other.outcome == "deny"
    assert not other.impedes
    assert findings(dossier(permits=(held,), permit=held))["Número da autorização"].outcome == "allow"


def test_an_earlier_cassation_on_file_counts_without_being_declared() -> None:
    over = Permit(5, "0301", "fretamento", date(2020, 1, 2), 7, ended_on=date(2025, 3, 1), end_reason="cassated")
    base = replace(with_facts(dossier(), cassation_cause="other"), permits=(over,))
    assert findings(base)["Cassação anterior"].outcome == "deny"
    later = replace(base, on=date(2027, 3, 2))
    assert findings(later)["Cassação anterior"].outcome == "allow"


def test_an_overdue_debt_stops_the_request_and_names_the_sum() -> None:
    debt = Debt(1, "fine", "overdue", date(2026, 11, 10), Decimal("616.49"))
    found = ask(REGIME.debt_gate, dossier(debts=(debt,)), LAW, "fretamento_rmr")
    assert found.outcome == "deny"
    assert "R$\u00a0616,49" in found.summary
    paid = replace(debt, state="paid")
    assert ask(REGIME.debt_gate, dossier(debts=(paid,)), LAW, "fretamento_rmr").outcome == "allow"


def test_fees_of_a_microbus_and_its_inspection() -> None:
    amounts = {}
    for plan in NEW_TERM.charges:
        found = ask(plan.rule, dossier(), LAW, "fretamento_rmr")
        amounts[plan.code] = plan.amount(found.verdict.answer)
    assert amounts == {"vistoria": Decimal("205.50"), "registro": Decimal("1798.09")}


def test_a_grant_gives_number_vehicle_and_a_year() -> None:
    occasion = Occasion("rita", "emtu", datetime(2026, 11, 30, 11, 0, tzinfo=ZONE), ZONE)
    commands = NEW_TERM.effect(dossier(), occasion, LAW)
    assert commands == (GrantPermit("fretamento", ON), AddVehicle(ON), IssueLicence(ON, date(2027, 11, 30)))
    held = Permit(5, "0391", "fretamento", date(2022, 8, 15), 7)
    assert not any(isinstance(c, GrantPermit) for c in NEW_TERM.effect(dossier(permit=held), occasion, LAW))


def test_one_failed_item_fails_the_inspection() -> None:
    rule = REGIME.inspection.rules[0]
    codes = [item.code for item in REGIME.inspection.items(dossier(), LAW)]
    assert "janela_emergencia" in codes
    failed = replace(dossier().inspection, failed=("janela_emergencia",), passed=None)
    found = ask(rule, dossier(inspection=failed), LAW, "fretamento_rmr")
    assert found.outcome == "deny"
    assert [ground.provision for ground in found.verdict.against] == ["art-214"]
    assert REGIME.inspection.valid_until(dossier(), LAW) == date(2027, 11, 24)


def permitted(**changes: object) -> Dossier:
    permit = Permit(5, "0387", "fretamento", date(2024, 3, 3), 7, vehicle_plates=("RZT6B18",))
    return dossier(permit=permit, licence=Licence("0387/2026", date(2026, 3, 3), date(2027, 3, 3)), **changes)


def status(base: Dossier) -> tuple[bool, tuple[str, ...]]:
    found = ask(REGIME.status[0].rule, base, LAW, "fretamento_rmr")
    return found.verdict.answer.authorized, found.verdict.answer.reasons


@pytest.mark.parametrize(
    ("day", "reasons"),
    [
        (date(2026, 11, 12), ()),
        (date(2026, 11, 13), ("inspection_expired",)),
        (date(2027, 3, 3), ("inspection_expired",)),
        (date(2027, 3, 4), ("registration_expired", "inspection_expired")),
    ],
)
def test_the_same_facts_answer_any_day(day: date, reasons: tuple[str, ...]) -> None:
    seen = Inspection(4, "yearly", date(2025, 11, 12), True, valid_until=date(2026, 11, 12))
    given = REGIME.status[0].rule.given(permitted(inspection=seen))
    verdict = REGIME.status[0].rule.question(replace(given, as_of=day), LAW)
    assert verdict.answer.reasons == reasons


def test_a_suspension_ends_by_itself_and_a_seizure_stays() -> None:
    start = ON - timedelta(days=29)
    assert status(permitted(restrictions=(Restriction("suspension", start, ON),))) == (False, ("suspended",))
    assert status(permitted(restrictions=(Restriction("suspension", start, ON - timedelta(days=1)),))) == (True, ())
    assert status(permitted(restrictions=(Restriction("seizure", start),))) == (False, ("seized",))


def test_an_ended_permit_says_when() -> None:
    base = permitted()
    over = replace(base.permit, ended_on=date(2026, 8, 10), end_reason="cancelled_on_request")
    found = ask(REGIME.status[0].rule, replace(base, permit=over), LAW, "fretamento_rmr")
    assert found.summary == "A autorização terminou em 10/08/2026."


def test_the_public_card_names_a_company_and_never_a_person() -> None:
    company = REGIME.card(permitted(), LAW)
    assert company.lines[0] == ("Empresa", "Rota Viva Transportes Ltda.")
    assert company.valid_until == date(2027, 3, 3)
    person = REGIME.card(permitted(holder=Holder(8, "natural", "Ivo Tavares")), LAW)
    assert "Ivo Tavares" not in str(person)
