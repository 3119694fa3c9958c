"""The demo's rows, one a car with all that belongs to it; the same on every run."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator, Mapping
from datetime import date, datetime, time, timedelta
from importlib.resources import files
from itertools import count
from typing import Any

from registry.api.law import Lawbook, add_months
from registry_taxi_recife.demo import people
from registry_taxi_recife.demo.requests import request
from registry_taxi_recife.rules.inspection import LISTS

Row = Mapping[str, Any]
_DAY = timedelta(days=1)
_HOURS = (8, 9, 10, 11, 14, 15)
_LICENCES_KEPT = 4
_ON_SIGHT = ("em_exigencia", "em_analise", "pronto", "indeferido", "aguarda_pagamento")


def rows(book: Lawbook) -> Iterable[Row]:
    """Invented records of this regime, plain Python values (days, Decimals, naive local datetimes), in order.

    Two shapes:

    - ``{"index": {"key", "value" (text), "from" (day), "act"}}``: an index value of the authority.
    - ``{"state", "person", "vehicle", "permit", "request", "restrictions", "inspections", "ponto"}``: one car and its
      story. ``state`` names what it shows: authorised, alvara_expired, inspection_expired, suspended,
      suspension_to_come, suspension_over, off_road, too_old, ended, under_review; or the state that its request is to
      reach.

    ``person``: kind (natural, company), holder_kind (autonomous_driver, company), name, document, born_on, nationality,
    sex, cnh, phone, email, address, cooperative (None), member_since (None). Rows that share a document are one person.
    None = the holder is not known, as after an import.

    ``vehicle``: plate, renavam, type, make, model, year_made, first_registered_on, doors, seats, colour, fuel.

    ``permit`` (None where none was granted): number, category, granted_on, ended_on (first day without effect or None),
    end_reason, role, vehicle_since, vehicle_until (last day or None), ``licences``: list of number, issued_on,
    valid_until, ended_on, end_reason, oldest first. Rows that share a number are one permit with several cars.

    ``request`` (None where there is none under way): kind, category, holder_kind, state (rascunho, aguarda_vistoria,
    aguarda_pagamento, em_exigencia, em_analise, pronto, indeferido, desistencia), opened_on, filed_on, decided_on (days
    or None), text (of the exigência, decision or withdrawal; ""), ``facts`` (form field -> typed value), ``documents``:
    list of code, status, expires_on, copies, reason; ``charges``: list of plan, paid_on (None = open).

    ``restrictions``: list of kind, bars (vehicle, permit), since, until, reason, act.

    ``inspections``: list of kind, state (marcada, aprovada, reprovada), scheduled_at, done_on (None = only booked),
    place, items (code -> {"result", "reason"}), seal ("" unless passed), valid_until.

    ``ponto`` (None where the taxi has none): code and name of its stand, for a plugin of stands.
    """
    return _Demo(book).rows()


class _Demo:
    """One run over the data: it hands out serials, permit numbers, plates and seals."""

    def __init__(self, book: Lawbook) -> None:
        text = (files("registry_taxi_recife.demo") / "demo.toml").read_text(encoding="utf-8")
        self.data: Mapping[str, Any] = tomllib.loads(text)
        self.on: date = self.data["on"]
        self.book = book
        self.serials = count(1)
        self.numbers, self.seals = count(self.data["first_permit"]), count(self.data["first_seal"])
        self.plates = people.plates({entry["plate"] for entry in self.data["featured"]})
        self.permits: dict[tuple[str, str], tuple[str, date]] = {}

    def rows(self) -> Iterator[Row]:
        for entry in self.data["index"]:
            yield {"index": dict(entry)}
        for entry in self.data["featured"]:
            yield self._story(entry, entry["holder"], entry["plate"])
        for group in self.data["group"]:
            for turn in range(group["count"]):
                holder = group["holders"][turn % len(group["holders"])]
                yield self._story(self._dated(group, turn), holder, next(self.plates))
        for group in self.data["request"]:
            for turn in range(group["count"]):
                yield self._asked(group, group["holders"][turn % len(group["holders"])], turn)

    def _dated(self, group: Mapping[str, Any], turn: int) -> dict[str, Any]:
        """The group's entry with the days of its ``turn``."""
        entry = dict(group)
        spread = turn / max(1, group["count"] - 1)
        made = round(_between(group["made"], spread))
        entry["made_in"] = self.on.year - made
        entry["vehicle_since"] = max(date(entry["made_in"], 2, 1 + turn % 28), self._ago(300 + 366 * made))
        entry["granted_on"] = entry["vehicle_since"] - timedelta(days=turn * 211 % 3_000)
        for name, key in (("alvara_age", "alvara_on"), ("inspection_age", "inspected_on")):
            if name in group:
                entry[key] = max(self._ago(round(_between(group[name], spread))), entry["vehicle_since"])
        if "ended_age" in group:
            entry["ended_on"] = self._ago(round(_between(group["ended_age"], spread)))
            entry["end_reason"] = group["reasons"][turn % len(group["reasons"])]
        return entry

    def _ago(self, days: int) -> date:
        return self.on - timedelta(days=days)

    def _story(self, entry: Mapping[str, Any], holder: str, plate: str) -> Row:
        """A permit with its car, alvarás, inspections and bars."""
        serial = next(self.serials)
        known = people.person(self.data, holder, serial, entry.get("name", "")) if holder else None
        number, granted = self._permit(entry, known)
        ended = entry.get("ended_on")
        return {
            "state": entry["state"],
            "person": known,
            "vehicle": people.car(
                self.data, serial, plate, entry["made_in"], entry.get("colour", ""), entry.get("model_at", serial)
            ),
            "permit": {
                "number": number,
                "category": entry.get("category", "comum"),
                "granted_on": granted,
                "ended_on": ended,
                "end_reason": entry.get("end_reason", ""),
                "role": "regular",
                "vehicle_since": entry["vehicle_since"],
                "vehicle_until": None,
                "licences": self._licences(number, serial, entry) if "alvara_on" in entry else [],
            },
            "request": None,
            "restrictions": [self._bar(entry["bar"])] if "bar" in entry else [],
            "inspections": list(self._inspections(entry, serial, holder)),
            "ponto": self._ponto(entry, serial),
        }

    def _permit(self, entry: Mapping[str, Any], person: Mapping[str, Any] | None) -> tuple[str, date]:
        """A number and day of grant; the cars of a company in one state and category share its permit."""
        if "number" in entry:
            return entry["number"], entry["granted_on"]
        fresh = (f"{next(self.numbers):04d}", entry["granted_on"])
        if person is None or person["kind"] != "company" or entry["state"] != "authorised":
            return fresh
        key = (person["document"], entry.get("category", "comum"))
        number, granted = self.permits.setdefault(key, (fresh[0], self._ago(3_650)))
        return number, granted

    def _licences(self, number: str, serial: int, entry: Mapping[str, Any]) -> list[dict[str, Any]]:
        """The alvarás of the car, the last one issued on the entry's day and those of the years before."""
        months = self.book.value("alvara.months", self.on).integer
        last, since = entry["alvara_on"], entry["vehicle_since"]
        days = [add_months(last, -months * back) for back in range(_LICENCES_KEPT)]
        issued = sorted(day for day in days if day >= since)
        terms = [
            {
                "number": f"{number}.{serial:03d}/{day.year}",
                "issued_on": day,
                "valid_until": add_months(day, months),
                "ended_on": None,
                "end_reason": "",
            }
            for day in issued
        ]
        if ended := entry.get("ended_on"):
            terms[-1] |= {"ended_on": ended, "end_reason": entry["end_reason"]}
        return terms

    def _bar(self, bar: Mapping[str, Any]) -> dict[str, Any]:
        until = self._ago(bar["until_age"]) if "until_age" in bar else None
        kept = {key: bar[key] for key in ("kind", "bars", "reason", "act")}
        return {**kept, "since": self._ago(bar["since_age"]), "until": until}

    def _inspections(self, entry: Mapping[str, Any], serial: int, holder: str) -> Iterator[dict[str, Any]]:
        if "inspected_on" in entry:
            yield self._inspection(entry["inspected_on"], "annual", serial, holder)
        if "failed" in entry:
            day = self._ago(entry["bar"]["since_age"])
            yield self._inspection(day, "ad_hoc", serial, holder, "reprovada", entry["failed"])

    def _inspection(
        self,
        day: date,
        kind: str,
        serial: int,
        holder: str,
        state: str = "aprovada",
        failed: Mapping[str, str] | None = None,
    ) -> dict[str, Any]:
        booked, passed = state == "marcada", state == "aprovada"
        months = self.book.value("inspection.months", self.on).integer
        return {
            "kind": kind,
            "state": state,
            "scheduled_at": datetime.combine(day, time(_HOURS[serial % len(_HOURS)])),
            "done_on": None if booked else day,
            "place": self.data["place"],
            "items": {} if booked else self._items(holder, failed or {}),
            "seal": f"{next(self.seals):06d}" if passed else "",
            "valid_until": add_months(day, months) if passed else None,
        }

    def _items(self, holder: str, failed: Mapping[str, str]) -> dict[str, dict[str, str]]:
        """Every item that is looked at with its result; front-wheel drive has no cardan shaft."""
        absent = {"i": "na"}
        codes = [
            item["code"]
            for key in LISTS
            for item in self.book.value(key, self.on).value
            if holder == people.COMPANY or not item.get("company", False)
        ]
        return {
            code: {"result": "falha" if code in failed else absent.get(code, "ok"), "reason": failed.get(code, "")}
            for code in codes
        }

    def _ponto(self, entry: Mapping[str, Any], serial: int) -> dict[str, str] | None:
        pontos = self.data["ponto"]
        if "ponto_at" in entry:
            return dict(pontos[entry["ponto_at"]])
        return dict(pontos[serial % len(pontos)]) if serial % 3 else None

    def _asked(self, entry: Mapping[str, Any], holder: str, turn: int) -> Row:
        """A request for a new permit with a new car, brought to its state."""
        serial = next(self.serials)
        person = people.person(self.data, holder, serial)
        vehicle = people.car(self.data, serial, next(self.plates), self.on.year, "", serial)
        state, inspections = entry["state"], []
        if state in _ON_SIGHT:
            inspections = [self._inspection(self._ago(3 + turn), "inclusion", serial, holder)]
        elif state == "aguarda_vistoria":
            inspections = [self._inspection(self.on + turn * _DAY, "inclusion", serial, holder, "marcada")]
        return {
            "state": state,
            "person": person,
            "vehicle": vehicle,
            "permit": None,
            "request": request(self.book, state, person, self.on, turn),
            "restrictions": [],
            "inspections": inspections,
            "ponto": None,
        }


def _between(ends: list[int], spread: float) -> float:
    return ends[0] + (ends[1] - ends[0]) * spread
