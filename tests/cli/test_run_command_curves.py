"""``slipstick run`` with a frequency response as a user meets it: tables, files, and what is kept of a part."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from dataclasses import replace
from io import StringIO
from types import SimpleNamespace

import numpy as np
import pytest
from pace import FOREGROUND, until
from periodic.analytic_families import plain_point
from rich.console import Console

import slipstick as ss
from slipstick.cli.progress import study_progress
from slipstick.results.curve import Curve, CurveFindings, CurveStats
from slipstick.study import read_study

MODEL = """\
slipstick: 1
name: gear with play
coordinates: {x: {inertia: 1.2 kg}}
connections:
  shaft: {deflection: x, law: linear, stiffness: 2 N/mm, damping: 8 N s/m}
  mesh: {deflection: x, law: freeplay, stiffness: 10 N/mm, half_gap: 0.5 mm}
loads: [{on: x, cosine: {amplitude: 2 N, order: 1}}]
"""
STUDY = """\
slipstick: 1
name: over speed
model: gear.yaml
frequency_response:
  between: [1 Hz, 4 Hz]
output: {data: curve.nc, figure: none}
"""


@pytest.fixture
def command(called):
    return called({"gear.yaml": MODEL, "study.yaml": STUDY})


def points(count=4):
    """Amplitudes of 1, 2, 3, 2 mm at 1, 2, 3, 4 Hz; the third is unstable."""
    sizes = (1e-3, 2e-3, 3e-3, 2e-3)
    wide = {"force_range": np.zeros(2), "dissipated": np.zeros(2), "stick_share": np.zeros(2), "lag": np.zeros(2)}
    made = [plain_point([sizes[k]], ss.hz(k + 1), **wide) for k in range(count)]
    return tuple(replace(point, stable=k != 2) for k, point in enumerate(made))


@pytest.fixture
def solver(monkeypatch):
    """A solver that hands over what it is told to."""
    fold = {"kind": "fold", "frequency": ss.hz(3.0), "point": 2, "parameter": ss.hz(3.0)}
    told = SimpleNamespace(raises=None, found=CurveFindings(points(), [fold], ("a restart",)), stats={}, progress=None)

    def curve(model, found, **stats):
        return Curve(found, model, CurveStats(**{"method": "shooting", "reason": "it fits", **stats}))

    def respond(self, progress=None, **_):
        progress(1, ss.hz(1.0))
        told.model = self
        if told.raises is not None:
            failure = told.raises
            failure.partial = failure.partial and curve(self, failure.partial, ended=str(failure))
            raise failure
        return curve(self, told.found, **told.stats)

    monkeypatch.setattr(ss.Model, "frequency_response", respond)
    return told


# ---- the screen


@pytest.mark.usefixtures("solver")
def test_the_screen_has_range_stability_peaks_special_points_error_and_notes(command):
    done = command("run", "study.yaml")
    assert (done.code, done.err) == (0, "")
    lines = done.out.splitlines()
    assert lines[0] == "over speed: frequency response of gear with play"
    assert lines[1] == "by shooting: it fits"
    assert lines[2].startswith("1 to 4 Hz, 4 points: 3 stable, 1 unstable; ")
    rows = [line.split() for line in lines]
    assert ["coordinate", "at", "[Hz]", "largest", "amplitude"] in rows
    assert ["x", "3", "3", "mm,", "unstable"] in rows
    assert ["special", "point", "at", "[Hz]", "x", "[mm]"] in rows
    assert ["fold", "3", "3"] in rows
    assert "error <= 1e-09 mm: the largest of a displacement, estimated" in lines
    assert "note: a restart" in lines
    assert lines[-1] == "written: curve.nc"


def test_a_curve_with_errors_as_large_as_its_motion_leaves_with_1_and_is_kept(command, solver, tmp_path):
    """Three of its four points, by a quarter of their motion; of one of four it is only a note."""
    rough = [replace(p, error=0.25 * float(p.amplitude[0])) if k < 3 else p for k, p in enumerate(points())]
    solver.found = CurveFindings(tuple(rough), [], ())
    solver.stats = {"method": "harmonic-balance"}
    done = command("run", "study.yaml")
    words = "3 of 4 orbits have an error above 10 % of their motion; raise harmonics:, or use method: shooting"
    assert (done.code, done.err) == (1, f"slipstick: not to be trusted: {words}\n")
    assert f"not to be trusted: {words}" in done.out
    assert (tmp_path / "curve.nc").exists()
    solver.found = CurveFindings((*points()[:2], *rough[2:3], *points()[3:]), [], ())
    assert command("run", "study.yaml").code == 0


def test_the_time_for_stability_and_special_points_is_distinguished(command, solver, monkeypatch):
    """They are computed when first looked at, and may take longer than the curve."""
    found = solver.found

    def slowly():
        seconds[0] += 0.25
        return found

    seconds = [0.0]
    monkeypatch.setattr("slipstick.cli.run_command.perf_counter", lambda: seconds[0])

    assert "special points in" not in command("run", "study.yaml").out
    solver.found = slowly
    told = "; solved in 0 us, stability and special points in 250 ms, 250 ms in all\n"
    assert told in command("run", "study.yaml").out


def test_units_are_those_of_the_study(command, solver, tmp_path):
    (tmp_path / "study.yaml").write_text(STUDY.replace("[1 Hz, 4 Hz]", "[60 rpm, 240 rpm]"))
    lines = command("run", "study.yaml").out.splitlines()
    assert lines[2].startswith("60 to 240 rpm, ")
    assert ["fold", "180", "3"] in [line.split() for line in lines]
    assert solver.model.units.frequency == "rpm"


def test_many_special_points_of_a_kind_are_one_row(command, solver):
    many = [{"kind": "grazing", "frequency": w, "point": 1, "parameter": w} for w in ss.hz(1.0) * np.linspace(1, 3, 20)]
    solver.found = CurveFindings(points(), many)
    lines = command("run", "study.yaml").out.splitlines()
    assert ["20", "x", "grazing", "1", "to", "3"] in [line.split() for line in lines]


def test_special_points_at_one_place_are_one_row(command, solver):
    both = [{"kind": "grazing", "frequency": w, "point": 1, "parameter": w} for w in (ss.hz(2.0), ss.hz(2.0 + 1e-9))]
    solver.found = CurveFindings(points(), both)
    assert ["2", "x", "grazing", "2", "2"] in [line.split() for line in command("run", "study.yaml").out.splitlines()]


@pytest.mark.usefixtures("solver")
def test_a_largest_amplitude_that_is_unstable_has_the_largest_stable_one_below_it(command):
    """Of 1, 2, 3 and 2 mm at 1, 2, 3 and 4 Hz the third is unstable."""
    rows = [line.split() for line in command("run", "study.yaml").out.splitlines()]
    largest = rows.index(["x", "3", "3", "mm,", "unstable"])
    assert rows[largest + 1] == ["2", "2", "mm,", "the", "largest", "stable", "one"]


def test_a_curve_on_which_nothing_is_stable_says_so_in_its_table(command, solver):
    solver.found = CurveFindings(tuple(replace(point, stable=False) for point in points()), [])
    assert "no stable one on this curve" in command("run", "study.yaml").out


@pytest.mark.parametrize("kind", ["branch-point", "period-doubling", "fold"])
def test_where_other_branches_leave_a_line_says_how_to_follow_them(command, solver, kind):
    solver.found = CurveFindings(points(), [{"kind": kind, "frequency": ss.hz(2), "point": 1, "parameter": ss.hz(2)}])
    said = command("run", "study.yaml").out
    assert (f"other branches leave at {kind}s: curve.switch(special)" in said) == (kind != "fold")


@pytest.mark.parametrize(
    ("given", "between", "three"),
    [
        ("frequency: 900 rpm", "[450 rpm, 1800 rpm]", "[720 rpm, 900 rpm, 1080 rpm]"),
        ("frequency: 1.5 Hz", "[0.75 Hz, 3 Hz]", "[1.2 Hz, 1.5 Hz, 1.8 Hz]"),
        ("# no speed", "[5 Hz, 20 Hz]", "[8 Hz, 10 Hz, 12 Hz]"),
    ],
)
def test_a_new_study_is_about_the_frequency_of_its_model(command, tmp_path, given, between, three):
    (tmp_path / "gear.yaml").write_text(MODEL + given + "\n", encoding="utf-8")
    command("new", "speeds", "--study", "gear.yaml", "--kind", "frequency-response")
    text = (tmp_path / "speeds.yaml").read_text(encoding="utf-8")
    assert f"between: {between} " in text
    assert three in text
    assert read_study(tmp_path / "speeds.yaml")


@pytest.mark.usefixtures("command")
def test_who_watches_sees_points_and_frequency(tmp_path, monkeypatch):
    screen = Console(file=StringIO(), force_terminal=True, width=80)
    monkeypatch.setattr("slipstick.cli.progress.console", lambda: screen)
    with study_progress(read_study(tmp_path / "study.yaml")) as shown:
        shown.report(57, ss.hz(12.5))
        until(lambda: "over speed: 57 points, 12.5 Hz" in screen.file.getvalue())  # there are ten frames a second
        shown.say("stability and special points")
    said = screen.file.getvalue()
    assert "stability and special points" in said
    assert re.search(r"0:\d\d:\d\d", said)


def test_a_curve_whose_stability_is_not_known_says_so(command, solver):
    bare = tuple(replace(point, stable=None, error=np.nan) for point in points())
    solver.found = CurveFindings(bare, [])
    lines = command("run", "study.yaml").out.splitlines()
    assert lines[2].startswith("1 to 4 Hz, 4 points, stability not known; ")
    assert "errors not known" in lines


@pytest.mark.usefixtures("solver")
def test_lines_fit_eighty_columns_but_for_sentences(command):
    tables = [line for line in command("run", "study.yaml").out.splitlines() if "  " in line]
    assert tables
    assert all(len(line) <= 80 for line in tables)


@pytest.mark.usefixtures("solver")
def test_check_says_what_is_asked_for_in_the_units_of_the_study(command, tmp_path):
    assert "frequency_response: between 1 and 4 Hz\n" in command("check", "study.yaml").out
    keys = "at: {from: 1 Hz, to: 4 Hz, count: 7}\n  method: harmonic-balance\n  harmonics: 5"
    (tmp_path / "study.yaml").write_text(STUDY.replace("between: [1 Hz, 4 Hz]", keys))
    told = "frequency_response: at 7 frequencies, 1 to 4 Hz, method harmonic-balance, harmonics 5\n"
    assert told in command("check", "study.yaml").out


# ---- files


@pytest.mark.usefixtures("solver")
def test_data_and_figure_are_written_and_can_be_opened(command, tmp_path):
    (tmp_path / "study.yaml").write_text(STUDY.replace("figure: none", "figure: curve.png, plot: {quantity: rms}"))
    done = command("run", "study.yaml")
    assert done.code == 0
    again = ss.open("curve.nc")
    assert again.data.sizes["point"] == 4
    assert again.model == ss.open("gear.yaml")
    assert again.names.units.frequency == "Hz"
    assert (tmp_path / "curve.png").read_bytes().startswith(b"\x89PNG")


def test_the_figure_has_the_frequencies_of_the_study(command, solver):
    command("run", "study.yaml")
    figure = Curve(solver.found, solver.model, CurveStats("shooting")).plot()
    (axis,) = figure.axes
    assert axis.get_xlabel() == "frequency [Hz]"
    assert np.concatenate([line.get_xdata() for line in axis.get_lines()]).max() == pytest.approx(4.0)


# ---- a part is kept


def test_a_numerical_failure_keeps_the_part_that_was_reached(command, solver, tmp_path):
    solver.raises = ss.NotConverged("no way on beyond 3 Hz", partial=CurveFindings(points(3), []))
    done = command("run", "study.yaml")
    assert done.code == 1
    assert done.err == "slipstick: no way on beyond 3 Hz; PARTIAL: what was reached is in curve.nc\n"
    part = ss.open(tmp_path / "curve.nc")
    assert len(part) == 3
    assert part.partial == "PARTIAL: no way on beyond 3 Hz"


def test_ctrl_c_keeps_the_part_that_was_reached_and_leaves_with_130(command, solver, tmp_path):
    solver.raises = ss.NotConverged("interrupted", partial=CurveFindings(points(2), []), interrupted=True)
    done = command("run", "study.yaml")
    assert done.code == 130
    assert done.err.splitlines() == [
        "slipstick: interrupted; saving what was reached",
        "slipstick: writing curve.nc; Ctrl-C leaves it out",
        "slipstick: interrupted; PARTIAL: what was reached is in curve.nc",
    ]
    assert len(ss.open(tmp_path / "curve.nc")) == 2


def test_ctrl_c_while_stability_is_computed_keeps_what_was_looked_at(command, solver, tmp_path):
    def stopped():
        raise ss.NotConverged("interrupted while", partial=CurveFindings(points(2), []), interrupted=True)

    solver.found = stopped
    done = command("run", "study.yaml")
    assert done.code == 130
    assert done.err.splitlines()[-1] == "slipstick: interrupted while; PARTIAL: what was reached is in curve.nc"
    assert len(ss.open(tmp_path / "curve.nc")) == 2


def test_ctrl_c_before_anything_was_looked_at_says_that_nothing_was_kept(command, solver, tmp_path):
    def stopped():
        raise ss.NotConverged("interrupted once more", partial=CurveFindings((), []), interrupted=True)

    solver.raises = ss.NotConverged("interrupted", partial=stopped, interrupted=True)
    done = command("run", "study.yaml")
    assert done.code == 130
    assert done.err.splitlines()[-1] == "slipstick: interrupted; interrupted again, nothing was kept"
    assert not list(tmp_path.glob("*.nc"))


def test_a_failure_before_the_first_point_says_so(command, solver):
    solver.raises = ss.NotConverged("no orbit was found at 1 Hz")
    done = command("run", "study.yaml")
    assert (done.code, done.err) == (1, "slipstick: no orbit was found at 1 Hz; nothing was kept\n")


# ---- for true

SLOW = """
import time
import slipstick.periodic.response as response

