"""Laws drawn from a fit, and a fit from a file that has its law again."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from slipstick.identification.search import Task
from slipstick.identification.unknowns import Unknowns
from slipstick.laws.base import Law
from slipstick.model.system import System
from slipstick.results.fit import Fit, Spread

Array = NDArray[np.float64]

MOST_DRAWS = 100  # for each law that is asked for, until one is within all bounds


def spread_in(task: Task, x: Array, covariance: Array) -> Spread:
    """What the end of a search tells about its unknowns, as plain arrays."""
    positive = np.array([task.unknowns.each[place].positive for place in task.free])
    return Spread(x, covariance, *task.bounds(), np.where(positive, 1.0, task.size), positive)


def draw(law: Law, free: tuple[str, ...], spread: Spread, count: int, seed: int) -> list[Law]:
    """Laws from the normal distribution of the scaled unknowns, cut at their bounds."""
    unknowns = Unknowns.of(law)
    places = [unknowns.place(name, "sample") for name in free]
    rng = np.random.default_rng(seed)
    factor = np.linalg.svd(spread.covariance, hermitian=True)
    root = factor[0] * np.sqrt(factor[1])

    def made(x: Array) -> Law:
        values = unknowns.values
        values[places] = np.where(spread.positive, np.exp(np.where(spread.positive, x, 0.0)), x * spread.size)
        return unknowns.law([u.held(float(v)) for u, v in zip(unknowns.each, values, strict=True)])

    laws: list[Law] = []
    for _ in range(MOST_DRAWS * count):
        x = spread.x + root @ rng.standard_normal(spread.x.size)
        if np.all((x >= spread.low) & (x <= spread.high)):
            try:
                laws.append(made(x))
            except ValueError:  # numbers that exclude each other
                continue
        if len(laws) == count:
            return laws
    while len(laws) < count:  # all but impossible bounds: what was found is within them
        laws.append(made(np.clip(spread.x, spread.low, spread.high)))
    return laws


def model_of(law: Law) -> System:
    """A law as the only connection of a model, which a file can hold."""
    model = System("identified")
    model.connect(model.coordinate("u"), law, name="identified")
    return model


def with_law(fit: Fit, model: System) -> Fit:
    """A fit from a file, with the law of the model in it: it can be drawn from."""
    law = model.connections[0].law
    hand = None if fit.spread is None else partial(draw, law, fit.free, fit.spread)
    return replace(fit, law=law, model=model, draw=hand)
