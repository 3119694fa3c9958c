"""Which lines of one file count: what settles the lines of each kind."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Protocol

from registry.domain.imports.profile import Profile
from registry.domain.imports.remarks import Remark
from registry.domain.imports.repeats import RepeatedDays, RepeatedVehicles
from registry.domain.imports.same_permit import RepeatedPermits

if TYPE_CHECKING:
    from registry.domain.imports.sheet import Line


class Repeats(Protocol):
    """Settles the lines of a file. ``left_out`` are those that the clerk leaves out, with those that repeat them."""

    remarks: list[Remark]
    left_out: set[int]

    def settle(self, lines: Sequence[Line]) -> list[Line]:
        """The lines that count, each thing once; ``remarks`` tells of the others."""
        ...


def repeats_of(profile: Profile, skip: Collection[int]) -> Repeats:
    """What settles the lines of this kind of file, without those to skip."""
    if profile.kind == "vehicles":
        return RepeatedVehicles(skip)
    if profile.kind == "permits":
        return RepeatedPermits(skip, profile.fleet)
    return RepeatedDays(skip)
