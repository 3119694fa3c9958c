"""The forms of a request: its choice, its facts with the regime's own fields, reasons, papers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, cast

from wtforms.fields.choices import SelectChoice  # type: ignore[attr-defined]
from wtforms.validators import Length

from registry.domain.identifiers import canonical
from registry.domain.regime import Choice, FactField, Regime, RequestKind, Rule
from registry.services.facts import fields_for
from registry.services.request_view import RequestPage
from registry.web.edge import desk
from registry.web.fields import (
    ChoiceField,
    DateField,
    DocumentField,
    NumberField,
    PlateField,
    RegistryForm,
    TextAreaField,
    field_for,
)
from registry.web.why import cite

FACT = "fact_"
"""What the name of a regime's own field begins with, so that it never meets one of the core's."""
LINKS = {"document": "applicant_id", "cooperative_document": "cooperative_id", "plate": "vehicle_id"}
"""The fields that name a record, with the link that each gives."""
_SHORT = Length(max=400, message="Use no máximo 400 letras.")
_LONGEST = 4000


@dataclass(frozen=True)
class FactGroup:
    """The fields that one rule asks for: its title, the articles, the names of the form's fields."""

    title: str
    cites: str
    names: tuple[str, ...]


class NewForm(RegistryForm):
    """What is asked for: a regime's kind of request, ``<regime>:<kind>``."""

    what = ChoiceField("O que se pede", wanted="Escolha o que se pede.")

    def offer(self, regimes: Iterable[Regime]) -> None:
        """Offers the request kinds of these regimes; a single one is chosen."""
        choices = [
            Choice(f"{regime.code}:{kind.code}", f"{regime.short_label}: {kind.label}")
            for regime in regimes
            for kind in regime.request_kinds
        ]
        offer(self.what, choices)
        if len(choices) == 1 and not self.what.data:
            self.what.data = choices[0].code


class FillForm(RegistryForm):
    """The request: who asks, for which vehicle, and the regime's own facts (``fact_<name>``)."""

    holder_kind = ChoiceField("Tipo de requerente")
    category = ChoiceField("Categoria")
    document = DocumentField("CPF ou CNPJ do requerente")
    cooperative_document = DocumentField("CNPJ da cooperativa", accepts="cnpj")
    plate = PlateField("Placa do veículo")

    @property
    def facts(self) -> dict[str, Any]:
        """The regime's own facts that could be read, by their name in the regime; None = left empty."""
        return {name.removeprefix(FACT): self[name].data for name in self._fields if name.startswith(FACT)}

    @property
    def typed_facts(self) -> dict[str, str]:
        """The regime's own facts as typed."""
        return {
            name.removeprefix(FACT): str((self[name].raw_data or [""])[0])
            for name in self._fields
            if name.startswith(FACT)
        }


class TextForm(RegistryForm):
    """A text that goes into the process: an exigência, a referral, a proposal, a reason."""

    text = TextAreaField("Texto", [Length(max=_LONGEST, message=f"Use no máximo {_LONGEST} letras.")])


class ReasonForm(RegistryForm):
    """The reason of an act."""

    reason = TextAreaField("Motivo", [_SHORT])


class AnswerForm(RegistryForm):
    """How an open item ended."""

    outcome = ChoiceField("Resultado", wanted="Escolha o resultado.")
    note = TextAreaField("Observação", [_SHORT])


class PassForm(RegistryForm):
    """To whom a request goes; "0" gives it back to the queue."""

    to_user_id = ChoiceField("Passar para", wanted="Escolha para quem passar.")
    note = TextAreaField("Recado", [_SHORT])


class ReviewForm(RegistryForm):
    """The review of a paper."""

    expires_on = DateField("Vale até")
    copies = NumberField("Vias neste arquivo", least=1)
    reason = TextAreaField("Motivo ou ressalva")


class SendForm(RegistryForm):
    """The files of a document; they come under the name ``file``."""

    expires_on = DateField("Vale até")


