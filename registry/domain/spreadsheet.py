"""Text that leaves for a spreadsheet: nothing in it is taken for a formula."""

from __future__ import annotations

import re
import unicodedata

_AMOUNT = re.compile(r"-?[0-9]{1,3}(?:\.?[0-9]{3})*(?:,[0-9]+)?")
_FORMULA = frozenset("=+-@|%")
_BLANK = frozenset("\t\r\n")


def safe(cell: str) -> str:
    """A cell that no spreadsheet takes for a formula: quoted, also behind blanks; an amount such as -30,00 stays."""
    start = unicodedata.normalize("NFKC", cell).lstrip()[:1]
    if not cell or _AMOUNT.fullmatch(cell) or not (start in _FORMULA or cell[0] in _BLANK):
        return cell
    return f"'{cell}"
