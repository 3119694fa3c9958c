"""Refusals as pages: 400 to 503 in the page's own frame, or one line for the notice area of a page that htmx feeds.

Messages are pt-BR and say what happened and what to do. No page shows a traceback; no log keeps what people typed.
"""

from __future__ import annotations

import traceback
from typing import Any

import structlog
from flask import Flask, Response, current_app, jsonify, make_response, render_template, request
from flask_wtf.csrf import CSRFError
from sqlalchemy.exc import OperationalError
from werkzeug.exceptions import HTTPException

from registry.domain.text import format_hour
from registry.plugins import RuleFailed
from registry.services.errors import (
    AlreadyDone,
    NotAllowed,
    NotFound,
    Refused,
    RuleDown,
    Taken,
    TooBig,
)
from registry.store.once import KeyTaken
from registry.web import conflicts, htmx
from registry.web.access import PUBLIC, LogInFirst, mark_of
from registry.web.edge import db, is_staff, trace_id, zone
from registry.web.login.session import ask_to_log_in

API = "/api/"
MIB = 1024 * 1024
log = structlog.get_logger("registry")

_HTTP: dict[int, tuple[str, str]] = {
    400: ("Não entendemos o pedido", "Volte, atualize a página e tente de novo."),
    401: ("Entre para continuar", "Sua sessão terminou. Entre de novo."),
    403: ("Você não pode abrir esta página", "Fale com quem administra o sistema."),
    404: ("Não achamos esta página", "Não há nada neste endereço. Talvez seja de outro órgão."),
    405: ("Este endereço não se abre assim", "Volte à página e use o botão dela."),
    409: ("Outra pessoa mudou este registro", "Abra de novo e confira."),
    429: ("Muitas consultas em pouco tempo", "Espere 30 segundos e tente de novo."),
    500: ("Algo falhou aqui", "Nada foi gravado. Tente de novo em alguns minutos."),
    503: ("O sistema está ocupado", "Nada foi gravado. Tente de novo em alguns minutos."),
}
_USED = "Ele serviu a outro ato, e nada se fez agora. Abra a página de novo e confira."


def show(status: int, title: str, message: str, **context: Any) -> Response:
    """The error as a page with the frame that the visitor knows; as one line for htmx; as problem details for JSON."""
    if request.path.startswith(API):
        response = jsonify(type="about:blank", title=title, status=status, detail=message)
        response.status_code = status
        response.mimetype = "application/problem+json"
        return response
    context |= {"status": status, "title": title, "message": message, "failed": True, "code": _code(status, context)}
    if htmx.wants_fragment():
        return htmx.into_notice(make_response(render_template("errors/_notice.html", **context), status))
    return make_response(render_template("errors/page.html", **context), status)


def _code(status: int, context: dict[str, Any]) -> str:
    return str(context.get("code") or (trace_id()[:6].upper() if status >= 500 else ""))


def refused(error: Refused) -> Response:
    """A use case refused and the view had no form to say it in."""
    texts = ([error.message] if error.message else []) + list(error.fields.values())
    status = 413 if isinstance(error, TooBig) else 422
    title = texts[0] if len(texts) == 1 else "Confira o que foi digitado"
    return show(status, title, "" if len(texts) == 1 else " ".join(texts), existing=tuple(error.existing.values()))


def already_done(error: AlreadyDone) -> Response:
    """The act had been done: no fault, the page says by whom and when."""
    return show(200, "Já foi feito", done_text(error))


def done_text(done: AlreadyDone) -> str:
    """«Já foi feito por Edson às 9h32. Nada se repetiu.»"""
    when = f" às {format_hour(done.at.astimezone(zone()))}" if done.at else ""
    by = f" por {done.by}" if done.by else ""
    return f"Já foi feito{by}{when}. Nada se repetiu."


def unkeepable() -> Response:
    """What was sent holds a character that no keyboard types and no database keeps."""
    return show(400, _HTTP[400][0], "O texto tem um caractere que não se pode guardar. Apague, digite e envie de novo.")


def too_big() -> Response:
    """An upload above the limit; the browser told its size."""
    limit = (current_app.config["REGISTRY_UPLOAD_LIMIT"]) // MIB
    size = -(-(request.content_length or 0) // MIB)
    message = f"O arquivo tem {size} MB. O limite é {limit} MB. Envie em partes ou com menos qualidade."
    return show(413, "O arquivo é grande demais", message)


def http_error(error: HTTPException) -> Response | HTTPException:
    """An error of the web framework, in our words."""
    status = error.code or 500
    if status < 400:
        return error
    if status == 413:
        return too_big()
    title, message = _HTTP.get(status, _HTTP[400] if status < 500 else _HTTP[500])
    response = show(status, title, message)
    if status == 429:
        response.headers["Retry-After"] = "30"
    for name, value in error.get_headers():
        if name.lower() in {"allow", "retry-after"}:
            response.headers[name] = value
    return response


def crashed(error: Exception) -> Response:
    """A fault of ours: the log gets where it happened, without the message, which may hold what people typed."""
    frames = [f"{f.filename}:{f.lineno} {f.name}" for f in traceback.extract_tb(error.__traceback__)]
    log.error("crashed", error=type(error).__name__, frames=frames[-12:], endpoint=request.endpoint)
    db.session.remove()
    return show(500, *_HTTP[500])


def _busy(error: OperationalError) -> Response:
    log.error("database", error=type(error.orig).__name__, endpoint=request.endpoint)
    db.session.remove()
    return show(503, *_HTTP[503])


def _rule_down(error: RuleDown) -> Response:
    message = f"A regra de {error.regime_label} não respondeu. Nada foi gravado e a decisão espera."
    return show(503, "A regra não respondeu", message, code=error.code, plugin=error.plugin if is_staff() else "")


def _plugin_failed(error: RuleFailed) -> Response:
    code = trace_id()[:6].upper()
    log.error("plugin", plugin=error.plugin, endpoint=request.endpoint, code=code)
    message = "A regra de um módulo não respondeu. Nada foi gravado."
    return show(503, "A regra não respondeu", message, code=code, plugin=error.plugin if is_staff() else "")


def _csrf(error: CSRFError) -> Response:
    if not is_staff() and mark_of(current_app.view_functions[request.endpoint or ""]) != PUBLIC:
        return ask_to_log_in(error)
    message = "A página ficou aberta tempo demais ou o navegador recusou o cookie. Atualize a página e envie de novo."
    return show(400, "Atualize a página", message)


def init_app(app: Flask) -> None:
    """Registers the pages."""
    app.register_error_handler(LogInFirst, ask_to_log_in)
    app.register_error_handler(Refused, refused)
    conflicts.init_app(app)
    app.register_error_handler(AlreadyDone, already_done)
    app.register_error_handler(KeyTaken, lambda _: show(409, "Este formulário já foi usado", _USED))
    app.register_error_handler(RuleDown, _rule_down)
    app.register_error_handler(RuleFailed, _plugin_failed)
    app.register_error_handler(Taken, lambda error: show(409, "Outra pessoa pegou antes", str(error)))
    app.register_error_handler(NotAllowed, lambda error: show(403, "Você não pode fazer isto aqui", error.message_pt))
    app.register_error_handler(NotFound, lambda error: show(404, _HTTP[404][0], str(error)))
    app.register_error_handler(CSRFError, _csrf)
    app.register_error_handler(HTTPException, http_error)
    app.register_error_handler(OperationalError, _busy)
    app.register_error_handler(Exception, crashed)
