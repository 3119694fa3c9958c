"""Checks of a plugin's law: dated and cited values, treated provisions, passing cases, answers that never change."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from datetime import date

from registry.cli.cases import load_case_file
from registry.cli.plugin.subject import Fault, Subject
from registry.domain.cases import Case, cited, run_case, verdict_of
from registry.domain.convert import to_plain

ASKED = ("enforce", "compute", "block")
_VALUES, _PROVISIONS = "law/*.toml", "law/provisions.toml"
_SEEDS = ("1", "2")


def values(subject: Subject) -> Iterator[Fault]:
    """Each value has a first day and a provision that exists."""
    book = subject.loaded.lawbook
    for key, dated in book.parameters.items():
        for value in dated:
            if value.provision not in book.provisions:
                yield Fault(_VALUES, f"o valor {key} não cita dispositivo.", "Escreva provision = «id».")
            if value.since == date.min:
                yield Fault(
                    _VALUES, f"o valor {key} vale desde sempre.", "Escreva em from o dia em que a norma começou."
                )
    for key, kind in book.indexes.items():
        if kind.provision not in book.provisions:
            yield Fault(_VALUES, f"o índice {key} não cita dispositivo que exista.", "Escreva provision = «id».")
    for question in subject.loaded.questions.values():
        if not question.cites:
            place = question.function.__module__.replace(".", "/") + ".py"
            yield Fault(place, f"a pergunta {question.name} não cita dispositivo.", 'Escreva cites=["id"].')


def provisions(subject: Subject) -> Iterator[Fault]:
    """What the law enforces, computes or blocks has a question, and a case that cites it."""
    book = subject.loaded.lawbook
    known = {each for case in _cases(subject) if case.ask in subject.loaded.questions for each in cited(case, book)}
    for provision in book.provisions.values():
        asked = [verb for verb in provision.verbs if verb in ASKED]
        if asked and not provision.question and not provision.via:
            told = f"{provision.id} pede {', '.join(asked)} e não tem pergunta."
            yield Fault(_PROVISIONS, told, "Escreva question = «nome».")
        elif asked and provision.id not in known:
            mend = "Escreva um em tests/cases/*.yaml, com article ou articles = este dispositivo."
            yield Fault(_PROVISIONS, f"{provision.id} não tem caso que o cite.", mend)


def cases(subject: Subject) -> Iterator[Fault]:
    """Each case passes; a plugin that answers questions has cases."""
    if subject.loaded.questions and not subject.case_files:
        told = "não achei os casos do plugin."
        yield Fault("tests/cases/*.yaml", told, "Rode na pasta do pyproject.toml dele, ou diga --source PASTA.")
    for path in subject.case_files:
        file = load_case_file(path)
        if file.regime not in (subject.name, *(regime.code for regime in subject.loaded.regimes)):
            yield Fault(subject.place(path), f"os casos são de {file.regime}.", f"Escreva regime: {subject.name}.")
            continue
        for case in file.cases:
            result = run_case(case, subject.loaded.questions, subject.law)
            if result.status == "skipped":
                yield Fault(
                    subject.place(path), f"{case.id} faz a pergunta {case.ask}, que não existe.", "Corrija ask."
                )
            elif result.status == "failed":
                fields = [f"{each.field}: esperado {each.expected}, veio {each.got}" for each in result.mismatches]
                said = result.error or "; ".join(fields)
                yield Fault(
                    subject.place(path), f"{case.id} {case.ask} não confere: {said}.", "Corrija a regra ou o caso."
                )


def repeats(subject: Subject) -> Iterator[Fault]:
    """The question of each case answers the same twice here, and in two processes that shuffle sets differently."""
    first, again = told(subject), told(subject)
    changing = {case for case in first if first[case] != again[case]}
    if not changing and first:
        changing = {case for one, other in [_elsewhere(subject)] for case in one if one[case] != other.get(case)}
    for case in sorted(changing):
        yield Fault(
            "rules/",
            f"a pergunta do caso {case} não responde sempre igual.",
            "Tire o que muda sozinho: acaso, memória entre chamadas, a ordem de um set (use sorted).",
        )


def told(subject: Subject) -> dict[str, str]:
    """The whole verdict of each case as text, by the case's id; those that cannot be asked are left out."""
    found = {}
    for case in _cases(subject):
        try:
            verdict = verdict_of(case, subject.loaded.questions, subject.law)
        except Exception:
            continue  # told by the check of the cases
        if verdict is not None:
            found[f"{case.id} {case.ask}"] = json.dumps(to_plain(verdict), ensure_ascii=False)
    return found


def _cases(subject: Subject) -> Iterator[Case]:
    for path in subject.case_files:
        yield from load_case_file(path).cases


def _elsewhere(subject: Subject) -> tuple[dict[str, str], dict[str, str]]:
    """What two other processes tell, each with its own order of sets."""
    source = str(subject.source or "")
    command = [sys.executable, "-m", "registry.cli.plugin.teller", subject.name, subject.zone.key, source]
    running = [
        subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        )
        for seed in _SEEDS
    ]
    one, other = (json.loads(each.communicate()[0] or "{}") for each in running)
    return one, other
