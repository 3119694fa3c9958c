"""The forms of the periods in which an act sets the band."""

from __future__ import annotations

from collections.abc import Iterable

from registry.api.law import Choice
from registry.api.screens import ChoiceField, DateField, HourField, Length, RegistryForm, StringField, Wanted

_LONG = Length(max=400, message="Use no máximo 400 letras.")


class PeriodForm(RegistryForm):
    """A period; :func:`period_form` adds what depends on the authority's tables: regime, band, service."""

    start_day = DateField("Começa no dia", wanted="Digite o dia em que começa.")
    start_hour = HourField("Hora do começo", wanted="Digite a hora em que começa, como 18:00.")
    end_day = DateField("Termina no dia", wanted="Digite o dia em que termina.")
    end_hour = HourField("Hora do fim", wanted="Digite a hora em que termina, como 06:00.")
    act = StringField("Ato", [Wanted("Escreva o ato que fixa a bandeira, como «Portaria 112/2026»."), _LONG])


class AnnulForm(RegistryForm):
    """Takes a period back."""

    reason = StringField("Motivo", [Wanted("Escreva o motivo. Ele fica junto do período."), _LONG])


def period_form(
    regimes: Iterable[tuple[str, str]], bands: Iterable[int], services: Iterable[tuple[str, str]]
) -> type[PeriodForm]:
    """The form for these regimes, bands and services (codes and labels); a single regime is not asked for."""
    offered = [Choice(code, label) for code, label in regimes]
    several = {"regime": ChoiceField("Serviço", offered, wanted="Escolha o serviço.")} if len(offered) > 1 else {}
    numbers = [Choice(str(band), f"Bandeira {band}") for band in bands]
    kinds = [Choice("todos", "Todos os táxis"), *(Choice(code, label) for code, label in services)]
    fields = several | {
        "band": ChoiceField("Bandeira", numbers, wanted="Escolha a bandeira."),
        "service": ChoiceField("Vale para", kinds, wanted="Escolha para que táxis vale."),
    }
    return type("PeriodForm", (PeriodForm,), fields)
