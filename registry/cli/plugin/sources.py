"""Checks that read a plugin's source and run nothing: imports, clock and chance, numbers of the law."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

from registry.cli.plugin.subject import Fault, Subject

COUNTING = frozenset({0, 1, 2, 12, 31, 100})
"""Nothing, one, a half or a pair, the months of a year, the last day of December, per cent."""
IMPURE = frozenset(
    {"asyncio", "http", "io", "locale", "logging", "multiprocessing", "os", "pathlib", "platform", "random", "secrets"}
    | {"select", "shutil", "socket", "sqlite3", "ssl", "subprocess", "sys", "tempfile", "threading", "time"}
    | {"urllib", "uuid"}
)
_CLOCKS = {"datetime": {"now", "utcnow", "today"}, "date": {"today"}, "time": {"time", "localtime", "gmtime"}}
_RULES = "rules"


def imports(subject: Subject) -> Iterator[Fault]:
    """The package imports only ``registry.api``, rules only ``registry.api.law``; of another plugin only its api."""
    for path in subject.modules():
        in_rules = path.relative_to(subject.package).parts[0] == _RULES
        for name, line in imported(path, subject.package.parent):
            if mend := _refused(name, subject.package_name, in_rules):
                yield Fault(f"{subject.place(path)}:{line}", f"importa {name}.", mend)
    for path in sorted((subject.source / "tests").rglob("*.py")) if subject.source else ():
        for name, line in imported(path, path.parent):
            if _inside(name, "registry") and not _inside(name, "registry.api", "registry.testing"):
                yield Fault(
                    f"{subject.place(path)}:{line}",
                    f"importa {name}.",
                    "Testes de plugin usam registry.api e registry.testing.",
                )


def clock(subject: Subject) -> Iterator[Fault]:
    """Nothing reads the clock; rules use the pure part of the standard library alone."""
    for path in subject.modules():
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for line in clock_reads(tree):
            yield Fault(
                f"{subject.place(path)}:{line}",
                "lê o relógio.",
                "A regra recebe o dia nos fatos (on ou at); a tela, de registry.api.screens; o serviço, da ocasião.",
            )
    for path in subject.modules(_RULES):
        for name, line in imported(path, subject.package.parent):
            top = name.partition(".")[0]
            if top in IMPURE or (top not in sys.stdlib_module_names and not top.startswith("registry")):
                yield Fault(
                    f"{subject.place(path)}:{line}",
                    f"importa {name} dentro de rules/.",
                    "Uma regra só faz conta com os fatos: tire a importação.",
                )


def numbers(subject: Subject) -> Iterator[Fault]:
    """No number of the law stands in the Python that asks the law; it belongs to ``law/*.toml``, dated."""
    if not (subject.package / "law").is_dir():
        return
    for path in subject.modules():
        source = path.read_text(encoding="utf-8")
        if not _is_law(path, subject, source):
            continue
        for line, value in written(source):
            if value not in COUNTING:
                yield Fault(
                    f"{subject.place(path)}:{line}",
                    f"o número {value} está escrito no código, sem data nem dispositivo.",
                    'Ponha-o em law/*.toml e leia-o com law.value("chave", dia).',
                )


def imported(path: Path, root: Path) -> Iterator[tuple[str, int]]:
    """Each imported name of a module as ``package.module.name``, with its line; relative ones are resolved."""
    here = path.relative_to(root).with_suffix("").parts
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        match node:
            case ast.Import():
                for alias in node.names:
                    yield alias.name, node.lineno
            case ast.ImportFrom():
                above = here[: len(here) - node.level] if node.level else ()
                base = ".".join((*above, *filter(None, (node.module,))))
                for alias in node.names:
                    yield f"{base}.{alias.name}", node.lineno
            case ast.Call(
                func=ast.Name(id=called) | ast.Attribute(attr=called), args=[ast.Constant(value=str(name)), *_]
            ):
                if called in ("import_module", "__import__"):
                    yield name, node.lineno


def clock_reads(tree: ast.AST) -> Iterator[int]:
    """The lines that read the system's clock, by whatever name its classes were imported."""
    called = {"datetime": "datetime", "date": "date", "time": "time"}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module in ("datetime", "time"):
            for alias in node.names:
                if node.module == "time" and alias.name in _CLOCKS["time"]:
                    yield node.lineno
                called[alias.asname or alias.name] = alias.name
        elif isinstance(node, ast.Import):
            called |= {alias.asname: alias.name for alias in node.names if alias.asname}
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            owner = node.value
            name = called.get(owner.id, "") if isinstance(owner, ast.Name) else getattr(owner, "attr", "")
            if node.attr in _CLOCKS.get(name, ()):
                yield node.lineno


def written(source: str) -> Iterator[tuple[int, float]]:
    """The numbers that a module writes out, as literals or as ``Decimal("...")``, with their lines."""
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Constant(value=bool()):
                continue
            case ast.Constant(value=int() | float() as value):
                yield node.lineno, value
            case ast.Call(func=ast.Name(id="Decimal"), args=[ast.Constant(value=str() as text)]):
                try:
                    yield node.lineno, float(text)
                except ValueError:
                    continue


def _refused(name: str, package: str, in_rules: bool) -> str:
    """The mend for an import that is not allowed; "" for one that is."""
    top = name.partition(".")[0]
    if top == package:
        own_rules = not in_rules or _inside(name, f"{package}.{_RULES}")
        return "" if own_rules else "Em rules/ só se importa rules/ e registry.api.law."
    if top == "registry":
        allowed = ("registry.api.law",) if in_rules else ("registry.api",)
        return "" if _inside(name, *allowed) else f"Importe o que precisa de {' ou '.join(allowed)}."
    if top.startswith("registry_") and not _inside(name, f"{top}.api"):
        return f"De outro plugin só se importa {top}.api."
    return ""


def _inside(name: str, *allowed: str) -> bool:
    return any(name == each or name.startswith(f"{each}.") for each in allowed)


def _is_law(path: Path, subject: Subject, source: str) -> bool:
    """Whether a module asks or applies the law: those with tables, screens or invented records do not."""
    relative = path.relative_to(subject.package)
    if relative.parts[0] == _RULES:
        return True
    if len(relative.parts) > 1 or relative.stem == "demo":
        return False
    return not any(
        _inside(name, "registry.api.data", "registry.api.screens", "sqlalchemy", "flask")
        for name, _ in imported(path, subject.package.parent)
    )
