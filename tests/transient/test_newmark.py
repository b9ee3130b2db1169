"""Newmark's method: closed forms, the papers' numbers, orders of convergence, the ways of Newton."""

from __future__ import annotations

import math

import numpy as np
import pytest
from golden import table
from laws.example_laws import RELAXING, every_law
from newmark_models import deltas, end, go, order, oscillator
from random_models import random_model
from scipy.optimize import brentq
from scipy.special import ellipj

import slipstick as ss
from slipstick.errors import NotConverged
from slipstick.laws.faces import Face
from slipstick.systems import clutch
from slipstick.transient.problem import pose

GOLDEN, TENSIONER = table("clutch"), table("tensioner")
LAWS = {name: law for name, law in every_law().items() if Face.VALUE in law.faces}


# ---- linear systems


def test_average_acceleration_keeps_the_energy_of_a_linear_chain_to_rounding():
    m = ss.Model("chain")
    q = [m.coordinate(f"x{i}", inertia=1.0 + i, displacement=(-1.0) ** i, velocity=0.3 * i) for i in range(4)]
    for i in range(4):
        m.connect(q[i] - q[i - 1] if i else q[0], ss.Linear(stiffness=10.0 * (i + 1)))
    run = go(m, 400.0, 0.05, samples=8001)
    s = run.samples
    mass, stiffness = np.arange(1.0, 5.0), 10.0 * np.arange(1.0, 5.0)
    energy = 0.5 * (s.velocity**2 @ mass + s.deflection**2 @ stiffness)
    assert np.abs(energy / energy[0] - 1.0).max() <= 1e-13
    assert run.certificate.energy_residual <= 1e-12


def test_a_free_oscillation_is_the_discrete_closed_form():
    h, w = 0.05, 3.0
    turn = math.acos((1.0 - (w * h) ** 2 / 4.0) / (1.0 + (w * h) ** 2 / 4.0))  # a step turns the phase by this
    run = go(oscillator(ss.Linear(stiffness=w * w), displacement=1.0), 50.0, h, samples=1001)
    assert np.abs(run.samples.displacement[:, 0] - np.cos(turn * np.arange(1001))).max() <= 1e-12


def test_a_load_that_jumps_between_steps_keeps_second_order():
    jump = math.pi / 3.0
    m = oscillator(ss.Linear(stiffness=4.0), ss.Signal((0.0, jump, jump), (0.0, 0.0, 1.0)))
    steps = 0.1 / 2.0 ** np.arange(6)
    errors = [end(go(m, 5.0, h))[0] - (1.0 - math.cos(2.0 * (5.0 - jump))) / 4.0 for h in steps]
    assert order(steps, errors) == pytest.approx(2.0, abs=0.05)


def test_a_long_record_as_load_costs_one_matrix():
    """A step for each sample of a record, whose times are equal only to rounding; every sample is met."""
    times = np.linspace(0.0, 30.0, 3001)
    record = ss.Signal(tuple(times), tuple(np.sin(1.3 * times)))
    law = ss.Polynomial(coefficients=(0.0, 4.0, 0.0, 1.0))
    sampled, smooth = (
        go(oscillator(law, load), 30.0, 0.01, samples=times) for load in (record, ss.Sine(1.0, frequency=1.3))
    )
    assert sampled.samples.time.size == 3001
    assert len(sampled.trajectory.stepper.steps) == 1
    # linear between samples is h^2/8 w^2 off the sine at most
    gap = np.abs(sampled.samples.displacement - smooth.samples.displacement).max()
    assert gap <= 1e-4


def test_a_prescribed_motion_drives_like_the_load_it_is_worth():
    """Spring, damper and preload to a moving base are a load k b + c b' - f0 on the same oscillator."""
    w, k, c = 1.3, 4.0, 0.3
    moved = ss.Model("moved")
    x, b = moved.coordinate("x", inertia=1.0), moved.coordinate("b", motion=ss.Sine(0.5, frequency=w))
    moved.connect(x - b, ss.Linear(stiffness=k, damping=c, preload=0.2), name="law")
    loaded = oscillator(
        ss.Linear(stiffness=k, damping=c),
        ss.Sine(0.5 * k, frequency=w) + ss.Cosine(0.5 * c * w, frequency=w) + ss.Constant(-0.2),
    )
    one, other = go(moved, 20.0, 0.02), go(loaded, 20.0, 0.02)
    assert np.abs(one.samples.displacement[:, 0] - other.samples.displacement[:, 0]).max() <= 1e-13
    s = one.samples
    base = s.displacement[:, 0] - s.displacement[:, 1]
    assert np.abs(s.deflection[:, 0] - base).max() <= 1e-15
    assert np.abs(s.force[:, 0] - (k * base + c * (s.velocity[:, 0] - s.velocity[:, 1]) + 0.2)).max() <= 1e-13