follow, points = response.follow, []
def slowly(*given, watch, **more):
    def slow(point):
        watch(point)
        points.append(point)
        if len(points) == 3:
            print("now", flush=True)
            time.sleep(600)
    return follow(*given, watch=slow, **more)
response.follow = slowly
"""
HALF = """
import time
import slipstick as ss
from cli.test_run_command_curves import points
from slipstick.results import result_files
from slipstick.results.curve import Curve, CurveStats, CurveFindings

def half(tables, path):
    path.write_bytes(b"half")
    print("now", flush=True)
    time.sleep(600)

found = CurveFindings(points(), [])
ss.Model.frequency_response = lambda self, **_: Curve(found, self, CurveStats("shooting"))
result_files.write_tables = half
"""


def started(folder, program):
    """A process that has said "now"."""
    (folder / "gear.yaml").write_text(MODEL)
    (folder / "study.yaml").write_text(STUDY.replace("[1 Hz, 4 Hz]", "[6 Hz, 20 Hz]"))
    run = subprocess.Popen(
        [sys.executable, "-c", f"{FOREGROUND}{program}\nfrom slipstick.cli import main\nmain(['run', 'study.yaml'])"],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert run.stdout is not None
    while run.stdout.readline() != "now\n":
        assert run.poll() is None
    return run


@pytest.mark.skipif(os.name == "nt", reason="signals")
def test_ctrl_c_in_the_middle_of_a_real_curve(tmp_path):
    with started(tmp_path, SLOW) as run:
        run.send_signal(signal.SIGINT)
        _, said = run.communicate(timeout=600)
    assert run.returncode == 130
    assert said.splitlines()[-1] == "slipstick: interrupted; PARTIAL: what was reached is in curve.nc"
    part = ss.open(tmp_path / "curve.nc")
    assert 2 <= len(part) < 20
    assert part.data.amplitude.values.min() > 0.0
    assert part.partial == "PARTIAL: interrupted"


@pytest.mark.skipif(os.name == "nt", reason="signals")
def test_a_run_that_is_killed_while_it_writes_leaves_the_old_file(tmp_path):
    (tmp_path / "curve.nc").write_bytes(b"the old one")
    with started(tmp_path, HALF) as run:
        run.kill()
        run.communicate(timeout=600)
    assert (tmp_path / "curve.nc").read_bytes() == b"the old one"


# ---- orbits


def test_an_orbit_shows_stability_amplitudes_and_its_certificate(command, tmp_path):
    text = STUDY.replace("frequency_response:\n  between: [1 Hz, 4 Hz]", "periodic:\n  frequency: 30 Hz")
    (tmp_path / "study.yaml").write_text(text)
    done = command("run", "study.yaml")
    assert (done.code, done.err) == (0, "")
    lines = done.out.splitlines()
    assert lines[0].startswith("over speed: periodic response of gear with play by shooting")
    assert any(line.startswith("30 Hz, period 0.0333333 s, stable (largest multiplier 0.") for line in lines)
    omega = 2.0 * np.pi * 30.0
    amplitude = 1e3 * 2.0 / abs(2000.0 - 1.2 * omega**2 + 8.0j * omega)  # it swings within the gap
    assert amplitude < 0.5
    row = next(line.split() for line in lines if line.startswith("x "))
    assert row[:2] == ["x", "mm"]
    assert float(row[2]) == pytest.approx(amplitude, rel=1e-5)
    assert "certificate passed" in lines
    assert ss.open(tmp_path / "curve.nc").amplitude["x"] == pytest.approx(1e-3 * amplitude, rel=1e-9)


# ---- new


@pytest.mark.usefixtures("solver")
def test_new_writes_a_frequency_response_that_runs(command, tmp_path):
    done = command("new", "first", "--study", "gear.yaml", "--kind", "frequency-response")
    assert (done.code, done.err) == (0, "")
    assert "slipstick run first.yaml" in done.out
    assert "starter" not in (tmp_path / "first.yaml").read_text()
    assert command("check", "first.yaml").code == 0
    assert command("run", "first.yaml").code == 0
    assert (tmp_path / "first.nc").is_file()
    assert (tmp_path / "first.png").is_file()


def test_every_commented_key_of_a_new_frequency_response_is_known(command, tmp_path):
    command("new", "first", "--study", "gear.yaml", "--kind", "frequency_response")
    lines = (tmp_path / "first.yaml").read_text().splitlines()
    for k, line in enumerate(lines):
        if line.startswith("  # ") and "at:" not in line and "start:" not in line:
            shown = [*lines[:k], line.replace("# ", "", 1), *lines[k + 1 :]]
            text = "\n".join(shown)
            if "harmonics:" in line:
                text = text.replace("method: auto", "method: harmonic-balance")
            (tmp_path / "tried.yaml").write_text(text)
            done = command("check", "tried.yaml")
            assert (done.code, done.err) == (0, ""), line


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--kind", "frequency-response"), "add --study with its file, such as --study belt.yaml"),
        (("--study", "gear.yaml", "--kind", "frequency-respons"), 'did you mean "frequency-response"'),
    ],
)
def test_a_new_study_of_no_kind_is_refused(options, words, command, tmp_path):
    done = command("new", "first", *options)
    assert done.code == 2
    assert words in done.err
    assert not (tmp_path / "first.yaml").exists()
