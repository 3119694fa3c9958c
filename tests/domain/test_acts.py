"""Acts of the authority as people write them."""

from __future__ import annotations

import pytest

from registry.domain.acts import parse_act, parse_number, same_words

OWN = ("emtu", "EMTU/Recife")


@pytest.mark.parametrize(
    "text",
    [
        "Portaria 112/2026",
        "Portaria nº 112/2026",
        "PORTARIA N. 112/26",
        "portaria n° 0112 / 2026",
        "Port. 112/2026.",
        "Portaria número 112, de 3 de maio de 2026",
        "Portaria 112 de 03/05/2026",
        "Portaria 112/2026, DOE de 4/5/2026",
        "Portaria EMTU nº 112/2026",
        "Portaria nº 112/2026 da EMTU",
    ],
)
def test_one_act_in_its_spellings(text: str) -> None:
    found = parse_act(text, OWN)
    assert found is not None
    assert (found.kind, found.number, str(found)) == ("portaria", "112/2026", "Portaria nº 112/2026")


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("Decreto Municipal nº 11.135, de 9 de outubro de 1978", "Decreto nº 11.135/1978"),
        ("decreto 11135/78", "Decreto nº 11.135/1978"),
        ("Despacho 7/69", "Despacho nº 7/2069"),
        ("Despacho 7/70", "Despacho nº 7/1970"),
        ("Edital nº 112-a/2026", "Edital nº 112-A/2026"),
    ],
)
def test_other_kinds_and_numbers(text: str, printed: str) -> None:
    assert str(parse_act(text)) == printed


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Portaria",
        "Portaria 112",
        "Portaria 0/2026",
        "Portaria de nomeação",
        "Portaria DETRAN nº 112/2026",
        "Portaria 112/2026 do DETRAN",
        "Portaria 112/2026 e Portaria 113/2026",
        "Resolução 5/2026",
        "112/2026",
    ],
)
def test_what_names_no_act_of_the_authority_is_not_read(text: str) -> None:
    assert parse_act(text, OWN) is None


@pytest.mark.parametrize(
    ("text", "number"),
    [("112/2026", "112/2026"), ("nº 1.234/26", "1234/2026"), ("112, de 3/5/2026", "112/2026"), ("GAB-3/2026", "")],
)
def test_a_number_alone(text: str, number: str) -> None:
    assert parse_number(text) == number


def test_a_name_in_full_is_compared_by_its_words() -> None:
    assert same_words("Resolução CMTU nº 5/2026.") == same_words("RESOLUCAO  cmtu n. 5/2026")
    assert same_words("Resolução CMTU nº 5/2026") != same_words("Resolução CMTU nº 6/2026")
