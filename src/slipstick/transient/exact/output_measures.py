"""Means, squares, extremes, harmonics and work of whatever is linear in a motion, along recorded segments; compiled.

A meter is a row of numbers: value = constant + q . forms + v . forms + forces of units . factors + waves; and the form
of a rate, by which its work is counted. Integrals are by a Gauss rule on panels on which it is exact, which end at
events; extremes are searched between the points of panels, down to rounding.
"""

from __future__ import annotations

import math

from slipstick.native import Array, view
from slipstick.transient.exact import records as at
from slipstick.transient.exact.guards import write_guards
from slipstick.transient.exact.modal_propagation import expand_in_modes, move_some
from slipstick.transient.exact.records import Model, Recording, State, Table, Tables, segment_at, table_at
from slipstick.transient.exact.sampling import (
    PANEL_PHASE,
    fastest_active_rate,
    modes_of,
    note_speeds,
    read_modes,
    read_series,
    restore_segment_begin,
)
from slipstick.transient.exact.taylor_series import (
    friction_share,
    offset_coefficient,
    pass_time,
    piece_of,
    set_waves,
    unit_line,
)
from slipstick.transient.exact.taylor_step import build_series, move_series, series_reach

# ---- a row of results, before its harmonics
TOTAL, SQUARE, HIGH, LOW, WORK_DONE = 0, 1, 2, 3, 4
RESULT_HEAD = 5
END_POINTS = 4  # points of a panel beside those of the rule: its ends, and one next to each
EDGE_LOOK = 1e-4  # of the distance to the next point: where it is seen whether an end is an extreme
SPANS = 4  # last numbers of a meter
MAX_REFINEMENTS = 30
REFINED_BRACKET_REL = 1e-7  # of the first bracket: values have settled before that


def output_size(model: Model) -> int:
    """Numbers of a meter: constant; forms of q and v; factors of units; waves; form of the rate, and its waves; where
    the entries of the forms that are not zero begin and end, and those of the form of the rate."""
    return 1 + 3 * model.coordinate_count + model.unit_count + 4 * model.wave_count + SPANS


def measure_outputs(
    model: Model,
    state: State,
    tables: Tables,
    recording: Recording,
    end: float,
    meters: Array,
    count: int,
    rule: Array,
    points: int,
    harmonics: int,
    heard: int,
    room: Array,
    out: Array,
) -> None:
    """out (count, RESULT_HEAD + 2 harmonics): integrals over the run of each meter, of its square, its extremes, its
    work, and of the first ``heard`` integrals times cos and sin of each harmonic of the run's length.

    rule : points on (0, 1), then weights.   room : ((points + ENDS) (count + 1) + 2n + c + 1,).
    """
    size = RESULT_HEAD + 2 * harmonics
    for i in range(count * size):
        out[i] = 0.0
    for i in range(count):
        out[i * size + HIGH] = -1e300
        out[i * size + LOW] = 1e300
    begin = segment_at(recording, 0).time
    turn = 2.0 * math.pi / (end - begin)
    fastest = float(harmonics) * turn
    for k in range(recording.segment_count):
        segment = segment_at(recording, k)
        until = end
        if k < recording.segment_count - 1:
            until = segment_at(recording, k + 1).time
        length = until - segment.time
        if length <= 0.0:
            continue
        restore_segment_begin(model, state, segment)
        place = modes_of(model, state, tables, segment)
        s = 0.0
        if place != at.NO_TABLE:
            table = table_at(tables, place)
            expand_in_modes(model, table, state)
            note_speeds(model, table, state)
            guards = 0
            if model.contact_count > 0:
                guards = write_guards(model, table, state)
            while s < length:
                lively = fastest_active_rate(model, table, state, s)
                h = min(2.0 * PANEL_PHASE / (lively + max(lively, fastest)), length - s)
                measure_panel(
                    model,
                    table,
                    state,
                    guards,
                    s,
                    h,
                    begin,
                    turn,
                    meters,
                    count,
                    rule,
                    points,
                    harmonics,
                    heard,
                    room,
                    out,
                )
                s += h
            continue
        if not model.regular:  # never walked
            continue
        x = state.motion
        while s < length:
            build_series(model, state, length - s)
            h = series_reach(model, state, length - s)
            parts = int(h * fastest / PANEL_PHASE) + 1
            for part in range(parts):
                measure_panel(
                    model, table_at(tables, 0), state, -1, h * float(part) / float(parts), h / float(parts), begin,
                    turn, meters, count, rule, points, harmonics, heard, room, out,
                )  # fmt: skip
            move_series(model, state, h, x)
            pass_time(state, h)
            s += h


