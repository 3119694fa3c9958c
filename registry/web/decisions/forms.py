"""The form of a decision: one result, and the text that goes with it."""

from __future__ import annotations

from typing import Literal

from registry.web.fields import RegistryForm, StringField, TextAreaField

Choice = Literal["deferido", "indeferido", "devolver"]
LABELS: dict[Choice, str] = {"deferido": "Deferir", "indeferido": "Indeferir", "devolver": "Devolver à análise"}
_TEXTS: dict[str, str] = {
    "deferido": "Texto do deferimento",
    "indeferido": "Motivo do indeferimento",
    "devolver": "O que falta esclarecer",
}
_EMPTY: dict[str, str] = {
    "indeferido": "Escreva o motivo. Ele vai para o processo.",
    "devolver": "Escreva o que falta esclarecer. Quem analisa lê este texto.",
}


class DecisionForm(RegistryForm):
    """What the office decides: the result that was chosen, and its text."""

    result = StringField("O que decidir")
    text = TextAreaField("Texto")
    act = StringField("Ato que decide", description="Como «Despacho 45/2026». Fica no fim do texto.")

    @property
    def chosen(self) -> str:
        """The result, where it is one; "" for anything else."""
        return str(self.result.data) if self.result.data in LABELS else ""

    def call_text(self) -> None:
        """Names the text after the result that was chosen."""
        self.text.label.text = _TEXTS.get(self.chosen, self.text.label.text)

    def complete(self) -> bool:
        """Whether the chosen result has the text that it needs; marks the field that is wrong."""
        good = self.validate()
        wanted = _EMPTY.get(self.chosen, "")
        if not wanted or str(self.text.data or "").strip():
            return good
        self.text.errors = [*self.text.errors, wanted]
        self._mark_first()
        return False