def test_a_coordinate_without_inertia_follows_from_the_first_instant():
    """Two springs in series, the middle one out of place at the start; its velocity does not ring."""
    m = ss.Model("series")
    x, y = m.coordinate("x", inertia=1.0, displacement=1.0), m.coordinate("y", displacement=0.0)
    m.connect(x - y, ss.Linear(stiffness=4.0))
    m.connect(y, ss.Linear(stiffness=4.0))
    run = go(m, 10.0, 0.01, samples=np.linspace(0.01, 10.0, 500))
    s = run.samples
    assert np.abs(s.displacement[:, 1] - 0.5 * s.displacement[:, 0]).max() <= 1e-7
    between = 0.01**2 / 8.0 * math.sqrt(2.0) ** 3  # samples off the grid are interpolated
    assert np.abs(s.velocity[:, 1] - 0.5 * s.velocity[:, 0]).max() <= between
    assert run.certificate.energy_residual <= 1e-9
    assert any("without inertia" in note for note in run.certificate.notes)


def test_a_node_without_inertia_between_spring_and_friction_is_a_slider():
    """With ever steeper friction the node becomes the slider of a Jenkins element."""
    shake = ss.Sine(1.0, frequency=1.3)
    exact = go(oscillator(ss.Jenkins(stiffness=4.0, limit=0.6) + ss.Linear(stiffness=1.0), shake), 20.0, 5e-3)
    apart = []
    for width in (1e-2, 1e-3):
        m = oscillator(ss.Linear(stiffness=1.0), shake)
        node = m.coordinate("node")
        m.connect(m["x"] - node, ss.Linear(stiffness=4.0))
        m.connect(node, ss.DryFriction(limit=0.6).regularised("sqrt", rounding=1e-3, width=width))
        run = go(m, 20.0, 5e-3)
        apart.append(np.abs(run.samples.displacement[:, 0] - exact.samples.displacement[:, 0]).max())
    assert apart[1] <= 0.2 * apart[0] <= 0.2 * 0.05


def held_by(law):
    """A node without inertia in the middle between two masses, held by a law on either side."""
    m = ss.Model("node")
    x, y = m.coordinate("x", inertia=1.0, velocity=1.0), m.coordinate("y", inertia=1.0)
    node = m.coordinate("node")
    m.connect(x - node, law)
    m.connect(node - y, law)
    m.connect(x - y, ss.Linear(stiffness=1.0))
    return m


def test_a_node_that_the_linear_part_leaves_open_takes_all_coordinates():
    """Cubic springs have no stiffness at the start; of two equal ones the node is in the middle."""
    s = go(held_by(ss.Polynomial(coefficients=(0.0, 0.0, 0.0, 1.0))), 5.0, 0.01).samples
    assert np.ptp(s.displacement[:, 0] - s.displacement[:, 1]) > 0.5
    middle = 0.5 * (s.displacement[:, 0] + s.displacement[:, 1])
    assert np.abs(s.displacement[:, 2] - middle).max() <= 1e-4


def test_a_node_that_nothing_holds_is_named_where_its_first_step_fails(refused):
    with refused('coordinate "node" has no inertia', "give it a small inertia", error=NotConverged):
        go(held_by(ss.Freeplay(stiffness=1.0, half_gap=1.0)), 1.0, 0.01)


def test_condensation_works_where_only_laws_hold_a_node():
    """The linear part alone is singular there; stiffness of the laws is moved into it."""
    m = ss.Model("node")
    x, y = m.coordinate("x", inertia=1.0, displacement=1.0), m.coordinate("y", displacement=0.4)
    m.connect(x - y, ss.Polynomial(coefficients=(0.0, 4.0, 0.0, 1.0)))
    m.connect(y, ss.Polynomial(coefficients=(0.0, 5.0, 0.0, 2.0)))
    small, whole = (go(m, 10.0, 0.01, condensed=condensed).samples for condensed in (True, False))
    # the velocity that the node starts with is a difference over 1e-8 s, so rounding shows between steps
    assert np.abs(small.displacement - whole.displacement).max() <= 1e-10
    assert np.abs(small.displacement[-1] - whole.displacement[-1]).max() <= 1e-14
    unbalanced = small.force[1:, 0] - small.force[1:, 1]
    assert np.abs(unbalanced[-1]) <= 1e-12
    assert np.abs(unbalanced).max() <= 1e-4  # cubic between steps, each of which is balanced


