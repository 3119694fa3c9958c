"""Art. 5: the nightly turns of the special service."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date

from registry.api.law import FactError, Law, Verdict, question
from registry_taxi_recife.rules.common import ground

LEAST = "rota.min_cars"
_DIGITS = 2


@dataclass(frozen=True)
class RotaHolder:
    """A permit holder and the ids of its cars."""

    id: str
    cars: tuple[str, ...]


@dataclass(frozen=True)
class RotaGiven:
    """``per_night`` cars (None = the least that the law wants); ``single_holders`` (None = none) with one car each are
    called ``prefix`` and their number; nights are numbered from 1; ``unavailable`` holds ids of holders or cars by
    night, ``joiners`` a holder who joins on a night; ``on`` the day of the law."""

    per_night: int | None
    single_holders: int | None
    nights: int
    unavailable: Mapping[int, tuple[str, ...]] | None
    prefix: str
    extra_holders: tuple[RotaHolder, ...]
    joiners: Mapping[int, RotaHolder] | None
    on: date


@dataclass(frozen=True)
class RotaAnswer:
    """Cars by night; ``max_minus_min`` of the turns at the end; ``alerts`` by night: below_minimum."""

    nights: Mapping[int, tuple[str, ...]]
    max_minus_min: int
    alerts: Mapping[int, str]


@dataclass
class _Turns:
    """Whose turn it is: turns taken and the night of the last one (0 = never)."""

    id: str
    cars: list[_Turns] = field(default_factory=list)
    turns: int = 0
    last: int = 0

    @property
    def rank(self) -> tuple[int, int, str]:
        return (self.turns, self.last, self.id)

    def take(self, night: int) -> None:
        self.turns, self.last = self.turns + 1, night


@question("rota", cites=["art-5-caput"])
def rota(given: RotaGiven, law: Law) -> Verdict[RotaAnswer]:
    """Each night those with the fewest turns, then the longest wait, then the lowest id; the unit is the holder, whose
    cars take turns inside it, or the car by the other reading. Raises ``FactError`` for a name that stands twice."""
    by_car = law.reading("rota.unit") == "vehicle"
    least = law.value(LEAST, given.on)
    wanted = least.integer if given.per_night is None else given.per_night
    _check_names(given)
    units = [unit for holder in _holders(given) for unit in _units(holder, by_car)]
    nights: dict[int, tuple[str, ...]] = {}
    alerts: dict[int, str] = {}
    for night in range(1, given.nights + 1):
        if given.joiners and night in given.joiners:
            units += _joining(given.joiners[night], by_car, units, night)
        away = frozenset((given.unavailable or {}).get(night, ()))
        nights[night] = tuple(_night(units, wanted, away, night))
        if len(nights[night]) < wanted:
            alerts[night] = "below_minimum"
    turns = [unit.turns for unit in units] or [0]
    code = "rota_alert" if alerts else "rota"
    reason = ground(law, "art-5-caput", code, None, (least,), per_night=wanted, nights=given.nights)
    return Verdict("allow", RotaAnswer(nights, max(turns) - min(turns), alerts), (reason,))


def _check_names(given: RotaGiven) -> None:
    """A holder or a car stands once."""
    holders = [*_holders(given), *(given.joiners or {}).values()]
    for names in ([holder.id for holder in holders], [car for holder in holders for car in holder.cars]):
        twice = next((name for name, count in Counter(names).items() if count > 1), None)
        if twice is not None:
            raise FactError(f"Rodízio: {twice} está duas vezes.")


def _holders(given: RotaGiven) -> Iterable[RotaHolder]:
    singles = given.single_holders or 0
    digits = max(_DIGITS, len(str(singles)))
    for number in range(1, singles + 1):
        name = f"{given.prefix}{number:0{digits}d}"
        yield RotaHolder(name, (name,))
    yield from given.extra_holders


def _units(holder: RotaHolder, by_car: bool) -> Iterable[_Turns]:
    cars = [_Turns(car) for car in holder.cars]
    if not by_car:
        return (_Turns(holder.id, cars),)
    return [_Turns(car.id, [_Turns(car.id)]) for car in cars]


def _joining(holder: RotaHolder, by_car: bool, units: Sequence[_Turns], night: int) -> list[_Turns]:
    """A joiner starts at the least turns of those already there, as if served the night before."""
    least = min((unit.turns for unit in units), default=0)
    joined = list(_units(holder, by_car))
    for unit in joined:
        unit.turns, unit.last = least, night - 1
    return joined


def _night(units: Sequence[_Turns], wanted: int, away: frozenset[str], night: int) -> Iterable[str]:
    """One car of each unit in rank, and again from the first while places are left and cars too."""
    free = {unit.id: [car for car in unit.cars if car.id not in away] for unit in units if unit.id not in away}
    taken = 0
    while taken < wanted and any(free.values()):
        for unit in sorted((unit for unit in units if free.get(unit.id)), key=lambda one: one.rank):
            if taken == wanted:
                return
            car = min(free[unit.id], key=lambda one: one.rank)
            free[unit.id].remove(car)
            car.take(night)
            unit.take(night)
            taken += 1
            yield car.id
