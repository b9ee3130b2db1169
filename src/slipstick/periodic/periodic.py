"""The front door of periodic responses: one orbit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from slipstick.errors import InvalidInput, shown
from slipstick.model.system import finite
from slipstick.periodic.methods import choose
from slipstick.periodic.period import Period, period_of
from slipstick.periodic.shooting.exact_map import ExactMap
from slipstick.periodic.shooting.newton import close
from slipstick.periodic.shooting.orbits import describe
from slipstick.results.orbit import Orbit
from slipstick.transient.problem import Problem, pose

if TYPE_CHECKING:
    from slipstick.model.system import System

Array = NDArray[np.float64]


def periodic(
    system: System, frequency: float | None, subharmonic: int | None = None, method: str = "auto", start: Any = None
) -> Orbit:
    """See `slipstick.api.Model.periodic`."""
    problem, period = _asked(system, frequency, subharmonic, method)
    period_map = ExactMap(problem, period.time)
    closed = close(period_map, _guess(period_map, start))
    point, trajectory = describe(period_map, period, closed, period.base)
    return Orbit(trajectory, problem.system.snapshot(), point)


def check(
    system: System,
    frequency: float | None = None,
    subharmonic: int | None = None,
    method: str = "auto",
    start: Any = None,
) -> None:
    """Refuse what `periodic` would refuse before it starts."""
    problem, period = _asked(system, frequency, subharmonic, method)
    if start is not None:
        _guess(ExactMap(problem, period.time), start)


def _asked(system: System, frequency: float | None, subharmonic: int | None, method: str) -> tuple[Problem, Period]:
    """The problem, and the period to look for."""
    problem = pose(system, 0.0, None if frequency is None else _positive(frequency))
    chosen, _ = choose(problem, method)
    if chosen != "shooting":
        raise InvalidInput(
            "one orbit is found by shooting only, so far; "
            'm.frequency_response(at=[frequency], method="harmonic-balance") gives this one'
        ).about("method")
    return problem, period_of(problem, subharmonic)


def _positive(frequency: float) -> float:
    value = finite("frequency", frequency)
    if value <= 0.0:
        raise InvalidInput(f"frequency must be > 0, got {value:g} rad/s").about("frequency")
    return value


def _guess(period_map: ExactMap, start: Any) -> Array:
    if start is None:
        return period_map.first()
    if not isinstance(start, Orbit):
        raise InvalidInput(f"start must be an orbit, as m.periodic gives one, got {shown(start)}").about("start")
    if start.point.x.size != period_map.size:
        raise InvalidInput(
            f"start is an orbit of another model: its state has {start.point.x.size} parts, this one {period_map.size}"
        ).about("start")
    return start.point.x
