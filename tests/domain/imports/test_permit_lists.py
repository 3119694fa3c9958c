"""A list of permits with their holders, read line by line: the worked example, and what it stands for."""

from __future__ import annotations

import tomllib
from collections import Counter
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from registry.domain.imports.cells import Context
from registry.domain.imports.profile import Profile, ProfileError, build_profile
from registry.domain.imports.sheet import Sheet, read_sheet
from registry.domain.imports.table import read_table

ROOT = Path(__file__).parents[3]
SAMPLE = ROOT / "tests" / "data" / "imports" / "s02_permissionarios.csv"
DAY = date(2026, 11, 30)
CONTENT = tomllib.loads((ROOT / "config" / "import" / "permissionarios.toml").read_text(encoding="utf-8"))
LIST = build_profile("permissionarios", CONTENT)
HEADER = "permissão;nome;cpf;cnh;placa;endereço;concedida em;situação;obs\n"
ANA = "Ana Lima;02345678135;90000001174;KGA1234;Rua A;05/06/2010;ativo;\n"


def read(data: bytes | str, *confirm: str, profile: Profile = LIST, skip: tuple[int, ...] = ()) -> Sheet:
    table = read_table(data.encode() if isinstance(data, str) else data)
    context = Context(profile, DAY, "{number:04d}", {"comum": "Comum"}, {}, frozenset(confirm))
    return read_sheet(table, [profile], context, skip)


def sample(*confirm: str, skip: tuple[int, ...] = ()) -> Sheet:
    return read(SAMPLE.read_bytes().decode().encode("cp1252"), *confirm, skip=skip)


def told(sheet: Sheet) -> list[tuple[str, str, bool]]:
    return [(each.kind, each.cell, each.confirmable) for each in sheet.remarks]


# the worked example


def test_the_sample_says_of_each_line_what_it_is() -> None:
    assert told(sample()) == [
        ("aviso", "C2", False),
        ("duplicada", "A3", False),
        ("aviso", "C4", False),
        ("erro", "F4", False),
        ("erro", "I5", True),
        ("erro", "G6", False),
        ("erro", "I6", False),
        ("erro", "C7", False),
        ("aviso", "D7", True),
        ("duplicada", "A8", False),
    ]
    assert (sample().rows, sample().encoding) == (7, "Windows-1252")


def test_two_lines_of_one_person_are_one_permit_with_the_accented_name() -> None:
    first = sample().lines[0].values
    assert (first["number"], first["document"], first["cnh"]) == ("0001", "02345678135", "90000001174")
    assert (first["name"], first["plate"]) == ("José Conceição da Silva Açaí", "KGA1234")
    repeated = sample().remarks_of("duplicada")[0]
    assert repeated.other == 2
    assert "CATEGORIA_CNH_PERMISSIONARIO e ENDERECO_PERMISSIONARIO: vale a linha 2" in repeated.message


def test_zeros_that_the_spreadsheet_cut_come_back_with_a_warning() -> None:
    found = [each.message for each in sample().remarks_of("aviso") if each.cell in ("C2", "C4")]
    assert ["023.456.781-35" in found[0], "001.234.567-97" in found[1]] == [True, True]


def test_a_serial_number_is_a_day_only_when_the_clerk_confirms_the_cell() -> None:
    asked = next(each for each in sample().remarks if each.cell == "I5")
    assert asked.blocks and "no Excel seria 01/01/2022" in asked.message
    confirmed = sample("I5")
    assert not [each for each in confirmed.remarks if each.line in (5, 8) and each.blocks]
    line = next(each for each in confirmed.lines if each.line == 5)
    assert (line.values["granted_on"], line.confirmed) == (date(2022, 1, 1), frozenset({"granted_on"}))
    assert line.values["note"] == "=CMD|' /C calc'!A0"


def test_month_and_day_never_change_places_and_a_letter_in_a_plate_gets_its_hint() -> None:
    plate, day = (each for each in sample().remarks if each.line == 6)
    assert "PEX1B23" in plate.mend
    assert (day.value, day.kind) == ("01/13/2024", "erro")


def test_a_wrong_cpf_is_refused_and_a_wrong_cnh_may_be_confirmed() -> None:
    assert [(each.kind, each.blocks) for each in sample().remarks if each.line == 7] == [
        ("erro", True),
        ("aviso", True),
    ]
    left = [each for each in sample("D7").remarks if each.line == 7]
    assert [each.cell for each in left] == ["C7"]


