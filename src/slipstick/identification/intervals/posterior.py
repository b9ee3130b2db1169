"""Posterior distribution of the parameters of a fit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from slipstick.arrays import Array
from slipstick.identification.intervals.identifiability import Identifiability
from slipstick.identification.intervals.posterior_sampling import (
    PosteriorDensity,
    Progress,
    adjustment_of,
    chain_notes,
    refuse_open,
    sample_posterior,
)
from slipstick.identification.search.least_squares import Decimated, FitProblem, SearchResult, decimated_at
from slipstick.identification.search.start_selection import DECIMATED_SAMPLES
from slipstick.laws.base import Law
from slipstick.results.fit import Estimates
from slipstick.results.posterior import Posterior


@dataclass(frozen=True)
class FitPosterior:
    """Posterior of a fit as a function; a plain class, so that fits cross to other processes.

    problem, result : at the end of the search.   turns : indices of the reversals of each loop.
    """

    problem: FitProblem
    result: SearchResult
    turns: Sequence[NDArray[np.intp]]
    identifiability: Identifiability
    estimates: Estimates

    def __call__(self, draws: int, seed: int, evaluations: int | None, progress: Progress | None) -> Posterior:
        fit = decimated_at(self.problem, self.result, self.turns, DECIMATED_SAMPLES)
        problem, best = fit.problem, fit.result.x
        names = [problem.unknowns.names[place] for place in problem.free]
        low, high = problem.bounds()
        positive = np.array([problem.unknowns.each[place].positive for place in problem.free])
        own = self.identifiability
        refuse_open(names, (own.open_above & np.isinf(high)) | (own.open_below & np.isinf(low) & ~positive))
        adjustment, covariance = self._adjustment(fit)
        density = PosteriorDensity(partial(self._squares, fit), best, adjustment, covariance, low, high, positive)
        chain = sample_posterior(density, draws, seed, evaluations, progress)
        places = list(problem.free)
        values = np.array([problem.values(x)[places] for x in chain.draws])
        return Posterior(
            values, Estimates({name: self.estimates[name] for name in names}), effective=chain.effective,
            evaluations=chain.evaluations, notes=chain_notes(chain, draws), build=self._law,
            subject=f"the fit of {type(problem.unknowns.template).__name__}",
        )  # fmt: skip

    def _squares(self, fit: Decimated, x: Array) -> float:
        """Sum of squares: data in variances of the noise, and priors."""
        problem, n = fit.problem, fit.problem.count
        squares = problem.residuals(x) ** 2
        return float(np.sum(squares[:n])) / (fit.share * self.identifiability.variance) + float(np.sum(squares[n:]))

    def _adjustment(self, fit: Decimated) -> tuple[Array, Array]:
        """(k, k) adjustment to the colour of the noise, and the covariance about which walkers start."""
        own, n, slopes = self.identifiability, fit.problem.count, fit.problem.jacobian(fit.result.x)
        data = slopes[:n].T @ slopes[:n] / (fit.share * own.variance)
        return adjustment_of(data + slopes[n:].T @ slopes[n:], own.covariance, own.undetermined)

    def _law(self, values: Mapping[str, float]) -> Law:
        """The law with other free parameters."""
        problem = self.problem
        all_values = problem.values(self.result.x)
        for place in problem.free:
            all_values[place] = values[problem.unknowns.names[place]]
        return problem.unknowns.law(all_values)
