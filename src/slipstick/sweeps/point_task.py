"""`PointTask`: the computation at one point: build, run, measure. It is sent to workers as bytes."""

from __future__ import annotations

import inspect
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np

from slipstick.errors import Advice, InvalidInput, SlipstickError, short_repr
from slipstick.name_hints import did_you_mean
from slipstick.results.figures import UnknownFigure, read_figure, refuse_unknown
from slipstick.sweeps.point_outcome import DONE, PointOutcome, certificate_summary, split_figures_and_arrays

Measure = Callable[..., Any] | str
START_ARGUMENT = "start"  # argument of build for the orbit of the point before


@dataclass(frozen=True)
class PointTask:
    """build : from the values of a point to a model, a result, or figures.
    measures : by name, functions of the built object or names of figures; None if build returns figures.
    chained : a point starts from the orbit of the point before.   axes : names that figures cannot have.
    """

    build: Callable[..., Any]
    measures: Mapping[str, Measure] | Callable[..., Any] | None
    chained: bool = False
    axes: tuple[str, ...] = ()

    def run(self, number: int, arguments: Mapping[str, Any], start: bytes | None) -> PointOutcome:
        """The outcome of one point, which includes its errors."""
        began = perf_counter()
        # random numbers must not depend on the process
        random.seed(number)
        np.random.seed(number % 2**32)  # noqa: NPY002
        try:
            built = self._built(arguments, start)
            figures = self._figures(built, arguments)
            _refuse_axis(figures, self.axes)
            small, large = split_figures_and_arrays(figures)
            certificate = certificate_summary(built)
            following = _packed_orbit(built) if self.chained else None
        except SlipstickError as failure:
            return PointOutcome.failed(str(failure), perf_counter() - began, lacks=isinstance(failure, UnknownFigure))
        except BaseException as failure:  # SystemExit and KeyboardInterrupt of user code too
            return PointOutcome.failed(_failure_message(failure), perf_counter() - began)
        return PointOutcome(DONE, small, large, certificate, "", perf_counter() - began, following)

    def _built(self, arguments: Mapping[str, Any], start: bytes | None) -> Any:
        begin = None if start is None else _start_orbit(start)
        if self.chained and takes_argument(self.build, START_ARGUMENT):
            built = self.build(**arguments, start=begin)
        else:
            built = self.build(**arguments)
        if hasattr(built, "periodic") and not callable(self.measures) and self.measures is not None:
            return built.periodic(start=begin)
        return built

    def _figures(self, built: Any, arguments: Mapping[str, Any]) -> dict[str, Any]:
        if self.measures is None:
            return as_figures(built, "build")
        if callable(self.measures):
            return as_figures(_call_measure(self.measures, built, arguments), "measure")
        found = {}
        for name, measure in self.measures.items():
            found[name] = (
                read_figure(built, measure) if isinstance(measure, str) else _call_measure(measure, built, arguments)
            )
        return found


def _failure_message(failure: BaseException) -> str:
    try:
        return f"{type(failure).__name__}: {failure}".removesuffix(": ")
    except Exception:  # its __str__ fails
        return type(failure).__name__


def make_task(build: Any, measure: Any, names: Sequence[str], chained: bool, axes: Sequence[str] = ()) -> PointTask:
    """The checked task of a sweep."""
    if not callable(build):
        raise InvalidInput(f"build must be a function of {', '.join(names)}, got {short_repr(build)}").about("build")
    _refuse_unfit_build(build, names, chained)
    task = PointTask(build, _checked_measures(measure), chained, tuple(axes))
    measures = task.measures
    if measures is not None and not callable(measures):
        _refuse_axis(measures, task.axes)
    for own in [measures] if callable(measures) else [m for m in (measures or {}).values() if callable(m)]:
        _refuse_measure(own, names)
    return task


def as_figures(value: Any, source: str) -> dict[str, Any]:
    """Figures by name, from one number or a mapping; a number is called "value"."""
    if isinstance(value, Mapping):
        if not value:
            raise UnknownFigure(f"{source} returned no figures, but an empty mapping")
        return dict(value)
    if isinstance(value, (bool, int, float, str, np.generic, np.ndarray, list, tuple)):
        return {"value": value}
    raise UnknownFigure(
        f"{source} must give a number or figures by name",
        value=value,
        got=short_repr(value),
        advice=[Advice("name some, such as {measure}", measure=["x.amplitude"])],
    )


