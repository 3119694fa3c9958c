"""The conformance suite: every check that a plugin passes before a city relies on it, in order."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass

from registry.cli.plugin import lawful, running, sources
from registry.cli.plugin.running import Check, Unreachable
from registry.cli.plugin.subject import Fault, Subject


@dataclass(frozen=True)
class Outcome:
    """How one check came out: its code and title, what is wrong, and why it could not be made ("" = it was)."""

    code: str
    title: str
    faults: tuple[Fault, ...] = ()
    skipped: str = ""


_READ: tuple[tuple[str, str, Check], ...] = (
    ("imports", "Importa só o que um plugin pode importar", sources.imports),
    ("clock", "Não lê o relógio; as regras não usam acaso, arquivos nem rede", sources.clock),
    ("numbers", "Nenhum número da lei está escrito no código", sources.numbers),
    ("start", "Abre: ganchos, versão do contrato, perguntas, regimes", running.start),
)
_RUN: tuple[tuple[str, str, Check], ...] = (
    ("values", "Cada valor tem data e dispositivo", lawful.values),
    ("provisions", "O que a lei manda aplicar, contar ou impedir tem pergunta e caso", lawful.provisions),
    ("cases", "Os casos passam", lawful.cases),
    ("repeats", "A mesma pergunta responde sempre igual", lawful.repeats),
    ("tables", "As tabelas levam o nome do plugin e estão declaradas", running.tables),
    ("views", "Cada tela diz quem a abre; os lugares que a lei cita existem", running.views),
    ("sqlite", "As migrações sobem e descem no SQLite", running.migrations_on_sqlite),
    ("postgresql", "As migrações sobem e descem no PostgreSQL", running.migrations_on_postgresql),
    ("screens", "Os modelos compilam e as telas abrem", running.screens),
)
CODES = tuple(code for code, _, _ in (*_READ, *_RUN))


def conformance(subject: Subject) -> Iterator[Outcome]:
    """Each check with its outcome. One that does not start is read and not run."""
    broken = False
    for code, title, check in _READ:
        made = _made(subject, code, title, check)
        broken = broken or (code in ("imports", "start") and bool(made.faults))
        yield made
    for code, title, check in _RUN:
        if broken:
            yield Outcome(code, title, skipped="antes, corrija o que impede o plugin de abrir ou o que ele importa")
            continue
        made = _made(subject, code, title, check)
        broken = code in ("tables", "views") and bool(made.faults)
        yield made


def outcome(subject: Subject, code: str) -> Outcome:
    """The outcome of one check alone, by its code."""
    return next(_made(subject, *each) for each in (*_READ, *_RUN) if each[0] == code)


def _made(subject: Subject, code: str, title: str, check: Check) -> Outcome:
    try:
        return Outcome(code, title, tuple(check(subject)))
    except Unreachable as error:
        told = f"não há PostgreSQL em REGISTRY_TEST_POSTGRES ({error})"
        if os.environ.get("CI") == "true":
            return Outcome(code, title, (Fault("PostgreSQL", f"{told}.", "Na integração contínua ele é obrigatório."),))
        return Outcome(code, title, skipped=told)
    except SyntaxError as error:
        return Outcome(code, title, (Fault(f"{error.filename}:{error.lineno}", f"{error.msg}.", "Corrija a linha."),))
