"""Functions of time in files: loads, motions, limits that vary, modulations."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from pathlib import Path as Folder
from typing import Any, NamedTuple

from slipstick.errors import InvalidInput
from slipstick.laws.parameters import NUMBER, TIME, Dimension
from slipstick.model.files import kinds as units
from slipstick.model.files import schema
from slipstick.model.files.arrays import read_samples
from slipstick.model.files.kinds import Kinds
from slipstick.model.files.problems import Located, Path
from slipstick.model.files.quantities import Quantity
from slipstick.signals import Constant, Cosine, Fourier, Ramp, Signal, Sine, Sum, TimeFunction


class Scope(NamedTuple):
    """What a function of time is of: the dimension of its value, the kinds it must agree with, the file's folder.

    folder : None if no other file may be opened.
    """

    dimension: Dimension
    kinds: Kinds
    folder: Folder | None


def read_function(node: schema.Function, path: Path, scope: Scope) -> TimeFunction:
    """The function; several keys are added in the order constant, ramp, cosine, sine, fourier, signal, sum."""
    readers: dict[str, Callable[[Any, Path, Scope], TimeFunction]] = {
        "constant": _constant,
        "ramp": _ramp,
        "cosine": _harmonic,
        "sine": _harmonic,
        "fourier": _fourier,
        "signal": _signal,
        "sum": _sum,
    }
    found: list[TimeFunction] = []
    for key, reader in readers.items():
        given = getattr(node, key)
        if given is not None:
            found.append(reader(given, (*path, key), scope))
    if not found:
        raise Located(path, f"has no function of time; give one of {', '.join(readers)}")
    return found[0] if len(found) == 1 else Sum(tuple(found))


def _constant(given: Quantity, path: Path, scope: Scope) -> TimeFunction:
    return Constant(_value(given, path, scope))


def _ramp(given: Quantity, path: Path, scope: Scope) -> TimeFunction:
    f, d, t = scope.dimension
    return Ramp(_taken(given, path, scope.kinds, (f, d, t - 1)))


def _harmonic(given: schema.Harmonic, path: Path, scope: Scope) -> TimeFunction:
    made = Sine if path[-1] == "sine" else Cosine
    amplitude = _value(given.amplitude, (*path, "amplitude"), scope)
    phase = _by(units.angle, given.phase, (*path, "phase"))
    return _made(made, path, amplitude=amplitude, phase=phase or 0.0, **_frequency(given, path))


def _fourier(given: schema.Series, path: Path, scope: Scope) -> TimeFunction:
    mean = 0.0 if given.mean is None else _value(given.mean, (*path, "mean"), scope)
    lists = {}
    for key in ("cos", "sin"):
        lists[key] = _several(getattr(given, key) or [], (*path, key), scope.kinds, scope.dimension)
    return _made(Fourier, path, mean=mean, **lists, **_frequency(given, path))


def _signal(given: schema.Samples, path: Path, scope: Scope) -> TimeFunction:
    if given.file is not None:
        if given.times is not None or given.values is not None:
            raise Located((*path, "file"), "file: stands beside times: or values:; give one or the other")
        try:
            read = read_samples(scope.folder, given.file)
            to_si = [
                kinds.take(what, Quantity(Fraction(1), unit, f"1 {unit}"), dimension)
                for what, unit, kinds, dimension in zip(
                    ("times", "values"), read.units, (Kinds(), scope.kinds), (TIME, scope.dimension), strict=True
                )
            ]
            return Signal(tuple(to_si[0] * t for t in read.times), tuple(to_si[1] * value for value in read.values))
        except InvalidInput as error:
            raise Located((*path, "file"), str(error)) from None
    if given.times is None or given.values is None:
        raise Located(path, "needs times: and values:, or file: with the name of a .csv or .npz file")
    at = _several(given.times, (*path, "times"), Kinds(), TIME)
    return _made(Signal, path, times=at, values=_several(given.values, (*path, "values"), scope.kinds, scope.dimension))


def _sum(given: list[schema.Function], path: Path, scope: Scope) -> TimeFunction:
    if not given:
        raise Located(path, "is an empty list; give at least one function of time")
    return Sum(tuple(read_function(each, (*path, i), scope) for i, each in enumerate(given)))


def _frequency(given: schema.Harmonic | schema.Series, path: Path) -> dict[str, float | None]:
    order = _by(lambda q: Kinds().take("order", q, NUMBER), given.order, (*path, "order"))
    return {"frequency": _by(units.frequency, given.frequency, (*path, "frequency")), "order": order}


def _value(quantity: Quantity, path: Path, scope: Scope) -> float:
    return _taken(quantity, path, scope.kinds, scope.dimension)


def _several(given: list[Quantity], path: Path, kinds: Kinds, dimension: Dimension) -> tuple[float, ...]:
    return tuple(_taken(q, (*path, i), kinds, dimension) for i, q in enumerate(given))


def _taken(quantity: Quantity, path: Path, kinds: Kinds, dimension: Dimension) -> float:
    try:
        return kinds.take(next(str(p) for p in reversed(path) if isinstance(p, str)), quantity, dimension)
    except InvalidInput as error:
        raise Located(path, str(error)) from None


def _by(read: Any, quantity: Quantity | None, path: Path) -> float | None:
    if quantity is None:
        return None
    try:
        value: float = read(quantity)
        return value
    except InvalidInput as error:
        raise Located(path, str(error)) from None


def _made(function: type[TimeFunction], path: Path, **values: Any) -> TimeFunction:
    """The function, with what it says about its values; its words are about Python, ours about files."""
    try:
        return function(**values)
    except InvalidInput as error:
        text = str(error).replace("frequency= [rad/s]", "frequency:").replace("order= (a", "order: (a")
        text = text.replace("Constant for a constant", "constant: instead").removeprefix(function.__name__)
        raise Located(path, text.lstrip(": ")) from None
