"""A run between states (q, v, w), w the stretches of sliders, and the derivative of the last by the first; compiled.

A slider is a unit with a piece in which a stretch moves.
"""

from __future__ import annotations

from slipstick.native import Array, view
from slipstick.transient.exact import records as at
from slipstick.transient.exact.flow import known_modes
from slipstick.transient.exact.flow_sensitivity import first_coefficients, vary_on, vary_run
from slipstick.transient.exact.guard_roots import basis_at
from slipstick.transient.exact.modal_propagation import outlive
from slipstick.transient.exact.records import Model, Recording, State, Tables, segment_at, table_at
from slipstick.transient.exact.root_exclusion import BASIS_ROW, LAMBDA_ROW
from slipstick.transient.exact.sampling import restore_segment_begin
from slipstick.transient.exact.state_changes import segment_length, stretch_moves_in
from slipstick.transient.exact.taylor_series import along_unit, offset_coefficient, set_waves

FOR_EACH = 4  # coordinates for each mode that outlives a segment, from which on these are few


def is_slider(model: Model, e: int) -> bool:
    """True if unit e has a stretch that can move."""
    first = view(model.first_piece, e)
    pieces = model.pieces
    for k in range(int(first[0]), int(first[1])):
        if pieces[k].moves:
            return True
    return False


def put_state(model: Model, state: State, given: Array) -> None:
    """Put (q, v, w) into a state, before it is decided what happens next."""
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
        w = 0.0
        if is_slider(model, e):
            w = given[k]
            k += 1
        u = along_unit(model, e, x) + offset_coefficient(model, state, 0, e)
        own = first_piece(model, e, u, w)
        piece[e] = float(own)
        memory[e] = w
        if stretch_moves_in(model, e, piece[e]):
            memory[e] = u - w


