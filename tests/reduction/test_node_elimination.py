"""Chains and trees of springs with gaps: the reduced model pulls as the primary one does, at rest."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

import slipstick as ss


def luz(x: np.ndarray, a: np.ndarray) -> np.ndarray:
    return x - np.clip(x, -a, a)


def settled_forces(b: np.ndarray, k: np.ndarray, a: np.ndarray, held: np.ndarray, x: np.ndarray) -> np.ndarray:
    """Forces on the held coordinates, the others at rest: the least energy by Newton's method with a line search.

    b : (springs, n) forms.   held : indices.   x : their displacements.
    """
    n = b.shape[1]
    free = np.setdiff1d(np.arange(n), held)
    q = np.zeros(n)
    q[held] = x
    energy = lambda q: 0.5 * np.sum(k * luz(b @ q, a) ** 2)  # noqa: E731
    for _ in range(200):
        f = k * luz(b @ q, a)
        slope = b[:, free].T @ f
        if np.abs(slope).max(initial=0.0) <= 1e-13 * max(np.abs(f).max(initial=0.0), 1e-9):
            break
        touching = np.where(f != 0.0, k, 1e-9 * k)  # a trace of stiffness in the gap leads the step
        step = np.linalg.solve((b[:, free].T * touching) @ b[:, free], -slope)
        size = 1.0
        while size > 1e-10 and energy(q + size * _at(step, free, n)) > energy(q):
            size *= 0.5
        q = q + size * _at(step, free, n)
    return (b.T @ (k * luz(b @ q, a)))[held]


def _at(values: np.ndarray, places: np.ndarray, n: int) -> np.ndarray:
    full = np.zeros(n)
    full[places] = values
    return full


def random_tree(rng: np.random.Generator) -> tuple[ss.Model, np.ndarray, np.ndarray, np.ndarray, list[str]]:
    """Nodes of a tree with geared springs; all of up to two springs may be without mass, and some more ends."""
    n = int(rng.integers(4, 10))
    m = ss.Model("tree")
    q = [m.coordinate(f"x{i}", inertia=0.0) for i in range(n)]
    b, degree = np.zeros((n - 1, n)), np.zeros(n, dtype=int)
    k = 10.0 ** rng.uniform(0.0, 2.0, n - 1)
    a = np.where(rng.random(n - 1) < 0.3, 0.0, rng.uniform(0.0, 0.5, n - 1))
    for i in range(1, n):
        j = int(rng.integers(max(0, i - 2), i))
        ratio = float(rng.choice([1.0, 2.0, -1.5, 0.4]))
        b[i - 1, i], b[i - 1, j] = 1.0, -ratio
        degree[[i, j]] += 1
        m.connect(q[i] - ratio * q[j], ss.Freeplay(stiffness=k[i - 1], half_gap=a[i - 1]), name=f"spring{i}")
    light = [i for i in range(1, n) if degree[i] <= 2 and (degree[i] == 2 or rng.random() < 0.3)]
    light = light[: n - 2] or [n - 1]  # the last node is an end
    return m, b, k, a, [f"x{i}" for i in light]


@pytest.mark.parametrize("seed", range(500))
def test_a_reduced_tree_pulls_as_the_primary_one(seed: int) -> None:
    rng = np.random.default_rng(seed)
    m, b, k, a, light = random_tree(rng)
    red = m.reduce(massless=light)
    kept = [c.name for c in red.model.coordinates]
    held = np.array([int(name[1:]) for name in kept])
    for _ in range(5):
        x = rng.normal(0.0, 1.0, held.size)
        wanted = settled_forces(b, k, a, held, x)
        place = dict(zip(kept, x, strict=True))
        found = np.zeros(held.size)
        for c in red.model.connections:
            u = sum(factor * place[name] for name, factor in c.deflection.terms.items())
            force = float(c.law.trace([u])[0])
            for name, factor in c.along.terms.items():
                found[kept.index(name)] += factor * force
        assert np.abs(found - wanted).max() <= 1e-10 * max(1.0, np.abs(wanted).max())


def pulled(k: np.ndarray, a: np.ndarray, p: np.ndarray, x: float) -> Fraction:
    """The force of the first link with the first node at x and the last held, all links touching: in fractions.

    k_i (x_i - p_i x_(i+1) - s_i a_i) = f_i and f_(i+1) = p_i f_i, s_i the side that link i touches on. Every node is
    first written as c + d f with f the force of the first link; the last one, held at 0, tells f.
    """
    c, d, share, side = Fraction(x), Fraction(0), Fraction(1), 1
    for stiffness, gap, ratio in zip(*(map(Fraction, own.tolist()) for own in (k, a, p)), strict=True):
        c, d = (c - side * gap) / ratio, (d - share / stiffness) / ratio
        share *= ratio
        side = 1 if share > 0 else -1
    return -c / d


@pytest.mark.parametrize("links", [5, 10, 20, 50])
def test_a_geared_chain_is_what_elimination_by_numbers_gives(links: int) -> None:
    rng = np.random.default_rng(links)
    m = ss.Model("chain")
    q = [m.coordinate(f"x{i}", inertia=0.0) for i in range(links + 1)]
    k = 10.0 ** rng.uniform(0.0, 3.0, links)
    a, p = rng.uniform(0.0, 0.1, links), rng.choice([1.0, -1.25, 0.8, 1.1], links)
    for i in range(links):
        m.connect(q[i] - p[i] * q[i + 1], ss.Freeplay(stiffness=k[i], half_gap=a[i]), name=f"link{i}")
    red = m.reduce(massless=q[1:-1])
    (one,) = red.model.connections
    force = pulled(k, a, p, 50.0)
    assert float(one.law.trace([50.0])[0]) == pytest.approx(float(force), rel=1e-12)
    assert one.deflection.terms["x0"] == 1.0
    assert one.deflection.terms[f"x{links}"] == pytest.approx(-np.prod(p), rel=1e-12)


def test_springs_without_gaps_at_one_node_become_springs_between_its_neighbours() -> None:
    rng = np.random.default_rng(3)
    m = ss.Model("star")
    node = m.coordinate("node", inertia=0.0)
    ends = [m.coordinate(f"x{i}", inertia=1.0) for i in range(4)]
    k, p = rng.uniform(1.0, 9.0, 4), rng.uniform(0.5, 2.0, 4)
    for i in range(4):
        m.connect(node * p[i] - ends[i], ss.Linear(stiffness=k[i]), name=f"arm{i}")
    red = m.reduce(massless=[node])
    found = np.zeros((4, 4))
    for c in red.model.connections:
        form = np.array([c.deflection.terms.get(f"x{i}", 0.0) for i in range(4)])
        found += c.law.stiffness * np.outer(form, form)
    b = np.column_stack([p, -np.eye(4)])
    whole = (b.T * k) @ b
    schur = whole[1:, 1:] - np.outer(whole[1:, 0], whole[0, 1:]) / whole[0, 0]
    assert np.abs(found - schur).max() < 1e-12 * np.abs(schur).max()


def test_parallel_springs_of_one_gap_become_one_before_a_node_goes() -> None:
    m = ss.Model("pair")
    x, node, y = (m.coordinate(name, inertia=1.0) for name in ("x", "node", "y"))
    m["node"].inertia = 0.0
    m.connect(x - node, ss.Freeplay(stiffness=3.0, half_gap=0.2), name="one")
    m.connect(2.0 * x - 2.0 * node, ss.Freeplay(stiffness=1.0, half_gap=0.4), name="two")
    m.connect(node - y, ss.Linear(stiffness=7.0), name="end")
    law = m.reduce(massless=[node]).model.connection("x-y").law
    assert law.stiffness == pytest.approx(1.0 / (1.0 / (3.0 + 4.0) + 1.0 / 7.0))
    assert law.half_gap == pytest.approx(0.2)


def test_a_rigid_connection_moves_inertia_friction_and_loads() -> None:
    def meshed(stiffness: float) -> ss.Model:
        m = ss.Model("pair")
        x, y = m.coordinate("x", inertia=2.0), m.coordinate("y", inertia=3.0)
        m.connect(x - 2.0 * y, ss.Linear(stiffness=stiffness, damping=stiffness**0.5), name="mesh")
        m.connect(x, ss.DryFriction(limit=0.5, damping=0.1), name="left")
        m.connect(y, ss.DryFriction(limit=0.4, damping=0.8), name="right")
        m.load(y, ss.Cosine(6.0, frequency=2.0))
        return m

    red = meshed(1e3).reduce(rigid=["mesh"])
    (c,) = red.model.coordinates
    assert (c.name, c.inertia) == ("x", 2.0 + 3.0 / 4.0)
    (friction,) = red.model.connections
    assert friction.law.limit == pytest.approx(0.5 + 0.4 / 2.0)
    assert friction.law.damping == pytest.approx(0.1 + 0.8 / 4.0)
    times = np.linspace(0.0, 5.0, 51)
    ours = red.model.simulate(5.0, samples=times).data["displacement"].values[:, 0]
    off = []
    for stiffness in (1e2, 1e4, 1e6):
        theirs = meshed(stiffness).simulate(5.0, samples=times).data["displacement"].sel(coordinate="x").values
        off.append(np.abs(ours - theirs).max())
    assert off[1] < 0.2 * off[0]
    assert off[2] < 0.2 * off[1]
