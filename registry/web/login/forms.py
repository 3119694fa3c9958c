"""The forms of the log-in and of a link by which one chooses a password."""

from __future__ import annotations

from wtforms import HiddenField, PasswordField, StringField, ValidationError

from registry.services.users import PASSWORD_RULE
from registry.web.fields import RegistryForm, Wanted


class LogInForm(RegistryForm):
    """User and password; where to return; the sealed draft of a form whose session ended."""

    username = StringField("Usuário", [Wanted("Digite seu usuário.")])
    password = PasswordField("Senha", [Wanted("Digite sua senha.")])
    back = HiddenField()
    draft = HiddenField()


class ChooseForm(RegistryForm):
    """The password that the invited chooses, twice."""

    password = PasswordField("Sua senha", [Wanted("Digite a senha.")], description=PASSWORD_RULE)
    again = PasswordField("A senha outra vez", [Wanted("Digite a senha outra vez.")])

    def validate_again(self, field: PasswordField) -> None:
        """The two are equal. Raises ValidationError."""
        if self.password.data and field.data != self.password.data:
            raise ValidationError("As duas senhas são diferentes. Digite de novo.")
