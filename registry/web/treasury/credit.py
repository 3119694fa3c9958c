"""What was paid too much, used on another charge of the same debtor."""

from __future__ import annotations

from flask import Response, flash, url_for

from registry.services.credits import use_credit
from registry.web import htmx
from registry.web.access import access
from registry.web.edge import perform
from registry.web.treasury.blueprint import blueprint


@blueprint.post("/cobrancas/<int(max=2147483647):charge_id>/credito", endpoint="use_credit")
@access("charges.receive")
def use(charge_id: int) -> Response:
    """Pays the charge with its debtor's credit, as far as it goes, and opens the receipt."""
    receipt_id = perform(use_credit, charge_id)
    flash("Crédito usado.", "ok")
    return htmx.go(url_for("treasury.receipt", receipt_id=receipt_id))
