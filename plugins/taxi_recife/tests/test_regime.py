from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import date, datetime
from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from registry.api.law import (
    AddVehicle,
    Debt,
    Document,
    Dossier,
    Finding,
    GrantPermit,
    Holder,
    Inspection,
    IssueLicence,
    Law,
    Occasion,
    Permit,
    ask,
)
from registry_taxi_recife.regime import TAXI_RECIFE

Make = Callable[..., Dossier]
KIND = TAXI_RECIFE.request_kind("nova_permissao")


def findings(dossier: Dossier, law: Law) -> dict[str, Finding]:
    gate = (TAXI_RECIFE.debt_gate,) if TAXI_RECIFE.debt_gate else ()
    found = [ask(rule, dossier, law, "taxi_recife") for rule in (*gate, *KIND.rules)]
    return {each.rule: each for each in found if each}


def test_a_request_in_order_has_no_objection(request_dossier: Make, law: Law) -> None:
    found = findings(request_dossier(), law)
    assert {rule: each.outcome for rule, each in found.items() if each.outcome != "allow"} == {}
    assert "Serviço especial" not in found


@pytest.mark.parametrize(
    ("facts", "rule", "provision"),
    [
        ({"zero_km": False}, "Condições da vaga", "art-8-par-1"),
        ({"co_owner_of_taxi": True}, "Condições da vaga", "art-10-par-3"),
        ({"other_income": True}, "Condições da vaga", "art-18-caput"),
        ({"passengers": 5}, "Lotação", "art-36-caput"),
        ({"convicted": True, "negligent_final_on": date(2025, 1, 1)}, "Antecedentes", "art-17-VII"),
    ],
)
def test_each_fact_of_the_form_can_stand_against_it(
    request_dossier: Make, law: Law, facts: dict[str, Any], rule: str, provision: str
) -> None:
    finding = findings(request_dossier(facts), law)[rule]
    assert finding.impedes
    assert finding.verdict is not None
    assert provision in {ground.provision for ground in finding.verdict.against}


@pytest.mark.parametrize(
    ("fact", "rule", "name"),
    [
        ("zero_km", "Condições da vaga", "se o carro é zero quilômetro"),
        ("other_income", "Condições da vaga", "se tem outra atividade remunerada"),
        ("passengers", "Lotação", "quantos passageiros o carro vai levar"),
        ("convicted", "Antecedentes", "se há condenação definitiva nos antecedentes"),
        ("military", "Documentos", "se está sujeito ao serviço militar"),
    ],
)
def test_a_fact_not_given_is_named_and_never_read_as_no(
    request_dossier: Make, law: Law, fact: str, rule: str, name: str
) -> None:
    finding = findings(request_dossier({fact: None}), law)[rule]
    assert finding.outcome == "pending"
    assert name in finding.missing


def test_a_second_taxi_in_the_registry_is_seen_without_being_declared(request_dossier: Make, law: Law) -> None:
    other = Permit(9, "0009", "comum", date(2020, 1, 1), 1)
    found = findings(request_dossier(permits=(other,)), law)["Condições da vaga"]
    assert found.outcome == "deny"
    ended = replace(other, ended_on=date(2026, 11, 30))
    assert findings(request_dossier(permits=(ended,)), law)["Condições da vaga"].outcome == "allow"


def test_the_quota_counts_every_live_permit(request_dossier: Make, law: Law) -> None:
    # 1488920 // 300 = 4963
    for fleet, outcome in ((4962, "allow"), (4963, "deny"), (6125, "deny")):
        counts = {"live_permits": fleet}
        assert findings(request_dossier(counts=counts), law)["Vagas na cidade"].outcome == outcome


def test_numbers_and_colours_stand_in_whole_sentences(request_dossier: Make, law: Law) -> None:
    found = findings(request_dossier(counts={"live_permits": 4900}), law)
    assert found["Vagas na cidade"].summary == "Há vaga. A cidade comporta 4.963 táxis e tem 4.900: sobram 63."
    assert found["Pintura"].summary.startswith("Pintura. A cor é ")


def test_without_a_population_figure_the_quota_waits(request_dossier: Make, law: Law) -> None:
    found = findings(request_dossier(), replace(law, indexes={}))["Vagas na cidade"]
    assert found.outcome == "pending"
    assert found.verdict is None
    assert len(found.missing) == 1


def test_the_special_service_is_asked_of_its_requests_only(request_dossier: Make, law: Law) -> None:
    full = {"live_permits": 100, "live_permits:especial": 50}
    assert findings(request_dossier(category="especial", counts=full), law)["Serviço especial"].outcome == "deny"
    assert findings(request_dossier(category="especial"), law)["Serviço especial"].outcome == "allow"


def test_the_wrong_colour_only_warns(request_dossier: Make, law: Law) -> None:
    car = request_dossier().vehicle
    assert car is not None
    finding = findings(request_dossier(vehicle=replace(car, colour="Preta")), law)["Pintura"]
    assert finding.outcome == "deny"
    assert not finding.impedes


def test_overdue_fines_block_and_fees_do_not(request_dossier: Make, law: Law) -> None:
    for kind, outcome in (("fine", "deny"), ("damage", "deny"), ("fee", "allow")):
        debt = Debt(1, kind, "overdue", date(2026, 11, 29))
        assert findings(request_dossier(debts=(debt,)), law)["Débitos"].outcome == outcome
    due_today = Debt(1, "fine", "open", date(2026, 11, 30))
    assert findings(request_dossier(debts=(due_today,)), law)["Débitos"].outcome == "allow"


