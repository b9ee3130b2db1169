"""Tables as instruments and colleagues write them: each is read with its true numbers, or asked about in one line."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

import slipstick as ss

N = 121
RATE = 62.5
T = np.arange(N) / RATE
U = 2e-3 * np.sin(2.0 * np.pi * T)  # m
F = ss.Jenkins(stiffness=4e6, limit=3000.0).trace(U, T)  # N
V = np.gradient(U, T)
NAMES = "t [s],u [mm],F [N]\n"


class Table(NamedTuple):
    """content : of the file.   refusal : words of the one line that asks; empty if it is read as it is.
    options : the way out.   times : False if the table has none.   skipped : rows that the way out leaves out.
    """

    content: str
    refusal: str = ""
    options: dict[str, Any] = {}  # noqa: RUF012
    times: bool = True
    encoding: str = "utf-8"
    skipped: tuple[int, ...] = ()


def rows(form: str, *columns: Any) -> str:
    return "".join(form.format(*row) + "\n" for row in zip(*columns, strict=True))


def german(text: str) -> str:
    """Numbers 1,234.5 as 1.234,5."""
    return text.translate(str.maketrans(",.", ".,"))


LINES = rows("{:.6f},{:.6f},{:.6f}", T, 1e3 * U, F).splitlines(keepends=True)
BODY = "".join(LINES)
COMMAS = german(rows("{:.6f};{:.6f};{:.9f}", T, 1e3 * U, F / 1e3))  # kN
SI = rows("{:.6f},{:.9f},{:.6f}", T, U, F)
ENDS = "".join(line.replace("\n", "\r\n") if k % 2 else line for k, line in enumerate(LINES))
TABS = BODY.replace(",", "\t")
HOLES = {20: "NaN", 50: "---", 70: "#DIV/0!"}
WITH_HOLES = "".join(f"{line.rsplit(',', 1)[0]},{HOLES[k]}\n" if k in HOLES else line for k, line in enumerate(LINES))
LABVIEW = """LabVIEW Measurement\t
Writer_Version\t2
Separator\tTab
Decimal_Separator\t.
X_Columns\tOne
Time_Pref\tAbsolute
Date\t2026/03/01
Time\t10:01:02.5
***End_of_Header***\t
\t
Channels\t2\t
Samples\t121\t121\t
Y_Unit_Label\tmm\tN\t
X_Dimension\tTime\tTime\t
X0\t0.0E+0\t0.0E+0\t
Delta_X\t0.016\t0.016\t
***End_of_Header***\t\t\t
X_Value\tUntitled\tForce 1\tComment
"""
MTS = """MTS793|MPT|ENU|1|2|/|.|:|1|0|0|A
Data Header:\tTime:\t10.01\tSec\t03/01/2026 10:01:02 AM
Station Name:\tRig 7.cfg

Running Time\tAxial Displacement\tAxial Force\tAxial Count
Sec\tmm\tkN\tsegments
"""
INSTRON = """Results Table 1,,
,Maximum Load,Elongation
,(N),(mm)
1,3009.22,2.00

