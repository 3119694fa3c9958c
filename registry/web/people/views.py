"""A person, company or cooperative: found, entered number first, corrected a section at a time, with its members."""

from __future__ import annotations

from typing import Any

from flask import Blueprint, Response, abort, flash, request, url_for
from werkzeug.datastructures import MultiDict

from registry.domain.text import format_date, format_hour
from registry.services import people as service
from registry.services.errors import Existing, Refused
from registry.services.merging import kept_instead
from registry.services.people import PersonInput
from registry.services.person_pages import person_page
from registry.services.registers import PEOPLE_ORDERS, PERSON_KINDS, Listed, PersonLine, list_people
from registry.store.people import Person
from registry.web import htmx
from registry.web.access import access
from registry.web.edge import authority, desk, now, perform, session, today
from registry.web.fields import USE, RegistryForm
from registry.web.paging import PAGE_SIZE, list_view, order_of, page_number, quoted
from registry.web.people.forms import SECTIONS, LeaveForm, MemberForm, NewPersonForm, values_of
from registry.web.returning import way_back_with
from registry.web.shell import MenuEntry
from registry.web.spreadsheet import CHUNK, sheet

blueprint = Blueprint("people", __name__, url_prefix="/pessoas")
MENU = (MenuEntry("cadastros", "Pessoas", "people.index", order=10),)
ONE = "/<int(max=2147483647):person_id>"


@blueprint.get("")
@access("people.view")
def index() -> Response:
    """The register: ``?q=`` name, CPF or CNPJ, ``?tipo=``, ``?ordem=``, ``?page=``."""
    typed, kind = request.args.get("q", ""), request.args.get("tipo", "")
    view = list_view({"q": quoted(typed), "tipo": PERSON_KINDS.get(kind, "")}, default="nome", export="people.export")
    return htmx.render(
        "people/index.html",
        "people/_results.html",
        found=_listed(page_number()),
        view=view,
        q=typed,
        kind=kind,
        kinds=PERSON_KINDS,
    )


@blueprint.get("/planilha.csv")
@access("people.view")
def export() -> Response:
    """What the register shows with its filters, as a table for a spreadsheet."""
    columns = {
        "Nome": lambda line: line.name,
        "CPF ou CNPJ": lambda line: line.document,
        "Tipo": lambda line: line.kind_label,
        "Outorgas em vigor": lambda line: ", ".join(permit.label for permit in line.permits),
    }
    filters = {name: request.args.get(name, "") for name in ("q", "tipo")}
    return sheet("pessoas", columns, lambda number: _listed(number, CHUNK).lines, filters)


def _listed(number: int, size: int = PAGE_SIZE) -> Listed[PersonLine]:
    kind = request.args.get("tipo", "")
    if kind and kind not in PERSON_KINDS:
        abort(404)
    return list_people(
        session(),
        desk(),
        authority().code,
        today(),
        typed=request.args.get("q", ""),
        kind=kind,
        order=order_of(PEOPLE_ORDERS),
        page=number,
        size=size,
    )


@blueprint.get(ONE)
@access("people.view")
def page(person_id: int) -> Response:
    """The page of a person; of one that was merged, the page of the one that it became."""
    return _show(person_id)


@blueprint.get("/nova")
@access("people.edit")
def new() -> Response:
    """The form: the number alone, or with ``?document=`` whatever follows from it."""
    asked = {name: request.args[name] for name in ("document", USE) if name in request.args}
    return _show_new(NewPersonForm(MultiDict(asked | {"nationality": service.BRAZILIAN}) if asked else None))


@blueprint.post("/nova/conferir")
@access("people.edit")
def check() -> Response:
    """The form after its number was typed, while the rest is being filled in: who has this number already, or what is
    asked next.
    """
    form = NewPersonForm()
    if "name" not in request.form:
        form.nationality.data = service.BRAZILIAN
        return _show_new(form)
    kind = _kind_asked(form)
    if form.check("document"):
        _note_existing(form)
    form.suit(kind)
    form.document.first_fault = False  # whoever goes on typing keeps the focus
    return _show_new(form, kind=kind)


@blueprint.post("/nova")
@access("people.edit")
def create() -> Response:
    """Enters the person."""
    form = NewPersonForm()
    kind = _kind_asked(form)
    form.suit(kind)
    if not form.validate():
        return _show_new(form, 422, kind)
    values = values_of(form)
    entered = PersonInput(**{"kind": kind, **values})
    try:
        person_id = perform(service.create_person, entered)
    except Refused as refused:
        form.take(refused)
        return _show_new(form, 422, kind)
    flash(f"Cadastro feito às {format_hour(now())}.", "ok")
    return htmx.go(_back(form) or url_for("people.page", person_id=person_id))


def _back(form: NewPersonForm) -> str:
    """The way back with the number that was typed; "" when one came from nowhere."""
    return way_back_with(["document", "cooperative_document"], str(form.document.data or ""))


def _kind_asked(form: NewPersonForm) -> str:
    """natural, or what the organisation was said to be; by the number, or by the form where the number is wrong."""
    by_number = {"cpf": "natural", "cnpj": "company"}.get(form.document.kind, "")
    is_natural = by_number == "natural" or (not by_number and "kind" not in request.form)
    return "natural" if is_natural else (form.kind.data or "company")


