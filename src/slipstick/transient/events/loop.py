"""The loop: attempt a step, land on what would be passed, accept or try a smaller one; compiled."""

from __future__ import annotations

import math

from slipstick.laws.reversal_stack import stack_has_room, stack_size
from slipstick.native import Array, call_function, call_value, view
from slipstick.transient.events.contact_decision import count_stalls, decide_contacts
from slipstick.transient.events.contacts import contact_limit, hold_contacts, load_change
from slipstick.transient.events.dopri5 import attempt, between
from slipstick.transient.events.elastic_contacts import PRESSING, forces_of, put_on_circle, switch_state
from slipstick.transient.events.equations import (
    deflect,
    deflect_elastic,
    derivative,
    law_force,
    offsets_at,
    set_waves,
)
from slipstick.transient.events.guards import (
    distance_to_event,
    edge_of,
    elastic_distance,
    event_approach_rate,
    find_directions,
    find_reactions,
    first_event,
    mark_elastic_events,
    zero_distance,
)
from slipstick.transient.events.records import (
    AT_CORNER,
    AT_EDGE,
    CLOSED,
    CONTACT_CHANGE,
    CONTINUE,
    ELASTIC,
    ELASTIC_CHANGE,
    EVENTS_FULL,
    FOLDED,
    MEMORY_FULL,
    NOT_FINITE,
    PIECE_CODE,
    RELEASE,
    REVERSAL,
    RIGID,
    STEP_TOO_SMALL,
    TAPE_FULL,
    UNDECIDED,
    Integration,
)
from slipstick.transient.events.tolerances import (
    DIVERGED_KINETIC,
    EVENT_ZERO,
    HOPELESS_ERROR,
    MAX_HOPELESS_TRIES,
    MAX_LANDING_TRIES,
    MAX_STEP_GROWTH,
    MESH_MERGE,
    NO_EDGE,
    SHORTEST_LANDING_REL,
    SMALL_PART,
)
from slipstick.transient.exact import records as at
from slipstick.transient.exact.taylor_series import is_sticking


def integrate(run: Integration, found: Array, goal: float, most: int) -> int:
    """Go on until the time ``goal`` or for ``most`` steps; why it came back."""
    for _ in range(most):
        if run.time >= goal:
            return CONTINUE
        if run.event_count + 2 * run.element_count > run.event_capacity:
            return EVENTS_FULL
        if not has_room(run):
            return MEMORY_FULL
        if run.tape_capacity > 0 and run.tape_count >= run.tape_capacity:
            return TAPE_FULL
        set_waves(run)
        if run.restart:
            if run.decide and not (count_stalls(run) and decide_contacts(run)):
                return UNDECIDED
            derivative(run, run.time, run.y, run.stages)
            run.restart = not find_directions(run)
            # once more, with the directions that those accelerations gave
            if run.decide and not decide_contacts(run):
                return UNDECIDED
            derivative(run, run.time, run.y, run.stages)
            if run.decide:
                write_contact_changes(run)
            if run.tape_capacity > 0:
                copy_memory(run.force_begin, run.force, run.element_count)
        if run.mesh_count > 0:
            follow_mesh(run)
        why = advance(run, found)
        if why != CONTINUE:
            return why
        if not run.max_kinetic < DIVERGED_KINETIC:
            return NOT_FINITE
    return CONTINUE


def follow_mesh(run: Integration) -> None:
    """The next step, to the next of the given times: the same steps from nearby states give a smooth map."""
    mesh = run.mesh
    least = run.time + MESH_MERGE * run.until
    while run.next_mesh < run.mesh_count and mesh[run.next_mesh] <= least:
        run.next_mesh += 1
    run.step = run.until - run.time
    if run.next_mesh < run.mesh_count:
        run.step = mesh[run.next_mesh] - run.time


def has_room(run: Integration) -> bool:
    """True if every stack has room for two more reversals."""
    memory = run.memory
    for e in range(run.element_count):
        element = run.elements[e]
        if element.memory_size < 0 and not stack_has_room(view(memory, element.memory_begin), 2):
            return False
    return True


