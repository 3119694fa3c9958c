"""The main job of a regime as it is typed at the counter, and the people who carry one request through its steps."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from playwright.sync_api import Locator

from tests.browser.window import Window
from tests.factories import PDF

AFTERNOON = datetime(2026, 11, 30, 17, 35, tzinfo=UTC)
"""14h35 in the authority's zone, when the inspection is held."""
LATER = "31/12/2027"


@dataclass(frozen=True)
class Job:
    """A new permit: who asks, for which vehicle, what the form says; the order of payment and booking."""

    name: str
    authority: str
    regime: str
    what: str
    holder_kind: str
    number: str
    person: Mapping[str, str]
    plate: str
    vehicle: Mapping[str, str]
    facts: Mapping[str, str]
    mistake: tuple[str, str, str]
    """A field, a wrong value, and what the findings then say."""
    pays_before_booking: bool
    category: str = ""
    organisation: str = ""
    now: tuple[str, ...] = ()
    """What the public page says of this moment."""


VOLARE = {
    "Tipo": "Micro-ônibus",
    "Marca": "Volare",
    "Modelo": "W9",
    "Ano de fabricação": "2022",
    "Portas": "2",
    "Lugares, com o do motorista": "24",
    "Cor": "Branca",
}
INSURED = {
    "emergency_windows": "2",
    "policy_number": "8841-22",
    "policy_valid_through": "30/06/2027",
    "cover_per_person": "30.000,00",
    "cover_material": "130.000,00",
    "had_cassation": "Não",
}
CHARTER = Job(
    name="charter",
    authority="emtu",
    regime="fretamento_rmr",
    what="Fretamento: Termo de autorização – pedido novo",
    holder_kind="Pessoa física (autônomo)",
    number="529.982.247-25",
    person={"Nome": "Ivo Tavares", "Data de nascimento": "02/03/1979", "Sexo": "Masculino"},
    plate="RZT6B18",
    vehicle=VOLARE,
    facts=INSURED,
    mistake=("cover_material", "100.000,00", "Seguro"),
    pays_before_booking=True,
)
COMPANY = Job(
    name="charter-company",
    authority="emtu",
    regime="fretamento_rmr",
    what="Fretamento: Termo de autorização – pedido novo",
    holder_kind="Pessoa jurídica",
    number="12.ABC.345/01DE-35",
    person={"Razão social": "Rota Viva Transportes Ltda."},
    plate="RZT6B18",
    vehicle=VOLARE,
    facts=INSURED
    | {
        "fleet_size": "1",
        "fleet_value": "238.000,00",
        "paid_in_capital": "80.000,00",
        "own_staff": "Não",
        "parts_stock": "Não",
    },
    mistake=("paid_in_capital", "10,00", "Capital"),
    pays_before_booking=True,
    organisation="Empresa",
)
TAXI = Job(
    name="taxi",
    authority="recife",
    regime="taxi_recife",
    what="Táxi: Nova permissão",
    holder_kind="Motorista autônomo",
    category="Táxi comum",
    number="023.456.781-35",
    person={"Nome": "Ana Lima", "Data de nascimento": "02/03/1985", "Sexo": "Feminino"},
    plate="PGT4H87",
    vehicle={
        "Tipo": "Automóvel",
        "Marca": "Chevrolet",
        "Modelo": "Spin",
        "Ano de fabricação": "2026",
        "Portas": "5",
        "Lugares, com o do motorista": "5",
        "Cor": "Laranja solar",
    },
    facts={
        "zero_km": "Sim",
        "passengers": "4",
        "co_owner_of_taxi": "Não",
        "other_income": "Não",
        "convicted": "Não",
    },
    mistake=("other_income", "Sim", "Condições da vaga"),
    pays_before_booking=False,
    now=("Bandeira agora", "Rendição agora"),
)
_STEPS = {
    "Receber a taxa": "pay",
    "Pedir pagamento": "pay",
    "Marcar a vistoria": "book",
    "Registrar a vistoria": "inspect",
    "Começar a análise": "take",
    "Conferir": "review",
}
"""What the office does for each next step that the request's page names to the analyst."""


