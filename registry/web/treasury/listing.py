"""The list of charges in any state, and its table."""

from __future__ import annotations

from flask import Response, abort, request

from registry.domain.text import format_money_field
from registry.services.charge_list import CHARGE_ORDERS, CHARGE_STATES, list_charges
from registry.services.charge_pages import ChargeLine
from registry.services.registers import Listed
from registry.web import htmx
from registry.web.access import access
from registry.web.edge import authority, desk, session, today
from registry.web.paging import PAGE_SIZE, list_view, order_of, page_number, quoted
from registry.web.spreadsheet import CHUNK, sheet
from registry.web.treasury.blueprint import blueprint
from registry.web.words import status_of


@blueprint.get("/cobrancas")
@access("charges.view")
def charges() -> Response:
    """The list: ``?q=`` plate, CPF, CNPJ or number, ``?situacao=``, ``?ordem=``, ``?page=``."""
    typed, state = request.args.get("q", ""), request.args.get("situacao", "")
    chips = {"q": quoted(typed), "situacao": CHARGE_STATES.get(state, "")}
    return htmx.render(
        "treasury/charges.html",
        "treasury/_charges.html",
        found=_listed(page_number()),
        view=list_view(chips, default="-numero", export="treasury.export"),
        q=typed,
        state=state,
        states=CHARGE_STATES,
        day=today(),
    )


@blueprint.get("/cobrancas/planilha.csv")
@access("charges.view")
def export() -> Response:
    """What the list shows with its filters, as a table for a spreadsheet."""
    columns = {
        "Número": lambda line: line.number,
        "Cobrança": lambda line: line.label,
        "Quem": lambda line: line.debtor,
        "Placa": lambda line: line.plate,
        "Requerimento": lambda line: line.request_number,
        "Vencimento": lambda line: line.due_on,
        "Situação": lambda line: status_of(line.state).word,
        "Pago": lambda line: format_money_field(line.paid),
        "Resta hoje": lambda line: None if line.left is None else format_money_field(line.left),
        "Recibo": lambda line: line.receipt_number,
    }
    filters = {name: request.args.get(name, "") for name in ("q", "situacao")}
    return sheet("cobrancas", columns, lambda number: _listed(number, CHUNK).lines, filters)


def _listed(number: int, size: int = PAGE_SIZE) -> Listed[ChargeLine]:
    state = request.args.get("situacao", "")
    if state and state not in CHARGE_STATES:
        abort(404)
    return list_charges(
        session(),
        desk(),
        authority().code,
        today(),
        typed=request.args.get("q", ""),
        state=state,
        order=order_of(CHARGE_ORDERS),
        page=number,
        size=size,
    )
