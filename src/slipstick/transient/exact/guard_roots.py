"""The first root among guards along a sum of modes, with none missed; compiled.

A guard is g(s) = Re sum c_k e^(l_k s) + polynomial + waves, s the time since the segment began. Slow modes also carry
their answer to constant and growing forces, c1 E1 + c2 E2 with E1 = (e^(l s) - 1)/l and E2 = (E1 - s)/l: nothing
cancels. From each point with g > 0, `root_exclusion` certifies an interval free of roots; its end is the next point.
This is a Newton iteration from one side, so it needs no bracket.
"""

from __future__ import annotations

import math

from slipstick.native import Array, view
from slipstick.transient.exact import records as at
from slipstick.transient.exact.corner_guards import (
    ACCELERATION_ROUNDING_REL,
    MOTION_ROUNDING_REL,
    RATE_GUARD,
    is_reaction,
)
from slipstick.transient.exact.records import FlowModel, ModalTable, State
from slipstick.transient.exact.root_exclusion import (
    BASIS_ROW,
    I_GRAIN,
    I_GUARD,
    I_SIZE,
    I_UNIT,
    INFO_ROW,
    LAMBDA_ROW,
    MODE_ROW,
    bend_bound,
    root_free,
)

MACHINE_EPSILON = 2.2e-16
# of the sum of the sizes of its terms: derivatives at a segment's begin that count as zero. The next piece was just
# decided with its own rounding, so a contradicting derivative must be well above it
ZERO_SLOPE, ZERO_FALL = 1e-12, 1e-9
LIGHT_ROUNDING = 1e-11  # in place of ROUNDING where coordinates have no inertia
NOISE_SHARE = 1e-5  # of the sizes of terms in amplitudes: times ZERO_FALL it is some fifty units of rounding
FIRST_STATE_TRIALS = 12.0  # states that are tried before rounding counts as the reason why none is admissible
MAX_TOLERANCE_POWER = 6.0  # powers of ten by which these grow where events accumulate
MAX_DERIVATIVE_ORDER = 24  # highest derivative that is evaluated there
# the next evaluation of a guard: it is certified up to there, or its root is there, or it stays near zero (then also
# since when)
N_TIME, N_KIND, N_SINCE = 0, 1, 2
NEXT_ROW = 3
CERTIFIED, ROOT, HOVERS = 0.0, 1.0, 2.0
FIRST_HOVER_LOOK = (
    0.02  # first evaluation of a guard near zero, over the fastest rate; then at twice the time, and so on
)
HOVER_REL = 1e-12  # of its size
NEVER = 1e300
GRAZE_ROUNDING_UNITS = 32.0  # units of rounding: a parabola of so small a slope does not get much deeper
TOUCH_ROUNDING_UNITS = 8.0  # units of rounding by which a guard may be negative at a graze
MAX_TOUCH_LOOKS = 6  # evaluations after a graze, each twice as far
MAX_GUARD_LOOKS = 20000  # evaluations of one guard; near a graze they grow with the logarithm of the overlap
AMPLITUDE_ROUNDING_UNITS = 8.0  # units of rounding of amplitudes that a guard may be off by there
DEAD = 60.0  # -log of the part of a mode that counts as zero
LARGEST_EXPONENT = 700.0  # above it e^(l s) overflows, and 0 times that is NaN for a mode without amplitude


def basis_at(table: ModalTable, r: int, s: float, e: Array) -> None:
    """e^(l_k s), its size, and for slow modes E1 and E2."""
    lam = table.eigenvalues
    for k in range(r):
        a = lam[LAMBDA_ROW * k]
        b = lam[LAMBDA_ROW * k + 1]
        row = view(e, BASIS_ROW * k)
        if a * s < -DEAD and lam[LAMBDA_ROW * k + 2] == 0.0:
            row[0] = 0.0
            row[1] = 0.0
            row[2] = 0.0
            continue
        size = math.exp(min(a * s, LARGEST_EXPONENT))
        row[2] = size
        if b != 0.0:
            row[0] = size * math.cos(b * s)
            row[1] = size * math.sin(b * s)
        else:
            row[0] = size
            row[1] = 0.0
        if lam[LAMBDA_ROW * k + 2] != 0.0:
            slow_basis(a, b, s, row)


