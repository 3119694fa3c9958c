"""Lines under a profile: facts, remarks, counts."""

from __future__ import annotations

import tomllib
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from registry.domain.imports.cells import Context
from registry.domain.imports.profile import Profile, ProfileError, build_profile
from registry.domain.imports.sheet import Sheet, read_sheet
from registry.domain.imports.table import TableError, read_table

ROOT = Path(__file__).parents[3]
DATA = ROOT / "tests" / "data" / "imports"
DAY = date(2026, 11, 30)
PROFILES = [
    build_profile(name, tomllib.loads((ROOT / "config" / "import" / f"{name}.toml").read_text(encoding="utf-8")))
    for name in ("frota", "frota_taxi_dados_abertos")
]
OPEN_DATA = next(each for each in PROFILES if each.name == "frota_taxi_dados_abertos")
LIST = next(each for each in PROFILES if each.name == "frota")
HEADER = "data_extracao;prefixo;ponto;placa;marca;modelo;data_primeiro_emplac;ano_fabricacao;combustivel"
ROW = {
    "data_extracao": "2026-11-30 01:58:27.228285",
    "prefixo": "3655",
    "ponto": "PRAÇA",
    "placa": "KGA1234",
    "marca": "FIAT",
    "modelo": "SIENA",
    "data_primeiro_emplac": "2022-11-14",
    "ano_fabricacao": "2022",
    "combustivel": "ÁLCOOL/GASOLINA",
}


def context(profile: Profile = OPEN_DATA) -> Context:
    return Context(profile, DAY, "{number:04d}", {"comum": "Táxi comum", "especial": "Especial"}, {"car": "Automóvel"})


def read(text: str, *profiles: Profile, skip: tuple[int, ...] = ()) -> Sheet:
    return read_sheet(read_table(text.encode()), profiles or PROFILES, context(), skip)


def rows(*changes: dict[str, str]) -> str:
    return "\n".join([HEADER, *(";".join((ROW | change).values()) for change in changes)]) + "\n"


def told(sheet: Sheet) -> list[tuple[str, int, str]]:
    return [(each.kind, each.row, each.cell) for each in sheet.remarks]


def value(target: str, text: str) -> Any:
    column = next(name for name in ROW if OPEN_DATA.target_of(name) == target)
    sheet = read(rows({column: text}))
    assert not sheet.remarks_of("erro"), sheet.remarks
    return sheet.lines[0].values[target]


# the worked example


@pytest.fixture(scope="module")
def sample() -> Sheet:
    return read_sheet(read_table((DATA / "s01_poa_frota_taxi.csv").read_bytes()), PROFILES, context())


def test_the_profile_is_guessed_from_the_header(sample: Sheet) -> None:
    assert (sample.profile.name, sample.encoding, sample.delimiter, sample.header_line) == (
        "frota_taxi_dados_abertos",
        "UTF-8",
        ";",
        1,
    )


def test_ten_rows_are_nine_lines_with_one_repeated_one_conflict_and_one_warning(sample: Sheet) -> None:
    assert (sample.rows, len(sample.lines)) == (10, 9)
    assert told(sample) == [("aviso", 6, "G7"), ("conflito", 8, "D9"), ("duplicada", 9, "B10")]
    repeated, twin = sample.remarks_of("duplicada")[0], sample.remarks_of("conflito")[0]
    assert (repeated.other, twin.other) == (3, 3)
    assert "QZB1291 e QZB1C91 são a mesma placa" in twin.message


def test_the_day_that_means_unknown_is_no_day(sample: Sheet) -> None:
    assert sample.lines[3].values["first_registered_on"] is None
    tally = next(each for each in sample.tallies if each.target == "first_registered_on")
    assert (tally.unknown, tally.blank, tally.filled) == (1, 0, 9)


