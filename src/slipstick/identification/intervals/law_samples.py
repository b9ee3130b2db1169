"""Laws drawn from a fit, and a fit from a file that has its law again."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from slipstick.errors import Advice, InvalidInput
from slipstick.identification.intervals.identifiability import Identifiability
from slipstick.identification.intervals.truncated_normal import sample_truncated_normal
from slipstick.identification.search.least_squares import FitProblem
from slipstick.identification.search.unknowns import Unknowns
from slipstick.laws.base import Law
from slipstick.model.system import System
from slipstick.results.fit import Fit, Spread

Array = NDArray[np.float64]

REDRAW_ROUNDS = 10  # of drawing within the bounds, where numbers may exclude each other
MAX_DRAWS_A_LAW = 100  # for each law that is asked for, before narrow bounds are kept to from the outset


def spread_of_search(task: FitProblem, x: Array, told: Identifiability) -> Spread:
    """What the end of a search tells about its unknowns, as plain arrays; what is not told has an infinite variance."""
    covariance = told.covariance.copy()
    covariance[told.nothing, told.nothing] = np.inf
    positive = np.array([task.unknowns.each[place].positive for place in task.free])
    return Spread(x, covariance, *task.bounds(), np.where(positive, 1.0, task.size), positive)


def sample_laws(law: Law, free: tuple[str, ...], spread: Spread, count: int, seed: int) -> list[Law]:
    """Laws from the normal distribution of the scaled unknowns, cut at their bounds.

    What is drawn outside is drawn again; where hardly anything is inside, laws are drawn within the bounds.
    """
    unknowns = Unknowns.of(law)
    places = [unknowns.place(name, "sample") for name in free]
    _refuse_undetermined(free, spread)
    rng = np.random.default_rng(seed)
    factor = np.linalg.svd(spread.covariance, hermitian=True)
    root = factor[0] * np.sqrt(factor[1])

    def made(x: Array) -> Law:
        values = unknowns.values
        values[places] = np.where(spread.positive, np.exp(np.where(spread.positive, x, 0.0)), x * spread.size)
        for place in places:  # what was fixed stays, wherever it is
            values[place] = unknowns.each[place].held(float(values[place]))
        return unknowns.law(values)

    laws: list[Law] = []
    for x in _draw_within_bounds(spread, root, rng, count):
        with suppress(ValueError):  # numbers that exclude each other
            laws.append(made(x))
        if len(laws) == count:
            return laws
    raise InvalidInput(
        f"sample: only {len(laws)} of {count} laws could be drawn, as numbers drawn from the fit exclude each other; "
        "give identify bounds that keep them apart"
    )


def _refuse_undetermined(free: tuple[str, ...], spread: Spread) -> None:
    names = [name for name, own in zip(free, np.diag(spread.covariance), strict=True) if not np.isfinite(own)]
    if names:
        words = f"the data do not tell {' and '.join(names)}, so that nothing can be drawn"
        way = Advice("hold what is not told: {fixed}", fixed=dict.fromkeys(names, ...))
        raise InvalidInput(words, owner="sample", advice=[way])


def _draw_within_bounds(spread: Spread, root: Array, rng: np.random.Generator, count: int) -> Iterator[Array]:
    """Scaled unknowns within the bounds, as many as may be wanted of them."""
    for _ in range(MAX_DRAWS_A_LAW * count):
        x = spread.x + root @ rng.standard_normal(spread.x.size)
        if np.all((x >= spread.low) & (x <= spread.high)):
            yield x
    for _ in range(REDRAW_ROUNDS):
        yield from sample_truncated_normal(
            np.clip(spread.x, spread.low, spread.high), root, spread.low, spread.high, rng, count
        )


def model_of_law(law: Law) -> System:
    """A law as the only connection of a model, which a file can hold."""
    model = System("identified")
    model.connect(model.coordinate("u"), law, name="identified")
    return model


def restore_law(fit: Fit, model: System) -> Fit:
    """A fit from a file, with the law of the model in it: it can be drawn from."""
    law = model.connections[0].law
    hand = None if fit.spread is None else partial(sample_laws, law, fit.free, fit.spread)
    return replace(fit, law=law, model=model, draw=hand)
