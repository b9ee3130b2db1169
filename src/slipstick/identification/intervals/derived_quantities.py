"""Quantities derived from the parameters of a law, with linearised intervals."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from slipstick.arrays import Array
from slipstick.identification import tolerances as tol
from slipstick.identification.intervals.identifiability import Identifiability
from slipstick.identification.search.least_squares import FitProblem
from slipstick.identification.search.unknowns import terms_of
from slipstick.laws.base import Law
from slipstick.laws.identification_traits import DerivedQuantity
from slipstick.results.fit import Estimate, Estimates
from slipstick.units.dimensions import unit_name


class _TermFigure(NamedTuple):
    """A derived quantity of one term of a law.   name : for users, such as "1.slip_begins" in a sum."""

    name: str
    term: int
    figure: DerivedQuantity

    def of(self, law: Law) -> float:
        """Its value, in the scale of the whole law."""
        term = terms_of(law)[self.term]
        f, u, _ = self.figure.dimension
        return float(self.figure.of(term.law) * abs(term.force) ** f / abs(term.deflection) ** u)


def estimate_derived(problem: FitProblem, x: Array, identifiability: Identifiability) -> Estimates:
    """All derived quantities of a law, with linearised intervals."""
    law, estimates, spread = problem.law(x), Estimates(), identifiability.student_factor
    for item in _law_term_figures(law):
        value, slope = item.of(law), _figure_gradient(problem, x, item)
        is_determined = bool(np.isfinite(slope).all()) and identifiability.determines(slope)
        deviation = (
            max(float(slope @ identifiability.covariance @ slope), 0.0) ** 0.5 if is_determined else float("inf")
        )
        unit = unit_name(item.figure.dimension, problem.unknowns.system)
        half = spread * deviation
        dimension = item.figure.dimension
        estimates[item.name] = Estimate(value, value - half, value + half, unit, deviation, dimension=dimension)
    return estimates


def _law_term_figures(law: Law) -> list[_TermFigure]:
    terms = terms_of(law)
    each = [(k, figure) for k, term in enumerate(terms) for figure in term.law.identification.derived]
    return [_TermFigure(f"{k}.{own.name}" if len(terms) > 1 else own.name, k, own) for k, own in each]


def _figure_gradient(problem: FitProblem, x: Array, own: _TermFigure) -> Array:
    """Gradient by the scaled unknowns: central differences, one-sided at a bound or at the limit of valid parameters.

    NaN if neither side is valid: the interval is then unknown, not narrow.
    """
    low, high = problem.bounds()
    slopes = np.empty(x.size)
    for i in range(x.size):
        ends = []
        for end in (min(x[i] + tol.DERIVATIVE_STEP, high[i]), max(x[i] - tol.DERIVATIVE_STEP, low[i])):
            there = x.copy()
            there[i] = end
            try:
                ends.append((end, own.of(problem.law(there))))
            except ValueError:  # these parameters make no law
                ends.append((float(x[i]), own.of(problem.law(x))))
        (a, ahead), (b, behind) = ends
        slopes[i] = (ahead - behind) / (a - b) if a > b else np.nan
    return slopes