# ---- nonlinear laws


def test_second_order_on_a_smooth_spring():
    """x'' + x + x^3 = 0 from x = a: a cn(w t), w^2 = 1 + a^2, m = a^2/(2 w^2)."""
    a, until = 1.5, 7.3
    w2 = 1.0 + a * a
    exact = a * ellipj(math.sqrt(w2) * until, a * a / (2.0 * w2))[1]
    m = oscillator(ss.Polynomial(coefficients=(0.0, 1.0, 0.0, 1.0)), displacement=a)
    steps = 0.02 / 2.0 ** np.arange(6)
    assert order(steps, [end(go(m, until, h))[0] - exact for h in steps]) == pytest.approx(2.0, abs=0.05)


def test_order_with_a_slider_is_two_on_average():
    """A slider hit with a velocity sticks, slides and comes back: three closed pieces, no event on a grid point.

    Each event leaves an error of order h^2 whose factor depends on where in its step the event lies.
    """
    k, limit, v0, until = 4.0, 0.6, 1.1, 2.3
    w = math.sqrt(k)
    t1 = math.asin(limit / k * w / v0) / w  # sticks until the spring holds its limit
    v1 = v0 * math.cos(w * t1)
    t2, x2 = t1 + v1 / limit, limit / k + v1 * v1 / (2.0 * limit)  # slides until it stops
    exact = x2 - limit / k * (1.0 - math.cos(w * (until - t2)))
    assert t2 < until < t2 + math.pi / w
    m = oscillator(ss.Jenkins(stiffness=k, limit=limit), velocity=v0)
    steps = 0.05 / 1.7 ** np.arange(10)
    runs = [go(m, until, h) for h in steps]
    assert order(steps, [end(run)[0] - exact for run in runs]) == pytest.approx(2.0, abs=0.35)
    assert runs[0].samples.state[0, 0] == "stick"
    assert {"stick", "slip+"} == set(runs[-1].samples.state[:, 0])


def by_hand(law, h, count, load, factor=np.ones_like):
    """Newmark's step in plain Python: the law's own `update`, a root finder, no derivatives."""
    x = v = 0.0
    force, memory = law.update(0.0, 0.0, law.start(0.0))
    a = load(0.0) - factor(0.0) * force
    places = [x]
    for n in range(1, count + 1):
        x0, v0, a0, before = x, v, a, memory

        def ahead(y, x0=x0, v0=v0, a0=a0):
            return 2.0 * (y - x0) / h - v0, 4.0 * (y - x0 - h * v0) / h**2 - a0

        def residual(y, before=before, t=n * h, ahead=ahead):
            rate, acceleration = ahead(y)
            return acceleration + factor(t) * law.update(y, rate, before)[0] - load(t)

        guess, reach = x0 + h * v0 + 0.5 * h * h * a0, 1e-3 * h
        while residual(guess - reach) * residual(guess + reach) > 0.0:
            reach *= 2.0
        x = brentq(residual, guess - reach, guess + reach, xtol=1e-16, rtol=4 * np.finfo(float).eps)
        v, a = ahead(x)
        memory = law.update(x, v, before)[1]
        places.append(x)
    return np.array(places), memory


@pytest.mark.parametrize("name", [name for name in LAWS if name not in RELAXING])
def test_every_law_gives_what_plain_python_gives(name):
    """Forces pass through compiled values and tangents, condensation and the memory of accepted steps only."""
    law = LAWS[name]
    shake = ss.Sine(1.4, frequency=1.7) + ss.Sine(0.9, frequency=4.1)
    h, count = 0.04, 250
    expected, _ = by_hand(law, h, count, shake.at)
    times = h * np.arange(count + 1)
    for newton in ("full", "modified"):
        run = go(oscillator(law, shake), h * count, h, samples=times, newton=newton)
        assert np.abs(run.samples.displacement[:, 0] - expected).max() <= 5e-12


