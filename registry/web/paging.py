"""Lists a page at a time: the page of the address, and the address of another page with the same filters."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from flask import abort, request, url_for

PAGE = "page"
_MOST = 100_000


def page_number() -> int:
    """The page asked for, from 1; anything but a whole number above zero is no page (404)."""
    typed = request.args.get(PAGE, "1")
    if not (typed.isascii() and typed.isdecimal() and len(typed) < 9 and 1 <= int(typed) <= _MOST):
        abort(404)
    return int(typed)


def address_of_page() -> Callable[[int], str]:
    """Gives the address of each page of this list, its filters kept."""
    kept: dict[str, Any] = {name: value for name, value in request.args.items() if name != PAGE and value}

    def address(page: int) -> str:
        values = {**(request.view_args or {}), **kept, **({PAGE: page} if page > 1 else {})}
        return url_for(str(request.endpoint), **values)

    return address
