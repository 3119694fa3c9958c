"""Identifiers of people and vehicles: plate, CPF, CNPJ, CNH, RENAVAM.

What a person typed is first brought to its bare form (:func:`canonical`) and then held against strict ASCII patterns.
Nothing is ever dropped to make a number fit, and nothing valid is ever "corrected".
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

DocumentKind = Literal["cpf", "cnpj"]

_INVISIBLE = frozenset("\u00ad\u200b\u200c\u200d\u2060\ufeff")
_MINUS = "\u2212"
_LOWER_TO_UPPER = {code: code - 32 for code in range(ord("a"), ord("z") + 1)}

_OLD_PLATE = re.compile(r"[A-Z]{3}[0-9]{4}")
_MERCOSUL_PLATE = re.compile(r"[A-Z]{3}[0-9][A-Z][0-9]{2}")
_PLATE_SHAPE = "LLLDXDD"
_FIFTH = 4
_LOOKS_LIKE_DIGIT = {"O": "0", "Q": "0", "D": "0", "I": "1", "L": "1", "Z": "2", "S": "5", "G": "6", "T": "7", "B": "8"}
_LOOKS_LIKE_LETTER = {"0": "O", "1": "I", "2": "Z", "5": "S", "6": "G", "8": "B"}
_LIKELY_SLIPS = 2
_SHAPE_WORDS = {"L": "uma letra", "D": "um número", "X": "uma letra ou um número"}


class IdentifierError(ValueError):
    """What was typed cannot be this identifier.

    ``code`` is one of empty, length, character, repeated, zeros, sum; ``message_pt`` the sentence for the field;
    ``suggestion`` the likely canonical form, only when what was typed cannot exist.
    """

    def __init__(self, code: str, message_pt: str, suggestion: str | None = None) -> None:
        super().__init__(message_pt)
        self.code = code
        self.message_pt = message_pt
        self.suggestion = suggestion


@dataclass(frozen=True, slots=True)
class Plate:
    """A vehicle plate in either format.

    ``text`` is the bare form as typed (``ABC1C34``), ``key`` the form that both twins share (``ABC1234``), ``twin`` the
    other form (None for a Mercosul plate whose fifth character is K-Z), ``pretty`` the form for the screen.
    """

    text: str
    key: str
    twin: str | None

    @property
    def pretty(self) -> str:
        """``ABC-1234`` in the old format, ``ABC1C34`` in the Mercosul format."""
        return format_plate(self.text)


@dataclass(frozen=True, slots=True)
class CnhCheck:
    """A driver's licence number of the right shape; ``sum_ok`` is False when its check digits do not match.

    A good CNH can fail the sum, so the clerk may confirm it.
    """

    canonical: str
    sum_ok: bool

    @property
    def warning_pt(self) -> str | None:
        """The sentence to show beside the field when the sum fails."""
        if self.sum_ok:
            return None
        return "O número da CNH não bate com o dígito. Se está igual ao documento, marque «Confirmo»."


def canonical(text: str) -> str:
    """The bare form of an identifier: dots, slashes, dashes and blanks (Unicode ones too) off, ASCII letters upper.

    Every other character stays, so that the strict patterns refuse it.
    """
    if text.isascii() and text.isalnum():
        return text.upper()
    kept = (c for c in text if c not in "./" and not _is_blank_or_dash(c))
    return "".join(kept).translate(_LOWER_TO_UPPER)


def _is_blank_or_dash(character: str) -> bool:
    return (
        character.isspace() or character in _INVISIBLE or character == _MINUS or unicodedata.category(character) == "Pd"
    )


def parse_plate(text: str) -> Plate:
    """The plate that was typed, in either format. Raises :class:`IdentifierError`.

    A suggestion comes only with a text that can be no plate: ``PEXIB23`` suggests ``PEX1B23``; ``PEZ0O00`` is a plate.
    """
    plate = canonical(text)
    if not plate:
        raise IdentifierError("empty", "Digite a placa.")
    if len(plate) != len(_PLATE_SHAPE):
        raise IdentifierError("length", f"A placa tem 7 letras e números. Você digitou {len(plate)}.")
    if _OLD_PLATE.fullmatch(plate):
        return Plate(plate, plate, _with_fifth(plate, chr(ord("A") + int(plate[_FIFTH]))))
    if _MERCOSUL_PLATE.fullmatch(plate):
        key = plate_key(plate)
        return Plate(plate, key, key if key != plate else None)
    raise _plate_character_error(plate)


def plate_key(plate: str) -> str:
    """The key that both forms of a canonical plate share: the old form where there is one, else the plate itself."""
    fifth = plate[_FIFTH]
    return _with_fifth(plate, str(ord(fifth) - ord("A"))) if "A" <= fifth <= "J" else plate


def plate_fragments(text: str) -> tuple[str, ...]:
    """The beginnings of a plate that a search for this fragment must try: ``kga1c`` gives ``KGA1C`` and ``KGA12``.

    A fragment shorter than five characters, or one whose fifth has no twin, stands alone; an empty one gives nothing.
    """
    fragment = canonical(text)
    if not fragment:
        return ()
    fifth = fragment[_FIFTH : _FIFTH + 1]
    if fifth and "A" <= fifth <= "J":
        return (fragment, _with_fifth(fragment, str(ord(fifth) - ord("A"))))
    if fifth and "0" <= fifth <= "9":
        return (fragment, _with_fifth(fragment, chr(ord("A") + int(fifth))))
    return (fragment,)


def _with_fifth(plate: str, character: str) -> str:
    return plate[:_FIFTH] + character + plate[_FIFTH + 1 :]


def _plate_character_error(plate: str) -> IdentifierError:
    wrong = [place for place, c in enumerate(plate) if not _fits(c, _PLATE_SHAPE[place])]
    first = wrong[0]
    message = (
        f"Confira a placa: a {first + 1}ª posição é {_SHAPE_WORDS[_PLATE_SHAPE[first]]}, "
        f"e você digitou {_describe(plate[first])}."
    )
    mended = list(plate)
    for place in wrong:
        likely = _LOOKS_LIKE_LETTER if _PLATE_SHAPE[place] == "L" else _LOOKS_LIKE_DIGIT
        mended[place] = likely.get(plate[place], "")
    suggestion = "".join(mended)
    is_likely = len(wrong) <= _LIKELY_SLIPS and len(suggestion) == len(plate)
    return IdentifierError("character", message, suggestion if is_likely else None)


def _fits(character: str, shape: str) -> bool:
    letter, digit = "A" <= character <= "Z", "0" <= character <= "9"
    return {"L": letter, "D": digit, "X": letter or digit}[shape]


def _describe(character: str) -> str:
    if "A" <= character <= "Z":
        return f"a letra {character}"
    if "0" <= character <= "9":
        return f"o número {character}"
    return f"«{character}»"


def parse_cpf(text: str) -> str:
    """The 11 digits of a CPF. Raises :class:`IdentifierError`.

    A number whose zeros in front got lost (a spreadsheet does that) is refused with the whole number as suggestion.
    """
    number = canonical(text)
    _check_shape(number, "o CPF", "D" * 11, "números", _cpf_sum_ok)
    if not _cpf_sum_ok(number):
        raise IdentifierError("sum", "Confira o CPF: os dois últimos números não batem com os outros.")
    return number


def parse_cnpj(text: str) -> str:
    """The 14 characters of a CNPJ, alphanumeric ones too. Raises :class:`IdentifierError`."""
    number = canonical(text)
    _check_shape(number, "o CNPJ", "X" * 12 + "DD", "letras e números", _cnpj_sum_ok)
    if not _cnpj_sum_ok(number):
        raise IdentifierError("sum", "Confira o CNPJ: os dois últimos números não batem com os outros.")
    return number


def parse_document(text: str) -> tuple[DocumentKind, str]:
    """A CPF or a CNPJ, told apart by length: its kind and canonical form. Raises :class:`IdentifierError`."""
    number = canonical(text)
    if not number:
        raise IdentifierError("empty", "Digite o CPF ou o CNPJ.")
    if len(number) == 11:
        return "cpf", parse_cpf(number)
    if len(number) == 14:
        return "cnpj", parse_cnpj(number)
    likely = _zeros_in_front(number, 11, _cpf_sum_ok) or _zeros_in_front(number, 14, _cnpj_sum_ok)
    message = f"O CPF tem 11 números e o CNPJ tem 14 letras e números. Você digitou {len(number)}."
    raise IdentifierError("length", message, likely)


def check_cnh(text: str) -> CnhCheck:
    """The 11 digits of a driver's licence and whether its check digits match.

    Raises :class:`IdentifierError` for a wrong shape only.
    """
    number = canonical(text)
    _check_shape(number, "a CNH", "D" * 11, "números", None)
    return CnhCheck(number, _cnh_sum_ok(number))


def parse_renavam(text: str) -> str:
    """The 11 digits of a RENAVAM; the 9 or 10 digits of older papers get their zeros in front.

    Raises :class:`IdentifierError`.
    """
    number = canonical(text)
    if 9 <= len(number) < 11:
        number = number.rjust(11, "0")
    _check_shape(number, "o RENAVAM", "D" * 11, "números", None)
    if number[-1] != _renavam_digit(number):
        raise IdentifierError("sum", "Confira o RENAVAM: o último número não bate com os outros.")
    return number


def _check_shape(number: str, name: str, shape: str, unit: str, sum_ok: Callable[[str], bool] | None) -> None:
    """Raises unless ``number`` has the length and kinds of character of ``shape`` and is not one digit repeated."""
    if not number:
        raise IdentifierError("empty", f"Digite {name}.")
    if len(number) != len(shape):
        likely = _zeros_in_front(number, len(shape), sum_ok)
        message = f"{_capital(name)} tem {len(shape)} {unit}. Você digitou {len(number)}."
        raise IdentifierError("length", message, likely)
    for place, character in enumerate(number):
        if not _fits(character, shape[place]):
            raise IdentifierError(
                "character",
                f"Confira {name}: a {place + 1}ª posição é {_SHAPE_WORDS[shape[place]]}, "
                f"e você digitou {_describe(character)}.",
            )
    if len(set(number)) == 1:
        code = "zeros" if number[0] == "0" else "repeated"
        raise IdentifierError(code, f"Confira {name}: todos os números são iguais.")


def _capital(name: str) -> str:
    return name[0].upper() + name[1:]


def _zeros_in_front(number: str, length: int, sum_ok: Callable[[str], bool] | None) -> str | None:
    """The whole number when up to three lost zeros in front make its sum right."""
    whole = number.rjust(length, "0")
    if sum_ok is None or len(number) < length - 3 or len(whole) != length or not re.fullmatch("[0-9]+", whole):
        return None
    return whole if len(set(whole)) > 1 and sum_ok(whole) else None


def _cpf_sum_ok(number: str) -> bool:
    return all(_mod11(number[:end], range(end + 1, 1, -1)) == number[end] for end in (9, 10))


def _cnpj_sum_ok(number: str) -> bool:
    weights = (6, 5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2)
    return all(_mod11(number[:end], weights[13 - end :]) == number[end] for end in (12, 13))


def _mod11(base: str, weights: range | tuple[int, ...]) -> str:
    """The modulo 11 check digit; a letter counts as its ASCII code less 48, as the Receita Federal defines it."""
    rest = sum((ord(c) - 48) * weight for c, weight in zip(base, weights, strict=True)) % 11
    return "0" if rest < 2 else str(11 - rest)


def _cnh_sum_ok(number: str) -> bool:
    digits = [int(c) for c in number[:9]]
    first = sum(digit * weight for digit, weight in zip(digits, range(9, 0, -1), strict=True)) % 11
    discount = 2 if first == 10 else 0
    second = (sum(digit * weight for digit, weight in zip(digits, range(1, 10), strict=True)) % 11 - discount) % 11
    return number[9:] == f"{first % 10}{second % 10}"


def _renavam_digit(number: str) -> str:
    weights = (3, 2, 9, 8, 7, 6, 5, 4, 3, 2)
    total = sum(int(c) * weight for c, weight in zip(number[:10], weights, strict=True))
    return str(total * 10 % 11 % 10)


def format_plate(plate: str) -> str:
    """A canonical plate for the screen: ``ABC-1234``, ``ABC1C34``."""
    return f"{plate[:3]}-{plate[3:]}" if _OLD_PLATE.fullmatch(plate) else plate


def format_cpf(cpf: str) -> str:
    """A canonical CPF for the screen: ``023.456.781-35``."""
    return f"{cpf[:3]}.{cpf[3:6]}.{cpf[6:9]}-{cpf[9:]}"


def format_cnpj(cnpj: str) -> str:
    """A canonical CNPJ for the screen: ``12.ABC.345/01DE-35``."""
    return f"{cnpj[:2]}.{cnpj[2:5]}.{cnpj[5:8]}/{cnpj[8:12]}-{cnpj[12:]}"


def format_document(kind: DocumentKind, number: str) -> str:
    """A canonical CPF or CNPJ for the screen."""
    return format_cpf(number) if kind == "cpf" else format_cnpj(number)