def advance(run: Integration, found: Array) -> int:
    """One accepted step, or why there is none."""
    t = run.time
    stop = run.until
    at_break = run.next_break < run.break_count
    if at_break:
        stop = run.break_times[run.next_break]
    smallest = 1e-14 * max(abs(t), run.until - t)
    h = min(run.step, run.max_step)
    run.full_step = h
    run.max_growth = MAX_STEP_GROWTH
    run.target = -1
    run.landed = -1
    run.attempts = 0
    ends = False
    loading = False
    error = 0.0
    stands = False
    while not stands:
        if h < smallest:
            return STEP_TOO_SMALL
        ends = t + h >= stop - 1e-3 * smallest or (run.target < 0.0 and t + 1.01 * h >= stop)
        if ends:
            h = stop - t
        run.step_end = t + h
        if ends and at_break:  # what was before it counts
            run.step_end = stop - 3e-16 * abs(stop) - 1e-300
        if run.contact_count > 0:
            loaded = load_change(run, h)
            loading = loaded < h
            if loading:
                h = loaded
                ends = False
                run.step_end = t + h
        error = attempt(run, h)
        better = better_step(run, found, h, error, stop)
        if better < 0.0:
            return NOT_FINITE
        stands = better == 0.0
        if not stands:
            run.attempts += 1
            h = better
    if not run.fixed_step:
        set_step(run, h, error)
    if run.column_count != 0:
        call_function(run.vary_function, run, h)
    edge = run.target >= 0.0 and run.target_kind == AT_EDGE
    accept(run, h, stop if ends else t + h, run.target if edge else -1)
    if ends and at_break:
        run.next_break += 1
        run.restart = True
        run.rates_jump = True
    if run.contact_count > 0 and (loading or (ends and at_break)):
        run.restart = True
        run.decide = True
        if run.tape_capacity > 0:
            run.tape_event[run.tape_count - 1] = 1.0
    return CONTINUE


def better_step(run: Integration, found: Array, h: float, error: float, stop: float) -> float:
    """The length of a better step than the one just tried; 0 if that one stands, -1 if there is none."""
    run.missed = False
    if not error < HOPELESS_ERROR:
        reject(run)
        return 0.1 * h if run.attempts <= MAX_HOPELESS_TRIES else -1.0
    if run.attempts < MAX_LANDING_TRIES:
        passed = first_event(run, h, found)
        if passed < 0:  # a direction was set right: once more
            if passed == -2:
                switch_elastic(run, run.time)
                derivative(run, run.time, run.y, run.stages)
            return h
        if passed > 0:
            run.target = int(found[1])
            run.target_kind = int(found[2])
            if run.elements[run.target].kind != RIGID or h * found[0] > SHORTEST_LANDING_REL * run.max_step:
                return float(h * found[0])
            if h <= 2.0 * SHORTEST_LANDING_REL * run.max_step:
                run.landed = run.target if run.target_kind == REVERSAL else -1
                return 0.0
            return float(SHORTEST_LANDING_REL * run.max_step)
        more = short_of(run, h)
        if more > 0.0 and run.time + h + more <= stop:
            return h + more
    if error <= 1.0 or run.fixed_step:
        return 0.0
    reject(run)
    run.full_step = h * max(0.9 * error**-0.2, 0.2)
    return float(run.full_step)


def reject(run: Integration) -> None:
    """A step whose error is too large; whatever it was to land on may not be there in a shorter one."""
    run.rejected += 1
    run.max_growth = 1.0
    run.target = -1


def short_of(run: Integration, h: float) -> float:
    """How far behind its end the event lies that a step was to land on (Newton); 0 if it is there."""
    if run.target < 0.0:
        return 0.0
    e = run.target
    kind = run.target_kind
    offsets_at(run, run.step_end)
    far = 0.0
    if kind >= PRESSING:
        far = elastic_distance(run, run.elements[e].elastic, kind, run.step_end, run.y_end)
    else:
        deflect(run, e, run.y_end)
        if kind == RELEASE:
            find_reactions(run, run.step_end, run.y_end)
        far = distance_to_event(run, e, kind)
    if far <= zero_distance(kind):
        return 0.0
    more = -far / event_approach_rate(run, h, e, kind)
    if 0.0 < more < 0.1 * h:
        return more
    run.missed = True
    return 0.0


