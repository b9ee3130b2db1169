"""Where coordinates without inertia rub: starts, contacts that drag them two ways, contacts that hold each other.

What has inertia keeps its velocity at an instant; what has none takes the one that balances forces.
"""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

import slipstick as ss


def ring(mass: float, velocity: float, ring_velocity: float = 0.0) -> ss.Model:
    """A light ring n on a body x, by a spring and by dry friction; oil holds it back."""
    m = ss.Model("ring")
    x = m.coordinate("x", inertia=1.0, velocity=velocity)
    n = m.coordinate("n", inertia=mass, velocity=ring_velocity)
    m.connect(x - n, ss.Linear(stiffness=10.0), name="spring")
    m.connect(x, ss.Linear(stiffness=5.0), name="ground")
    m.connect(n - x, ss.DryFriction(limit=0.5), name="rub")
    m.connect(n, ss.Linear(damping=0.2), name="oil")
    m.load(x, ss.Cosine(2.0, frequency=3.0))
    return m


@pytest.mark.parametrize("ring_velocity", [0.0, 1.0, -7.0])
def test_a_body_keeps_its_velocity_whatever_that_of_a_ring_without_inertia(ring_velocity: float) -> None:
    run = ring(0.0, 1.0, ring_velocity).simulate(until=0.5, samples=2)
    # oil pulls by 0.2 * 1, less than the limit: the ring goes with the body
    np.testing.assert_allclose(run.data.velocity.values[0], [1.0, 1.0], rtol=1e-12)


@pytest.mark.parametrize("velocity", [1.0, -0.5, 6.0])
def test_a_ring_without_inertia_is_the_limit_of_light_ones(velocity: float) -> None:
    runs = [ring(mass, velocity).simulate(until=2.0, samples=41) for mass in (0.0, 1e-4, 1e-5, 1e-6)]
    q = [run.data.displacement.values for run in runs]
    missed = [np.abs(light - q[0]).max() for light in q[1:]]
    assert missed[0] < 1e-3
    assert missed[1] / missed[0] == pytest.approx(0.1, rel=0.05)
    assert missed[2] / missed[1] == pytest.approx(0.1, rel=0.05)


@pytest.mark.parametrize("start", [0.0, 0.05, 3.0])
def test_a_pad_between_ground_and_belt_creeps_as_forces_balance(start: float) -> None:
    m = ss.Model("pad")
    belt = m.coordinate("belt", motion=ss.Ramp(0.9))
    pad = m.coordinate("pad", inertia=0.0, velocity=start)
    m.connect(pad, ss.DryFriction(limit=0.02, damping=0.05), name="ground")
    m.connect(pad - belt, ss.DryFriction(limit=0.01, damping=0.02), name="belt")
    run = m.simulate(until=2.0, samples=5)
    creep = (0.02 * 0.9 + 0.01 - 0.02) / 0.07
    np.testing.assert_allclose(run.data.velocity.sel(coordinate="pad"), creep, rtol=1e-12)
    np.testing.assert_allclose(run.data.displacement.sel(coordinate="pad"), creep * run.data.time, atol=1e-13)


@pytest.mark.parametrize("inertia", [1.0, 1e-6, 0.0])
@pytest.mark.parametrize("factor", [1.0, 2.0])
def test_what_the_ground_holds_rubs_on_a_belt_both_ways(inertia: float, factor: float) -> None:
    """The ground is stronger: the body never moves, and the belt's friction turns where the belt does."""
    m = ss.Model("held")
    belt = m.coordinate("belt", motion=ss.Sine(0.2, frequency=3.0))
    x = m.coordinate("x", inertia=inertia)
    m.connect(factor * x - belt, ss.DryFriction(limit=0.2), name="belt")
    m.connect(x, ss.DryFriction(limit=1.0), name="ground")
    m.connect(x, ss.Linear(stiffness=1.0), name="spring")
    run = m.simulate(until=4.0, samples=101)
    assert np.abs(run.data.displacement.sel(coordinate="x")).max() < 1e-14
    rate = 0.6 * np.cos(3.0 * run.data.time.values)
    moving = np.abs(rate) > 1e-9
    force = run.data.force.sel(connection="belt").values
    np.testing.assert_allclose(force[moving], -0.2 * np.sign(rate[moving]), rtol=1e-12)
    turns = [event.time for event in run.events if event.time > 0.0]
    np.testing.assert_allclose(turns, (np.arange(4) + 0.5) * np.pi / 3.0, rtol=1e-12)


@pytest.mark.parametrize("way", [2.0, -2.0])
@pytest.mark.parametrize("velocity", [0.0, 1.0])
def test_two_contacts_on_one_deflection_are_one_of_both_limits(way: float, velocity: float) -> None:
    def model(split: bool) -> ss.Model:
        m = ss.Model("two")
        h = m.coordinate("h", inertia=1.0, velocity=velocity)
        n = m.coordinate("n", inertia=0.0)
        m.connect(h - n, ss.Linear(stiffness=10.0), name="spring")
        m.connect(h, ss.Linear(stiffness=5.0), name="ground")
        m.connect(n, ss.Linear(damping=0.2), name="oil")
        m.connect(n - h, ss.DryFriction(limit=0.3 if split else 0.5), name="first")
        if split:
            m.connect(way * n - way * h, ss.DryFriction(limit=0.1), name="second")
        m.load(n, ss.Cosine(1.0, frequency=4.0))
        m.load(h, ss.Cosine(2.0, frequency=3.0))
        return m

    one, two = (model(split).simulate(until=5.0, samples=101).data.displacement.values for split in (False, True))
    np.testing.assert_allclose(two, one, atol=1e-13)


