"""Stability of orbits with laws that remember a stack of reversals: as runs of the model show it, or not known."""

from __future__ import annotations

import numpy as np
import pytest
from periodic.reversal_stack_models import SHEAR, oscillator

import slipstick as ss

LAWS = [
    ss.DynamicHysteresis(stiffness=1.0, limit=0.5),
    ss.DynamicHysteresis(stiffness=1.0, limit=0.5, exponent=1.5),
    ss.BlimanSorine(stiffness=1.0, limit=0.5, overshoot_limit=0.2, ratio=0.3),
]


@pytest.mark.parametrize(
    ("cubic", "mean", "within"), [(0.0, 0.0, 5e-4), (0.4, 0.2, 4e-2)], ids=["symmetric", "asymmetric"]
)
@pytest.mark.parametrize("law", LAWS, ids=["dynamic", "brittle", "overshoot"])
def test_a_run_comes_back_to_the_orbit_as_the_multipliers_say(
    law: ss.Law, cubic: float, mean: float, within: float
) -> None:
    """Rates once a period, less what they settle to, have a recurrence: its polynomial is that of two multipliers. The
    other two are zero, and one: an offset that the law holds. Without symmetry the run ends with another offset than
    the orbit has, and multipliers differ by as much."""
    omega, periods = 1.1, 60
    m = oscillator(law, cubic, mean=mean)
    orbit = m.periodic(frequency=omega, method="harmonic-balance", harmonics=31)
    assert orbit.stable
    times = 2.0 * np.pi / omega * np.arange(periods + 1)
    run = m.simulate(until=times[-1], frequency=omega, samples=times, tolerance=1e-11, method="events")
    rate = run.data["velocity"].values[:, 0]
    left = rate - rate[-1]
    others = [v for v in orbit.multipliers if abs(v - 1.0) > 1e-6 and abs(v) > 1e-6]
    assert len(others) == 2
    assert np.abs(orbit.multipliers).max() == pytest.approx(1.0, abs=1e-9)
    _, minus_sum, product = np.poly(others).real
    near = np.flatnonzero(np.abs(left) < 1e-3)[0]
    assert near < 30
    for k in range(near, near + 4):
        scale = np.abs(left[k : k + 2]).max()
        assert abs(left[k + 2] + minus_sum * left[k + 1] + product * left[k]) < within * scale
    assert str(orbit.stability).startswith("stable")


def test_where_the_curve_turns_a_multiplier_passes_one() -> None:
    """The folds are those of the equations, which know nothing of multipliers."""
    m = oscillator(LAWS[0], cubic=0.3, load=0.6)
    curve = m.frequency_response(between=(0.6, 2.2), method="harmonic-balance", harmonics=15)
    assert [s["kind"] for s in curve.special] == ["fold", "fold"]
    first, last = (s["point"] for s in curve.special)
    for k, point in enumerate(curve.points):
        if k not in (first, last):
            assert point.stable is not (first < k < last)
    for k in (first, last):
        own = curve.points[k].multipliers
        assert np.sort(np.abs(own - 1.0))[1] < 2e-2  # beside the one of the offset
    assert any("depends on how the motion began" in note for note in curve.notes)


def test_orbits_that_turn_round_more_than_twice_a_period_are_not_told() -> None:
    m = oscillator(LAWS[0], load=ss.Cosine(0.3, order=1) + ss.Cosine(0.6, order=5))
    orbit = m.periodic(frequency=0.2, method="harmonic-balance", harmonics=15)
    assert orbit.stable is None
    assert any("has more than two reversals" in note for note in orbit.notes)


def test_a_curve_tells_how_many_of_its_orbits_are_not_known() -> None:
    m = oscillator(LAWS[0], load=ss.Cosine(0.3, order=1) + ss.Cosine(0.2, order=3))
    curve = m.frequency_response(between=(0.3, 1.5), method="harmonic-balance", harmonics=9)
    unknown = sum(point.stable is None for point in curve.points)
    assert 0 < unknown < len(curve.points)
    told = f"stability of {unknown} of {len(curve.points)} orbits is not known: a law with memory has more"
    assert any(told in note for note in curve.notes)


def test_loops_that_do_not_close_have_no_multipliers() -> None:
    m = ss.Model("shear")
    x = m.coordinate("x", inertia=1.0)
    m.connect(x, ss.Linear(stiffness=1.0, damping=0.05))
    m.connect(x, SHEAR)
    m.load(x, ss.Cosine(1.0, order=1))
    orbit = m.periodic(frequency=1.5, method="harmonic-balance", harmonics=15)
    settled = m.periodic(frequency=1.5, method="integration")
    assert settled.stable
    assert np.ptp(orbit.data["displacement"].values) == pytest.approx(
        np.ptp(settled.data["displacement"].values), rel=2e-3
    )
    assert orbit.stable is None
    assert any("stability is not known" in note for note in orbit.notes)
    curve = m.frequency_response(between=(1.2, 2.0), method="harmonic-balance")
    assert any("stability is not known" in note for note in curve.notes)
    assert {s["kind"] for s in curve.special} <= {"fold"}  # which the equations tell, without multipliers
    assert np.isnan(curve.data["stable"].values).all()
