"""The curve between two neighbouring points, and any point of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from slipstick.errors import NotConverged
from slipstick.periodic.corrector import PATIENT, Located, correct, newton_at, scale_of, tangent_at
from slipstick.periodic.family import Family
from slipstick.results.orbit import OrbitPoint

Array = NDArray[np.float64]
Complex = NDArray[np.complex128]

LOCATED = 1e-10  # length along the curve to which a special point is found, where it can be
# what a look at an orbit may raise; a curve is not lost for it
TROUBLES = (NotConverged, np.linalg.LinAlgError, ValueError, ArithmeticError)
NEUTRAL = 2e-6  # a multiplier so near to +1 is one for ever: a slider that never slips, a gear train that turns


class Beside(NamedTuple):
    """A point beside a stretch: length : from the stretch's end to it.   end : which, 0 or 1."""

    length: float
    end: int
    multipliers: Complex


class Stretch:
    """From one located point to the next; lengths are measured from the first along its tangent, or by the parameter
    where a band of orbits opens.

    hurried : what is hard to locate on it is not looked for.   troubles : places without an orbit that were met.
    beside : what is known of multipliers beside it.   doubtful : where one passes one and the equations say nothing.
    """

    hurried = False
    troubles = 0
    beside: Sequence[Beside] = ()

    def __init__(self, family: Family, a: Located, b: Located, ends: tuple[OrbitPoint, OrbitPoint]) -> None:
        self.family, self.a, self.b = family, a, b
        self.doubtful: list[float] = []
        own = family.mirrored(a.x, a.p)
        self._own = family if own is None or family.mirrored(b.x, b.p) is None else own  # as its path was followed
        stuck = [neutral_ones(end.multipliers) for end in ends]
        self.opens_band = stuck[0] != stuck[1] and a.tangent[-1] * b.tangent[-1] > 0.0  # something begins to slip
        # where a band opens the curve may turn by more than a right angle, though its parameter goes on
        self.length = abs(b.p - a.p) / float(a.scale[-1]) if self.opens_band else a.ahead(b.z)
        self._located, self._points = {0.0: a, self.length: b}, {0.0: ends[0], self.length: ends[1]}

    def located(self, along: float, retries: bool = True) -> Located:
        """The point where the plane across the first tangent, so far ahead, cuts the curve; retries : see `correct`."""
        if along not in self._located:
            if self.opens_band:
                self._located[along] = self._at_parameter(along)
            else:
                self._located[along] = correct(self._own, self._guess(along), self.a.plane(along), retries=retries)
        return self._located[along]

    def _at_parameter(self, along: float) -> Located:
        """The point at the value of the parameter so far ahead: a plane cuts a band that opens in many orbits."""
        part, family = along / self.length, self.family
        p = self.a.p + part * (self.b.p - self.a.p)
        guess = self.a.z + part * (self.b.z - self.a.z)
        try:
            found = newton_at(family, guess, p, self.a.scale, PATIENT)
        except NotConverged:  # where the band is all but closed, hardly anything leads there but periods
            near = family.solved_near(guess[:-1], p)
            if near is None:
                raise
            return self.a._replace(z=np.append(near.x, p), iterations=near.iterations, residual=near.residual)
        return found._replace(z=np.append(family.middle(found.x, p), p))

    def point(self, along: float) -> OrbitPoint:
        """The orbit there."""
        if along not in self._points:
            self._points[along] = finished(self.family, self.located(along))
        return self._points[along]

    def root(
        self, value: Callable[[float], float], to: float = LOCATED, within: tuple[float, float] | None = None
    ) -> float:
        """Where a function along the stretch, or within a part of it, changes its sign, to a length; `NotConverged`
        where it has no value."""
        from scipy.optimize import brentq  # a tenth of a second that most curves do not need

        try:
            found = brentq(value, *(within or (0.0, self.length)), xtol=to, rtol=1e-15, disp=False)
        except ValueError as problem:  # a value that is not a number, or signs that differ no more
            raise NotConverged(f"what changes its sign there has no root ({problem})") from None
        return float(found)

    def _guess(self, along: float) -> Array:
        """A cubic through both ends with their tangents; where the second runs across, a line."""
        a, b, part = self.a, self.b, along / self.length
        first, second = self.length * a.slope, b.slope
        across = float(a.tangent @ (second / a.scale))
        if across < 0.1:
            return np.asarray(a.z + part * (b.z - a.z))
        second = second * (self.length / across)
        rest = 1.0 - part
        ends = (1.0 + 2.0 * part) * rest**2 * a.z + (1.0 + 2.0 * rest) * part**2 * b.z
        return np.asarray(ends + part * rest * (rest * first - part * second))


def finished(family: Family, located: Located) -> OrbitPoint:
    """The orbit at a point of the curve, with what it took to find it."""
    point = family.point(located.x, located.p)
    return replace(point, residual=located.residual, iterations=located.iterations)


def neutral_ones(multipliers: Complex) -> int:
    """How many are one for ever."""
    return int(np.count_nonzero(np.abs(multipliers - 1.0) <= NEUTRAL))


def stretch_between(family: Family, points: Sequence[OrbitPoint], first: int, span: float) -> Stretch:
    """The stretch from a point of a curve to the next one; span : of the parameter, by which lengths are measured."""
    a, b = (_placed(family, points, k, span) for k in (first, first + 1))
    return Stretch(family, a, b, (points[first], points[first + 1]))


def _placed(family: Family, points: Sequence[OrbitPoint], k: int, span: float) -> Located:
    """A point of a curve with its tangent, which leads from the point before it to the one after."""
    before, here, after = (_unknowns(points[i]) for i in (max(k - 1, 0), k, min(k + 1, len(points) - 1)))
    scale = scale_of(family, here, span)
    tangent = tangent_at(family, here, scale, (after - before) / scale)
    return Located(here, scale, tangent, points[k].iterations, points[k].residual)


def _unknowns(point: OrbitPoint) -> Array:
    return np.append(point.x, point.p)
