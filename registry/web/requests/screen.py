"""What the page of a request shows, ready for its templates: steps, findings, documents, history."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from functools import partial
from typing import Any

from flask import url_for

from registry.domain.identifiers import canonical
from registry.domain.law import Ground
from registry.domain.regime import Finding, Weight
from registry.domain.text import format_date
from registry.domain.workflow import ENDED
from registry.services.people import find_by_document
from registry.services.request_view import DocumentLine, FeeLine, PaperLine, RequestPage
from registry.services.timeline import Happening
from registry.services.vehicles import find_by_plate, vehicle_types
from registry.web.edge import authority, desk, session, settings, staff, today
from registry.web.findings import by_weight, counts_text
from registry.web.formats import plural
from registry.web.requests.forms import LINKS, FactGroup, FillForm, fact_groups, filled
from registry.web.requests.next_step import next_card, obstacles, other_ways
from registry.web.shell import address_of, has_endpoint
from registry.web.why import cite

MIB = 1024 * 1024
_CITED = 3
_NAMED = 4
_LONG = 3
_SHOWN_HISTORY = 4
_STEP_STATES = {"done": "done", "now": "here", "stopped": "stop"}


@dataclass(frozen=True)
class FindingLine:
    """A finding with the articles that it applies and where its mend leads.

    ``more`` counts what stands against besides the first; ``is_long``: the explanation is too long to stand open.
    """

    finding: Finding
    cites: str
    address: str
    more: int
    is_long: bool

    @property
    def title(self) -> str:
        """The summary; without its full stop where «e mais 2» follows."""
        return self.finding.summary.removesuffix(".") if self.more else self.finding.summary


@dataclass(frozen=True)
class Row:
    """A wanted document: its line, what stands below its name, the day it holds until, what is open in place.

    ``paper`` is the paper to be reviewed or opened; ``opened``: send, review, waive or "".
    """

    line: DocumentLine
    note: str
    expires_on: date | None
    paper: PaperLine | None
    opened: str

    @property
    def copies(self) -> int:
        """How many of the wanted copies the paper to be reviewed may hold."""
        return copies_in(self.line, self.paper) if self.paper else 1


def screen_of(
    page: RequestPage,
    *,
    form: FillForm | None = None,
    editing: bool = False,
    opened: str = "",
    opened_as: str = "",
    row_form: Any = None,
    focus: bool = False,
) -> dict[str, Any]:
    """The context of the page's templates.

    Args:
        page: the request, perhaps with what is being typed.
        form: the form of its facts as it was typed; None = as stored.
        editing: whether the form stands open on a filed request.
        opened: code of the document whose row is open, ``opened_as`` send, review or waive.
        row_form: the form of that row after an error.
        focus: whether the focus goes to the open row.
    """
    is_draft = page.state == "rascunho"
    may_edit = staff().may("requests.edit") and page.editable
    fill = form or filled(page)
    shown_form = may_edit and (is_draft or editing)
    return {
        "page": page,
        "form": fill,
        "groups": groups_of(page, fill),
        "shows_form": shown_form,
        "is_draft": is_draft,
        "may_edit": may_edit,
        "may_analyse": staff().may("requests.analyse") and page.editable and not is_draft,
        "may_read_restricted": staff().may("people.restricted"),
        "steps": step_items(page),
        "findings": finding_lines(page),
        "counts": counts_text(_findings(page)),
        "needs_vehicle": needs_vehicle(page),
        "documents": document_groups(page, opened, opened_as),
        "documents_text": documents_text(page.documents),
        "wanted": wanted_mark(page),
        "row_form": row_form,
        "focus": focus,
        "next": next_card(page),
        "obstacles": obstacles(page),
        "ways": other_ways(page),
        "history": told_once(page.history),
        "first_lines": _SHOWN_HISTORY,
        "in_order": in_order_text([each.rule for each in page.findings.in_order]),
        "plugin": desk().regime(page.regime).plugin,
        "fees_total": sum(_of_fee(fee) for fee in page.fees),
        "links_to": {noun: partial(address_of, noun) for noun in ("permit", "person", "vehicle")},
        "create_addresses": create_addresses(page, fill),
        "found": found_texts(page, fill),
        "comes_back": form is not None and is_draft and not form.is_submitted(),
        "upload_limit": settings().upload_limit // MIB,
    }


def in_order_text(rules: Sequence[str]) -> str:
    """«Lotação, Capital, Débitos e mais 4»."""
    few = ", ".join(rules[:_NAMED])
    return f"{few} e mais {len(rules) - _NAMED}" if len(rules) > _NAMED else few


def found_texts(page: RequestPage, form: FillForm) -> dict[str, str]:
    """Whom and what the numbers in the form name: what is stored, or what was typed and is not saved yet."""
    texts = {}
    stored = {"document": page.applicant, "cooperative_document": page.cooperative}
    for name, person in stored.items():
        typed = form[name].data if name in form._fields else None
        if typed and not form[name].errors:
            if person is None or canonical(person.document) != typed:
                person = find_by_document(session(), authority().code, typed)
            texts[name] = person.name if person else ""
    plate = form.plate.data if "plate" in form._fields else None
    if plate and not form.plate.errors:
        vehicle = page.vehicle
        if vehicle is None or canonical(vehicle.plate) != canonical(plate):
            vehicle = find_by_plate(session(), authority().code, plate, vehicle_types(desk(), authority().code))
        texts["plate"] = ", ".join(filter(None, (vehicle.plate, vehicle.description))) if vehicle else ""
    return texts


def create_addresses(page: RequestPage, form: FillForm) -> dict[str, str]:
    """Where the record that a field names and nobody has entered is entered; it leads back to the draft."""
    addresses = {}
    for name in LINKS:
        endpoint, given = ("vehicles.new", "plate") if name == "plate" else ("people.new", "document")
        if name in form._fields and form[name].data and has_endpoint(endpoint):
            typed = form[name].data
            back = url_for("requests.page", request_id=page.id, **{name: typed}, _anchor="dados")
            addresses[name] = url_for(endpoint, **{given: typed, "volta": back})
    return addresses


def groups_of(page: RequestPage, form: FillForm) -> tuple[FactGroup, ...]:
    """The regime's own facts of the form, by the rule that asks them."""
    kind = desk().regime(page.regime).request_kind(page.kind)
    return fact_groups(page, kind.rules, form)


