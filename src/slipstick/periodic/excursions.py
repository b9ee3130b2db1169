"""Multipliers that leave the unit circle and come back between two neighbouring points, or enter it so.

Between points moduli are not known. How fast they change there is taken from how fast they change beside: where one
that goes on so could get across the circle, orbits in between are looked at, until none can, or one is across. One that
is on the circle but for rounding, where nothing dissipates, is not across: it must be so by more than that.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from slipstick.periodic.corrector import Located
from slipstick.periodic.stretch import NEUTRAL, TROUBLES, Beside, Stretch, neutral_ones
from slipstick.results.orbit import OrbitPoint

Array = NDArray[np.float64]
Complex = NDArray[np.complex128]

MOST = 6  # orbits that are looked at between two points for one multiplier
NEAR = 0.5  # of one: moduli farther from it are not asked for
CAUTION = 1.5  # times as fast as beside, a modulus may change between two points


def with_next(
    orbits: Iterator[OrbitPoint | Exception],
) -> Iterator[tuple[OrbitPoint | Exception, OrbitPoint | Exception | None]]:
    """Each with the one behind it; None behind the last, also where Ctrl-C keeps the one behind from being found."""
    here = next(orbits, None)
    while here is not None:
        try:
            behind = next(orbits, None)
        except KeyboardInterrupt:
            yield here, None
            raise
        yield here, behind
        here = behind


def beside_of(
    located: list[Located], k: int, earlier: OrbitPoint | None, behind: OrbitPoint | Exception | None
) -> list[Beside]:
    """What is known beside the stretch that ends at point k."""
    found: list[Beside] = []
    for end, own, first, last in ((0, earlier, k - 2, k - 1), (1, behind, k, k + 1)):
        if isinstance(own, OrbitPoint):
            found.append(Beside(abs(located[first].ahead(located[last].z)), end, own.multipliers))
    return found


def moduli(multipliers: Complex, neutral: int) -> Array:
    """(k,) the largest first, without those that are one for ever."""
    return np.asarray(np.sort(np.abs(without(multipliers, neutral)))[::-1])


def without(multipliers: Complex, neutral: int) -> Complex:
    """The multipliers but for so many that are nearest to one."""
    return multipliers[np.argsort(np.abs(multipliers - 1.0))[neutral:]]


def could_cross(length: float, first: Complex, last: Complex, beside: Sequence[Beside]) -> list[int]:
    """Numbers, by size, of the moduli that are on the same side of one at both ends, and could be across between."""
    neutral = neutral_ones(first)
    if first.size != last.size or neutral != neutral_ones(last) or not first.size > neutral or not length > 0.0:
        return []
    a, b = (moduli(each, neutral) - 1.0 for each in (first, last))
    speed = np.abs(b - a) / length
    for each in beside:
        if each.multipliers.size == first.size and each.length > 0.0:
            own = moduli(each.multipliers, neutral) - 1.0
            speed = np.maximum(speed, np.abs(own - (b if each.end else a)) / each.length)
    reached = 0.5 * CAUTION * speed * length - 0.5 * np.abs(a + b)
    least = np.minimum(np.abs(a), np.abs(b))
    near = (least < NEAR) & (least > NEUTRAL)
    return [int(k) for k in np.flatnonzero((a * b > 0.0) & near & (reached > 0.0))]


def across(stretch: Stretch, k: int, beside: Sequence[Beside]) -> float | None:
    """How far along a stretch the k-th largest modulus is on the other side of one than at both ends; None: nowhere.

    Halved is the part in which it could get farthest, by the largest of the speeds that are known.
    """
    ends = [stretch.point(s).multipliers for s in (0.0, stretch.length)]
    neutral = neutral_ones(ends[0])
    places = [0.0, stretch.length]
    values = [float(moduli(each, neutral)[k]) - 1.0 for each in ends]
    side, speed = float(np.sign(values[0])), 0.0
    for each in beside:
        own = moduli(each.multipliers, neutral)
        if each.length > 0.0 and k < own.size:
            speed = max(speed, abs(float(own[k]) - 1.0 - values[each.end]) / each.length)
    for _ in range(MOST):
        lengths, steps = np.diff(places), np.diff(values)
        fastest = max(speed, float((np.abs(steps) / lengths).max()))
        sums = side * (np.array(values[:-1]) + np.array(values[1:]))
        reached = 0.5 * (CAUTION * fastest * lengths - sums)
        part = int(np.argmax(reached))
        if not reached[part] > 0.0:
            return None
        middle = 0.5 * (places[part] + places[part + 1])
        try:
            own = moduli(stretch.point(middle).multipliers, neutral)
        except TROUBLES:
            return None
        if k >= own.size:
            return None
        if side * (float(own[k]) - 1.0) < -NEUTRAL:
            return middle
        places.insert(part + 1, middle)
        values.insert(part + 1, float(own[k]) - 1.0)
        speed *= 0.5 ** (1.0 / MOST)  # what is measured nearer counts more
    return None
