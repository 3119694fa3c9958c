"""Money: exact Decimal reais in the law, whole centavos in the store, one rounding per unit charge."""

from __future__ import annotations

from decimal import ROUND_DOWN, ROUND_HALF_EVEN, ROUND_HALF_UP, Context, Decimal
from typing import Literal

RoundingMode = Literal["half_up", "half_even", "down"]

_CENT = Decimal("0.01")
_EXACT = Context(prec=60)
_MODES: dict[str, str] = {"half_up": ROUND_HALF_UP, "half_even": ROUND_HALF_EVEN, "down": ROUND_DOWN}


def cents(amount: Decimal) -> int:
    """An amount in reais as whole centavos.

    Raises ValueError when it holds a fraction of a centavo (round it first, once, with :func:`round_money`) or is no
    number, TypeError for anything but a Decimal.
    """
    _check(amount)
    if amount != round_money(amount, "down"):
        raise ValueError(f"{amount} is not a whole number of centavos; round it first")
    return int(amount.scaleb(2, _EXACT))


def from_cents(count: int) -> Decimal:
    """Whole centavos as reais with two places."""
    return Decimal(count).scaleb(-2, _EXACT)


def round_money(amount: Decimal, mode: RoundingMode) -> Decimal:
    """An exact amount in reais rounded to the centavo; ``mode`` is half_up, half_even or down (discards the rest).

    Raises ValueError for an unknown mode, NaN or infinity, TypeError for anything but a Decimal.
    """
    _check(amount)
    if mode not in _MODES:
        raise ValueError(f"unknown rounding mode {mode!r}; use one of {', '.join(_MODES)}")
    return amount.quantize(_CENT, rounding=_MODES[mode], context=_EXACT)


def split_instalments(total_cents: int, n: int) -> tuple[int, ...]:
    """``total_cents`` centavos in ``n`` instalments; spare centavos go one each to the first ones.

    Raises ValueError for a negative total or fewer than one instalment.
    """
    if total_cents < 0 or n < 1:
        raise ValueError(f"cannot split {total_cents} centavos in {n} instalments")
    each, spare = divmod(total_cents, n)
    return tuple(each + (1 if place < spare else 0) for place in range(n))


def _check(amount: Decimal) -> None:
    if not isinstance(amount, Decimal):
        raise TypeError(f"money is Decimal, not {type(amount).__name__}")
    if not amount.is_finite():
        raise ValueError(f"{amount} is no amount of money")
