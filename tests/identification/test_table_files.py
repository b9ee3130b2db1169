"""Tables as loggers, spreadsheets and MATLAB write them: stamps, text beside numbers, holes, other formats."""

from __future__ import annotations

import builtins
import io
import json
import re
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import slipstick as ss

N = 240
T = np.arange(N) / 100.0
U = 2e-3 * np.sin(2.0 * np.pi * T)  # m
F = ss.Jenkins(stiffness=4e5, limit=300.0).trace(U, T)  # N


def table(form: str, *columns: Any) -> str:
    return "".join(form.format(*row) + "\n" for row in zip(*columns, strict=True))


def check(loop: ss.Loop, times: bool = True) -> None:
    np.testing.assert_allclose(loop.u, U, atol=1e-9)
    np.testing.assert_allclose(loop.f, F, atol=1e-3)
    if times:
        assert loop.t is not None
        np.testing.assert_allclose(loop.t - loop.t[0], T, atol=1e-5)


def stamps(form: str) -> list[str]:
    begin = datetime(2026, 3, 1, 23, 59, 59)  # midnight passes after a second
    return [(begin + timedelta(seconds=float(t))).strftime(form)[:-3] for t in T]


@pytest.mark.parametrize(
    "form", ["%Y-%m-%d %H:%M:%S.%f", "%Y-%m-%dT%H:%M:%S.%f", "%H:%M:%S.%f", "%d.%m.%Y %H:%M:%S.%f"]
)
def test_clock_times_become_seconds_across_midnight(form: str, tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    path.write_text(
        "Timestamp,Force (V),Force (N),Stroke (mm)\n"
        + table("{},{:.4f},{:.5f},{:.7f}", stamps(form), 1e-2 * F, F, 1e3 * U)
    )
    check(ss.Loop.read(path))


def test_afternoon_hours_are_read(tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    hours = [f"{12 if s < 3600 else s // 3600}:{s // 60 % 60:02d}:{s % 60:02d} PM" for s in range(3500, 3500 + N)]
    path.write_text("time,u [mm],F [N]\n" + table("{},{:.7f},{:.5f}", hours, 1e3 * U, F))
    loop = ss.Loop.read(path)
    assert loop.t is not None
    np.testing.assert_allclose(loop.t, np.arange(N))


def test_unused_columns_may_hold_anything(tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    words = ["ok", "", "nan", "#N/A", "12 oops"] * (N // 5)
    header = "state,t [s],u [mm],empty,F [N],remark\n"
    path.write_text(header + table("run,{:.4f},{:.7f},,{:.5f},{}", T, 1e3 * U, F, words))
    check(ss.Loop.read(path))


def test_a_column_of_numbers_with_gaps_is_refused_only_if_it_is_used(tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    gaps = [f"{x:.2f}" if k % 7 else "" for k, x in enumerate(T)]
    path.write_text("t [s],u [mm],temperature,F [N]\n" + table("{:.4f},{:.7f},{},{:.5f}", T, 1e3 * U, gaps, F))
    check(ss.Loop.read(path))
    with pytest.raises(
        ss.FileError, match=r'log\.csv:2: column "temperature": must be a number, got an empty cell; 34 other lines'
    ):
        ss.Loop.read(path, force="temperature")


def test_rows_with_holes_are_skipped_on_request_and_counted(tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    cells = ["" if k in (50, 51, 120) else f"{f:.5f}" for k, f in enumerate(F)]
    path.write_text("t [s],u [mm],F [N]\n" + table("{:.4f},{:.7f},{}", T, 1e3 * U, cells))
    with pytest.raises(ss.FileError, match=r":52: .*skip these rows: skip_incomplete=True$"):
        ss.Loop.read(path)
    loop = ss.Loop.read(path, skip_incomplete=True)
    kept = np.delete(np.arange(N), (50, 51, 120))
    np.testing.assert_allclose(loop.f, F[kept], atol=1e-3)
    assert "3 of 240 rows skipped, because they have holes" in loop.notes


def test_a_rate_stands_for_times(tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    path.write_text("u [mm],F [N]\n" + table("{:.7f},{:.5f}", 1e3 * U, F))
    for rate in (100, "100Hz", "0.1 kHz"):
        check(ss.Loop.read(path, rate=rate))
    for rate in (0, "fast", "3 m"):
        with pytest.raises(ss.InvalidInput, match="rate must be a number above 0 in Hz, such as 1024 Hz"):
            ss.Loop.read(path, rate=rate)


def test_lines_at_the_top_are_skipped_and_line_numbers_stay(tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    text = "1,2\n3,4\nu [mm],F [N]\n" + table("{:.7f},{:.5f}", 1e3 * U, F)
    path.write_text(text)
    check(ss.Loop.read(path, skip_lines=2), times=False)
    path.write_text(text.replace(f"{1e3 * U[10]:.7f}", "oops", 1))
    with pytest.raises(ss.FileError, match=r"log\.csv:14: "):
        ss.Loop.read(path, skip_lines=2)


def test_four_columns_without_names_are_asked_for_with_a_sketch(tmp_path: Path) -> None:
    path = tmp_path / "log.txt"
    path.write_text(table("{:.4f}\t{:.10f}\t5.0\t{:.5f}", T, U, F))
    with pytest.raises(ss.FileError) as refused:
        ss.Loop.read(path)
    said = str(refused.value)
    assert "which column is the deflection? give deflection= one of 1 to 3" in said
    assert "column 1 -0.002 to 0.002, turns 5 times; column 2 is 5 throughout; column 3 -300 to 300" in said
    check(ss.Loop.read(path, deflection=1, force=3))


def test_a_column_that_grows_evenly_is_time_whatever_its_name(tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    path.write_text("channel 0,u [mm],F [N]\n" + table("{:.4f},{:.7f},{:.5f}", T, 1e3 * U, F))
    check(ss.Loop.read(path))


@pytest.mark.parametrize(
    ("deflection", "force", "u", "f"),
    [
        ("in", "lb", 0.0254, 4.4482216152605),
        ("in", "kip", 0.0254, 4448.2216152605),
        ("MM", "KN", 1e-3, 1e3),
        ("deg", "ft-lb", np.pi / 180.0, 1.3558179483314),
        ("deg", "in-lbs", np.pi / 180.0, 0.11298482902762),
        ("rad", "N.m", 1.0, 1.0),
        ("rad", "N-m", 1.0, 1.0),
        ("1/m", "kN m", 1.0, 1e3),
    ],
)
def test_units_as_people_write_them(deflection: str, force: str, u: float, f: float, tmp_path: Path) -> None:
    """Factors of NIST Special Publication 811, appendix B.8."""
    path = tmp_path / "log.csv"
    path.write_text(f"time (Sec),disp ({deflection}),load ({force})\n" + table("{:.4f},{:.9f},{:.9f}", T, U / u, F / f))
    loop = ss.Loop.read(path)
    check(loop)
    assert any("read as lbf" in note for note in loop.notes) == (force == "lb")


@pytest.mark.parametrize(
    ("encoding", "header"),
    [
        ("gbk", "时间(s),位移(mm),荷载(N)"),
        ("cp1251", "Время с,Перемещение [mm],Усилие [N]"),
        ("utf-8", "时间,位移(mm),力(N)"),
    ],
)
def test_other_encodings(encoding: str, header: str, tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    path.write_bytes((header + "\n" + table("{:.4f},{:.7f},{:.5f}", T, 1e3 * U, F)).encode(encoding))
    loop = ss.Loop.read(path)
    check(loop)
    name = header.split(",")[1].partition("(")[0].partition(" [")[0]
    assert any(f'deflection: column "{name}"' in note for note in loop.notes)
    check(ss.Loop.read(path, encoding=encoding))


def test_columns_that_differ_only_in_their_unit_are_named_with_it(tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    rows = table("{:.4f},{:.7f},{:.7f},{:.5f},{:.5f}", T, 0.1 + U, 1e3 * U, 0.01 * F, F)
    path.write_text("time (s),Displacement (V),Displacement (mm),Force (V),Force (N)\n" + rows)
    check(ss.Loop.read(path, "Displacement (mm)", "Force [N]"))
    with pytest.raises(ss.FileError, match=r'did you mean "Displacement \[mm\]"'):
        ss.Loop.read(path, "Displacement (m)")


def test_an_unknown_option_is_refused(tmp_path: Path) -> None:
    with pytest.raises(TypeError, match=r'Loop\.read: has no option "skip_rows" \(did you mean'):
        ss.Loop.read(tmp_path / "a.csv", skip_rows=2)  # type: ignore[call-arg]


# ---- other formats


def write_xlsx(path: Path) -> None:
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.append(["rig 7"])
    sheet.append(["Time", "Displacement", "Remark", "Load"])
    sheet.append(["s", "mm", "", "N"])
    for k in range(N):
        sheet.append([T[k], 1e3 * U[k], "ok", F[k]])
    book.save(path)


def write_mat5(path: Path) -> None:
    from scipy.io import savemat

    savemat(path, {"rig": {"time": T, "u": U, "F": F, "note": "text"}, "fs": 100.0})


def write_mat73(path: Path) -> None:
    h5py = pytest.importorskip("h5py")
    with h5py.File(path, "w", userblock_size=512) as file:
        for name, column in (("t", T), ("u", U), ("F", F)):
            file[name] = column[None, :]
    content = path.read_bytes()
    path.write_bytes(b"MATLAB 7.3 MAT-file".ljust(512, b" ") + content[512:])


def write_json(path: Path) -> None:
    rows = [{"t [s]": t, "u [mm]": 1e3 * u, "F [N]": f, "state": "run"} for t, u, f in zip(T, U, F, strict=True)]
    path.write_text(json.dumps({"test": "rig 7", "rows": rows}))


def write_parquet(path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    begin = np.datetime64("2026-03-01T23:59:59")
    stamp = begin.astype("datetime64[us]") + (1e6 * T).round().astype("timedelta64[us]")
    parquet.write_table(pyarrow.table({"timestamp": stamp, "u [mm]": 1e3 * U, "F [N]": F}), path)


def write_tdms(path: Path) -> None:
    nptdms = pytest.importorskip("nptdms")
    with nptdms.TdmsWriter(path) as writer:
        for name, unit, column in (("disp", "mm", 1e3 * U), ("load", "N", F)):
            properties = {"wf_increment": 0.01, "unit_string": unit}
            writer.write_segment([nptdms.ChannelObject("rig", name, column, properties=properties)])


@pytest.mark.parametrize(
    ("name", "write"),
    [
        ("a.xlsx", write_xlsx),
        ("a.mat", write_mat5),
        ("a73.mat", write_mat73),
        ("a.json", write_json),
        ("a.parquet", write_parquet),
        ("a.tdms", write_tdms),
    ],
)
def test_other_formats_give_the_same_loop(name: str, write: Any, tmp_path: Path) -> None:
    path = tmp_path / name
    write(path)
    check(ss.Loop.read(path))
    if path.suffix == ".tdms":  # its reader takes what is left of a damaged file
        return
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 3])
    with pytest.raises(ss.FileError, match=r"cannot be read: .*; export it again, or as CSV$"):
        ss.Loop.read(path)


def test_a_missing_reader_names_the_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def without(name: str, *given: Any, **named: Any) -> Any:
        if name.startswith("openpyxl"):
            raise ModuleNotFoundError("No module named 'openpyxl'", name="openpyxl")
        return real(name, *given, **named)

    monkeypatch.setattr(builtins, "__import__", without)
    path = tmp_path / "a.xlsx"
    path.write_bytes(io.BytesIO(b"PK").getvalue())
    with pytest.raises(
        ss.FileError, match=r"a\.xlsx: needs openpyxl; install it with: pip install 'slipstick\[files\]'"
    ):
        ss.Loop.read(path)


# ---- what is done with the loops


def test_the_inertia_force_of_a_fixture_is_removed() -> None:
    t = np.arange(4000) / 2000.0
    u = 1e-3 * np.sin(2.0 * np.pi * 5.0 * t)
    force = ss.Jenkins(stiffness=4e5, limit=150.0).trace(u, t)
    inertia = -2.5 * (2.0 * np.pi * 5.0) ** 2 * u  # mass times acceleration
    found = ss.Loop(u, force + inertia, t).without_inertia(2.5)
    inner = slice(100, -100)
    assert np.max(np.abs(found.f - force)[inner]) < 0.02 * np.max(np.abs(inertia))
    assert "inertia force of 2.5 kg removed" in found.notes[-1]
    with pytest.raises(ss.InvalidInput, match="an acceleration needs times"):
        ss.Loop(u, force).without_inertia(2.5)


HYSTERETIC = ss.Masing(stiffness=4e5, limit=150.0, parallel_stiffness=5e4)


def late_loop(lag: float, noise: float, rate: float, law: ss.Law = HYSTERETIC) -> ss.Loop:
    """Eight cycles of 1 Hz whose force is late; the law is evaluated in between the samples."""
    fine = np.arange(-0.1, 8.0, 5e-5)
    force = law.trace(1e-3 * np.sin(2.0 * np.pi * fine), fine)
    t = np.arange(0.0, 8.0, 1.0 / rate)
    f = np.interp(t - lag, fine, force) + noise * np.ptp(force) * np.random.default_rng(1).standard_normal(t.size)
    return ss.Loop(1e-3 * np.sin(2.0 * np.pi * t), f, t)


@pytest.mark.parametrize(
    ("lag", "noise", "rate", "error"),
    [
        (4e-3, 0.001, 1000.0, 5e-4),
        (4e-4, 0.0, 1000.0, 2e-5),  # less than a sample
        (1e-3, 0.0, 250.0, 1.5e-4),
        (2e-2, 0.03, 1000.0, 8e-3),  # within four standard deviations of the corners' noise
    ],
)
def test_the_delay_between_channels_is_found_and_said(lag: float, noise: float, rate: float, error: float) -> None:
    found = late_loop(lag, noise, rate).without_lag()
    match = re.search(r"delay found and removed: the force was (\S+) s behind", found.notes[-1])
    assert match is not None
    assert float(match[1]) == pytest.approx(lag, abs=error)
    assert found.t is not None
    assert found.t[-1] < 8.0 - lag  # nothing is made up at the end


def test_a_delay_that_noise_hides_is_not_found_and_the_limit_is_said() -> None:
    loop = late_loop(2e-3, 0.03, 1000.0).without_lag()
    match = re.fullmatch(r"no delay between force and deflection found; one below (\S+) s .*seen", loop.notes[-1])
    assert match is not None
    assert 2e-3 < float(match[1]) < 2e-2


@pytest.mark.parametrize("lag", [0.3, -0.3, 1e9, float("nan")])
def test_a_delay_of_more_than_a_quarter_of_a_period_is_refused(lag: float) -> None:
    with pytest.raises(ss.InvalidInput, match=r"lag must be within \+-0\.25 s, a quarter of a period, got"):
        late_loop(0.0, 0.0, 250.0).without_lag(lag)
    moved = late_loop(0.02, 0.0, 250.0).without_lag(0.02)
    np.testing.assert_allclose(moved.f, late_loop(0.0, 0.0, 250.0).f[: len(moved)], atol=0.2)


def test_a_mass_must_not_be_negative() -> None:
    with pytest.raises(ss.InvalidInput, match=r"mass must be a finite number >= 0, got -2\.5"):
        late_loop(0.0, 0.0, 250.0).without_inertia(-2.5)
    with pytest.raises(ss.InvalidInput, match="mass has no meaning for stresses over strains"):
        late_loop(0.0, 0.0, 250.0).scaled(system="stress").without_inertia(2.5)


@pytest.mark.parametrize("noise", [0.05, 0.5, 5.0])
@pytest.mark.parametrize(
    "law",
    [
        ss.Linear(stiffness=1e5, damping=5e3),
        ss.PowerDamper(coefficient=100.0, exponent=0.4),
        ss.Zener(stiffness=2e5, damping=2e4, parallel_stiffness=1e5),
        ss.Masing(stiffness=4e5, limit=160.0, parallel_stiffness=1e5),
        ss.BoucWen(stiffness=4e5, ratio=0.2, beta=3e5, gamma=1e5, exponent=1.7),
    ],
    ids=lambda law: type(law).__name__,
)
def test_dampers_and_noise_are_not_taken_for_a_delay(law: ss.Law, noise: float) -> None:
    t = np.arange(2000) / 500.0
    u = 1e-3 * np.sin(2.0 * np.pi * t)
    force = law.trace(u, t) + np.random.default_rng(0).normal(0.0, noise, t.size)
    np.testing.assert_array_equal(ss.Loop(u, force, t).without_lag().f, force)


def test_laws_over_the_rate_need_times() -> None:
    t = np.arange(2000) / 500.0
    u = 1e-3 * np.sin(2.0 * np.pi * t)
    force = ss.PowerDamper(coefficient=100.0, exponent=0.4).trace(u, t)
    with pytest.raises(ss.InvalidInput, match="has no times"):
        ss.identify(ss.Loop(u, force), ss.PowerDamper)


def test_a_wrong_sign_is_turned_and_said() -> None:
    right = ss.Loop(U, F, T)
    assert right.with_correct_sign() is right
    turned = ss.Loop(U, -F, T).with_correct_sign()
    np.testing.assert_array_equal(turned.f, F)
    assert turned.notes[-1].startswith("sign of the force turned: a cycle delivered")


def test_friction_follows_a_measured_normal_load(tmp_path: Path) -> None:
    t = np.arange(3000) / 500.0
    u = 2e-3 * np.sin(2.0 * np.pi * t)
    load = 500.0 + 200.0 * np.sin(4.0 * np.pi * t)
    friction = ss.Jenkins(stiffness=1e6, limit=150.0).trace(u, t) / 500.0  # a coefficient of 0.3
    force = load * friction + 3e4 * u
    noise = np.random.default_rng(3).normal(0.0, 1.0, t.size)
    path = tmp_path / "log.csv"
    path.write_text(
        "t [s],u [mm],F [N],N1 [N],N2 [kN]\n"
        + table("{:.4f},{:.7f},{:.5f},{:.5f},{:.8f}", t, 1e3 * u, force + noise, 0.5 * load, 0.5e-3 * load)
    )
    loop = ss.Loop.read(path, normal=["N1", "N2"])
    fit = ss.identify(loop, "linear+jenkins", fixed={"damping": 0.0})
    assert fit.within_noise
    limit = fit.parameters["limit"]
    assert limit.low < 150.0 * load.mean() / 500.0 < limit.high
    assert any("limit over load: 0.3" in note for note in fit.notes)
    assert not ss.identify(ss.Loop.read(path, force="F"), "linear+jenkins", fixed={"damping": 0.0}).within_noise


def test_one_friction_coefficient_holds_for_loops_of_different_loads() -> None:
    t = np.arange(3000) / 500.0
    u = 2e-3 * np.sin(2.0 * np.pi * t)
    friction, rng = ss.Jenkins(stiffness=1e3, limit=0.3).trace(u, t), np.random.default_rng(4)  # per newton of load
    loops = []
    for mean in (300.0, 700.0):
        load = mean * (1.0 + 0.1 * np.sin(2.0 * np.pi * 0.3 * t))
        f = load * friction + 3e4 * u + rng.normal(0.0, 1.0, t.size)
        loops.append(ss.Loop(u, f, t, name=f"{mean:g} N", normal=load))
    fit = ss.identify(loops, "linear+jenkins", fixed={"damping": 0.0})
    assert fit.within_noise
    mean = 0.5 * sum(float(loop.normal.mean()) for loop in loops if loop.normal is not None)
    limit = fit.parameters["limit"]
    assert limit.low < 0.3 * mean < limit.high
    with pytest.raises(ss.InvalidInput, match="700 N has no normal load, other loops have one"):
        ss.identify([loops[0], ss.Loop(u, loops[1].f, t, name="700 N")], "linear+jenkins")


def test_vectors_with_most_numbers_are_the_table(tmp_path: Path) -> None:
    """Short vectors of settings, however many, and text do not hide the record."""
    from scipy.io import savemat

    settings = {f"gain{k}": np.arange(3.0) for k in range(5)}
    savemat(tmp_path / "rig.mat", {"t": T, "u": U, "F": F, **settings})
    np.testing.assert_allclose(ss.Loop.read(tmp_path / "rig.mat").f, F)
    held = {"t": T.tolist(), "u": U.tolist(), "F": F.tolist(), "log": ["started"] * (2 * T.size)}
    (tmp_path / "rig.json").write_text(json.dumps(held))
    np.testing.assert_allclose(ss.Loop.read(tmp_path / "rig.json").f, F)
    (tmp_path / "none.json").write_text('{"data": []}')
    with pytest.raises(ss.FileError, match="has no table"):
        ss.Loop.read(tmp_path / "none.json")


def test_vectors_of_other_lengths_are_named_and_read_when_asked_for(tmp_path: Path) -> None:
    from scipy.io import savemat

    both = {"t": T, "u": U, "F": F, "t2": T[:60], "u2": U[:60], "F2": F[:60]}
    savemat(tmp_path / "rig.mat", both)
    (tmp_path / "rig.json").write_text(json.dumps({name: column.tolist() for name, column in both.items()}))
    for name in ("rig.mat", "rig.json"):
        loop = ss.Loop.read(tmp_path / name)
        assert loop.notes[0] == f"columns of {N} samples read; of other lengths: t2 (60), u2 (60), F2 (60)"
        short = ss.Loop.read(tmp_path / name, "u2", "F2", "t2")
        np.testing.assert_allclose(short.f, F[:60])


@pytest.mark.parametrize("option", [{"decimal": ","}, {"skip_lines": 1}, {"encoding": "cp1251"}])
@pytest.mark.parametrize(("name", "write"), [("a.mat", write_mat5), ("a.xlsx", write_xlsx), ("a.json", write_json)])
def test_options_of_text_are_used_or_refused(option: dict[str, Any], name: str, write: Any, tmp_path: Path) -> None:
    write(tmp_path / name)
    used = {"a.xlsx": ("decimal", "skip_lines"), "a.json": ("decimal", "encoding")}.get(name, ())
    (key,) = option
    if key in used:
        check(ss.Loop.read(tmp_path / name, **option))
        return
    with pytest.raises(ss.InvalidInput, match=rf"{key} has no effect on \.{name[2:]} files; leave it out"):
        ss.Loop.read(tmp_path / name, **option)


def test_numbers_as_text_with_decimal_commas_in_a_sheet(tmp_path: Path) -> None:
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    book.active.append(["Zeit [s]", "Weg [mm]", "Kraft [N]"])
    for k in range(N):
        book.active.append([f"{x:.7f}".replace(".", ",") for x in (T[k], 1e3 * U[k], F[k])])
    book.save(tmp_path / "a.xlsx")
    check(ss.Loop.read(tmp_path / "a.xlsx", decimal=","))
    with pytest.raises(ss.FileError, match="has no sheet with two columns of numbers"):
        ss.Loop.read(tmp_path / "a.xlsx")


@pytest.mark.parametrize(
    ("stamps", "seconds"),
    [
        (("00:00.5", "00:01", "00:01.5", "01:00"), (0.0, 0.5, 1.0, 59.5)),
        (("10:59", "11:00", "13:01"), (0.0, 60.0, 7320.0)),
        (("31.12.2025 23:59:59", "02.01.2026 00:00:01"), (0.0, 86402.0)),
        (("01/31/2026 11:59:59 PM", "02/01/2026 12:00:01 AM"), (0.0, 2.0)),
        (("31/01/2026 23:59:59", "01/02/2026 00:00:01"), (0.0, 2.0)),
        (("01/02/26 23:59:59", "02/02/26 00:00:01"), (0.0, 2.0)),
        (("2026-02-28T23:59:59,5Z", "2026-03-01T00:00:00,5Z"), (0.0, 1.0)),
        (("23:59:59.5", "no time", "00:00:00.5"), (0.0, np.nan, 1.0)),
    ],
)
def test_clock_times_and_dates_in_all_orders(stamps: tuple[str, ...], seconds: tuple[float, ...]) -> None:
    from slipstick.identification.reading.clock_times import clock_seconds

    np.testing.assert_allclose(clock_seconds(stamps), seconds, rtol=1e-12)


def test_dates_keep_the_digits_of_fast_samples() -> None:
    from slipstick.identification.reading.clock_times import clock_seconds

    stamps = [f"2026-03-01 12:00:00.{10_000 + k:05d}" for k in range(5)]  # steps of 10 us
    np.testing.assert_allclose(np.diff(clock_seconds(stamps)), 1e-5, rtol=1e-6)
    over_midnight = ["2026-02-28 23:59:59.5", "2026-03-01 00:00:00.5"]
    np.testing.assert_allclose(clock_seconds(over_midnight), [0.0, 1.0])