def test_a_blank_stand_is_none_and_names_survive(sample: Sheet) -> None:
    stands = [line.values["ponto"] for line in sample.lines]
    assert stands[2] is None
    assert stands[4] == "SANTA CECÍLIA X IPIRANGA (ZAFFARI)"
    assert "ASSIS BRASIL, 6464" in stands and "CARREFOUR PASSO D'AREIA" in stands


def test_numbers_keep_their_zeros(sample: Sheet) -> None:
    assert sample.lines[5].values["number"] == "0042"


def test_every_spelling_of_the_same_fuels_is_one_set(sample: Sheet) -> None:
    fuels = [line.values["fuel"] for line in sample.lines]
    assert fuels[0] == fuels[2] == fuels[4] == "Álcool/Gasolina/GNV"
    assert fuels[1] == fuels[3] == "Álcool/Gasolina"
    tally = next(each for each in sample.tallies if each.target == "fuel")
    assert tally.spellings["Álcool/Gasolina/GNV"] == {"ÁLCOOL/GASOLINA/GNV": 2, "GNV-ÁLCOOL-GASOLINA": 1}


def test_another_name_of_a_make_is_proposed_and_taken_only_when_mapped(sample: Sheet) -> None:
    assert sample.lines[5].values["make"] == "GM"
    assert [(each.read, each.meant, each.count) for each in sample.suggestions] == [("GM", "CHEVROLET", 1)]
    mapped = OPEN_DATA.mapped([("marca", "gm", "CHEVROLET")])
    again = read_sheet(read_table((DATA / "s01_poa_frota_taxi.csv").read_bytes()), [mapped], context(mapped))
    assert again.lines[5].values["make"] == "CHEVROLET"
    assert again.suggestions == ()


def test_a_line_left_out_takes_its_repetition_along_and_solves_the_conflict() -> None:
    data = (DATA / "s01_poa_frota_taxi.csv").read_bytes()
    without_new = read_sheet(read_table(data), PROFILES, context(), skip=(9,))
    assert told(without_new) == [("aviso", 6, "G7"), ("duplicada", 9, "B10")]
    without_old = read_sheet(read_table(data), PROFILES, context(), skip=(3,))
    assert told(without_old) == [("aviso", 6, "G7")]
    assert without_old.skipped == (3, 10)
    assert [line.values["plate"] for line in without_old.lines].count("QZB1291") == 1


# cells


@pytest.mark.parametrize(
    ("text", "number"), [("0042", "0042"), ("42", "0042"), (" 42 ", "0042"), ("10042", "10042"), ("a-12", "A-12")]
)
def test_permit_numbers(text: str, number: str) -> None:
    assert value("number", text) == number


@pytest.mark.parametrize("text", ["2022-11-14", "14/11/2022", "2022-11-14 00:00:00", "14/11/2022 00:00"])
def test_days_are_read_in_both_orders_that_leave_no_doubt(text: str) -> None:
    assert value("first_registered_on", text) == date(2022, 11, 14)


@pytest.mark.parametrize("text", ["1899-12-30", "30/12/1899", "1899-12-30 00:00:00"])
def test_the_unknown_day_in_any_form(text: str) -> None:
    assert value("first_registered_on", text) is None


