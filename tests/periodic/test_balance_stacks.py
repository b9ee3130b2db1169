"""Laws that remember a stack of reversals have no multipliers: nothing is said of their stability that is not known."""

from __future__ import annotations

import numpy as np
import pytest

import slipstick as ss

LAWS = [
    ss.DynamicHysteresis(stiffness=3.0, limit=0.4),
    ss.BlimanSorine(stiffness=3.0, limit=0.4, overshoot_limit=0.1, ratio=0.3),
    ss.FibreShear(stiffness=3.0, limit=0.4, linear=0.5, cubic=0.1, overshoot=0.2, ratio=0.3),
]


def oscillator(law: ss.Law) -> ss.Model:
    m = ss.Model("stack")
    x = m.coordinate("x", inertia=1.0)
    m.connect(x, ss.Linear(stiffness=1.0, damping=0.05), name="spring")
    m.connect(x, law, name="law")
    m.load(x, ss.Cosine(1.0, order=1))
    return m


@pytest.mark.parametrize("law", LAWS)
def test_an_orbit_that_a_run_settles_on_is_not_called_unstable(law: ss.Law) -> None:
    m = oscillator(law)
    orbit = m.periodic(frequency=1.5, method="harmonic-balance", harmonics=15)
    settled = m.periodic(frequency=1.5, method="integration")
    assert settled.stable
    assert np.ptp(orbit.data["displacement"].values) == pytest.approx(
        np.ptp(settled.data["displacement"].values), rel=2e-3
    )
    assert orbit.stable is None
    assert any("stability is not known" in note for note in orbit.notes)


def test_a_curve_tells_it_too_and_has_no_points_that_only_multipliers_would_have() -> None:
    curve = oscillator(LAWS[0]).frequency_response(between=(1.0, 2.5))
    assert any("stability is not known" in note for note in curve.notes)
    assert not curve.special
    assert np.isnan(curve.data["stable"].values).all()
