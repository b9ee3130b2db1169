"""Geometry of a loop: branches over the same deflections, tips, slopes, widths and area.

The papers' rules and the start values of searches use it. Branches are means over all full cycles, or the
longest rising and falling branch where there is no full cycle.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from slipstick.arrays import Array
from slipstick.errors import InvalidInput
from slipstick.identification import tolerances as tol
from slipstick.identification.preparing.cycle_figures import cycle_period
from slipstick.laws.law_trace import sample_rates

if TYPE_CHECKING:
    from slipstick.identification.loop import Loop


BRANCH_GRID_POINTS = 201  # common deflections of both branches


class BranchSamples(NamedTuple):
    """Samples of all branches of one direction, by ascending deflection.

    u, f : (n,) deflection and force.   v : (n,) rate of the deflection; zero without times.
    """

    u: Array
    f: Array
    v: Array

    def within(self, low: float, high: float) -> BranchSamples:
        """The samples between two deflections."""
        a, b = np.searchsorted(self.u, low, side="left"), np.searchsorted(self.u, high, side="right")
        return BranchSamples(self.u[a:b], self.f[a:b], self.v[a:b])

    def last(self, count: int) -> BranchSamples:
        """The samples of largest deflection."""
        return BranchSamples(self.u[-count:], self.f[-count:], self.v[-count:])

    @property
    def mirrored(self) -> BranchSamples:
        """Mirrored at the origin: a falling branch becomes a rising one."""
        return BranchSamples(-self.u[::-1], -self.f[::-1], -self.v[::-1])


@dataclass(frozen=True, eq=False)
class LoopGeometry:
    """Mean branches of a loop.

    u : (m,) deflections from the lower to the upper reversal.   up, down : (m,) force of the mean branches.
    rising, falling : the samples of these branches.   name : of the loop.
    unsteady : why the branches do not repeat one loop, in words; empty if they do.
    known : cached results of rules, by rule and arguments.

    A missing branch is the other one, rotated about the middle of the loop.
    """

    u: Array
    up: Array
    down: Array
    rising: BranchSamples
    falling: BranchSamples
    period: float | None  # [s] of a cycle
    noise: float  # standard deviation, of the force
    name: str
    system: str = "translation"
    unsteady: str = ""
    known: dict[Hashable, Any] = field(default_factory=dict, init=False, repr=False)

    @property
    def amplitude(self) -> float:
        return 0.5 * float(self.u[-1] - self.u[0])

    @property
    def middle(self) -> float:
        return 0.5 * float(self.u[-1] + self.u[0])

    @property
    def tips(self) -> tuple[float, float]:
        """Forces at the lower and the upper reversal."""
        return 0.5 * float(self.up[0] + self.down[0]), 0.5 * float(self.up[-1] + self.down[-1])

    @property
    def level(self) -> float:
        """Mean force over deflection, of both branches: the centre of a symmetric loop.

        It averages all samples; the two tips alone would have the noise of four samples.
        """
        both = np.trapezoid(self.up, self.u) + np.trapezoid(self.down, self.u)
        return 0.5 * float(both) / float(self.u[-1] - self.u[0])

    @cached_property
    def area(self) -> float:
        """Energy dissipated by a cycle: the closed integral of force over deflection."""
        return float(np.trapezoid(self.rising.f, self.rising.u) - np.trapezoid(self.falling.f, self.falling.u))

    @property
    def secant(self) -> float:
        """Stiffness of the line between the tips."""
        low, high = self.tips
        return (high - low) / (2.0 * self.amplitude)

    @cached_property
    def half_width(self) -> float:
        """Half the largest force between the branches at one deflection."""
        return 0.5 * float(np.max(self.up - self.down))

    def slope_after_reversal(self) -> float:
        """Mean initial slope of both branches, over a twentieth of their length."""
        n = max(int(0.05 * self.u.size), 3)
        up = np.polyfit(self.u[:n], self.up[:n], 1)[0]
        down = np.polyfit(self.u[-n:], self.down[-n:], 1)[0]
        return 0.5 * float(up + down)

    def without(self, force: Callable[[Array], Array]) -> LoopGeometry:
        """The geometry less an elastic force, which depends on deflection alone."""
        rising, falling = (branch._replace(f=branch.f - force(branch.u)) for branch in (self.rising, self.falling))
        elastic = force(self.u)
        return replace(self, up=self.up - elastic, down=self.down - elastic, rising=rising, falling=falling)


def measure_geometry(loop: Loop) -> LoopGeometry:
    """Geometry of a loop: means over full cycles, else the longest branches."""
    parts = loop.cycles or (loop,)
    rate = np.zeros_like(loop.u) if loop.t is None else sample_rates(loop.u, loop.t)
    ups: list[BranchSamples] = []
    downs: list[BranchSamples] = []
    for a, b in whole_branches(loop):
        branch = BranchSamples(loop.u[a : b + 1], loop.f[a : b + 1], rate[a : b + 1])
        (ups if branch.u[-1] > branch.u[0] else downs).append(branch)
    if not ups and not downs:
        raise InvalidInput(
            f"{loop.name}: no branch covers half of the deflection range, so no reversal was found; "
            "measure at least one full cycle"
        )
    low = max(min(branch.u.min() for branch in side) for side in (ups, downs) if side)
    high = min(max(branch.u.max() for branch in side) for side in (ups, downs) if side)
    grid = np.linspace(low, high, BRANCH_GRID_POINTS)
    up, down = (
        np.mean([interpolate_branch(grid, branch.u, branch.f) for branch in side], axis=0) if side else None
        for side in (ups, downs)
    )
    rising, falling = (_pooled(side) for side in (ups, downs))
    if up is None or down is None:
        one = up if up is not None else down
        assert one is not None
        ends = one[0] + one[-1]
        other = ends - one[::-1]  # Masing: a branch rotated about the middle
        up, down = (one, other) if up is not None else (other, one)
        present = rising if rising.u.size else falling
        rotated = BranchSamples((low + high) - present.u[::-1], ends - present.f[::-1], -present.v[::-1])
        rising, falling = (present, rotated) if rising.u.size else (rotated, present)
    period = None
    if loop.t is not None and parts[0] is not loop:
        period = float(np.mean([cycle_period(p.t) for p in parts if p.t is not None]))
    return LoopGeometry(
        grid, up, down, rising, falling, period, loop.noise, loop.name, loop.system, _unsteady_reason(loop)
    )


def _pooled(branches: list[BranchSamples]) -> BranchSamples:
    """All samples of several branches, by ascending deflection."""
    if not branches:
        return BranchSamples(np.empty(0), np.empty(0), np.empty(0))
    u, f, v = (np.concatenate(column) for column in zip(*branches, strict=True))
    order = np.argsort(u, kind="stable")
    return BranchSamples(u[order], f[order], v[order])


def whole_branches(loop: Loop) -> list[tuple[int, int]]:
    """Branches over nearly the whole range, without the first one if there are others, as it may be virgin.

    A few branches with deviating reversals are left out too: they belong to the run-in of the motion.
    """
    longest = _longest_branch_length(loop)
    whole = [
        (a, b)
        for a, b in pairwise(loop.turning.turns.tolist())
        if _branch_length(loop, a, b) > tol.WHOLE_BRANCH_SHARE * longest
    ]
    later = [pair for pair in whole if pair[0] > 0]
    directions = {np.sign(loop.u[b] - loop.u[a]) for a, b in later}
    whole = later if len(directions) == 2 else whole
    deviating = {
        end
        for ends in _branch_reversals(loop, whole)
        for end in ends[_deviating_reversals(loop.u[ends], longest)].tolist()
    }
    steady = [pair for pair in whole if not deviating & set(pair)]
    return steady if len(steady) >= tol.ALIKE_BRANCHES_SHARE * len(whole) else whole


def _branch_reversals(loop: Loop, branches: list[tuple[int, int]]) -> list[NDArray[np.intp]]:
    """Upper and lower reversals of branches, without the ends of the data."""
    inner = np.array(sorted({end for pair in branches for end in pair} & set(loop.turning.turns[1:-1].tolist())), int)
    high = loop.u[inner] > 0.5 * (loop.u.min() + loop.u.max())
    return [inner[high], inner[~high]]


def _deviating_reversals(ends: Array, longest: float) -> NDArray[np.bool_]:
    """Mask of reversals away from the median of all."""
    return (
        np.abs(ends - np.median(ends)) > 0.5 * tol.SAME_REVERSAL_SHARE * longest
        if ends.size
        else np.zeros(0, dtype=bool)
    )


def _branch_length(loop: Loop, a: int, b: int) -> float:
    return abs(float(loop.u[b] - loop.u[a]))


def _longest_branch_length(loop: Loop) -> float:
    return float(np.max(np.abs(np.diff(loop.u[loop.turning.turns]))))


def _unsteady_reason(loop: Loop) -> str:
    """Why a motion does not have one amplitude, in words; empty if it does. Rules for one loop need it.

    The ends of the data are no reversals: the first branch may be virgin, the last one cut short. A few run-in cycles
    are ignored.
    """
    turns, longest = loop.turning.turns.tolist(), _longest_branch_length(loop)
    inner = [(a, b) for a, b in pairwise(turns[1:-1])]
    whole = [pair for pair in inner if _branch_length(loop, *pair) > tol.WHOLE_BRANCH_SHARE * longest]
    text = loop.units.deflection.words
    if 2 * len(whole) < len(inner):
        lengths = [_branch_length(loop, *pair) for pair in inner]
        return f"branch lengths vary from {text(min(lengths), 3)} to {text(max(lengths), 3)}"
    for side, ends in zip(("upper", "lower"), _branch_reversals(loop, whole_branches(loop)), strict=True):
        u = loop.u[ends]
        if _deviating_reversals(u, longest).any():
            return f"its {side} reversals lie from {text(float(u.min()), 3)} to {text(float(u.max()), 3)}"
    return ""


def interpolate_branch(grid: Array, u: Array, f: Array) -> Array:
    """Force of a branch at given deflections; samples are sorted first, which removes small wiggles."""
    order = np.argsort(u, kind="stable")
    return np.interp(grid, u[order], f[order])
