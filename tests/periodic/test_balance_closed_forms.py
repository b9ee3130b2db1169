"""Harmonic balance where the answer is known: linear systems, one harmonic, the same equations put another way."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from periodic.balance_models import chain, motion, oscillator
from scipy.optimize import brentq

import slipstick as ss
from slipstick.errors import InvalidInput, MissingFace, NotConverged
from slipstick.periodic.balance import HarmonicBalance
from slipstick.periodic.balance.compliance import DirectCompliance


def linear_answer(mass, damping, stiffness, omega, load):
    """The complex amplitude of M q'' + C q' + K q = Re load exp(i omega t)."""
    return np.linalg.solve(stiffness - omega**2 * np.asarray(mass) + 1j * omega * np.asarray(damping), load)


def test_linear_oscillator_under_several_orders_and_a_constant_load_is_exact():
    m = oscillator(load=ss.Constant(0.3) + ss.Cosine(1.0, order=1, phase=0.4) + ss.Sine(0.5, order=3))
    point = HarmonicBalance(m, frequency=0.7, harmonics=3).solve(0.7).point
    first = linear_answer([[1.0]], [[0.1]], [[1.0]], 0.7, [np.exp(0.4j)])[0]
    third = linear_answer([[1.0]], [[0.1]], [[1.0]], 2.1, [-0.5j])[0]
    assert point.harmonics[:, 0] == pytest.approx([0.3, first, 0.0, third], abs=1e-13)
    assert point.rms[0] == pytest.approx(math.sqrt(0.09 + 0.5 * abs(first) ** 2 + 0.5 * abs(third) ** 2), rel=1e-13)
    assert point.phase[0] == pytest.approx(np.angle(first), abs=1e-13)
    # the damper takes what the loads give: half of c |omega q|^2 for each harmonic, over a period
    taken = 0.5 * 0.1 * (abs(0.7 * first) ** 2 + abs(2.1 * third) ** 2) * 2 * math.pi / 0.7
    assert point.dissipated[0] == pytest.approx(taken, rel=1e-12)
    assert point.error < 1e-13


def test_law_that_is_a_spring_gives_the_linear_answer_whatever_is_moved():
    # everything is in laws: the linear part alone is a free mass, and stiffness has to be moved into it
    m = ss.Model("free mass")
    q = m.coordinate("q", inertia=2.0)
    m.connect(q, ss.Polynomial(coefficients=(0.0, 3.0), damping=0.2))
    m.load(q, ss.Cosine(1.0, order=1) + ss.Constant(0.5))
    family = HarmonicBalance(m, frequency=1.0, harmonics=2)
    assert family.moved_stiffness.any()
    solution = family.solve(1.0)
    first = linear_answer([[2.0]], [[0.2]], [[3.0]], 1.0, [1.0])[0]
    assert solution.point.harmonics[:, 0] == pytest.approx([0.5 / 3.0, first, 0.0], abs=1e-12)


def test_undamped_resonance_of_the_linear_part_is_no_obstacle_where_a_law_takes_part():
    m = oscillator(ss.Polynomial(coefficients=(0.0, 0.0, 0.0, 0.75)), damping=0.0)
    solution = HarmonicBalance(m, frequency=1.0, harmonics=1).solve(1.0)
    # 3/4 0.75 a^3 = 1 at the frequency where mass and spring cancel
    assert solution.x[0] == pytest.approx((16.0 / 9.0) ** (1.0 / 3.0), rel=1e-10)


def test_undamped_linear_resonance_is_refused():
    m = chain(2, (2,))
    wild = m.coordinate("wild", inertia=1.0)
    m.connect(wild, ss.Linear(stiffness=1.0))
    m.load(wild, ss.Cosine(1.0, order=1))
    family = HarmonicBalance(m, frequency=0.9, harmonics=1)
    with pytest.raises(NotConverged, match="undamped resonance"):
        family.linearise(np.zeros(family.size), 1.0)


def duffing_amplitudes(omega, cubic, damping):
    """Amplitudes a of q'' + c q' + q + b q^3 = cos(w t): ((1 - w^2 + 3/4 b a^2)^2 + (c w)^2) a^2 = 1."""

    def left(a):
        return ((1 - omega**2 + 0.75 * cubic * a * a) ** 2 + (damping * omega) ** 2) * a * a - 1.0

    grid = np.linspace(0.0, 6.0, 4001)
    return [brentq(left, a, b) for a, b in pairwise(grid) if left(a) * left(b) < 0.0]


