"""Every law through every pair of its faces: one law, one answer.

Each face is a way to compute the forces along an imposed deflection; they are independent of each
other: the compiled kernel, the plain update, an ODE solver on the memory rate, exact passage through
affine pieces, repeated projections, luz and tar. They must agree.
"""

from __future__ import annotations

import itertools
import math
import zlib

import numpy as np
import pytest
from laws.example_laws import every_law
from scipy.integrate import solve_ivp

import slipstick as ss
from slipstick.laws.base import Law, Leaf
from slipstick.laws.composite import split_memory
from slipstick.laws.faces import Face, Piece
from slipstick.laws.law_kernels import tangent_kernel

LAWS = every_law()


def zigzag(name: str, corners: int = 7, between: int = 4) -> tuple[np.ndarray, np.ndarray]:
    """Deflections with random reversals, and the rate of the way to each (the first is at rest).

    LuGre takes the mean of two rates over a step, so its zigzag has one speed throughout.
    """
    rng = np.random.default_rng(zlib.crc32(name.encode()))
    turns = np.concatenate(([0.0], rng.uniform(-1.4, 1.4, corners)))
    speeds = np.full(corners, 0.8) if name == "lugre" else rng.uniform(0.3, 1.5, corners)
    u, v = [0.0], [0.0]
    for a, b, speed in zip(turns, turns[1:], speeds, strict=False):
        for part in range(1, between + 1):
            u.append(a + (b - a) * part / between)
            v.append(math.copysign(speed, b - a))
    if name == "lugre":
        v[0] = v[1]
    return np.array(u), np.array(v)


def times(u: np.ndarray, v: np.ndarray) -> np.ndarray:
    """The instants at which the samples are reached, for laws that relax in time."""
    return np.concatenate(([0.0], np.cumsum(np.diff(u) / v[1:])))


def by_kernel(law: Law, u: np.ndarray, v: np.ndarray) -> np.ndarray:
    return law.trace(u, times(u, v), rate=v)


def by_update(law: Law, u: np.ndarray, v: np.ndarray, t: np.ndarray | None = None) -> np.ndarray:
    memory, forces = law.start(float(u[0])), []
    for x, y, now in zip(u.tolist(), v.tolist(), times(u, v) if t is None else t, strict=True):
        f, memory = law.update(x, y, law.at_time(memory, now))
        forces.append(f)
    return np.array(forces)


def by_rate(law: Law, u: np.ndarray, v: np.ndarray) -> np.ndarray:
    """An ODE solver on dz/dt, restarted at every sample."""
    total = np.zeros_like(u)
    for leaf, memory in zip(law.leaves(), split_memory(law, law.start(float(u[0]))), strict=True):
        z = leaf.law.inner_state(memory)
        total[0] += leaf.force * leaf.law.inner_force(u[0], v[0], z)
        for k in range(1, u.size):
            a, b, rate = leaf.deflection * u[k - 1], leaf.deflection * u[k], leaf.deflection * v[k]
            if rate * v[k - 1] < 0.0:
                memory = leaf.law.turned(memory)

            def rhs(t: float, y: np.ndarray, a=a, rate=rate, leaf=leaf, memory=memory) -> list[float]:
                return [leaf.law.inner_rate(a + rate * t, rate, y[0], memory)]

            z = solve_ivp(rhs, (0, (b - a) / rate), [z], rtol=1e-11, atol=1e-13, max_step=0.02).y[0, -1]
            total[k] += leaf.force * leaf.law.inner_force(b, rate, z)
            memory = leaf.law.update(b, rate, memory)[1]
    return total


