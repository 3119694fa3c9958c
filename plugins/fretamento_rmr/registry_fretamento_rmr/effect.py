"""What a granted request does: the permit, the vehicle under it, and the vehicle's term for the year."""

from __future__ import annotations

from registry.api.law import AddVehicle, Command, Dossier, GrantPermit, IssueLicence, Law, Occasion
from registry_fretamento_rmr.rules.registration import Renewal, renewal

CATEGORY = "fretamento"


def new_term(dossier: Dossier, occasion: Occasion, law: Law) -> tuple[Command, ...]:
    """The commands of a granted first term: one number a holder, one term a vehicle, valid as a renewal would be."""
    valid = renewal(Renewal(occasion.on, occasion.on), law).answer.valid_through
    commands: list[Command] = []
    known = (dossier.permit, *dossier.permits)
    if not any(permit.live(occasion.on) for permit in known if permit is not None):
        category = dossier.request.category if dossier.request else ""
        commands.append(GrantPermit(category or CATEGORY, occasion.on))
    return (*commands, AddVehicle(occasion.on), IssueLicence(occasion.on, valid))
