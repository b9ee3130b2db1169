"""Rounded corners: the clutch paper's equations, its errors, Taylor coefficients against mpmath, and the options."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import mpmath
import numpy as np
import pytest
from golden import table
from hypothesis import given
from hypothesis import strategies as st
from laws.reference_solutions import EPS
from scipy.integrate import quad
from scipy.optimize import minimize_scalar

import slipstick as ss
from slipstick.laws.base import Law
from slipstick.laws.faces import Face

GOLDEN = table("clutch")
RATIO, GAP, CLEARANCE = 0.167, 0.125, 0.2  # alpha_dss, b_dss, b_sc of Table 1
STAGE = ss.TwoStage(stiffness=1.0, inner_ratio=RATIO, half_gap=GAP)
FREE = ss.Freeplay(stiffness=1.0, half_gap=CLEARANCE)
FRICTION = ss.DryFriction(limit=350.0)


def value(law: Law, u: float, v: float = 0.0) -> float:
    return law.update(u, v, law.start(0.0))[0]


# ---- the equations


def paper_stage(x: float, r: float, b: float, eta: float) -> float:
    """(14), (15); (16), (17) for r = 0."""
    h, g = (math.sqrt(((1.0 - r) * (x - s * b)) ** 2 + 4.0 * eta**2 * b**2) for s in (1.0, -1.0))
    return x + 0.5 * (h - g)


def paper_tanh_stage(x: float, r: float, b: float, sigma: float) -> float:
    """(13); (18) for r = 0."""
    h, g = ((x - s * b) * math.tanh(sigma * (x - s * b)) for s in (1.0, -1.0))
    return x + 0.5 * (1.0 - r) * (h - g)


def paper_friction(v: float, limit: float, eta: float, eps: float) -> float:
    """(20), (21), in delta'."""
    h, g = (math.sqrt((limit / eps) ** 2 * (eps + s * v) ** 2 + 4.0 * eta**2 * limit**2) for s in (1.0, -1.0))
    return 0.5 * (h - g)


@given(x=st.floats(-3.0, 3.0), r=st.floats(0.0, 1.0), b=st.floats(1e-3, 1.0), eta=st.floats(1e-6, 0.3))
def test_the_square_root_stage_is_equation_14(x: float, r: float, b: float, eta: float) -> None:
    law = ss.TwoStage(stiffness=2.0, inner_ratio=r, half_gap=b).regularised("sqrt", rounding=eta)
    assert value(law, x) == pytest.approx(2.0 * paper_stage(x, r, b, eta), abs=64 * EPS)
    free = ss.Freeplay(stiffness=2.0, half_gap=b).regularised("sqrt", rounding=eta)
    assert value(free, x) == pytest.approx(2.0 * paper_stage(x, 0.0, b, eta), abs=64 * EPS)


@given(x=st.floats(-3.0, 3.0), r=st.floats(0.0, 1.0), b=st.floats(1e-3, 1.0), sigma=st.floats(0.1, 1e3))
def test_the_tanh_stage_is_equation_13(x: float, r: float, b: float, sigma: float) -> None:
    law = ss.TwoStage(stiffness=2.0, inner_ratio=r, half_gap=b).regularised("tanh", sharpness=sigma)
    assert value(law, x) == pytest.approx(2.0 * paper_tanh_stage(x, r, b, sigma), abs=64 * EPS)


@given(v=st.floats(-3.0, 3.0), eta=st.floats(1e-6, 0.3), eps=st.floats(1e-3, 8.0), sigma=st.floats(0.1, 1e3))
def test_smooth_friction_is_equations_19_and_21(v: float, eta: float, eps: float, sigma: float) -> None:
    law = ss.DryFriction(limit=0.7, damping=0.2)
    root = law.regularised("sqrt", rounding=eta, width=eps)
    # two roots as large as 1 + |v|/eps are subtracted
    assert value(root, 0.3, v) == pytest.approx(
        paper_friction(v, 0.7, eta, eps) + 0.2 * v, abs=32 * EPS * (1.0 + abs(v) / eps)
    )
    tanh = law.regularised("tanh", sharpness=sigma)
    assert value(tanh, 0.3, v) == pytest.approx(0.7 * math.tanh(sigma * v) + 0.2 * v, abs=8 * EPS)


# ---- how far from the exact laws


