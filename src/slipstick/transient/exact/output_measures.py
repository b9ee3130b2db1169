"""Means, squares, extremes, harmonics and works of outputs that are linear in the motion, along segments; compiled.

A meter is a row of numbers: value = constant + q . forms + v . forms + forces of units . factors + waves; and the form
of a rate, for its work. A Gauss rule integrates over panels on which it is exact, and which end at events. Extremes are
searched between the points of panels, down to rounding.
"""

from __future__ import annotations

import math

from slipstick.native import Array, view
from slipstick.transient.exact import records as at
from slipstick.transient.exact.guards import friction_of, write_guards
from slipstick.transient.exact.modal_propagation import expand_in_modes, move_some
from slipstick.transient.exact.pair_columns import slip_direction
from slipstick.transient.exact.records import (
    FlowModel,
    Measurement,
    ModalTable,
    ModalTables,
    Recording,
    State,
    segment_at,
    table_at,
)
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
    along_unit,
    friction_share,
    offset_coefficient,
    partner_line,
    pass_time,
    piece_of,
    set_waves,
    unit_line,
)
from slipstick.transient.exact.taylor_step import build_series, move_series, series_reach

# ---- a row of results, before its harmonics
TOTAL, SQUARE, HIGH, LOW, WORK_DONE = 0, 1, 2, 3, 4
RESULT_HEAD = 5
END_POINTS = 4  # points of a panel besides those of the rule: its ends, and one next to each
EDGE_LOOK = 1e-4  # of the distance to the next point: where an end is tested for an extreme
SPANS = 4  # last numbers of a meter
MAX_REFINEMENTS = 30
REFINED_BRACKET_REL = 1e-7  # of the first bracket: values have converged before that


def output_size(model: FlowModel) -> int:
    """Numbers of a meter: constant; forms of q and v; factors of units; waves; form of the rate, and its waves; where
    the entries of the forms that are not zero begin and end, and those of the form of the rate."""
    return 1 + 3 * model.coordinate_count + model.unit_count + 4 * model.wave_count + SPANS


def measure_outputs(
    model: FlowModel, state: State, tables: ModalTables, recording: Recording, end: float, job: Measurement
) -> None:
    """``results`` (count, RESULT_HEAD + 2 harmonics): integrals over the run of each meter, of its square, its
    extremes, its work, and of the first ``heard`` integrals times cos and sin of each harmonic of the run's length."""
    size = RESULT_HEAD + 2 * job.harmonics
    out = job.results
    for i in range(job.count * size):
        out[i] = 0.0
    for i in range(job.count):
        out[i * size + HIGH] = -1e300
        out[i * size + LOW] = 1e300
    job.begin = segment_at(recording, 0).time
    job.turn = 2.0 * math.pi / (end - job.begin)
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
        if place != at.NO_TABLE:
            measure_modal_segment(model, table_at(tables, place), state, job, length)
        elif model.regular:  # else the segment was not propagated
            measure_series_segment(model, table_at(tables, 0), state, job, length)


def measure_modal_segment(model: FlowModel, table: ModalTable, state: State, job: Measurement, length: float) -> None:
    """A segment that was propagated by modes."""
    fastest = float(job.harmonics) * job.turn
    expand_in_modes(model, table, state)
    note_speeds(model, table, state)
    job.guards = 0
    if model.contact_count > 0:
        job.guards = write_guards(model, table, state)
    s = 0.0
    while s < length:
        lively = fastest_active_rate(model, table, state, s)
        h = min(2.0 * PANEL_PHASE / (lively + max(lively, fastest)), length - s)
        measure_panel(model, table, state, job, s, h)
        s += h


def measure_series_segment(model: FlowModel, table: ModalTable, state: State, job: Measurement, length: float) -> None:
    """A segment that was propagated by Taylor steps; the table is not used."""
    fastest = float(job.harmonics) * job.turn
    job.guards = -1
    s = 0.0
    while s < length:
        build_series(model, state, length - s)
        h = series_reach(model, state, length - s)
        parts = int(h * fastest / PANEL_PHASE) + 1
        for part in range(parts):
            measure_panel(model, table, state, job, h * float(part) / float(parts), h / float(parts))
        move_series(model, state, h, state.motion)
        pass_time(state, h)
        s += h


def measure_panel(
    model: FlowModel, table: ModalTable, state: State, job: Measurement, first: float, length: float
) -> None:
    """One panel of a segment."""
    rule = job.rule
    points = job.points
    samples = points + END_POINTS
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
        job.times[k] = s
        read_motion(model, table, state, job.guards, s, job.row)
        weight = 0.0
        if k > 1 and k < samples - 2:
            weight = length * rule[points + k - 2]
        add_sample(model, state, job, k, s, weight)
    for i in range(job.count):
        result = view(job.results, i * (RESULT_HEAD + 2 * job.harmonics))
        high = panel_extreme(model, table, state, job, i, 1.0, result[HIGH])
        low = panel_extreme(model, table, state, job, i, -1.0, -result[LOW])
        result[HIGH] = max(result[HIGH], high)
        result[LOW] = min(result[LOW], -low)


def add_sample(model: FlowModel, state: State, job: Measurement, k: int, s: float, weight: float) -> None:
    """All meters at sample k of a panel, a time s after the present state, with its weight in the integrals."""
    samples = job.points + END_POINTS
    width = output_size(model)
    values = job.values
    row = job.row
    angle = job.turn * (state.time + s - job.begin)
    c = math.cos(angle)
    sn = math.sin(angle)
    for i in range(job.count):
        meter = view(job.meters, i * width)
        value = output_value(model, state, meter, s, row)
        values[i * samples + k] = value
        if weight == 0.0:
            continue
        result = view(job.results, i * (RESULT_HEAD + 2 * job.harmonics))
        result[TOTAL] += weight * value
        result[SQUARE] += weight * value * value
        result[WORK_DONE] += weight * value * output_rate(model, state, meter, s, row)
        if i >= job.heard:
            continue
        re = c
        im = sn
        for h in range(job.harmonics):
            result[RESULT_HEAD + 2 * h] += weight * value * re
            result[RESULT_HEAD + 2 * h + 1] += weight * value * im
            keep = re * c - im * sn
            im = im * c + re * sn
            re = keep


