"""A plugin is taken away and comes back: its records stay readable meanwhile, and all answers as before afterwards."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import func, select
from werkzeug.routing import Rule

from registry.app import create_app
from registry.cli import cli
from registry.cli.console import Console
from registry.cli.plugin import listing
from registry.domain.occasion import Occasion
from registry.jobs import heads_file, nightly
from registry.plugins import PluginHost
from registry.services.desk import Desk
from registry.services.public_rows import rebuild_public
from registry.settings import Settings
from registry.store.access import User, UserRole
from registry.store.audit import verify
from registry.store.charges import Charge, Posting
from registry.store.engine import Store
from registry.store.inspections import Inspection
from registry.store.people import Person
from registry.store.permits import Permit, PermitVehicle, PublicRow
from registry.store.requests import Request, RequestDocument
from registry.store.vehicles import Vehicle
from tests.conftest import DEMO_AT as AT
from tests.conftest import Copied

CHARTER, TAXI = "fretamento_rmr", "taxi_recife"
MECHANISMS = ("taxi_pontos", "taxi_bandeiras", "taxi_rendicao")
AWAY: dict[str, tuple[str, ...]] = {
    "the taxi with its mechanisms": (TAXI, *MECHANISMS),
    "every plugin": (CHARTER, TAXI, *MECHANISMS),
}
WORDS = {"section": "contato", "act": "encerrar", "key": "custo_km", "code": "fotos"}
# what only stands with the plugin: a form of its own, or a page that says why it cannot be filled in now
MAIN = ("permits.page", "people.page", "vehicles.page", "requests.page", "inspections.page", "treasury.charge")
pytestmark = pytest.mark.xdist_group("demo")


@pytest.fixture(scope="module")
def whole(filled_demo: Copied, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    """The demonstration's desk, with a user of each authority who has every role."""
    desk, _ = filled_demo(tmp_path_factory.mktemp("removal"))
    with desk.store.writing() as session:
        for code in desk.settings.authorities:
            user = User(authority=code, username=f"todos.{code}", name="Rita", password_hash="*", created_at=AT)
            session.add(user)
            session.flush()
            session.add_all(UserRole(user_id=user.id, role=role) for role in desk.settings.roles)
    yield desk
    desk.store.close()


def without(desk: Desk, gone: Sequence[str]) -> Desk:
    """The desk of an installation whose configuration lost these plugins and their regimes."""
    kept = tuple(name for name in desk.settings.plugins if name not in gone)
    codes = {code for code, regime in desk.host.regimes.items() if regime.plugin not in gone}
    authorities = {
        code: replace(each, regimes=tuple(regime for regime in each.regimes if regime in codes))
        for code, each in desk.settings.authorities.items()
    }
    own = {name: table for name, table in desk.settings.plugin.items() if name in kept}
    settings: Settings = replace(desk.settings, plugins=kept, authorities=authorities, plugin=own)
    return Desk(desk.store, PluginHost.load(settings), settings, desk.files)


def application(desk: Desk) -> Flask:
    app = create_app(desk.settings, desk.host, desk.store, lambda: AT)
    app.config["PROPAGATE_EXCEPTIONS"] = False
    return app


def staff_of(app: Flask, desk: Desk, authority: str) -> FlaskClient:
    with desk.store.reading() as session:
        user = session.scalars(select(User.id).where(User.username == f"todos.{authority}")).one()
    client = app.test_client()
    with client.session_transaction() as session_:
        session_.update({"_user_id": f"{user}:1", "_fresh": True, "seen": AT.isoformat()})
    return client


def stories(desk: Desk, authority: str) -> list[dict[str, Any]]:
    """One request of each state with all that hangs on it, and one permit of each kind of end, as address arguments."""
    found: list[dict[str, Any]] = []
    with desk.store.reading() as session:

        def first(column: Any, *where: Any) -> Any:
            return session.scalar(select(column).where(*where).order_by(column).limit(1))

        ids = select(func.min(Request.id)).where(Request.authority == authority).group_by(Request.shown)
        for request in session.scalars(select(Request).where(Request.id.in_(ids))):
            found.append(
                {
                    "request_id": request.id,
                    "id": request.id,
                    "person_id": request.applicant_id,
                    "vehicle_id": request.vehicle_id,
                    "permit_id": request.permit_id,
                    "document_id": first(RequestDocument.id, RequestDocument.request_id == request.id),
                    "inspection_id": first(Inspection.id, Inspection.request_id == request.id),
                    "charge_id": first(Charge.id, Charge.request_id == request.id),
                }
            )
        kinds = (
            select(func.min(Permit.id))
            .where(Permit.authority == authority)
            .group_by(Permit.category, Permit.end_reason)
        )
        for permit in session.scalars(select(Permit).where(Permit.id.in_(kinds))):
            vehicle = first(PermitVehicle.vehicle_id, PermitVehicle.permit_id == permit.id)
            inspection = first(Inspection.id, Inspection.vehicle_id == vehicle)
            found.append(
                {
                    "permit_id": permit.id,
                    "person_id": permit.holder_id,
                    "vehicle_id": vehicle,
                    "inspection_id": inspection,
                }
            )
        paid = session.execute(
            select(Posting.id, Posting.receipt_id).join(Charge).where(Charge.authority == authority).limit(1)
        ).first()
        if paid:
            found.append({"posting_id": paid.id, "receipt_id": paid.receipt_id})
        for kind in session.scalars(select(Person.kind).where(Person.authority == authority).distinct()):
            found.append({"person_id": first(Person.id, Person.authority == authority, Person.kind == kind)})
    return [{name: id_ for name, id_ in each.items() if id_ is not None} for each in found]


