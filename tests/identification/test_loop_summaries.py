"""What is told of loops in words: as many cycles as were measured, in the units of their file."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import slipstick as ss
from slipstick.identification.preparing.prepared_loop import prepare_loops
from slipstick.study.command_messages import COMMAND

RNG = np.random.default_rng(8)


def rig(folder: Path, cycles: float = 5.0, begin: float = 0.0, drift: float = 0.0, noise: float = 5e-4) -> ss.Loop:
    """From a file in mm and kN; begin : phase [rad] of the motion.   drift : [kN] of the force, a cycle."""
    t = np.arange(0.0, 2.0 * cycles, 0.004)
    u = 0.5 * np.sin(np.pi * t + begin)
    f = 12.0 * u + 1.8 * np.cos(np.pi * t + begin) + 0.5 * drift * t
    rows = np.column_stack((t, u + RNG.normal(0.0, noise, t.size), f + RNG.normal(0.0, 0.03, t.size)))
    np.savetxt(folder / "rig.csv", rows, delimiter=",", header="t [s],u [mm],F [kN]", comments="")
    return ss.Loop.read_csv(folder / "rig.csv")


@pytest.mark.parametrize("begin", [0.0, 0.5 * np.pi, 2.0])
@pytest.mark.parametrize(("cycles", "said"), [(5.0, "5 cycles"), (2.5, "2.5 cycles"), (12.0, "12 cycles")])
def test_a_loop_has_as_many_cycles_as_were_measured(tmp_path: Path, cycles: float, said: str, begin: float) -> None:
    assert f", {said}, amplitude 0.5" in repr(rig(tmp_path, cycles, begin))
    assert repr(rig(tmp_path, cycles, begin)).endswith(" mm)")


def test_a_part_of_a_cycle_is_told_by_its_reversals() -> None:
    u = np.sin(np.linspace(0.0, 1.2 * np.pi, 100))
    assert ", 1 reversal, amplitude " in repr(ss.Loop(u, u))


def test_noise_that_was_taken_out_is_told_in_the_unit_of_the_file(tmp_path: Path) -> None:
    (own,) = prepare_loops(rig(tmp_path))
    (words,) = [note for note in own.notes if "changes direction" in note]
    noise, moved = words.partition("noise of ")[2].split(" mm; ")
    assert float(noise) == pytest.approx(5e-4, rel=0.1)
    how, by = moved.removesuffix(" mm rms").split(", which moved it by ")
    assert how == "smoothed by a Fourier series of 1 harmonic"
    assert float(by) == pytest.approx(5e-4, rel=0.1)  # as much as the noise
    assert moved.endswith(" mm rms")


def test_drift_and_offsets_that_were_taken_out_are_told_in_the_units_of_the_file(tmp_path: Path) -> None:
    words = rig(tmp_path, drift=0.2).without_drift().notes[-1]
    force = words.partition(" mm in deflection and ")[2].removesuffix(" kN in force a cycle")
    assert float(force) == pytest.approx(0.2, rel=0.1)
    assert rig(tmp_path).without_offset().notes[-1].endswith(" kN in force")
    assert " mm in deflection, " in rig(tmp_path).without_offset().notes[-1]


def test_a_sensor_at_its_end_is_told_in_the_unit_of_the_file(tmp_path: Path) -> None:
    loop = rig(tmp_path)
    (own,) = prepare_loops(ss.Loop(loop.u, np.minimum(loop.f, 6000.0), loop.t, file="rig.csv", units=loop.units))
    assert any("samples hold a force of 6 kN exactly" in note for note in own.notes)


def test_samples_that_are_put_right_keep_the_units_of_the_file(tmp_path: Path) -> None:
    """A deflection that stands far off its neighbours."""
    loop = rig(tmp_path, noise=0.0)
    u = loop.u.copy()
    u[700] += 3e-4
    (own,) = prepare_loops(loop.changed("", u=u))
    assert any("is far from its neighbours" in note for note in own.notes)
    assert own.loop.units == loop.units


# ---- units that no file says


def jenkins_file(folder: Path, head: str, size: float) -> ss.Loop:
    t = np.linspace(0.0, 3.0, 300)
    u = size * np.sin(2.0 * np.pi * t)
    f = ss.Jenkins(stiffness=12.0, limit=3.0 * size).trace(u) + RNG.normal(0.0, 0.01 * size, t.size)
    np.savetxt(folder / "rig.csv", np.column_stack((t, u, f)), delimiter=",", header=head, comments="")
    return ss.Loop.read_csv(folder / "rig.csv")


@pytest.mark.parametrize(
    ("head", "size", "warned"),
    [("t,u,F", 0.5, True), ("t,u,F", 5e-4, False), ("t [s],u [m],F [N]", 0.5, False), ("t,u [mm],F [kN]", 0.5, False)],
    ids=["half a metre, it seems", "in metres", "metres, as it says", "millimetres"],
)
def test_a_file_without_units_that_seems_to_be_in_millimetres_is_warned_of_first(
    tmp_path: Path, head: str, size: float, warned: bool
) -> None:
    fit = ss.identify(jenkins_file(tmp_path, head, size), ss.Jenkins)
    first = fit.warnings[0] if fit.warnings else ""
    assert first.startswith("rig.csv has no units and was taken to be in m and N: an amplitude of 0.5 m;") is warned
    assert ('units={"deflection": "mm", "force": "kN"}' in first) is warned
    assert ("--unit deflection=mm --unit force=kN" in COMMAND.message(first)) is warned


# ---- what cannot be used


def test_a_loop_that_was_turned_round_by_mistake_is_told_to_be_left_as_it_was(tmp_path: Path) -> None:
    right = jenkins_file(tmp_path, "t,u [mm],F [kN]", 0.5)
    with pytest.raises(
        ss.InvalidInput, match=r"because a factor below zero turned the sign.*leave out scaled\(\)"
    ) as caught:
        ss.identify(right.scaled(force=-1.0), ss.Jenkins)
    assert COMMAND.message(caught.value.message).endswith("leave out --scale")
    with pytest.raises(ss.InvalidInput, match=r"wrong sign; use loop.scaled\(force=-1\)"):
        ss.identify(ss.Loop(right.u, -right.f, right.t), ss.Jenkins)


@pytest.mark.parametrize("given", ["rig.csv", Path("rig.csv"), ["rig.csv"]])
def test_the_name_of_a_file_is_no_loop_and_how_it_is_read_is_told(given: object) -> None:
    with pytest.raises(ss.InvalidInput, match=r"needs a Loop .*; ss\.Loop\.read_csv\('rig\.csv'\) reads one"):
        ss.identify(given, ss.Jenkins)


def test_of_a_number_that_a_law_does_not_have_the_law_is_named_alone(tmp_path: Path) -> None:
    loop = jenkins_file(tmp_path, "t,u [mm],F [kN]", 0.5)
    with pytest.raises(ss.InvalidInput) as caught:
        ss.identify(loop, "linear+dahl", {"dampin": 0.0})
    assert str(caught.value) == (
        'identify: fixed names "dampin", which Linear + Dahl does not have (did you mean "damping"?)'
    )
