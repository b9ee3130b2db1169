"""Reversals and corners within a step: detection, location and the state behind them; compiled.

Event functions: the rate of an element with memory, zero at a reversal, and its distance to the next corner of its law
in the direction of motion. For a slipping contact: its rate; for a sticking one: the distance of its reaction from the
limit.
"""

from __future__ import annotations

from slipstick.native import Array, call_function, view
from slipstick.transient.events.contacts import release_distance
from slipstick.transient.events.dopri5 import between
from slipstick.transient.events.elastic_contacts import LIMIT, PRESSING, grow_scales, guard_distance, has_limit
from slipstick.transient.events.equations import between_corners, deflect, deflect_elastic, derivative, offsets_at
from slipstick.transient.events.records import (
    AT_CORNER,
    AT_EDGE,
    BY_RATE,
    CLOSED,
    PLAIN,
    RELEASE,
    REVERSAL,
    RIGID,
    Integration,
)
from slipstick.transient.events.tolerances import EVENT_ZERO, NEAR_RELEASE_SHARE, NO_EDGE, RELEASE_ZERO
from slipstick.transient.exact.complementarity import HOLDS

CLOSER_LOOK = 0.01  # fraction of a step: an event nearer to its start is searched again


def find_directions(run: Integration) -> bool:
    """Find the direction and the next corner of every element at the state; true if all directions are known."""
    m = run.element_count
    known = True
    y = run.y
    offsets_at(run, run.time)
    for e in range(m):
        kind = run.elements[e].kind
        if kind < RIGID and (kind >= CLOSED or run.elements[e].corner_function != 0):
            deflect(run, e, y)
            u = run.u[e]
            v = run.v[e]
            scales = run.v_scale
            scales[e] = max(scales[e], abs(v))
            run.u_scale[e] = max(run.u_scale[e], abs(u))
            s = v
            quiet = abs(v) <= 2.0 * EVENT_ZERO * scales[e]
            run.at_rest[e] = 1.0 if quiet else 0.0
            if quiet:  # a reversal, or rest: the acceleration decides
                s = acceleration(run, e)
            direction = 0.0
            if s > 0.0:
                direction = 1.0
            elif s < 0.0:
                direction = -1.0
            else:
                known = False
            turn_inner(run, e, direction)
            set_direction(run, e, direction)
            if run.elements[e].edge_function != 0:
                find_side(run, e)
    return known


def turn_inner(run: Integration, e: int, direction: float) -> None:
    """Reversal of a law by rate: its memory becomes that of the new branch."""
    element = run.elements[e]
    before = run.direction[e]
    if element.kind == BY_RATE and before * direction < 0.0:
        memory = view(run.memory, element.memory_begin)
        parameters = element.parameters
        u = run.u[e]
        v = run.v[e]
        z = run.y[2 * run.coordinate_count + element.inner_index]
        call_function(element.settle_function, parameters, u, v, z, memory)
        call_function(element.turn_function, parameters, memory)


def acceleration(run: Integration, e: int) -> float:
    """The second derivative of a deflection, from the first stage; of motions by a difference."""
    n = run.coordinate_count
    rows = run.deflection_rows
    k1 = run.stages
    a = 0.0
    for i in range(n):
        a += rows[n * e + i] * k1[n + i]
    if run.has_motions:
        rates = run.offset_rate
        now = rates[e]
        small = 1e-6 * run.max_step
        offsets_at(run, run.time + small)
        a += (rates[e] - now) / small
        offsets_at(run, run.time)
    return a


def set_direction(run: Integration, e: int, direction: float) -> None:
    """Set the direction of an element and its next corner in that direction."""
    element = run.elements[e]
    run.direction[e] = direction
    if element.corner_function != 0 and direction != 0.0:
        u = run.u[e] + direction * 2.0 * EVENT_ZERO * run.u_scale[e]
        memory = view(run.memory, element.memory_begin)
        parameters = element.parameters
        corner = element.corner_function
        run.next_corner[e] = call_function(corner, parameters, u, direction, memory)
        if element.kind == PLAIN:
            run.previous_corner[e] = call_function(corner, parameters, u, -direction, memory)