@pytest.mark.parametrize("omega", [0.5, 1.0, 1.9])
def test_duffing_with_one_harmonic_is_the_closed_form(omega):
    m = oscillator(ss.Polynomial(coefficients=(0.0, 0.0, 0.0, 0.5)))
    family = HarmonicBalance(m, frequency=omega, harmonics=1)
    roots = duffing_amplitudes(omega, 0.5, 0.1)
    for root in roots:
        phase = math.atan2(0.1 * omega * root, (1 - omega**2 + 0.375 * root**2) * root)
        start = np.array([root * math.cos(phase), root * math.sin(phase), 0.0])
        found = family.solve(omega, 1.001 * start).x
        assert math.hypot(found[0], found[1]) == pytest.approx(root, rel=1e-10)
    if omega == 1.9:
        assert len(roots) == 3


def test_even_laws_give_a_mean():
    m = oscillator(ss.Polynomial(coefficients=(0.0, 0.0, 0.1)))
    x = HarmonicBalance(m, frequency=0.4, harmonics=1).solve(0.4).x
    a, b, mean = x
    # the mean of u^2 is mean^2 + amplitude^2 / 2
    assert mean + 0.1 * (mean**2 + 0.5 * (a * a + b * b)) == pytest.approx(0.0, abs=1e-11)


@pytest.mark.parametrize("kind", ["unsymmetric", "massless", "proportional", "defective"])
def test_condensed_residual_is_that_of_all_coordinates(kind):
    rng = np.random.default_rng(3)
    n = 4
    mass, stiffness = np.diag([1.0, 2.0, 0.5, 1.5]), 3.0 * np.eye(n) - np.eye(n, k=1) - np.eye(n, k=-1)
    damping = 0.05 * stiffness
    if kind == "unsymmetric":
        stiffness = stiffness + 0.3 * rng.standard_normal((n, n))
        damping = damping + 0.1 * rng.standard_normal((n, n)) + 0.5 * np.eye(n)
    if kind == "massless":
        mass[2, 2] = 0.0
        damping[2], damping[:, 2] = 0.0, 0.0
    if kind == "defective":  # two equal masses, critically damped, one driving the other
        mass, n = np.eye(2), 2
        stiffness, damping = np.array([[1.0, 0.0], [0.5, 1.0]]), 2.0 * np.eye(2)
    m = ss.Model.from_matrices(mass, damping, stiffness)
    m.connect(m["q1"] - 2.0 * m["q2"], ss.Jenkins(stiffness=1.0, limit=0.2))
    m.connect(m[f"q{n}"], ss.Polynomial(coefficients=(0.0, 2.0, 0.0, 3.0)))
    m.load(m["q1"], ss.Cosine(1.0, order=1) + ss.Sine(0.5, order=2))
    family = HarmonicBalance(m, frequency=0.8, harmonics=4)
    assert isinstance(family.compliance, DirectCompliance) or kind != "defective"
    solution = family.solve(0.8)
    # all coordinates, from the equation of motion in time: project its residual on each harmonic
    point = solution.point
    family.linearise(solution.x, 0.8)
    k = np.arange(family.waves.samples)
    tau = 2 * np.pi * k / k.size
    q, v, a = (
        sum(np.real((1j * h * 0.8) ** d * np.outer(np.exp(1j * h * tau), point.harmonics[h])) for h in range(5))
        for d in range(3)
    )
    load = np.zeros((k.size, n))
    load[:, 0] = np.cos(tau) + 0.5 * np.sin(2 * tau)
    form = np.zeros((2, n))
    form[0, :2] = (1.0, -2.0)
    form[1, -1] = 1.0
    u = q @ form.T
    spring = np.polynomial.Polynomial([0.0, 2.0, 0.0, 3.0])(u[:, 1])
    slider = ss.Jenkins(stiffness=1.0, limit=0.2).trace(np.tile(u[:, 0], 3))[-k.size :]
    left = a @ mass.T + v @ damping.T + q @ stiffness.T + np.outer(slider, form[0]) + np.outer(spring, form[1]) - load
    for h in range(5):
        assert np.abs(np.exp(-1j * h * tau) @ left).max() / k.size < 1e-10


def test_prescribed_motion_on_a_mass_and_a_damper_is_exact():
    m = ss.Model("shaken")
    base = m.coordinate("base", motion=ss.Sine(0.2, order=1) + ss.Constant(0.1))
    q = m.coordinate("q", inertia=1.0)
    m.connect(q - base, ss.Linear(stiffness=1.0, damping=0.3))
    m.connect(q - base, ss.Polynomial(coefficients=(0.0, 2.0)))
    family = HarmonicBalance(m, frequency=0.9, harmonics=2)
    for omega in (0.9, 1.7):  # at another frequency than it was posed at
        point = family.solve(omega).point
        answer = linear_answer([[1.0]], [[0.3]], [[3.0]], omega, [-0.2j * (3.0 + 0.3j * omega)])[0]
        assert point.harmonics[:2, 1] == pytest.approx([0.1, answer], abs=1e-12)
        assert point.harmonics[:2, 0] == pytest.approx([0.1, -0.2j], abs=1e-14)