def test_the_valid_plate_with_a_letter_o_quotes_and_a_dash_survive() -> None:
    text = "7;FRANCISCA “CHICA” LEITE – ME;11144477735;;PEZ0O00;;;CANCELADO;CPF e CNH certos\n"
    values = read(HEADER + text).lines[0].values
    assert (values["plate"], values["name"]) == ("PEZ0O00", "FRANCISCA “CHICA” LEITE – ME")
    assert (values["status"], values["granted_on"]) == ("encerrada", None)


def test_a_note_keeps_its_quotes_and_its_line_break() -> None:
    note = 'permissão;nome;cpf;obs\n2;Ana Lima;02345678135;"Obs. com ""aspas""  e\r\nquebra de linha "\n'
    assert read(note).lines[0].values["note"] == 'Obs. com "aspas" e\nquebra de linha'


def test_names_lose_double_blanks_and_keep_their_apostrophe() -> None:
    assert read(HEADER + "2;MARIA D'ÁVILA   NETA;00123456797;;;;;;\n").lines[0].values["name"] == "MARIA D'ÁVILA NETA"


# cells


@pytest.mark.parametrize(
    ("column", "text", "says"),
    [
        ("cpf", "12345678A58", "9ª posição"),
        ("cpf", "²2345678901", "1ª posição"),
        ("cpf", "64.637.agsvs009/0001-90", "14 letras e números"),
        ("cpf", "11.111.111/1111-11", "iguais"),
        ("cpf", "", "vazia"),
        ("nome", "", "vazia"),
        ("nome", "12", "nenhuma letra"),
        ("cnh", "123", "11 números"),
        ("situação", "talvez", "ativa, suspensa, encerrada"),
        ("concedida em", "01/12/2026", "depois de hoje"),
        ("concedida em", "12/11/26", "ano com 4 números"),
    ],
)
def test_a_wrong_cell_is_an_error_with_what_to_do(column: str, text: str, says: str) -> None:
    row = {"permissão": "1", "nome": "Ana Lima", "cpf": "02345678135", "cnh": "", "situação": "", "concedida em": ""}
    row[column] = text
    sheet = read(";".join(row) + "\n" + ";".join(row.values()) + "\n")
    (error,) = sheet.remarks_of("erro")
    assert (error.column, says in error.message, sheet.lines) == (column, True, ())


@pytest.mark.parametrize(
    ("text", "document"),
    [("2345678135", "02345678135"), ("12.ABC.345/01DE-35", "12ABC34501DE35"), ("11222333000181", "11222333000181")],
)
def test_documents(text: str, document: str) -> None:
    assert read(HEADER + f"1;Ana Lima;{text};;;;;;\n").lines[0].values["document"] == document


def test_a_total_line_is_no_data() -> None:
    sheet = read(f"Permissões\n{HEADER}1;{ANA}TOTAL;;;;;;;;1\n")
    assert (sheet.rows, sheet.header_line, sheet.passed_over) == (1, 2, (1, 4))


# lines


def conflicts(text: str, **more: Any) -> list[tuple[int, str]]:
    return [(each.line, each.message) for each in read(HEADER + text, **more).remarks_of("conflito")]


def test_what_a_line_lacks_another_gives() -> None:
    sheet = read(HEADER + "1;Ana Lima;02345678135;;KGA1234;;;;\n1;Ana Lima;02345678135;90000001174;;Rua A;;ativo;x\n")
    (line,) = sheet.lines
    assert [line.values[name] for name in ("cnh", "plate", "address", "status", "note")] == [
        "90000001174",
        "KGA1234",
        "Rua A",
        "ativa",
        "x",
    ]
    assert Counter(each.kind for each in sheet.remarks) == {"duplicada": 1}


@pytest.mark.parametrize(
    ("other", "says"),
    [
        (ANA.replace("02345678135", "00123456797"), "outro titular"),
        (ANA.replace("KGA1234", "KGB1234"), "outra placa, KGA1234"),
        (ANA.replace("Ana Lima", "Bia Lima"), "difere em nome"),
        (ANA.replace("90000001174", "90000003325"), "difere em cnh"),
        (ANA.replace("05/06/2010", "06/06/2010"), "difere em concedida em"),
        (ANA.replace("ativo", "suspenso"), "difere em situação"),
    ],
)
def test_lines_of_one_number_that_contradict_each_other(other: str, says: str) -> None:
    ((line, message),) = conflicts(f"1;{ANA}1;{other}")
    assert line == 3 and says in message