def step_items(page: RequestPage) -> list[dict[str, str]]:
    """The steps on top; the current one carries the last day."""
    items = []
    for step in page.outlook.steps:
        detail = step.note or (format_date(step.on) if step.on else "")
        if step.state == "now" and page.due is not None and step.code == "analise":
            when = "hoje, " if page.due.on == today() else ""
            detail = f"Prazo: {when}{format_date(page.due.on)}"
        if step.state == "later" and step.code == "decisao":
            detail = "Depois da análise"
        items.append({"label": step.label, "detail": detail, "state": _STEP_STATES.get(step.state, "")})
    return items


def finding_lines(page: RequestPage) -> dict[Weight, list[FindingLine]]:
    """The findings by weight, each with what its line shows."""
    groups = by_weight(_findings(page)).items()
    return {weight: [_line(page, each) for each in found] for weight, found in groups}


def _findings(page: RequestPage) -> tuple[Finding, ...]:
    return (*page.findings.impeding, *page.findings.warning, *page.findings.in_order)


def needs_vehicle(page: RequestPage) -> bool:
    """Whether the findings wait for the vehicle to be told."""
    kind = desk().regime(page.regime).request_kind(page.kind)
    return kind.needs_vehicle and page.vehicle is None and page.state not in ENDED


def document_groups(page: RequestPage, opened: str, opened_as: str) -> list[tuple[str, list[Row]]]:
    """The wanted documents by group, in the order of the law."""
    groups: dict[str, list[Row]] = {}
    for line in page.documents:
        how = opened_as if line.code == opened else ""
        groups.setdefault(line.group, []).append(_row(line, how or (_usual(line) if line.code == opened else "")))
    return list(groups.items())


def documents_text(lines: Sequence[DocumentLine]) -> str:
    """«10 de 13 aceitos, 1 dispensado, 2 a resolver»."""
    accepted = sum(line.status in ("aceito", "com_ressalva") for line in lines)
    waived = sum(line.status == "dispensado" for line in lines)
    left = len(lines) - accepted - waived
    parts = [f"{accepted} de {len(lines)} {'aceito' if accepted == 1 else 'aceitos'}"]
    parts += [plural(waived, "dispensado", "dispensados")] if waived else []
    return ", ".join([*parts, f"{left} a resolver"] if left else parts)


def wanted_mark(page: RequestPage) -> str:
    """A mark of the list of wanted documents: when it changes while one types, the list is shown anew."""
    return ",".join(f"{line.code}{'-' if line.waived else ''}" for line in page.documents)


