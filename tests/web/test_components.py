"""How values are written and how «Por quê?» opens, from fresh verdicts and from stored ones."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import pytest
from flask import Flask, render_template_string

from registry.domain.calendar import Calendar
from registry.domain.law import Ground, Step, Verdict
from registry.domain.regime import Finding
from registry.domain.values import DatedValue
from registry.web import formats
from registry.web.why import explain
from tests.web.checker import read

CALENDAR = Calendar.from_data({"day": [{"rule": "12-08", "name": "Feriado"}]})
MONDAY = date(2026, 11, 30)


@pytest.mark.parametrize(
    ("day", "mark", "written", "label"),
    [
        (date(2026, 11, 27), "late", "27/11", "atrasado 1 dia útil"),
        (date(2026, 11, 30), "today", "30/11", "vence hoje"),
        (date(2026, 12, 2), "soon", "02/12", "em 2 dias úteis"),
        (date(2026, 12, 3), "soon", "03/12", "em 3 dias úteis"),
        (date(2026, 12, 4), "", "04/12", "em 4 dias úteis"),
        (date(2026, 12, 9), "", "09/12", "em 6 dias úteis"),
        (date(2027, 1, 4), "", "04/01/2027", "em 24 dias úteis"),
        (None, "", "Sem prazo", ""),
    ],
)
def test_a_deadline_is_a_day_and_a_label(day: date | None, mark: str, written: str, label: str) -> None:
    assert formats.due(day, MONDAY, CALENDAR) == formats.Due(mark, written, label)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("filter_", "value", "written"),
    [
        ("day", date(2026, 11, 30), "30/11/2026"),
        ("day", "2026-11-30", "30/11/2026"),
        ("day", None, "Não informado"),
        ("moment", datetime(2026, 11, 30, 2, 5, tzinfo=UTC), "29/11/2026, 23h05"),
        ("moment", "2026-11-30T13:42:00+00:00", "30/11/2026, 10h42"),
        ("day", datetime(2026, 11, 30, 2, 5, tzinfo=UTC), "29/11/2026"),
        ("hour", datetime(2026, 11, 30, 9, 0, tzinfo=UTC), "6h"),
        ("money", Decimal("28435"), "R$\u00a028.435,00"),
        ("money", "100000.00", "R$\u00a0100.000,00"),
        ("money", Decimal("5.1374"), "R$\u00a05,1374"),
        ("money", None, "Não informado"),
        ("number", 3677, "3.677"),
        ("document", "12ABC34501DE35", "12.ABC.345/01DE-35"),
        ("document", "", "Não informado"),
        ("long_day", MONDAY, "Segunda-feira, 30 de novembro de 2026"),
        ("weekday", date(2026, 12, 8), "terça"),
        ("weekday", date(2026, 12, 5), "sábado"),
        ("yes_no", None, "Não informado"),
        ("yes_no", False, "Não"),
        ("field_text", Decimal("1234.5"), "1.234,5"),
        ("tie", "Art. 29, § 1º & R$ 2", "Art.\u00a029, §\u00a01º &amp; R$\u00a02"),
    ],
)
def test_values_are_written_as_brazilians_read_them(app: Flask, filter_: str, value: Any, written: str) -> None:
    with app.test_request_context():
        assert render_template_string("{{ v|" + filter_ + " }}", v=value) == written


@dataclass(frozen=True)
class Answer:
    """An answer."""

    amount: Decimal


VALUE = DatedValue("custo_km", "5.1374", "R$/km", date(2026, 7, 1), act="Portaria 112/2026", label="Custo/km")
VERDICT = Verdict(
    "deny",
    Answer(Decimal("28435.00")),
    (
        Ground("art-999", "Falta cobertura de R$ 28.435,00.", False, values=(VALUE,)),
        Ground("art-998", "Cobertura por pessoa acima do mínimo.", True, values=(VALUE,)),
        Ground("", "Só informa.", None),
    ),
    (
        Step("Mínimo: 25.000 × custo/km", Decimal("128435.00")),
        Step("Cobertura", Decimal("100000")),
        Step("Falta", Decimal("28435.00"), total=True),
    ),
)
FINDING = Finding(
    "Seguro", "insurance", "nenhum", "deny", True, "Falta cobertura", verdict=VERDICT, mend="Pedir endosso"
)


def stored(verdict: Any) -> Any:
    return json.loads(json.dumps(asdict(verdict), default=str))


@pytest.mark.parametrize("thing", [FINDING, VERDICT, stored(VERDICT), {"plugin": "nenhum", **stored(VERDICT)}])
def test_the_block_reads_the_same_fresh_and_stored(app: Flask, thing: Any) -> None:
    with app.test_request_context():
        why = explain(thing, "nenhum")
        assert [line.amount for line in why.lines] == ["R$\u00a0128.435,00", "R$\u00a0100.000,00", "R$\u00a028.435,00"]
        assert [line.total for line in why.lines] == [False, False, True]
        assert [reason.tone for reason in why.reasons] == ["no", "ok", "info"]
        assert why.values == ("Custo/km: R$\u00a05,1374/km, em vigor desde 01/07/2026 (Portaria 112/2026)",)
        assert why.forbids and why.is_sum


BLOCK = """{% from "components/why.html" import por_que, finding %}{{ por_que(thing, "nenhum") }}
<ul class="find-list">{{ finding(f, "/x") }}</ul>"""


def test_the_block_opens_when_it_forbids(app: Flask) -> None:
    allowed = Verdict(
        "allow", Answer(Decimal(0)), (Ground("art-1", "Em ordem.", True),), (Step("2026 − 2021 = 5 anos"),)
    )
    with app.test_request_context():
        for thing, is_open in ((VERDICT, True), (allowed, False)):
            shown = read(render_template_string(BLOCK, thing=thing, f=FINDING))
            assert (shown.all(".//details")[0].get("open") is not None) is is_open
        assert "2026 − 2021 = 5 anos" in shown.text
        assert shown.links()["Pedir endosso"] == "/x"
        assert "Impede o deferimento" in shown.text


def test_a_missing_fact_is_named(app: Flask) -> None:
    pending = Finding("Idade", "age", "p", "pending", True, "Idade: falta informar ano", missing=("ano de fabricação",))
    with app.test_request_context():
        shown = read(render_template_string(BLOCK, thing=pending, f=pending))
    assert "Falta informar: ano de fabricação." in shown.text


def test_the_provision_of_an_installed_plugin_is_cited(app: Flask, host: Any) -> None:
    plugin = next(each for each in host.plugins.values() if each.lawbook.provisions)
    provision = next(iter(plugin.lawbook.provisions.values()))
    verdict = Verdict("allow", Answer(Decimal(0)), (Ground(provision.id, "Em ordem.", True),))
    with app.test_request_context():
        assert explain(verdict, plugin.name).reasons[0].cite == provision.cite
        assert explain(verdict, "plugin_removed").reasons[0].cite == provision.id


def test_a_status_is_a_word_and_an_icon(app: Flask) -> None:
    from registry.web.words import STATUSES, status_of

    assert len({each.word for each in STATUSES.values()}) == len(STATUSES)
    assert status_of("overdue").word == "Vencido"
    assert status_of("coisa_nova").word == "Coisa nova"
    sprite = app.jinja_env.loader.get_source(app.jinja_env, "components/sprite.html")[0]  # type: ignore[union-attr]
    for status in STATUSES.values():
        assert f'id="i-{status.icon}"' in sprite