def largest_distance(smooth: Law, exact: Law, near: float, width: float) -> float:
    """Beside a corner; both sides are searched, and the corner itself."""
    found = [abs(value(smooth, near) - value(exact, near))]
    for bounds in ((near - width, near), (near, near + width)):
        best = minimize_scalar(
            lambda x: -abs(value(smooth, x) - value(exact, x)), bounds=bounds, method="bounded", options={"xatol": 1e-9}
        )
        found.append(-best.fun)
    return max(found)


@pytest.mark.parametrize(
    ("key", "exact", "method", "options"),
    [
        ("two_stage_sqrt", STAGE, "sqrt", {"rounding": 1e-4}),
        ("two_stage_tanh", STAGE, "tanh", {"sharpness": 100.0}),
        ("clearance_sqrt", FREE, "sqrt", {"rounding": 1e-4}),
        ("clearance_tanh", FREE, "tanh", {"sharpness": 100.0}),
    ],
)
def test_the_errors_of_the_springs_are_those_of_the_table(key: str, exact: Any, method: str, options: Any) -> None:
    smooth = exact.regularised(method, **options)
    found = largest_distance(smooth, exact, exact.half_gap, 0.02)
    GOLDEN[key].assert_agrees(found)
    # nothing is farther away anywhere else
    u = np.linspace(-0.5, 0.5, 20_001)
    assert np.abs(smooth.trace(u) - exact.trace(u)).max() <= found * (1.0 + 1e-9)


def test_the_error_of_tanh_has_a_closed_form() -> None:
    z = minimize_scalar(lambda z: -z * (1.0 - math.tanh(z)), bounds=(0.0, 2.0), method="bounded")
    for key, ratio in (("two_stage_tanh", RATIO), ("clearance_tanh", 0.0)):
        # the other corner is e^-50 away
        GOLDEN[key].assert_agrees((1.0 - ratio) / (2.0 * 100.0) * -z.fun)


def test_the_tanh_clearance_is_not_monotone_and_the_square_root_is() -> None:
    tanh = FREE.regularised("tanh", sharpness=100.0)
    best = minimize_scalar(lambda u: tanh.tangent(u, 0.0, ())[1], bounds=(0.15, 0.2), method="bounded")
    GOLDEN["clearance_tanh_slope"].assert_agrees(best.fun)
    GOLDEN["clearance_tanh_slope_at"].assert_agrees(best.x)
    u = np.linspace(-0.4, 0.4, 4001)
    assert np.diff(tanh.trace(u)).min() < 0.0
    for rounding in (1e-4, 1e-2, 0.3):
        assert np.diff(FREE.regularised("sqrt", rounding=rounding).trace(u)).min() >= 0.0


def test_the_square_root_friction_of_the_paper_is_farther_from_sgn_than_its_tanh() -> None:
    root = FRICTION.regularised("sqrt", rounding=1e-3, width=0.08)
    tanh = FRICTION.regularised("tanh", sharpness=50.0)

    def missing(law: Law, ends: list[float]) -> float:
        # to both sides; beyond the last end what is left falls like eps eta^2/v^2, below the printed digits
        return 2.0 * sum(quad(lambda v: abs(350.0 - value(law, 0.0, v)), a, b, limit=200)[0] for a, b in pairwise(ends))

    found = {"sqrt": missing(root, [0.0, 0.07, 0.08, 0.09, 1.0, 10.0]), "tanh": missing(tanh, [0.0, 0.1, 1.0])}
    for name, distance in found.items():
        GOLDEN[f"friction_{name}_distance"].assert_agrees(distance)
    assert found["tanh"] == pytest.approx(2.0 * 350.0 * math.log(2.0) / 50.0, rel=1e-9)
    assert found["sqrt"] > found["tanh"]


@pytest.mark.parametrize("rounding", [1e-2, 1e-4, 1e-6])
def test_less_rounding_comes_closer_at_the_rate_of_the_rounding(rounding: float) -> None:
    u = np.linspace(-0.5, 0.5, 1001)
    for exact, size in ((STAGE, GAP), (FREE, CLEARANCE)):
        off = np.abs(exact.regularised("sqrt", rounding=rounding).trace(u) - exact.trace(u)).max()
        assert off <= rounding * size
    v = np.linspace(-1.0, 1.0, 1001)
    ramp = 350.0 * np.clip(v / 0.25, -1.0, 1.0)
    law = FRICTION.regularised("sqrt", rounding=rounding, width=0.25)
    assert np.abs(law.trace(np.zeros_like(v), rate=v) - ramp).max() <= rounding * 350.0 * (1.0 + 1e-12)


# ---- Taylor coefficients

