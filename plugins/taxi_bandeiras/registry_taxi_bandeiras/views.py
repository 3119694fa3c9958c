"""The table of fare bands, for everybody: which band is in force now, and the hours of each."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from flask import Blueprint, Response

from registry.api.screens import Answered, access, answers, now, render
from registry_taxi_bandeiras.api import Band, BandTable, Override, Window, band_at

WEEKDAYS = ("segunda-feira", "terça-feira", "quarta-feira", "quinta-feira", "sexta-feira", "sábado", "domingo")

blueprint = Blueprint("bandeiras", __name__, template_folder="templates")


@dataclass(frozen=True)
class Service:
    """A service of the table: its label, the band of this moment, its windows."""

    label: str
    band: Band
    windows: tuple[Window, ...]


@blueprint.get("/tarifas")
@access.public
def page() -> Response:
    """The bands of each taxi regime as the law and the acts of its authority have them today."""
    return render("bandeiras/page.html", tables=[(each, tuple(_services(each))) for each in answers(HOOK)], pages=PAGES)


HOOK = "taxi_bandeiras_table"


def _services(answered: Answered) -> Iterator[Service]:
    table: BandTable = answered.value
    labels = {choice.code: choice.label for choice in answered.regime.categories}
    for code in dict.fromkeys(window.service for window in table.windows):
        windows = tuple(window for window in table.windows if window.service == code)
        yield Service(labels.get(code, code), band_at(table, now(), code, answered.authority.zone), windows)


def whole_days(table: BandTable) -> str:
    """The days on which one band holds all day, in words: «domingo e feriados»."""
    return " e ".join([*(WEEKDAYS[each] for each in table.whole_days), "feriados"])


def coming(table: BandTable) -> list[Override]:
    """The periods set by act that are not over."""
    return [each for each in table.overrides if each.end > now()]


PAGES = {"whole_days": whole_days, "coming": coming}
