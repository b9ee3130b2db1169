"""`calibrate`: parameters of a model by least squares over measurements of several kinds.

The residuals of a block of data (a channel, the frequencies of a ring-down, ...) are divided by its noise. The noise is
unknown: it is the rms of the residuals of the block at the best fit. Each round uses the noise of the round before.
At the end every block has a weighted rms of 1, as in a maximum-likelihood fit with unknown noise levels.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from slipstick.arrays import Array
from slipstick.calibration.data_sets import Block, DataSet, data_sets_of
from slipstick.calibration.uncertainty import estimates_of, weighted_covariance
from slipstick.calibration.unknowns import CalibratedParameter, unknowns_of, with_parameters
from slipstick.errors import InvalidInput, NotConverged, SlipstickError, short_repr
from slipstick.identification.intervals.posterior_sampling import (
    PosteriorDensity,
    adjustment_of,
    chain_notes,
    refuse_open,
    sample_posterior,
)
from slipstick.model.named_parameter_unit import parameter_unit
from slipstick.model.system import System
from slipstick.results.calibration import BlockResult, Calibration
from slipstick.results.fit import Estimates
from slipstick.results.posterior import Posterior

Progress = Callable[[int, float], Any]

MAX_ROUNDS = 6  # of the noise levels
NOISE_CHANGE = 0.02  # relative; a smaller one ends the rounds
FIRST_NOISE = 0.1  # of the spread of a block, in the first round
DIFFERENCE_STEP = 1e-5  # of the search variables, for the Jacobian
ZERO_START_STEP = 1.5e-8  # of a parameter that is zero in the model, so of unknown size: root of rounding
FAILED_RESIDUAL = 1e3  # in noise levels, if the model cannot be solved
ROUND_TOLERANCE, LAST_TOLERANCE = 1e-4, 1e-8  # relative, of the sum of squares: while the noise changes, and at last
MAX_EVALUATIONS = 60  # of a round
START_FACTORS = (0.25, 0.5, 0.75, 1.5, 3.0)  # of start values that are tried
MISFIT_RATIO = 3.0  # of the rms to a known noise: above, the model is said to be wrong
MIN_DEVIATION_SHARE = 0.2  # of the median: no sample counts more than five times a typical one


class _Problem:
    """Residuals of all blocks as functions of the search variables."""

    def __init__(
        self,
        model: Any,
        sets: Sequence[DataSet],
        unknowns: Sequence[CalibratedParameter],
        fixed: Mapping[str, float],
        progress: Progress | None = None,
    ):
        self.model, self.sets, self.unknowns = with_parameters(model, fixed), sets, unknowns
        self.blocks = [block for each in sets for block in each.blocks]
        self.shapes = [_relative_deviation(block) for block in self.blocks]
        self.noise = [block.noise or FIRST_NOISE * max(_spread(block), 1e-300) for block in self.blocks]
        self.failure: SlipstickError | None = None
        self.count, self.progress = 0, progress
        self.last: Array | None = None  # search variables that the sets predicted last, beside which they can again
        self.rows = np.zeros(0)  # residuals of the last call

    def parameters(self, y: Array) -> dict[str, float]:
        """Values by name."""
        return {own.name: own.value(float(each)) for own, each in zip(self.unknowns, y, strict=True)}

    def differences(self, y: Array, beside: bool = False) -> list[Array] | None:
        """Predicted less measured values of all blocks; None if the model cannot be solved.

        beside : close to the last ones, for derivatives.
        """
        self.count += 1
        if not beside:
            self.last = np.array(y)
        try:
            model = with_parameters(self.model, self.parameters(y))
            predicted = [own for s in self.sets for own in (s.predict_beside(model) if beside else s.predict(model))]
        except SlipstickError as problem:
            self.failure = problem
            return None
        found = [own - block.measured for own, block in zip(predicted, self.blocks, strict=True)]
        return found if all(np.all(np.isfinite(own)) for own in found) else None

    def residuals(self, y: Array, beside: bool = False) -> Array:
        """Differences over noise, with those of the priors."""
        found = self.differences(y, beside)
        if found is None:
            return np.full(sum(b.measured.size for b in self.blocks) + len(self._priors(y)), FAILED_RESIDUAL)
        weighted = [own / (noise * shape) for own, noise, shape in zip(found, self.noise, self.shapes, strict=True)]
        rows = np.concatenate([*weighted, self._priors(y)])
        if not beside:
            self.rows = rows
        if self.progress is not None:
            self.progress(self.count, float(rows @ rows))
        return rows

    def jacobian(self, y: Array, ends: tuple[Array, Array]) -> Array:
        """(residuals, unknowns) by differences at the last point, away from a bound.

        A model that cannot be solved on one side is replaced by that on the other side.
        """
        if self.last is None or not np.array_equal(y, self.last):
            self.residuals(y)
        here, columns = self.rows, []
        for k, own in enumerate(self.unknowns):
            size = DIFFERENCE_STEP * max(abs(float(y[k])), float(own.logarithmic)) or ZERO_START_STEP
            sides = [sign * size for sign in (1.0, -1.0) if ends[0][k] <= y[k] + sign * size <= ends[1][k]]
            for step in sides or [size]:
                beside = y.copy()
                beside[k] += step
                there = self.residuals(beside, beside=True)
                if there[0] != FAILED_RESIDUAL:
                    break
            columns.append((there - here) / step)
        return np.array(columns).T

    def _priors(self, y: Array) -> Array:
        rows = [
            (own.value(float(each)) - own.prior[0]) / own.prior[1]
            for own, each in zip(self.unknowns, y, strict=True)
            if own.prior is not None
        ]
        return np.array(rows)

    def update_noise(self, y: Array) -> float:
        """Noise levels from the residuals; returns the largest relative change."""
        found = self.differences(y)
        assert found is not None
        new = [
            block.noise or max(float(np.sqrt(np.mean((own / shape) ** 2))), 1e-12 * _spread(block), 1e-300)
            for own, shape, block in zip(found, self.shapes, self.blocks, strict=True)
        ]
        change = max(abs(np.log(a / b)) for a, b in zip(new, self.noise, strict=True))
        self.noise = new
        return float(change)


def calibrate(
    model: Any,
    data: Any,
    unknown: Sequence[str],
    bounds: Mapping[str, Sequence[float | None]] | None = None,
    priors: Mapping[str, Sequence[float]] | None = None,
    fixed: Mapping[str, float] | None = None,
    *,
    progress: Progress | None = None,
) -> Calibration:
    """Fit parameters of a model to several measurements at once.

    model : with start values of its parameters.
    data : `Record`, `Ringdown`, `MeasuredResponse`, {"joint": loop} for the law of a connection,
        {1: (damped frequency [rad/s], damping ratio)} for linear modes, or a list of these.
    unknown : names of the parameters, such as "joint.limit", "x.inertia"; "x.displacement", "x.velocity" for an unknown
        motion at the start of a record.
    bounds : (low, high) by name, None for an open end.   priors : (mean, standard deviation) by name.
    fixed : values of other parameters of the model, by name.
    progress : called with the number of evaluated models and the sum of squares.
    """
    _refuse_wrong_requests(model, unknown, fixed or {})
    start = with_parameters(model, fixed or {})
    unknowns = unknowns_of(start, unknown, bounds or {}, priors or {})
    problem = _Problem(model, data_sets_of(data, start), unknowns, fixed or {}, progress)
    y = np.array([own.search_variable(own.start) for own in unknowns])
    low, high = (np.array([own.search_variable(getattr(own, end)) for own in unknowns]) for end in ("low", "high"))
    if problem.differences(y) is None:
        reason = "" if problem.failure is None else f": {problem.failure.message}"
        raise NotConverged(f"the model cannot be compared with the data at its start values{reason}; change them")

    y = _best_start(problem, y, (low, high))
    for _ in range(MAX_ROUNDS):
        y = _least_squares(problem, y, (low, high), ROUND_TOLERANCE)
        if problem.update_noise(y) < NOISE_CHANGE:
            break
    y = _least_squares(problem, y, (low, high), LAST_TOLERANCE)
    problem.update_noise(y)
    return _result(problem, y, (low, high), start)


def _least_squares(problem: _Problem, y: Array, ends: tuple[Array, Array], tolerance: float) -> Array:
    """The best search variables at the present noise.

    The first step changes no parameter by more than a factor e (one that has no logarithm, by its own size). Scaled by
    the Jacobian instead, a parameter with little effect would leave for 1e-65 or 1e9 at once.
    """
    from scipy.optimize import least_squares

    def full(z: Array) -> Array:
        return np.clip(y + scale * z, *ends)

    scale = np.array([1.0 if own.logarithmic else abs(each) or 1.0 for own, each in zip(problem.unknowns, y)])
    found = least_squares(
        lambda z: problem.residuals(full(z)), np.zeros(y.size), lambda z: problem.jacobian(full(z), ends) * scale,
        bounds=tuple((end - y) / scale for end in ends), max_nfev=MAX_EVALUATIONS, ftol=tolerance,
    )  # fmt: skip
    return full(found.x)


def _refuse_wrong_requests(model: Any, unknown: Any, fixed: Mapping[str, float]) -> None:
    if not isinstance(model, System):
        raise InvalidInput(f"model must be a Model, got {short_repr(model)}").about("model")
    for name in fixed:
        if name in unknown:
            raise InvalidInput(f"{name} is in unknown and in fixed; leave one of them out").about("fixed")


def _best_start(problem: _Problem, y: Array, ends: tuple[Array, Array]) -> Array:
    """The best of some multiples of each start value, one parameter after the other.

    A limit that is never reached has a zero derivative, so least squares cannot leave it.
    """
    least = float(np.sum(problem.residuals(y) ** 2))
    for k, own in enumerate(problem.unknowns):
        for factor in START_FACTORS if own.logarithmic else ():
            other = y.copy()
            other[k] = np.clip(own.search_variable(own.start * factor), ends[0][k], ends[1][k])
            size = float(np.sum(problem.residuals(other) ** 2))
            if size < least:
                least, y = size, other
    return _off_zero(problem, y, ends)


def _off_zero(problem: _Problem, y: Array, ends: tuple[Array, Array]) -> Array:
    """A Gauss-Newton step of each number that is zero in the model, where it helps.

    The first trust region is as large as the start value: from zero at a bound the search would end at once.
    """
    for k in np.flatnonzero(y == 0.0).tolist():
        if problem.unknowns[k].logarithmic:
            continue
        beside, other, here = y.copy(), y.copy(), problem.residuals(y)
        beside[k] = ZERO_START_STEP if ends[1][k] > 0.0 else -ZERO_START_STEP
        slope = (problem.residuals(beside) - here) / beside[k]
        if slope @ slope > 0.0:
            other[k] = np.clip(-(slope @ here) / (slope @ slope), ends[0][k], ends[1][k])
            if np.sum(problem.residuals(other) ** 2) < here @ here:
                y = other
    return y


def _result(problem: _Problem, y: Array, ends: tuple[Array, Array], start: Any) -> Calibration:
    """Estimates, residuals and warnings at the best point."""
    differences = problem.differences(y)
    assert differences is not None
    jacobian = _jacobian(problem, y, ends)
    sizes = [block.measured.size for block in problem.blocks]
    covariance = weighted_covariance(jacobian, problem.residuals(y), sizes)
    units = {own.name: _unit(start, own.name) for own in problem.unknowns}
    parameters, remarks = estimates_of(problem.unknowns, y, covariance, ends, units, len(jacobian) - y.size)
    blocks = tuple(
        BlockResult(
            block.name,
            block.measured,
            block.measured + own,
            block.over,
            block.label,
            block.logarithmic,
            noise,
            block.unit,
        )
        for block, own, noise in zip(problem.blocks, differences, problem.noise, strict=True)
    )
    warnings = (*_at_rest(blocks), *remarks, *_beyond_noise(problem, differences))
    return Calibration(
        with_parameters(problem.model, problem.parameters(y)), parameters, blocks, covariance,
        tuple(own.logarithmic for own in problem.unknowns), warnings, problem.count,
        with_parameters,
        _CalibrationPosterior(problem, y, jacobian, covariance, ends, parameters),
    )  # fmt: skip


@dataclass(frozen=True)
class _CalibrationPosterior:
    """Posterior of a calibration as a function.   y : search variables at the best point."""

    problem: _Problem
    y: Array
    jacobian: Array
    covariance: Array
    ends: tuple[Array, Array]
    parameters: Estimates

    def __call__(self, draws: int, seed: int, evaluations: int | None, progress: Any) -> Posterior:
        names, (low, high) = list(self.parameters), self.ends
        unknown = np.diag(self.covariance) <= 0.0
        logarithmic = np.array([own.logarithmic for own in self.problem.unknowns])
        refuse_open(names, unknown & (np.isinf(high) | (np.isinf(low) & ~logarithmic)))
        adjustment, covariance = adjustment_of(self.jacobian.T @ self.jacobian, self.covariance, unknown)
        density = PosteriorDensity(self._squares, self.y, adjustment, covariance, low, high, logarithmic)
        chain = sample_posterior(density, draws, seed, evaluations, progress)
        values = np.array([list(self.problem.parameters(y).values()) for y in chain.draws])
        model = self.problem.model
        return Posterior(
            values, self.parameters, effective=chain.effective, evaluations=chain.evaluations,
            notes=chain_notes(chain, draws), build=partial(with_parameters, model),
            subject=f'the calibration of model "{model.name}"',
        )  # fmt: skip

    def _squares(self, y: Array) -> float:
        return float(np.sum(self.problem.residuals(y) ** 2))


def _at_rest(blocks: Sequence[BlockResult]) -> list[str]:
    """Warnings of measured motions that the model does not have at all."""
    return [
        f"the model does not move, unlike {block.name}: give the record its measured force in loads"
        for block in blocks
        if np.ptp(block.predicted) == 0.0 < np.ptp(block.measured)
    ]


def _beyond_noise(problem: _Problem, differences: Sequence[Array]) -> list[str]:
    """Warnings of data with a known noise that the model misses."""
    found = []
    for own, shape, block in zip(differences, problem.shapes, problem.blocks, strict=True):
        ratio = 0.0 if block.noise is None else float(np.sqrt(np.mean((own / shape) ** 2))) / block.noise
        if ratio > MISFIT_RATIO:
            words = f"the model misses {block.name} by {ratio:.2g} times its noise"
            found.append(f"{words}: take another law, or more unknown parameters")
    return found


def _jacobian(problem: _Problem, y: Array, ends: tuple[Array, Array]) -> Array:
    """(residuals, unknowns) at the last point by central differences, one-sided at a bound."""
    columns = []
    for k in range(y.size):
        step = np.zeros(y.size)
        step[k] = 10.0 * DIFFERENCE_STEP * max(1.0, abs(float(y[k])))
        above, below = (np.clip(y + sign * step, *ends) for sign in (1.0, -1.0))
        change = problem.residuals(above, beside=True) - problem.residuals(below, beside=True)
        columns.append(change / (above[k] - below[k]))
    if not np.all(np.isfinite(columns)):
        raise InvalidInput("the residuals have no derivative at the best point; widen the bounds")
    return np.array(columns).T


def _unit(model: Any, name: str) -> str:
    try:
        return parameter_unit(model, name)
    except SlipstickError:  # a displacement or velocity at the start
        return "m or rad" if name.endswith("displacement") else "m/s or rad/s"


def _relative_deviation(block: Block) -> Array:
    """(n,) standard deviations over the noise level; as given where that is known."""
    if block.deviation is None:
        return np.ones(block.measured.size)
    if block.noise is not None:
        return block.deviation
    middle = float(np.median(block.deviation))
    return np.maximum(block.deviation / middle, MIN_DEVIATION_SHARE) if middle > 0.0 else np.ones(block.measured.size)


def _spread(block: Block) -> float:
    """Standard deviation of what a block shows, at least 0.1 % of the mean of its values."""
    shown = block.measured if block.shown is None else block.shown
    return float(max(np.std(shown), 1e-3 * np.abs(block.measured).mean()))
