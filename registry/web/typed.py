"""Form fields that read what Brazilians type.

A field keeps the text that was typed, so that an error loses nothing; ``data`` is None when it is empty or wrong.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date, time
from decimal import Decimal
from typing import Any, ClassVar

from wtforms import Field, RadioField, SelectField
from wtforms.fields.choices import SelectChoice  # type: ignore[attr-defined]
from wtforms.validators import StopValidation
from wtforms.widgets import TextInput

from registry.domain import identifiers, text
from registry.domain.identifiers import IdentifierError
from registry.domain.regime import Choice
from registry.domain.text import TextError


class Wanted:
    """Validator: the field may not be left empty; ``message`` says what to type."""

    field_flags: ClassVar = {"required": True}

    def __init__(self, message: str) -> None:
        self.message = message

    def __call__(self, form: Any, field: Field) -> None:
        """Raises StopValidation for an empty field."""
        raw = field.raw_data[0] if field.raw_data else None
        if (not raw.strip()) if isinstance(raw, str) else not raw:
            raise StopValidation(self.message)


class TypedField(Field):
    """A text input whose text is read by :meth:`read` and written by :meth:`write`.

    ``wanted`` is the sentence when it is left empty, "" when it may be. After an error ``suggestion`` may hold what was
    meant.
    """

    widget = TextInput()
    mode = "text"
    width = "md"
    first_fault = False

    def __init__(self, label: str = "", validators: Sequence[Any] | None = None, *, wanted: str = "", **named: Any):
        super().__init__(label, list(validators or ()), **named)
        self.wanted = wanted
        self.suggestion: str | None = None
        if wanted:
            self.flags.required = True

    def read(self, typed: str) -> Any:
        """The value of what was typed. Raises TextError or IdentifierError."""
        raise NotImplementedError

    def write(self, value: Any) -> str:
        """The value as one would type it."""
        return str(value)

    def process_formdata(self, valuelist: list[Any]) -> None:
        """Reads the typed text; the error's sentence stands beside the field."""
        typed = str(valuelist[0]) if valuelist else ""
        self.data = None
        if not typed.strip():
            if self.wanted:
                raise ValueError(self.wanted)
            return
        try:
            self.data = self.read(typed)
        except (TextError, IdentifierError) as error:
            self.suggestion = error.suggestion
            raise ValueError(error.message_pt) from error

    def _value(self) -> str:
        if self.raw_data:
            return str(self.raw_data[0])
        return "" if self.data is None else self.write(self.data)


class MoneyField(TypedField):
    """Reais, ``1.234,56``; Decimal."""

    mode = "decimal"
    width = "sm"

    def read(self, typed: str) -> Decimal:
        """Reads ``1.234,56``; ``1234.56`` is refused with a question."""
        return text.parse_money(typed)

    def write(self, value: Decimal) -> str:
        """``1.234,56``."""
        return text.format_money_field(value)


class RateField(TypedField):
    """A rate or index value, ``5,1374``; Decimal with at most ``places`` places."""

    mode = "decimal"
    width = "sm"

    def __init__(self, label: str = "", validators: Any = None, *, places: int = 4, **named: Any) -> None:
        super().__init__(label, validators, **named)
        self.places = places

    def read(self, typed: str) -> Decimal:
        """Reads ``5,1374``."""
        return text.parse_rate(typed, self.places)

    def write(self, value: Decimal) -> str:
        """``5,1374``."""
        return text.format_rate(value)


class NumberField(TypedField):
    """A whole number from ``least`` to ``most``; int."""

    mode = "numeric"
    width = "xs"

    def __init__(
        self, label: str = "", validators: Any = None, *, least: int = 0, most: int = 999_999_999, **named: Any
    ) -> None:
        super().__init__(label, validators, **named)
        self.least = least
        self.most = most

    def read(self, typed: str) -> int:
        """Reads ASCII digits, with or without thousands dots."""
        bare = typed.strip().replace(".", "")
        if not (bare.isascii() and bare.isdecimal()):
            raise TextError("format", "Escreva só números, como 24.")
        value = int(bare) if len(bare) < 16 else self.most + 1
        if not self.least <= value <= self.most:
            low, high = text.format_number(self.least), text.format_number(self.most)
            raise TextError("size", f"O número vai de {low} a {high}.")
        return value


