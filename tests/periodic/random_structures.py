"""Random structures from matrices with a few contacts: large enough to be condensed, small enough to be solved."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

import slipstick as ss

Array = NDArray[np.float64]
KINDS = ("slider", "gap", "stop")


def structure(rng: np.random.Generator, kinds: tuple[str, ...] = KINDS) -> tuple[ss.Model, float, list[str]]:
    """A model, a frequency [rad/s] about one of its lowest two, and the names that contacts hold."""
    mass, damping, stiffness = beam(rng) if rng.random() < 0.4 else tree(rng)
    n = mass.shape[0]
    m = ss.Model.from_matrices(mass, damping, stiffness)
    held = [int(i) for i in rng.choice(n, size=int(rng.integers(1, 4)), replace=False)]
    loaded = int(rng.choice([i for i in range(n) if i not in held]))
    low = np.sqrt(np.linalg.eigvals(np.linalg.solve(mass, stiffness)).real)
    low.sort()
    omega = float(low[0] * rng.uniform(0.5, 1.2) if rng.random() < 0.6 else low[1] * rng.uniform(0.8, 1.2))
    linear = np.linalg.inv(stiffness - omega**2 * mass + 1j * omega * damping)[:, loaded]
    own = 1.0 / np.linalg.inv(stiffness).diagonal()
    for i in held:
        size, k = abs(linear[i]), own[i] * rng.uniform(0.3, 1.5)
        m.connect(m[f"q{i + 1}"], law(rng, str(rng.choice(list(kinds))), k, size), name=f"contact{i + 1}")
    m.load(m[f"q{loaded + 1}"], ss.Cosine(1.0, order=1), name="force")
    return m, omega, [f"q{i + 1}" for i in held]


def law(rng: np.random.Generator, kind: str, k: float, size: float) -> ss.Law:
    if kind == "slider":
        return ss.Jenkins(stiffness=k, limit=k * size * rng.uniform(0.05, 0.6))
    if kind == "gap":
        return ss.Freeplay(stiffness=k, half_gap=size * rng.uniform(0.2, 0.8))
    if kind == "stop":
        return ss.Contact(stiffness=k, gap=size * rng.uniform(0.2, 0.8))
    return ss.DryFriction(limit=rng.uniform(0.02, 0.2))


def tree(rng: np.random.Generator) -> tuple[Array, Array, Array]:
    """Masses on branching springs from one that is held; some with dampers of their own, that couple modes."""
    n = int(rng.integers(30, 61))
    stiffness = np.zeros((n, n))
    stiffness[0, 0] = 1e4
    for i in range(1, n):
        j, k = int(rng.integers(max(0, i - 3), i)), 10 ** rng.uniform(3.5, 5.0)
        stiffness[np.ix_([i, j], [i, j])] += k * np.array([[1.0, -1.0], [-1.0, 1.0]])
    mass = np.diag(10 ** rng.uniform(-1.5, 0.0, n))
    first = np.sqrt(np.linalg.eigvals(np.linalg.solve(mass, stiffness)).real.min())
    damping = 0.05 / first * stiffness + 0.05 * first * mass
    if rng.random() < 0.4:
        damping = damping + mass * np.diag(rng.uniform(0.0, 0.3, n)) * first
    return mass, damping, stiffness


def beam(rng: np.random.Generator) -> tuple[Array, Array, Array]:
    """A rod in bending on springs, by differences: stiffness of fourth order."""
    n = int(rng.integers(30, 61))
    second = np.diag(-2.0 * np.ones(n)) + np.diag(np.ones(n - 1), 1) + np.diag(np.ones(n - 1), -1)
    stiffness = 1e-3 * n**4 * second @ second / n + np.diag(np.full(n, 1.0 / n))
    mass = np.eye(n) / n
    first = np.sqrt(np.linalg.eigvalsh(stiffness)[0] * n)
    return mass, 0.05 / first * stiffness, stiffness