def by_pieces(law: Law, u: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Exact passage through the affine pieces of each leaf: guards are linear in time between samples."""
    return sum(leaf_by_pieces(leaf, u, v) for leaf in law.leaves())


def leaf_by_pieces(leaf: Leaf, u: np.ndarray, v: np.ndarray) -> np.ndarray:
    pieces = {p.name: p for p in leaf.law.pieces()}
    limit = getattr(leaf.law, "limit", 0.0)
    here, w = first_piece(pieces, u[0]), 0.0
    forces = [0.0 if here.sticks else here.force.at(u[0], v[0], w, limit)]
    for k in range(1, u.size):
        x, rate, left = u[k - 1], v[k], (u[k] - u[k - 1]) / v[k]
        if here.sticks:  # imposed motion breaks any stick
            here = pieces["slip+" if rate > 0 else "slip-"]
        here = settle(here, pieces, x, rate, w)
        while True:
            ends = [(time_to_end(g.value, here, x, rate, w), g.to) for g in here.guards]
            soonest, to = min(ends, default=(math.inf, ""))
            step = min(soonest, left)
            x, left = x + rate * step, left - step
            w += rate * step if here.moves else 0.0
            if left <= 0.0 or soonest == math.inf:
                break
            here = settle(pieces[to], pieces, x, rate, w)
        forces.append(here.force.at(u[k], rate, w, limit))
    return leaf.force * np.array(forces)


def first_piece(pieces: dict[str, Piece], u: float) -> Piece:
    for name in ("stick", "free", "linear"):
        if name in pieces:
            return pieces[name]
    return next(p for p in pieces.values() if all(g.value.at(u, 0.0, 0.0) >= 0.0 for g in p.guards))


def settle(here: Piece, pieces: dict[str, Piece], u: float, v: float, w: float) -> Piece:
    """Leave a piece whose guard is broken now, or about to be."""
    for _ in range(10):
        for g in here.guards:
            value, slope = g.value.at(u, v, w), g.value.u * v + (g.value.w * v if here.moves else 0.0)
            if value < -1e-12 or (value <= 1e-12 and slope < 0.0):
                stuck = pieces[g.to].sticks
                here = pieces[("slip+" if v > 0 else "slip-") if stuck else g.to]
                break
        else:
            return here
    raise AssertionError("pieces do not settle")


def time_to_end(guard, here: Piece, u: float, v: float, w: float) -> float:
    slope = guard.u * v + (guard.w * v if here.moves else 0.0)
    return max(guard.at(u, v, w), 0.0) / -slope if slope < 0.0 else math.inf


def by_resolvent(law: Law, u: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Projection after projection (A.9): the stretch of a slider; for friction, the force of a rate."""
    leaf = law.leaves()[0]
    if isinstance(leaf.law, ss.Jenkins):
        w, forces = 0.0, []
        for du in np.diff(u, prepend=u[0]):
            w = leaf.law.resolvent(w + du, 1.0)
            forces.append(leaf.law.stiffness * w)
        return np.array(forces)
    h = 1.0  # y + h f(y) = x: choose x so that y is the rate, and read f off
    forces = [0.0]
    for rate in v[1:]:
        x = rate + h * (law.limit * np.sign(rate) + law.damping * rate)
        y = leaf.law.resolvent(x, h)
        assert y == pytest.approx(rate, rel=1e-12)
        forces.append((x - y) / h)
    return np.array(forces)


def by_terms(law: Law, u: np.ndarray, v: np.ndarray) -> np.ndarray:
    forces = np.zeros_like(u)
    for term in law.luz_tar_terms():
        if term.kind == "spring":
            forces += term.factor * ss.luz(u, term.width)
        else:
            forces += term.factor * v + term.width * np.sign(v)
    return forces


WAYS = {
    "kernel": (None, by_kernel),
    "update": (None, by_update),
    "memory rate": (Face.RATE, by_rate),
    "pieces": (Face.PIECES, by_pieces),
    "resolvent": (Face.RESOLVENT, by_resolvent),
    "terms": (Face.TERMS, by_terms),
}
EXACT = {"kernel", "update", "pieces", "resolvent", "terms"}


def ways_of(law: Law) -> list[str]:
    return [name for name, (face, _) in WAYS.items() if face is None or (face in law.faces and usable(law, face))]


def usable(law: Law, face: Face) -> bool:
    # Linear has terms only without a preload, Freeplay only without damping: they say so
    if face is Face.TERMS:
        try:
            law.luz_tar_terms()
        except ss.InvalidInput:
            return False
    return True


PAIRS = [(name, a, b) for name, law in LAWS.items() for a, b in itertools.combinations(ways_of(law), 2)]


@pytest.mark.parametrize(("name", "one", "other"), PAIRS, ids=[" / ".join(p) for p in PAIRS])
def test_two_faces_of_a_law_give_the_same_forces(name: str, one: str, other: str) -> None:
    law = LAWS[name]
    u, v = zigzag(name)
    a, b = WAYS[one][1](law, u, v), WAYS[other][1](law, u, v)
    tolerance = 2e-8 if "memory rate" in (one, other) else 1e-13  # the ODE solver's; a few roundings
    np.testing.assert_allclose(a, b, rtol=0, atol=tolerance * max(1.0, np.abs(a).max()))


SMOOTH = [name for name, law in LAWS.items() if Face.VALUE in law.faces]


@pytest.mark.parametrize("name", SMOOTH)
def test_the_tangent_is_the_derivative_of_the_update(name: str) -> None:
    law = LAWS[name]
    u, v = zigzag(name)
    memory = law.start(0.0)
    rng = np.random.default_rng(5)
    for k in range(1, u.size):
        # off the samples: a tangent at a corner is one-sided
        x, y = u[k] + 1e-3 * rng.normal(), v[k] * rng.uniform(0.9, 1.1)
        f, du, dv = law.tangent(x, y, memory)
        assert f == pytest.approx(law.update(x, y, memory)[0], rel=1e-12, abs=1e-14)
        assert_slope(lambda s, x=x, y=y, m=memory: law.update(x + s, y, m)[0], du)
        assert_slope(lambda s, x=x, y=y, m=memory: law.update(x, y + s, m)[0], dv)
        memory = law.update(x, y, memory)[1]


def assert_slope(f, slope: float) -> None:
    """``slope`` is the derivative of f at 0, or one of its one-sided ones if there is a corner within the step."""
    h = 1e-6
    central = (f(h) - f(-h)) / (2 * h)
    if abs(central - slope) > 1e-6 * max(1.0, abs(slope)):
        sides = [(f(h) - f(0.0)) / h, (f(0.0) - f(-h)) / h]
        assert min(abs(side - slope) for side in sides) < 1e-4 * max(1.0, abs(slope)), (slope, central, sides)


@pytest.mark.parametrize("name", SMOOTH)
def test_the_derivative_carries_through_the_memory(name: str) -> None:
    """Drive a law with u + e d: the derivative in e, carried by the kernel, is that of the forces."""
    law = LAWS[name]
    u, v = zigzag(name, corners=5, between=3)
    direction = np.random.default_rng(8).normal(size=u.size) * 0.1
    direction[0] = 0.0

    def forces(e: float) -> np.ndarray:
        return by_update(law, u + e * direction, v, times(u, v))

    carried = carried_derivative(law, u, v, direction)
    h = 1e-6
    central = (forces(h) - forces(-h)) / (2 * h)
    one_sided = [(forces(h) - forces(0.0)) / h, (forces(0.0) - forces(-h)) / h]
    near = np.min([np.abs(carried - d) for d in (central, *one_sided)], axis=0)
    assert near.max() < 2e-5 * max(1.0, np.abs(carried).max())


def carried_derivative(law: Law, u: np.ndarray, v: np.ndarray, direction: np.ndarray) -> np.ndarray:
    from slipstick.laws.law_kernels import pointer
    from slipstick.laws.law_packing import pack_parameters

    total = np.zeros_like(u)
    for leaf, own in zip(law.leaves(), split_memory(law, law.start(float(u[0]))), strict=True):
        p = pack_parameters(leaf.law)
        m = np.append(leaf.law.pack_memory(own, 40), 0.0)
        dm, df = np.zeros_like(m), np.zeros(1)
        kernel, d = tangent_kernel(type(leaf.law)).call, leaf.deflection
        for k, now in enumerate(times(u, v)):
            m[0] = now if leaf.law.keeps_time else m[0]
            kernel(pointer(p), d * u[k], d * v[k], pointer(m), d * direction[k], 0.0, pointer(dm), pointer(df))
            total[k] += leaf.force * df[0]
    return total


@pytest.mark.parametrize("name", [n for n, law in LAWS.items() if Face.TAYLOR in law.faces])
def test_taylor_coefficients_sum_to_the_law(name: str) -> None:
    law = LAWS[name]
    rng = np.random.default_rng(3)
    for _ in range(20):
        x = rng.normal(size=16) * 0.5 ** np.arange(16)
        y = rng.normal(size=16) * 0.5 ** np.arange(16)
        f = law.taylor(x, y)
        u, v, total = (float(np.polyval(series[::-1], 1e-3)) for series in (x, y, f))
        assert total == pytest.approx(law.update(u, v, ())[0], rel=1e-13, abs=1e-14)
