"""What a file may be a list of, and the facts that the core takes from each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

VEHICLE = (
    "plate",
    "make",
    "model",
    "type",
    "year_made",
    "first_registered_on",
    "fuel",
    "colour",
    "doors",
    "seats",
    "renavam",
)
"""The targets that speak of the vehicle."""

HOLDER = (
    "document",
    "name",
    "born_on",
    "nationality",
    "sex",
    "cnh",
    "cnh_category",
    "cnh_until",
    "phone",
    "email",
    "address",
)
"""The targets that speak of the holder, who is the driver where the file gives a CNH."""


@dataclass(frozen=True)
class Kind:
    """One kind of file.

    ``targets`` are the facts that the core takes, ``required`` those that no row may lack. ``marks``: a line that
    begins with «total» and has none of these is no data. ``of_regime``: the file is of one regime's permits.
    """

    code: str
    label: str
    targets: tuple[str, ...]
    required: tuple[str, ...]
    marks: tuple[str, ...]
    of_regime: bool = True


KINDS: Mapping[str, Kind] = {
    each.code: each
    for each in (
        Kind("vehicles", "Veículos", ("number", *VEHICLE, "category", "as_of"), ("number", "plate"), ("plate",)),
        Kind(
            "permits",
            "Outorgas com seus titulares",
            ("number", *HOLDER, "granted_on", "status", "note", *VEHICLE, "category", "as_of"),
            ("number", "name", "document"),
            ("name", "document", "plate"),
        ),
        Kind("holidays", "Feriados", ("day", "name", "act"), ("day", "name"), ("day",), of_regime=False),
        Kind("closures", "Dias sem expediente", ("day", "name", "act"), ("day", "name", "act"), ("day",), False),
    )
}
