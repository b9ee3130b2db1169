"""Loops of contacts: reactions are not unique, but they stay within their limits, and the motion is unique."""

from __future__ import annotations

import numpy as np
import pytest

import slipstick as ss

LOOP = ("floor x", "floor y", "between")


def loop(p: dict[str, float], order: tuple[str, ...] = LOOP) -> ss.Model:
    """Two blocks on a floor that rub against each other; ``order``: that of the contacts."""
    m = ss.Model("loop")
    x, y = m.coordinate("x", inertia=p["mass x"]), m.coordinate("y", inertia=p["mass y"])
    m.connect(x, ss.Linear(stiffness=p["spring x"], damping=0.1), name="spring x")
    m.connect(y, ss.Linear(stiffness=p["spring y"], damping=0.1), name="spring y")
    deflections = {"floor x": x, "floor y": y, "between": x - y}
    for name in order:
        m.connect(deflections[name], ss.DryFriction(limit=p[name]), name=name)
    m.load(x, ss.Cosine(p["load x"], frequency=p["speed x"]))
    m.load(y, ss.Cosine(p["load y"], frequency=p["speed y"], phase=p["phase"]))
    return m


def drawn(rng: np.random.Generator) -> dict[str, float]:
    low_high = {
        "mass x": (0.5, 2.0), "mass y": (0.5, 2.0), "spring x": (0.5, 3.0), "spring y": (0.5, 3.0),
        "floor x": (0.1, 1.0), "floor y": (0.1, 1.0), "between": (0.1, 1.0), "load x": (0.2, 1.5),
        "load y": (0.2, 1.5), "speed x": (0.5, 2.0), "speed y": (0.5, 2.0), "phase": (-3.0, 3.0),
    }  # fmt: skip
    return {name: float(rng.uniform(*ends)) for name, ends in low_high.items()}


REPORTED = {
    "mass x": 1.24, "mass y": 1.3, "spring x": 1.39, "spring y": 2.11, "floor x": 0.42, "floor y": 0.28,
    "between": 0.28, "load x": 0.51, "speed x": 1.09, "load y": 1.21, "speed y": 1.03, "phase": -2.05,
}  # fmt: skip


def test_reactions_stay_within_their_limits_and_runs_come_to_their_end() -> None:
    rng = np.random.default_rng(1)
    for p in (REPORTED, *(drawn(rng) for _ in range(60))):
        run = loop(p).simulate(until=60.0, method="exact")
        assert run.certificate.passed
        assert all(event.before != event.after for event in run.events)
        for name in LOOP:
            assert np.abs(run.data.force.sel(connection=name)).max() <= p[name] * (1.0 + 1e-10)


def test_the_motion_does_not_depend_on_the_order_of_the_contacts() -> None:
    rng = np.random.default_rng(2)
    t = np.linspace(0.0, 20.0, 101)
    for p in (REPORTED, *(drawn(rng) for _ in range(6))):
        runs = [loop(p, order).simulate(until=20.0, samples=t, method="exact") for order in (LOOP, LOOP[::-1])]
        apart = np.abs(runs[0].data.displacement.values - runs[1].data.displacement.values).max()
        assert apart <= 2.0 * max(run.certificate.error for run in runs)


@pytest.mark.parametrize("seed", [3, 4])
def test_the_inclusion_method_converges_to_the_same_motion(seed: int) -> None:
    """Its error is of first order: an eighth with an eighth of the step."""
    m = loop(drawn(np.random.default_rng(seed)))
    t = np.linspace(0.0, 6.0, 31)
    exact = m.simulate(until=6.0, samples=t, method="exact").data.displacement.values
    coarse, fine = (
        np.abs(m.simulate(until=6.0, samples=t, method="inclusion", step=step).data.displacement.values - exact).max()
        for step in (2e-3, 2.5e-4)
    )
    assert 0.0 < fine < 0.25 * coarse < 0.01 * np.abs(exact).max()


def test_three_blocks_that_all_touch_each_other_and_the_floor() -> None:
    rng = np.random.default_rng(5)
    for _ in range(10):
        m = ss.Model("three blocks")
        x = [m.coordinate(f"x{i}", inertia=float(rng.uniform(0.5, 2.0))) for i in range(3)]
        limits = {}
        for i in range(3):
            m.connect(x[i], ss.Linear(stiffness=float(rng.uniform(0.5, 3.0)), damping=0.1), name=f"spring {i}")
            m.load(x[i], ss.Cosine(float(rng.uniform(0.2, 1.5)), frequency=float(rng.uniform(0.5, 2.0))))
            forms = {f"floor {i}": x[i], f"side {i}": x[i] - float(rng.choice([1.0, 0.7])) * x[i - 1]}
            for name, form in forms.items():
                limits[name] = float(rng.uniform(0.1, 0.5))
                m.connect(form, ss.DryFriction(limit=limits[name]), name=name)
        run = m.simulate(until=30.0, method="exact")
        assert run.certificate.passed
        for name, limit in limits.items():
            assert np.abs(run.data.force.sel(connection=name)).max() <= limit * (1.0 + 1e-10)
