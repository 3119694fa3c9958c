"""The screens of persons: register, entering by number first, one section saved at a time, members, markers."""

from __future__ import annotations

from datetime import date

import pytest
from flask import Flask

from registry.store.people import Membership, Person
from registry.store.vehicles import Vehicle
from tests.web.conftest import MOST_QUERIES
from tests.web.records import ANA, BAD_CNH, COOP, IVO, RITA, ROTA, Records, form_sent, hx, led_to

NEW = "/pessoas/nova"


@pytest.fixture
def records(app: Flask) -> Records:
    return Records(app)


@pytest.fixture
def clerk(client_as):
    return client_as("atendente")


# entering


def test_the_number_is_asked_first_and_alone(clerk, page):
    shown = page(clerk.get(NEW))
    assert [field.get("name") for field in shown.all(".//main//input") if field.get("type") == "text"] == ["document"]
    assert "Continuar" in shown.text and shown.h1 == "Cadastrar pessoa ou empresa"


def test_a_person_is_entered_without_javascript(clerk, page, records):
    whole = page(clerk.get(f"{NEW}?document=023.456.781-35"))
    sent = form_sent(whole, NEW, name="Ana  Lima", born_on="06/05/1980", phone="81 99999-0000")
    shown = page(clerk.get(led_to(clerk.post(NEW, data=sent))))
    assert shown.h1 == "Ana Lima" and "Cadastro feito às 12h." in shown.text
    assert "023.456.781-35" in shown.text and "06/05/1980" in shown.text and "brasileira" in shown.text


def test_a_company_has_neither_birth_nor_cnh(clerk, page, records):
    whole = page(clerk.get(f"{NEW}?document=12.ABC.345/01DE-35"))
    names = {field.get("name") for field in whole.all(".//input")}
    assert "kind" in {field.get("name") for field in whole.all(".//select")}
    assert not names & {"born_on", "sex", "cnh", "nationality"}
    unchosen = page(clerk.post(NEW, data=form_sent(whole, NEW, name="Rota Viva Ltda.")), 422)
    assert unchosen.error_of("kind") == "Escolha: empresa ou cooperativa."
    assert unchosen.form(NEW)["name"] == "Rota Viva Ltda."
    sent = form_sent(unchosen, NEW, kind="cooperative")
    shown = page(clerk.get(led_to(clerk.post(NEW, data=sent))))
    assert "Cooperativa" in shown.text and "12.ABC.345/01DE-35" in shown.text and "Cooperados" in shown.text


def test_who_is_here_already_is_opened_instead(clerk, page, records):
    ana = records.person()
    for shown in (page(clerk.get(f"{NEW}?document={ANA}")), page(clerk.get(f"{NEW}?document=023.456.781-35"))):
        assert shown.error_of("document") == "Já existe: Ana Lima. Abrir Ana Lima"
        assert shown.links()["Abrir Ana Lima"] == f"/pessoas/{ana}"
        assert "Cadastrar pessoa" not in [b.text for b in shown.all(".//main//button")]


def test_saving_a_number_that_came_in_meanwhile_keeps_what_was_typed(clerk, page, records):
    whole = page(clerk.get(f"{NEW}?document={ANA}"))
    ana = records.person()
    again = page(clerk.post(NEW, data=form_sent(whole, NEW, name="Outra Ana", email="ana@exemplo.com.br")), 422)
    assert again.links()["Abrir Ana Lima"] == f"/pessoas/{ana}"
    assert again.form(NEW)["name"] == "Outra Ana" and again.form(NEW)["email"] == "ana@exemplo.com.br"
    assert records.count(Person) == 1


def test_the_number_is_checked_on_leaving_the_field(clerk, page, token, records):
    records.person()
    ask = {"X-CSRFToken": token(clerk), **hx("cadastro")}
    bad = page(clerk.post(f"{NEW}/conferir", data={"document": "023.456.781-36"}, headers=ask))
    assert bad.is_fragment and "Confira o CPF" in bad.error_of("document")
    known = page(clerk.post(f"{NEW}/conferir", data={"document": ANA}, headers=ask))
    assert "Já existe: Ana Lima." in known.error_of("document")
    free = page(clerk.post(f"{NEW}/conferir", data={"document": IVO}, headers=ask))
    assert free.form(NEW)["nationality"] == "brasileira" and free.one(".//input[@name='name']").get("autofocus")