def measure_panel(
    model: Model,
    table: Table,
    state: State,
    guards: int,
    first: float,
    length: float,
    begin: float,
    turn: float,
    meters: Array,
    count: int,
    rule: Array,
    points: int,
    harmonics: int,
    heard: int,
    room: Array,
    out: Array,
) -> None:
    """One panel of a segment; guards : -1 where it is walked by Taylor steps."""
    size = RESULT_HEAD + 2 * harmonics
    width = output_size(model)
    samples = points + END_POINTS
    values = view(room, samples)
    row = view(room, samples * (count + 1))
    for k in range(samples):
        part = 0.0
        if k == samples - 1:
            part = 1.0
        elif k == 1:
            part = EDGE_LOOK * rule[0]
        elif k == samples - 2:
            part = 1.0 - EDGE_LOOK * (1.0 - rule[points - 1])
        elif k > 0:
            part = rule[k - 2]
        s = first + part * length
        room[k] = s
        read_motion(model, table, state, guards, s, row)
        weight = 0.0
        if k > 1 and k < samples - 2:
            weight = length * rule[points + k - 2]
        angle = turn * (state.time + s - begin)
        c = math.cos(angle)
        sn = math.sin(angle)
        for i in range(count):
            meter = view(meters, i * width)
            value = output_value(model, state, meter, s, row)
            values[i * samples + k] = value
            if weight == 0.0:
                continue
            result = view(out, i * size)
            result[TOTAL] += weight * value
            result[SQUARE] += weight * value * value
            result[WORK_DONE] += weight * value * output_rate(model, state, meter, s, row)
            if i >= heard:
                continue
            re = c
            im = sn
            for h in range(harmonics):
                result[RESULT_HEAD + 2 * h] += weight * value * re
                result[RESULT_HEAD + 2 * h + 1] += weight * value * im
                keep = re * c - im * sn
                im = im * c + re * sn
                re = keep
    for i in range(count):
        result = view(out, i * size)
        meter = view(meters, i * width)
        own = view(values, i * samples)
        high = panel_extreme(model, table, state, guards, meter, room, own, samples, 1.0, result[HIGH], row)
        low = panel_extreme(model, table, state, guards, meter, room, own, samples, -1.0, -result[LOW], row)
        result[HIGH] = max(result[HIGH], high)
        result[LOW] = min(result[LOW], -low)


def read_motion(model: Model, table: Table, state: State, guards: int, s: float, row: Array) -> None:
    """The motion and the reactions a time s after the state at hand."""
    if guards >= 0:
        read_modes(model, table, state, guards, s, row)
    else:
        read_series(model, state, s, row)


def output_value(model: Model, state: State, meter: Array, s: float, row: Array) -> float:
    """The value of a meter, where ``row`` has the motion a time s after the state at hand."""
    n = model.coordinate_count
    m = model.unit_count
    value = meter[0]
    spans = view(meter, output_size(model) - SPANS)
    for i in range(int(spans[0]), int(spans[1])):
        value += meter[1 + i] * row[i]
    factors = view(meter, 1 + 2 * n)
    for e in range(m):
        if factors[e] != 0.0:
            value += factors[e] * unit_force(model, state, e, s, row)
    return float(value + waves_of(model, state, view(meter, 1 + 2 * n + m), s))


def has_units(model: Model, meter: Array) -> bool:
    """True if forces of units are part of a meter."""
    factors = view(meter, 1 + 2 * model.coordinate_count)
    for e in range(model.unit_count):
        if factors[e] != 0.0:
            return True
    return False


def output_rate(model: Model, state: State, meter: Array, s: float, row: Array) -> float:
    """The rate that the work of a meter is counted by."""
    n = model.coordinate_count
    m = model.unit_count
    h = model.wave_count
    form = view(meter, 1 + 2 * n + m + 2 * h)
    value = 0.0
    spans = view(meter, output_size(model) - SPANS)
    for i in range(int(spans[2]), int(spans[3])):
        value += form[i] * row[n + i]
    return value + waves_of(model, state, view(form, n), s)


def waves_of(model: Model, state: State, waves: Array, s: float) -> float:
    """The sum of c cos + s sin of all waves, for amplitudes (c, s) of each."""
    omega = model.frequencies
    value = 0.0
    for j in range(model.wave_count):
        if waves[2 * j] != 0.0 or waves[2 * j + 1] != 0.0:
            phase = omega[j] * (state.time + s)
            value += waves[2 * j] * math.cos(phase) + waves[2 * j + 1] * math.sin(phase)
    return value


