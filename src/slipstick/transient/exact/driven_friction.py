"""Friction with a prescribed deflection: its rate and its reversals are known beforehand; compiled.

The rate g of such a contact is a constant and waves. Derivatives of any order are as good as g itself, and |g''| on a
stretch is bounded by those at its start and the sizes of waves: certified steps, as in `guard_roots`, reach a multiple
zero in a few evaluations. Where g is within rounding, its zeros nearby cannot be separated. They are one zero of order
p + 1 if g^(p) has a simple zero where g and the derivatives below p are zero to rounding: that zero is accurate to
rounding, while g alone gives it to the (p + 1)-th root of that. The rate reverses there if p is even, else it touches
zero.

Waves that are multiples of one frequency use its phase, reduced to one turn. So they stay in phase late in a run, and a
zero of a high order stays one. If a zero cannot be resolved even so, the rate reverses in the middle of the interval in
which it is within rounding, if its signs on both sides differ; the width of the interval is stored.
"""

from __future__ import annotations

import math

from slipstick.native import view
from slipstick.transient.exact import records as at
from slipstick.transient.exact.corner_guards import ACCELERATION_ROUNDING_REL, MOTION_ROUNDING_REL, RATE_GUARD
from slipstick.transient.exact.records import FlowModel, State
from slipstick.transient.exact.taylor_series import load_size, start_series

RATE_NOISE = 2e-15  # of the size of a rate: rounding of zero
# of that: the same for derivatives, at a place as uncertain as the zero of another one
DERIVATIVE_NOISE_FACTOR = 32.0
# a derivative counts as nonzero if it is so many times larger, relative to its size, than the root of rounding: that
# much remains of it where the zero of the one below was itself found within rounding
TELLS = 30.0
PHASE_LOST = 0.25  # of the phase of a wave, in units of rounding: its loss late in a run
MAX_RATE_DERIVATIVE = 16  # highest derivative that is evaluated
LOCAL_ORDERS = 8  # derivatives in the bound of the second
NEAR_ZERO = 1.5  # of the fastest wave's 1/omega: a multiple zero farther away is another one
NOT_TOLD = 0.1  # of the same
STEADY_SLOPE = 4.0  # slope^2 over curvature and rounding: 2 at a double zero's edge, less at others
SAME_WAVE, MAX_DIVISOR = 4.5e-16, 12  # a frequency is a multiple of such a part of another one, to rounding
FULL_TURN, FULL_TURN_LOW = 2.0 * math.pi, 2.4492935982947064e-16  # the second: the rounding of the first
SPLITTER = 134217729.0  # 2^27 + 1, see `two_product`
MAX_NEWTON_STEPS = 30  # Newton steps to a zero
MAX_RATE_LOOKS = 300
STEP_GROWTH = 4.0  # how much longer than the last a step may be


def common_wave(model: FlowModel, e: int) -> float:
    """The frequency of which all waves in the rate of unit e are multiples; 0 if there is none."""
    h = model.wave_count
    omega = model.frequencies
    o_cos = view(model.offset_cos, e * h)
    o_sin = view(model.offset_sin, e * h)
    lowest = 0.0
    for j in range(h):
        if (o_cos[j] != 0.0 or o_sin[j] != 0.0) and (lowest == 0.0 or omega[j] < lowest):
            lowest = omega[j]
    for divisor in range(1, MAX_DIVISOR + 1):
        base = lowest / float(divisor)
        fits = lowest > 0.0
        for j in range(h):
            if fits and (o_cos[j] != 0.0 or o_sin[j] != 0.0):
                multiple = math.floor(omega[j] / base + 0.5)
                fits = abs(omega[j] - multiple * base) <= SAME_WAVE * omega[j]
        if fits:
            return base
    return 0.0


def reduced_phase(base: float, time: float, later: float) -> float:
    """base (time + later) modulo a turn, to rounding of the result, with Dekker's splitting of products."""
    product, rest = two_product(base, time)
    rest += base * later
    turns = math.floor((product + rest) / FULL_TURN + 0.5)
    gone, part = two_product(turns, FULL_TURN)
    return (product - gone) + (rest - part - turns * FULL_TURN_LOW)


