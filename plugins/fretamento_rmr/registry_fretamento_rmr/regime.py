"""The regime fretamento_rmr: who holds, which vehicles, the request for a new term, its rules, fees and status."""

from __future__ import annotations

from decimal import Decimal

from registry.api.law import (
    ChargePlan,
    Choice,
    FactField,
    HolderKind,
    InspectionPlan,
    Office,
    Regime,
    RequestKind,
    Rule,
    StatusRule,
)
from registry_fretamento_rmr import effect, givens, papers
from registry_fretamento_rmr.rules import applicants, fees, inspections, registration, status, vehicles

CODE = "fretamento_rmr"
PERSON, COMPANY, MEMBER = "PF", "PJ", "COOP_MEMBER"
PRESIDENT = "diretor_presidente"

_RULES = (
    Rule(applicants.applicant, givens.applicant, "Titular", mend="Escolher a cooperativa", mend_at="holder"),
    Rule(
        applicants.holder_permit,
        givens.holder_permit,
        "Número da autorização",
        blocks=False,
        mend="Escolher a autorização",
        mend_at="holder",
    ),
    Rule(registration.checklist, givens.checklist, "Documentos", mend="Pedir documentos", mend_at="documents"),
    Rule(vehicles.vehicle_kind, givens.vehicle_kind, "Tipo do veículo", mend="Corrigir o tipo", mend_at="vehicle"),
    Rule(vehicles.capacity, givens.capacity, "Lugares e janela", mend="Conferir o veículo", mend_at="vehicle"),
    Rule(applicants.eligibility, givens.eligibility, "Idade da frota", mend="Conferir o ano", mend_at="vehicle"),
    Rule(applicants.reauthorization, givens.reauthorization, "Cassação anterior", mend="Informar", mend_at="facts"),
    Rule(applicants.capital, givens.capital, "Capital", mend="Pedir prova do capital", mend_at="facts"),
    Rule(applicants.staff, givens.staff, "Pessoal e peças", mend="Informar", mend_at="facts"),
    Rule(
        applicants.coop_vehicle, givens.coop_vehicle, "Um veículo por cooperado", mend="Ver a outorga", mend_at="holder"
    ),
    Rule(vehicles.insurance, givens.insurance, "Seguro", mend="Pedir endosso", mend_at="facts"),
    Rule(inspections.seal, givens.inspected, "Vistoria", mend="Marcar vistoria", mend_at="inspection"),
)

_DEBT_GATE = Rule(registration.debt_gate, givens.debt_gate, "Débitos", mend="Ver débitos", mend_at="charges")

_CAUSES = (Choice("crime", "Condenação por crime"), Choice("other", "Outro motivo"))

