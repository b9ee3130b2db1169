"""The box-constrained complementarity problem of contacts: x in [low, high], with A x - b against the active bounds.

    r = A x - b:   r_i = 0 inside,   r_i >= 0 at low_i,   r_i <= 0 at high_i

For a symmetric A >= 0 this is min 1/2 x'Ax - x'b over the box. Compiled; all contacts are decided together.
"""

from __future__ import annotations

from slipstick.native import Array


def box_solve(a: Array, b: Array, low: Array, high: Array, x: Array, n: int, room: Array) -> None:
    """Solve for x (n,), from its present value as a start.   a : (n, n) by rows.   room : (n * (n + 3),)."""
    if n == 1:
        x[0] = min(max(b[0] / a[0], low[0]), high[0])
        return
    for i in range(n):
        x[i] = min(max(x[i], low[i]), high[i])
    # a few sweeps settle weakly coupled contacts; tight groups need their equations solved
    if projected_gauss_seidel(a, b, low, high, x, n, 10):
        return
    if not solve_by_active_sets(a, b, low, high, x, n, room):
        projected_gauss_seidel(a, b, low, high, x, n, 2000)


def solve_by_active_sets(a: Array, b: Array, low: Array, high: Array, x: Array, n: int, room: Array) -> bool:
    """Guess the active bounds, solve for the others, and repeat until the guess stays; False if it does not."""
    state = n * (n + 1)  # in room, behind the equations
    for i in range(n):
        room[state + i] = 2.0  # no guess yet
    for _ in range(10 + 3 * n):
        changed = False
        for i in range(n):
            r = -b[i]
            for j in range(n):
                r += a[i * n + j] * x[j]
            free = x[i] - r / a[i * n + i]
            now = 0.0
            if free > high[i]:
                now = 1.0
            elif free < low[i]:
                now = -1.0
            room[state + n + i] = now
            if now != room[state + i]:
                changed = True
        if not changed:
            return True
        for i in range(n):
            room[state + i] = room[state + n + i]
        solve_free_unknowns(a, b, low, high, x, n, room)
    return False


def solve_free_unknowns(a: Array, b: Array, low: Array, high: Array, x: Array, n: int, room: Array) -> None:
    """Put unknowns on the bounds that hold, and solve for the others (a redundant one keeps its value)."""
    largest = 0.0
    for i in range(n):
        largest = max(largest, a[i * n + i])
    set_free_equations(a, b, low, high, x, n, room)
    eliminate(room, x, n, 1e-13 * largest)


def set_free_equations(a: Array, b: Array, low: Array, high: Array, x: Array, n: int, room: Array) -> None:
    """Put unknowns on the bounds that hold, and write the equations of all to ``room`` (n, n + 1)."""
    width = n + 1
    state = n * width
    for i in range(n):
        if room[state + i] > 0.0:
            x[i] = high[i]
        elif room[state + i] < 0.0:
            x[i] = low[i]
    for i in range(n):
        held = room[state + i] != 0.0
        room[i * width + n] = x[i] if held else b[i]
        for j in range(n):
            own = 1.0 if i == j else 0.0
            room[i * width + j] = own if held else a[i * n + j]
    for i in range(n):
        if room[state + i] == 0.0:
            for j in range(n):
                if room[state + j] != 0.0:
                    room[i * width + n] -= room[i * width + j] * x[j]
                    room[i * width + j] = 0.0


def eliminate(room: Array, x: Array, n: int, least_pivot: float) -> None:
    """Gauss's elimination. A of contacts is positive semi-definite: its own diagonal serves as pivot."""
    width = n + 1
    for i in range(n):
        if abs(room[i * width + i]) <= least_pivot:
            for j in range(n):
                room[i * width + j] = 0.0
            room[i * width + i] = 1.0
            room[i * width + n] = x[i]
        for k in range(n):
            if k != i and room[k * width + i] != 0.0:
                factor = room[k * width + i] / room[i * width + i]
                for j in range(i, n + 1):
                    room[k * width + j] -= factor * room[i * width + j]
                room[k * width + i] = 0.0
    for i in range(n):
        x[i] = room[i * width + n] / room[i * width + i]


def projected_gauss_seidel(a: Array, b: Array, low: Array, high: Array, x: Array, n: int, most: int) -> bool:
    """Projected Gauss-Seidel until no unknown changes: slow for tight groups, but it cannot cycle."""
    for _ in range(most):
        moved = 0.0
        size = 0.0
        for i in range(n):
            r = -b[i]
            for j in range(n):
                r += a[i * n + j] * x[j]
            new = min(max(x[i] - r / a[i * n + i], low[i]), high[i])
            moved = max(moved, abs(new - x[i]))
            size = max(size, abs(new))
            x[i] = new
        if moved <= 1e-15 * size:
            return True
    return False