def two_product(a: float, b: float) -> tuple[float, float]:
    """a b, and its rounding error."""
    product = a * b
    a_high = SPLITTER * a
    a_high = a_high - (a_high - a)
    b_high = SPLITTER * b
    b_high = b_high - (b_high - b)
    a_low = a - a_high
    b_low = b - b_high
    return product, ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low


def rate_at(model: FlowModel, state: State, e: int, base: float, order: int, s: float) -> float:
    """Derivative ``order`` of the rate of the driven unit e, a time s after the present state.

    base : from `common_wave`.
    """
    h = model.wave_count
    omega = model.frequencies
    o_cos = view(model.offset_cos, e * h)
    o_sin = view(model.offset_sin, e * h)
    value = 0.0
    if order == 0:
        value += model.offset_slope[state.epoch * model.unit_count + e]
    turned = 0.0
    if base > 0.0:
        turned = reduced_phase(base, state.time, state.time_low + s)
    for j in range(h):
        if o_cos[j] != 0.0 or o_sin[j] != 0.0:
            a = o_cos[j]
            b = o_sin[j]
            for _ in range(order + 1):
                keep = omega[j] * b
                b = -omega[j] * a
                a = keep
            phase = omega[j] * state.time + omega[j] * (state.time_low + s)
            if base > 0.0:
                phase = math.floor(omega[j] / base + 0.5) * turned
            value += a * math.cos(phase) + b * math.sin(phase)
    return value


def rate_sizes(model: FlowModel, state: State, e: int, base: float, order: int, s: float) -> tuple[float, float]:
    """The size of the terms of `rate_at`, and the size that their rounding refers to: late in a run phases lose digits,
    unless there is a common one."""
    h = model.wave_count
    omega = model.frequencies
    o_cos = view(model.offset_cos, e * h)
    o_sin = view(model.offset_sin, e * h)
    size = 0.0
    if order == 0:
        size += abs(model.offset_slope[state.epoch * model.unit_count + e])
    rounded = size
    late = abs(state.time + s)
    if base > 0.0:
        late = min(late, 0.5 * FULL_TURN / base)
    for j in range(h):
        part = abs(o_cos[j]) + abs(o_sin[j])
        if part != 0.0:
            for _ in range(order + 1):
                part *= omega[j]
            size += part
            rounded += part * (1.0 + PHASE_LOST * omega[j] * late)
    return size, rounded


def next_rate_reversal(model: FlowModel, state: State, horizon: float) -> tuple[float, int, int]:
    """The time of the first reversal of a driven contact, its unit, and the number of evaluations; the horizon and -1
    if there is none."""
    first = horizon
    unit = -1
    looks = 0
    for i in range(model.contact_count):
        if model.driven[i] != 0.0:
            e = int(model.unit_of[i])
            piece = state.piece[e]
            if piece == float(at.SLIP_UP) or piece == float(at.SLIP_DOWN):
                s, turns, looked = rate_reversal_of(model, state, e, 1.0 if piece == float(at.SLIP_UP) else -1.0, first)
                looks += looked
                if s < first:
                    first = s
                    unit = e if turns else -1
    return first, unit, looks


def rate_reversal_of(model: FlowModel, state: State, e: int, sign: float, horizon: float) -> tuple[float, bool, int]:
    """The time at which ``sign`` times the rate of unit e becomes negative, and True; or the end of the interval in
    which it does not; and the number of evaluations."""
    base = common_wave(model, e)
    s = 0.0
    step = horizon
    for looks in range(1, MAX_RATE_LOOKS):
        if s >= horizon:
            return horizon, False, looks
        value = sign * rate_at(model, state, e, base, 0, s)
        _, rounded = rate_sizes(model, state, e, base, 0, s)
        if value < -RATE_NOISE * rounded:
            return s, True, looks
        if value <= RATE_NOISE * rounded:
            zero, order, leads = zero_near(model, state, e, base, s)
            if sign * leads < 0.0:
                if zero >= horizon:
                    return horizon, False, looks
                if order == 0:
                    end = out_of_rounding(model, state, e, base, s, 1.0)
                    state.turn_uncertainty = max(state.turn_uncertainty, 2.0 * (end - zero))
                return max(zero, 0.0), True, looks  # s may be after it, within rounding
            # it keeps its sign: half of the distance at which the next derivative could change that
            if order > 0:
                bound, _ = rate_sizes(model, state, e, base, order + 1, s)
                step = horizon if bound == 0.0 else 0.5 * float(order + 1) * abs(leads) / bound
                s = max(zero + step, s + 0.25 * step)
            else:
                s = out_of_rounding(model, state, e, base, s, 1.0)
                step = s
            continue
        reach = min(horizon - s, STEP_GROWTH * step)
        bend = local_bend(model, state, e, base, s, reach)
        slope = sign * rate_at(model, state, e, base, 1, s)
        step = reach
        if bend > 0.0:
            root = math.sqrt(slope * slope + 2.0 * bend * value)
            step = 2.0 * value / (root - slope) if slope < 0.0 else (slope + root) / bend
        elif slope < 0.0:
            step = -value / slope
        step = min(step, reach)
        s += step
    return s, False, MAX_RATE_LOOKS


