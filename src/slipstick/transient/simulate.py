"""The front door of simulation: check what is asked, pick the method, run it."""

from __future__ import annotations

import math
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np

from slipstick.errors import InvalidInput, MissingFace, did_you_mean, shown
from slipstick.laws.faces import Face
from slipstick.model.system import finite
from slipstick.results.run import Run
from slipstick.transient.options import Progress, Request
from slipstick.transient.problem import Problem, pose

if TYPE_CHECKING:
    from slipstick.model.system import System

# the face that each method needs of every law
METHODS = {
    "exact": Face.PIECES,
    "inclusion": Face.RESOLVENT,
    "newmark": Face.VALUE,
    "taylor": Face.TAYLOR,
    "adaptive": Face.VALUE,
}


def simulate(
    system: System,
    until: float,
    start: float,
    frequency: float | None,
    method: str,
    step: float | None,
    tolerance: float | None,
    samples: Any,
    progress: Progress | None,
    **options: Any,
) -> Run:
    """See `slipstick.api.Model.simulate`."""
    begin, end = finite("start", start), finite("until", until)
    if end <= begin:
        raise InvalidInput(f"until must be after start ({begin:g} s), got {end:g} s")
    request = Request(
        until=end,
        times=_times(samples, begin, end),
        with_events=_is_zero(samples),
        step=_positive("step", step),
        tolerance=_positive("tolerance", tolerance),
        progress=progress,
    )
    problem = pose(system, begin, _positive("frequency", frequency))
    chosen, reason = choose(problem, method)
    module = import_module(f"slipstick.transient.{chosen}")
    trajectory = module.run(problem, request, **options)
    trajectory.stats.reason = reason
    return Run(trajectory, system)


def choose(problem: Problem, method: str) -> tuple[str, str]:
    """The method to use, and why."""
    raise NotImplementedError


def _times(samples: Any, start: float, until: float) -> Any:
    if _is_zero(samples):
        return np.array([until])
    if isinstance(samples, (int, np.integer)) and not isinstance(samples, bool):
        if samples < 2:
            raise InvalidInput(f"samples must be 0 or at least 2, got {samples}")
        return np.linspace(start, until, int(samples))
    raise NotImplementedError


def _is_zero(samples: Any) -> bool:
    return isinstance(samples, (int, np.integer)) and not isinstance(samples, bool) and int(samples) == 0


def _positive(name: str, value: Any) -> float | None:
    if value is None:
        return None
    number = finite(name, value)
    if not number > 0.0:
        raise InvalidInput(f"{name} must be > 0, got {shown(value)}")
    return number


__all__ = ["METHODS", "choose", "simulate"]
_ = (math, MissingFace, did_you_mean)
