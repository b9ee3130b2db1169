"""The smallest common period of everything periodic in a problem."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from slipstick.errors import Advice, InvalidInput, short_repr
from slipstick.model.negative_damping import negative_dampers
from slipstick.model.system import System
from slipstick.periodicity import common_period
from slipstick.signals import TimeFunction
from slipstick.transient.problem import Problem

MAX_SUBHARMONIC = 1000


@dataclass(frozen=True)
class Period:
    """base : [rad/s] the frequency Omega that orders are counted in.   turns : of it in one period.

    The period is turns * 2 pi / base.
    """

    base: float
    turns: float

    @cached_property
    def time(self) -> float:
        """[s]"""
        return self.turns * 2.0 * math.pi / self.base


def period_of(problem: Problem, subharmonic: int | None = None) -> Period:
    """The period of a problem; ``subharmonic`` times the common period of its loads, motions and limits.

    Loads of no size count where nothing else varies: a parameter may go through zero, and its orbits keep their period.
    """
    if problem.self_excited:
        assert problem.frequency is not None
        return Period(problem.frequency, _checked(subharmonic))
    refuse_aperiodic(problem.system)
    omegas = varying_frequencies(problem)
    if not omegas:
        loads = (load.function for load in problem.system.loads)
        omegas = [omega for load in loads for omega, _, _ in load.harmonics_at(problem.frequency)]
    if not omegas:
        raise _nothing_varies(problem)
    time = common_period(omegas)
    base = problem.frequency if problem.frequency is not None else 2.0 * math.pi / time
    common_period([base, *omegas])  # refuses loads that never fall in step with the base frequency
    return Period(base, _checked(subharmonic) * time * base / (2.0 * math.pi))


def refuse_rest(problem: Problem) -> None:
    """Refuse a problem in which nothing varies."""
    if not varying_frequencies(problem):
        raise _nothing_varies(problem)


def varying_frequencies(problem: Problem) -> list[float]:
    """[rad/s] of everything that varies."""
    omegas = [*problem.forcing.omega.tolist(), *problem.offsets.omega.tolist()]
    for element in problem.elements:
        for function, _ in element.modulation:
            omegas += [omega for omega, c, s in function.harmonics_at(problem.frequency) if c or s]
    return omegas


def _nothing_varies(problem: Problem) -> InvalidInput:
    system = problem.system
    moves = any(c.motion is not None and c.motion.parts().ramp for c in system.coordinates)
    pushed = not np.array_equal(problem.stiffness, problem.stiffness.T) or not all(
        c.is_conjugate for c in system.connections
    )
    excited = moves or pushed or bool(negative_dampers(system))
    way = "{limit_cycle} finds motion that the model keeps up by itself; else add a load with an order: {periodic_load}"
    return InvalidInput(
        f'model "{problem.system.name}" has no periodic load, so there is no period to look for',
        advice=[Advice(way if excited else "add a load with an order, such as {periodic_load}")],
    )


def _checked(subharmonic: int | None) -> int:
    if subharmonic is None:
        return 1
    if isinstance(subharmonic, bool) or not isinstance(subharmonic, int) or not 1 <= subharmonic <= MAX_SUBHARMONIC:
        raise InvalidInput(
            f"subharmonic must be a whole number from 1 to {MAX_SUBHARMONIC}, got {short_repr(subharmonic)}"
        ).about("subharmonic")
    return subharmonic


def refuse_aperiodic(system: System) -> None:
    """Refuse a system in which something varies in time and never repeats."""
    for what, function in time_functions_of(system):
        if not function.is_periodic:
            raise InvalidInput(
                f"{what}, {function!r}, is not periodic; remove ramps, chirps and sampled signals, or use simulate"
            )


def time_functions_of(system: System) -> Iterator[tuple[str, TimeFunction]]:
    """Every function of time in a system, and what it is, in words."""
    yield from excitations_of(system)
    for connection in system.connections:
        for leaf in connection.law.leaves():
            for function, _ in leaf.modulation:
                yield f'a factor in connection "{connection.name}"', function


def excitations_of(system: System) -> Iterator[tuple[str, TimeFunction]]:
    """The loads and motions among them."""
    for load in system.loads:
        yield f"the load on {load.form!r}", load.function
    for coordinate in system.coordinates:
        if coordinate.motion is not None:
            yield f'the motion of "{coordinate.name}"', coordinate.motion
