"""Floquet multipliers of an orbit of harmonic balance, from the laws' tangents along its samples.

Between samples the linear part moves exactly under forces that go straight from sample to sample: a symmetric rule of
second order, so that smooth laws gain two orders from each doubling of the step (Romberg). The memory of laws is part
of the state; that of laws with a stack of reversals is held.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from slipstick.periodic.balance.compliance import LinearPart

if TYPE_CHECKING:
    from slipstick.periodic.balance.balance import Balance
    from slipstick.periodic.balance.gathered import Gathered

Array = NDArray[np.float64]

MOST_MODES = 40  # coordinates beyond are reduced to their lowest modes for the multipliers
ROUNDING = 1e-6  # how far outside the unit circle a multiplier may be by error alone
FEW = 0.2  # of the samples: fewer different maps are taken to their powers
SAMPLED = 3e-3  # the same for laws with corners, whose switches fall between samples


class Stability(NamedTuple):
    """multipliers : (k,) complex, largest first.   stable : None where they are not known."""

    multipliers: NDArray[np.complex128]
    stable: bool | None
    notes: list[str]


def stabilities(known: Gathered) -> list[Stability]:
    """The multipliers of orbits."""
    return [stability(known.family, x, p) for x, p in zip(known.x, known.p.tolist(), strict=True)]


def stability(family: Balance, x: Array, p: float) -> Stability:
    """The multipliers of the orbit x."""
    problem, lines = family.problem, family.lines
    if problem.massless:
        return Stability(np.zeros(0, complex), None, ["stability is not known: a coordinate has no inertia"])
    part, rows, along, notes = _reduced(family)
    period = 2.0 * np.pi * family.order / p
    followed = family.close_by
    followed.follow(x, p)
    table = _Tangents(followed, p)
    smooth = not lines.has_corners
    monodromy = _period_map(part, rows, along, table, period, 1)
    if smooth and followed.waves.samples % 4 == 0:
        coarse = [_period_map(part, rows, along, table, period, stride) for stride in (2, 4)]
        finer, once = (4.0 * monodromy - coarse[0]) / 3.0, (4.0 * coarse[0] - coarse[1]) / 3.0
        monodromy = (16.0 * finer - once) / 15.0
    values: NDArray[np.complex128] = np.linalg.eigvals(monodromy).astype(np.complex128)
    values = values[np.argsort(-np.abs(values))][: 2 * part.mass.shape[0] + table.memory]
    if any(member.law.has_stack for member in lines.members):
        notes.append("stability holds the reversals that laws remember: their multipliers are left out")
    outside = 1.0 + (ROUNDING if smooth else SAMPLED)
    return Stability(values, bool(np.abs(values).max(initial=0.0) <= outside), notes)


def _reduced(family: Balance) -> tuple[LinearPart, Array, Array, list[str]]:
    """The linear part, deflections and directions of the lines, in the lowest modes where there are many."""
    from scipy.linalg import eigh

    part, rows, along = family.plain_part, family.lines.rows, family.lines.along
    n = part.mass.shape[0]
    if n <= MOST_MODES:
        return part, rows, along, []
    stiffness = 0.5 * (family.part.stiffness + family.part.stiffness.T)
    _, shapes = eigh(stiffness, part.mass, subset_by_index=(0, MOST_MODES - 1))
    matrices = (shapes.T @ matrix @ shapes for matrix in part)
    return LinearPart(*matrices), rows @ shapes, shapes.T @ along, [f"stability from the lowest {MOST_MODES} modes"]


class _Tangents:
    """Derivatives along the samples: of line forces by deflection and rate (N, m) and by memory (N, m, M), and of the
    memory by deflections and rates (N, M, m) and memory (N, M, M)."""

    def __init__(self, family: Balance, p: float) -> None:
        follower, m, n = family.follower, family.lines.count, family.waves.samples
        members = family.lines.members
        sizes = [0 if member.law.has_stack else len(member.law.remembers) for member in members]
        total = sum(sizes)
        self.memory = total
        self.by_u, self.by_v, self.by_memory = np.zeros((n, m)), np.zeros((n, m)), np.zeros((n, m, total))
        self.memory_by_u, self.memory_by_v = np.zeros((n, total, m)), np.zeros((n, total, m))
        self.memory_by_memory = np.zeros((n, total, total))
        at = 0
        for member, size, local, factor in zip(members, sizes, follower.local, follower.factors, strict=True):
            line, own = member.line, slice(at, at + size)
            rate = family.order / p if member.rounds else 1.0
            self.by_u[:, line] += factor * local[:, 0, 0]
            self.by_v[:, line] += factor * rate * local[:, 1, 0]
            if size:
                self.by_memory[:, line, own] = factor[:, None] * local[:, 2:, 0]
                self.memory_by_u[:, own, line] = local[:, 0, 1:]
                self.memory_by_v[:, own, line] = rate * local[:, 1, 1:]
                self.memory_by_memory[:, own, own] = local[:, 2:, 1:].transpose(0, 2, 1)
            at += size


def _period_map(part: LinearPart, rows: Array, along: Array, t: _Tangents, period: float, stride: int) -> Array:
    """What a period does to displacements, rates, memory and, where there is memory, to the forces of the lines.

    The latter follow from the rest after a step: as many multipliers are zero.
    """
    n, m, memory = rows.shape[1], rows.shape[0], t.memory
    order = np.roll(np.arange(0, t.by_u.shape[0], stride), -1)  # from sample 0 to 1, ..., and back to 0
    step, at_start, at_end = _flow(part, along, period / order.size)
    order, repeats = _runs(t, order)
    count = order.size
    sees = np.concatenate([t.by_u[order, :, None] * rows, t.by_v[order, :, None] * rows], axis=2)  # (N, m, 2n)
    remembers = np.zeros((count, memory, 2 * n))
    if memory:
        remembers[:, :, :n] = t.memory_by_u[order] @ rows
        remembers[:, :, n:] = t.memory_by_v[order] @ rows
    # the state is (displacements and rates, memory, forces): forces at the end of a step follow from the rest
    size = 2 * n + memory + m
    z, w, f = slice(0, 2 * n), slice(2 * n, 2 * n + memory), slice(2 * n + memory, size)
    right = np.zeros((count, m, size))
    right[:, :, z], right[:, :, w], right[:, :, f] = sees @ step, t.by_memory[order], sees @ at_start
    forces = np.linalg.solve(np.eye(m) - sees @ at_end, right) if m else right
    maps = np.zeros((count, size, size))
    maps[:, z, z], maps[:, z, f] = step, at_start
    maps[:, z, :] += at_end @ forces
    maps[:, f, :] = forces
    maps[:, w, :] = remembers @ maps[:, z, :]
    maps[:, w, w] += t.memory_by_memory[order]
    whole = _product(maps, repeats)
    if memory:
        return whole
    return np.asarray(whole[z, z] + whole[z, f] @ sees[-1])  # forces at the begin follow from the state there


def _flow(part: LinearPart, along: Array, h: float) -> tuple[Array, Array, Array]:
    """A step of the linear part: state to state, and what forces at its begin and its end add."""
    from scipy.linalg import expm

    n, m = along.shape
    a = np.zeros((2 * n + 2 * m, 2 * n + 2 * m))
    a[:n, n : 2 * n] = np.eye(n)
    solved: Any = np.linalg.solve(part.mass, np.concatenate([part.stiffness, part.damping, along], axis=1))
    a[n : 2 * n, : 2 * n + m] = -solved
    a[2 * n : 2 * n + m, 2 * n + m :] = np.eye(m) / h
    e = expm(a * h)
    constant, ramp = e[: 2 * n, 2 * n : 2 * n + m], e[: 2 * n, 2 * n + m :]
    return e[: 2 * n, : 2 * n], constant - ramp, ramp


def _runs(t: _Tangents, order: NDArray[np.intp]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Samples at which the tangents change, and for how many samples each lasts: laws with corners have few."""
    tables = (t.by_u, t.by_v, t.by_memory, t.memory_by_u, t.memory_by_v, t.memory_by_memory)
    rows = np.concatenate([table[order].reshape(order.size, -1) for table in tables], axis=1)
    begins = np.flatnonzero(np.append(True, (rows[1:] != rows[:-1]).any(axis=1)))
    return order[begins], np.diff(np.append(begins, order.size))


def _product(maps: Array, repeats: NDArray[np.intp]) -> Array:
    """The product of all, the first applied first, each so many times."""
    if maps.shape[0] < FEW * repeats.sum():
        whole = np.eye(maps.shape[1])
        for each, times in zip(maps, repeats, strict=True):
            whole = np.linalg.matrix_power(each, int(times)) @ whole
        return whole
    maps = np.repeat(maps, repeats, axis=0)
    while maps.shape[0] > 1:  # in pairs, so that NumPy multiplies many at once
        if maps.shape[0] % 2:
            maps = np.concatenate([maps, np.eye(maps.shape[1])[None]])
        maps = maps[1::2] @ maps[::2]
    return np.asarray(maps[0])
