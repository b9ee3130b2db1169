"""Floquet multipliers of an orbit of harmonic balance, from the laws' tangents along its samples.

Between samples the linear part moves exactly under forces that go straight from sample to sample: a symmetric rule of
second order, so that smooth laws gain two orders from each doubling of the step (Romberg). The memory of laws is part
of the state; that of laws with a stack of reversals is held.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from slipstick.laws.compile import pointer
from slipstick.periodic.balance import places as at
from slipstick.periodic.balance import stability_loop as loop
from slipstick.periodic.balance.compiled import compiled
from slipstick.periodic.balance.compliance import LinearPart
from slipstick.periodic.balance.routines import counts
from slipstick.periodic.balance.waves import as_series

if TYPE_CHECKING:
    from slipstick.periodic.balance.balance import Balance
    from slipstick.periodic.balance.gathered import Gathered

Array = NDArray[np.float64]
Complex = NDArray[np.complex128]

MOST_MODES = 40  # coordinates beyond are reduced to their lowest modes for the multipliers
ROUNDING = 1e-6  # how far outside the unit circle a multiplier may be by error alone
SMALL, TERMS = 0.5, 14  # norm of a matrix whose exponential so many terms of its series give to rounding
SAMPLED = 3e-3  # the same for laws with corners, whose switches fall between samples


class Stability(NamedTuple):
    """multipliers : (k,) complex, largest first.   stable : None where they are not known."""

    multipliers: Complex
    stable: bool | None
    notes: list[str]


def stabilities(known: Gathered) -> list[Stability]:
    """The multipliers of orbits."""
    family = known.family
    if family.problem.massless:
        return [
            Stability(np.zeros(0, complex), None, ["stability is not known: a coordinate has no inertia"])
        ] * known.p.size
    part, rows, along, notes = _reduced(family)
    smooth = not family.lines.has_corners
    maps = _felt(_Maps(family.close_by, part, rows, along).of(known), 2 * part.mass.shape[0])
    values: Complex = np.linalg.eigvals(maps).astype(np.complex128)
    values = np.take_along_axis(values, np.argsort(-np.abs(values), axis=1, kind="stable"), axis=1)
    values = values[:, : 2 * part.mass.shape[0] + _memory(family)]
    if any(member.law.has_stack for member in family.lines.members):
        notes.append("stability holds the reversals that laws remember: their multipliers are left out")
    outside = 1.0 + (ROUNDING if smooth else SAMPLED)
    stable = np.abs(values).max(axis=1, initial=0.0) <= outside
    return [Stability(own.copy(), bool(good), notes) for own, good in zip(values, stable, strict=True)]


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


def _memory(family: Balance) -> int:
    """How many numbers the laws remember, but for stacks."""
    return sum(0 if member.law.has_stack else len(member.law.remembers) for member in family.lines.members)


def _felt(maps: Array, first: int) -> Array:
    """(P, k, k) without what a law keeps only to save time, and nothing else feels: it would have a multiplier of one.

    first : where memory begins.
    """
    others = np.abs(maps).max(axis=0, initial=0.0)
    np.fill_diagonal(others, 0.0)
    felt = others.any(axis=0)
    felt[:first] = True
    return maps[:, felt][:, :, felt]


class _Maps:
    """What a period does to displacements, rates, memory and, where there is memory, to the forces of the lines.

    The latter follow from the rest after a step: as many multipliers are zero. family : with samples close by.
    """

    def __init__(self, family: Balance, part: LinearPart, rows: Array, along: Array) -> None:
        self.family, self.part, self.rows, self.along = family, part, np.ascontiguousarray(rows), along
        self.n, self.m, self.memory = rows.shape[1], rows.shape[0], _memory(family)
        self.size = 2 * self.n + self.memory + self.m
        self.carried = self.size if self.memory else 2 * self.n
        self.plan = np.zeros(loop.STABILITY_LENGTH)
        self.kept: list[Array] = []
        size, m = self.size, self.m
        self.flow, self.at_start = np.zeros((2 * self.n, 2 * self.n)), np.zeros((m, 2 * self.n))
        self.at_end, self.seen = np.zeros((m, size)), np.zeros((2, m, 2 * self.n + 2 * m))
        self.rooms = np.zeros((3, size * size + 1))
        for place, number in (
            (loop.STEPS_OF_PERIOD, family.waves.samples), (loop.COORDINATES, self.n), (loop.LINES_COUNT, m),
            (loop.LEAVES_COUNT, len(family.lines.members)), (loop.MEMORY_SIZE, self.memory),
            (loop.CARRIED, self.carried),
        ):  # fmt: skip
            self.plan[place] = number
        self.units = np.ones(len(family.lines.members) + 1)
        for place, array in (
            (loop.LAWS_PLAN, family.follower.plan), (loop.SEEN_ROWS, self.rows), (loop.FLOW, self.flow),
            (loop.AT_START, self.at_start), (loop.AT_END, self.at_end), (loop.SEEN_FLOW, self.seen),
            (loop.RATE_UNITS, self.units), (loop.EQUATIONS, np.zeros(m * m + m * size + 1)),
            (loop.BY_LINE, np.zeros(2 * m + 1)),
        ):  # fmt: skip
            self.kept.append(array)
            self.plan[place] = array.ctypes.data
        self.loop = compiled("period_map").call
        self.where = pointer(self.plan)

    def of(self, known: Gathered) -> Array:
        """(P, k, k) of orbits."""
        family, follower, waves = self.family, self.family.follower, self.family.waves
        follower.plan[at.COUNTS] = counts(2 * max(waves.samples, self.size + 1, waves.width + 1)).ctypes.data
        motion = (as_series(known.series) + family.offsets) @ waves.across
        periods = 2.0 * np.pi * family.order / known.p
        strides = (1,) if family.lines.has_corners or waves.samples % 4 else (1, 2, 4)
        flows = [_flows(self.part, self.along, periods * stride / waves.samples) for stride in strides]
        found = np.empty((len(strides), known.p.size, self.carried, self.carried))
        for k, p in enumerate(known.p.tolist()):
            follower.motion[:] = motion[k]
            follower.run_at_samples(p / family.order)
            self.units[:-1] = [family.order / p if member.rounds else 1.0 for member in family.lines.members]
            for i, stride in enumerate(strides):
                found[i, k] = self._map(flows[i][k], stride)
        if len(strides) == 1:
            return np.asarray(found[0])
        # a symmetric rule of second order gains two orders from each halving of the step
        finer, once = (4.0 * found[0] - found[1]) / 3.0, (4.0 * found[1] - found[2]) / 3.0
        return np.asarray((16.0 * finer - once) / 15.0)

    def _map(self, flow: Array, stride: int) -> Array:
        """(k, k) of the orbit that was followed last. flow : (2n, 2n + 2m) a step of the linear part."""
        n, m = self.n, self.m
        self.flow[:] = flow[:, : 2 * n].T
        self.at_start[:], self.at_end[:, : 2 * n] = flow[:, 2 * n : 2 * n + m].T, flow[:, 2 * n + m :].T
        self.seen[0], self.seen[1] = self.rows @ flow[:n], self.rows @ flow[n:]
        whole = self.rooms[0, :-1].reshape(self.size, self.size)[: self.carried]
        whole[:] = np.eye(self.carried, self.size)
        if not self.memory and m:  # forces at the begin follow from the state there
            by_u, by_v = self._at_begin()
            whole[:, 2 * n :] = np.concatenate([by_u[:, None] * self.rows, by_v[:, None] * self.rows], axis=1).T
        for place, room in ((loop.WHOLE, 0), (loop.STEP_MAP, 1), (loop.SPARE, 2)):
            self.plan[place] = self.rooms[room].ctypes.data
        self.plan[loop.STRIDE] = stride
        self.loop(self.where)
        ended = next(room for room in self.rooms if room.ctypes.data == self.plan[loop.WHOLE])
        return np.asarray(ended[:-1].reshape(self.size, self.size)[: self.carried, : self.carried].T)

    def _at_begin(self) -> tuple[Array, Array]:
        """(m,), (m,) derivatives of the forces at sample 0 by deflections and rates."""
        by = np.zeros((2, self.m))
        follower = self.family.follower
        for member, local, factor, unit in zip(
            self.family.lines.members, follower.local, follower.factors, self.units, strict=False
        ):
            by[0, member.line] += factor[0] * local[0, 0, 0]
            by[1, member.line] += factor[0] * unit * local[0, 1, 0]
        return by[0], by[1]


def _flows(part: LinearPart, along: Array, h: Array) -> Array:
    """(P, 2n, 2n + 2m) a step h (P,) of the linear part: state to state, and what forces at its begin and end add."""
    n, m = along.shape
    a = np.zeros((h.size, 2 * n + 2 * m, 2 * n + 2 * m))
    solved = np.linalg.solve(part.mass, np.concatenate([part.stiffness, part.damping, along], axis=1))
    a[:, :n, n : 2 * n] = np.eye(n)
    a[:, n : 2 * n, : 2 * n + m] = -solved
    a *= h[:, None, None]
    a[:, 2 * n : 2 * n + m, 2 * n + m :] = np.eye(m)
    e = _exponentials(a)[:, : 2 * n]
    e[:, :, 2 * n : 2 * n + m] -= e[:, :, 2 * n + m :]
    return e


def _exponentials(a: Array) -> Array:
    """(P, k, k) of matrices, by the series of small parts of them, squared; SciPy's starts threads for each."""
    halvings = max(0, int(np.ceil(np.log2(max(float(np.abs(a).sum(axis=2).max(initial=0.0)), 1e-300) / SMALL))))
    small = a / 2.0**halvings
    found = np.eye(a.shape[1]) + small / TERMS
    for k in range(TERMS - 1, 0, -1):
        found = np.eye(a.shape[1]) + small @ found / k
    for _ in range(halvings):
        found = found @ found
    return np.asarray(found)
