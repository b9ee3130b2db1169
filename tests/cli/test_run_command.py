"""``slipstick run`` as a user meets it: a summary with the certificate, files, and exit codes."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import textwrap
from types import SimpleNamespace

import numpy as np
import pytest
from pace import FOREGROUND
from results.recorded_trajectories import trajectory
from study.invalid_studies import GOOD, MODEL

import slipstick as ss
from slipstick.study import read_study


@pytest.fixture
def solver(monkeypatch):
    """A solver that hands over what it is told to."""
    told = SimpleNamespace(changes={}, raises=None)

    def run(problem, request):
        if told.raises:
            raise told.raises
        request.progress(0.5)
        return trajectory(problem.system, request.times, **told.changes)

    monkeypatch.setitem(sys.modules, "slipstick.transient.exact", SimpleNamespace(run=run))
    return told


@pytest.fixture
def command(called):
    return called({"pair.yaml": MODEL, "study.yaml": GOOD})


@pytest.mark.usefixtures("solver")
def test_the_summary_has_method_reason_certificate_and_energies(command):
    done = command("run", "study.yaml")
    assert (done.code, done.err) == (0, "")
    lines = done.out.splitlines()
    assert lines[0] == "first run: transient of pair by exact (every law is piecewise linear)"
    assert re.fullmatch(r"0 to 0.2 s, 50 samples, 7 steps; solved in \S+ \w+, \S+ \w+ in all", lines[1])
    assert "certificate passed" in lines
    assert "  error <= 2e-06 mm (x), the largest of a displacement, estimated" in lines
    assert "  energy residual 3e-13 of the energy exchanged, at most 1e-09" in lines
    assert "  note: made by hand" in lines
    rows = [line.split() for line in lines]
    assert ["mesh", "0.5", "+0.25"] in rows
    assert ["bearing", "0.5", "*"] in rows
    assert ["sum", "1.25", "1", "+0.75"] in rows
    assert any(line.startswith("* absorbed") for line in lines)
    assert lines[-1].startswith("written: ")


@pytest.mark.usefixtures("solver")
def test_the_data_can_be_opened_and_there_is_no_figure_where_none_is_asked(command, tmp_path):
    command("run", "study.yaml")
    run = ss.open(tmp_path / "first.nc")
    assert run.data.sizes["time"] == 50
    assert run.model == ss.open("pair.yaml")
    assert list(tmp_path.glob("*.png")) == []


@pytest.mark.usefixtures("solver")
@pytest.mark.parametrize(("suffix", "magic"), [("png", b"\x89PNG"), ("svg", b"<?xml"), ("pdf", b"%PDF")])
def test_the_figure_is_a_picture(suffix, magic, command, tmp_path):
    (tmp_path / "study.yaml").write_text(GOOD.replace("figure: none", f"figure: first.{suffix}"))
    done = command("run", "study.yaml")
    assert (tmp_path / f"first.{suffix}").read_bytes().startswith(magic)
    assert f"first.{suffix}" in done.out


def test_a_failed_certificate_is_loud_and_the_results_are_there(command, solver, tmp_path):
    solver.changes = {"energy_residual": 0.25}
    done = command("run", "study.yaml")
    assert done.code == 1
    assert "certificate FAILED" in done.out
    assert done.err == "slipstick: certificate FAILED: energy does not balance: residual 0.25, at most 1e-09\n"
    assert not ss.open(tmp_path / "first.nc").certificate.passed


def reached(tmp_path):
    return trajectory(ss.open(tmp_path / "pair.yaml"), np.linspace(0.0, 0.1, 11))


def test_a_numerical_failure_keeps_what_was_reached(command, solver, tmp_path):
    solver.raises = ss.NotConverged("the state is not finite at t = 0.1 s", partial=reached(tmp_path))
    done = command("run", "study.yaml")
    assert done.code == 1
    assert done.err.startswith("slipstick: the state is not finite at t = 0.1 s; PARTIAL: what was reached is in ")
    assert len(done.err.splitlines()) == 1
    assert ss.open(tmp_path / "first.nc").data.time.values[-1] == 0.1


def test_a_failure_that_cannot_be_saved_is_still_reported(command, solver, tmp_path, monkeypatch):
    solver.raises = ss.NotConverged("the state is not finite", partial=reached(tmp_path))
    monkeypatch.setattr("slipstick.results.run.Run.save", no_room)
    done = command("run", "study.yaml")
    assert done.code == 1
    assert done.err == "slipstick: the state is not finite; what was reached could not be saved: first.nc: no room\n"


WITH_FIGURE = GOOD.replace("figure: none", "figure: first.png")


@pytest.mark.usefixtures("solver")
def test_data_that_cannot_be_written_do_not_take_the_figure_along(command, tmp_path, monkeypatch):
    (tmp_path / "study.yaml").write_text(WITH_FIGURE)
    monkeypatch.setattr("slipstick.results.run.Run.save", no_room)
    done = command("run", "study.yaml")
    assert (done.code, done.err) == (1, "slipstick: first.nc: no room\n")
    assert "certificate passed" in done.out
    assert done.out.endswith("written: first.png\n")
    assert (tmp_path / "first.png").stat().st_size > 0


@pytest.mark.usefixtures("solver")
def test_a_figure_that_cannot_be_written_leaves_the_data(command, tmp_path, monkeypatch):
    def full(*_, **__):
        raise OSError(28, "No space left on device")

    (tmp_path / "study.yaml").write_text(WITH_FIGURE)
    monkeypatch.setattr("matplotlib.figure.Figure.savefig", full)
    done = command("run", "study.yaml")
    assert done.code == 1
    assert done.err == "slipstick: first.png: cannot be written: no space left on device; make room and start again\n"
    assert ss.open(tmp_path / "first.nc").certificate.passed


@pytest.mark.parametrize(("target", "line"), [("data: first.nc", 10), ("figure: none", 11)])
def test_files_that_cannot_be_written_are_found_before_the_run(target, line, command, solver, tmp_path, monkeypatch):
    def refused(path, *_, **__):
        raise OSError(30, "Read-only file system", str(path))

    solver.raises = AssertionError("it ran")
    monkeypatch.setattr("pathlib.Path.touch", refused)
    key = target.split(":")[0]
    others = GOOD.replace("data: first.nc", "data: none")
    (tmp_path / "study.yaml").write_text(GOOD if key == "data" else others.replace("figure: none", "figure: a.png"))
    done = command("run", "study.yaml")
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(f"study.yaml:{line}: output.{key}: ")
    assert "cannot be written: read-only file system; name another file or folder" in done.err
    assert len(done.err.splitlines()) == 1


@pytest.mark.usefixtures("solver")
def test_looking_whether_files_can_be_written_leaves_them_alone(command, tmp_path):
    (tmp_path / "first.nc").write_bytes(b"the old one")
    study = read_study(tmp_path / "study.yaml")
    study.refuse_unwritable()
    assert (tmp_path / "first.nc").read_bytes() == b"the old one"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["first.nc", "pair.yaml", "study.yaml"]
    assert command("run", "study.yaml").code == 0


def no_room(*_):
    raise ss.FileError("first.nc", None, "", "no room")


def test_a_failure_before_anything_says_so(command, solver):
    solver.raises = ss.NotConverged("no start")
    done = command("run", "study.yaml")
    assert (done.code, done.err) == (1, "slipstick: no start; nothing was kept\n")


def test_an_interrupted_run_keeps_what_was_computed_and_leaves_with_130(command, solver, tmp_path):
    solver.raises = ss.NotConverged("interrupted at t = 0.1 s", partial=reached(tmp_path), interrupted=True)
    done = command("run", "study.yaml")
    assert done.code == 130
    first, writing, last = done.err.splitlines()
    assert first == "slipstick: interrupted; saving what was reached"
    assert writing == "slipstick: writing first.nc; Ctrl-C leaves it out"
    assert last.startswith("slipstick: interrupted at t = 0.1 s; PARTIAL: what was reached is in ")
    run = ss.open(tmp_path / "first.nc")
    assert run.data.time.size == 11
    assert run.partial == "PARTIAL: ended at t = 0.1 s of 0.2 s"
    assert "not computed" in run.certificate.verdict


SLOW = """
import sys, time
from types import SimpleNamespace
import numpy as np
import slipstick as ss
from results.recorded_trajectories import trajectory