def test_a_stack_of_reversals_grows_as_it_has_to():
    """An ever smaller swing leaves every reversal on the stack: more than there was room for at first."""
    law = ss.DynamicHysteresis(stiffness=50.0, limit=10.0)
    times = np.linspace(0.0, 60.0, 61)
    values = [(-1.0) ** i * 6.0 * (1.0 - i / 70.0) for i in range(61)]
    values[0] = 0.0
    shake = ss.Signal(tuple(times), tuple(values))
    run = go(oscillator(law, shake), 60.0, 0.02, samples=0.02 * np.arange(3001))
    expected, memory = by_hand(law, 0.02, 3000, lambda t: float(shake.at(t)))
    assert (len(memory) - 3) // 2 > 20
    assert np.abs(run.samples.displacement[:, 0] - expected).max() <= 1e-9


def test_a_modulated_law_follows_its_factor():
    law = ss.Polynomial(coefficients=(0.0, 1.0, 0.0, 2.0))
    factor, shake = ss.Fourier(1.0, cos=(0.3,), frequency=2.0), ss.Sine(0.9, frequency=1.7)
    expected, _ = by_hand(law, 0.02, 500, shake.at, factor.at)
    run = go(oscillator(law.modulated(factor), shake), 10.0, 0.02, samples=501)
    s = run.samples
    assert np.abs(s.displacement[:, 0] - expected).max() <= 1e-10
    plain = [law.update(u, 0.0, ())[0] for u in s.displacement[:, 0]]
    assert np.abs(s.force[:, 0] - factor.at(s.time) * plain).max() <= 1e-12


def test_a_force_along_another_form_acts_there():
    """x is felt, y is pushed: y'' = -k x with x held by a motion of its own law."""
    m = ss.Model("skew")
    x = m.coordinate("x", inertia=1.0, displacement=1.0)
    y = m.coordinate("y", inertia=1.0)
    m.connect(x, ss.Linear(stiffness=4.0))
    m.connect(x, ss.Polynomial(coefficients=(0.0, 3.0)), along=y, name="skew")
    s = go(m, 5.0, 1e-3).samples
    exact = 0.75 * (np.cos(2.0 * s.time) - 1.0)  # twice the integral of -3 cos 2t
    assert np.abs(s.displacement[:, 1] - exact).max() <= 5e-6


# ---- the ways of Newton


@pytest.mark.parametrize("model", [clutch(), ss.systems.tensioner()], ids=["clutch", "tensioner"])
def test_full_modified_and_condensed_give_the_same(model):
    step, until = (1e-6, 2e-3) if model.name == "clutch" else (1e-4, 0.5)
    reference = go(model, until, step, newton="full", condensed=True)
    size = np.abs(reference.samples.displacement).max(axis=0)
    for options in ({"newton": "full", "condensed": False}, {"condensed": True}, {"condensed": False}, {}):
        other = go(model, until, step, **options)
        gap = np.abs(other.samples.displacement - reference.samples.displacement).max(axis=0)
        assert np.all(gap <= 1e-10 * size), options


def test_modified_newton_factorises_rarely_and_full_newton_every_step():
    modified, full = (go(clutch(), 0.04, 4e-7, newton=newton, samples=0) for newton in ("modified", "full"))
    assert modified.stats.steps == full.stats.steps == 100_000
    assert modified.stats.factorisations <= 20
    assert full.stats.factorisations >= 100_000
    assert full.stats.solves <= 2.2 * full.stats.steps
    assert modified.stats.solves <= 4.5 * modified.stats.steps


@pytest.mark.parametrize("newton", ["full", "modified"])
@pytest.mark.parametrize("step", [4e-6, 8e-6, 2e-5])
def test_a_line_search_carries_large_steps_of_the_clutch(step, newton):
    """Without one, Newton cycles in these."""
    run = go(clutch(), 0.02, step, newton=newton)
    assert run.trajectory.stepper.halved == 0
    certain = [GOLDEN[f"delta_{i}_at_0.02"].value for i in range(1, 6)]
    assert np.abs(deltas(run) - certain).max() <= 2.0 * run.certificate.error


