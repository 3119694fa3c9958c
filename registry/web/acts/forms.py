"""The forms of an act: entered, put right, ended."""

from __future__ import annotations

from wtforms.validators import Length

from registry.domain.acts import ACT_KINDS
from registry.domain.regime import Choice
from registry.web.fields import ChoiceField, DateField, FileField, RegistryForm, StringField, TextAreaField, Wanted

_LONG = Length(max=400, message="Use no máximo 400 letras.")
_KINDS = tuple(Choice(code, label) for code, label in ACT_KINDS.items())


class ActForm(RegistryForm):
    """An act and its file."""

    kind = ChoiceField("Tipo", _KINDS, wanted="Escolha o tipo do ato.", description="De outro órgão: «Outro».")
    number = StringField(
        "Número",
        [Wanted("Digite o número do ato, como 112/2026."), Length(max=64, message="Use no máximo 64 letras.")],
        description="Como 112/2026; de «Outro», o nome inteiro.",
    )
    day = DateField("Data do ato", wanted="Digite a data do ato.", description="Como 27/11/2026.")
    gazette = StringField("Publicação", [_LONG], description="Onde saiu, como: Diário Oficial de 28/11/2026, página 4.")
    summary = TextAreaField("Resumo", [_LONG], description="O que o ato faz, em uma frase.")
    file = FileField("Arquivo do ato", description="Só PDF.")


class CorrectForm(ActForm):
    """The right act in the place of a wrong one."""

    reason = StringField("Motivo da correção", [Wanted("Escreva o motivo. Ele fica junto do ato."), _LONG])


class EndForm(RegistryForm):
    """The end of an act that does not exist."""

    reason = StringField("Motivo", [Wanted("Escreva o motivo. Ele fica junto do ato."), _LONG])
