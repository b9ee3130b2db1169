"""Orbits of the tensioner with the modified Dahl law over the whole of Fig. 21: 16 amplitudes, 116 frequencies.

Two processes, one core each, share the amplitudes; each follows its curves down from the highest frequency. The error
is the difference of the range of tension to orbits at a tolerance a thousand times tighter, at every tenth frequency.
"""

from __future__ import annotations

import multiprocessing
import os
from time import perf_counter, process_time
from typing import Any

import numpy as np
from timing import Sheet

import slipstick as ss

AMPLITUDES = (13, 27, 41, 54, 67, 79, 90, 100, 110, 120, 140, 160, 200, 230, 260, 300)  # N, (59c) and (60)
FREQUENCIES = np.linspace(125.0, 10.0, 116)  # rad/s, (59d)
JUDGED = 10
BUDGET = 10.0  # s
ALLOWED = 2e-4  # N


def tensioner(amplitude: float) -> Any:
    return ss.systems.tensioner("modified-dahl", amplitude=float(amplitude), frequency=float(FREQUENCIES[0]))


def curve(amplitude: float) -> tuple[np.ndarray, np.ndarray, float, list[str], float]:
    """Ranges of tension [N], largest multipliers, the largest residual, notes, CPU time [s]."""
    from slipstick.periodic.continuation.curve_trace import solve_at_values
    from slipstick.periodic.shooting.adaptive_family import AdaptiveShooting
    from slipstick.transient.problem import pose

    began = process_time()
    first = pose(tensioner(amplitude), 0.0, float(FREQUENCIES[0]))
    family = AdaptiveShooting(first.retuned, float(FREQUENCIES[0]), over_frequency=True)
    traced = solve_at_values(family, FREQUENCIES.tolist())
    points = [family.point(located.x, located.p) for located in traced.points]
    worst = max(located.residual for located in traced.points)
    largest = np.array([abs(point.multipliers[0]) for point in points])
    ranges = np.array([point.force_range[0] for point in points])
    return ranges, largest, worst, traced.notes, process_time() - began


def warm(_: int) -> None:
    """Compile, in a process of its own."""
    curve(13.0)


def judged(amplitude: float, ranges: np.ndarray) -> float:
    """The largest error [N] at every tenth frequency."""
    from slipstick.periodic.common_period import period_of
    from slipstick.periodic.shooting.adaptive_map import INTEGRATION_TOLERANCE, AdaptiveMap
    from slipstick.periodic.shooting.adaptive_orbits import adaptive_point_of
    from slipstick.periodic.shooting.newton import solve_period_map
    from slipstick.transient.problem import pose

    first = pose(tensioner(amplitude), 0.0, float(FREQUENCIES[0]))
    wrong = 0.0
    for omega, found in zip(FREQUENCIES[::JUDGED].tolist(), ranges[::JUDGED].tolist(), strict=True):
        problem = first.retuned(omega)
        period = period_of(problem)
        period_map = AdaptiveMap(problem, period.time, 1e-3 * INTEGRATION_TOLERANCE)
        point = adaptive_point_of(period_map, period, solve_period_map(period_map, period_map.first()), omega)
        wrong = max(wrong, abs(float(point.force_range[0]) - found))
    return wrong


def table() -> None:
    """The whole map by two processes, and its error."""
    sheet = Sheet("tensioner, ModifiedDahl, Fig. 21: 16 x 116 orbits", ("", "s", "budget", "ms a point and core"))
    os.environ.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        pool.map(warm, range(4), chunksize=1)
        began = perf_counter()
        found = pool.map(curve, AMPLITUDES[::-1], chunksize=1)
        seconds = perf_counter() - began
    points = len(AMPLITUDES) * FREQUENCIES.size
    sheet.row("two processes", f"{seconds:.2f}", f"{BUDGET:g}", f"{2e3 * seconds / points:.2f}")
    spent = 0.5 * sum(own[4] for own in found)  # on a busy machine, what it would take with the cores to itself
    sheet.row("CPU time of each", f"{spent:.2f}", "", f"{2e3 * spent / points:.2f}")
    wrong = max(judged(amplitude, own[0]) for amplitude, own in zip(AMPLITUDES[::-1], found, strict=True))
    largest = np.concatenate([own[1] for own in found])
    missed = sum(FREQUENCIES.size - own[0].size for own in found)
    sheet.close(
        f"none may fail: {missed} missed; notes: {sum(len(own[3]) for own in found)}; "
        f"largest residual {max(own[2] for own in found):.1e}",
        f"error of the range of tension at every {JUDGED}th frequency: {wrong:.1e} N (allowed {ALLOWED:g})",
        f"largest multiplier: median {np.median(largest):.3f}, at most {largest.max():.4f}",
    )


TABLES = {"adaptive-shooting": table}