def _show_new(form: NewPersonForm, status: int = 200, kind: str = "") -> Response:
    """The form as far as its number allows. ``kind`` is given when the whole form was sent."""
    if not kind and form.document.raw_data and form.check("document") and not _note_existing(form):
        kind = _kind_asked(form)
        form.suit(kind)
    return htmx.render("people/new.html", "people/_new.html", status=status, form=form, kind=kind, back=_back(form))


def _note_existing(form: NewPersonForm) -> bool:
    known = service.find_by_document(session(), authority().code, str(form.document.data))
    if known is not None:
        existing = Existing("person", known.id, known.name)
        form.take(Refused({"document": f"Já existe: {known.name}. Abrir"}, existing={"document": existing}))
    return known is not None


@blueprint.route(f"{ONE}/alterar/<section>", methods=["GET", "POST"])
@access("people.edit")
def edit(person_id: int, section: str) -> Response:
    """One section of the record as a form; saving leads back to the page."""
    if section not in SECTIONS:
        abort(404)
    person = service.person_of(session(), authority().code, person_id)
    form = SECTIONS[section][1](obj=person)
    _suit(form, person)
    if request.method == "GET":
        return _show(person_id, section, form)
    if not form.validate():
        return _show(person_id, section, form, 422)
    try:
        changed = perform(service.update_person, person_id, form.saw_version, values_of(form))
    except Refused as refused:
        form.take(refused)
        return _show(person_id, section, form, 422)
    flash(f"Gravado às {format_hour(now())}." if changed else "Nada mudou.", "ok")
    return htmx.go(url_for("people.page", person_id=person_id))


def _suit(form: Any, person: Person) -> None:
    if person.kind != "natural" and "cnh" in form and "document" not in form:
        abort(404)
    if "document" in form:
        form.suit(person.kind)


@blueprint.post(f"{ONE}/cooperados")
@access("people.edit")
def add_member(person_id: int) -> Response:
    """A natural person, by CPF, becomes a member of the cooperative."""
    form = MemberForm()
    if not form.validate():
        return _show(person_id, members=form, status=422)
    member = service.find_by_document(session(), authority().code, str(form.document.data))
    if member is None:
        form.take(Refused({"document": "Ninguém cadastrado com este CPF. Cadastre a pessoa e volte aqui."}))
        return _show(person_id, members=form, status=422)
    try:
        perform(service.add_member, person_id, member.id, form.since.data)
    except Refused as refused:
        form.take(_beside_cpf(refused))
        return _show(person_id, members=form, status=422)
    flash(f"{member.name}: cooperado desde {format_date(form.since.data)}.", "ok")
    return htmx.go(url_for("people.page", person_id=person_id, _anchor="cooperados"))


def _beside_cpf(refused: Refused) -> Refused:
    """The refusal with what it says of the member beside the CPF."""
    moved = {"member_id": "document"}
    return Refused(
        {moved.get(name, name): text for name, text in refused.fields.items()},
        refused.message,
        existing={moved.get(name, name): each for name, each in refused.existing.items()},
    )


@blueprint.route(f"{ONE}/cooperados/<int(max=2147483647):membership_id>/saida", methods=["GET", "POST"])
@access("people.edit")
def end_member(person_id: int, membership_id: int) -> Response:
    """The last day of a membership."""
    found = person_page(session(), desk(), authority().code, person_id, today())
    line = next((each for each in found.members if each.id == membership_id), None)
    if line is None:
        abort(404)
    form = LeaveForm() if request.method == "POST" else LeaveForm(until=today())
    if request.method == "POST" and form.validate():
        try:
            perform(service.end_membership, membership_id, form.until.data)
        except Refused as refused:
            form.take(refused)
        else:
            flash(f"Saída de {line.person} registrada: {format_date(form.until.data)}.", "ok")
            return htmx.go(url_for("people.page", person_id=person_id, _anchor="cooperados"))
    status = 422 if request.method == "POST" else 200
    return htmx.render("people/leave.html", status=status, found=found, line=line, form=form)


def _show(
    person_id: int,
    editing: str = "",
    form: RegistryForm | None = None,
    status: int = 200,
    members: MemberForm | None = None,
) -> Response:
    """The page, with one section as a form where ``editing`` names it."""
    found = person_page(session(), desk(), authority().code, person_id, today())
    if found.person.ended_at is not None:
        kept_id = kept_instead(session(), authority().code, "person", person_id)
        if kept_id is not None:
            flash("Este cadastro foi juntado a outro: você está no que ficou.", "info")
            return htmx.go(url_for("people.page", person_id=kept_id))
    if members is not None and found.person.kind != "cooperative":
        abort(404)
    return htmx.render(
        "people/page.html",
        {"ficha": "people/_record.html", "cooperados": "people/_members.html"},
        status=status,
        found=found,
        person=found.person,
        kind_label=PERSON_KINDS.get(found.person.kind, found.person.kind),
        plugin_of={code: regime.plugin for code, regime in desk().host.regimes.items()},
        sections=SECTIONS,
        editing=editing,
        form=form,
        members=members or MemberForm(MultiDict({"since": format_date(today())})),
    )