@dataclass
class Office:
    """The people of one authority, each in a window of their own, at work on one request."""

    job: Job
    open: Callable[[str], Window]
    acts: list[str] = field(default_factory=list)
    address: str = ""
    windows: dict[str, Window] = field(default_factory=dict)

    def window(self, role: str) -> Window:
        """The window of the one who has this role, logged in."""
        if role not in self.windows:
            self.windows[role] = self.open(f"{role}.{self.job.authority}")
        return self.windows[role]

    def enter_person(self) -> None:
        """Enters the applicant: the number first, then what it asks for."""
        at = self.window("atendente")
        at.follow("Cadastros").follow("Pessoas").follow("Cadastrar")
        at.write("CPF ou CNPJ", self.job.number)
        if at.button("Continuar").count() and at.button("Continuar").is_visible():
            at.press("Continuar")
        at.look()
        if self.job.organisation:
            at.write("Tipo", self.job.organisation)
        for label, text in self.job.person.items():
            at.write(label, text)
        at.press("Cadastrar")

    def enter_vehicle(self) -> None:
        """Enters the vehicle."""
        at = self.window("atendente")
        at.follow("Cadastros").follow("Veículos").follow("Cadastrar")
        at.write("Placa", self.job.plate)
        for label, text in self.job.vehicle.items():
            at.write(label, text)
        at.press("Cadastrar")

    def open_request(self) -> None:
        """Opens the draft and says who asks and for which vehicle."""
        at = self.window("atendente")
        at.follow_first("Início").follow("Novo requerimento")
        at.write("O que se pede", self.job.what)
        at.press("Abrir rascunho")
        self.address = at.path.partition("?")[0]
        at.write("Tipo de requerente", self.job.holder_kind)
        if self.job.category:
            at.write("Categoria", self.job.category)
        at.write("CPF ou CNPJ do requerente", self.job.number)
        at.write("Placa do veículo", self.job.plate)
        if not at.scripts:
            at.press("Atualizar")
        at.look()

    def fill(self, facts: Mapping[str, str]) -> None:
        """Fills the regime's own fields."""
        at = self.window("atendente")
        for name, text in facts.items():
            self.answer(at, name, text)
        if not at.scripts:
            at.press("Gravar rascunho")
        at.look()

    def answer(self, at: Window, name: str, text: str) -> None:
        """One of the regime's own fields: typed, picked or ticked."""
        places = at.page.locator(f"[name=fact_{name}]")
        if places.first.get_attribute("type") == "radio":
            at.page.locator(f"label:has([name=fact_{name}])").filter(has_text=text).first.click()
            at.rest()
        else:
            at.put(places.first, text)

    def file(self) -> str:
        """Files the request; gives its number."""
        at = self.window("atendente")
        at.press("Protocolar", at.page.locator("#proximo"))
        return at.text(".ident .num")

    def send_papers(self) -> None:
        """Sends the first document in its own row and all others at once."""
        at = self.window("atendente").go(self.address)
        at.follow_first("Enviar ", at.page.locator("#documentos tbody"))
        row = at.page.locator("#documentos tr.open")
        row.locator("[type=file]").set_input_files(pdf("1"))
        for each in row.locator("[inputmode=numeric]").all():
            each.fill(LATER)
        at.press("Enviar", row)
        at.follow("Enviar vários")
        for each in at.page.locator("main [type=file]").all():
            each.set_input_files([pdf(str(number)) for number in range(self._copies(each))])
        for each in at.page.locator("main [inputmode=numeric]").all():
            each.fill(LATER)
        at.press("Enviar documentos")

    @staticmethod
    def _copies(place: Locator) -> int:
        """How many files one row wants: it says «0 de 16 vias»."""
        said = place.locator("xpath=ancestor::tr").inner_text()
        found = re.search(r"(\d+) vias", said)
        return int(found[1]) if found and place.get_attribute("multiple") is not None else 1

    def go_on(self, until: str = "Enviar para decisão") -> None:
        """Does each next step that the request's page names until the last."""
        for _ in range(12):
            title = self.window("analista").go(self.address).text("#proximo h3")
            if title == until:
                return
            act = next((act for words, act in _STEPS.items() if title.startswith(words)), "")
            assert act, f"nobody here does «{title}»: {self.window('analista').text()}"
            self.acts.append(act)
            getattr(self, act)()
        raise AssertionError(self.acts)

    def pay(self) -> None:
        """Receives every open fee of the plate at the treasury."""
        at = self.window("tesouraria").follow("Tesouraria")
        at.write("Placa, CPF, CNPJ ou número da cobrança ou do requerimento", self.job.plate)
        at.press("Procurar")
        for number in range(at.page.locator("[name=charge]").count()):
            at.page.locator("[name=charge]").nth(number).check()
            at.rest()
        at.write("Forma de pagamento", "Pix")
        at.press("Receber e emitir recibo")
        at.shows("Recibo nº")

    def book(self) -> None:
        """Books the inspection for the afternoon."""
        at = self.window("atendente").go(self.address).follow("Marcar vistoria")
        for label, text in (("Dia", "30/11/2026"), ("Hora", "14:30"), ("Local", "Pátio da sede")):
            at.write(label, text)
        at.press("Marcar vistoria")

    def inspect(self) -> None:
        """Goes from the day's agenda to the checklist, finds all in order and concludes."""
        at = self.window("vistoriador")
        at.site.clock.at = AFTERNOON
        at.follow("Vistorias").follow(f"Veículo {self.job.plate}", at.page.locator("#agenda"))
        items = at.page.locator("fieldset.item")
        for number in range(items.count()):
            items.nth(number).locator("label.ok").click()
            at.rest()
        if not at.scripts:
            at.press("Gravar itens e ver o resultado")
        at.look().press("Concluir e emitir selo")
        at.shows("Selo")

    def take(self) -> None:
        """The analyst takes the request."""
        self.window("analista").press("Pegar para análise")

    def review(self) -> None:
        """The analyst accepts each document that was sent, the next one opening by itself."""
        at = self.window("analista")
        at.follow_first("Conferir ", at.page.locator("#proximo"))
        accept = at.page.locator("#documentos").get_by_role("button", name="Aceitar", exact=True)
        for _ in range(60):
            if not accept.count():
                return
            accept.click()
            at.rest()
        raise AssertionError("the documents never end")

    def decide(self, act: str, text: str = "") -> Window:
        """The director is about to decide: chooses, sees the effect, writes the text."""
        at = self.window("diretor").go(self.address).follow("Abrir a decisão")
        at.page.get_by_label(act, exact=True).check()
        at.press("Conferir antes de decidir")
        if text:
            at.page.locator("textarea").fill(text)
        return at


def pdf(name: str) -> dict[str, Any]:
    """A small file to be sent."""
    return {"name": f"{name}.pdf", "mimeType": "application/pdf", "buffer": PDF}
