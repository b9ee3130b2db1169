"""Newton's method for a periodic state and its base frequency on a plane across the curve; compiled.

The unknowns are z = (q, v, w, frequency), for models whose waves all scale with the frequency. Each step tunes the
model and its tables, so this search has its own copies. It uses the desk of `workspace_loop` and one more array: a
head of single numbers, then sections. In special cases it returns early with a code, and the
general corrector takes over.
"""

from __future__ import annotations

import math

from slipstick.laws.source_parsing import Buffer
from slipstick.native import view
from slipstick.transient.exact import records as at
from slipstick.transient.exact.records import ModalTables, Model, State
from slipstick.transient.exact.steady_response import tune_tables
from slipstick.transient.exact.workspace_loop import (
    Y_BLANK,
    Y_COLUMNS,
    Y_DERIVED,
    Y_ENDED,
    Y_GIVEN,
    Y_SCALES,
    Y_SIZE,
    Y_SLID,
    Y_TURN,
    Y_UNTIL,
    all_slid,
    differentiate_run,
    run_once,
    solve_by_elimination,
)

# ---- what does not change: turns of the base frequency in a period; 1, or -1 where the state has to come back with its
# sign changed, after half a period; how many ways a contact slides at least, of an orbit that is alone; the lowest
# frequency; what counts as at rest (of displacements), as an impact (of scaled derivatives) and as rounding (of steps)
(Z_TURNS, Z_SIGN, Z_WAYS, Z_LOWEST, Z_AT_REST, Z_AMID, Z_ROUNDING) = range(7)
# ---- request: the largest residual, how much of it may be left where steps are rounding, by how much a step may make
# it grow; most steps; the distance of the plane from its origin; 1 where the plane is one of a frequency
(Z_TOLERANCE, Z_NEARLY, Z_GROWTH, Z_MOST, Z_DISTANCE, Z_HELD) = range(7, 13)
# ---- state: the frequency that the model is tuned to; steps; the length of the last; the residual's largest part, and
# the length that the next one may have
(Z_TUNED, Z_STEPS, Z_MOVED, Z_LARGEST, Z_BEARABLE) = range(13, 18)
# ---- sections: orders of the waves; of the plane its origin, scale and normal over scale; z; the residual; its
# derivatives (size + 1, size + 1) in units of the scale, and room for the same; a solution; for tuning
(Z_ORDERS, Z_ORIGIN, Z_SCALE, Z_NORMAL, Z_PLACE, Z_LEFT, Z_MATRIX, Z_ROOM, Z_SOLUTION, Z_TUNING) = range(18, 28)
ACROSS_HEAD = 28

NOT_CONVERGED = -1
TWO_PI = 2.0 * math.pi


def solve_bordered(model: Model, tangent: Model, tables: ModalTables, desk: Buffer, across: Buffer) -> int:
    """Newton's method from z, which it moves: at.DONE, `NOT_CONVERGED`, or why a run stopped.

    Then the solution is the direction of the curve, in units of the scale, and the desk has the last run. After
    at.NEED_TABLE it may be called again, and continues.
    """
    size = int(desk[Y_SIZE])
    left = view(across, int(across[Z_LEFT]))
    solution = view(across, int(across[Z_SOLUTION]))
    while True:
        why = evaluate_bordered(model, tangent, tables, desk, across)
        if why != at.DONE:
            return why
        length = 0.0
        largest = 0.0
        for i in range(size + 1):
            length += left[i] * left[i]
            largest = max(largest, abs(left[i]))
        length = math.sqrt(length)
        across[Z_LARGEST] = largest
        if not length <= across[Z_BEARABLE]:
            return NOT_CONVERGED
        tolerance = across[Z_TOLERANCE]
        close = length <= tolerance or (length <= tolerance * (size + 1) and largest <= tolerance)
        if close or (length <= across[Z_NEARLY] * tolerance and across[Z_MOVED] <= across[Z_ROUNDING]):
            for i in range(size):
                solution[i] = 0.0
            solution[size] = 1.0
            return at.DONE if solve_jacobian(desk, across) else NOT_CONVERGED
        for i in range(size + 1):
            solution[i] = -left[i]
        if across[Z_STEPS] >= across[Z_MOST] or not solve_jacobian(desk, across) or not take_newton_step(desk, across):
            return NOT_CONVERGED
        across[Z_BEARABLE] = across[Z_GROWTH] * length
        across[Z_STEPS] += 1.0


