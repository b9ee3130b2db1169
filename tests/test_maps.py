"""The identities of luz and tar, of the projections, of springs in series and in parallel.

Three kinds of evidence: set-valued equivalences on a grid of small integers, where all arithmetic is exact
and the edges are hit often; 10,000 random floats, to a bound that counts the roundings; and hypothesis for
subnormal, huge and signed-zero values.

Bounds: each floating-point operation is off by at most half an ulp, u = EPS/2, of its result (products and
quotients by half of TINY more where they underflow; sums never underflow). The comment at each test counts them.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from slipstick import maps, scalar
from slipstick.errors import InvalidInput
from slipstick.maps import (
    beta_interval,
    luz,
    project,
    sat,
    sgn,
    sgn_interval,
    tar,
    tar_interval,
)

EPS = float(np.finfo(float).eps)  # 2 u
TINY = float(np.nextafter(0.0, 1.0))
COUNT = 20_000


def grid(rng: np.random.Generator, low: int, high: int) -> Any:
    """Random small integers as floats."""
    return rng.integers(low, high + 1, COUNT).astype(float)


def spread(rng: np.random.Generator, decades: float = 6.0) -> Any:
    """Random floats of both signs over many decades."""
    return rng.choice([-1.0, 1.0], COUNT) * 10.0 ** rng.uniform(-decades, decades, COUNT)


def near(rng: np.random.Generator, a: Any) -> Any:
    """Deflections of the size of a: inside, outside, on the edge and one ulp off it."""
    x = a * rng.uniform(-3.0, 3.0, COUNT)
    edge = rng.choice([-1.0, 1.0], COUNT) * a
    kind = rng.integers(0, 6, COUNT)
    return np.select([kind == 0, kind == 1, kind == 2], [edge, np.nextafter(edge, 0), np.nextafter(edge, 2 * edge)], x)


def bits(x: Any) -> Any:
    """Floats as integers: equal only if equal to the bit, the sign of zero included."""
    return np.asarray(x, dtype=float).view(np.int64)


anything = st.floats(allow_nan=False, allow_infinity=False)
moderate = st.floats(-1e150, 1e150)  # products stay finite
half_widths = st.one_of(st.just(0.0), st.just(-0.0), st.floats(0.0, 1e308))
histories = st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=30)
radii = st.floats(0.0, 1e6)


# ---- luz


def test_luz_has_its_closed_form_on_both_sides_of_the_gap() -> None:
    assert [luz(x, 2.0) for x in (-5.0, -2.0, -1.0, 0.0, 1.0, 2.0, 5.0)] == [-3.0, 0.0, 0.0, 0.0, 0.0, 0.0, 3.0]
    assert luz(1.5, 0.0) == 1.5
    assert luz(math.inf, 2.0) == math.inf
    assert luz(-math.inf, 2.0) == -math.inf
    assert luz(1e300, math.inf) == 0.0


def test_luz_is_exactly_zero_inside_the_gap_up_to_the_very_edge() -> None:
    rng = np.random.default_rng(1)
    a = 10.0 ** rng.uniform(-300, 300, 100_000)
    inside = a * rng.uniform(-1.0, 1.0, a.size)
    for x in (inside, a, -a, np.nextafter(a, 0), -np.nextafter(a, 0)):
        assert not np.any(luz(x, a))
    assert np.all(luz(np.nextafter(a, np.inf), a) > 0.0)
    assert np.all(luz(-np.nextafter(a, np.inf), a) < 0.0)


@given(anything, half_widths)
def test_luz_is_zero_if_and_only_if_x_is_in_the_gap(x: float, a: float) -> None:
    assert (luz(x, a) == 0.0) == (abs(x) <= a)


@given(anything, half_widths)
def test_luz_is_odd_and_sat_takes_the_rest(x: float, a: float) -> None:
    assert luz(-x, a) == -luz(x, a)
    # one subtraction in luz, one addition here
    assert abs(luz(x, a) + sat(x, a) - x) <= EPS * abs(x)


def test_luz_of_luz_adds_the_gaps() -> None:
    rng = np.random.default_rng(2)
    a, b = np.abs(spread(rng)), np.abs(spread(rng))
    x = near(rng, a + b)
    # two subtractions on the left, an addition and a subtraction on the right, none larger than the largest: 4 u
    bound = 2 * EPS * np.maximum(np.abs(x), a + b)
    assert np.all(np.abs(luz(luz(x, a), b) - luz(x, a + b)) <= bound)


@given(moderate, st.floats(0.0, 1e150), st.floats(0.0, 1e150))
def test_luz_of_luz_adds_the_gaps_for_nasty_values(x: float, a: float, b: float) -> None:
    assert abs(luz(luz(x, a), b) - luz(x, a + b)) <= 2 * EPS * max(abs(x), a + b)


def test_luz_of_luz_adds_the_gaps_exactly_where_sums_are_exact() -> None:
    rng = np.random.default_rng(3)
    x, a, b = grid(rng, -20, 20), grid(rng, 0, 8), grid(rng, 0, 8)
    assert np.array_equal(luz(luz(x, a), b), luz(x, a + b))


def test_a_factor_moves_into_luz_with_the_size_of_the_gap() -> None:
    rng = np.random.default_rng(4)
    a, c = np.abs(spread(rng)), spread(rng)
    x = near(rng, a)
    # a difference and a product on the left, two products and a difference on the right: 5 u
    bound = 2.5 * EPS * np.abs(c) * np.maximum(np.abs(x), a)
    assert np.all(np.abs(c * luz(x, a) - luz(c * x, np.abs(c) * a)) <= bound)


@given(moderate, st.floats(0.0, 1e150), moderate)
def test_a_factor_moves_into_luz_for_nasty_values(x: float, a: float, c: float) -> None:
    # three products may underflow, each by half of the smallest number
    bound = 2.5 * EPS * abs(c) * max(abs(x), a) + 2 * TINY
    assert abs(c * luz(x, a) - luz(c * x, abs(c) * a)) <= bound


# ---- tar and Sgn, the set-valued graphs


def test_tar_has_its_closed_form_and_its_interval_at_zero() -> None:
    assert [tar(x, 2.0) for x in (-1.0, 0.0, 1.0)] == [-3.0, 0.0, 3.0]
    assert tar_interval(0.0, 2.0) == (-2.0, 2.0)
    assert tar_interval(0.5, 2.0) == (2.5, 2.5)
    assert tar_interval(0.0, math.inf) == (-math.inf, math.inf)
    assert tar(0.0, math.inf) == 0.0


def test_the_selection_of_tar_lies_in_its_set() -> None:
    rng = np.random.default_rng(5)
    x, a = np.where(rng.random(COUNT) < 0.2, 0.0, spread(rng)), np.abs(spread(rng))
    low, high = tar_interval(x, a)
    assert np.all((low <= tar(x, a)) & (tar(x, a) <= high))
    assert np.array_equal(low < high, (x == 0.0) & (a > 0.0))


def test_y_is_in_tar_of_x_if_and_only_if_x_is_luz_of_y() -> None:
    rng = np.random.default_rng(6)
    x, y, a = grid(rng, -3, 3), grid(rng, -7, 7), grid(rng, 0, 4)
    low, high = tar_interval(x, a)
    in_tar = (low <= y) & (y <= high)
    assert np.array_equal(in_tar, luz(y, a) == x)
    assert 1_000 < np.count_nonzero(in_tar) < COUNT - 1_000


def test_luz_leads_into_tar_and_back_for_random_floats() -> None:
    rng = np.random.default_rng(7)
    a = np.abs(spread(rng))
    y = near(rng, a)
    x = luz(y, a)
    low, high = tar_interval(x, a)
    # a difference in luz, a sum in tar; inside the gap the interval [-a, a] is exact
    slack = np.where(x == 0.0, 0.0, EPS * np.abs(y))
    assert np.all((low - slack <= y) & (y <= high + slack))
    x = spread(rng)
    assert np.all(np.abs(luz(tar(x, a), a) - x) <= EPS * (np.abs(x) + a))


@given(anything.filter(lambda x: abs(x) < 1e307), st.floats(0.0, 1e307))
def test_luz_undoes_tar_for_nasty_values(x: float, a: float) -> None:
    assert abs(luz(tar(x, a), a) - x) <= EPS * (abs(x) + a)
    low, high = tar_interval(luz(x, a), a)
    assert low - EPS * abs(x) <= x <= high + EPS * abs(x)


def test_friction_and_drag_balance_a_force_if_and_only_if_drag_is_luz_of_it() -> None:
    """0 in F - C tar(v, F0/C) <=> C v = luz(F, F0)."""
    rng = np.random.default_rng(8)
    force, limit, v = grid(rng, -8, 8), grid(rng, 0, 4), grid(rng, -4, 4) / 4.0
    c = rng.choice([1.0, 2.0, 4.0], COUNT)  # powers of two: limit/c is exact
    low, high = tar_interval(v, limit / c)
    balanced = (force - c * high <= 0.0) & (force - c * low >= 0.0)
    assert np.array_equal(balanced, c * v == luz(force, limit))
    assert 500 < np.count_nonzero(balanced) < COUNT - 500


def test_the_speed_from_luz_balances_friction_and_drag_for_random_floats() -> None:
    rng = np.random.default_rng(9)
    limit, c = np.abs(spread(rng)), np.abs(spread(rng, 3.0))
    force = near(rng, limit)
    v = luz(force, limit) / c
    low, high = tar_interval(v, limit / c)
    # sliding: difference and quotient for v, quotient, sum and product for tar: 5 u; sticking: quotient, product
    slack = 2.5 * EPS * np.maximum(np.abs(force), limit)
    assert np.all((c * low - slack <= force) & (force <= c * high + slack))
    assert np.array_equal(v == 0.0, np.abs(force) <= limit)


def test_parallel_friction_adds_its_limits_and_its_drags() -> None:
    rng = np.random.default_rng(10)
    f1, f2, c1, c2 = (np.abs(spread(rng, 3.0)) for _ in range(4))
    v = np.where(rng.random(COUNT) < 0.2, 0.0, spread(rng, 3.0))
    together = tar_interval(v, (f1 + f2) / (c1 + c2))
    # quotient, sum, product of each and their sum: 4 u; two sums, quotient, sum and product of the merged one: 5 u
    bound = 4.5 * EPS * ((c1 + c2) * np.abs(v) + f1 + f2)
    for one, two, both in zip(tar_interval(v, f1 / c1), tar_interval(v, f2 / c2), together, strict=True):
        assert np.all(np.abs(c1 * one + c2 * two - (c1 + c2) * both) <= bound)


def test_parallel_friction_without_drag_adds_its_limits_exactly() -> None:
    rng = np.random.default_rng(11)
    f1, f2, v = grid(rng, 0, 9), grid(rng, 0, 9), grid(rng, -1, 1)
    for s in sgn_interval(v):
        assert np.array_equal(f1 * s + f2 * s, (f1 + f2) * s)


def test_sgn_has_its_closed_form_and_its_interval_at_zero() -> None:
    assert [sgn(x) for x in (-math.inf, -1e-320, -0.0, 0.0, 1e-320, math.inf)] == [-1.0, -1.0, 0.0, 0.0, 1.0, 1.0]
    assert sgn_interval(0.0) == (-1.0, 1.0)
    assert sgn_interval(-0.0) == (-1.0, 1.0)
    assert sgn_interval(3.0) == (1.0, 1.0)


def test_beta_is_empty_outside_and_a_half_line_at_each_end() -> None:
    assert beta_interval(0.5) == (0.0, 0.0)
    assert beta_interval(1.0) == (0.0, math.inf)
    assert beta_interval(-1.0) == (-math.inf, 0.0)
    assert all(math.isnan(end) for end in beta_interval(1.0000001))


def test_y_is_in_sgn_of_x_if_and_only_if_x_is_in_beta_of_y() -> None:
    rng = np.random.default_rng(12)
    x, y = grid(rng, -2, 2), grid(rng, -3, 3) / 2.0
    low, high = sgn_interval(x)
    in_sgn = (low <= y) & (y <= high)
    low, high = beta_interval(y)  # nan where empty: no x is in it
    assert np.array_equal(in_sgn, (low <= x) & (x <= high))
    assert 1_000 < np.count_nonzero(in_sgn) < COUNT - 1_000


@given(st.floats(allow_nan=False), st.one_of(st.sampled_from([-1.0, 1.0, 0.0]), st.floats(-2.0, 2.0)))
def test_sgn_and_beta_are_inverse_for_nasty_values(x: float, y: float) -> None:
    low, high = sgn_interval(x)
    start, end = beta_interval(y)
    assert (low <= y <= high) == (start <= x <= end)


# ---- springs in series and in parallel


def test_a_spring_beside_its_own_luz_is_solved_by_luz() -> None:
    """x + k luz(x, a) = y gives luz(x, a) = luz(y, a)/(1 + k)."""
    rng = np.random.default_rng(13)
    a, k = np.abs(spread(rng)), 10.0 ** rng.uniform(-3, 3, COUNT)
    x = near(rng, a)
    y = x + k * luz(x, a)
    # with l = luz(x, a): the difference in l, k l and luz(y, a) u l each after division, the sum u |y| / (1 + k),
    # 1 + k and the quotient u l each; l and |y| / (1 + k) are at most |x|: 6 u
    assert np.all(np.abs(luz(y, a) / (1.0 + k) - luz(x, a)) <= 3 * EPS * np.abs(x))
    inside = np.abs(x) <= a
    assert np.array_equal(y[inside], x[inside])


def test_the_solution_by_luz_solves_the_equation_and_no_other_x_does() -> None:
    rng = np.random.default_rng(14)
    y, a = grid(rng, -12, 12), grid(rng, 0, 5)
    k = rng.choice([0.0, 1.0, 3.0, 7.0], COUNT)  # 1 + k a power of two: all exact
    x = y - k * (luz(y, a) / (1.0 + k))
    assert np.array_equal(x + k * luz(x, a), y)
    assert np.array_equal(luz(x, a), luz(y, a) / (1.0 + k))
    other = x + rng.choice([-1.0, 1.0], COUNT) * rng.choice([0.125, 1.0, 5.0], COUNT)
    assert not np.any(other + k * luz(other, a) == y)


@pytest.mark.parametrize("springs", [2, 3, 6])
def test_springs_in_series_add_their_gaps_and_compliances(springs: int) -> None:
    """k_i luz(x_i, a_i) = f for all i, sum x_i = X: f = luz(X, sum a_i) / sum(1/k_i)."""
    rng = np.random.default_rng(15 + springs)
    k = 10.0 ** rng.uniform(-2, 2, (springs, COUNT))
    a = 10.0 ** rng.uniform(-2, 2, (springs, COUNT)) * (rng.random((springs, COUNT)) < 0.8)
    f = np.where(rng.random(COUNT) < 0.2, 0.0, spread(rng, 2.0))
    # f leaves each stretch a point, or its whole gap where f = 0
    low, high = tar_interval(f / k, a)
    x = low + rng.random((springs, COUNT)) * (high - low)
    compliance, gap, total = np.sum(1.0 / k, axis=0), np.sum(a, axis=0), np.sum(x, axis=0)
    # x_i: quotient, sum, and three more where f = 0; X and the gap: springs - 1 sums each; one difference;
    # the compliance: springs quotients and sums; one quotient
    roundings = 5 + 2 * (springs - 1) + 1 + springs + 1
    bound = roundings * 0.5 * EPS * (np.abs(f) + gap / compliance)
    assert np.all(np.abs(luz(total, gap) / compliance - f) <= bound)


def test_two_springs_in_series_agree_with_bisection_for_the_point_between_them() -> None:
    rng = np.random.default_rng(22)
    k1, k2 = 10.0 ** rng.uniform(-2, 2, (2, COUNT))
    a1, a2 = 10.0 ** rng.uniform(-2, 2, (2, COUNT))
    total = near(rng, a1 + a2)
    reach = np.abs(total) + a1 + a2
    low, high = -reach, reach.copy()
    for _ in range(1_200):  # down to neighbouring floats
        middle = 0.5 * (low + high)
        if np.all((middle == low) | (middle == high)):
            break
        too_far = k1 * luz(middle, a1) > k2 * luz(total - middle, a2)
        low, high = np.where(too_far, low, middle), np.where(too_far, middle, high)
    found = k1 * luz(high, a1)
    # the sign of the imbalance is known to 2 u k1 R + 3 u k2 R, R the reach; the interval left is 2 u R wide;
    # the closed form adds luz, two sums and two quotients of forces no larger than (k1 + k2) R: 5 u
    bound = 5 * EPS * (k1 + k2) * reach
    assert np.all(np.abs(found - luz(total, a1 + a2) / (1.0 / k1 + 1.0 / k2)) <= bound)


def test_parallel_springs_with_equal_gaps_merge() -> None:
    rng = np.random.default_rng(23)
    a, k1, k2 = np.abs(spread(rng)), np.abs(spread(rng, 3.0)), np.abs(spread(rng, 3.0))
    x = near(rng, a)
    # two products and a sum; a sum and a product
    bound = 2 * EPS * (k1 + k2) * np.abs(luz(x, a))
    assert np.all(np.abs(k1 * luz(x, a) + k2 * luz(x, a) - (k1 + k2) * luz(x, a)) <= bound)


def test_parallel_springs_with_different_gaps_are_no_single_luz() -> None:
    """A single luz has one slope beyond its gap; gaps 1 and 3 give two."""
    x = np.array([2.0, 2.5, 4.0, 5.0])
    f = luz(x, 1.0) + luz(x, 3.0)
    assert (f[1] - f[0]) / 0.5 == 1.0
    assert f[3] - f[2] == 2.0
    rng = np.random.default_rng(24)
    narrow = rng.uniform(0.1, 1.0, COUNT)
    wide = narrow + rng.uniform(0.1, 1.0, COUNT)
    k1, k2 = rng.uniform(0.1, 10.0, (2, COUNT))
    merged_from_far = luz(2.0 * narrow + 2.0 * wide, (k1 * narrow + k2 * wide) / (k1 + k2)) * (k1 + k2)
    far = k1 * luz(2.0 * narrow + 2.0 * wide, narrow) + k2 * luz(2.0 * narrow + 2.0 * wide, wide)
    assert np.allclose(far, merged_from_far, rtol=1e-13)  # the only luz that fits far out ...
    between = 0.5 * (narrow + wide)
    fitted = luz(between, (k1 * narrow + k2 * wide) / (k1 + k2)) * (k1 + k2)
    apart = k1 * luz(between, narrow) + k2 * luz(between, wide) - fitted
    assert np.all(apart > 0.01 * np.minimum(k1, k2) * (wide - narrow))  # ... fails between the gaps


# ---- projections


def _projection(kind: str) -> tuple[Callable[[Any], Any], Any, Any]:
    rng = np.random.default_rng(25)
    if kind == "sat":
        a = np.abs(spread(rng))
        return lambda x: sat(x, a), -a, a
    low = spread(rng)
    high = low + np.abs(spread(rng)) * (rng.random(COUNT) < 0.9)
    return lambda x: project(x, low, high), low, high


@pytest.mark.parametrize("kind", ["sat", "project"])
def test_a_projection_is_idempotent_and_leaves_the_inside_alone(kind: str) -> None:
    projected, low, high = _projection(kind)
    x = spread(np.random.default_rng(26))
    once = projected(x)
    assert np.array_equal(bits(projected(once)), bits(once))
    assert np.all((low <= once) & (once <= high))
    inside = (low <= x) & (x <= high)
    assert np.array_equal(once[inside], x[inside])


@pytest.mark.parametrize("kind", ["sat", "project"])
def test_a_projection_brings_no_two_points_apart(kind: str) -> None:
    projected, _, _ = _projection(kind)
    rng = np.random.default_rng(27)
    x, y = spread(rng), spread(rng)
    # rounding is monotone, so this holds without a bound
    assert np.all(np.abs(projected(x) - projected(y)) <= np.abs(x - y))


@pytest.mark.parametrize("kind", ["sat", "project"])
def test_a_projection_is_the_nearest_point(kind: str) -> None:
    projected, low, high = _projection(kind)
    rng = np.random.default_rng(28)
    x = spread(rng)
    for _ in range(5):
        other = np.clip(low + rng.random(COUNT) * (high - low), low, high)
        assert np.all(np.abs(x - projected(x)) <= np.abs(x - other))


@given(st.floats(allow_nan=False), st.floats(allow_nan=False), st.floats(allow_nan=False))
def test_project_works_for_half_lines_and_signed_zeros(x: float, one: float, two: float) -> None:
    low, high = min(one, two), max(one, two)
    found = project(x, low, high)
    assert low <= found <= high
    assert found == (low if x < low else high if x > high else x)


# ---- arrays, plain floats, and bad input


@given(st.floats(allow_nan=False), half_widths)
def test_arrays_and_plain_floats_agree_to_the_bit(x: float, a: float) -> None:
    assert bits(maps.sat(x, a)) == bits(scalar.sat(x, a))
    assert bits(maps.luz(x, a)) == bits(scalar.luz(x, a))
    assert bits(maps.sgn(x)) == bits(scalar.sgn(x))


def test_arrays_and_plain_floats_agree_to_the_bit_on_random_arrays() -> None:
    rng = np.random.default_rng(32)
    a = np.abs(spread(rng, 100.0)) * (rng.random(COUNT) < 0.9)
    x = near(rng, a)
    for array, plain in ((maps.sat, scalar.sat), (maps.luz, scalar.luz)):
        one_by_one = [plain(float(p), float(q)) for p, q in zip(x, a, strict=True)]
        assert np.array_equal(bits(array(x, a)), bits(one_by_one))
    assert np.array_equal(bits(maps.sgn(x)), bits([scalar.sgn(float(p)) for p in x]))


def test_the_odd_power_has_its_sign_and_its_size() -> None:
    assert scalar.power(-8.0, 1.0 / 3.0) == -scalar.power(8.0, 1.0 / 3.0) == -(8.0 ** (1.0 / 3.0))
    assert scalar.power(0.0, 0.5) == 0.0
    assert scalar.power(-2.0, 2.0) == -4.0


def test_decay_has_its_closed_forms() -> None:
    for y in (-2.0, 0.5, 3.0):
        for x in (0.0, 0.1, 0.7, 5.0):
            size = abs(y)
            assert scalar.decay(y, x, 1.0) == y * math.exp(-x)
            assert scalar.decay(y, x, 2.0) == pytest.approx(y / (1.0 + size * x), rel=10 * EPS)
            assert scalar.decay(y, x, 0.0) == pytest.approx(math.copysign(max(size - x, 0.0), y), abs=10 * EPS * size)
            root = max(math.sqrt(size) - x / 2.0, 0.0)
            assert scalar.decay(y, x, 0.5) == pytest.approx(math.copysign(root**2, y), abs=20 * EPS * size)
    assert scalar.decay(0.0, 1.0, 0.5) == 0.0


@given(st.floats(-3.0, 3.0), st.floats(0.0, 3.0), st.floats(0.0, 3.0), st.floats(0.1, 3.0))
def test_decay_over_two_ways_is_decay_over_their_sum(y: float, one: float, two: float, exponent: float) -> None:
    # each call: 2 EPS in its way x |y|^-a, which moves y by no more than that share of |y|; 1.5 EPS in the logarithm
    # z/a, at most z e^-z of |y|; exponential and product 1.5 EPS. Three calls, and it contracts, so errors do not grow
    bound = (3 * 5 + 1) * EPS * abs(y) + 4 * TINY
    apart = scalar.decay(scalar.decay(y, one, exponent), two, exponent)
    assert abs(apart - scalar.decay(y, one + two, exponent)) <= bound


def test_maps_broadcast_and_give_floats_for_floats() -> None:
    assert isinstance(luz(2, 1), float)
    assert luz([[1.0], [3.0]], [0.5, 2.0]).tolist() == [[0.5, 0.0], [2.5, 1.0]]
    assert tar(np.array([1.0, -1.0]), 2.0).tolist() == [3.0, -3.0]


def test_what_is_not_a_number_stays_visible() -> None:
    nan = math.nan
    for found in (sat(nan, 1.0), luz(nan, 1.0), tar(nan, 1.0), sgn(nan), project(nan, -1.0, 1.0)):
        assert math.isnan(found)
    for ends in (tar_interval(nan, 1.0), sgn_interval(nan), beta_interval(nan)):
        assert all(math.isnan(end) for end in ends)


@pytest.mark.parametrize("a", [-1.0, -1e-320, math.nan, -math.inf, [1.0, -1.0]])
@pytest.mark.parametrize("function", [luz, tar, sat, tar_interval])
def test_a_half_width_below_zero_or_not_a_number_is_refused(function: Any, a: Any, refused: Any) -> None:
    with refused("must be >= 0", error=InvalidInput):
        function(0.5, a)


def test_an_interval_the_wrong_way_round_is_refused(refused: Any) -> None:
    with refused("low <= high", "2.0", "1.0"):
        project(0.0, 2.0, 1.0)
    with refused("low <= high", "nan"):
        project(0.0, math.nan, 1.0)
