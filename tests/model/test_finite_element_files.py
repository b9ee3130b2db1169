"""Matrices of finite-element programs: their numbers, and nodes and directions as names of coordinates.

tests/reference/calculix: a steel beam of 1 m by 20 mm by 10 mm, clamped at x = 0, of four C3D20R elements, as CalculiX
2.20 wrote its matrices. OP4 and DMIG texts follow files that pyNastran 1.4.1 and pyyeti wrote of the same matrices.
"""

from __future__ import annotations

import gzip
import math
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse

import slipstick as ss
from slipstick.model.system import dense

BEAM = Path(__file__).parents[1] / "reference" / "calculix"
# entries of 1e10 N/m are written to 14 digits: 5e-5 N/m of each, where the lowest mode has 2900 N/m in all
FILE_DIGITS_REL = 1e-5
CALCULIX_HZ = [8.592102, 16.96529, 54.16926, 106.6983, 156.5778]  # of its own *FREQUENCY step on the same beam

K = np.array([[200.0, -100.0, 0.0, 0.0], [-100.0, 200.5, -90.0, 0.0], [0.0, -90.0, 100.0, 0.25], [0.0, 0.0, 0.25, 7.0]])
M = np.diag([1.0, 2.0, 3.0, 0.5])


@pytest.fixture
def beam(tmp_path: Path) -> Path:
    for name in ("beam.sti", "beam.mas"):
        (tmp_path / name).write_bytes(gzip.decompress((BEAM / f"{name}.gz").read_bytes()))
    shutil.copy(BEAM / "beam.dof", tmp_path)
    return tmp_path / "beam.sti"


def bending_hz(thickness: float, root: float = 1.875104069) -> float:
    """Euler and Bernoulli: w = root^2 sqrt(E I / (rho A)) / L^2, with I / A = thickness^2 / 12."""
    return root**2 * math.sqrt(2.1e11 * thickness**2 / 12.0 / 7850.0) / (2.0 * math.pi)


def hertz(model: ss.Model, count: int) -> list[float]:
    return [float(w) / (2.0 * math.pi) for w in model.modes(count=count).magnitude]


def test_a_beam_of_calculix_has_the_frequencies_that_calculix_finds(beam: Path) -> None:
    """The lowest two are those of a bending beam; four elements along it are too stiff by some per cent."""
    m = ss.Model.from_matrices(beam)
    assert [c.name for c in m.coordinates[:4]] == ["n2_ux", "n2_uy", "n2_uz", "n3_ux"]  # node 1 is clamped
    found = hertz(m, 5)
    assert found == pytest.approx(CALCULIX_HZ, rel=FILE_DIGITS_REL)
    assert found[:2] == pytest.approx([bending_hz(0.01), bending_hz(0.02)], rel=0.03)


def test_any_file_of_a_job_stands_for_all(beam: Path) -> None:
    one, other = (ss.Model.from_matrices(beam.with_suffix(suffix)).matrices for suffix in (".sti", ".dof"))
    assert one == other


@pytest.mark.skipif(shutil.which("ccx") is None, reason="CalculiX is not installed (Debian: apt install calculix-ccx)")
def test_what_calculix_writes_here_is_read(tmp_path: Path) -> None:
    shutil.copy(BEAM / "beam.inp", tmp_path)
    subprocess.run(["ccx", "beam"], cwd=tmp_path, capture_output=True, check=True, timeout=100)
    assert hertz(ss.Model.from_matrices(tmp_path / "beam.mas"), 5) == pytest.approx(CALCULIX_HZ, rel=FILE_DIGITS_REL)


# ---- Abaqus

LABELS = [(12, 1), (12, 3), (40, 3), (41, 6)]
NAMES = ["n12_ux", "n12_uz", "n40_uz", "n41_rz"]


def matrix_input(matrix: np.ndarray, half: bool = False) -> str:
    lines = []
    for (i, j), value in np.ndenumerate(matrix):
        if value and not (half and i < j):
            lines.append(f"{LABELS[i][0]},{LABELS[i][1]}, {LABELS[j][0]},{LABELS[j][1]},  {value:.15e}")
    return "\n".join(lines) + "\n"


def coordinate(matrix: np.ndarray) -> str:
    return "".join(f"{i + 1:9d} {j + 1:9d}  {value: .15e}\n" for (i, j), value in np.ndenumerate(matrix) if value)


