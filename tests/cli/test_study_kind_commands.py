"""``slipstick run``, ``check`` and ``new`` with every kind of study, as a user meets them."""

from __future__ import annotations

import re
from io import StringIO
from pathlib import Path

import numpy as np
import pytest
from pace import until
from rich.console import Console

import slipstick as ss
from slipstick.cli.progress import study_progress
from slipstick.study import read_study
from slipstick.study.kind_names import NAMES
from slipstick.study.kind_registry import KINDS

MODEL = """\
slipstick: 1
name: joint
frequency: 12 Hz
coordinates: {plate: {inertia: 2.5 kg, displacement: 0 mm}}
connections:
  mount: {deflection: plate, law: linear, stiffness: 25 N/mm, damping: 12 N s/m}
  joint: {deflection: plate, law: jenkins, stiffness: 30 N/mm, limit: 8 N}
loads: [{on: plate, cosine: {amplitude: 40 N, order: 1}}]
"""
LINEAR = MODEL.replace("{deflection: plate, law: jenkins, stiffness: 30 N/mm, limit: 8 N}",
                       "{deflection: plate, law: linear, stiffness: 30 N/mm}")  # fmt: skip


def study(section, model="joint.yaml", output="output: {data: found.nc, figure: none}"):
    return f"slipstick: 1\nname: first\nmodel: {model}\n{section}\n{output}\n"


@pytest.fixture
def command(called):
    return called({"joint.yaml": MODEL, "linear.yaml": LINEAR})


# ---- follow


def test_a_response_over_a_load_of_a_linear_model_is_proportional_to_it(command, tmp_path):
    """|x| = F / |k - m w^2 + i c w|, with the values of the study in its own unit."""
    keys = "{parameter: forcing.amplitude, between: [0.02 kN, 0.06 kN], frequency: 9 Hz}"
    (tmp_path / "study.yaml").write_text(study(f"follow: {keys}", "linear.yaml"))
    done = command("run", "study.yaml")
    assert (done.code, done.err) == (0, "")
    lines = done.out.splitlines()
    assert lines[0] == "first: periodic response of joint over forcing.amplitude at 9 Hz"
    assert lines[2].startswith("0.02 to 0.06 kN, ")
    looks = r"stability and special points in \S+ m?s"
    assert re.search(rf"all stable; solved in \S+ m?u?s, (?:{looks}, )?\S+ m?s in all$", lines[2])
    omega = 2.0 * np.pi * 9.0
    per_newton = 1.0 / abs(55e3 - 2.5 * omega**2 + 12.0j * omega)
    row = next(line.split() for line in lines if line.startswith("plate "))
    assert row[1] == "0.06"
    assert float(row[2]) == pytest.approx(60.0 * per_newton * 1e3, rel=1e-5)
    found = ss.open("found.nc")
    assert found.stats.parameter == "forcing.amplitude"
    np.testing.assert_allclose(found.data.amplitude.values[:, 0], found.data.parameter.values * per_newton, rtol=1e-9)
    assert found.plot().axes[-1].get_xlabel() == "forcing.amplitude [kN]"


def test_check_tells_the_parameter_in_the_unit_of_the_study(command, tmp_path):
    keys = "{parameter: joint.limit, between: [0.02 kN, 0.002 kN], frequency: 9 Hz}"
    (tmp_path / "study.yaml").write_text(study(f"follow: {keys}"))
    told = "follow: parameter joint.limit, between 0.02 and 0.002 kN, frequency 9 Hz\n"
    assert told in command("check", "study.yaml").out


# ---- nonlinear modes


def test_a_mode_begins_in_stick_and_ends_in_slip(command, tmp_path):
    keys = "{coordinate: plate, amplitudes: {from: 0.05 mm, to: 500 mm, count: 9}}"
    (tmp_path / "study.yaml").write_text(study(f"nonlinear_mode: {keys}"))
    done = command("run", "study.yaml")
    assert (done.code, done.err) == (0, "")
    lines = done.out.splitlines()
    assert lines[0] == "first: nonlinear mode 1 of joint"
    assert lines[2].startswith("amplitude 0.05 to 500 mm, 9 points; solved in ")
    rows = [line.split() for line in lines]
    head = ["amplitude", "of", "plate", "[mm]", "frequency", "[Hz]", "damping", "ratio", "[%]"]
    table = rows[rows.index(head) + 2 :]
    for row, stiffness, size in ((table[0], 55e3, 0.05), (table[8], 25e3, 500.0)):
        omega = np.sqrt(stiffness / 2.5)
        zeta = 50.0 * 12.0 / np.sqrt(2.5 * stiffness)
        figures = [float(word) for word in row]
        assert figures == pytest.approx([size, omega / (2.0 * np.pi), zeta], rel=2e-2)
    assert len(ss.open("found.nc")) == 9


