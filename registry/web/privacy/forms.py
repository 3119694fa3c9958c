"""The form that ends a person's data."""

from __future__ import annotations

from wtforms.validators import InputRequired, Length

from registry.web.fields import BooleanField, RegistryForm, StringField, Wanted


class AnonymiseForm(RegistryForm):
    """Why, and that the clerk knows that it cannot be undone."""

    reason = StringField(
        "Motivo",
        [Wanted("Escreva o motivo."), Length(max=400, message="Use no máximo 400 letras.")],
        description="Fica na auditoria. Não escreva o nome nem o CPF da pessoa.",
    )
    sure = BooleanField(
        "Sei que não tem volta", [InputRequired("Marque que sabe: o que se apaga não volta.")], false_values=("", "nao")
    )
