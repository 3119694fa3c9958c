"""«Por quê?»: what the block shows of a verdict, the same for a fresh one and for one that was stored."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from registry.web.edge import edge
from registry.web.formats import dated_value, money

Tone = Literal["ok", "no", "info"]


@dataclass(frozen=True)
class Line:
    """One step of the arithmetic: its sentence, its amount where it has one, whether it is the total."""

    text: str
    amount: str = ""
    total: bool = False


@dataclass(frozen=True)
class Reason:
    """One ground: whether it is satisfied, forbids or informs, its sentence and its provision."""

    tone: Tone
    text: str
    cite: str


@dataclass(frozen=True)
class Why:
    """The block: arithmetic, grounds, dated values with their act, what is missing, and whether it forbids."""

    lines: tuple[Line, ...] = ()
    reasons: tuple[Reason, ...] = ()
    values: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    forbids: bool = False

    @property
    def is_sum(self) -> bool:
        """Whether the arithmetic stands in two columns."""
        return any(line.amount for line in self.lines)

    def __bool__(self) -> bool:
        return bool(self.lines or self.reasons or self.values or self.missing)


def explain(thing: Any, plugin: str = "") -> Why:
    """The block of a Finding, a Verdict, a stored verdict (row or JSON), or of anything with steps and grounds.

    ``plugin`` tells whose provisions they are where the thing does not say so itself.
    """
    if thing is None:
        return Why()
    plugin = _part(thing, "plugin") or plugin
    verdict = _part(thing, "verdict") or thing
    grounds = _part(verdict, "grounds") or ()
    outcome = _part(verdict, "outcome") or _part(thing, "outcome") or ""
    values = {text: None for ground in grounds for text in _values(ground, plugin)}
    return Why(
        lines=tuple(_line(step) for step in _part(verdict, "steps") or ()),
        reasons=tuple(_reason(ground, plugin) for ground in grounds),
        values=tuple(values),
        missing=tuple(_part(thing, "missing") or ()),
        forbids=outcome == "deny" or any(_part(ground, "holds") is False for ground in grounds),
    )


def cite(plugin: str, provision: str) -> str:
    """The short citation of a provision («Art. 29, § 1º, c»); its id when the plugin is not there any more."""
    try:
        return str(edge().host.plugins[plugin].lawbook.provision(provision).cite)
    except KeyError:
        return provision


def _part(thing: Any, name: str) -> Any:
    if isinstance(thing, Mapping):
        return thing.get(name)
    return getattr(thing, name, None)


def _line(step: Any) -> Line:
    if isinstance(step, str):
        return Line(step)
    amount = _part(step, "amount")
    return Line(str(_part(step, "text")), "" if amount is None else money(amount), bool(_part(step, "total")))


def _reason(ground: Any, plugin: str) -> Reason:
    holds = _part(ground, "holds")
    tone: Tone = "info" if holds is None else "ok" if holds else "no"
    provision = _part(ground, "provision") or ""
    return Reason(tone, str(_part(ground, "text") or ""), cite(plugin, provision) if provision else "")


def _values(ground: Any, plugin: str) -> list[str]:
    return [dated_value(value, _label(plugin, str(_part(value, "key")))) for value in _part(ground, "values") or ()]


def _label(plugin: str, key: str) -> str:
    """What the plugin's own law data calls a value that an act set."""
    loaded = edge().host.plugins.get(plugin)
    return loaded.lawbook.name(key) if loaded else ""
