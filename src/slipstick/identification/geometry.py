"""The geometry of a loop: its branches over the same deflections, tips, slopes, widths and area.

Rules of the papers and start values of searches are read from here. Branches are means over all full cycles, or the
longest rising and falling branch where there is no full cycle.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from slipstick.errors import InvalidInput
from slipstick.identification.loop import Loop

Array = NDArray[np.float64]

GRID = 201  # deflections at which branches are compared


@dataclass(frozen=True)
class Geometry:
    """u : (m,) deflections from the lower to the upper reversal.   up, down : (m,) force of the branches.

    A loop without a falling branch has that of its rising one, turned about the middle, and the other way round.
    """

    u: Array
    up: Array
    down: Array
    period: float | None  # s, of a cycle

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

    @cached_property
    def area(self) -> float:
        """The energy that a cycle takes: the integral of force over deflection around it."""
        return float(np.trapezoid(self.up - self.down, self.u))

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

    def lines(self, share: float = 0.15) -> tuple[tuple[float, float], tuple[float, float]]:
        """(b, a), (e, d): straight lines through the last part of the rising and of the falling branch."""
        n = max(int(share * self.u.size), 3)
        a, b = np.polyfit(self.u[-n:], self.up[-n:], 1)
        d, e = np.polyfit(self.u[:n], self.down[:n], 1)
        return (float(b), float(a)), (float(e), float(d))


def geometry_of(loop: Loop) -> Geometry:
    """Means over full cycles, else the longest branches."""
    parts = loop.cycles or (loop,)
    ups: list[tuple[Array, Array]] = []
    downs: list[tuple[Array, Array]] = []
    for a, b in _whole_branches(loop):
        u, f = loop.u[a : b + 1], loop.f[a : b + 1]
        (ups if u[-1] > u[0] else downs).append((u, f))
    if not ups and not downs:
        raise InvalidInput(f"{loop.name}: no branch goes over half of the range of deflection; no reversal is found")
    low = max(min(u.min() for u, _ in side) for side in (ups, downs) if side)
    high = min(max(u.max() for u, _ in side) for side in (ups, downs) if side)
    grid = np.linspace(low, high, GRID)
    up = np.mean([_on(grid, u, f) for u, f in ups], axis=0) if ups else None
    down = np.mean([_on(grid, u, f) for u, f in downs], axis=0) if downs else None
    if up is None or down is None:
        one = up if up is not None else down
        assert one is not None
        other = (one[0] + one[-1]) - one[::-1]  # Masing: a branch turned about the middle
        up, down = (one, other) if up is not None else (other, one)
    period = None
    if loop.t is not None and parts[0] is not loop:
        period = float(np.mean([p.t[-1] - p.t[0] for p in parts if p.t is not None]))
    return Geometry(grid, up, down, period)


def _whole_branches(loop: Loop) -> list[tuple[int, int]]:
    """Branches over nearly the whole range; the first is left out where others are there, as it may be virgin."""
    turns = loop.turning.turns
    pairs = [(int(a), int(b)) for a, b in pairwise(turns)]
    longest = max(abs(loop.u[b] - loop.u[a]) for a, b in pairs)
    whole = [(a, b) for a, b in pairs if abs(loop.u[b] - loop.u[a]) > 0.9 * longest]
    later = [pair for pair in whole if pair[0] > 0]
    ways = {np.sign(loop.u[b] - loop.u[a]) for a, b in later}
    return later if len(ways) == 2 else whole


def _on(grid: Array, u: Array, f: Array) -> Array:
    order = np.argsort(u, kind="stable")
    return np.interp(grid, u[order], f[order])
