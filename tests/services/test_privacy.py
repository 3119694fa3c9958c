"""One person's data: given out whole and of nobody else, ended where nothing needs them, the chain still whole."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select, text, update
from sqlalchemy.orm import Session

from registry.plugins import RuleFailed
from registry.services import corrections, merging, privacy
from registry.services.anonymisation import anonymise, due, hindrances_of
from registry.services.backup import back_up
from registry.services.desk import Desk
from registry.services.errors import NotFound, Refused
from registry.services.people import add_member, update_person
from registry.services.person_pages import person_page
from registry.services.vault import path_of, stored
from registry.store.access import UnknownLogIn
from registry.store.audit import AuditEntry, verify
from registry.store.charges import Charge
from registry.store.engine import Store
from registry.store.once import remember
from registry.store.people import Membership, Person
from registry.store.permits import Permit
from registry.store.requests import Request
from registry.testing.databases import Databases
from tests import factories, regime
from tests.factories import NOON, Clerk
from tests.hooks import planted
from tests.services.backups import rows

LATER = {"days": 4_000}
SECRETS = ("Ana Lima", "Ana Maria Lima", factories.CPFS[0], "ana@exemplo.com.br", "81999998888", "Rua das Flores")


@pytest.fixture
def desk(request: pytest.FixtureRequest, tmp_path: Path) -> Desk:
    """On both engines where a test is marked so, else on SQLite."""
    both = request.node.get_closest_marker("usefixtures")
    return factories.desk(request.getfixturevalue("store" if both else "sqlite_store"), tmp_path)


@pytest.fixture
def ana(desk: Desk, jonas: Clerk) -> int:
    """A person with a request that ended, its papers, and a permit that ended; everything long ago by LATER."""
    person_id = factories.person(
        desk, jonas, email="ana@exemplo.com.br", phone="81999998888", address="Rua das Flores, 7", cnh=""
    )
    update_person(jonas.occasion(), desk, person_id, 1, {"name": "Ana Maria Lima"})
    boat = factories.vehicle(desk, jonas)
    request_id = factories.filed(desk, jonas, applicant_id=person_id, vehicle_id=boat)
    factories.attach(desk, jonas, request_id, "antecedentes", factories.PDF + b"Ana")
    permit_id = factories.permit(desk.store, person_id, boat, ended_on=date(2026, 6, 1), licence_until=None)
    with desk.store.writing() as session:
        session.execute(update(Request).values(state="desistencia", decided_at=NOON, permit_id=permit_id))
        session.execute(update(Charge).values(cancelled_at=NOON))
    return person_id


@pytest.mark.usefixtures("engine_name")
def test_whatever_names_the_person_goes_and_the_chain_stays_whole(desk: Desk, jonas: Clerk, ana: int) -> None:
    bia = factories.person(desk, jonas, factories.CPFS[1], "Beatriz Souza")
    before = rows(desk.store)
    assert all(each in json.dumps(before) for each in ("Ana Maria Lima", factories.CPFS[0], "Rua das Flores"))
    done = anonymise(jonas.occasion(**LATER), desk, ana, "prazo de guarda vencido")
    assert done.files == 1
    assert list(stored(desk.files)) == []

    after = json.dumps(rows(desk.store), ensure_ascii=False)
    assert [each for each in SECRETS if each in after] == []
    with desk.store.reading() as session:
        report = verify(session)
        assert (report.intact, report.redacted) == (True, done.entries)
        person = session.get_one(Person, ana)
        assert (person.name, person.document) == (f"Pessoa anonimizada {ana}", "")
        assert person.anonymised_at is not None
        told = session.scalars(select(AuditEntry).where(AuditEntry.subject_id == bia, AuditEntry.subject == "person"))
        assert all(each.after for each in told)
        page = person_page(session, desk, factories.PORT, ana, (NOON + timedelta(**LATER)).date())
        assert page.history[0].text == "Dados anonimizados"
    kept = rows(desk.store)
    for table in ("permit", "request", "licence", "charge", "verdict", "inspection", "public_row"):
        assert len(kept[table]) == len(before[table])


@pytest.mark.usefixtures("engine_name")
def test_nothing_of_the_person_stays_with_others_whom_they_had_to_do_with(desk: Desk, jonas: Clerk) -> None:
    """A cooperative whose wrong membership was put right, a person who was taken for this one and parted again."""
    ana = factories.person(desk, jonas, born_on=date(1980, 5, 1), email="ana@exemplo.com.br")
    bia = factories.person(desk, jonas, factories.CPFS[1], "Beatriz Souza")
    coop = factories.cooperative(desk, jonas)
    member = add_member(jonas.occasion(), desk, coop, ana, date(2020, 5, 1))
    with desk.store.reading() as session:
        wrong = corrections.wrong_row(session, desk, factories.PORT, "membership", member)
    order = replace(jonas.occasion(), office=next(iter(merging.offices(desk, factories.PORT)), ""))
    corrections.correct(order, desk, "membership", member, wrong.stamp, None, reason="Era outra cooperativa")
    for kept, gone in ((bia, ana), (ana, bia)):
        with desk.store.reading() as session:
            version = session.get_one(Person, kept).version + session.get_one(Person, gone).version
        made = merging.merge(order, desk, "person", kept, gone, version, taken=["email"], reason="A mesma")
        merging.undo(order, desk, made, "Eram duas")
    exported = privacy.export_person(jonas.occasion(), desk, ana)
    assert "Beatriz" not in exported.as_json()
    assert {"membership.begun", "correction.made"} <= {each["action"] for each in exported.history}
    assert "Ana Lima" not in privacy.export_person(jonas.occasion(), desk, bia).as_json()
    anonymise(jonas.occasion(**LATER), desk, ana, "prazo de guarda vencido")
    after = json.dumps(rows(desk.store), ensure_ascii=False)
    assert not [each for each in ("Ana Lima", factories.CPFS[0], "ana@exemplo.com.br", "1980-05-01") if each in after]
    with desk.store.reading() as session:
        assert verify(session).intact
        assert session.get_one(Person, bia).name == "Beatriz Souza"


@pytest.mark.usefixtures("engine_name")
def test_whoever_shares_a_telephone_is_another(desk: Desk, jonas: Clerk, ana: int) -> None:
    """A family has one telephone and one e-mail: neither is given out nor blanked with the other's data."""
    shared = {"email": "ana@exemplo.com.br", "phone": "81999998888"}
    bia = factories.person(desk, jonas, factories.CPFS[1], "Beatriz Souza", **shared)
    assert "Beatriz" not in privacy.export_person(jonas.occasion(), desk, ana).as_json()
    anonymise(jonas.occasion(**LATER), desk, ana, "prazo de guarda vencido")
    with desk.store.reading() as session:
        told = select(AuditEntry).where(AuditEntry.subject == "person", AuditEntry.subject_id == bia)
        assert all(each.after for each in session.scalars(told))
        assert session.get_one(Person, bia).phone == shared["phone"]