@pytest.mark.parametrize("half", [False, True])
def test_files_of_an_abaqus_job_are_found_by_one_of_them(tmp_path: Path, half: bool) -> None:
    (tmp_path / "job_STIF2.mtx").write_text(matrix_input(K, half))
    (tmp_path / "job_MASS2.mtx").write_text(matrix_input(M, half))
    m = ss.Model.from_matrices(tmp_path / "job_STIF2.mtx")
    assert [c.name for c in m.coordinates] == NAMES
    np.testing.assert_array_equal(dense(m.matrices.stiffness), K)
    np.testing.assert_array_equal(dense(m.matrices.mass), M)


def test_an_unsymmetric_matrix_of_abaqus_stays_so(tmp_path: Path) -> None:
    skew = K + np.triu(np.full((4, 4), 0.5), 1)
    (tmp_path / "a.mtx").write_text(matrix_input(skew))
    (tmp_path / "m.mtx").write_text(matrix_input(M))
    m = ss.Model.from_matrices(tmp_path / "m.mtx", None, tmp_path / "a.mtx")
    np.testing.assert_array_equal(dense(m.matrices.stiffness), skew)


def test_displacements_that_abaqus_holds_are_left_out(tmp_path: Path) -> None:
    held = K.copy()
    held[1, 1] = 1e36
    (tmp_path / "s.mtx").write_text(matrix_input(held))
    (tmp_path / "m.mtx").write_text(matrix_input(M))
    m = ss.Model.from_matrices(tmp_path / "m.mtx", None, tmp_path / "s.mtx")
    assert [c.name for c in m.coordinates] == [NAMES[0], *NAMES[2:]]
    np.testing.assert_array_equal(dense(m.matrices.stiffness), np.delete(np.delete(K, 1, 0), 1, 1))


def test_the_format_coordinate_of_abaqus_counts_rows(tmp_path: Path) -> None:
    (tmp_path / "s.mtx").write_text(coordinate(K))
    (tmp_path / "m.mtx").write_text(coordinate(M))
    m = ss.Model.from_matrices(tmp_path / "m.mtx", None, tmp_path / "s.mtx")
    assert [c.name for c in m.coordinates] == ["n1", "n2", "n3", "n4"]
    np.testing.assert_array_equal(dense(m.matrices.stiffness), K)


# ---- Nastran

LARGE = """$ punched
DMIG*               KAAX               0               6               2
*                      0               0                               0
DMIG*               KAAX              12               1
*                     12               12.0000000000D+02
*                     12               3-1.000000000D+02
DMIG*               KAAX              12               3
*                     12               32.0050000000D+02
*                     40               3-9.000000000D+01
DMIG*               KAAX              40               3
*                     40               31.0000000000D+02
DMIG*               KAAX              41               6
*                     40               32.5000000000D-01
*                     41               67.0000000000D+00
"""
SMALL = """GRID          12
DMIG    MAAX           0       6       1       0
DMIG    MAAX          12       1              12       1     1.0
DMIG    MAAX          12       3              12       3    2.+0
DMIG,MAAX,40,3,,40,3,30.-1
DMIG,MAAX,41,6,,41,6,.5
ENDDATA
"""


def test_dmig_entries_of_all_widths_are_read(tmp_path: Path) -> None:
    (tmp_path / "beam.pch").write_text(LARGE + SMALL)
    m = ss.Model.from_matrices(tmp_path / "beam.pch")
    assert [c.name for c in m.coordinates] == NAMES
    np.testing.assert_array_equal(dense(m.matrices.stiffness), K)
    np.testing.assert_array_equal(dense(m.matrices.mass), M)


def test_dmig_in_two_files(tmp_path: Path) -> None:
    (tmp_path / "k.pch").write_text(LARGE)
    (tmp_path / "m.pch").write_text(SMALL)
    m = ss.Model.from_matrices(tmp_path / "m.pch", None, tmp_path / "k.pch")
    np.testing.assert_array_equal(dense(m.matrices.mass), M)


HEAD = "       4{rows:8d}       6       2{name:8s}1P,3E23.16\n"
END = "       5       1       1\n 1.4142135623730951E+00\n"


