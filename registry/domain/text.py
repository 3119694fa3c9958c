"""Brazilian text: comparing names, reading what people type, writing what people read.

The readers take one form only, whatever the language of the browser; day and month never change places.
"""

from __future__ import annotations

import re
import unicodedata
from datetime import date, datetime, time
from decimal import Decimal

NBSP = "\u00a0"

_ALIKE = str.maketrans(
    {"\u2018": "'", "\u2019": "'", "\u00b4": "'", "`": "'", "\u201c": '"', "\u201d": '"'}
    | dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212", "-")
)
_NUMBER = re.compile(r"(?P<whole>[1-9][0-9]{0,2}(?:\.[0-9]{3})+|[0-9]+)(?:,(?P<places>[0-9]+))?")
_DOT_AS_COMMA = re.compile(r"[0-9]{1,3}(?:,[0-9]{3})*\.[0-9]+|[0-9]+\.[0-9]+")
_DATE = re.compile(r"([0-9]{1,2})/([0-9]{1,2})/([0-9]{4})")
_SHORT_YEAR = re.compile(r"[0-9]{1,2}/[0-9]{1,2}/[0-9]{1,3}")
_ISO_DATE = re.compile(r"([0-9]{4})-([0-9]{2})-([0-9]{2})")
_HOUR = re.compile(r"([0-9]{1,2})(?:[:h]([0-9]{2})|h)")
_MOST_DIGITS = 15
_FIRST_YEAR, _LAST_YEAR = 1800, 2999
_FEWEST_RATE_PLACES = 4
_TIED = re.compile(r"(?<!\w)(R\$|[Nn][º°]|[Aa]rts?\.|§§?) (?=\S)")


class TextError(ValueError):
    """What was typed cannot be read.

    ``code`` is one of empty, format, dot, places, size, no_day, short_year; ``message_pt`` the sentence for the field;
    ``suggestion`` what may have been meant, to be asked, never taken.
    """

    def __init__(self, code: str, message_pt: str, suggestion: str | None = None) -> None:
        super().__init__(message_pt)
        self.code = code
        self.message_pt = message_pt
        self.suggestion = suggestion


def fold(text: str) -> str:
    """The text for searching and comparing: case and accents off, blanks squeezed, quotes and dashes of one kind."""
    plain = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", text.translate(_ALIKE)).casefold())
    kept = (c for c in plain if unicodedata.category(c) not in {"Mn", "Me", "Cf"})
    return " ".join("".join(kept).translate(_ALIKE).split())


def parse_money(text: str, *, negative: bool = False) -> Decimal:
    """An amount as Brazilians write it: ``1.234,56``, ``1.234`` (= 1234), ``1,5``, ``R$ 2.934,70``.

    A minus sign is read only with ``negative``. Raises :class:`TextError`; a dot in the place of the comma
    (``1467.35``) is refused with the question whether ``1.467,35`` was meant.
    """
    bare = re.sub(r"^(-?)R\$", r"\1", text.strip()).strip() if "R$" in text else text.strip()
    if not bare:
        raise TextError("empty", "Digite o valor.")
    return _parse_number(bare, 2, "Escreva o valor como 1.234,56.", negative)


def parse_rate(text: str, places: int = _FEWEST_RATE_PLACES) -> Decimal:
    """A rate or index value such as ``2,4731``, with at most ``places`` places. Raises :class:`TextError`."""
    bare = text.strip()
    if not bare:
        raise TextError("empty", "Digite o valor.")
    return _parse_number(bare, places, "Escreva o valor como 2,4731.", negative=False)


def _parse_number(bare: str, places: int, how: str, negative: bool) -> Decimal:
    sign, digits = ("-", bare[1:].lstrip()) if negative and bare[0] in "-\u2212" else ("", bare)
    found = _NUMBER.fullmatch(digits)
    if not found:
        if _DOT_AS_COMMA.fullmatch(digits):
            raise _dot_error(digits, places, how)
        raise TextError("format", how)
    fraction = found["places"] or ""
    whole = found["whole"].replace(".", "")
    if len(fraction) > places:
        raise TextError("places", f"O valor tem no máximo {places} números depois da vírgula. {how}")
    if len(whole) > _MOST_DIGITS:
        raise TextError("size", "O valor tem números demais. Confira.")
    return Decimal(f"{sign}{whole}.{fraction or '0'}" if fraction else f"{sign}{whole}")


