"""Laws drawn from the distribution of a fit, and fits restored from files."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from functools import partial

import numpy as np

from slipstick.arrays import Array
from slipstick.errors import Advice, InvalidInput
from slipstick.identification.intervals.identifiability import Identifiability
from slipstick.identification.intervals.truncated_normal import sample_truncated_normal
from slipstick.identification.search.least_squares import FitProblem
from slipstick.identification.search.unknowns import Unknowns
from slipstick.laws.base import Law
from slipstick.model.system import System
from slipstick.results.fit import Fit, Spread

REDRAW_ROUNDS = 10  # of truncated draws, as drawn parameters may make no law
MAX_DRAWS_A_LAW = 100  # untruncated draws for each law, before truncated ones


def spread_of_search(problem: FitProblem, x: Array, identifiability: Identifiability) -> Spread:
    """Distribution of the unknowns at the end of a search, as plain arrays; infinite variance if undetermined."""
    covariance = identifiability.covariance.copy()
    covariance[identifiability.undetermined, identifiability.undetermined] = np.inf
    positive = np.array([problem.unknowns.each[place].positive for place in problem.free])
    size = np.where(positive, 1.0, problem.size)
    return Spread(x, covariance, *problem.bounds(), size, positive, identifiability.misfit_widening)


def sample_laws(
    law: Law, free: tuple[str, ...], spread: Spread, count: int, seed: int, misfit: bool = False
) -> list[Law]:
    """Laws drawn from the normal distribution of the scaled unknowns, truncated at their bounds.

    misfit : include the misfit of the law as model error.
    Draws outside the bounds are rejected; if nearly all are, a truncated sampler takes over.
    """
    unknowns = Unknowns.of(law)
    places = [unknowns.place(name, "sample") for name in free]
    _refuse_undetermined(free, spread)
    spread = spread._replace(covariance=spread.misfit**2 * spread.covariance) if misfit else spread
    rng = np.random.default_rng(seed)
    factor = np.linalg.svd(spread.covariance, hermitian=True)
    root = factor[0] * np.sqrt(factor[1])

    def build_law(x: Array) -> Law:
        values = unknowns.values
        values[places] = np.where(spread.positive, np.exp(np.where(spread.positive, x, 0.0)), x * spread.size)
        for place in places:  # fixed values stay
            values[place] = unknowns.each[place].held(float(values[place]))
        return unknowns.law(values)

    laws: list[Law] = []
    for x in _draw_within_bounds(spread, root, rng, count):
        with suppress(ValueError):  # these parameters make no law
            laws.append(build_law(x))
        if len(laws) == count:
            return laws
    raise InvalidInput(
        f"sample: only {len(laws)} of {count} draws from the fit make a valid law: the other values contradict each "
        "other; fit again with bounds that exclude these values"
    )


def _refuse_undetermined(free: tuple[str, ...], spread: Spread) -> None:
    names = [name for name, own in zip(free, np.diag(spread.covariance), strict=True) if not np.isfinite(own)]
    if names:
        words = f"the data do not determine {' and '.join(names)}, so no laws can be drawn"
        way = Advice("fit again with {fixed}", fixed=dict.fromkeys(names, ...))
        raise InvalidInput(words, owner="sample", advice=[way])


def _draw_within_bounds(spread: Spread, root: Array, rng: np.random.Generator, count: int) -> Iterator[Array]:
    """Scaled unknowns drawn within the bounds."""
    for _ in range(MAX_DRAWS_A_LAW * count):
        x = spread.x + root @ rng.standard_normal(spread.x.size)
        if np.all((x >= spread.low) & (x <= spread.high)):
            yield x
    for _ in range(REDRAW_ROUNDS):
        yield from sample_truncated_normal(
            np.clip(spread.x, spread.low, spread.high), root, spread.low, spread.high, rng, count
        )


def model_of_law(law: Law) -> System:
    """A model with the law as its only connection, for files."""
    model = System("identified")
    model.connect(model.coordinate("u"), law, name="identified")
    return model


def restore_law(fit: Fit, model: System) -> Fit:
    """A fit from a file, with the law of its model, so that laws can be drawn again."""
    law = model.connections[0].law
    draw = None if fit.spread is None else partial(sample_laws, law, fit.free, fit.spread)
    return replace(fit, law=law, model=model, draw=draw)
