"""Rules of the house that no tool holds: size, names, clock, what the files may tell."""

from __future__ import annotations

import ast
import re
import unicodedata
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.architecture.source import PLUGINS, ROOT, modules, plugin_packages, shared_law, tracked_text, where

CORE = ROOT / "registry"
LONGEST_MODULE = 400
# the edge: where the one clock is made and the environment is read
EDGE = {"app", "cli", "jobs", "settings", "testing"}
RUN_OF_WORDS = 15


def plain(text: str) -> str:
    """The text without accents and case."""
    return unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().casefold()


def test_no_module_is_longer_than_one_can_hold() -> None:
    folders = [CORE, PLUGINS, ROOT / "tests", ROOT / "migrations", ROOT / "benchmarks"]
    # migrations are written by the runner from the models: one step, however many tables it makes
    written = [path for path in modules(*folders) if path.parent.name != "versions"]
    lengths = {path: len(path.read_text(encoding="utf-8").splitlines()) for path in written}
    long = [f"{where(path, count)} lines" for path, count in lengths.items() if count > LONGEST_MODULE]
    assert not long, "split by topic: " + ", ".join(long)


CITY_OR_DECREE = re.compile(
    r"\b(recife|olinda|jaboatao|caruaru|pernambuco|porto alegre|sao paulo|rio de janeiro|fortaleza|salvador"
    r"|emtu|cttu|cmtu|rmr|decreto\s+(estadual\s+|municipal\s+|pe\s+|n[o.]*\s*)*\d|27\.099|11\.135)"
)


def core_text() -> Iterator[tuple[Path, int, str]]:
    """Each line of the core's own files; vendored assets are not ours."""
    for folder in (CORE, ROOT / "templates", ROOT / "migrations"):
        for path in sorted(folder.rglob("*")):
            if (
                path.suffix in {".py", ".html", ".toml", ".txt", ".typ", ".css", ".js", ".mako"}
                and "vendor" not in path.parts
            ):
                for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
                    yield path, number, line


@pytest.mark.parametrize(
    "text", ["Recife", "a EMTU/Recife", "Decreto 27.099/2004", "decreto nº 11135", "America/Recife"]
)
def test_the_pattern_knows_a_city_and_a_decree(text: str) -> None:
    assert CITY_OR_DECREE.search(plain(text))


@pytest.mark.parametrize("text", ["decreto", "o decreto do órgão", "normas", "Salvar", "armrest"])
def test_the_pattern_leaves_other_words_alone(text: str) -> None:
    assert not CITY_OR_DECREE.search(plain(text))


def test_the_core_names_no_city_and_no_decree() -> None:
    found = [
        f"{where(path, number)}: {line.strip()}"
        for path, number, line in core_text()
        if CITY_OR_DECREE.search(plain(line))
    ]
    assert not found, "\n".join(found)


