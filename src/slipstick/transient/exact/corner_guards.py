"""Guards of piecewise-linear units, and the direction in which a unit leaves a corner; compiled.

The first nonzero coefficient of its guard decides in which direction a unit leaves a corner. Until then the pieces on
both sides give the same force.
"""

from __future__ import annotations

from slipstick.native import view
from slipstick.transient.exact.records import FlowModel, PackedGuard, State
from slipstick.transient.exact.taylor_series import offset_size, piece_row, size_along

MOTION_ROUNDING_REL = 3e-14  # of the sizes of terms: zero for displacements and velocities
ACCELERATION_ROUNDING_REL = 1e-11  # the same for accelerations and their derivatives
SHARPER_ROUNDING, SHARPEST_ROUNDING, BLUNTER_ROUNDING = (
    1e-13,
    1e-15,
    1e-9,
)  # the same where a decision contradicts the guards that follow
UP_GUARD, DOWN_GUARD, RATE_GUARD, LOAD_GUARD, GAP_GUARD = 0, 1, 2, 3, 4  # of a contact
CONTACT_GUARDS = 5


def level_rounding(state: State) -> float:
    """The zero for accelerations; it varies where events repeat without progress in time, as decisions contradict
    guards."""
    turn = state.stalled % 4
    if turn == 1:
        return SHARPER_ROUNDING
    if turn == 2:
        return SHARPEST_ROUNDING
    return BLUNTER_ROUNDING if turn == 3 else ACCELERATION_ROUNDING_REL


def guard_row(model: FlowModel, state: State, e: int, g: int) -> PackedGuard:
    """Guard g of the present piece of unit e."""
    piece = piece_row(model, state, e)
    return model.guards[piece.first_guard + g]


def guard_count(model: FlowModel, state: State, e: int) -> int:
    piece = piece_row(model, state, e)
    return piece.guard_count


def stretch_is_moving(model: FlowModel, state: State, e: int) -> bool:
    piece = piece_row(model, state, e)
    return piece.moves


def eliminated_guard(model: FlowModel, state: State, e: int, g: int) -> tuple[float, float, float]:
    """A guard as constant + U u + V v, with the stretch eliminated."""
    row = guard_row(model, state, e, g)
    memory = state.memory[e]
    if stretch_is_moving(model, state, e):
        return row.constant - row.w * memory, row.u + row.w, row.v
    return row.constant + row.w * memory, row.u, row.v


def partner_guard(model: FlowModel, state: State, e: int, g: int) -> tuple[int, float, float]:
    """The partner of unit e, and the factors of its deflection and rate in guard g; -1 without one."""
    p = int(model.partner[e])
    if p < 0:
        return -1, 0.0, 0.0
    row = guard_row(model, state, e, g)
    return p, row.partner, row.partner_rate


def given_stretch(model: FlowModel, state: State, e: int) -> float:
    """The stretch of unit e in a piece that prescribes it."""
    row = piece_row(model, state, e)
    if row.given_partner == 0.0:
        return row.given_constant
    return float(row.given_constant + row.given_partner * state.deflection_series[int(model.partner[e])])


def is_corner(model: FlowModel, e: int, g: int) -> bool:
    """False for a guard on a contact's force: forces are decided anew."""
    return model.contact_of[e] < 0.0 or g == RATE_GUARD


def is_reaction(model: FlowModel, e: int, g: int) -> bool:
    """True for a guard on the force of a contact that sticks."""
    return model.contact_of[e] >= 0.0 and (g == UP_GUARD or g == DOWN_GUARD)


def is_rate(model: FlowModel, state: State, e: int, g: int) -> bool:
    """True if guard g of unit e is on its rate alone."""
    if model.contact_of[e] >= 0.0:
        return True
    row = guard_row(model, state, e, g)
    return row.v != 0.0 and row.u == 0.0 and row.w == 0.0 and row.partner == 0.0


def change_piece(model: FlowModel, state: State, e: int, g: int) -> None:
    """Let unit e pass guard g: a stretch that starts or stops moving gets its new reference."""
    u = state.deflection_series[e]
    memory = view(state.memory, e)
    row = guard_row(model, state, e, g)
    own = piece_row(model, state, e)
    stretch = memory[0]
    if own.moves:
        stretch = u - memory[0]
    elif own.given:
        stretch = given_stretch(model, state, e)
    if row.w != 0.0 and row.u == 0.0 and row.v == 0.0 and row.partner == 0.0:
        stretch = -row.constant / row.w  # exactly at the guard
    state.piece[e] = row.to
    memory[0] = stretch
    if stretch_is_moving(model, state, e):
        memory[0] = u - stretch
    if model.partner[e] >= 0.0:
        state.piece[int(model.partner[e])] = row.to


def guard_sign(model: FlowModel, state: State, e: int, g: int, known: int) -> float:
    """The sign of guard g of unit e right after this instant, from deflections up to order ``known``; 0: undecided."""
    m = model.unit_count
    u = state.deflection_series
    constant, stiffness, damping = eliminated_guard(model, state, e, g)
    partner, spring, damper = partner_guard(model, state, e, g)
    is_on_rate = damping != 0.0 or damper != 0.0
    last = known
    if is_on_rate:
        last = known - 1
    for k in range(last + 1):
        value = stiffness * u[k * m + e]
        size = abs(stiffness) * unit_size(model, state, e, k)
        if damping != 0.0:
            value += damping * float(k + 1) * u[(k + 1) * m + e]
            size += abs(damping) * float(k + 1) * unit_size(model, state, e, k + 1)
        if spring != 0.0:
            value += spring * u[k * m + partner]
            size += abs(spring) * unit_size(model, state, partner, k)
        if damper != 0.0:
            value += damper * float(k + 1) * u[(k + 1) * m + partner]
            size += abs(damper) * float(k + 1) * unit_size(model, state, partner, k + 1)
        if k == 0:
            if e == state.trigger and g == state.trigger_guard:
                continue  # it is zero here by definition
            value += constant
            size += abs(constant)
        slack = MOTION_ROUNDING_REL * size
        if k > 1 or (k == 1 and is_on_rate):
            slack = level_rounding(state) * size
        if k == 0:
            slack += (abs(damping) + abs(damper)) * state.zero_rate
        elif k == 1:
            slack += (abs(stiffness) + abs(spring)) * state.zero_rate
        if value > slack:
            return 1.0
        if value < -slack:
            return -1.0
    return 0.0


def settle_corner(model: FlowModel, state: State, e: int, known: int) -> bool:
    """Decide a broken-line unit from deflections up to order ``known``; True while it is still tied."""
    for _ in range(8):  # pieces gone through
        switch = -1
        tied = False
        for g in range(guard_count(model, state, e)):
            sign = guard_sign(model, state, e, g, known)
            if sign < 0.0 and switch < 0:
                switch = g
            if sign == 0.0:
                tied = True
        if switch < 0:
            return tied
        change_piece(model, state, e, switch)
        if e == state.trigger:
            state.trigger_guard = -1
    return False


def unit_size(model: FlowModel, state: State, e: int, k: int) -> float:
    """The size that rounding of coefficient k of the deflection of unit e refers to."""
    n = model.coordinate_count
    size = view(state.displacement_size, k * n)
    return size_along(model, e, size) + offset_size(model, state, k, e)
