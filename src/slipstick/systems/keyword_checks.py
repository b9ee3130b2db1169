"""Checks of the keywords of published systems, by the names that a user gave."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any, ParamSpec, TypeVar

import numpy as np

from slipstick.errors import InvalidInput, WrongArguments, number_error, short_repr
from slipstick.name_hints import did_you_mean
from slipstick.signals import NUMBER_TYPES

BuilderParams = ParamSpec("BuilderParams")
BuilderResult = TypeVar("BuilderResult")


def known_keywords(
    of_law: Callable[[dict[str, Any]], Sequence[str] | None] = lambda _: (),
) -> Callable[[Callable[BuilderParams, BuilderResult]], Callable[BuilderParams, BuilderResult]]:
    """Of a system: an unknown keyword is refused with those that are known, or the one that was meant.

    of_law : from the keywords that were given, those of the law; None if the system checks them.
    """

    def put(build: Callable[BuilderParams, BuilderResult]) -> Callable[BuilderParams, BuilderResult]:
        parameters = inspect.signature(build).parameters.values()
        own = [one.name for one in parameters if one.kind is not one.VAR_KEYWORD]

        @wraps(build)
        def checked(*positional: BuilderParams.args, **named: BuilderParams.kwargs) -> BuilderResult:
            further = of_law({**dict(zip(own, positional, strict=False)), **named})
            known = [*own, *(named if further is None else further)]
            for name in named:
                if name not in known:
                    words = f'{build.__name__} has no parameter "{name}"{did_you_mean(name, known)}'
                    raise WrongArguments(words).about(name)
            return build(*positional, **named)

        return checked

    return put


def check_number(owner: str, name: str, value: Any, *, low: float = -math.inf, above: float = -math.inf) -> float:
    """A finite number, not below ``low`` and greater than ``above``."""
    if _fits(value, low, above):
        return float(value)
    raise number_error(owner, name, value, _bound(low, above))


def check_numbers(
    owner: str, name: str, values: Any, words: str, count: int | None = None, above: float = -math.inf
) -> tuple[float, ...]:
    """Several finite numbers; as many as ``count``, if it is given.   words : for the message."""
    several = isinstance(values, Sequence | np.ndarray) and not isinstance(values, str)
    if several and count in (None, len(values)) and all(_fits(one, -math.inf, above) for one in values):
        return tuple(float(one) for one in values)
    raise InvalidInput(f"{name} are {words}{_bound(-math.inf, above)}, got {short_repr(values)}", owner=owner).about(
        name
    )


def _fits(value: Any, low: float, above: float) -> bool:
    if not isinstance(value, NUMBER_TYPES) or isinstance(value, bool):
        return False
    try:
        return math.isfinite(value) and bool(value >= low and value > above)
    except OverflowError:  # a whole number with more digits than a float has room for
        return False


def _bound(low: float, above: float) -> str:
    return f" > {above:g}" if above > -math.inf else f" >= {low:g}" if low > -math.inf else ""
