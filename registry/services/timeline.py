"""What happened to a record, in pt-BR, newest first: the audit's entries as people tell them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import and_, func, or_, select
from sqlalchemy.orm import Session

from registry.store.access import User
from registry.store.audit import AuditEntry

_SENTENCES: Mapping[str, str] = {
    "person.created": "Cadastro feito",
    "person.updated": "Cadastro alterado",
    "person.merged": "Juntado o cadastro duplicado {other}",
    "person.merged_into": "Juntado ao cadastro {other}",
    "person.parted": "Junção com {other} desfeita",
    "person.exported": "Dados entregues à própria pessoa",
    "person.anonymised": "Dados anonimizados",
    "audit.redacted": "Conteúdo do histórico apagado",
    "membership.begun": "Entrada de {member}",
    "membership.ended": "Saída de cooperado",
    "vehicle.created": "Cadastro feito",
    "vehicle.updated": "Cadastro alterado",
    "vehicle.merged": "Juntado o cadastro duplicado {other}",
    "vehicle.merged_into": "Juntado ao cadastro {other}",
    "vehicle.parted": "Junção com {other} desfeita",
    "vehicle.plate_changed": "Placa trocada para {plate_text}",
    "restriction.begun": "Restrição registrada",
    "restriction.lifted": "Restrição encerrada",
    "restriction.voided": "Restrição anulada",
    "request.opened": "Rascunho aberto",
    "request.saved": "Pedido alterado",
    "request.filed": "Requerimento {number} protocolado",
    "request.withdrawn": "Desistência registrada",
    "request.taken": "{by} pegou o requerimento",
    "request.passed": "Passado para {name}",
    "request.decided": "Requerimento decidido",
    "document.sent": "Documento enviado: {label}",
    "document.reviewed": "Documento {status_label}: {label}",
    "document.waived": "Documento dispensado: {label}",
    "document.read": "Documento reservado aberto",
    "exigencia.opened": "Exigência registrada",
    "exigencia.closed": "Exigência {outcome}",
    "referral.opened": "Caso encaminhado",
    "referral.closed": "Encaminhamento respondido",
    "proposal.opened": "Indeferimento proposto",
    "proposal.closed": "Proposta devolvida",
    "return.opened": "Devolvido à análise por quem decide",
    "return.closed": "Devolução respondida",
    "charge.opened": "Taxa aberta: {label}",
    "inspection.booked": "Vistoria marcada",
    "inspection.moved": "Vistoria remarcada",
    "inspection.cancelled": "Vistoria cancelada",
    "inspection.photo_added": "Foto de falha juntada: {label}",
    "inspection.photo_removed": "Foto de falha tirada",
    "inspection.no_show": "O requerente não compareceu à vistoria",
    "correction.made": "Retificação. {effect}",
    "permit.granted": "Outorga concedida",
    "permit.vehicle_added": "Veículo incluído",
    "permit.vehicle_removed": "Baixa do veículo {plate}",
    "permit.ended": "Outorga encerrada",
    "person.imported": "Cadastro feito pela importação {import}",
    "vehicle.imported": "Cadastro feito pela importação {import}",
    "permit.imported": "Outorga trazida pela importação {import}",
    "permit.completed": "Outorga completada pela importação {import}",
    "person.import_undone": "Importação {import} desfeita",
    "vehicle.import_undone": "Importação {import} desfeita",
    "permit.import_undone": "Importação {import} desfeita",
    "licence.issued": "Licença emitida",
    "licence.ended": "Licença encerrada",
    "credit.used": "Pago com crédito, recibo {number}",
    "payment.reversed": "Pagamento estornado",
    "charge.annulled": "Cobrança anulada",
    "debt.entered": "Débito antigo lançado: {label}",
}
_STATUS_WORDS = {
    "aceito": "aceito",
    "com_ressalva": "aceito com ressalva",
    "recusado": "recusado",
    "dispensado": "dispensado",
}
_LEFT_OUT = ("inspection.item_saved",)
_MOST = 100


@dataclass(frozen=True)
class Happening:
    """One line of a history: what, when, who; ``detail`` is the reason or text that was written."""

    text: str
    at: datetime
    by: str
    detail: str = ""


def timeline(
    session: Session, authority: str, subjects: Sequence[tuple[str, int]], limit: int = _MOST
) -> tuple[Happening, ...]:
    """What happened to these records (``("request", 7)``), newest first, in one query; ``by`` is the user's name."""
    if not subjects:
        return ()
    wanted = [and_(AuditEntry.subject == subject, AuditEntry.subject_id == row_id) for subject, row_id in subjects]
    rows = session.execute(
        select(
            AuditEntry.action, AuditEntry.after, AuditEntry.at, func.coalesce(User.name, AuditEntry.actor).label("by")
        )
        .outerjoin(User, and_(User.authority == AuditEntry.authority, User.username == AuditEntry.actor))
        .where(AuditEntry.authority == authority, or_(*wanted), AuditEntry.action.not_in(_LEFT_OUT))
        .order_by(AuditEntry.seq.desc())
        .limit(limit)
    )
    return tuple(
        Happening(told(row.action, {**(row.after or {}), "by": row.by}), row.at, row.by, _detail(row.after or {}))
        for row in rows
    )


def told(action: str, after: Mapping[str, Any]) -> str:
    """An entry in one short sentence, from its action and what it says now stands ({} where that was blanked)."""
    facts = {name: value for name, value in after.items() if isinstance(value, str | int)}
    facts["status_label"] = _STATUS_WORDS.get(str(after.get("status", "")), "conferido")
    if action == "request.passed" and not after.get("assigned_to"):
        return "Devolvido à fila"
    if action == "inspection.concluded":
        return _concluded(after)
    sentence = _SENTENCES.get(action)
    if sentence is None:
        return "Alteração registrada"
    try:
        return sentence.format(**facts)
    except KeyError:
        return sentence.split(" {")[0].rstrip(":")


def _concluded(after: Mapping[str, Any]) -> str:
    if after.get("state") == "aprovada":
        seal = f", selo {after['seal']}" if after.get("seal") else ""
        return f"Vistoria aprovada{seal}"
    return "Vistoria reprovada" if after.get("state") == "reprovada" else "Vistoria concluída"


def _detail(after: Mapping[str, Any]) -> str:
    return next((str(after[name]) for name in ("reason", "text", "note") if after.get(name)), "")
