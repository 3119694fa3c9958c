"""Invented people and vehicles with right check digits, the same on every run."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from datetime import date, timedelta
from itertools import product
from string import ascii_uppercase
from typing import Any

from registry.api.law import IdentifierError, check_cnh, parse_cnpj, parse_cpf, parse_renavam

_KINDS = {"PF": "natural", "COOP_MEMBER": "natural", "PJ": "company", "COOP": "cooperative"}
_MOBILE = 90_000_000
_ADULT_AT_LEAST = timedelta(days=9_000)


def completed(base: str, digits: int, check: Callable[[str], object]) -> str:
    """The base with the check digits that the check accepts. Raises ValueError where none does."""
    for tail in range(10**digits):
        number = f"{base}{tail:0{digits}d}"
        try:
            if check(number):
                return number
        except IdentifierError:
            continue
    raise ValueError(f"no check digits fit {base}")


def cpf(number: int) -> str:
    """An invented CPF, different for each number."""
    return completed(f"{110_000_000 + number * 7_919:09d}", 2, parse_cpf)


def cnpj(number: int) -> str:
    """An invented CNPJ, different for each number; every fifth one has letters."""
    base = f"{(10_000_000 + number * 104_729) % 100_000_000:08d}0001"
    if number % 5 == 0:
        base = f"{ascii_uppercase[number % 26]}{base[1:]}"
    return completed(base, 2, parse_cnpj)


def cnh(number: int) -> str:
    """An invented driver's licence number."""
    return completed(f"{20_000_000 + number * 5_309:09d}", 2, lambda text: check_cnh(text).sum_ok)


def renavam(number: int) -> str:
    """An invented RENAVAM."""
    return completed(f"{3_000_000_00 + number * 31_337:010d}", 1, parse_renavam)


def plates(taken: set[str]) -> Iterator[str]:
    """Plates of the region PGA..PHZ in the Mercosul format, none twice, none of those taken."""
    for place, (second, third) in enumerate(product("GH", ascii_uppercase)):
        for turn in range(3):
            serial = place * 3 + turn
            plate = f"P{second}{third}{serial % 10}{ascii_uppercase[(serial * 7) % 10]}{(serial * 37 + 11) % 100:02d}"
            if plate not in taken:
                taken.add(plate)
                yield plate


def person(serial: int, holder_kind: str, data: Mapping[str, Any], on: date, name: str = "") -> dict[str, Any]:
    """A person, company or cooperative; ``serial`` makes it and its numbers different from every other."""
    names = data["names"]
    natural = _KINDS[holder_kind] == "natural"
    if not name and natural:
        first, last = names["first"], names["last"]
        name = f"{first[serial % len(first)]} {last[(serial * 7) % len(last)]}"
    elif not name:
        heads, tails = names["company_heads"], names["company_tails"]
        name = f"{heads[serial % len(heads)]} {tails[(serial * 3) % len(tails)]} Ltda."
    street, city = names["streets"][serial % len(names["streets"])], names["cities"][serial % len(names["cities"])]
    return {
        "kind": _KINDS[holder_kind],
        "name": name,
        "document": cpf(serial) if natural else cnpj(serial),
        "born_on": on - _ADULT_AT_LEAST - timedelta(days=serial * 131 % 9_000) if natural else None,
        "nationality": "brasileira" if natural else "",
        "sex": "",
        "cnh": cnh(serial) if natural else "",
        "phone": f"(81) 9{_MOBILE + serial * 7_103 % 9_999_999}",
        "email": f"titular{serial:03d}@exemplo.com.br",
        "address": f"{street}, {100 + serial * 13}, {city}",
    }


def vehicle(serial: int, plate: str, model: Mapping[str, Any], data: Mapping[str, Any], on: date) -> dict[str, Any]:
    """A vehicle of a model; the year made goes back by a few years with the serial."""
    look = data["look"]
    year = on.year - 1 - serial % 9
    return {
        "plate": plate,
        "renavam": renavam(serial),
        "type": model["type"],
        "make": model["make"],
        "model": model["model"],
        "year_made": year,
        "first_registered_on": date(year, 1 + serial % 12, 1 + serial % 28),
        "doors": model["doors"],
        "seats": model["seats"],
        "colour": look["colours"][serial % len(look["colours"])],
        "fuel": look["fuels"][serial % len(look["fuels"])],
    }
