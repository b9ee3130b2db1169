"""The map between states (q, v, w) of a run, w the stretches of sliders, and its derivative; compiled.

A slider is a unit with a piece in which a stretch moves.
"""

from __future__ import annotations

from slipstick.native import Array, view
from slipstick.transient.exact import records as at
from slipstick.transient.exact.flow import known_modes
from slipstick.transient.exact.flow_sensitivity import first_coefficients, vary_on, vary_run
from slipstick.transient.exact.guard_roots import basis_at
from slipstick.transient.exact.modal_propagation import outlive
from slipstick.transient.exact.records import FlowModel, Recording, State, Variation, segment_at, table_at
from slipstick.transient.exact.root_exclusion import BASIS_ROW, LAMBDA_ROW
from slipstick.transient.exact.sampling import restore_segment_begin
from slipstick.transient.exact.state_changes import segment_length, stretch_moves_in
from slipstick.transient.exact.taylor_series import (
    along_unit,
    offset_coefficient,
    offset_size,
    piece_row,
    set_waves,
    size_along,
)

COORDINATES_PER_MODE = 4  # at least, for the modes that outlive a segment to count as few


def is_slider(model: FlowModel, e: int) -> bool:
    """True if unit e has a stretch that can move."""
    first = view(model.first_piece, e)
    pieces = model.pieces
    for k in range(int(first[0]), int(first[1])):
        if pieces[k].moves:
            return True
    return False


def put_state(model: FlowModel, state: State, given: Array) -> None:
    """Put (q, v, w) into a state, before the pieces of contacts are decided."""
    n = model.coordinate_count
    x = state.motion
    piece = state.piece
    memory = state.memory
    contact_of = model.contact_of
    for i in range(2 * n):
        x[i] = given[i]
    set_waves(model, state)
    k = 2 * n
    for e in range(model.unit_count):
        if contact_of[e] >= 0.0:
            piece[e] = float(at.STICK)
            continue
        if model.leader[e] >= 0.0:
            piece[e] = piece[int(model.leader[e])]
            continue
        w = 0.0
        if is_slider(model, e):
            w = given[k]
            k += 1
        u = along_unit(model, e, x) + offset_coefficient(model, state, 0, e)
        pu = 0.0
        if model.partner[e] >= 0.0:
            p = int(model.partner[e])
            pu = along_unit(model, p, x) + offset_coefficient(model, state, 0, p)
        own = first_piece(model, e, u, w, pu)
        piece[e] = float(own)
        memory[e] = w
        if stretch_moves_in(model, e, piece[e]):
            memory[e] = u - w


def first_piece(model: FlowModel, e: int, u: float, w: float, partner: float) -> int:
    """The piece of a unit at rest: a slider sticks; other units take the piece whose guards are farthest from zero.

    A slider reaches its limit only to rounding, and at rest the guards of sliding are zero in both directions.
    """
    first = view(model.first_piece, e)
    pieces = model.pieces
    guards = model.guards
    best = 0
    best_moves = -1.0
    best_margin = 0.0
    for k in range(int(first[0]), int(first[1])):
        row = pieces[k]
        margin = 1e300
        for g in range(row.guard_count):
            guard = guards[row.first_guard + g]
            margin = min(margin, guard.constant + guard.u * u + guard.w * w + guard.partner * partner)
        if row.moves > best_moves or (row.moves == best_moves and margin > best_margin):
            best = k - int(first[0])
            best_moves = row.moves
            best_margin = margin
    return best


def read_state(model: FlowModel, state: State, recording: Recording, out: Array) -> None:
    """Write the final state (q, v, w) of a run, then the sizes of its parts over the run.

    The velocity of a coordinate without inertia follows from forces and is not part of a state: it is zero here.
    """
    n = model.coordinate_count
    m = model.unit_count
    x = state.motion
    memory = state.memory
    size = 2 * n
    for e in range(m):
        if is_slider(model, e):
            size += 1
    sizes = view(out, size)
    for i in range(2 * n):
        if i >= n and not has_inertia(model, i - n):
            out[i] = 0.0
            sizes[i] = 0.0
            continue
        out[i] = x[i]
        sizes[i] = abs(x[i])
        for k in range(recording.segment_count):
            sizes[i] = max(sizes[i], abs(segment_at(recording, k).motion[i]))
    set_waves(model, state)
    k = 2 * n
    for e in range(m):
        if not is_slider(model, e):
            continue
        out[k] = memory[e]
        row = piece_row(model, state, e)
        if row.moves:
            out[k] = along_unit(model, e, x) + offset_coefficient(model, state, 0, e) - memory[e]
        elif row.given:
            out[k] = row.given_constant
            if row.given_partner != 0.0:
                p = int(model.partner[e])
                out[k] += row.given_partner * (along_unit(model, p, x) + offset_coefficient(model, state, 0, p))
        sizes[k] = max_stretch(model, state, e, sizes)
        k += 1


