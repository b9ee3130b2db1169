"""Whether a motion lies on a branch that is known.

A motion of several periods of the loads is the same from any of them on, and so is its mirror image half a period later
where the model is symmetric. So motions are compared by quantities that are invariant to the time shift and to
mirroring.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np

from slipstick.arrays import Array
from slipstick.errors import NotConverged
from slipstick.periodic.continuation.corrector import newton_at, scale_of
from slipstick.periodic.continuation.curve_segment import SOLVER_FAILURES
from slipstick.periodic.continuation.family import Family
from slipstick.results.orbit import OrbitPoint

SAME_FIGURES_REL = 1e-4  # of the largest motion: by which figures of one motion may differ
COMPARED_HARMONICS = 12


def figures_of(point: OrbitPoint) -> Array:
    """(k,) amplitude, root mean square, size of the mean and of the first harmonics of all coordinates."""
    harmonics = np.zeros((COMPARED_HARMONICS, point.amplitude.size))
    own = np.abs(point.harmonics[1 : COMPARED_HARMONICS + 1])
    harmonics[: len(own)] = own
    return np.concatenate([point.amplitude, point.rms, np.abs(point.mean), harmonics.ravel()])


def has_shorter_period(point: OrbitPoint, repeats: int) -> bool:
    """True for an orbit of several periods of the loads that repeats after a part of them already."""
    size = float(np.abs(point.harmonics[1:]).max(initial=0.0))
    orders = np.arange(len(point.harmonics))
    return any(
        float(np.abs(point.harmonics[orders % d != 0]).max(initial=0.0)) <= SAME_FIGURES_REL * size
        for d in range(2, repeats + 1)
        if repeats % d == 0
    )


def are_same(one: OrbitPoint, other: OrbitPoint) -> bool:
    """True for orbits at one frequency that are the same motion, up to a shift in time and a mirror image."""
    if abs(one.period - other.period) > 1e-6 * one.period:
        return False
    a, b = figures_of(one), figures_of(other)
    size = max(float(a.max(initial=0.0)), float(b.max(initial=0.0)))
    return bool(np.abs(a - b).max(initial=0.0) <= SAME_FIGURES_REL * size)


class KnownBranch:
    """points : of a curve, in order.   family : that they are orbits of."""

    def __init__(self, family: Family, points: Sequence[OrbitPoint], span: float) -> None:
        self.family, self.points, self.span = family, points, span
        self._found: dict[float, list[OrbitPoint]] = {}

    def contains(self, point: OrbitPoint) -> bool:
        """True if an orbit lies on the branch."""
        if point.p not in self._found:
            self._found[point.p] = list(self._at(point.p))
        return any(are_same(each, point) for each in self._found[point.p])

    def _at(self, p: float) -> Iterator[OrbitPoint]:
        """The orbits of the branch at a value of the parameter."""
        for a, b in pairwise(self.points):
            if not min(a.p, b.p) <= p <= max(a.p, b.p) or a.p == b.p or a.x.size != b.x.size:
                continue
            part = (p - a.p) / (b.p - a.p)
            guess = np.append(a.x + part * (b.x - a.x), p)
            try:
                near = newton_at(self.family, guess, p, scale_of(self.family, guess, self.span))
                yield self.family.point(near.x, p)
            except SOLVER_FAILURES:
                continue


def lies_on(branches: Sequence[KnownBranch], point: OrbitPoint) -> bool:
    """True if an orbit lies on one of the branches."""
    return any(own.contains(point) for own in branches)


def is_known_curve(branches: Sequence[KnownBranch], points: Sequence[OrbitPoint]) -> bool:
    """True for a curve whose inner points lie on branches that are known."""
    inner = [points[k] for k in sorted({len(points) // 4, len(points) // 2, (3 * len(points)) // 4})]
    hits = 0
    for point in inner:
        try:
            hits += lies_on(branches, point)
        except NotConverged:
            continue
    return 2 * hits > len(inner)
