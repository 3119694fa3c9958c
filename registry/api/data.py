"""Tables and services for plugins: a plugin's ``models.py`` and services import them from here.

A plugin's tables come from :func:`plugin_base`; it reads the core's tables and changes them through services alone.
"""

from __future__ import annotations

from registry.domain.acts import RestsOnAct
from registry.domain.imports.remarks import RowRemark
from registry.services.acts import resolve as resolve_act
from registry.services.desk import Desk
from registry.services.dossier import load_dossier
from registry.services.errors import AlreadyDone, NotAllowed, NotFound, Refused, RuleDown, ServiceError, Stale
from registry.services.public_rows import refresh_public_rows
from registry.store.acts import Act, Closure, IndexValue
from registry.store.audit import record
from registry.store.base import AuthorityCode, Code, Instant, Key, Text, Versioned, plugin_base
from registry.store.charges import Charge, Posting
from registry.store.inspections import Inspection
from registry.store.once import first_result, remember
from registry.store.people import Membership, Person
from registry.store.permits import Licence, Permit, PermitVehicle
from registry.store.requests import Decision, Request, RequestDocument
from registry.store.types import Folded, Money, UtcDateTime
from registry.store.vehicles import Restriction, Vehicle

__all__ = [
    "Act",
    "AlreadyDone",
    "AuthorityCode",
    "Charge",
    "Closure",
    "Code",
    "Decision",
    "Desk",
    "Folded",
    "IndexValue",
    "Inspection",
    "Instant",
    "Key",
    "Licence",
    "Membership",
    "Money",
    "NotAllowed",
    "NotFound",
    "Permit",
    "PermitVehicle",
    "Person",
    "Posting",
    "Refused",
    "Request",
    "RequestDocument",
    "Restriction",
    "RestsOnAct",
    "RowRemark",
    "RuleDown",
    "ServiceError",
    "Stale",
    "Text",
    "UtcDateTime",
    "Vehicle",
    "Versioned",
    "first_result",
    "load_dossier",
    "plugin_base",
    "record",
    "refresh_public_rows",
    "remember",
    "resolve_act",
]
