"""Displacements that the limits of dry friction would cause at a frequency; compiled.

Springs resist by K, as stiff as they get, and inertia by omega^2 M. All of it stands in one array: a head of single
numbers and the begins of sections, then these.
"""

from __future__ import annotations

from slipstick.laws.source_parsing import Buffer
from slipstick.native import view
from slipstick.transient.exact.periodic_newton import solve_by_elimination

# ---- coordinates, contacts; then sections: K and M (n, n); forces (contacts, n) of the limits; the part of each that
# counts (contacts,); what it moves most (contacts,), which is found here; room
(W_COORDINATES, W_CONTACTS, W_STIFFNESS, W_MASS, W_FORCES, W_SHARES, W_MOVED, W_ROOM) = range(8)
YIELDING_HEAD = 8

# of what the limits of dry friction would move: rounding of forces is well below 1e-11 of it
NEGLIGIBLE_FRICTION_REL = 3e-5


def friction_displacement(numbers: Buffer, omega: float) -> float:
    """The largest part that counts of what the limits move; -1 where something is moved that nothing resists."""
    n = int(numbers[W_COORDINATES])
    stiffness = view(numbers, int(numbers[W_STIFFNESS]))
    mass = view(numbers, int(numbers[W_MASS]))
    moved = view(numbers, int(numbers[W_MOVED]))
    matrix = view(numbers, int(numbers[W_ROOM]))
    right = view(matrix, n * n)
    found = 0.0
    for c in range(int(numbers[W_CONTACTS])):
        forces = view(numbers, int(numbers[W_FORCES]) + c * n)
        for i in range(n * n):
            matrix[i] = stiffness[i] + omega * omega * mass[i]
        for i in range(n):
            right[i] = forces[i]
        if not solve_by_elimination(matrix, right, n):
            return -1.0
        moved[c] = 0.0
        for i in range(n):
            moved[c] = max(moved[c], abs(right[i]))
        found = max(found, numbers[int(numbers[W_SHARES]) + c] * moved[c])
    return found
