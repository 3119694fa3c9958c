"""Debts from before the registry entered, and charges annulled, each with its reason."""

from __future__ import annotations

from flask import Response, abort, flash, request, url_for
from werkzeug.datastructures import MultiDict
from wtforms.validators import Length

from registry.domain.regime import Choice
from registry.domain.text import format_money
from registry.services import charges, legacy_debts
from registry.services.errors import AlreadyDone, Refused
from registry.services.legacy_debts import KINDS, DebtInput
from registry.services.people import find_by_document
from registry.web import htmx
from registry.web.access import access
from registry.web.edge import authority, desk, perform, session, today
from registry.web.errors import done_text
from registry.web.fields import (
    ChoiceField,
    DateField,
    DocumentField,
    MoneyField,
    RegistryForm,
    StringField,
    TextAreaField,
    Wanted,
)
from registry.web.treasury.blueprint import blueprint
from registry.web.treasury.forms import REASON
from registry.web.vehicles.forms import offer

_OPEN = ("em_aberto", "vencido")
_LONG = Length(max=200, message="Use no máximo 200 letras.")


class DebtForm(RegistryForm):
    """A debt from before the registry."""

    document = DocumentField("CPF ou CNPJ de quem deve", wanted="Digite o CPF ou o CNPJ.")
    regime = ChoiceField("Serviço", wanted="Escolha o serviço.")
    kind = ChoiceField(
        "Tipo", [Choice(code, label) for code, label in KINDS.items()], wanted="Escolha o tipo do débito."
    )
    amount = MoneyField("Valor", wanted="Escreva o valor como 1.234,56.", description="Fixo: não é recalculado.")
    due_on = DateField("Vencimento", wanted="Digite a data.")
    reference = StringField(
        "Número do documento",
        [Wanted("Escreva o número do documento, como «Auto 1234/2019»."), _LONG],
        description="Como «Auto 1234/2019». Aparece na cobrança e no recibo.",
    )
    origin = StringField(
        "Origem",
        [Wanted("Escreva de onde vem o débito, como «Sistema antigo, dívida ativa 2019»."), _LONG],
        description="Onde o débito está registrado hoje.",
    )


class AnnulForm(RegistryForm):
    """Why a charge is annulled."""

    reason = TextAreaField("Motivo", [Wanted(REASON), Length(max=400, message="Use no máximo 400 letras.")])


@blueprint.route("/debitos/novo", methods=["GET", "POST"])
@access("charges.enter")
def new_debt() -> Response:
    """Enters a debt from before the registry; ``?document=`` fills in who owes."""
    asked = {"document": request.args["document"]} if "document" in request.args else None
    form = DebtForm() if request.method == "POST" else DebtForm(MultiDict(asked) if asked else None)
    offer(form.regime, [Choice(regime.code, regime.short_label) for regime in desk().regimes_of(authority().code)])
    if request.method == "GET" or not form.validate():
        return _show_debt(form, 200 if request.method == "GET" else 422)
    debtor = find_by_document(session(), authority().code, str(form.document.data))
    if debtor is None:
        form.take(Refused({"document": "Ninguém cadastrado com este CPF ou CNPJ. Cadastre e volte aqui."}))
        return _show_debt(form, 422)
    names = ("regime", "kind", "amount", "due_on", "origin", "reference")
    entered = DebtInput(**{name: form[name].data for name in names})
    try:
        charge_id = perform(legacy_debts.enter_debt, debtor.id, entered)
    except Refused as refused:
        form.take(refused)
        return _show_debt(form, 422)
    flash(f"Débito de {format_money(entered.amount)} lançado para {debtor.name}.", "ok")
    return htmx.go(url_for("treasury.charge", charge_id=charge_id))


def _show_debt(form: DebtForm, status: int) -> Response:
    return htmx.render("treasury/debt.html", status=status, form=form)


@blueprint.route("/cobrancas/<int(max=2147483647):charge_id>/anular", methods=["GET", "POST"])
@access("charges.annul")
def annul(charge_id: int) -> Response:
    """Annuls an open charge on which nothing was paid."""
    line = charges.charge_of(session(), desk(), authority().code, charge_id, today())
    if line.state == "pago":
        abort(404)
    form = AnnulForm()
    if request.method == "POST" and form.validate():
        try:
            perform(legacy_debts.annul, charge_id, str(form.reason.data))
        except Refused as refused:
            form.take(refused)
        except AlreadyDone as done:
            flash(done_text(done), "info")
            return htmx.go(url_for("treasury.charge", charge_id=charge_id))
        else:
            flash(f"Anulada: {line.label}.", "ok")
            return htmx.go(url_for("treasury.charge", charge_id=charge_id))
    status = 422 if request.method == "POST" else 200
    return htmx.render("treasury/annul.html", status=status, form=form, line=line, is_open=line.state in _OPEN)
