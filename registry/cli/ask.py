"""``registry ask``: one question of the law, asked on the command line."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterable, Mapping
from datetime import date
from decimal import Decimal
from typing import Any

import click

from registry.cli.console import Console, pass_console
from registry.cli.output import verdict_lines
from registry.cli.wanted import absent
from registry.domain.convert import ConversionError, to_plain, to_type
from registry.domain.law import Question
from registry.domain.lawbook import Lawbook
from registry.domain.values import DatedValue, FactError, NoValueInForce


def register(cli: click.Group) -> None:
    """Adds the command ``ask``."""
    cli.add_command(ask)


@click.command()
@click.argument("plugin")
@click.argument("question")
@click.argument("facts", nargs=-1)
@click.option("--authority", metavar="ÓRGÃO", help="De quem são o fuso, o calendário e os índices.")
@click.option(
    "--index", "indexes", multiple=True, metavar="CHAVE=VALOR", help="Um índice em vigor, como custo_km=2.4731."
)
@click.option("--reading", "readings", multiple=True, metavar="CHAVE=OPÇÃO", help="Outra leitura adotada.")
@click.option("--json", "as_json", is_flag=True, help="Escreve JSON.")
@pass_console
def ask(
    console: Console,
    plugin: str,
    question: str,
    facts: tuple[str, ...],
    authority: str | None,
    indexes: tuple[str, ...],
    readings: tuple[str, ...],
    as_json: bool,
) -> None:
    """Pergunta à lei: os FATOS são chave=valor, chave.dentro=valor ou chave=JSON.

    \b
    registry ask PLUGIN PERGUNTA dia=2026-11-30 lugares=5
    """
    loaded = console.plugin(plugin)
    asked = console.known("pergunta", question, loaded.questions)
    law = console.law(plugin, authority)
    chosen = dict(law.readings) | {
        key: _option(console, law.book.readings, key, text) for key, text in _pairs(readings)
    }
    given_indexes = {key: (_index(law.book, key, text),) for key, text in _pairs(indexes)}
    law = dataclasses.replace(law, readings=chosen, indexes={**law.indexes, **given_indexes})
    given = _given(asked, facts, law.zone)
    try:
        verdict = console.host.answer(plugin, question, given, law)
    except RuntimeError as failed:
        if isinstance(failed.__cause__, NoValueInForce):
            raise click.ClickException(_no_value(failed.__cause__, law.book)) from failed
        if isinstance(failed.__cause__, FactError):
            raise click.UsageError(str(failed.__cause__)) from failed
        raise
    if as_json:
        content = {"plugin": plugin, "version": loaded.version, "question": question, "given": to_plain(given)}
        click.echo(json.dumps(content | to_plain(verdict), ensure_ascii=False, indent=2))
    else:
        click.echo("\n".join(verdict_lines(f"{question} ({plugin} {loaded.version})", verdict, law)))


def _no_value(absent: NoValueInForce, book: Lawbook) -> str:
    """What to do about a value that is not in force: an index is given, the decree's own value has a first day."""
    shipped = book.parameters.get(absent.key, ())
    if not shipped or absent.key in book.indexes:
        return f"Não há valor de {absent.key} em vigor em {absent.on:%d/%m/%Y}. Informe --index {absent.key}=VALOR."
    since = min(entry.since for entry in shipped)
    return f"{shipped[0].label}: não valia em {absent.on:%d/%m/%Y}; vale desde {since:%d/%m/%Y}."


def nested(facts: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    """``a.b=c`` pairs as nested mappings. Raises ValueError when a key is both a value and a group, or stands twice."""
    result: dict[str, Any] = {}
    for key, value in facts:
        *groups, last = key.split(".")
        place = result
        for group in groups:
            place = place.setdefault(group, {})
            if not isinstance(place, dict):
                raise ValueError(f"{key}: {group} já tem um valor")
        if last in place:
            raise ValueError(f"{key} está duas vezes")
        place[last] = value
    return result


def _given(question: Question[Any, Any], facts: tuple[str, ...], zone: Any) -> Any:
    try:
        data = nested((key, _value(text)) for key, text in _pairs(facts))
        missing = list(absent(question.given_type, data))
        if missing:
            raise click.UsageError("Faltam fatos:\n  " + "\n  ".join(missing))
        return to_type(data, question.given_type, zone=zone)
    except ConversionError as error:
        raise click.UsageError(f"{error.path}: {error.message}") from error
    except ValueError as error:
        raise click.UsageError(str(error)) from error


def _pairs(texts: Iterable[str]) -> Iterable[tuple[str, str]]:
    for text in texts:
        key, equals, value = text.partition("=")
        if not equals or not key:
            raise click.UsageError(f"«{text}» não é chave=valor.")
        yield key, value


def _value(text: str) -> Any:
    if text[:1] not in ("[", "{"):
        return text
    try:
        return json.loads(text, parse_float=Decimal)
    except json.JSONDecodeError as error:
        raise click.UsageError(f"«{text}» não é JSON: {error.msg}, na posição {error.pos}.") from error


def _option(console: Console, known: Mapping[str, Any], key: str, text: str) -> Any:
    reading = console.known("leitura", key, known)
    for option in (reading.default, *reading.options):
        if str(to_plain(option)).lower() == text.lower():
            return option
    raise click.UsageError(f"«{text}» não é opção de {key}.")


def _index(book: Lawbook, key: str, text: str) -> DatedValue:
    """An index value given on the command line: a number where the law data says that acts set one."""
    shipped, kind = book.parameters.get(key, ()), book.indexes.get(key)
    value = _value(text)
    try:
        if shipped and type(shipped[-1].value) is int:
            value = to_type(value, int, key)
        elif kind is not None:
            value = str(to_type(value, Decimal, key))
    except ConversionError as error:
        raise click.UsageError(f"{error.path}: {error.message}") from error
    unit = shipped[-1].unit if shipped else kind.unit if kind else ""
    label = kind.label if kind else ""
    return DatedValue(key, value, unit, date.min, act="informado na linha de comando", label=label)