def read_motion(model: FlowModel, table: ModalTable, state: State, guards: int, s: float, row: Array) -> None:
    """The motion and the reactions a time s after the present state."""
    if guards >= 0:
        read_modes(model, table, state, guards, s, row)
    else:
        read_series(model, state, s, row)


def output_value(model: FlowModel, state: State, meter: Array, s: float, row: Array) -> float:
    """The value of a meter; ``row`` has the motion a time s after the present state."""
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


def has_units(model: FlowModel, meter: Array) -> bool:
    """True if forces of units are part of a meter."""
    factors = view(meter, 1 + 2 * model.coordinate_count)
    for e in range(model.unit_count):
        if factors[e] != 0.0:
            return True
    return False


def output_rate(model: FlowModel, state: State, meter: Array, s: float, row: Array) -> float:
    """The rate for the work of a meter."""
    n = model.coordinate_count
    m = model.unit_count
    h = model.wave_count
    form = view(meter, 1 + 2 * n + m + 2 * h)
    value = 0.0
    spans = view(meter, output_size(model) - SPANS)
    for i in range(int(spans[2]), int(spans[3])):
        value += form[i] * row[n + i]
    return value + waves_of(model, state, view(form, n), s)


def waves_of(model: FlowModel, state: State, waves: Array, s: float) -> float:
    """The sum of c cos + s sin of all waves, for amplitudes (c, s) of each."""
    omega = model.frequencies
    value = 0.0
    for j in range(model.wave_count):
        if waves[2 * j] != 0.0 or waves[2 * j + 1] != 0.0:
            phase = omega[j] * (state.time + s)
            value += waves[2 * j] * math.cos(phase) + waves[2 * j + 1] * math.sin(phase)
    return value


def unit_force(model: FlowModel, state: State, e: int, s: float, row: Array) -> float:
    """The force of a unit in its piece, a time s after the present state."""
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
        force = constant + stiffness * u + damping * v
        partner, spring, damper = partner_line(model, state, e)
        if spring != 0.0 or damper != 0.0:
            u = along_unit(model, partner, row)
            v = along_unit(model, partner, view(row, n))
            if model.has_offsets:
                u += offset_at(model, state, partner, s, 0)
                v += offset_at(model, state, partner, s, 1)
            force += spring * u + damper * v
        return float(force)
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
    load = friction_of(model, i)
    if load != 0.0:
        force += load * slip_direction(state.piece[e]) * row[2 * n + int(model.normal_of[i])]
    return float(force)


def offset_at(model: FlowModel, state: State, e: int, s: float, derivative: int) -> float:
    """The part of prescribed motions in the deflection of unit e, or in its rate."""
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
    model: FlowModel, table: ModalTable, state: State, job: Measurement, i: int, sign: float, known: float
) -> float:
    """The largest value of sign times meter i in a panel, if it is above ``known``; else any smaller one."""
    samples = job.points + END_POINTS
    values = view(job.values, i * samples)
    k = 0
    for j in range(1, samples):
        if sign * values[j] > sign * values[k]:
            k = j
    best = sign * values[k]
    if k == 0 or k == samples - 1:
        return float(best)
    slack = max(best - sign * values[k - 1], best - sign * values[k + 1])
    if best + slack <= known or slack == 0.0:
        return float(best)
    return refine_extreme(model, table, state, job, i, k, sign)


def output_at(model: FlowModel, table: ModalTable, state: State, job: Measurement, i: int, s: float) -> float:
    """The value of meter i at s; for a displacement nothing else is computed."""
    meter = view(job.meters, i * output_size(model))
    row = job.row
    spans = view(meter, output_size(model) - SPANS)
    if job.guards >= 0 and not has_units(model, meter) and int(spans[1]) <= model.coordinate_count:
        move_some(model, table, state, s, int(spans[0]), int(spans[1]), row)
    else:
        read_motion(model, table, state, job.guards, s, row)
    return output_value(model, state, meter, s, row)


def refine_extreme(
    model: FlowModel, table: ModalTable, state: State, job: Measurement, i: int, k: int, sign: float
) -> float:
    """The largest value of sign times meter i about sample k, which is above both of its neighbours: by parabolas."""
    values = view(job.values, i * (job.points + END_POINTS))
    a = job.times[k - 1]
    b = job.times[k]
    c = job.times[k + 1]
    fa = sign * values[k - 1]
    fb = sign * values[k]
    fc = sign * values[k + 1]
    settled = REFINED_BRACKET_REL * (c - a)
    for _look in range(MAX_REFINEMENTS):
        p = (b - a) * (fb - fc)
        q = (b - c) * (fb - fa)
        x = b
        if p - q != 0.0:
            x = b - 0.5 * ((b - a) * p - (b - c) * q) / (p - q)
        if abs(x - b) < settled or not (a < x and x < c):
            # the parabola has converged: one evaluation on the wider side tests the bracket
            x = b + 2.0 * settled if c - b > b - a else b - 2.0 * settled
            if not (a < x and x < c):
                return float(fb)
        value = sign * output_at(model, table, state, job, i, x)
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
                return float(fb)
            if x > b:
                c = x
                fc = value
            else:
                a = x
                fa = value
    return float(fb)
