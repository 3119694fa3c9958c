"""A stale save: both values of each differing field, of which the editor chooses one.

What only one of the two changed is chosen already; where both did, nothing is, and a choice that is left out is asked
for again with everything kept.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal

from flask import Flask, Response, current_app, make_response, render_template, request
from itsdangerous import BadData, URLSafeSerializer

from registry.domain.text import format_hour
from registry.services.errors import Stale
from registry.web import htmx
from registry.web.edge import zone
from registry.web.formats import field_text, shown

SEALED = "conflito"
_FAULT = "Escolha o que fica."
_NOT_KEPT = {"version", "csrf_token", "once_key", SEALED}


@dataclass(frozen=True)
class Row:
    """One differing field: its values as people read them, as they stand in the input, and which one is chosen."""

    field: str
    label: str
    before: str
    mine: str
    theirs: str
    mine_typed: str
    theirs_typed: str
    chosen: Literal["mine", "theirs", ""]
    fault: str = ""


def stale(error: Stale) -> Response:
    """The page of a stale save (409), or the part of it that htmx puts into the notice area."""
    when = f" às {format_hour(error.at.astimezone(zone()))}" if error.at else ""
    rows = [_row(entry) for entry in error.entries]
    response = _page(rows, error.by, when, error.version, 409)
    return htmx.into_notice(response)


def refuse_unchosen() -> Response | None:
    """Asks again for what was not chosen (422) before any view reads its absence as an empty field."""
    sealed = request.form.get(SEALED, "") if request.method == "POST" else ""
    if not sealed:
        return None
    try:
        rows, by, when, version = _serializer().loads(sealed)
        found = [_again(Row(**row)) for row in rows]
    except (BadData, TypeError, ValueError):
        return None
    return _page(found, by, when, version, 422) if any(row.fault for row in found) else None


def init_app(app: Flask) -> None:
    """Looks at what was chosen before the view does."""
    app.before_request(refuse_unchosen)
    app.register_error_handler(Stale, stale)


def _row(entry: Any) -> Row:
    """A differing field; its words where the screen gives them (``mine_words``), its text as it was typed."""
    chosen: Literal["mine", "theirs", ""] = ""
    if entry.before == entry.theirs:
        chosen = "mine"
    elif entry.before == entry.mine:
        chosen = "theirs"
    words = {name: getattr(entry, f"{name}_words", "") for name in ("before", "mine", "theirs")}
    return Row(
        field=entry.field,
        label=entry.label,
        before=words["before"] or shown(entry.before),
        mine=words["mine"] or shown(entry.mine),
        theirs=words["theirs"] or shown(entry.theirs),
        mine_typed=request.form.get(entry.field) or field_text(entry.mine),
        theirs_typed=field_text(entry.theirs),
        chosen=chosen,
    )


def _again(row: Row) -> Row:
    """The row with what was chosen now."""
    sent = request.form.get(row.field)
    if sent is None:
        return Row(**asdict(row) | {"chosen": "", "fault": _FAULT})
    return Row(**asdict(row) | {"chosen": "mine" if sent == row.mine_typed else "theirs", "fault": ""})


def _page(rows: list[Row], by: str, when: str, version: int, status: int) -> Response:
    fields = {row.field for row in rows} | _NOT_KEPT
    kept = [(name, value) for name, values in request.form.lists() if name not in fields for value in values]
    what = (
        "Escolha o que fica em cada campo." if rows else "Nenhum campo seu difere do que está agora. Confira e grave."
    )
    context = {
        "title": "Outra pessoa mudou este registro",
        "message": f"{by} mudou este cadastro{when}, depois que você abriu. {what}",
        "rows": rows,
        "faults": [row for row in rows if row.fault],
        "kept": kept,
        "sealed": _serializer().dumps([[asdict(row) for row in rows], by, when, version]),
        "version": version,
        "by": by.split()[0] if by else "Outra pessoa",
        "when": when,
        "status": status,
        "failed": True,
        "code": "",
    }
    name = "errors/_stale.html" if htmx.wants_fragment() else "errors/stale.html"
    return make_response(render_template(name, **context), status)


def _serializer() -> URLSafeSerializer:
    return URLSafeSerializer(str(current_app.secret_key), salt="registry.conflict")