def set_step(run: Integration, h: float, error: float) -> None:
    """The length of the next step, from the errors of this one and the one before."""
    logarithm = math.log(max(error, 1e-4))
    factor = 0.9 * math.exp(0.04 * run.last_log_error - 0.17 * logarithm)
    factor = min(max(factor, 0.2), run.max_growth)
    # the error of a step cut short by an event or an end says little about the right step length; a false event of a
    # long step shows that it was too long
    cut = h < 0.99 * run.full_step and not run.missed
    run.step = max(h * factor, run.full_step) if cut else h * factor
    run.last_log_error = logarithm


def accept(run: Integration, h: float, end: float, target: int) -> None:
    """Write samples and events down, and make the new state the state."""
    n = run.coordinate_count
    m = run.element_count
    size = 2 * n + run.inner_count
    y = run.y
    new = run.y_end
    stages = run.stages
    scale = run.scale
    floor = run.rate_floor
    mass = run.mass
    write_samples(run, h, end)
    if run.elastic_count > 0:
        mark_elastic_events(run, h)
    offsets_at(run, end)
    update_memories(run, new, end, target)
    if run.tape_capacity > 0:
        write_row(run, new, end)
    kinetic = 0.0
    for i in range(size):
        y[i] = new[i]
        scale[i] = max(scale[i], abs(new[i]))
        stages[i] = stages[6 * size + i]  # the last stage is the first of the next step
    if run.contact_count > 0:
        settle_contacts(run, end)
    if run.elastic_count > 0:
        switch_elastic(run, end)
    if run.track_max:
        update_maxima(run.y_max, y, size)
    for i in range(n):
        kinetic += mass[i] * y[n + i] * y[n + i]
    if not kinetic <= run.max_kinetic:
        run.max_kinetic = kinetic
        for i in range(n):  # a coordinate that hardly takes part is measured against those that do
            floor[i] = max(floor[i], SMALL_PART * math.sqrt(kinetic / mass[i]))
            scale[n + i] = max(scale[n + i], floor[i])
    if run.track_energy:
        book_ = run.energy
        trial = run.step_energy
        exchanged = 0.0
        for e in range(m + 2):
            book_[e] += trial[e]
            exchanged += abs(book_[e])
        book_[m + 2] = max(book_[m + 2], exchanged)
    run.time = end
    run.accepted += 1


def update_memories(run: Integration, new: Array, end: float, target: int) -> None:
    """Bring memories to the end of the step; elements that have reached an event there start anew."""
    m = run.element_count
    directions = run.direction
    u_scale = run.u_scale
    v_scale = run.v_scale
    quiet = run.at_rest
    for e in range(m):
        element = run.elements[e]
        if element.kind < RIGID and (element.kind >= CLOSED or element.corner_function != 0):
            deflect(run, e, new)
            u = run.u[e]
            v = run.v[e]
            memory = view(run.memory, element.memory_begin)
            reached = -1
            if directions[e] != 0.0:
                if abs(distance_to_event(run, e, REVERSAL)) <= 2.0 * EVENT_ZERO:
                    if quiet[e] == 0.0:
                        reached = REVERSAL
                    run.restart = True
                else:
                    quiet[e] = 0.0
                if (
                    reached < 0
                    and element.corner_function != 0
                    and abs(distance_to_event(run, e, AT_CORNER)) <= 2.0 * EVENT_ZERO
                ):
                    reached = AT_CORNER
                if reached < 0 and element.edge_function != 0:
                    reached = over_edge(run, e, target)
            if reached >= 0:
                write_event(run, e, reached, new, end)
                run.restart = True
            if reached == AT_CORNER and run.column_count != 0:
                before_corner(run, e)
            if element.kind == CLOSED:
                if not run.trial_at_end:
                    call_value(element.value_function, element.parameters, u, v, memory)
                else:  # the last stage was there already
                    copy_memory(memory, view(run.memory_trial, element.memory_begin), element.memory_size)
                if run.track_max:
                    update_maxima(view(run.memory_max, element.memory_begin), memory, element.memory_size)
            u_scale[e] = max(u_scale[e], abs(u))
            v_scale[e] = max(v_scale[e], abs(v))


