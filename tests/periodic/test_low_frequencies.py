"""Curves by shooting down to a thousandth of the natural frequency, and branches of symmetric orbits.

Judges: at a low frequency the motion is the static answer to the load but for what rings after slips and touches, so
amplitudes and works are those of closed forms; and the same curve from both ends.
"""

from __future__ import annotations

import numpy as np
import pytest

import slipstick as ss

LIMIT, FORCE = 0.3, 1.0


def oscillator(law, stiffness=1.0, damping=0.1, force=FORCE):
    m = ss.Model("oscillator")
    x = m.coordinate("x", inertia=1.0)
    m.connect(x, ss.Linear(stiffness=stiffness, damping=damping), name="spring")
    m.connect(x, law, name="law")
    m.load(x, ss.Cosine(force, order=1))
    return m


@pytest.mark.parametrize("between", [(1e-3, 2.0), (2.0, 1e-3)])
def test_a_slider_is_followed_from_statics_to_beyond_resonance(between):
    """Static: k X + limit = F with the slider slipping at the extremes; its loop takes 4 limit (X - limit/kt)."""
    curve = oscillator(ss.Jenkins(stiffness=1.0, limit=LIMIT)).frequency_response(between=between, method="shooting")
    assert curve.data.frequency.values[-1] == between[1]
    low = int(np.argmin(curve.data.frequency.values))
    still = FORCE - LIMIT
    assert curve.data.amplitude.values[low, 0] == pytest.approx(still, rel=1e-5)
    work = float(curve.data.dissipated.sel(connection="law").values[low])
    assert work == pytest.approx(4.0 * LIMIT * (still - LIMIT), rel=1e-3)
    assert len(curve.points) < 1500


@pytest.mark.long
def test_a_gap_is_followed_through_its_ripples():
    """The static amplitude is gap + (F - k gap) / (k + K); means stay zero, as the model is symmetric."""
    curve = oscillator(ss.Freeplay(stiffness=1.0, half_gap=1.0), 0.05, 0.06, 0.2).frequency_response(
        between=(1e-3, 0.07), method="shooting"
    )
    assert curve.data.frequency.values[-1] == 0.07
    assert curve.data.amplitude.values[0, 0] == pytest.approx(1.0 + (0.2 - 0.05) / 1.05, rel=1e-5)
    assert np.abs(curve.data["mean"].values).max() < 1e-6


def test_a_symmetric_curve_stays_symmetric_where_two_gaps_begin_to_touch_at_once():
    """There other branches leave it at a corner; a curve that went over to one of them came back to where it had
    been."""
    model = oscillator(ss.Freeplay(stiffness=2.913, half_gap=0.1347), 0.372, 0.1189, 0.373)
    folds = []
    for between in ((0.2, 3.0), (3.0, 0.2)):
        curve = model.frequency_response(between=between, method="shooting")
        assert curve.data.frequency.values[-1] == between[1]
        assert np.abs(curve.data["mean"].values).max() < 1e-6
        folds.append(sorted(s["frequency"] for s in curve.special if s["kind"] == "fold"))
        assert "branch-point" in {s["kind"] for s in curve.special}
    np.testing.assert_allclose(*folds, rtol=1e-6)


@pytest.mark.parametrize(
    ("law", "load"),
    [
        (ss.Contact(stiffness=1.0, gap=0.3), ss.Cosine(1.0, order=1)),
        (ss.Freeplay(stiffness=1.0, half_gap=0.3), ss.Cosine(1.0, order=1) + ss.Constant(0.2)),
        (ss.Freeplay(stiffness=1.0, half_gap=0.3), ss.Cosine(1.0, order=1) + ss.Cosine(0.5, order=2)),
    ],
)
def test_orbits_that_nothing_mirrors_are_not_taken_for_mirrored(law, load):
    m = ss.Model("aside")
    x = m.coordinate("x", inertia=1.0)
    m.connect(x, ss.Linear(stiffness=1.0, damping=0.2), name="spring")
    m.connect(x, law, name="law")
    m.load(x, load)
    curve = m.frequency_response(between=(0.8, 1.5), method="shooting")
    middle = len(curve.points) // 2
    orbit = m.periodic(frequency=float(curve.data.frequency.values[middle]), method="shooting")
    assert curve.data["mean"].values[middle, 0] == pytest.approx(float(orbit.mean["x"]), abs=1e-9)
    assert abs(curve.data["mean"].values[middle, 0]) > 1e-4
