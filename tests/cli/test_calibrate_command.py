"""``slipstick calibrate``: numbers of a model from files, as `ss.calibrate` finds them; bad studies in one line."""

import numpy as np
import pytest

import slipstick as ss

LAW = ss.Masing(stiffness=4e4, limit=12.0, parallel_stiffness=6e5, damping=30.0)
STUDY = """slipstick: 1
model: rig.yaml
calibrate:
  unknown: [joint.limit, joint.stiffness]
  bounds: {joint.limit: [1 N, none]}
  priors: {joint.stiffness: [40 N/mm, 5 N/mm]}
  fixed: {x.inertia: 20 kg}
  data:
    - {loop: joint.csv, connection: joint, time: t}
    - modes: {1: [28.45 Hz, 0.4 %]}
"""


@pytest.fixture
def command(called):
    run = called({"fit.yaml": STUDY})
    t = np.arange(800) / 1000.0
    u = 1e-3 * np.sin(2.0 * np.pi * t)
    force = LAW.trace(u, t) + np.random.default_rng(3).normal(size=t.size)
    np.savetxt("joint.csv", np.c_[t, 1e3 * u, force], delimiter=",", header="t [s],u [mm],F [N]", comments="")
    m = ss.Model("rig")
    x = m.coordinate("x", inertia=19.0, kind="translation")
    m.connect(x, ss.Masing(stiffness=3e4, limit=20.0, parallel_stiffness=6e5, damping=30.0), name="joint")
    m.save("rig.yaml")
    return run


def test_it_finds_what_python_finds_and_writes_result_picture_and_model(command):
    done = command("calibrate", "fit.yaml")
    assert (done.code, done.err) == (0, "")
    assert all(f"written: {name}" in done.out for name in ("fit.nc", "fit.png", "fit-model.yaml"))
    model = ss.open("rig.yaml")
    data = [{"joint": ss.Loop.read("joint.csv", time="t")}, {1: (ss.hz(28.45), 0.004)}]
    by_python = ss.calibrate(
        model, data, ["joint.limit", "joint.stiffness"], {"joint.limit": (1.0, None)},
        {"joint.stiffness": (4e4, 5e3)}, {"x.inertia": 20.0},
    )  # fmt: skip
    saved = ss.open("fit.nc")
    for name, own in by_python.parameters.items():
        assert saved.parameters[name].value == own.value
        assert own.low < LAW.parameters()[name.split(".")[1]] < own.high
    fitted = ss.open("fit-model.yaml")
    assert fitted.connection("joint").law.limit == pytest.approx(by_python.parameters["joint.limit"].value, rel=1e-12)
    assert fitted["x"].inertia == 20.0


def test_check_says_what_it_will_do_and_run_names_the_command(command):
    done = command("check", "fit.yaml")
    assert (done.code, done.err) == (0, "")
    assert "calibrate: joint.limit, joint.stiffness from 2 measurements" in done.out
    done = command("run", "fit.yaml")
    assert done.code == 2
    assert "run `slipstick calibrate fit.yaml`" in done.err


