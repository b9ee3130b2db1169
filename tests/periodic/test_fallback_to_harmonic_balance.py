"""Where shooting fails and was not asked for, harmonic balance goes on; advice names methods that take the model."""

from __future__ import annotations

import re

import numpy as np
import pytest

import slipstick as ss
from slipstick.transient.events.period_run import PeriodRun


class VanDerPol(ss.Law):
    mu: float = ss.parameter((1, -1, 1))
    remembers = ()

    def update(self, u, v, memory):
        return self.mu * (u * u - 1.0) * v, ()


def van_der_pol(mu=0.5):
    m = ss.Model("forced van der Pol oscillator")
    y = m.coordinate("y", inertia=1.0, displacement=0.1)
    m.connect(y, ss.Linear(stiffness=1.0))
    m.connect(y, VanDerPol(mu=mu), name="feeding")
    m.load(y, ss.Cosine(0.5, order=1))
    return m


def test_a_forced_van_der_pol_oscillator_is_followed_and_the_notes_say_by_what():
    curve = van_der_pol().frequency_response(between=(0.5, 1.6))
    assert curve.stats.method == "harmonic-balance"
    assert not curve.stats.ended
    assert curve.notes[0].startswith("by harmonic-balance: shooting ended early")
    same = van_der_pol().frequency_response(between=(0.5, 1.6), method="harmonic-balance")
    assert [p.frequency for p in curve.points] == [p.frequency for p in same.points]
    assert not any("shooting" in note for note in same.notes)


def test_its_single_orbit_is_handed_over_as_well():
    orbit = van_der_pol().periodic(frequency=0.5)
    assert orbit.stats.method == "harmonic-balance"
    assert orbit.notes[0].startswith("by harmonic-balance: shooting found no orbit")
    run = van_der_pol().periodic(frequency=0.5, method="harmonic-balance", harmonics=15)
    assert np.abs(orbit.amplitude["y"] - run.amplitude["y"]) <= 1e-5


def test_shooting_that_was_asked_for_fails_without_blaming_a_damper():
    with pytest.raises(ss.NotConverged, match='"feeding" gives energy to small motions') as failure:
        van_der_pol().frequency_response(between=(0.5, 1.6), method="shooting")
    assert "make it 0 or more" not in str(failure.value)


@pytest.mark.parametrize(("mu", "low"), [(10.0, 0.8), (20.0, 1.2), (100.0, 0.3)])
def test_a_search_that_runs_off_to_large_states_ends(mu, low, monkeypatch):
    """At a large displacement the oscillator creeps, so that the residual over the size of the motion is small there;
    Newton's method doubled it step by step, and a period at 75 m took millions of steps of integration."""
    taken, go = [], PeriodRun.go

    def counted(self, *start, **how):
        end = go(self, *start, **how)
        taken.append(end.steps)
        return end

    monkeypatch.setattr(PeriodRun, "go", counted)
    with pytest.raises(ss.NotConverged) as failure:
        van_der_pol(mu).periodic(frequency=low, method="shooting")
    with pytest.raises(ss.NotConverged, match="periodicity residual"):
        van_der_pol(mu).frequency_response(between=(low, 3.0 * low), method="shooting")
    assert "periodicity residual" in str(failure.value)
    assert "\n" not in str(failure.value)
    assert sum(taken) < 10_000_000


def test_advised_methods_take_the_model():
    """Harmonic balance rounds dry friction; shooting follows it beside a cubic spring."""
    m = ss.Model("dry friction and a cubic spring")
    x = m.coordinate("x", inertia=1.0)
    m.connect(x, ss.Linear(stiffness=1.0, damping=0.05))
    m.connect(x, ss.DryFriction(limit=0.2))
    m.connect(x, ss.Polynomial(coefficients=(0.0, 0.0, 0.0, 0.1)))
    m.load(x, ss.Cosine(0.25, order=1))
    curve = m.frequency_response(between=(0.5, 0.6), method="harmonic-balance")
    words = " ".join([repr(curve), *curve.notes, *(note for point in curve.points for note in point.notes)])
    advised = set(re.findall(r'method="([a-z-]+)"', words))
    assert advised == {"shooting"}
    assert m.frequency_response(at=[0.5], method="shooting").points