def _refuse_axis(figures: Mapping[str, Any], axes: Sequence[str]) -> None:
    same = next((name for name in figures if name in axes), None)
    if same is not None:
        way = Advice("give the figure another name, such as {measure}", measure={f"its_{same}": ...})
        raise InvalidInput(f"{same} is an axis and a figure", argument="measure", advice=[way])


def takes_argument(function: Callable[..., Any], name: str) -> bool:
    """True if a function accepts an argument of this name."""
    parameters = _parameters(function)
    return parameters is None or name in parameters


def _checked_measures(measure: Any) -> Any:
    if measure is None or callable(measure):
        return measure
    if isinstance(measure, (str, Mapping)):
        listed = {measure: measure} if isinstance(measure, str) else dict(measure)
    elif isinstance(measure, Sequence):
        names = [each if isinstance(each, str) else getattr(each, "__name__", "value") for each in measure]
        twice = next((name for name in names if names.count(name) > 1), None)
        if twice is not None:
            way = Advice("give each a name of its own, {measure}", measure={"first": ..., "second": ...})
            raise InvalidInput(f"measure has {twice} twice", argument="measure", advice=[way])
        listed = dict(zip(names, measure))
    else:
        listed = {"": measure}
    for name, each in listed.items():
        if not isinstance(name, str) or not (isinstance(each, str) or callable(each)):
            words = 'measure must be a function, or names of figures such as ["x.amplitude", "guide.dissipated"]'
            raise InvalidInput(f"{words}, got {short_repr(each)}").about("measure")
        if isinstance(each, str):
            refuse_unknown(each)
    if not listed:
        raise InvalidInput('measure is empty; name at least one figure, such as ["x.amplitude"]').about("measure")
    return listed


def _refuse_unfit_build(build: Callable[..., Any], names: Sequence[str], chained: bool) -> None:
    parameters = _parameters(build)
    if parameters is None:
        return
    missing = next((name for name in names if name not in parameters), None)
    if missing is not None:
        taken = f"takes {', '.join(parameters)}" if parameters else "takes no arguments"
        words = f'over= has "{missing}", which build does not take{did_you_mean(missing, parameters, lists=False)}'
        raise InvalidInput(f"{words}; build {taken}").about("build")
    for name, parameter in parameters.items():
        if parameter.default is parameter.empty and name not in names and not (chained and name == START_ARGUMENT):
            words = f'build needs "{name}", which over= does not have; add it to over=, or give it a default in build'
            raise InvalidInput(words).about("over")


def _refuse_measure(measure: Callable[..., Any], names: Sequence[str]) -> None:
    parameters = _parameters(measure)
    if parameters is None:
        return
    if not parameters:
        raise InvalidInput("measure must take one argument, the result of build, got none").about("measure")
    for name, parameter in list(parameters.items())[1:]:
        if parameter.default is parameter.empty and name not in names:
            words = f'measure needs "{name}", which over= does not have; it may take the result of build, then'
            raise InvalidInput(f"{words} {', '.join(names)}").about("measure")


def _call_measure(measure: Callable[..., Any], built: Any, arguments: Mapping[str, Any]) -> Any:
    """Call a measure with the built object and the values of the point that it has arguments for."""
    parameters = list(_parameters(measure) or {})[1:]
    return measure(built, **{name: arguments[name] for name in parameters if name in arguments})


def _parameters(function: Callable[..., Any]) -> dict[str, inspect.Parameter] | None:
    """Parameters by name; None if all names are accepted or the signature is unknown."""
    try:
        parameters = inspect.signature(function).parameters
    except (TypeError, ValueError):
        return None
    if any(p.kind is p.VAR_KEYWORD for p in parameters.values()):
        return None
    return {name: p for name, p in parameters.items() if p.kind is not p.VAR_POSITIONAL}


def _packed_orbit(built: Any) -> bytes | None:
    """The orbit as bytes, for the next point."""
    from slipstick.results.orbit import Orbit
    from slipstick.sweeps.orbit_bytes import pack_orbit

    return pack_orbit(built) if isinstance(built, Orbit) else None


def _start_orbit(start: bytes) -> Any:
    """The start orbit, from the point before or from a ledger."""
    from slipstick.sweeps.orbit_bytes import unpack_orbit

    return unpack_orbit(start)
