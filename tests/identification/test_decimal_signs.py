"""Commas and points in numbers: decimals or thousands, told from the file where it tells, asked for where not."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import slipstick as ss
from slipstick.cli.loop_options import ROLES, TABLE_OPTIONS, LoopReadOptions, loops_of
from slipstick.identification.reading.decimal_signs import decide_decimal_comma, parse_number
from slipstick.study.command_messages import COMMAND

PHASE = np.linspace(0.0, 4.0 * np.pi, 60)
U = np.round(2000.0 * np.sin(PHASE))  # [um]
F = np.round(9000.0 * np.sin(PHASE + 0.3) + 20_000.0)  # [N], never below 1000
COMMA = str.maketrans(",.", ".,")
LOCALES = {  # how numbers with one decimal are written
    "English": lambda x: f"{x:,.1f}",
    "German": lambda x: f"{x:,.1f}".translate(COMMA),
    "French": lambda x: f"{x:,.1f}".replace(",", "\u202f").replace(".", ","),
    "Swiss": lambda x: f"{x:,.1f}".replace(",", "'"),
    "spaced": lambda x: f"{x:,.1f}".replace(",", " ").replace(".", ","),
    "plain": lambda x: f"{x:.1f}",
    "exponents": lambda x: f"{x:.6E}",
    "exponents with commas": lambda x: f"{x:.6e}".replace(".", ","),
}


def written(path: Path, separator: str, deflections: list[str], forces: list[str]) -> Path:
    rows = [separator.join(row) for row in zip(deflections, forces, strict=True)]
    path.write_text("\n".join([f"u [um]{separator}F [N]", *rows]) + "\n", encoding="utf-8")
    return path


@pytest.mark.parametrize("separator", ["\t", ";"])
@pytest.mark.parametrize("locale", LOCALES)
def test_numbers_with_one_reading_are_read_so_in_every_locale(locale: str, separator: str, tmp_path: Path) -> None:
    write = LOCALES[locale]
    path = written(tmp_path / "rig.csv", separator, [write(x / 10.0) for x in U], [write(x) for x in F - 20_000.0])
    loop = ss.Loop.read_csv(path)
    assert loop.u == pytest.approx(1e-7 * U, abs=1e-10)
    assert loop.f == pytest.approx(F - 20_000.0, abs=1e-6)


def test_whole_numbers_below_a_thousand_tell_commas_of_thousands(tmp_path: Path) -> None:
    """28 <tab> 937 and 11,584: the limit is 600 N, not 0.6 N."""
    f = np.round(600.0 * np.sin(PHASE)) + 800.0
    path = written(tmp_path / "rig.txt", "\t", [f"{x:.0f}" for x in U], [f"{x:,.0f}" for x in f])
    loop = ss.Loop.read_csv(path)
    assert np.array_equal(loop.f, f)
    assert "thousands separators removed from numbers" in loop.notes
    assert any(" is read as 1" in words for words in loop.notes)


@pytest.mark.parametrize("separator", ["\t", ";", " "])
def test_a_comma_with_two_readings_is_asked_about(separator: str, tmp_path: Path) -> None:
    path = written(tmp_path / "rig.txt", separator, [f"{x:.0f}" for x in U], [f"{x:,.0f}" for x in F])
    with pytest.raises(ss.FileError) as refused:
        ss.Loop.read_csv(path)
    first = f"{F[0]:,.0f}"
    assert str(refused.value) == (
        f"{path}: {first} may be {F[0]:.0f} or {F[0] / 1000.0:g}, and no other number of the file decides; "
        'give decimal="." or decimal=","'
    )
    assert COMMAND.message(refused.value.message).endswith("give --decimal . or --decimal ,")
    assert np.array_equal(ss.Loop.read_csv(path, decimal=".").f, F)
    assert ss.Loop.read_csv(path, decimal=",").f == pytest.approx(F / 1000.0, rel=1e-15)
    (many,) = ss.Loop.read_many([path], decimal=",")
    assert many.f == pytest.approx(F / 1000.0, rel=1e-15)


def test_a_wrong_decimal_sign_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path / "rig.txt", "\t", [f"{x:.0f}" for x in U], [f"{x:,.0f}" for x in F])
    with pytest.raises(ss.InvalidInput, match=r'decimal must be "\." or ","'):
        ss.Loop.read_csv(path, decimal=";")
    reading = LoopReadOptions(dict.fromkeys((*ROLES, *TABLE_OPTIONS)) | {"decimal": "point"}, None, None, False, False)
    with pytest.raises(ss.InvalidInput, match="--decimal must be"):
        loops_of([str(path)], reading)


def test_large_whole_numbers_tell_decimal_commas(tmp_path: Path) -> None:
    """1234 beside 1,234: whoever separated thousands would have separated these."""
    f = [f"{x:.0f}" if k % 3 else f"{x / 1000.0:.3f}".replace(".", ",") for k, x in enumerate(F)]
    loop = ss.Loop.read_csv(written(tmp_path / "rig.txt", "\t", [f"{x:.0f}" for x in U], f))
    assert loop.f[:3] == pytest.approx((F[0] / 1000.0, F[1], F[2]), rel=1e-15)


def test_another_column_tells(tmp_path: Path) -> None:
    forces = [f"{x:,.0f}" for x in F]
    point = written(tmp_path / "point.txt", "\t", [f"{x / 1000.0:.4f}" for x in U], forces)
    assert np.array_equal(ss.Loop.read_csv(point).f, F)
    comma = written(tmp_path / "comma.txt", "\t", [f"{x / 1000.0:.4f}".replace(".", ",") for x in U], forces)
    assert ss.Loop.read_csv(comma).f == pytest.approx(F / 1000.0, rel=1e-15)


def test_columns_that_contradict_each_other_are_asked_about(tmp_path: Path) -> None:
    """Decimal commas in one column, 937 beside 1,234 in the other: taken as decimals, 1,234 would be 1.234 N."""
    f = np.round(600.0 * np.sin(PHASE)) + 800.0
    deflections = [f"{x / 1000.0:.4f}".replace(".", ",") for x in U]
    with pytest.raises(ss.FileError, match="no other number of the file decides"):
        ss.Loop.read_csv(written(tmp_path / "rig.txt", "\t", deflections, [f"{x:,.0f}" for x in f]))


def test_points_before_three_digits_are_decimals_but_not_beside_small_whole_numbers(tmp_path: Path) -> None:
    whole = [f"{x:.0f}" for x in U]
    loop = ss.Loop.read_csv(written(tmp_path / "rig.txt", "\t", whole, [f"{x / 1000.0:.3f}" for x in F]))
    assert loop.f == pytest.approx(F / 1000.0, rel=1e-15)
    f = np.round(600.0 * np.sin(PHASE)) + 800.0
    path = written(tmp_path / "German.txt", "\t", whole, [f"{x:,.0f}".translate(COMMA) for x in f])
    with pytest.raises(ss.FileError, match="no other number of the file decides"):
        ss.Loop.read_csv(path)
    assert np.array_equal(ss.Loop.read_csv(path, decimal=",").f, f)


def test_unquoted_decimal_commas_between_commas_are_refused(tmp_path: Path) -> None:
    """Two names above three columns: units and columns would be lost."""
    path = written(
        tmp_path / "rig.csv", ",", [f"{x:.0f}" for x in U], [f"{x / 1000.0:.3f}".replace(".", ",") for x in F]
    )
    with pytest.raises(ss.FileError, match="has 2 names, the numbers below it have 3 columns"):
        ss.Loop.read_csv(path)


@given(st.lists(st.integers(-99_999_999, 99_999_999), min_size=2, max_size=30), st.booleans())
@example([11584, 11585], False)
@example([937, 1234], False)
@example([0, 1234], True)
@example([0, 1234], False)
def test_no_column_of_whole_numbers_with_thousands_is_read_otherwise(numbers: list[int], comma: bool) -> None:
    """Read as written, or asked about; never a thousand times smaller."""
    fields = [f"{x:,}".translate(COMMA) if comma else f"{x:,}" for x in numbers]
    found, doubt = decide_decimal_comma(([field] for field in fields), None)
    usual = comma and all(x == 0 or 999 < abs(x) < 1_000_000 for x in numbers)  # 1.234 is 1.234 where nothing speaks
    if not doubt and not usual:
        assert [parse_number(field, found, grouped=True) for field in fields] == numbers
