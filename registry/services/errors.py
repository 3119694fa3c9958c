"""How a use case refuses. Each error says in pt-BR what happened and what to do; screens turn it into a status."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

Noun = Literal["person", "vehicle", "permit", "request", "inspection", "charge", "file", "act"]


class ServiceError(Exception):
    """A use case that did not happen. Nothing was saved."""


@dataclass(frozen=True)
class Existing:
    """A record that the clerk should open instead: its noun, id and name («Ana Lima», «termo nº 0391»)."""

    noun: Noun
    id: int
    label: str


class Refused(ServiceError):
    """What was typed cannot be saved (422).

    ``fields`` gives the sentence beside each field, ``message`` one for the whole act; ``existing`` the record that a
    field collides with; ``suggestions`` the likely text of a field; ``confirm`` the fields that the clerk may save as
    they are by ticking «Confirmo» (``<field>_confirmed``).
    """

    def __init__(
        self,
        fields: Mapping[str, str] | None = None,
        message: str = "",
        *,
        existing: Mapping[str, Existing] | None = None,
        suggestions: Mapping[str, str] | None = None,
        confirm: Iterable[str] = (),
    ) -> None:
        self.fields = dict(fields or {})
        self.message = message
        self.existing = dict(existing or {})
        self.suggestions = dict(suggestions or {})
        self.confirm = frozenset(confirm)
        super().__init__(message or "; ".join(f"{name}: {text}" for name, text in self.fields.items()))


class TooBig(Refused):
    """A file above the limit (413)."""


@dataclass(frozen=True)
class StaleField:
    """One field of a stale save: as the editor opened it, as the editor wants it, as it stands now."""

    field: str
    label: str
    before: Any
    mine: Any
    theirs: Any


class Stale(ServiceError):
    """Someone saved after the editor opened the record (409).

    ``entries`` are the differing fields only, ``by`` and ``at`` tell who saved and when, ``version`` is the one that
    stands now: the chosen values are saved with it.
    """

    def __init__(self, entries: tuple[StaleField, ...], by: str, at: datetime | None, version: int = 0) -> None:
        super().__init__(f"{by} mudou este cadastro depois que você abriu.")
        self.entries = entries
        self.by = by
        self.at = at
        self.version = version


class NotAllowed(ServiceError):
    """This user, or this office, may not do it (403); the message names who can."""

    def __init__(self, message_pt: str) -> None:
        super().__init__(message_pt)
        self.message_pt = message_pt


class NotFound(ServiceError):
    """There is no such record in this authority (404)."""

    def __init__(self) -> None:
        super().__init__("Não há nada neste endereço. Talvez seja de outro órgão.")


class RuleDown(ServiceError):
    """A plugin's rule did not answer, so the act is impossible (503). ``code`` finds the log entry."""

    def __init__(self, regime_label: str, plugin: str, code: str) -> None:
        super().__init__(f"A regra de {regime_label} não respondeu. Nada foi gravado. Código {code}.")
        self.regime_label = regime_label
        self.plugin = plugin
        self.code = code


class AlreadyDone(ServiceError):
    """The act was done before; no fault: the screen shows the first ``result``, by whom and when."""

    def __init__(self, result: Any, by: str, at: datetime | None) -> None:
        super().__init__("Já foi feito. Nada se repetiu.")
        self.result = result
        self.by = by
        self.at = at


class Taken(ServiceError):
    """Someone else has the request (409). ``ago`` is like ``há 1 minuto``."""

    def __init__(self, by: str, at: datetime | None, ago: str) -> None:
        super().__init__(f"{by} pegou este requerimento {ago}.".replace(" .", "."))
        self.by = by
        self.at = at
        self.ago = ago