def edge_of(run: Integration, e: int) -> float:
    """The edge function of an element, on the piece where it is."""
    return edge_at(run, e, run.v[e])


def edge_at(run: Integration, e: int, v: float) -> float:
    """The edge function of an element at a given rate v."""
    element = run.elements[e]
    u = between_corners(run, e, run.u[e])
    memory = view(run.memory, element.memory_begin)
    return call_function(element.edge_function, element.parameters, u, v, memory)


def find_side(run: Integration, e: int) -> None:
    """The side of its edge on which an element is; on the edge itself, the side after the last event."""
    scales = run.edge_scale
    sides = run.edge_side
    edge = edge_of(run, e)
    if edge == NO_EDGE:
        sides[e] = 1.0
        return
    # a rate that counts as zero is zero at the edge too: a stop that only damps opens where it reverses
    by_rate = edge_at(run, e, run.v_scale[e]) - edge_at(run, e, 0.0)
    scales[e] = max(max(scales[e], abs(edge)), abs(by_rate))
    if abs(edge) > 2.0 * EVENT_ZERO * scales[e] or sides[e] == 0.0:
        sides[e] = 1.0 if edge >= 0.0 else -1.0


def distance_to_event(run: Integration, e: int, kind: int) -> float:
    """Distance of an element to an event of a kind, over its scale; negative beyond it."""
    s = run.direction[e]
    if kind == RELEASE:  # of the last reaction, at the time in ``release_time``
        return release_distance(run, run.elements[e].contact, run.release_time)
    if kind == AT_EDGE:
        scale = run.edge_scale[e]
        return float(run.edge_side[e] * edge_of(run, e) / scale)
    if kind == REVERSAL:
        return float(s * run.v[e] / (run.v_scale[e] + 1e-300))
    far = s * (run.next_corner[e] - run.u[e])
    return float(far / (run.u_scale[e] + 1e-300))


def distance_at_part(run: Integration, h: float, x: float, e: int, kind: int) -> float:
    """`distance_to_event` at the fraction x of the step."""
    work = run.y_trial
    t = min(run.time + x * h, run.step_end)
    between(run, h, x, work)
    if kind >= PRESSING:
        return elastic_distance(run, run.elements[e].elastic, kind, t, work)
    if kind == RELEASE:
        find_reactions(run, t, work)
    else:
        offsets_at(run, t)
        deflect(run, e, work)
    return distance_to_event(run, e, kind)


def elastic_distance(run: Integration, c: int, kind: int, t: float, y: Array) -> float:
    """`distance_to_event` of a guard of an elastic contact at a state."""
    contact = run.elastic[c]
    if kind == LIMIT and contact.normal_damping != 0.0:  # its rate needs accelerations
        run.trial_at_end = False
        derivative(run, t, y, run.rate_trial)
    offsets_at(run, t)
    deflect_elastic(run, c, y)
    return guard_distance(run, contact, kind, t, y, run.rate_trial)


def is_elastic_state_over(run: Integration, h: float, found: Array) -> bool:
    """`first_elastic_event` of all elastic contacts."""
    for c in range(run.elastic_count):
        if first_elastic_event(run, h, found, c):
            return True
    if found[0] >= 2.0:  # restore the forces of the last stage
        derivative(run, run.step_end, run.y_end, view(run.stages, 6 * (2 * run.coordinate_count + run.inner_count)))
    return False


def first_elastic_event(run: Integration, h: float, found: Array, c: int) -> bool:
    """Search for a guard of an elastic contact that is passed within the step, before the event in ``found``.

    True if its state cannot even begin: it is changed at once, and the step must be done again.
    """
    contact = run.elastic[c]
    for kind in range(PRESSING, LIMIT + 1):
        if kind == LIMIT and not has_limit(contact):
            continue
        for quarter in range(1, 5):  # also there and back within the step
            last = min(0.25 * quarter, found[0])
            if distance_at_part(run, h, last, contact.element, kind) < -EVENT_ZERO:
                part = root(run, h, contact.element, kind, last)
                if part <= 0.0:
                    contact.reached = kind
                    return True
                keep_first_event(found, part, contact.element, kind)
                break
    return False