def test_a_factor_in_time_of_half_order_needs_two_periods():
    law = ss.Linear(stiffness=0.4).modulated(ss.Sine(1.0, order=0.5))
    family = HarmonicBalance(oscillator(law, load=ss.Cosine(1.0, order=1)), frequency=0.6, harmonics=6)
    solution = family.solve(0.6)
    assert family.order == 2
    # q'' + 0.1 q' + q + 0.4 sin(Omega t / 2) q = cos(Omega t), as a linear system of harmonics of Omega / 2
    top = 24
    h = np.arange(-top, top + 1)
    matrix = np.diag(1.0 - (0.3 * h) ** 2 + 0.1j * 0.3 * h).astype(complex)
    matrix += 0.4 / 2j * (np.eye(2 * top + 1, k=-1) - np.eye(2 * top + 1, k=1))
    load = np.where(np.abs(h) == 2, 0.5, 0.0)
    q = np.linalg.solve(matrix, load)
    times = np.linspace(0.0, 4 * np.pi / 0.6, 50)
    expected = np.real(np.exp(1j * 0.3 * np.outer(times, h)) @ q)
    assert motion(solution, times)[:, 0] == pytest.approx(expected, abs=1e-6)


def free_pair(load):
    """Two wheels that only a law holds together."""
    m = ss.Model("free pair")
    x, y = m.coordinate("x", inertia=1.0), m.coordinate("y", inertia=2.0)
    m.connect(x - y, ss.Polynomial(coefficients=(0.0, 3.0), damping=0.2))
    m.load(x, ss.Cosine(1.0, order=1) + ss.Constant(0.3))
    m.load(y, load)
    return m


def test_what_nothing_holds_swings_about_a_mean_of_zero():
    point = HarmonicBalance(free_pair(ss.Constant(-0.3)), frequency=1.4, harmonics=2).solve(1.4).point
    stiffness, damping = np.array([[3.0, -3.0], [-3.0, 3.0]]), np.array([[0.2, -0.2], [-0.2, 0.2]])
    first = linear_answer(np.diag([1.0, 2.0]), damping, stiffness, 1.4, [1.0, 0.0])
    assert point.harmonics[1] == pytest.approx(first, abs=1e-11)
    # the spring carries 0.3, and the centre of mass rests at zero
    assert point.mean[0] - point.mean[1] == pytest.approx(0.1, abs=1e-11)
    assert point.mean[0] + 2.0 * point.mean[1] == pytest.approx(0.0, abs=1e-11)


def test_mean_loads_on_what_nothing_holds_are_refused():
    with pytest.raises(InvalidInput, match="runs away; balance them"):
        HarmonicBalance(free_pair(ss.Constant(0.1)), frequency=1.4)


def test_model_without_laws_is_a_family_too():
    family = HarmonicBalance(oscillator(), frequency=0.7)
    assert family.size == 0
    found = family.linearise(np.zeros(0), 0.7)
    assert found.residual.size == 0
    assert family.solve(0.9).point.amplitude[0] == pytest.approx(1 / abs(1 - 0.81 + 0.09j), rel=1e-6)


def test_more_harmonics_start_from_fewer_and_the_other_way():
    family = HarmonicBalance(oscillator(ss.Jenkins(stiffness=1.0, limit=0.5)), frequency=1.0, harmonics=8)
    x = family.solve(1.0).x
    words, fewer, lower, lift = family.softened()[0]
    assert words == "4 harmonics instead of 8"
    assert fewer.size == 9
    assert np.array_equal(lower(lift(lower(x))), lower(x))
    assert np.count_nonzero(lift(lower(x)) != x) == 8


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"harmonics": 0}, "harmonics must be a whole number >= 1, got 0"),
        ({"frequency": -1.0}, r"frequency must be finite and > 0, got -1.0"),
        ({"samples": 8}, r"samples must be more than twice the highest harmonic \(7\), got 8"),
        ({"subharmonic": 1.5}, "subharmonic must be a whole number >= 1, got 1.5"),
    ],
)
def test_options_out_of_bounds_are_refused(change, words):
    m = oscillator(ss.Jenkins(stiffness=1.0, limit=0.5))
    with pytest.raises(InvalidInput, match=words):
        HarmonicBalance(m, **({"frequency": 1.0} | change))


