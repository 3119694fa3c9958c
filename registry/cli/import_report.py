"""An import's report as lines of text, in the order in which a clerk reads it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from zoneinfo import ZoneInfo

from registry.domain.imports.remarks import Remark, Tally
from registry.domain.imports.table import DELIMITERS
from registry.domain.sentences import join_words
from registry.domain.text import format_date, format_hour_field, format_number
from registry.services.import_calendar import CalendarPlan
from registry.services.import_runs import RunState
from registry.services.import_steps import Plan
from registry.services.import_undo import Undone
from registry.services.imports import ImportReport, Written

_SHOWN = 50
_KINDS = (
    ("erro", "Erros"),
    ("conflito", "Conflitos"),
    ("duplicada", "Linhas repetidas"),
    ("aviso", "Avisos"),
)
_DATES = frozenset({"first_registered_on", "as_of", "granted_on", "born_on", "cnh_until"})


def report_lines(report: ImportReport, everything: bool = False) -> Iterable[str]:
    """The report; of each kind of remark the first 50 unless ``everything``."""
    yield from _file_lines(report)
    yield "Colunas"
    for tally in report.sheet.tallies:
        yield from _tally_lines(tally)
    if report.sheet.ignored_columns:
        yield f"  não importadas: {', '.join(report.sheet.ignored_columns)}"
    for kind, label in _KINDS:
        yield from _remark_lines(label, report.remarks_of(kind), everything)
    yield from _advice(report)
    yield from _yearly(report.plan)
    yield f"Para gravar: {join_words(_counts(report.plan.counts())) or 'nada'}."


def written_lines(written: Written) -> Iterable[str]:
    """What was written."""
    if written.nothing_changed:
        yield "Nada mudou: tudo o que o arquivo diz já estava no cadastro."
        return
    parts = _counts(written.told)
    yield f"Gravado, importação nº {written.number}: {join_words(parts)}."


def run_lines(runs: Iterable[RunState], zone: ZoneInfo) -> Iterable[str]:
    """The authority's runs, one a line, with what each wrote or why it did not."""
    nothing = True
    for run in runs:
        nothing = False
        at = run.created_at.astimezone(zone)
        wrote = join_words(_counts(Written(**run.counts).told))
        more = wrote or run.message or (f"{_n(run.lines_total)} linhas" if run.can_write else "")
        undone = f"; desfeita por {run.undone_by}: {run.undone_reason}" if run.undone_at else ""
        yield (
            f"{run.id}  {format_date(at)} {format_hour_field(at)}  {run.kind_label}  {run.file_name}  "
            f"{run.state_label}  {run.created_by}  {more}{undone}".rstrip()
        )
    if nothing:
        yield "Nenhuma importação."


def undone_text(undone: Undone) -> str:
    """What undoing did."""
    ended = _plural(undone.ended, f"1 registro encerrado|{_n(undone.ended)} registros encerrados")
    restored = _plural(undone.restored, f"1 registro como era|{_n(undone.restored)} registros como eram")
    return join_words([each for each in (ended, restored) if each]) or "nada a desfazer"


def _file_lines(report: ImportReport) -> Iterable[str]:
    sheet = report.sheet
    delimiter = DELIMITERS.get(sheet.delimiter, sheet.delimiter)
    parted = f", separado por {delimiter}" if delimiter else ""
    yield f"{report.file_name}: {sheet.encoding}{parted}, cabeçalho na linha {sheet.header_line}"
    yield f"Perfil: {sheet.profile.name} ({sheet.profile.label})"
    yield f"Linhas com dados: {_n(sheet.rows)}"
    if sheet.passed_over:
        yield f"Linhas que não são dados (títulos, totais): {', '.join(map(str, sheet.passed_over))}"
    if sheet.skipped:
        yield f"Linhas deixadas de fora: {', '.join(map(str, sheet.skipped))}"
    if sheet.confirmed:
        yield f"Valores confirmados: {', '.join(sheet.confirmed)}"
    needless = [cell for cell in report.choices.confirm if cell.strip().upper() not in sheet.confirmed]
    if needless:
        yield f"Sem valor duvidoso, nada a confirmar: {', '.join(needless)}"


def _tally_lines(tally: Tally) -> Iterable[str]:
    unknown = f"1 não conhecida|{_n(tally.unknown)} não conhecidas"
    if tally.target in _DATES:
        unknown = f"1 data não conhecida|{_n(tally.unknown)} datas não conhecidas"
    parts = [
        _plural(tally.filled, f"1 preenchida|{_n(tally.filled)} preenchidas"),
        _plural(tally.blank, f"1 vazia|{_n(tally.blank)} vazias"),
        _plural(tally.unknown, unknown),
        _plural(tally.distinct, f"1 valor|{_n(tally.distinct)} valores diferentes"),
        _plural(tally.mercosul, f"1 no padrão Mercosul|{_n(tally.mercosul)} no padrão Mercosul"),
    ]
    yield f"  {tally.column}: {', '.join(part for part in parts if part) or 'nada'}"
    for meant, read in sorted(tally.spellings.items()):
        yield f"    {meant}: {', '.join(f'«{text}» ({_n(number)})' for text, number in read.items())}"


def _remark_lines(label: str, remarks: tuple[Remark, ...], everything: bool) -> Iterable[str]:
    if not remarks:
        return
    yield f"{label} ({_n(len(remarks))})"
    shown = remarks if everything else remarks[:_SHOWN]
    for each in shown:
        yield f"  {each.text}"
    if len(shown) < len(remarks):
        yield f"  … e mais {_n(len(remarks) - len(shown))}; veja todas com --all"


def _advice(report: ImportReport) -> Iterable[str]:
    for each in report.sheet.suggestions:
        times = "1 vez" if each.count == 1 else f"{_n(each.count)} vezes"
        yield (
            f"«{each.read}» está {times} em {each.column}; para ler como {each.meant}: "
            f"--map {each.column}:{each.read}={each.meant}"
        )
    in_file = [each for each in report.sheet.remarks_of("conflito") if each.other]
    if in_file:
        yield f"Para deixar uma linha de fora: --skip {in_file[0].line}"
    doubtful = [each.cell for each in report.sheet.remarks if each.confirmable]
    if doubtful:
        yield f"Para confirmar um valor duvidoso: {' '.join(f'--confirm {cell}' for cell in doubtful[:_SHOWN])}"
    if any(each.choosable for each in report.plan.remarks):
        yield "Onde o cadastro difere: --existing keep mantém o cadastro, --existing replace usa o arquivo."


def _yearly(plan: Plan | CalendarPlan) -> Iterable[str]:
    """The days that come back every year, as they are written in the authority's configuration."""
    if not isinstance(plan, CalendarPlan) or not plan.yearly:
        return
    yield "Dias que voltam todo ano; --yearly os põe no calendário do órgão (chave «calendar» da configuração):"
    for day in plan.yearly:
        yield "  { " + ", ".join(f"{name} = {_toml(value)}" for name, value in day.items() if value) + " },"


def _toml(value: str) -> str:
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _counts(named: Mapping[str, int]) -> list[str]:
    parts = []
    for words, number in named.items():
        one, many = words.split("|")
        if number:
            parts.append(f"{_n(number)} {one if number == 1 else many}")
    return parts


def _plural(number: int, words: str) -> str:
    one, many = words.split("|")
    return "" if not number else one if number == 1 else many


def _n(number: int) -> str:
    return format_number(number)