def has_inertia(model: FlowModel, i: int) -> bool:
    """True if coordinate i has an inertia, alone or together with others."""
    n = model.coordinate_count
    mass = model.mass
    if not model.full_mass:
        return mass[i] != 0.0  # type: ignore[no-any-return]
    for j in range(n):
        if mass[i * n + j] != 0.0:
            return True
    return False


def max_stretch(model: FlowModel, state: State, e: int, sizes: Array) -> float:
    """The largest stretch of a slider, from the guards that end its moving.   sizes : of displacements over the run."""
    first = view(model.first_piece, e)
    pieces = model.pieces
    guards = model.guards
    found = 0.0
    for k in range(int(first[0]), int(first[1])):
        row = pieces[k]
        for g in range(row.guard_count):
            guard = guards[row.first_guard + g]
            if guard.w != 0.0:
                own = abs(guard.constant / guard.w)
                if guard.partner != 0.0:
                    p = int(model.partner[e])
                    size = size_along(model, p, sizes) + offset_size(model, state, 0, p)
                    own += abs(guard.partner / guard.w) * size
                found = max(found, own)
    return found


def flow_derivative(variation: Variation, size: int, sweeps: int, out: Array) -> None:
    """out (columns, size): the derivative of the state (q, v, w) at the end by that at the start, by columns.

    variation : its states are two copies of that at the end, its changes are room for (columns, 2n + m) and m more.
    sweeps : 1 for one more column, the derivative by the logarithm of the base frequency at a fixed end.
    """
    model = variation.model
    recording = variation.recording
    changes = variation.changes
    n = model.coordinate_count
    m = model.unit_count
    width = 2 * n + m
    count = size + sweeps
    last = variation.near.piece
    pieces = view(changes, count * width)
    for i in range(count * width):
        changes[i] = 0.0
    for e in range(m):
        pieces[e] = last[e]  # at the end: the states are overwritten
    live = few_modes(variation)
    ahead = 2 * live if live > 0 else 2 * n
    if live == 0:
        begin_units(model, recording, changes)
    begin_sliders(model, recording, view(changes, ahead * width))
    some = ahead + count - 2 * n
    swept = some - 1 if sweeps else -1
    if live > 0:
        begin_modes(variation, live)
        vary_on(variation, some, swept, ahead)
    else:
        vary_run(variation, some, swept)
    for c in range(some):
        as_state(model, pieces, view(changes, c * width))
    for c in range(ahead, some):
        for i in range(size):
            out[(c - ahead + 2 * n) * size + i] = changes[c * width + i]
    if live > 0:
        sum_modes(variation, live, size, out)
        return
    for c in range(2 * n):
        for i in range(size):
            out[c * size + i] = changes[c * width + i]


def begin_units(model: FlowModel, recording: Recording, changes: Array) -> None:
    """A change by one of each displacement and velocity, stretches held."""
    n = model.coordinate_count
    m = model.unit_count
    first = segment_at(recording, 0).piece
    for i in range(2 * n):
        if i >= n and not has_inertia(model, i - n):
            continue  # nothing depends on it
        row = view(changes, i * (2 * n + m))
        row[i] = 1.0
        if i < n:
            for e in range(m):
                if is_slider(model, e) and stretch_moves_in(model, e, first[e]):
                    row[2 * n + e] = along_unit(model, e, row)


def begin_sliders(model: FlowModel, recording: Recording, changes: Array) -> None:
    """A change by one of each stretch."""
    n = model.coordinate_count
    m = model.unit_count
    first = segment_at(recording, 0).piece
    k = 0
    for e in range(m):
        if is_slider(model, e):
            if stretch_moves_in(model, e, first[e]):
                changes[k * (2 * n + m) + 2 * n + e] = -1.0
            k += 1


