"""Geometry of a loop: branches over the same deflections, tips, slopes, widths and area.

The papers' rules and the start values of searches use it. Branches are means over all full cycles, or the
longest rising and falling branch where there is no full cycle.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from slipstick.errors import InvalidInput
from slipstick.identification.loop import Loop
from slipstick.identification.preparing.cycle_figures import cycle_period
from slipstick.laws.law_trace import sample_rates

Array = NDArray[np.float64]

BRANCH_GRID_POINTS = 201  # deflections at which branches are compared
WHOLE_BRANCH_SHARE = 0.9  # of the longest branch: shorter ones are left out
ALIKE_BRANCHES_SHARE = 0.75  # of the whole branches: if so many turn alike, the others are left out
SAME_REVERSAL_SHARE = 0.05  # of the longest branch: reversals of one loop lie so near to each other


class BranchSamples(NamedTuple):
    """Of all branches that go one way, in the order of deflection.   u, f : (n,) deflection and force.
    v : (n,) rate of the deflection; zero where there are no times.
    """

    u: Array
    f: Array
    v: Array

    def within(self, low: float, high: float) -> BranchSamples:
        """Those between two deflections."""
        a, b = np.searchsorted(self.u, low, side="left"), np.searchsorted(self.u, high, side="right")
        return BranchSamples(self.u[a:b], self.f[a:b], self.v[a:b])

    def last(self, count: int) -> BranchSamples:
        """Those with the largest deflections."""
        return BranchSamples(self.u[-count:], self.f[-count:], self.v[-count:])

    @property
    def turned(self) -> BranchSamples:
        """About zero: a falling branch as a rising one, and the other way round."""
        return BranchSamples(-self.u[::-1], -self.f[::-1], -self.v[::-1])


@dataclass(frozen=True, eq=False)
class LoopGeometry:
    """u : (m,) deflections from the lower to the upper reversal.   up, down : (m,) force of the branches.
    rising, falling : the samples that these are the means of.   name : of the loop.
    unsteady : why branches are not those of one loop run through again and again; nothing where they are.
    known : what rules have found in it already, by their questions.

    A loop without a falling branch has that of its rising one, turned about the middle, and the other way round.
    """

    u: Array
    up: Array
    down: Array
    rising: BranchSamples
    falling: BranchSamples
    period: float | None  # s, of a cycle
    noise: float  # of the force, from sample to sample
    name: str
    system: str = "translation"  # of units
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
        """The mean force over the way, there and back: of a loop that is alike on both sides, what it is about.

        Every sample has its part in it; the two tips alone would have the noise of four samples.
        """
        both = np.trapezoid(self.up, self.u) + np.trapezoid(self.down, self.u)
        return 0.5 * float(both) / float(self.u[-1] - self.u[0])

    @cached_property
    def area(self) -> float:
        """The energy that a cycle takes: the integral of force over deflection around it."""
        return float(np.trapezoid(self.rising.f, self.rising.u) - np.trapezoid(self.falling.f, self.falling.u))

    @property
    def secant(self) -> float:
        """The stiffness of the line between the tips."""
        low, high = self.tips
        return (high - low) / (2.0 * self.amplitude)

    @cached_property
    def half_width(self) -> float:
        """Half of the largest distance of the branches, at one deflection."""
        return 0.5 * float(np.max(self.up - self.down))

    def slope_after_reversal(self, share: float = 0.05) -> float:
        """Of the force, over the first part of both branches."""
        n = max(int(share * self.u.size), 3)
        up = np.polyfit(self.u[:n], self.up[:n], 1)[0]
        down = np.polyfit(self.u[-n:], self.down[-n:], 1)[0]
        return 0.5 * float(up + down)

    def without(self, force: Callable[[Array], Array]) -> LoopGeometry:
        """With a force that depends on deflection alone taken off."""
        rising, falling = (own._replace(f=own.f - force(own.u)) for own in (self.rising, self.falling))
        beside = force(self.u)
        return replace(self, up=self.up - beside, down=self.down - beside, rising=rising, falling=falling)


def measure_geometry(loop: Loop) -> LoopGeometry:
    """Means over full cycles, else the longest branches."""
    parts = loop.cycles or (loop,)
    rate = np.zeros_like(loop.u) if loop.t is None else sample_rates(loop.u, loop.t)
    ups: list[BranchSamples] = []
    downs: list[BranchSamples] = []
    for a, b in whole_branches(loop):
        own = BranchSamples(loop.u[a : b + 1], loop.f[a : b + 1], rate[a : b + 1])
        (ups if own.u[-1] > own.u[0] else downs).append(own)
    if not ups and not downs:
        raise InvalidInput(f"{loop.name}: no branch goes over half of the range of deflection; no reversal is found")
    low = max(min(own.u.min() for own in side) for side in (ups, downs) if side)
    high = min(max(own.u.max() for own in side) for side in (ups, downs) if side)
    grid = np.linspace(low, high, BRANCH_GRID_POINTS)
    up = np.mean([interpolate_branch(grid, own.u, own.f) for own in ups], axis=0) if ups else None
    down = np.mean([interpolate_branch(grid, own.u, own.f) for own in downs], axis=0) if downs else None
    rising, falling = (_pooled(side) for side in (ups, downs))
    if up is None or down is None:
        one = up if up is not None else down
        assert one is not None
        ends = one[0] + one[-1]
        other = ends - one[::-1]  # Masing: a branch turned about the middle
        up, down = (one, other) if up is not None else (other, one)
        there = rising if rising.u.size else falling
        turned = BranchSamples((low + high) - there.u[::-1], ends - there.f[::-1], -there.v[::-1])
        rising, falling = (there, turned) if rising.u.size else (turned, there)
    period = None
    if loop.t is not None and parts[0] is not loop:
        period = float(np.mean([cycle_period(p.t) for p in parts if p.t is not None]))
    return LoopGeometry(
        grid, up, down, rising, falling, period, loop.noise, loop.name, loop.system, _unsteady_reason(loop)
    )


def _pooled(branches: list[BranchSamples]) -> BranchSamples:
    """All samples of some branches, in the order of deflection."""
    if not branches:
        return BranchSamples(np.empty(0), np.empty(0), np.empty(0))
    u, f, v = (np.concatenate(column) for column in zip(*branches, strict=True))
    order = np.argsort(u, kind="stable")
    return BranchSamples(u[order], f[order], v[order])


def whole_branches(loop: Loop) -> list[tuple[int, int]]:
    """Branches over nearly the whole range; the first is left out where others are there, as it may be virgin.

    Of those of one amplitude, the few that turn elsewhere are left out, too: the motion was still to get going.
    """
    longest = _longest_branch_length(loop)
    whole = [
        (a, b)
        for a, b in pairwise(loop.turning.turns.tolist())
        if _branch_length(loop, a, b) > WHOLE_BRANCH_SHARE * longest
    ]
    later = [pair for pair in whole if pair[0] > 0]
    ways = {np.sign(loop.u[b] - loop.u[a]) for a, b in later}
    whole = later if len(ways) == 2 else whole
    off = {
        end
        for ends in _branch_reversals(loop, whole)
        for end in ends[_deviating_reversals(loop.u[ends], longest)].tolist()
    }
    steady = [pair for pair in whole if not off & set(pair)]
    return steady if len(steady) >= ALIKE_BRANCHES_SHARE * len(whole) else whole


def _branch_reversals(loop: Loop, branches: list[tuple[int, int]]) -> list[NDArray[np.intp]]:
    """Upper and lower reversals of branches; the ends of the data are none."""
    inner = np.array(sorted({end for pair in branches for end in pair} & set(loop.turning.turns[1:-1].tolist())), int)
    high = loop.u[inner] > 0.5 * (loop.u.min() + loop.u.max())
    return [inner[high], inner[~high]]


def _deviating_reversals(ends: Array, longest: float) -> NDArray[np.bool_]:
    """Which reversals lie off the others."""
    return (
        np.abs(ends - np.median(ends)) > 0.5 * SAME_REVERSAL_SHARE * longest if ends.size else np.zeros(0, dtype=bool)
    )


def _branch_length(loop: Loop, a: int, b: int) -> float:
    return abs(float(loop.u[b] - loop.u[a]))


def _longest_branch_length(loop: Loop) -> float:
    return float(np.max(np.abs(np.diff(loop.u[loop.turning.turns]))))


def _unsteady_reason(loop: Loop) -> str:
    """Why a motion is not of one amplitude, in words: a rule that reads one loop has none to read then.

    Ends of the data are no reversals; the first branch may be virgin, and the last one cut short. A few cycles to get
    going are left out, and do no harm.
    """
    turns, longest = loop.turning.turns.tolist(), _longest_branch_length(loop)
    inner = [(a, b) for a, b in pairwise(turns[1:-1])]
    whole = [pair for pair in inner if _branch_length(loop, *pair) > WHOLE_BRANCH_SHARE * longest]
    words = loop.units.deflection.words
    if 2 * len(whole) < len(inner):
        ways = [_branch_length(loop, *pair) for pair in inner]
        return f"branches go over {words(min(ways), 3)} to {words(max(ways), 3)}"
    for side, ends in zip(("upper", "lower"), _branch_reversals(loop, whole_branches(loop)), strict=True):
        u = loop.u[ends]
        if _deviating_reversals(u, longest).any():
            return f"its {side} reversals lie from {words(float(u.min()), 3)} to {words(float(u.max()), 3)}"
    return ""


def interpolate_branch(grid: Array, u: Array, f: Array) -> Array:
    """The force of a branch at deflections; samples are put in order first, which takes out small wiggles."""
    order = np.argsort(u, kind="stable")
    return np.interp(grid, u[order], f[order])
