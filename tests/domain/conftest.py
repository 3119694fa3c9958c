"""Calendars that the tests of this folder share."""

from __future__ import annotations

import pytest

from registry.domain.calendar import Calendar

NATIONAL = [
    {"rule": "01-01", "name": "Confraternização Universal"},
    {"rule": "easter-2", "name": "Sexta-feira Santa"},
    {"rule": "04-21", "name": "Tiradentes"},
    {"rule": "05-01", "name": "Dia do Trabalho"},
    {"rule": "09-07", "name": "Independência do Brasil"},
    {"rule": "10-12", "name": "Nossa Senhora Aparecida"},
    {"rule": "11-02", "name": "Finados"},
    {"rule": "11-15", "name": "Proclamação da República"},
    {"rule": "11-20", "name": "Consciência Negra", "from_year": 2024},
    {"rule": "12-25", "name": "Natal"},
]
STATE = [
    {"rule": "1st-sunday-03", "name": "Data Magna", "from_year": 2008, "until_year": 2017},
    {"rule": "03-06", "name": "Data Magna", "from_year": 2018},
]
CITY = [
    {"rule": "06-24", "name": "São João"},
    {"rule": "07-16", "name": "Nossa Senhora do Carmo"},
    {"rule": "12-08", "name": "Nossa Senhora da Conceição"},
]
OPTIONAL = [
    {"rule": "easter-48", "name": "Segunda-feira de Carnaval", "kind": "optional"},
    {"rule": "easter-47", "name": "Terça-feira de Carnaval", "kind": "optional"},
    {"rule": "easter+60", "name": "Corpus Christi", "kind": "optional"},
]
CLOSED_AT_CARNIVAL = [
    {"rule": "easter-48", "name": "Carnaval", "kind": "closure"},
    {"rule": "easter-47", "name": "Carnaval", "kind": "closure"},
    {"rule": "easter-46", "name": "Quarta-feira de Cinzas", "kind": "closure"},
]


@pytest.fixture(scope="session")
def lawful() -> Calendar:
    """National and state holidays only."""
    return Calendar.from_data({"day": NATIONAL + STATE})


@pytest.fixture(scope="session")
def city_hall() -> Calendar:
    """With the city's days; Carnival and Corpus Christi are optional days, open unless a setting closes them."""
    return Calendar.from_data({"day": NATIONAL + STATE + CITY + OPTIONAL})


@pytest.fixture(scope="session")
def state_office() -> Calendar:
    """With the city's days; the office is closed from Carnival Monday to Ash Wednesday."""
    return Calendar.from_data({"day": NATIONAL + STATE + CITY + CLOSED_AT_CARNIVAL})
