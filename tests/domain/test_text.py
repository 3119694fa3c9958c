"""Names, amounts, days and hours as Brazilians write them."""

from __future__ import annotations

import locale
from datetime import date, datetime, time
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from registry.domain.text import (
    TextError,
    fold,
    format_date,
    format_hour,
    format_hour_field,
    format_money,
    format_money_field,
    format_number,
    format_rate,
    parse_date,
    parse_hour,
    parse_money,
    parse_rate,
    tie,
)


def refusal(parse, text, **options) -> TextError:
    with pytest.raises(TextError) as caught:
        parse(text, **options)
    return caught.value


# ------------------------------------------------------------------ names


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("AGROLÂNDIA      ", "agrolandia"),
        ("X  IPIRANGA", "x ipiranga"),
        ("ÁLCOOL", "Alcool"),
        ("José da Conceição", "jose  DA conceicao"),
        ("Jose\u0301", "José"),
        ("D\u2019Ávila", "d'avila"),
        ("Box\u00a05 \u2013 Norte", "box 5 - norte"),
        ("\ufeffplaca", "placa"),
        ("Straße", "STRASSE"),
    ],
)
def test_names_that_are_the_same_for_a_search(one, other):
    assert fold(one) == fold(other)


@pytest.mark.parametrize(("one", "other"), [("Ana", "Anna"), ("100%", "100"), ("a_b", "a b"), ("Rua 1", "Rua 12")])
def test_names_that_differ(one, other):
    assert fold(one) != fold(other)


@given(st.text())
def test_folding_twice_changes_nothing(text):
    assert fold(fold(text)) == fold(text)


@given(st.text(st.characters(codec="latin-1")))
def test_case_never_matters(text):
    assert fold(text.upper()) == fold(text.lower()) == fold(text)


# ------------------------------------------------------------------ money


@pytest.mark.parametrize(
    ("typed", "amount"),
    [
        ("1.234,56", "1234.56"),
        ("1.234", "1234"),
        ("1,5", "1.5"),
        ("0,05", "0.05"),
        ("1.467,35", "1467.35"),
        ("R$ 2.934,70", "2934.70"),
        ("R$\u00a02.934,70", "2934.70"),
        ("R$2934,7", "2934.7"),
        (" 30 ", "30"),
        ("1234567,89", "1234567.89"),
        ("12.345.678,90", "12345678.90"),
        ("0", "0"),
        ("0030,00", "30"),
    ],
)
def test_an_amount_is_read(typed, amount):
    assert parse_money(typed) == Decimal(amount)


@pytest.mark.parametrize(
    "typed",
    ["12,34,5", "4,4E+08", "1e3", "NaN", "nan", "inf", "Infinity", "-inf", "sNaN", "1.23.456", "1.2345,00", ",5", "5,",
     "1 234,56", "R$", "R$ R$ 5", "US$ 5", "-30,00", "+5", "٣٠", "１２", "3²", "0x1F", "1_000", "dez", "1.234,5.6",
     "12.34.567"],
)  # fmt: skip
def test_what_is_no_amount_is_refused(typed):
    assert refusal(parse_money, typed).code in {"format", "empty"}


@pytest.mark.parametrize(
    ("typed", "meant"),
    [("1467.35", "1.467,35"), ("1.5", "1,50"), ("12.34", "12,34"), ("1,234.56", "1.234,56"), ("0.99", "0,99")],
)
def test_a_dot_for_the_comma_is_asked_never_taken(typed, meant):
    error = refusal(parse_money, typed)
    assert (error.code, error.suggestion) == ("dot", meant)
    assert error.message_pt == f"Você quis dizer {meant}? Escreva o valor como 1.234,56."
    assert parse_money(error.suggestion) == Decimal(meant.replace(".", "").replace(",", "."))


@pytest.mark.parametrize("typed", ["0.123", "00.500", "1234.567"])
def test_a_dot_that_can_be_neither_is_refused(typed):
    assert refusal(parse_money, typed).code == "format"