def op4(name: str, matrix: np.ndarray, layout: str) -> str:
    """As text: dense, "nonbigmat" or "bigmat"."""
    text = HEAD.format(name=name, rows=-4 if layout == "bigmat" else 4)
    for j, column in enumerate(matrix.T):
        rows = np.flatnonzero(column)
        first, values = int(rows[0]) + 1, column[rows[0] : rows[-1] + 1]
        words = 2 * len(values)
        if layout == "dense":
            text += f"{j + 1:8d}{first:8d}{len(values):8d}\n"
        elif layout == "nonbigmat":
            text += f"{j + 1:8d}{0:8d}{words + 1:8d}\n{65536 * (words + 1) + first:12d}\n"
        else:
            text += f"{j + 1:8d}{0:8d}{words + 2:8d}\n{words + 1:8d}{first:8d}\n"
        text += "".join(f"{value:23.16E}" for value in values) + "\n"
    return text + END


@pytest.mark.parametrize("layout", ["dense", "nonbigmat", "bigmat"])
def test_op4_texts_are_read(tmp_path: Path, layout: str) -> None:
    (tmp_path / "a.op4").write_text(op4("KAA", K, layout) + op4("MAA", M, layout))
    m = ss.Model.from_matrices(tmp_path / "a.op4", names=["a", "b", "c", "d"])
    np.testing.assert_array_equal(dense(m.matrices.stiffness), K)
    np.testing.assert_array_equal(dense(m.matrices.mass), M)


# ---- Harwell-Boeing


def test_harwell_boeing_files_are_read(tmp_path: Path) -> None:
    from scipy.io import hb_write

    hb_write(tmp_path / "k.hb", scipy.sparse.csc_array(K))
    hb_write(tmp_path / "m.hb", scipy.sparse.csc_array(M))
    m = ss.Model.from_matrices(tmp_path / "m.hb", None, tmp_path / "k.hb")
    np.testing.assert_array_equal(dense(m.matrices.stiffness), K)


@pytest.mark.parametrize("with_load", [False, True])
def test_the_half_of_a_symmetric_harwell_boeing_file_is_mirrored(tmp_path: Path, with_load: bool) -> None:
    """Ansys writes the load as a right-hand side behind the matrix, with a fifth line of the header."""
    from scipy.io import hb_write

    for name, matrix in (("k.hb", K), ("m.hb", M)):
        hb_write(tmp_path / name, scipy.sparse.csc_array(np.tril(matrix)))
        lines = (tmp_path / name).read_text().replace("RUA", "RSA").splitlines()
        if with_load:
            counts = [int(word) for word in lines[1].split()]
            lines[1] = "".join(f"{count:14d}" for count in [counts[0] + 1, *counts[1:4], 1])
            lines.insert(4, f"{'F':14s}{1:14d}{0:14d}")
            lines.append("  1.0 2.0 3.0 4.0")
        (tmp_path / name).write_text("\n".join(lines) + "\n")
    m = ss.Model.from_matrices(tmp_path / "m.hb", None, tmp_path / "k.hb")
    np.testing.assert_array_equal(dense(m.matrices.stiffness), K)


# ---- what is wrong with files


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("a.pch", "GRID,1\n", "no DMIG entry"),
        ("a.pch", LARGE, "has no mass"),
        ("a.pch", LARGE.replace("               6               2\n", "               6               4\n"), "complex"),
        (
            "a.pch",
            LARGE.replace("               6               2\n", "               9               2\n"),
            "rectangular",
        ),
        ("a.pch", LARGE.replace("12.0000000000D+02", "12.0000x0000D+02"), "cannot be read as .pch"),
        ("a.op4", "       4       4       6       4KAA     1P,3E23.16\n", "complex"),
        ("a.op4", "nonsense\n", "cannot be read as .op4"),
        ("a_STIF1.mtx", "1,1,1,1,2.0\n", "has no mass"),
        ("a_STIF1.mtx", "1 2 3 4\n", "FORMAT=MATRIX INPUT"),
        ("a.sti", "1 1 2.0\n", "a.mas: there is no such file"),
        ("a.hb", "nonsense\n", "cannot be read as .hb"),
        ("a.full", "x", "matrices are read from"),
    ],
)
def test_a_bad_file_is_refused_in_one_line(tmp_path: Path, refused, name: str, text: str, words: str) -> None:
    (tmp_path / name).write_text(text)
    with refused(words):
        ss.Model.from_matrices(tmp_path / name)


def test_files_of_two_jobs_are_refused(beam: Path, refused) -> None:
    beam.with_suffix(".dof").write_text("1.1\n1.2\n")
    with refused("the .dof file has 2 lines"):
        ss.Model.from_matrices(beam)
