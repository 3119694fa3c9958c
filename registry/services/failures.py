"""When a plugin's rule does not answer: logged under the code that the clerk sees, and the act stops."""

from __future__ import annotations

import logging
import secrets
from collections.abc import Iterator
from contextlib import contextmanager

from registry.domain.regime import Regime
from registry.plugins import RuleFailed
from registry.services.errors import RuleDown

logger = logging.getLogger(__name__)


@contextmanager
def rule_down(regime: Regime) -> Iterator[None]:
    """Turns a plugin's failure into :class:`RuleDown`, logged under the code that the clerk sees."""
    try:
        yield
    except RuleFailed as failed:
        code = secrets.token_hex(2).upper()
        logger.exception("rule down %s: plugin %s failed in %s", code, failed.plugin, failed.what)
        raise RuleDown(regime.short_label, failed.plugin, code) from failed
