"""The law's surface for plugins: everything of the pure domain that rules, givens and regimes need.

A plugin's ``rules/`` import this module alone. Nothing here reads a clock, a database, a network or the environment.
"""

from __future__ import annotations

import tomllib
from importlib import import_module
from importlib.metadata import entry_points
from importlib.resources import files
from typing import Any

from registry.domain.calendar import ActDay, Calendar, DayRule, SkippedDay, YearlySpan, easter
from registry.domain.deadline import (
    Deadline,
    FirstDayRule,
    add_hours,
    add_months,
    add_years,
    business_days_between,
    count_business_days,
    count_calendar_days,
    describe_moment,
    filed_in_time,
    last_day_of_days,
    last_day_of_months,
    roll_moment,
)
from registry.domain.dossier import (
    Debt,
    Document,
    DocumentStatus,
    Dossier,
    Holder,
    Inspection,
    Licence,
    Permit,
    PersonKind,
    RequestFacts,
    Restriction,
    RestrictionKind,
    Vehicle,
)
from registry.domain.effects import (
    AddVehicle,
    Command,
    EndLicence,
    GrantPermit,
    IssueLicence,
    OpenCharge,
    PluginCommand,
)
from registry.domain.identifiers import (
    CnhCheck,
    IdentifierError,
    Plate,
    canonical,
    check_cnh,
    format_cnpj,
    format_cpf,
    format_document,
    format_plate,
    parse_cnpj,
    parse_cpf,
    parse_document,
    parse_plate,
    parse_renavam,
    plate_key,
)
from registry.domain.law import (
    Ground,
    Law,
    Outcome,
    Question,
    Step,
    Verdict,
    known,
    question,
    questions_in,
)
from registry.domain.lawbook import Lawbook, LawbookError, Provision, Reading, build_lawbook
from registry.domain.money import RoundingMode, cents, from_cents, round_money, split_instalments
from registry.domain.occasion import Occasion
from registry.domain.regime import (
    ChargePlan,
    ChecklistItem,
    Choice,
    FactField,
    Finding,
    HolderKind,
    InspectionPlan,
    Missing,
    NowFact,
    Office,
    PublicCard,
    Regime,
    RequestKind,
    Rule,
    StatusRule,
    WantedDocument,
    ask,
    combined,
)
from registry.domain.sentences import format_sentence, join_words
from registry.domain.text import (
    fold,
    format_date,
    format_hour,
    format_money,
    format_number,
    format_rate,
    tie,
)
from registry.domain.values import DatedValue, FactError, NoValueInForce

__all__ = [
    "ActDay",
    "AddVehicle",
    "Calendar",
    "ChargePlan",
    "ChecklistItem",
    "Choice",
    "CnhCheck",
    "Command",
    "DatedValue",
    "DayRule",
    "Deadline",
    "Debt",
    "Document",
    "DocumentStatus",
    "Dossier",
    "EndLicence",
    "FactError",
    "FactField",
    "Finding",
    "FirstDayRule",
    "GrantPermit",
    "Ground",
    "Holder",
    "HolderKind",
    "IdentifierError",
    "Inspection",
    "InspectionPlan",
    "IssueLicence",
    "Law",
    "Lawbook",
    "LawbookError",
    "Licence",
    "Missing",
    "NoValueInForce",
    "NowFact",
    "Occasion",
    "Office",
    "OpenCharge",
    "Outcome",
    "Permit",
    "PersonKind",
    "Plate",
    "PluginCommand",
    "Provision",
    "PublicCard",
    "Question",
    "Reading",
    "Regime",
    "RequestFacts",
    "RequestKind",
    "Restriction",
    "RestrictionKind",
    "RoundingMode",
    "Rule",
    "SkippedDay",
    "StatusRule",
    "Step",
    "Vehicle",
    "Verdict",
    "WantedDocument",
    "YearlySpan",
    "add_hours",
    "add_months",
    "add_years",
    "ask",
    "build_lawbook",
    "business_days_between",
    "canonical",
    "cents",
    "check_cnh",
    "combined",
    "count_business_days",
    "count_calendar_days",
    "describe_moment",
    "easter",
    "filed_in_time",
    "fold",
    "format_cnpj",
    "format_cpf",
    "format_date",
    "format_document",
    "format_hour",
    "format_money",
    "format_number",
    "format_plate",
    "format_rate",
    "format_sentence",
    "from_cents",
    "join_words",
    "known",
    "last_day_of_days",
    "last_day_of_months",
    "load_lawbook",
    "parse_cnpj",
    "parse_cpf",
    "parse_document",
    "parse_plate",
    "parse_renavam",
    "plate_key",
    "question",
    "questions_in",
    "roll_moment",
    "round_money",
    "split_instalments",
    "tie",
]


def load_lawbook(package: str, *, plugin: str = "", version: str = "") -> Lawbook:
    """The law data of a plugin's package (``load_lawbook("registry_example")``): its ``law/*.toml``, merged.

    Name and version come from the installed distribution whose ``registry.plugins`` entry point lies in the package,
    unless they are given. Raises :class:`LawbookError` for data that is wrong, naming the file and the mend.
    """
    if not plugin:
        plugin, version = _identity(package)
    parsed: dict[str, dict[str, Any]] = {}
    folder = files(import_module(package)) / "law"
    if not folder.is_dir():
        raise LawbookError(f"{plugin}: the package {package} has no folder law/; ship law/*.toml inside the package")
    for entry in sorted(folder.iterdir(), key=lambda entry: entry.name):
        if entry.name.endswith(".toml"):
            try:
                parsed[entry.name] = tomllib.loads(entry.read_text(encoding="utf-8"))
            except tomllib.TOMLDecodeError as error:
                raise LawbookError(f"{plugin}: {entry.name}: {error}") from error
    return build_lawbook(plugin, version, parsed)


def _identity(package: str) -> tuple[str, str]:
    for point in entry_points(group="registry.plugins"):
        if point.module.split(".")[0] == package:
            return point.name, point.dist.version if point.dist else ""
    raise LawbookError(f"{package} belongs to no installed plugin: install its distribution (pip install -e) first")
