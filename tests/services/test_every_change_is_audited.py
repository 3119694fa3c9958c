"""Every use case that writes leaves an entry in the audit chain, in the same transaction.

The use cases are read from the source: one that is written later and is in neither table below fails this test.
"""

from __future__ import annotations

import ast
import sys
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from datetime import date, timedelta
from decimal import Decimal
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import event

import registry.services
from registry.services import (
    acts,
    anonymisation,
    assignment,
    charges,
    corrections,
    credits,
    decisions,
    documents,
    import_runs,
    import_undo,
    imports,
    indexes,
    inspection_photos,
    inspections,
    invitations,
    legacy_debts,
    merging,
    offices,
    people,
    permits,
    plates,
    privacy,
    public_rows,
    registers,
    requests,
    restrictions,
    returns,
    setup,
    users,
    vehicles,
    waits,
)
from registry.services.desk import Desk
from registry.services.setup_changes import AuthorityInput
from registry.store.audit import verify
from registry.store.imports import ImportRun
from registry.store.permits import PermitVehicle
from tests import factories, regime
from tests.factories import NOON, Clerk
from tests.services import steps
from tests.services.imports.fleet import FLEET

SERVICES = Path(registry.services.__file__).parent
DERIVED = {
    "progress.refresh_all": "brings what lists show of a request up to the day; no fact changes",
    "decisions._open_what_is_due": "opens a fee, which is audited as such, or nothing",
    "users._count_attempt": "counts an attempt; the lock that the last one brings is audited",
    "demo.fill": "the demonstration enters the configured authorities",
    "demo._regime": "the demonstration enters invented records",
    "demo_requests._documents": "the demonstration reads what is wanted",
    "demo_requests._inspect": "the demonstration reads the checklist",
}
TODAY = NOON.date()
PASSWORD = "uma senha longa e boa"


def writers() -> set[str]:
    """The functions of the services that open a writing transaction, as ``module.function``."""
    found = set()
    for path in SERVICES.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef) and any(
                isinstance(inner, ast.Call) and isinstance(inner.func, ast.Attribute) and inner.func.attr == "writing"
                for inner in ast.walk(node)
            ):
                found.add(f"{path.stem}.{node.name}")
    return found


class Watch:
    """What each writing function did: the tables that it changed, and how many of its transactions left no entry."""

    def __init__(self, desk: Desk) -> None:
        self.changed: dict[str, set[str]] = defaultdict(set)
        self.silent: set[str] = set()
        self.audited: set[str] = set()
        self.desk = desk
        self._tables: set[str] = set()

    def statement(self, connection: Any, cursor: Any, statement: str, *rest: Any) -> None:
        words = statement.replace('"', "").split()
        verb = words[0].upper() if words else ""
        if verb in ("INSERT", "DELETE"):
            self._tables.add(words[2].partition("(")[0])
        elif verb == "UPDATE":
            self._tables.add(words[1])

    def begun(self, connection: Any) -> None:
        self._tables = set()

    def committed(self, connection: Any) -> None:
        if not self._tables:
            return
        who = self._writer()
        if "audit_entry" in self._tables:
            self.audited.add(who)
        else:
            self.silent.add(who)
        self.changed[who] |= self._tables

    def _writer(self) -> str:
        frame: Any = sys._getframe()
        while frame is not None:
            name = frame.f_globals.get("__name__", "")
            if name.startswith("registry.services."):
                return f"{name.rpartition('.')[2]}.{frame.f_code.co_name}"
            frame = frame.f_back
        return "a test"


@pytest.fixture
def watch(desk: Desk) -> Iterator[Watch]:
    made = Watch(desk)
    engine = desk.store.engine
    listeners = (("before_cursor_execute", made.statement), ("begin", made.begun), ("commit", made.committed))
    for name, listener in listeners:
        event.listen(engine, name, listener)
    yield made
    for name, listener in listeners:
        event.remove(engine, name, listener)


def test_every_use_case_that_writes_leaves_an_entry(desk: Desk, jonas: Clerk, rita: Clerk, watch: Watch) -> None:
    the_registers(desk, jonas)
    the_staff(desk, jonas)
    granted = the_main_job(desk, jonas, rita)
    the_end(desk, jonas, granted)
    what_is_put_right(desk, jonas)
    assert not {who: watch.changed[who] for who in watch.silent - DERIVED.keys() - {"a test"}}
    left = writers() - watch.audited - DERIVED.keys()
    assert not left, f"neither audited here nor explained: {sorted(left)}"
    assert DERIVED.keys() <= writers(), "an explanation of a use case that is gone"
    with desk.store.reading() as session:
        assert verify(session).intact


