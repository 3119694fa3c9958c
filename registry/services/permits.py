"""Permits: what a decision's commands do to them. How they end: :mod:`registry.services.permit_ends`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from sqlalchemy import or_, select
from sqlalchemy.orm import Session

from registry.domain.effects import (
    AddVehicle,
    Command,
    EndLicence,
    GrantPermit,
    IssueLicence,
    OpenCharge,
    PluginCommand,
)
from registry.domain.identifiers import format_plate
from registry.domain.occasion import Occasion
from registry.domain.regime import Regime
from registry.domain.text import format_date
from registry.services.charge_opening import open_charge
from registry.services.desk import Desk
from registry.services.dossier import RequestCase, rule_down
from registry.services.errors import Refused
from registry.services.permit_ends import end_licences, end_permit, remove_vehicle
from registry.services.permit_pages import LicenceLine, PermitPage, VehicleLine, permit_page
from registry.services.public_rows import refresh_public_rows
from registry.store import permits as tables
from registry.store.audit import record
from registry.store.numbers import take
from registry.store.permits import Licence, Permit, PermitVehicle

__all__ = [
    "Executed",
    "LicenceLine",
    "PermitPage",
    "VehicleLine",
    "effect_sentences",
    "end_permit",
    "execute",
    "permit_page",
    "remove_vehicle",
]


@dataclass
class Executed:
    """What the commands of a decision made: ids and numbers, None or "" where there is none."""

    permit_id: int | None
    permit_number: str = ""
    licence_id: int | None = None
    licence_number: str = ""
    valid_until: date | None = None


def execute(
    session: Session, desk: Desk, occasion: Occasion, case: RequestCase, commands: Sequence[Command]
) -> Executed:
    """Does what a granted request's effect commands, in the decision's transaction, and renews the public rows.

    Commands work on the permit just granted, else on the request's, else on the holder's live one in the regime.

    Raises:
        Refused: the vehicle is under another live permit of the regime, or a command lacks what it works on.
        RuleDown: a plugin did not carry out its own command.
    """
    done = _standing(case)
    for command in commands:
        _run(session, desk, occasion, case, command, done)
    if done.permit_id is not None:
        refresh_public_rows(session, desk, done.permit_id, occasion)
    return done


def effect_sentences(session: Session, case: RequestCase, commands: Sequence[Command], year: int) -> tuple[str, ...]:
    """What the commands would do, in pt-BR sentences; numbers are those that would come next."""
    regime, request = case.regime, case.row.request
    plate = format_plate(case.dossier.vehicle.plate) if case.dossier.vehicle else ""
    numbers = _next_numbers(session, request.authority, regime.code, year) if commands else {}
    said: list[str] = []
    for command in commands:
        match command:
            case GrantPermit():
                number = _permit_number(regime, numbers["permit"])
                said.append(f"Concede {_lower(regime.permit_label)} nº {number}.")
            case IssueLicence(valid_until=until):
                number = _licence_number(numbers["licence"], year)
                end = f", até {format_date(until)}" if until else ""
                said.append(f"Emite {_lower(regime.licence_label)} nº {number} para {plate}{end}.")
            case AddVehicle():
                said.append(f"Inclui o veículo {plate}.")
            case EndLicence(on=on):
                said.append(f"Encerra {_lower(regime.licence_label)} em vigor a partir de {format_date(on)}.")
            case OpenCharge(plan=plan):
                label = next((each.label for each in case.kind.charges if each.code == plan), plan)
                said.append(f"Abre a cobrança «{label}».")
            case PluginCommand():
                pass
    return tuple(said)


def _standing(case: RequestCase) -> Executed:
    dossier = case.dossier
    live = [permit for permit in dossier.permits if permit.live(dossier.on)]
    permit = dossier.permit or (live[-1] if live else None)
    return Executed(permit.id, permit.number) if permit else Executed(None)


def _run(session: Session, desk: Desk, occasion: Occasion, case: RequestCase, command: Command, done: Executed) -> None:
    match command:
        case GrantPermit():
            _grant(session, occasion, case, command, done)
        case AddVehicle():
            _add_vehicle(session, occasion, case, command, done)
        case IssueLicence():
            _issue(session, occasion, case, command, done)
        case EndLicence():
            _end_licence(session, occasion, case, command, done)
        case OpenCharge(plan=code):
            plan = next(each for each in case.kind.charges if each.code == code)
            open_charge(session, desk, occasion, case, plan)
        case PluginCommand():
            with rule_down(case.regime):
                desk.host.apply(session, command, case.dossier, occasion)


def _grant(session: Session, occasion: Occasion, case: RequestCase, command: GrantPermit, done: Executed) -> None:
    regime, request = case.regime, case.row.request
    permit = Permit(
        authority=occasion.authority,
        regime=regime.code,
        number=_take_permit_number(session, occasion.authority, regime),
        category=command.category,
        holder_id=request.applicant_id,
        cooperative_id=request.cooperative_id,
        granted_on=command.granted_on,
        granted_on_known=True,
        end_reason="",
        facts={},
        created_at=occasion.at,
    )
    session.add(permit)
    session.flush()
    done.permit_id, done.permit_number = permit.id, permit.number
    after = {
        "number": permit.number,
        "category": permit.category,
        "holder_id": permit.holder_id,
        "granted_on": permit.granted_on,
        "version": permit.version,
    }
    record(session, occasion, "permit.granted", "permit", permit.id, None, after)


def _take_permit_number(session: Session, authority: str, regime: Regime) -> str:
    """The next number of the series that no imported permit carries."""
    while True:
        number = _permit_number(regime, take(session, authority, f"permit:{regime.code}", 0))
        taken = session.scalar(
            select(Permit.id).where(
                Permit.authority == authority, Permit.regime == regime.code, Permit.number == number
            )
        )
        if taken is None:
            return number


def _add_vehicle(session: Session, occasion: Occasion, case: RequestCase, command: AddVehicle, done: Executed) -> None:
    permit_id, vehicle_id = _subject(case, done)
    other = session.execute(
        select(Permit.number)
        .join(PermitVehicle, PermitVehicle.permit_id == Permit.id)
        .where(
            Permit.authority == occasion.authority,
            Permit.regime == case.regime.code,
            PermitVehicle.vehicle_id == vehicle_id,
            or_(PermitVehicle.until.is_(None), PermitVehicle.until >= command.since),
            or_(Permit.ended_on.is_(None), Permit.ended_on > command.since),
        )
    ).first()
    if other is not None:
        plate = format_plate(case.dossier.vehicle.plate) if case.dossier.vehicle else ""
        label = _lower(case.regime.permit_label)
        raise Refused(
            message=f"A placa {plate} já está na {label} nº {other.number}. Abra a {label} ou confira a placa."
        )
    under = PermitVehicle(permit_id=permit_id, vehicle_id=vehicle_id, role=command.role, since=command.since)
    session.add(under)
    session.flush()
    after = {"vehicle_id": vehicle_id, "role": command.role, "since": command.since}
    record(session, occasion, "permit.vehicle_added", "permit", permit_id, None, after)


def _issue(session: Session, occasion: Occasion, case: RequestCase, command: IssueLicence, done: Executed) -> None:
    permit_id, vehicle_id = _subject(case, done)
    year = command.issued_on.year
    licence = Licence(
        authority=occasion.authority,
        regime=case.regime.code,
        permit_id=permit_id,
        vehicle_id=vehicle_id,
        number=_licence_number(take(session, occasion.authority, f"licence:{case.regime.code}", year), year),
        issued_on=command.issued_on,
        valid_until=command.valid_until,
        end_reason="",
    )
    session.add(licence)
    session.flush()
    done.licence_id, done.licence_number, done.valid_until = licence.id, licence.number, licence.valid_until
    after = {
        "number": licence.number,
        "vehicle_id": vehicle_id,
        "issued_on": licence.issued_on,
        "valid_until": licence.valid_until,
    }
    record(session, occasion, "licence.issued", "licence", licence.id, None, after)


def _end_licence(session: Session, occasion: Occasion, case: RequestCase, command: EndLicence, done: Executed) -> None:
    permit_id, vehicle_id = _subject(case, done)
    end_licences(session, occasion, permit_id, vehicle_id, command.on, command.reason)


def _subject(case: RequestCase, done: Executed) -> tuple[int, int]:
    if done.permit_id is None or case.row.request.vehicle_id is None:
        raise Refused(message="O efeito deste requerimento precisa de uma outorga e de um veículo.")
    return done.permit_id, case.row.request.vehicle_id


def _permit_number(regime: Regime, number: int) -> str:
    return regime.number_format.format(number=number)


def _licence_number(number: int, year: int) -> str:
    return f"{number:04d}/{year}"


def _next_numbers(session: Session, authority: str, regime: str, year: int) -> dict[str, int]:
    """The numbers that the series ``permit`` and ``licence`` of a regime would give next."""
    series = {"permit": f"permit:{regime}", "licence": f"licence:{regime}"}
    rows = session.execute(
        select(tables.Sequence.name, tables.Sequence.last).where(
            tables.Sequence.authority == authority,
            tables.Sequence.name.in_(series.values()),
            tables.Sequence.year.in_((0, year)),
        )
    )
    last = {row.name: row.last for row in rows}
    return {name: last.get(of, 0) + 1 for name, of in series.items()}


def _lower(label: str) -> str:
    return label[:1].lower() + label[1:]
