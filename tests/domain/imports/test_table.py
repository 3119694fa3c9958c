"""Bytes to records: however the file was saved."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from registry.domain.imports.table import TableError, column_letter, read_table

DATA = Path(__file__).parents[2] / "data" / "imports"
TEXT = "prefixo;ponto\r\n0042;PRAÇA DO DIÁRIO – “CENTRO”\r\n"
ROWS = [("prefixo", "ponto"), ("0042", "PRAÇA DO DIÁRIO – “CENTRO”")]


def as_sent(name: str, codec: str) -> bytes:
    """A sample in the encoding in which it comes."""
    return (DATA / name).read_bytes().decode().encode(codec)


def cells(data: bytes) -> list[tuple[str, ...]]:
    return [record.cells for record in read_table(data).records]


@pytest.mark.parametrize(
    ("codec", "named"),
    [("utf-8", "UTF-8"), ("utf-8-sig", "UTF-8"), ("cp1252", "Windows-1252"), ("utf-16", "UTF-16")],
)
def test_each_encoding_gives_the_same_records_and_no_mark_sticks_to_the_first_header(codec: str, named: str) -> None:
    table = read_table(TEXT.encode(codec))
    assert table.encoding == named
    assert [record.cells for record in table.records] == ROWS


def test_latin_1_is_read_where_nothing_tells_it_from_windows() -> None:
    table = read_table("nome;uf\nAGROLÂNDIA;SC\n".encode("latin-1"))
    assert (table.encoding, table.records[1].cells) == ("Latin-1", ("AGROLÂNDIA", "SC"))


@pytest.mark.parametrize("byte", [0x80, 0x91, 0x93, 0x96, 0x9C, 0x9F])
def test_bytes_that_only_windows_has_are_read_as_windows(byte: int) -> None:
    table = read_table(b"a;b\n1;caf\xe9 " + bytes([byte]) + b"\n")
    assert table.encoding == "Windows-1252"
    assert table.records[1].cells[1] == "café " + bytes([byte]).decode("cp1252")


def test_a_utf_8_file_with_a_broken_byte_is_refused_and_not_spoilt() -> None:
    broken = "nome\nSão José\nConceição\n".encode() + b"caf\xe9\n"
    with pytest.raises(TableError, match="linha 4") as refused:
        read_table(broken)
    assert refused.value.line == 4


@pytest.mark.parametrize(
    "data",
    [b"", b"  \n", b"PK\x03\x04x", b"\xd0\xcf\x11\xe0x", b"%PDF-1.7", b"a;b\n1;\x002\n", b"\xff\xfea\x00b"],
)
def test_what_is_no_text_is_refused(data: bytes) -> None:
    with pytest.raises(TableError):
        read_table(data)


@pytest.mark.parametrize("delimiter", [";", ",", "\t", "|"])
def test_the_delimiter_is_found_although_others_stand_in_the_cells(delimiter: str) -> None:
    others = "".join(each for each in ";,|" if each != delimiter)
    rows = [("prefixo", "ponto", "placa"), ("0042", f"ASSIS BRASIL{others} 6464", "KGA1234"), ("0043", "1,5", "x")]
    text = "\n".join(delimiter.join(f'"{cell}"' if delimiter in cell else cell for cell in row) for row in rows)
    assert cells(text.encode()) == rows


def test_a_file_of_one_column_has_no_delimiter_to_find() -> None:
    assert cells(b"placa\nKGA1234\nKGB1234\n") == [("placa",), ("KGA1234",), ("KGB1234",)]


@pytest.mark.parametrize("line", ["sep=,\r\n", "SEP=,\n", "sep=,\n"])
def test_a_sep_line_decides_and_is_no_row(line: str) -> None:
    table = read_table(f"{line}a;b,c\n1;2,3\n".encode())
    assert (table.delimiter, table.records[0].line, table.records[0].cells) == (",", 1, ("a;b", "c"))


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_every_line_end_is_read(end: str) -> None:
    assert cells(end.join(["a;b", "1;2", ""]).encode()) == [("a", "b"), ("1", "2")]


def test_a_quoted_cell_keeps_its_delimiter_quotes_and_line_break() -> None:
    table = read_table(as_sent("s02_permissionarios.csv", "cp1252"))
    assert table.encoding == "Windows-1252"
    assert table.records[1].cell(7) == "R. DA AURORA, 10; AP 2"
    assert table.records[3].cell(10) == 'Obs. com "aspas" e\r\nquebra de linha'
    assert [record.line for record in table.records] == list(range(1, 10))
    assert [record.blank for record in table.records][-1] is True


def test_padded_latin_1_and_titles_of_a_spreadsheet() -> None:
    padded = read_table(as_sent("s04_localidades.csv", "latin-1"))
    assert padded.records[2].cells == ("AGROLANDIA                    ", "AGROLÂNDIASC")
    titled = read_table(as_sent("s08_pontos.csv", "cp1252"))
    assert titled.delimiter == ";"
    assert titled.records[0].cell(0) == "PREFEITURA MUNICIPAL - PERMISSÕES POR PONTO"
    assert titled.records[5].cell(4) == "0100;0101"


@pytest.mark.parametrize(("text", "says"), [('a;b\n1;"2\n3;4\n', "a partir da linha 2"), ('a;b\n1;"x"y\n', "linha 2")])
def test_a_quote_left_open_is_refused_and_swallows_nothing(text: str, says: str) -> None:
    with pytest.raises(TableError, match=says):
        read_table(text.encode())


@pytest.mark.parametrize(
    ("place", "letters"), [(0, "A"), (25, "Z"), (26, "AA"), (51, "AZ"), (52, "BA"), (701, "ZZ"), (702, "AAA")]
)
def test_column_letters(place: int, letters: str) -> None:
    assert column_letter(place) == letters


@given(st.binary(max_size=300))
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    try:
        read_table(data)
    except TableError as error:
        assert error.message_pt