def next_to_review(page: RequestPage, after: str) -> str:
    """The code of the next document to be reviewed, from the one after ``after`` on and round again; "" = none."""
    codes = [line.code for line in page.documents]
    start = codes.index(after) + 1 if after in codes else 0
    order = [*page.documents[start:], *page.documents[:start]]
    return next((line.code for line in order if line.status == "enviado"), "")


def told_once(history: Iterable[Happening]) -> list[Happening]:
    """The history, equal lines of one hand in a row told once (a draft is saved at every field)."""
    told: list[Happening] = []
    for each in history:
        if not told or (told[-1].text, told[-1].by, told[-1].detail) != (each.text, each.by, each.detail):
            told.append(each)
    return told


def _line(page: RequestPage, finding: Finding) -> FindingLine:
    address = _mend_address(page, finding) if finding.weight != "ok" else ""
    against = len(_grounds(finding)) if finding.weight != "ok" else 0
    return FindingLine(finding, _cites(finding), address, max(0, against - 1), against > _LONG)


def _grounds(finding: Finding) -> list[Ground]:
    """What stands against the request in a finding; of what is only to be looked at, each thing to look at."""
    if finding.verdict is None:
        return []
    return [each for each in finding.verdict.grounds if each.holds is (None if finding.to_check else False)]


def _cites(finding: Finding) -> str:
    """The articles that decided; of a finding that waits, those of its question."""
    if finding.verdict is not None:
        grounds = _grounds(finding) or finding.verdict.grounds
        provisions = [ground.provision for ground in grounds]
    else:
        provisions = list(desk().host.question(finding.plugin, finding.question).cites)
    cited = list(dict.fromkeys(cite(finding.plugin, each) for each in provisions if each))
    more = f" e mais {len(cited) - _CITED}" if len(cited) > _CITED else ""
    return "; ".join(cited[:_CITED]) + more


def _mend_address(page: RequestPage, finding: Finding) -> str:
    """Where the mend of a finding is done: a field of the draft, a part of the page, a record of its own."""
    is_draft = page.state == "rascunho"
    match finding.mend_at:
        case "documents" if finding.to_check:
            return "#documentos"
        case "documents":
            asks = page.exigencia is not None and staff().may("requests.analyse")
            return url_for("requests.ask", request_id=page.id) if asks else "#documentos"
        case "facts" if staff().may("requests.edit"):
            here = "" if is_draft else url_for("requests.page", request_id=page.id, dados=1)
            return f"{here}#dados"
        case "vehicle" if page.vehicle is not None:
            return address_of("vehicle", page.vehicle.id)
        case "holder" if page.applicant is not None:
            return address_of("person", page.applicant.id)
        case "vehicle" | "holder" if is_draft:
            return "#dados"
        case "inspection":
            return "#vistoria"
        case "charges":
            return "#taxas"
        case _:
            return ""


def _of_fee(fee: FeeLine) -> Decimal:
    if fee.paid_on is not None:
        return fee.paid
    return fee.amount.amount if fee.amount is not None else Decimal(0)


def _row(line: DocumentLine, opened: str) -> Row:
    days = [paper.expires_on for paper in line.papers if paper.expires_on]
    standing = [paper for paper in line.papers if paper.status == "enviado"] or list(line.papers)
    return Row(line, _note(line), min(days, default=None), standing[0] if standing else None, opened)


def copies_in(line: DocumentLine, paper: PaperLine) -> int:
    """How many copies a paper holds: as reviewed, else what the other papers leave of those wanted."""
    if paper.status != "enviado":
        return paper.copies
    others = sum(each.copies for each in line.papers if each.id != paper.id)
    return max(paper.copies, line.copies - others)


def _usual(line: DocumentLine) -> str:
    """What one comes to an open row for."""
    return "review" if line.status == "enviado" and staff().may("requests.analyse") else "send"


def _note(line: DocumentLine) -> str:
    if line.waived:
        return line.waived
    if line.source == "inspection":
        return "Entra sozinho, com a vistoria"
    if line.source == "record":
        return "Conferido no cadastro"
    reasons = [paper.reason for paper in line.papers if paper.reason]
    if line.status == "vencido":
        ended = min(paper.expires_on for paper in line.papers if paper.status == "vencido" and paper.expires_on)
        return f"Venceu há {plural((today() - ended).days, 'dia', 'dias')}"
    if line.copies > 1 and line.status not in ("aceito", "com_ressalva"):
        return ". ".join([f"{sum(paper.copies for paper in line.papers)} de {line.copies} vias enviadas", *reasons])
    return ". ".join(reasons)
