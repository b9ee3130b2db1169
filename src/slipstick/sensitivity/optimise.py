"""`optimise`: parameters with the least or greatest value of a figure, by SciPy's SLSQP with exact derivatives.

Search variables run from 0 to 1 between the bounds, logarithmically where both are positive.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from slipstick.arrays import Array
from slipstick.calibration.unknowns import value_of, with_parameters
from slipstick.errors import (
    InvalidInput,
    NotConverged,
    SlipstickError,
    arguments_in_words,
    finite_float,
    short_repr,
)
from slipstick.model.system import System
from slipstick.name_hints import did_you_mean
from slipstick.periodic.orbit import find_periodic_orbit
from slipstick.periodic.response import frequency_response
from slipstick.results.figures import read_figure
from slipstick.results.optimum import Optimum
from slipstick.sensitivity.design import DesignModel
from slipstick.sensitivity.gradient import gradient
from slipstick.transient.simulate import simulate

Progress = Callable[[int, float], Any]

TOLERANCE = 1e-10  # of the figure over its first value
AT_BOUND = 1e-6  # of a range: so near a parameter is at its bound
MAX_ITERATIONS = 100
SATISFIED = 1e-6  # relative: what a limit may be exceeded by
RETREATS = (1e-3, 1e-2, 0.1, 0.5, 0.9)  # of the way back to the last point that has a figure, where a trial has none
MAX_RETREATS = 8  # trials without a figure, after which the search ends


class _FigureBound(NamedTuple):
    """A bound of another figure.   sign : 1 for a lower one, -1 for an upper one."""

    figure: str
    bound: float
    sign: float


@arguments_in_words
def optimise(
    model_or_build: Any,
    figure: str,
    over: Mapping[str, Sequence[float]],
    *,
    between: Any = None,
    frequency: float | None = None,
    until: float | None = None,
    subject_to: Mapping[str, Sequence[float | None]] | None = None,
    maximise: bool = False,
    progress: Progress | None = None,
    **options: Any,
) -> Optimum:
    """Parameters of a model with the least value of a figure, by a local search from the model's own values.

    A figure may have several minima; begin elsewhere, or look at a sweep, to compare.

    model_or_build : a model, or a function from a dict of values to a model.
    figure : of a curve ("x.peak"), an orbit ("x.amplitude") or a run ("x.rms"), as of ``gradient``.
    over : (low, high) of each parameter by name. The search begins at the model's own values, or in the middle.
    between, frequency, until : range of a curve, frequency of an orbit, or end of a run; one of them.
    subject_to : (low, high) of other figures of the same result; None for an open end.
    maximise : look for the greatest value instead.
    progress : called with the number of results and the value of the figure.
    options : of `Model.frequency_response`, `Model.periodic` or `Model.simulate`.
    """
    from scipy.optimize import minimize

    _check_options(between, frequency, options)
    search = _Search(model_or_build, figure, over, _solver(between, frequency, until, options), progress)
    limits = _limits(subject_to or {})
    sign = -1.0 if maximise else 1.0
    first = search.value(figure, search.begin)
    scale = abs(first) or 1.0
    constraints = [
        {
            "type": "ineq",
            "fun": lambda y, own=own: own.sign * (search.value(own.figure, y) / own.bound_scale - own.ratio),
            "jac": lambda y, own=own: own.sign * search.slopes(own.figure, y) / own.bound_scale,
        }
        for own in (_ScaledBound(*each) for each in limits)
    ]
    try:
        found = minimize(
            lambda y: sign * search.value(figure, y) / scale, search.begin,
            jac=lambda y: sign * search.slopes(figure, y) / scale, bounds=[(0.0, 1.0)] * len(search.names),
            constraints=constraints, method="SLSQP", options={"ftol": TOLERANCE, "maxiter": MAX_ITERATIONS},
        )  # fmt: skip
    except NotConverged as failure:
        failure.partial = search.best(figure, sign, limits, first, f"{failure}")
        raise
    message = "" if found.success else str(found.message)
    return search.optimum(figure, found.x, limits, first, message)


class _ScaledBound(NamedTuple):
    figure: str
    bound: float
    sign: float

    @property
    def bound_scale(self) -> float:
        return abs(self.bound) or 1.0

    @property
    def ratio(self) -> float:
        return self.bound / self.bound_scale


class _Search:
    """Figures and their derivatives over the search variables; results and derivatives are kept for the last ones."""

    def __init__(
        self, given: Any, figure: Any, over: Mapping[str, Sequence[float]], solve: Callable[[Any], Any],
        progress: Progress | None,
    ) -> None:  # fmt: skip
        if not isinstance(figure, str):
            raise InvalidInput(f'figure must be a name, such as "x.peak", got {short_repr(figure)}').about("figure")
        if not isinstance(over, Mapping) or not over:
            raise InvalidInput(f"over must have (low, high) by name, got {short_repr(over)}").about("over")
        self.figure, self.solve, self.progress = figure, solve, progress
        self.names = list(over)
        self.ranges = [_range(name, pair) for name, pair in over.items()]
        if isinstance(given, System):
            model = given.snapshot()
            self.model_at: Callable[[dict[str, float]], Any] = lambda values: with_parameters(model, values)
            self.design: DesignModel | None = None
            starts = [value_of(model, name) for name in self.names]
        elif callable(given):
            self.design = DesignModel(given)
            self.model_at = self.design.model
            starts = [math.sqrt(low * high) if low > 0.0 else 0.5 * (low + high) for low, high in self.ranges]
        else:
            words = f"model_or_build must be a Model or a function to one, got {short_repr(given)}"
            raise InvalidInput(words).about("model_or_build")
        for name, start, (low, high) in zip(self.names, starts, self.ranges, strict=True):
            if not low <= start <= high:
                words = f"{name} is {start:.6g} in the model, outside its range {low:.6g} to {high:.6g}"
                raise InvalidInput(f"{words}; change the model or the range").about("over")
        self.begin = np.array([_variable(start, *ends) for start, ends in zip(starts, self.ranges, strict=True)])
        self.results: dict[bytes, Any] = {}
        self.known: dict[tuple[str, bytes], tuple[float, Array]] = {}
        self.history: list[tuple[float, Array]] = []
        self.last: dict[str, Array] = {}  # the last point with each figure
        self.instead: dict[bytes, Array] = {}  # of points without a figure, the point that was taken

    def values(self, y: Array) -> dict[str, float]:
        """Parameters by name."""
        pairs = zip(self.names, y.tolist(), self.ranges, strict=True)
        return {name: _parameter(each, *ends) for name, each, ends in pairs}

    def result(self, y: Array) -> Any:
        """The run, orbit or curve."""
        key = y.tobytes()
        if key not in self.results:
            self.results[key] = self.solve(self.model_at(self.values(y)))
        return self.results[key]

    def value(self, figure: str, y: Array) -> float:
        return self._evaluated(figure, y)[0]

    def slopes(self, figure: str, y: Array) -> Array:
        """(parameters,) derivatives by the search variables."""
        return self._evaluated(figure, y)[1]

    def _evaluated(self, figure: str, y: Array) -> tuple[float, Array]:
        """The figure and its slopes; where a trial has none, those of a point nearer to the last one that has it.

        A figure with a limit keeps its value: a peak that has left the band is at its end, beyond the limit.
        """
        y = self.taken(y)
        key = (figure, y.tobytes())
        if key not in self.known:
            try:
                self.known[key] = self._computed(figure, y)
            except SlipstickError as failure:
                interrupted = isinstance(failure, NotConverged) and failure.interrupted
                if interrupted or figure not in self.last:
                    raise
                if figure != self.figure:
                    return self._with_last_slopes(figure, y)
                if not isinstance(failure, NotConverged) or len(self.instead) >= MAX_RETREATS:
                    raise
                return self._retreat(figure, y, failure)
            self.last[figure] = y
        return self.known[key]

    def taken(self, y: Array) -> Array:
        """The point that was taken for a trial."""
        y = np.clip(y, 0.0, 1.0)
        return self.instead.get(y.tobytes(), y)

    def _with_last_slopes(self, figure: str, y: Array) -> tuple[float, Array]:
        return float(read_figure(self.result(y), figure)), self.known[figure, self.last[figure].tobytes()][1]

    def _retreat(self, figure: str, y: Array, failure: NotConverged) -> tuple[float, Array]:
        for share in RETREATS:
            near = y + share * (self.last[figure] - y)
            try:
                found = self.known[figure, near.tobytes()] = self._computed(figure, near)
            except NotConverged as trouble:
                if trouble.interrupted:
                    raise
                continue
            self.instead[y.tobytes()] = self.last[figure] = near
            return found
        raise failure

    def _computed(self, figure: str, y: Array) -> tuple[float, Array]:
        result, values = self.result(y), self.values(y)
        if self.design is None:
            found = gradient(result, figure, self.names)
            value, slopes = found.value, found.array
        else:
            value, slopes = self.design.slopes(result, figure, values)
        if np.ndim(value) != 0:
            raise InvalidInput(f"{figure} is not one number", advice=['take a peak: "x.peak"']).about("figure")
        by_variable = [
            own * _slope(each, *ends) for own, each, ends in zip(slopes.tolist(), y.tolist(), self.ranges, strict=True)
        ]
        if figure == self.figure:
            self.history.append((float(value), y))
            if self.progress is not None:
                self.progress(len(self.results), float(value))
        return float(value), np.array(by_variable)

    def best(self, figure: str, sign: float, limits: list[_FigureBound], first: float, message: str) -> Optimum | None:
        """The best of the points so far."""
        if not self.history:
            return None
        y = min(self.history, key=lambda pair: sign * pair[0])[1]
        return self.optimum(figure, y, limits, first, message)

    def optimum(self, figure: str, y: Array, limits: list[_FigureBound], first: float, message: str) -> Optimum:
        y = self.taken(y)
        values = self.values(y)
        named = dict.fromkeys(each.figure for each in limits)
        reached = {name: self.value(name, y) for name in named}
        for own in limits:
            excess = own.sign * (own.bound - reached[own.figure])
            if excess > SATISFIED * (abs(own.bound) or 1.0):
                found = f"{own.figure} is {reached[own.figure]:.6g}, its limit {own.bound:.6g}"
                message = f"no point within the limits was found: {found}"
        active = tuple(
            name for name, each in zip(self.names, y.tolist(), strict=True) if min(each, 1.0 - each) < AT_BOUND
        )
        return Optimum(
            self.model_at(values), values, figure, self.value(figure, y), first, reached, active, not message, message,
            len(self.results), self.result(y), tuple(value for value, _ in self.history),
        )  # fmt: skip


def _check_options(between: Any, frequency: Any, options: dict[str, Any]) -> None:
    """Refuse an option that the solver does not have."""
    solver: Any = (
        frequency_response if between is not None else find_periodic_orbit if frequency is not None else simulate
    )
    known = [name for name in inspect.signature(solver).parameters if name not in ("system", "build")]
    for name in options:
        if name not in known:
            raise InvalidInput(f'optimise has no option "{name}"{did_you_mean(name, known)}').about(name)


def _solver(between: Any, frequency: Any, until: Any, options: dict[str, Any]) -> Callable[[Any], Any]:
    """What computes the result of a model."""
    if sum(each is not None for each in (between, frequency, until)) != 1:
        raise InvalidInput(
            "optimise needs one of between (a curve), frequency (an orbit) and until (a run)",
            advice=["for the peak over a band give between=(low, high)"],
        )
    if between is not None:
        return lambda model: frequency_response(model, between=between, **options)
    if frequency is not None:
        return lambda model: find_periodic_orbit(model, frequency, **options)
    return lambda model: simulate(model, until, **options)


def _limits(given: Mapping[str, Sequence[float | None]]) -> list[_FigureBound]:
    if not isinstance(given, Mapping):
        raise InvalidInput(f"subject_to must have (low, high) by name, got {short_repr(given)}").about("subject_to")
    found = []
    for name, pair in given.items():
        if isinstance(pair, str) or not isinstance(pair, (Sequence, np.ndarray)) or len(pair) != 2:
            raise InvalidInput(f"subject_to of {name} must be (low, high), got {short_repr(pair)}").about("subject_to")
        for bound, sign in zip(pair, (1.0, -1.0), strict=True):
            if bound is not None and sign < 0.0 and pair[0] is not None and not pair[0] <= bound:
                raise InvalidInput(f"subject_to of {name} must have low <= high, got {short_repr(pair)}").about(
                    "subject_to"
                )
            if bound is not None:
                found.append(_FigureBound(name, finite_float(f"subject_to of {name}", bound), sign))
    return found


def _range(name: str, pair: Any) -> tuple[float, float]:
    if isinstance(pair, str) or not isinstance(pair, (Sequence, np.ndarray)) or len(pair) != 2:
        raise InvalidInput(f"over of {name} must be (low, high), got {short_repr(pair)}").about("over")
    low, high = (finite_float(f"over of {name}", end) for end in pair)
    if not low < high:
        raise InvalidInput(f"over of {name} must have low < high, got {short_repr(pair)}").about("over")
    return low, high


def _variable(value: float, low: float, high: float) -> float:
    if low > 0.0:
        return math.log(value / low) / math.log(high / low)
    return (value - low) / (high - low)


def _parameter(y: float, low: float, high: float) -> float:
    found = low * (high / low) ** y if low > 0.0 else low + y * (high - low)
    return min(max(found, low), high)


def _slope(y: float, low: float, high: float) -> float:
    """Derivative of a parameter by its search variable."""
    return _parameter(y, low, high) * math.log(high / low) if low > 0.0 else high - low