def test_a_second_time_is_refused_and_a_double_click_is_not(desk: Desk, jonas: Clerk, ana: int) -> None:
    anonymise(jonas.occasion(once_key="k", **LATER), desk, ana, "prazo")
    assert anonymise(jonas.occasion(once_key="k", **LATER), desk, ana, "prazo").entries == 0
    with pytest.raises(Refused, match="já foram anonimizados"):
        anonymise(jonas.occasion(**LATER), desk, ana, "prazo")


def _set(table: Any, **values: Any) -> Callable[[Session, int], None]:
    return lambda session, _ana: session.execute(update(table).values(**values)) and None


def _join(until: date | None) -> Callable[[Session, int], None]:
    def change(session: Session, ana: int) -> None:
        at, since = NOON, date(2026, 1, 1)
        session.add(Membership(cooperative_id=ana, member_id=ana, since=since, until=until, recorded_at=at))
        session.flush()

    return change


RECENT, LATELY = (NOON + timedelta(days=3_000)).date(), NOON + timedelta(days=3_000)
HINDERED: tuple[tuple[Callable[[Session, int], None], str], ...] = (
    (_set(Permit, ended_on=None), "outorga em vigor"),
    (_set(Permit, ended_on=RECENT), "última outorga terminou"),
    (_set(Request, state="em_analise", decided_at=None), "requerimento aberto"),
    (_set(Request, decided_at=LATELY), "último requerimento"),
    (_set(Request, state="rascunho", opened_at=NOON + timedelta(days=3_900)), "requerimento aberto"),
    (_set(Charge, cancelled_at=None), "débito em aberto"),
    (_set(Charge, settled_at=LATELY), "último pagamento"),
    (_join(None), "cooperada"),
    (_join(RECENT), "cooperada"),
    (_set(Person, created_at=LATELY), "cadastro foi feito"),
)


