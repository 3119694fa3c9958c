"""The tutorial for plugin authors works as it is printed, from the empty folder to the plates that answer."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.tutorial import Newcomer, blocks, environment

ROOT = Path(__file__).resolve().parents[1]


def test_every_block_of_the_page_is_taken():
    found = list(blocks())
    kinds = [block.kind for block in found]
    assert kinds.count("file") > 20 and kinds.count("commands") > 6
    assert {"van_escolar/registry_van_escolar/plugin.py", "vila.toml"} <= {block.file for block in found}
    page = (ROOT / "docs" / "plugins" / "tutorial.md").read_text(encoding="utf-8")
    assert page.count("\n```") == 2 * len(found)


@pytest.mark.slow
def test_the_page_leads_to_a_regime_whose_plates_answer(tmp_path: Path):
    newcomer = Newcomer(tmp_path, environment(tmp_path))
    try:
        newcomer.follow()
    finally:
        newcomer.close()
    assert list((newcomer.work / "van_escolar" / "registry_van_escolar" / "migrations" / "versions").glob("*.py"))
    assert list((newcomer.work / "dist").glob("*.whl"))
