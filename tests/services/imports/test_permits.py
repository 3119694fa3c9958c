"""A list of permits comes in with its holders: made, completed, or in conflict with what stands here."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from registry.domain.imports.table import read_table
from registry.services import imports, status
from registry.services.desk import Desk
from registry.services.errors import Refused
from registry.services.imports import Choices
from registry.store import audit
from registry.store.audit import AuditEntry
from registry.store.engine import Store
from registry.store.people import Person
from registry.store.permits import Permit, PermitVehicle
from registry.store.search import search_people
from registry.store.vehicles import Restriction
from tests import factories, regime
from tests.factories import NOON, PORT, Clerk
from tests.services.imports.fleet import (
    FLEET,
    HOLDERS,
    PERMITS,
    TODAY,
    Bring,
    Preview,
    Quays,
    conflicts,
    counts,
    one_engine,
    permit,
)

SAMPLE = Path(__file__).parents[2] / "data" / "imports" / "s02_permissionarios.csv"
PLACES = Path(__file__).parents[2] / "data" / "imports" / "s04_localidades.csv"


def person(store: Store, document: str) -> Person:
    with store.reading() as session:
        return session.scalars(select(Person).where(Person.document == document, Person.ended_at.is_(None))).one()


def whole(preview: Preview, text: str, **more: Any) -> list[tuple[int, str]]:
    return conflicts(preview(text, kind="permits", **more))


# coming in


def test_each_row_becomes_a_holder_a_permit_and_a_vehicle(store: Store, bring: Bring) -> None:
    written = bring(PERMITS, kind="permits")
    assert (written.holders, written.permits, written.vehicles, written.known) == (3, 3, 3, 0)
    ana = person(store, "02345678135")
    assert (ana.name, ana.kind, ana.cnh, ana.cnh_confirmed) == ("Ana Lima", "natural", "90000001174", False)
    assert (ana.nationality, ana.address, ana.facts) == ("brasileira", "Rua A", {"cnh_until": "2027-12-31"})
    row, vehicle, under = permit(store, "0007")
    assert (row.holder_id, row.granted_on, row.granted_on_known) == (ana.id, date(2010, 6, 5), True)
    assert (row.facts, row.category, vehicle.plate, under.since) == ({"note": "Cais novo"}, "comum", "RZA1B23", TODAY)
    assert person(store, "11222333000181").kind == "company"


def test_what_the_list_says_of_a_permit_is_what_the_public_learns(store: Store, desk: Desk, bring: Bring) -> None:
    bring(PERMITS, kind="permits")
    suspended, ended = permit(store, "0008")[0], permit(store, "0009")[0]
    assert (ended.ended_on, ended.granted_on, ended.granted_on_known) == (TODAY, TODAY, False)
    with store.reading() as session:
        bar = session.scalars(select(Restriction)).one()
        assert (bar.permit_id, bar.kind, bar.since, bar.until) == (suspended.id, "suspension", TODAY, None)
        told = {plate: status.answers(session, desk, plate, NOON)[0].sentence for plate in ("RZB1234", "RZC1234")}
    assert told["RZB1234"] != told["RZC1234"]


def test_a_second_import_of_the_same_list_changes_nothing(store: Store, bring: Bring, preview: Preview) -> None:
    bring(PERMITS, kind="permits")
    before = counts(store)
    for days in (0, 3):
        report = preview(PERMITS, kind="permits", days=days)
        assert (report.blocked, report.plan.says_nothing_new, report.remarks) == (False, True, ())
        again = bring(PERMITS, kind="permits", days=days)
        assert again.nothing_changed and again.known == 3
    assert counts(store) == before


def test_every_record_is_in_the_audit_and_the_chain_holds(store: Store, bring: Bring) -> None:
    bring(PERMITS, kind="permits")
    with store.reading() as session:
        assert audit.verify(session).intact
        actions = session.scalars(select(AuditEntry.action).order_by(AuditEntry.seq)).all()
    assert actions[-10:] == ["permits.imported", *(["vehicle.imported", "person.imported", "permit.imported"] * 3)]


@one_engine
def test_plugins_get_the_holder_too(store: Store, bring: Bring, quays: Quays) -> None:
    bring(PERMITS.replace("\n", ";CAIS A\n").replace("obs;CAIS A", "obs;ponto"), kind="permits")
    assert quays.rows[0]["holder_id"] == person(store, "02345678135").id
    assert quays.rows[0]["ponto"] == "CAIS A" and len(quays.quays) == 3


def test_a_permit_without_a_vehicle_comes_in(store: Store, bring: Bring, quays: Quays) -> None:
    written = bring("permissão;nome;cpf\n7;Ana Lima;02345678135\n", kind="permits")
    assert (written.permits, written.vehicles) == (1, 0)
    assert quays.rows[0]["vehicle_id"] is None
    assert bring("permissão;nome;cpf\n7;Ana Lima;02345678135\n", kind="permits").nothing_changed


# beside what stands here


def test_a_fleet_without_holders_is_completed_by_the_list_of_permits(store: Store, bring: Bring) -> None:
    bring()
    written = bring(PERMITS, kind="permits")
    assert (written.permits, written.vehicles, written.holders, written.changed_permits) == (0, 0, 3, 3)
    row = permit(store, "0007")[0]
    assert (row.holder_id, row.granted_on, row.granted_on_known) == (
        person(store, "02345678135").id,
        date(2010, 6, 5),
        True,
    )
    assert (permit(store, "0009")[0].ended_on, row.version) == (TODAY, 2)
    assert bring(PERMITS, kind="permits").nothing_changed


def test_a_person_who_is_here_is_the_holder_and_gets_what_is_missing(
    store: Store, desk: Desk, jonas: Clerk, bring: Bring
) -> None:
    ana = factories.person(desk, jonas, "02345678135", "ANA LIMA", phone="81 3333-0000")
    bring(PERMITS.replace("Ana Lima", "Aná Lima"), kind="permits")
    row = person(store, "02345678135")
    assert (row.id, row.name, row.phone, row.address, row.version) == (ana, "Aná Lima", "81 3333-0000", "Rua A", 2)
    with store.reading() as session:
        assert [hit.name for hit in search_people(session, PORT, "ana").hits] == ["Aná Lima"]


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("Rua A", "Rua B", "No cadastro está «Rua A»."),
        ("Ana Lima", "Ana Reis", "No cadastro está «Ana Lima»."),
        ("31/12/2027", "31/12/2028", "No cadastro está «31/12/2027»."),
        ("Cais novo", "Cais velho", "No cadastro está «Cais novo»."),
        ("05/06/2010", "06/06/2010", "No cadastro está «05/06/2010»."),
        ("ativo", "cancelado", "No cadastro está em vigor."),
        ("ativo", "suspenso", "No cadastro não está suspensa."),
    ],
)
@one_engine
def test_what_differs_is_a_conflict_until_the_clerk_chooses(
    bring: Bring, preview: Preview, old: str, new: str, says: str
) -> None:
    bring(PERMITS, kind="permits")
    other = PERMITS.replace(old, new)
    assert whole(preview, other) == [(2, says)]
    with pytest.raises(Refused):
        bring(other, kind="permits")
    assert bring(other, kind="permits", existing="keep").nothing_changed
    written = bring(other, kind="permits", existing="replace")
    assert written.changed_holders + written.changed_permits == 1
    assert bring(other, kind="permits").nothing_changed


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("Ana Lima;02345678135;90000001174", "Caio Sá;52998224725;", "No cadastro, permissão 0007 é de outro titular."),
        ("suspenso", "ativo", "No cadastro está suspensa."),
        ("cancelado", "ativo", "No cadastro, permissão 0009 terminou em 30/11/2026."),
        ("RZA1B23", "RZD1234", "No cadastro, permissão 0007 está com o veículo RZA1B23."),
    ],
)
@one_engine
def test_what_only_a_request_or_an_act_can_change_is_a_conflict(
    bring: Bring, preview: Preview, old: str, new: str, says: str
) -> None:
    bring(PERMITS, kind="permits")
    for choice in ("ask", "keep", "replace"):
        assert says in [message for _, message in whole(preview, PERMITS.replace(old, new), existing=choice)]


@one_engine
def test_a_day_of_grant_after_the_day_on_which_it_was_in_effect_is_a_conflict(bring: Bring, preview: Preview) -> None:
    bring()
    late = PERMITS.replace("05/06/2010", "21/11/2026")
    assert whole(preview, late) == [(2, "No cadastro, já valia em 20/11/2026.")]


@one_engine
def test_a_list_of_authorisations_gives_one_permit_its_vehicles(store: Store, bring: Bring, preview: Preview) -> None:
    text = (
        "termo;empresa;cnpj;placa\n7;Rota Viva Ltda.;11222333000181;RZA1B23\n7;ROTA VIVA LTDA.;11222333000181;RZB1234\n"
    )
    assert preview(text, kind="permits").sheet.profile.name == "autorizatarios"
    written = bring(text, kind="permits")
    assert (written.permits, written.vehicles, written.holders) == (1, 2, 1)
    assert bring(text, kind="permits").nothing_changed


@one_engine
def test_a_permit_gets_its_second_vehicle_where_the_profile_lets_it(
    store: Store, desk: Desk, jonas: Clerk, bring: Bring, tmp_path: Path
) -> None:
    with_two = HOLDERS + "7;Ana Lima;02345678135;;;RZA1B23;;;;\n7;Ana Lima;02345678135;;;RZD1234;;;;\n"
    with pytest.raises(Refused, match="outra placa"):
        bring(with_two, kind="permits")
    content = (factories.CONFIG / "import" / "permissionarios.toml").read_text(encoding="utf-8")
    (tmp_path / "import").mkdir()
    folder = tmp_path / "import" / "nossa.toml"
    folder.write_text(content.replace('kind = "permits"', 'kind = "permits"\nfleet = true'), encoding="utf-8")
    settings = replace(desk.settings, sources=(*desk.settings.sources, tmp_path / "nosso.toml"))
    own = replace(desk, settings=settings)
    report = imports.preview(
        jonas.occasion(), own, regime.CODE, BytesIO(with_two.encode()), "x.csv", Choices("nossa"), "permits"
    )
    written = imports.write(jonas.occasion(), own, report)
    assert (written.permits, written.vehicles, written.holders) == (1, 2, 1)
    with store.reading() as session:
        assert len(session.scalars(select(PermitVehicle)).all()) == 2


# the worked example


def test_the_sample_comes_in_once_the_clerk_has_answered(store: Store, bring: Bring) -> None:
    data = SAMPLE.read_bytes().decode().encode("cp1252")
    with pytest.raises(Refused, match="6 erros e conflitos"):
        bring(data, kind="permits")
    with pytest.raises(Refused, match="célula I5"):
        bring(data, kind="permits", skip=(4, 6, 7))
    written = bring(data, kind="permits", skip=(4, 6, 7), confirm=("i5",))
    assert (written.holders, written.permits, written.vehicles) == (2, 2, 2)
    assert person(store, "02345678135").name == "José Conceição da Silva Açaí"
    row = permit(store, "0003")[0]
    assert (row.granted_on, row.facts["note"]) == (date(2022, 1, 1), "=CMD|' /C calc'!A0")
    before = counts(store)
    assert bring(data, kind="permits", skip=(4, 6, 7), confirm=("I5",)).nothing_changed
    assert counts(store) == before


@one_engine
def test_a_confirmed_cnh_is_kept_as_confirmed(store: Store, bring: Bring, preview: Preview) -> None:
    text = HOLDERS + "7;Ana Lima;02345678135;90000003321;;;;;;\n"
    assert preview(text, kind="permits").blocked
    bring(text, kind="permits", confirm=("D2",))
    assert person(store, "02345678135").cnh_confirmed
    assert bring(text, kind="permits", confirm=("D2",)).nothing_changed


# the names of a real list


def test_names_with_accents_and_blanks_at_their_end_are_found_without(store: Store, bring: Bring) -> None:
    documents = ("02345678135", "52998224725", "11144477735", "39053344705", "15350946056")
    names = [each.cell(1) for each in read_table(PLACES.read_bytes().decode().encode("latin-1")).records[1:]]
    lines = [f"{n};{name}   ;{document}" for n, (name, document) in enumerate(zip(names, documents, strict=True), 1)]
    bring("\n".join(["permissão;nome;cpf", *lines]).encode("latin-1"), kind="permits")
    with store.reading() as session:
        found = search_people(session, PORT, "agrolandia").hits
        assert [hit.name for hit in found] == ["AGROLÂNDIASC"]
        assert [hit.name for hit in search_people(session, PORT, "SAO LOURENCO").hits] == ["SÃO LOURENÇO DA MATAPE"]
        every = session.scalars(select(Person.name)).all()
    assert every == [name.strip() for name in every]


def test_the_permits_of_the_other_authority_are_not_seen(store: Store, bring: Bring, stranger: Clerk) -> None:
    bring(PERMITS, kind="permits")
    written = bring(PERMITS, kind="permits", by=stranger)
    assert (written.permits, written.holders) == (3, 3)
    with store.reading() as session:
        assert len(session.scalars(select(Permit)).all()) == 6


def test_the_fleet_does_not_empty_what_the_list_of_permits_gave(store: Store, bring: Bring) -> None:
    bring(PERMITS.replace("cancelado", "ativo"), kind="permits")
    written = bring(FLEET)
    assert (written.permits, written.changed, written.changed_permits) == (0, 3, 0)
    assert permit(store, "0007")[0].holder_id is not None
