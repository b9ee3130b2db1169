"""A fit problem on fewer samples with the same minimum, for searches about the end of another one.

Fewer samples have a minimum of their own, some deviations away. A small change of their forces, along the derivatives
of the law, moves it onto that of all samples. Their curvature differs by one over the root of their number.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from slipstick.identification.search.least_squares import FitProblem, SearchResult


class Decimated(NamedTuple):
    """A problem on fewer samples.   result : at the minimum of all.   share : of the samples."""

    problem: FitProblem
    result: SearchResult
    share: float


def decimated_at(
    problem: FitProblem, result: SearchResult, turns: Sequence[NDArray[np.intp]], target: int
) -> Decimated:
    """The problem with about ``target`` samples of each loop; all of them where there are few, or priors.

    turns : indices of the reversals of each loop, which stay.
    """
    paths = [path.thinned(own, target=target) for path, own in zip(problem.paths, turns, strict=True)]
    fewer = replace(problem, paths=paths)
    if problem.priors or fewer.count == problem.count:
        return Decimated(problem, result, 1.0)
    residuals, slopes = fewer.residuals(result.x), fewer.jacobian(result.x)
    weakest = len(result.x) * np.finfo(float).eps
    moved = slopes @ (np.linalg.pinv(slopes.T @ slopes, rcond=weakest, hermitian=True) @ (slopes.T @ residuals))
    shifted, begin = [], 0
    for path, weight in zip(paths, problem.weights, strict=True):
        force, end = path.f.copy(), begin + int(np.count_nonzero(path.counts))
        force[path.counts] += moved[begin:end] / weight
        shifted.append(replace(path, f=force))
        begin = end
    fewer = replace(fewer, paths=shifted)
    rest = fewer.residuals(result.x)
    here = result._replace(residuals=rest, cost=0.5 * float(rest @ rest))
    return Decimated(fewer, here, fewer.count / problem.count)
