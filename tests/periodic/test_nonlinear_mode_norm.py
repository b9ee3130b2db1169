"""Amplitudes of all harmonics: a mode goes on where its first harmonic vanishes, at an internal resonance."""

from __future__ import annotations

import numpy as np
import pytest

import slipstick as ss
from slipstick.periodic.continuation.corrector import solve_at
from slipstick.periodic.modes.mode_family import ModeFamily
from slipstick.periodic.modes.nonlinear_mode import _checked_request


def two_masses(damping=0.0):
    """Kerschen, Peeters, Golinval and Vakakis (2009): q1'' + 2 q1 - q2 + q1^3/2 = 0, q2'' - q1 + 2 q2 = 0."""
    stiffness = np.array([[2.0, -1.0], [-1.0, 2.0]])
    m = ss.Model.from_matrices(np.eye(2), damping * np.eye(2), stiffness, names=["a", "b"])
    m.connect(m["a"], ss.Polynomial(coefficients=(0.0, 0.0, 0.0, 0.5)))
    return m


def tip(mode, order):
    """Amplitude and frequency of a mode where its first harmonic vanishes beside another one, read off from both sides,
    on which that one has different signs."""
    near = sorted(mode.points, key=lambda p: p.modal_amplitude / abs(p.harmonics[order, 0]))[:5]
    first = [p.modal_amplitude * np.sign(p.harmonics[order, 0].real) for p in near]
    assert min(first) < 0.0 < max(first)
    return [
        float(np.polyfit(first, values, 4)[-1])
        for values in zip(*((p.amplitude, p.frequency) for p in near), strict=True)
    ]


def test_a_mode_passes_the_tip_of_a_tongue_where_it_is_the_other_mode_three_times_as_fast():
    m = two_masses()
    mode = m.nonlinear_mode(1, between=(4.0, 100.0), harmonics=9, sustain="all", norm="all")
    assert not mode.partial
    assert mode.points[-1].amplitude == pytest.approx(100.0)
    amplitude, frequency = tip(mode, 3)
    other = m.nonlinear_mode(2, amplitudes=[amplitude], harmonics=3, norm="all").points[0]
    assert 3.0 * frequency == pytest.approx(other.frequency, rel=1e-6)
    for point in mode.points[:: len(mode) // 8]:
        assert point.amplitude == pytest.approx(np.sqrt((np.abs(point.harmonics[1:]) ** 2).sum()), rel=1e-8)


def test_with_one_harmonic_both_norms_are_the_same():
    m = two_masses()
    first, every = (m.nonlinear_mode(1, amplitudes=[0.1, 2.0], harmonics=1, norm=n).data for n in ("first", "all"))
    np.testing.assert_allclose(first.frequency, every.frequency, rtol=1e-12)


@pytest.mark.parametrize("coordinate", [None, "b"])
@pytest.mark.parametrize("damping", [0.0, 0.01])
def test_derivatives_are_those_of_differences(coordinate, damping):
    """Anywhere; without dissipation, where sines are held at zero, at solutions."""
    m = two_masses(damping)
    family = _checked_request(m, 1, amplitudes=[3.0], coordinate=coordinate, harmonics=5, norm="all").plan.family
    assert isinstance(family, ModeFamily)
    assert family.reversible == (damping == 0.0)
    x = family.start(0.4)
    if family.reversible:
        x = solve_at(family, x, 0.4, 1.0).x
    else:
        x *= 1.0 + 0.1 * np.random.default_rng(0).standard_normal(family.size)
        x[2:-3] += 0.02
    found, step = family.linearise(x, 0.4), 1e-6
    for k in range(family.size + 1):
        aside = np.zeros(family.size + 1)
        aside[k] = step
        sides = [family.linearise(x + s * aside[:-1], 0.4 + s * aside[-1]).residual for s in (1.0, -1.0)]
        own = found.by_p if k == family.size else found.by_x[:, k]
        np.testing.assert_allclose(own, (sides[0] - sides[1]) / (2.0 * step), rtol=1e-5, atol=1e-6)


def test_an_unknown_norm_is_refused():
    with pytest.raises(ss.InvalidInput, match='norm must be "first" or "all", got \'energy\''):
        two_masses().nonlinear_mode(1, amplitudes=[1.0], norm="energy")


@pytest.mark.long
def test_amplitudes_beyond_an_internal_resonance_are_reached_and_the_jump_is_noted():
    """Kerschen et al. 2009: beyond the 3:1 tongue of the two masses the first harmonic vanishes."""
    mode = two_masses(1e-6).nonlinear_mode(1, amplitudes=np.logspace(-1, np.pi, 60), harmonics=9)
    through = two_masses().nonlinear_mode(1, between=(5.0, 1385.0), harmonics=9, sustain="all", norm="all")
    assert float(mode.data.frequency[-1]) == pytest.approx(float(through.data.frequency[-1]), rel=1e-5)
    assert any("a sweep jumps; between= shows them all" in note for note in mode.notes)


@pytest.mark.long
def test_a_mode_passes_one_tongue_after_the_other():
    """Kerschen et al. 2009: the first mode meets the second one 3, 5, 7 times as fast. In the thin tongues the phase
    between the two is all but free, and Newton's method was lost in it beyond an amplitude of 362.
    """
    m = two_masses()
    mode = m.nonlinear_mode(1, between=(5.0, 1385.0), harmonics=9, sustain="all", norm="all")
    assert not mode.partial
    assert mode.points[-1].amplitude == pytest.approx(1385.0)
    for order in (3, 5, 7):
        amplitude, frequency = tip(mode, order)
        other = m.nonlinear_mode(2, amplitudes=[amplitude], harmonics=9 // order, norm="all").points[0]
        assert order * frequency == pytest.approx(other.frequency, rel=1e-6)
    assert all(point.damping_ratio == 0.0 for point in mode.points)
