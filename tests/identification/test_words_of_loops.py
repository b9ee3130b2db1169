"""What is told of loops in words: as many cycles as were measured, in the units of their file."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import slipstick as ss
from slipstick.identification.preparing import ready

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
    (own,) = ready(rig(tmp_path))
    (words,) = [note for note in own.notes if "changes direction" in note]
    noise, moved = words.partition("noise of ")[2].split(" mm; ")
    assert float(noise) == pytest.approx(5e-4, rel=0.1)
    assert moved.startswith("smoothed by a Fourier series of 1 harmonic, which moved it by 0.0005")
    assert moved.endswith(" mm rms")


def test_drift_and_offsets_that_were_taken_out_are_told_in_the_units_of_the_file(tmp_path: Path) -> None:
    words = rig(tmp_path, drift=0.2).without_drift().notes[-1]
    force = words.partition(" mm in deflection and ")[2].removesuffix(" kN in force a cycle")
    assert float(force) == pytest.approx(0.2, rel=0.1)
    assert rig(tmp_path).without_offset().notes[-1].endswith(" kN in force")
    assert " mm in deflection, " in rig(tmp_path).without_offset().notes[-1]
