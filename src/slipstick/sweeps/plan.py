"""`Plan`: the points of a sweep, as crossed axes or as columns that belong together.

    grid(f1=[10, 20], omega=[1, 2, 3])      2 x 3 points
    points([{...}, {...}])                  just these
    random(100, seed=1, f1=(10, 20))        uniform, `log`, or any SciPy distribution
    latin_hypercube(100, seed=1, ...)       the same, spread evenly over each number
    samples(fit, 100)                       laws drawn from a fit
    plan * other                            each point of one with each of the other

A plan keeps columns, not points: a million points are a few arrays.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from slipstick.errors import InvalidInput, short_repr
from slipstick.sweeps.plan_columns import ObjectColumn, column_item, is_number, make_column
from slipstick.sweeps.point_outcome import RESERVED_NAMES

EXAMPLE = 'over={"limit": [1.0, 2.0], "omega": [0.5, 1.0]}'


@dataclass(frozen=True)
class Dimension:
    """Columns of equal length that go together.

    name : of the dimension.   columns : numbers, words or flags by name, as in ledgers and tables.
    objects : arguments instead of columns, by name, where they are no scalars: laws.
    """

    name: str
    columns: dict[str, Any]
    objects: dict[str, Sequence[Any]]

    def __len__(self) -> int:
        return len(next(iter(self.columns.values())))


@dataclass(frozen=True)
class Plan:
    """Dimensions that are crossed; the last runs fastest. Points are numbered from 0."""

    dimensions: tuple[Dimension, ...]
    shape: tuple[int, ...] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "shape", tuple(len(d) for d in self.dimensions))
        _refuse_taken([name for d in self.dimensions for name in d.columns])
        _refuse_twice([d.name for d in self.dimensions], [{*d.columns, *d.objects} for d in self.dimensions])

    @property
    def names(self) -> list[str]:
        """Of all columns."""
        return [name for d in self.dimensions for name in d.columns]

    @property
    def handed(self) -> list[str]:
        """Names of the arguments of a point."""
        return [name for d in self.dimensions for name in (d.objects or d.columns)]

    def __len__(self) -> int:
        return int(np.prod(self.shape))

    def __mul__(self, other: Any) -> Plan:
        return Plan(self.dimensions + plan_of(other).dimensions)

    def parameters(self, number: int) -> dict[str, Any]:
        """A point as scalars by name."""
        at = np.unravel_index(number, self.shape)
        return {name: column_item(column, i) for d, i in zip(self.dimensions, at) for name, column in d.columns.items()}

    def arguments(self, number: int) -> dict[str, Any]:
        """The arguments of a point by name."""
        at = np.unravel_index(number, self.shape)
        return {
            name: column_item(column, i)
            for d, i in zip(self.dimensions, at)
            for name, column in (d.objects or d.columns).items()
        }

    def along(self, name: str) -> Plan:
        """The same points with one dimension running fastest."""
        last = [d for d in self.dimensions if d.name == name]
        if not last:
            known = ", ".join(d.name for d in self.dimensions)
            raise InvalidInput(f"along must be one of {known}, got {short_repr(name)}").about("along")
        return Plan((*(d for d in self.dimensions if d.name != name), *last))


class Logarithmic(NamedTuple):
    """Equal ratios are equally likely between two positive ends."""

    low: float
    high: float

    def ppf(self, share: Any) -> Any:
        return self.low * (self.high / self.low) ** share


class Uniform(NamedTuple):
    """All values between two ends are equally likely."""

    low: float
    high: float

    def ppf(self, share: Any) -> Any:
        return self.low + (self.high - self.low) * share


def log(low: float, high: float) -> Logarithmic:
    """For `random` and `latin_hypercube`: equal ratios are equally likely."""
    if not (is_number(low) and is_number(high) and 0.0 < low < high):
        raise InvalidInput(f"log needs 0 < low < high, got {short_repr(low)} and {short_repr(high)}")
    return Logarithmic(float(low), float(high))


def plan_of(over: Any) -> Plan:
    """The plan that ``over`` means: a plan, a grid as a mapping, or a list of points."""
    if isinstance(over, Plan):
        return over
    if isinstance(over, Mapping):
        return grid(**_checked_axis_names(over))
    if isinstance(over, Sequence) and not isinstance(over, str):
        return points(over)
    raise InvalidInput(f"over must be axes by name, such as {EXAMPLE}, or a list of points, got {short_repr(over)}")


def grid(**axes: Any) -> Plan:
    """Every value of each axis with every value of all others; the last runs fastest."""
    if not axes:
        raise InvalidInput(f"over has no axes; give at least one, such as {EXAMPLE}")
    return Plan(tuple(_dimension(name, {name: values}) for name, values in axes.items()))


def points(rows: Iterable[Mapping[str, Any]], name: str = "point") -> Plan:
    """Just these points, each with the same names; they are one dimension."""
    listed = list(rows)
    if not listed or not all(isinstance(row, Mapping) for row in listed):
        raise InvalidInput(f'a list of points holds mappings, such as [{{"limit": 1.0}}], got {short_repr(listed)}')
    names = list(_checked_axis_names(listed[0]))
    for i, row in enumerate(listed):
        if set(row) != set(names):
            raise InvalidInput(
                f"point {i} has {', '.join(map(str, row))}, the first {', '.join(names)}; give all of them"
            )
    return Plan((_dimension(name, {key: [row[key] for row in listed] for key in names}),))


def random(count: int, *, seed: int = 0, name: str = "sample", **ranges: Any) -> Plan:
    """Points at random: for each number (low, high), `log(low, high)`, or a distribution with ``ppf``."""
    size = _count(count)
    shares = np.random.default_rng(_seed(seed)).random((size, len(ranges)))
    return _quantile_points(shares, ranges, name)


def latin_hypercube(count: int, *, seed: int = 0, name: str = "sample", **ranges: Any) -> Plan:
    """The same with one point in each of ``count`` equally likely parts of every number."""
    from scipy.stats import qmc

    size = _count(count)
    if not ranges:
        raise InvalidInput("a plan needs at least one range, such as limit=(1.0, 2.0)")
    return _quantile_points(qmc.LatinHypercube(d=len(ranges), seed=_seed(seed)).random(size), ranges, name)


def samples(fit: Any, count: int, *, seed: int = 0, argument: str = "law", name: str = "sample") -> Plan:
    """Laws drawn from a fit, with their correlations; each is passed as ``argument``."""
    if not hasattr(fit, "sample"):
        raise InvalidInput(f"samples are drawn from a fit of ss.identify, got {short_repr(fit)}")
    laws = fit.sample(_count(count), _seed(seed))
    columns: dict[str, list[float]] = {}
    for law in laws:
        for key, value in _numbers_of(law).items():
            columns.setdefault(f"{argument}.{key}", []).append(value)
    return Plan((Dimension(name, {key: np.array(values) for key, values in columns.items()}, {argument: laws}),))


def _numbers_of(law: Any) -> dict[str, float]:
    """The numbers of a law, or of each part of a sum."""
    terms = getattr(law, "terms", None)
    if terms:
        return {f"{k}.{key}": value for k, term in enumerate(terms) for key, value in _numbers_of(term.law).items()}
    return {key: float(value) for key, value in law.parameters().items() if is_number(value)}


def _quantile_points(shares: Any, ranges: Mapping[str, Any], name: str) -> Plan:
    if not ranges:
        raise InvalidInput("a plan needs at least one range, such as limit=(1.0, 2.0)")
    columns = {key: _quantiles(key, given, shares[:, k]) for k, (key, given) in enumerate(ranges.items())}
    return Plan((Dimension(name, columns, {}),))


def _quantiles(name: str, given: Any, shares: Any) -> Any:
    if isinstance(given, (tuple, list)) and not isinstance(given, (Logarithmic, Uniform)):
        if len(given) != 2 or not all(is_number(end) for end in given) or not given[0] < given[1]:
            raise InvalidInput(f"the range of {name} must be (low, high) with low < high, got {short_repr(given)}")
        given = Uniform(*(float(end) for end in given))
    if not hasattr(given, "ppf"):
        words = f"the range of {name} must be (low, high), log(low, high) or a distribution, got {short_repr(given)}"
        raise InvalidInput(words)
    values = np.asarray(given.ppf(shares), dtype=float)
    if not np.all(np.isfinite(values)):
        raise InvalidInput(f"the range of {name} must give finite numbers, got {short_repr(given)}")
    return values


def _refuse_taken(names: Sequence[str]) -> None:
    taken = next((name for name in names if name in RESERVED_NAMES), None)
    if taken is not None:
        raise InvalidInput(f"the name {taken} is reserved in a sweep; give the axis another name")


def _refuse_twice(dimensions: Sequence[str], columns: Sequence[set[str]]) -> None:
    """Refuse names that occur twice."""
    names = [name for own, held in zip(dimensions, columns) for name in held | {own}]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is None:
        return
    if dimensions.count(twice) > 1 and not any(twice in held for held in columns):  # two of random, say
        words = f'two parts of the plan are called {short_repr(twice)}; give one another name, such as name="{twice}_2"'
        raise InvalidInput(f"{words}, where it is made")
    raise InvalidInput(f"{short_repr(twice)} is there twice; a number is in one part of a plan only")


def _dimension(name: str, columns: Mapping[str, Any]) -> Dimension:
    """Columns of one dimension; values that no array holds exactly are passed unchanged and shown by their repr."""
    shown_as, objects = dict[str, Any](), dict[str, Sequence[Any]]()
    for key, values in columns.items():
        column = make_column(key, values)
        shown_as[key] = column
        if isinstance(column, ObjectColumn):
            shown_as[key], objects[key] = column.labels, column.values
    if objects:  # objects go with all columns of their dimension
        objects = {key: objects.get(key, column) for key, column in shown_as.items()}
    return Dimension(name, shown_as, objects)


def _count(count: Any) -> int:
    if isinstance(count, bool) or not isinstance(count, (int, np.integer)) or count < 1:
        raise InvalidInput(f"count must be a whole number of points, at least 1, got {short_repr(count)}")
    return int(count)


def _seed(seed: Any) -> int:
    if isinstance(seed, bool) or not isinstance(seed, (int, np.integer)) or seed < 0:
        raise InvalidInput(f"seed must be a whole number, at least 0, got {short_repr(seed)}")
    return int(seed)


def _checked_axis_names(mapping: Mapping[Any, Any]) -> dict[str, Any]:
    wrong = next((key for key in mapping if not isinstance(key, str)), None)
    if wrong is not None:
        raise InvalidInput(f"the name of an axis must be a word, got {short_repr(wrong)}")
    return dict(mapping)
