"""``slipstick sweep``: the same points as in Python, in the words and units of files."""

import re
import sqlite3
from io import StringIO

import numpy as np
import pandas
import pytest
from rich.console import Console

import slipstick as ss
from slipstick.cli import main, sweep_screen
from slipstick.errors import Advice, Message
from slipstick.study.sweep_section import SweepShape
from slipstick.sweeps.status import BestFigure, Status
from slipstick.units.scales import Scale

MODEL = """slipstick: 1
name: lever
frequency: 10 Hz
coordinates:
  x: {inertia: 2 kg, displacement: 0 mm}
connections:
  spring: {deflection: x, law: linear, stiffness: 5 N/mm, damping: 20 N s/m}
  joint: {deflection: x, law: jenkins, stiffness: 3 N/mm, limit: 4 N}
loads:
  - {name: shaker, on: x, cosine: {amplitude: 10 N, order: 1}}
"""
SECOND = "  - {name: other, on: x, sine: {amplitude: 1 N, order: 2}}\n"
STUDY = """slipstick: 1
model: lever.yaml
periodic: {}
sweep:
  over:
    joint.limit: [2 N, 4 N]
    frequency: {from: 6 Hz, to: 12 Hz, count: 4}
  measure: [x.amplitude, joint.dissipated]
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "lever.yaml").write_text(MODEL)
    (tmp_path / "map.yaml").write_text(STUDY)
    return tmp_path


def run(*words):
    with pytest.raises(SystemExit) as left:
        main(list(words))
    return left.value.code


def test_a_study_is_swept_over_its_model_and_writes_everything(folder, capsys):
    assert run("sweep", "map.yaml", "--workers", "1") == 0
    out = capsys.readouterr().out
    assert "8 of 8 points done" in out
    assert "x.amplitude [mm]" in out
    assert "8 of 8 passed" in out
    for name in ("map.sqlite", "map.nc", "map.png"):
        assert (folder / name).stat().st_size > 0
    found = ss.open("map.sqlite")
    m = ss.open("lever.yaml")
    for limit in (2.0, 4.0):
        for hertz in (6.0, 8.0, 10.0, 12.0):
            model = ss.Model("lever", frequency=ss.hz(hertz))
            x = model.coordinate("x", inertia=2.0)
            model.connect(x, ss.Linear(stiffness=5e3, damping=20.0), name="spring")
            model.connect(x, ss.Jenkins(stiffness=3e3, limit=limit), name="joint")
            model.load(x, ss.Cosine(10.0, order=1))
            own = model.periodic()
            point = found.sel({"joint.limit": limit}).sel(frequency=ss.hz(hertz), method="nearest")
            assert point["x.amplitude"].item() == pytest.approx(own.amplitude["x"], rel=1e-9)
            assert point["joint.dissipated"].item() == pytest.approx(own.dissipated["joint"], rel=1e-7, abs=1e-12)
    assert m.frequency == pytest.approx(ss.hz(10))


def test_a_second_run_computes_nothing_and_a_changed_model_is_refused(folder, capsys):
    assert run("sweep", "map.yaml", "--workers", "1") == 0
    before = ss.open("map.sqlite")["seconds"].values
    assert " before)" not in capsys.readouterr().out
    assert run("sweep", "map.yaml", "--workers", "1") == 0
    assert "8 of 8 points done (all before)" in capsys.readouterr().out
    assert np.array_equal(ss.open("map.sqlite")["seconds"].values, before)
    (folder / "lever.yaml").write_text(MODEL.replace("5 N/mm", "6 N/mm"))
    capsys.readouterr()
    assert run("sweep", "map.yaml") == 2
    line = capsys.readouterr().err.strip()
    assert "\n" not in line
    assert "build connection spring was Linear(stiffness=5000" in line
    assert "--new" in line
    assert run("sweep", "map.yaml", "--new", "--workers", "1") == 0
    assert (folder / "map-2.sqlite").exists()


def test_three_axes_have_no_picture_and_a_way_out_in_the_words_of_files(folder, capsys):
    axis = "    joint.stiffness: [2 N/mm, 3 N/mm]\n"
    (folder / "map.yaml").write_text(STUDY.replace("count: 4}\n", "count: 2}\n" + axis))
    assert run("sweep", "map.yaml", "--workers", "1") == 0
    line = capsys.readouterr().out.splitlines()[-1]
    assert line.startswith("no picture: x.amplitude has 3 axes")
    assert "output: {data: map.csv}" in line
    assert "sel(" not in line


@pytest.mark.usefixtures("folder")
def test_a_sweep_that_goes_on_tells_how_many_points_were_there(capsys):
    assert run("sweep", "map.yaml", "--workers", "1") == 0
    with sqlite3.connect("map.sqlite") as ledger:
        ledger.execute("update points set state = 'waiting' where number >= 5")
    ledger.close()
    capsys.readouterr()
    assert run("sweep", "map.yaml", "--workers", "1") == 0
    assert "8 of 8 points done (5 before)" in capsys.readouterr().out


def test_the_picture_has_every_point_in_the_units_of_files(folder):
    assert run("sweep", "map.yaml", "--workers", "1") == 0
    found = ss.open(folder / "map.sqlite")
    panel = found.plot().axes[0]
    assert (panel.get_xlabel(), panel.get_ylabel()) == ("frequency [Hz]", "x.amplitude [mm]")
    assert len(panel.lines) == 2
    for line, values in zip(panel.lines, found["x.amplitude"].values):
        np.testing.assert_allclose(line.get_xdata(), [6.0, 8.0, 10.0, 12.0], rtol=1e-12)
        np.testing.assert_allclose(line.get_ydata(), 1e3 * values, rtol=1e-12)


def test_the_picture_of_random_points_has_every_point_in_the_units_of_files(folder):
    plan = "  plan: random\n  count: 5\n  over: {joint.limit: [2 N, 4 N], frequency: [6 Hz, 12 Hz]}\n"
    (folder / "map.yaml").write_text(STUDY[: STUDY.index("  over")] + plan + "  measure: [x.amplitude]\n")
    assert run("sweep", "map.yaml", "--workers", "1") == 0
    found = ss.open(folder / "map.sqlite")
    dots = found.plot(x="frequency").axes[0].collections[0].get_offsets()
    np.testing.assert_allclose(dots[:, 0], found["frequency"].values / (2.0 * np.pi), rtol=1e-12)
    np.testing.assert_allclose(dots[:, 1], 1e3 * found["x.amplitude"].values, rtol=1e-12)
    assert np.all(np.isfinite(dots))


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("model", [MODEL, MODEL.replace("frequency: 10 Hz\n", ""), MODEL + SECOND])
def test_a_new_sweep_runs_as_it_is_on_a_model_of_ones_own(folder, capsys, model):
    (folder / "lever.yaml").write_text(model)
    assert run("new", "limits", "--study", "lever.yaml", "--kind", "sweep") == 0
    assert "slipstick sweep limits.yaml" in capsys.readouterr().out
    assert "starter" not in (folder / "limits.yaml").read_text()
    assert run("sweep", "limits.yaml") == 0
    assert capsys.readouterr().err == ""
    found = ss.open(folder / "limits.sqlite")
    assert found.counts == {"done": 31 if model.endswith(SECOND) else 93}
    low, high = found["frequency"].values[[0, -1]] / (2.0 * np.pi)
    assert (low, high) == pytest.approx((5.0, 20.0))
    if not model.endswith(SECOND):
        assert found["forcing.amplitude"].values.tolist() == [5.0, 10.0, 15.0]


@pytest.mark.usefixtures("folder")
def test_every_key_of_a_sweep_is_reported_in_a_new_one_and_known(folder, capsys):
    assert run("new", "limits", "--study", "lever.yaml", "--kind", "sweep") == 0
    text = (folder / "limits.yaml").read_text()
    section, ends = text[text.index("\nsweep:") :].split("\n# Where the results go")
    for line in ends.splitlines()[1:]:
        (folder / "tried.yaml").write_text(text.replace(line, line.removeprefix("# ")))
        assert run("check", "tried.yaml") == 0, line
    assert "{plot: " in ends
    for key in SweepShape.model_fields:
        assert re.search(rf"\n  (# )?{key}:", section), f"{key} is not told"
    for line in section.splitlines():
        # a plan and laws take more than their own line
        if line.startswith("  # ") and not line.startswith(("  # plan", "  # laws")):
            (folder / "tried.yaml").write_text(text.replace(line, line.replace("# ", "", 1)))
            capsys.readouterr()
            assert run("check", "tried.yaml") == 0, line
            assert capsys.readouterr().err == ""


@pytest.mark.usefixtures("folder")
def test_status_tells_how_far_it_is(capsys):
    assert run("sweep", "map.yaml", "--workers", "1") == 0
    capsys.readouterr()
    assert run("sweep", "--status", "map.sqlite") == 0
    told = capsys.readouterr().out
    assert "finished" in told
    assert "8" in told
    assert run("sweep", "--status", "map.yaml") == 0
    assert run("sweep", "--status", "nowhere.sqlite") == 2
    assert "no such file" in capsys.readouterr().err


def test_failed_points_make_the_exit_code_one(folder, capsys):
    (folder / "map.yaml").write_text(STUDY.replace("joint.limit: [2 N, 4 N]", "x.inertia: [1 kg, 2 kg]"))
    (folder / "lever.yaml").write_text(MODEL.replace("damping: 20 N s/m", "damping: -2000 N s/m"))
    code = run("sweep", "map.yaml", "--workers", "1")
    told = capsys.readouterr()
    assert code == 1, told
    assert "points failed" in told.err
    assert "failed: " in told.out


def test_transients_and_curves_are_swept_too(folder):
    (folder / "t.yaml").write_text(
        "slipstick: 1\nmodel: lever.yaml\ntransient: {until: 0.5 s, samples: 400}\n"
        "sweep: {over: {joint.limit: [2 N, 4 N]}, measure: [x.highest, joint.dissipated, events]}\n"
    )
    (folder / "c.yaml").write_text(
        "slipstick: 1\nmodel: lever.yaml\nfrequency_response: {between: [6 Hz, 12 Hz]}\n"
        "sweep: {over: {shaker.amplitude: [5 N, 10 N]}, measure: [x.peak, x.peak_frequency]}\n"
    )
    assert run("sweep", "t.yaml", "--workers", "1") == 0
    assert run("sweep", "c.yaml", "--workers", "1") == 0
    model = ss.open("lever.yaml")
    assert ss.open("t.sqlite")["x.highest"].values[1] == pytest.approx(
        model.simulate(until=0.5, samples=400).data["displacement"].max().item(), rel=1e-9
    )
    peak = model.frequency_response(between=(ss.hz(6), ss.hz(12))).peak("x")
    assert ss.open("c.sqlite")["x.peak"].values[1] == pytest.approx(peak.amplitude, rel=1e-6)


def test_random_plans_take_ranges(folder):
    (folder / "map.yaml").write_text(
        "slipstick: 1\nmodel: lever.yaml\nperiodic: {}\n"
        "sweep: {plan: latin-hypercube, count: 5, seed: 3, over: {joint.limit: [2 N, 4 N]}, measure: [x.amplitude]}\n"
    )
    assert run("sweep", "map.yaml", "--workers", "1") == 0
    limits = ss.open("map.sqlite")["joint.limit"].values
    assert sorted(np.floor((limits - 2.0) / 0.4).astype(int)) == [0, 1, 2, 3, 4]


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("joint.limit", "join.limit", "map.yaml:6: sweep.over"),
        ("[2 N, 4 N]", "[2 mm, 4 N]", "map.yaml:6: sweep.over"),
        ("x.amplitude", "x.amplitud", "did you mean"),
        ("x.amplitude", "y.amplitude", "no coordinate"),
        ("count: 4", "count: 4.5", "whole number"),
        ("  measure: [x.amplitude, joint.dissipated]\n", "", "measure"),
        ("  over:", "  ovr:", "unknown key"),
        ("  over:", "  plan: random\n  over:", "count"),
        ("  over:", "  plan: ranom\n  over:", "did you mean"),
        ("  over:", "  along: omega\n  over:", "no axis"),
        ("  over:", "  store: map.txt\n  over:", "must end in .sqlite"),
        ("periodic: {}", "nonlinear_mode: {}", "cannot be swept"),
    ],
)
def test_what_is_wrong_with_a_study_is_reported_with_its_line(folder, capsys, old, new, words):
    assert old in STUDY
    (folder / "map.yaml").write_text(STUDY.replace(old, new))
    assert run("sweep", "map.yaml") == 2
    told = capsys.readouterr().err
    assert words in told
    assert told.startswith("map.yaml:")
    assert not (folder / "map.sqlite").exists()


def test_run_and_sweep_know_each_other(folder, capsys):
    assert run("run", "map.yaml") == 2
    assert "slipstick sweep map.yaml" in capsys.readouterr().err
    (folder / "one.yaml").write_text("slipstick: 1\nmodel: lever.yaml\nperiodic: {}\n")
    assert run("sweep", "one.yaml") == 2
    assert "has no sweep: section" in capsys.readouterr().err
    assert run("check", "map.yaml") == 0
    assert "8 points over joint.limit (2), frequency (4)" in capsys.readouterr().out


@pytest.mark.parametrize("width", [80, 50])
def test_the_bar_tells_everything_and_nothing_is_cut_off(monkeypatch, width):
    screen = Console(width=width, force_terminal=True, file=StringIO())
    monkeypatch.setattr(sweep_screen, "console", lambda: screen)
    status = Status(2000, 409, 3, 2, 1586, 18.2, 88.0, BestFigure("plate.amplitude", 0.0031234, 7))
    with sweep_screen.sweep_progress("limits", {"plate.amplitude": Scale("mm", 1000.0)}) as report:
        report(status)
    told = " ".join(re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", " ", screen.file.getvalue()).split())
    assert "412/2000, 3 failed, 18.2/s, 1 min 28 s left, plate.amplitude up to 3.123 mm" in told
    assert "21%" in told
    assert "━━━━" in told
    assert "…" not in told


def test_plain_numbers_are_rad_s_and_shown_in_the_unit_of_the_model(folder, capsys):
    """As those of `slipstick run` are: 60 rad/s are 9.549 Hz, and no 60 Hz."""
    (folder / "map.yaml").write_text(STUDY.replace("{from: 6 Hz, to: 12 Hz, count: 4}", "[60]"))
    assert run("sweep", "map.yaml", "--workers", "1") == 0
    assert "9.5493" in capsys.readouterr().out
    found = ss.open("map.sqlite")
    orbit = ss.open("lever.yaml").periodic(frequency=60.0)
    assert found["frequency"].values.tolist() == [60.0]
    assert float(found["x.amplitude"][1, 0]) == pytest.approx(orbit.amplitude["x"], rel=1e-9)
    shown = found["frequency"].attrs
    assert (shown["shown_unit"], shown["shown_factor"]) == ("Hz", pytest.approx(1 / (2 * np.pi)))


@pytest.fixture
def half_failed(folder, capsys):
    """A sweep with points that failed for the value of an axis."""
    (folder / "map.yaml").write_text(STUDY.replace("joint.limit: [2 N, 4 N]", "joint.stiffness: [-2 N/mm, 3 N/mm]"))
    assert run("sweep", "map.yaml", "--workers", "1") == 1
    return capsys.readouterr().out


def test_points_that_failed_are_reported_in_the_units_of_the_study(half_failed, capsys):
    words = "failed: joint.stiffness = -2 N/mm, frequency = 6 Hz: Jenkins: stiffness must be > 0, got -2 N/mm"
    assert words in half_failed.splitlines()
    for file in ("map.sqlite", "map.nc"):
        assert run("sweep", "--status", file) == 0
        assert words in capsys.readouterr().out.splitlines()
    # whoever asks in Python is answered in SI
    assert ss.open("map.sqlite").failed[0]["joint.stiffness"] == -2000.0


@pytest.mark.usefixtures("half_failed")
@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_tables_for_other_programs_are_in_the_units_of_the_study_and_say_so(folder, suffix):
    found = ss.open("map.sqlite")
    target = folder / f"map{suffix}"
    found.save(target)
    table = pandas.read_csv(target) if suffix == ".csv" else pandas.read_parquet(target)
    heads = ["joint.stiffness [N/mm]", "frequency [Hz]", "x.amplitude [mm]", "joint.dissipated [J]"]
    assert list(table.columns)[:4] == heads
    assert "certificate_error [mm]" in table
    assert table["joint.stiffness [N/mm]"].tolist() == [-2.0] * 4 + [3.0] * 4
    assert table["frequency [Hz]"].tolist() == [6.0, 8.0, 10.0, 12.0] * 2  # just as they were written
    amplitudes = 1e3 * found["x.amplitude"].values.ravel()
    np.testing.assert_allclose(table["x.amplitude [mm]"], amplitudes, rtol=1e-15)


@pytest.mark.usefixtures("half_failed")
def test_data_are_in_si_and_say_so():
    for file in ("map.sqlite", "map.nc"):
        found = ss.open(file)
        units = {name: found[name].attrs["units"] for name in ("frequency", "x.amplitude", "joint.dissipated")}
        assert units == {"frequency": "rad/s", "x.amplitude": "m", "joint.dissipated": "J"}
        assert found["joint.stiffness"].attrs["units"] == "N/m"
        assert found["frequency"].values[0] == pytest.approx(ss.hz(6))


def test_the_value_of_an_axis_is_shown_in_the_unit_of_the_study(folder):
    from slipstick.study import read_study

    build = read_study(folder / "map.yaml").sweep.build
    values = {"frequency": ss.hz(6), "joint.limit": -2000.0}
    raised = Advice("raise {harmonics}")
    for name, got in (("frequency", "6 Hz"), ("joint.limit", "-2000 N")):
        message = Message("no orbit there", value=values[name], advice=[raised])
        assert build.phrased(message, values) == f"no orbit there, got {got}; raise harmonics:"


def test_a_study_may_ask_for_a_table_and_says_what_its_picture_shows(folder, capsys, monkeypatch):
    asked = []
    monkeypatch.setattr(ss.results.sweep.Sweep, "plot", _remembered(ss.results.sweep.Sweep.plot, asked))
    plot = "{figure: joint.dissipated, x: joint.limit, by: frequency, log: true}"
    (folder / "map.yaml").write_text(STUDY + f"output: {{data: table.csv, figure: dissipated.svg, plot: {plot}}}\n")
    assert run("sweep", "map.yaml", "--workers", "1") == 0
    assert "written: dissipated.svg" in capsys.readouterr().out
    assert (folder / "table.csv").read_text().startswith("joint.limit [N],frequency [Hz],x.amplitude [mm]")
    assert asked == [{"figure": "joint.dissipated", "x": "joint.limit", "by": "frequency", "log": True}]
    assert "joint.dissipated" in (folder / "dissipated.svg").read_text()


def _remembered(function, asked):
    def called(self, **how):
        asked.append(how)
        return function(self, **how)

    return called


@pytest.mark.parametrize(
    ("plot", "words"),
    [
        ("quantity: rms", "plot.quantity: the picture of a sweep has no quantity; leave it out"),
        ("figure: x.amplitud", "no figure 'x.amplitud' (did you mean \"x.amplitude\"?)"),
        ("x: joint.stiffness", "no axis 'joint.stiffness'"),
        ("x: frequency, by: frequency", "plot.by: is 'frequency', as x is"),
        ("log: maybe", "plot.log"),
    ],
)
def test_what_the_picture_of_a_sweep_cannot_show_is_refused_before_anything_runs(folder, capsys, plot, words):
    (folder / "map.yaml").write_text(STUDY + f"output: {{plot: {{{plot}}}}}\n")
    assert run("sweep", "map.yaml") == 2
    told = capsys.readouterr().err
    assert words in told
    assert told.startswith("map.yaml:9: output.plot")
    assert not (folder / "map.sqlite").exists()


@pytest.mark.usefixtures("folder")
def test_a_saved_sweep_is_reported_as_what_it_is(capsys):
    assert run("sweep", "map.yaml", "--workers", "1") == 0
    capsys.readouterr()
    assert run("sweep", "--status", "map.nc") == 0
    told = capsys.readouterr().out
    assert told.startswith("map.nc: a saved sweep, finished\n")
    assert [line.split() for line in told.splitlines()[3:]] == [
        ["done", "8"], ["failed", "0"], ["running", "0"], ["waiting", "0"], ["total", "8"]
    ]  # fmt: skip
    part = ss.open("map.sqlite")
    part["state"][0, 0] = "waiting"
    part.save("part.nc")
    assert run("sweep", "--status", "part.nc") == 0
    assert "saved before it was finished" in capsys.readouterr().out
    ss.open("lever.yaml").periodic().save("orbit.nc")
    assert run("sweep", "--status", "orbit.nc") == 2
    assert "\n" not in capsys.readouterr().err.strip()
