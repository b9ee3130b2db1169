"""The backbone of loops: the force amplitude between tips over the deflection amplitude.

One file with several amplitudes gives as many points as several files. A cycle counts if the motion returned to its
tip, or exceeded all earlier ones. The first cycle after a larger one does neither, as the law remembers the larger one.
A point is half the distance between two tips. For laws with Masing's rule this is the virgin curve, even if a preload
or an earlier motion has shifted the loop.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from slipstick.arrays import Array
from slipstick.identification import tolerances as tol
from slipstick.identification.preparing.cycle_figures import enclosed_area
from slipstick.identification.preparing.reversals import detect_reversals
from slipstick.results.fit import LoopFit

MIN_CURVE_AMPLITUDES = 3  # for a curve over amplitude


class AmplitudeLevel(NamedTuple):
    """Cycles of one amplitude.

    amplitude : half their range.   measured, fitted : half the force between their tips.
    energy_error : relative error of the law's energy; NaN if no cycle is closed.
    """

    amplitude: float
    measured: float
    fitted: float
    energy_error: float


class BackbonePoint(NamedTuple):
    """amplitude, force : half ranges between tips.   middle, level : mean deflection and force of the tips."""

    amplitude: float
    force: float
    middle: float
    level: float


class _TipPair(NamedTuple):
    """Samples up to an upper reversal and up to the adjacent lower one, and the closed cycle that ends there."""

    amplitude: float
    top: NDArray[np.intp]
    bottom: NDArray[np.intp]
    cycle: slice | None


def amplitude_levels_of(loops: Sequence[LoopFit]) -> list[AmplitudeLevel]:
    """Levels of all loops by ascending amplitude; levels of different loops stay separate, as rates may differ."""
    return sorted((level for loop in loops for level in _loop_levels(loop)), key=lambda level: level.amplitude)


def backbone_points_of(u: Array, force: Array) -> list[BackbonePoint]:
    """Backbone of one motion with several amplitudes, ascending; each point comes from closed cycles."""
    points = []
    for tips in _group_tips([tip for tip in _tips(u) if tip.cycle is not None]):
        ends = np.array(
            [[_end_force(u, x, part) for part in (tip.bottom, tip.top)] for tip in tips for x in (u, force)]
        )
        (amplitude, force_amplitude), (middle, level) = (
            np.mean(part.reshape(-1, 2), axis=0).tolist() for part in (0.5 * np.diff(ends)[:, 0], ends.mean(axis=1))
        )
        points.append(BackbonePoint(amplitude, force_amplitude, middle, level))
    return points


def _loop_levels(loop: LoopFit) -> list[AmplitudeLevel]:
    levels = [_make_level(loop, group) for group in _group_tips(_tips(loop.u) or [_extreme_tips(loop)])]
    return levels if len(levels) > 1 else [levels[0]._replace(energy_error=loop.energy_error)]  # as in tables of fits


def _group_tips(tips: Sequence[_TipPair]) -> list[list[_TipPair]]:
    """Tips grouped by amplitude, ascending."""
    alike: list[list[_TipPair]] = []
    for tip in sorted(tips, key=lambda tip: tip.amplitude):
        if alike and tip.amplitude <= (1.0 + tol.SAME_AMPLITUDE_REL) * alike[-1][0].amplitude:
            alike[-1].append(tip)
        else:
            alike.append([tip])
    return alike


def has_curve_of_amplitudes(levels: Sequence[AmplitudeLevel]) -> bool:
    """True if there are enough different amplitudes for a curve."""
    count, last = 0, 0.0
    for amplitude in sorted(level.amplitude for level in levels):
        if amplitude > (1.0 + tol.SAME_AMPLITUDE_REL) * last:
            count, last = count + 1, amplitude
    return count >= MIN_CURVE_AMPLITUDES


def _tips(u: Array) -> list[_TipPair]:
    """Pairs of tips on the backbone, one for each upper reversal."""
    turns, pairs = detect_reversals(u).turns.tolist(), []
    for i in range(1, len(turns) - 1):
        rise = float(u[turns[i]] - u[turns[i - 1]])
        returned = i > 2 and abs(u[turns[i]] - u[turns[i - 2]]) <= 0.5 * tol.SAME_AMPLITUDE_REL * rise
        largest = i == 1 or u[turns[i]] > u[turns[1:i]].max()
        if rise < 0.0 or not (returned or largest):
            continue
        j = i - 1 if returned or (i == len(turns) - 2 and i > 1) else i + 1  # the end of the data is no reversal
        span = float(u[turns[i]] - u[turns[j]])
        cycle = slice(turns[i - 2], turns[i]) if returned else None
        top, bottom = _samples_before_tip(u, turns, i, span), _samples_before_tip(-u, turns, j, span)
        pairs.append(_TipPair(0.5 * span, top, bottom, cycle))
    return pairs


def _samples_before_tip(u: Array, turns: list[int], i: int, span: float) -> NDArray[np.intp]:
    """Samples just before an upper reversal; after it the friction force drops at once."""
    return _up_to(u, turns[max(i - 1, 0)], turns[i], 0.5 * tol.TIP_AMPLITUDE_SHARE * span)


def _up_to(u: Array, begin: int, top: int, near: float) -> NDArray[np.intp]:
    return begin + np.flatnonzero(u[begin : top + 1] >= u[top] - near)


def _extreme_tips(loop: LoopFit) -> _TipPair:
    """Tips of a loop without an upper reversal: its largest and smallest deflection."""
    u, near = loop.u, tol.TIP_AMPLITUDE_SHARE * loop.amplitude
    ends = [int(np.flatnonzero(x == x.max())[-1]) for x in (u, -u)]  # a closed cycle may end where it begins
    top, bottom = (_up_to(x, min(ends) if end > min(ends) else 0, end, near) for x, end in zip((u, -u), ends))
    return _TipPair(loop.amplitude, top, bottom, None)


def _make_level(loop: LoopFit, tips: Sequence[_TipPair]) -> AmplitudeLevel:
    cycles = [tip.cycle for tip in tips if tip.cycle is not None]
    amplitude = float(np.mean([tip.amplitude for tip in tips]))
    areas = [[enclosed_area(loop.u[cycle], f[cycle]) for cycle in cycles] for f in (loop.f, loop.fitted)]
    measured, fitted = (float(np.median(each)) if each else 0.0 for each in areas)
    is_noise = measured <= loop.noise * amplitude  # as in `LoopFit.energy_error`
    error = float("nan") if is_noise else (fitted - measured) / measured
    return AmplitudeLevel(
        amplitude, _half_force_range(loop.u, loop.f, tips), _half_force_range(loop.u, loop.fitted, tips), error
    )


def _half_force_range(u: Array, force: Array, tips: Sequence[_TipPair]) -> float:
    """Half the force from the lower to the upper tip."""
    return float(np.mean([0.5 * (_end_force(u, force, tip.top) - _end_force(u, force, tip.bottom)) for tip in tips]))


def _end_force(u: Array, force: Array, places: NDArray[np.intp]) -> float:
    """Force at the last of some samples, by a polynomial through all of them.

    Its variable is the root of the distance to the tip, which is proportional to time there: a damper adds a linear
    term, a spring a quadratic one.
    """
    degree = 2 if places.size >= 8 else 1 if places.size >= 4 else 0
    if degree == 0:
        return float(force[places[-1]])
    root = np.sqrt(np.abs(u[places] - u[places[-1]]))
    return float(np.polynomial.polynomial.polyfit(root, force[places], degree)[0])
