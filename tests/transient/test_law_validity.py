"""Motions that lead the modified Dahl law beyond the crossing of its envelopes, where its loops create energy.

Judges: the crossing of two straight lines, and the work of `Law.trace` along the same deflections.
"""

from __future__ import annotations

import re

import numpy as np
import pytest

import slipstick as ss

CROSSED = "the upper envelope lies below the lower one; loops there create energy"


def tensioner(amplitude):
    return ss.systems.tensioner("modified-dahl", amplitude=amplitude, frequency=20.0)


def words_of(certificate):
    return [note for note in certificate.notes if CROSSED in note]


def crossing_of(model):
    law = next(leaf.law for leaf in model.connection("tensioner").law.leaves() if hasattr(leaf.law, "upper"))
    (b, a), (e, d) = law.upper, law.lower
    return (e - b) / (a - d)


def test_a_run_within_its_envelopes_says_nothing():
    run = tensioner(100.0).simulate(until=1.0)
    assert run.certificate.passed
    assert not words_of(run.certificate)


@pytest.mark.parametrize("wish", [{}, {"samples": [0.0, 2.0]}, {"method": "newmark", "step": 1e-3}])
def test_a_run_beyond_tells_where_they_cross(wish):
    model = tensioner(1500.0)
    [words] = words_of(model.simulate(until=2.0, **wish).certificate)
    assert f"beyond u = {crossing_of(model):g} " in words
    told = re.match(r'"tensioner" \(ModifiedDahl\) went to u = (-\S+) to (\S+): ', words)
    seen = model.simulate(until=2.0, samples=200_001).data["displacement"].sel(coordinate="u2")
    assert [float(each) for each in told.groups()] == pytest.approx([float(seen.min()), float(seen.max())], rel=3e-3)


def test_a_run_in_which_friction_gains_energy_fails():
    """As much as the law gives along the same deflections, led there by hand, which warns."""
    model = tensioner(1e4)
    run = model.simulate(until=2.0, samples=100_001)
    certificate = run.certificate
    assert not certificate.passed
    assert 'the friction in "tensioner" gained' in certificate.verdict
    data, law = run.data.sel(connection="tensioner"), model.connection("tensioner").law
    with pytest.warns(UserWarning, match=CROSSED):
        force = law.trace(data.deflection.values, t=data.time.values)
    work = np.trapezoid(force, data.deflection.values)
    assert certificate.dissipated["tensioner"] == pytest.approx(work, rel=1e-2)
    assert work < -1000.0


@pytest.mark.parametrize("method", ["shooting", "harmonic-balance"])
def test_an_orbit_beyond_tells_it_too(method):
    model = tensioner(1500.0)
    harmonics = 21 if method == "harmonic-balance" else None  # for an error of less than 1 % of the motion
    certificate = model.periodic(method=method, harmonics=harmonics).certificate
    assert certificate.passed
    assert len(words_of(certificate)) == 1
    assert not words_of(tensioner(100.0).periodic(method=method).certificate)


def oscillator(force):
    """Between its envelopes the law takes energy; far to the left, where they have changed places, it gives it."""
    m = ss.Model("crossed", frequency=0.3)
    x = m.coordinate("x", inertia=1.0)
    m.connect(x, ss.Linear(stiffness=1.0, damping=0.5), name="spring")
    m.connect(x, ss.ModifiedDahl(rate=20.0, exponent=1.0, upper=(0.1, 0.1), lower=(-0.1, 0.0)), name="friction")
    m.load(x, ss.Constant(force))
    m.load(x, ss.Cosine(0.5, order=1))
    return m


@pytest.mark.parametrize("method", ["shooting", "harmonic-balance"])
def test_an_orbit_in_which_friction_gains_energy_fails(method):
    """The mean load is the side of the crossing, u = -2, on which the orbit lies."""
    takes, gives = (oscillator(force).periodic(method=method).certificate for force in (0.0, -6.0))
    assert takes.passed
    assert takes.dissipated["friction"] > 0.0
    assert not gives.passed
    assert 'the friction in "friction" gained' in gives.verdict


@pytest.mark.parametrize("method", ["shooting", "harmonic-balance"])
def test_a_curve_on_which_friction_gains_energy_says_so(method):
    def notes(force):
        curve = oscillator(force).frequency_response(at=[0.3, 0.4], method=method)
        return [note for note in curve.notes if "gains energy" in note]

    assert not notes(0.0)
    [words] = notes(-6.0)
    assert 'the friction in "friction" gains energy at 2 of 2 points' in words


def test_energy_that_comes_back_from_a_law_within_its_envelopes_is_a_note():
    """A preloaded law gives back what it held: over a run that is no gain, and nobody can tell."""
    m = ss.Model("let go")
    x = m.coordinate("x", inertia=1.0, displacement=1.0)
    m.connect(x, ss.ModifiedDahl(rate=20.0, exponent=1.0, upper=(0.5, 1.0), lower=(-0.5, 1.0)), name="leaf")
    certificate = m.simulate(until=0.5).certificate
    assert certificate.passed
    assert certificate.dissipated["leaf"] < 0.0
    assert any('"leaf" gave' in note for note in certificate.notes)
