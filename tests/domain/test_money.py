"""Centavos, rounding and instalments."""

from __future__ import annotations

from decimal import Decimal, getcontext, localcontext

import pytest
from hypothesis import given
from hypothesis import strategies as st

from registry.domain.money import cents, from_cents, round_money, split_instalments

amounts = st.decimals(allow_nan=False, allow_infinity=False, min_value=-(10**12), max_value=10**12, places=6)


@pytest.mark.parametrize(
    ("exact", "half_up", "half_even", "down"),
    [
        ("74.193", "74.19", "74.19", "74.19"),
        ("123.655", "123.66", "123.66", "123.65"),
        ("370.965", "370.97", "370.96", "370.96"),
        ("138.4936", "138.49", "138.49", "138.49"),
        ("307.056", "307.06", "307.06", "307.05"),
        ("0.005", "0.01", "0.00", "0.00"),
        ("0.00499999999999999999999999999999", "0.00", "0.00", "0.00"),
        ("1236.55", "1236.55", "1236.55", "1236.55"),
        ("-0.015", "-0.02", "-0.02", "-0.01"),
    ],
)
def test_the_three_roundings(exact, half_up, half_even, down):
    amount = Decimal(exact)
    assert round_money(amount, "half_up") == Decimal(half_up)
    assert round_money(amount, "half_even") == Decimal(half_even)
    assert round_money(amount, "down") == Decimal(down)


def test_rounding_does_not_hang_on_the_callers_context():
    with localcontext() as context:
        context.prec = 3
        assert round_money(Decimal("987654321.985"), "half_up") == Decimal("987654321.99")
        assert cents(Decimal("987654321.98")) == 98765432198
        assert str(from_cents(98765432198)) == "987654321.98"
    assert getcontext().prec != 3


@given(amounts, st.sampled_from(["half_up", "half_even", "down"]))
def test_a_rounded_amount_is_whole_centavos_less_than_one_centavo_away(amount, mode):
    rounded = round_money(amount, mode)
    assert from_cents(cents(rounded)) == rounded
    assert abs(rounded - amount) < Decimal("0.01")
    assert round_money(rounded, mode) == rounded


@given(st.integers(-(10**15), 10**15))
def test_centavos_come_back(count):
    reais = from_cents(count)
    assert cents(reais) == count
    assert reais.as_tuple().exponent == -2


@pytest.mark.parametrize("text", ["0.001", "10.005", "NaN", "Infinity"])
def test_no_fraction_of_a_centavo_reaches_the_store(text):
    with pytest.raises(ValueError, match=r"centavos|no amount"):
        cents(Decimal(text))


@pytest.mark.parametrize("amount", [0.1, 1, "1"])
def test_money_is_never_a_float(amount):
    with pytest.raises(TypeError):
        cents(amount)
    with pytest.raises(TypeError):
        round_money(amount, "half_up")


def test_an_unknown_rounding_is_refused():
    with pytest.raises(ValueError, match="half_even"):
        round_money(Decimal("1"), "up")


def test_spare_centavos_go_to_the_first_instalments():
    assert split_instalments(10000, 3) == (3334, 3333, 3333)
    assert split_instalments(10001, 3) == (3334, 3334, 3333)
    assert split_instalments(2, 3) == (1, 1, 0)
    assert split_instalments(500, 1) == (500,)


@given(st.integers(0, 10**12), st.integers(1, 60))
def test_instalments_add_up(total, n):
    parts = split_instalments(total, n)
    assert sum(parts) == total
    assert len(parts) == n
    assert list(parts) == sorted(parts, reverse=True)
    assert max(parts) - min(parts) <= 1


@pytest.mark.parametrize(("total", "n"), [(100, 0), (100, -1), (-1, 2)])
def test_instalments_that_cannot_be(total, n):
    with pytest.raises(ValueError, match="cannot split"):
        split_instalments(total, n)
