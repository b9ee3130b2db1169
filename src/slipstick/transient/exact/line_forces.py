"""Forces that are lines in time within a segment, on coordinates and on sticking contacts; compiled."""

from __future__ import annotations

from slipstick.native import view
from slipstick.transient.exact.records import FlowModel, ModalTable, State
from slipstick.transient.exact.taylor_series import (
    along_unit,
    friction_share,
    partner_line,
    piece_of,
    unit_line,
)


def set_line_force(model: FlowModel, state: State) -> None:
    """Constant and slope (in the segment's own time) of all forces that do not depend on the motion."""
    n = model.coordinate_count
    m = model.unit_count
    t = state.time
    constants = view(model.load_constant, state.epoch * n)
    slopes = view(model.load_slope, state.epoch * n)
    force = state.line_force
    contact_of = model.contact_of
    mean = model.limit
    d_at = model.unit_begin
    column = model.unit_coordinate
    a_value = model.along
    for i in range(n):
        force[i] = constants[i] + slopes[i] * t
        force[n + i] = slopes[i]
    for e in range(m):
        f = 0.0
        slope = 0.0
        if contact_of[e] < 0.0:
            constant, stiffness, damping = unit_line(model, state, e)
            o0 = model.offset_constant[state.epoch * m + e]
            o1 = model.offset_slope[state.epoch * m + e]
            f = constant + stiffness * (o0 + o1 * t) + damping * o1
            slope = stiffness * o1
            partner, stiffness, damping = partner_line(model, state, e)
            if partner >= 0:
                o0 = model.offset_constant[state.epoch * m + partner]
                o1 = model.offset_slope[state.epoch * m + partner]
                f += stiffness * (o0 + o1 * t) + damping * o1
                slope += stiffness * o1
        else:
            i = int(contact_of[e])
            f = friction_share(model, piece_of(state, e), i) * mean[i]
        if f != 0.0 or slope != 0.0:
            for p in range(int(d_at[e]), int(d_at[e + 1])):
                force[int(column[p])] -= a_value[p] * f
                force[n + int(column[p])] -= a_value[p] * slope


def stuck_lines(model: FlowModel, table: ModalTable, state: State) -> None:
    """Lines (constant, slope) of sticking contacts seen from the coordinates, to ``stuck_line``, and their forces."""
    n = model.coordinate_count
    m = model.unit_count
    stuck = table.stuck_count
    units = table.stuck_units
    ky = table.stuck_stiffness
    cy = table.stuck_damping
    x = state.motion
    force = state.line_force
    lines = state.stuck_line
    uw = table.unit_response
    h = model.wave_count
    wave_c = state.wave_cos
    wave_s = state.wave_sin
    for i in range(stuck):
        e = int(units[i])
        # the part of the deflection besides coordinates and waves is a line in time
        d0 = along_unit(model, e, x)
        for j in range(h):  # waves that coordinates follow while it sticks are in the wave response
            d0 -= uw[4 * (e * h + j) + 2] * wave_c[j] - uw[4 * (e * h + j) + 3] * wave_s[j]
        d1 = -model.offset_slope[state.epoch * m + e]
        lines[2 * i] = d0
        lines[2 * i + 1] = d1
        for a in range(n):
            force[a] -= ky[a * stuck + i] * d0 + cy[a * stuck + i] * d1
            force[n + a] -= ky[a * stuck + i] * d1
