from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from registry.domain.calendar import Calendar
from registry.domain.law import Ground, Verdict
from registry.domain.regime import Finding
from registry.domain.workflow import (
    ENDED,
    SHOWN_LABELS,
    ChargeFact,
    InspectionFact,
    PaperFact,
    Standing,
    WaitFact,
    due_label,
    exigencia_text,
    impeding,
    outlook,
)

TODAY = date(2026, 11, 30)
CALENDAR = Calendar.from_data({"day": [{"rule": "12-08", "name": "Padroeira"}]})
PAID = ChargeFact("Vistoria", "booking", date(2026, 11, 18))
OWED = ChargeFact("Vistoria", "booking", None)
PASSED = InspectionFact("aprovada", date(2026, 11, 24))


def finding(outcome: Any = "deny", at: str = "facts", *, blocks: bool = True, **more: Any) -> Finding:
    texts = more.pop("texts", ("Falta isto.",))
    grounds = tuple(Ground("art-1", text, holds=outcome == "allow") for text in texts)
    verdict = None if outcome == "pending" else Verdict(outcome, None, grounds)
    return Finding("Regra", "q", "p", outcome, blocks, texts[0], verdict=verdict, mend_at=at, **more)


def standing(**changed: Any) -> Standing:
    """A request under analysis, paid and inspected, with nothing against it."""
    values: dict[str, Any] = {
        "state": "em_analise",
        "on": TODAY,
        "steps": ("protocolo", "pagamento", "vistoria", "analise", "decisao"),
        "filed_on": date(2026, 11, 9),
        "taken": True,
        "papers_are_a_finding": True,
        "charges": (PAID,),
        "inspection": PASSED,
        "findings": (finding("allow"),),
        **changed,
    }
    return Standing(**values)


@pytest.mark.parametrize(
    ("changed", "shown", "act"),
    [
        ({}, "pronto", "decide"),
        ({"state": "rascunho", "filed_on": None, "lacking": ("veículo",)}, "rascunho", "fill"),
        ({"state": "rascunho", "filed_on": None}, "rascunho", "file"),
        ({"charges": (OWED,)}, "aguarda_pagamento", "pay"),
        ({"charges": (PAID, ChargeFact("Registro", "decision", None))}, "aguarda_pagamento", "pay"),
        ({"inspection": None}, "aguarda_vistoria", "book"),
        ({"inspection": InspectionFact("marcada", TODAY)}, "aguarda_vistoria", "inspect"),
        ({"inspection": InspectionFact("reprovada", TODAY)}, "aguarda_vistoria", "book"),
        ({"inspection": None, "needs_inspection": False}, "pronto", "decide"),
        ({"findings": (finding(),)}, "em_analise", "exigencia"),
        ({"findings": (finding(),), "taken": False, "state": "protocolado"}, "protocolado", "take"),
        ({"findings": (finding("refer"),)}, "em_analise", "refer"),
        ({"findings": (finding(blocks=False),)}, "pronto", "decide"),
        (
            {"findings": (finding("pending", given=1, missing=("valor de custo em vigor",)),)},
            "em_analise",
            "indexes",
        ),
        ({"papers": (PaperFact("CNH", "enviado"),)}, "em_analise", "review"),
        ({"papers": (PaperFact("CNH", "falta"),), "papers_are_a_finding": False}, "em_analise", "exigencia"),
        ({"waits": (WaitFact("exigencia", TODAY),)}, "em_exigencia", "answer_exigencia"),
        ({"waits": (WaitFact("exigencia", TODAY - timedelta(days=1)),)}, "em_exigencia", "close_exigencia"),
        ({"waits": (WaitFact("referral", None),)}, "encaminhado", "close_referral"),
        ({"waits": (WaitFact("exigencia", TODAY), WaitFact("proposal", None))}, "pronto", "decide"),
    ],
)
def test_what_is_shown_and_what_comes_next(changed: dict[str, Any], shown: str, act: str) -> None:
    found = outlook(standing(**changed))
    assert (found.shown, found.next_step.act if found.next_step else None) == (shown, act)


