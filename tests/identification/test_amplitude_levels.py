"""The backbone of loops is the curve of a law that has never moved, by Masing's rule; one file may have all of it."""

from __future__ import annotations

import numpy as np
import pytest

import slipstick as ss
from slipstick.identification.preparing.amplitude_levels import amplitude_levels_of, has_curve_of_amplitudes

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
    for level in amplitude_levels_of(fit.loops):
        assert level.measured == pytest.approx(100.0, rel=1e-9)


def test_a_damper_adds_nothing_to_the_backbone() -> None:
    law, u = ss.Masing(stiffness=4e5, limit=120.0, parallel_stiffness=1e5, damping=2e3), blocks((5e-4, 9e-4))
    t = np.arange(u.size) / PER_CYCLE
    fit = ss.identify(ss.Loop(u, law.trace(u, t), t), law)
    for level in amplitude_levels_of(fit.loops):
        assert level.measured == pytest.approx(120.0 + 1e5 * level.amplitude, rel=2e-3)


@pytest.mark.parametrize("sizes", [SIZES, SIZES[::-1], (4e-4, 9e-4, 1e-4)], ids=["growing", "falling", "mixed"])
def test_blocks_of_one_file_lie_on_the_virgin_curve(sizes: tuple[float, ...]) -> None:
    levels = amplitude_levels_of(fitted(blocks(sizes)).loops)
    assert [level.amplitude for level in levels] == pytest.approx(sorted(sizes), rel=1e-3)
    assert has_curve_of_amplitudes(levels)
    for level in levels:
        assert level.measured == pytest.approx(virgin(level.amplitude), rel=1e-3)
        assert level.fitted == pytest.approx(level.measured, rel=1e-6)
        assert abs(level.energy_error) < 1e-6 or np.isnan(level.energy_error)
    assert np.isfinite(levels[-1].energy_error)


def test_several_files_have_the_backbone_of_one_with_all_of_them() -> None:
    one, several = (
        amplitude_levels_of(fitted(*drives).loops) for drives in ([blocks(SIZES)], [blocks((a,)) for a in SIZES])
    )
    assert [own.amplitude for own in one] == pytest.approx([own.amplitude for own in several], rel=1e-3)
    assert [own.measured for own in one] == pytest.approx([own.measured for own in several], rel=1e-2)


def test_a_motion_that_swells_has_a_tip_on_the_virgin_curve_in_every_cycle() -> None:
    t = np.arange(12 * PER_CYCLE) / PER_CYCLE
    levels = amplitude_levels_of(fitted(9e-4 * t / 12.0 * np.sin(2.0 * np.pi * t)).loops)
    assert len(levels) == 12
    for level in levels:
        assert level.measured == pytest.approx(virgin(level.amplitude), rel=0.05)


def test_one_amplitude_is_no_curve_however_often_it_comes() -> None:
    assert not has_curve_of_amplitudes(amplitude_levels_of(fitted(blocks((4e-4,), 6)).loops))
    assert not has_curve_of_amplitudes(
        amplitude_levels_of(fitted(*[blocks((4e-4 + 1e-9 * k,), 2) for k in range(3)]).loops)
    )


@pytest.mark.parametrize("noise", [0.0, 0.5])
@pytest.mark.parametrize("order", [1, -1], ids=["growing", "falling"])
def test_the_rule_reads_a_backbone_from_the_blocks_of_one_file(order: int, noise: float) -> None:
    """Tips of dynamic hysteresis beside a spring lie on limit (1 - e^(-2 k g/limit)) + G g."""
    law = ss.Linear(stiffness=5e4) + ss.DynamicHysteresis(stiffness=4e5, limit=150.0)
    u = blocks((1e-4, 2e-4, 4e-4, 6e-4, 9e-4, 1.3e-3)[::order])
    f = law.trace(u) + np.random.default_rng(0).normal(0.0, noise, u.size)
    for loop in (ss.Loop(u, f, np.arange(u.size) / PER_CYCLE), ss.Loop(u, f)):
        found = ss.rules.backbone(loop, powers=(1,))
        assert found.amplitudes == pytest.approx((1e-4, 2e-4, 4e-4, 6e-4, 9e-4, 1.3e-3), rel=1e-3)
        tips = 150.0 * -np.expm1(-2.0 * 4e5 / 150.0 * found.amplitudes) + 5e4 * found.amplitudes
        assert found.tips == pytest.approx(tips, rel=2e-3, abs=noise)
        assert found.limit == pytest.approx(150.0, rel=0.01 + 0.02 * noise)
        assert found.linear == pytest.approx(5e4, rel=0.02 + 0.05 * noise)


def test_a_file_name_instead_of_loops_is_answered_with_the_way_that_works() -> None:
    with pytest.raises(ss.InvalidInput, match=r"ss\.Loop\.read_many\(.blocks\.csv.\) reads them"):
        ss.rules.backbone("blocks.csv")
