"""Every form of every page, sent with too much: nothing is kept that PostgreSQL cannot hold, nothing breaks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from xml.etree.ElementTree import Element

import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import String, func, select

from registry.store.base import Base
from registry.web.edge import EXTENSION
from tests.web.checker import Page, X, read, values_of
from tests.web.test_security.conftest import Town

LONG = (65, 401)
"""One more than a code and a text may be long."""
PLAUSIBLE = {
    "document": "52998224725",
    "plate": "PEX1A23",
    "amount": "10,00",
    "counted": "10,00",
    "value": "10,00",
    "hour": "09:00",
    "year": "2026",
    "from_year": "2026",
    "until_year": "2027",
    "number": "7/2026",
    "day": "30/11/2026",
}
DAYS = ("since", "until", "on_day", "changed_on", "due_on", "last_day", "on", "issued_on", "valid_until", "born_on")


def pages(app: Flask, town: Town, staff: FlaskClient) -> Iterator[Page]:
    """Each page that opens."""
    seen = set()
    for rule in sorted(app.url_map.iter_rules(), key=str):
        if "GET" not in (rule.methods or ()) or rule.endpoint in ("static", "login.leave"):
            continue
        for where in town.addresses(rule):
            if where in seen:
                continue
            seen.add(where)
            shown = staff.get(where)
            if shown.status_code == 200 and shown.mimetype == "text/html":
                yield read(shown.text, 200, shown.headers)


def forms(page: Page) -> list[Element]:
    """The forms of a page that change something."""
    return [form for form in page.all(".//form") if form.get("method", "get").lower() == "post"]


def written(form: Element) -> list[str]:
    """The names of what one writes into freely."""
    found = [each.get("name") for each in form.iter(f"{X}textarea")]
    found += [
        each.get("name")
        for each in form.iter(f"{X}input")
        if each.get("type", "text") in ("text", "search", "tel", "email", "password", "hidden")
    ]
    return [name for name in found if name and name not in ("csrf_token", "once_key", "version")]


def filled(form: Element) -> dict[str, str]:
    """What the form sends when everything in it is filled in somehow."""
    sent = values_of(form)
    for each in form.iter(f"{X}select"):
        options = [option.get("value", "") for option in each.iter(f"{X}option") if option.get("value")]
        if options and not sent.get(each.get("name", "")):
            sent[each.get("name", "")] = options[0]
    for each in form.iter(f"{X}input"):
        name = each.get("name", "")
        if each.get("type") in ("radio", "checkbox") and name not in sent:
            sent[name] = each.get("value", "on")
    for name in written(form):
        if not sent.get(name):
            sent[name] = PLAUSIBLE.get(name, "30/11/2026" if name in DAYS else "x")
    return sent


def too_long(app: Flask) -> list[str]:
    """Every value in the database that its column cannot hold on PostgreSQL."""
    found = []
    with app.extensions[EXTENSION].store.reading() as session:
        for table in Base.metadata.sorted_tables:
            for column in table.c:
                length = getattr(column.type, "length", None) if isinstance(column.type, String) else None
                if length:
                    longest = session.scalar(select(func.max(func.length(column))))
                    if (longest or 0) > length:
                        found.append(f"{table.name}.{column.name}: {longest} of {length}")
    return found


@pytest.mark.parametrize("authority", ["emtu", "recife"])
def test_no_form_keeps_what_its_column_cannot_hold(app: Flask, town: Any, everyone: Any, authority: str) -> None:
    """Nor is there one without the key that makes a double click one act."""
    ours, staff = town(authority), everyone(authority)
    tried: set[tuple[str, str]] = set()
    faults = []
    for page in list(pages(app, ours, staff)):
        for form in forms(page):
            action = form.get("action", "")
            assert values_of(form).get("once_key"), action
            for name in written(form):
                if (action, name) in tried or action == "/sair":
                    continue
                tried.add((action, name))
                for length in LONG:
                    sent = filled(form) | {name: "x" * length}
                    del sent["once_key"]
                    answer = staff.post(action, data=sent)
                    if answer.status_code >= 500:
                        faults.append(f"{action} {name}: {answer.status_code}")
                    if answer.status_code == 303 and (kept := too_long(app)):
                        faults.append(f"{action} {name}: {kept}")
    assert len(tried) > 70
    assert not faults, faults
