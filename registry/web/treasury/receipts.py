"""The receipt as it is printed, the reversal of a payment, the till of a day."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date
from typing import Any

from flask import Response, abort, flash, request, url_for

from registry.domain.text import TextError, format_date, format_hour, format_money_field, parse_date
from registry.services import charges as service
from registry.services.amounts import REVERSAL
from registry.services.charge_pages import CashLine, CashPage, ReceiptLine
from registry.services.errors import AlreadyDone, Refused
from registry.web import htmx
from registry.web.access import access
from registry.web.edge import authority, perform, session, today, zone
from registry.web.errors import done_text
from registry.web.paging import PAGE_SIZE, in_order, list_view, order_of, page_number, page_of
from registry.web.spreadsheet import CHUNK, sheet
from registry.web.treasury.blueprint import blueprint
from registry.web.treasury.forms import CloseForm, ReversalForm

CASH_ORDERS: dict[str, Callable[[CashLine], Any]] = {
    "hora": lambda line: line.at,
    "recibo": lambda line: line.number,
    "forma": lambda line: line.method,
    "valor": lambda line: line.amount,
}
RECEIPT = "/recibos/<int(max=2147483647):receipt_id>"


@blueprint.get(RECEIPT)
@access("charges.view")
def receipt(receipt_id: int) -> Response:
    """A receipt, to be printed."""
    found = service.receipt_page(session(), authority().code, receipt_id)
    return htmx.render(
        "treasury/receipt.html",
        found=found,
        method=service.METHOD_LABELS.get(found.method, found.method),
        authority_name=authority().name,
    )


@blueprint.route(f"{RECEIPT}/estornar/<int(max=2147483647):posting_id>", methods=["GET", "POST"])
@access("charges.receive")
def reverse(receipt_id: int, posting_id: int) -> Response:
    """Reverses one payment of a receipt, with the reason; nothing is edited."""
    found = service.receipt_page(session(), authority().code, receipt_id)
    line = next((each for each in found.lines if each.posting_id == posting_id and each.kind == "pagamento"), None)
    if line is None:
        abort(404)
    form = ReversalForm()
    if request.method == "GET":
        return _show_reversal(found, line, form)
    if not form.validate():
        return _show_reversal(found, line, form, 422)
    try:
        perform(service.reverse_posting, posting_id, str(form.reason.data))
    except Refused as refused:
        form.take(refused)
        return _show_reversal(found, line, form, 422)
    except AlreadyDone as done:
        flash(done_text(done), "info")
    else:
        flash(f"Estornado: {line.label}. A cobrança está em aberto de novo.", "ok")
    return htmx.go(url_for("treasury.receipt", receipt_id=receipt_id))


def _show_reversal(found: service.ReceiptPage, line: ReceiptLine, form: ReversalForm, status: int = 200) -> Response:
    return htmx.render("treasury/reverse.html", status=status, found=found, line=line, form=form)


@blueprint.get("/caixa")
@access("charges.view")
def cash() -> Response:
    """The till of ``?dia=`` (today without it): what came and went, what should be there, what was counted."""
    typed = request.args.get("dia", "")
    day, fault = today(), ""
    if typed.strip():
        try:
            day = parse_date(typed)
        except TextError as error:
            fault = error.message_pt
    return _show_cash(day, CloseForm(formdata=None, day=day), 422 if fault else 200, typed, fault)


@blueprint.post("/caixa")
@access("charges.receive")
def close() -> Response:
    """Counts and closes a day of the till."""
    form = CloseForm()
    if not form.validate():
        return _show_cash(form.day.data or today(), form, 422)
    try:
        perform(service.close_cash, form.day.data, form.counted.data, str(form.note.data or ""))
    except Refused as refused:
        form.take(refused)
        return _show_cash(form.day.data, form, 422)
    except AlreadyDone as done:
        flash(done_text(done), "info")
    else:
        flash(f"Caixa de {format_date(form.day.data)} fechado.", "ok")
    return htmx.go(url_for("treasury.cash", dia=format_date(form.day.data)))


@blueprint.get("/caixa/planilha.csv")
@access("charges.view")
def cash_export() -> Response:
    """The movements of ``?dia=`` as a table for a spreadsheet."""
    day = today()
    if typed := request.args.get("dia", "").strip():
        try:
            day = parse_date(typed)
        except TextError:
            abort(404)
    lines = _sorted(service.cash_of_day(session(), authority().code, day))
    columns = {
        "Dia": lambda line: day,
        "Hora": lambda line: format_hour(line.at.astimezone(zone())),
        "Recibo": lambda line: line.number,
        "Movimento": lambda line: "Estorno" if line.kind == REVERSAL else "Recebimento",
        "Forma": lambda line: service.METHOD_LABELS.get(line.method, line.method),
        "Quem recebeu": lambda line: line.by,
        "Valor": lambda line: format_money_field(line.amount),
        "Motivo": lambda line: line.reason,
    }
    return sheet("caixa", columns, lambda number: _piece(lines, number), {"dia": format_date(day)})


def _piece(lines: Sequence[CashLine], number: int) -> Sequence[CashLine]:
    return lines[(number - 1) * CHUNK : number * CHUNK]


def _sorted(found: CashPage) -> list[CashLine]:
    return in_order(found.lines, order_of(CASH_ORDERS), CASH_ORDERS)


def _show_cash(day: date, form: CloseForm, status: int = 200, typed: str = "", fault: str = "") -> Response:
    found = service.cash_of_day(session(), authority().code, day)
    number = page_number()
    return htmx.render(
        "treasury/cash.html",
        "treasury/_cash.html",
        status=status,
        found=found,
        lines=page_of(_sorted(found), number),
        number=number,
        size=PAGE_SIZE,
        view=list_view({}, default="hora", export="treasury.cash_export", place={"dia": format_date(day)}),
        form=form,
        day=day,
        typed=typed or format_date(day),
        fault=fault,
        is_today=day == today(),
        closable=day <= today(),
        methods=service.METHOD_LABELS,
    )