class UndoneError(Exception):
    """Ends a transaction without its changes."""


@pytest.mark.usefixtures("engine_name")
def test_what_still_needs_the_data_is_told_one_by_one(desk: Desk, jonas: Clerk, ana: int) -> None:
    on, kept = (NOON + timedelta(**LATER)).date(), desk.settings.retention
    with desk.store.reading() as session:
        assert [each.id for each in due(session, factories.PORT, on, kept)] == [ana]
    for hinder, message in HINDERED:
        with suppress(UndoneError), desk.store.writing() as session:
            hinder(session, ana)
            told = hindrances_of(session, [ana], on, kept)
            assert [message in each for each in told] == [True], (message, told)
            assert due(session, factories.PORT, on, kept) == ()
            raise UndoneError


def test_a_person_whose_data_are_needed_stays_as_it_is(desk: Desk, jonas: Clerk, ana: int) -> None:
    before = rows(desk.store)
    with pytest.raises(Refused, match=r"há menos de 1\.825 dias"):
        anonymise(jonas.occasion(), desk, ana, "prazo")
    assert rows(desk.store) == before


def test_the_term_is_the_configurations_to_the_day(desk: Desk, jonas: Clerk, ana: int) -> None:
    kept = desk.settings.retention
    last = NOON.date() + timedelta(days=kept.person_days)
    with desk.store.reading() as session:
        assert hindrances_of(session, [ana], last, kept)
        assert not hindrances_of(session, [ana], last + timedelta(days=1), kept)


def test_a_reason_a_natural_person_and_the_own_authority_are_wanted(desk: Desk, jonas: Clerk, ana: int) -> None:
    stranger = factories.clerk(desk.store, "Bruno", factories.OTHER)
    with pytest.raises(Refused, match="motivo"):
        anonymise(jonas.occasion(**LATER), desk, ana, " ")
    for named in ("Pedido de ana máría LIMA", "CPF 023.456.781-35, a pedido"):
        with pytest.raises(Refused, match="sem o nome nem o CPF"):
            anonymise(jonas.occasion(**LATER), desk, ana, named)
    with pytest.raises(Refused, match="não é pessoa física"):
        anonymise(jonas.occasion(**LATER), desk, factories.company(desk, jonas), "prazo")
    with pytest.raises(NotFound):
        anonymise(stranger.occasion(**LATER), desk, ana, "prazo")
    with pytest.raises(NotFound):
        privacy.export_person(stranger.occasion(), desk, ana)


def test_a_plugin_blanks_its_own_rows_in_the_same_transaction(store: Store, tmp_path: Path) -> None:
    told: list[Any] = []

    def registry_anonymise(session: Any, person_ids: Any, occasion: Any) -> None:
        told.append((tuple(person_ids), session.get_one(Person, person_ids[0]).name))
        raise RuntimeError("the plugin's own fault")

    hook = planted.hook("registry_anonymise", registry_anonymise)
    desk = factories.desk(store, tmp_path, regime.module(registry_anonymise=hook))
    jonas = factories.clerk(store)
    ana = factories.person(desk, jonas)
    with pytest.raises(RuleFailed):
        anonymise(jonas.occasion(**LATER), desk, ana, "prazo")
    assert told == [((ana,), f"Pessoa anonimizada {ana}")]
    with store.reading() as session:
        assert session.get_one(Person, ana).name == "Ana Lima"
        assert verify(session).redacted == 0


@pytest.mark.usefixtures("engine_name")
def test_a_file_that_another_person_sent_too_stays(desk: Desk, jonas: Clerk, ana: int, tmp_path: Path) -> None:
    other = factories.filed(desk, jonas, applicant_id=factories.person(desk, jonas, factories.CPFS[1], "Beatriz"),
                            vehicle_id=factories.vehicle(desk, jonas, "KGA1C34"))  # fmt: skip
    factories.attach(desk, jonas, other, "antecedentes", factories.PDF + b"Ana")
    assert anonymise(jonas.occasion(**LATER), desk, ana, "prazo").files == 0
    assert len(list(stored(desk.files))) == 1
    assert back_up(jonas.occasion(), desk.store, desk.files, tmp_path / "a.zip", lambda _step: None).missing == ()


