"""Curves of orbits through the public name: freeplay with its folds, by both methods."""

from __future__ import annotations

import numpy as np
import pytest
from periodic.balance_models import gear

import slipstick as ss


def gap():
    m = ss.Model("gap")
    x = m.coordinate("x", inertia=1.0)
    m.connect(x, ss.Linear(stiffness=0.05, damping=0.06), name="base")
    m.connect(x, ss.Freeplay(stiffness=1.0, half_gap=1.0), name="gap")
    m.load(x, ss.Cosine(0.2, order=1))
    return m


@pytest.fixture(scope="module")
def curve():
    return gap().frequency_response(between=(1.2, 0.4))


def test_a_freeplay_oscillator_has_two_folds_and_an_unstable_branch_between_them(curve):
    folds = [s for s in curve.special if s["kind"] == "fold"]
    assert len(folds) == 2
    stable = curve.data.stable.values.astype(bool)
    first, last = (s["point"] for s in folds)
    assert stable[: first - 1].all()
    assert stable[last + 2 :].all()
    assert not stable[first + 2 : last - 1].any()
    assert curve.error < 1e-8


def test_the_low_branch_is_linear_and_ends_where_the_mass_reaches_the_stop(curve):
    """While |x| < 1 only the base acts: |x| = 0.2 / |0.05 - w^2 + 0.06 i w|; the graze is where that is one."""
    data = curve.data
    first = next(s for s in curve.special if s["kind"] == "grazing")["point"]
    w = data.frequency.values[:first]
    expected = 0.2 / np.abs(0.05 - w**2 + 0.06j * w)
    np.testing.assert_allclose(data.amplitude.sel(coordinate="x").values[:first], expected, rtol=1e-9)
    roots = np.roots([1.0, 0.06**2 - 0.1, 0.05**2 - 0.04])  # in w^2, of |0.05 - w^2 + 0.06 i w| = 0.2
    graze = float(np.sqrt(roots[roots > 0.0].max()))
    assert data.frequency.values[first] == pytest.approx(graze, rel=1e-6)


def test_jumps_of_long_runs_are_at_the_folds(curve):
    """Just below the lower fold the low branch is gone, just above it a run that begins on it stays."""
    low, high = sorted(s["frequency"] for s in curve.special if s["kind"] == "fold")
    first = next(s for s in curve.special if s["kind"] == "fold")["point"]
    near = min(curve.points[:first], key=lambda point: abs(point.p - 1.02 * low))
    for omega, jumps in ((low * 0.99, True), (near.p, False)):
        m = gap()
        c = m.coordinates[0]
        m.coordinates[0] = type(c)(c.name, c.inertia, float(near.x[0]), float(near.x[1]), c.motion)
        run = m.simulate(until=400.0 * 2.0 * np.pi / omega, frequency=omega, samples=20_001)
        tail = run.data.displacement.values[-200:, 0]
        assert (0.5 * np.ptp(tail) > 1.3) == jumps
    assert high > 1.5 * low


def test_harmonic_balance_meets_shooting_within_its_own_error():
    m = gap()
    at = [1.2, 0.9, 0.6]
    exact = m.frequency_response(at=at, method="shooting")
    balanced = m.frequency_response(at=at, method="harmonic-balance", harmonics=15)
    a, b = (c.data.amplitude.sel(coordinate="x").values for c in (exact, balanced))
    assert (np.abs(a - b) <= np.maximum(10.0 * balanced.data.error.values, 1e-9)).all()


def test_a_law_that_only_harmonic_balance_can_follow_is_given_to_it():
    curved = ss.Model("curved")
    x = curved.coordinate("x", inertia=1.0)
    curved.connect(x, ss.Linear(stiffness=1.0, damping=0.1))
    curved.connect(x, ss.DynamicHysteresis(stiffness=1.0, limit=1.0))
    curved.load(x, ss.Cosine(0.2, order=1))
    assert curved.frequency_response(at=[0.5]).stats.method == "harmonic-balance"


@pytest.mark.parametrize("at", [(0.7, 0.8, 0.9, 1.0), (1.1, 1.0, 0.9, 0.8, 0.7)])
def test_frequencies_on_both_sides_of_a_jump_come_with_a_note_on_the_folds(at):
    """The folds are at 0.9820 and 0.7677 (test of whole curves): going up it falls, coming down it rises."""
    curve = gear().frequency_response(at=list(at))
    (note,) = curve.notes
    assert note.startswith(f"the curve turns back between {at[-2]:g} rad/s and {at[-1]:g} rad/s, near ")
    assert "0.98" in note
    assert "0.76" in note
    assert not gear().frequency_response(at=[1.0, 1.1, 1.2]).notes


def test_ctrl_c_before_the_first_point_says_so(monkeypatch):
    def pressed(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("slipstick.periodic.continuation.curve_trace.find_start", pressed)
    with pytest.raises(
        ss.NotConverged, match=r"interrupted while searching for the first orbit, at 0\.6 rad/s"
    ) as stopped:
        gear().frequency_response(between=(0.6, 1.6))
    assert stopped.value.interrupted
    assert stopped.value.partial is None