def test_loads_that_do_not_fit_are_refused():
    law = ss.Jenkins(stiffness=1.0, limit=0.5)
    with pytest.raises(InvalidInput, match="harmonic 9 of the response, but only 7"):
        HarmonicBalance(oscillator(law, load=ss.Cosine(1.0, order=9)), frequency=1.0, harmonics=7)
    with pytest.raises(InvalidInput, match="is not periodic"):
        HarmonicBalance(oscillator(law, load=ss.Ramp(1.0)), frequency=1.0)
    with pytest.raises(InvalidInput, match="is no multiple of the first harmonic"):
        HarmonicBalance(oscillator(law, load=ss.Cosine(1.0, order=0.5)), frequency=1.0, subharmonic=1)
    fixed = HarmonicBalance(oscillator(law, load=ss.Cosine(1.0, frequency=2.0)), frequency=1.0)
    assert fixed.solve(1.0).residual < 1e-10
    with pytest.raises(InvalidInput, match=r"the base frequency must be 1 rad/s, got 1\.1"):
        fixed.solve(1.1)
    with pytest.raises(MissingFace, match="static_limit"):
        HarmonicBalance(oscillator(ss.DryFriction(limit=0.3, static_limit=0.4)), frequency=1.0)


def test_stiff_stop_is_reached_from_weaker_ones():
    model = oscillator(ss.Freeplay(stiffness=1e3, half_gap=0.3), damping=0.2)
    solution = HarmonicBalance(model, frequency=0.8, harmonics=31).solve(0.8)
    assert len(solution.tried) == 4  # a linear stand-in, rest, fewer harmonics and a run of the model lead nowhere
    assert solution.residual < 1e-10
    assert 0.3 < solution.point.amplitude[0] < 0.33
    assert solution.point.notes[-4].startswith("failed from a linear stand-in: Newton's method left")


# ---- extremes between samples


@pytest.mark.parametrize("order", [5, 7, 20, 63, 127])
def test_amplitude_and_force_of_two_orders_far_apart_are_those_of_the_closed_form(order):
    k, c = 1.3 * order**2, 0.1 * order
    m = ss.Model()
    x = m.coordinate("x", inertia=1.0)
    m.connect(x, ss.Linear(stiffness=k, damping=c), name="spring")
    m.load(x, ss.Cosine(1.0, order=order) + ss.Cosine(0.5, order=1))
    point = HarmonicBalance(m, frequency=1.0, harmonics=order).solve(1.0).point
    s = 1j * np.array([order, 1.0])
    waves = np.array([1.0, 0.5]) / (k + c * s + s**2)
    for told, parts in ((2.0 * point.amplitude[0], waves), (point.force_range[0], waves * (k + c * s))):
        # cos(n t) beside a slow wave: each of its hills is sampled, and those that may win looked at closely
        t = np.linspace(0.0, 2.0 * np.pi, 200 * order + 1)
        wide = [sign * np.real(parts @ np.exp(np.outer(s, t))) for sign in (1.0, -1.0)]
        spread = 0.0
        for sign, values in zip((1.0, -1.0), wide, strict=True):
            best = t[np.argsort(values)[-20:]]
            near = (best[:, None] + np.linspace(-1.0, 1.0, 4001) * t[1]).ravel()
            spread += (sign * np.real(parts @ np.exp(np.outer(s, near)))).max()
        assert told == pytest.approx(spread, rel=1e-9)


@pytest.mark.parametrize("harmonics", [3, 7, 15])
@pytest.mark.parametrize(
    ("law", "within"),
    [
        (ss.Polynomial(coefficients=(0.0, 0.0, 0.3, 0.0, 0.0, 1.0)), 1e-7),
        (ss.Freeplay(stiffness=3.0, half_gap=0.3), 1e-7),
        (ss.Jenkins(stiffness=2.0, limit=0.3), 1e-7),
        (ss.Jenkins(stiffness=2.0, limit=30.0), 1e-7),
        # it bends otherwise after its extreme than before, and its samples count: half of 256 away, at order 2
        (ss.Masing(stiffness=2.0, limit=0.3, parallel_stiffness=0.2), 0.5 * (2.0 * np.pi / 256) ** 2),
        (ss.Dahl(stiffness=2.0, limit=0.3, exponent=1.0), 1e-7),
    ],
    ids=["polynomial", "freeplay", "slider", "slider that sticks", "slider and spring", "Dahl"],
)
def test_a_range_of_force_is_that_of_the_law_along_the_whole_motion(law, within, harmonics):
    m = ss.Model()
    x = m.coordinate("x", inertia=1.0)
    m.connect(x, ss.Linear(stiffness=0.8, damping=0.1), name="spring")
    m.connect(x, law, name="law")
    m.load(x, ss.Cosine(1.0, order=1, phase=0.5) + ss.Cosine(0.3, order=2))
    point = HarmonicBalance(m, frequency=1.3, harmonics=harmonics).solve(1.3).point
    h, t = np.arange(harmonics + 1), np.linspace(0.0, 2.0 * np.pi, 100_001)
    u = np.real(point.harmonics[:, 0] @ np.exp(1j * np.outer(h, t)))
    force = law.trace(np.concatenate([u, u]))[-t.size :]
    assert point.force_range[1] == pytest.approx(np.ptp(force), rel=within)
