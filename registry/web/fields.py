"""The base of every form, and every field from one place (those that read what is typed: :mod:`registry.web.typed`).

Field names are the names of the use case's arguments, so that :meth:`RegistryForm.take` finds the field of a refusal.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from uuid import uuid4

from flask_wtf import FlaskForm
from flask_wtf.file import FileField
from werkzeug.datastructures import MultiDict
from wtforms import BooleanField, Field, HiddenField, StringField, TextAreaField
from wtforms.validators import Length

from registry.domain.regime import FactField
from registry.services.errors import Existing, Refused
from registry.web.typed import (
    ChoiceField,
    CnhField,
    DateField,
    DocumentField,
    HourField,
    MoneyField,
    NumberField,
    PlateField,
    RateField,
    RenavamField,
    TypedField,
    Wanted,
    YearField,
    YesNoField,
)

USE = "usar"
"""Name of the button that takes a field's suggestion: its value is ``<field>=<suggestion>``."""


class RegistryForm(FlaskForm):
    """The base of every form: a key that makes a double click one act, the version that the editor saw."""

    once_key = HiddenField(default=lambda: uuid4().hex)
    version = HiddenField()

    class Meta(FlaskForm.Meta):
        """Takes the suggestion of a field when its button was pressed."""

        locales = ("pt_BR",)

        def wrap_formdata(self, form: Any, formdata: Any) -> Any:
            """What was typed, with the pressed suggestion in the place of its field."""
            wrapped = super().wrap_formdata(form, formdata)
            if wrapped is None or USE not in wrapped:
                return wrapped
            name, _, value = str(wrapped[USE]).partition("=")
            mended = MultiDict(wrapped)
            mended[name] = value
            return mended

    def __init__(self, *args: Any, **named: Any) -> None:
        super().__init__(*args, **named)
        self.existing: dict[str, Existing] = {}
        self.message = ""
        self.to_confirm: frozenset[str] = frozenset()

    def validate(self, extra_validators: Any = None) -> bool:
        """Whether all fields are in order; marks the first one that is not, where the focus goes."""
        good = super().validate(extra_validators)
        self._mark_first()
        return good

    def check(self, name: str) -> bool:
        """Whether one field is in order, while the rest is still being typed."""
        good = bool(self[name].validate(self))
        self._mark_first()
        return good

    def take(self, refused: Refused) -> None:
        """Puts the sentences of a refusal beside their fields; those without a field go on top."""
        loose = [refused.message] if refused.message else []
        for name, sentence in refused.fields.items():
            field = self._fields.get(name)
            if field is None:
                loose.append(sentence)
                continue
            field.errors = [*field.errors, sentence]
            if name in refused.suggestions:
                field.suggestion = refused.suggestions[name]
        self.message = " ".join(loose)
        self.existing = refused.existing
        self.to_confirm = refused.confirm
        self._mark_first()

    @property
    def faults(self) -> list[tuple[Field, str]]:
        """Each field with its first error, in the order of the form."""
        return [(field, str(field.errors[0])) for field in self if field.errors]

    @property
    def saw_version(self) -> int:
        """The version that the editor saw; 0 where the form carries none."""
        typed = str(self.version.data or "")
        return int(typed) if typed.isascii() and typed.isdecimal() and len(typed) < 10 else 0

    def _mark_first(self) -> None:
        bad = [field for field in self if field.errors]
        for field in bad:
            field.first_fault = field is bad[0]


def field_for(fact: FactField) -> Any:
    """The form field (unbound) that asks for a fact of a regime's own."""
    wanted = f"Informe: {fact.label[0].lower()}{fact.label[1:]}." if fact.required else ""
    makers: dict[str, Callable[[], Any]] = {
        "text": lambda: StringField(
            fact.label, [Length(max=400), *([Wanted(wanted)] if wanted else [])], description=fact.help
        ),
        "integer": lambda: NumberField(fact.label, wanted=wanted, description=fact.help),
        "money": lambda: MoneyField(fact.label, wanted=wanted, description=fact.help),
        "decimal": lambda: RateField(fact.label, places=6, wanted=wanted, description=fact.help),
        "flag": lambda: YesNoField(fact.label, wanted=wanted, description=fact.help),
        "date": lambda: DateField(fact.label, wanted=wanted, description=fact.help),
        "choice": lambda: ChoiceField(fact.label, fact.choices, wanted=wanted, description=fact.help),
    }
    return makers[fact.kind]()


__all__ = [
    "BooleanField",
    "ChoiceField",
    "CnhField",
    "DateField",
    "DocumentField",
    "FileField",
    "HourField",
    "MoneyField",
    "NumberField",
    "PlateField",
    "RateField",
    "RegistryForm",
    "RenavamField",
    "StringField",
    "TextAreaField",
    "TypedField",
    "Wanted",
    "YearField",
    "YesNoField",
    "field_for",
]
