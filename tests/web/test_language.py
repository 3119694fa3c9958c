"""The language that a browser asks for changes nothing: days and amounts are read and shown as they are here."""

from __future__ import annotations

from datetime import date

import pytest
from flask import Flask

from registry.store.vehicles import Vehicle
from tests.web.records import Records, form_sent, led_to

NEW = "/veiculos/novo"
CAR = {"plate": "RZT6B18", "type": "onibus", "model": "B8R", "year_made": "2026", "first_registered_on": "06/05/2026"}
AMERICAN = {"Accept-Language": "en-US,en;q=0.9"}


@pytest.mark.parametrize("asked", ["pt-BR", "en-US,en;q=0.9", "de", "ar", "*", ""])
def test_the_sixth_of_may_stays_the_sixth_of_may(app: Flask, client_as, page, asked: str) -> None:
    clerk, told = client_as("atendente"), {"Accept-Language": asked}
    form = form_sent(page(clerk.get(NEW, headers=told)), NEW, **CAR)
    shown = page(clerk.get(led_to(clerk.post(NEW, data=form, headers=told)), headers=told))
    assert "06/05/2026" in shown.text
    assert Records(app).count(Vehicle, Vehicle.first_registered_on == date(2026, 5, 6)) == 1


def test_a_month_in_front_is_never_a_day(client_as, page) -> None:
    clerk = client_as("atendente")
    form = form_sent(page(clerk.get(NEW, headers=AMERICAN)), NEW, **{**CAR, "first_registered_on": "05/13/2026"})
    again = page(clerk.post(NEW, data=form, headers=AMERICAN), 422)
    assert "05/13" in again.error_of("first_registered_on")
    assert again.form(NEW)["first_registered_on"] == "05/13/2026"
