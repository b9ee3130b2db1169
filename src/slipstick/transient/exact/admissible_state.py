"""Checks that a state can follow the motion so far, where coordinates have no inertia; compiled.

Guards decide how a state ends, not whether it can begin. Masses keep their velocities, a sticking contact has no rate,
a sliding one jumps only in its direction of sliding, and a direction without stiffness is not loaded. Massless
coordinates may take any velocity, and any undamped displacement.
"""

from __future__ import annotations

import math

from slipstick.native import view
from slipstick.transient.exact import records as at
from slipstick.transient.exact.modal_propagation import modulus_bound, move_modal
from slipstick.transient.exact.records import FlowModel, ModalTable, State
from slipstick.transient.exact.root_exclusion import LAMBDA_ROW
from slipstick.transient.exact.taylor_series import (
    along_unit,
    friction_share,
    offset_coefficient,
    offset_size,
    piece_of,
    size_along,
    start_series,
)

SAME_MOTION_REL = 1e-9  # of the sizes over the run: velocities or displacements that count as equal
SUM_ROUNDING_REL = 1e-11  # of the sizes of its terms: likewise
RATE_ORDERS = 4  # of a prescribed rate, and its derivatives, before it counts as zero throughout
GOES_FREE, STAYS, GOES_UP, GOES_DOWN = 0, 1, 2, 3  # direction in which a contact is forced to move
ADMISSIBLE, IMPOSSIBLE = -1, -2  # instead of a unit: all may continue; the state is impossible, with no unit to blame


def inadmissible_contact(model: FlowModel, table: ModalTable, state: State) -> tuple[int, int]:
    """A contact whose piece cannot begin here, and the piece to try instead; `ADMISSIBLE` or `IMPOSSIBLE` for none.

    The motion was expanded in modes; its start is written to ``tried``, the rounding of that to ``tried_slack``.
    """
    initial_motion(model, table, state)
    start_series(model, state, RATE_ORDERS)
    unit, piece = needs_impulse(model, table, state)
    if unit == ADMISSIBLE:
        unit, piece = has_imposed_rate(model, table, state)
    if unit == ADMISSIBLE:
        unit, piece = jumps_against_slip(model, state)
    if unit == ADMISSIBLE:
        unit, piece = pushes_unheld_direction(model, table, state)
    return unit, piece


def initial_motion(model: FlowModel, table: ModalTable, state: State) -> None:
    """Write the start of the motion, and its rounding."""
    n = model.coordinate_count
    h = model.wave_count
    r = table.mode_count
    tried = state.tried
    slack = state.tried_slack
    scale = state.scale
    lam = table.eigenvalues
    xq = table.shapes
    c = state.amplitudes
    noise = state.amplitude_size
    answer = table.response
    omega = model.frequencies
    poly = state.polynomial
    move_modal(model, table, state, 0.0, tried)
    for i in range(n):
        q = abs(poly[i])
        v = abs(poly[n + i])
        for j in range(h):
            size = modulus_bound(view(answer, 2 * (j * n + i)))
            q += size
            v += omega[j] * size
        for k in range(r):
            size = modulus_bound(view(xq, 2 * (i * r + k))) * (noise[k] + modulus_bound(view(c, at.AMPLITUDES * k)))
            q += size
            v += size * math.hypot(lam[LAMBDA_ROW * k], lam[LAMBDA_ROW * k + 1])
        slack[i] = SAME_MOTION_REL * max(scale[i], abs(tried[i])) + SUM_ROUNDING_REL * q
        slack[n + i] = SAME_MOTION_REL * max(scale[n + i], abs(tried[n + i])) + SUM_ROUNDING_REL * v


def needs_impulse(model: FlowModel, table: ModalTable, state: State) -> tuple[int, int]:
    """Of contacts that could stick only by an impulse on masses, the one with the largest impulse: it slides."""
    n = model.coordinate_count
    x = view(state.motion, n)
    tried = view(state.tried, n)
    slack = view(state.tried_slack, n)
    rm = table.reaction_mass
    units = table.stuck_units
    limit = state.limit_series
    most = 0.0
    found = ADMISSIBLE
    piece = at.STICK
    for s in range(table.stuck_count):
        i = int(model.contact_of[int(units[s])])
        blow = 0.0
        known = 0.0
        for j in range(n):
            blow += rm[s * n + j] * (x[j] - tried[j])
            known += abs(rm[s * n + j]) * slack[j]
        over = abs(blow) / max(model.static_ratio[i] * limit[i], 1e-200)
        if abs(blow) > known and over > most:
            most = over
            found = int(units[s])
            piece = at.SLIP_UP if blow > 0.0 else at.SLIP_DOWN
    return found, piece


