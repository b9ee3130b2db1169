"""Functions of time in files: loads, motions, limits that vary, modulations."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from pathlib import Path as Folder
from typing import Any, NamedTuple

from slipstick.errors import InvalidInput
from slipstick.model.files import schema
from slipstick.model.files import unit_kinds as units
from slipstick.model.files.file_problems import LocatedProblem, Path
from slipstick.model.files.npz_arrays import read_samples
from slipstick.model.files.quantities import Quantity
from slipstick.model.files.unit_kinds import OpenKinds
from slipstick.signals import Chirp, Constant, Cosine, Fourier, Ramp, Signal, Sine, Sum, TimeFunction
from slipstick.units.dimensions import NUMBER, TIME, Dimension


class FunctionScope(NamedTuple):
    """What a function of time is of: the dimension of its value, the kinds it must agree with, the file's folder.

    folder : None if no other file may be opened.
    """

    dimension: Dimension
    kinds: OpenKinds
    folder: Folder | None


def read_function(node: schema.FunctionSection, path: Path, scope: FunctionScope) -> TimeFunction:
    """The function; several keys are added in the order constant, ramp, cosine, sine, fourier, signal, chirp, sum."""
    readers: dict[str, Callable[[Any, Path, FunctionScope], TimeFunction]] = {
        "constant": _constant,
        "ramp": _ramp,
        "cosine": _harmonic,
        "sine": _harmonic,
        "fourier": _fourier,
        "signal": _signal,
        "chirp": _chirp,
        "sum": _sum,
    }
    found: list[TimeFunction] = []
    for key, reader in readers.items():
        given = getattr(node, key)
        if given is not None:
            found.append(reader(given, (*path, key), scope))
    if not found:
        raise LocatedProblem(path, f"has no function of time; give one of {', '.join(readers)}")
    return found[0] if len(found) == 1 else Sum(tuple(found))


def _constant(given: Quantity, path: Path, scope: FunctionScope) -> TimeFunction:
    return Constant(_value(given, path, scope))


def _ramp(given: Quantity, path: Path, scope: FunctionScope) -> TimeFunction:
    f, d, t = scope.dimension
    return Ramp(_quantity_in_kind(given, path, scope.kinds, (f, d, t - 1)))


def _harmonic(given: schema.HarmonicSection, path: Path, scope: FunctionScope) -> TimeFunction:
    made = Sine if path[-1] == "sine" else Cosine
    amplitude = _value(given.amplitude, (*path, "amplitude"), scope)
    phase = _read_optional(units.read_angle, given.phase, (*path, "phase"))
    return _checked_function(made, path, amplitude=amplitude, phase=phase or 0.0, **_frequency(given, path))


def _fourier(given: schema.FourierSeries, path: Path, scope: FunctionScope) -> TimeFunction:
    mean = 0.0 if given.mean is None else _value(given.mean, (*path, "mean"), scope)
    lists = {}
    for key in ("cos", "sin"):
        lists[key] = _quantity_list(getattr(given, key) or [], (*path, key), scope.kinds, scope.dimension)
    return _checked_function(Fourier, path, mean=mean, **lists, **_frequency(given, path))


def _signal(given: schema.SamplesSection, path: Path, scope: FunctionScope) -> TimeFunction:
    if given.file is not None:
        if given.times is not None or given.values is not None:
            raise LocatedProblem((*path, "file"), "file: and times: or values: are both given; give one or the other")
        try:
            read = read_samples(scope.folder, given.file)
            to_si = [
                kinds.take(what, Quantity(Fraction(1), unit, f"1 {unit}"), dimension)
                for what, unit, kinds, dimension in zip(
                    ("times", "values"), read.units, (OpenKinds(), scope.kinds), (TIME, scope.dimension), strict=True
                )
            ]
            return Signal(tuple(to_si[0] * t for t in read.times), tuple(to_si[1] * value for value in read.values))
        except InvalidInput as error:
            raise LocatedProblem((*path, "file"), error.message) from None
    if given.times is None or given.values is None:
        raise LocatedProblem(path, "needs times: and values:, or file: with the name of a .csv or .npz file")
    at = _quantity_list(given.times, (*path, "times"), OpenKinds(), TIME)
    return _checked_function(
        Signal, path, times=at, values=_quantity_list(given.values, (*path, "values"), scope.kinds, scope.dimension)
    )


def _chirp(given: schema.ChirpFunction, path: Path, scope: FunctionScope) -> TimeFunction:
    return _checked_function(
        Chirp,
        path,
        amplitude=_value(given.amplitude, (*path, "amplitude"), scope),
        frequency=_read_optional(units.read_frequency, given.frequency, (*path, "frequency")),
        rate=_read_optional(units.read_frequency_rate, given.rate, (*path, "rate")),
        phase=_read_optional(units.read_angle, given.phase, (*path, "phase")) or 0.0,
    )


def _sum(given: list[schema.FunctionSection], path: Path, scope: FunctionScope) -> TimeFunction:
    if not given:
        raise LocatedProblem(path, "is an empty list; give at least one function of time")
    return Sum(tuple(read_function(each, (*path, i), scope) for i, each in enumerate(given)))


def _frequency(given: schema.HarmonicSection | schema.FourierSeries, path: Path) -> dict[str, float | None]:
    order = _read_optional(lambda q: OpenKinds().take("order", q, NUMBER), given.order, (*path, "order"))
    return {"frequency": _read_optional(units.read_frequency, given.frequency, (*path, "frequency")), "order": order}


def _value(quantity: Quantity, path: Path, scope: FunctionScope) -> float:
    return _quantity_in_kind(quantity, path, scope.kinds, scope.dimension)


def _quantity_list(given: list[Quantity], path: Path, kinds: OpenKinds, dimension: Dimension) -> tuple[float, ...]:
    return tuple(_quantity_in_kind(q, (*path, i), kinds, dimension) for i, q in enumerate(given))


def _quantity_in_kind(quantity: Quantity, path: Path, kinds: OpenKinds, dimension: Dimension) -> float:
    try:
        return kinds.take(next(str(p) for p in reversed(path) if isinstance(p, str)), quantity, dimension)
    except InvalidInput as error:
        raise LocatedProblem(path, error.message) from None


def _read_optional(read: Any, quantity: Quantity | None, path: Path) -> float | None:
    if quantity is None:
        return None
    try:
        value: float = read(quantity)
        return value
    except InvalidInput as error:
        raise LocatedProblem(path, error.message) from None


def _checked_function(function: type[TimeFunction], path: Path, **values: Any) -> TimeFunction:
    """The function; errors about its values carry its path."""
    try:
        return function(**values)
    except InvalidInput as error:
        raise LocatedProblem(path, error.message.with_owner("")) from None