@pytest.mark.usefixtures("engine_name")
def test_the_export_has_everything_of_the_person_and_nothing_of_others(desk: Desk, jonas: Clerk, ana: int) -> None:
    bia = factories.person(desk, jonas, factories.CPFS[1], "Beatriz Souza")
    after_her = factories.filed(desk, jonas, applicant_id=bia, vehicle_id=factories.vehicle(desk, jonas, "KGA1C34"))
    with desk.store.writing() as session:
        permit_id = session.scalar(select(Permit.id).where(Permit.holder_id == ana))
        session.execute(update(Request).where(Request.id == after_her).values(permit_id=permit_id))
    found = privacy.export_person(jonas.occasion(), desk, ana)
    content = json.loads(found.as_json())
    tables = content["tables"]
    assert [row["name"] for row in tables["person"]] == ["Ana Maria Lima"]
    assert {"person", "request", "permit", "permit_vehicle", "licence", "charge", "request_document", "file",
            "vehicle"} <= tables.keys()  # fmt: skip
    assert [row["applicant_id"] for row in tables["request"]] == [ana]
    assert [row["plate"] for row in tables["vehicle"]] == ["RZT6B18"]
    assert "person.created" in {each["action"] for each in content["history"]}
    page = found.as_page()
    for said in ("Ana Maria Lima", "Rua das Flores, 7", "Outorgas", "antecedentes.pdf", "Cadastro alterado"):
        assert said in page
    assert "Beatriz" not in page + found.as_json()
    with desk.store.reading() as session:
        last = session.scalars(select(AuditEntry).order_by(AuditEntry.seq.desc()).limit(1)).one()
        assert (last.action, last.subject_id) == ("person.exported", ana)


def test_the_page_shows_what_was_typed_and_obeys_nothing_of_it(desk: Desk, jonas: Clerk) -> None:
    eva = factories.person(desk, jonas, name="<script>alert(1)</script>")
    assert "<script" not in privacy.export_person(jonas.occasion(), desk, eva).as_page()


def test_a_plugins_rows_are_exported_though_it_is_not_loaded(databases: Databases, tmp_path: Path) -> None:
    store = databases.migrated("sqlite")
    desk = factories.desk(store, tmp_path)
    jonas = factories.clerk(store)
    ana, bia = factories.person(desk, jonas), factories.person(desk, jonas, factories.CPFS[1], "Beatriz")
    with store.engine.begin() as connection:
        reference = "person_id integer not null references person(id)"
        connection.execute(text(f"create table gone__course (id integer primary key, {reference}, school varchar(40))"))
        connection.execute(text(f"insert into gone__course values (1, {ana}, 'Escola do Mar')"))
        connection.execute(text(f"insert into gone__course values (2, {bia}, 'Outra')"))
    tables = json.loads(privacy.export_person(jonas.occasion(), desk, ana).as_json())["tables"]
    assert tables["gone__course"] == [{"id": 1, "person_id": ana, "school": "Escola do Mar"}]
    databases.drop(store)


def test_the_sweep_takes_old_traces_and_files_of_no_row(desk: Desk, jonas: Clerk, ana: int) -> None:
    orphan, fresh = "ab" + "0" * 62, "cd" + "0" * 62
    for each, age in ((orphan, 2), (fresh, 0)):
        path = path_of(desk.files, each)
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(b"x")
        when = (NOON + timedelta(days=100 - age)).timestamp()
        os.utime(path, (when, when))
    with desk.store.writing() as session:
        remember(session, jonas.occasion(once_key="old"), "x", 1)
        remember(session, jonas.occasion(once_key="new", days=99), "x", 1)
        session.add(UnknownLogIn(username="52998224725", failures=1, last_at=NOON))
    done = privacy.sweep(jonas.occasion(days=100), desk)
    assert (done.clicks, done.log_ins, done.files) == (1, 1, 1)
    assert fresh in stored(desk.files)
    assert orphan not in stored(desk.files)
    assert len(list(stored(desk.files))) == 2
    assert privacy.sweep(jonas.occasion(days=100), desk) == privacy.Swept(0, 0, 0, 0)