def zero_near(model: FlowModel, state: State, e: int, base: float, s: float) -> tuple[float, int, float]:
    """The zero of a rate near s, the order of its first nonzero derivative there, and that derivative.

    Multiple zeros are searched from s and, if they are too far away, from the middle of the interval in which the rate
    is within rounding. If none is resolved: that middle, order 0, and the rate after it.
    """
    zero, order, leads = multiple_zero(model, state, e, base, s)
    if order > 0:
        return zero, order, leads
    zero, order, leads = simple_zero(model, state, e, base, s)
    if order > 0:
        return zero, order, leads
    end = out_of_rounding(model, state, e, base, s, 1.0)
    middle = 0.5 * (out_of_rounding(model, state, e, base, s, -1.0) + end)
    zero, order, leads = multiple_zero(model, state, e, base, middle)
    if order > 0:
        return zero, order, leads
    return middle, 0, rate_at(model, state, e, base, 0, end)


def out_of_rounding(model: FlowModel, state: State, e: int, base: float, s: float, way: float) -> float:
    """The first place from s in a direction, in steps of the fastest wave, at which a rate is more than rounding."""
    step = way * NOT_TOLD / fastest_wave(model)
    for _ in range(MAX_RATE_LOOKS):
        s += step
        _, rounded = rate_sizes(model, state, e, base, 0, s)
        if abs(rate_at(model, state, e, base, 0, s)) > RATE_NOISE * rounded:
            return s
    return s


def local_bend(model: FlowModel, state: State, e: int, base: float, s: float, reach: float) -> float:
    """A bound of the second derivative of a rate from s to s + reach."""
    total = 0.0
    power = 1.0
    for order in range(2, LOCAL_ORDERS):
        total += abs(rate_at(model, state, e, base, order, s)) * power
        power *= reach / float(order - 1)
    size, _ = rate_sizes(model, state, e, base, LOCAL_ORDERS, s)
    total += size * power
    largest, _ = rate_sizes(model, state, e, base, 2, s)
    return min(total, largest)


def multiple_zero(model: FlowModel, state: State, e: int, base: float, s: float) -> tuple[float, int, float]:
    """The zero of a rate near s, the order of its first nonzero derivative there, and that derivative; s, 0 and 0 if
    none can be separated from its neighbours."""
    near = NEAR_ZERO / fastest_wave(model)
    for order in range(MAX_RATE_DERIVATIVE):
        _, rounded = rate_sizes(model, state, e, base, order + 1, s)
        if abs(rate_at(model, state, e, base, order + 1, s)) <= RATE_NOISE * rounded:
            continue  # also rounding: Newton's method cannot find a zero
        zero = newton_zero(model, state, e, base, order, s, near)
        if abs(zero - s) <= near and is_zero(model, state, e, base, order, zero):
            leads = rate_at(model, state, e, base, order + 1, zero)
            size, rounded = rate_sizes(model, state, e, base, order + 1, zero)
            if abs(leads) > TELLS * math.sqrt(RATE_NOISE * rounded * size):
                return zero, order + 1, leads
    return s, 0, 0.0


