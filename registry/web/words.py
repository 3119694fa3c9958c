"""The one set of status words: each code has its word, its tone and its icon, the same on every screen."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Status:
    """A status as it is shown. ``tone`` is ok, bad, warn, info or "" (neutral); ``icon`` a symbol of the sprite."""

    word: str
    tone: str = ""
    icon: str = "dot"


STATUSES: dict[str, Status] = {
    # requests
    "rascunho": Status("Rascunho", "", "doc"),
    "protocolado": Status("Protocolado", "info", "send"),
    "em_analise": Status("Em análise", "info", "search"),
    "em_exigencia": Status("Em exigência", "", "clock"),
    "aguarda_vistoria": Status("Aguarda vistoria", "warn", "clock"),
    "aguarda_pagamento": Status("Aguarda pagamento", "warn", "clock"),
    "pronto": Status("Pronto para decisão", "ok", "check"),
    "deferido": Status("Deferido", "ok", "okc"),
    "indeferido": Status("Indeferido", "bad", "noc"),
    "encaminhado": Status("Encaminhado", "info", "send"),
    "desistencia": Status("Desistência", "", "dash"),
    # documents
    "falta": Status("Falta", "", "dot"),
    "enviado": Status("Enviado", "info", "up"),
    "aceito": Status("Aceito", "ok", "check"),
    "com_ressalva": Status("Aceito com ressalva", "warn", "warn"),
    "recusado": Status("Recusado", "bad", "noc"),
    "vencido": Status("Vencido", "bad", "noc"),
    "dispensado": Status("Dispensado", "", "dash"),
    # charges
    "em_aberto": Status("Em aberto", "warn", "clock"),
    "suspenso_por_recurso": Status("Suspenso por recurso", "", "clock"),
    "pago": Status("Pago", "ok", "check"),
    "parcelado": Status("Parcelado", "info", "cal"),
    "estornado": Status("Estornado", "", "dash"),
    "anulado": Status("Anulado", "", "dash"),
    # inspections
    "marcada": Status("Marcada", "", "cal"),
    "aprovada": Status("Aprovada", "ok", "check"),
    "reprovada": Status("Reprovada", "bad", "noc"),
    "nao_compareceu": Status("Não compareceu", "bad", "noc"),
    "cancelada": Status("Cancelada", "", "dash"),
    # permits, licences, and what the public reads
    "autorizado": Status("Autorizado", "ok", "okc"),
    "nao_autorizado": Status("Não autorizado", "bad", "noc"),
    "indisponivel": Status("Situação indisponível", "", "clock"),
    "nao_consta": Status("Não consta", "", "dash"),
    "em_vigor": Status("Em vigor", "ok", "check"),
    "suspenso": Status("Suspenso", "bad", "noc"),
    "encerrado": Status("Encerrado", "", "dash"),
    # outcomes of a rule
    "allow": Status("Em ordem", "ok", "okc"),
    "deny": Status("Impede", "bad", "noc"),
    "refer": Status("A outra autoridade", "warn", "warn"),
    "pending": Status("Falta informar", "warn", "warn"),
    "atencao": Status("Atenção", "warn", "warn"),
}

_SAME = {
    "pronto_para_decisao": "pronto",
    "open": "em_aberto",
    "overdue": "vencido",
    "suspended_by_appeal": "suspenso_por_recurso",
    "paid": "pago",
    "reversed": "estornado",
    "cancelled": "anulado",
    "aguarda_taxa": "aguarda_pagamento",
}


def status_of(code: str) -> Status:
    """The status of a code; a code that is not known reads as it is, without its underscores."""
    known = STATUSES.get(_SAME.get(code, code))
    return known or Status(code.replace("_", " ").capitalize())