def _dot_error(digits: str, places: int, how: str) -> TextError:
    whole, _, fraction = digits.replace(",", "").partition(".")
    if len(fraction) > places or len(whole) > _MOST_DIGITS:
        return TextError("format", how)
    meant = f"{int(whole):,}".replace(",", ".") + "," + fraction.ljust(2, "0")
    return TextError("dot", f"Você quis dizer {meant}? {how}", meant)


def parse_date(text: str, *, iso: bool = False) -> date:
    """A day written ``30/11/2026``; ``2026-11-30`` too where ``iso`` (files and addresses, never people).

    Raises :class:`TextError`; also for a year so far off that it is a slip.
    """
    bare = text.strip()
    if not bare:
        raise TextError("empty", "Digite a data.")
    if iso and (found := _ISO_DATE.fullmatch(bare)):
        year, month, day = (int(part) for part in found.groups())
        return _date(day, month, year)
    if found := _DATE.fullmatch(bare):
        day, month, year = (int(part) for part in found.groups())
        return _date(day, month, year)
    if _SHORT_YEAR.fullmatch(bare):
        raise TextError("short_year", "Use o ano com 4 números.")
    raise TextError("format", "Escreva a data como 30/11/2026.")


def _date(day: int, month: int, year: int) -> date:
    try:
        found = date(year, month, day)
    except ValueError:
        in_year = f" em {year:04d}" if (day, month) == (29, 2) else ""
        raise TextError("no_day", f"O dia {day:02d}/{month:02d} não existe{in_year}.") from None
    if not _FIRST_YEAR <= year <= _LAST_YEAR:
        raise TextError("size", f"Confira o ano: ele vai de {_FIRST_YEAR} a {_LAST_YEAR}.")
    return found


def parse_hour(text: str) -> time:
    """An hour written ``15:06``, ``15h06`` or ``15h``. Raises :class:`TextError`."""
    bare = text.strip().lower()
    if not bare:
        raise TextError("empty", "Digite a hora.")
    found = _HOUR.fullmatch(bare)
    if not found:
        raise TextError("format", "Escreva a hora como 15:06.")
    hour, minute = int(found[1]), int(found[2] or 0)
    if hour > 23 or minute > 59:
        raise TextError("no_day", f"A hora {hour:02d}:{minute:02d} não existe.")
    return time(hour, minute)


def format_money(amount: Decimal) -> str:
    """``R$ 1.234,56`` with a no-break blank. Raises ValueError for a fraction of a centavo: rounding is the law's."""
    if not amount.is_finite() or amount != round(amount, 2):
        raise ValueError(f"{amount} is not a whole number of centavos; round it first")
    return f"{'-' if amount < 0 else ''}R${NBSP}{_brazilian(f'{abs(amount):,.2f}')}"


def format_money_field(amount: Decimal) -> str:
    """``1.234,56``, as it stands in a field. Raises ValueError as :func:`format_money` does."""
    return format_money(amount).replace(f"R${NBSP}", "")


def format_rate(value: Decimal) -> str:
    """``2,4731``: at least four places, more only where the value has more."""
    return _brazilian(f"{value:,.{max(_FEWEST_RATE_PLACES, _places(value))}f}")


def format_number(value: Decimal | int) -> str:
    """``138,4936`` or ``1.234``: every place that the value has and none more."""
    exact = Decimal(value)
    return _brazilian(f"{exact:,.{_places(exact.normalize())}f}")


def format_date(day: date) -> str:
    """``30/11/2026``."""
    return f"{day.day:02d}/{day.month:02d}/{day.year:04d}"


def format_hour(moment: time | datetime) -> str:
    """``10h42``; a whole hour is ``6h``. The moment is taken as it stands: bring it to the authority's zone before."""
    return f"{moment.hour}h{moment.minute:02d}" if moment.minute else f"{moment.hour}h"


def format_hour_field(moment: time | datetime) -> str:
    """``15:06``, as it stands in a field."""
    return f"{moment.hour:02d}:{moment.minute:02d}"


def tie(text: str) -> str:
    """The text with a no-break blank after R$, nº, art. and §, so that no line ends there."""
    return _TIED.sub(rf"\1{NBSP}", text)


def _brazilian(number: str) -> str:
    return number.translate(str.maketrans(",.", ".,"))


def _places(value: Decimal) -> int:
    exponent = value.as_tuple().exponent
    return max(0, -exponent) if isinstance(exponent, int) else 0
