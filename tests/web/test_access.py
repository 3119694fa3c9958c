"""Every view says who may open it; the guard holds it; a refusal names who can."""

from __future__ import annotations

from typing import Any

import pytest
from flask import Blueprint, Flask

from registry.app import create_app
from registry.web.access import PUBLIC, STAFF, UnguardedView, access, marks, refuse_unmarked
from registry.web.shell import MenuEntry, UnknownSection
from tests.architecture.source import ROOT
from tests.web.planted import PlantedHost

PUBLIC_ENDPOINTS = {"static", "login.form", "login.enter", "login.choose"}
PUBLIC_BLUEPRINTS = {"public", "json", "help", "health"}


def test_every_route_of_core_and_plugins_is_marked(app: Flask, settings: Any) -> None:
    found = marks(app)
    assert len(found) >= 6
    assert all(found.values()), [endpoint for endpoint, mark in found.items() if not mark]
    assert set(found.values()) <= {PUBLIC, STAFF, *settings.permissions}


def test_the_public_opens_only_what_is_meant_for_it(app: Flask) -> None:
    opened = {endpoint for endpoint, mark in marks(app).items() if mark == PUBLIC} - PUBLIC_ENDPOINTS
    plugins = {name for name, made in app.blueprints.items() if made.import_name.startswith("registry_")}
    strangers = {endpoint for endpoint in opened if endpoint.split(".")[0] not in PUBLIC_BLUEPRINTS | plugins}
    assert not strangers


def test_no_route_opens_without_log_in_unless_it_is_public(app: Flask, visitor: Any) -> None:
    found = marks(app)
    for rule in app.url_map.iter_rules():
        if found[rule.endpoint] == PUBLIC or "GET" not in (rule.methods or ()):
            continue
        values = dict.fromkeys(rule.arguments, "1")
        with app.test_request_context():
            address = app.url_for(rule.endpoint, **values)
        answer = visitor.get(address)
        assert answer.status_code == 303, f"{rule.endpoint}: {answer.status_code}"
        assert answer.location.startswith("/entrar"), rule.endpoint


def test_every_permission_of_the_settings_opens_something(settings) -> None:
    """A permission that no view and no template asks for would promise what the registry does not do."""
    folders = [ROOT / "registry", ROOT / "templates", ROOT / "plugins"]
    sources = [path for folder in folders for kind in ("*.py", "*.html") for path in folder.rglob(kind)]
    said = "".join(path.read_text(encoding="utf-8") for path in sources if "tests" not in path.parts)
    assert not [name for name in settings.permissions if f'"{name}"' not in said and f"'{name}'" not in said]


def planted(view: Any) -> Blueprint:
    made = Blueprint("planted", __name__)
    made.add_url_rule("/plantado", view_func=view)
    return made


def test_an_unmarked_view_of_a_plugin_stops_start_up(settings, shared_host, store_with_authorities) -> None:
    def bare() -> str:
        return "x"

    with pytest.raises(UnguardedView, match=r"planted\.bare .*test_access\.py:\d+.*@access") as stopped:
        create_app(settings, PlantedHost(shared_host, [planted(bare)]), store_with_authorities)  # type: ignore[arg-type]
    assert "não diz quem pode abri-la" in str(stopped.value)


def test_an_unknown_permission_stops_start_up(settings, shared_host, store_with_authorities) -> None:
    @access("people.veiw")
    def view() -> str:
        return "x"

    with pytest.raises(UnguardedView, match=r"permissão desconhecida 'people\.veiw'"):
        create_app(settings, PlantedHost(shared_host, [planted(view)]), store_with_authorities)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("entry", "told"),
    [
        (MenuEntry("nona", "Nona", "home.page"), "nona"),
        (MenuEntry("cadastros", "Pontos", "nada.lista"), "nada.lista"),
    ],
)
def test_a_menu_entry_must_lie_in_a_section_and_lead_somewhere(
    settings, shared_host, store_with_authorities, entry: MenuEntry, told: str
) -> None:
    with pytest.raises(UnknownSection, match=told):
        create_app(settings, PlantedHost(shared_host, [], (entry,)), store_with_authorities)  # type: ignore[arg-type]


def test_a_role_without_the_permission_is_told_who_can(planted_app, client_as, page) -> None:
    shown = page(client_as("vistoriador").get("/plantado/form"), 403)
    assert "Só quem tem o perfil Atendente ou Analista pode abrir esta página." in shown.text
    assert "Você entrou como Vistoriador." in shown.text


def test_a_role_with_the_permission_gets_in(planted_app, client_as, page) -> None:
    assert page(client_as("atendente").get("/plantado/form")).h1 == "Plantado"


def test_roles_add_up(planted_app, client_as, page) -> None:
    assert page(client_as("vistoriador", "atendente").get("/plantado/form")).h1 == "Plantado"


def test_the_menu_shows_only_what_the_role_opens(settings, shared_host, store_with_authorities, clock) -> None:
    @access("indexes.edit")
    def view() -> str:
        return "x"

    host = PlantedHost(shared_host, [planted(view)], (MenuEntry("indices", "Plantado", "planted.view"),))
    app = create_app(settings, host, store_with_authorities, clock)  # type: ignore[arg-type]
    from registry.web.access import permissions_of
    from registry.web.edge import Staff
    from registry.web.shell import menu

    for role, shown in (("diretor", True), ("atendente", False)):
        with app.test_request_context("/inicio"):
            from flask import g

            g._login_user = Staff(1, "emtu", "x", "X", (role,), permissions_of((role,), settings), 1)
            sections = [item.code for item in menu()]
        assert ("indices" in sections) is shown or role == "atendente"
        assert "inicio" in sections


def test_refuse_unmarked_accepts_the_application(app: Flask, settings: Any) -> None:
    refuse_unmarked(app, settings.permissions)