Time,Extension,Load
(s),(mm),(N)
"""
JOINT = rows("{:.6f},{:.9f},{:.6f},0,{:.6f}", T, U, V, F)

TABLES = {
    "semicolons, decimal commas, thousands dots": Table(
        "Zeit [s];Weg [mm];Kraft [N]\n" + german(rows("{:,.4f};{:,.6f};{:,.4f}", T, 1e3 * U, F))
    ),
    "units in a second row": Table(
        "Time,Displacement,Force\n(s),(mm),(kN)\n" + rows("{:.6f},{:.6f},{:.9f}", T, 1e3 * U, F / 1e3)
    ),
    "byte order mark": Table(NAMES + BODY, encoding="utf-8-sig"),
    "UTF-16": Table(NAMES.replace(",", "\t") + TABS, encoding="utf-16"),
    "delimiter behind the last number": Table(NAMES + BODY.replace("\n", ",\n")),
    "comments with %": Table("% rig 7\n% t [s] u [mm] F [N]\n" + BODY.replace(",", " ")),
    "a repeated header": Table(NAMES + "".join(LINES[:60]) + NAMES + "".join(LINES[60:])),
    "times that begin again": Table(
        NAMES + "".join(LINES[:60]) + rows("{:.6f},{:.6f},{:.6f}", T[60:] - T[60], 1e3 * U[60:], F[60:]),
        "time must increase.*rate", {"rate": RATE},
    ),
    "mixed line ends": Table(NAMES + ENDS),
    "NaN, --- and #DIV/0! in a used column": Table(
        NAMES + WITH_HOLES, "2 other lines cannot be read.*skip_incomplete", {"skip_incomplete": True},
        skipped=tuple(HOLES),
    ),
    "German names alone": Table("Zeit;Auslenkung;Kraft\n" + german(rows("{:.6f};{:.9f};{:.6f}", T, U, F))),
    "Pr\u00fcfkraft in Latin-1": Table(
        "Pr\u00fcfzeit;Traversenweg;Pr\u00fcfkraft\ns;mm;kN\n" + COMMAS, encoding="latin-1"
    ),
    "Spanish names": Table("tiempo,desplazamiento,fuerza\n" + SI),
    "Portuguese names": Table("tempo,deslocamento,força\n" + SI),
    "Japanese names": Table("\u6642\u9593,\u5909\u4f4d,\u8377\u91cd\n" + SI),
    "blocks with empty lines": Table(NAMES + "".join(LINES[:60]) + "\n\n" + "".join(LINES[60:])),
    "LabVIEW": Table(LABVIEW + TABS.replace("\n", "\t\n")),
    "LabVIEW with decimal commas": Table(
        LABVIEW.replace("Separator\t.", "Separator\t,") + TABS.replace("\n", "\t\n").replace(".", ",")
    ),
    "LabVIEW without times": Table(
        LABVIEW.replace("X_Columns\tOne", "X_Columns\tNo").replace("X_Value", "")
        + rows("\t{:.6f}\t{:.6f}\t", 1e3 * U, F)
    ),
    "MTS": Table(MTS + rows("{:.6f}\t{:.6f}\t{:.9f}\t{}", T, 1e3 * U, F / 1e3, np.arange(N) // 10)),
    "Instron, a table of results first": Table(
        INSTRON + BODY, "begins another table: .*skip_lines=5", {"skip_lines": 5}
    ),
    "a very long first comment": Table("# " + "lorem 1.0, 2.0; " * 4000 + "\n" + NAMES + BODY),
    "a row of numbers below a footer": Table(
        NAMES + BODY + "\nMax,2.0,3000\n", "must be a number, got 'Max'.*skip", {"skip_incomplete": True}
    ),
    "a counter instead of times": Table(
        ",u [mm],F [N]\n" + rows("{},{:.6f},{:.6f}", np.arange(N), 1e3 * U, F), times=False
    ),
    "a counter beside times": Table(
        "no,t [s],u [mm],F [N]\n" + rows("{},{:.6f},{:.6f},{:.6f}", np.arange(N), T, 1e3 * U, F)
    ),
    "a name with a comma": Table(
        "Time [s],Displacement, LVDT 1 [mm],Force [N]\n" + BODY, "has 4 names, the numbers below it have 3 columns",
        {"skip_lines": 1, "units": {"deflection": "mm", "force": "N", "time": "s"}},
    ),
    "a robot joint": Table("time,q3,dq3,ddq3,q3_tau_meas\n" + JOINT),
    "a robot joint, other names": Table("t,q_1,qd_1,qdd_1,tau\n" + JOINT),
    "joints of which one must be chosen": Table(
        "time,q1,dq1,q2,dq2,tau\n" + rows("{:.6f},{:.9f},{:.6f},{:.9f},{:.6f},{:.6f}", T, U, V, 2.0 * U, 2.0 * V, F),
        "which column is the deflection", {"deflection": "q1"},
    ),
    "a command beside the deflection": Table(
        "t [s],u command [mm],u actual [mm],F [N]\n" + rows("{:.6f},{:.6f},{:.6f},{:.6f}", T, 2.1e3 * U, 1e3 * U, F),
        "which column is the deflection", {"deflection": "u actual"},
    ),
    "voltages beside forces": Table(
        "t (s),Force (mV),Disp (V),Force (N),Disp (mm)\n"
        + rows("{:.6f},{:.4f},{:.6f},{:.6f},{:.6f}", T, F / 100, 200.0 * U, F, 1e3 * U)
    ),
}  # fmt: skip


@pytest.mark.parametrize("kind", TABLES)
def test_an_ugly_table_is_read_truly_or_asked_about(kind: str, tmp_path: Path) -> None:
    table = TABLES[kind]
    path = tmp_path / "rig.csv"
    path.write_bytes(table.content.encode(table.encoding))
    if table.refusal:
        with pytest.raises(ss.InvalidInput, match=table.refusal) as refusal:
            ss.Loop.read(path)
        assert "\n" not in str(refusal.value)
    loop = ss.Loop.read(path, **table.options)
    kept = np.setdiff1d(np.arange(N), table.skipped)
    np.testing.assert_allclose(loop.u, U[kept], atol=1e-9)
    np.testing.assert_allclose(loop.f, F[kept], atol=6e-5)
    if table.times:
        assert loop.t is not None
        np.testing.assert_allclose(loop.t - loop.t[0], T[kept], atol=1e-6)
    else:
        assert loop.t is None
        assert "counts samples" in " ".join(map(str, loop.notes))


def test_segments_of_labview_are_asked_about(tmp_path: Path) -> None:
    path = tmp_path / "rig.lvm"
    segment = LABVIEW.partition("***\t\n\t\n")[2]
    path.write_text(LABVIEW + TABS + segment + TABS)
    with pytest.raises(ss.InvalidInput, match="second LabVIEW segment"):
        ss.Loop.read(path)


def test_a_further_force_that_presses_is_pointed_at(tmp_path: Path) -> None:
    path = tmp_path / "rig.csv"
    form = "{:.6f},{:.6f},{:.6f},30,21"
    path.write_text("t [s],u [mm],F [N],band force 1 [N],room [degC]\n" + rows(form, T, 1e3 * U, F))
    notes = " ".join(map(str, ss.Loop.read(path).notes))
    assert 'if column "band force 1" is the normal load, name it as normal' in notes
    assert "name it as normal" not in " ".join(map(str, ss.Loop.read(path, normal="band force 1").notes))