def switch_elastic(run: Integration, t: float) -> None:
    """Change the states of elastic contacts whose guards were reached, at the state of the run."""
    for c in range(run.elastic_count):
        contact = run.elastic[c]
        if contact.reached == 0 and contact.tangential > 1:
            offsets_at(run, t)
            deflect_elastic(run, c, run.y)
            put_on_circle(run, contact, run.y)
        if contact.reached != 0:
            before = contact.state
            offsets_at(run, t)
            deflect_elastic(run, c, run.y)
            switch_state(run, contact, contact.reached, run.y)
            contact.reached = 0
            run.restart = True
            if run.accepted == 0 and t == run.time and run.time == 0.0:  # the first decision is no event
                contact.first_state = contact.state
                continue
            write_event(run, contact.element, ELASTIC_CHANGE, run.y, t)
            run.events[run.event_count - 1].way = float(before + PIECE_CODE * contact.state)


def settle_contacts(run: Integration, end: float) -> None:
    """After a step: decide contacts that stopped or reached their limit, and hold the others."""
    offsets_at(run, run.step_end)
    for i in range(run.contact_count):
        e = int(run.contact_elements[i])
        deflect(run, e, run.y)
        run.u_scale[e] = max(run.u_scale[e], abs(run.u[e]))
        run.v_scale[e] = max(run.v_scale[e], abs(run.v[e]))
        if run.direction[e] != 0.0:
            at_zero = abs(distance_to_event(run, e, REVERSAL)) <= 2.0 * EVENT_ZERO
            if e == run.landed or (at_zero and run.at_rest[e] == 0.0):
                run.decide = True
                if run.column_count != 0:
                    shift_event(run, e, REVERSAL)
            elif not at_zero:
                run.at_rest[e] = 0.0
    if run.target >= 0 and run.target_kind == RELEASE:
        run.decide = True
        if run.column_count != 0:
            shift_event(run, run.target, RELEASE)
    if run.independent > 0:
        hold_contacts(run)
        if run.has_motions:  # the last stage belongs to a state off the constraints
            derivative(run, end, run.y, run.stages)
    if run.decide:
        run.restart = True
        if run.tape_capacity > 0:
            run.tape_event[run.tape_count - 1] = 1.0


def shift_event(run: Integration, e: int, kind: int) -> None:
    """Store what the saltation at this event needs, before contacts are decided (`contact_variations`)."""
    before = run.acceleration_before
    last = view(run.stages, 6 * (2 * run.coordinate_count + run.inner_count) + run.coordinate_count)
    for i in range(run.coordinate_count):
        before[i] = last[i]
    call_function(run.shift_function, run, float(e), float(kind))


def write_contact_changes(run: Integration) -> None:
    """Record the contacts that changed their state at this instant."""
    state = run.resting
    run.decide = False
    run.rates_jump = False
    run.contacts_changed = True
    for i in range(run.contact_count):
        before = shown_piece(state.old_piece[i])
        after = shown_piece(state.piece[i])
        state.old_piece[i] = state.piece[i]
        if run.accepted == 0:
            run.first_pieces[i] = after
        if run.accepted > 0 and before != after:
            e = int(run.contact_elements[i])
            write_event(run, e, CONTACT_CHANGE, run.y, run.time)
            run.events[run.event_count - 1].way = before + float(PIECE_CODE) * after


def shown_piece(piece: float) -> float:
    """The piece of a contact; one that others hold sticks."""
    return float(at.STICK) if is_sticking(piece) else piece


def before_corner(run: Integration, e: int) -> None:
    """Keep the accelerations before a corner, at which they may jump (damped contact)."""
    n = run.coordinate_count
    size = 2 * n + run.inner_count
    stages = run.stages
    kept = run.acceleration_before
    for i in range(n):
        kept[i] = stages[6 * size + n + i]
    run.jumped_element = e