def test_a_mode_is_laid_over_curves_of_another_study(command, tmp_path):
    between = "{between: [10 Hz, 25 Hz], method: harmonic-balance}"
    (tmp_path / "response.yaml").write_text(study(f"frequency_response: {between}", output="output: {figure: none}"))
    assert command("run", "response.yaml").code == 0
    output = "output: {figure: over.png, plot: {curves: [response.nc], coordinate: plate}}"
    (tmp_path / "study.yaml").write_text(study("nonlinear_mode: {mode: 1}", output=output))
    done = command("run", "study.yaml")
    assert (done.code, done.err) == (0, "")
    assert (tmp_path / "over.png").read_bytes().startswith(b"\x89PNG")


def test_ctrl_c_while_motions_are_computed_keeps_those_that_were(command, tmp_path, monkeypatch):
    from slipstick.periodic.modes import nonlinear_mode as room

    point, count = room.mode_point, [0]

    def stopped(*given):
        count[0] += 1
        if count[0] == 4:
            raise KeyboardInterrupt
        return point(*given)

    monkeypatch.setattr(room, "mode_point", stopped)
    (tmp_path / "study.yaml").write_text(study("nonlinear_mode: {mode: 1}"))
    done = command("run", "study.yaml")
    assert done.code == 130
    words = "interrupted while motions and errors were computed; PARTIAL: what was reached is in found.nc"
    assert done.err.splitlines()[-1] == f"slipstick: {words}"
    part = ss.open("found.nc")
    assert len(part) == 3
    assert part.partial == "PARTIAL: interrupted while motions and errors were computed"


def test_a_mode_that_ends_early_is_kept_and_reported_in_amplitudes(command, tmp_path):
    """Nothing holds it below the play, so the frequency falls to zero there."""
    play = MODEL.replace("law: linear, stiffness: 25 N/mm, damping: 12 N s/m", "law: freeplay, stiffness: 25 N/mm, "
                         "half_gap: 0.5 mm").replace("  joint: {deflection: plate, law: jenkins, stiffness: 30 N/mm, "
                         "limit: 8 N}\n", "")  # fmt: skip
    (tmp_path / "play.yaml").write_text(play)
    keys = "nonlinear_mode: {coordinate: plate, amplitudes: [0.1 mm, 1 mm, 5 mm]}"
    (tmp_path / "study.yaml").write_text(study(keys, "play.yaml"))
    done = command("run", "study.yaml")
    assert done.code == 1
    assert "was not reached at amplitude 0.0001 from amplitude 0.001" in done.err
    assert "nothing holds the mode" in done.err
    assert len(done.err.splitlines()) == 1
    assert len(ss.open("found.nc")) == 2


# ---- limit cycles


BELT = """\
slipstick: 1
name: belt
coordinates: {x: {inertia: 1 kg, displacement: 2 m}, belt: {motion: {ramp: 0.5 m/s}}}
connections:
  spring: {deflection: x, law: linear, stiffness: 1 N/m}
  pad: {deflection: x - belt, law: dry-friction, limit: 0.6 N, static_limit: 1 N}
"""


def test_a_limit_cycle_from_a_file_has_the_period_in_closed_form(called):
    command = called({"belt.yaml": BELT})
    assert command("new", "squeal", "--study", "belt.yaml", "--kind", "limit-cycle").code == 0
    assert command("check", "squeal.yaml").err == ""
    done = command("run", "squeal.yaml")
    assert (done.code, done.err) == (0, "")
    period = 1.6 + 2.0 * np.pi - 2.0 * np.arctan(0.8)
    assert ss.open("squeal.nc").period == pytest.approx(period, rel=1e-12)


@pytest.mark.parametrize(
    ("section", "words"),
    [("{}", "needs until:"), ("{until: 0 s}", "until must be > 0"), ("{until: 20 s, method: integration}", "shooting")],
)
def test_a_limit_cycle_refuses_what_it_cannot_use_in_one_line(called, tmp_path, section, words):
    command = called({"belt.yaml": BELT})
    (tmp_path / "study.yaml").write_text(study(f"limit_cycle: {section}", "belt.yaml"))
    done = command("run", "study.yaml")
    assert done.code == 2
    assert words in done.err


def test_a_forced_model_has_no_limit_cycle(command, tmp_path):
    (tmp_path / "study.yaml").write_text(study("limit_cycle: {until: 1 s}"))
    done = command("check", "study.yaml")
    assert done.code == 2
    assert "varies in time" in done.err


