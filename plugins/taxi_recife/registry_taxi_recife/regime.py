"""The regime taxi_recife: holders, request kinds, rules by role, papers, status and public card."""

from __future__ import annotations

from decimal import Decimal
from typing import Literal

from registry.api.law import (
    AddVehicle,
    ChargePlan,
    Choice,
    Command,
    Dossier,
    FactField,
    GrantPermit,
    HolderKind,
    InspectionPlan,
    IssueLicence,
    Law,
    Occasion,
    Office,
    Regime,
    RequestKind,
    Rule,
    StatusRule,
)
from registry_taxi_recife import givens, papers, public
from registry_taxi_recife.givens import COMPANIES, COMPANY, COOPERATIVE, DRIVER
from registry_taxi_recife.rules.capacity import capacity
from registry_taxi_recife.rules.criminal import criminal
from registry_taxi_recife.rules.debt_block import debt_block
from registry_taxi_recife.rules.documents import documents
from registry_taxi_recife.rules.fee import FeeAnswer, fee
from registry_taxi_recife.rules.inspection import inspection
from registry_taxi_recife.rules.new_permit import new_permit
from registry_taxi_recife.rules.paint import paint
from registry_taxi_recife.rules.quota import quota
from registry_taxi_recife.rules.special_fleet import special_fleet
from registry_taxi_recife.rules.status import status
from registry_taxi_recife.rules.vehicle_age import vehicle_age

CODE = "taxi_recife"
DIRECTOR = "director_dfp"

HOLDER_KINDS = (
    HolderKind(DRIVER, "Motorista autônomo", "natural"),
    HolderKind(COMPANY, "Empresa", "company"),
    HolderKind(COOPERATIVE, "Cooperativa (equiparada a empresa)", "cooperative"),
)
CATEGORIES = (Choice("comum", "Táxi comum"), Choice("especial", "Táxi especial (aeroporto)"))
VEHICLE_TYPES = (Choice("automovel", "Automóvel"), Choice("camioneta", "Camioneta ou minivan"))
OFFICES = (
    Office(DIRECTOR, "Diretor do Departamento de Fiscalização de Permissões"),
    Office("director_transport_division", "Diretor da Divisão de Transportes"),
    Office("secretary_public_services", "Secretário de Serviços Públicos"),
    Office("mayor", "Prefeito"),
)

DEBT_GATE = Rule(debt_block, givens.debt_block, "Débitos", mend="Ver débitos", mend_at="holder")

NEW_PERMIT_RULES = (
    Rule(new_permit, givens.new_permit, "Condições da vaga", mend="Rever os dados do pedido", mend_at="facts"),
    Rule(quota, givens.quota, "Vagas na cidade"),
    Rule(special_fleet, givens.special_fleet, "Serviço especial", mend="Rever o carro", mend_at="vehicle"),
    Rule(vehicle_age, givens.vehicle_age, "Idade do carro", mend="Rever o carro", mend_at="vehicle"),
    Rule(capacity, givens.capacity, "Lotação", mend="Rever a lotação", mend_at="facts"),
    Rule(paint, givens.paint, "Pintura", blocks=False, mend="Rever a cor", mend_at="vehicle"),
    Rule(criminal, givens.criminal, "Antecedentes", mend="Rever os antecedentes", mend_at="facts"),
    Rule(documents, givens.documents, "Documentos", mend="Pedir documentos", mend_at="documents"),
    Rule(inspection, givens.last_inspection, "Vistoria", mend="Marcar vistoria", mend_at="inspection"),
)