def test_amounts_have_two_places():
    assert refusal(parse_money, "1,234").code == "places"
    assert refusal(parse_money, "1,000").code == "places"


@pytest.mark.parametrize("typed", ["", "  ", "\u00a0"])
def test_no_amount(typed):
    assert refusal(parse_money, typed).message_pt == "Digite o valor."


def test_an_amount_too_long_for_the_store_is_refused():
    assert parse_money("9" * 15) == Decimal("9" * 15)
    assert refusal(parse_money, "9" * 16).code == "size"
    assert refusal(parse_money, "9" * 5000 + ".99").code == "format"


def test_a_negative_amount_only_where_it_is_asked_for():
    assert parse_money("-30,00", negative=True) == Decimal("-30.00")
    assert parse_money("\u221230,00", negative=True) == Decimal("-30.00")
    assert parse_money("-R$ 30,00", negative=True) == Decimal("-30.00")
    assert refusal(parse_money, "--30", negative=True).code == "format"


@given(st.integers(0, 10**15 - 1))
def test_what_is_written_is_read_again(count):
    amount = Decimal(count) / 100
    assert parse_money(format_money(amount)) == amount
    assert parse_money(format_money_field(amount)) == amount


@given(st.text())
def test_any_text_gives_an_amount_or_a_sentence(text):
    try:
        amount = parse_money(text)
    except TextError:
        return
    assert amount.is_finite()
    assert amount >= 0


def test_rates():
    assert parse_rate("2,4731") == Decimal("2.4731")
    assert parse_rate("1.234,5") == Decimal("1234.5")
    assert refusal(parse_rate, "2,47315").code == "places"
    assert refusal(parse_rate, "2.4731").suggestion == "2,4731"
    assert refusal(parse_rate, "").code == "empty"


# ------------------------------------------------------------------ days and hours


@pytest.mark.parametrize(
    ("typed", "day"),
    [
        ("30/11/2026", date(2026, 11, 30)),
        ("06/05/2026", date(2026, 5, 6)),
        ("6/5/2026", date(2026, 5, 6)),
        (" 29/02/2024 ", date(2024, 2, 29)),
        ("30/12/1899", date(1899, 12, 30)),
        ("01/01/1800", date(1800, 1, 1)),
        ("31/12/2999", date(2999, 12, 31)),
    ],
)
def test_a_day_is_read(typed, day):
    assert parse_date(typed) == day


@pytest.mark.parametrize(
    ("typed", "message"),
    [
        ("31/02/2026", "O dia 31/02 não existe."),
        ("31/4/2026", "O dia 31/04 não existe."),
        ("01/13/2024", "O dia 01/13 não existe."),
        ("11/30/2026", "O dia 11/30 não existe."),
        ("00/10/2026", "O dia 00/10 não existe."),
        ("29/02/2025", "O dia 29/02 não existe em 2025."),
        ("29/02/1900", "O dia 29/02 não existe em 1900."),
        ("12/11/26", "Use o ano com 4 números."),
        ("12/11/026", "Use o ano com 4 números."),
        ("2026-11-30", "Escreva a data como 30/11/2026."),
        ("30-11-2026", "Escreva a data como 30/11/2026."),
        ("30/11", "Escreva a data como 30/11/2026."),
        ("44562", "Escreva a data como 30/11/2026."),
        ("30/11/20261", "Escreva a data como 30/11/2026."),
        ("٣٠/11/2026", "Escreva a data como 30/11/2026."),
        ("hoje", "Escreva a data como 30/11/2026."),
        ("31/12/1799", "Confira o ano: ele vai de 1800 a 2999."),
        ("01/01/3000", "Confira o ano: ele vai de 1800 a 2999."),
        ("01/01/0001", "Confira o ano: ele vai de 1800 a 2999."),
        ("31/12/9999", "Confira o ano: ele vai de 1800 a 2999."),
        ("", "Digite a data."),
    ],
)
def test_a_day_that_is_none(typed, message):
    assert refusal(parse_date, typed).message_pt == message