def has_imposed_rate(model: FlowModel, table: ModalTable, state: State) -> tuple[int, int]:
    """A contact set to stick although other sticking contacts and prescribed motions give it a rate: it slides."""
    units = table.stuck_units
    for s in range(table.stuck_count):
        e = int(units[s])
        way = imposed_direction(model, table, state, e)
        if way == GOES_UP or way == GOES_DOWN:
            return e, at.SLIP_UP if way == GOES_UP else at.SLIP_DOWN
    return ADMISSIBLE, 0


def is_held(model: FlowModel, table: ModalTable, state: State) -> tuple[int, int]:
    """A contact at its limit that is set to slide although sticking contacts block it, or that counts as held although
    they do not."""
    start_series(model, state, RATE_ORDERS)
    for i in range(model.contact_count):
        e = int(model.unit_of[i])
        piece = piece_of(state, e)
        held = imposed_direction(model, table, state, e) == STAYS
        if held and piece == at.SLIP_UP:
            return e, at.HELD_UP
        if held and piece == at.SLIP_DOWN:
            return e, at.HELD_DOWN
        if not held and piece == at.HELD_UP:
            return e, at.SLIP_UP
        if not held and piece == at.HELD_DOWN:
            return e, at.SLIP_DOWN
    return ADMISSIBLE, 0


def imposed_direction(model: FlowModel, table: ModalTable, state: State, e: int) -> int:
    """The direction in which sticking contacts and prescribed motions move contact e; `GOES_FREE` if they do not."""
    stuck = table.stuck_count
    units = table.stuck_units
    span = view(table.span, (1 + stuck) * e)
    if span[0] == 0.0:
        return GOES_FREE
    for k in range(1, RATE_ORDERS + 2):
        rate = offset_coefficient(model, state, k, e)
        size = offset_size(model, state, k, e)
        for s in range(stuck):
            if span[1 + s] != 0.0:
                rate -= span[1 + s] * offset_coefficient(model, state, k, int(units[s]))
                size += abs(span[1 + s]) * offset_size(model, state, k, int(units[s]))
        if abs(rate) > SAME_MOTION_REL * size:
            return GOES_UP if rate > 0.0 else GOES_DOWN
    return STAYS


def jumps_against_slip(model: FlowModel, state: State) -> tuple[int, int]:
    """A contact set to slide in one direction while massless coordinates jump in the other: it sticks."""
    x = state.motion
    tried = state.tried
    slack = state.tried_slack
    for i in range(model.contact_count):
        e = int(model.unit_of[i])
        piece = piece_of(state, e)
        if piece == at.SLIP_UP or piece == at.SLIP_DOWN:
            way = friction_share(model, piece, i)
            leap = along_unit(model, e, tried) - along_unit(model, e, x)
            if way * leap < -size_along(model, e, slack):
                return e, at.STICK
    return ADMISSIBLE, 0


def pushes_unheld_direction(model: FlowModel, table: ModalTable, state: State) -> tuple[int, int]:
    """Of sliding contacts that load a direction without stiffness, the one with the largest load: it sticks."""
    n = model.coordinate_count
    force = state.line_force
    mean = model.limit
    d_at = model.unit_begin
    column = model.unit_coordinate
    a_value = model.along
    for row in range(table.loose_count):
        loose = view(table.loose, row * n)
        push = 0.0
        size = 0.0
        for i in range(n):
            push += loose[i] * force[i]
            size += abs(loose[i] * force[i])
        most = 0.0
        found = IMPOSSIBLE
        for i in range(model.contact_count):
            e = int(model.unit_of[i])
            part = 0.0
            for p in range(int(d_at[e]), int(d_at[e + 1])):
                part += loose[int(column[p])] * a_value[p]
            part = abs(part * friction_share(model, piece_of(state, e), i) * mean[i])
            size += part
            if part > most:
                most = part
                found = e
        if abs(push) > SAME_MOTION_REL * size:
            return found, at.STICK
    return ADMISSIBLE, 0