def test_new_writes_a_study_whose_every_line_is_read(command, tmp_path):
    assert command("new", "second", "--study", "rig.yaml", "--kind", "calibrate").code == 0
    text = (tmp_path / "second.yaml").read_text()
    (tmp_path / "hammer.csv").write_text((tmp_path / "joint.csv").read_text().replace("u [mm]", "acc1 [m/s^2]"))
    rows = "\n".join(f"{4 + 0.1 * f},{a},5" for f, a in zip(range(8), (1, 2, 3, 5, 8, 5, 3, 2)))
    (tmp_path / "sweep.csv").write_text(f"f [Hz],a [m/s^2],F [N]\n{rows}\n")
    t = np.arange(2000) / 500.0
    ss.ringdown(t, np.exp(-0.3 * t) * np.cos(28.0 * t), near=28.0, band=5.0).save("decay-ringdown.nc")
    tried = text.replace("# bounds", "bounds").replace("# priors", "priors").replace("# fixed", "fixed")
    tried = tried.replace("    # - ", "    - ").replace("plate", "x")
    (tmp_path / "tried.yaml").write_text(tried)
    done = command("check", "tried.yaml")
    assert (done.code, done.err) == (0, "")
    assert "from 5 measurements" in done.out


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        ("loop: joint.csv", "loop: absent.csv", ["fit.yaml:9", "absent.csv", "no such file"]),
        ("connection: joint", "connection: pin", ['"pin"', "known: joint"]),
        (", connection: joint", "", ["needs connection:"]),
        ("loop: joint.csv", "loop: joint.csv, record: joint.csv", ["got record: and loop:"]),
        ("time: t", "columns: {x: u}", ["fit.yaml:9", "belongs to another measurement than loop"]),
        ("time: t", "time: clock", ["clock"]),
        ("joint.limit, joint.stiffness]", "joint.limt]", ["limt", "limit"]),
        ("unknown: [joint.limit, joint.stiffness]", "unknown: []", ["is empty"]),
        ("[1 N, none]", "[1 kg, none]", ["N", "1 kg"]),
        ("[1 N, none]", "1 N", ["must have two values"]),
        ("[1 N, none]", "[30 N, none]", ["20", "30"]),
        ("20 kg", "20 N", ["kg", "20 N"]),
        ("fixed: {x.inertia: 20 kg}", "fixed: {joint.limit: 20 N}", ["in unknown and in fixed"]),
        ("1: [28.45 Hz", "7: [28.45 Hz", ["mode 7"]),
        ("[28.45 Hz, 0.4 %]", "28.45 Hz", ["modes are by number"]),
    ],
)
def test_a_bad_study_is_one_line(command, tmp_path, before, after, words):
    assert before in STUDY
    (tmp_path / "fit.yaml").write_text(STUDY.replace(before, after, 1))
    _is_refused_in_one_line(command, tmp_path, words)


def test_a_study_without_measurements_is_one_line(command, tmp_path):
    (tmp_path / "fit.yaml").write_text(STUDY[: STUDY.index("  data:")] + "  data: []\n")
    _is_refused_in_one_line(command, tmp_path, ["fit.yaml:", "calibrate.data: is empty; name at least one measurement"])


def _is_refused_in_one_line(command, tmp_path, words):
    done = command("calibrate", "fit.yaml")
    assert done.code == 2
    assert done.err.count("\n") == 1
    assert "Traceback" not in done.err
    assert all(word in done.err for word in words)
    assert not (tmp_path / "fit.nc").exists()


def test_it_refuses_a_study_of_another_kind(command, tmp_path):
    (tmp_path / "other.yaml").write_text("slipstick: 1\nmodel: rig.yaml\ntransient: {until: 1 s}\n")
    done = command("calibrate", "other.yaml")
    assert done.code == 2
    assert "needs a calibrate: section" in done.err


def test_it_draws_from_the_posterior_and_compares_it_with_curvature(command):
    pytest.importorskip("emcee")
    done = command("calibrate", "fit.yaml", "--posterior", "50")
    assert (done.code, done.err) == (0, "")
    assert "Posterior of the calibration of model" in done.out
    assert "written: fit-posterior.nc" in done.out
    assert list(ss.open("fit-posterior.nc").parameters) == ["joint.limit", "joint.stiffness"]
    done = command("identify", "joint.csv", "--law", "masing", "--time", "t", "--posterior", "0")
    assert done.code == 2
    t = np.arange(2001) / 1000.0
    u = 1e-3 * np.sin(2.0 * np.pi * t)
    force = LAW.trace(u, t) + np.random.default_rng(3).normal(size=t.size)
    np.savetxt("two.csv", np.c_[t, u, force], delimiter=",", header="t [s],u [m],F [N]", comments="")
    done = command("identify", "two.csv", "--law", "masing", "--time", "t")
    assert 'Measure "a cycle of' in done.out or "None of these tests narrows" in done.out
    done = command("rank", "two.csv", "--laws", "masing,linear", "--time", "t")
    assert "to separate Masing from Linear" in done.out