def write_row(run: Integration, new: Array, end: float) -> None:
    """Record the step on the tape."""
    m = run.element_count
    size = 2 * run.coordinate_count + run.inner_count
    stages = run.stages
    forces = run.force
    begun = run.force_begin
    row = view(run.tape, run.tape_count * (3 * size + 2 * m))
    run.tape_time[run.tape_count] = end
    run.tape_event[run.tape_count] = 1.0 if run.restart else 0.0
    for i in range(size):
        row[i] = new[i]
        row[size + i] = stages[i]
        row[2 * size + i] = stages[6 * size + i]
    for e in range(m):
        row[3 * size + e] = begun[e]
        row[3 * size + m + e] = forces[e]
        begun[e] = forces[e]
    run.tape_count += 1


def copy_memory(memory: Array, new: Array, size: int) -> None:
    """Copy a memory; a stack says its size itself."""
    count = size if size >= 0 else stack_size(view(new, 0), 0)
    for i in range(count):
        memory[i] = new[i]


def update_maxima(tops: Array, memory: Array, size: int) -> None:
    """Keep the largest size of each number."""
    for i in range(size):
        tops[i] = max(tops[i], abs(memory[i]))


def over_edge(run: Integration, e: int, target: int) -> int:
    """Take an element that was led to its edge over it; the kind of the event, or -1."""
    edge = edge_of(run, e)
    scales = run.edge_scale
    sides = run.edge_side
    if edge != NO_EDGE:
        scales[e] = max(scales[e], abs(edge))
    if e != target or abs(edge) > 2.0 * EVENT_ZERO * scales[e]:
        return -1
    sides[e] = -sides[e]
    return AT_EDGE


def write_event(run: Integration, e: int, kind: int, new: Array, end: float) -> None:
    """Write an event down: its head, then q, v, forces."""
    n = run.coordinate_count
    m = run.element_count
    row = run.events[run.event_count]
    row.time = end
    row.element = float(e)
    row.kind = float(kind)
    row.way = run.edge_side[e] if kind == AT_EDGE else run.direction[e]
    row.deflection = run.u[e]
    write_sample(run, end, new, view(run.event_states, run.event_count * (2 * n + m)))
    deflect(run, e, new)
    run.event_count += 1


def write_samples(run: Integration, h: float, end: float) -> None:
    """Write down the samples within the step."""
    n = run.coordinate_count
    m = run.element_count
    times = run.sample_times
    work = run.y_trial
    out = run.samples
    while run.next_sample < run.sample_count and times[run.next_sample] <= end:
        t = times[run.next_sample]
        between(run, h, min((t - run.time) / h, 1.0), work)
        offsets_at(run, t)
        write_sample(run, t, work, view(out, run.next_sample * (2 * n + m)))
        run.next_sample += 1


def write_sample(run: Integration, t: float, y: Array, line: Array) -> None:
    """q, v, and the forces of the laws, of those that are not folded in."""
    run.trial_at_end = False
    n = run.coordinate_count
    m = run.element_count
    for i in range(2 * n):
        line[i] = y[i]
    for e in range(m):
        line[2 * n + e] = 0.0
        kind = run.elements[e].kind
        if kind != FOLDED and kind < ELASTIC:
            deflect(run, e, y)
            if kind != RIGID or run.direction[e] != 0.0:
                line[2 * n + e] = law_force(run, e, y)
    for c in range(run.elastic_count):
        deflect_elastic(run, c, y)
        forces_of(run, run.elastic[c], y, view(line, 2 * n + run.elastic[c].element))
    if run.contact_count > 0:
        write_reactions(run, t, y, view(line, 2 * n))


def write_reactions(run: Integration, t: float, y: Array, line: Array) -> None:
    """The forces of contacts that do not slip, before their factors; the forces of the step are kept."""
    m = run.element_count
    copy_memory(run.force_kept, run.force, m)
    derivative(run, t, y, run.rate_trial)
    for i in range(run.contact_count):
        e = int(run.contact_elements[i])
        if run.direction[e] == 0.0:
            limit = contact_limit(run, i, t)
            share = run.contact_limits[i] / limit if limit > 0.0 else 0.0
            line[e] = run.force[e] / run.elements[e].factor * share
    copy_memory(run.force, run.force_kept, m)


def write_reactions_now(run: Integration, t: float, line: Array) -> None:
    """`write_reactions` at the state of the run."""
    write_reactions(run, t, run.y, line)
