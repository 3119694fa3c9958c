"""What may be corrected: how each kind of row is told, ended as if it never held, and entered anew as it is right."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any, ClassVar, get_args

from sqlalchemy import select
from sqlalchemy.orm import Session

from registry.domain.dossier import RestrictionKind
from registry.domain.identifiers import IdentifierError, format_plate, parse_plate
from registry.domain.occasion import Occasion
from registry.domain.text import format_date
from registry.services.acts import resolve
from registry.services.desk import Desk
from registry.services.errors import NotFound
from registry.services.lengths import long_faults
from registry.services.merge_conflicts import Span, held_days
from registry.services.public_rows import refresh_public_rows
from registry.services.registers import permit_label
from registry.services.restrictions import KIND_LABELS
from registry.services.touched import refresh_requests_of
from registry.store.corrections import ever_held
from registry.store.numbers import take
from registry.store.people import Membership, Person
from registry.store.permits import Licence, Permit, PermitVehicle
from registry.store.vehicles import Restriction, Vehicle

_DAY = timedelta(days=1)
CORRECTED = "retificada"
Values = Mapping[str, Any]
Subject = tuple[str, int]


@dataclass(frozen=True)
class Work:
    """The transaction in which a row is corrected."""

    session: Session
    desk: Desk
    occasion: Occasion


class Kind(ABC):
    """One kind of row. ``fields`` are what its right row is given; ``title`` heads its page."""

    title: ClassVar[str]
    fields: ClassVar[tuple[str, ...]]

    @abstractmethod
    def find(self, session: Session, authority: str, id: int) -> Any:
        """The row of this authority. Raises :class:`NotFound`."""

    @abstractmethod
    def told(self, session: Session, desk: Desk, row: Any) -> str:
        """The row in words, for «Anula «...»»."""

    @abstractmethod
    def values(self, session: Session, row: Any) -> dict[str, Any]:
        """The row's fields, as the form proposes them."""

    @abstractmethod
    def faults(self, work: Work, row: Any, values: Values) -> dict[str, str]:
        """The sentence beside each field of the right row that cannot be."""

    @abstractmethod
    def end(self, row: Any, occasion: Occasion) -> None:
        """Ends the wrong row, so that it counts on no day."""

    @abstractmethod
    def make(self, work: Work, row: Any, values: Values) -> Any:
        """The right row in the place of the wrong one."""

    @abstractmethod
    def subjects(self, row: Any) -> list[Subject]:
        """In whose histories the correction is told."""

    @abstractmethod
    def refresh(self, work: Work, rows: Sequence[Any]) -> None:
        """Brings public rows and requests to what the facts say now."""


class _Dated(Kind):
    """A row with ``since`` and ``until``, which is ended before its first day."""

    fields: ClassVar[tuple[str, ...]] = ("since", "until")

    def values(self, session: Session, row: Any) -> dict[str, Any]:
        return {"since": row.since, "until": row.until}

    def faults(self, work: Work, row: Any, values: Values) -> dict[str, str]:
        found = {}
        if values.get("since") is None:
            found["since"] = "Digite a data."
        elif values.get("until") is not None and values["until"] < values["since"]:
            found["until"] = f"O fim não pode ser antes do início ({format_date(values['since'])})."
        return found

    def end(self, row: Any, occasion: Occasion) -> None:
        row.until = row.since - _DAY


class OfPermitVehicle(_Dated):
    """A vehicle under a permit: another vehicle, other days, or never."""

    title = "Veículo em outorga"
    fields: ClassVar[tuple[str, ...]] = ("plate", "since", "until")

    def find(self, session: Session, authority: str, id: int) -> Any:
        query = select(PermitVehicle).join(Permit, Permit.id == PermitVehicle.permit_id)
        return _one(session, query.where(PermitVehicle.id == id, Permit.authority == authority))

    def told(self, session: Session, desk: Desk, row: Any) -> str:
        permit = session.get_one(Permit, row.permit_id)
        plate = format_plate(session.get_one(Vehicle, row.vehicle_id).plate)
        return f"veículo {plate} na {permit_label(desk, permit.regime, permit.number)}, {days(row.since, row.until)}"

    def values(self, session: Session, row: Any) -> dict[str, Any]:
        return {"plate": session.get_one(Vehicle, row.vehicle_id).plate, **super().values(session, row)}

    def faults(self, work: Work, row: Any, values: Values) -> dict[str, str]:
        found = super().faults(work, row, values)
        permit = work.session.get_one(Permit, row.permit_id)
        if "since" not in found and values["since"] < permit.granted_on:
            found["since"] = f"A inclusão não pode ser antes da concessão ({format_date(permit.granted_on)})."
        try:
            vehicle = self._vehicle(work, values)
        except IdentifierError as error:
            return {**found, "plate": error.message_pt}
        if vehicle is None:
            return {**found, "plate": "Nenhum veículo cadastrado com esta placa. Cadastre o veículo e volte aqui."}
        if not found and (taken := self._taken(work, row, permit, vehicle, Span(values["since"], values["until"]))):
            found["plate"] = taken
        return found

    def _vehicle(self, work: Work, values: Values) -> Vehicle | None:
        key = parse_plate(str(values.get("plate") or "")).key
        return work.session.scalars(
            select(Vehicle).where(
                Vehicle.authority == work.occasion.authority, Vehicle.plate_key == key, Vehicle.ended_at.is_(None)
            )
        ).one_or_none()

    def _taken(self, work: Work, row: Any, permit: Permit, vehicle: Vehicle, span: Span) -> str:
        others = work.session.execute(
            select(PermitVehicle, Permit)
            .join(Permit, Permit.id == PermitVehicle.permit_id)
            .where(PermitVehicle.vehicle_id == vehicle.id, PermitVehicle.id != row.id, ever_held(PermitVehicle))
        )
        for under, other in others:
            same = other.regime == permit.regime or other.holder_id != permit.holder_id
            if same and held_days(under, other).meets(span, span.since):
                label = permit_label(work.desk, other.regime, other.number)
                return f"A placa {format_plate(vehicle.plate)} já está na {label} nesses dias."
        return ""

    def make(self, work: Work, row: Any, values: Values) -> PermitVehicle:
        vehicle = self._vehicle(work, values)
        assert vehicle is not None
        return PermitVehicle(
            permit_id=row.permit_id, vehicle_id=vehicle.id, role=row.role, since=values["since"], until=values["until"]
        )

    def subjects(self, row: Any) -> list[Subject]:
        return [("permit", row.permit_id), ("vehicle", row.vehicle_id)]

    def refresh(self, work: Work, rows: Sequence[Any]) -> None:
        _refresh(work, {row.permit_id for row in rows}, {row.vehicle_id for row in rows})


