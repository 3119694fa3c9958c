"""The main job of each regime in the browser: from the person to the public answer, granted and refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser.installation import Installation
from tests.browser.jobs import CHARTER, COMPANY, TAXI, Job, Office
from tests.browser.window import Window

Visit = Callable[..., Window]


def case(job: Job, *, scripts: bool, engine: str = "sqlite") -> Any:
    """One run of the whole job."""
    name = f"{job.name}-{'scripts' if scripts else 'plain'}-{engine}"
    return pytest.param(job, scripts, engine, id=name, marks=getattr(pytest.mark, engine))


RUNS = (
    case(CHARTER, scripts=True),
    case(CHARTER, scripts=False),
    case(TAXI, scripts=True),
    case(TAXI, scripts=False),
    case(COMPANY, scripts=True),
    case(CHARTER, scripts=False, engine="postgresql"),
    case(TAXI, scripts=True, engine="postgresql"),
)


@pytest.mark.parametrize(("job", "scripts", "new_site"), RUNS, indirect=["new_site"])
def test_from_the_person_to_the_public_answer(new_site: Installation, visit: Visit, job: Job, scripts: bool) -> None:
    checked = new_site.store.dialect == "sqlite"
    office = Office(job, lambda user: visit(new_site, scripts=scripts, checked=checked).log_in(user))
    office.enter_person()
    office.enter_vehicle()
    office.open_request()
    see_the_findings_follow(office)
    number = office.file()
    office.send_papers()
    office.go_on()
    assert (office.acts.index("pay") < office.acts.index("book")) is job.pays_before_booking, office.acts
    office.window("analista").press("Enviar para decisão")

    rita = office.decide("Deferir")
    assert job.plate in rita.text(".effect")
    rita.press("Deferir")
    rita.shows("Decidido por")
    permit = rita.text("section:has(#h-feita) dl.kv dd")
    assert permit
    assert rita.go(office.address).text(".ident").count("Deferido") == 1
    assert number in rita.text()

    public = visit(new_site, scripts=scripts, width=390, height=844, checked=checked).go("/consulta")
    public.write("Placa", f"{job.plate[:3].lower()}-{job.plate[3:]}")
    public.press("Consultar")
    said = public.text()
    assert public.text("h1").endswith("Autorizado") and permit in said
    assert all(tile in said for tile in job.now), said
    answer = public.page.request.get(f"{new_site.address}/api/v1/vehicles/{job.plate}").json()
    (found,) = answer["authorizations"]
    assert (found["authorized"], found["number"], found["regime"]) == (True, permit, job.regime)
    assert bool(found["now"]) is bool(job.now) and found["valid_until"] > "2026-11-30"


def see_the_findings_follow(office: Office) -> None:
    """Fills the form with one wrong value, reads what is said against it, mends it and reads that it is gone."""
    name, wrong, against = office.job.mistake
    at = office.window("atendente")
    office.fill(office.job.facts | {name: wrong})
    objection = at.page.locator("#apontamentos li.bad").filter(has_text=f"Impede o deferimento · {against}")
    if at.scripts:
        at.page.evaluate("() => { window.same = true; }")
    else:
        at.press("Atualizar")
    expect(objection).to_have_count(1)
    assert objection.get_by_text("Por quê?").count() == 1
    office.fill({name: office.job.facts[name]})
    expect(objection).to_have_count(0)
    if at.scripts:
        assert at.page.evaluate("() => window.same"), "the page was loaded anew"


@pytest.mark.parametrize("scripts", [True, False], ids=["scripts", "plain"])
@pytest.mark.parametrize("job", [CHARTER, TAXI], ids=lambda job: job.name)
def test_a_refusal_says_why(new_site: Installation, visit: Visit, job: Job, scripts: bool) -> None:
    office = Office(job, lambda user: visit(new_site, scripts=scripts).log_in(user))
    office.enter_person()
    office.enter_vehicle()
    office.open_request()
    name, wrong, against = job.mistake
    office.fill(job.facts | {name: wrong})
    office.file()

    rita = office.window("diretor").go(office.address).follow("Abrir a decisão")
    assert rita.page.get_by_label("Deferir", exact=True).count() == 0
    rita.shows("Ainda não dá para deferir")
    office.decide("Indeferir").press("Indeferir")
    rita.shows("Indeferido")
    why = rita.text()
    assert "Art." in why and against in why, why
    assert "Art." in office.window("atendente").go(office.address).text("#decisao")

    public = visit(new_site, scripts=scripts, width=390, height=844).go(f"/consulta?placa={job.plate}")
    assert public.text("h1").endswith("Não consta")
