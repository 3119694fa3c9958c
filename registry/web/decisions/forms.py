"""The form of a decision: a result that nothing presets, and a text for each."""

from __future__ import annotations

from typing import Literal

from wtforms.validators import Length

from registry.web.fields import RegistryForm, StringField, TextAreaField

Choice = Literal["deferido", "indeferido", "devolver"]
LABELS: dict[Choice, str] = {"deferido": "Deferir", "indeferido": "Indeferir", "devolver": "Devolver à análise"}
_LONG = Length(max=8000, message="Use no máximo 8.000 letras.")


class DecisionForm(RegistryForm):
    """What the office decides. The text of the chosen result counts, the others are kept meanwhile."""

    result = StringField("O que decidir")
    text_deferido = TextAreaField("Texto do deferimento", [_LONG])
    text_indeferido = TextAreaField("Motivo do indeferimento", [_LONG])
    text_devolver = TextAreaField("O que falta esclarecer", [Length(max=4000, message="Use no máximo 4.000 letras.")])

    @property
    def text(self) -> str:
        """The text of the chosen result."""
        return str(self[f"text_{self.result.data}"].data or "")

    def check_choice(self, grantable: bool) -> bool:
        """Whether a result was chosen that can be, with its text; marks the field that is wrong."""
        good = self.validate()
        if self.result.data not in LABELS:
            self._fault("result", "Escolha: deferir, indeferir ou devolver.")
        elif self.result.data == "deferido" and not grantable:
            self._fault("result", "Ainda não dá para deferir. Resolva antes o que está na lista.")
        elif self.result.data == "indeferido" and not self.text.strip():
            self._fault("text_indeferido", "Escreva o motivo. Ele vai para o processo.")
        elif self.result.data == "devolver" and not self.text.strip():
            self._fault("text_devolver", "Escreva o que falta esclarecer. Quem analisa lê este texto.")
        else:
            return good
        self._mark_first()
        return False

    def _fault(self, name: str, sentence: str) -> None:
        self[name].errors = [*self[name].errors, sentence]