class OfLicence(Kind):
    """A licence with a wrong day: it is ended from its first day, and another with its own number takes its place."""

    title = "Licença"
    fields: ClassVar[tuple[str, ...]] = ("issued_on", "valid_until")

    def find(self, session: Session, authority: str, id: int) -> Any:
        return _one(session, select(Licence).where(Licence.id == id, Licence.authority == authority))

    def told(self, session: Session, desk: Desk, row: Any) -> str:
        regime = desk.host.regimes.get(row.regime)
        plate = format_plate(session.get_one(Vehicle, row.vehicle_id).plate)
        until = f" até {format_date(row.valid_until)}" if row.valid_until else ", sem prazo"
        label = regime.licence_label if regime else "Licença"
        return f"{label} nº {row.number} de {plate}, emissão {format_date(row.issued_on)}, válida{until}"

    def values(self, session: Session, row: Any) -> dict[str, Any]:
        return {"issued_on": row.issued_on, "valid_until": row.valid_until}

    def faults(self, work: Work, row: Any, values: Values) -> dict[str, str]:
        issued, until = values.get("issued_on"), values.get("valid_until")
        permit = work.session.get_one(Permit, row.permit_id)
        if issued is None:
            return {"issued_on": "Digite a data."}
        if issued > work.occasion.on:
            return {"issued_on": f"A data não pode ser depois de hoje ({format_date(work.occasion.on)})."}
        if issued < permit.granted_on:
            return {"issued_on": f"A emissão não pode ser antes da concessão ({format_date(permit.granted_on)})."}
        if until is not None and until < issued:
            return {"valid_until": f"O último dia não pode ser antes da emissão ({format_date(issued)})."}
        return {}

    def end(self, row: Any, occasion: Occasion) -> None:
        row.ended_on, row.end_reason = row.issued_on, CORRECTED

    def make(self, work: Work, row: Any, values: Values) -> Licence:
        year = values["issued_on"].year
        return Licence(
            authority=row.authority,
            regime=row.regime,
            permit_id=row.permit_id,
            vehicle_id=row.vehicle_id,
            number=self._number(work, row, year),
            issued_on=values["issued_on"],
            valid_until=values["valid_until"],
            end_reason="",
        )

    def _number(self, work: Work, row: Any, year: int) -> str:
        """The next number of the series that no imported licence carries."""
        while True:
            number = f"{take(work.session, row.authority, f'licence:{row.regime}', year):04d}/{year}"
            same = (Licence.authority == row.authority, Licence.regime == row.regime, Licence.number == number)
            if work.session.scalar(select(Licence.id).where(*same)) is None:
                return number

    def subjects(self, row: Any) -> list[Subject]:
        return [("licence", row.id), ("vehicle", row.vehicle_id)]

    def refresh(self, work: Work, rows: Sequence[Any]) -> None:
        _refresh(work, {row.permit_id for row in rows}, {row.vehicle_id for row in rows})