def addresses(app: Flask, known: Sequence[dict[str, Any]], method: str = "GET") -> Iterator[tuple[Rule, str]]:
    """Every address that takes the method, for each story that has what it takes."""
    for rule in app.url_map.iter_rules():
        if method not in (rule.methods or ()) or rule.endpoint == "static":
            continue
        seen = set()
        for story in [*known, {}]:
            values = {name: story.get(name, WORDS.get(name)) for name in rule.arguments}
            if None in values.values():
                continue
            built = rule.build(values, append_unknown=False)
            if built and built[1] not in seen:
                seen.add(built[1])
                yield rule, built[1]


def plates(desk: Desk) -> list[str]:
    with desk.store.reading() as session:
        standing = select(PublicRow.plate_key).where(
            PublicRow.withdrawn_at.is_(None), PublicRow.regime.in_([CHARTER, TAXI])
        )
        return sorted(session.scalars(select(Vehicle.plate).where(Vehicle.plate_key.in_(standing)).distinct()))


def answers(app: Flask, asked: Sequence[str]) -> dict[str, Any]:
    """What JSON says of each plate."""
    client = app.test_client()
    said = {}
    for plate in asked:
        response = client.get(f"/api/v1/vehicles/{plate}")
        assert response.status_code in (200, 404), f"{plate}: {response.status_code}"
        said[plate] = json.loads(response.text)
    return said


@pytest.mark.parametrize("gone", [pytest.param(names, id=name.replace(" ", "-")) for name, names in AWAY.items()])
def test_every_page_opens_and_the_records_are_there_without_it(whole: Desk, gone: tuple[str, ...]) -> None:
    bare = without(whole, gone)
    app = application(bare)
    for authority, each in whole.settings.authorities.items():
        if not {whole.host.plugin_of(regime) for regime in each.regimes} & set(gone):
            continue
        staff, known = staff_of(app, bare, authority), stories(whole, authority)
        assert len(known) > 5
        opened = set()
        for rule, address in addresses(app, known):
            answer = staff.get(address)
            assert answer.status_code < 500, f"{address} ({rule.endpoint}): {answer.status_code}"
            if rule.endpoint in MAIN:
                assert answer.status_code == 200, f"{address}: {answer.status_code}"
                opened.add(rule.endpoint)
            if not rule.arguments:
                answer = staff.get(address, headers={"HX-Request": "true"})
                assert answer.status_code < 500, f"{address} as a fragment: {answer.status_code}"
        assert opened == set(MAIN)


def test_no_form_breaks_without_it(whole: Desk, tmp_path: Path) -> None:
    """On a copy of the database: what still may be saved is saved, the rest is refused, nothing crashes."""
    source = whole.store.sqlite_path()
    assert source is not None
    with closing(sqlite3.connect(source)) as here, closing(sqlite3.connect(tmp_path / "copy.db")) as there:
        here.backup(there)
    store = Store(f"sqlite:///{tmp_path / 'copy.db'}")
    bare = replace(without(whole, AWAY["every plugin"]), store=store)
    app = application(bare)
    app.config["WTF_CSRF_ENABLED"] = False
    sent = {
        **dict.fromkeys(("version", "charge"), "1"),
        **dict.fromkeys(("reason", "text", "note", "act", "place", "name"), "x"),
        **dict.fromkeys(("on_day", "day", "since", "until", "on"), "30/11/2026"),
        "result": "indeferido",
        "status": "aceito",
        "method": "pix",
    }
    for authority in whole.settings.authorities:
        staff, known = staff_of(app, bare, authority), stories(whole, authority)
        for rule, address in addresses(app, known, "POST"):
            if rule.endpoint not in ("login.leave", "login.enter"):
                answer = staff.post(address, data=sent)
                assert answer.status_code < 500, f"{address} ({rule.endpoint}): {answer.status_code}"
    store.close()


