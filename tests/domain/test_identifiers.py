"""Plate, CPF, CNPJ, CNH, RENAVAM: what is accepted, what is refused, and in which words."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from stdnum.br import cnpj as stdnum_cnpj
from stdnum.br import cpf as stdnum_cpf
from validate_docbr import CNH, CNPJ, CPF, RENAVAM

from registry.domain.identifiers import (
    IdentifierError,
    canonical,
    check_cnh,
    format_cnpj,
    format_cpf,
    format_document,
    format_plate,
    parse_cnpj,
    parse_cpf,
    parse_document,
    parse_plate,
    parse_renavam,
    plate_fragments,
    plate_key,
)

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
DIGITS = "0123456789"
PARSERS = [parse_plate, parse_cpf, parse_cnpj, parse_document, check_cnh, parse_renavam]

old_plates = st.from_regex(r"\A[A-Z]{3}[0-9]{4}\Z")
mercosul_plates = st.from_regex(r"\A[A-Z]{3}[0-9][A-Z][0-9]{2}\Z")
digits11 = st.text(DIGITS, min_size=11, max_size=11)


def refusal(parse, text) -> IdentifierError:
    with pytest.raises(IdentifierError) as caught:
        parse(text)
    return caught.value


def error_of(parse, text) -> IdentifierError | None:
    try:
        parse(text)
    except IdentifierError as error:
        return error
    return None


# ------------------------------------------------------------------ the bare form


@pytest.mark.parametrize(
    "typed",
    ["KGA1234", "kga-1234", "KGA 1234", "kga.1234", " KGA\u00a01234 ", "KGA\u20131234", "KGA\u20141234",
     "KGA\u22121234", "KGA\u20111234", "\ufeffKGA1234", "KGA\u200b1234", "K-G-A/1.2.3.4", "kga\t1234\r\n"],
)  # fmt: skip
def test_any_way_of_writing_a_plate_is_one_plate(typed):
    assert parse_plate(typed).text == "KGA1234"


@pytest.mark.parametrize("letter", ["\u0131", "\u017f", "\u00df", "\u212a", "\uff21", "\u0430"])
def test_only_ascii_letters_become_upper_case(letter):
    """Dotless i, long s, Kelvin sign, full-width and Cyrillic letters never turn into Latin ones."""
    assert canonical(letter) == letter
    assert refusal(parse_plate, f"KG{letter}1234").code == "character"


@given(st.text())
def test_the_bare_form_is_stable(text):
    assert canonical(canonical(text)) == canonical(text)


@pytest.mark.parametrize("parse", PARSERS)
@pytest.mark.parametrize("blank", ["", " ", "\u00a0", "\t\n", "-", ". / -", "\ufeff"])
def test_an_empty_identifier_is_refused(parse, blank):
    error = refusal(parse, blank)
    assert error.code == "empty"
    assert error.message_pt.startswith("Digite ")


@pytest.mark.parametrize("parse", PARSERS)
@given(text=st.text(max_size=20))
def test_whatever_is_typed_gets_a_value_or_a_sentence(parse, text):
    error = error_of(parse, text)
    assert error is None or error.message_pt.endswith(".")


@pytest.mark.parametrize("parse", [parse_cpf, parse_cnpj, parse_document, check_cnh, parse_renavam])
@pytest.mark.parametrize(
    "typed",
    ["12345678A58", "²2345678901", "١٢٣٤٥٦٧٨٩٠١", "１２３４５６７８９０１", "1234567890①", "64.637.agsvs009/0001-90",
     "64637²01000190", "12345678901²"],
)  # fmt: skip
def test_digits_of_other_scripts_and_stray_letters_are_refused(parse, typed):
    assert refusal(parse, typed).code in {"character", "length", "sum"}


# ------------------------------------------------------------------ plates


@pytest.mark.parametrize(
    ("typed", "key", "twin", "pretty"),
    [
        ("ABC1234", "ABC1234", "ABC1C34", "ABC-1234"),
        ("ABC1C34", "ABC1234", "ABC1234", "ABC1C34"),
        ("abc1j34", "ABC1934", "ABC1934", "ABC1J34"),
        ("ABC1K34", "ABC1K34", None, "ABC1K34"),
        ("ABC1Z34", "ABC1Z34", None, "ABC1Z34"),
        ("QZB1C91", "QZB1291", "QZB1291", "QZB1C91"),
        ("PEZ0O00", "PEZ0O00", None, "PEZ0O00"),
        ("PGT4H87", "PGT4787", "PGT4787", "PGT4H87"),
    ],
)
def test_a_plate_and_its_twin(typed, key, twin, pretty):
    plate = parse_plate(typed)
    assert (plate.key, plate.twin, plate.pretty) == (key, twin, pretty)


@given(old_plates)
def test_every_old_plate_and_its_twin_share_one_key(text):
    plate = parse_plate(text)
    twin = parse_plate(plate.twin)
    assert twin.key == plate.key == text
    assert twin.twin == text
    assert twin.text != text


@given(mercosul_plates)
def test_a_mercosul_plate_has_a_twin_up_to_the_letter_j(text):
    plate = parse_plate(text)
    assert plate.text == text
    assert (plate.twin is not None) == (text[4] <= "J")
    assert plate.key == (plate.twin or text) == plate_key(text)


@pytest.mark.parametrize(
    ("typed", "message", "suggestion"),
    [
        ("PGT4HB7", "Confira a placa: a 6ª posição é um número, e você digitou a letra B.", "PGT4H87"),
        ("PEXIB23", "Confira a placa: a 4ª posição é um número, e você digitou a letra I.", "PEX1B23"),
        ("P3X1B23", "Confira a placa: a 2ª posição é uma letra, e você digitou o número 3.", None),
        ("0EX1B23", "Confira a placa: a 1ª posição é uma letra, e você digitou o número 0.", "OEX1B23"),
        ("KGAO12E", "Confira a placa: a 4ª posição é um número, e você digitou a letra O.", None),
        ("KGAO1O3", "Confira a placa: a 4ª posição é um número, e você digitou a letra O.", "KGA0103"),
        ("0GAO1O3", "Confira a placa: a 1ª posição é uma letra, e você digitou o número 0.", None),
        ("KGA1$34", "Confira a placa: a 5ª posição é uma letra ou um número, e você digitou «$».", None),
        ("KGA123²", "Confira a placa: a 7ª posição é um número, e você digitou «²».", None),
        ("ÁGA1234", "Confira a placa: a 1ª posição é uma letra, e você digitou «Á».", None),
    ],
)
def test_a_plate_that_cannot_exist_names_the_position(typed, message, suggestion):
    error = refusal(parse_plate, typed)
    assert (error.code, error.message_pt, error.suggestion) == ("character", message, suggestion)


@pytest.mark.parametrize(("typed", "length"), [("KGA123", 6), ("KGA12345", 8), ("A", 1), ("K" * 5000, 5000)])
def test_a_plate_of_another_length(typed, length):
    error = refusal(parse_plate, typed)
    assert error.message_pt == f"A placa tem 7 letras e números. Você digitou {length}."
    assert error.suggestion is None


@given(st.text(LETTERS + DIGITS, min_size=7, max_size=7))
def test_a_suggestion_is_a_plate_and_only_stands_where_none_was_typed(text):
    valid = re.fullmatch(r"[A-Z]{3}[0-9][A-Z0-9][0-9]{2}", text)
    error = error_of(parse_plate, text)
    assert (error is None) == bool(valid)
    if error is not None and error.suggestion is not None:
        assert parse_plate(error.suggestion).text == error.suggestion
        assert sum(a != b for a, b in zip(text, error.suggestion, strict=True)) <= 2


@pytest.mark.parametrize(
    ("fragment", "expected"),
    [
        ("kga12", ("KGA12", "KGA1C")),
        ("kga-1c", ("KGA1C", "KGA12")),
        ("KGA1", ("KGA1",)),
        ("kga1k3", ("KGA1K3",)),
        ("KGA1234", ("KGA1234", "KGA1C34")),
        (" ", ()),
    ],
)
def test_a_fragment_searches_both_forms(fragment, expected):
    assert plate_fragments(fragment) == expected


# ------------------------------------------------------------------ CPF


@pytest.mark.parametrize("typed", ["02345678135", "023.456.781-35", " 023 456 781 35 ", "023.456.781\u201335"])
def test_a_cpf_in_any_writing(typed):
    assert parse_cpf(typed) == "02345678135"


@given(digits11)
def test_the_cpf_agrees_with_both_oracles(text):
    accepted = error_of(parse_cpf, text) is None
    repeated = len(set(text)) == 1
    assert accepted == (CPF().validate(text) and not repeated)
    assert accepted == (stdnum_cpf.is_valid(text) and not repeated)


@given(st.text(DIGITS, min_size=9, max_size=9).filter(lambda base: len(set(base)) > 1))
def test_exactly_one_pair_of_check_digits_makes_a_cpf(base):
    right = [f"{base}{last:02d}" for last in range(100) if stdnum_cpf.is_valid(f"{base}{last:02d}")]
    accepted = [f"{base}{last:02d}" for last in range(100) if error_of(parse_cpf, f"{base}{last:02d}") is None]
    assert accepted == right
    assert len(accepted) == 1


@pytest.mark.parametrize("digit", DIGITS)
def test_repeated_digits_are_no_document(digit):
    for parse, length in [(parse_cpf, 11), (parse_cnpj, 14), (check_cnh, 11), (parse_renavam, 11)]:
        assert refusal(parse, digit * length).code == ("zeros" if digit == "0" else "repeated")


def test_the_words_of_a_wrong_cpf():
    assert refusal(parse_cpf, "02345678134").message_pt == (
        "Confira o CPF: os dois últimos números não batem com os outros."
    )
    assert refusal(parse_cpf, "12345678A58").message_pt == (
        "Confira o CPF: a 9ª posição é um número, e você digitou a letra A."
    )
    assert refusal(parse_cpf, "0234567813").message_pt == "O CPF tem 11 números. Você digitou 10."


@pytest.mark.parametrize(
    ("typed", "suggestion"),
    [("123456797", "00123456797"), ("0123456797", "00123456797"), ("123456796", None), ("", None), ("0", None),
     ("00000000", None), ("000123456797", None)],
)  # fmt: skip
def test_lost_zeros_in_front_are_suggested_never_taken(typed, suggestion):
    assert refusal(parse_cpf, typed).suggestion == suggestion


# ------------------------------------------------------------------ CNPJ

cnpj_bases = st.text(DIGITS + LETTERS, min_size=12, max_size=12)


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("12.ABC.345/01DE-35", "12ABC34501DE35"),
        ("12abc34501de35", "12ABC34501DE35"),
        ("00.000.000/0001-91", "00000000000191"),
        ("33.000.167/0001-01", "33000167000101"),
    ],
)
def test_a_cnpj_numeric_or_alphanumeric(typed, expected):
    assert parse_cnpj(typed) == expected


@given(cnpj_bases)
def test_the_cnpj_check_digits_are_those_of_the_oracles(base):
    right = stdnum_cnpj.calc_check_digits(base)
    whole = base + right
    if len(set(whole)) > 1:
        assert parse_cnpj(whole) == whole
        assert CNPJ().validate(whole)
    wrong = base + right[0] + str((int(right[1]) + 1) % 10)
    if len(set(wrong)) > 1:
        assert refusal(parse_cnpj, wrong).code == "sum"


@given(cnpj_bases, st.integers(0, 11), st.sampled_from(DIGITS + LETTERS))
def test_one_wrong_character_is_found(base, place, other):
    whole = base + stdnum_cnpj.calc_check_digits(base)
    changed = whole[:place] + other + whole[place + 1 :]
    if (ord(other) - ord(whole[place])) % 11:
        assert refusal(parse_cnpj, changed).code in {"sum", "repeated", "zeros"}


def test_the_check_digits_of_a_cnpj_are_never_letters():
    error = refusal(parse_cnpj, "12ABC34501DEA5")
    assert error.message_pt == "Confira o CNPJ: a 13ª posição é um número, e você digitou a letra A."


def test_letters_are_never_stripped_until_a_cnpj_fits():
    assert refusal(parse_cnpj, "64.637.agsvs009/0001-90").message_pt == (
        "O CNPJ tem 14 letras e números. Você digitou 19."
    )


# ------------------------------------------------------------------ CPF or CNPJ


def test_a_document_is_told_apart_by_its_length():
    assert parse_document("023.456.781-35") == ("cpf", "02345678135")
    assert parse_document("12.ABC.345/01DE-35") == ("cnpj", "12ABC34501DE35")


@pytest.mark.parametrize(("typed", "suggestion"), [("123456797", "00123456797"), ("191", None), ("123", None)])
def test_a_document_of_no_known_length(typed, suggestion):
    error = refusal(parse_document, typed)
    assert error.code == "length"
    assert error.suggestion == suggestion


def test_a_cnpj_that_lost_its_zeros_is_suggested_whole():
    assert refusal(parse_document, "360305000104").suggestion == "00360305000104"


# ------------------------------------------------------------------ CNH and RENAVAM


@given(digits11)
def test_the_cnh_sum_agrees_with_the_oracle(text):
    if len(set(text)) > 1:
        check = check_cnh(text)
        assert check.canonical == text
        assert check.sum_ok == CNH().validate(text)


@given(st.text(DIGITS, min_size=9, max_size=9))
def test_every_base_has_one_right_cnh(base):
    right = [f"{base}{last:02d}" for last in range(100) if CNH().validate(f"{base}{last:02d}")]
    assert [number for number in right if check_cnh(number).sum_ok] == right


def test_a_cnh_that_fails_the_sum_is_reported_not_refused():
    good, failing = check_cnh("90000001174"), check_cnh("90000001175")
    assert (good.sum_ok, good.warning_pt) == (True, None)
    assert failing.canonical == "90000001175"
    assert failing.warning_pt == (
        "O número da CNH não bate com o dígito. Se está igual ao documento, marque «Confirmo»."
    )


@given(digits11)
def test_the_renavam_agrees_with_the_oracle(text):
    accepted = error_of(parse_renavam, text) is None
    assert accepted == (RENAVAM().validate(text) and len(set(text)) > 1)


def test_the_nine_digits_of_an_older_paper_are_a_renavam():
    assert parse_renavam("639884962") == "00639884962"
    assert refusal(parse_renavam, "63988496").code == "length"
    assert refusal(parse_renavam, "639884963").message_pt == (
        "Confira o RENAVAM: o último número não bate com os outros."
    )


# ------------------------------------------------------------------ for the screen


def test_formats():
    assert format_plate("KGA1234") == "KGA-1234"
    assert format_plate("KGA1C34") == "KGA1C34"
    assert format_cpf("02345678135") == format_document("cpf", "02345678135") == "023.456.781-35"
    assert format_cnpj("12ABC34501DE35") == format_document("cnpj", "12ABC34501DE35") == "12.ABC.345/01DE-35"
