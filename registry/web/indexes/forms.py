"""The forms of an index value, made for the places that it has, and of a closed day."""

from __future__ import annotations

from functools import cache

from wtforms.validators import Length

from registry.web.fields import BooleanField, DateField, RateField, RegistryForm, StringField, Wanted

CLOSING_ACT = "Escreva o ato, como «Portaria 38/2026»."
_UNTICKED = (False, "false", "", "nao")
_LONG = Length(max=400, message="Use no máximo 400 letras.")


class ValueForm(RegistryForm):
    """A value from a day on, by act; ``since_confirmed`` vouches for a first day that is past or has a value."""

    value = RateField("Valor", wanted="Digite o valor.")
    since = DateField("Vale a partir de", wanted="Digite o primeiro dia.", description="Como 01/12/2026.")
    act = StringField("Ato", [Wanted("Escreva o ato que fixa o valor, como «Portaria 112/2026»."), _LONG])
    since_confirmed = BooleanField("Confirmo que conferi o que muda", false_values=_UNTICKED)


@cache
def value_form(places: int) -> type[ValueForm]:
    """The form of a value with at most so many decimal places."""
    hint = "Só números inteiros." if places == 0 else f"Até {places} casas, como 5,1374."
    field = RateField("Valor", places=places, wanted="Digite o valor.", description=hint)
    return type("ValueForm", (ValueForm,), {"value": field})


class ClosureForm(RegistryForm):
    """A day on which the authority does not open."""

    day = DateField("Dia", wanted="Digite o dia.")
    name = StringField("Por que não abre", [Wanted("Escreva por que o órgão não abre."), _LONG])
    act = StringField("Ato", [Wanted(CLOSING_ACT), _LONG])
