"""The forms that end a permit and take a vehicle off it."""

from __future__ import annotations

from wtforms.validators import Length

from registry.web.fields import DateField, RegistryForm, StringField, TextAreaField, Wanted

_LONG = [Length(max=400, message="Use no máximo 400 letras.")]


class EndForm(RegistryForm):
    """The end of a permit by act."""

    on = DateField("Primeiro dia sem efeito", wanted="Digite a data.")
    reason = TextAreaField("Motivo", [Wanted("Escreva o motivo. Ele vai para o processo."), *_LONG])
    act = StringField("Ato", _LONG, description="Como «Portaria 112/2026».")


class RemovalForm(RegistryForm):
    """The baixa of a vehicle by act."""

    on = DateField("Primeiro dia fora da outorga", wanted="Digite a data.", description="No máximo hoje.")
    reason = TextAreaField("Motivo", [Wanted("Escreva o motivo. Ele vai para o processo."), *_LONG])
    act = StringField("Ato", _LONG, description="Como «Portaria 112/2026».")
