"""Checks of the arguments of a frequency response, before anything runs."""

from __future__ import annotations

from typing import Any

from slipstick.errors import Advice, InvalidInput, short_repr
from slipstick.periodic.common_period import period_of, refuse_rest, time_functions_of
from slipstick.periodic.shooting.period_map import refuse_runaway
from slipstick.signals import TimeFunction
from slipstick.transient.problem import Problem
from slipstick.units.scales import Scale, frequency_scale

MAX_HARMONICS = 1000  # of one period: the matrix of more is beyond what a computer holds


def check_request(
    problem: Problem, method: str, harmonics: Any, subharmonic: Any, *, moves: bool = True, vanishes: bool = False
) -> None:
    """Loads without a period, frequencies that stay while the base frequency moves, harmonics there cannot be.

    moves : the base frequency does; False where every frequency is a problem of its own.
    vanishes : the load may, as one that is followed through zero.
    """
    if not vanishes:
        refuse_rest(problem)
    period_of(problem, subharmonic)
    if harmonics is not None and method != "harmonic-balance":
        raise InvalidInput(
            f'method "{method}" has no harmonics to choose',
            argument="harmonics",
            advice=[Advice("leave {harmonics} out")],
        )
    check_harmonics(harmonics, subharmonic)
    if method != "harmonic-balance":  # which finds that out by itself
        refuse_runaway(problem)
    if moves:
        scale = frequency_scale(problem.system.units.frequency)
        for what, function in time_functions_of(problem.system):
            _refuse_own_frequency(what, function, scale)


def check_harmonics(harmonics: Any, subharmonic: int | None = None) -> None:
    """Harmonics that there cannot be; nothing stands for as many as are usual."""
    if harmonics is None:
        return
    most = MAX_HARMONICS // (subharmonic or 1)
    if isinstance(harmonics, bool) or not isinstance(harmonics, int) or not 1 <= harmonics <= most:
        index = f" with subharmonic {subharmonic}" if (subharmonic or 1) > 1 else ""
        raise InvalidInput(
            f"harmonics must be a whole number from 1 to {most}{index}, got {short_repr(harmonics)}; 7 is usual"
        ).about("harmonics")


def _refuse_own_frequency(what: str, function: TimeFunction, scale: Scale) -> None:
    for harmonic in function.parts().harmonics:
        if not harmonic.is_order and (harmonic.cos or harmonic.sin):
            raise InvalidInput(
                f"{what}, {short_repr(function)}, keeps its {scale.words(harmonic.omega)} "
                "while the frequency moves, and falls out of step; give it an order instead of a frequency"
            )
