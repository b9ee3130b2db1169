"""Scaled unknowns, for problems in which the plain ones are badly conditioned."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from slipstick.identification.search.unknowns import Unknowns, terms_of

if TYPE_CHECKING:
    from slipstick.identification.search.least_squares import FitProblem

Array = NDArray[np.float64]

SEARCH_DERIVATIVE_STEP = 1e-7  # of an unknown, for derivatives while the way is sought: one-sided is enough


class ScaledProblem:
    """The unknowns as a search goes along them, beside those of its task.

    The unit of beta and gamma of a Bouc-Wen law depends on its exponent, and so do their sizes: 1e4 to the power of the
    exponent for ways of a tenth of a millimetre. A search counts them in that changing size, or it would hardly move.

    The force of sliders behind springs is linear in stiffnesses and limits between the values at which another sample
    comes to slip. Logarithms bend that: two elements that slip one percent apart make a valley which a search crept
    along for hundreds of steps, and which is straight in the values themselves. They are counted in those of the start.
    """

    def __init__(self, task: FitProblem, x: Array) -> None:
        self.task = task
        self.leaning = _exponent_scalings(task, x)
        self.linear = _linear_unknowns(task)
        self.begin = x[self.linear]
        self._last: tuple[bytes, Array] | None = None

    def bounds(self) -> tuple[Array, Array]:
        low, high = self.task.bounds()
        with np.errstate(over="ignore"):
            for bound in (low, high):
                bound[self.linear] = np.exp(bound[self.linear] - self.begin)
        return low, high

    def scaled(self, y: Array) -> Array:
        """Unknowns of the task."""
        x = y * self._sizes(y)
        x[self.linear] = self.begin + np.log(y[self.linear])
        return x

    def straight(self, x: Array) -> Array:
        """Those of the search."""
        y = x / self._sizes(x)
        y[self.linear] = np.exp(x[self.linear] - self.begin)
        return y

    def _sizes(self, x: Array) -> Array:
        sizes = np.ones(x.size)
        for scaling_term in self.leaning:
            exponent = self.task.values(x)[self.task.free[scaling_term.on]]
            sizes[scaling_term.place] = scaling_term.size * np.exp(scaling_term.slope * (exponent - scaling_term.begin))
        return sizes

    def residuals(self, y: Array) -> Array:
        found = self.task.residuals(self.scaled(y))
        self._last = y.tobytes(), found
        return found

    def jacobian(self, y: Array) -> Array:
        there = self._last[1] if self._last is not None and self._last[0] == y.tobytes() else self.residuals(y)
        _, high = self.bounds()
        columns = []
        for i in range(y.size):
            ahead, step = (
                y.copy(),
                SEARCH_DERIVATIVE_STEP * (max(y[i], 1.0) if self.linear[i] else self.task.reach(i, y[i])),
            )
            ahead[i] += step if y[i] + step <= high[i] else -step
            columns.append((self.task.residuals(self.scaled(ahead)) - there) / (ahead[i] - y[i]))
        return np.stack(columns, axis=1)


class ExponentScaling(NamedTuple):
    """An unknown whose unit depends on an exponent: place and on are theirs among the free ones; its size at the begin
    of the exponent, the logarithm of which grows by slope for each one of it.
    """

    place: int
    on: int
    size: float
    slope: float
    begin: float


def _linear_unknowns(task: FitProblem) -> NDArray[np.bool_]:
    """(free,) what is positive, and what a force is linear in while the same samples slip."""
    terms, found = terms_of(task.unknowns.template), []
    for place in task.free:
        own = task.unknowns.each[place]
        found.append(own.positive and own.field in terms[own.term].law.identification.linear)
    return np.array(found, dtype=bool)


def _exponent_scalings(task: FitProblem, x: Array) -> list[ExponentScaling]:
    unknowns, values = task.unknowns, task.values(x)
    found = []
    for j, on in enumerate(task.free):
        if not unknowns.each[on].is_exponent:
            continue
        other = values.copy()
        other[on] *= 1.01
        moved = Unknowns.of(unknowns.law(other)).each
        now = Unknowns.of(unknowns.law(values)).each
        for i, place in enumerate(task.free):
            own, power = unknowns.each[place], now[place].dimension[1]
            grows = (moved[place].dimension[1] - power) / (other[on] - values[on])
            if not grows or not power or own.positive or np.isfinite(own.low) or np.isfinite(own.high):
                continue
            alike = [v for v, u in zip(values, now, strict=True) if u.dimension == now[place].dimension]
            size = float(np.sum(np.abs(alike)))
            if size > 0.0:
                slope = grows * float(np.log(size)) / power
                found.append(ExponentScaling(i, j, size / float(task.size[i]), slope, float(values[on])))
    return found