def test_a_number_changed_later_takes_nothing_away_nor_the_focus(clerk, page, token, records):
    records.person()
    ask = {"X-CSRFToken": token(clerk), **hx("cadastro")}
    typed = {"name": "Ivo Tavares", "phone": "81 1111-0000", "nationality": ""}
    for number, said in ((ANA, "Já existe: Ana Lima."), ("023", "Você digitou 3."), ("", "Digite o CPF")):
        again = page(clerk.post(f"{NEW}/conferir", data={"document": number, **typed}, headers=ask))
        assert said in again.error_of("document") and "autofocus" not in again.html
        kept = again.form(NEW)
        assert {name: kept[name] for name in typed} == typed and kept["document"] == number


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("", "Digite o CPF ou o CNPJ."),
        ("12345678A58", "a 9ª posição é um número"),
        ("²2345678901", "1ª posição"),
        ("64.637.agsvs009/0001-90", "Você digitou"),
        ("11.111.111/1111-11", "todos os números são iguais"),
        ("111.111.111-11", "todos os números são iguais"),
    ],
)
def test_a_number_that_cannot_be_is_refused(clerk, page, records, typed, said):
    whole = page(clerk.get(f"{NEW}?document={IVO}"))
    again = page(clerk.post(NEW, data=form_sent(whole, NEW, document=typed, name="Ivo Tavares")), 422)
    assert said in again.error_of("document")
    assert again.form(NEW)["document"] == typed and again.form(NEW)["name"] == "Ivo Tavares"
    assert records.count(Person) == 0


def test_lost_zeros_are_offered_and_taken_by_the_button(clerk, page):
    shown = page(clerk.get(f"{NEW}?document=2345678135"))
    assert [button.get("value") for button in shown.all(".//button[@name='usar']")] == [f"document={ANA}"]
    whole = page(clerk.get(f"{NEW}?document=2345678135&usar=document={ANA}"))
    assert whole.form(NEW)["document"] == ANA


def test_a_cnh_whose_sum_fails_is_saved_once_confirmed(clerk, page, records):
    whole = page(clerk.get(f"{NEW}?document={ANA}"))
    asked = page(clerk.post(NEW, data=form_sent(whole, NEW, name="Ana Lima", cnh=BAD_CNH)), 422)
    assert "marque «Confirmo»" in asked.error_of("cnh") and "cnh_confirmed" not in asked.form(NEW)
    shown = page(clerk.get(led_to(clerk.post(NEW, data=form_sent(asked, NEW, cnh_confirmed="y")))))
    assert BAD_CNH in shown.text and "CNH conferida com o documento: o dígito não bate." in shown.text


def test_the_tick_stays_when_something_else_is_wrong(clerk, page):
    whole = page(clerk.get(f"{NEW}?document={ANA}"))
    again = page(clerk.post(NEW, data=form_sent(whole, NEW, name="", cnh=BAD_CNH, cnh_confirmed="y")), 422)
    assert again.form(NEW)["cnh_confirmed"] == "y" and again.error_of("name") == "Digite o nome."


def test_a_day_that_is_not_and_one_to_come_are_refused(clerk, page):
    whole = page(clerk.get(f"{NEW}?document={ANA}"))
    wrong = page(clerk.post(NEW, data=form_sent(whole, NEW, name="Ana", born_on="31/02/1980")), 422)
    assert wrong.error_of("born_on") == "O dia 31/02 não existe."
    future = page(clerk.post(NEW, data=form_sent(whole, NEW, name="Ana", born_on="01/12/2026")), 422)
    assert future.error_of("born_on") == "A data não pode ser depois de hoje (30/11/2026)."


def test_a_double_click_enters_one_person(clerk, page, records):
    sent = form_sent(page(clerk.get(f"{NEW}?document={ANA}")), NEW, name="Ana Lima")
    first, second = led_to(clerk.post(NEW, data=sent)), led_to(clerk.post(NEW, data=sent))
    assert first == second and records.count(Person) == 1


# sections


def test_one_section_is_saved_and_the_others_stay(clerk, page, records):
    ana = records.person(phone="81 3333-0000", address="Rua do Sol, 1")
    here = f"/pessoas/{ana}/alterar/contato"
    form = page(clerk.get(here))
    assert form.form(here)["phone"] == "81 3333-0000"
    sent = form_sent(form, here, phone="81 4444-0000")
    shown = page(clerk.get(led_to(clerk.post(here, data=sent))))
    assert "Gravado às 12h." in shown.text and "81 4444-0000" in shown.text and "Rua do Sol, 1" in shown.text
    assert records.actions("person", ana) == ["person.created", "person.updated"]
    assert "Nada mudou." in page(clerk.get(led_to(clerk.post(here, data=form_sent(page(clerk.get(here)), here))))).text


