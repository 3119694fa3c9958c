"""The frame around a page: menu by role, user, assets with a far cache, and what every template may call."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any
from uuid import uuid4

import structlog
from flask import Flask, Response, current_app, g, request, session, url_for
from sqlalchemy import func, select

from registry.domain.workflow import ENDED
from registry.plugins import StartError
from registry.store.requests import Request
from registry.web import findings, htmx
from registry.web.access import PUBLIC, STAFF, mark_of
from registry.web.edge import EXTENSION, authority, db, is_staff, settings, staff
from registry.web.why import cite, explain
from registry.web.words import status_of

FAR = 365 * 24 * 3600
SECTIONS = {
    "inicio": "Início",
    "requerimentos": "Requerimentos",
    "cadastros": "Cadastros",
    "vistorias": "Vistorias",
    "fiscalizacao": "Fiscalização",
    "tesouraria": "Tesouraria",
    "indices": "Índices e regras",
    "administracao": "Administração",
}
log = structlog.get_logger("registry")


class UnknownSection(StartError):
    """A menu entry names no section of the core, or a view that does not exist."""


@dataclass(frozen=True)
class MenuEntry:
    """One entry of the staff menu, inside one of the core's sections.

    ``section`` is a key of ``SECTIONS``; ``endpoint`` the view, which needs no arguments and whose ``@access`` mark
    says who sees the entry; ``order`` sorts within the section (the first one that the role opens is the section's own
    address); ``covers`` are further blueprints whose pages belong to this section; ``shown``, asked in each request,
    leaves the entry out where it is of no use to the user's authority.
    """

    section: str
    label: str
    endpoint: str
    order: int = 50
    covers: tuple[str, ...] = ()
    shown: Callable[[], bool] | None = None

    @property
    def blueprint(self) -> str:
        """The blueprint that the view belongs to."""
        return self.endpoint.rpartition(".")[0]


@dataclass(frozen=True)
class MenuItem:
    """A section or entry as the page shows it."""

    label: str
    url: str
    current: bool
    code: str = ""


def keep_menu(app: Flask, entries: Iterable[MenuEntry]) -> None:
    """Keeps the menu of the application. Raises :class:`UnknownSection` naming the entry and the mend."""
    kept = sorted(entries, key=lambda entry: entry.order)
    for entry in kept:
        if entry.section not in SECTIONS:
            known = ", ".join(SECTIONS)
            raise UnknownSection(
                f"A entrada de menu {entry.label!r} pede a seção {entry.section!r}. Use uma de: {known}."
            )
        if entry.endpoint not in app.view_functions:
            told = f"A entrada de menu {entry.label!r} leva à página {entry.endpoint!r}, que não existe."
            raise UnknownSection(f"{told} Escreva blueprint.função.")
    app.extensions[f"{EXTENSION}.menu"] = tuple(kept)


def _opens(endpoint: str) -> bool:
    mark = mark_of(current_app.view_functions[endpoint])
    return mark in (PUBLIC, STAFF) or staff().may(mark)


def section_of_page() -> str:
    """The section that the page belongs to; "" for none."""
    here = request.blueprint or ""
    entries: tuple[MenuEntry, ...] = current_app.extensions[f"{EXTENSION}.menu"]
    exact = next((entry.section for entry in entries if entry.endpoint == request.endpoint), "")
    return exact or next((each.section for each in entries if here and here in (each.blueprint, *each.covers)), "")


def menu() -> list[MenuItem]:
    """The sections that the user's roles open, in the core's order."""
    here, found = section_of_page(), []
    for code, label in SECTIONS.items():
        entry = next(iter(_entries(code)), None)
        if entry:
            found.append(MenuItem(label, url_for(entry.endpoint), code == here, code))
    return found


def submenu() -> list[MenuItem]:
    """The entries of the page's section, when there are several."""
    entries = _entries(section_of_page())
    here = _current(entries)
    return [MenuItem(each.label, url_for(each.endpoint), each is here) for each in entries] if len(entries) > 1 else []


def _entries(section: str) -> list[MenuEntry]:
    entries: tuple[MenuEntry, ...] = current_app.extensions[f"{EXTENSION}.menu"]
    ours = [entry for entry in entries if entry.section == section and _opens(entry.endpoint)]
    return [entry for entry in ours if entry.shown is None or entry.shown()]


def _current(entries: list[MenuEntry]) -> MenuEntry | None:
    """The entry of the page: its own view's, else the first of its blueprint."""
    exact = next((each for each in entries if each.endpoint == request.endpoint), None)
    ours = (each for each in entries if each.blueprint and each.blueprint == request.blueprint)
    return exact or next(ours, None)