def unit_force(model: Model, state: State, e: int, s: float, row: Array) -> float:
    """The force of a unit a time s after the state at hand, in its piece."""
    n = model.coordinate_count
    i = int(model.contact_of[e])
    if i < 0:
        constant, stiffness, damping = unit_line(model, state, e)
        u = 0.0
        v = 0.0
        d_at = model.unit_begin
        column = model.unit_coordinate
        d_value = model.deflection
        for p in range(int(d_at[e]), int(d_at[e + 1])):
            u += d_value[p] * row[int(column[p])]
            v += d_value[p] * row[n + int(column[p])]
        if model.has_offsets:
            u += offset_at(model, state, e, s, 0)
            v += offset_at(model, state, e, s, 1)
        return constant + stiffness * u + damping * v
    share = friction_share(model, piece_of(state, e), i)
    force = row[2 * n + i]
    if share != 0.0:
        h = model.wave_count
        omega = model.frequencies
        limit = model.limit[i]
        for j in range(h):
            phase = omega[j] * (state.time + s)
            limit += model.limit_cos[i * h + j] * math.cos(phase)
            limit += model.limit_sin[i * h + j] * math.sin(phase)
        force += share * limit
    return float(force)


def offset_at(model: Model, state: State, e: int, s: float, derivative: int) -> float:
    """What prescribed motions add to the deflection of unit e, or to its rate."""
    before = state.time
    state.time = before + s
    set_waves(model, state)
    value = offset_coefficient(model, state, 0, e)
    if derivative == 1:
        value = 0.0
        h = model.wave_count
        omega = model.frequencies
        wave_c = state.wave_cos
        wave_s = state.wave_sin
        for j in range(h):
            value += omega[j] * model.offset_sin[e * h + j] * wave_c[j]
            value -= omega[j] * model.offset_cos[e * h + j] * wave_s[j]
    state.time = before
    set_waves(model, state)
    return value


def panel_extreme(
    model: Model,
    table: Table,
    state: State,
    guards: int,
    meter: Array,
    times: Array,
    values: Array,
    samples: int,
    sign: float,
    known: float,
    row: Array,
) -> float:
    """The largest value of sign times a meter in a panel, if it is above what is known; else any smaller one."""
    k = 0
    for j in range(1, samples):
        if sign * values[j] > sign * values[k]:
            k = j
    best = sign * values[k]
    if k == 0 or k == samples - 1:
        return float(best)
    a = k - 1
    c = k + 1
    slack = max(best - sign * values[a], best - sign * values[c])
    if best + slack <= known or slack == 0.0:
        return float(best)
    return refine_extreme(
        model,
        table,
        state,
        guards,
        meter,
        times[a],
        times[k],
        times[c],
        sign * values[a],
        best,
        sign * values[c],
        sign,
        row,
    )


def output_at(model: Model, table: Table, state: State, guards: int, meter: Array, s: float, row: Array) -> float:
    """The value of a meter at s: where that is a displacement, nothing else is computed."""
    spans = view(meter, output_size(model) - SPANS)
    if guards >= 0 and not has_units(model, meter) and int(spans[1]) <= model.coordinate_count:
        move_some(model, table, state, s, int(spans[0]), int(spans[1]), row)
    else:
        read_motion(model, table, state, guards, s, row)
    return output_value(model, state, meter, s, row)


def refine_extreme(
    model: Model,
    table: Table,
    state: State,
    guards: int,
    meter: Array,
    a: float,
    b: float,
    c: float,
    fa: float,
    fb: float,
    fc: float,
    sign: float,
    row: Array,
) -> float:
    """The largest value between a and c, where that at b is above both: by parabolas."""
    settled = REFINED_BRACKET_REL * (c - a)
    for _look in range(MAX_REFINEMENTS):
        p = (b - a) * (fb - fc)
        q = (b - c) * (fb - fa)
        x = b
        if p - q != 0.0:
            x = b - 0.5 * ((b - a) * p - (b - c) * q) / (p - q)
        if abs(x - b) < settled or not (a < x and x < c):
            # the parabola has settled: one look to the wider side shows whether the bracket has, too
            x = b + 2.0 * settled if c - b > b - a else b - 2.0 * settled
            if not (a < x and x < c):
                return fb
        value = sign * output_at(model, table, state, guards, meter, x, row)
        if value > fb:
            if x > b:
                a = b
                fa = fb
            else:
                c = b
                fc = fb
            b = x
            fb = value
        else:
            if abs(x - b) <= 2.5 * settled:
                return fb
            if x > b:
                c = x
                fc = value
            else:
                a = x
                fa = value
    return fb