def evaluate_bordered(model: Model, tangent: Model, tables: ModalTables, desk: Buffer, across: Buffer) -> int:
    """The residual at z and its derivatives; at.DONE, or why there are none."""
    n = model.coordinate_count
    size = int(desk[Y_SIZE])
    z = view(across, int(across[Z_PLACE]))
    given = view(desk, int(desk[Y_GIVEN]))
    if not z[size] > across[Z_LOWEST]:
        return NOT_CONVERGED
    tune_to_frequency(model, tables, z[size], across)
    time = across[Z_TURNS] * TWO_PI / z[size]
    desk[Y_TURN] = TWO_PI / time
    desk[Y_UNTIL] = State.over(view(desk, int(desk[Y_BLANK]))).time + (time if across[Z_SIGN] > 0.0 else 0.5 * time)
    desk[Y_DERIVED] = 2.0
    for i in range(size):
        given[i] = z[i]
    why = run_once(model, tables, desk)
    if why != at.DONE:
        return why
    if not desk[int(desk[Y_SCALES])] > across[Z_AT_REST] or not all_slid(model, desk, int(across[Z_WAYS])):
        return NOT_CONVERGED
    desk[Y_SLID] = 1.0
    differentiate_run(model, tangent, tables, desk)
    return at.DONE if assemble_bordered(desk, across, n) else NOT_CONVERGED


def tune_to_frequency(model: Model, tables: ModalTables, frequency: float, across: Buffer) -> None:
    """Tune the model and all tables to a base frequency."""
    if frequency == across[Z_TUNED]:
        return
    omega = model.frequencies
    orders = view(across, int(across[Z_ORDERS]))
    for j in range(model.wave_count):
        omega[j] = orders[j] * frequency
    tune_tables(model, tables, view(across, int(across[Z_TUNING])))
    across[Z_TUNED] = frequency


def assemble_bordered(desk: Buffer, across: Buffer, n: int) -> bool:
    """The equations of the last run and that of the plane; False where derivatives are no numbers, or too large."""
    size = int(desk[Y_SIZE])
    sign = across[Z_SIGN]
    z = view(across, int(across[Z_PLACE]))
    origin = view(across, int(across[Z_ORIGIN]))
    scale = view(across, int(across[Z_SCALE]))
    normal = view(across, int(across[Z_NORMAL]))
    left = view(across, int(across[Z_LEFT]))
    matrix = view(across, int(across[Z_MATRIX]))
    given = view(desk, int(desk[Y_GIVEN]))
    ended = view(desk, int(desk[Y_ENDED]))
    scales = view(desk, int(desk[Y_SCALES]))
    columns = view(desk, int(desk[Y_COLUMNS]))
    left[size] = -across[Z_DISTANCE]
    for i in range(size):
        row = view(matrix, i * (size + 1))
        for j in range(size):
            slope = sign * columns[j * size + i] - (1.0 if i == j else 0.0)
            # what a slider remembers may be far larger than a small motion
            if i < 2 * n and j < 2 * n and not abs(slope / scales[i] * scales[j]) <= across[Z_AMID]:
                return False
            row[j] = slope / scales[i] * scale[j]
        by_frequency = sign * columns[size * size + i] / z[size] / scales[i]
        if not abs(by_frequency) < 1e300:
            return False
        row[size] = by_frequency * scale[size]
        left[i] = (sign * ended[i] - given[i]) / scales[i]
    last = view(matrix, size * (size + 1))
    for i in range(size + 1):
        last[i] = normal[i] * scale[i]
        left[size] += normal[i] * (z[i] - origin[i])
    return True


def solve_jacobian(desk: Buffer, across: Buffer) -> bool:
    """Solve the derivatives for what stands in the place of the solution; False without full rank."""
    size = int(desk[Y_SIZE])
    matrix = view(across, int(across[Z_MATRIX]))
    room = view(across, int(across[Z_ROOM]))
    for i in range((size + 1) * (size + 1)):
        room[i] = matrix[i]
    return solve_by_elimination(room, view(across, int(across[Z_SOLUTION])), size + 1)


def take_newton_step(desk: Buffer, across: Buffer) -> bool:
    """Move z by the solution; False where nothing but rounding is left of the orbit."""
    size = int(desk[Y_SIZE])
    z = view(across, int(across[Z_PLACE]))
    scale = view(across, int(across[Z_SCALE]))
    solution = view(across, int(across[Z_SOLUTION]))
    moved = 0.0
    large = 0.0
    for i in range(size + 1):
        moved += solution[i] * solution[i]
        z[i] += solution[i] * scale[i]
        if i < size:
            large += (z[i] / scale[i]) * (z[i] / scale[i])
    if not moved < 1e300:
        return False
    across[Z_MOVED] = math.sqrt(moved)
    if across[Z_HELD] > 0.0:  # to the last digit
        z[size] = across[int(across[Z_ORIGIN]) + size]
    return large > across[Z_ROUNDING] * across[Z_ROUNDING]
