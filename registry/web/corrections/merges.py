"""Duplicates: pairs that look like one record, both side by side, made one, and parted again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

from flask import Response, abort, flash, request, url_for
from wtforms.validators import Length

from registry.domain.identifiers import format_plate
from registry.domain.regime import Choice
from registry.domain.sentences import join_words
from registry.domain.text import format_hour
from registry.services import merging, search
from registry.services.duplicates import pairs_of_people, pairs_of_vehicles
from registry.services.errors import AlreadyDone, Refused
from registry.services.merging import FIELDS, NO_REASON, Noun, Record
from registry.services.people import printed_document
from registry.services.vehicles import vehicle_types
from registry.store.corrections import Merge
from registry.store.people import Person
from registry.store.references import count_core
from registry.web import htmx
from registry.web.access import access
from registry.web.corrections.blueprint import blueprint
from registry.web.edge import authority, desk, now, perform, session, today
from registry.web.errors import done_text
from registry.web.fields import ChoiceField, RegistryForm, TextAreaField, Wanted
from registry.web.formats import shown
from registry.web.paging import page_number
from registry.web.vehicles.forms import offer

NOUNS: dict[str, Noun] = {"pessoas": "person", "veiculos": "vehicle"}
SIZE = 20
_LONG = Length(max=400, message="Use no máximo 400 letras.")
_ONE = "/cadastros/<nouns>/<int(max=2147483647):kept_id>/juntar"
_MERGE = "/juncoes/<int(max=2147483647):merge_id>/desfazer"
_WORDS = {
    "permit": ("outorga", "outorgas"),
    "permit_vehicle": ("inclusão em outorga", "inclusões em outorga"),
    "licence": ("licença", "licenças"),
    "request": ("requerimento", "requerimentos"),
    "charge": ("cobrança", "cobranças"),
    "membership": ("vínculo com cooperativa", "vínculos com cooperativa"),
    "inspection": ("vistoria", "vistorias"),
    "restriction": ("restrição", "restrições"),
    "former_plate": ("placa anterior", "placas anteriores"),
}


class MergeForm(RegistryForm):
    """Why two records are one, and the office that orders it."""

    reason = TextAreaField("Motivo", [Wanted(NO_REASON), _LONG])
    office = ChoiceField("Cargo que manda juntar", wanted="Escolha o cargo que manda juntar.")


class PartForm(RegistryForm):
    """Why two records are parted again."""

    reason = TextAreaField("Motivo", [Wanted(NO_REASON), _LONG])


@dataclass(frozen=True)
class Difference:
    """A field in which the two records differ, as read on each side; ``taken``: the value of the one that goes."""

    field: str
    label: str
    kept: str
    gone: str
    taken: bool


@blueprint.get("/cadastros/duplicados")
@access("corrections.make")
def duplicates() -> Response:
    """Pairs that look like one record: ``?de=pessoas`` or ``veiculos``, ``&page=``."""
    nouns = request.args.get("de", "pessoas")
    find = pairs_of_people if noun_of(nouns) == "person" else pairs_of_vehicles
    pairs, page = find(session(), authority().code), page_number()
    return htmx.render(
        "corrections/duplicates.html",
        nouns=nouns,
        pairs=pairs[(page - 1) * SIZE : page * SIZE],
        total=len(pairs),
        page=page,
        size=SIZE,
        address=lambda number: url_for("corrections.duplicates", de=nouns, page=number),
        address_of_one=lambda id: _address(NOUNS[nouns], id),
    )


@blueprint.get(_ONE)
@access("corrections.make")
def other(nouns: str, kept_id: int) -> Response:
    """The other record, looked for by ``?q=``: a name, a number, a plate."""
    noun = noun_of(nouns)
    kept = merging.record_of(session(), authority().code, noun, kept_id)
    typed = request.args.get("q", "")
    found = search.find(session(), desk(), authority().code, typed, [noun], SIZE)
    hits = [hit for group in found.groups for hit in group.hits if hit.id != kept_id]
    return htmx.render(
        "corrections/other.html",
        nouns=nouns,
        kept=kept,
        label=merging.label_of(kept),
        q=typed,
        hits=hits,
        back=_address(noun, kept_id),
    )


@blueprint.route(f"{_ONE}/<int(max=2147483647):gone_id>", methods=["GET", "POST"])
@access("corrections.make")
def merge(nouns: str, kept_id: int, gone_id: int) -> Response:
    """Both records side by side; each differing field is chosen, then what happens is said, then it is done."""
    noun = noun_of(nouns)
    kept, gone = (merging.record_of(session(), authority().code, noun, each) for each in (kept_id, gone_id))
    if kept_id == gone_id:
        abort(404)
    if kept.ended_at is None and merging.kept_instead(session(), authority().code, noun, gone_id) == kept_id:
        flash("Já foi feito. Nada se repetiu.", "info")
        return htmx.go(_address(noun, kept_id))
    if kept.ended_at is not None or gone.ended_at is not None:
        raise Refused(message="Um dos dois cadastros já foi encerrado ou juntado. Abra-o e confira.")
    seen = kept.version + gone.version
    form = MergeForm() if request.method == "POST" else MergeForm(version=seen)
    offices = merging.offices(desk(), authority().code)
    offer(form.office, [Choice(code, label) for code, label in offices.items()])
    if not offices:
        del form["office"]
    differences = _differences(noun, kept, gone)
    context: dict[str, Any] = {
        "noun": noun,
        "nouns": nouns,
        "kept": kept,
        "gone": gone,
        "form": form,
        "differences": differences,
    }
    if request.method == "GET" or not form.validate():
        return _compare(context, 200 if request.method == "GET" else 422)
    if "confirmado" not in request.form:
        against = merging.conflict(session(), desk(), kept, gone, today())
        if against:
            form.take(Refused(message=against))
            return _compare(context, 422)
        told = {**context, "effect": _effect(noun, kept, gone), **_names(context)}
        return htmx.render("corrections/merge_check.html", **told)
    taken = [each.field for each in differences if each.taken]
    try:
        office = str(form.office.data) if offices else ""
        args = (noun, kept_id, gone_id, form.saw_version)
        perform(merging.merge, *args, taken=taken, reason=str(form.reason.data), office=office)
    except Refused as refused:
        form.take(refused)
        return _compare(context, 422)
    flash(f"Cadastros juntados às {format_hour(now())}. A junção pode ser desfeita nesta página.", "ok")
    return htmx.go(_address(noun, kept_id))


@blueprint.route(_MERGE, methods=["GET", "POST"])
@access("corrections.make")
def part(merge_id: int) -> Response:
    """Parts two records that were made one."""
    made = merging.merge_of(session(), authority().code, merge_id)
    noun = cast(Noun, made.noun)
    kept, gone = (merging.record_of(session(), authority().code, noun, each) for each in (made.kept_id, made.gone_id))
    back = _address(noun, made.kept_id)
    form = PartForm()
    if request.method == "POST" and form.validate():
        try:
            gone_id = perform(merging.undo, merge_id, str(form.reason.data))
        except Refused as refused:
            form.take(refused)
        except AlreadyDone as done:
            flash(done_text(done), "info")
            return htmx.go(back)
        else:
            flash(f"Junção desfeita às {format_hour(now())}. Cada cadastro voltou a ser o que era.", "ok")
            return htmx.go(_address(noun, gone_id))
    status = 422 if request.method == "POST" else 200
    names: dict[str, Any] = {"kept_name": merging.label_of(kept), "gone_name": merging.label_of(gone)}
    return htmx.render(
        "corrections/part.html", status=status, form=form, made=made, moved=_moved(made), noun=noun, back=back, **names
    )


def noun_of(nouns: str) -> Noun:
    """The noun by its name in the address; any other name is a page that is not there."""
    if nouns not in NOUNS:
        abort(404)
    return NOUNS[nouns]


def _compare(context: dict[str, Any], status: int) -> Response:
    return htmx.render("corrections/merge.html", status=status, **{**context, **_names(context)})


def _names(context: dict[str, Any]) -> dict[str, str]:
    sides = ("kept", "gone")
    names = {f"{side}_name": _named(context[side]) for side in sides}
    return names | {f"{side}_address": _address(context["noun"], context[side].id) for side in sides}


def _address(noun: Noun, id: int) -> str:
    if noun == "person":
        return url_for("people.page", person_id=id)
    return url_for("vehicles.page", vehicle_id=id)


def _named(row: Record) -> str:
    """«Ana Lima (CPF 023.456.781-35)», or a plate with what the vehicle is."""
    if isinstance(row, Person):
        printed = printed_document(row.kind, row.document) or "sem CPF ou CNPJ"
        return f"{row.name} ({printed})"
    what = " ".join(str(part) for part in (row.make, row.model, row.year_made or "") if part)
    return f"{format_plate(row.plate)} ({what})" if what else format_plate(row.plate)


def _differences(noun: Noun, kept: Record, gone: Record) -> tuple[Difference, ...]:
    """The fields that differ. What only the one that goes knows is chosen already."""
    found = []
    for name, label in FIELDS[noun].items():
        here, there = getattr(kept, name), getattr(gone, name)
        if here != there:
            chosen = request.form.get(f"campo_{name}", "")
            taken = chosen == "vai" if chosen else here in (None, "") and there not in (None, "")
            found.append(Difference(name, label, _read(kept, name), _read(gone, name), taken))
    return tuple(found)


def _read(row: Record, name: str) -> str:
    value = getattr(row, name)
    if value in (None, ""):
        return "Não informado"
    if name == "plate":
        return format_plate(value)
    if name == "document" and isinstance(row, Person):
        return printed_document(row.kind, value)
    return vehicle_types(desk(), authority().code).get(value, value) if name == "type" else shown(value)


def _effect(noun: Noun, kept: Record, gone: Record) -> str:
    """What happens, in pt-BR sentences."""
    told = _counted(count_core(session(), noun, gone.id))
    moved = f"Passam para ele: {join_words(told)}." if told else "Nada aponta para ele."
    return f"{_named(gone)} deixa de ser um cadastro próprio e passa a ser {_named(kept)}. {moved}"


def _moved(made: Merge) -> str:
    counts: dict[str, int] = {}
    for each in made.moved.get("rows", ()):
        counts[each["table"]] = counts.get(each["table"], 0) + len(each["rows"])
    return join_words(_counted(counts))


def _counted(counts: dict[str, int]) -> list[str]:
    known = [(counts[table], one, many) for table, (one, many) in _WORDS.items() if table in counts]
    rest = sum(count for table, count in counts.items() if table not in _WORDS)
    known += [(rest, "outro registro", "outros registros")] if rest else []
    return [f"{count} {one if count == 1 else many}" for count, one, many in known]
