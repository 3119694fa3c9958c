"""Fields read what Brazilians type and refuse the rest with a sentence."""

from __future__ import annotations

from datetime import date, time
from decimal import Decimal
from typing import Any

import pytest
from werkzeug.datastructures import MultiDict

from registry.domain.regime import Choice, FactField
from registry.services.errors import Existing, Refused
from registry.web.fields import (
    ChoiceField,
    CnhField,
    DateField,
    DocumentField,
    HourField,
    MoneyField,
    NumberField,
    PlateField,
    RateField,
    RegistryForm,
    RenavamField,
    StringField,
    YearField,
    YesNoField,
    field_for,
)


class Form(RegistryForm):
    """One of each."""

    money = MoneyField("Valor")
    rate = RateField("Índice")
    number = NumberField("Lugares", most=90)
    year = YearField("Ano")
    day = DateField("Dia")
    hour = HourField("Hora")
    plate = PlateField("Placa")
    document = DocumentField("Documento")
    cpf = DocumentField("CPF", accepts="cpf")
    cnh = CnhField("CNH")
    renavam = RenavamField("RENAVAM")
    owner = YesNoField("É o dono?")
    colour = ChoiceField("Cor", (Choice("azul", "Azul"),))
    name = StringField("Nome")


@pytest.fixture
def form(app) -> Any:
    """A form of what was typed, validated without its token."""
    app.config["WTF_CSRF_ENABLED"] = False

    def make(**typed: str) -> Form:
        with app.test_request_context(method="POST"):
            made = Form(formdata=MultiDict(typed))
            made.validate()
            return made

    return make


@pytest.mark.parametrize(
    ("name", "typed", "value"),
    [
        ("money", "1.234,56", Decimal("1234.56")),
        ("money", "1.234", Decimal("1234")),
        ("money", "R$ 0,10", Decimal("0.10")),
        ("rate", "2,4731", Decimal("2.4731")),
        ("number", "42", 42),
        ("number", "90", 90),
        ("year", "2026", 2026),
        ("day", "30/11/2026", date(2026, 11, 30)),
        ("day", "29/02/2024", date(2024, 2, 29)),
        ("hour", "15:06", time(15, 6)),
        ("plate", " abc-1d23 ", "ABC1D23"),
        ("plate", "PEZ0O00", "PEZ0O00"),
        ("document", "529.982.247-25", "52998224725"),
        ("cpf", "52998224725", "52998224725"),
        ("owner", "sim", True),
        ("owner", "nao", False),
        ("owner", "", None),
        ("owner", "talvez", None),
        ("colour", "azul", "azul"),
        ("money", "", None),
        ("day", "  ", None),
    ],
)
def test_what_is_read(form, name: str, typed: str, value: Any) -> None:
    made = form(**{name: typed})
    assert made[name].data == value
    assert not made[name].errors


@pytest.mark.parametrize(
    ("name", "typed", "told"),
    [
        ("money", "12.34", "Você quis dizer 12,34?"),
        ("money", "NaN", "1.234,56"),
        ("money", "inf", "1.234,56"),
        ("money", "1e3", "1.234,56"),
        ("money", "1,234", "2 números depois da vírgula"),
        ("money", "-1", "1.234,56"),
        ("rate", "2,47311", "4 números"),
        ("number", "91", "vai de 0 a 90"),
        ("number", "4²", "só números"),
        ("number", "9" * 400, "vai de 0 a 90"),
        ("year", "26", "4 números"),
        ("year", "20260", "4 números"),
        ("day", "2026-11-30", "30/11/2026"),
        ("day", "30/11/26", "4 números"),
        ("day", "29/02/2026", "não existe em 2026"),
        ("hour", "25:00", "não existe"),
        ("plate", "PEXIB23", "4ª posição"),
        ("document", "529.982.247-24", "Confira o CPF"),
        ("document", "123", "Você digitou 3"),
        ("renavam", "123", "RENAVAM"),
        ("colour", "rosa", "Escolha uma das opções"),
    ],
)
def test_what_is_refused(form, name: str, typed: str, told: str) -> None:
    made = form(**{name: typed})
    assert made[name].data is None or name == "colour"
    assert told in made[name].errors[0]
    assert made[name]._value() == typed if name != "colour" else True
    assert made[name].first_fault


def test_a_cnh_whose_sum_fails_warns_and_is_kept(form) -> None:
    made = form(cnh="12345678901")
    assert made.cnh.data == "12345678901"
    assert "Confirmo" in made.cnh.warning


@pytest.mark.parametrize(
    ("name", "value", "written"),
    [
        ("money", Decimal("1234.5"), "1.234,50"),
        ("rate", Decimal("5.1374"), "5,1374"),
        ("day", date(2026, 1, 2), "02/01/2026"),
        ("hour", time(9, 5), "09:05"),
        ("document", "52998224725", "529.982.247-25"),
        ("owner", None, None),
    ],
)
def test_what_is_written_reads_back(app, form, name: str, value: Any, written: str | None) -> None:
    with app.test_request_context():
        made = Form(formdata=None, **{name: value})
        if written is not None:
            assert made[name]._value() == written
            assert form(**{name: written})[name].data == value


def test_a_refusal_finds_its_fields(form) -> None:
    made = form(name="x", plate="ABC1D23")
    refused = Refused(
        {"plate": "A placa já existe.", "loose": "Algo mais."},
        "Não deu.",
        existing={"plate": Existing("vehicle", 3, "veículo ABC1D23")},
        suggestions={"plate": "ABC1D24"},
    )
    made.take(refused)
    assert made.plate.errors == ["A placa já existe."]
    assert made.plate.suggestion == "ABC1D24"
    assert made.message == "Não deu. Algo mais."
    assert made.existing["plate"].id == 3
    assert [field.name for field, _ in made.faults] == ["plate"]


@pytest.mark.parametrize(("typed", "version"), [("3", 3), ("", 0), ("x", 0), ("-1", 0), ("9" * 30, 0)])
def test_the_version_that_was_seen(form, typed: str, version: int) -> None:
    assert form(version=typed).saw_version == version


@pytest.mark.parametrize(
    ("kind", "typed", "value"),
    [
        ("text", "abc", "abc"),
        ("integer", "3", 3),
        ("money", "1,50", Decimal("1.50")),
        ("decimal", "1,234567", Decimal("1.234567")),
        ("flag", "nao", False),
        ("date", "02/01/2026", date(2026, 1, 2)),
        ("choice", "a", "a"),
    ],
)
def test_a_fact_of_a_regime_gets_its_field(app, kind: Any, typed: str, value: Any) -> None:
    app.config["WTF_CSRF_ENABLED"] = False
    fact = FactField("fact", "Fato", kind, required=True, choices=(Choice("a", "A"),))
    asked = type("Asked", (RegistryForm,), {"fact": field_for(fact)})
    with app.test_request_context(method="POST"):
        full = asked(formdata=MultiDict({"fact": typed}))
        assert full.validate() and full.fact.data == value
        empty = asked(formdata=MultiDict({"fact": ""}))
        assert not empty.validate()
        assert empty.fact.errors[0] == "Informe: fato."
