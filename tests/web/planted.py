"""A plugin's screens made for tests: a form, each refusal that a use case knows, a crash."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from types import SimpleNamespace
from typing import Any

from flask import Blueprint, Response
from wtforms import StringField

from registry.plugins import PluginHost, RuleFailed, Supplied
from registry.services.errors import AlreadyDone, NotAllowed, NotFound, Refused, RuleDown, Stale, StaleField, Taken
from registry.web import htmx
from registry.web.access import access
from registry.web.edge import now, occasion
from registry.web.fields import (
    ChoiceField,
    CnhField,
    DateField,
    DocumentField,
    HourField,
    MoneyField,
    NumberField,
    PlateField,
    RateField,
    RegistryForm,
    Wanted,
    YesNoField,
)
from registry.web.shell import MenuEntry

PAGE = """{% extends "layout/staff.html" %}{% block title %}Plantado{% endblock %}{% block main %}<h1>Plantado</h1>
<div id="parte">{% include "planted/_form.html" %}</div>{% endblock %}"""
FORM = """{% import "components/form.html" as forms %}{% call forms.open(form, "/plantado/form") %}
{{ forms.summary(form) }}
{% for f in form if f.name not in ("csrf_token", "once_key", "version") %}
{{ forms.field(f, to_confirm=form.to_confirm) }}{% endfor %}
{{ forms.submit("Gravar teste") }}{% endcall %}"""


class PlantedForm(RegistryForm):
    """One field of each kind."""

    name = StringField("Nome", [Wanted("Digite o nome.")])
    plate = PlateField("Placa", wanted="Digite a placa.")
    document = DocumentField("CPF ou CNPJ")
    cnh = CnhField("CNH")
    amount = MoneyField("Valor")
    rate = RateField("Índice")
    seats = NumberField("Lugares", least=1, most=90)
    day = DateField("Dia")
    hour = HourField("Hora")
    owner = YesNoField("É o dono?")
    colour = ChoiceField("Cor", (SimpleNamespace(code="azul", label="Azul"),))


def blueprint(seen: dict[str, Any]) -> Blueprint:
    """The planted screens; what a form brought is put into ``seen``."""
    made = Blueprint("planted", __name__, url_prefix="/plantado")

    @made.get("/form")
    @access("people.edit")
    def form() -> Response:
        return htmx.render("planted/page.html", "planted/_form.html", form=PlantedForm())

    @made.post("/form")
    @access("people.edit")
    def save() -> Response:
        typed = PlantedForm()
        if not typed.validate():
            return htmx.render("planted/page.html", "planted/_form.html", status=422, form=typed)
        seen["data"] = typed.data
        seen["occasion"] = occasion()
        return htmx.go("/plantado/form")

    @made.post("/recusa/<kind>")
    @access("people.edit")
    def refuse(kind: str) -> Response:
        raise {
            "stale": Stale(
                (
                    StaleField("day", "Dia", date(2026, 1, 2), date(2026, 1, 3), date(2026, 1, 4)),
                    StaleField("amount", "Valor", Decimal("1.00"), Decimal("2.00"), None),
                ),
                "Jonas Prado",
                now(),
                7,
            ),
            "same": Stale((), "Jonas Prado", now(), 7),
            "refused": Refused({"name": "O nome falta."}),
            "allowed": NotAllowed("Só a Diretoria decide este requerimento."),
            "missing": NotFound(),
            "down": RuleDown("fretamento", "algum_plugin", "7F3A"),
            "plugin": RuleFailed("algum_plugin", "registry_rules"),
            "done": AlreadyDone(3, "Rita", now()),
            "taken": Taken("Jonas", now(), "há 1 minuto"),
            "crash": ZeroDivisionError("segredo 123.456.789-09"),
        }[kind]

    return made


class PlantedHost:
    """The real host with planted screens and menu entries besides the plugins' own."""

    def __init__(self, host: PluginHost, screens: list[Blueprint], entries: tuple[MenuEntry, ...] = ()) -> None:
        self._host = host
        self._more = {"registry_blueprints": screens, "registry_menu": entries}

    def __getattr__(self, name: str) -> Any:
        return getattr(self._host, name)

    def collect(self, hook: str, /, **arguments: Any) -> list[Supplied]:
        """The plugins' answers, and the planted ones."""
        more = [Supplied("planted", self._more[hook])] if self._more.get(hook) else []
        return [*self._host.collect(hook, **arguments), *more]
