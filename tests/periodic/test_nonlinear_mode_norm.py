"""Amplitudes of all harmonics: a mode goes on where its first harmonic vanishes, at an internal resonance."""

from __future__ import annotations

import numpy as np
import pytest

import slipstick as ss
from slipstick.periodic.modes.family import ModeFamily
from slipstick.periodic.modes.nonlinear_mode import _ready


def two_masses():
    """Kerschen, Peeters, Golinval and Vakakis (2009): q1'' + 2 q1 - q2 + q1^3/2 = 0, q2'' - q1 + 2 q2 = 0."""
    stiffness = np.array([[2.0, -1.0], [-1.0, 2.0]])
    m = ss.Model.from_matrices(np.eye(2), np.zeros((2, 2)), stiffness, names=["a", "b"])
    m.connect(m["a"], ss.Polynomial(coefficients=(0.0, 0.0, 0.0, 0.5)))
    return m


def test_a_mode_passes_the_tip_of_a_tongue_where_it_is_the_other_mode_three_times_as_fast():
    m = two_masses()
    mode = m.nonlinear_mode(1, between=(4.0, 100.0), harmonics=9, sustain="all", norm="all")
    assert not mode.partial
    assert mode.points[-1].amplitude == pytest.approx(100.0)
    tip = min(mode.points, key=lambda p: p.modal_amplitude / p.amplitude)
    assert tip.modal_amplitude < 0.01 * tip.amplitude
    other = m.nonlinear_mode(2, amplitudes=[tip.amplitude], harmonics=3, norm="all").points[0]
    assert 3.0 * tip.frequency == pytest.approx(other.frequency, rel=1e-4)  # the square of what is left of the first
    for point in mode.points[:: len(mode) // 8]:
        assert point.amplitude == pytest.approx(np.sqrt((np.abs(point.harmonics[1:]) ** 2).sum()), rel=1e-8)


def test_with_one_harmonic_both_norms_are_the_same():
    m = two_masses()
    first, every = (m.nonlinear_mode(1, amplitudes=[0.1, 2.0], harmonics=1, norm=n).data for n in ("first", "all"))
    np.testing.assert_allclose(first.frequency, every.frequency, rtol=1e-12)


@pytest.mark.parametrize("coordinate", [None, "b"])
def test_derivatives_are_those_of_differences(coordinate):
    family = _ready(two_masses(), 1, amplitudes=[3.0], coordinate=coordinate, harmonics=5, norm="all").plan.family
    assert isinstance(family, ModeFamily)
    x = family.start(0.4) * (1.0 + 0.1 * np.random.default_rng(0).standard_normal(family.size))
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


def test_a_mode_lost_in_an_internal_resonance_names_the_way_through_it():
    """Kerschen et al. 2009: beyond the 3:1 tongue of the two masses the first harmonic vanishes."""
    with pytest.raises(ss.NotConverged, match=r'between=\(\S+, \S+\), norm="all" follows it') as caught:
        two_masses().nonlinear_mode(1, amplitudes=np.logspace(-1, np.pi, 60), harmonics=9)
    low, high = (float(x) for x in str(caught.value).split("between=(")[1].split(")")[0].split(", "))
    mode = two_masses().nonlinear_mode(1, between=(low, high), harmonics=9, norm="all")
    assert mode.data["amplitude"].max() > 0.999 * high
