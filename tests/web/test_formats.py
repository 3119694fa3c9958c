"""What filters make of values that are absent, plain text or markup."""

from __future__ import annotations

import pytest
from markupsafe import Markup, escape

from registry.web.formats import ABSENT, present


@pytest.mark.parametrize("value", [None, "", Markup("")])
def test_what_is_absent_is_said(value: str | None):
    assert present(value) == ABSENT


@pytest.mark.parametrize(("value", "shown"), [(0, "0"), ("Ana", "Ana"), ("<b>", "&lt;b&gt;"), (Markup("<b>"), "<b>")])
def test_text_is_escaped_once_and_markup_never(value: object, shown: str):
    assert escape(present(value)) == shown
