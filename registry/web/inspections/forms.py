"""The forms of an inspection: when and where, the checklist as it was ticked, the reason of a cancellation."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from zoneinfo import ZoneInfo

from wtforms.validators import Length

from registry.domain.regime import ChecklistItem
from registry.web.fields import DateField, HourField, RegistryForm, StringField, TextAreaField, Wanted

RESULT, REASON, PHOTO = "r-", "m-", "f-"
"""What a field of the checklist is called: the prefix and the item's code."""


class WhenForm(RegistryForm):
    """The day, hour and place of an inspection."""

    day = DateField("Dia", wanted="Escolha o dia.", description="Como 30/11/2026.")
    hour = HourField("Hora", wanted="Escolha a hora.", description="Como 14:30.")
    place = StringField("Local", [Wanted("Escreva o local."), Length(max=200, message="Use no máximo 200 letras.")])

    def when(self, zone: ZoneInfo) -> datetime:
        """The instant in the authority's zone; only after the form was found in order."""
        return datetime.combine(self.day.data, self.hour.data, tzinfo=zone)


class CancelForm(RegistryForm):
    """Why an inspection is taken off the agenda."""

    reason = StringField(
        "Motivo",
        [Wanted("Escreva o motivo. Ele vai para o processo."), Length(max=400, message="Use no máximo 400 letras.")],
    )


class PhotoForm(RegistryForm):
    """Why a photo is taken off an item."""

    reason = StringField(
        "Motivo",
        [Wanted("Escreva o motivo. Ele vai para o processo."), Length(max=400, message="Use no máximo 400 letras.")],
    )


class ChecklistForm(RegistryForm):
    """What goes with the items: the inspector's notes."""

    notes = TextAreaField("Observações", [Length(max=400, message="Use no máximo 400 letras.")])


@dataclass(frozen=True)
class Tick:
    """An item as it was ticked: ``result`` ok, falha, na or "", and the reason of a failure."""

    code: str
    result: str
    reason: str


def ticks(items: Iterable[ChecklistItem], sent: Mapping[str, str]) -> tuple[Tick, ...]:
    """What the form says of each item; a reason counts only beside a failure."""
    found = []
    for item in items:
        result = sent.get(f"{RESULT}{item.code}", "")
        reason = sent.get(f"{REASON}{item.code}", "") if result == "falha" else ""
        found.append(Tick(item.code, result, reason))
    return tuple(found)
