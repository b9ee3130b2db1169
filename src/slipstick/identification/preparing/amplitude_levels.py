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

from slipstick.identification.preparing.cycle_figures import enclosed_area
from slipstick.identification.preparing.reversals import detect_reversals
from slipstick.results.fit import LoopFit

Array = NDArray[np.float64]

SAME_AMPLITUDE_REL = 0.05  # of an amplitude: tips and amplitudes that differ by less are alike
# of an amplitude: samples so near to a reversal, and before it, tell its force; one alone is noise
TIP_AMPLITUDE_SHARE = 0.01
MIN_CURVE_AMPLITUDES = 3  # amplitudes of a curve over them


class AmplitudeLevel(NamedTuple):
    """Cycles of one amplitude.

    amplitude : half of their range.   measured, fitted : half of the force between their tips.
    energy_error : by how much more energy the law takes, as a share; not a number where no cycle is closed.
    """

    amplitude: float
    measured: float
    fitted: float
    energy_error: float


class BackbonePoint(NamedTuple):
    """Of a backbone.   amplitude, force : half ranges between tips.   middle, level : what they are about."""

    amplitude: float
    force: float
    middle: float
    level: float


class _TipPair(NamedTuple):
    """Samples up to an upper reversal and up to the lower one beside it; the cycle that ends there, if it is closed."""

    amplitude: float
    top: NDArray[np.intp]
    bottom: NDArray[np.intp]
    cycle: slice | None


def amplitude_levels_of(loops: Sequence[LoopFit]) -> list[AmplitudeLevel]:
    """Of all loops, the smallest amplitude first; each has its own, as they may be of other rates."""
    return sorted((level for loop in loops for level in _loop_levels(loop)), key=lambda level: level.amplitude)


def backbone_points_of(u: Array, force: Array) -> list[BackbonePoint]:
    """The backbone of one motion in blocks of several amplitudes, the smallest first; a cycle of each is closed."""
    found = []
    for tips in _group_tips([tip for tip in _tips(u) if tip.cycle is not None]):
        ends = np.array(
            [[_end_force(u, x, part) for part in (tip.bottom, tip.top)] for tip in tips for x in (u, force)]
        )
        (way, gain), (middle, level) = (
            np.mean(own.reshape(-1, 2), axis=0).tolist() for own in (0.5 * np.diff(ends)[:, 0], ends.mean(axis=1))
        )
        found.append(BackbonePoint(way, gain, middle, level))
    return found


def _loop_levels(loop: LoopFit) -> list[AmplitudeLevel]:
    found = [_make_level(loop, group) for group in _group_tips(_tips(loop.u) or [_extreme_tips(loop)])]
    return found if len(found) > 1 else [found[0]._replace(energy_error=loop.energy_error)]  # as every table has it


def _group_tips(tips: Sequence[_TipPair]) -> list[list[_TipPair]]:
    """Tips of one amplitude together, the smallest first."""
    alike: list[list[_TipPair]] = []
    for tip in sorted(tips, key=lambda tip: tip.amplitude):
        if alike and tip.amplitude <= (1.0 + SAME_AMPLITUDE_REL) * alike[-1][0].amplitude:
            alike[-1].append(tip)
        else:
            alike.append([tip])
    return alike


def has_curve_of_amplitudes(levels: Sequence[AmplitudeLevel]) -> bool:
    """True if there are amplitudes enough for a curve over them; those that are alike count once."""
    count, last = 0, 0.0
    for amplitude in sorted(level.amplitude for level in levels):
        if amplitude > (1.0 + SAME_AMPLITUDE_REL) * last:
            count, last = count + 1, amplitude
    return count >= MIN_CURVE_AMPLITUDES


def _tips(u: Array) -> list[_TipPair]:
    """Upper reversals on the backbone."""
    turns, found = detect_reversals(u).turns.tolist(), []
    for i in range(1, len(turns) - 1):
        way = float(u[turns[i]] - u[turns[i - 1]])
        back = i > 2 and abs(u[turns[i]] - u[turns[i - 2]]) <= 0.5 * SAME_AMPLITUDE_REL * way
        beyond = i == 1 or u[turns[i]] > u[turns[1:i]].max()
        if way < 0.0 or not (back or beyond):
            continue
        j = i - 1 if back or (i == len(turns) - 2 and i > 1) else i + 1  # the end of the data is no reversal
        way = float(u[turns[i]] - u[turns[j]])
        cycle = slice(turns[i - 2], turns[i]) if back else None
        found.append(
            _TipPair(0.5 * way, _samples_before_tip(u, turns, i, way), _samples_before_tip(-u, turns, j, way), cycle)
        )
    return found


def _samples_before_tip(u: Array, turns: list[int], i: int, way: float) -> NDArray[np.intp]:
    """Samples on the way up to an upper reversal; beyond it friction turns round, and the force falls at once."""
    return _up_to(u, turns[max(i - 1, 0)], turns[i], 0.5 * TIP_AMPLITUDE_SHARE * way)


def _up_to(u: Array, begin: int, top: int, near: float) -> NDArray[np.intp]:
    return begin + np.flatnonzero(u[begin : top + 1] >= u[top] - near)


def _extreme_tips(loop: LoopFit) -> _TipPair:
    """Of a loop that does not turn at the top: where it is largest and smallest."""
    u, near = loop.u, TIP_AMPLITUDE_SHARE * loop.amplitude
    ends = [int(np.flatnonzero(way == way.max())[-1]) for way in (u, -u)]  # a closed cycle may end where it begins
    top, bottom = (_up_to(way, min(ends) if end > min(ends) else 0, end, near) for way, end in zip((u, -u), ends))
    return _TipPair(loop.amplitude, top, bottom, None)


def _make_level(loop: LoopFit, tips: Sequence[_TipPair]) -> AmplitudeLevel:
    cycles = [tip.cycle for tip in tips if tip.cycle is not None]
    amplitude = float(np.mean([tip.amplitude for tip in tips]))
    areas = [[enclosed_area(loop.u[own], f[own]) for own in cycles] for f in (loop.f, loop.fitted)]
    taken, law = (float(np.median(own)) if own else 0.0 for own in areas)
    is_noise = taken <= loop.noise * amplitude  # as `LoopFit.energy_error` has it
    error = float("nan") if is_noise else (law - taken) / taken
    return AmplitudeLevel(
        amplitude, _half_force_range(loop.u, loop.f, tips), _half_force_range(loop.u, loop.fitted, tips), error
    )


def _half_force_range(u: Array, force: Array, tips: Sequence[_TipPair]) -> float:
    """Half of the force from the lower to the upper tip."""
    return float(np.mean([0.5 * (_end_force(u, force, tip.top) - _end_force(u, force, tip.bottom)) for tip in tips]))


def _end_force(u: Array, force: Array, places: NDArray[np.intp]) -> float:
    """The force at the last of some samples, from all of them.

    Over the root of the way to it, which near a tip goes as the time does: what a damper adds is a line over that, what
    a spring adds its square.
    """
    degree = 2 if places.size >= 8 else 1 if places.size >= 4 else 0
    if degree == 0:
        return float(force[places[-1]])
    left = np.sqrt(np.abs(u[places] - u[places[-1]]))
    return float(np.polynomial.polynomial.polyfit(left, force[places], degree)[0])
