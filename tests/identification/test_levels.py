"""The backbone of loops is the curve of a law that has never moved, by Masing's rule; one file may have all of it."""

from __future__ import annotations

import numpy as np
import pytest

import slipstick as ss
from slipstick.identification.levels import is_curve, levels_of

IWAN = ss.Iwan(stiffnesses=(4e5, 3e5, 2e5), limits=(40.0, 90.0, 140.0), parallel_stiffness=5e4)
SIZES = (1e-4, 4e-4, 9e-4)
PER_CYCLE = 400


def blocks(sizes: tuple[float, ...], cycles: int = 4) -> np.ndarray:
    """A sine that has so many cycles of each amplitude."""
    t = np.arange(len(sizes) * cycles * PER_CYCLE) / PER_CYCLE
    return np.repeat(sizes, cycles * PER_CYCLE) * np.sin(2.0 * np.pi * t)


def virgin(amplitude: float) -> float:
    """The force of sliders and springs that go from rest to a deflection."""
    sliders = zip(IWAN.stiffnesses, IWAN.limits, strict=True)
    return sum(min(k * amplitude, limit) for k, limit in sliders) + IWAN.parallel_stiffness * amplitude


def fitted(*drives: np.ndarray) -> ss.Fit:
    loops = [ss.Loop(u, IWAN.trace(u), np.arange(u.size) / PER_CYCLE) for u in drives]
    return ss.identify(loops, IWAN, fixed={"parallel_stiffness": IWAN.parallel_stiffness})


@pytest.mark.parametrize("stiffness", [1e6, 1e7, 5e7])
def test_a_slider_however_stiff_has_the_force_at_which_it_slides(stiffness: float) -> None:
    """Right after a reversal its force falls by far more than on the whole way before."""
    law, u = ss.Jenkins(stiffness=stiffness, limit=100.0), blocks((3e-4, 1e-3, 3e-3))
    fit = ss.identify(ss.Loop(u, law.trace(u), np.arange(u.size) / PER_CYCLE), law)
    for level in levels_of(fit.loops):
        assert level.measured == pytest.approx(100.0, rel=1e-9)


def test_a_damper_adds_nothing_to_the_backbone() -> None:
    law, u = ss.Masing(stiffness=4e5, limit=120.0, parallel_stiffness=1e5, damping=2e3), blocks((5e-4, 9e-4))
    t = np.arange(u.size) / PER_CYCLE
    fit = ss.identify(ss.Loop(u, law.trace(u, t), t), law)
    for level in levels_of(fit.loops):
        assert level.measured == pytest.approx(120.0 + 1e5 * level.amplitude, rel=2e-3)


@pytest.mark.parametrize("sizes", [SIZES, SIZES[::-1], (4e-4, 9e-4, 1e-4)], ids=["growing", "falling", "mixed"])
def test_blocks_of_one_file_lie_on_the_virgin_curve(sizes: tuple[float, ...]) -> None:
    levels = levels_of(fitted(blocks(sizes)).loops)
    assert [level.amplitude for level in levels] == pytest.approx(sorted(sizes), rel=1e-3)
    assert is_curve(levels)
    for level in levels:
        assert level.measured == pytest.approx(virgin(level.amplitude), rel=1e-3)
        assert level.fitted == pytest.approx(level.measured, rel=1e-6)
        assert abs(level.energy_error) < 1e-6 or np.isnan(level.energy_error)
    assert np.isfinite(levels[-1].energy_error)


def test_several_files_have_the_backbone_of_one_with_all_of_them() -> None:
    one, several = (levels_of(fitted(*drives).loops) for drives in ([blocks(SIZES)], [blocks((a,)) for a in SIZES]))
    assert [own.amplitude for own in one] == pytest.approx([own.amplitude for own in several], rel=1e-3)
    assert [own.measured for own in one] == pytest.approx([own.measured for own in several], rel=1e-2)


def test_a_motion_that_swells_has_a_tip_on_the_virgin_curve_in_every_cycle() -> None:
    t = np.arange(12 * PER_CYCLE) / PER_CYCLE
    levels = levels_of(fitted(9e-4 * t / 12.0 * np.sin(2.0 * np.pi * t)).loops)
    assert len(levels) == 12
    for level in levels:
        assert level.measured == pytest.approx(virgin(level.amplitude), rel=0.05)


def test_one_amplitude_is_no_curve_however_often_it_comes() -> None:
    assert not is_curve(levels_of(fitted(blocks((4e-4,), 6)).loops))
    assert not is_curve(levels_of(fitted(*[blocks((4e-4 + 1e-9 * k,), 2) for k in range(3)]).loops))