@pytest.mark.parametrize("state", ENDED)
def test_an_ended_request_has_no_next_step_and_cannot_be_granted(state: str) -> None:
    found = outlook(standing(state=state, decided_on=TODAY))
    assert (found.shown, found.next_step, found.obstacles, found.grantable) == (state, None, (), False)
    assert found.steps[-1].state == "done"
    assert found.steps[-1].on == TODAY


def test_the_regimes_order_says_what_is_waited_for_first() -> None:
    both = standing(charges=(OWED,), inspection=None)
    assert outlook(both).shown == "aguarda_pagamento"
    turned = replace(both, steps=("protocolo", "vistoria", "pagamento", "analise", "decisao"))
    assert outlook(turned).shown == "aguarda_vistoria"


def test_a_finding_of_a_later_step_is_left_to_it() -> None:
    waiting = standing(
        steps=("protocolo", "analise", "vistoria", "decisao"),
        inspection=None,
        findings=(finding("pending", "inspection"), finding("deny", "facts")),
    )
    assert [each.mend_at for each in impeding(waiting)] == ["facts"]
    assert [each.mend_at for each in impeding(replace(waiting, inspection=PASSED))] == ["inspection", "facts"]


def test_everything_in_order_is_grantable_and_each_lack_is_not() -> None:
    assert outlook(standing()).grantable
    for lack in (
        {"charges": (OWED,)},
        {"inspection": None},
        {"findings": (finding(),)},
        {"findings": (finding("pending"),)},
        {"papers": (PaperFact("CNH", "enviado"),)},
        {"waits": (WaitFact("exigencia", TODAY),)},
        {"state": "rascunho", "filed_on": None},
    ):
        assert not outlook(standing(**lack)).grantable, lack


@pytest.mark.parametrize(
    ("label", "step"),
    [
        ("apólice válida até", "Informar: apólice válida até"),
        ("tem estoque de peças?", "Responder: tem estoque de peças?"),
    ],
)
def test_the_next_step_of_a_draft_reads_as_a_sentence(label: str, step: str) -> None:
    found = outlook(standing(state="rascunho", filed_on=None, lacking=(label,)))
    assert found.next_step is not None
    assert found.next_step.label == step


def test_obstacles_name_what_is_missing_where_and_how_much() -> None:
    found = outlook(
        standing(
            charges=(OWED,),
            findings=(
                finding(texts=("Falta a CNH.", "Falta a foto."), at="documents"),
                finding("pending", "inspection"),
            ),
            inspection=None,
        )
    )
    assert [(each.text, each.section) for each in found.obstacles] == [
        ("Falta a CNH e mais 1", "documents"),
        ("Falta isto.", "inspection"),
        ("Taxa em aberto: Vistoria", "charges"),
    ]


def to_check(*texts: str) -> Finding:
    """What is there and waits to be looked at."""
    grounds = tuple(Ground("art-2", text, holds=None) for text in texts)
    return Finding("Documentos", "q", "p", "pending", True, texts[0], verdict=Verdict("pending", None, grounds))


def test_what_was_sent_is_looked_at_and_not_asked_for_again() -> None:
    sent = to_check("Confira o documento enviado: CNH.")
    found = outlook(standing(findings=(sent,), papers=(PaperFact("CNH", "enviado"),)))
    assert [(each.text, each.section) for each in found.obstacles] == [
        ("Confira o documento enviado: CNH", "documents")
    ]
    assert not found.grantable
    assert found.next_step is not None
    assert (found.next_step.act, found.next_step.label) == ("review", "Conferir 1 documento")
    assert exigencia_text([sent]) == ""
    both = outlook(standing(findings=(finding(texts=("Falta a foto.",)), sent), papers=(PaperFact("CNH", "enviado"),)))
    assert [each.text for each in both.obstacles] == ["Falta a foto.", "Confira o documento enviado: CNH"]