def clock_reads(tree: ast.AST) -> Iterator[int]:
    """The lines that read the system's clock: datetime.now(), utcnow(), today(), time.time()."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            owner = node.func.value
            name = owner.id if isinstance(owner, ast.Name) else owner.attr if isinstance(owner, ast.Attribute) else ""
            if (name in {"datetime", "date", "dt"} and node.func.attr in {"now", "utcnow", "today"}) or (
                name == "time" and node.func.attr in {"time", "localtime", "gmtime"}
            ):
                yield node.lineno


def test_the_clock_finder_finds() -> None:
    assert list(clock_reads(ast.parse("import datetime\nx = datetime.datetime.now()\ny = date.today()"))) == [2, 3]


def test_the_clock_is_read_at_the_edge_alone() -> None:
    found = []
    for path in modules(CORE, *plugin_packages()):
        if path.is_relative_to(CORE) and path.relative_to(CORE).parts[0].removesuffix(".py") in EDGE:
            continue
        found += [where(path, line) for line in clock_reads(ast.parse(path.read_text(encoding="utf-8")))]
    assert not found, "take the instant from the occasion: " + ", ".join(found)


def test_the_environment_is_read_at_the_edge_alone() -> None:
    found = []
    for path in modules(CORE, *plugin_packages()):
        if path.is_relative_to(CORE) and path.relative_to(CORE).parts[0].removesuffix(".py") in EDGE:
            continue
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            if re.search(r"\bos\.(environ|getenv)\b", line):
                found.append(where(path, number))
    assert not found, "take it from the settings: " + ", ".join(found)


# pieced together, so that this file does not find itself
MACHINE = re.compile(
    "|".join(
        [
            r"(?<![\w.])/" + r"(work|tmp|root|home|opt/wheels|opt/pypi)\b/?",
            "files.pythonhosted" + r"\.org",
            "pypi" + r"\.org/simple",
            "registry.npmjs" + r"\.org",
            "--(extra-)?index" + "-url",
            "--find" + "-links",
        ]
    )
)
# they name an option in order to leave the address out, or a system folder of Debian
MAY_NAME = {"Makefile": {"--no-emit-index" + "-url"}}


def test_no_tracked_file_tells_of_a_machine_or_a_package_index() -> None:
    found = []
    for path, text in tracked_text():
        for number, line in enumerate(text.splitlines(), 1):
            for allowed in MAY_NAME.get(path.name, ()):
                line = line.replace(allowed, "")
            if "vendor" not in path.parts and MACHINE.search(line):
                found.append(f"{where(path, number)}: {line.strip()[:100]}")
    assert not found, "\n".join(found)


def words(text: str) -> list[str]:
    """The words of a text, without accents, case and punctuation."""
    return re.findall(r"[a-z0-9]+", plain(text))


def runs(text: str) -> set[tuple[str, ...]]:
    """Each run of RUN_OF_WORDS consecutive words."""
    found = words(text)
    return {tuple(found[i : i + RUN_OF_WORDS]) for i in range(len(found) - RUN_OF_WORDS + 1)}


def test_the_text_of_the_law_is_not_shipped() -> None:
    decrees = shared_law()
    if not decrees:
        pytest.skip("the decrees are not beside the checkout")
    law = set[tuple[str, ...]]().union(*(runs(path.read_text(encoding="utf-8")) for path in decrees))
    found = []
    for path, text in tracked_text():
        copied = runs(text) & law if "vendor" not in path.parts else set()
        if copied:
            found.append(f"{path.relative_to(ROOT)}: {' '.join(min(copied))} ... ({len(copied)} runs)")
    assert not found, "say it in own words:\n" + "\n".join(found)


COUNTING = {0, 1, 2, 12, 31, 100}
"""Nothing, one, a half or a pair, the months of a year, the last day of December, per cent."""


def numbers(source: str) -> list[tuple[int, float]]:
    """The numbers that a module writes out, as literals or as ``Decimal("...")``, with their lines."""
    found: list[tuple[int, float]] = []
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Constant(value=bool()):
                continue
            case ast.Constant(value=int() | float() as value):
                found.append((node.lineno, value))
            case ast.Call(func=ast.Name(id="Decimal"), args=[ast.Constant(value=str() as text)]):
                found.append((node.lineno, float(text)))
    return found


@pytest.mark.parametrize("source", ["limit = 7", 'Decimal("4.50")', "timedelta(days=30)", "x = {'a': [0.5]}"])
def test_the_number_finder_finds(source: str) -> None:
    assert [value for _, value in numbers(source) if value not in COUNTING]


def test_no_legal_number_stands_in_python() -> None:
    """What a regime asks, knows and does reads its numbers from ``law/*.toml``; mechanisms and demo rows aside."""
    found = []
    for package in plugin_packages():
        if not (package / "law").is_dir():
            continue
        own = [*sorted(package.glob("*.py")), *modules(package / "rules")]
        for path in own:
            for line, value in numbers(path.read_text(encoding="utf-8")):
                if value not in COUNTING:
                    found.append(f"{where(path, line)}: {value}")
    assert not found, "\n".join(found)