def rubbing(seed: int) -> tuple[ss.Model, dict[str, Any]]:
    """One or two bodies in motion, two damped coordinates without inertia, up to four contacts; all at zero."""
    rng = np.random.default_rng(seed)
    heavy = int(rng.integers(1, 3))
    names = [f"h{i}" for i in range(heavy)] + ["n0", "n1"]
    m = ss.Model("random")
    v = [float(rng.choice([0.0, 1.0, -0.5])) for _ in range(heavy)]
    c = {name: m.coordinate(name, inertia=1.0, velocity=v[i]) for i, name in enumerate(names[:heavy])}
    c |= {name: m.coordinate(name, inertia=0.0, velocity=float(rng.normal())) for name in names[heavy:]}
    m.connect(c["h0"] - c["n0"], ss.Linear(stiffness=10.0), name="spring")
    damping, load = np.zeros((len(names), len(names))), np.zeros(len(names))
    for i in (heavy, heavy + 1):
        m.connect(c[names[i]], ss.Linear(damping=0.2), name=f"oil {names[i]}")
        damping[i, i] += 0.2
        load[i] = rng.normal()
        m.load(c[names[i]], float(load[i]))
    rows, limits = [], []
    for j in range(int(rng.integers(1, 5))):
        row = np.zeros(len(names))
        for i in rng.choice(len(names), size=2, replace=False):
            row[i] = rng.choice([1.0, -1.0, 2.0])
        limit, rate = float(rng.choice([0.2, 0.5, 1.0])), float(rng.choice([0.0, 0.1]))
        form = sum((row[i] * c[name] for i, name in enumerate(names) if row[i]), start=0.0 * c["h0"])
        m.connect(form, ss.DryFriction(limit=limit, damping=rate), name=f"contact {j}")
        damping += rate * np.outer(row, row)
        rows.append(row)
        limits.append(limit)
    return m, {"v": np.array(v), "C": damping, "f": load, "D": np.array(rows), "limit": np.array(limits)}


def balanced(v: Any, C: Any, f: Any, D: Any, limit: Any) -> Any:
    """The velocities that minimise v'Cv/2 - f'v + sum of limit |D v|, those of bodies given: by trying all states."""
    h = v.size
    best, least = None, np.inf
    for state in itertools.product((-1, 0, 1), repeat=len(limit)):
        s = np.array(state)
        own = D[s == 0]
        k = v.size + 2
        # C w = f - D' s limit - D0' l in the rows without inertia, D0 w = 0
        matrix = np.block([[C[h:, h:], own[:, h:].T], [own[:, h:], np.zeros((len(own), len(own)))]])
        right = np.concatenate([f[h:] - (D.T @ (s * limit))[h:] - C[h:, :h] @ v, -own[:, :h] @ v])
        w = np.concatenate([v, np.linalg.lstsq(matrix, right, rcond=None)[0][: k - h]])
        cost = 0.5 * w @ C @ w - f @ w + limit @ np.abs(D @ w)
        if cost < least:
            best, least = w, cost
    return best


@pytest.mark.parametrize("seed", range(40))
def test_velocities_without_inertia_balance_forces_at_the_start(seed: int) -> None:
    m, given = rubbing(seed)
    run = m.simulate(until=1e-3, samples=2)
    np.testing.assert_allclose(run.data.velocity.values[0], balanced(**given), atol=1e-9)


def test_two_rubbing_coordinates_on_a_damped_spring_are_the_limit_of_light_ones() -> None:
    """Nothing but friction holds them against moving together; they are loaded, and do so with a body only."""

    def motion(mass: float) -> Any:
        m = ss.Model("pair")
        h = m.coordinate("h", inertia=1.0, velocity=-0.5)
        a, b = m.coordinate("a", inertia=mass), m.coordinate("b", inertia=mass)
        m.connect(a, ss.DryFriction(limit=0.4), name="a on ground")
        m.connect(b, ss.DryFriction(limit=0.1), name="b on ground")
        m.connect(a - b, ss.Linear(stiffness=50.0, damping=0.5), name="spring")
        m.connect(h, ss.Linear(stiffness=5.0), name="spring of the body")
        m.connect(2 * a + 2 * h, ss.DryFriction(limit=0.5), name="rub")
        m.load(h, ss.Cosine(2.0, frequency=3.0))
        m.load(a, ss.Sine(1.0, frequency=4.0))
        return m.simulate(until=2.0, samples=41).data.displacement.values

    still, *light = (motion(mass) for mass in (0.0, 1e-5, 1e-6))
    more, less = (np.abs(q - still).max(axis=0) for q in light)
    assert more.max() < 1e-3
    # what nothing damps swings with a period as the root of its inertia; the body only feels its weight
    np.testing.assert_allclose(less / more, [0.1, 0.1**0.5, 0.1**0.5], rtol=0.05)
