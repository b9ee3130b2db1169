"""Laws drawn from a fit: the normal distribution of its numbers, cut at bounds, however narrow they are."""

from __future__ import annotations

import numpy as np
import pytest
from identification.synthetic_loops import swings
from scipy.stats import kstest, norm, truncnorm

import slipstick as ss
from slipstick.identification.intervals.law_samples import sample_laws
from slipstick.identification.intervals.truncated_normal import sample_truncated_normal
from slipstick.results.fit import Spread

RHO, SPREAD = 0.8, 0.1


def correlated(low: float, high: float) -> Spread:
    """Of a Linear law whose stiffness has bounds and whose damping has none, in sizes of 1."""
    covariance = SPREAD**2 * np.array([[1.0, RHO], [RHO, 1.0]])
    ends = np.array([low, -np.inf]), np.array([high, np.inf])
    return Spread(np.array([2.0, 3.0]), covariance, *ends, np.ones(2), np.zeros(2, dtype=bool))


@pytest.mark.parametrize("width", [1e-6, 1e-3])
def test_narrow_bounds_of_one_number_leave_the_other_its_spread(width: float) -> None:
    """Given the one, the other is normal with sqrt(1 - rho^2) of its deviation about 3 + rho times what it is off."""
    law = ss.Linear(stiffness=2.0, damping=3.0)
    laws = sample_laws(law, ("stiffness", "damping"), correlated(2.0, 2.0 + width), 400, 1)
    assert all(2.0 <= own.stiffness <= 2.0 + width for own in laws)
    expected = norm(3.0 + RHO * 0.5 * width, SPREAD * np.sqrt(1.0 - RHO**2))
    assert kstest([own.damping for own in laws], expected.cdf).pvalue > 0.01


def test_a_normal_distribution_is_cut_at_both_ends() -> None:
    drawn = sample_truncated_normal(
        np.array([0.5]), np.array([[2.0]]), np.array([0.4]), np.array([3.5]), np.random.default_rng(2), 500
    )
    expected = truncnorm((0.4 - 0.5) / 2.0, (3.5 - 0.5) / 2.0, 0.5, 2.0)
    assert kstest(drawn[:, 0], expected.cdf).pvalue > 0.01


def test_a_direction_that_is_known_exactly_stays_where_it_is() -> None:
    root = np.array([[1.0, 0.0], [1.0, 0.0]])  # singular: both are the same
    ends = np.array([-1e-9, -1.0]), np.array([1.0, 1.0])
    drawn = sample_truncated_normal(np.zeros(2), root, *ends, np.random.default_rng(3), 300)
    np.testing.assert_allclose(drawn[:, 0], drawn[:, 1], atol=1e-12)
    expected = truncnorm(0.0, 1.0)
    assert kstest(drawn[:, 0], expected.cdf).pvalue > 0.01


def test_a_fit_with_narrow_bounds_is_not_sampled_as_one_law() -> None:
    loops = swings(ss.Masing(stiffness=8.0, limit=1.0, parallel_stiffness=1.0, damping=0.05), noise=0.05)
    bounds = {"stiffness": (7.99, 7.9901), "limit": (0.998, 0.99801)}
    fit = ss.identify(loops, ss.Masing, bounds=bounds)
    laws = fit.sample(60, seed=4)
    for own in laws:
        assert 7.99 <= own.stiffness <= 7.9901
        assert 0.998 <= own.limit <= 0.99801
    damping = np.array([own.damping for own in laws])
    assert damping.std() == pytest.approx(fit.parameters["damping"].deviation, rel=0.4)


def test_numbers_that_exclude_each_other_are_told_instead_of_repeated() -> None:
    """The overshoot limit must stay below the limit, and is drawn a hundred times as large."""
    law = ss.BlimanSorine(stiffness=1.0, limit=1.0, overshoot_limit=0.5, ratio=0.5)
    x, size = np.array([100.0]), np.ones(1)
    spread = Spread(x, np.array([[1e-6]]), x - 1.0, x + 1.0, size, np.zeros(1, dtype=bool))
    with pytest.raises(ss.InvalidInput, match=r"only 0 of 3 draws .* values contradict each other"):
        sample_laws(law, ("overshoot_limit",), spread, 3, 0)
