"""The set-up on screen: the checklist before the first permit, the authority's data, its days, its regimes."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, timedelta
from typing import Any

from flask import Blueprint, Response, abort, flash, request, url_for

from registry.jobs import heads_file
from registry.services import readiness
from registry.services import setup as service
from registry.services.errors import Refused
from registry.services.readiness import Step
from registry.services.regimes_offered import offered
from registry.services.setup_changes import AuthorityInput, DayInput, day_key, day_text, zones
from registry.services.users import has_demo_users
from registry.web import htmx
from registry.web.access import access
from registry.web.edge import authority, desk, edge, now, perform, session, settings, today
from registry.web.fields import RegistryForm
from registry.web.setup.forms import AuthorityForm, DayForm, EndDayForm, RegimesForm
from registry.web.shell import MenuEntry, has_endpoint

blueprint = Blueprint("setup", __name__, url_prefix="/administracao/implantacao")
MENU = (MenuEntry("administracao", "Implantação", "setup.page", order=30),)
_PLACES = {
    "authority": "setup.authority_data",
    "regimes": "setup.regimes",
    "days": "setup.days",
    "users": "admin.users",
    "acts": "acts.index",
    "imports": "imports.index",
}


@blueprint.get("")
@access("setup.manage")
def page() -> Response:
    """What is still missing before the first permit, what is advised, and what is in place."""
    heads = heads_file(settings().var)
    steps = (
        *readiness.installation(settings(), has_demo_users(session())),
        *readiness.of_authority(session(), desk(), authority().code, now(), heads),
    )
    grouped = {state: [each for each in steps if each.state == state] for state in ("missing", "advice", "done")}
    return htmx.render("setup/page.html", grouped=grouped, link=_link)


@blueprint.route("/orgao", methods=["GET", "POST"])
@access("setup.manage")
def authority_data() -> Response:
    """What the authority is: names, civil time, telephone and address for the public."""
    known = authority()
    version = service.version_of(session(), known.code)
    shown = {name: getattr(known, name) for name in service.LABELS} | {"zone": known.zone.key, "version": version}
    form = AuthorityForm() if request.method == "POST" else AuthorityForm(formdata=None, **shown)
    form.offer(dict.fromkeys([*zones(), known.zone.key]))

    def act() -> None:
        given = AuthorityInput(**{name: str(form[name].data or "") for name in service.LABELS})
        perform(service.save_authority, given, form.saw_version)

    return _form("setup/authority.html", form, act, "setup.authority_data", "Dados do órgão gravados.")


@blueprint.route("/dias", methods=["GET", "POST"])
@access("setup.manage")
def days() -> Response:
    """The days of the authority's own, which come back every year."""
    form = DayForm() if request.method == "POST" else DayForm(formdata=None, from_year=today().year)

    def act() -> None:
        year, optional = form.from_year.data, bool(form.optional.data)
        perform(service.add_day, DayInput(str(form.day.data), str(form.name.data), year, optional))

    own = [dict(each) | {"text": day_text(each["rule"]), "key": day_key(each)} for each in authority().calendar]
    told = {"own": own, "coming": _holidays(today().year + 1), "year": today().year}
    return _form("setup/days.html", form, act, "setup.days", "Dia acrescentado ao calendário.", **told)


@blueprint.route("/dias/<key>/ate", methods=["GET", "POST"])
@access("setup.manage")
def end_day(key: str) -> Response:
    """Sets the last year of a day of the authority's own."""
    day = next((each for each in authority().calendar if day_key(each) == key), None)
    if day is None:
        abort(404)
    form = EndDayForm() if request.method == "POST" else EndDayForm(formdata=None, until_year=today().year)

    def act() -> None:
        perform(service.close_own_day, key, form.until_year.data)

    told = {"day": day, "text": day_text(day["rule"]), "key": key}
    return _form("setup/end_day.html", form, act, "setup.days", "Último ano gravado.", **told)


@blueprint.route("/regimes", methods=["GET", "POST"])
@access("setup.manage")
def regimes() -> Response:
    """Which of the regimes of installed plugins the authority administers."""
    known = authority()
    offers = offered(settings(), edge().host)
    form = RegimesForm() if request.method == "POST" else RegimesForm(formdata=None, regimes=list(known.regimes))

    def act() -> None:
        perform(service.save_regimes, form.regimes.data or [], offers)

    others = [each for code, each in settings().authorities.items() if code != known.code]
    taken = {regime: each.short_name for each in others for regime in each.regimes if regime not in known.regimes}
    return _form("setup/regimes.html", form, act, "setup.page", "Regimes gravados.", offers=offers, taken=taken)


def _form(template: str, form: RegistryForm, act: Callable[[], None], after: str, said: str, **told: Any) -> Response:
    """A page with one form: shown, refused with what was typed, or saved and on to the next page."""
    if request.method == "POST" and form.validate():
        try:
            act()
        except Refused as refused:
            form.take(refused)
        else:
            flash(said, "ok")
            return htmx.go(url_for(after))
    status = 422 if request.method == "POST" else 200
    locked = service.DEMONSTRATION if settings().demo else ""
    return htmx.render(template, status=status, form=form, locked=locked, file=settings().setup_file.name, **told)


def _link(step: Step) -> str:
    """Where a step is done; "" where no screen does it or the user may not open it."""
    if step.place == "index":
        return url_for("indexes.one", key=step.key) if has_endpoint("indexes.one") else ""
    if step.place == "user":
        return url_for("admin.user", user_id=int(step.key)) if has_endpoint("admin.user") else ""
    endpoint = _PLACES.get(step.place, "")
    return url_for(endpoint) if endpoint and has_endpoint(endpoint) else ""


def _holidays(year: int) -> list[tuple[date, str]]:
    """The holidays of a year by the authority's calendar, Sundays too."""
    calendar = desk().calendar(session(), authority().code)
    days = (date(year, 1, 1) + timedelta(days=ahead) for ahead in range(366))
    return [(day, name) for day in days if day.year == year and (name := calendar.holiday_name(day))]