def slow_basis(a: float, b: float, s: float, row: Array) -> None:
    """E1 and E2 of l = a + i b: by their series while l s is small."""
    size = a * a + b * b
    if size * s * s > 0.25:
        row[3] = ((row[0] - 1.0) * a + row[1] * b) / size
        row[4] = (row[1] * a - (row[0] - 1.0) * b) / size
        row[5] = ((row[3] - s) * a + row[4] * b) / size
        row[6] = (row[4] * a - (row[3] - s) * b) / size
        return
    re = s
    im = 0.0
    row[3] = 0.0
    row[4] = 0.0
    row[5] = 0.0
    row[6] = 0.0
    j = 1.0
    while abs(re) + abs(im) > 1e-18 * s:  # re + i im = l^(j-1) s^j/j!
        row[3] += re
        row[4] += im
        j += 1.0
        re *= s / j
        im *= s / j
        row[5] += re
        row[6] += im
        keep = re * a - im * b
        im = re * b + im * a
        re = keep


def waves_at(model: FlowModel, s: float, e: Array) -> None:
    """e^(i omega_j s)."""
    omega = model.frequencies
    for j in range(model.wave_count):
        e[2 * j] = math.cos(omega[j] * s)
        e[2 * j + 1] = math.sin(omega[j] * s)


def guard_at(model: FlowModel, table: ModalTable, state: State, g: int, s: float) -> tuple[float, float]:
    """Value and slope of guard g at s, where the basis has been set."""
    r = table.mode_count
    h = model.wave_count
    e = state.mode_basis
    w = state.wave_basis
    lam = table.eigenvalues
    modes = view(state.guard_modes, g * MODE_ROW * r)
    poly = view(state.guard_polynomials, g * (at.DEGREE + 1))
    waves = view(state.guard_waves, g * 2 * h)
    omega = model.frequencies
    degree = at.DEGREE
    value = poly[degree]
    slope = 0.0
    for p in range(degree - 1, -1, -1):
        slope = slope * s + value
        value = value * s + poly[p]
    for k in range(r):
        c = view(modes, MODE_ROW * k)
        row = view(e, BASIS_ROW * k)
        value += c[0] * row[0] - c[1] * row[1]
        slope += c[2] * row[0] - c[3] * row[1]
        if lam[LAMBDA_ROW * k + 2] != 0.0:
            value += c[5] * row[3] - c[6] * row[4] + c[7] * row[5] - c[8] * row[6]
            slope += c[7] * row[3] - c[8] * row[4]
    for j in range(h):
        value += waves[2 * j] * w[2 * j] - waves[2 * j + 1] * w[2 * j + 1]
        slope -= omega[j] * (waves[2 * j] * w[2 * j + 1] + waves[2 * j + 1] * w[2 * j])
    return value, slope


def guard_derivative(
    model: FlowModel, table: ModalTable, state: State, g: int, order: int
) -> tuple[float, float, float]:
    """The derivative of an order at the segment's begin, the sum of the sizes of its terms, and that sum with the
    rounding of amplitudes."""
    r = table.mode_count
    h = model.wave_count
    lam = table.eigenvalues
    modes = view(state.guard_modes, g * MODE_ROW * r)
    waves = view(state.guard_waves, g * 2 * h)
    omega = model.frequencies
    value = 0.0
    size = 0.0
    noise = 0.0
    for k in range(r):
        row = view(modes, MODE_ROW * k)
        lr = lam[LAMBDA_ROW * k]
        li = lam[LAMBDA_ROW * k + 1]
        a = row[2]  # of the slope at the start, where E1 = 0
        b = row[3]
        for p in range(1, order):
            keep = a * lr - b * li
            b = a * li + b * lr
            a = keep
            if p == 1 and lam[LAMBDA_ROW * k + 2] != 0.0:
                a += row[7]
                b += row[8]
        value += a
        size += math.hypot(a, b)
        noise += NOISE_SHARE * row[9] * math.hypot(lr, li) ** order
    for j in range(h):
        a = waves[2 * j]
        b = waves[2 * j + 1]
        for _ in range(order):
            keep = -b * omega[j]
            b = a * omega[j]
            a = keep
        value += a
        size += math.hypot(a, b)
    if order <= at.DEGREE:
        part = state.guard_polynomials[g * (at.DEGREE + 1) + order]
        for p in range(2, order + 1):
            part *= float(p)
        value += part
        size += abs(part)
    return value, size, size + noise


