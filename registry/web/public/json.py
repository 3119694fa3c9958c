"""The public answer as JSON: the shape of ``/api/v1/vehicles/<plate>``."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from registry.domain.convert import to_plain
from registry.domain.law import Ground
from registry.services.plates import PlateGone
from registry.services.status import RegimeAnswer


def vehicle(
    plate: str, as_of: datetime, answers: Iterable[RegimeAnswer], gone: PlateGone | None = None
) -> dict[str, Any]:
    """``{plate, as_of, authorizations: [...]}``; ``as_of`` with its offset. An unknown plate has an empty list.

    One that an authorised vehicle no longer has says so: ``plate_changed: {authority, since}``, never the new plate.
    """
    body: dict[str, Any] = {
        "plate": plate,
        "as_of": as_of.isoformat(timespec="seconds"),
        "authorizations": [_authorization(answer) for answer in answers],
    }
    if gone is not None:
        body["plate_changed"] = {"authority": gone.authority_name, "since": gone.since.isoformat()}
    return body


def _authorization(answer: RegimeAnswer) -> dict[str, Any]:
    """``authorized`` is null, and ``available`` false, where the regime's rule did not answer.

    ``details`` are the lines of the page's card (a taxi's ponto among them), with plain blanks.
    """
    return {
        "regime": answer.regime,
        "authority": answer.authority_name,
        "authorized": answer.authorized,
        "available": answer.state != "unavailable",
        "category": answer.card.category,
        "number": answer.card.number,
        "since": to_plain(answer.card.since),
        "valid_until": to_plain(answer.card.valid_until),
        "reasons": [
            {"code": reason.code, "text": reason.text, "provision": reason.provision} for reason in answer.reasons
        ],
        "grounds": [_ground(ground) for ground in answer.grounds],
        "details": [{"label": label, "text": text.replace("\u00a0", " ")} for label, text in answer.card.lines],
        "now": {fact.code: to_plain(dict(fact.data)) for fact in answer.now},
    }


def _ground(ground: Ground) -> dict[str, Any]:
    return {
        "provision": ground.provision,
        "holds": ground.holds,
        "text": ground.text,
        "values": [
            {"key": value.key, "value": to_plain(value.value), "since": to_plain(value.since), "act": value.act}
            for value in ground.values
        ],
    }
