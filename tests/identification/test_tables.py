"""Text files with loops: how they may be written, and what is refused in one line."""

from __future__ import annotations

import gzip
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import slipstick as ss
from slipstick.identification.tables import read_loops

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
    "words for units": ("time in s\tx in µm\tforce in N\n" + rows("%.6f\t%.6f\t%.6f", comma=True), 1e-6, 1.0),
    "round brackets and blanks": ("t (s) ; u (mm) ; F (N)\n" + rows(" %.6f ; %.6f ; %.6f "), 1e-3, 1.0),
    "comments and empty lines": ("t,u,F\n" + rows("%.6f,%.6f,%.6f").replace("\n", "\n# x\n\n", 2), 1.0, 1.0),
    "no header": (rows("%.6f,%.6f,%.6f"), 1.0, 1.0),
    "a delimiter at the end of lines": ("t,u,F,\n" + rows("%.6f,%.6f,%.6f,"), 1.0, 1.0),
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


def test_lines_that_are_passed_over_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "loop.csv"
    path.write_text(WRITTEN["comments and empty lines"][0])
    assert "2 comment lines and 2 empty lines among the numbers passed over" in ss.Loop.read_csv(path).notes


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
    first, second = read_loops(path, by="amplitude")
    assert (first.name, second.name) == ("loops.csv amplitude = 0", "loops.csv amplitude = 10")
    np.testing.assert_allclose(np.concatenate((first.u, second.u)), U, atol=1e-6)


GOOD = "t,u,F\n" + rows("%.6f,%.6f,%.6f")
BAD: dict[str, tuple[str, str]] = {
    "empty": ("", "is empty"),
    "one column": ("u\n1\n2\n3\n", ":2: has no two numbers in a row"),
    "text": (GOOD.replace("0.500000", "abc", 1), ":52: column 0: must be a number, got 'abc'"),
    "nan": (GOOD.replace("\n0.510000,", "\nnan,", 1), ":53: column 0: must be finite, got nan"),
    "a field too many": (GOOD.replace("\n0.510000,", "\n0.510000,7,", 1), ":53: has 4 fields, lines before have 3"),
    "constant": ("u,F\n" + "1,2\n" * 20, "the deflection is 1 throughout"),
    "few": ("u,F\n1,2\n2,3\n", "a loop needs at least 8 samples, got 2"),
    "time backwards": ("t,u,F\n" + "\n".join(f"{-a},{b},{c}" for a, b, c in ROWS), ":3: time must increase"),
    "wrong unit": (
        "t,u [s],F\n" + rows("%.6f,%.6f,%.6f"),
        "must have a unit of a length or an angle or a strain, got s",
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


def test_no_damage_to_a_file_makes_a_traceback(tmp_path: Path) -> None:
    rng = random.Random(1)
    sources = [text.encode() for text, _, _ in WRITTEN.values()]
    sources.append(gzip.compress(sources[0]))
    path = tmp_path / "m.csv"
    read = 0
    for _ in range(400):
        path.write_bytes(damaged(rng, rng.choice(sources)))
        said = ""
        try:
            ss.Loop.read_csv(path)
            read += 1
        except ss.InvalidInput as refusal:
            said = str(refusal)
        assert "\n" not in said
    assert read < 400


def damaged(rng: Any, source: bytes) -> bytes:
    s = bytearray(source)
    pieces = [
        b",",
        b";",
        b"\n",
        b"nan",
        b"1e999",
        b"\x00",
        b"\xff",
        b'"',
        b"#",
        b"-",
        b"e",
        b"\t",
        b"xxxxx",
        b"[",
        b"(",
    ]
    for _ in range(rng.randint(1, 6)):
        way, p = rng.random(), rng.randrange(len(s) + 1)
        if way < 0.3:
            del s[p : p + rng.randint(1, 20)]
        elif way < 0.6:
            s[p:p] = rng.choice(pieces)
        elif way < 0.8 and s:
            s[min(p, len(s) - 1)] = rng.randrange(256)
        else:
            s[p:p] = s[p : p + 200]
    return bytes(s)