def test_iso_days_only_where_no_person_types():
    assert parse_date("2026-11-30", iso=True) == date(2026, 11, 30)
    assert parse_date("30/11/2026", iso=True) == date(2026, 11, 30)
    assert refusal(parse_date, "2026-02-31", iso=True).code == "no_day"
    assert refusal(parse_date, "2026-1-3", iso=True).code == "format"


@given(st.dates(date(1800, 1, 1), date(2999, 12, 31)))
def test_days_come_back(day):
    assert parse_date(format_date(day)) == day
    assert parse_date(day.isoformat(), iso=True) == day


def test_the_system_language_changes_nothing():
    before = locale.setlocale(locale.LC_ALL)
    try:
        locale.setlocale(locale.LC_ALL, "C")
        assert parse_date("06/05/2026") == date(2026, 5, 6)
        assert format_money(Decimal("1234.5")) == "R$\u00a01.234,50"
    finally:
        locale.setlocale(locale.LC_ALL, before)


def test_hours():
    assert parse_hour("15:06") == parse_hour("15h06") == parse_hour(" 15H06 ") == time(15, 6)
    assert parse_hour("15h") == time(15, 0)
    assert parse_hour("0:00") == time(0, 0)
    assert refusal(parse_hour, "24:00").message_pt == "A hora 24:00 não existe."
    assert refusal(parse_hour, "15").message_pt == "Escreva a hora como 15:06."
    assert refusal(parse_hour, "").code == "empty"


# ------------------------------------------------------------------ for the screen


@pytest.mark.parametrize(
    ("amount", "text"),
    [
        ("1234.56", "R$\u00a01.234,56"),
        ("0", "R$\u00a00,00"),
        ("0.5", "R$\u00a00,50"),
        ("1000000", "R$\u00a01.000.000,00"),
        ("-30", "-R$\u00a030,00"),
        ("74.1900", "R$\u00a074,19"),
    ],
)
def test_money_on_the_screen(amount, text):
    assert format_money(Decimal(amount)) == text


@pytest.mark.parametrize("amount", ["74.193", "0.001", "NaN", "Infinity"])
def test_the_screen_never_rounds_money(amount):
    with pytest.raises(ValueError, match="centavos"):
        format_money(Decimal(amount))


def test_rates_and_numbers_on_the_screen():
    assert format_rate(Decimal("2.4731")) == "2,4731"
    assert format_rate(Decimal("5.1")) == "5,1000"
    assert format_rate(Decimal("2.47315")) == "2,47315"
    assert format_rate(Decimal("1234.5")) == "1.234,5000"
    assert format_number(Decimal("138.4936")) == "138,4936"
    assert format_number(Decimal("1.200")) == "1,2"
    assert format_number(Decimal("1E+3")) == "1.000"
    assert format_number(12345) == "12.345"


def test_days_and_hours_on_the_screen():
    assert format_date(date(2026, 1, 3)) == "03/01/2026"
    assert format_date(date(987, 1, 3)) == "03/01/0987"
    assert format_hour(time(10, 42)) == "10h42"
    assert format_hour(time(6, 5)) == "6h05"
    assert format_hour(datetime(2026, 11, 30, 14, 0)) == "14h"  # noqa: DTZ001
    assert format_hour(time(0, 0)) == "0h"
    assert format_hour_field(time(6, 5)) == "06:05"


def test_blanks_that_hold_the_line_together():
    assert tie("R$ 5, nº 0391, art. 205, arts. 1 e § 1º, caso 3") == (
        "R$\u00a05, nº\u00a00391, art.\u00a0205, arts.\u00a01 e §\u00a01º, caso 3"
    )
    assert tie("Art. 29, § 1º") == "Art.\u00a029, §\u00a01º"
    assert tie("casino 4, smart. 5, no 4") == "casino 4, smart. 5, no 4"
