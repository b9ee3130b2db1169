"""Steps and parameters of an exported model; compiled, and called by the C code of the unit.

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
    Unit,
)
from slipstick.native import Array, local_numbers
from slipstick.transient.exact import records as at
from slipstick.transient.exact.flow import advance, enter_state, set_trigger
from slipstick.transient.exact.flow_map import put_state, read_state
from slipstick.transient.exact.guard_roots import NEVER
from slipstick.transient.exact.records import State
from slipstick.transient.exact.sampling import begin_run

# segments until the motion is checked, and how often that is done before a step is given up
CHECK_INTERVAL, MAX_CHECKS = 1000.0, 1000
LARGEST_MOTION = 1e150  # beyond, coefficients of series overflow


def fmu_begin(unit: Unit, start: float) -> int:
    """Put the instance into its initial state at a time [s]; return at.DONE, or why it has no state."""
    model = unit.model
    state = unit.state
    if unit.tuned:
        apply_parameters(unit)
    clear_state(unit)
    if unit.first_start >= 0:
        for i in range(2 * model.coordinate_count):
            unit.given[i] = unit.values[unit.first_start + i]
    state.time = start
    unit.own_epoch = 0
    while unit.own_epoch < unit.epoch_count - 1 and unit.own_begin[unit.own_epoch + 1] <= start:
        unit.own_epoch += 1
    for i in range(unit.drive_count):
        unit.drive[i] = 0.0
    if unit.frequency_input >= 0:
        unit.angle = unit.values[unit.frequency_input] * start
    unit.tuned = False
    return decide(unit, PREVIOUS)


def decide(unit: Unit, epoch: int) -> int:
    """Write the present lines as an epoch, and decide the state of all units from the numbers in ``given``."""
    state = unit.state
    state.epoch = epoch
    write_lines(unit, epoch)
    put_state(unit.model, state, unit.given)
    unit.recording.segment_count = 0
    unit.recording.event_count = 0
    unit.changed = False
    return at.DONE if begin_run(unit.model, state, unit.recording) == 1 else failure_of(state)


def failure_of(state: State) -> int:
    """Why the state of all units could not be decided."""
    return int(state.failure) if state.failure != 0 else at.UNSETTLED


def clear_state(unit: Unit) -> None:
    """The state as runs begin; its reaction matrices are copies, and inertias may be parameters."""
    model = unit.model
    c = model.contact_count
    copy_state(unit.blank.block, unit.state.block, unit.state_size)
    copy_state(model.delassus, unit.state.delassus, c * c)
    copy_state(model.inverse_mass_along, unit.state.inverse_mass_along, model.coordinate_count * c)


def copy_state(source: Array, target: Array, count: int) -> None:
    for i in range(count):
        target[i] = source[i]


def fmu_set(unit: Unit, reference: int, value: float, tunes: int) -> None:
    """Set a variable; what changes is taken up by the next step.   tunes : 1 for parameters of laws."""
    if unit.values[reference] == value:
        return
    unit.values[reference] = value
    if tunes == 1:
        unit.tuned = True
    else:
        unit.changed = True


def fmu_value(unit: Unit, reference: int) -> float:
    """The value of a variable."""
    return float(unit.values[reference])


def fmu_slope_of(unit: Unit, reference: int) -> int:
    """The value reference of the slope of an input; -1 if it has none."""
    place = reference - unit.first_load
    if place >= 0 and place < 2 * unit.load_count and place % 2 == 0:
        return reference + 1
    if unit.frequency_input >= 0 and reference == unit.frequency_input:
        return reference + 1
    return -1


def fmu_step(unit: Unit, until: float) -> int:
    """Run to a time; return at.DONE, or why it stopped before."""
    state = unit.state
    if unit.tuned:
        why = resume_tuned(unit)
        if why != at.DONE:
            return why
    while True:
        if unit.changed or has_slopes(unit):
            begin_epoch(unit)
            if not enter_state(unit.model, state, unit.recording):
                return failure_of(state)
        end = until
        if unit.own_epoch < unit.epoch_count - 1:
            end = min(until, unit.own_begin[unit.own_epoch + 1])
        begin = state.time
        state.until = end
        why = run_to_end(unit)
        move_inputs(unit, state.time - begin)
        if why != at.DONE:
            return why
        if unit.own_epoch < unit.epoch_count - 1 and end == unit.own_begin[unit.own_epoch + 1]:
            unit.own_epoch += 1
            unit.changed = True
        if end >= until:
            unit.values[0] = until
            return at.DONE


def resume_tuned(unit: Unit) -> int:
    """Continue with other parameters from the present motion and stretches, as `simulate` does from ``run.end``."""
    state = unit.state
    sizes = 2 * unit.model.coordinate_count
    read_state(unit.model, state, unit.recording, unit.given)
    apply_parameters(unit)
    unit.tuned = False
    time = state.time
    low = state.time_low
    copy_state(state.scale, unit.row, sizes)
    clear_state(unit)
    copy_state(unit.row, state.scale, sizes)
    state.time = time
    state.time_low = low
    return decide(unit, PREVIOUS)


def has_slopes(unit: Unit) -> bool:
    """True if an input is a line with a slope, which begins anew with each step."""
    for i in range(unit.load_count):
        if unit.values[unit.first_load + 2 * i + 1] != 0.0:
            return True
    return unit.frequency_input >= 0 and unit.values[unit.frequency_input + 1] != 0.0


def begin_epoch(unit: Unit) -> None:
    """Begin an epoch with the present inputs; the lines before become the previous epoch."""
    state = unit.state
    if state.epoch == PRESENT:
        keep_lines(unit)
    state.epoch = PRESENT
    write_lines(unit, PRESENT)
    unit.recording.segment_count = 0
    unit.recording.event_count = 0
    unit.changed = False
    set_trigger(state, -1, -1)


def keep_lines(unit: Unit) -> None:
    """Copy the lines of prescribed deflections to the previous epoch: contacts compare their rates with it."""
    model = unit.model
    for e in range(model.unit_count):
        model.offset_constant[e] = model.offset_constant[model.unit_count + e]
        model.offset_slope[e] = model.offset_slope[model.unit_count + e]


def write_lines(unit: Unit, epoch: int) -> None:
    """Write the lines of loads, deflections and limits from the present time on, as an epoch of the packed model."""
    model = unit.model
    n = model.coordinate_count
    m = model.unit_count
    c = model.contact_count
    own = unit.own_epoch
    t = unit.state.time
    unit.line_time = t
    model.epoch_begin[epoch] = t
    model.epoch_end[epoch] = NEVER
    for i in range(n):
        model.load_constant[epoch * n + i] = unit.load_constant[own * n + i]
        model.load_slope[epoch * n + i] = unit.load_slope[own * n + i]
    for e in range(m):
        model.offset_constant[epoch * m + e] = unit.offset_constant[own * m + e]
        model.offset_slope[epoch * m + e] = unit.offset_slope[own * m + e]
    for i in range(c):
        model.limit_constant[epoch * c + i] = unit.limit_constant[own * c + i]
        model.limit_slope[epoch * c + i] = unit.limit_slope[own * c + i]
    for k in range(unit.load_count):
        slope = unit.values[unit.first_load + 2 * k + 1]
        i = epoch * n + int(unit.load_at[k])
        model.load_constant[i] += unit.values[unit.first_load + 2 * k] - slope * t
        model.load_slope[i] += slope
    for k in range(unit.drive_count):
        add_drive(unit, epoch, k)
    write_sweeps(unit, epoch)


def add_drive(unit: Unit, epoch: int, k: int) -> None:
    """Add the motion that an input prescribes to coordinate k to the lines of an epoch."""
    model = unit.model
    p = unit.drive_count
    n = model.coordinate_count
    m = model.unit_count
    velocity = unit.values[unit.first_drive + k]
    constant = unit.drive[k] - velocity * unit.state.time
    for i in range(n):
        spring = unit.stiffness_gain[i * p + k]
        model.load_constant[epoch * n + i] += spring * constant + unit.damping_gain[i * p + k] * velocity
        model.load_slope[epoch * n + i] += spring * velocity
    for e in range(m):
        model.offset_constant[epoch * m + e] += unit.offset_gain[e * p + k] * constant
        model.offset_slope[epoch * m + e] += unit.offset_gain[e * p + k] * velocity


def write_sweeps(unit: Unit, epoch: int) -> None:
    """Angle, speed and acceleration of the swept waves at the present time."""
    model = unit.model
    h = model.wave_count
    t = unit.state.time
    speed = 0.0
    acceleration = 0.0
    if unit.frequency_input >= 0:
        speed = unit.values[unit.frequency_input]
        acceleration = unit.values[unit.frequency_input + 1]
    for j in range(h):
        order = unit.wave_order[j]
        place = epoch * h + j
        if order != 0.0:
            model.sweep_angle[place] = order * unit.angle
            model.sweep_speed[place] = order * speed
            model.sweep_acceleration[place] = order * acceleration
            continue
        own = unit.own_epoch * h + j
        since = t - unit.own_begin[unit.own_epoch]
        rate = unit.sweep_acceleration[own]
        model.sweep_angle[place] = unit.sweep_angle[own] + since * (unit.sweep_speed[own] + 0.5 * rate * since)
        model.sweep_speed[place] = unit.sweep_speed[own] + rate * since
        model.sweep_acceleration[place] = rate


def move_inputs(unit: Unit, length: float) -> None:
    """Carry prescribed displacements, the angle and loads with slopes over a time that has passed."""
    for k in range(unit.drive_count):
        unit.drive[k] += unit.values[unit.first_drive + k] * length
    for k in range(unit.load_count):
        unit.values[unit.first_load + 2 * k] += unit.values[unit.first_load + 2 * k + 1] * length
    if unit.frequency_input >= 0:
        speed = unit.values[unit.frequency_input]
        acceleration = unit.values[unit.frequency_input + 1]
        unit.angle += length * (speed + 0.5 * acceleration * length)
        unit.values[unit.frequency_input] = speed + acceleration * length


def run_to_end(unit: Unit) -> int:
    """Run to ``state.until``; only the last segment is kept."""
    state = unit.state
    recording = unit.recording
    checks = 0
    state.budget = CHECK_INTERVAL
    while True:
        why = advance(unit.model, state, unit.tables, recording)
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
            for i in range(2 * unit.model.coordinate_count):
                if not abs(state.motion[i]) < LARGEST_MOTION:
                    return at.NOT_FINITE
        else:
            return why


# ---- parameters


def apply_parameters(unit: Unit) -> None:
    """Compute all numbers of the packed model that depend on parameters.

    The program is a list of (slot in the arena, count of operations, pairs of an operation and its argument).
    """
    program = unit.program
    stack = local_numbers(MAX_STACK)
    k = 0
    while k < unit.program_size:
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
                stack[top] = unit.values[int(argument)]
            elif operation == INVERT:
                stack[top] = 1.0 / stack[top]
            else:
                top -= 1
                if operation == ADD:
                    stack[top] += stack[top + 1]
                else:
                    stack[top] *= stack[top + 1]
        unit.arena[slot] = stack[0]


ENTRIES = (fmu_begin, fmu_step, fmu_set, fmu_value, fmu_slope_of, fmu_outputs)