def the_registers(desk: Desk, clerk: Clerk) -> None:
    """People, memberships, vehicles, index values, closed days, a file."""
    now = clerk.occasion()
    coop, member = factories.cooperative(desk, clerk), factories.person(desk, clerk, factories.CPFS[3], "Caio Reis")
    people.update_person(now, desk, member, 1, {"name": "Caio Reis Filho"})
    people.end_membership(now, desk, people.add_member(now, desk, coop, member, TODAY), TODAY)
    boat = factories.vehicle(desk, clerk, "KKX2E41")
    vehicles.update_vehicle(now, desk, boat, 1, {"seats": 30})
    indexes.enter_index_value(now, desk, "custo", TODAY + timedelta(days=9), Decimal("5.50"), "Portaria 3/2026")
    indexes.close_day(now, desk, TODAY + timedelta(days=10), "Obra", "Portaria 4/2026")
    wrong = acts.enter_act(now, desk, acts.ActInput("portaria", "3/2026", TODAY))
    acts.end_act(
        now, desk, acts.correct_act(now, desk, wrong, acts.ActInput("edital", "3/2026", TODAY), "Tipo"), "Não há"
    )
    bar = restrictions.restrict_vehicle(
        now, desk, boat, regime=regime.CODE, kind="seizure", since=TODAY, reason="Retida no cais"
    )
    restrictions.lift_restriction(now, desk, bar, TODAY, "Devolvida")
    report = imports.preview(now, desk, regime.CODE, BytesIO(FLEET.encode()), "frota.csv")
    imports.write(now, desk, report)
    the_imports(desk, clerk)


def the_imports(desk: Desk, clerk: Clerk) -> None:
    """A run that is opened, chosen for, written and undone; one whose writer is gone."""
    now = clerk.occasion()
    other = FLEET.replace("RZ", "RY").replace(";000", ";001").encode()
    first, second = (
        import_runs.start(now, desk, "vehicles", BytesIO(data), "frota.csv", regime.CODE)
        for data in (other, FLEET.encode())
    )
    import_runs.choose(now, desk, first, imports.Choices(existing="keep"))
    import_runs.enqueue(now, desk, first)
    import_runs.perform(now, desk, first)
    import_undo.undo(now, desk, first, "Frota de outro ano")
    with desk.store.writing() as session:
        session.get_one(ImportRun, second).state = "gravando"
    assert import_runs.run_state(now, desk, second).state == "falhou"


def the_staff(desk: Desk, clerk: Clerk) -> None:
    """Users, their roles and offices, a log-in."""
    now = clerk.occasion()
    user = users.create_user(now, desk, "bia", "Bia Sá", PASSWORD, ["atendente"])
    users.set_roles(now, desk, user, ["analista"])
    users.set_password(now, desk, user, PASSWORD[::-1])
    users.authenticate(desk, "bia", PASSWORD[::-1], NOON)
    link = invitations.make_link(now, desk, invitations.invite(now, desk, "lia", "Lia Sá", ["atendente"]).user_id)
    invitations.accept(desk, link.secret, PASSWORD, NOON)
    invitations.cancel(now, desk, invitations.make_link(now, desk, link.user_id).user_id)
    setup.save_authority(now, desk, AuthorityInput("Capitania", "Capitania", str(factories.ZONE)), 0)
    held = offices.appoint(now, desk, user, regime.CODE, steps.OFFICE, TODAY, act="Portaria 5/2026")
    offices.end_appointment(now, desk, held, TODAY)
    users.end_sessions(replace(now, actor_id=user), desk)
    users.set_active(now, desk, user, False)


