"""Storage of a run of the compiled flow: its state, and the recording of its segments and events."""

from __future__ import annotations

from slipstick.transient.exact import records as at
from slipstick.transient.exact.guard_roots import NEXT_ROW
from slipstick.transient.exact.records import FlowModel, Recording, Segment, State
from slipstick.transient.exact.root_exclusion import BASIS_ROW, INFO_ROW, MODE_ROW

TAYLOR_ORDER = 30  # of Taylor series: a step of omega h = 3.4 is exact to rounding


def impulse_count(model: FlowModel) -> int:
    """The number of impulses that each segment of a run holds."""
    return model.contact_count if model.has_stops else 0


def new_recording(model: FlowModel, segments: int, events: int) -> Recording:
    """An empty recording with room for so many segments and events."""
    blank = Segment({
        "motion": 2 * model.coordinate_count, "piece": model.unit_count, "memory": model.unit_count,
        "impulse": impulse_count(model),
    })  # fmt: skip
    size = blank.block.size
    recording = Recording(
        {"segments": segments * size, "events": events * at.EVENT_SLOTS},
        segment_capacity=segments, segment_size=size, event_capacity=events,
    )  # fmt: skip
    recording.segments.reshape(-1, size)[:] = blank.block
    return recording


def part_of_recording(old: Recording, first: int, after: int) -> Recording:
    """A recording of the segments from ``first`` to before ``after``, without events."""
    size = old.segment_size
    segments = old.segments[first * size : min(after, old.segment_count) * size]
    return Recording(
        {"segments": segments.size, "events": 0},
        segments=segments, segment_count=segments.size // size, segment_size=size,
    )  # fmt: skip


def new_state(model: FlowModel) -> State:
    """A state of a model, with all numbers zero."""
    n, m, h, c, guards = (
        model.coordinate_count, model.unit_count, model.wave_count, model.contact_count, model.max_guards
    )  # fmt: skip
    orders, modes = TAYLOR_ORDER + 3, 2 * n
    return State({
        "motion": 2 * n, "piece": m, "memory": m, "old_piece": m, "scale": 2 * n, "phase_rounding": n,
        "release_error": 2 * n, "wave_cos": orders * h, "wave_sin": orders * h, "displacement_series": orders * n,
        "displacement_size": orders * n, "deflection_series": orders * m, "limit_series": orders * c,
        "reaction_series": orders * c, "guard_series": orders, "force": n, "force_size": n, "reaction_size": c,
        "status": c, "reaction": c, "lower_bound": c, "upper_bound": c, "tie": c, "rates": c, "released": c,
        "delassus": c * c, "inverse_mass_along": n * c, "factor": c * c, "basis": c,
        "pending": m, "immobile": n * (1 + c), "echelon": c * (n + c),
        "line_force": 2 * n, "amplitudes": at.AMPLITUDES * modes, "amplitude_size": modes,
        "polynomial": (at.DEGREE + 1) * n, "mode_basis": BASIS_ROW * modes, "wave_basis": 2 * h,
        "mode_step": BASIS_ROW * modes, "wave_step": 2 * h, "mode_speeds": modes, "mode_motion": 4 * modes,
        "guard_modes": MODE_ROW * guards * modes, "guard_polynomials": guards * (at.DEGREE + 1),
        "guard_waves": 2 * guards * h, "guard_info": INFO_ROW * guards, "guard_looks": NEXT_ROW * guards,
        "tried": 2 * n, "tried_slack": 2 * n, "saved_piece": m, "saved_memory": m, "jump": 3 * n,
        "guard_changes": 2 * n + m + 1, "stuck_line": 2 * c,
        "touch": c, "impulse": c, "arrival": c, "settling": c, "rest": 2 * n + 2 * modes, "work": n + c,
        "choice": c, "options": c, "best_choice": c, "tried_series": n, "tried_size": n,
    }, delassus=model.delassus, inverse_mass_along=model.inverse_mass_along)  # fmt: skip
