"""The forms of the set-up."""

from __future__ import annotations

from collections.abc import Iterable

from wtforms import SelectMultipleField
from wtforms.fields.choices import SelectChoice  # type: ignore[attr-defined]
from wtforms.validators import Length

from registry.services.setup import LABELS
from registry.web.fields import BooleanField, ChoiceField, RegistryForm, StringField, Wanted, YearField

_UNTICKED = (False, "false", "", "nao")
_LONG = Length(max=200, message="Use no máximo 200 letras.")


class AuthorityForm(RegistryForm):
    """What the authority is."""

    name = StringField(LABELS["name"], [Wanted("Escreva o nome do órgão."), _LONG], description="Como nos papéis.")
    short_name = StringField(LABELS["short_name"], [_LONG], description="Onde há pouco lugar. Vazio = o nome.")
    zone = ChoiceField(LABELS["zone"], wanted="Escolha o fuso horário.")
    phone = StringField(LABELS["phone"], [_LONG], description="O público lê.")
    address = StringField(LABELS["address"], [_LONG], description="O público lê.")

    def offer(self, zones: Iterable[str]) -> None:
        """Offers these zones."""
        found = tuple(zones)
        self.zone.choices = [
            SelectChoice("", "Escolha"),
            *(SelectChoice(each, each.replace("_", " ")) for each in found),
        ]
        self.zone.codes = {"", *found}


class DayForm(RegistryForm):
    """A day of the authority's own, which comes back every year."""

    day = StringField("Dia", [Wanted("Digite o dia, como 24/06.")], description="Como 24/06, ou Páscoa-2.")
    name = StringField("Nome", [Wanted("Escreva o nome do dia."), _LONG])
    from_year = YearField("Desde o ano", description="Vazio = sempre foi.")
    optional = BooleanField("Ponto facultativo (o prazo conta este dia)", false_values=_UNTICKED)


class EndDayForm(RegistryForm):
    """The last year of a day."""

    until_year = YearField("Último ano", wanted="Digite o último ano.")


class RegimesForm(RegistryForm):
    """What the authority administers."""

    regimes = SelectMultipleField("Regimes", [Wanted("Escolha ao menos um regime.")], validate_choice=False)
