"""The loop: attempt a step, end it at the first event within, accept it or try a smaller one; compiled."""

from __future__ import annotations

import math

from slipstick.laws.reversal_stack import stack_has_room
from slipstick.native import Array, call_function, call_value, view
from slipstick.transient.events.contact_decision import count_stalls, decide_contacts
from slipstick.transient.events.contacts import hold_contacts, load_change
from slipstick.transient.events.dopri5 import attempt
from slipstick.transient.events.elastic_contacts import put_on_circle, switch_state
from slipstick.transient.events.equations import deflect, deflect_elastic, derivative, offsets_at, set_waves
from slipstick.transient.events.guards import (
    distance_to_event,
    edge_of,
    find_directions,
    first_event,
    mark_elastic_events,
)
from slipstick.transient.events.records import (
    AT_CORNER,
    AT_EDGE,
    CLOSED,
    CONTACT_CHANGE,
    CONTINUE,
    ELASTIC_CHANGE,
    EVENTS_FULL,
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
from slipstick.transient.events.step_output_loop import copy_memory, write_event, write_row, write_samples
from slipstick.transient.events.step_size_loop import reject, set_step, short_of
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
    """Integrate until the time ``goal`` or for ``most`` steps; returns the reason why it stopped."""
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
            # again, with the directions from those accelerations
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
    """The step to the next given time; the same steps from nearby states make the period map smooth."""
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
    """One accepted step; returns the reason if there is none."""
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
    accepted = False
    while not accepted:
        if h < smallest:
            return STEP_TOO_SMALL
        ends = t + h >= stop - 1e-3 * smallest or (run.target < 0.0 and t + 1.01 * h >= stop)
        if ends:
            h = stop - t
        run.step_end = t + h
        if ends and at_break:  # the loads before the break count
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
        accepted = better == 0.0
        if not accepted:
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
    """Length of the step to try instead of the last one; 0 if that is accepted, -1 if there is none."""
    run.missed = False
    if not error < HOPELESS_ERROR:
        reject(run)
        return 0.1 * h if run.attempts <= MAX_HOPELESS_TRIES else -1.0
    if run.attempts < MAX_LANDING_TRIES:
        passed = first_event(run, h, found)
        if passed < 0:  # a direction or a state was corrected: repeat the step
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


def accept(run: Integration, h: float, end: float, target: int) -> None:
    """Record samples and events, and adopt the new state."""
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
        for i in range(n):  # a coordinate that hardly moves has the error scale of those that do
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
    """Update memories at the end of the step; an element at an event starts a new branch."""
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
                else:  # the last stage is at this state already
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
    """The piece of a contact; a contact held by others counts as sticking."""
    return float(at.STICK) if is_sticking(piece) else piece


def before_corner(run: Integration, e: int) -> None:
    """Store the accelerations before a corner, where they may jump (damped contact)."""
    n = run.coordinate_count
    size = 2 * n + run.inner_count
    stages = run.stages
    kept = run.acceleration_before
    for i in range(n):
        kept[i] = stages[6 * size + n + i]
    run.jumped_element = e


def update_maxima(tops: Array, memory: Array, size: int) -> None:
    """Update the largest absolute value of each number."""
    for i in range(size):
        tops[i] = max(tops[i], abs(memory[i]))


def over_edge(run: Integration, e: int, target: int) -> int:
    """Move an element at its edge to the other side; the kind of the event, or -1."""
    edge = edge_of(run, e)
    scales = run.edge_scale
    sides = run.edge_side
    if edge != NO_EDGE:
        scales[e] = max(scales[e], abs(edge))
    if e != target or abs(edge) > 2.0 * EVENT_ZERO * scales[e]:
        return -1
    sides[e] = -sides[e]
    return AT_EDGE