@pytest.mark.parametrize("gone", [(CHARTER,), (TAXI,)], ids=[CHARTER, TAXI])
def test_its_permits_are_read_listed_found_and_taken_home(whole: Desk, gone: tuple[str, ...]) -> None:
    bare = without(whole, gone)
    app = application(bare)
    authority = whole.settings.authority_of(gone[0])
    assert authority is not None
    staff = staff_of(app, bare, authority.code)
    with whole.store.reading() as session:
        permit, vehicle, holder = session.execute(
            select(Permit, Vehicle, Person)
            .join(PermitVehicle, PermitVehicle.permit_id == Permit.id)
            .join(Vehicle, Vehicle.id == PermitVehicle.vehicle_id)
            .join(Person, Person.id == Permit.holder_id)
            .where(Permit.regime == gone[0], Permit.ended_on.is_(None))
            .order_by(Permit.id)
            .limit(1)
        ).one()
    shown = {
        f"/outorgas/{permit.id}": (permit.number, holder.name),
        f"/veiculos/{vehicle.id}": (permit.number,),
        f"/pessoas/{holder.id}": (holder.name, permit.number),
        f"/outorgas?q={permit.number}": (permit.number, holder.name),
        f"/busca?q={vehicle.plate}": (permit.number,),
        f"/busca?q={holder.name.split()[0]}": (holder.name,),
    }
    for address, texts in shown.items():
        answer = staff.get(address, follow_redirects=True)
        for told in texts:
            assert told in answer.text, f"{address} does not tell {told}"
    lines = staff.get("/outorgas/planilha.csv").text.splitlines()
    assert len(lines) > 20 and any(permit.number in line for line in lines)


def test_the_public_is_told_that_the_status_is_unavailable(whole: Desk) -> None:
    app = application(without(whole, (TAXI,)))
    with whole.store.reading() as session:
        plate = session.scalars(
            select(Vehicle.plate)
            .join(PublicRow, PublicRow.plate_key == Vehicle.plate_key)
            .where(PublicRow.regime == TAXI, PublicRow.withdrawn_at.is_(None))
            .limit(1)
        ).one()
    client = app.test_client()
    page, data = client.get(f"/consulta?placa={plate}"), client.get(f"/api/v1/vehicles/{plate}")
    assert page.status_code == data.status_code == 200
    assert "ituação indisponível" in page.text
    (answer,) = json.loads(data.text)["authorizations"]
    assert answer["authorized"] is None and answer["available"] is False and answer["number"]


def test_what_runs_meanwhile_harms_nothing_and_it_answers_as_before_when_it_is_back(
    whole: Desk, tmp_path: Path
) -> None:
    gone = AWAY["every plugin"]
    asked = plates(whole)[::6]
    assert len(asked) > 20
    before = answers(application(whole), asked)
    bare = without(whole, gone)
    during = answers(application(bare), asked)
    away = {code for code, regime in whole.host.regimes.items() if regime.plugin in gone}
    for plate, said in during.items():
        for answer in said.get("authorizations", ()):
            assert answer["available"] is (answer["regime"] not in away), plate

    def occasion(authority: str) -> Occasion:
        return Occasion("registro", authority, AT, bare.settings.authority(authority).zone)

    night = nightly(bare, occasion, heads_file(tmp_path))
    assert not night.failed
    for authority in bare.settings.authorities:
        _, moved = rebuild_public(bare, occasion(authority))
        assert moved == 0
    for command in (
        ("public", "rebuild"),
        ("public", "show", asked[0]),
        ("backup", str(tmp_path / "copy.zip")),
        ("jobs", "run"),
        ("audit", "verify"),
        ("plugin", "list"),
        ("db", "current"),
        ("replay",),
    ):
        console = Console()
        vars(console).update(settings=bare.settings, host=bare.host, store=bare.store, desk=bare)
        result = CliRunner().invoke(cli, command, obj=console)
        assert result.exit_code == 0, f"{' '.join(command)}: {result.output} {result.exception!r}"
    assert (tmp_path / "copy.zip").stat().st_size > 10_000
    with whole.store.reading() as session:
        assert verify(session).intact
    assert answers(application(whole), asked) == before


def test_the_list_of_plugins_tells_what_is_left_without_one(whole: Desk) -> None:
    bare = without(whole, (TAXI,))
    unused = {each.name: each for each in listing.lines(bare.settings.plugins, bare.store)}[TAXI]
    assert unused.state == listing.UNUSED and unused.permits and unused.permits[TAXI] > 50


def test_an_uninstalled_plugin_is_told_by_its_records(whole: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    points = {name: point for name, point in listing.installed_plugins().items() if name != TAXI}
    monkeypatch.setattr(listing, "installed_plugins", lambda: points)
    bare = without(whole, (TAXI,))
    orphan = {each.name: each for each in listing.lines(bare.settings.plugins, bare.store)}[TAXI]
    assert orphan.state == listing.ORPHAN and orphan.permits and orphan.permits[TAXI] > 50
