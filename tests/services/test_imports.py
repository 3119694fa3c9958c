"""A municipal file comes in whole or not at all, and says every time what it would change."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import date
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import func, select

from registry.domain.imports.remarks import RowRemark
from registry.services import imports, status
from registry.services.desk import Desk
from registry.services.errors import NotFound, Refused, RuleDown
from registry.services.import_write import Written
from registry.services.imports import Choices, ImportReport
from registry.settings import SettingsError
from registry.store import audit
from registry.store.audit import AuditEntry
from registry.store.engine import Store
from registry.store.permits import Permit, PermitVehicle, PublicRow, Sequence
from registry.store.vehicles import Vehicle
from tests import factories, regime
from tests.factories import NOON, OTHER, PORT, ZONE, Clerk

TODAY = NOON.astimezone(ZONE).date()
HEADER = "data_extracao;prefixo;placa;marca;modelo;ano_fabricacao;cor;ponto\n"
FLEET = (
    HEADER
    + "2026-11-20;0007;RZA1B23;NAVAL;MARÉ;2022;AZUL;CAIS A\n"
    + "2026-11-20;0008;RZB1234;NAVAL;MARÉ;2023;;\n"
    + "2026-11-20;0009;RZC1234;;;2024;VERDE;CAIS B\n"
)
TABLES = (Vehicle, Permit, PermitVehicle, PublicRow, AuditEntry, Sequence)


class Quays:
    """A plugin that keeps the quay of each permit."""

    def __init__(self) -> None:
        self.quays: dict[int, str] = {}
        self.rows: list[dict[str, Any]] = []
        self.broken_at: int | None = None

    def remarks(self, rows: Any) -> list[RowRemark]:
        return [
            RowRemark(row["line"], "ponto", "conflito", f"Aqui o cais é {self.quays[row['permit_id']]}.")
            for row in rows
            if row["ponto"] and self.quays.get(row["permit_id"], row["ponto"]) != row["ponto"]
        ]

    def write(self, row: Any) -> bool:
        if row["line"] == self.broken_at:
            raise LookupError("no quay")
        self.rows.append(dict(row))
        if not row["ponto"] or self.quays.get(row["permit_id"]) == row["ponto"]:
            return False
        self.quays[row["permit_id"]] = row["ponto"]
        return True

    def module(self) -> Any:
        def registry_import_remarks(rows: Any) -> Any:
            return self.remarks(rows)

        def registry_import_row(row: Any) -> bool:
            return self.write(row)

        return regime.module(registry_import_remarks=registry_import_remarks, registry_import_row=registry_import_row)


@pytest.fixture
def quays() -> Quays:
    return Quays()


@pytest.fixture
def desk(store: Store, tmp_path: Path, quays: Quays) -> Desk:
    return factories.desk(store, tmp_path, quays.module())


Preview = Callable[..., ImportReport]


@pytest.fixture
def preview(desk: Desk, jonas: Clerk) -> Preview:
    def made(text: str = FLEET, *, by: Clerk = jonas, code: str = regime.CODE, **choices: Any) -> ImportReport:
        stream = BytesIO(text.encode())
        return imports.preview(by.occasion(), desk, code, stream, "frota.csv", Choices(**choices))

    return made


@pytest.fixture
def bring(desk: Desk, jonas: Clerk, preview: Preview) -> Callable[..., Written]:
    def made(text: str = FLEET, *, by: Clerk = jonas, **choices: Any) -> Written:
        return imports.write(by.occasion(), desk, preview(text, by=by, **choices))

    return made


Bring = Callable[..., Written]


def counts(store: Store) -> dict[str, int]:
    with store.reading() as session:
        return {table.__tablename__: session.scalar(select(func.count()).select_from(table)) or 0 for table in TABLES}


def permit(store: Store, number: str, authority: str = PORT) -> Any:
    with store.reading() as session:
        return session.execute(
            select(Permit, Vehicle, PermitVehicle)
            .join(PermitVehicle, PermitVehicle.permit_id == Permit.id)
            .join(Vehicle, Vehicle.id == PermitVehicle.vehicle_id)
            .where(Permit.number == number, Permit.authority == authority)
        ).one()


def conflicts(report: ImportReport) -> list[tuple[int, str]]:
    return [(each.line, each.message) for each in report.remarks_of("conflito")]


# coming in


def test_each_row_becomes_a_vehicle_and_a_permit_whose_holder_is_not_known(store: Store, bring: Bring) -> None:
    written = bring()
    assert (written.vehicles, written.permits, written.plugin_rows, written.known) == (3, 3, 2, 0)
    row, vehicle, under = permit(store, "0007")
    assert (row.holder_id, row.category, row.regime, row.ended_on) == (None, "comum", regime.CODE, None)
    assert (row.granted_on, row.granted_on_known, row.version) == (date(2026, 11, 20), False, 1)
    assert (vehicle.plate, vehicle.plate_key, vehicle.make, vehicle.year_made) == ("RZA1B23", "RZA1123", "NAVAL", 2022)
    assert (vehicle.colour, vehicle.seats, vehicle.fuel, vehicle.version) == ("AZUL", None, "", 1)
    assert (under.since, under.until, under.role) == (date(2026, 11, 20), None, "regular")


def test_a_file_without_its_day_speaks_of_the_day_of_the_import(store: Store, bring: Bring) -> None:
    bring("prefixo;placa;modelo\n7;RZA1B23;MARÉ\n")
    assert permit(store, "0007")[0].granted_on == TODAY


def test_plugins_get_every_row_with_the_ids_and_their_own_column(store: Store, bring: Bring, quays: Quays) -> None:
    bring()
    row, vehicle, _ = permit(store, "0007")
    first = quays.rows[0]
    assert (first["permit_id"], first["vehicle_id"], first["ponto"]) == (row.id, vehicle.id, "CAIS A")
    assert (first["line"], first["since"]) == (2, date(2026, 11, 20))
    assert [each["ponto"] for each in quays.rows] == ["CAIS A", None, "CAIS B"]


def test_the_plates_answer_at_once_in_both_forms(store: Store, desk: Desk, bring: Bring) -> None:
    bring()
    with store.reading() as session:
        for plate in ("RZA1B23", "RZA1123"):
            answer = status.answers(session, desk, plate, NOON)[0]
            assert (answer.card.number, answer.card.plate) == ("0007", "RZA1B23")
        assert status.answers(session, desk, "RZA1B23", NOON.replace(day=19)) == ()


def test_every_record_and_the_file_are_in_the_audit_and_the_chain_holds(
    store: Store, bring: Bring, jonas: Clerk
) -> None:
    before = counts(store)["audit_entry"]
    written = bring()
    with store.reading() as session:
        assert audit.verify(session).intact
        entries = session.scalars(select(AuditEntry).where(AuditEntry.seq > before).order_by(AuditEntry.seq)).all()
    assert [entry.action for entry in entries] == ["vehicles.imported", *(["vehicle.imported", "permit.imported"] * 3)]
    file, first, its_permit = entries[:3]
    assert (file.actor, file.subject_id, file.after["file"]) == (jonas.name, written.number, "frota.csv")
    assert (file.after["vehicles"], file.after["rows"], len(file.after["sha256"])) == (3, 3, 64)
    assert (first.before, first.after["plate"], first.after["line"]) == (None, "RZA1B23", 2)
    assert (its_permit.after["number"], its_permit.after["ponto"]) == ("0007", "CAIS A")


def test_a_second_import_of_the_same_file_changes_nothing(store: Store, bring: Bring, preview: Preview) -> None:
    bring()
    before = counts(store)
    report = preview()
    assert (report.plan.known, report.plan.new_vehicles, report.blocked) == (3, 0, False)
    again = bring()
    assert again.nothing_changed and again.known == 3 and again.number == 0
    assert counts(store) == before


def test_a_preview_writes_nothing(store: Store, preview: Preview) -> None:
    before = counts(store)
    report = preview()
    assert (report.plan.new_vehicles, report.plan.new_permits, report.blocked) == (3, 3, False)
    assert counts(store) == before


def test_progress_is_told_up_to_the_last_line(desk: Desk, jonas: Clerk, preview: Preview) -> None:
    told: list[tuple[int, int]] = []
    imports.write(jonas.occasion(), desk, preview(), lambda done, total: told.append((done, total)))
    assert told[-1] == (3, 3)


def test_many_lines_come_in(store: Store, bring: Bring) -> None:
    lines = (
        f"2026-11-20;{n:04d};RZA{n % 10}{'ABCDEFGHIJKLMNOPQRSTUVWXYZ'[n // 100]}{n % 100:02d};NAVAL;X;2022;;C\n"
        for n in range(1, 1_200)
    )
    unique = {line.split(";")[2]: line for line in lines}
    written = bring(HEADER + "".join(unique.values()))
    assert written.vehicles == len(unique) > 1_000
    assert counts(store)["public_row"] == len(unique)
    with store.reading() as session:
        assert audit.verify(session).intact


# all or nothing


def test_an_error_in_the_last_row_keeps_everything_out(store: Store, bring: Bring, preview: Preview) -> None:
    before = counts(store)
    text = FLEET + "2026-11-20;0010;PEXIB23;NAVAL;MARÉ;2022;;\n"
    assert [(each.kind, each.cell) for each in preview(text).remarks] == [("erro", "C5")]
    with pytest.raises(Refused, match=r"linha 5, célula C5 \(placa\) «PEXIB23»"):
        bring(text)
    assert counts(store) == before


def test_a_plugin_that_fails_at_the_last_row_keeps_everything_out(store: Store, bring: Bring, quays: Quays) -> None:
    before = counts(store)
    quays.broken_at = 4
    with pytest.raises(RuleDown):
        bring()
    assert counts(store) == before
    quays.broken_at = None
    assert bring().number == 1


def test_what_changed_since_the_preview_is_seen_when_writing(
    store: Store, desk: Desk, jonas: Clerk, preview: Preview, bring: Bring
) -> None:
    report = preview()
    bring(HEADER + "2026-11-20;0099;RZC1234;NAVAL;MARÉ;2024;;\n")
    before = counts(store)
    with pytest.raises(Refused, match="está com permissão 0099"):
        imports.write(jonas.occasion(), desk, report)
    assert counts(store) == before


# beside what stands here


def test_a_vehicle_here_is_taken_and_its_empty_fields_are_filled(
    store: Store, desk: Desk, jonas: Clerk, bring: Bring
) -> None:
    vehicle_id = factories.vehicle(desk, jonas, "RZA1123", make="NAVAL", year_made=2022)
    report_text = HEADER + "2026-11-20;0007;RZA1123;NAVAL;MARÉ;2022;AZUL;\n"
    written = bring(report_text)
    assert (written.vehicles, written.permits, written.changed) == (0, 1, 1)
    vehicle = permit(store, "0007")[1]
    assert (vehicle.id, vehicle.model, vehicle.colour, vehicle.version, vehicle.seats) == (
        vehicle_id,
        "MARÉ",
        "AZUL",
        2,
        20,
    )
    with store.reading() as session:
        entry = session.scalars(select(AuditEntry).where(AuditEntry.action == "vehicle.updated")).one()
    assert (entry.before, entry.after["model"], entry.after["version"]) == ({"colour": "", "model": ""}, "MARÉ", 2)


OTHER_COLOUR = FLEET.replace("AZUL", "BRANCA")


def test_a_field_that_differs_is_a_conflict_until_the_clerk_chooses(
    store: Store, bring: Bring, preview: Preview
) -> None:
    bring()
    before = counts(store)
    assert conflicts(preview(OTHER_COLOUR)) == [(2, "No cadastro está «AZUL».")]
    with pytest.raises(Refused):
        bring(OTHER_COLOUR)
    assert bring(OTHER_COLOUR, existing="keep").nothing_changed
    assert counts(store) == before
    assert permit(store, "0007")[1].colour == "AZUL"
    written = bring(OTHER_COLOUR, existing="replace")
    assert (written.changed, written.known) == (1, 2)
    assert (permit(store, "0007")[1].colour, permit(store, "0007")[1].version) == ("BRANCA", 2)


def test_a_blank_cell_never_empties_a_field(store: Store, bring: Bring) -> None:
    bring()
    assert bring(FLEET.replace("AZUL", ""), existing="replace").nothing_changed
    assert permit(store, "0007")[1].colour == "AZUL"


def test_the_other_form_of_a_plate_is_a_conflict_of_the_plate(store: Store, bring: Bring, preview: Preview) -> None:
    bring()
    older = FLEET.replace("RZA1B23", "RZA1123")
    assert conflicts(preview(older)) == [(2, "No cadastro está «RZA1B23».")]
    bring(older, existing="replace")
    assert permit(store, "0007")[1].plate == "RZA1123"


def test_a_vehicle_under_another_permit_and_a_permit_with_another_vehicle_are_conflicts(
    bring: Bring, preview: Preview
) -> None:
    bring()
    text = HEADER + "2026-11-20;0010;RZA1B23;NAVAL;MARÉ;2022;AZUL;\n2026-11-20;0008;RZD1234;NAVAL;MARÉ;2022;;\n"
    found = conflicts(preview(text))
    assert found == [
        (2, "No cadastro, a placa RZA1B23 está com permissão 0007."),
        (3, "No cadastro, permissão 0008 está com o veículo RZB1234."),
    ]
    for choice in ("keep", "replace"):
        assert conflicts(preview(text, existing=choice)) == found
    assert bring(text, skip=(2, 3)).nothing_changed


@pytest.mark.parametrize(("ended", "blocked"), [(-1, True), (0, True), (1, False)])
def test_an_ended_permit_is_a_conflict_from_its_first_day_without_effect(
    store: Store, bring: Bring, preview: Preview, ended: int, blocked: bool
) -> None:
    bring()
    with store.writing() as session:
        row = session.scalars(select(Permit).where(Permit.number == "0007")).one()
        row.ended_on = date.fromordinal(TODAY.toordinal() + ended)
    assert preview().blocked is blocked


def test_a_vehicle_of_an_ended_permit_may_come_under_another(store: Store, bring: Bring) -> None:
    bring()
    with store.writing() as session:
        session.scalars(select(Permit).where(Permit.number == "0007")).one().ended_on = TODAY
    written = bring(HEADER + "2026-11-20;0010;RZA1B23;NAVAL;MARÉ;2022;AZUL;\n")
    assert (written.vehicles, written.permits) == (0, 1)


def test_a_permit_without_a_vehicle_gets_it(store: Store, desk: Desk, bring: Bring) -> None:
    with store.writing() as session:
        session.add(
            Permit(
                authority=PORT,
                regime=regime.CODE,
                number="0007",
                category="turismo",
                granted_on=date(2026, 11, 25),
                created_at=NOON,
            )
        )
    written = bring()
    assert (written.permits, written.joined, written.vehicles) == (2, 1, 3)
    row, _, under = permit(store, "0007")
    assert (row.category, row.granted_on_known, under.since) == ("turismo", True, date(2026, 11, 25))


def test_what_a_plugin_holds_otherwise_is_a_conflict_until_the_clerk_chooses(
    bring: Bring, preview: Preview, quays: Quays, store: Store
) -> None:
    bring()
    elsewhere = FLEET.replace("CAIS A", "CAIS Z")
    assert [(each.cell, each.message) for each in preview(elsewhere).remarks] == [("H2", "Aqui o cais é CAIS A.")]
    with pytest.raises(Refused):
        bring(elsewhere)
    assert bring(elsewhere, existing="keep").nothing_changed
    written = bring(elsewhere, existing="replace")
    assert (written.plugin_rows, written.known) == (1, 2)
    assert quays.quays[permit(store, "0007")[0].id] == "CAIS Z"


def test_the_other_authority_is_another_world(store: Store, bring: Bring, stranger: Clerk) -> None:
    bring()
    mine = permit(store, "0007")[0].id
    written = bring(by=stranger)
    assert (written.vehicles, written.permits, written.number) == (3, 3, 1)
    assert permit(store, "0007", OTHER)[0].id != mine


# choices and profiles


def test_a_text_is_read_as_another(store: Store, bring: Bring) -> None:
    bring(maps=(("marca", "naval", "ESTALEIRO NAVAL"),))
    assert permit(store, "0007")[1].make == "ESTALEIRO NAVAL"


@pytest.mark.parametrize(
    ("choices", "says"),
    [
        ({"profile": "nenhum"}, "Não há perfil de importação «nenhum». Há: frota,"),
        ({"profile": "frota_taxi_dados_abertos"}, "Faltam as colunas «data_primeiro_emplac» e «combustivel»"),
        ({"maps": (("marcas", "A", "B"),)}, "não tem a coluna «marcas»"),
    ],
)
def test_a_choice_that_does_not_fit_is_refused(preview: Preview, choices: dict[str, Any], says: str) -> None:
    with pytest.raises(Refused, match=says):
        preview(**choices)


def test_a_file_that_is_no_table_is_refused(preview: Preview) -> None:
    with pytest.raises(Refused, match="vazio"):
        preview("")


def test_a_regime_of_nobody_here_is_not_found(preview: Preview) -> None:
    with pytest.raises(NotFound):
        preview(code="outro_regime")


def test_an_installation_adds_and_replaces_profiles_beside_its_configuration(desk: Desk, tmp_path: Path) -> None:
    folder = tmp_path / "import"
    folder.mkdir()
    content = 'label = "Nossa"\n[columns]\nnumber = ["n"]\nplate = ["p"]\n'
    (folder / "frota.toml").write_text(content, encoding="utf-8")
    (folder / "nossa.toml").write_text(content, encoding="utf-8")
    settings = replace(desk.settings, sources=(*desk.settings.sources, tmp_path / "nosso.toml"))
    found = {each.name: each.label for each in imports.profiles(settings)}
    assert found["frota"] == found["nossa"] == "Nossa"
    assert "frota_taxi_dados_abertos" in found
    (folder / "nossa.toml").write_text(content + "[unknown]\nplat = []\n", encoding="utf-8")
    with pytest.raises(SettingsError, match=r"nossa.toml: .*unknown.plat"):
        imports.profiles(settings)