def simple_zero(model: FlowModel, state: State, e: int, base: float, s: float) -> tuple[float, int, float]:
    """The same for a simple zero with others nearby: its slope is smaller, but more than rounding."""
    near = NEAR_ZERO / fastest_wave(model)
    zero = newton_zero(model, state, e, base, 0, s, near)
    if abs(zero - s) > near or not is_zero(model, state, e, base, 0, zero):
        return s, 0, 0.0
    leads = rate_at(model, state, e, base, 1, zero)
    bend = abs(rate_at(model, state, e, base, 2, zero))
    _, rounded = rate_sizes(model, state, e, base, 0, zero)
    _, slope_rounded = rate_sizes(model, state, e, base, 1, zero)
    # the slope must be constant over the uncertainty of the zero: at multiple zeros it is not
    least = max(
        DERIVATIVE_NOISE_FACTOR * RATE_NOISE * slope_rounded, math.sqrt(STEADY_SLOPE * bend * RATE_NOISE * rounded)
    )
    if abs(leads) <= least:
        return s, 0, 0.0
    return zero, 1, leads


def fastest_wave(model: FlowModel) -> float:
    """The largest frequency."""
    found = 1e-300
    omega = model.frequencies
    for j in range(model.wave_count):
        found = max(found, omega[j])
    return found


def newton_zero(model: FlowModel, state: State, e: int, base: float, order: int, s: float, reach: float) -> float:
    """The zero of derivative ``order`` of a rate by Newton's method from s; farther away than ``reach`` if there is
    none."""
    zero = s
    for _ in range(MAX_NEWTON_STEPS):
        value = rate_at(model, state, e, base, order, zero)
        slope = rate_at(model, state, e, base, order + 1, zero)
        if slope == 0.0:
            return zero if value == 0.0 else s + 2.0 * reach
        zero -= value / slope
        if abs(zero - s) > reach:
            return s + 2.0 * reach
        if abs(value) <= 1e-17 * abs(slope) * reach:
            return zero
    return zero


def is_zero(model: FlowModel, state: State, e: int, base: float, order: int, s: float) -> bool:
    """True if a rate and its derivatives up to ``order`` are zero at s to rounding."""
    for k in range(order + 1):
        _, rounded = rate_sizes(model, state, e, base, k, s)
        small = RATE_NOISE if k == 0 else DERIVATIVE_NOISE_FACTOR * RATE_NOISE
        if abs(rate_at(model, state, e, base, k, s)) > small * rounded:
            return False
    return True


def set_driven_contact(model: FlowModel, state: State, e: int) -> None:
    """Set a contact with a prescribed deflection: it slips in the direction of its rate right after this instant."""
    piece = view(state.piece, e)
    before = state.old_piece[e]
    slips = before == float(at.SLIP_UP) or before == float(at.SLIP_DOWN)
    base = common_wave(model, e)
    size, _ = rate_sizes(model, state, e, base, 0, 0.0)
    if size == 0.0:
        piece[0] = float(at.AT_REST)
    elif state.fired == e and state.fired_guard == RATE_GUARD and slips:
        piece[0] = float(at.SLIP_DOWN) if before == float(at.SLIP_UP) else float(at.SLIP_UP)
    elif state.fired >= 0 and slips:
        piece[0] = before  # events of others do not reverse it
    else:
        value = rate_at(model, state, e, base, 0, 0.0)
        _, rounded = rate_sizes(model, state, e, base, 0, 0.0)
        if abs(value) <= RATE_NOISE * rounded:
            _, _, value = zero_near(model, state, e, base, 0.0)
        piece[0] = float(at.SLIP_UP) if value > 0.0 else float(at.SLIP_DOWN)


def set_driven_contacts(model: FlowModel, state: State) -> None:
    """Set all contacts with prescribed deflections, where massless coordinates require trials of the others."""
    start_series(model, state, at.LEVELS)
    state.zero_rate = 0.0
    for i in range(model.contact_count):
        if model.driven[i] != 0.0:
            e = int(model.unit_of[i])
            if e == state.trigger:
                state.trigger = -1  # no trial is needed
            if model.limit_varies[i] != 0.0 and unloaded(model, state, i):
                state.piece[e] = float(at.UNLOADED)
            else:
                set_driven_contact(model, state, e)


def unloaded(model: FlowModel, state: State, i: int) -> bool:
    """True if the normal load of contact i is negative right after this instant."""
    c = model.contact_count
    limit = state.limit_series
    for k in range(at.LEVELS + 1):
        small = (MOTION_ROUNDING_REL if k == 0 else ACCELERATION_ROUNDING_REL) * load_size(model, state, k, i)
        if limit[k * c + i] > small:
            return False
        if limit[k * c + i] < -small:
            return True
    return False