TAYLOR = [
    ss.TwoStage(stiffness=3.0, inner_ratio=0.2, half_gap=0.4).regularised("sqrt", rounding=0.05),
    ss.Freeplay(stiffness=3.0, half_gap=0.4).regularised("sqrt", rounding=0.2),
    ss.DryFriction(limit=0.7, damping=0.2).regularised("sqrt", rounding=0.1, width=0.3),
    ss.Polynomial(coefficients=(0.1, 1.0, -0.3, 0.5)),
    ss.Linear(stiffness=2.0, preload=0.4),
]


def with_mpmath(law: Any, x: Any) -> Any:
    """The same laws in mpmath, from the paper's equations."""
    if isinstance(law, ss.Polynomial):
        return sum(mpmath.mpf(c) * x**i for i, c in enumerate(law.coefficients))
    if isinstance(law, ss.Linear):
        return law.stiffness * x + law.preload
    if hasattr(law, "width"):
        h, g = (mpmath.sqrt(((x + s * law.width) / law.width) ** 2 + 4 * law.rounding**2) for s in (1, -1))
        return law.limit * (h - g) / 2 + law.damping * x
    a, b = 1 - mpmath.mpf(law.inner_ratio), mpmath.mpf(law.half_gap)
    h, g = (mpmath.sqrt((a * (x - s * b)) ** 2 + 4 * law.rounding**2 * b**2) for s in (1, -1))
    return law.stiffness * (x + (h - g) / 2)


@pytest.mark.parametrize("law", TAYLOR, ids=repr)
@pytest.mark.parametrize("start", [0.0, 0.39, -1.1])
def test_taylor_coefficients_are_those_of_mpmath(law: Law, start: float) -> None:
    assert Face.TAYLOR in law.faces
    x = np.array([start, 0.3, -0.2, 0.05, 0.01, 0.0, 0.02, 0.0, 0.0, 0.0])
    with mpmath.workdps(40):
        argument = [mpmath.mpf(c) for c in x.tolist()]
        want = mpmath.taylor(lambda t: with_mpmath(law, mpmath.polyval(argument[::-1], t)), 0, x.size - 1)
    other = np.linspace(0.5, 1.0, x.size)
    is_friction = hasattr(law, "width")
    found = law.taylor(other, x) if is_friction else law.taylor(x, other)
    # coefficients grow like the inverse of the distance to the nearest complex corner
    scale = np.maximum.accumulate(np.abs([float(w) for w in want])) + 1.0
    np.testing.assert_allclose(found / scale, [float(w) for w in want] / scale, rtol=0, atol=1e-12)


def test_damping_is_in_the_taylor_coefficients() -> None:
    u, v = np.array([0.1, 0.2, 0.3]), np.array([0.4, -0.5, 0.6])
    for law in TAYLOR:
        more = type(law)(**law.parameters() | {"damping": law.parameters()["damping"] + 2.0})
        np.testing.assert_allclose(more.taylor(u, v) - law.taylor(u, v), 2.0 * v, atol=16 * EPS)


def test_taylor_coefficients_leave_their_arguments_alone() -> None:
    u, v = np.array([0.1, 0.2, 0.3]), np.array([0.4, 0.5, 0.6])
    for law in TAYLOR:
        law.taylor(u, v)
    np.testing.assert_array_equal([u, v], [[0.1, 0.2, 0.3], [0.4, 0.5, 0.6]])


# ---- what regularised() takes and gives


def test_everything_else_of_the_law_is_kept() -> None:
    stage = ss.TwoStage(stiffness=3.0, inner_ratio=0.2, half_gap=0.4, damping=0.1).regularised("tanh", sharpness=9.0)
    assert stage.parameters() == {
        "stiffness": 3.0,
        "inner_ratio": 0.2,
        "half_gap": 0.4,
        "sharpness": 9.0,
        "damping": 0.1,
    }
    root = ss.TwoStage(stiffness=3.0, inner_ratio=0.2, half_gap=0.4, damping=0.1).regularised("sqrt", rounding=0.01)
    assert root.trace([0.1], rate=[2.0])[0] == pytest.approx(3.0 * paper_stage(0.1, 0.2, 0.4, 0.01) + 0.2)
    free = ss.Freeplay(stiffness=3.0, half_gap=0.4).regularised("sqrt", rounding=0.01)
    assert free.parameters()["inner_ratio"] == 0.0
    friction = ss.DryFriction(limit=0.7, damping=0.3).regularised("sqrt", rounding=0.01, width=0.1)
    assert friction.parameters() == {"limit": 0.7, "rounding": 0.01, "width": 0.1, "damping": 0.3}