def mark_elastic_events(run: Integration, h: float) -> None:
    """Mark the guards at which a step ended that was to land on one: others may be passed at the same instant."""
    for c in range(run.elastic_count):
        contact = run.elastic[c]
        offsets_at(run, run.step_end)
        deflect_elastic(run, c, run.y_end)
        grow_scales(run, contact)
        if run.target < 0 or run.target_kind < PRESSING:
            continue
        for kind in range(PRESSING, LIMIT + 1):
            if kind == LIMIT and (contact.reached != 0 or not has_limit(contact)):
                continue
            if run.target == contact.element and run.target_kind == kind:
                contact.reached = kind
                continue
            far = distance_at_part(run, h, 1.0, contact.element, kind)
            if abs(far) <= 2.0 * EVENT_ZERO and far < distance_at_part(run, h, 0.999, contact.element, kind):
                contact.reached = kind


def find_reactions(run: Integration, t: float, y: Array) -> None:
    """Compute the reactions of sticking contacts at a state within the step."""
    run.trial_at_end = False
    run.release_time = t
    derivative(run, t, y, run.rate_trial)


def zero_distance(kind: int) -> float:
    """The distance from an event that counts as zero."""
    return RELEASE_ZERO if kind == RELEASE else EVENT_ZERO


def root(run: Integration, h: float, e: int, kind: int, last: float) -> float:
    """The fraction of the step, up to ``last``, at which the interpolant reaches the event (Illinois)."""
    low = 0.0
    high = last
    g_low = distance_at_part(run, h, 0.0, e, kind)
    g_high = distance_at_part(run, h, last, e, kind)
    if g_low <= 2.0 * zero_distance(kind):  # starts at an event of the same kind: search the next one
        low = 0.01 * last
        g_low = distance_at_part(run, h, low, e, kind)
        if g_low <= 0.0:
            return 0.0
    side = 0
    for _ in range(60):
        x = low + (high - low) * g_low / (g_low - g_high)
        g = distance_at_part(run, h, x, e, kind)
        if abs(g) <= 0.01 * zero_distance(kind) or high - low <= 1e-15:
            return x
        if g > 0.0:
            low = x
            g_low = g
            if side == 1:
                g_high *= 0.5
            side = 1
        else:
            high = x
            g_high = g
            if side == -1:
                g_low *= 0.5
            side = -1
    return 0.5 * (low + high)


def look_at_middle(run: Integration, h: float, middle: Array) -> bool:
    """True if an element may reverse twice within the step; sets all distances to a reversal at its middle."""
    directions = run.direction
    look = False
    for e in range(run.element_count):
        if directions[e] != 0.0:  # the last stage left deflections and rates at the end of the step
            middle[e] = 1.0
            look = look or may_turn(run, h, e)
    if look:
        between(run, h, 0.5, run.y_trial)
        offsets_at(run, run.time + 0.5 * h)
        for e in range(run.element_count):
            if directions[e] != 0.0:
                deflect(run, e, run.y_trial)
                middle[e] = distance_to_event(run, e, REVERSAL)
    return look


