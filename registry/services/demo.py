"""The demonstration: invented records of every regime, supplied by the plugins, and one user a role.

The rows tell their days beside the day of the plugin's data; they are moved as a whole to the day of the demonstration,
so that what is in force, expired or due stays so whenever it is run.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from registry.domain.acts import parse_act
from registry.domain.dossier import PersonKind
from registry.domain.occasion import Occasion
from registry.domain.regime import Regime
from registry.services import offices, people, users, vehicles
from registry.services.acts import ActInput, enter_act, resolve
from registry.services.authorities import enter_authorities
from registry.services.demo_requests import tell_request
from registry.services.desk import Desk
from registry.services.public_rows import refresh_many
from registry.settings import Authority
from registry.store.acts import IndexValue
from registry.store.audit import record
from registry.store.inspections import Inspection
from registry.store.permits import Licence, Permit, PermitVehicle, Sequence
from registry.store.vehicles import Restriction

DAY = date(2026, 11, 30)
"""The day beside which plugins write their rows."""
PASSWORD = "demonstracao"
_PERSON = ("name", "document", "born_on", "nationality", "sex", "cnh", "phone", "email", "address")
_VEHICLE = (
    "renavam", "type", "make", "model", "year_made", "first_registered_on", "doors", "seats", "colour", "fuel",
)  # fmt: skip
_NAMES = {
    "atendente": "Jonas Prado",
    "vistoriador": "Edson Lira",
    "agente_fiscal": "Cláudia Reis",
    "tesouraria": "Teresa Campos",
    "analista": "Marina Albuquerque",
    "diretor": "Rita Moura",
    "auditor": "Otávio Pires",
    "administrador": "Aline Farias",
}

Row = Mapping[str, Any]


@dataclass(frozen=True)
class Login:
    """A user of the demonstration: what is typed, who it is, where."""

    username: str
    name: str
    role: str
    authority: str


@dataclass(frozen=True)
class Filled:
    """What was written: log-ins, and how many permits and requests each regime got."""

    logins: tuple[Login, ...]
    permits: Mapping[str, int]
    requests: Mapping[str, int]


@dataclass
class _Known:
    """What the rows of one regime have entered so far."""

    people: dict[str, int] = field(default_factory=dict)
    permits: dict[str, int] = field(default_factory=dict)
    members: set[tuple[int, int]] = field(default_factory=set)


def fill(desk: Desk, at: datetime, told: Callable[[str], None] = lambda _: None) -> Filled:
    """Fills an empty, migrated database.

    Args:
        at: the aware instant of the demonstration.
        told: called with a short pt-BR line as each part is done.
    """
    with desk.store.writing() as session:
        enter_authorities(session, desk.settings)
    logins: list[Login] = []
    staff: dict[tuple[str, str], int] = {}
    for authority in desk.settings.authorities.values():
        found = _users(desk, authority, at)
        logins += [login for login, _ in found]
        staff |= {(authority.code, login.role): user_id for login, user_id in found}
    told(f"{len(logins)} usuários")
    permits: Counter[str] = Counter()
    requests: Counter[str] = Counter()
    for answer in desk.host.collect("registry_demo_rows"):
        regime = next(each for each in desk.host.regimes.values() if each.plugin == answer.plugin)
        runs = desk.settings.authority_of(regime.code)
        if runs is not None:
            rows = [_moved(row, at.astimezone(runs.zone).date() - DAY) for row in answer.value]
            permits[regime.code], requests[regime.code] = _regime(desk, regime, runs, at, rows, staff)
            told(f"{regime.label}: {permits[regime.code]} outorgas, {requests[regime.code]} requerimentos")
    return Filled(tuple(logins), permits, requests)


def _users(desk: Desk, authority: Authority, at: datetime) -> list[tuple[Login, int]]:
    found = []
    occasion = Occasion("demonstração", authority.code, at, authority.zone)
    for role in desk.settings.roles:
        name = _NAMES.get(role, desk.settings.roles[role])
        login = Login(f"{role}.{authority.code}", name, role, authority.code)
        found.append((login, users.create_user(occasion, desk, login.username, name, PASSWORD, [role], demo=True)))
        if role == "diretor":
            for regime in desk.regimes_of(authority.code):
                for office in regime.offices:
                    since = occasion.on - timedelta(days=365)
                    act = "Portaria de nomeação (inventada)"
                    offices.appoint(occasion, desk, found[-1][1], regime.code, office.code, since, act=act)
    return found


def _moved(value: Any, by: timedelta) -> Any:
    """The row with every day and moment moved by whole days; years of make follow the year."""
    if isinstance(value, datetime | date):
        return value + by
    if isinstance(value, Mapping):
        years = (DAY + by).year - DAY.year
        return {
            key: inner + years if key == "year_made" and isinstance(inner, int) else _moved(inner, by)
            for key, inner in value.items()
        }
    if isinstance(value, list | tuple):
        return type(value)(_moved(inner, by) for inner in value)
    return value


def _regime(
    desk: Desk,
    regime: Regime,
    authority: Authority,
    at: datetime,
    rows: list[Row],
    staff: Mapping[tuple[str, str], int],
) -> tuple[int, int]:
    known = _Known()
    occasion = Occasion("demonstração", authority.code, at, authority.zone)
    for row in rows:
        if "index" in row:
            _act(desk, occasion, row["index"])
            with desk.store.writing() as session:
                _index(session, desk, occasion, regime, row["index"])
    asked = 0
    later: list[tuple[Row, int | None, int | None, int]] = []
    for row in rows:
        if "index" in row:
            continue
        holder, cooperative = _holder(desk, occasion, known, row.get("person"))
        vehicle = _vehicle(desk, occasion, row["vehicle"])
        with desk.store.writing() as session:
            _story(session, desk, occasion, regime, known, row, holder, cooperative, vehicle)
        if row.get("request"):
            later.append((row, holder, cooperative, vehicle))
    with desk.store.writing() as session:
        _sequences(session, authority.code, regime.code)
        refresh_many(session, desk, regime, sorted(known.permits.values()), occasion)
    for row, holder, cooperative, vehicle in later:
        tell_request(desk, regime, authority, at, row, staff, (holder, cooperative, vehicle))
        asked += 1
    return len(known.permits), asked


def _act(desk: Desk, occasion: Occasion, row: Row) -> None:
    """Enters the act that set a value, some days before its first."""
    name = parse_act(row["act"])
    with desk.store.reading() as session:
        known = name is None or resolve(session, desk, occasion.authority, row["act"]) is not None
    if name is not None and not known:
        day = min(row["from"] - timedelta(days=15), occasion.on)
        enter_act(occasion, desk, ActInput(name.kind, name.number, day, summary="Ato inventado, da demonstração."))


def _index(session: Session, desk: Desk, occasion: Occasion, regime: Regime, row: Row) -> None:
    amount = Decimal(row["value"])
    declared = desk.host.plugins[regime.plugin].lawbook.indexes.get(row["key"])
    scale = max(0, -int(amount.as_tuple().exponent))
    value = IndexValue(
        authority=occasion.authority,
        key=row["key"],
        since=row["from"],
        scaled=int(amount.scaleb(scale)),
        scale=scale,
        unit=declared.unit if declared else row.get("unit", ""),
        act=row["act"],
        act_id=resolve(session, desk, occasion.authority, row["act"]),
        recorded_at=occasion.at,
        recorded_by=occasion.actor,
    )
    session.add(value)
    session.flush()
    record(
        session, occasion, "index.entered", "index_value", value.id, None, {"key": row["key"], "value": row["value"]}
    )


def _holder(desk: Desk, occasion: Occasion, known: _Known, row: Row | None) -> tuple[int | None, int | None]:
    if row is None:
        return None, None
    holder = _person(desk, occasion, known, row)
    if not row.get("cooperative"):
        return holder, None
    cooperative = _person(desk, occasion, known, row["cooperative"])
    if (cooperative, holder) not in known.members:
        known.members.add((cooperative, holder))
        people.add_member(occasion, desk, cooperative, holder, row["member_since"])
    return holder, cooperative


def _person(desk: Desk, occasion: Occasion, known: _Known, row: Row) -> int:
    if row["document"] not in known.people:
        kind: PersonKind = row["kind"]
        values = {name: row[name] for name in _PERSON if row.get(name) is not None}
        entered = people.PersonInput(kind=kind, **values)
        known.people[row["document"]] = people.create_person(occasion, desk, entered)
    return known.people[row["document"]]


def _vehicle(desk: Desk, occasion: Occasion, row: Row) -> int:
    values = {name: row[name] for name in _VEHICLE if row.get(name) is not None}
    return vehicles.create_vehicle(occasion, desk, vehicles.VehicleInput(row["plate"], **values))


def _story(
    session: Session,
    desk: Desk,
    occasion: Occasion,
    regime: Regime,
    known: _Known,
    row: Row,
    holder: int | None,
    cooperative: int | None,
    vehicle: int,
) -> None:
    permit_id = None
    if row.get("permit"):
        permit_id = _permit(session, occasion, regime, known, row["permit"], holder, cooperative, vehicle)
        extra = {"ponto": (row.get("ponto") or {}).get("name"), "vehicle_id": vehicle, "permit_id": permit_id}
        since = {"since": row["permit"]["vehicle_since"]}
        desk.host.collect(
            "registry_import_row", session=session, occasion=occasion, regime=regime.code, row=extra | since
        )
    for bar in row.get("restrictions", ()):
        whom = {"permit_id": permit_id} if bar["bars"] == "permit" else {"vehicle_id": vehicle}
        session.add(
            Restriction(
                authority=occasion.authority,
                regime=regime.code,
                kind=bar["kind"],
                since=bar["since"],
                until=bar["until"],
                reason=bar["reason"],
                act=bar["act"],
                recorded_at=occasion.at,
                **whom,
            )
        )
    if not row.get("request"):
        for seen in row.get("inspections", ()):
            session.add(_inspection(occasion, regime, seen, vehicle))


def _permit(
    session: Session,
    occasion: Occasion,
    regime: Regime,
    known: _Known,
    row: Row,
    holder: int | None,
    cooperative: int | None,
    vehicle: int,
) -> int:
    if row["number"] not in known.permits:
        permit = Permit(
            authority=occasion.authority,
            regime=regime.code,
            number=row["number"],
            category=row["category"],
            holder_id=holder,
            cooperative_id=cooperative,
            granted_on=row["granted_on"],
            ended_on=row["ended_on"],
            end_reason=row["end_reason"],
            created_at=occasion.at,
        )
        session.add(permit)
        session.flush()
        known.permits[permit.number] = permit.id
        after = {"number": permit.number, "granted_on": permit.granted_on, "holder_id": holder}
        record(session, occasion, "permit.granted", "permit", permit.id, None, after)
    permit_id = known.permits[row["number"]]
    session.add(
        PermitVehicle(
            permit_id=permit_id,
            vehicle_id=vehicle,
            role=row["role"],
            since=row["vehicle_since"],
            until=row["vehicle_until"],
        )
    )
    for paper in row["licences"]:
        session.add(
            Licence(
                authority=occasion.authority, regime=regime.code, permit_id=permit_id, vehicle_id=vehicle, **dict(paper)
            )
        )
    session.flush()
    return permit_id


def _inspection(occasion: Occasion, regime: Regime, row: Row, vehicle: int) -> Inspection:
    scheduled: datetime = row["scheduled_at"].replace(tzinfo=occasion.zone)
    done: date | None = row["done_on"]
    return Inspection(
        authority=occasion.authority,
        regime=regime.code,
        kind=row["kind"],
        vehicle_id=vehicle,
        scheduled_at=scheduled,
        place=row["place"],
        state=row["state"],
        items=dict(row["items"]),
        done_at=datetime.combine(done, time(scheduled.hour, 40), occasion.zone) if done else None,
        done_on=done,
        seal=row["seal"] or None,
        valid_until=row["valid_until"],
        created_at=occasion.at,
    )


def _sequences(session: Session, authority: str, regime: str) -> None:
    """Lets the series go on after the numbers that the rows brought."""
    last: defaultdict[tuple[str, int], int] = defaultdict(int)

    def saw(series: str, numbers: Iterable[str | None]) -> None:
        for text in numbers:
            number, _, year = (text or "").partition("/")
            if number.isdecimal():
                place = (f"{series}:{regime}", int(year) if year.isdecimal() else 0)
                last[place] = max(last[place], int(number))

    here = {"authority": authority, "regime": regime}
    saw("permit", session.scalars(select(Permit.number).filter_by(**here)))
    saw("licence", session.scalars(select(Licence.number).filter_by(**here)))
    saw("seal", session.scalars(select(Inspection.seal).filter_by(**here)))
    session.add_all(Sequence(authority=authority, name=name, year=year, last=n) for (name, year), n in last.items())