@pytest.mark.parametrize(
    ("column", "text", "message", "mend"),
    [
        ("placa", "PEXIB23", "4ª posição é um número", "PEX1B23"),
        ("placa", "", "vazia", "deixe a linha de fora"),
        ("placa", "   ", "vazia", "deixe a linha de fora"),
        ("prefixo", "", "vazia", "deixe a linha de fora"),
        ("prefixo", "4,4E+08", "cortou este número", "como texto"),
        ("data_primeiro_emplac", "31/02/2022", "O dia 31/02 não existe", ""),
        ("data_primeiro_emplac", "01/13/2022", "O dia 01/13 não existe", ""),
        ("data_primeiro_emplac", "12/11/22", "ano com 4 números", ""),
        ("data_primeiro_emplac", "44562", "no Excel seria 01/01/2022", "como data"),
        ("data_extracao", "2026-12-01", "não pode ser depois de hoje (30/11/2026)", ""),
        ("ano_fabricacao", "2027", "não pode ser maior que 2026", ""),
        ("ano_fabricacao", "1899", "Confira o ano", "4 números"),
        ("ano_fabricacao", "dois mil", "número inteiro", ""),
        ("ano_fabricacao", "²022", "número inteiro", ""),
        ("ano_fabricacao", "", "vazia", ""),
        ("combustivel", "QUEROSENE", "«QUEROSENE» não é um combustível", "Gasolina"),
        ("modelo", "X" * 65, "65 letras; o limite é 64", ""),
        ("ponto", "X" * 401, "401 letras; o limite é 400", ""),
    ],
)
def test_a_wrong_cell_is_an_error_with_its_place_value_and_mend(
    column: str, text: str, message: str, mend: str
) -> None:
    sheet = read(rows({"prefixo": "1"}, {column: text, "placa": text if column == "placa" else "KGB1234"}))
    error = sheet.remarks_of("erro")[0]
    assert (error.line, error.row, error.column, error.value) == (3, 2, column, text.strip())
    assert message in error.message and error.mend and mend in error.mend
    assert error.cell == f"{'ABCDEFGHI'[list(ROW).index(column)]}3"
    assert len(sheet.lines) == 1


@pytest.mark.parametrize(("made", "warned"), [("2021", False), ("2022", False), ("2023", True)])
def test_a_first_plate_before_the_year_made_is_a_warning(made: str, warned: bool) -> None:
    sheet = read(rows({"ano_fabricacao": made}))
    assert (len(sheet.lines), told(sheet)) == (1, [("aviso", 1, "G2")] if warned else [])


@pytest.mark.parametrize(("day", "known"), [("2026-11-30", True), ("2026-12-01", False), ("2214-08-20", False)])
def test_a_first_plate_after_today_is_not_known_with_a_warning(day: str, known: bool) -> None:
    sheet = read(rows({"data_primeiro_emplac": day}))
    assert (sheet.lines[0].values["first_registered_on"] is not None, len(sheet.remarks_of("aviso"))) == (
        known,
        0 if known else 1,
    )


def test_a_letter_o_stays_a_letter_and_quotes_survive() -> None:
    assert value("plate", "PEZ0O00") == "PEZ0O00"
    assert value("ponto", "FRANCISCA “CHICA” – ME") == "FRANCISCA “CHICA” – ME"
    assert value("ponto", "=HYPERLINK(A1)") == "=HYPERLINK(A1)"


# lines


def test_lines_that_contradict_each_other() -> None:
    sheet = read(
        rows(
            {},
            {"placa": "KGB1234"},
            {"prefixo": "3656"},
            {"modelo": "UNO"},
            {"prefixo": "3657", "placa": "KGA1C34"},
        )
    )
    assert [(each.row, each.other, each.cell) for each in sheet.remarks_of("conflito")] == [
        (2, 2, "B3"),
        (3, 2, "D4"),
        (4, 2, "B5"),
        (5, 2, "D6"),
    ]
    assert "difere em modelo" in sheet.remarks_of("conflito")[2].message


def test_a_line_that_differs_in_the_day_of_the_extraction_alone_is_a_repetition() -> None:
    sheet = read(rows({}, {"data_extracao": "2026-11-29"}))
    assert [each.kind for each in sheet.remarks] == ["duplicada"]


def test_titles_totals_blank_lines_and_headers_again_are_no_data() -> None:
    text = f"PREFEITURA;;\nEmitido em: 30/11/2026;;\n;;\n{rows({})};;;;;;;;\n{HEADER}\nTOTAL;1 táxi\n"
    sheet = read(text)
    assert (sheet.rows, sheet.header_line, sheet.passed_over, len(sheet.remarks)) == (1, 4, (1, 2, 7, 8), 0)