def as_state(model: FlowModel, pieces: Array, row: Array) -> None:
    """A change of displacements, velocities and memories as one of (q, v, w), in place."""
    n = model.coordinate_count
    for i in range(n):
        if not has_inertia(model, i):
            row[n + i] = 0.0
    k = 2 * n
    for e in range(model.unit_count):
        if not is_slider(model, e):
            continue
        row[k] = row[2 * n + e]
        own = model.pieces[int(model.first_piece[e]) + int(pieces[e])]
        if own.moves:
            row[k] = along_unit(model, e, row) - row[k]
        elif own.given:
            row[k] = 0.0
            if own.given_partner != 0.0:
                row[k] = own.given_partner * along_unit(model, int(model.partner[e]), row)
        k += 1


def few_modes(variation: Variation) -> int:
    """The number of modes that outlive the first segment, if they are few beside all coordinates and nothing sticks;
    else 0.

    Only these modes remain of any start, so their changes are carried instead of those of each displacement and
    velocity.
    """
    model = variation.model
    state = variation.state
    tables = variation.tables
    recording = variation.recording
    n = model.coordinate_count
    if not model.regular or model.contact_count != 0:
        return 0
    restore_segment_begin(model, state, segment_at(recording, 0))
    place = known_modes(model, state, tables)
    if place == at.NO_TABLE or table_at(tables, place).zero_count != 0:
        return 0
    live = outlive(table_at(tables, place), segment_length(recording, 0, variation.end))
    return live if COORDINATES_PER_MODE * live <= n else 0


def begin_modes(variation: Variation, live: int) -> None:
    """Set changes to the first modes at the end of the first segment, for amplitudes of 1 and i at its start."""
    model = variation.model
    state = variation.state
    changes = variation.changes
    n = model.coordinate_count
    width = 2 * n + model.unit_count
    table = table_at(variation.tables, known_modes(model, state, variation.tables))
    r = table.mode_count
    lam = table.eigenvalues
    xq = table.shapes
    e = state.mode_basis
    basis_at(table, live, segment_length(variation.recording, 0, variation.end), e)
    for k in range(live):
        basis = view(e, BASIS_ROW * k)
        row = view(changes, 2 * k * width)
        turned = view(changes, (2 * k + 1) * width)
        a = lam[LAMBDA_ROW * k]
        b = lam[LAMBDA_ROW * k + 1]
        for i in range(n):
            x = xq[2 * (i * r + k)]
            y = xq[2 * (i * r + k) + 1]
            re = x * basis[0] - y * basis[1]
            im = x * basis[1] + y * basis[0]
            row[i] = re
            row[n + i] = re * a - im * b
            turned[i] = -im
            turned[n + i] = -(re * b + im * a)


def sum_modes(variation: Variation, live: int, size: int, out: Array) -> None:
    """The columns of displacements and velocities from those of the first modes and of stretches."""
    model = variation.model
    state = variation.state
    recording = variation.recording
    changes = variation.changes
    n = model.coordinate_count
    m = model.unit_count
    width = 2 * n + m
    restore_segment_begin(model, state, segment_at(recording, 0))
    table = table_at(variation.tables, known_modes(model, state, variation.tables))
    lx = table.left
    first = segment_at(recording, 0).piece
    d_at = model.unit_begin
    to = model.unit_coordinate
    d_value = model.deflection
    for i in range(2 * n):
        column = view(out, i * size)
        for j in range(size):
            column[j] = 0.0
        for k in range(live):
            a = lx[2 * (k * 2 * n + i)]
            b = lx[2 * (k * 2 * n + i) + 1]
            row = view(changes, 2 * k * width)
            turned = view(changes, (2 * k + 1) * width)
            for j in range(size):
                column[j] += a * row[j] + b * turned[j]
    s = 2 * n
    for e in range(m):  # a stretch that moves is held: what it refers to moves with the displacement
        if not is_slider(model, e):
            continue
        if stretch_moves_in(model, e, first[e]):
            for p in range(int(d_at[e]), int(d_at[e + 1])):
                column = view(out, int(to[p]) * size)
                own = view(out, s * size)
                for j in range(size):
                    column[j] -= d_value[p] * own[j]
        s += 1


def state_rate(model: FlowModel, state: State, out: Array) -> None:
    """The time derivative of the present state, as (q, v, w)."""
    n = model.coordinate_count
    m = model.unit_count
    first_coefficients(model, state)
    q = state.displacement_series
    u = view(state.deflection_series, m)
    for i in range(n):
        out[i] = q[n + i]
        out[n + i] = 2.0 * q[2 * n + i]
    k = 2 * n
    for e in range(m):
        if is_slider(model, e):
            own = piece_row(model, state, e)
            out[k] = u[e] if own.moves else 0.0
            if own.given_partner != 0.0:
                out[k] = own.given_partner * u[int(model.partner[e])]
            k += 1
