"""No block of the tutorial for plugin authors is passed over by the test that follows it (``test_wheel.py``)."""

from __future__ import annotations

from pathlib import Path

from tests.tutorial import blocks

ROOT = Path(__file__).resolve().parents[1]


def test_every_block_of_the_page_is_taken():
    found = list(blocks())
    kinds = [block.kind for block in found]
    assert kinds.count("file") > 20 and kinds.count("commands") > 6
    assert {"van_escolar/registry_van_escolar/plugin.py", "vila.toml"} <= {block.file for block in found}
    page = (ROOT / "docs" / "plugins" / "tutorial.md").read_text(encoding="utf-8")
    assert page.count("\n```") == 2 * len(found)
