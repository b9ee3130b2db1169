"""The backbone: the amplitude of the force between tips of loops, over that of the deflection.

One file with several amplitudes has as many points of it as several files. A cycle counts where the motion came back to
its tip, or went beyond all that was before. The first one after a larger one does neither: it still remembers that.
Half of what lies between the two tips is meant: of laws by Masing's rule that is the curve from rest, also where a
preload, or what was before, has moved the loop.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from slipstick.identification.figures import area_around
from slipstick.identification.turning import turning_of
from slipstick.results.fit import LoopFit

Array = NDArray[np.float64]

AGAIN = 0.05  # of an amplitude: tips and amplitudes that differ by less are alike
TIP = 0.01  # of an amplitude: samples so near to a reversal, and before it, tell its force; one alone is noise
FEWEST = 3  # amplitudes of a curve over them


class Level(NamedTuple):
    """Cycles of one amplitude.

    amplitude : half of their range.   measured, fitted : half of the force between their tips.
    energy_error : by how much more energy the law takes, as a share; not a number where no cycle is closed.
    """

    amplitude: float
    measured: float
    fitted: float
    energy_error: float


class Point(NamedTuple):
    """Of a backbone.   amplitude, force : half ranges between tips.   middle, level : what they are about."""

    amplitude: float
    force: float
    middle: float
    level: float


class _Tip(NamedTuple):
    """Samples up to an upper reversal and up to the lower one beside it; the cycle that ends there, if it is closed."""

    amplitude: float
    top: NDArray[np.intp]
    bottom: NDArray[np.intp]
    cycle: slice | None


def levels_of(loops: Sequence[LoopFit]) -> list[Level]:
    """Of all loops, the smallest amplitude first; each has its own, as they may be of other rates."""
    return sorted((level for loop in loops for level in _levels(loop)), key=lambda level: level.amplitude)


def points_of(u: Array, force: Array) -> list[Point]:
    """The backbone of one motion in blocks of several amplitudes, the smallest first; a cycle of each is closed."""
    found = []
    for tips in _alike([tip for tip in _tips(u) if tip.cycle is not None]):
        ends = np.array([[_at_end(u, x, part) for part in (tip.bottom, tip.top)] for tip in tips for x in (u, force)])
        (way, gain), (middle, level) = (
            np.mean(own.reshape(-1, 2), axis=0).tolist() for own in (0.5 * np.diff(ends)[:, 0], ends.mean(axis=1))
        )
        found.append(Point(way, gain, middle, level))
    return found


def _levels(loop: LoopFit) -> list[Level]:
    return [_level(loop, group) for group in _alike(_tips(loop.u) or [_ends(loop)])]


def _alike(tips: Sequence[_Tip]) -> list[list[_Tip]]:
    """Tips of one amplitude together, the smallest first."""
    alike: list[list[_Tip]] = []
    for tip in sorted(tips, key=lambda tip: tip.amplitude):
        if alike and tip.amplitude <= (1.0 + AGAIN) * alike[-1][0].amplitude:
            alike[-1].append(tip)
        else:
            alike.append([tip])
    return alike


def is_curve(levels: Sequence[Level]) -> bool:
    """True if there are amplitudes enough for a curve over them; those that are alike count once."""
    count, last = 0, 0.0
    for amplitude in sorted(level.amplitude for level in levels):
        if amplitude > (1.0 + AGAIN) * last:
            count, last = count + 1, amplitude
    return count >= FEWEST


def _tips(u: Array) -> list[_Tip]:
    """Upper reversals on the backbone."""
    turns, found = turning_of(u).turns.tolist(), []
    for i in range(1, len(turns) - 1):
        way = float(u[turns[i]] - u[turns[i - 1]])
        back = i > 2 and abs(u[turns[i]] - u[turns[i - 2]]) <= 0.5 * AGAIN * way
        beyond = i == 1 or u[turns[i]] > u[turns[1:i]].max()
        if way < 0.0 or not (back or beyond):
            continue
        j = i - 1 if back or (i == len(turns) - 2 and i > 1) else i + 1  # the end of the data is no reversal
        way = float(u[turns[i]] - u[turns[j]])
        cycle = slice(turns[i - 2], turns[i]) if back else None
        found.append(_Tip(0.5 * way, _near(u, turns, i, way), _near(-u, turns, j, way), cycle))
    return found


def _near(u: Array, turns: list[int], i: int, way: float) -> NDArray[np.intp]:
    """Samples on the way up to an upper reversal; beyond it friction turns round, and the force falls at once."""
    return _up_to(u, turns[max(i - 1, 0)], turns[i], 0.5 * TIP * way)


def _up_to(u: Array, begin: int, top: int, near: float) -> NDArray[np.intp]:
    return begin + np.flatnonzero(u[begin : top + 1] >= u[top] - near)


def _ends(loop: LoopFit) -> _Tip:
    """Of a loop that does not turn at the top: where it is largest and smallest."""
    u, near = loop.u, TIP * loop.amplitude
    ends = [int(np.flatnonzero(way == way.max())[-1]) for way in (u, -u)]  # a closed cycle may end where it begins
    top, bottom = (_up_to(way, min(ends) if end > min(ends) else 0, end, near) for way, end in zip((u, -u), ends))
    return _Tip(loop.amplitude, top, bottom, None)


def _level(loop: LoopFit, tips: Sequence[_Tip]) -> Level:
    cycles = [tip.cycle for tip in tips if tip.cycle is not None]
    amplitude = float(np.mean([tip.amplitude for tip in tips]))
    areas = [[area_around(loop.u[own], f[own]) for own in cycles] for f in (loop.f, loop.fitted)]
    taken, law = (float(np.median(own)) if own else 0.0 for own in areas)
    is_noise = taken <= loop.noise * amplitude  # as `LoopFit.energy_error` has it
    error = float("nan") if is_noise else (law - taken) / taken
    return Level(amplitude, _between(loop.u, loop.f, tips), _between(loop.u, loop.fitted, tips), error)


def _between(u: Array, force: Array, tips: Sequence[_Tip]) -> float:
    """Half of the force from the lower to the upper tip."""
    return float(np.mean([0.5 * (_at_end(u, force, tip.top) - _at_end(u, force, tip.bottom)) for tip in tips]))


def _at_end(u: Array, force: Array, places: NDArray[np.intp]) -> float:
    """The force at the last of some samples, from all of them.

    Over the root of the way to it, which near a tip goes as the time does: what a damper adds is a line over that, what
    a spring adds its square.
    """
    degree = 2 if places.size >= 8 else 1 if places.size >= 4 else 0
    if degree == 0:
        return float(force[places[-1]])
    left = np.sqrt(np.abs(u[places] - u[places[-1]]))
    return float(np.polynomial.polynomial.polyfit(left, force[places], degree)[0])