def run(problem, request):
    try:
        print("now", flush=True)
        time.sleep(600)
    except KeyboardInterrupt:
        partial = trajectory(problem.system, np.linspace(0.0, 0.1, 11))
        raise ss.NotConverged("stopped at t = 0.1 s", partial=partial, interrupted=True) from None

sys.modules["slipstick.transient.exact"] = SimpleNamespace(run=run)
from slipstick.cli import main
main(["run", "study.yaml"])
"""


@pytest.mark.skipif(os.name == "nt", reason="signals")
def test_ctrl_c_in_the_middle_of_a_run(tmp_path):
    (tmp_path / "pair.yaml").write_text(MODEL)
    (tmp_path / "study.yaml").write_text(GOOD)
    paths = os.pathsep.join(p for p in sys.path if p)
    with subprocess.Popen(
        [sys.executable, "-c", FOREGROUND + textwrap.dedent(SLOW)],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": paths},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as run:
        assert run.stdout is not None
        assert run.stdout.readline() == "now\n"
        run.send_signal(signal.SIGINT)
        _, said = run.communicate(timeout=600)
    assert run.returncode == 130
    assert said.splitlines()[0] == "slipstick: interrupted; saving what was reached"
    assert said.splitlines()[2].startswith("slipstick: stopped at t = 0.1 s; PARTIAL: what was reached is in ")
    assert ss.open(tmp_path / "first.nc").data.time.size == 11


@pytest.mark.usefixtures("solver")
def test_new_writes_a_study_that_runs(command, tmp_path):
    done = command("new", "first", "--study", "pair.yaml")
    assert (done.code, done.err) == (0, "")
    assert "slipstick run first.yaml" in done.out
    assert command("check", "first.yaml").code == 0
    assert command("run", "first.yaml").code == 0
    assert (tmp_path / "first.nc").is_file()
    assert (tmp_path / "first.png").is_file()


@pytest.mark.usefixtures("solver")
def test_a_new_study_in_another_folder_finds_its_model(command, tmp_path):
    (tmp_path / "runs").mkdir()
    assert command("new", "runs/first", "--study", "pair.yaml").code == 0
    assert command("check", "runs/first.yaml").code == 0


def test_a_new_study_of_a_model_that_is_not_there_is_refused(command, tmp_path):
    done = command("new", "first", "--study", "pear.yaml")
    assert done.code == 2
    assert "there is no model file 'pear.yaml'" in done.err
    assert not (tmp_path / "first.yaml").exists()


def test_check_knows_studies(command):
    done = command("check", "study.yaml", "pair.yaml")
    assert (done.code, done.err) == (0, "")
    assert "study.yaml: ok  pair" in done.out
    assert "transient: until 0.2, start 0.0, method auto, samples 50" in done.out
    assert "pair.yaml: ok  pair" in done.out


def test_check_shows_what_is_wrong_with_a_study(command, tmp_path):
    (tmp_path / "study.yaml").write_text(GOOD.replace("200 ms", "later"))
    done = command("check", "study.yaml")
    assert done.code == 2
    assert done.err.startswith("study.yaml:5: transient.until: ")


def uncommented(text, first, last):
    """The text with the comment marks of some of its lines taken off."""
    lines = text.splitlines()
    begin = lines.index(first)
    end = next(i for i in range(begin, len(lines)) if lines[i] == last)
    lines[begin : end + 1] = [line.removeprefix("# ") for line in lines[begin : end + 1]]
    return "\n".join(lines) + "\n"


def test_the_model_in_place_of_a_new_study_is_right(command, tmp_path):
    command("new", "first", "--study", "pair.yaml")
    text = (tmp_path / "first.yaml").read_text()
    text = "".join(line for line in text.splitlines(True) if not line.startswith("model:"))
    last = "#     guide: {deflection: block, law: dry-friction, limit: 2 N}"
    (tmp_path / "first.yaml").write_text(uncommented(text, "# model:", last))
    done = command("run", "first.yaml")
    assert (done.code, done.err) == (0, "")
    assert "certificate passed" in done.out


def test_a_new_study_names_its_own_files(command, tmp_path):
    command("new", "first run", "--study", "pair.yaml")
    text = (tmp_path / "first run.yaml").read_text()
    assert "starter" not in text
    line = next(line for line in text.splitlines() if line.startswith("# output:"))
    assert line == '# output: {data: "first run.nc", figure: none}'


@pytest.mark.parametrize(
    ("lines", "place", "words"),
    [
        ("method: ode45", "7: transient.method", "unknown method 'ode45'"),
        ("method: newmark", "7: transient.method", "has no value and tangent"),
        ("method: inclusion\n  step: -1e-5", "8: transient.step", "must be > 0"),
        ("method: exact\n  step: 1e-5", "8: transient.step", "leave step: out"),
        ("method: inclusion\n  step: 100 ms", "8: transient.step", "above the stability limit"),
        ("method: inclusion\n  options: {scheme: thet}", "8: transient.options.scheme", 'did you mean "theta"'),
        ("method: inclusion\n  options: {teta: 1}", "8: transient.options.teta", 'did you mean "theta"'),
    ],
)
def test_check_refuses_what_only_the_method_knows_as_run_does(lines, place, words, command, tmp_path):
    (tmp_path / "study.yaml").write_text(GOOD.replace("method: auto", lines))
    checked, ran = command("check", "study.yaml"), command("run", "study.yaml")
    assert (checked.code, checked.out) == (2, "")
    assert checked.err.startswith(f"study.yaml:{place}: ")
    assert words in checked.err
    assert (ran.code, ran.err) == (2, checked.err)


def test_check_tries_whether_results_can_be_written(command, monkeypatch):
    def refused(path, *_, **__):
        raise OSError(30, "Read-only file system", str(path))

    monkeypatch.setattr("pathlib.Path.touch", refused)
    done = command("check", "study.yaml")
    assert done.code == 2
    assert done.err.startswith("study.yaml:10: output.data: ")


def stopped(*_):
    raise KeyboardInterrupt


@pytest.mark.usefixtures("solver")
def test_ctrl_c_while_the_figure_is_drawn_leaves_the_data(command, tmp_path, monkeypatch):
    (tmp_path / "study.yaml").write_text(WITH_FIGURE)
    monkeypatch.setattr("slipstick.results.run.Run.plot", stopped)
    done = command("run", "study.yaml")
    assert done.code == 130
    assert done.out.endswith("written: first.nc\n")
    assert done.err.splitlines()[0] == "slipstick: interrupted: first.png left out"
    assert ss.open(tmp_path / "first.nc").certificate.passed


def test_a_second_ctrl_c_says_what_was_kept(command, solver, tmp_path, monkeypatch):
    (tmp_path / "study.yaml").write_text(WITH_FIGURE)
    solver.raises = ss.NotConverged("interrupted at t = 0.1 s", partial=reached(tmp_path), interrupted=True)
    monkeypatch.setattr("slipstick.results.run.Run.plot", stopped)
    done = command("run", "study.yaml")
    assert done.code == 130
    assert done.err.splitlines()[1:3] == [
        "slipstick: writing first.nc; Ctrl-C leaves it out",
        "slipstick: writing first.png; Ctrl-C leaves it out",
    ]
    assert "what was reached is in first.nc" in done.err
    assert "interrupted again: first.png left out" in done.err
    assert ss.open(tmp_path / "first.nc").data.time.size == 11


def test_a_second_ctrl_c_while_data_are_written_says_that_nothing_was_kept(command, solver, tmp_path, monkeypatch):
    (tmp_path / "study.yaml").write_text(WITH_FIGURE)
    solver.raises = ss.NotConverged("interrupted at t = 0.1 s", partial=reached(tmp_path), interrupted=True)
    monkeypatch.setattr("slipstick.results.run.Run.save", stopped)
    done = command("run", "study.yaml")
    assert done.code == 130
    assert "interrupted again: first.nc and first.png left out" in done.err
    assert not list(tmp_path.glob("*.nc"))


def test_a_run_without_a_certificate_shows_the_reason_and_no_figures(command, solver):
    nan = float("nan")
    solver.changes = {
        "error": nan,
        "errors": {"x": nan, "y": nan},
        "work_in": nan,
        "energy_residual": nan,
        "failures": ("no certificate: nothing was reached",),
    }
    done = command("run", "study.yaml")
    assert done.code == 1
    assert "  no certificate: nothing was reached" in done.out.splitlines()
    assert "nan" not in done.out
    assert "not known" not in done.out
