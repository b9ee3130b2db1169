"""The troubles of measured files, each with a small file of its own.

A file is read with the true numbers in SI, or refused in one line whose way out works. A record that shows no loop, or
a faulty one, is refused or its fit says so. Formats of spreadsheets and loggers are in `test_table_files`.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

import slipstick as ss

N = 181
T = np.arange(N) / 58.3  # three cycles of 1 Hz
U = 2e-3 * np.sin(2.0 * np.pi * T)  # m
LAW = ss.Jenkins(stiffness=4e5, limit=300.0)
F = LAW.trace(U, T)  # N
NOISE = np.random.default_rng(8).standard_normal(N)


def rows(form: str, *columns: Any) -> str:
    return "".join(form.format(*row) + "\n" for row in zip(*columns, strict=True))


def plain(header: str, form: str = "{:.6f},{:.9f},{:.6f}", **changed: Any) -> str:
    """A table of time, deflection and force in the units of its header."""
    columns = {"t": T, "u": U, "f": F} | changed
    return header + "\n" + rows(form, *columns.values())


class Trouble(NamedTuple):
    """content : of the file.   options : that read it.   refusal : of reading it without them; empty if it is read.
    times : it has times.   encoding : of the file.
    """

    content: str
    options: dict[str, Any] = {}  # noqa: RUF012
    refusal: str = ""
    times: bool = True
    encoding: str = "utf-8"


def with_hole() -> str:
    lines = plain("t [s],u [m],F [N]").splitlines()
    lines.insert(90, lines[90].rsplit(",", 1)[0] + ",")
    return "\n".join(lines) + "\n"


WORDS = ["ok", "", "n/a"] * 60 + ["end"]
EVEN_COLUMNS = rows("{:.6f} {:.9f} {:.6f} {:.3f}", T, U, F, 20.0 + 0.01 * NOISE)
READING = {
    "text in an unused column": Trouble("t [s],u [m],F [N],state\n" + rows("{:.6f},{:.9f},{:.6f},{}", T, U, F, WORDS)),
    "NaN in an unused column": Trouble(
        "t [s],u [m],F [N],T1 [K]\n" + rows("{:.6f},{:.9f},{:.6f},{}", T, U, F, [float("nan")] * N)
    ),
    "empty cells in an unused column": Trouble(
        "t [s],T1 [K],u [m],F [N]\n" + rows("{:.6f},,{:.9f},{:.6f}", T, U, F)
    ),
    "other order of columns": Trouble("F [N],t [s],u [m]\n" + rows("{:.6f},{:.6f},{:.9f}", F, T, U)),
    "ISO time stamps": Trouble(
        "stamp,u [mm],F [kN]\n"
        + rows("2026-03-01T10:00:{:09.6f}Z,{:.6f},{:.9f}", T, 1e3 * U, 1e-3 * F)
    ),
    "clock times": Trouble("clock,u [mm],F [N]\n" + rows("10:00:{:09.6f},{:.6f},{:.6f}", T, 1e3 * U, F)),
    "no times but a rate": Trouble("u [m],F [N]\n" + rows("{:.9f},{:.6f}", U, F), {"rate": "58.3Hz"}),
    "no times at all": Trouble("u [m],F [N]\n" + rows("{:.9f},{:.6f}", U, F), times=False),
    "numbers above the table": Trouble(
        "1,2\n3,4\n5,6\n" + plain("t [s],u [m],F [N]"), {"skip_lines": 3}, "has 3 fields, lines before have 2"
    ),
    "a row with a hole": Trouble(with_hole(), {"skip_incomplete": True}, "has no number|skip"),
    "four columns without names": Trouble(
        EVEN_COLUMNS,
        {"time": 0, "deflection": 1, "force": 2, "units": {"time": "s", "deflection": "m", "force": "N"}},
        "deflection",
    ),
    "a column that only grows evenly": Trouble(plain("k,u [m],F [N]")),
    "inches and pounds": Trouble(plain("Time (Sec),Disp (in),Load (lbf)", u=U / 0.0254, f=F / 4.4482216152605)),
    "kips": Trouble(plain("t [s],u [in],F [kip]", "{:.6f},{:.9f},{:.9f}", u=U / 0.0254, f=F / 4448.2216152605)),
    "KN in capitals": Trouble(plain("t [s],u [MM],F [KN]", "{:.6f},{:.6f},{:.9f}", u=1e3 * U, f=1e-3 * F)),
    "pounds that may be a mass": Trouble(plain("t [s],u [in],F [lb]", u=U / 0.0254, f=F / 4.4482216152605)),
    "GBK": Trouble(plain("时间 [s],位移 [m],力 [N]"), {"time": 0, "deflection": 1, "force": 2}, "", encoding="gbk"),
    "decimal commas": Trouble(plain("t [s];u [m];F [N]", "{:.6f};{:.9f};{:.6f}").replace(".", ",")),
    "tabs and a comment": Trouble("# rig 7\n" + plain("t [s]\tu [m]\tF [N]", "{:.6f}\t{:.9f}\t{:.6f}")),
}  # fmt: skip


@pytest.mark.parametrize("kind", READING)
def test_a_file_is_read_truly_or_refused_with_a_way_out(kind: str, tmp_path: Path) -> None:
    trouble = READING[kind]
    path = tmp_path / "rig.csv"
    path.write_text(trouble.content, encoding=trouble.encoding)
    if trouble.refusal:
        with pytest.raises(ss.InvalidInput, match=trouble.refusal):
            ss.Loop.read(path)
    loop = ss.Loop.read(path, **trouble.options)
    np.testing.assert_allclose(loop.u, U, atol=2e-9)
    np.testing.assert_allclose(loop.f, F, atol=2e-6 * 4448.3)
    if "[lb]" in trouble.content:
        assert "lbf" in " ".join(map(str, loop.notes))  # the question is asked
    if trouble.times:
        assert loop.t is not None
        np.testing.assert_allclose(loop.t - loop.t[0], T, atol=2e-6)
    else:
        assert loop.t is None


def read(path: Path, u: Any, f: Any, t: Any = T) -> ss.Loop:
    path.write_text("t [s],u [m],F [N]\n" + rows("{:.6f},{:.9f},{:.6f}", t, u, f))
    return ss.Loop.read(path)


def said(fit: ss.Fit) -> str:
    return " ".join([*map(str, fit.warnings), *map(str, fit.notes)])


def saturated(path: Path) -> None:
    fit = ss.identify(read(path, np.clip(U, -1e-2, 1.2e-3), F + NOISE), LAW)
    assert "samples are compared" in said(fit) or "end of its range" in said(fit) or "clipped" in said(fit)


def drifting(path: Path) -> None:
    loop = read(path, U, F + 60.0 * T + NOISE)
    assert "drift" in said(ss.identify(loop, LAW))
    assert ss.identify(loop.without_drift(), LAW).law.limit == pytest.approx(LAW.limit, rel=0.03)


def shifted(path: Path) -> None:
    loop = read(path, U + 5e-3, F + 800.0 + NOISE)
    assert "centred" in said(ss.identify(loop, LAW))
    assert ss.identify(loop.without_offset(), LAW).law.limit == pytest.approx(LAW.limit, rel=0.03)


def spiky(path: Path) -> None:
    f = F + NOISE
    f[[40, 95, 133]] += 2000.0
    fit = ss.identify(read(path, U, f), LAW)
    assert "far from its neighbours" in said(fit)
    assert fit.law.limit == pytest.approx(LAW.limit, rel=0.03)


def wrong_sign(path: Path) -> None:
    loop = read(path, U, -F + NOISE).with_correct_sign()
    assert "sign of the force turned" in said(ss.identify(loop, LAW))


def quantised(path: Path) -> None:
    fit = ss.identify(read(path, U, 20.0 * np.round(F / 20.0)), LAW)
    assert fit.law.limit == pytest.approx(LAW.limit, rel=0.03)


def one_branch(path: Path) -> None:
    with pytest.raises(ss.InvalidInput, match="monotone test shows no memory"):
        ss.identify(read(path, np.linspace(0.0, 2e-3, N), F), LAW)


RECORDS: dict[str, Callable[[Path], None]] = {
    "a sensor at its end": saturated,
    "drift of the force": drifting,
    "offsets of both channels": shifted,
    "spikes": spiky,
    "a force of the wrong sign": wrong_sign,
    "a coarse converter": quantised,
    "a monotone test": one_branch,
}


@pytest.mark.parametrize("kind", RECORDS)
def test_a_faulty_record_is_fitted_with_a_remark_or_refused(kind: str, tmp_path: Path) -> None:
    RECORDS[kind](tmp_path / "rig.csv")


def test_all_kinds_have_a_file() -> None:
    assert len(READING) + len(RECORDS) == 26