def unsolved(model, run):
    """How far each step is from Newmark's two equations, over the size of what they move: rate and displacement."""
    s, p = run.samples, pose(model)
    along = np.zeros((len(model.connections), p.n))
    for element in p.elements:
        along[element.connection] = element.along
    free = p.assembly.free
    q, v = s.displacement[:, free], s.velocity[:, free]
    loads = np.array([p.forcing.at(t) for t in s.time])
    a = np.linalg.solve(p.mass, (loads - v @ p.damping.T - q @ p.stiffness.T - s.force @ along).T).T
    h = np.diff(s.time)[:, None]
    rates = np.diff(v, axis=0) - 0.5 * h * (a[1:] + a[:-1])
    ways = np.diff(q, axis=0) - 0.5 * h * (v[1:] + v[:-1])
    sizes = [np.abs(motion).max(axis=0) for motion in (v, q)]
    return max(
        np.abs(gap / np.where(size > 0.0, size, 1.0)).max() for gap, size in zip((rates, ways), sizes, strict=True)
    )


@pytest.mark.parametrize("method", ["newmark", "taylor"])
@pytest.mark.parametrize("step", [1e-6, 4e-6, 2e-5, 1e-4])
def test_every_step_of_the_clutch_is_solved(step, method):
    """From the samples alone: forces of the laws, loads and inertias.

    A small shake of the blocks leaves their friction, made for 8 m/s, with nothing but rounding.
    """
    m = clutch()
    for name in ("x1", "y1", "z1", "x2", "y2", "z2"):
        m.load(m[name], ss.Sine(1.0, frequency=300.0))
    count = round(0.02 / step)
    run = m.simulate(0.02, method=method, step=step, samples=np.linspace(0.0, 0.02, count + 1))
    assert run.stats.steps == count
    # 1e-13 of the way of a step, by the slope of friction, 350 N m in 0.008 rad/s, on 0.008 kg m^2
    assert unsolved(m, run) <= 1e-8


@pytest.mark.parametrize("method", ["newmark", "taylor"])
@pytest.mark.parametrize("amplitude", [1e-9, 3e-8, 1e-6])
def test_a_law_that_gives_nothing_but_rounding_stops_nobody(amplitude, method):
    """The blocks move by 1e-18 m, and their friction, 1e5 N at 8 m/s, answers in steps of 1e-11 N."""
    m = clutch()
    m.load(m["x1"], ss.Sine(amplitude, frequency=300.0))
    run = m.simulate(5e-3, method=method, step=1e-6, samples=0)
    assert run.stats.steps == 5000


@pytest.mark.parametrize("newton", ["full", "modified"])
def test_every_step_of_random_models_is_solved(newton):
    for seed in range(60):
        m = random_model(seed, friction=False, static=False, signals=False, motions=False)
        run = go(m, 20.0, 0.05, samples=401, newton=newton)
        if run.stats.steps == 400:
            assert unsolved(m, run) <= 1e-11, seed
        else:  # a force that jumps may have no solution in a step, and some in its halves
            assert any(getattr(c.law, "damping", 0.0) > 0.0 for c in m.connections if type(c.law) is not ss.Linear)


# ---- the papers' numbers


def clutch_values(until, step):
    coarse, fine = (deltas(go(clutch(), until, h, samples=0)) for h in (step, 0.5 * step))
    return (4.0 * fine - coarse) / 3.0


def test_clutch_at_0_02_s():
    for i, found in enumerate(clutch_values(0.02, 5e-8), start=1):
        GOLDEN[f"delta_{i}_at_0.02"].assert_agrees(found)


@pytest.mark.long
def test_clutch_at_0_12_s():
    for i, found in enumerate(clutch_values(0.12, 1e-7), start=1):
        GOLDEN[f"delta_{i}_at_0.12"].assert_agrees(found)


@pytest.mark.parametrize(("amplitude", "frequency"), [(13, 70), (120, 73), (300, 20)])
def test_fig_21_of_the_tensioner_converges_to_the_exact_numbers(amplitude, frequency):
    m = ss.systems.tensioner(amplitude=amplitude, frequency=frequency)
    times = 17.0 + 1e-5 * np.arange(300_001)
    swings = []
    for step in (1e-5, 5e-6):
        tension = go(m, 20.0, step, samples=times).samples.force[:, 0]
        swings.append(top(tension) + top(-tension))
    TENSIONER[f"fig21_exact_{amplitude}_{frequency}"].assert_agrees((4.0 * swings[1] - swings[0]) / 3.0)


def top(values):
    """The maximum of the parabola through the largest sample and its neighbours."""
    i = int(np.argmax(values[1:-1])) + 1
    before, here, after = values[i - 1 : i + 2]
    return here + (after - before) ** 2 / (8.0 * (2.0 * here - before - after))