def test_a_section_opens_in_place(clerk, page, records):
    ana = records.person()
    here = f"/pessoas/{ana}/alterar/identificacao"
    part = page(clerk.get(here, headers=hx("ficha")))
    assert part.is_fragment and part.one(".//section").get("id") == "ficha"
    wrong = page(clerk.post(here, data=form_sent(part, here, name=""), headers=hx("ficha")), 422)
    assert wrong.is_fragment and wrong.error_of("name") == "Digite o nome."
    done = clerk.post(here, data=form_sent(part, here, name="Ana Lima Reis"), headers=hx("ficha"))
    assert done.headers["HX-Redirect"] == f"/pessoas/{ana}"
    assert page(clerk.get(f"/pessoas/{ana}")).h1 == "Ana Lima Reis"


def test_empty_stays_empty(clerk, page, records):
    ana = records.person()
    for section in ("identificacao", "cnh", "contato"):
        here = f"/pessoas/{ana}/alterar/{section}"
        led_to(clerk.post(here, data=form_sent(page(clerk.get(here)), here)))
    assert "None" not in page(clerk.get(f"/pessoas/{ana}")).text
    assert records.actions("person", ana) == ["person.created"]


def test_a_stale_save_shows_both_values_and_the_choice_is_saved(clerk, page, client_as, records):
    ana = records.person(phone="81 3333-0000")
    here = f"/pessoas/{ana}/alterar/contato"
    jonas = client_as("analista", name="Jonas Prado")
    mine, theirs = page(clerk.get(here)), page(jonas.get(here))
    led_to(jonas.post(here, data=form_sent(theirs, here, phone="81 5555-0000")))
    both = page(clerk.post(here, data=form_sent(mine, here, phone="81 6666-0000", email="ana@exemplo.com.br")), 409)
    assert "81 6666-0000" in both.text and "81 5555-0000" in both.text and "81 3333-0000" in both.text
    offered = both.form(here)
    assert "phone" not in offered and offered["email"] == "ana@exemplo.com.br"
    again = page(clerk.post(here, data=form_sent(both, here)), 422)
    assert again.error_of("phone") == "Escolha o que fica." and not again.error_of("email")
    assert again.form(here)["email"] == "ana@exemplo.com.br" and again.form(here)["version"] == offered["version"]
    assert "81 6666-0000" in again.text and "81 5555-0000" in again.text and "Jonas" in again.text
    assert "81 5555-0000" in page(clerk.get(f"/pessoas/{ana}")).text
    chosen = form_sent(again, here, phone="81 6666-0000")
    shown = page(clerk.get(led_to(clerk.post(here, data=chosen))))
    assert "81 6666-0000" in shown.text and "ana@exemplo.com.br" in shown.text


def test_a_section_that_is_not_there_is_404(clerk, page, records):
    rota = records.company()
    for address in (f"/pessoas/{rota}/alterar/cnh", f"/pessoas/{rota}/alterar/nada", "/pessoas/999/alterar/contato"):
        page(clerk.get(address), 404)


# members


def test_a_member_comes_and_goes(clerk, page, records):
    coop, ana = records.cooperative(), records.person()
    here = f"/pessoas/{coop}/cooperados"
    sent = form_sent(page(clerk.get(f"/pessoas/{coop}")), here, document="023.456.781-35", since="01/03/2025")
    shown = page(clerk.get(led_to(clerk.post(here, data=sent)).partition("#")[0]))
    assert shown.links()["Ana Lima"] == f"/pessoas/{ana}" and "01/03/2025" in shown.text
    assert "Cooperado de Coop. Caminho do Sol desde 01/03/2025." in page(clerk.get(f"/pessoas/{ana}")).text
    leave = shown.links()["Registrar saída de Ana Lima"]
    early = page(clerk.post(leave, data=form_sent(page(clerk.get(leave)), leave, until="28/02/2025")), 422)
    assert "01/03/2025" in early.error_of("until")
    led_to(clerk.post(leave, data=form_sent(early, leave, until="29/11/2026")))
    assert "Cooperado de" not in page(clerk.get(f"/pessoas/{ana}")).text
    assert "29/11/2026" in page(clerk.get(f"/pessoas/{coop}")).text


