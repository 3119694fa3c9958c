"""What one line of a list of vehicles or permits does, and what all lines do together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from registry.domain.imports.remarks import Remark
from registry.domain.imports.sheet import Line


@dataclass(frozen=True)
class Edit:
    """What a line does to one record: ``id`` None = it is made; else ``changes`` are fields that it gets, ``before``
    what they were, ``version`` its version. ``again``: the row of an undone import, which is taken again as if new.
    """

    id: int | None = None
    changes: Mapping[str, Any] = field(default_factory=dict)
    before: Mapping[str, Any] = field(default_factory=dict)
    version: int = 0
    again: bool = False

    @property
    def makes(self) -> bool:
        """Whether the record comes to be by this line."""
        return self.id is None or self.again

    @property
    def edits(self) -> bool:
        """Whether the record is made or changed."""
        return self.makes or bool(self.changes)


@dataclass(frozen=True)
class Step:
    """What one line does.

    ``vehicle`` and ``holder`` are None where the line names none. ``joins`` = the vehicle comes under the permit,
    ``holds`` = the permit gets the holder, ``suspends`` = the permit is barred. ``row`` is what plugins get, without
    the ids of records still to be made; ``since`` the day from which the file says so.
    """

    line: Line
    row: Mapping[str, Any]
    since: date
    permit: Edit
    vehicle: Edit | None = None
    holder: Edit | None = None
    joins: bool = False
    holds: bool = False
    suspends: bool = False

    @property
    def number(self) -> str:
        """The permit's number."""
        return str(self.line.values["number"])

    @property
    def document(self) -> str:
        """The holder's CPF or CNPJ; "" where the line names none."""
        return self.line.values.get("document") or ""

    @property
    def ends(self) -> bool:
        """Whether the file says that the permit is at its end."""
        return self.line.values.get("status") == "encerrada"

    @property
    def changes_something(self) -> bool:
        """Whether the line says anything of the core's that does not stand here."""
        edits = (self.permit, self.vehicle, self.holder)
        return self.joins or self.holds or self.suspends or any(each is not None and each.edits for each in edits)


@dataclass(frozen=True)
class Plan:
    """The steps of a file, one a line, and the conflicts with what stands here."""

    steps: tuple[Step, ...]
    remarks: tuple[Remark, ...]

    @property
    def new_vehicles(self) -> int:
        """Vehicles to be made."""
        return len({step.line.key for step in self.steps if step.vehicle and step.vehicle.makes})

    @property
    def new_permits(self) -> int:
        """Permits to be made."""
        return len({step.number for step in self.steps if step.permit.makes})

    @property
    def new_holders(self) -> int:
        """Persons and companies to be made."""
        return len({step.document for step in self.steps if step.holder and step.holder.makes})

    @property
    def changed_vehicles(self) -> int:
        """Vehicles that stand here and get a field from the file."""
        return len({step.vehicle.id for step in self.steps if step.vehicle and step.vehicle.changes})

    @property
    def changed_permits(self) -> int:
        """Permits that stand here and get a holder, a field or a bar from the file."""
        touched = {step.number for step in self.steps if step.permit.changes or step.holds or step.suspends}
        return len(touched - {step.number for step in self.steps if step.permit.makes})

    @property
    def changed_holders(self) -> int:
        """Persons that stand here and get a field from the file."""
        return len({step.holder.id for step in self.steps if step.holder and step.holder.changes})

    @property
    def known(self) -> int:
        """Lines of which everything of the core's stands here already."""
        return sum(not step.changes_something for step in self.steps)

    @property
    def says_nothing_new(self) -> bool:
        """Whether nothing of the core's changes; plugins are asked only when the file is written."""
        return self.known == len(self.steps)

    def counts(self) -> Mapping[str, int]:
        """What would be written, by the words for one and for many."""
        return {
            "veículo novo|veículos novos": self.new_vehicles,
            "outorga nova|outorgas novas": self.new_permits,
            "titular novo|titulares novos": self.new_holders,
            "veículo a mudar|veículos a mudar": self.changed_vehicles,
            "outorga a completar|outorgas a completar": self.changed_permits,
            "titular a mudar|titulares a mudar": self.changed_holders,
            "linha sem novidade|linhas sem novidade": self.known,
        }
