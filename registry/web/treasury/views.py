"""The treasury's desk: search, what is owed on the day of payment, receive."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any
from urllib.parse import urlencode

from flask import Response, flash, request, url_for
from werkzeug.datastructures import MultiDict

from registry.domain.text import TextError, format_date, parse_date
from registry.services import charges as service
from registry.services.charges import ChargeLine
from registry.services.credits import credits_of
from registry.services.errors import Refused
from registry.services.requests import request_of
from registry.web import htmx
from registry.web.access import access
from registry.web.edge import authority, desk, perform, session, today
from registry.web.shell import MenuEntry, address_of
from registry.web.treasury import credit, debts, listing, receipts
from registry.web.treasury.blueprint import blueprint
from registry.web.treasury.forms import PaymentForm

__all__ = ["MENU", "blueprint", "credit", "debts", "listing", "receipts"]
MENU = (
    MenuEntry("tesouraria", "Receber", "treasury.page", order=10),
    MenuEntry("tesouraria", "Cobranças", "treasury.charges", order=15),
    MenuEntry("tesouraria", "Caixa", "treasury.cash", order=20),
    MenuEntry("tesouraria", "Débito antigo", "treasury.new_debt", order=30),
)
NEWEST = 20
_OPEN = ("em_aberto", "vencido")


@dataclass(frozen=True)
class Search:
    """What the charges were looked for by: a text, a request or one charge."""

    typed: str = ""
    request_id: int | None = None
    charge_id: int | None = None

    def lines(self, day: date) -> tuple[ChargeLine, ...]:
        """The charges with their amounts of that day."""
        where = (session(), desk(), authority().code)
        if self.charge_id is not None:
            return (service.charge_of(*where, self.charge_id, day),)
        if self.request_id is not None:
            return service.charges_of_request(*where, self.request_id, day)
        if self.typed.strip():
            return service.find_charges(*where, self.typed, day)
        return service.find_charges(*where, "", day, NEWEST)

    @property
    def address(self) -> str:
        """Where this search stands."""
        if self.charge_id is not None:
            return url_for("treasury.charge", charge_id=self.charge_id)
        if self.request_id is not None:
            return url_for("treasury.request", request_id=self.request_id)
        return url_for("treasury.page", q=self.typed or None)

    def address_with(self, form: PaymentForm, ticked: Sequence[int]) -> str:
        """Where this search stands with the day, the ticks and what else is being typed."""
        typed = {"dia": form.on_day, "forma": form.method, "valor": form.amount}
        query: list[tuple[str, Any]] = [(name, (field.raw_data or [""])[0]) for name, field in typed.items()]
        told = urlencode([(name, text) for name, text in query if text] + [("cobranca", each) for each in ticked])
        return f"{self.address}{'&' if '?' in self.address else '?'}{told}"


@blueprint.get("")
@access("charges.view")
def page() -> Response:
    """The search: ``?q=`` plate, CPF, CNPJ or number; ``&dia=`` the day whose amounts are shown; with it ``&cobranca=``
    what is ticked, ``&forma=`` and ``&valor=`` what else was typed.
    """
    return _show(Search(request.args.get("q", "")), _typed(), _ticked(request.args.getlist("cobranca")))


@blueprint.get("/requerimento/<int(max=2147483647):request_id>", endpoint="request")
@access("charges.view")
def of_request(request_id: int) -> Response:
    """The charges of one request, all open ones ticked; with ``?dia=`` those of ``&cobranca=``."""
    request_of(session(), authority().code, request_id)
    return _whole(Search(request_id=request_id))


@blueprint.get("/cobrancas/<int(max=2147483647):charge_id>")
@access("charges.view")
def charge(charge_id: int) -> Response:
    """One charge."""
    return _whole(Search(charge_id=charge_id))


@blueprint.post("/conferir", endpoint="sum")
@access("charges.receive")
def sum_up() -> Response:
    """The amounts and the total for the day and the ticks being typed; nothing is saved. A plain form is led to their
    address, so that one can go back to it.
    """
    form = PaymentForm()
    good = form.check("on_day") and _not_after_today(form)
    for name in ("method", "amount"):
        form[name].errors = ()
    search, ticked = _search(), _ticked(request.form.getlist("charge"))
    if good and not htmx.wants_fragment():
        return htmx.go(search.address_with(form, ticked))
    return _show(search, form, ticked, 200 if good else 422)


@blueprint.post("/receber")
@access("charges.receive")
def receive() -> Response:
    """Receives what is ticked and opens the receipt."""
    form, search, ticked = PaymentForm(), _search(), _ticked(request.form.getlist("charge"))
    if not (form.validate() and _not_after_today(form)):
        return _show(search, form, ticked, 422)
    try:
        args = (ticked, form.on_day.data, str(form.method.data), form.amount.data)
        receipt_id = perform(service.receive_payment, *args)
    except Refused as refused:
        form.take(refused)
        return _show(search, form, ticked, 422)
    flash("Pagamento recebido.", "ok")
    return htmx.go(url_for("treasury.receipt", receipt_id=receipt_id))


def _not_after_today(form: PaymentForm) -> bool:
    """A day to come has no payment yet."""
    if form.on_day.data is None or form.on_day.data <= today():
        return True
    form.take(Refused({"on_day": f"A data não pode ser depois de hoje ({format_date(today())})."}))
    return False


def _search() -> Search:
    """The search that the form carries along."""
    sent = request.form
    return Search(sent.get("q", ""), _id(sent.get("request_id", "")), _id(sent.get("charge_id", "")))


def _id(typed: str) -> int | None:
    return int(typed) if typed.isascii() and typed.isdecimal() and len(typed) < 10 else None


def _typed() -> PaymentForm:
    """The form as far as the address has it; its day is read where the amounts are."""
    given = {"method": request.args.get("forma", ""), "amount": request.args.get("valor", "")}
    return PaymentForm(formdata=MultiDict(given) if any(given.values()) else None)


def _ticked(typed: Sequence[str]) -> tuple[int, ...]:
    found = (_id(each) for each in typed)
    return tuple(dict.fromkeys(each for each in found if each is not None))


def _whole(search: Search) -> Response:
    """A search whose open charges are all ticked, or those that its address names."""
    if "dia" in request.args:
        return _show(search, _typed(), _ticked(request.args.getlist("cobranca")))
    lines = search.lines(today())
    return _show(search, PaymentForm(formdata=None), [line.id for line in lines if _payable(line)])


def _payable(line: ChargeLine) -> bool:
    return line.state in _OPEN and line.amount is not None


def _show(search: Search, form: PaymentForm, ticked: Sequence[int], status: int = 200) -> Response:
    day = _day(form)
    lines = search.lines(day)
    payable = [line for line in lines if _payable(line)]
    total = sum((line.left or Decimal(0) for line in payable if line.id in ticked), Decimal(0))
    if form.on_day.data is None and not form.on_day.raw_data:
        form.on_day.data = day
    context: dict[str, Any] = {
        "search": search,
        "form": form,
        "day": day,
        "open_lines": [line for line in lines if line.state in _OPEN],
        "closed_lines": [line for line in lines if line.state not in _OPEN],
        "ticked": set(ticked),
        "total": total,
        "count": sum(line.id in ticked for line in payable),
        "newest": NEWEST,
        "today": today(),
        "plugin_of": {regime.code: regime.plugin for regime in desk().host.regimes.values()},
        "request_address": address_of("request", search.request_id) if search.request_id else "",
    }
    if search.charge_id and payable:
        context["credits"] = credits_of(session(), authority().code, payable[0].debtor_id)
    if not htmx.wants_fragment() and not search.request_id and not search.charge_id:
        context["till"] = service.cash_of_day(session(), authority().code, today())
    return htmx.render("treasury/page.html", "treasury/_open.html", status=status, **context)


def _day(form: PaymentForm) -> date:
    """The day whose amounts are shown: the one typed, else that of the address, else today."""
    typed = form.on_day.data
    if typed is None and not form.on_day.raw_data:
        try:
            typed = parse_date(request.args.get("dia", ""))
        except TextError:
            typed = None
    return typed if typed is not None and typed <= today() else today()