_FIELDS = (
    FactField(
        "cooperative_accredited",
        "A cooperativa está credenciada?",
        "flag",
        required=True,
        provision="art-209-par-2",
        when=(MEMBER,),
    ),
    FactField("emergency_windows", "Janelas com saída de emergência", "integer", required=True, provision="art-214"),
    FactField("policy_number", "Número da apólice", "text", provision="art-211-VIII"),
    FactField("policy_valid_through", "Apólice válida até", "date", required=True, provision="art-211-VIII"),
    FactField("cover_per_person", "Cobertura por pessoa", "money", required=True, provision="art-211-VIII"),
    FactField("cover_material", "Cobertura de danos materiais", "money", required=True, provision="art-211-VIII"),
    FactField(
        "fleet_size",
        "Veículos da frota, com este",
        "integer",
        required=True,
        help="Conte também os reservas.",
        provision="art-209-II-h",
        when=(COMPANY,),
    ),
    FactField(
        "fleet_value",
        "Valor atual da frota",
        "money",
        required=True,
        help="Apurado no mês em que começa o exercício contábil.",
        provision="art-209-II-g",
        when=(COMPANY,),
    ),
    FactField(
        "paid_in_capital", "Capital integralizado", "money", required=True, provision="art-209-II-g", when=(COMPANY,)
    ),
    FactField(
        "own_staff",
        "Tem pessoal próprio especializado?",
        "flag",
        required=True,
        provision="art-209-II-h",
        when=(COMPANY,),
    ),
    FactField("parts_stock", "Tem estoque de peças?", "flag", required=True, provision="art-209-II-h", when=(COMPANY,)),
    FactField("had_cassation", "Já teve autorização cassada?", "flag", required=True, provision="art-210-I"),
    FactField("cassation_final", "Cassação definitiva em", "date", help="Só se houve.", provision="art-239-s2"),
    FactField(
        "cassation_cause",
        "Motivo da cassação",
        "choice",
        help="Só se houve.",
        provision="art-239-s1",
        choices=_CAUSES,
    ),
    FactField(
        "sentence_served",
        "A pena foi cumprida?",
        "flag",
        help="Só se a cassação foi por crime.",
        provision="art-239-s1",
        when=(PERSON, MEMBER),
    ),
    FactField(
        "rehabilitated_on",
        "Reabilitação criminal em",
        "date",
        help="Só se a cassação foi por crime.",
        provision="art-239-s1",
        when=(PERSON, MEMBER),
    ),
)


def _amount(answer: fees.ServiceFeeAnswer) -> Decimal:
    """The amount of a fee. Raises ValueError for a type outside the table, which no rule of the request lets pass."""
    if answer.amount is None:
        raise ValueError("this vehicle type has no fee in the table")
    return answer.amount


_CHARGES = (
    ChargePlan(
        "vistoria",
        "Vistoria (item g)",
        Rule(fees.service_fee, givens.inspection_fee, "Taxa de vistoria"),
        _amount,
        opens_at="filing",
    ),
    ChargePlan(
        "registro",
        "Registro do veículo (itens a, b, c)",
        Rule(fees.service_fee, givens.registration_fee, "Taxa de registro"),
        _amount,
        opens_at="decision",
    ),
)

NEW_TERM = RequestKind(
    code="novo_termo",
    label="Termo de autorização – pedido novo",
    holder_kinds=(PERSON, COMPANY, MEMBER),
    office=PRESIDENT,
    rules=_RULES,
    documents=papers.documents,
    effect=effect.new_term,
    fields=_FIELDS,
    charges=_CHARGES,
    document_rule="checklist",
)

REGIME = Regime(
    code=CODE,
    plugin="fretamento_rmr",
    label="Transporte especial por fretamento (Região Metropolitana do Recife)",
    short_label="Fretamento",
    subject="Este veículo pode fazer fretamento.",
    holder_kinds=(
        HolderKind(PERSON, "Pessoa física (autônomo)", "natural"),
        HolderKind(COMPANY, "Pessoa jurídica", "company"),
        HolderKind(MEMBER, "Cooperado", "natural", needs_cooperative=True),
    ),
    categories=(Choice(effect.CATEGORY, "Fretamento"),),
    vehicle_types=tuple(Choice(code, label) for code, label in vehicles.VEHICLE_TYPES.items()),
    offices=(
        Office(PRESIDENT, "Diretor-Presidente"),
        Office("fiscalizacao", "Fiscalização"),
        Office("CMTU", "Comissão de Julgamento do CMTU"),
    ),
    request_kinds=(NEW_TERM,),
    inspection=InspectionPlan(
        items=papers.inspection_items,
        rules=(Rule(vehicles.equipment, givens.equipment, "Itens da vistoria"),),
        valid_until=papers.seal_valid_until,
        booking_needs_payment=True,
    ),
    status=(StatusRule(Rule(status.public_status, givens.public_status, "Situação"), as_of="as_of"),),
    card=papers.card,
    permit_label="Autorização",
    licence_label="Termo de autorização",
    debt_gate=_DEBT_GATE,
)
