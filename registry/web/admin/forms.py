"""The forms of the administration."""

from __future__ import annotations

from collections.abc import Iterable

from wtforms import SelectMultipleField
from wtforms.fields.choices import SelectChoice  # type: ignore[attr-defined]
from wtforms.validators import Length

from registry.domain.regime import Choice
from registry.web.fields import BooleanField, ChoiceField, DateField, RegistryForm, StringField, Wanted

_ROLES = "Escolha ao menos um perfil."
_UNTICKED = (False, "false", "", "nao")


class RolesForm(RegistryForm):
    """What a user may be."""

    roles = SelectMultipleField("Perfis", [Wanted(_ROLES)], validate_choice=False)


class NewUserForm(RegistryForm):
    """A user to be invited."""

    name = StringField("Nome", [Wanted("Escreva o nome.")])
    username = StringField(
        "Usuário",
        [Wanted("Digite o usuário.")],
        description="Letras minúsculas sem acento, números, ponto, traço ou sublinhado.",
    )
    roles = SelectMultipleField("Perfis", [Wanted(_ROLES)], validate_choice=False)


class AppointForm(RegistryForm):
    """An office, from a day until a day, by act. ``place`` is regime and office, as ``táxi:diretor``."""

    place = ChoiceField("Cargo", wanted="Escolha um cargo.")
    since = DateField("Desde", wanted="Digite o primeiro dia.")
    until = DateField("Até")
    act = StringField(
        "Ato", [Wanted("Escreva o ato que nomeia, como «Portaria 12/2026»."), Length(max=400, message="Encurte o ato.")]
    )
    substitute = BooleanField("Substituto", false_values=_UNTICKED)

    def offer(self, offices: Iterable[Choice]) -> None:
        """Offers these offices."""
        found = tuple(offices)
        self.place.choices = [SelectChoice("", "Escolha"), *(SelectChoice(each.code, each.label) for each in found)]
        self.place.codes = {"", *(each.code for each in found)}


class EndForm(RegistryForm):
    """The last day of an appointment."""

    until = DateField("Último dia", wanted="Digite o último dia.")
