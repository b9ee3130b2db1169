"""Laws against independent integration, in numbers that take minutes. Run by `make test-long`."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from scipy.integrate import quad

import slipstick as ss

pytestmark = pytest.mark.long


def way(law: ss.ModifiedDahl, s: float, y0: float, y1: float) -> float:
    """The deflection on which the distance to the envelope goes from y0 to y1: the quadrature of (3), split at zero."""
    g = law.upper[1] if s > 0 else law.lower[1]
    power = lambda y: np.sign(y) * abs(y) ** law.exponent  # noqa: E731
    ends = [y0, 0.0, y1] if y0 * y1 < 0 else [y0, y1]
    return sum(
        quad(lambda y: 1.0 / (g - law.rate * power(y)), a, b, epsabs=0, epsrel=1e-12, limit=400)[0]
        for a, b in pairwise(ends)
    )


@pytest.mark.filterwarnings("ignore")
def test_three_thousand_branches_of_the_modified_dahl_law_are_their_quadrature() -> None:
    rng = np.random.default_rng(2026)
    checked, worst = 0, 0.0
    for _ in range(3000):
        mu = 10 ** rng.uniform(-0.8, 0.6)
        a, d = (float(rng.choice([-1, 1]) * 10 ** rng.uniform(-1, 1)) for _ in range(2))
        law = ss.ModifiedDahl(rate=float(10 ** rng.uniform(-1, 1)), exponent=mu, upper=(1.0, a), lower=(-1.0, d))
        s, force = float(rng.choice([-1.0, 1.0])), float(rng.uniform(-2.5, 2.5))
        u = s * float(10 ** rng.uniform(-2, 0.3))
        end = law.update(u, 0.0, (0.0, force, 0.0, force, 0.0, 0.0))[0]
        y0 = (1.0 - force) if s > 0 else (force + 1.0)
        h = 1.0 + a * u if s > 0 else -1.0 + d * u
        y1 = s * (h - end)
        rest = law.upper_rest if s > 0 else law.lower_rest
        if min(abs(y0 - rest), abs(y1 - rest)) < 1e-6 * max(abs(rest), 1.0):
            continue  # the integrand is singular at the resting distance
        slope = (a if s > 0 else d) - law.rate * np.sign(y1) * abs(y1) ** mu
        error = abs(abs(way(law, s, y0, y1)) - abs(u)) * abs(slope)  # in units of force
        worst, checked = max(worst, error), checked + 1
    assert checked > 2000
    assert worst < 1e-9


def test_two_thousand_long_histories_forget_their_inner_loops() -> None:
    rng = np.random.default_rng(7)
    law = ss.DynamicHysteresis(stiffness=1.5, limit=0.8)
    for _ in range(2000):
        outer = rng.uniform(1.0, 2.0)
        inner = np.sort(rng.uniform(-0.9, 0.9, 2)) * outer
        wiggles = rng.uniform(inner[0], inner[1], 60)
        path = np.concatenate(([0.0, outer, -outer], wiggles, [outer, -outer, 0.3 * outer]))
        plain = np.array([0.0, outer, -outer, outer, -outer, 0.3 * outer])
        np.testing.assert_allclose(law.trace(path)[-3:], law.trace(plain)[-3:], rtol=0, atol=1e-15)