class OfRestriction(_Dated):
    """A bar of another kind or on other days, or one that never was."""

    title = "Restrição"
    fields: ClassVar[tuple[str, ...]] = ("kind", "since", "until", "bar_reason", "bar_act")

    def find(self, session: Session, authority: str, id: int) -> Any:
        return _one(session, select(Restriction).where(Restriction.id == id, Restriction.authority == authority))

    def told(self, session: Session, desk: Desk, row: Any) -> str:
        label = KIND_LABELS.get(row.kind, row.kind)
        if row.vehicle_id is not None:
            whose = f"do veículo {format_plate(session.get_one(Vehicle, row.vehicle_id).plate)}"
        else:
            permit = session.get_one(Permit, row.permit_id)
            whose = f"da {permit_label(desk, permit.regime, permit.number)}"
        return f"{label} {whose}, {days(row.since, row.until)}"

    def values(self, session: Session, row: Any) -> dict[str, Any]:
        own = {"kind": row.kind, "bar_reason": row.reason, "bar_act": row.act}
        return {**own, **super().values(session, row)}

    def faults(self, work: Work, row: Any, values: Values) -> dict[str, str]:
        found = super().faults(work, row, values)
        if values.get("kind") not in get_args(RestrictionKind):
            found["kind"] = "Escolha o tipo da restrição."
        if not str(values.get("bar_reason") or "").strip():
            found["bar_reason"] = "Escreva o motivo da restrição."
        reason, act = (str(values.get(name) or "") for name in ("bar_reason", "bar_act"))
        return {**found, **long_faults(bar_reason=reason, bar_act=act)}

    def end(self, row: Any, occasion: Occasion) -> None:
        row.voided_at = occasion.at

    def make(self, work: Work, row: Any, values: Values) -> Restriction:
        act = str(values.get("bar_act") or "").strip()
        return Restriction(
            authority=row.authority,
            regime=row.regime,
            kind=values["kind"],
            vehicle_id=row.vehicle_id,
            permit_id=row.permit_id,
            since=values["since"],
            until=values["until"],
            reason=str(values["bar_reason"]).strip(),
            act=act,
            act_id=resolve(work.session, work.desk, row.authority, act),
            recorded_at=work.occasion.at,
        )

    def subjects(self, row: Any) -> list[Subject]:
        return [("vehicle", row.vehicle_id) if row.vehicle_id is not None else ("permit", row.permit_id)]

    def refresh(self, work: Work, rows: Sequence[Any]) -> None:
        vehicles = {row.vehicle_id for row in rows if row.vehicle_id is not None}
        held = select(PermitVehicle.permit_id).where(PermitVehicle.vehicle_id.in_(vehicles))
        permits = {row.permit_id for row in rows if row.permit_id is not None} | set(work.session.scalars(held))
        _refresh(work, permits, vehicles)


class OfMembership(_Dated):
    """A membership of other days, or one that never was."""

    title = "Vínculo com cooperativa"

    def find(self, session: Session, authority: str, id: int) -> Any:
        query = select(Membership).join(Person, Person.id == Membership.cooperative_id)
        return _one(session, query.where(Membership.id == id, Person.authority == authority))

    def told(self, session: Session, desk: Desk, row: Any) -> str:
        member = session.get_one(Person, row.member_id).name
        cooperative = session.get_one(Person, row.cooperative_id).name
        return f"vínculo de {member} com {cooperative}, {days(row.since, row.until)}"

    def faults(self, work: Work, row: Any, values: Values) -> dict[str, str]:
        found = super().faults(work, row, values)
        if "since" not in found and values["since"] > work.occasion.on:
            found["since"] = f"A data não pode ser depois de hoje ({format_date(work.occasion.on)})."
        if not found:
            others = work.session.scalars(
                select(Membership).where(
                    Membership.cooperative_id == row.cooperative_id,
                    Membership.member_id == row.member_id,
                    Membership.id != row.id,
                    ever_held(Membership),
                )
            )
            span = Span(values["since"], values["until"])
            meets = [each for each in others if Span(each.since, each.until).meets(span, span.since)]
            if meets:
                found["since"] = f"Já há um vínculo {days(meets[0].since, meets[0].until)}."
        return found

    def make(self, work: Work, row: Any, values: Values) -> Membership:
        return Membership(
            cooperative_id=row.cooperative_id,
            member_id=row.member_id,
            since=values["since"],
            until=values["until"],
            recorded_at=work.occasion.at,
        )

    def subjects(self, row: Any) -> list[Subject]:
        return [("person", row.cooperative_id), ("person", row.member_id)]

    def refresh(self, work: Work, rows: Sequence[Any]) -> None:
        people = {each for row in rows for each in (row.cooperative_id, row.member_id)}
        refresh_requests_of(work.session, work.desk, work.occasion, people=people)


def days(since: date, until: date | None) -> str:
    """«de 10/12/2026 a 20/12/2026», «desde 10/12/2026»."""
    return f"de {format_date(since)} a {format_date(until)}" if until else f"desde {format_date(since)}"


def _one(session: Session, query: Any) -> Any:
    row = session.scalars(query).one_or_none()
    if row is None:
        raise NotFound
    return row


def _refresh(work: Work, permits: Iterable[int], vehicles: Iterable[int]) -> None:
    """From now on: what was told before stays as it was told."""
    loaded = select(Permit.id).where(Permit.id.in_(list(permits)), Permit.regime.in_(list(work.desk.host.regimes)))
    for permit_id in work.session.scalars(loaded.order_by(Permit.id)).all():
        refresh_public_rows(work.session, work.desk, permit_id, work.occasion, since=work.occasion.on)
    refresh_requests_of(work.session, work.desk, work.occasion, vehicles=vehicles)
