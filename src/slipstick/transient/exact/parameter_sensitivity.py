"""The derivative of a recorded run by parameters of the model; compiled.

Within a segment the equations are linear. A change there is one of the initial state, carried as in
`flow_sensitivity`, plus what the parameter itself does from the same initial state: the injection, a difference of
the motions of two models in closed form (`segment_ends`). At an event the guard's change, over its slope, shifts the
instant (saltation), and a stretch that stops at its limit moves with that limit.
"""

from __future__ import annotations

from slipstick.native import Array, view
from slipstick.transient.exact.flow import known_modes
from slipstick.transient.exact.flow_sensitivity import carry_change, cross_event, guard_value
from slipstick.transient.exact.records import FlowModel, Recording, State, Variation, segment_at
from slipstick.transient.exact.sampling import restore_segment_begin
from slipstick.transient.exact.state_changes import segment_length
from slipstick.transient.exact.taylor_series import pass_time
from slipstick.transient.exact.taylor_step import build_series, move_series, series_reach


def segment_ends(model: FlowModel, state: State, recording: Recording, end: float, out: Array) -> None:
    """Rows (segments, 2n + 1): the motion at the end of each segment by a model, and the guard that ends it.

    The model may have other parameters than that of the run, from whose state each segment begins.
    """
    size = 2 * model.coordinate_count
    for k in range(recording.segment_count):
        row = view(out, k * (size + 1))
        restore_segment_begin(model, state, segment_at(recording, k))
        left = segment_length(recording, k, end)
        while left > 0.0:
            build_series(model, state, left)
            h = series_reach(model, state, left)
            if not h > 0.0:
                break
            move_series(model, state, h, state.motion)
            pass_time(state, h)
            left -= h
        for i in range(size):
            row[i] = state.motion[i]
        row[size] = 0.0
        if k + 1 < recording.segment_count:
            following = segment_at(recording, k + 1)
            if following.fired >= 0:
                row[size] = guard_value(model, state, following.fired, following.fired_guard)


def vary_by_parameters(variation: Variation, count: int, injections: Array, out: Array) -> None:
    """Carry changes by parameters along a run.

    injections : (segments, count, 2n + 1 + m) changes of the motion at the end of each segment, of the guard that ends
        it, and of memories that are held after it.
    out : (segments + 1, count, 2n + m + 1) changes at the start of each segment, and at the end of the run, with the
        change of that instant.
    """
    model = variation.model
    state = variation.state
    near = variation.near
    recording = variation.recording
    changes = variation.changes
    n = model.coordinate_count
    m = model.unit_count
    width = 2 * n + m
    for c in range(count):
        for i in range(width):
            out[c * (width + 1) + i] = changes[c * width + i]
    for k in range(recording.segment_count):
        segment = segment_at(recording, k)
        following = segment_at(recording, k + 1)
        last = k == recording.segment_count - 1
        s = segment_length(recording, k, variation.end)
        restore_segment_begin(model, state, segment)
        place = known_modes(model, state, variation.tables)
        for c in range(count):
            change = view(changes, c * width)
            injection = view(injections, (k * count + c) * (width + 1))
            carry_change(variation, place, s, c == 0, change)
            shift = 0.0
            if not last and following.fired >= 0:
                shift = guard_value(variation.tangent, near, following.fired, following.fired_guard)
            for i in range(2 * n):
                change[i] += injection[i]
            state.guard_changes[c] = shift + injection[2 * n]
        slope = 0.0
        if not last:
            slope = cross_event(model, state, segment, following, changes, count)
        for c in range(count):
            row = view(out, ((k + 1) * count + c) * (width + 1))
            injection = view(injections, (k * count + c) * (width + 1))
            for e in range(m):
                changes[c * width + 2 * n + e] += injection[2 * n + 1 + e]
            for i in range(width):
                row[i] = changes[c * width + i]
            row[width] = 0.0
            if slope != 0.0:
                row[width] = -state.guard_changes[c] / slope