def first_piece(model: Model, e: int, u: float, w: float) -> int:
    """The piece that a unit at rest is in: a slider sticks; of others the one whose guards are farthest from zero.

    A slider led to its limit is there to rounding only, and at rest the guards of sliding are zero either way.
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
            margin = min(margin, guard.constant + guard.u * u + guard.w * w)
        if row.moves > best_moves or (row.moves == best_moves and margin > best_margin):
            best = k - int(first[0])
            best_moves = row.moves
            best_margin = margin
    return best


def read_state(model: Model, state: State, recording: Recording, out: Array) -> None:
    """Where a run has come to, as (q, v, w), and behind it the sizes of these over the run.

    The velocity of a coordinate without inertia follows from forces and is no part of a state: it is zero here.
    """
    n = model.coordinate_count
    m = model.unit_count
    x = state.motion
    piece = state.piece
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
        if stretch_moves_in(model, e, piece[e]):
            out[k] = along_unit(model, e, x) + offset_coefficient(model, state, 0, e) - memory[e]
        sizes[k] = max_stretch(model, e)
        k += 1


def has_inertia(model: Model, i: int) -> bool:
    """True if coordinate i has an inertia, alone or together with others."""
    n = model.coordinate_count
    mass = model.mass
    if not model.full_mass:
        return mass[i] != 0.0  # type: ignore[no-any-return]
    for j in range(n):
        if mass[i * n + j] != 0.0:
            return True
    return False


def max_stretch(model: Model, e: int) -> float:
    """The largest stretch of a slider, from the guards that end its moving."""
    first = view(model.first_piece, e)
    pieces = model.pieces
    guards = model.guards
    found = 0.0
    for k in range(int(first[0]), int(first[1])):
        row = pieces[k]
        for g in range(row.guard_count):
            guard = guards[row.first_guard + g]
            if guard.w != 0.0:
                found = max(found, abs(guard.constant / guard.w))
    return found


def flow_derivative(
    model: Model,
    tangent: Model,
    state: State,
    near: State,
    tables: Tables,
    recording: Recording,
    end: float,
    changes: Array,
    size: int,
    turned: Model,
    sweeps: int,
    out: Array,
) -> None:
    """out (columns, size): the derivative of the state (q, v, w) at ``end`` by that at the begin, by columns.

    state, near : that at the end, twice, to work on.   changes : room, (columns, 2n + m) and m more.
    sweeps : 1 if one more column is wanted, that by the logarithm of the base frequency with the end held.
    turned : the model for that (see `frequency_sensitivity`).
    """
    n = model.coordinate_count
    m = model.unit_count
    width = 2 * n + m
    count = size + sweeps
    last = near.piece
    pieces = view(changes, count * width)
    for i in range(count * width):
        changes[i] = 0.0
    for e in range(m):
        pieces[e] = last[e]  # at the end; the state they are in is worked on
    live = few_modes(model, state, tables, recording, end)
    ahead = 2 * live if live > 0 else 2 * n
    if live == 0:
        begin_units(model, recording, changes)
    begin_sliders(model, recording, view(changes, ahead * width))
    some = ahead + count - 2 * n
    swept = some - 1 if sweeps else -1
    if live > 0:
        begin_modes(model, state, tables, recording, end, live, changes)
        vary_on(model, tangent, state, near, tables, recording, end, changes, some, turned, swept, ahead)
    else:
        vary_run(model, tangent, state, near, tables, recording, end, changes, some, turned, swept)
    for c in range(some):
        as_state(model, pieces, view(changes, c * width))
    for c in range(ahead, some):
        for i in range(size):
            out[(c - ahead + 2 * n) * size + i] = changes[c * width + i]
    if live > 0:
        sum_modes(model, state, tables, recording, live, changes, size, out)
        return
    for c in range(2 * n):
        for i in range(size):
            out[c * size + i] = changes[c * width + i]


def begin_units(model: Model, recording: Recording, changes: Array) -> None:
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


def begin_sliders(model: Model, recording: Recording, changes: Array) -> None:
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


def as_state(model: Model, pieces: Array, row: Array) -> None:
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
        if stretch_moves_in(model, e, pieces[e]):
            row[k] = along_unit(model, e, row) - row[k]
        k += 1


def few_modes(model: Model, state: State, tables: Tables, recording: Recording, end: float) -> int:
    """How many modes outlive the first segment, if they are few beside all coordinates and nothing sticks; else 0.

    Whatever a state begins with, these are all that is left of it then: their changes are carried on, not those of each
    displacement and velocity.
    """
    n = model.coordinate_count
    if not model.regular or model.contact_count != 0:
        return 0
    restore_segment_begin(model, state, segment_at(recording, 0))
    place = known_modes(model, state, tables)
    if place == at.NO_TABLE or table_at(tables, place).zero_count != 0:
        return 0
    live = outlive(table_at(tables, place), segment_length(recording, 0, end))
    return live if FOR_EACH * live <= n else 0


def begin_modes(
    model: Model,
    state: State,
    tables: Tables,
    recording: Recording,
    end: float,
    live: int,
    changes: Array,
) -> None:
    """What the first modes are at the end of the first segment, where their amplitudes are 1 and i at its begin."""
    n = model.coordinate_count
    width = 2 * n + model.unit_count
    table = table_at(tables, known_modes(model, state, tables))
    r = table.mode_count
    lam = table.eigenvalues
    xq = table.shapes
    e = state.mode_basis
    basis_at(table, live, segment_length(recording, 0, end), e)
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


def sum_modes(
    model: Model, state: State, tables: Tables, recording: Recording, live: int, changes: Array, size: int, out: Array
) -> None:
    """The columns of displacements and velocities from those of the first modes and of stretches."""
    n = model.coordinate_count
    m = model.unit_count
    width = 2 * n + m
    restore_segment_begin(model, state, segment_at(recording, 0))
    table = table_at(tables, known_modes(model, state, tables))
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


def state_rate(model: Model, state: State, out: Array) -> None:
    """How fast the state at hand, as (q, v, w), changes in time."""
    n = model.coordinate_count
    m = model.unit_count
    first_coefficients(model, state)
    q = state.displacement_series
    u = view(state.deflection_series, m)
    piece = state.piece
    for i in range(n):
        out[i] = q[n + i]
        out[n + i] = 2.0 * q[2 * n + i]
    k = 2 * n
    for e in range(m):
        if is_slider(model, e):
            out[k] = u[e] if stretch_moves_in(model, e, piece[e]) else 0.0
            k += 1
