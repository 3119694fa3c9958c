"""The forms of a person: one for entering, one for each section that is saved alone, one for members."""

from __future__ import annotations

from typing import Any

from wtforms.validators import Length

from registry.domain.regime import Choice
from registry.web.fields import (
    BooleanField,
    ChoiceField,
    CnhField,
    DateField,
    DocumentField,
    NumberField,
    RegistryForm,
    StringField,
    Wanted,
)

ORGANISATIONS = (Choice("company", "Empresa"), Choice("cooperative", "Cooperativa"))
SEXES = (Choice("F", "Feminino"), Choice("M", "Masculino"))
_UNTICKED = (False, "false", "", "nao")


class IdentityForm(RegistryForm):
    """Who it is. A company has neither birth, nationality nor sex: see :meth:`suit`."""

    document = DocumentField("CPF ou CNPJ", wanted="Digite o CPF ou o CNPJ.")
    name = StringField("Nome", [Wanted("Digite o nome.")])
    born_on = DateField("Data de nascimento")
    nationality = StringField("Nacionalidade", [Length(max=64, message="Use no máximo 64 letras.")])
    sex = ChoiceField("Sexo", SEXES)

    def suit(self, kind: str) -> None:
        """Takes away what this kind of person does not have, and names the rest after it."""
        if kind == "natural":
            self.document.label.text = "CPF"
            return
        self.document.label.text = "CNPJ"
        self.name.label.text = "Razão social"
        for name in ("born_on", "nationality", "sex", "cnh", "cnh_confirmed"):
            if name in self:
                del self[name]


class CnhForm(RegistryForm):
    """The driver's licence; ``cnh_confirmed`` vouches for a number whose sum fails."""

    cnh = CnhField("CNH", description="Número de registro, com 11 números.")
    cnh_confirmed = BooleanField("Confirmo que está igual ao documento", false_values=_UNTICKED)


class ContactForm(RegistryForm):
    """Where to find the person."""

    phone = StringField("Telefone")
    email = StringField("E-mail")
    address = StringField("Endereço")


class NewPersonForm(IdentityForm, CnhForm, ContactForm):
    """A person to be entered: the number first, from which its kind follows."""

    kind = ChoiceField("Tipo", ORGANISATIONS, wanted="Escolha: empresa ou cooperativa.")

    def suit(self, kind: str) -> None:
        """As for a section; a natural person is not asked for its kind."""
        if kind == "natural":
            del self["kind"]
        super().suit(kind)
        self.document.label.text = "CPF ou CNPJ"


class MemberForm(RegistryForm):
    """A member of a cooperative, by CPF."""

    document = DocumentField("CPF do cooperado", accepts="cpf", wanted="Digite o CPF.")
    since = DateField("Cooperado desde", wanted="Digite a data.")


class LeaveForm(RegistryForm):
    """The end of a membership."""

    until = DateField("Último dia na cooperativa", wanted="Digite a data.")


SECTIONS: dict[str, tuple[str, type[RegistryForm]]] = {
    "identificacao": ("Identificação", IdentityForm),
    "cnh": ("CNH", CnhForm),
    "contato": ("Contato", ContactForm),
}
"""The parts of a person's record that are saved one at a time: title and form by their name in the address."""


def values_of(form: RegistryForm) -> dict[str, Any]:
    """What was typed, as the use case takes it: an empty text is "", an absent day or number None."""
    aside = {"once_key", "version", "csrf_token"}
    return {
        field.name: field.data if isinstance(field, DateField | NumberField | BooleanField) else field.data or ""
        for field in form
        if field.name not in aside
    }
