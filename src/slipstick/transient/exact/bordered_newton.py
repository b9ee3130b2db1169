"""Newton's method for a periodic state and its base frequency on a plane across the curve; compiled.

The unknowns are z = (q, v, w, frequency), for models whose waves all scale with the frequency. Each step tunes the
model and its tables, so this search has its own copies. In special cases it returns early with a code, and the general
corrector takes over.
"""

from __future__ import annotations

import math

from slipstick.native import NativeRecord, Section, view
from slipstick.transient.exact import records as at
from slipstick.transient.exact.records import FlowModel, ModalTables, State
from slipstick.transient.exact.steady_response import tune_tables
from slipstick.transient.exact.workspace_loop import (
    StateRun,
    all_slid,
    differentiate_run,
    run_once,
    solve_by_elimination,
)

NOT_CONVERGED = -1
TWO_PI = 2.0 * math.pi


class PlaneSearch(NativeRecord):
    """The search for a periodic state z on a plane: constants, request, state and workspace."""

    turns: float  # of the base frequency in a period
    sign: float  # 1; -1 if the state returns with its sign changed, after half a period
    ways: int  # directions in which each contact slides at least, of an isolated orbit
    lowest: float  # [rad/s] frequency
    at_rest: float  # scale of displacements that counts as rest
    impact: float  # scaled derivative that counts as an impact
    rounding: float  # length of a step that is rounding
    # request
    tolerance: float  # of the residual
    stalled: float  # tolerances that the residual may have if steps are rounding
    growth: float  # of the residual in a step, at most
    max_steps: int
    distance: float  # of the plane from its origin
    held: bool  # the plane is one of a frequency
    # state
    tuned: float  # [rad/s] that the model is tuned to
    steps: int
    moved: float  # length of the last step
    largest: float  # part of the residual
    bearable: float  # length that the next residual may have
    orders: Section  # of the waves
    origin: Section  # of the plane, as are the next two
    scale: Section
    normal: Section  # over the scale
    z: Section
    residual: Section
    matrix: Section  # (size + 1, size + 1) derivatives in units of the scale
    room: Section  # for the same
    solution: Section
    tuning: Section  # workspace


def solve_bordered(
    model: FlowModel, tangent: FlowModel, tables: ModalTables, run: StateRun, search: PlaneSearch
) -> int:
    """Newton's method from z, which it moves; returns at.DONE, `NOT_CONVERGED`, or why a run stopped.

    After at.DONE the solution is the direction of the curve, in units of the scale, and ``run`` is the last run. After
    at.NEED_TABLE it may be called again, and continues.
    """
    size = run.size
    residual = search.residual
    solution = search.solution
    while True:
        why = evaluate_bordered(model, tangent, tables, run, search)
        if why != at.DONE:
            return why
        length = 0.0
        largest = 0.0
        for i in range(size + 1):
            length += residual[i] * residual[i]
            largest = max(largest, abs(residual[i]))
        length = math.sqrt(length)
        search.largest = largest
        if not length <= search.bearable:
            return NOT_CONVERGED
        tolerance = search.tolerance
        close = length <= tolerance or (length <= tolerance * (size + 1) and largest <= tolerance)
        if close or (length <= search.stalled * tolerance and search.moved <= search.rounding):
            for i in range(size):
                solution[i] = 0.0
            solution[size] = 1.0
            return at.DONE if solve_jacobian(run, search) else NOT_CONVERGED
        for i in range(size + 1):
            solution[i] = -residual[i]
        if search.steps >= search.max_steps or not solve_jacobian(run, search) or not take_newton_step(run, search):
            return NOT_CONVERGED
        search.bearable = search.growth * length
        search.steps += 1


def evaluate_bordered(
    model: FlowModel, tangent: FlowModel, tables: ModalTables, run: StateRun, search: PlaneSearch
) -> int:
    """Evaluate the residual at z and its derivatives; returns at.DONE, or why there are none."""
    n = model.coordinate_count
    size = run.size
    z = search.z
    given = run.given
    if not z[size] > search.lowest:
        return NOT_CONVERGED
    tune_to_frequency(model, tables, z[size], search)
    time = search.turns * TWO_PI / z[size]
    run.turn = TWO_PI / time
    run.until = State.over(run.blank).time + (time if search.sign > 0.0 else 0.5 * time)
    run.derived = 2
    for i in range(size):
        given[i] = z[i]
    why = run_once(model, tables, run)
    if why != at.DONE:
        return why
    if not run.scales[0] > search.at_rest or not all_slid(model, run, search.ways):
        return NOT_CONVERGED
    run.slid = True
    differentiate_run(model, tangent, tables, run)
    return at.DONE if assemble_bordered(run, search, n) else NOT_CONVERGED


def tune_to_frequency(model: FlowModel, tables: ModalTables, frequency: float, search: PlaneSearch) -> None:
    """Tune the model and all tables to a base frequency."""
    if frequency == search.tuned:
        return
    omega = model.frequencies
    orders = search.orders
    for j in range(model.wave_count):
        omega[j] = orders[j] * frequency
    tune_tables(model, tables, search.tuning)
    search.tuned = frequency


def assemble_bordered(run: StateRun, search: PlaneSearch, n: int) -> bool:
    """Assemble the equations of the last run and of the plane; False if derivatives are NaN or too large."""
    size = run.size
    sign = search.sign
    z = search.z
    origin = search.origin
    scale = search.scale
    normal = search.normal
    residual = search.residual
    matrix = search.matrix
    given = run.given
    ended = run.ended
    scales = run.scales
    columns = run.columns
    residual[size] = -search.distance
    for i in range(size):
        row = view(matrix, i * (size + 1))
        for j in range(size):
            slope = sign * columns[j * size + i] - (1.0 if i == j else 0.0)
            # the stretch of a slider may be far larger than a small motion
            if i < 2 * n and j < 2 * n and not abs(slope / scales[i] * scales[j]) <= search.impact:
                return False
            row[j] = slope / scales[i] * scale[j]
        by_frequency = sign * columns[size * size + i] / z[size] / scales[i]
        if not abs(by_frequency) < 1e300:
            return False
        row[size] = by_frequency * scale[size]
        residual[i] = (sign * ended[i] - given[i]) / scales[i]
    last = view(matrix, size * (size + 1))
    for i in range(size + 1):
        last[i] = normal[i] * scale[i]
        residual[size] += normal[i] * (z[i] - origin[i])
    return True


def solve_jacobian(run: StateRun, search: PlaneSearch) -> bool:
    """Solve the linear system with ``solution`` as right side, in place; False without full rank."""
    size = run.size
    matrix = search.matrix
    room = search.room
    for i in range((size + 1) * (size + 1)):
        room[i] = matrix[i]
    return solve_by_elimination(room, search.solution, size + 1)


def take_newton_step(run: StateRun, search: PlaneSearch) -> bool:
    """Move z by the solution; False if only rounding is left of the orbit."""
    size = run.size
    z = search.z
    scale = search.scale
    solution = search.solution
    moved = 0.0
    large = 0.0
    for i in range(size + 1):
        moved += solution[i] * solution[i]
        z[i] += solution[i] * scale[i]
        if i < size:
            large += (z[i] / scale[i]) * (z[i] / scale[i])
    if not moved < 1e300:
        return False
    search.moved = math.sqrt(moved)
    if search.held:  # to the last digit
        z[size] = search.origin[size]
    return large > search.rounding * search.rounding
