"""Outputs of an exported model at the present time; compiled, see `step_loop`."""

from __future__ import annotations

from slipstick.fmu.records import (
    BROKEN_LINE,
    CARRIES,
    CONNECTION,
    DAMPING,
    ELEMENT_ROW,
    FACTOR,
    FRICTION,
    KIND,
    LINEAR,
    PRELOAD,
    SCALE,
    SHARE,
    STIFFNESS,
    UNIT,
    Fmu,
)
from slipstick.native import Array, view
from slipstick.transient.exact import records as at
from slipstick.transient.exact.flow import known_modes
from slipstick.transient.exact.guards import friction_of, write_guards
from slipstick.transient.exact.modal_propagation import expand_in_modes
from slipstick.transient.exact.pair_columns import slip_direction
from slipstick.transient.exact.records import table_at
from slipstick.transient.exact.sampling import read_modes
from slipstick.transient.exact.taylor_series import (
    deflection_coefficients,
    friction_share,
    partner_line,
    piece_of,
    start_series,
    unit_line,
)
from slipstick.transient.exact.taylor_step import begin_series, continue_series


def fmu_outputs(fmu: Fmu) -> None:
    """Compute all outputs at the present time, with the inputs of the last step."""
    model = fmu.model
    state = fmu.scratch
    for i in range(fmu.state_size):
        state.block[i] = fmu.state.block[i]
    n = model.coordinate_count
    c = model.contact_count
    reaction = view(fmu.row, 2 * n)
    if model.regular:
        independent = begin_series(model, state, 1)
        continue_series(model, state, 0, independent)
        for i in range(c):
            reaction[i] = state.reaction_series[i]
    else:
        for i in range(c):
            reaction[i] = 0.0
        place = known_modes(model, state, fmu.tables)
        if place != at.NO_TABLE and state.undecided == 0.0:
            table = table_at(fmu.tables, place)
            expand_in_modes(model, table, state)
            guards = write_guards(model, table, state)
            read_modes(model, table, state, guards, 0.0, fmu.row)
        start_series(model, state, 1)
        deflection_coefficients(model, state, 1)
    write_motions(fmu)
    write_forces(fmu)
    for e in range(model.unit_count):
        fmu.values[fmu.first_piece + e] = fmu.code[int(fmu.code_begin[e]) + piece_of(state, e)]


def write_motions(fmu: Fmu) -> None:
    """Displacements and velocities of all coordinates, and deflections of connections."""
    model = fmu.model
    state = fmu.scratch
    n = model.coordinate_count
    h = model.wave_count
    p = fmu.drive_count
    t = state.time
    out = view(fmu.values, fmu.first_coordinate)
    for i in range(fmu.coordinate_count):
        j = int(fmu.free_of[i])
        if j >= 0:
            out[2 * i] = state.motion[j]
            out[2 * i + 1] = state.motion[n + j]
            continue
        j = -1 - j
        rate = fmu.drive_slope[fmu.own_epoch * p + j]
        q = fmu.drive[j] + fmu.drive_constant[fmu.own_epoch * p + j] + rate * t
        v = rate + fmu.values[fmu.first_drive + j]
        for k in range(h):
            q += fmu.drive_cos[j * h + k] * state.wave_cos[k] + fmu.drive_sin[j * h + k] * state.wave_sin[k]
            v += fmu.drive_cos[j * h + k] * state.wave_cos[h + k] + fmu.drive_sin[j * h + k] * state.wave_sin[h + k]
        out[2 * i] = q
        out[2 * i + 1] = v
    form = view(fmu.values, fmu.first_connection)
    for c in range(fmu.connection_count):
        form[2 * c] = combined(fmu, fmu.form_begin, fmu.form_coordinate, fmu.form_factor, c, 0)
        form[2 * c + 1] = 0.0


def combined(fmu: Fmu, begin: Array, coordinate: Array, factor: Array, c: int, derivative: int) -> float:
    """Linear form c of the displacements, or of the velocities."""
    value = 0.0
    for k in range(int(begin[c]), int(begin[c + 1])):
        value += factor[k] * fmu.values[fmu.first_coordinate + 2 * int(coordinate[k]) + derivative]
    return float(value)


def write_forces(fmu: Fmu) -> None:
    """Forces of connections: sums of those of their elements."""
    model = fmu.model
    state = fmu.scratch
    out = view(fmu.values, fmu.first_connection)
    for k in range(fmu.element_count):
        row = view(fmu.elements, k * ELEMENT_ROW)
        c = int(row[CONNECTION])
        if row[CARRIES] < 0.0:
            continue
        u = row[SCALE] * combined(fmu, fmu.part_begin, fmu.part_coordinate, fmu.part_factor, c, 0)
        v = row[SCALE] * combined(fmu, fmu.part_begin, fmu.part_coordinate, fmu.part_factor, c, 1)
        e = int(row[UNIT])
        kind = int(row[KIND])
        force = 0.0
        if kind == LINEAR:
            force = row[STIFFNESS] * u + row[PRELOAD] + row[DAMPING] * v
        elif kind == BROKEN_LINE:
            constant, stiffness, damping = unit_line(model, state, e)
            force = constant + stiffness * u + damping * v
            partner, stiffness, damping = partner_line(model, state, e)
            if partner >= 0:
                m = model.unit_count
                force += stiffness * state.deflection_series[partner] + damping * state.deflection_series[m + partner]
        else:
            i = int(model.contact_of[e])
            force = fmu.row[2 * model.coordinate_count + i]
            if kind == FRICTION:
                force = row[SHARE] * (force + sliding_force(fmu, e, i)) + row[DAMPING] * v
        out[2 * int(row[CARRIES]) + 1] += row[FACTOR] * force


def sliding_force(fmu: Fmu, e: int, i: int) -> float:
    """The force of contact i, unit e, if it slides; in rigid contacts it follows the normal reaction."""
    model = fmu.model
    state = fmu.scratch
    force = friction_share(model, piece_of(state, e), i) * state.limit_series[i]
    friction = friction_of(model, i)
    if friction != 0.0:
        normal = fmu.row[2 * model.coordinate_count + int(model.normal_of[i])]
        force += friction * slip_direction(state.piece[e]) * normal
    return float(force)
