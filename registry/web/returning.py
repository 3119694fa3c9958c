"""The way back to a form that sent one to enter a record: ``?volta=``, with the number of the record that was made."""

from __future__ import annotations

from collections.abc import Iterable
from urllib.parse import parse_qsl, urlencode, urlsplit

from flask import request

from registry.web.login.session import back_to

RETURN = "volta"


def way_back() -> str:
    """Where the form came from, in this registry; "" when it came from nowhere."""
    given = request.values.get(RETURN, "")
    address = back_to(given)
    anchor = urlsplit(given).fragment if address else ""
    return f"{address}#{anchor}" if anchor.isidentifier() else address


def way_back_with(names: Iterable[str], number: str) -> str:
    """:func:`way_back` with a number, if any, in the place of what was typed in the field of one of these names."""
    address, _, anchor = way_back().partition("#")
    path, _, query = address.partition("?")
    wanted = set(names)
    told = [(name, number if number and name in wanted else value) for name, value in parse_qsl(query)]
    return path + (f"?{urlencode(told)}" if told else "") + (f"#{anchor}" if anchor else "")