def test_one_person_may_hold_two_permits_and_is_told_once() -> None:
    sheet = read(HEADER + f"1;{ANA}2;{ANA.replace('KGA1234', 'KGB1234').replace('Rua A', 'Rua B')}")
    assert not sheet.remarks_of("conflito")
    assert [line.values["address"] for line in sheet.lines] == ["Rua A", "Rua A"]
    assert "endereço: vale a linha 2" in sheet.remarks_of("aviso")[0].message


def test_one_plate_under_two_permits_is_a_conflict_unless_one_has_ended() -> None:
    bia = ANA.replace("02345678135", "00123456797").replace("Ana", "Bia").replace("90000001174", "")
    assert conflicts(f"1;{ANA}2;{bia}") == [(3, "A mesma placa está na linha 2, com o número 0001.")]
    assert conflicts(f"1;{ANA}2;{bia.replace('ativo', 'cancelado')}") == []


def test_the_vehicle_of_an_ended_permit_belongs_to_the_line_that_is_in_force() -> None:
    bia = ANA.replace("02345678135", "00123456797").replace("Ana", "Bia").replace("90000001174", "")
    ended = bia.replace("ativo", "cancelado").replace("KGA1234", "KGA1C34")
    for text in (f"1;{ANA}2;{ended}", f"2;{ended}1;{ANA}"):
        sheet = read(HEADER + text)
        plates = {line.values["number"]: line.values["plate"] for line in sheet.lines}
        assert plates == {"0001": "KGA1234", "0002": None}
        assert ["que fica com ela" in each.message for each in sheet.remarks] == [True]
    both = read(HEADER + f"1;{ANA.replace('ativo', 'baixado')}2;{ended}")
    assert [line.values["plate"] for line in both.lines] == ["KGA1234", None]


def test_a_plate_that_a_repeated_line_brings_is_compared_too() -> None:
    bia = ANA.replace("02345678135", "00123456797").replace("Ana", "Bia").replace("90000001174", "")
    text = f"1;{ANA.replace('KGA1234', '')}2;{bia}1;{ANA}"
    assert conflicts(text) == [(4, "A mesma placa está na linha 3, com o número 0002.")]


def test_the_vehicles_of_one_permit_share_what_is_said_of_it() -> None:
    fleet = build_profile("frota", {**CONTENT, "fleet": True})
    first = ANA.replace(";\n", ";nota\n").replace("05/06/2010", "")
    second = ANA.replace(";\n", ";outra\n").replace("KGA1234", "KGB1234")
    sheet = read(HEADER + f"1;{first}1;{second}", profile=fleet)
    shared = [(line.values["note"], line.values["granted_on"]) for line in sheet.lines]
    assert shared == [("nota", date(2010, 6, 5))] * 2
    assert "Difere em obs: vale a linha 2" in sheet.remarks_of("aviso")[0].message


def test_a_permit_has_several_vehicles_where_the_profile_says_so() -> None:
    fleet = build_profile("frota", {**CONTENT, "fleet": True})
    text = f"1;{ANA}1;{ANA.replace('KGA1234', 'KGB1234')}"
    assert conflicts(text, profile=fleet) == []
    assert len(read(HEADER + text, profile=fleet).lines) == 2


def test_a_line_left_out_leaves_the_other_alone() -> None:
    sheet = sample("I5", skip=(2, 4, 6, 7))
    assert [line.line for line in sheet.lines] == [3, 5]
    assert sheet.lines[0].values["address"] == "Rua da Aurora, 10"
    assert not any(each.blocks for each in sheet.remarks)


# profiles


def test_a_profile_may_name_the_row_of_the_header() -> None:
    profile = build_profile("fixa", {**CONTENT, "header_line": 3})
    text = f"permissão;nome;cpf\n;;\n{HEADER}1;{ANA}"
    assert read(text, profile=profile).header_line == 3


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"kind": "planes"}, "vehicles, permits, holidays, closures"),
        ({"columns": {"number": ["n"], "name": ["x"]}}, "falta «document»"),
        ({"columns": {**CONTENT["columns"], "day": ["d"]}}, "columns.day"),
        ({"header_line": -1}, "header_line"),
        ({"fleet": "sim"}, "fleet"),
    ],
)
def test_a_wrong_profile_names_its_key(changed: dict[str, Any], says: str) -> None:
    with pytest.raises(ProfileError, match=says):
        build_profile("ruim", CONTENT | changed)