@pytest.mark.parametrize(
    ("method", "options"), [("sqrt", {"rounding": 0.05, "width": 0.2}), ("tanh", {"sharpness": 9.0})]
)
def test_a_varying_limit_stays_a_factor_in_time(method: str, options: Any) -> None:
    limit = ss.Fourier(mean=0.5, cos=(0.3,), frequency=2.0)
    law = ss.DryFriction(limit=limit, damping=0.2).regularised(method, **options)
    unit = ss.DryFriction(limit=1.0).regularised(method, **options)
    t = np.linspace(0.0, 4.0, 60)
    v = np.sin(3.0 * t)
    want = (0.5 + 0.3 * np.cos(2.0 * t)) * unit.trace(np.zeros_like(t), t, rate=v) + 0.2 * v
    np.testing.assert_allclose(law.trace(np.zeros_like(t), t, rate=v), want, rtol=0, atol=8 * EPS)


def test_a_varying_limit_is_cut_off_at_zero_when_it_is_rounded_too() -> None:
    limit = ss.Fourier(mean=0.1, cos=(0.3,), frequency=2.0)
    with pytest.warns(UserWarning, match=r"limit is negative for .* % of its period"):
        law = ss.DryFriction(limit=limit).regularised("tanh", sharpness=9.0)
    t = np.linspace(0.0, 4.0, 61)
    found = law.trace(np.zeros_like(t), t, rate=np.ones_like(t))
    np.testing.assert_allclose(found, np.maximum(0.1 + 0.3 * np.cos(2.0 * t), 0.0) * math.tanh(9.0), atol=4 * EPS)


@pytest.mark.parametrize(
    ("law", "method", "options", "words"),
    [
        (STAGE, "spline", {}, 'the method must be "sqrt" or "tanh", got \'spline\''),
        (STAGE, "sqr", {"rounding": 0.1}, 'did you mean "sqrt"?'),
        (STAGE, "sqrt", {}, "needs rounding"),
        (FREE, "sqrt", {"sharpness": 3.0}, 'Freeplay.regularised("sqrt") needs rounding='),
        (FREE, "sqrt", {"rounding": 0.1, "width": 0.1}, "got width="),
        (FREE, "tanh", {"rounding": 0.1}, 'Freeplay.regularised("tanh") needs sharpness='),
        (FREE, "tanh", {"rounding": 0.1, "sharpness": 9.0}, 'regularised("tanh") takes sharpness, got rounding='),
        (ss.Freeplay(stiffness=1.0, half_gap=0.0), "sqrt", {"rounding": 0.1}, "there is no corner to round"),
        (ss.Freeplay(stiffness=1.0, half_gap=0.1, damping=2.0), "sqrt", {"rounding": 0.1}, "put a Linear beside it"),
        (FRICTION, "sqrt", {"rounding": 0.1}, "needs width"),
        (FRICTION, "sqrt", {"rounding": 0.0, "width": 0.1}, "rounding must be > 0, got 0"),
        (FRICTION, "sqrt", {"rounding": 0.1, "width": -0.1}, "width must be > 0, got -0.1"),
        (FRICTION, "tanh", {"sharpness": math.inf}, "sharpness must be finite, got inf"),
        (
            FRICTION,
            "sqrt",
            {"rounding": 0.1, "width": 0.1, "stiffness": 1.0},
            "takes rounding and width, got stiffness=",
        ),
        (
            ss.DryFriction(limit=1.0, static_limit=2.0),
            "tanh",
            {"sharpness": 1.0},
            "a static_limit without a stribeck_velocity has no regularised form",
        ),
        (ss.Jenkins(stiffness=1.0, limit=1.0), "sqrt", {"rounding": 0.1}, "Jenkins has no regularised form"),
        (ss.Contact(stiffness=1.0, gap=0.1), "sqrt", {"rounding": 0.1}, "Freeplay, TwoStage and DryFriction have one"),
    ],
)
def test_what_regularised_does_not_take_is_said_in_one_line(
    law: Law, method: str, options: Any, words: str, refused: Any
) -> None:
    with refused(words):
        law.regularised(method, **options)


def test_smooth_friction_has_no_stick_and_the_slope_of_its_ramp_at_rest() -> None:
    root = FRICTION.regularised("sqrt", rounding=1e-3, width=0.08).linearised()
    assert not root.sticks
    assert root.damping == pytest.approx(350.0 / 0.08 / math.sqrt(1.0 + 4e-6), rel=1e-12)
    assert FRICTION.regularised("tanh", sharpness=50.0).linearised().damping == pytest.approx(350.0 * 50.0)