def test_what_is_wrong_with_a_member_stands_beside_the_cpf(clerk, page, records):
    coop = records.cooperative()
    here = f"/pessoas/{coop}/cooperados"
    form = page(clerk.get(f"/pessoas/{coop}"))
    unknown = page(clerk.post(here, data=form_sent(form, here, document=IVO)), 422)
    assert "Cadastre a pessoa" in unknown.error_of("document") and unknown.form(here)["document"] == IVO
    records.person(IVO, "Ivo Tavares")
    led_to(clerk.post(here, data=form_sent(form, here, document=IVO)))
    twice = page(clerk.post(here, data=form_sent(page(clerk.get(f"/pessoas/{coop}")), here, document=IVO)), 422)
    assert "Ivo Tavares já é desta cooperativa" in twice.error_of("document")
    future = page(clerk.post(here, data=form_sent(form, here, document=IVO, since="01/12/2026", once_key="x")), 422)
    assert "A data não pode ser depois de hoje" in future.error_of("since")
    part = page(clerk.post(here, data=form_sent(form, here, document=""), headers=hx("cooperados")), 422)
    assert part.is_fragment and part.error_of("document") == "Digite o CPF."
    assert records.count(Membership) == 1


def test_only_a_cooperative_has_members(clerk, page, token, records):
    ana = records.person()
    page(clerk.post(f"/pessoas/{ana}/cooperados", data={"csrf_token": token(clerk), "document": ""}), 404)


# the page


def test_the_page_shows_what_the_person_has_and_owes(client_as, page, records):
    rota = records.company()
    car = records.vehicle()
    permit = records.permit(rota, car)
    records.fee(rota, date(2026, 11, 29))
    records.suspend(car, date(2026, 11, 1), date(2026, 12, 15))
    shown = page(client_as("analista").get(f"/pessoas/{rota}"))
    assert {f"/outorgas/{permit}", f"/veiculos/{car}"} <= {link.get("href") for link in shown.all(".//a")}
    assert "Débito vencido de R$ 2.568,70." in shown.text and "Não impede recurso." in shown.text
    assert "Suspensão até 15/12/2026: veículo RZT6B18." in shown.text
    assert "Cadastro feito" in shown.text


@pytest.mark.parametrize(("due", "late"), [(29, True), (30, False)])
def test_a_debt_is_late_from_the_day_after(client_as, page, records, due, late):
    rota = records.company()
    records.fee(rota, date(2026, 11, due))
    shown = page(client_as("tesouraria").get(f"/pessoas/{rota}"))
    assert ("Débito vencido" in shown.text) is late and "em aberto" in shown.text.lower()


def test_money_is_for_those_who_may_see_it(client_as, page, records):
    rota = records.company()
    records.fee(rota, date(2026, 11, 1))
    shown = page(client_as("vistoriador").get(f"/pessoas/{rota}"))
    assert "R$" not in shown.text and "Alterar" not in shown.text


def test_the_page_takes_few_queries(client_as, page, queries, records):
    rota = records.company()
    for number, plate in enumerate(("RZT6B18", "PGT4H87", "KGA1234")):
        records.permit(rota, records.vehicle(plate), number=f"039{number}")
    for day in (1, 2, 3):
        records.fee(rota, date(2026, 11, day))
    client = client_as("analista")
    page(client.get(f"/pessoas/{rota}"))
    queries()
    page(client.get(f"/pessoas/{rota}"))
    assert len(seen := queries()) <= MOST_QUERIES, "\n".join(seen)


def test_another_authority_has_no_such_person(client_as, page, token, records):
    ana = records.person()
    stranger = client_as("analista", authority="recife")
    for address in (f"/pessoas/{ana}", f"/pessoas/{ana}/alterar/contato", f"/pessoas/{ana}/cooperados/1/saida"):
        page(stranger.get(address), 404)
    sent = {"csrf_token": token(stranger), "version": "1", "phone": "1"}
    page(stranger.post(f"/pessoas/{ana}/alterar/contato", data=sent), 404)
    assert "Ana Lima" not in page(stranger.get("/pessoas?q=ana")).text
    assert "Já existe" not in page(stranger.get(f"{NEW}?document={ANA}")).text


@pytest.mark.parametrize("role", ["vistoriador", "tesouraria", "diretor", "auditor"])
def test_who_may_not_edit_is_told_who_can(client_as, page, records, role):
    ana = records.person()
    client = client_as(role)
    page(client.get(f"/pessoas/{ana}"))
    assert "Só quem tem o perfil Atendente ou Analista" in page(client.get(NEW), 403).text
    page(client.get(f"/pessoas/{ana}/alterar/contato"), 403)
    page(client_as("administrador").get(f"/pessoas/{ana}"), 403)


