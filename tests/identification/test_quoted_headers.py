"""Headers as spreadsheets write them: quoted, with line breaks and separators in names, in every encoding."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import slipstick as ss
from slipstick.identification.reading.table_layout import detect_layout
from slipstick.identification.reading.text_lines import read_lines
from slipstick.model.files.headers import split

PHASE = np.linspace(0.0, 4.0 * np.pi, 50)
U, F = np.sin(PHASE), 1.5 * np.cos(PHASE)  # [mm], [kN]
HEADERS = [
    ("Force\n[kN]", "Displacement\n[mm]"),  # the order tells nothing, and neither do swapped units
    ("Force\nkN", "Displacement\nmm"),
    ("Kraft\r\nZelle 2 (kN)", "Weg\r\nOben (mm)"),
    ("Load, upper [kN]", "Stroke; lower [mm]"),
    ("Load, kN", "Stroke, mm"),
    ("Load: kN", "Stroke: mm"),
    ("load_kN", "x_mm"),
    ("Load kN", "Stroke mm"),
    ("Load (kN) cell 2", "Stroke [mm] upper"),
    ('the 2" cell: load [kN]', "stroke\nof the\nram [mm]"),
]


def sheet(header: tuple[str, ...], delimiter: str, comma: bool = False) -> str:
    """As a spreadsheet saves it."""
    text = io.StringIO()
    out = csv.writer(text, delimiter=delimiter, lineterminator="\r\n")
    out.writerow(header)
    for f, u in zip(F, U, strict=True):
        out.writerow([f"{x:.6f}".replace(".", "," if comma else ".") for x in (f, u)])
    return text.getvalue()


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
@pytest.mark.parametrize("header", HEADERS)
def test_names_and_units_are_found_whatever_stands_in_quotes(
    header: tuple[str, str], delimiter: str, encoding: str, tmp_path: Path
) -> None:
    for comma in (False, True):
        path = tmp_path / "sheet.csv"
        path.write_bytes(sheet(header, delimiter, comma).encode(encoding))
        loop = ss.Loop.read_csv(path)
        assert loop.u == pytest.approx(1e-3 * U, abs=1e-9)
        assert loop.f == pytest.approx(1e3 * F, abs=1e-3)
        assert not any("of text" in words for words in loop.notes)


@pytest.mark.parametrize(
    "name", ["u in", "u_min", "u_bar", "psi", "mm", "u (1) b", "u, upper", "cycle_N", "stroke of cell 2"]
)
def test_words_of_a_name_are_no_units(name: str) -> None:
    assert detect_layout("sheet.csv", sheet(("F [N]", name), ";").split("\r\n")).units == ("N", "")


def test_columns_of_text_are_named_as_such(tmp_path: Path) -> None:
    path = tmp_path / "sheet.csv"
    path.write_text("u [mm],F [N],remark\n1,2,good\n3,4,bad\n")
    with pytest.raises(ss.SlipstickError, match="column \"remark\": must be a number, got 'good'"):
        ss.Loop.read_csv(path, force="remark")


def test_a_typographic_minus_is_one(tmp_path: Path) -> None:
    path = tmp_path / "sheet.csv"
    path.write_text(sheet(HEADERS[0], ";").replace("-", "\N{MINUS SIGN}"), encoding="utf-8")
    assert ss.Loop.read_csv(path).f == pytest.approx(1e3 * F, abs=1e-3)


def test_a_header_that_comes_again_parts_blocks(tmp_path: Path) -> None:
    path = tmp_path / "sheet.csv"
    once = sheet(HEADERS[0], ",")
    path.write_text(once + once, newline="")
    loops = ss.Loop.read_many(path)
    assert [len(loop) for loop in loops] == [50, 50]
    assert loops[1].f == pytest.approx(1e3 * F, abs=1e-3)


def test_faults_are_named_by_their_line_in_the_file(tmp_path: Path) -> None:
    path = tmp_path / "sheet.csv"
    lines = sheet(("stroke\nof the\nram [mm]", "Force\n[kN]"), ",").replace("\r\n", "\n").split("\n")
    lines[20] = "1.0,oops"
    path.write_text("\n".join(lines))
    with pytest.raises(ss.FileError, match=r'sheet\.csv:21: column "Force"'):
        ss.Loop.read_csv(path)


@pytest.mark.parametrize("remark", ['rig 7, 5" ram', 'a "quoted" word', '"open for ever', "it's"])
def test_quotes_in_remarks_swallow_nothing(remark: str, tmp_path: Path) -> None:
    path = tmp_path / "sheet.csv"
    path.write_text(f"{remark}\n" + sheet(("u [mm]", "F [kN]"), ",").replace("\r\n", "\n"))
    loop = ss.Loop.read_csv(path)
    assert len(loop) == 50
    assert "1 line of text above the numbers skipped" in loop.notes[0]


_text = st.text(st.characters(codec="ascii", exclude_characters="\r\x00#%!/"), min_size=1, max_size=12)


@given(st.lists(_text, min_size=2, max_size=5), st.sampled_from([",", ";", "\t"]))
def test_rows_in_quotes_are_split_as_the_csv_module_does(fields: list[str], delimiter: str) -> None:
    text = io.StringIO()
    csv.writer(text, delimiter=delimiter, quoting=csv.QUOTE_ALL, lineterminator="\n").writerow(["x", *fields, "x"])
    line = read_lines("x", text.getvalue().encode())[0]
    assert split(line, delimiter) == [field.strip().strip('"').strip() for field in ["x", *fields, "x"]]


def test_quoted_names_between_blanks() -> None:
    rows = [f"{u:.5f} {f:.5f}" for u, f in zip(U, F, strict=True)]
    layout = detect_layout("x", ['"my stroke [mm]" "my load [kN]"', *rows])
    assert (layout.header, layout.units) == (("my stroke", "my load"), ("mm", "kN"))
