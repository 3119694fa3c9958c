"""``registry plugin check``: each check catches the fault that it is there for, and names plugin, file and mend."""

from __future__ import annotations

from zoneinfo import ZoneInfo

import pytest
from click.testing import CliRunner

from registry.cli import cli
from registry.cli.console import Console
from registry.cli.plugin.conformance import CODES, outcome
from registry.plugins import installed_plugins
from registry.testing.plugins import assert_conforms
from tests.cli.planting import Nursery, nursery

__all__ = ["nursery"]

SHIPPED = ("fretamento_rmr", "taxi_bandeiras", "taxi_pontos", "taxi_recife", "taxi_rendicao")
RULE = "registry_@/rules/seats.py"
ENOUGH = "enough = given.seats >= least.integer"
FAULTS = {
    "a rule that imports a service": (
        "imports",
        RULE,
        "",
        "from registry.services.desk import Desk",
        "registry.api.law",
    ),
    "a rule that imports the api of tables": (
        "imports",
        RULE,
        "",
        "from registry.api.data import Desk",
        "registry.api.law",
    ),
    "a rule that imports its own tables": ("imports", RULE, "", "from ..models import Remark", "Em rules/ só"),
    "a screen that imports the core": (
        "imports",
        "registry_@/views.py",
        "",
        "from registry.web.edge import db",
        "registry.api",
    ),
    "the core by its name in a text": (
        "imports",
        "registry_@/remarks.py",
        "",
        'import importlib\nimportlib.import_module("registry.store.engine")',
        "registry.api",
    ),
    "another plugin's inside": (
        "imports",
        "registry_@/givens.py",
        "",
        "from registry_taxi_pontos.models import Ponto",
        "registry_taxi_pontos.api",
    ),
    "a test that imports the core": (
        "imports",
        "tests/test_@.py",
        "",
        "import registry.store.engine",
        "registry.testing",
    ),
    "a rule that asks the clock": ("clock", RULE, ENOUGH, f"{ENOUGH} and bool(date.today())", "on ou at"),
    "a given that asks it under another name": (
        "clock",
        "registry_@/givens.py",
        "",
        "from datetime import datetime as when\nNOW = when.now()",
        "on ou at",
    ),
    "a rule that draws lots": ("clock", RULE, "", "import random", "Uma regra só faz conta"),
    "a number in a rule": ("numbers", RULE, "least.integer\n", "5\n", "law.value"),
    "a number in the regime": (
        "numbers",
        "registry_@/regime.py",
        'law.value("licence_years", occasion.on).integer',
        "3",
        "law.value",
    ),
    "a misspelt hook": ("start", "registry_@/plugin.py", "def registry_menu", "def registry_menus", "registry_menu"),
    "another version of the contract": (
        "start",
        "registry_@/plugin.py",
        "REGISTRY_API = 1",
        "REGISTRY_API = 2",
        "versão",
    ),
    "a module that does not parse": ("start", "registry_@/givens.py", "", "def broken(:", "Corrija o módulo"),
    "a provision that does not exist": ("start", RULE, 'cites=["art-2"]', 'cites=["art-22"]', "art-2"),
    "law data that cannot be read": ("start", "registry_@/law/parameters.toml", "value = 5", "value = 5.5", "float"),
    "a table without the plugin's name": (
        "start",
        "registry_@/models.py",
        '__tablename__ = "@@__remark"',
        '__tablename__ = "remark"',
        "«@@__nome»",
    ),
    "a value that cites nothing": (
        "values",
        "registry_@/law/parameters.toml",
        'provision = "art-2"',
        'provision = ""',
        "min_seats",
    ),
    "a question that cites nothing": ("values", RULE, 'cites=["art-2"]', "cites=[]", "cites="),
    "an enforced provision without a question": (
        "provisions",
        "registry_@/law/provisions.toml",
        'verbs = ["record"]',
        'verbs = ["block"]',
        "question =",
    ),
    "an enforced provision without a case": (
        "provisions",
        "tests/cases/casos.yaml",
        "article: art-1\n",
        "article: art-3\n",
        "art-1",
    ),
    "a case that fails": ("cases", "tests/cases/casos.yaml", "seats: 4", "seats: 9", "esperado deny, veio allow"),
    "a case of no question": ("cases", "tests/cases/casos.yaml", "ask: seats", "ask: saets", "Corrija ask"),
    "cases of another regime": ("cases", "tests/cases/casos.yaml", "regime: @@", "regime: other", "regime: @@"),
    "a rule that remembers": (
        "repeats",
        RULE,
        "text = law.say(code,",
        "SEEN.append(1)\n    code = code if len(SEEN) < 3 else 'permit_ok'\n    text = law.say(code,",
        "sempre igual",
    ),
    "a rule that hangs on the order of a set": (
        "repeats",
        RULE,
        "text = law.say(code,",
        "code = sorted({'seats_ok', 'seats_few', 'permit_ok', 'suspended'}, key=hash)[0]\n    text = law.say(code,",
        "sorted",
    ),
    "a table that is not declared": (
        "tables",
        "registry_@/plugin.py",
        "return (Remark,)",
        "from registry_@@.more import More\n    return (Remark,)",
        "registry_tables",
    ),
    "a view without a guard": ("views", "registry_@/views.py", '@access("permits.view")\n', "", "@access"),
    "a view with an unknown permission": (
        "views",
        "registry_@/views.py",
        "permits.view",
        "permits.veiw",
        "permits.veiw",
    ),
    "a table that a provision names and nobody has": (
        "views",
        "registry_@/law/provisions.toml",
        '"@@__remark"',
        '"@@__remarks"',
        "«@@__remark»",
    ),
    "a menu entry that leads nowhere": (
        "views",
        "registry_@/views.py",
        '"@@.index", order',
        '"@@.indexx", order',
        "indexx",
    ),
    "a column that no migration makes": (
        "sqlite",
        "registry_@/models.py",
        "    text: Mapped[Text]\n",
        "    text: Mapped[Text]\n    more: Mapped[Text]\n",
        "registry db revision --plugin @@",
    ),
    "a migration that does not go down": (
        "sqlite",
        "registry_@/migrations/versions/0001_first.py",
        'op.drop_table("@@__remark")',
        "pass",
        "downgrade()",
    ),
    "a migration that PostgreSQL refuses": (
        "postgresql",
        "registry_@/migrations/versions/0001_first.py",
        "def upgrade() -> None:\n",
        'def upgrade() -> None:\n    op.execute("insert or ignore into authority select * from authority where 1=0")\n',
        "a migração falhou",
    ),
    "a template that does not compile": (
        "screens",
        "registry_@/templates/@/index.html",
        "{% endblock %}",
        "{% endblok %}",
        "Corrija o modelo",
    ),
    "a template that does not exist": (
        "screens",
        "registry_@/templates/@/index.html",
        "layout/staff.html",
        "layout/stuff.html",
        "layout/stuff.html",
    ),
    "a template that the core hides": ("screens", "registry_@/templates/home/page.html", "", "<p>", "do núcleo"),
    "a screen that breaks": (
        "screens",
        "registry_@/views.py",
        "    found = remarks.remarks(",
        "    raise ZeroDivisionError\n    found = remarks.remarks(",
        "ZeroDivisionError",
    ),
    "a screen that breaks once there are records": (
        "screens",
        "registry_@/remarks.py",
        "    return tuple(RemarkLine(*row) for row in rows)",
        "    assert not session.scalar(select(Permit.id))\n    return tuple(RemarkLine(*row) for row in rows)",
        "AssertionError",
    ),
}