def growth_ahead(table: ModalTable, ahead: float) -> float:
    """The length over which a bound is useful: growing modes limit it to the time of growth by e."""
    lam = table.eigenvalues
    for k in range(table.mode_count):
        if lam[LAMBDA_ROW * k] > 0.0:
            ahead = min(ahead, 1.0 / lam[LAMBDA_ROW * k])
    return ahead


def stall_tolerance(state: State) -> float:
    """The factor on the fall of a guard that counts as zero, where events repeat without progress in time.

    It is ten times larger after each round of decisions (see `corner_guards.level_rounding`) or of states tried in
    vain, as rounding is then larger than the segment shows.
    """
    return float(10.0 ** min(float(int(stall_level(state)) // 4), MAX_TOLERANCE_POWER))


def stall_level(state: State) -> float:
    """The number of events without progress in time; for massless coordinates, of states tried beyond the first few."""
    return max(state.stalled, state.undecided - FIRST_STATE_TRIALS)


def first_step(model: FlowModel, table: ModalTable, state: State, g: int, ahead: float) -> float:
    """A certified step for a guard that is zero at the segment's begin, from its first nonzero derivative.

    Negative: the guard is violated at once. A guard that is zero throughout: while it stays so to rounding.
    """
    scale = state.guard_info[INFO_ROW * g + I_SIZE]
    grain = AMPLITUDE_ROUNDING_UNITS * MACHINE_EPSILON * state.guard_info[INFO_ROW * g + I_GRAIN]
    reach = ahead  # of the fastest mode: over it, rounding of the guard itself looks like a slope
    for k in range(table.mode_count):
        row = view(table.eigenvalues, LAMBDA_ROW * k)
        reach = min(reach, 1.0 / math.hypot(row[0], row[1]))
    fall = ZERO_FALL * stall_tolerance(state)
    for order in range(1, MAX_DERIVATIVE_ORDER):
        value, _, size = guard_derivative(model, table, state, g, order)
        if abs(value) * reach**order <= grain:
            continue
        if (
            order == 1
            and (value < 0.0 or stall_level(state) <= 0.0)
            and abs(value) * reach <= 1e3 * MACHINE_EPSILON * scale
        ):
            continue
        if value < -fall * size:
            # noise of a guard that stays at zero, or a real departure
            return -1.0 if abs(value) * ahead**order > 1e3 * MACHINE_EPSILON * scale else NEVER
        if value > ZERO_SLOPE * size:
            # g^(m) h^m/m! against the bound of the next derivative: half of where they meet. The bound is that of the
            # terms alone: with their rounding it left so short a step that the lower derivatives, which are zero but
            # for rounding, ended it
            _, bound, _ = guard_derivative(model, table, state, g, order + 1)
            for k in range(table.mode_count):
                if table.eigenvalues[LAMBDA_ROW * k] > 0.0:
                    bound *= 2.718281828459045
                    break
            if bound == 0.0:
                return ahead
            return min(0.5 * float(order + 1) * value / bound, ahead)
    return NEVER


def next_certified_step(
    model: FlowModel, table: ModalTable, state: State, g: int, s: float, horizon: float
) -> tuple[float, bool]:
    """The next point up to which guard g is certified, or its root: (time, is it a root)."""
    value, slope = guard_at(model, table, state, g, s)
    scale = state.guard_info[INFO_ROW * g + I_SIZE]
    if value <= 4.0 * MACHINE_EPSILON * scale:
        if slope > 0.0:  # a graze, and positive again
            ahead = growth_ahead(table, horizon - s)
            bend = bend_bound(table, state, g, s, ahead)
            return s + (ahead if bend == 0.0 else min(slope / bend, ahead)), False
        return confirm_root(model, table, state, g, s, 0.0, slope)
    ahead = growth_ahead(table, horizon - s)
    bend = bend_bound(table, state, g, s, ahead)
    if slope < 0.0:
        newton = -value / slope
        if bend * newton * newton <= 0.5 * MACHINE_EPSILON * scale:
            return confirm_root(model, table, state, g, s, newton, slope)
    if bend == 0.0:
        return (s - value / slope, True) if slope < 0.0 else (s + ahead, False)
    return s + min(root_free(table, state, g, value, slope, bend, ahead), ahead), False


def confirm_root(
    model: FlowModel, table: ModalTable, state: State, g: int, s: float, ahead: float, slope: float
) -> tuple[float, bool]:
    """The root at s + ahead; or, if the guard becomes negative by rounding only, a point after the graze.

    That point may be after the end of the run: loads that peak at its end graze a limit too.
    """
    scale = state.guard_info[INFO_ROW * g + I_SIZE]
    bend = bend_bound(table, state, g, s, 0.0)
    if bend == 0.0 or slope * slope > GRAZE_ROUNDING_UNITS * MACHINE_EPSILON * scale * bend:
        return s + ahead, True
    r = table.mode_count
    e = state.mode_basis
    w = state.wave_basis
    further = math.sqrt(2.0 * GRAZE_ROUNDING_UNITS * MACHINE_EPSILON * scale / bend)
    found = -1.0
    for _ in range(MAX_TOUCH_LOOKS):
        basis_at(table, r, s + further, e)
        waves_at(model, s + further, w)
        value, turned = guard_at(model, table, state, g, s + further)
        if value < -TOUCH_ROUNDING_UNITS * MACHINE_EPSILON * scale:
            break
        if turned > 0.0:
            lowest = s + further * slope / (slope - turned)  # between the two it may have been below zero
            basis_at(table, r, lowest, e)
            waves_at(model, lowest, w)
            value, _ = guard_at(model, table, state, g, lowest)
            if value >= -TOUCH_ROUNDING_UNITS * MACHINE_EPSILON * scale:
                found = s + further
            break
        further *= 2.0
    basis_at(table, r, s, e)
    waves_at(model, s, w)
    if found > 0.0:
        return found, False
    return s + ahead, True


def polish_root(model: FlowModel, table: ModalTable, state: State, g: int, s: float) -> float:
    """A root after one more Newton step, if that is a small one."""
    r = table.mode_count
    basis_at(table, r, s, state.mode_basis)
    waves_at(model, s, state.wave_basis)
    value, slope = guard_at(model, table, state, g, s)
    if slope < 0.0 and abs(value) < -1e-6 * slope * s:
        return s - value / slope
    return s


def begin_guard(model: FlowModel, table: ModalTable, state: State, g: int, horizon: float, following: Array) -> bool:
    """Set the first evaluation of guard g; False if it is violated at once."""
    info = view(state.guard_info, INFO_ROW * g)
    grain = AMPLITUDE_ROUNDING_UNITS * MACHINE_EPSILON * info[I_GRAIN]
    value, _ = guard_at(model, table, state, g, 0.0)
    zero = guard_zero(model, info)
    below = zero
    if is_reaction(model, int(info[I_UNIT]), int(info[I_GUARD])):
        below = ACCELERATION_ROUNDING_REL  # this contact was decided to hold, with this rounding
    if value < -stall_tolerance(state) * max(below * info[I_SIZE], grain):
        return False
    following[N_KIND] = CERTIFIED
    if value > max(zero * info[I_SIZE], grain):
        s, root = next_certified_step(model, table, state, g, 0.0, horizon)
        following[N_TIME] = s
        following[N_KIND] = ROOT if root else CERTIFIED
        return True
    s = first_step(model, table, state, g, growth_ahead(table, horizon))
    following[N_TIME] = s
    if s == NEVER:
        following[N_KIND] = HOVERS
        following[N_TIME] = FIRST_HOVER_LOOK / fastest_of(model, table)
        following[N_SINCE] = 0.0
    return s >= 0.0


def guard_zero(model: FlowModel, info: Array) -> float:
    """The share of a guard's size that counts as zero at a segment's begin. Velocities of massless coordinates are
    differences of forces, whose rounding is larger; those of contacts between masses are not."""
    contact = int(model.contact_of[int(info[I_UNIT])])
    if model.regular or (contact >= 0 and int(info[I_GUARD]) == RATE_GUARD and model.massive[contact] != 0.0):
        return MOTION_ROUNDING_REL
    return LIGHT_ROUNDING


def begins_at_zero(model: FlowModel, table: ModalTable, state: State, g: int) -> bool:
    """True if guard g is zero at the segment's begin, but for rounding."""
    info = view(state.guard_info, INFO_ROW * g)
    value, _ = guard_at(model, table, state, g, 0.0)
    rounding = AMPLITUDE_ROUNDING_UNITS * MACHINE_EPSILON * info[I_GRAIN]
    return float(abs(value)) <= float(max(guard_zero(model, info) * info[I_SIZE], rounding))


def fastest_of(model: FlowModel, table: ModalTable) -> float:
    """The largest |l| and omega."""
    lam = table.eigenvalues
    omega = model.frequencies
    found = 1e-300
    for k in range(table.mode_count):
        found = max(found, math.hypot(lam[LAMBDA_ROW * k], lam[LAMBDA_ROW * k + 1]))
    for j in range(model.wave_count):
        found = max(found, omega[j])
    return found


def look_at(
    model: FlowModel, table: ModalTable, state: State, g: int, s: float, horizon: float, following: Array
) -> None:
    """Continue with guard g from the time s, for which modes and waves were evaluated."""
    if following[N_KIND] == HOVERS:
        value, _ = guard_at(model, table, state, g, s)
        info = view(state.guard_info, INFO_ROW * g)
        size = max(HOVER_REL * info[I_SIZE], 2.0 * AMPLITUDE_ROUNDING_UNITS * MACHINE_EPSILON * info[I_GRAIN])
        if value < -size:  # it has left zero since the last evaluation
            following[N_TIME] = following[N_SINCE]
            following[N_KIND] = ROOT
            return
        if value <= size:
            following[N_SINCE] = s
            following[N_TIME] = 2.0 * s
            return
        following[N_KIND] = CERTIFIED
    t_next, root = next_certified_step(model, table, state, g, s, horizon)
    following[N_TIME] = t_next
    following[N_KIND] = ROOT if root else CERTIFIED


def first_root(
    model: FlowModel, table: ModalTable, state: State, guards: int, horizon: float
) -> tuple[float, int, int]:
    """The time at which the first guard ends, its index (-1: none up to there), and the number of evaluations."""
    r = table.mode_count
    e = state.mode_basis
    w = state.wave_basis
    following = state.guard_looks
    basis_at(table, r, 0.0, e)
    waves_at(model, 0.0, w)
    looks = 1
    for g in range(guards):
        if not begin_guard(model, table, state, g, horizon, view(following, NEXT_ROW * g)):
            return 0.0, g, looks
    s = 0.0
    for _ in range(MAX_GUARD_LOOKS):
        first = -1
        s_next = horizon
        for g in range(guards):
            if following[NEXT_ROW * g + N_TIME] < s_next:
                s_next = following[NEXT_ROW * g + N_TIME]
                first = g
        if first < 0:
            return horizon, -1, looks
        if following[NEXT_ROW * first + N_KIND] == ROOT:
            return polish_root(model, table, state, first, s_next), first, looks + 1
        reach = s_next + 0.5 * (s_next - s)
        s = s_next
        basis_at(table, r, s, e)
        waves_at(model, s, w)
        looks += 1
        for g in range(guards):
            own = view(following, NEXT_ROW * g)
            if own[N_TIME] <= reach and own[N_KIND] != ROOT and (own[N_KIND] == CERTIFIED or own[N_TIME] <= s):
                look_at(model, table, state, g, s, horizon, own)
    return s, -1, looks  # free of roots so far: continue from here
