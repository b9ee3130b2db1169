"""`CurveSegment`: the curve between two neighbouring points, and any point on it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np

from slipstick.arrays import Array, Complex
from slipstick.errors import NotConverged
from slipstick.periodic.continuation.corrector import (
    MAX_START_STEPS,
    CurvePoint,
    Plane,
    correct,
    newton_at,
    scale_of,
    tangent_at,
)
from slipstick.periodic.continuation.family import Family
from slipstick.periodic.multipliers import NeighbourMultipliers, neutral_count
from slipstick.results.orbit import OrbitPoint

LOCATION_LENGTH = 1e-10  # length along the curve to which a special point is found, where it can be
# what a look at an orbit may raise; a curve is not lost for it
SOLVER_FAILURES = (NotConverged, np.linalg.LinAlgError, ValueError, ArithmeticError)
# of a bracket: places at which it is cut, the next one where there is no orbit
BRACKET_PARTS = (0.5, 0.4, 0.6, 0.25, 0.75, 0.1, 0.9)
MIDDLE_REL = 0.3  # of a part of a segment: a place so far from its middle serves as well
MAX_BRACKET_REL = 1e-2  # of a segment: a bracket that no orbit makes narrower is a root if it is as narrow as this


class ValuesOnDemand(dict[float, Complex]):
    """Values by place along a stretch; each is computed when it is first read."""

    def __init__(self, compute: Callable[[float], Complex]) -> None:
        self.compute = compute

    def __missing__(self, along: float) -> Complex:
        value = self[along] = self.compute(along)
        return value


class CurveSegment:
    """From one located point to the next; lengths are measured from the first along its tangent, or by the parameter
    where a band of orbits opens.

    multipliers : of the orbit at each place.
    skip_location : what is hard to locate on it is not looked for.   troubles : places without an orbit that were met.
    stalled : at one of them Newton's method did not converge.
    monotone_parts : in which multipliers go one way, once they are known.
    beside : what is known of multipliers beside it.   doubtful : where one passes one and the equations say nothing.
    """

    skip_location = False
    troubles = 0
    stalled = False
    beside: Sequence[NeighbourMultipliers] = ()
    monotone_parts: list[tuple[float, float]] | None = None

    def __init__(self, family: Family, a: CurvePoint, b: CurvePoint, ends: tuple[OrbitPoint, OrbitPoint]) -> None:
        self.family, self.a, self.b = family, a, b
        self.doubtful: list[float] = []
        own = family.mirrored(a.x, a.p)
        self._own = family if own is None or family.mirrored(b.x, b.p) is None else own  # as its path was followed
        stuck = neutral_count(ends[0].multipliers), neutral_count(ends[1].multipliers)
        self.band_opens = stuck[0] != stuck[1] and a.tangent[-1] * b.tangent[-1] > 0.0  # something begins to slip
        # where a band opens the curve may turn by more than a right angle, though its parameter goes on
        self.length = abs(b.p - a.p) / float(a.scale[-1]) if self.band_opens else a.ahead(b.z)
        self._located, self._points = {0.0: a, self.length: b}, {0.0: ends[0], self.length: ends[1]}
        self.multipliers = ValuesOnDemand(self._multipliers_at)

    @cached_property
    def apart(self) -> bool:
        """True where multipliers are found apart from the equations, so that one may pass +1 where these keep their
        rank."""
        a, b, family = self.a.z, self.b.z, self.family
        return (
            family.apart
            or family.has_separate_multipliers(a[:-1], float(a[-1]))
            or family.has_separate_multipliers(b[:-1], float(b[-1]))
        )

    def located(self, along: float, retries: bool = True) -> CurvePoint:
        """The point where the plane across the first tangent, so far ahead, cuts the curve; retries : see `correct`."""
        if along not in self._located:
            if self.band_opens:
                self._located[along] = self._at_parameter(along)
            else:
                a = self.a
                plane = Plane(a.tangent, a.z, a.scale, along)
                self._located[along] = correct(self._own, self._guess(along), plane, retries=retries, jumps=True)
        return self._located[along]

    def _at_parameter(self, along: float) -> CurvePoint:
        """The point at the value of the parameter so far ahead: a plane cuts a band that opens in many orbits."""
        part, family = along / self.length, self.family
        p = self.a.p + part * (self.b.p - self.a.p)
        guess = self.a.z + part * (self.b.z - self.a.z)
        try:
            found = newton_at(family, guess, p, self.a.scale, MAX_START_STEPS)
        except NotConverged:  # where the band is all but closed, hardly anything leads there but periods
            near = family.solve_near(guess[:-1], p)
            if near is None:
                raise
            return self.a._replace(z=np.append(near.x, p), iterations=near.iterations, residual=near.residual)
        return found._replace(z=np.append(family.middle(found.x, p), p))

    def middle(self, begin: float, end: float) -> float:
        """A place near the middle between two others: one that was located before if there is any."""
        half = 0.5 * (begin + end)
        near = [s for s in self._located if abs(s - half) <= MIDDLE_REL * (end - begin)]
        return min(near, key=lambda s: abs(s - half), default=half)

    def part(self, begin: float, end: float) -> CurveSegment:
        """The segment between two places of this one."""
        a, b = self.located(begin), self.located(end)
        return CurveSegment(self.family, a, b, (self.point(begin), self.point(end)))

    def point(self, along: float) -> OrbitPoint:
        """The orbit there."""
        if along not in self._points:
            self._points[along] = solved_orbit(self.family, self.located(along))
        return self._points[along]

    def _multipliers_at(self, along: float) -> Complex:
        """Those of the orbit there, which is measured in no other way."""
        if along in self._points:
            return self._points[along].multipliers
        z = self.located(along).z
        return self.family.multipliers_at(z[:-1], float(z[-1]))

    def root(
        self, value: Callable[[float], float], to: float = LOCATION_LENGTH, within: tuple[float, float] | None = None
    ) -> float:
        """Where a function along the stretch, or within a part of it, changes its sign, to a length; `NotConverged`
        where it has no value."""
        from scipy.optimize import brentq  # a tenth of a second that most curves do not need

        ends = within or (0.0, self.length)
        try:
            return float(brentq(value, *ends, xtol=to, rtol=1e-15, disp=False))
        except ValueError as problem:  # a value that is not a number, or signs that differ no more
            raise NotConverged(f"no root was found although the sign changes ({problem})") from None
        except NotConverged:  # a sampled family has no orbit at places where a switch passes a sample
            found, width = self.bracketed_root(value, to, *ends) if self.family.sampled else (0.0, np.inf)
            if width > max(to, MAX_BRACKET_REL * self.length):
                raise
            return found

    def bracketed_root(
        self, value: Callable[[float], float], to: float, low: float, high: float
    ) -> tuple[float, float]:
        """A root of `root`, and the length that it is known to: the bracket avoids places without an orbit."""
        at_low, at_high = value(low), value(high)
        while high - low > to:
            for part in BRACKET_PARTS:
                place = low + part * (high - low)
                try:
                    there = value(place)
                    break
                except NotConverged:
                    continue
            else:
                break
            low, at_low, high, at_high = (
                (place, there, high, at_high) if there * at_low > 0.0 else (low, at_low, place, there)
            )
        return (low if abs(at_low) < abs(at_high) else high), high - low

    def _guess(self, along: float) -> Array:
        """A cubic through both ends with their tangents; where the second runs across, a line."""
        a, b, part = self.a, self.b, along / self.length
        first, second = self.length * a.tangent * a.scale, b.tangent * b.scale
        across = float(a.tangent @ (second / a.scale))
        if across < 0.1:
            return np.asarray(a.z + part * (b.z - a.z))
        second = second * (self.length / across)
        rest = 1.0 - part
        ends = (1.0 + 2.0 * part) * rest**2 * a.z + (1.0 + 2.0 * rest) * part**2 * b.z
        return np.asarray(ends + part * rest * (rest * first - part * second))


def solved_orbit(family: Family, located: CurvePoint) -> OrbitPoint:
    """The orbit at a point of the curve, with what it took to find it."""
    z = located.z
    return replace(family.point(z[:-1], float(z[-1])), residual=located.residual, iterations=located.iterations)


def segment_between(family: Family, points: Sequence[OrbitPoint], first: int, span: float) -> CurveSegment:
    """The stretch from a point of a curve to the next one; span : of the parameter, by which lengths are measured."""
    a, b = (_placed(family, points, k, span) for k in (first, first + 1))
    return CurveSegment(family, a, b, (points[first], points[first + 1]))


def _placed(family: Family, points: Sequence[OrbitPoint], k: int, span: float) -> CurvePoint:
    """A point of a curve with its tangent, which leads from the point before it to the one after."""
    before, here, after = (_unknowns(points[i]) for i in (max(k - 1, 0), k, min(k + 1, len(points) - 1)))
    scale = scale_of(family, here, span)
    tangent = tangent_at(family, here, scale, (after - before) / scale)
    return CurvePoint(here, scale, tangent, points[k].iterations, points[k].residual)


def _unknowns(point: OrbitPoint) -> Array:
    return np.append(point.x, point.p)
