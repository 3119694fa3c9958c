"""The forms of the importer: the file, what the clerk decides about it, why it is undone."""

from __future__ import annotations

from collections.abc import Iterable

from flask import request
from wtforms import SelectMultipleField
from wtforms.validators import Length

from registry.domain.imports.kinds import KINDS
from registry.domain.regime import Choice, Regime
from registry.services.imports import Choices
from registry.web.fields import ChoiceField, FileField, RegistryForm, StringField, TextAreaField, Wanted
from registry.web.requests.forms import offer

EXISTING = (
    Choice("ask", "Parar e perguntar"),
    Choice("keep", "Manter o cadastro"),
    Choice("replace", "Usar o arquivo"),
)
_LONG = Length(max=400, message="Use no máximo 400 letras.")


class FileForm(RegistryForm):
    """A file and what it lists."""

    what = ChoiceField("O que o arquivo traz", (), wanted="Escolha o que o arquivo traz.")
    file = FileField("Arquivo", [Wanted("Escolha o arquivo.")], description="CSV ou planilha XLSX.")

    def offer(self, regimes: Iterable[Regime]) -> None:
        """Offers each kind of file, those of a regime's permits once for each regime."""
        known = list(regimes)
        per_regime = [
            Choice(f"{kind.code}:{each.code}", f"{kind.label}: {each.short_label}")
            for kind in KINDS.values()
            if kind.of_regime
            for each in known
        ]
        offer(self.what, [*per_regime, *(Choice(f"{k.code}:", k.label) for k in KINDS.values() if not k.of_regime)])


class ChoicesForm(RegistryForm):
    """What the clerk decides: profile and sheet, lines left out, texts read as others, doubtful cells, what holds."""

    profile = StringField("Perfil")
    sheet = StringField("Aba da planilha", [_LONG])
    skip = StringField("Linhas que ficam de fora", [_LONG], description="Números com espaço entre eles, como 9 12.")
    holds = ChoiceField("Onde o cadastro difere do arquivo", EXISTING)
    confirm = SelectMultipleField("Valores duvidosos", validate_choice=False)
    maps = SelectMultipleField("Textos lidos como outros", validate_choice=False)

    def chosen(self) -> Choices | None:
        """The choices as typed; None with the fault beside ``skip`` where it holds anything but numbers."""
        lines = str(self.skip.data or "").replace(",", " ").replace(";", " ").split()
        if not all(each.isascii() and each.isdecimal() and len(each) < 8 for each in lines):
            self.skip.errors = ["Digite só números de linha, como 9 12."]
            self._mark_first()
            return None
        pairs = [str(each).split("\t") for each in self.maps.data or []]
        return Choices(
            profile=str(self.profile.data or "").strip(),
            skip=tuple(sorted({int(each) for each in lines})),
            maps=tuple((each[0], each[1], each[2]) for each in pairs if len(each) == 3),
            existing=self.holds.data if self.holds.data in ("keep", "replace") else "ask",
            confirm=tuple(str(each) for each in self.confirm.data or []),
            sheet=str(self.sheet.data or "").strip(),
        )


class UndoForm(RegistryForm):
    """Why an import is undone."""

    reason = TextAreaField("Motivo", [Wanted("Escreva por que a importação é desfeita."), _LONG])


def choices_form(chosen: Choices) -> ChoicesForm:
    """The form as the run's choices stand; what was typed where it was sent."""
    if request.method == "POST":
        return ChoicesForm()
    return ChoicesForm(
        formdata=None,
        profile=chosen.profile,
        sheet=chosen.sheet,
        skip=" ".join(map(str, chosen.skip)),
        holds=chosen.existing,
        confirm=list(chosen.confirm),
        maps=["\t".join(each) for each in chosen.maps],
    )
