"""The log-in form."""

from __future__ import annotations

from wtforms import HiddenField, PasswordField, StringField

from registry.web.fields import RegistryForm, Wanted


class LogInForm(RegistryForm):
    """User and password; where to return; the sealed draft of a form whose session ended."""

    username = StringField("Usuário", [Wanted("Digite seu usuário.")])
    password = PasswordField("Senha", [Wanted("Digite sua senha.")])
    back = HiddenField()
    draft = HiddenField()