class YearField(NumberField):
    """A year of four digits; int."""

    def read(self, typed: str) -> int:
        """Reads four digits."""
        bare = typed.strip()
        if not (len(bare) == 4 and bare.isascii() and bare.isdecimal()):
            raise TextError("format", "Use o ano com 4 números.")
        return int(bare)


class DateField(TypedField):
    """A day, ``dd/mm/aaaa``; date."""

    mode = "numeric"
    width = "sm"

    def read(self, typed: str) -> date:
        """Reads ``30/11/2026``."""
        return text.parse_date(typed)

    def write(self, value: date) -> str:
        """``30/11/2026``."""
        return text.format_date(value)


class HourField(TypedField):
    """An hour, ``15:06``; time."""

    mode = "numeric"
    width = "xs"

    def read(self, typed: str) -> time:
        """Reads ``15:06``, ``15h06`` or ``15h``."""
        return text.parse_hour(typed)

    def write(self, value: time) -> str:
        """``15:06``."""
        return text.format_hour_field(value)


class PlateField(TypedField):
    """A plate in either form; its bare form as typed. ``plate`` holds both twins."""

    width = "plate"
    plate: identifiers.Plate | None = None

    def read(self, typed: str) -> str:
        """Reads ``ABC-1234`` or ``ABC1D23``."""
        self.plate = identifiers.parse_plate(typed)
        return self.plate.text


class DocumentField(TypedField):
    """A CPF or a CNPJ; its canonical form. ``accepts`` is cpf, cnpj or "" for both; ``kind`` the one typed."""

    width = "md"

    def __init__(self, label: str = "", validators: Any = None, *, accepts: str = "", **named: Any) -> None:
        super().__init__(label, validators, **named)
        self.accepts = accepts
        self.kind = accepts

    def read(self, typed: str) -> str:
        """Reads the number with or without dots."""
        if self.accepts:
            return (identifiers.parse_cpf if self.accepts == "cpf" else identifiers.parse_cnpj)(typed)
        self.kind, number = identifiers.parse_document(typed)
        return number

    def write(self, value: str) -> str:
        """With its dots."""
        return identifiers.format_document("cpf" if len(value) == 11 else "cnpj", value)


class CnhField(TypedField):
    """A driver's licence number; its 11 digits. ``warning`` is set when the sum fails: the clerk may confirm it."""

    mode = "numeric"
    warning: str | None = None

    def read(self, typed: str) -> str:
        """Reads 11 digits."""
        found = identifiers.check_cnh(typed)
        self.warning = found.warning_pt
        return found.canonical


class RenavamField(TypedField):
    """A RENAVAM; its 11 digits."""

    mode = "numeric"

    def read(self, typed: str) -> str:
        """Reads 9 to 11 digits."""
        return identifiers.parse_renavam(typed)


class ChoiceField(SelectField):
    """One of several; "" until chosen."""

    def __init__(self, label: str = "", choices: Iterable[Choice] = (), *, wanted: str = "", **named: Any) -> None:
        validators = [Wanted(wanted)] if wanted else []
        offered = [SelectChoice("", "Escolha"), *(SelectChoice(choice.code, choice.label) for choice in choices)]
        self.codes = {each.value for each in offered}
        super().__init__(label, validators, choices=offered, validate_choice=False, **named)

    def pre_validate(self, form: Any) -> None:
        """Refuses a code that is not among the choices."""
        if self.data and self.data not in self.codes:
            raise StopValidation("Escolha uma das opções da lista.")


class YesNoField(RadioField):
    """Sim or Não; None until answered, so that an absent answer never reads as Não."""

    def __init__(self, label: str = "", *, wanted: str = "", **named: Any) -> None:
        self.wanted = wanted
        answers = [SelectChoice("sim", "Sim"), SelectChoice("nao", "Não")]
        super().__init__(label, choices=answers, validate_choice=False, **named)
        if wanted:
            self.flags.required = True

    def process_data(self, value: bool | None) -> None:
        """Takes True, False or None."""
        self.data = value

    def process_formdata(self, valuelist: list[Any]) -> None:
        """Reads ``sim`` or ``nao``."""
        self.data = {"sim": True, "nao": False}.get(str(valuelist[0]) if valuelist else "")
        if self.data is None and self.wanted:
            raise ValueError(self.wanted)

    def iter_choices(self) -> Any:
        """The two answers and which one stands."""
        for value, label in (("sim", "Sim"), ("nao", "Não")):
            yield value, label, self.data is (value == "sim"), {}

    def pre_validate(self, form: Any) -> None:
        """Nothing: any other text reads as unanswered."""
