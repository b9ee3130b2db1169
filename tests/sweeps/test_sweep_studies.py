"""``slipstick sweep``: the same points as in Python, in the words and units of files."""

import numpy as np
import pytest

import slipstick as ss
from slipstick.cli import main

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
    assert run("sweep", "map.yaml", "--workers", "1") == 0
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
def test_what_is_wrong_with_a_study_is_told_with_its_line(folder, capsys, old, new, words):
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
