"""Finds a motion with two frequencies that have no common period, by harmonic balance in two phases."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from slipstick.arrays import Array, Complex
from slipstick.errors import Advice, InvalidInput, finite_float, short_repr
from slipstick.native.blas_threads import one_blas_thread
from slipstick.periodic.common_period import refuse_aperiodic, varying_frequencies
from slipstick.periodic.two_tones.run_lines import (
    fitted_series,
    other_frequency,
    refined_frequency,
    settled_history,
)
from slipstick.periodic.two_tones.tone_equations import SAME_FREQUENCY_REL, ToneEquations, equations_of
from slipstick.periodic.two_tones.tone_lines import describe
from slipstick.periodic.two_tones.tone_solver import free_tone, solve, solve_from_rest
from slipstick.results.quasi_periodic import QuasiPeriodic
from slipstick.results.run import Run
from slipstick.transient.problem import pose

if TYPE_CHECKING:
    from slipstick.model.system import System

COMMON_PERIOD_REL = 1e-7  # a sum of multiples of both frequencies below this share of them is zero
MAX_HARMONICS = 40
MAX_UNKNOWNS = 4000


@one_blas_thread()
def find_quasi_periodic(
    system: System, frequencies: Any, harmonics: Any, start: Run | QuasiPeriodic | None
) -> QuasiPeriodic:
    """See `slipstick.api.Model.quasi_periodic`."""
    first, second = _checked_frequencies(frequencies)
    orders = _checked_harmonics(harmonics)
    refuse_aperiodic(system)
    _refuse_immobile(system)
    _refuse_other_start(start, system)
    free = second is None
    if second is None:
        _refuse_second_load(system, first)
        second = _second_of(start, first, orders)
    _refuse_common_period(first, second, orders)
    swapped = second < first  # the equations have the slower one first
    slow, fast = (second, first) if swapped else (first, second)
    problem = pose(system, 0.0, first)
    equations = equations_of(problem, slow, fast, orders[::-1] if swapped else orders)
    if equations.size > MAX_UNKNOWNS:
        raise InvalidInput(
            f"{equations.lines.count} nonlinear connections and harmonics {orders} make {equations.size} unknowns "
            f"(at most {MAX_UNKNOWNS})",
            advice=[Advice("lower {harmonics}")],
        )
    if start is None:
        return describe(solve_from_rest(equations), swapped, None)
    u = _deflections(equations, _series(start, equations, swapped))
    if not free:
        return describe(solve(equations, u), swapped, None)
    tone, u = free_tone(equations, u, is_fast=not swapped)
    return describe(solve(equations, u, tone), swapped, tone)


def _checked_frequencies(given: Any) -> tuple[float, float | None]:
    if not isinstance(given, Sequence | np.ndarray) or len(given) != 2 or given[0] is None:
        raise InvalidInput(
            "must be two frequencies [rad/s]",
            subject="frequencies",
            value=given,
            got=short_repr(given),
            advice=["(10.0, None) looks for the second one"],
        )
    found = [None if own is None else finite_float("frequencies", own) for own in given]
    for own in found:
        if own is not None and own <= 0.0:
            raise InvalidInput("must be positive", subject="frequencies", value=own, got=f"{own:g}")
    assert found[0] is not None
    return found[0], found[1]


def _checked_harmonics(given: Any) -> tuple[int, int]:
    pair = (given, given) if isinstance(given, int | np.integer) else given
    fits = isinstance(pair, Sequence | np.ndarray) and len(pair) == 2
    whole = fits and all(isinstance(own, int | np.integer) and not isinstance(own, bool) for own in pair)
    if not whole or not all(1 <= own <= MAX_HARMONICS for own in pair):
        raise InvalidInput(
            f"must be two whole numbers from 1 to {MAX_HARMONICS}",
            subject="harmonics",
            value=given,
            got=short_repr(given),
        )
    return int(pair[0]), int(pair[1])


def _refuse_immobile(system: System) -> None:
    if all(c.motion is not None for c in system.coordinates):
        words = f'model "{system.name}" has no coordinate that is free to move'
        raise InvalidInput(words, advice=[Advice("add one with {coordinate}")])


def _refuse_other_start(start: Any, system: System) -> None:
    if start is None:
        return
    if not isinstance(start, Run | QuasiPeriodic):
        raise InvalidInput(
            "must be a run or a quasi-periodic motion", subject="start", value=start, got=short_repr(start)
        )
    own = tuple(c.name for c in system.coordinates)
    if start.names.coordinates != own:
        raise InvalidInput(f"start is of another model, with coordinates {', '.join(start.names.coordinates)}").about(
            "start"
        )


def _refuse_second_load(system: System, first: float) -> None:
    """Refuse loads, prescribed motions and factors with a second frequency, which then is no unknown."""
    for omega in varying_frequencies(pose(system, 0.0, first)):
        if abs(omega - first * round(omega / first)) > SAME_FREQUENCY_REL * omega:
            raise InvalidInput(
                f"a load, motion or factor has the frequency {omega:.10g} rad/s, so the second one is not unknown",
                advice=[f"({first:.6g}, {omega:.10g}) has both"],
            ).about("frequencies")


def _second_of(start: Run | QuasiPeriodic | None, first: float, orders: tuple[int, int]) -> float:
    """The second frequency of a start."""
    if start is None:
        raise InvalidInput(
            "a frequency of None is looked for near a start, which is missing",
            argument="start",
            advice=["give one: start=m.simulate(until=...)"],
        ).about("start")
    if isinstance(start, QuasiPeriodic):
        return start.frequencies[1]
    history = settled_history(start, 3.0 * first)
    guess = other_frequency(history, first)
    history = settled_history(start, max(orders) * max(first, guess) / 3.0)
    grid_orders = np.array([(a, b) for a in range(4) for b in range(-3, 4) if a or b >= 0], dtype=float)
    return refined_frequency(history, grid_orders, first, guess)


def _refuse_common_period(first: float, second: float, orders: tuple[int, int]) -> None:
    """Refuse frequencies of which low multiples are equal: their motion is periodic."""
    for a in range(1, 2 * orders[0] + 1):
        b = round(a * first / second)
        if 1 <= b <= 2 * orders[1] and abs(a * first - b * second) <= COMMON_PERIOD_REL * a * first:
            raise InvalidInput(
                f"{a} times {first:.6g} is {b} times {second:.6g} rad/s, so the motion is periodic",
                advice=[Advice("{periodic} finds it")],
            ).about("frequencies")


def _series(start: Run | QuasiPeriodic, equations: ToneEquations, swapped: bool) -> Complex:
    """(n, L + 1) displacements of the free coordinates of a start, as series of these equations."""
    grid, free = equations.grid, equations.problem.assembly.free
    if isinstance(start, Run):
        history = settled_history(start, max(grid.harmonics) * grid.fast / 3.0)
        found, _ = fitted_series(history, grid.orders, (grid.slow, grid.fast))
        return np.asarray(found[:, free].T)
    own = start.lines.orders[:, ::-1] if swapped else start.lines.orders
    known: dict[tuple[float, float], Array] = {}
    for (a, b), row in zip(own.tolist(), start.lines.displacement, strict=True):
        known[a, b], known[-a, -b] = row, row.conj()
    none = np.zeros(start.lines.displacement.shape[1], dtype=complex)
    return np.array([known.get((a, b), none)[free] for a, b in grid.orders.tolist()]).T


def _deflections(equations: ToneEquations, q: Complex) -> Complex:
    """(m, L + 1) deflections of the lines from displacements."""
    return np.asarray(equations.lines.rows @ q + equations.offsets)
