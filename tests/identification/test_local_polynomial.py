"""Local polynomials: exact for polynomials, and the filter of SciPy."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.signal import savgol_filter

from slipstick.identification.preparing.local_polynomial import local_polynomial


@pytest.mark.parametrize("derivative", [0, 1, 2])
def test_polynomials_and_their_derivatives_are_exact_up_to_the_ends(derivative):
    t = np.linspace(-1.0, 2.0, 61)
    own = np.polynomial.Polynomial([0.3, -1.0, 2.0, 0.7])
    found = local_polynomial(own(t), 11, 3, derivative, step=t[1] - t[0])
    assert found == pytest.approx(own.deriv(derivative)(t) if derivative else own(t), abs=1e-10)


@pytest.mark.parametrize(("width", "degree", "derivative"), [(5, 2, 1), (15, 2, 1), (201, 3, 0), (31, 3, 2), (1, 0, 0)])
def test_it_is_the_filter_of_scipy(width, degree, derivative):
    x = np.random.default_rng(5).normal(size=400)
    theirs = savgol_filter(x, width, degree, deriv=derivative, delta=0.02)
    found = local_polynomial(x, width, degree, derivative, step=0.02)
    assert found == pytest.approx(theirs, abs=1e-10 * np.abs(theirs).max())


@pytest.mark.parametrize(("width", "degree"), [(4, 2), (3, 3), (41, 2)])
def test_windows_that_do_not_suit_are_refused(width, degree):
    with pytest.raises(ValueError, match=f"a window of {width} samples"):
        local_polynomial(np.zeros(40), width, degree)
