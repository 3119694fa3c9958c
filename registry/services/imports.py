"""Importing a municipal file: a preview that reports line by line, then a write of all or nothing."""

from __future__ import annotations

import hashlib
import tomllib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, BinaryIO

from sqlalchemy.orm import Session

from registry.domain.imports.cells import Context
from registry.domain.imports.kinds import KINDS
from registry.domain.imports.profile import Profile, ProfileError, build_profile
from registry.domain.imports.remarks import Remark
from registry.domain.imports.sheet import Sheet, read_sheet
from registry.domain.imports.table import Table, TableError, read_table
from registry.domain.occasion import Occasion
from registry.domain.regime import Regime
from registry.services.desk import Desk
from registry.services.errors import NotFound, Refused
from registry.services.import_calendar import CalendarPlan, plan_days, write_days
from registry.services.import_plan import Existing, make_plan
from registry.services.import_steps import Plan
from registry.services.import_workbook import ZIP, read_workbook
from registry.services.import_write import Told, Written, write_plan
from registry.services.vault import safe_name
from registry.settings import Settings, SettingsError
from registry.store.imports import ImportRun

__all__ = [
    "Choices",
    "Existing",
    "ImportReport",
    "Written",
    "preview",
    "profiles",
    "refuse_blocked",
    "run_of",
    "table_of",
    "write",
]

FOLDER = "import"


@dataclass(frozen=True)
class Choices:
    """What the clerk decides about a file.

    ``profile`` "" = guessed from the header. ``skip`` are lines (rows of the spreadsheet) left out, ``maps`` texts read
    as others: (column, read, meant). ``existing`` says what holds where a record here differs from the file: ``ask``
    (a conflict), ``keep`` the record, ``replace`` it by the file. ``confirm`` are the cells (``I5``) whose doubtful
    value the clerk vouches for; ``sheet`` names the sheet of a workbook ("" = the first).
    """

    profile: str = ""
    skip: tuple[int, ...] = ()
    maps: tuple[tuple[str, str, str], ...] = ()
    existing: Existing = "ask"
    confirm: tuple[str, ...] = ()
    sheet: str = ""


@dataclass(frozen=True)
class ImportReport:
    """What a file would do. Nothing is written as long as it is ``blocked``. ``regime`` is "" for a list of days."""

    kind: str
    regime: str
    file_name: str
    sha256: str
    choices: Choices
    sheet: Sheet
    plan: Plan | CalendarPlan

    @property
    def remarks(self) -> tuple[Remark, ...]:
        """Every remark, of the file and of what stands here, by line."""
        return tuple(sorted([*self.sheet.remarks, *self.plan.remarks], key=lambda each: (each.line, each.cell)))

    @property
    def blocked(self) -> bool:
        """Whether an erro or a conflito stands."""
        return any(each.blocks for each in self.remarks)

    def remarks_of(self, kind: str) -> tuple[Remark, ...]:
        """The remarks of one kind."""
        return tuple(each for each in self.remarks if each.kind == kind)


def profiles(settings: Settings) -> tuple[Profile, ...]:
    """The import profiles of this installation: ``import/*.toml`` beside each file of its configuration.

    Of two with one name the later file's counts. Raises SettingsError for one that is wrong.
    """
    contents: dict[str, tuple[Path, dict[str, Any]]] = {}
    folders = dict.fromkeys(source.parent / FOLDER for source in settings.sources)
    for path in [each for folder in folders for each in sorted(folder.glob("*.toml"))]:
        try:
            contents[path.stem] = (path, tomllib.loads(path.read_text(encoding="utf-8")))
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise SettingsError(f"{path}: {error}") from error
    found = []
    for name, (path, content) in contents.items():
        try:
            found.append(build_profile(name, _extended(name, content, contents)))
        except ProfileError as error:
            raise SettingsError(f"{path}: {error}") from error
    return tuple(found)


def _extended(
    name: str, content: Mapping[str, Any], contents: Mapping[str, tuple[Path, Mapping[str, Any]]]
) -> Mapping[str, Any]:
    """A profile's content upon that of the one that it extends: of a table the keys that it writes count."""
    base = content.get("extends")
    if base is None:
        return content
    if base not in contents or "extends" in contents[base][1]:
        raise ProfileError(f"Perfil de importação {name}, «extends»: escreva um perfil que exista e não estenda outro.")
    merged = dict(contents[base][1])
    for key, value in content.items():
        under = merged.get(key)
        merged[key] = {**under, **value} if isinstance(under, dict) and isinstance(value, dict) else value
    del merged["extends"]
    return merged


def preview(
    occasion: Occasion,
    desk: Desk,
    regime: str,
    stream: BinaryIO,
    file_name: str,
    choices: Choices | None = None,
    kind: str = "vehicles",
) -> ImportReport:
    """What importing a file would do; nothing is written.

    Args:
        occasion: its authority administers the regime; its day is today.
        regime: code of the regime whose permits the file numbers; "" for a list of days.
        stream: the file's bytes.
        file_name: as the report and the audit name it.
        choices: of the clerk.
        kind: what the file lists (``imports/kinds.py``).

    Raises:
        Refused: the file cannot be read as a table, or the profile does not fit it; the message says where and why.
        NotFound: the regime is not this authority's.
        RuleDown: a plugin failed to look at the rows.
    """
    chosen = choices or Choices()
    data = stream.read()
    declared = _regime(desk, occasion, kind, regime)
    sheet = _sheet(occasion, desk, declared, data, chosen, kind)
    with desk.store.reading() as session:
        plan = _plan(session, desk, occasion, declared, sheet, chosen.existing)
    return ImportReport(kind, regime, file_name, hashlib.sha256(data).hexdigest(), chosen, sheet, plan)


