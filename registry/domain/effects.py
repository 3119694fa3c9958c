"""Commands: what a decision does. A regime's effect returns them; services execute the core's, plugins their own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Any


@dataclass(frozen=True)
class GrantPermit:
    """Gives the dossier's holder a permit numbered in the regime's series, from a day."""

    category: str
    granted_on: date


@dataclass(frozen=True)
class AddVehicle:
    """Puts the dossier's vehicle under the permit (the one just granted, else the dossier's)."""

    since: date
    role: str = "regular"


@dataclass(frozen=True)
class IssueLicence:
    """Issues the vehicle's numbered paper under the permit, valid until a day (None = no term)."""

    issued_on: date
    valid_until: date | None


@dataclass(frozen=True)
class EndLicence:
    """Ends the vehicle's licence in force from a day, with the reason code."""

    on: date
    reason: str


@dataclass(frozen=True)
class OpenCharge:
    """Opens a charge of the request kind's plan by its code."""

    plan: str


@dataclass(frozen=True)
class PluginCommand:
    """A plugin's own change, executed by its ``registry_apply`` inside the core's transaction."""

    plugin: str
    name: str
    payload: Mapping[str, Any] = field(default_factory=dict)


Command = GrantPermit | AddVehicle | IssueLicence | EndLicence | OpenCharge | PluginCommand
