"""The sign that a curve keeps, and where it may change: judged by curves with closed forms."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from periodic.analytic_families import Equation, cubic

from slipstick.periodic.continuation.corrector import determinant_sign, solve_at
from slipstick.periodic.continuation.curve_trace import trace_curve
from slipstick.periodic.continuation.point_checks import determinant_crosses_zero, orientation


def crossing():
    """x (x - p) = 0: two lines that cross at 0."""
    return Equation(lambda x, p: x * (x - p), lambda x, p: 2.0 * x - p, lambda x, _: -x)


def ahead(family, x, p):
    found = solve_at(family, np.array([x]), p, 1.0)
    return found if found.tangent[-1] > 0.0 else found.reversed()


def test_the_sign_is_that_of_the_determinant_and_none_without_rank():
    rng = np.random.default_rng(5)
    for size in (1, 2, 3, 6, 9):
        matrix = rng.normal(size=(size, size))
        assert determinant_sign(matrix) == np.sign(np.linalg.det(matrix))
        assert determinant_sign(matrix[::-1]) == np.sign(np.linalg.det(matrix[::-1]))
    assert determinant_sign(np.outer([1.0, 2.0, 3.0], [0.1, 0.7, 0.3])) == 0.0  # a determinant of rounding
    assert determinant_sign(np.ones((3, 2))) == 0.0


def test_a_curve_keeps_its_sign_beyond_folds():
    family = cubic()
    points = trace_curve(family, (-10.0, 10.0)).points
    assert sum(a.tangent[-1] * b.tangent[-1] < 0.0 for a, b in pairwise(points)) == 2
    assert len({point.sign for point in points}) == 1
    for point in points:
        assert point.sign == orientation(family, point.z, point.scale, point.tangent) != 0.0
        assert point.reversed().sign == -point.sign


def test_the_sign_changes_where_a_branch_crosses_and_that_is_seen():
    family = crossing()
    before, behind = ahead(family, 0.0, -0.03), ahead(family, 0.0, 0.02)
    assert before.sign * behind.sign < 0.0
    assert determinant_crosses_zero(family, before, behind)
    points = trace_curve(family, (-1.0, 1.0), start=(np.zeros(1), -1.0)).points
    assert points[-1].p == 1.0
    assert all(abs(point.x[0]) < 1e-9 for point in points)


@pytest.mark.parametrize("apart", [1e-2, 1e-3])
def test_the_other_arm_of_a_fold_is_no_crossing(apart):
    """x^2 = apart^2 (1 - p): up to p = 1, two arms that run beside each other."""
    family = Equation(lambda x, p: x * x - apart**2 * (1.0 - p), lambda x, _: 2.0 * x, lambda *_: apart**2)
    here, there = ahead(family, apart, 0.0), ahead(family, -apart, 0.05)
    assert here.sign * there.sign < 0.0
    assert not determinant_crosses_zero(family, here, there)