@lru_cache(maxsize=256)
def _digest(path: Path, changed: int) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()[:12]


def asset(name: str) -> str:
    """The address of a static file with its digest, so that browsers may keep it for a year."""
    path = Path(current_app.static_folder or "") / name
    return url_for("static", filename=name, v=_digest(path, path.stat().st_mtime_ns))


def keep_assets(response: Response) -> Response:
    """A far cache for static files whose address changes with their content, none for pages about people."""
    if request.endpoint == "static" and response.status_code == 200:
        if "v" in request.args or request.path.startswith(f"{current_app.static_url_path}/vendor/"):
            response.cache_control.no_cache = None
            response.cache_control.public = True
            response.cache_control.max_age = FAR
            response.cache_control.immutable = True
    elif is_staff() and "Cache-Control" not in response.headers:
        response.headers["Cache-Control"] = "no-store"
    return response


NOUN_ENDPOINTS = {
    "person": "people.page",
    "vehicle": "vehicles.page",
    "permit": "permits.page",
    "request": "requests.page",
    "inspection": "inspections.page",
    "charge": "treasury.charge",
    "act": "acts.page",
}
"""The page of each kind of record; its address takes the record's id."""

_RECENT = "recent"
_KEEP_RECENT = 6


def noun_endpoint(noun: str) -> str:
    """The view that shows a kind of record; "" for one without a page."""
    return NOUN_ENDPOINTS.get(noun, "")


def address_of(noun: str, id: int) -> str:
    """The address of a record; "" when it has no page or the user may not open it."""
    endpoint = noun_endpoint(noun)
    if not endpoint or not has_endpoint(endpoint):
        return ""
    argument = next(iter(next(current_app.url_map.iter_rules(endpoint)).arguments))
    values: dict[str, Any] = {argument: id}
    return url_for(endpoint, **values)


def recent() -> list[tuple[str, int]]:
    """The records that the user opened last, newest first: noun and id, kept in the session's cookie."""
    return [(str(noun), int(id)) for noun, id in session.get(_RECENT, [])]


def remember_opened(response: Response) -> Response:
    """After a record's page was shown: keeps it among the recent ones."""
    noun = next((noun for noun, endpoint in NOUN_ENDPOINTS.items() if endpoint == request.endpoint), "")
    if noun and request.method == "GET" and response.status_code == 200 and is_staff() and request.view_args:
        here = (noun, int(next(iter(request.view_args.values()))))
        if (opened := recent())[:1] != [here]:
            session[_RECENT] = [here, *(each for each in opened if each != here)][:_KEEP_RECENT]
    return response


def has_queue() -> bool:
    """Whether requests are this user's work: who fills in, analyses or decides them."""
    return any(staff().may(permission) for permission in ("requests.edit", "requests.analyse", "requests.decide"))


def queue_count() -> int:
    """How many requests the user has, for the menu; read once in a request."""
    if "queue_count" not in g:
        mine = (Request.authority == staff().authority, Request.assigned_to == staff().id)
        live = select(func.count()).select_from(Request).where(*mine, Request.state.not_in(ENDED))
        g.queue_count = (db.session.scalar(live) or 0) if has_queue() else 0
    return int(g.queue_count)


def role_labels() -> str:
    """The user's roles as the header shows them."""
    return ", ".join(settings().roles.get(role, role) for role in staff().roles)


def has_endpoint(endpoint: str) -> bool:
    """Whether such a view exists and the user may open it."""
    return endpoint in current_app.view_functions and (not is_staff() or _opens(endpoint))


def init_app(app: Flask) -> None:
    """Gives templates what the frame needs."""
    app.after_request(keep_assets)
    app.after_request(remember_opened)

    @app.context_processor
    def frame() -> dict[str, Any]:
        return {
            "authority": authority() if settings().authorities else None,
            "user": staff() if is_staff() else None,
            "demo": settings().demo,
            "htmx_config": htmx.CONFIG,
            "failed": False,
        }

    app.jinja_env.globals.update(
        address_of=address_of,
        asset=asset,
        explain=explain,
        weighed=findings.weighed,
        word_of=findings.word_of,
        mend_of=findings.mend_of,
        status_of=status_of,
        cite=cite,
        menu=menu,
        submenu=submenu,
        role_labels=role_labels,
        has_endpoint=has_endpoint,
        queue_count=queue_count,
        new_key=lambda: uuid4().hex,
        sections=SECTIONS,
    )
