"""A rig that dwells at its extremes is no sensor at its end, and what a sensor at its end hides."""

from __future__ import annotations

import numpy as np
import pytest

import slipstick as ss
from slipstick.identification.preparing.sensor_faults import find_clipped_deflection

LAW = ss.Masing(stiffness=1e6, limit=300.0, parallel_stiffness=1e5, damping=0.0, preload=0.0)


def with_noise(u: np.ndarray, law: ss.Masing = LAW) -> np.ndarray:
    t = 0.01 * np.arange(u.size)
    return law.trace(u, t) + np.random.default_rng(5).normal(0.0, 1.0, u.size)


def test_dwells_at_both_extremes_are_kept() -> None:
    there, back = np.linspace(1e-3, -1e-3, 200), np.linspace(-1e-3, 1e-3, 200)
    top, bottom = np.full(60, 1e-3), np.full(60, -1e-3)
    u = np.concatenate((np.linspace(0.0, 1e-3, 100), top, there, bottom, back, top, there))
    fit = ss.identify(ss.Loop(u, with_noise(u), 0.01 * np.arange(u.size)), ss.Masing)
    assert fit.loops[0].counts.all()
    assert not any("sensor" in words for words in fit.notes)


def test_a_deflection_cut_short_is_still_found() -> None:
    whole = 1e-3 * np.sin(2.0 * np.pi * np.arange(900) / 300.0)
    u = np.clip(whole, -0.8e-3, 0.8e-3)
    found = find_clipped_deflection(ss.Loop(u, with_noise(whole), 0.01 * np.arange(u.size)))
    assert np.array_equal(found.samples, np.abs(whole) >= 0.8e-3)


@pytest.mark.parametrize("end", [0.95e-3, 0.8e-3])
@pytest.mark.parametrize("law", [LAW, ss.ModifiedDahl(rate=5e3, exponent=0.8, upper=(300.0, 1e5), lower=(-300.0, 1e5))])
def test_a_whole_loop_that_was_cut_off_is_found_by_its_motion(law: ss.Law, end: float) -> None:
    """A third of the samples at the end of the sensor hid where each branch begins."""
    t = 0.01 * np.arange(900)
    whole = 1e-3 * np.sin(2.0 * np.pi * t / 3.0)
    loop = ss.Loop(np.clip(whole, -end, end), with_noise(whole, law), t)
    fit, true = ss.identify(loop, type(law)), ss.identify(ss.Loop(whole, loop.f, t), type(law))
    assert fit.within_noise
    assert any(
        "a Fourier series of 1 harmonic through the other samples restores the motion" in words for words in fit.notes
    )
    assert np.array_equal(fit.loops[0].counts, np.abs(whole) < end)
    assert np.max(np.abs(fit.loops[0].u - whole)) < 1e-9
    for name in true.free:
        own, other = fit.parameters[name], true.parameters[name]
        assert abs(own.value - other.value) < 3.0 * own.deviation, name


def test_where_nobody_knows_the_motion_a_cut_off_loop_is_warned_of() -> None:
    """A triangle that is cut off may be anything there, and the numbers found are far from those of the law."""
    t = 0.01 * np.arange(1200)
    whole = 1e-3 * (4.0 * np.abs((t / 3.0 - 0.25) % 1.0 - 0.5) - 1.0)
    fit = ss.identify(ss.Loop(np.clip(whole, -0.8e-3, 0.8e-3), with_noise(whole), t), ss.Masing)
    assert any("the reversals are unknown" in words for words in fit.notes)
    assert any("so they are unknown: the parameters may be far off" in words for words in fit.warnings)