def offer(field: ChoiceField, choices: Iterable[Choice]) -> None:
    """Makes a field offer these choices, and «Escolha» before them."""
    offered = list(choices)
    field.choices = [SelectChoice("", "Escolha"), *(SelectChoice(each.code, each.label) for each in offered)]
    field.codes = {each.code for each in offered} | {""}


def filled(page: RequestPage, *, strict: bool = False, formdata: Any = ...) -> FillForm:
    """The form of a request as it is stored, or as it was sent.

    Args:
        page: the request.
        strict: whether the regime's required facts may not be left empty (before filing, and after it).
        formdata: what was sent; left out = this request's own form when it is a POST.
    """
    named: dict[str, Any] = {} if formdata is ... else {"formdata": formdata}
    probe = FillForm(data=_stored(page), **named)
    regime = desk().regime(page.regime)
    kind = regime.request_kind(page.kind)
    chosen = str(probe.holder_kind.data or "") if page.movable else page.holder_kind
    facts = fields_for(kind.fields, chosen)
    made = type("RequestForm", (FillForm,), {f"{FACT}{each.name}": _field(each, strict) for each in facts})
    form = cast(FillForm, made(data=_stored(page), **named))
    _offer(form, regime, kind)
    _leave_out(form, page, regime, kind, chosen)
    return form


def fact_groups(page: RequestPage, rules: Iterable[Rule], form: FillForm) -> tuple[FactGroup, ...]:
    """The regime's own fields, those of one rule's question together under the rule's title."""
    regime = desk().regime(page.regime)
    titles = {rule.question.name: rule.title for rule in rules}
    kinds = {each.name: each for each in regime.request_kind(page.kind).fields}
    found: dict[str, list[FactField]] = {}
    for name in form._fields:
        if name.startswith(FACT):
            fact = kinds[name.removeprefix(FACT)]
            found.setdefault(titles.get(_question(regime.plugin, fact), ""), []).append(fact)
    return tuple(
        FactGroup(title or "Outros dados", _cites(regime.plugin, facts), tuple(f"{FACT}{each.name}" for each in facts))
        for title, facts in found.items()
    )


def _field(fact: FactField, strict: bool) -> Any:
    return field_for(fact if strict else replace(fact, required=False))


def _question(plugin: str, fact: FactField) -> str:
    try:
        return str(desk().host.plugins[plugin].lawbook.provision(fact.provision).question)
    except KeyError:
        return ""


def _cites(plugin: str, facts: Iterable[FactField]) -> str:
    return "; ".join(dict.fromkeys(cite(plugin, each.provision) for each in facts if each.provision))


def _stored(page: RequestPage) -> dict[str, Any]:
    stored = {f"{FACT}{line.field.name}": line.value for line in page.fields}
    return stored | {
        "version": str(page.version),
        "holder_kind": page.holder_kind,
        "category": page.category,
        "document": canonical(page.applicant.document) if page.applicant else None,
        "cooperative_document": canonical(page.cooperative.document) if page.cooperative else None,
        "plate": page.vehicle.plate if page.vehicle else None,
    }


def _offer(form: FillForm, regime: Regime, kind: RequestKind) -> None:
    holders = [regime.holder_kind(code) for code in kind.holder_kinds]
    offer(form.holder_kind, [Choice(each.code, each.label) for each in holders])
    offer(form.category, regime.categories)


def _leave_out(form: FillForm, page: RequestPage, regime: Regime, kind: RequestKind, chosen: str) -> None:
    """Takes away what this request does not ask: links once it is filed, the cooperative where none is needed."""
    needs = [each.code for each in regime.holder_kinds if each.needs_cooperative]
    gone = [] if chosen in needs else ["cooperative_document"]
    gone += [] if len(regime.categories) > 1 else ["category"]
    gone += [] if kind.needs_vehicle else ["plate"]
    if not page.movable:
        gone = ["holder_kind", "category", "document", "cooperative_document", "plate"]
    for name in dict.fromkeys(gone):
        del form[name]
