"""Steps and parameters of an exported model; compiled, and called by the C code of the fmu.

Between communication points loads are straight lines. Each change of a line begins an epoch of the packed model, as a
break of a sampled load does in `simulate`.
"""

from __future__ import annotations

from slipstick.fmu.output_values import fmu_outputs
from slipstick.fmu.records import (
    ADD,
    INVERT,
    MAX_STACK,
    NUMBER,
    PARAMETER,
    PRESENT,
    PREVIOUS,
    Fmu,
)
from slipstick.native import Array, local_numbers
from slipstick.transient.exact import records as at
from slipstick.transient.exact.flow import advance, enter_state, set_trigger
from slipstick.transient.exact.flow_map import put_state, read_state
from slipstick.transient.exact.guard_roots import NEVER
from slipstick.transient.exact.records import State
from slipstick.transient.exact.sampling import begin_run

# segments until the motion is checked, and the number of checks after which a step fails
CHECK_INTERVAL, MAX_CHECKS = 1000.0, 1000
LARGEST_MOTION = 1e150  # beyond, coefficients of series overflow


def fmu_begin(fmu: Fmu, start: float) -> int:
    """Put the instance into its initial state at a time [s]; return at.DONE, or why it has no state."""
    model = fmu.model
    state = fmu.state
    if fmu.tuned:
        apply_parameters(fmu)
    clear_state(fmu)
    if fmu.first_start >= 0:
        for i in range(2 * model.coordinate_count):
            fmu.given[i] = fmu.values[fmu.first_start + i]
    state.time = start
    fmu.own_epoch = 0
    while fmu.own_epoch < fmu.epoch_count - 1 and fmu.own_begin[fmu.own_epoch + 1] <= start:
        fmu.own_epoch += 1
    for i in range(fmu.drive_count):
        fmu.drive[i] = 0.0
    if fmu.frequency_input >= 0:
        fmu.angle = fmu.values[fmu.frequency_input] * start
    fmu.tuned = False
    return decide(fmu, PREVIOUS)


def decide(fmu: Fmu, epoch: int) -> int:
    """Write the present lines as an epoch, and decide the state of all units from the numbers in ``given``."""
    state = fmu.state
    state.epoch = epoch
    write_lines(fmu, epoch)
    put_state(fmu.model, state, fmu.given)
    fmu.recording.segment_count = 0
    fmu.recording.event_count = 0
    fmu.changed = False
    return at.DONE if begin_run(fmu.model, state, fmu.recording) == 1 else failure_of(state)


def failure_of(state: State) -> int:
    """Why the state of all units could not be decided."""
    return int(state.failure) if state.failure != 0 else at.UNSETTLED


def clear_state(fmu: Fmu) -> None:
    """The state as runs begin; its reaction matrices are copies, and inertias may be parameters."""
    model = fmu.model
    c = model.contact_count
    copy_state(fmu.blank.block, fmu.state.block, fmu.state_size)
    copy_state(model.delassus, fmu.state.delassus, c * c)
    copy_state(model.inverse_mass_along, fmu.state.inverse_mass_along, model.coordinate_count * c)


def copy_state(source: Array, target: Array, count: int) -> None:
    for i in range(count):
        target[i] = source[i]


def fmu_set(fmu: Fmu, reference: int, value: float, tunes: int) -> None:
    """Set a variable; what changes is taken up by the next step.   tunes : 1 for parameters of laws."""
    if fmu.values[reference] == value:
        return
    fmu.values[reference] = value
    if tunes == 1:
        fmu.tuned = True
    else:
        fmu.changed = True


def fmu_value(fmu: Fmu, reference: int) -> float:
    """The value of a variable."""
    return float(fmu.values[reference])


def fmu_slope_of(fmu: Fmu, reference: int) -> int:
    """The value reference of the slope of an input; -1 if it has none."""
    place = reference - fmu.first_load
    if place >= 0 and place < 2 * fmu.load_count and place % 2 == 0:
        return reference + 1
    if fmu.frequency_input >= 0 and reference == fmu.frequency_input:
        return reference + 1
    return -1


