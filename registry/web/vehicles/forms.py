"""The forms of a vehicle: one for entering, one for each section that is saved alone; bars begun and ended."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from wtforms.validators import Length

from registry.domain.regime import Choice, Regime
from registry.services.restrictions import KIND_LABELS
from registry.web.fields import (
    ChoiceField,
    DateField,
    NumberField,
    PlateField,
    RegistryForm,
    RenavamField,
    StringField,
    TextAreaField,
    Wanted,
    YearField,
)

_SHORT = [Length(max=64, message="Use no máximo 64 letras.")]
_LONG = [Length(max=400, message="Use no máximo 400 letras.")]
NO_REASON = "Escreva o motivo. Ele vai para o processo."


class PlateForm(RegistryForm):
    """The numbers of a vehicle."""

    plate = PlateField("Placa", wanted="Digite a placa.")
    renavam = RenavamField("RENAVAM")


class DescriptionForm(RegistryForm):
    """What the vehicle is."""

    type = ChoiceField("Tipo")
    make = StringField("Marca", _SHORT)
    model = StringField("Modelo", _SHORT)
    year_made = YearField("Ano de fabricação")
    first_registered_on = DateField("Primeiro registro")
    doors = NumberField("Portas", least=1, most=20)
    seats = NumberField("Lugares, com o do motorista", least=1, most=200)
    colour = StringField("Cor", _SHORT)
    fuel = StringField("Combustível", _SHORT)


class VehicleForm(PlateForm, DescriptionForm):
    """A vehicle to be entered, or the fields chosen of two descriptions."""


SECTIONS: dict[str, tuple[str, type[RegistryForm]]] = {
    "placa": ("Placa e RENAVAM", PlateForm),
    "descricao": ("Descrição", DescriptionForm),
}
"""The parts of a vehicle's record that are saved one at a time: title and form by their name in the address."""


class RestrictionForm(RegistryForm):
    """A bar on a vehicle or permit, from a day until a day, both included."""

    regime = ChoiceField("Serviço", wanted="Escolha o serviço.")
    kind = ChoiceField(
        "Restrição",
        [Choice(code, label) for code, label in KIND_LABELS.items()],
        wanted="Escolha o tipo da restrição.",
    )
    since = DateField("Primeiro dia", wanted="Digite a data.")
    until = DateField("Último dia", description="Em branco: vale até ser encerrada.")
    reason = TextAreaField("Motivo", [Wanted(NO_REASON), *_LONG])
    act = StringField("Ato", _LONG, description="Como «Portaria 112/2026».")


class LiftForm(RegistryForm):
    """The end of a bar."""

    last_day = DateField("Último dia em que vale", wanted="Digite a data.")
    reason = TextAreaField("Motivo", [Wanted(NO_REASON), *_LONG])


class VoidForm(RegistryForm):
    """A bar that was recorded by mistake."""

    reason = TextAreaField("Motivo", [Wanted(NO_REASON), *_LONG])


def offer(field: Any, choices: Iterable[Choice]) -> None:
    """Gives a choice field its choices, which depend on the authority."""
    pairs = [("", "Escolha")] + [(choice.code, choice.label) for choice in choices]
    field.choices = pairs
    field.codes = {code for code, _ in pairs}


def types_of(regimes: Iterable[Regime]) -> list[Choice]:
    """The vehicle types of these regimes, each once."""
    return list({choice.code: choice for regime in regimes for choice in regime.vehicle_types}.values())