def test_a_line_with_more_cells_than_the_header_is_an_error_and_a_cut_one_lacks_its_plate() -> None:
    sheet = read(rows({"ponto": "ASSIS; 6464"}) + "2026-11-30;3656;PRA\n")
    assert [(each.kind, each.row) for each in sheet.remarks if "células" in each.message] == [("erro", 1)]
    assert ("erro", 2, "D3") in told(sheet)
    assert sheet.lines == ()


def test_columns_that_the_profile_does_not_know_are_told() -> None:
    assert read("prefixo;placa;modelo;cpf;marca\n1;KGA1234;UNO;1;FIAT\n").ignored_columns == ("cpf",)


# header


@pytest.mark.parametrize(
    "header",
    ["Prefixo;PLACA;Módelo", "  prefixo ;placa;modelo", "\ufeffprefixo;placa;modelo", "Nº  Permissão;placa;modelo"],
)
def test_a_header_is_known_whatever_its_case_accents_and_blanks(header: str) -> None:
    assert read(f"{header}\n1;KGA1234;UNO\n").lines[0].values["number"] == "0001"


def test_a_missing_column_is_named_with_what_stands_there() -> None:
    with pytest.raises(TableError, match=r"Falta a coluna «placa».*Seria «placas»"):
        read("prefixo;placas;modelo\n1;KGA1234;UNO\n", LIST)


def test_two_columns_of_one_meaning_are_refused() -> None:
    with pytest.raises(TableError, match=r"As colunas B .placa. e D .Placa do veículo. dizem a mesma coisa"):
        read("prefixo;placa;modelo;Placa do veículo\n1;KGA1234;UNO;KGA1234\n")


@pytest.mark.parametrize("name", ["s06_rio_stu_infracoes.csv", "s08_pontos.csv"])
def test_a_list_of_something_else_is_not_taken_for_vehicles(name: str) -> None:
    with pytest.raises(TableError, match="modelo"):
        read_sheet(read_table((DATA / name).read_bytes()), PROFILES, context())


# profiles


@pytest.mark.parametrize(
    ("changed", "key"),
    [
        ({"colunas": {}}, "colunas"),
        ({"columns": {"plate": ["placa"]}}, "falta «number»"),
        ({"columns": {"number": ["n"], "plate": ["p"], "plat": ["x"]}}, "columns.plat"),
        ({"columns": {"number": "n", "plate": ["p"]}}, "columns.number"),
        ({"required": ["make"]}, "«make» não está em columns"),
        ({"values": {"make": {"GM": "X"}}}, "values.make"),
        ({"unknown": {"plate": "-"}}, "unknown.plate"),
        ({"label": ""}, "label"),
    ],
)
def test_a_wrong_profile_names_its_key(changed: dict[str, Any], key: str) -> None:
    good: dict[str, Any] = {"label": "Lista", "columns": {"number": ["n"], "plate": ["p"]}}
    assert build_profile("bom", good).name == "bom"
    with pytest.raises(ProfileError, match=key):
        build_profile("ruim", good | changed)


def test_a_default_that_the_regime_lacks_stops_the_reading() -> None:
    profile = build_profile(
        "p", {"label": "L", "columns": {"number": ["n"], "plate": ["p"]}, "defaults": {"category": "x"}}
    )
    with pytest.raises(TableError, match=r"defaults.category, «x»"):
        read("n;p\n1;KGA1234\n", profile)


def test_a_category_is_read_by_code_or_label() -> None:
    text = "prefixo;placa;modelo;categoria\n1;KGA1234;UNO;TAXI COMUM\n2;KGB1234;UNO;especial\n3;KGC1234;UNO;luxo\n"
    sheet = read(text)
    assert [line.values["category"] for line in sheet.lines] == ["comum", "especial"]
    assert "Táxi comum, Especial" in sheet.remarks_of("erro")[0].message