def fmu_step(fmu: Fmu, until: float) -> int:
    """Run to a time; return at.DONE, or why it stopped before."""
    state = fmu.state
    if fmu.tuned:
        why = resume_tuned(fmu)
        if why != at.DONE:
            return why
    while True:
        if fmu.changed or has_slopes(fmu):
            begin_epoch(fmu)
            if not enter_state(fmu.model, state, fmu.recording):
                return failure_of(state)
        end = until
        if fmu.own_epoch < fmu.epoch_count - 1:
            end = min(until, fmu.own_begin[fmu.own_epoch + 1])
        begin = state.time
        state.until = end
        why = run_to_end(fmu)
        move_inputs(fmu, state.time - begin)
        if why != at.DONE:
            return why
        if fmu.own_epoch < fmu.epoch_count - 1 and end == fmu.own_begin[fmu.own_epoch + 1]:
            fmu.own_epoch += 1
            fmu.changed = True
        if end >= until:
            fmu.values[0] = until
            return at.DONE


def resume_tuned(fmu: Fmu) -> int:
    """Continue with other parameters from the present motion and stretches, as `simulate` does from ``run.end``."""
    state = fmu.state
    sizes = 2 * fmu.model.coordinate_count
    read_state(fmu.model, state, fmu.recording, fmu.given)
    apply_parameters(fmu)
    fmu.tuned = False
    time = state.time
    low = state.time_low
    copy_state(state.scale, fmu.row, sizes)
    clear_state(fmu)
    copy_state(fmu.row, state.scale, sizes)
    state.time = time
    state.time_low = low
    return decide(fmu, PREVIOUS)


def has_slopes(fmu: Fmu) -> bool:
    """True if an input is a line with a slope, which begins anew with each step."""
    for i in range(fmu.load_count):
        if fmu.values[fmu.first_load + 2 * i + 1] != 0.0:
            return True
    return fmu.frequency_input >= 0 and fmu.values[fmu.frequency_input + 1] != 0.0


def begin_epoch(fmu: Fmu) -> None:
    """Begin an epoch with the present inputs; the lines before become the previous epoch."""
    state = fmu.state
    if state.epoch == PRESENT:
        keep_lines(fmu)
    state.epoch = PRESENT
    write_lines(fmu, PRESENT)
    fmu.recording.segment_count = 0
    fmu.recording.event_count = 0
    fmu.changed = False
    set_trigger(state, -1, -1)


def keep_lines(fmu: Fmu) -> None:
    """Copy the lines of prescribed deflections to the previous epoch: contacts compare their rates with it."""
    model = fmu.model
    for e in range(model.unit_count):
        model.offset_constant[e] = model.offset_constant[model.unit_count + e]
        model.offset_slope[e] = model.offset_slope[model.unit_count + e]


def write_lines(fmu: Fmu, epoch: int) -> None:
    """Write the lines of loads, deflections and limits from the present time on, as an epoch of the packed model."""
    model = fmu.model
    n = model.coordinate_count
    m = model.unit_count
    c = model.contact_count
    own = fmu.own_epoch
    t = fmu.state.time
    fmu.line_time = t
    model.epoch_begin[epoch] = t
    model.epoch_end[epoch] = NEVER
    for i in range(n):
        model.load_constant[epoch * n + i] = fmu.load_constant[own * n + i]
        model.load_slope[epoch * n + i] = fmu.load_slope[own * n + i]
    for e in range(m):
        model.offset_constant[epoch * m + e] = fmu.offset_constant[own * m + e]
        model.offset_slope[epoch * m + e] = fmu.offset_slope[own * m + e]
    for i in range(c):
        model.limit_constant[epoch * c + i] = fmu.limit_constant[own * c + i]
        model.limit_slope[epoch * c + i] = fmu.limit_slope[own * c + i]
    for k in range(fmu.load_count):
        slope = fmu.values[fmu.first_load + 2 * k + 1]
        i = epoch * n + int(fmu.load_at[k])
        model.load_constant[i] += fmu.values[fmu.first_load + 2 * k] - slope * t
        model.load_slope[i] += slope
    for k in range(fmu.drive_count):
        add_drive(fmu, epoch, k)
    write_sweeps(fmu, epoch)


