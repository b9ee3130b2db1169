"""Tables as rigs and offices write them: long heads, other languages, separators of thousands, several faults."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import slipstick as ss

T = np.arange(80) / 40.0
U = 1.2e-3 * np.sin(2.0 * np.pi * T)  # m
F = 2500.0 * np.tanh(3e3 * U) + 300.0 * np.cos(2.0 * np.pi * T)  # N


def lines(form: str, *columns: np.ndarray) -> str:
    return "".join(form.format(*row) + "\n" for row in zip(*columns, strict=True))


def read(path: Path, text: str, encoding: str = "utf-8") -> ss.Loop:
    path.write_text(text, encoding=encoding)
    loop = ss.Loop.read_csv(path)
    np.testing.assert_allclose(loop.u, U, atol=1e-8)
    np.testing.assert_allclose(loop.f, F, atol=1e-2)
    if loop.t is not None:
        np.testing.assert_allclose(loop.t, T, atol=1e-4)
    return loop


def test_a_rig_with_thirty_lines_above_its_numbers_and_words_in_its_names(tmp_path: Path) -> None:
    head = ["export 7", "Date: 03/11/2026 09:14:55", "", *(f"Parameter {i}:\t{1.5 * i}" for i in range(25)), "", "Data"]
    titles = "Time\tAxial Displacement\tAxial Force\tAxial Count\nsec\tmm\tN\tcycles\n"
    rows = lines("{:.4f}\t{:.6f}\t{:.4f}\t{:.0f}", T, 1e3 * U, F, np.floor(T))
    loop = read(tmp_path / "rig.txt", "\n".join(head) + "\n" + titles + rows)
    assert loop.t is not None
    assert (loop.units.deflection.unit, loop.units.force.unit) == ("mm", "N")
    said = [note for note in loop.notes if note.startswith("deflection: ")]
    assert said == [
        'deflection: column "Axial Displacement" in mm, times 0.001; force: column "Axial Force" in N; '
        'time: column "Time" in sec; not used: column "Axial Count"'
    ]


@pytest.mark.parametrize(
    ("names", "units", "encoding"),
    [
        ("Zeit;Weg;Kraft", "s;mm;kN", "latin-1"),
        ("Temps;Déplacement;Effort", "(s);(mm);(kN)", "latin-1"),
        ("temps;déplacement;force", "s;mm;kN", "utf-8"),
        ("Zeit;Traverse Weg 1;Kraft Zelle 2", "s;mm;kN", "utf-8"),
    ],
)
def test_german_and_french_names_with_decimal_commas(names: str, units: str, encoding: str, tmp_path: Path) -> None:
    rows = lines("{:.4f};{:.6f};{:.6f}", T, 1e3 * U, 1e-3 * F).replace(".", ",")
    assert read(tmp_path / "m.csv", f"{names}\n{units}\n{rows}", encoding).t is not None


def test_stress_and_strain_are_known_in_german_and_a_voltage_is_none(tmp_path: Path) -> None:
    rows = lines("{:.4f};{:.4f};{:.9f};{:.4f}", T, 0.0 * T + 5.0, U, F)
    loop = read(tmp_path / "m.csv", f"Zeit [s];Spannung [V];Dehnung [-];Schubspannung [Pa]\n{rows}")
    assert loop.system == "stress"


def test_a_frequency_is_no_force_though_it_is_called_f(tmp_path: Path) -> None:
    rows = lines("{:.1f},{:.6f},{:.4f}", 0.0 * T + 3.0, 1e3 * U, F)
    read(tmp_path / "m.csv", f"f [Hz],u [mm],F [N]\n{rows}")


@pytest.mark.parametrize(
    ("delimiter", "written"),
    [(",", '"{:,.3f}"'), (";", "{:,.3f}"), ("\t", "{:,.3f}")],
)
def test_separators_of_thousands_are_taken_out_where_a_whole_file_has_them(
    delimiter: str, written: str, tmp_path: Path
) -> None:
    rows = lines(f"{{:.4f}}{delimiter}{{:.6f}}{delimiter}{written}", T, 1e3 * U, F)
    text = f"Time (s){delimiter}Displacement (mm){delimiter}Load (N)\n{rows}".replace("\n", "\r\n")
    loop = read(tmp_path / "excel.csv", text, "utf-8-sig")
    assert "thousands separators removed from numbers" in loop.notes


def test_points_between_thousands_and_decimal_commas(tmp_path: Path) -> None:
    swapped = str.maketrans(",.", ".,")
    rows = lines("{:.4f};{:.6f};{:,.3f}", T, 1e3 * U, F).translate(swapped)
    read(tmp_path / "m.csv", f"Zeit [s];Weg [mm];Kraft [N]\n{rows}")


def test_decimal_commas_with_three_digits_are_no_thousands(tmp_path: Path) -> None:
    """One damaged row must not make every 0,123 and 1,234 a thousand times larger."""
    rows = lines("{:.3f};{:.3f};{:.3f}", T, 1e3 * U, 1e-3 * F).replace(".", ",").splitlines()
    rows[9] = "0,225;1,200;1,234.500"
    path = tmp_path / "m.csv"
    path.write_text("Zeit [s];Weg [mm];Kraft [kN]\n" + "\n".join(rows))
    with pytest.raises(ss.FileError, match=r"m\.csv:11: column \"Kraft\": must be a number, got '1,234.500'"):
        ss.Loop.read_csv(path)


def test_all_lines_that_cannot_be_read_are_told_at_once(tmp_path: Path) -> None:
    rows = lines("{:.4f},{:.6f},{:.4f}", T, 1e3 * U, F).splitlines()
    for k in (3, 10, 11, 20, 30, 40, 50):
        rows[k] = rows[k].rpartition(",")[0] + ",oops"
    path = tmp_path / "m.csv"
    path.write_text("t [s],u [mm],F [N]\n" + "\n".join(rows))
    with pytest.raises(ss.FileError) as refused:
        ss.Loop.read_csv(path)
    assert str(refused.value) == (
        f"{path}:5: column \"F\": must be a number, got 'oops'; 6 other lines cannot be read: 12, 13, 22, 32, 42 ...; "
        "correct it, or skip these rows: skip_incomplete=True"
    )


def test_empty_columns_behind_the_last_are_none(tmp_path: Path) -> None:
    """A spreadsheet from which columns were cleared still writes their commas."""
    rows = lines("{:.4f},{:.6f},{:.4f},,", T, 1e3 * U, F)
    read(tmp_path / "m.csv", f"t [s],u [mm],F [N],,\n{rows}")