def the_main_job(desk: Desk, clerk: Clerk, director: Clerk) -> int:
    """Drafts, papers, waits, inspections, payments and a grant; gives the permit."""
    now = clerk.occasion()
    steps.appoint(desk, director)
    dropped = factories.draft(desk, clerk, applicant_id=factories.person(desk, clerk, factories.CPFS[1], "Dora Paz"))
    requests.save_request(now, desk, dropped, 1, facts={"crew": "3"})
    documents.waive_document(now, desk, dropped, "fotos", "Já entregues")
    requests.file_request(now, desk, dropped)
    wait = waits.open_exigencia(now, desk, dropped, "Junte o registro")
    waits.answer_exigencia(now, desk, wait, True)
    returns.return_request(director.occasion(), desk, dropped, steps.version_of(desk, dropped), "Confirme os lugares")
    requests.withdraw_request(now, desk, dropped, "Vendeu a barca")

    boat = factories.vehicle(desk, clerk, "PGT4H87")
    request_id = factories.filed(desk, clerk, applicant_id=factories.person(desk, clerk), vehicle_id=boat)
    factories.accept_all(desk, clerk, request_id)
    paper = factories.attach(desk, clerk, request_id, "antecedentes")
    documents.review_document(now, desk, paper, 1, "aceito")
    documents.open_document(now, desk, paper, True)
    assignment.take_request(now, desk, request_id)
    assignment.pass_request(now, desk, request_id, director.id)
    receipt_of_inspection = steps.pay(desk, clerk, request_id)
    with desk.store.reading() as session:
        posting = charges.receipt_page(session, clerk.authority, receipt_of_inspection).lines[0].posting_id
    charges.reverse_posting(now, desk, posting, "Pagou outro")
    steps.pay(desk, clerk, request_id, amount=Decimal("2000.00"))
    first = steps.book(desk, clerk, request_id)
    inspections.move_inspection(now, desk, first, 1, NOON + timedelta(hours=0.5), "Cais")
    inspections.cancel_inspection(now, desk, first, 2, "Chuva")
    second = steps.book(desk, clerk, request_id, NOON + timedelta(minutes=1))
    photo = inspection_photos.add_photo(now, desk, second, "casco", BytesIO(b"\xff\xd8\xff"), "a.jpg")
    inspection_photos.remove_photo(now, desk, second, photo, "Outra barca")
    inspections.record_no_show(clerk.occasion(minutes=5), desk, second, 1)
    steps.inspect(desk, clerk, request_id)
    for charge_id in steps.open_charges(desk, request_id):
        credits.use_credit(clerk.occasion(hours=steps.LATER), desk, charge_id)
    version = steps.version_of(desk, request_id)
    made = decisions.decide(director.occasion(hours=2), desk, request_id, version, "deferido")
    assert made.permit_id is not None
    return made.permit_id


def the_end(desk: Desk, clerk: Clerk, permit_id: int) -> None:
    """A bar by mistake, the public rows made anew, the end of the permit, the closing of the till."""
    later = clerk.occasion(hours=3)
    bar = restrictions.restrict_permit(later, desk, permit_id, kind="suspension", since=TODAY, reason="Portaria 6/2026")
    restrictions.void_restriction(later, desk, bar, "Era outra outorga")
    with desk.store.writing() as session:
        row = session.query(public_rows.PublicRow).filter_by(permit_id=permit_id, withdrawn_at=None).first()
        assert row is not None
        row.withdrawn_at = later.at
    public_rows.rebuild_public(desk, later)
    registers.record_export(later, desk, "pessoas", 1, {"q": "Ana"})
    with desk.store.reading() as session:
        vehicle_id = session.query(PermitVehicle).filter_by(permit_id=permit_id).one().vehicle_id
    permits.remove_vehicle(later, desk, permit_id, vehicle_id, 1, TODAY, "Venda")
    permits.end_permit(later, desk, permit_id, 2, date(2026, 12, 31), "A pedido")
    with desk.store.reading() as session:
        expected = charges.cash_of_day(session, clerk.authority, TODAY).expected
    charges.close_cash(later, desk, TODAY, expected)


def what_is_put_right(desk: Desk, clerk: Clerk) -> None:
    """A plate that changed, two duplicates, a wrong bar, a record by mistake, a debt from before."""
    now = replace(clerk.occasion(hours=4), office=steps.OFFICE)
    boat, twin = factories.vehicle(desk, clerk, "OYV4B22"), factories.vehicle(desk, clerk, "OYV4B23")
    plates.change_plate(now, desk, boat, 1, plates.PlateChange("QYL5D81", TODAY, "Clonagem"))
    made = merging.merge(now, desk, "vehicle", boat, twin, 3, taken=(), reason="A mesma barca")
    merging.undo(now, desk, made, "Eram duas")
    bar = restrictions.restrict_vehicle(
        now, desk, boat, regime=regime.CODE, kind="seizure", since=TODAY, reason="Retida no cais"
    )
    with desk.store.reading() as session:
        wrong = corrections.wrong_row(session, desk, clerk.authority, "restriction", bar)
    corrections.correct(now, desk, "restriction", bar, wrong.stamp, None, reason="Era outra")
    corrections.end_record(now, desk, "vehicle", twin, 3, reason="Não existe")
    person = factories.person(desk, clerk, factories.CPFS[4], "Lia Reis")
    old = legacy_debts.DebtInput(regime.CODE, "fine", Decimal("9.90"), TODAY, "Sistema antigo", "Auto 1/2019")
    legacy_debts.annul(now, desk, legacy_debts.enter_debt(now, desk, person, old), "Pago lá")
    privacy.export_person(now, desk, person)
    anonymisation.anonymise(clerk.occasion(days=4_000), desk, person, "Prazo de guarda vencido")
    privacy.sweep(clerk.occasion(days=4_000), desk)