def first_event(run: Integration, h: float, found: Array) -> int:
    """1 if an event lies within the step; found = (fraction of the step, element, kind) of the first one.

    An event at the end of the step, to rounding, does not count. -1 if an element at rest moved against the assumed
    direction: the direction is corrected, and the step must be repeated. -2, likewise, if an elastic contact cannot
    begin in its state.
    """
    new = run.y_end
    directions = run.direction
    middle = view(found, 3)
    found[0] = 2.0
    look = look_at_middle(run, h, middle)
    for e in range(run.element_count):
        if directions[e] != 0.0:
            if look:
                offsets_at(run, run.step_end)
                deflect(run, e, new)
            last = 1.0
            turned = distance_to_event(run, e, REVERSAL) < -EVENT_ZERO
            past = run.elements[e].corner_function != 0 and distance_to_event(run, e, AT_CORNER) < -EVENT_ZERO
            if not turned and middle[e] < -EVENT_ZERO:  # two reversals within the step
                turned = True
                last = 0.5
            if turned:
                last = root(run, h, e, REVERSAL, last)
                if last <= 0.0 and run.elements[e].kind == RIGID:  # its direction is decided: search more closely
                    last = CLOSER_LOOK
                elif last <= 0.0:
                    distance_at_part(run, h, 0.0, e, REVERSAL)
                    set_direction(run, e, -directions[e])
                    return -1
                keep_first_event(found, last, e, REVERSAL)
                past = (
                    run.elements[e].corner_function != 0 and distance_at_part(run, h, last, e, AT_CORNER) < -EVENT_ZERO
                )
            if past:
                last = root(run, h, e, AT_CORNER, last)
                keep_first_event(found, last, e, AT_CORNER)
            if run.elements[e].edge_function != 0 and distance_at_part(run, h, last, e, AT_EDGE) < -EVENT_ZERO:
                last = root(run, h, e, AT_EDGE, last)
                if last <= 0.0:
                    sides = run.edge_side
                    sides[e] = -sides[e]
                    return -1
                keep_first_event(found, last, e, AT_EDGE)
    if run.independent > 0:
        first_release(run, h, found)
    if run.elastic_count > 0 and is_elastic_state_over(run, h, found):
        return -2
    return 1 if found[0] < 2.0 else 0


def first_release(run: Integration, h: float, found: Array) -> None:
    """Search for a sticking contact that reaches its limit within the step, before the event in ``found``."""
    looked = False
    for i in range(run.contact_count):
        if run.resting.status[i] == HOLDS:
            e = int(run.contact_elements[i])
            spread = run.release_far[i] - run.release_near[i]
            if run.release_near[i] < NEAR_RELEASE_SHARE * spread + RELEASE_ZERO:
                looked = True
                for quarter in range(1, 5):  # also beyond the limit and back within the step
                    last = min(0.25 * quarter, found[0])
                    if distance_at_part(run, h, last, e, RELEASE) < -RELEASE_ZERO:
                        part = root(run, h, e, RELEASE, last)
                        keep_first_event(found, part if part > 0.0 else CLOSER_LOOK * last, e, RELEASE)
                        break
    if looked and found[0] >= 2.0:  # restore forces and reactions of the last stage
        derivative(run, run.step_end, run.y_end, view(run.stages, 6 * (2 * run.coordinate_count + run.inner_count)))


def may_turn(run: Integration, h: float, e: int) -> bool:
    """True if the rate at the end of the step is so small that it may have been zero within it."""
    n = run.coordinate_count
    size = 2 * n + run.inner_count
    if run.has_motions:
        return True
    rows = run.deflection_rows
    k1 = run.stages
    first = 0.0
    last = 0.0
    for i in range(n):
        first += rows[n * e + i] * k1[n + i]
        last += rows[n * e + i] * k1[6 * size + n + i]
    return abs(float(run.v[e])) < 2.0 * h * max(abs(first), abs(last))


def event_approach_rate(run: Integration, h: float, e: int, kind: int) -> float:
    """Derivative of `distance_to_event` at the end of the step."""
    n = run.coordinate_count
    size = 2 * n + run.inner_count
    s = run.direction[e]
    if kind != AT_CORNER and kind != REVERSAL:
        before = distance_at_part(run, h, 0.999, e, kind)
        return (distance_at_part(run, h, 1.0, e, kind) - before) / (0.001 * h)
    if kind == AT_CORNER:
        return float(-s * run.v[e] / (run.u_scale[e] + 1e-300))
    rows = run.deflection_rows
    k7 = view(run.stages, 6 * size)
    a = 0.0
    for i in range(n):
        a += rows[n * e + i] * k7[n + i]
    if run.has_motions:
        rates = run.offset_rate
        small = 1e-6 * run.max_step
        offsets_at(run, run.step_end - small)
        before = rates[e]
        offsets_at(run, run.step_end)
        a += (rates[e] - before) / small
    return float(s * a / (run.v_scale[e] + 1e-300))


def keep_first_event(found: Array, part: float, e: int, kind: int) -> None:
    """Keep the first event."""
    if part < found[0]:
        found[0] = part
        found[1] = float(e)
        found[2] = float(kind)
