"""Invented people and cars with right check digits, the same on every run."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Set
from datetime import date, timedelta
from itertools import product
from string import ascii_uppercase
from typing import Any

from registry.api.law import IdentifierError, check_cnh, parse_cnpj, parse_cpf, parse_renavam

COMPANY = "company"
_ADULT = timedelta(days=9_500)
_PLATES_A_SERIES = 3
_COMPANY_SIZE = 3


def cpf(serial: int) -> str:
    """An invented CPF, different for each serial."""
    return _completed(f"{510_000_000 + serial * 6_007:09d}", 2, parse_cpf)


def cnpj(serial: int) -> str:
    """An invented CNPJ, different for each serial; some have letters."""
    base = f"{40_000_000 + serial * 90_001:08d}0001"
    return _completed(f"{ascii_uppercase[serial % 26]}{base[1:]}" if serial % 3 == 0 else base, 2, parse_cnpj)


def cnh(serial: int) -> str:
    """An invented driver's licence number."""
    return _completed(f"{600_000_000 + serial * 4_241:09d}", 2, lambda text: check_cnh(text).sum_ok)


def renavam(serial: int) -> str:
    """An invented RENAVAM."""
    return _completed(f"{70_000_000 + serial * 20_011:010d}", 1, parse_renavam)


def plates(taken: Set[str]) -> Iterator[str]:
    """Mercosul plates of the series QYA to QZZ, none twice, none of those taken; every final digit comes up."""
    for place, (second, third) in enumerate(product("YZ", ascii_uppercase)):
        for turn in range(_PLATES_A_SERIES):
            serial = place * _PLATES_A_SERIES + turn
            letter = ascii_uppercase[serial * 3 % 10]
            plate = f"Q{second}{third}{serial % 7}{letter}{serial * 13 % 10}{serial % 10}"
            if plate not in taken:
                yield plate


def person(data: Mapping[str, Any], holder: str, serial: int, name: str = "") -> dict[str, Any]:
    """A driver, or a company of which three serials share one."""
    names = data["names"]
    if holder == COMPANY:
        return _company(data, serial // _COMPANY_SIZE % len(names["companies"]))
    woman = serial % 3 == 0 if not name else name.split()[0] in names["women"]
    first = names["women" if woman else "men"]
    full = name or f"{first[serial % len(first)]} {names['last'][serial * 5 % len(names['last'])]}"
    return {
        "kind": "natural",
        "holder_kind": holder,
        "name": full,
        "document": cpf(serial),
        "born_on": data["on"] - _ADULT - timedelta(days=serial * 137 % 9_000),
        "nationality": "brasileira",
        "sex": "F" if woman else "M",
        "cnh": cnh(serial),
        "phone": f"(81) 98{800_000 + serial * 611:07d}",
        "email": "",
        "address": _address(names, serial),
        "cooperative": None,
        "member_since": None,
    }


def _company(data: Mapping[str, Any], place: int) -> dict[str, Any]:
    return {
        "kind": "company",
        "holder_kind": COMPANY,
        "name": data["names"]["companies"][place],
        "document": cnpj(place + 1),
        "born_on": None,
        "nationality": "",
        "sex": "",
        "cnh": "",
        "phone": f"(81) 3{220_0000 + place * 37:07d}",
        "email": f"contato@taxi{place + 1}.example",
        "address": _address(data["names"], place),
        "cooperative": None,
        "member_since": None,
    }


def car(data: Mapping[str, Any], serial: int, plate: str, made: int, colour: str, model_at: int) -> dict[str, Any]:
    """A car of one of the models, registered in the year it was made."""
    model = data["model"][model_at % len(data["model"])]
    return {
        "plate": plate,
        "renavam": renavam(serial),
        "type": "automovel",
        "make": model["make"],
        "model": model["model"],
        "year_made": made,
        "first_registered_on": date(made, 1 + serial % 10, 1 + serial % 28),
        "doors": model["doors"],
        "seats": model["seats"],
        "colour": colour or model["colour"],
        "fuel": "flex",
    }


def _address(names: Mapping[str, Any], serial: int) -> str:
    street, district = (names[key][serial % len(names[key])] for key in ("streets", "districts"))
    return f"{street}, {20 + serial * 17 % 900}, {district}, Recife"


def _completed(base: str, digits: int, check: Callable[[str], object]) -> str:
    for tail in range(10**digits):
        number = f"{base}{tail:0{digits}d}"
        try:
            if check(number):
                return number
        except IdentifierError:
            continue
    raise ValueError(f"no check digits fit {base}")