def add_drive(fmu: Fmu, epoch: int, k: int) -> None:
    """Add the motion that an input prescribes to coordinate k to the lines of an epoch."""
    model = fmu.model
    p = fmu.drive_count
    n = model.coordinate_count
    m = model.unit_count
    velocity = fmu.values[fmu.first_drive + k]
    constant = fmu.drive[k] - velocity * fmu.state.time
    for i in range(n):
        spring = fmu.stiffness_gain[i * p + k]
        model.load_constant[epoch * n + i] += spring * constant + fmu.damping_gain[i * p + k] * velocity
        model.load_slope[epoch * n + i] += spring * velocity
    for e in range(m):
        model.offset_constant[epoch * m + e] += fmu.offset_gain[e * p + k] * constant
        model.offset_slope[epoch * m + e] += fmu.offset_gain[e * p + k] * velocity


def write_sweeps(fmu: Fmu, epoch: int) -> None:
    """Angle, speed and acceleration of the swept waves at the present time."""
    model = fmu.model
    h = model.wave_count
    t = fmu.state.time
    speed = 0.0
    acceleration = 0.0
    if fmu.frequency_input >= 0:
        speed = fmu.values[fmu.frequency_input]
        acceleration = fmu.values[fmu.frequency_input + 1]
    for j in range(h):
        order = fmu.wave_order[j]
        place = epoch * h + j
        if order != 0.0:
            model.sweep_angle[place] = order * fmu.angle
            model.sweep_speed[place] = order * speed
            model.sweep_acceleration[place] = order * acceleration
            continue
        own = fmu.own_epoch * h + j
        since = t - fmu.own_begin[fmu.own_epoch]
        rate = fmu.sweep_acceleration[own]
        model.sweep_angle[place] = fmu.sweep_angle[own] + since * (fmu.sweep_speed[own] + 0.5 * rate * since)
        model.sweep_speed[place] = fmu.sweep_speed[own] + rate * since
        model.sweep_acceleration[place] = rate


def move_inputs(fmu: Fmu, length: float) -> None:
    """Carry prescribed displacements, the angle and loads with slopes over a time that has passed."""
    for k in range(fmu.drive_count):
        fmu.drive[k] += fmu.values[fmu.first_drive + k] * length
    for k in range(fmu.load_count):
        fmu.values[fmu.first_load + 2 * k] += fmu.values[fmu.first_load + 2 * k + 1] * length
    if fmu.frequency_input >= 0:
        speed = fmu.values[fmu.frequency_input]
        acceleration = fmu.values[fmu.frequency_input + 1]
        fmu.angle += length * (speed + 0.5 * acceleration * length)
        fmu.values[fmu.frequency_input] = speed + acceleration * length


def run_to_end(fmu: Fmu) -> int:
    """Run to ``state.until``; only the last segment is kept."""
    state = fmu.state
    recording = fmu.recording
    checks = 0
    state.budget = CHECK_INTERVAL
    while True:
        why = advance(fmu.model, state, fmu.tables, recording)
        if why == at.EVENTS_FULL:
            recording.event_count = 0
        elif why == at.SEGMENTS_FULL:
            size = recording.segment_size
            last = (recording.segment_count - 1) * size
            for i in range(size):
                recording.segments[i] = recording.segments[last + i]
            recording.segment_count = 1
        elif why == at.PAUSE and checks < MAX_CHECKS:
            checks += 1
            state.budget = CHECK_INTERVAL
            for i in range(2 * fmu.model.coordinate_count):
                if not abs(state.motion[i]) < LARGEST_MOTION:
                    return at.NOT_FINITE
        else:
            return why


# ---- parameters


def apply_parameters(fmu: Fmu) -> None:
    """Compute all numbers of the packed model that depend on parameters.

    The program is a list of (slot in the arena, count of operations, pairs of an operation and its argument).
    """
    program = fmu.program
    stack = local_numbers(MAX_STACK)
    k = 0
    while k < fmu.program_size:
        slot = int(program[k])
        count = int(program[k + 1])
        k += 2
        top = -1
        for _ in range(count):
            operation = int(program[k])
            argument = program[k + 1]
            k += 2
            if operation == NUMBER:
                top += 1
                stack[top] = argument
            elif operation == PARAMETER:
                top += 1
                stack[top] = fmu.values[int(argument)]
            elif operation == INVERT:
                stack[top] = 1.0 / stack[top]
            else:
                top -= 1
                if operation == ADD:
                    stack[top] += stack[top + 1]
                else:
                    stack[top] *= stack[top + 1]
        fmu.arena[slot] = stack[0]


ENTRIES = (fmu_begin, fmu_step, fmu_set, fmu_value, fmu_slope_of, fmu_outputs)
