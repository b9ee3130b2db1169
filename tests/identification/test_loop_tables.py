"""Text files with loops: how they may be written, and what is refused in one line."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest

import slipstick as ss
from slipstick.identification.reading.loop_tables import read_loops

T = np.arange(200) / 100.0
U = np.sin(2.0 * np.pi * T)
F = np.tanh(3.0 * U) + 0.3 * np.cos(2.0 * np.pi * T)
ROWS = list(zip(T.tolist(), U.tolist(), F.tolist(), strict=True))


def rows(pattern: str, comma: bool = False) -> str:
    text = "\n".join(pattern % row for row in ROWS)
    return text.replace(".", ",") if comma else text


WRITTEN = {
    "header with units": ("t [s],u [mm],F [kN]\n" + rows("%.6f,%.6f,%.6f"), 1e-3, 1e3),
    "decimal commas": ("# rig 7\n# t;u;F\n" + rows("%.6f;%.6f;%.6f", comma=True), 1.0, 1.0),
    "units in a line of their own": ("time displacement force\ns   mm   N\n" + rows("%.6f  %.6f\t%.6f"), 1e-3, 1.0),
    "units above the names": ("s,mm,kN\nt,u,F\n" + rows("%.6f,%.6f,%.6f"), 1e-3, 1e3),
    "units alone": ("s,mm,kN\n" + rows("%.6f,%.6f,%.6f"), 1e-3, 1e3),
    "a unit that is not known in a line of units": (
        "t;u;F;sensor\ns;mm;kN;V\n" + rows("%.6f;%.6f;%.6f;2.5"),
        1e-3,
        1e3,
    ),
    "units that nothing else tells": ("a [s];b [mm];c [kN]\n" + rows("%.6f;%.6f;%.6f"), 1e-3, 1e3),
    "one unit that is not known": (
        "Zeit;Kolbenweg;Kraft KMD 5kN;Temp\n[s];[mm];[kN];[°C]\n" + rows("%.6f;%.6f;%.6f;21.5"),
        1e-3,
        1e3,
    ),
    "units without names": ("[s];[mm];[kN]\n" + rows("%.6f;%.6f;%.6f"), 1e-3, 1e3),
    "words for units": ("time in s\tx in µm\tforce in N\n" + rows("%.6f\t%.6f\t%.6f", comma=True), 1e-6, 1.0),
    "round brackets and blanks": ("t (s) ; u (mm) ; F (N)\n" + rows(" %.6f ; %.6f ; %.6f "), 1e-3, 1.0),
    "comments and empty lines": ("t,u,F\n" + rows("%.6f,%.6f,%.6f").replace("\n", "\n# x\n\n", 2), 1.0, 1.0),
    "no header": (rows("%.6f,%.6f,%.6f"), 1.0, 1.0),
    "a delimiter at the end of lines": ("t,u,F,\n" + rows("%.6f,%.6f,%.6f,"), 1.0, 1.0),
    "a line for Excel": ("sep=;\nt;u;F\n" + rows("%.6f;%.6f;%.6f", comma=True), 1.0, 1.0),
    "quoted fields": ('"t [s]","u [mm]","F [N]"\n' + rows('"%.6f","%.6f","%.6f"', comma=True), 1e-3, 1.0),
    "exponents of Fortran": ("t u F\n" + rows("%.6fD+00 %.6fD0 %.6fd-00"), 1.0, 1.0),
}


@pytest.mark.parametrize("how", WRITTEN)
@pytest.mark.parametrize("packed", [False, True], ids=["plain", "gz"])
def test_a_table_is_read_however_it_is_written(how: str, packed: bool, tmp_path: Path) -> None:
    text, length, force = WRITTEN[how]
    path = tmp_path / ("loop.csv.gz" if packed else "loop.csv")
    content = text.encode("latin-1" if "words" in how else "utf-8")
    path.write_bytes(gzip.compress(content) if packed else content)
    loop = ss.Loop.read_csv(path)
    np.testing.assert_allclose(loop.u, length * U, atol=1e-6 * length)
    np.testing.assert_allclose(loop.f, force * F, atol=1e-6 * force)
    np.testing.assert_allclose(loop.t, T, atol=1e-6)


def test_a_line_of_units_with_one_that_is_not_known_is_asked_about(tmp_path: Path) -> None:
    path = tmp_path / "loop.csv"
    path.write_text("u,F\nmm,kfoo\n" + "\n".join(f"{u:.6f},{f:.6f}" for _, u, f in ROWS))
    with pytest.raises(ss.FileError, match="kfoo"):
        ss.Loop.read_csv(path)


def test_columns_without_names_that_units_do_not_tell_are_asked_for_by_their_numbers(tmp_path: Path) -> None:
    path = tmp_path / "loop.csv"
    path.write_text("[s];[mm];[mm];[N]\n" + rows("%.6f;%.6f;0.5;%.6f"))
    with pytest.raises(ss.InvalidInput, match=r"the deflection\? give deflection= one of 1, 2; there are: column 1 -1"):
        ss.Loop.read_csv(path)
    np.testing.assert_allclose(ss.Loop.read_csv(path, deflection=1).f, F, atol=1e-6)


def test_lines_that_are_passed_over_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "loop.csv"
    path.write_text(WRITTEN["comments and empty lines"][0])
    assert "2 comment lines and 2 empty lines among the numbers skipped" in ss.Loop.read_csv(path).notes


def test_columns_are_chosen_by_name_and_by_number(tmp_path: Path) -> None:
    path = tmp_path / "loop.csv"
    path.write_text("a,b,c\n" + rows("%.6f,%.6f,%.6f"))
    for names in ({"time": "a", "deflection": "b", "force": "c"}, {"time": 0, "deflection": 1, "force": 2}):
        np.testing.assert_allclose(ss.Loop.read_csv(path, **names).f, F, atol=1e-6)
    np.testing.assert_allclose(ss.Loop.read_csv(path, deflection="c", force="b").u, F, atol=1e-6)


def test_one_file_may_hold_a_loop_for_each_value_of_a_column(tmp_path: Path) -> None:
    path = tmp_path / "loops.csv"
    lines = [f"{u:.6f},{f:.6f},{10 * (i // 100)}" for i, (_, u, f) in enumerate(ROWS)]
    path.write_text("u,F,amplitude\n" + "\n".join(lines))
    first, second = ss.Loop.read_many(path, by="amplitude")
    assert (first.name, second.name) == ("loops.csv amplitude = 0", "loops.csv amplitude = 10")
    np.testing.assert_allclose(np.concatenate((first.u, second.u)), U, atol=1e-6)


GOOD = "t,u,F\n" + rows("%.6f,%.6f,%.6f")
BAD: dict[str, tuple[str, str]] = {
    "empty": ("", "is empty"),
    "one column": (
        "u\n1\n2\n3\n",
        ":2: has fewer than two numbers: '1'; a loop needs two columns of numbers, deflection and force",
    ),
    "a header alone": ("u [mm],F [N]\n", ":1: is the only line, without numbers: 'u [mm],F [N]'; a loop needs"),
    "names that are alike": ("u,u,u\n1,2,3\n2,3,5\n", "one of u (column 1), u (column 2)"),
    "text": (GOOD.replace("0.500000", "abc", 1), ":52: column \"t\": must be a number, got 'abc'"),
    "nan": (GOOD.replace("\n0.510000,", "\nnan,", 1), ':53: column "t": must be finite, got nan'),
    "a field too many": (GOOD.replace("\n0.510000,", "\n0.510000,7,", 1), ":53: has 4 fields, lines before have 3"),
    "constant": ("u,F\n" + "1,2\n" * 20, "the deflection is 1 at all samples"),
    "few": ("u,F\n1,2\n2,3\n", "a loop needs at least 8 samples, got 2"),
    "time backwards": ("t,u,F\n" + "\n".join(f"{-a},{b},{c}" for a, b, c in ROWS), ":3: time must increase"),
    "wrong unit": (
        "t,u [s],F\n" + rows("%.6f,%.6f,%.6f"),
        "must have a unit of a length or an angle or a strain or a curvature, got s",
    ),
    "unknown unit": ("t,u [furlongs per x],F\n" + rows("%.6f,%.6f,%.6f"), "unit"),
}


@pytest.mark.parametrize("case", BAD)
def test_what_is_no_table_is_refused_in_one_line(case: str, tmp_path: Path) -> None:
    text, words = BAD[case]
    path = tmp_path / "bad.csv"
    path.write_text(text)
    with pytest.raises(ss.InvalidInput) as refusal:
        ss.Loop.read_csv(path)
    said = str(refusal.value)
    assert words in said
    assert said.startswith(str(path))
    assert "\n" not in said


def test_columns_with_each_others_units_are_told_to_be_swapped(tmp_path: Path) -> None:
    path = tmp_path / "bad.csv"
    path.write_text("t [s],u [N],F [mm]\n" + rows("%.6f,%.6f,%.6f"))
    with pytest.raises(ss.InvalidInput, match="are the columns swapped"):
        ss.Loop.read_csv(path)


def test_blocks_with_empty_lines_between_them_are_several_loops(tmp_path: Path) -> None:
    path = tmp_path / "blocks.csv"
    one = rows("%.6f,%.6f,%.6f")
    for between in ("\n\n", "\nt,u,F\n", "\n\n\nt,u,F\n"):
        path.write_text("t,u,F\n" + one + between + one)
        loops = ss.Loop.read_many(path)
        assert [loop.name for loop in loops] == ["blocks.csv block 1", "blocks.csv block 2"]
        np.testing.assert_allclose([loop.u for loop in loops], [U, U], atol=1e-6)
        with pytest.raises(ss.InvalidInput, match=r"holds 2 loops.*Loop\.read_many"):
            ss.Loop.read_csv(path)
    path.write_text(one + "\n\n" + one)  # without a header time is what rises in every block
    np.testing.assert_allclose(ss.Loop.read_many(path)[1].t, T, atol=1e-6)


def test_a_gap_over_which_time_goes_on_is_within_a_loop(tmp_path: Path) -> None:
    path = tmp_path / "gap.csv"
    lines = rows("%.6f,%.6f,%.6f").split("\n")
    path.write_text("t,u,F\n" + "\n".join(lines[:90]) + "\n\n" + "\n".join(lines[90:]))
    loop = ss.Loop.read_csv(path)
    np.testing.assert_allclose(loop.u, U, atol=1e-6)
    assert "1 gap within the loop skipped, as time continues" in loop.notes


def test_many_files_are_read_by_a_pattern_or_a_list(tmp_path: Path) -> None:
    for name in ("rig2.csv", "rig1.csv", "other.csv"):
        (tmp_path / name).write_text(GOOD)
    loops = ss.Loop.read_many(str(tmp_path / "rig*.csv"))
    assert [loop.name for loop in loops] == ["rig1.csv", "rig2.csv"]
    assert [loop.name for loop in ss.Loop.read_many([tmp_path / "other.csv", tmp_path / "rig2.csv"])] == [
        "other.csv",
        "rig2.csv",
    ]
    with pytest.raises(ss.InvalidInput, match="no file matches"):
        ss.Loop.read_many(str(tmp_path / "x*.csv"))
    with pytest.raises(ss.InvalidInput, match="read_many needs a file"):
        ss.Loop.read_many([])


def test_text_around_the_numbers_is_counted(tmp_path: Path) -> None:
    path = tmp_path / "loop.csv"
    path.write_text("rig 7\noperator A\n" + GOOD + "\nend of data\n")
    notes = ss.Loop.read_csv(path).notes
    assert "2 lines of text above the numbers skipped: 'rig 7'" in notes
    assert "1 line of text below the numbers skipped: 'end of data'" in notes


def test_units_of_what_is_no_column_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "loop.csv"
    path.write_text(GOOD)
    with pytest.raises(ss.InvalidInput, match="units are of deflection, force, time"):
        ss.Loop.read_csv(path, units={"deflction": "mm"})
    np.testing.assert_allclose(ss.Loop.read_csv(path, units={"deflection": "mm"}).u, 1e-3 * U, atol=1e-9)


@pytest.mark.parametrize(
    ("header", "words"),
    [
        ("t [s],u [mm],M [N m]", "deflection in mm is a length, force in N m is a moment, which goes with an angle"),
        ("t [s],strain [%],F [N]", "deflection in % is a strain, force in N is a force, which goes with a length"),
        ("t [s],angle [deg],F [N]", "deflection in deg is an angle, force in N is a force"),
    ],
)
def test_units_that_no_law_has_together_are_refused(tmp_path: Path, header: str, words: str) -> None:
    file = tmp_path / "rig.csv"
    file.write_text(header + "\n" + rows("%.6f,%.6f,%.6f"))
    with pytest.raises(ss.SlipstickError, match=words):
        ss.Loop.read_csv(file, deflection=1, force=2)
    angle, moment = {"deflection": "rad"}, {"force": "N m"}
    assert ss.Loop.read_csv(file, deflection=1, force=2, units=angle | moment).system == "rotation"


@pytest.mark.parametrize("packed", [False, True], ids=["plain", "gz"])
def test_what_came_without_a_file_is_read_as_from_one(packed: bool, tmp_path: Path) -> None:
    content = WRITTEN["header with units"][0].encode()
    content = gzip.compress(content) if packed else content
    path = tmp_path / "loop.csv"
    path.write_bytes(content)
    there, not_there = ss.Loop.read_csv(path), read_loops("no/such/folder/loop.csv", content=content)[0]
    np.testing.assert_array_equal(not_there.u, there.u)
    np.testing.assert_array_equal(not_there.f, there.f)
    assert (not_there.name, not_there.notes) == (there.name, there.notes)


def test_a_model_file_is_no_table(tmp_path: Path) -> None:
    path = tmp_path / "good.yaml"
    path.write_text("coordinates:\n  x: {inertia: 2 kg}\n")
    with pytest.raises(ss.FileError, match=r"good\.yaml: is a model or study file, not a table"):
        ss.Loop.read(path)


def test_a_column_without_a_name_is_counted_from_0(tmp_path: Path) -> None:
    path = tmp_path / "bare.csv"
    path.write_text("\n".join(f"{k % 7},{k}" for k in range(30)) + "\n3,nan\n")
    with pytest.raises(ss.FileError, match=r"bare\.csv:31: column 1 \(counted from 0\): must be finite, got nan"):
        ss.Loop.read(path)