@pytest.mark.parametrize("number", ["0", "x", "99999999999999999999", "-1"])
def test_a_person_that_cannot_be_is_404(clerk, page, number):
    page(clerk.get(f"/pessoas/{number}"), 404)


# the register


def test_names_are_found_by_fragments_without_accents(clerk, page, records):
    records.person(ANA, "José Conceição")
    records.person(IVO, "Maria 100% Silva")
    for typed, found in (("conceicao jose", "José"), ("100%", "Maria"), ("%", "Maria"), (ANA, "José")):
        shown = page(clerk.get("/pessoas", query_string={"q": typed}))
        names = [name for name in shown.links() if name.startswith(("José", "Maria"))]
        assert [name.split()[0] for name in names] == [found], typed


def test_the_register_is_filtered_by_the_address(clerk, page, records):
    records.person(ANA, "Ana Lima")
    records.company(ROTA, "Lima Turismo")
    records.cooperative(COOP, "Coop. Lima")
    shown = page(clerk.get("/pessoas?q=lima&tipo=company"))
    assert "Lima Turismo" in shown.links() and "Ana Lima" not in shown.links() and "Coop. Lima" not in shown.links()
    assert "Limpar filtros" in shown.text
    part = page(clerk.get("/pessoas?q=lima", headers=hx("resultado")))
    assert part.is_fragment and "3 encontradas" in part.text
    assert "Cadastrar pessoa ou empresa" in page(clerk.get("/pessoas?q=ninguem")).links()
    page(clerk.get("/pessoas?tipo=robo"), 404)


def test_pages_of_twenty(clerk, page, records):
    store = records.desk.store
    with store.writing() as session:
        session.add_all(
            Person(authority="emtu", kind="natural", name=f"Pessoa {n:02d}", created_at=records.occasion.at)
            for n in range(1, 22)
        )
    first = page(clerk.get("/pessoas"))
    assert "1 a 20 de 21." in first.text and first.links()["Próxima"] == "/pessoas?page=2"
    assert "Pessoa 21" in page(clerk.get("/pessoas?page=2")).text
    assert "primeira" in page(clerk.get("/pessoas?page=999")).text
    for bad in ("0", "x", "-1", "1.5", "", "9" * 30):
        page(clerk.get(f"/pessoas?page={bad}"), 404)
    second = page(clerk.get("/pessoas?page=2&q=pessoa&tipo=natural"))
    assert second.links()["Anterior"] == "/pessoas?q=pessoa&tipo=natural"


def test_the_register_takes_few_queries(clerk, page, queries, records):
    holder = records.person(RITA, "Rita")
    records.permit(holder, records.vehicle())
    queries()
    assert "0391" in page(clerk.get("/pessoas?q=rita")).text
    assert len(queries()) <= 5
    assert records.count(Vehicle) == 1


def test_the_menu_leads_to_the_registers(clerk, page):
    links = page(clerk.get("/pessoas")).links()
    assert (links["Pessoas"], links["Veículos"], links["Outorgas"]) == ("/pessoas", "/veiculos", "/outorgas")


# the way back to the form that sent one here


def test_who_came_from_a_request_goes_back_with_the_number(clerk, page):
    came = {"document": "529.982.247-2", "volta": "/requerimentos/7?document=529.982.247-2&x=1#dados"}
    first = page(clerk.get(NEW, query_string=came))
    assert first.one(".//input[@name='volta']").get("value") == "/requerimentos/7?document=529.982.247-2&x=1#dados"
    whole = page(clerk.get(NEW, query_string={**came, "document": IVO}))
    sent = form_sent(whole, NEW, name="Ivo Tavares")
    assert led_to(clerk.post(NEW, data=sent)) == f"/requerimentos/7?document={IVO}&x=1#dados"
    known = page(clerk.get(NEW, query_string={**came, "document": IVO}))
    assert known.links()["Usar Ivo Tavares e voltar"] == f"/requerimentos/7?document={IVO}&x=1#dados"


@pytest.mark.parametrize("elsewhere", ["https://exemplo.com.br/", "//exemplo.com.br/x", "javascript:alert(1)"])
def test_nobody_is_led_out_of_the_registry(clerk, page, elsewhere):
    whole = page(clerk.get(NEW, query_string={"document": IVO, "volta": elsewhere}))
    sent = form_sent(whole, NEW, name="Ivo Tavares", volta=elsewhere)
    assert led_to(clerk.post(NEW, data=sent)).startswith("/pessoas/")