def test_every_check_has_a_planted_fault():
    assert {code for code, *_ in FAULTS.values()} == set(CODES)


@pytest.mark.parametrize("fault", [pytest.param(name, id=name.replace(" ", "-")) for name in FAULTS])
def test_a_planted_fault_is_caught_with_its_file_and_mend(nursery: Nursery, fault: str, request):
    code, file, old, new, told = FAULTS[fault]
    if code == "postgresql":
        request.getfixturevalue("databases").blank("postgresql")  # skips where there is no server
    folder = nursery.change(file, old, new)
    if "remembers" in fault:
        path = folder / RULE.replace("@", folder.name)
        path.write_text(path.read_text().replace("\n\n\n@dataclass", "\n\nSEEN: list[int] = []\n\n\n@dataclass", 1))
    if "not declared" in fault:
        more = (folder / f"registry_{folder.name}" / "models.py").read_text().split("class Remark")[0]
        more += f'class More(Base):\n    __tablename__ = "{folder.name}__more"\n\n    id: Mapped[Key]\n'
        more = more.replace(
            f'Base: Any = plugin_base("{folder.name}")', f"from registry_{folder.name}.models import Base"
        )
        (folder / f"registry_{folder.name}" / "more.py").write_text(more)
    found = outcome(nursery.subject(folder), code)
    assert found.faults, f"{fault}: nothing was found"
    said = "\n".join(map(str, found.faults))
    assert told.replace("@@", folder.name) in said, said
    assert all(each.file and each.problem for each in found.faults)


@pytest.mark.parametrize("name", SHIPPED)
def test_the_plugins_of_this_repository_pass(name: str):
    assert_conforms(name, zone=ZoneInfo("America/Recife"))


def test_all_of_them_are_checked():
    assert set(SHIPPED) <= set(installed_plugins())


def check(*arguments: str):
    return CliRunner().invoke(cli, ["plugin", "check", *arguments], obj=Console())


def test_the_command_tells_each_check_and_ends_with_1(nursery: Nursery):
    folder = nursery.change(RULE, "", "from registry.services.desk import Desk")
    result = check(folder.name)
    assert result.exit_code == 1
    assert f"Plugin {folder.name}, registry_{folder.name}/rules/seats.py:" in result.output
    assert "FALHA  Importa só" in result.output and "Traceback" not in result.output
    assert result.output.rstrip().endswith("1 de 13 conferências com falha.")


def test_a_plugin_that_is_not_installed():
    result = check("taxi_recief")
    assert result.exit_code == 1
    assert "Instale-o" in result.output


@pytest.mark.parametrize("address", ["postgresql://nobody@127.0.0.1:1/none", "mysql://nobody@127.0.0.1/none"])
def test_a_server_that_does_not_answer_is_told_loudly(nursery: Nursery, monkeypatch: pytest.MonkeyPatch, address: str):
    monkeypatch.setenv("REGISTRY_TEST_POSTGRES", address)
    monkeypatch.delenv("CI", raising=False)
    folder = nursery.plant()
    found = outcome(nursery.subject(folder), "postgresql")
    assert not found.faults and "não há PostgreSQL" in found.skipped
    monkeypatch.setenv("CI", "true")
    assert outcome(nursery.subject(folder), "postgresql").faults


def test_cases_are_looked_for_where_one_says(nursery: Nursery, tmp_path):
    folder = nursery.plant()
    (folder / "pyproject.toml").unlink()
    assert "--source" in str(outcome(nursery.subject(folder), "cases").faults[0])