def test_the_sum_of_the_overdue_fines_is_named_where_all_of_it_is_known(request_dossier: Make, law: Law) -> None:
    known = Debt(1, "fine", "overdue", date(2026, 11, 10), Decimal("600.00"))
    other = replace(known, charge_id=2, due=date(2026, 11, 5), amount=Decimal("16.49"))
    unknown = replace(other, amount=None)
    both = findings(request_dossier(debts=(known, other)), law)["Débitos"].summary
    part = findings(request_dossier(debts=(known, unknown)), law)["Débitos"].summary
    assert both.startswith("Há débito vencido de R$\u00a0616,49, desde 05/11/2026.")
    assert "R$" not in part and part.startswith("Há débito vencido desde 05/11/2026.")


def test_an_expired_or_refused_document_is_missing(request_dossier: Make, law: Law) -> None:
    papers = request_dossier().documents
    expired = tuple(replace(p, expires_on=date(2026, 11, 29)) if p.code == "cnh" else p for p in papers)
    finding = findings(request_dossier(documents=expired), law)["Documentos"]
    assert finding.verdict is not None
    assert finding.verdict.answer.missing == ("cnh",)
    waived = tuple(Document("cnh", "dispensado") if p.code == "cnh" else p for p in papers)
    assert findings(request_dossier(documents=waived), law)["Documentos"].outcome == "allow"
    sent = (Document("identity", "enviado", sent=1), *papers[1:])
    waiting = findings(request_dossier(documents=sent), law)["Documentos"]
    assert (waiting.outcome, waiting.weight, waiting.impedes) == ("pending", "check", True)
    assert waiting.summary == f"Confira o documento enviado: {waiting.summary.split(': ', 1)[1]}"
    assert "Falta" not in waiting.summary


def test_a_foreigner_owes_the_foreigners_list(request_dossier: Make, law: Law) -> None:
    holder = Holder(1, "natural", "Luis Paz", nationality="argentina")
    wanted = {paper.code for paper in KIND.documents(request_dossier(holder=holder), law)}
    assert {"foreigner_permanent_id", "state_security_certificate"} <= wanted
    assert not {"identity", "military_clearance", "electoral_clearance"} & wanted
    unknown = replace(holder, nationality="")
    assert findings(request_dossier(holder=unknown), law)["Documentos"].missing == ("a nacionalidade",)


def test_wanted_documents_say_why_one_is_not_owed_and_keep_criminal_papers_restricted(
    request_dossier: Make, law: Law
) -> None:
    wanted = {paper.code: paper for paper in KIND.documents(request_dossier({"military": False}), law)}
    assert wanted["military_clearance"].waived
    assert wanted["union_membership"].waived
    assert not wanted["cnh"].waived
    assert wanted["criminal_record_court"].restricted
    assert wanted["cnh"].cite == "Art. 17, V"


def test_a_company_owes_article_16_with_its_copies(request_dossier: Make, law: Law) -> None:
    dossier = request_dossier()
    assert dossier.request is not None
    asked = replace(dossier.request, holder_kind="company", facts={**dossier.request.facts, "brazilian": True})
    company = replace(dossier, request=asked, holder=Holder(2, "company", "Táxi Boa Vista Ltda."))
    wanted = {paper.code: paper for paper in KIND.documents(company, law)}
    assert (wanted["bank_reference"].copies, wanted["treasury_courts_certificate"].copies) == (2, 3)
    items = {item.code for item in TAXI_RECIFE.inspection.items(company, law)}
    assert "company_mark" in items
    assert "company_mark" not in {item.code for item in TAXI_RECIFE.inspection.items(dossier, law)}


def test_the_checklist_names_the_colour_to_look_for(request_dossier: Make, law: Law) -> None:
    items = {item.code: item for item in TAXI_RECIFE.inspection.items(request_dossier(), law)}
    assert items["colour"].label == "Cor padronizada: laranja solar"
    assert not items["taximeter"].may_not_apply
    assert items["i"].may_not_apply


def test_fees_use_the_ufr_of_the_day_of_filing(request_dossier: Make, law: Law) -> None:
    amounts = {}
    for plan in KIND.charges:
        given = plan.rule.given(request_dossier())
        amounts[plan.code] = plan.amount(plan.rule.question(given, law).answer)
    assert amounts == {"vistoria": Decimal("9.37"), "termo": Decimal("9.37"), "alvara": Decimal("46.86")}
    assert KIND.steps.index("vistoria") < KIND.steps.index("pagamento")


def test_granting_gives_permit_vehicle_and_a_year_of_alvara(request_dossier: Make, law: Law) -> None:
    zone = ZoneInfo("America/Recife")
    at = datetime(2026, 11, 30, 15, 0, tzinfo=zone)
    commands = KIND.effect(request_dossier(), Occasion("rita", "recife", at, zone), law)
    day = date(2026, 11, 30)
    assert commands == (GrantPermit("comum", day), AddVehicle(day), IssueLicence(day, date(2027, 11, 30)))


def test_a_failed_item_fails_the_inspection_and_a_pass_lasts_a_year(request_dossier: Make, law: Law) -> None:
    plan = TAXI_RECIFE.inspection
    judged = Inspection(2, "inclusion", date(2026, 11, 30), None, failed=("o",))
    finding = ask(plan.rules[0], request_dossier(inspection=judged), law, "taxi_recife")
    assert finding is not None
    assert finding.outcome == "deny"
    assert plan.valid_until(request_dossier(inspection=replace(judged, failed=())), law) == date(2027, 11, 30)


def test_an_inspector_can_work_before_the_ufr_is_entered(request_dossier: Make, law: Law) -> None:
    judged = Inspection(2, "inclusion", date(2026, 11, 30), None)
    dossier = request_dossier(inspection=judged)
    finding = ask(TAXI_RECIFE.inspection.rules[0], dossier, replace(law, indexes={}), "taxi_recife")
    assert finding is not None
    assert finding.outcome == "allow"
