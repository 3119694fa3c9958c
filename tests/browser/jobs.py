"""The main job of a regime as it is typed at the counter, and the people who carry one request through its steps."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from tests.browser.window import Window
from tests.factories import PDF


@dataclass(frozen=True)
class Job:
    """A new permit: who asks, for which vehicle, what the form says; the order of payment and booking."""

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
        "Cor": "Branca",
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
        at.follow("Início").follow("Novo requerimento")
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
            at.press("Atualizar")
        at.look()

    def answer(self, at: Window, name: str, text: str) -> None:
        """One of the regime's own fields: typed, picked or ticked."""
        places = at.page.locator(f"[name=fact_{name}]")
        if places.first.get_attribute("type") == "radio":
            at.page.locator(f"label:has([name=fact_{name}])").filter(has_text=text).first.click()
            at.rest()
        else:
            at.put(places.first, text)


def pdf(name: str) -> dict[str, Any]:
    """A small file to be sent."""
    return {"name": f"{name}.pdf", "mimeType": "application/pdf", "buffer": PDF}
