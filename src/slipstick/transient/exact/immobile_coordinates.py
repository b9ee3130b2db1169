"""Coordinates that the contacts at rest leave no freedom; compiled.

Contacts at rest require D q' = -o', with o the offsets of prescribed motions. A coordinate whose unit vector is a
combination of the rows of D is immobile: its motion is prescribed, q_i' = -sum_s Y_is o_s', and without prescribed
motions its velocity and acceleration are exactly zero. Summed from forces that cancel they would be rounding, and the
coordinate would drift with the square of time.
"""

from __future__ import annotations

import math

from slipstick.native import Array, view
from slipstick.transient.exact.records import FlowModel, ModalTable, State
from slipstick.transient.exact.taylor_series import offset_coefficient

NO_PART_REL = 1e-10  # of a row, with coordinates scaled by their inertia: below it an entry is rounding


def find_immobile(model: FlowModel, state: State, independent: int) -> None:
    """Write rows (1 if the coordinate is immobile, else 0; Y) to ``immobile``.

    ``basis`` has the independent contacts at rest, see `complementarity.factor_delassus`. Their rows of D are
    brought to reduced echelon form: a row with a single entry belongs to an immobile coordinate.
    """
    n = model.coordinate_count
    c = model.contact_count
    rows = state.echelon
    immobile = state.immobile
    for i in range(n):
        immobile[i * (1 + c)] = 0.0
    write_rows(model, state, independent)
    for a in range(independent):
        own = view(rows, a * (n + c))
        pivot = 0
        for i in range(1, n):
            if abs(own[i]) > abs(own[pivot]):
                pivot = i
        lead = own[pivot]
        for i in range(n + c):
            own[i] /= lead
        for b in range(independent):
            other = view(rows, b * (n + c))
            part = other[pivot]
            if b != a and part != 0.0:
                for i in range(n + c):
                    other[i] -= part * own[i]
                other[pivot] = 0.0
    for a in range(independent):
        own = view(rows, a * (n + c))
        entries = 0
        last = 0
        for i in range(n):
            if abs(own[i]) > NO_PART_REL:
                entries += 1
                last = i
        if entries == 1:
            immobile[last * (1 + c)] = 1.0
            for j in range(c):
                immobile[last * (1 + c) + 1 + j] = own[n + j] * coordinate_scale(model, last)


def write_rows(model: FlowModel, state: State, independent: int) -> None:
    """(D, 1) of the independent contacts at rest, coordinates scaled by their inertia, to ``echelon``."""
    n = model.coordinate_count
    c = model.contact_count
    d_at = model.unit_begin
    column = model.unit_coordinate
    d_value = model.deflection
    basis = state.basis
    for a in range(independent):
        contact = int(basis[a])
        row = view(state.echelon, a * (n + c))
        for i in range(n + c):
            row[i] = 0.0
        row[n + contact] = 1.0
        e = int(model.unit_of[contact])
        for p in range(int(d_at[e]), int(d_at[e + 1])):
            row[int(column[p])] = d_value[p] * coordinate_scale(model, int(column[p]))


def coordinate_scale(model: FlowModel, i: int) -> float:
    """One over the root of the inertia of coordinate i, which makes coordinates of any units comparable."""
    step = 1 if not model.full_mass else model.coordinate_count + 1
    return math.sqrt(model.inverse_mass[i * step])


def prescribe_immobile(model: FlowModel, state: State, k: int, values: Array, factor: float) -> None:
    """Set the immobile ones of (n,) ``values``: coefficient k of their motion, times ``factor``."""
    n = model.coordinate_count
    c = model.contact_count
    unit_of = model.unit_of
    for i in range(n):
        row = view(state.immobile, i * (1 + c))
        if row[0] != 0.0:
            value = 0.0
            if model.has_offsets:
                for j in range(c):
                    if row[1 + j] != 0.0:
                        value -= row[1 + j] * offset_coefficient(model, state, k, int(unit_of[j]))
            values[i] = factor * value


def is_immobile(model: FlowModel, table: ModalTable, i: int) -> bool:
    """True if sticking contacts leave coordinate i no freedom: it has no part in any mode."""
    r = table.mode_count
    z = table.zero_count
    xq = view(table.shapes, 2 * i * r)
    xz = view(table.zero_shapes, i * z)
    if not model.regular:  # massless coordinates may follow forces instead
        return False
    for k in range(2 * r):
        if xq[k] != 0.0:
            return False
    for a in range(z):
        if xz[a] != 0.0:
            return False
    return True
