"""Figures that follow from the numbers of a law, with intervals that follow from theirs."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from slipstick.identification.intervals.identifiability import Identifiability
from slipstick.identification.search.least_squares import DERIVATIVE_STEP, FitProblem
from slipstick.identification.search.unknowns import terms_of
from slipstick.laws.base import Law
from slipstick.laws.identification_traits import DerivedQuantity
from slipstick.results.fit import Estimate, Estimates
from slipstick.units.dimensions import unit_name

Array = NDArray[np.float64]


class _TermFigure(NamedTuple):
    """A figure of one term of a law.   name : as users call it; "1.slip_begins" of a term of several."""

    name: str
    term: int
    figure: DerivedQuantity

    def of(self, law: Law) -> float:
        """Its value in the law; a term that is scaled has it in the scale of the whole."""
        term = terms_of(law)[self.term]
        f, u, _ = self.figure.dimension
        return float(self.figure.of(term.law) * abs(term.force) ** f / abs(term.deflection) ** u)


def estimate_derived(task: FitProblem, x: Array, told: Identifiability) -> Estimates:
    """All figures of a law, of each term of a sum, with linearised intervals."""
    law, found, spread = task.law(x), Estimates(), told.student_factor
    for own in _law_term_figures(law):
        value, slope = own.of(law), _figure_gradient(task, x, own)
        sees = bool(np.isfinite(slope).all()) and told.sees(slope)
        deviation = max(float(slope @ told.covariance @ slope), 0.0) ** 0.5 if sees else float("inf")
        unit = unit_name(own.figure.dimension, task.unknowns.system)
        reach = spread * deviation
        found[own.name] = Estimate(value, value - reach, value + reach, unit, deviation, dimension=own.figure.dimension)
    return found


def _law_term_figures(law: Law) -> list[_TermFigure]:
    terms = terms_of(law)
    each = [(k, figure) for k, term in enumerate(terms) for figure in term.law.identification.derived]
    return [_TermFigure(f"{k}.{own.name}" if len(terms) > 1 else own.name, k, own) for k, own in each]


def _figure_gradient(task: FitProblem, x: Array, own: _TermFigure) -> Array:
    """By each scaled unknown: central differences; one-sided at a bound, or where numbers exclude each other beyond.

    Not numbers where there is no law on either side: the interval is unknown then, not narrow.
    """
    low, high = task.bounds()
    slopes = np.empty(x.size)
    for i in range(x.size):
        ends = []
        for end in (min(x[i] + DERIVATIVE_STEP, high[i]), max(x[i] - DERIVATIVE_STEP, low[i])):
            there = x.copy()
            there[i] = end
            try:
                ends.append((end, own.of(task.law(there))))
            except ValueError:  # no such law
                ends.append((float(x[i]), own.of(task.law(x))))
        (a, ahead), (b, behind) = ends
        slopes[i] = (ahead - behind) / (a - b) if a > b else np.nan
    return slopes
