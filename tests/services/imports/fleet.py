"""A small fleet file, a plugin that keeps quays, and what tests read back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from sqlalchemy import func, select

from registry.domain.imports.remarks import RowRemark
from registry.services.import_undo import Undone
from registry.services.import_write import Written
from registry.services.imports import ImportReport
from registry.store.audit import AuditEntry
from registry.store.engine import Store
from registry.store.imports import ImportedRow, ImportRun
from registry.store.people import Person
from registry.store.permits import Permit, PermitVehicle, PublicRow, Sequence
from registry.store.vehicles import Restriction, Vehicle
from tests import regime
from tests.factories import NOON, PORT, ZONE

one_engine = pytest.mark.parametrize("engine_name", [pytest.param("sqlite", marks=pytest.mark.sqlite)])
"""For tests whose subject is above the engine."""

TODAY = NOON.astimezone(ZONE).date()
HEADER = "data_extracao;prefixo;placa;marca;modelo;ano_fabricacao;cor;ponto\n"
FLEET = (
    HEADER
    + "2026-11-20;0007;RZA1B23;NAVAL;MARÉ;2022;AZUL;CAIS A\n"
    + "2026-11-20;0008;RZB1234;NAVAL;MARÉ;2023;;\n"
    + "2026-11-20;0009;RZC1234;;;2024;VERDE;CAIS B\n"
)
HOLDERS = "permissão;nome;cpf;cnh;validade da cnh;placa;endereço;concedida em;situação;obs\n"
PERMITS = (
    HOLDERS
    + "7;Ana Lima;02345678135;90000001174;31/12/2027;RZA1B23;Rua A;05/06/2010;ativo;Cais novo\n"
    + "8;Rota Viva Ltda.;11222333000181;;;RZB1234;;06/06/2011;suspenso;\n"
    + "9;Bia Reis;00123456797;;;RZC1234;;;cancelado;\n"
)
TABLES = (Vehicle, Person, Restriction, ImportRun, ImportedRow, Permit, PermitVehicle, PublicRow, AuditEntry, Sequence)


class Quays:
    """A plugin that keeps the quay of each permit."""

    def __init__(self) -> None:
        self.quays: dict[int, str] = {}
        self.rows: list[dict[str, Any]] = []
        self.broken_at: int | None = None
        self.undone: list[tuple[Any, list[int]]] = []
        self.objects: list[str] = []

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

        def registry_import_undo(at: Any, permit_ids: Any) -> list[str]:
            self.undone.append((at, list(permit_ids)))
            for permit_id in permit_ids:
                self.quays.pop(permit_id, None)
            return self.objects

        return regime.module(
            registry_import_remarks=registry_import_remarks,
            registry_import_row=registry_import_row,
            registry_import_undo=registry_import_undo,
        )


Preview = Callable[..., ImportReport]
Undo = Callable[..., Undone]
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
            .order_by(PermitVehicle.id.desc())
        ).first()


def conflicts(report: ImportReport) -> list[tuple[int, str]]:
    return [(each.line, each.message) for each in report.remarks_of("conflito")]
