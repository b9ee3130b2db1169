"""Perturbations of a state: written to a state, and carried across events with the stretches of sliders; compiled."""

from __future__ import annotations

from slipstick.native import Array, view
from slipstick.transient.exact.records import FlowModel, Recording, Segment, State, segment_at
from slipstick.transient.exact.taylor_series import along_unit


def stretch_moves_in(model: FlowModel, e: int, piece: float) -> bool:
    """True if the stretch of unit e moves in that piece."""
    if model.contact_of[e] >= 0.0:
        return False
    row = int(model.first_piece[e]) + int(piece)
    return model.pieces[row].moves


def transfer_memory_changes(
    model: FlowModel, state: State, before: Array, after: Array, later: float, change: Array
) -> None:
    """Carry changes of memories across an event that is shifted by the time ``later``.

    before, after : the pieces.   ``deflection_series`` has the rates before the event. A stretch stops at its
    limit, at any time; one that starts moving refers to the deflection of that instant.
    """
    n = model.coordinate_count
    m = model.unit_count
    rate = view(state.deflection_series, m)
    memory = view(change, 2 * n)
    for e in range(m):
        moved = stretch_moves_in(model, e, before[e])
        if moved == stretch_moves_in(model, e, after[e]):
            continue
        if moved:
            memory[e] = 0.0
        else:
            row = model.pieces[int(model.first_piece[e]) + int(before[e])]
            stretch = memory[e]
            if row.given:
                stretch = 0.0
                if row.given_partner != 0.0:
                    p = int(model.partner[e])
                    stretch = row.given_partner * (along_unit(model, p, change) + rate[p] * later)
            memory[e] = along_unit(model, e, change) + rate[e] * later - stretch


def put_change(tangent: FlowModel, state: State, near: State, change: Array) -> None:
    """Write a change to the state ``near``, in the pieces of ``state``."""
    n = tangent.coordinate_count
    x = near.motion
    memory = near.memory
    piece = near.piece
    own = state.piece
    for i in range(2 * n):
        x[i] = change[i]
    for e in range(tangent.unit_count):
        memory[e] = change[2 * n + e]
        piece[e] = own[e]
    near.time = 0.0
    near.time_low = 0.0
    near.epoch = 0


def segment_length(recording: Recording, k: int, end: float) -> float:
    """The length of segment k, with all digits of its ends."""
    segment = segment_at(recording, k)
    if k == recording.segment_count - 1:
        return max((end - segment.time) - segment.time_low, 0.0)
    following = segment_at(recording, k + 1)
    return (following.time - segment.time) + (following.time_low - segment.time_low)


def shift_changes(
    model: FlowModel, state: State, segment: Segment, following: Segment, slope: float, changes: Array, count: int
) -> None:
    """Carry changes across the event between two segments, which shifts by its guard's change over its slope.

    state : ``guard_changes`` of each change, and ``jump`` (2n), by how much larger displacement and velocity rates
    were before the event.
    """
    n = model.coordinate_count
    for c in range(count):
        change = view(changes, c * (2 * n + model.unit_count))
        later = 0.0
        if slope != 0.0:
            later = -state.guard_changes[c] / slope
        transfer_memory_changes(model, state, segment.piece, following.piece, later, change)
        for i in range(2 * n):
            change[i] += state.jump[i] * later