def _regime(desk: Desk, occasion: Occasion, kind: str, code: str) -> Regime | None:
    """The regime that a kind of file is of; None where it is of none."""
    if kind not in KINDS:
        raise NotFound
    return desk.regime_of(occasion.authority, code) if KINDS[kind].of_regime else None


def _plan(
    session: Session, desk: Desk, occasion: Occasion, regime: Regime | None, sheet: Sheet, existing: Existing
) -> Plan | CalendarPlan:
    if regime is None:
        return plan_days(session, desk, occasion, sheet)
    return make_plan(session, desk, occasion, regime, sheet, existing)


def write(
    occasion: Occasion, desk: Desk, report: ImportReport, told: Told | None = None, run_id: int | None = None
) -> Written:
    """Writes a previewed file whole, in one transaction; a file that says nothing new writes nothing at all.

    What stands here is compared again inside the transaction. ``told`` is called with lines done and lines in all. What
    was made and changed is noted under the run of ``run_id``, else under one made here, so that it can be undone.

    Raises:
        Refused: an erro or conflito stands, or arose since the preview.
        RuleDown: a plugin did not answer; nothing is written.
    """
    regime = _regime(desk, occasion, report.kind, report.regime)
    refuse_blocked(report)
    with desk.store.writing() as session:
        plan = _plan(session, desk, occasion, regime, report.sheet, report.choices.existing)
        now = replace(report, plan=plan)
        refuse_blocked(now)
        run = session.get_one(ImportRun, run_id) if run_id else run_of(occasion, report)
        if isinstance(plan, CalendarPlan):
            written = write_days(session, desk, occasion, plan, run, _particulars(now))
        else:
            assert regime is not None
            written = write_plan(session, desk, occasion, regime, plan, run, _particulars(now), told)
        run.state, run.finished_at = "gravado", occasion.at
        run.lines_done = run.lines_total = len(report.sheet.lines)
        run.report = {**run.report, **written.counts}
        return written


def run_of(occasion: Occasion, report: ImportReport) -> ImportRun:
    """A run for a previewed file, not yet saved."""
    return ImportRun(
        authority=occasion.authority,
        kind=report.kind,
        regime=report.regime,
        file_name=safe_name(report.file_name, "text/csv"),
        sha256=report.sha256,
        choices=asdict(report.choices),
        state="previa",
        lines_done=0,
        lines_total=len(report.sheet.lines),
        report={"remarks": _counts(report)},
        created_by=occasion.actor,
        created_at=occasion.at,
        undone_reason="",
    )


def refuse_blocked(report: ImportReport) -> None:
    """Raises Refused, naming the first, while an erro, a conflito or a value to be confirmed stands."""
    standing = [each for each in report.remarks if each.blocks]
    if standing:
        what = "1 erro ou conflito" if len(standing) == 1 else f"{len(standing)} erros e conflitos"
        raise Refused(message=f"Nada foi gravado: há {what} no arquivo. O primeiro: {standing[0].text}")


def _counts(report: ImportReport) -> dict[str, int]:
    return {kind: len(report.remarks_of(kind)) for kind in ("aviso", "duplicada")}


def _particulars(report: ImportReport) -> dict[str, object]:
    """What the audit keeps of the file."""
    choices = report.choices
    return {
        "file": report.file_name,
        "sha256": report.sha256,
        "profile": report.sheet.profile.name,
        "encoding": report.sheet.encoding,
        "rows": report.sheet.rows,
        "skipped": report.sheet.skipped,
        "maps": choices.maps,
        "existing": choices.existing,
        "confirmed": choices.confirm,
        "remarks": _counts(report),
    }


def _sheet(occasion: Occasion, desk: Desk, regime: Regime | None, data: bytes, choices: Choices, kind: str) -> Sheet:
    known = [each for each in profiles(desk.settings) if each.kind == kind]
    offered = [each for each in known if choices.profile in ("", each.name)]
    if not offered:
        names = ", ".join(each.name for each in known) or "nenhum"
        raise Refused(message=f"Não há perfil de importação «{choices.profile}». Há: {names}.")
    try:
        table = table_of(data, choices.sheet)
        first = read_sheet(table, offered, _context(occasion, regime, offered[0], choices), choices.skip)
        if not choices.maps:
            return first
        mapped = first.profile.mapped(choices.maps)
        return read_sheet(table, [mapped], _context(occasion, regime, mapped, choices), choices.skip)
    except TableError as error:
        raise Refused(message=error.message_pt) from error
    except ProfileError as error:
        raise Refused(message=str(error)) from error


def table_of(data: bytes, sheet: str = "") -> Table:
    """The table in a file, CSV or XLSX by content. Raises TableError."""
    return read_workbook(data, sheet) if data.startswith(ZIP) else read_table(data)


def _context(occasion: Occasion, regime: Regime | None, profile: Profile, choices: Choices) -> Context:
    return Context(
        profile=profile,
        on=occasion.on,
        number_format=regime.number_format if regime else "{number}",
        categories={each.code: each.label for each in regime.categories} if regime else {},
        vehicle_types={each.code: each.label for each in regime.vehicle_types} if regime else {},
        confirmed=frozenset(cell.strip().upper() for cell in choices.confirm),
    )