# ---- all of them

FORCED = [name for name in NAMES if name not in ("limit_cycle", "calibrate")]  # kinds that need no other files


@pytest.mark.parametrize("name", FORCED)
def test_new_writes_a_study_of_every_kind_that_check_accepts_with_every_key(name, command, tmp_path):
    kind = name.replace("_", "-")
    assert command("new", "joint-study", "--study", "joint.yaml", "--kind", kind).code == 0
    text = (tmp_path / "joint-study.yaml").read_text()
    assert "starter" not in text
    assert read_study("joint-study.yaml").kind is KINDS[name]
    assert command("check", "joint-study.yaml").err == ""
    section = text[text.index(f"\n{name}:") : text.index("\n# Where the results go")]
    for key in KINDS[name].shape.model_fields:
        assert re.search(rf"\n  (# )?{key}: ", section), f"{key} is not told"
    for line in section.splitlines():
        if line.startswith("  # ") and "start: orbit.nc" not in line and "at:" not in line:
            tried = text.replace(line, line.replace("# ", "", 1))
            if "harmonics:" in line and name != "nonlinear_mode":
                tried = tried.replace("method: auto", "method: harmonic-balance")
            if "options:" in line or "step:" in line:
                tried = tried.replace("method: auto", "method: inclusion")
            if "tolerance:" in line:
                tried = tried.replace("method: auto", "method: events")
            Path("tried.yaml").write_text(tried)
            done = command("check", "tried.yaml")
            assert (done.code, done.err) == (0, ""), line


@pytest.mark.parametrize("name", FORCED)
def test_a_study_that_new_has_written_runs_as_it_is_on_the_model_that_new_has_written(name, command):
    assert command("new", "first").code == 0
    assert command("new", "second", "--study", "first.yaml", "--kind", name.replace("_", "-")).code == 0
    done = command("run", "second.yaml")
    assert (done.code, done.err) == (0, "")
    assert "PARTIAL" not in done.out


@pytest.mark.parametrize(
    "section", ["periodic: {start: o.nc}", "follow: {parameter: joint.limit, between: [2 N, 8 N], start: o.nc}"]
)
def test_check_tells_the_file_that_a_study_begins_from(section, command, tmp_path):
    (tmp_path / "study.yaml").write_text(study("periodic: {}"))
    assert command("run", "study.yaml").code == 0
    (tmp_path / "found.nc").rename(tmp_path / "o.nc")
    (tmp_path / "study.yaml").write_text(study(section))
    done = command("check", "study.yaml")
    assert (done.code, done.err) == (0, "")
    assert "start o.nc" in done.out
    assert "<Orbit" not in done.out


def test_help_lists_every_kind(command):
    words = " ".join(command("new", "--help").out.replace("│", " ").split())
    for name in NAMES:
        assert name.replace("_", "-") in words


@pytest.mark.usefixtures("command")
@pytest.mark.parametrize(
    ("section", "how_far", "words"),
    [
        ("follow: {parameter: joint.limit, between: [2 N, 8 N]}", (12, 3.5), "first: 12 points, joint.limit 3.5 N"),
        ("nonlinear_mode: {coordinate: plate}", (1, 0.25), "first: 1 point, amplitude 0.25"),
        (
            "nonlinear_mode: {coordinate: plate, between: [1 mm, 9 mm]}",
            (7, 0.0025),
            "first: 7 points, amplitude 2.5 mm",
        ),
    ],
)
def test_who_watches_sees_points_and_values(section, how_far, words, tmp_path, monkeypatch):
    (tmp_path / "study.yaml").write_text(study(section))
    screen = Console(file=StringIO(), force_terminal=True, width=80)
    monkeypatch.setattr("slipstick.cli.progress.console", lambda: screen)
    with study_progress(read_study("study.yaml")) as shown:
        shown.report(*how_far)
        until(lambda: words in screen.file.getvalue())  # there are ten frames a second


@pytest.mark.usefixtures("command")
def test_who_waits_for_an_orbit_sees_that_it_is_looked_for(tmp_path, monkeypatch):
    (tmp_path / "study.yaml").write_text(study("periodic: {frequency: 9 Hz}"))
    screen = Console(file=StringIO(), force_terminal=True, width=80)
    monkeypatch.setattr("slipstick.cli.progress.console", lambda: screen)
    with study_progress(read_study("study.yaml")):
        until(lambda: "first: looking for the orbit" in screen.file.getvalue())
    assert "0%" not in screen.file.getvalue()
