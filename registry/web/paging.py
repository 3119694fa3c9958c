"""Lists a page at a time, all of it in the address: filters that are on, order, page, and the table to take home.

A view asks :func:`order_of` for the order, reads its lines, and gives the template one :class:`ListView`, from which
the macros of ``components/list.html`` draw chips, headings that sort, pages and the link to the table.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from flask import abort, request, url_for

PAGE, ORDER = "page", "ordem"
PAGE_SIZE = 20
DOWN = "-"
"""What stands before the code of an order that runs from the last to the first."""
_MOST = 100_000

Line = TypeVar("Line")


@dataclass(frozen=True)
class Chip:
    """A filter that is on: its label, and the address of the list without it."""

    label: str
    address: str


@dataclass(frozen=True)
class ListView:
    """A list as its address asks for it.

    ``kept`` are the filters and the order as the address has them, ``clear`` is the list without filters, ``export``
    the address of its table ("" = it has none); ``default`` is the order of a list that none was asked of.
    """

    chips: tuple[Chip, ...]
    kept: Mapping[str, str]
    clear: str
    order: str
    default: str
    export: str
    _endpoint: str
    _place: Mapping[str, Any]

    def page(self, number: int) -> str:
        """The address of a page of this list."""
        return self._at({**self.kept, **({PAGE: str(number)} if number > 1 else {})})

    def sorted_by(self, code: str) -> str:
        """``ascending`` or ``descending`` where the list is in this order, else ""."""
        stands = self.order or self.default
        return {code: "ascending", f"{DOWN}{code}": "descending"}.get(stands, "")

    def sort(self, code: str) -> str:
        """The address of the list in this order; from the last to the first where it is in it already."""
        wanted = f"{DOWN}{code}" if self.sorted_by(code) == "ascending" else code
        kept = {name: value for name, value in self.kept.items() if name != ORDER}
        return self._at(kept if wanted == self.default else {**kept, ORDER: wanted})

    def _at(self, values: Mapping[str, str]) -> str:
        return url_for(self._endpoint, **{**values, **self._place})


def page_number() -> int:
    """The page asked for, from 1; anything but a whole number above zero is no page (404)."""
    typed = request.args.get(PAGE, "1")
    if not (typed.isascii() and typed.isdecimal() and len(typed) < 9 and 1 <= int(typed) <= _MOST):
        abort(404)
    return int(typed)


def order_of(codes: Collection[str]) -> str:
    """The order asked for: one of the codes, with «-» before it from the last to the first, "" for the list's own.

    Anything else is no page (404).
    """
    asked = request.args.get(ORDER, "")
    if asked and asked.removeprefix(DOWN) not in codes:
        abort(404)
    return asked


def list_view(
    chips: Mapping[str, str], *, default: str, export: str = "", place: Mapping[str, str] | None = None
) -> ListView:
    """The list that the address of this request asks for.

    Args:
        chips: for each name of a filter in the address the label of its chip; "" where the filter is off.
        default: the order of a list that none was asked of, as :func:`order_of` writes it.
        export: the endpoint of its table, which reads the same filters from its address.
        place: what every address of the list has besides, such as the day of an agenda.
    """
    asked = {name: request.args[name] for name in (*chips, ORDER) if request.args.get(name)}
    kept = {name: value for name, value in asked.items() if chips.get(name) or name == ORDER}
    endpoint, fixed = str(request.endpoint), {**(place or {}), **(request.view_args or {})}

    def without(name: str) -> str:
        return url_for(endpoint, **{**{each: value for each, value in kept.items() if each != name}, **fixed})

    return ListView(
        chips=tuple(Chip(label, without(name)) for name, label in chips.items() if label),
        kept=kept,
        clear=url_for(endpoint, **{**{each: kept[each] for each in (ORDER,) if each in kept}, **fixed}),
        order=kept.get(ORDER, ""),
        default=default,
        export=url_for(export, **{**kept, **fixed}) if export else "",
        _endpoint=endpoint,
        _place=fixed,
    )


def quoted(typed: str) -> str:
    """The chip of a text that was looked for; "" for none."""
    return f"«{typed.strip()}»" if typed.strip() else ""


def address_of_page() -> Callable[[int], str]:
    """Gives the address of each page of a list without filters of its own, what its address has kept."""
    kept = {name: value for name, value in request.args.items() if name != PAGE and value and name[0] != "_"}

    def address(page: int) -> str:
        values = {**kept, **(request.view_args or {}), **({PAGE: page} if page > 1 else {})}
        return url_for(str(request.endpoint), **values)

    return address


def page_of(lines: Sequence[Line], number: int) -> Sequence[Line]:
    """One page of lines that were all read; a page after the last is none (404)."""
    if number > max(1, -(-len(lines) // PAGE_SIZE)):
        abort(404)
    return lines[(number - 1) * PAGE_SIZE : number * PAGE_SIZE]


def in_order(lines: Sequence[Line], order: str, keys: Mapping[str, Callable[[Line], Any]]) -> list[Line]:
    """Lines that were all read in the order asked for, "" as they came; what is None or empty comes last."""
    if not order:
        return list(lines)
    key, down = keys[order.removeprefix(DOWN)], order.startswith(DOWN)
    known = sorted((line for line in lines if key(line) not in (None, "")), key=key, reverse=down)
    return known + [line for line in lines if key(line) in (None, "")]
