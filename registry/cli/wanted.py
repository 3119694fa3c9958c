"""Which facts a question wants and the caller left out, each with the form in which it is written."""

from __future__ import annotations

import dataclasses
import types
from collections.abc import Iterable, Mapping
from datetime import date, datetime, time
from decimal import Decimal
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

_FORMS: dict[Any, str] = {
    str: "texto",
    int: "número inteiro",
    Decimal: "número como 2.4731",
    bool: "true ou false",
    date: "dia como 2026-11-30",
    datetime: "dia e hora como 2026-11-30T22:00",
    time: "hora como 15:06",
}


def absent(kind: type[Any], data: Mapping[str, Any], inside: str = "") -> Iterable[str]:
    """The facts of a dataclass that ``data`` lacks, nested ones too: ``vehicle.zero_km (true ou false)``."""
    hints = get_type_hints(kind)
    for each in dataclasses.fields(kind):
        name = each.name.rstrip("_")
        hint, value = hints[each.name], data.get(name)
        nested = next((part for part in (hint, *get_args(hint)) if dataclasses.is_dataclass(part)), None)
        if name not in data:
            yield f"{inside}{name} ({form(hint)})"
        elif isinstance(nested, type) and isinstance(value, Mapping) and get_origin(hint) is not tuple:
            yield from absent(nested, value, f"{inside}{name}.")


def form(hint: Any) -> str:
    """How a value of this type is written on the command line, in pt-BR."""
    origin, parts = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):
        written = " ou ".join(form(part) for part in parts if part is not type(None))
        return f"{written} ou null" if type(None) in parts else written
    if origin is Literal:
        return ", ".join(str(part) for part in parts)
    if dataclasses.is_dataclass(hint) and isinstance(hint, type):
        return "JSON: " + ", ".join(each.name.rstrip("_") for each in dataclasses.fields(hint))
    if origin is not None and origin is not type and issubclass(origin, Mapping):
        return "JSON: {chave: valor}"
    if origin in (tuple, list, frozenset, set):
        return f"lista JSON de {form(parts[0])}" if parts else "lista JSON"
    return _FORMS.get(hint, "JSON")