FIELDS = (
    FactField("zero_km", "O carro é zero quilômetro?", "flag", required=True, provision="art-8-par-1"),
    FactField(
        "passengers",
        "Passageiros que o carro vai levar",
        "integer",
        required=True,
        help="Sem contar o motorista.",
        provision="art-36-caput",
    ),
    FactField(
        "co_owner_of_taxi",
        "É dono ou sócio de outro táxi?",
        "flag",
        required=True,
        help="Os táxis desta pessoa no cadastro são conferidos sozinhos; aqui contam os de fora dele.",
        provision="art-10-par-3",
        when=(DRIVER,),
    ),
    FactField(
        "other_income",
        "Tem outra atividade remunerada?",
        "flag",
        required=True,
        provision="art-18-caput",
        when=(DRIVER,),
    ),
    FactField(
        "military",
        "Está sujeito ao serviço militar?",
        "flag",
        help="Brasileiro, homem, na idade do serviço militar. Na empresa: algum de seus responsáveis.",
        provision="art-17-II",
    ),
    FactField(
        "brazilian",
        "Quem responde pela empresa é brasileiro?",
        "flag",
        required=True,
        provision="art-16-VII",
        when=COMPANIES,
    ),
    FactField(
        "banned",
        "Já passou placas adiante por fusão ou incorporação?",
        "flag",
        required=True,
        provision="art-9-par-3",
        when=COMPANIES,
    ),
    FactField(
        "successor_of_banned",
        "Sucede empresa que passou placas adiante?",
        "flag",
        required=True,
        provision="art-9-par-3",
        when=COMPANIES,
    ),
    FactField(
        "convicted",
        "Há condenação definitiva nos antecedentes?",
        "flag",
        required=True,
        help="Do motorista ou de algum diretor da empresa. Só a que não admite mais recurso.",
        provision="art-16-par-un-caput",
    ),
    FactField("intentional_final_on", "Crime doloso: definitiva em", "date", provision="art-16-par-un-a"),
    FactField("negligent_final_on", "Crime culposo: definitiva em", "date", provision="art-16-par-un-b"),
    FactField("negligent_final_on_2", "Outro crime culposo: definitiva em", "date", provision="art-16-par-un-b"),
    FactField("rehabilitated", "Foi reabilitado?", "flag", provision="art-16-par-un-caput"),
)


def _total(answer: FeeAnswer) -> Decimal:
    return answer.total


def _charge(code: str, label: str, opens_at: Literal["booking", "decision"], item: str) -> ChargePlan:
    return ChargePlan(code, label, Rule(fee, givens.fee(item), label), _total, opens_at)


CHARGES = (
    _charge("vistoria", "Taxa de vistoria", "booking", "inclusion_inspection"),
    _charge("termo", "Termo de permissão e registro", "decision", "termo"),
    _charge("alvara", "Alvará", "decision", "alvara"),
)


def grant(dossier: Dossier, occasion: Occasion, law: Law) -> tuple[Command, ...]:
    """A granted request gives the permit, puts the car under it and issues its yearly alvará (arts. 8 and 10)."""
    category = dossier.request.category if dossier.request else "comum"
    return (
        GrantPermit(category, occasion.on),
        AddVehicle(occasion.on),
        IssueLicence(occasion.on, papers.alvara_valid_until(occasion.on, law)),
    )


NEW_PERMIT = RequestKind(
    code="nova_permissao",
    label="Nova permissão",
    holder_kinds=(DRIVER, COMPANY, COOPERATIVE),
    office=DIRECTOR,
    rules=NEW_PERMIT_RULES,
    documents=papers.wanted_documents,
    effect=grant,
    fields=FIELDS,
    charges=CHARGES,
    steps=("protocolo", "vistoria", "pagamento", "analise", "decisao"),
    document_rule="documents",
)

INSPECTION = InspectionPlan(
    items=papers.inspection_items,
    rules=(Rule(inspection, givens.inspection, "Vistoria"),),
    valid_until=papers.seal_until,
)

TAXI_RECIFE = Regime(
    code=CODE,
    plugin="taxi_recife",
    label="Táxi do Recife",
    short_label="Táxi",
    subject="Este táxi pode levar passageiros.",
    holder_kinds=HOLDER_KINDS,
    categories=CATEGORIES,
    vehicle_types=VEHICLE_TYPES,
    offices=OFFICES,
    request_kinds=(NEW_PERMIT,),
    inspection=INSPECTION,
    status=(StatusRule(Rule(status, givens.status, "Situação"), as_of="on"),),
    card=public.card,
    permit_label="Permissão",
    licence_label="Alvará",
    debt_gate=DEBT_GATE,
    now=public.now,
)