def test_what_only_a_rule_knows_to_be_there_holds_the_decision_too() -> None:
    found = outlook(standing(findings=(to_check("Confira o laudo enviado."),)))
    assert [each.text for each in found.obstacles] == ["Confira o laudo enviado."]
    assert found.next_step is not None
    assert (found.next_step.act, found.next_step.label) == ("review", "Confira o laudo enviado.")


def test_steps_carry_their_days() -> None:
    found = outlook(standing(findings=(finding(),)))
    assert [(step.code, step.state, step.note) for step in found.steps] == [
        ("protocolo", "done", ""),
        ("pagamento", "done", "Pago em 18/11/2026"),
        ("vistoria", "done", "Aprovada em 24/11/2026"),
        ("analise", "now", "Em análise"),
        ("decisao", "later", ""),
    ]
    failed = outlook(standing(inspection=InspectionFact("reprovada", TODAY)))
    assert failed.steps[2].state == "stopped"


def test_an_exigencia_asks_each_thing_once_and_nothing_of_the_authoritys() -> None:
    text = exigencia_text(
        [
            finding(texts=("Falta a CNH", "Falta a foto.", "Falta a CNH")),
            finding("allow"),
            finding(blocks=False),
            finding("pending", given=1, missing=("valor de custo em vigor",), texts=("Custo: falta o valor",)),
            finding("pending", texts=("Seguro: falta informar a apólice",)),
        ]
    )
    assert text.splitlines() == [
        "Para continuar o pedido, apresente ou corrija:",
        "1. Falta a CNH.",
        "2. Falta a foto.",
        "3. Seguro: falta informar a apólice.",
    ]
    assert exigencia_text([finding("allow")]) == ""


@pytest.mark.parametrize(
    ("due", "on", "label"),
    [
        (TODAY, TODAY, "vence hoje"),
        (date(2026, 12, 1), TODAY, "em 1 dia útil"),
        (date(2026, 12, 9), TODAY, "em 6 dias úteis"),
        (date(2026, 11, 27), TODAY, "atrasado 1 dia útil"),
        (date(2026, 11, 26), TODAY, "atrasado 2 dias úteis"),
        (date(2026, 12, 6), date(2026, 12, 5), "em 1 dia"),
        (date(2026, 12, 4), date(2026, 12, 5), "atrasado"),
        (date(2026, 12, 7), date(2026, 12, 8), "atrasado"),
        (date(2026, 12, 7), date(2026, 12, 9), "atrasado 1 dia útil"),
    ],
)
def test_how_far_a_last_day_is(due: date, on: date, label: str) -> None:
    assert due_label(due, on, CALENDAR) == label


@given(
    state=st.sampled_from(["rascunho", "protocolado", "em_analise", *ENDED]),
    charges=st.lists(st.sampled_from([PAID, OWED]), max_size=2),
    inspection=st.sampled_from([None, PASSED, InspectionFact("marcada", TODAY), InspectionFact("reprovada", TODAY)]),
    outcome=st.sampled_from(["allow", "deny", "refer", "pending"]),
    waits=st.lists(st.sampled_from(["exigencia", "referral", "proposal"]), max_size=2, unique=True),
    steps=st.permutations(["pagamento", "vistoria", "analise"]),
)
def test_a_request_always_stands_somewhere(
    state: str, charges: list[ChargeFact], inspection: Any, outcome: str, waits: list[str], steps: list[str]
) -> None:
    found = outlook(
        standing(
            state=state,
            filed_on=None if state == "rascunho" else TODAY,
            charges=tuple(charges),
            inspection=inspection,
            findings=(finding(outcome),),
            waits=tuple(WaitFact(kind, TODAY) for kind in waits),
            steps=("protocolo", *steps, "decisao"),
        )
    )
    assert found.shown in SHOWN_LABELS
    assert (found.next_step is None) == (state in ENDED)
    assert not (found.grantable and (outcome != "allow" or found.obstacles))
    assert sum(step.state == "now" for step in found.steps) <= 1
