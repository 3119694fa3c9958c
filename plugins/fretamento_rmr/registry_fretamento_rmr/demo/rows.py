"""The demo's rows, one a vehicle with all that belongs to it; the same on every run."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator, Mapping
from datetime import date, datetime, time, timedelta
from importlib.resources import files
from itertools import count
from typing import Any

from registry.api.law import Lawbook, add_months
from registry_fretamento_rmr.demo import people
from registry_fretamento_rmr.demo.requests import request

Row = Mapping[str, Any]

_FIRST_NUMBER = 401
_FIRST_SEAL = 3001
_FLEET_EVERY = 9
_PLACE_HOURS = (9, 10, 11, 14, 15, 16)


def rows(book: Lawbook) -> Iterable[Row]:
    """Invented records of this regime, plain Python values (dates, Decimals, naive local datetimes), in order.

    Two shapes:

    - ``{"index": {"key", "label", "unit", "provision", "value" (text), "from" (day), "act"}}``: an index value.
    - ``{"state", "person", "vehicle", "permit", "request", "restrictions", "inspections"}``: one vehicle and its story.

    ``state`` names what it shows: authorised, inspection_expired, registration_expired, suspended, suspension_to_come,
    suspension_over, seized, accident_block, off_road, ended; or the state that its request is to reach.

    ``person``: kind (natural, company), holder_kind (PF, PJ, COOP_MEMBER), name, document, born_on, nationality, sex,
    cnh, phone, email, address, ``cooperative`` (a person mapping of kind cooperative, or None), ``member_since``.
    Rows that share a document are one person.

    ``vehicle``: plate, renavam, type, make, model, year_made, first_registered_on, doors, seats, colour, fuel.

    ``permit`` (None where none was granted): number, category, granted_on, ended_on (first day without effect or
    None), end_reason, role, vehicle_since, vehicle_until (last day or None), ``licences``: list of number, issued_on,
    valid_until, ended_on, end_reason, oldest first. Rows that share a number are one permit with several vehicles.

    ``request`` (None where there is none under way): kind, category, holder_kind, state (rascunho, aguarda_pagamento,
    aguarda_vistoria, em_exigencia, em_analise, pronto, indeferido, desistencia), opened_on, filed_on, decided_on (days
    or None), text (of the exigência, decision or withdrawal; ""), ``facts`` (form field -> typed value), ``documents``:
    list of code, status (falta, enviado, aceito, com_ressalva, recusado), expires_on, copies, reason; ``charges``: list
    of plan, paid_on (None = open).

    ``restrictions``: list of kind, bars (vehicle, permit), since, until, reason, act.

    ``inspections``: list of kind (first, yearly), state (marcada, aprovada, reprovada), scheduled_at, done_on (None for
    one that is only booked), place, items (code -> {"result", "reason"}), seal ("" unless passed), valid_until.
    """
    return _Demo(book).rows()


class _Demo:
    """One run over the data: it hands out the numbers, plates and seals."""

    def __init__(self, book: Lawbook) -> None:
        text = (files("registry_fretamento_rmr.demo") / "demo.toml").read_text(encoding="utf-8")
        self.data: Mapping[str, Any] = tomllib.loads(text)
        self.on: date = self.data["on"]
        self.book = book
        self.serials, self.numbers, self.seals = count(1), count(_FIRST_NUMBER), count(_FIRST_SEAL)
        named = {entry["plate"] for entry in (*self.data["featured"], *self.data["featured_request"])}
        self.plates = people.plates(named)
        self.cooperatives = [
            people.person(900 + place, "COOP", self.data, self.on, name)
            for place, name in enumerate(self.data["names"]["cooperatives"])
        ]

    def rows(self) -> Iterator[Row]:
        for entry in self.data["index"]:
            yield {"index": dict(entry)}
        for entry in self.data["featured"]:
            yield self._story(entry, entry["holder"], entry["plate"])
        for group in self.data["group"]:
            for turn in range(group["count"]):
                holder = group["holders"][turn % len(group["holders"])]
                row = self._story(self._dated(group, turn), holder, next(self.plates))
                yield row
                if group["state"] == "authorised" and holder == "PJ" and turn % _FLEET_EVERY == 1:
                    yield self._another(row)
        for entry in self.data["featured_request"]:
            yield self._asked(entry, entry["holder"], entry["plate"])
        for group in self.data["request"]:
            for turn in range(group["count"]):
                yield self._asked(group, group["holders"][turn % len(group["holders"])], next(self.plates))

    def _dated(self, group: Mapping[str, Any], turn: int) -> dict[str, Any]:
        """The group's entry with the days of its ``turn``: grant, last inspection, end."""
        entry = dict(group)
        spread = turn / max(1, group["count"] - 1)
        youngest, oldest = group["seal_age"]
        entry["inspected_on"] = self._ago(youngest + round((oldest - youngest) * spread))
        entry["granted_on"] = self._ago(200 + turn * 61 % 1_900)
        if "overdue" in group:
            low, high = group["overdue"]
            lapsed = self._ago(low + round((high - low) * spread))
            entry["granted_on"] = add_months(lapsed, -self._months() * (1 + turn % 3))
            entry["late"] = True
        if "ended" in group:
            low, high = group["ended"]
            entry["ended_on"] = self._ago(low + round((high - low) * spread))
            entry["granted_on"] = add_months(entry["ended_on"], -30 - turn)
            entry["inspected_on"] = entry["ended_on"] - timedelta(days=90 + turn)
            entry["end_reason"] = group["reasons"][turn % len(group["reasons"])]
        return entry

    def _ago(self, days: int) -> date:
        return self.on - timedelta(days=days)

    def _months(self) -> int:
        return self.book.value("registration_months", self.on).integer

    def _person(self, entry: Mapping[str, Any], holder: str, serial: int) -> dict[str, Any]:
        person = people.person(serial, holder, self.data, self.on, entry.get("name", ""))
        person["document"] = entry.get("document", person["document"])
        cooperative = self.cooperatives[serial % len(self.cooperatives)] if holder == "COOP_MEMBER" else None
        since = self._ago(800 + serial * 17 % 900) if cooperative else None
        return {**person, "holder_kind": holder, "cooperative": cooperative, "member_since": since}

    def _vehicle(self, entry: Mapping[str, Any], serial: int, plate: str) -> dict[str, Any]:
        models = self.data["model"]
        return people.vehicle(serial, plate, models[entry.get("model", serial) % len(models)], self.data, self.on)

    def _story(self, entry: Mapping[str, Any], holder: str, plate: str) -> Row:
        """A permit with its vehicle, terms, inspection and bars."""
        serial = next(self.serials)
        number = entry.get("number") or f"{next(self.numbers):04d}"
        ended, granted = entry.get("ended_on"), entry["granted_on"]
        return {
            "state": entry["state"],
            "person": self._person(entry, holder, serial),
            "vehicle": self._vehicle(entry, serial, plate),
            "permit": {
                "number": number,
                "category": "fretamento",
                "granted_on": granted,
                "ended_on": ended,
                "end_reason": entry.get("end_reason", ""),
                "role": "regular",
                "vehicle_since": granted,
                "vehicle_until": ended - timedelta(days=1) if ended else None,
                "licences": self._licences(number, serial, granted, entry),
            },
            "request": None,
            "restrictions": [self._bar(entry["bar"])] if "bar" in entry else [],
            "inspections": [self._inspection(entry["inspected_on"], "yearly", serial)],
        }

    def _another(self, row: Row) -> Row:
        """A second vehicle under the permit of a row, with its own term and inspection."""
        serial = next(self.serials)
        permit, granted = row["permit"], add_months(row["permit"]["granted_on"], 1)
        entry = {"granted_on": granted, "state": row["state"]}
        return {
            **row,
            "vehicle": self._vehicle(entry, serial, next(self.plates)),
            "permit": {
                **permit,
                "role": "reserve",
                "vehicle_since": granted,
                "licences": self._licences(permit["number"], serial, granted, entry),
            },
            "inspections": [self._inspection(self._ago(40 + serial % 200), "yearly", serial)],
        }

    def _licences(self, number: str, serial: int, granted: date, entry: Mapping[str, Any]) -> list[dict[str, Any]]:
        """The terms year by year up to the day, the last one lapsed where the renewal is late or the permit ended."""
        ended: date | None = entry.get("ended_on")
        months, last = self._months(), ended or self.on
        days = [granted]
        while add_months(granted, months * len(days)) <= last:
            days.append(add_months(granted, months * len(days)))
        if entry.get("late") and len(days) > 1:
            days.pop()
        terms = [
            {
                "number": f"{number}.{serial:03d}/{day.year}",
                "issued_on": day,
                "valid_until": add_months(granted, months * (place + 1)),
                "ended_on": None,
                "end_reason": "",
            }
            for place, day in enumerate(days)
        ]
        if ended:
            terms[-1] |= {"ended_on": ended, "end_reason": entry["end_reason"]}
        return terms

    def _bar(self, bar: Mapping[str, Any]) -> dict[str, Any]:
        until = self._ago(bar["until"]) if "until" in bar else None
        return {**bar, "since": self._ago(bar["since"]), "until": until}

    def _inspection(self, day: date, kind: str, serial: int, state: str = "aprovada") -> dict[str, Any]:
        booked, passed = state == "marcada", state == "aprovada"
        months = self.book.reading("inspection_validity_months").default
        hour = _PLACE_HOURS[serial % len(_PLACE_HOURS)]
        items = (
            {}
            if booked
            else {
                item["code"]: {"result": "ok", "reason": ""}
                for item in self.book.value("inspection_items", self.on).value
            }
        )
        return {
            "kind": kind,
            "state": state,
            "scheduled_at": _at(day, hour),
            "done_on": None if booked else day,
            "place": self.data["place"],
            "items": items,
            "seal": f"{next(self.seals):06d}" if passed else "",
            "valid_until": add_months(day, months) if passed else None,
        }

    def _asked(self, entry: Mapping[str, Any], holder: str, plate: str) -> Row:
        """A request for a new term, brought to its state."""
        serial = next(self.serials)
        vehicle = self._vehicle(entry, serial, plate)
        state = entry["state"]
        inspections = []
        if state in ("em_exigencia", "em_analise", "pronto", "indeferido"):
            inspections = [self._inspection(self._ago(4 + serial % 5), "first", serial)]
        elif state == "aguarda_vistoria":
            inspections = [self._inspection(self.on + timedelta(days=serial % 3), "first", serial, "marcada")]
        return {
            "state": state,
            "person": self._person(entry, holder, serial),
            "vehicle": vehicle,
            "permit": None,
            "request": request(self.book, self.data, entry, holder, vehicle, self.on, serial),
            "restrictions": [],
            "inspections": inspections,
        }


def _at(day: date, hour: int) -> datetime:
    return datetime.combine(day, time(hour))
