"""Contacts with a normal spring and elastic friction, with one or two tangential directions; compiled.

    N = k_n (n - n0) + c_n n',    stick: T = k_t (t - s),    slip: T = mu N e,  s' = l e with l = t' e - mu N' / k_t

A contact keeps its state over a step, so that all forces are smooth in it; the step ends where one of its guards is
zero: N and k_n (n - n0), or where it is apart both at once; mu N - |T| in stick; l in slip. With two tangential
directions T is part of the unknowns in slip, T' = k_t (t' - (t' e) e) + mu N' e, and gives e = T / |T|.
"""

from __future__ import annotations

import math

from slipstick.forcing import forcing_at
from slipstick.native import Array, local_numbers
from slipstick.transient.events.records import ElasticContactRecord, Integration

APART, STICK, SLIP = range(3)
STATE_NAMES = ("separated", "stick", "slip")
PRESSING, LIMIT = 6, 7  # kinds of guards, behind those of events
MAX_TANGENTIAL = 2
FADED_TOLERANCES = 10.0  # times the tolerance, of the largest normal force: less has no effect any more
NO_DIRECTION = 1e-290  # of a force or a rate: it has no direction


def pressure_of(run: Integration, contact: ElasticContactRecord) -> float:
    """The normal force while it touches, at the deflections and rates found last."""
    e = contact.element + contact.tangential
    depth = run.u[e] - contact.touches_at
    return float(contact.normal_stiffness * depth + contact.normal_damping * run.v[e])


def pressing_of(run: Integration, contact: ElasticContactRecord) -> float:
    """Positive where it touches: the normal force, or the force of its spring where that is less."""
    depth = run.u[contact.element + contact.tangential] - contact.touches_at
    return float(min(pressure_of(run, contact), contact.normal_stiffness * depth))


def write_slip_vector(run: Integration, contact: ElasticContactRecord, y: Array, out: Array) -> None:
    """The unit vector of the sliding force; that of the rates where there is no force yet."""
    if contact.tangential == 1:
        out[0] = contact.sign
        out[1] = 0.0
        return
    at = 2 * run.coordinate_count + contact.inner_index
    out[0] = y[at]
    out[1] = y[at + 1]
    if math.hypot(out[0], out[1]) <= NO_DIRECTION:
        out[0] = run.v[contact.element]
        out[1] = run.v[contact.element + 1]
    size = math.hypot(out[0], out[1])
    out[0] = out[0] / size if size > NO_DIRECTION else 1.0
    out[1] = out[1] / size if size > NO_DIRECTION else 0.0


def forces_of(run: Integration, contact: ElasticContactRecord, y: Array, out: Array) -> None:
    """Tangential forces and the normal force, at the deflections and rates found last."""
    d = contact.tangential
    for j in range(d + 1):
        out[j] = 0.0
    if contact.state == APART:
        return
    pressure = pressure_of(run, contact)
    out[d] = pressure
    if contact.state == SLIP:
        way = local_numbers(MAX_TANGENTIAL)
        write_slip_vector(run, contact, y, way)
        for j in range(d):
            out[j] = contact.friction * pressure * way[j]
        return
    for j in range(d):
        slider = contact.slider if j == 0 else contact.second_slider
        out[j] = contact.tangential_stiffness * (run.u[contact.element + j] - slider)


def normal_growth(run: Integration, contact: ElasticContactRecord, t: float, dy: Array) -> float:
    """dN/dt; dy has the accelerations, which only a damper asks for."""
    e = contact.element + contact.tangential
    growth = contact.normal_stiffness * run.v[e]
    if contact.normal_damping != 0.0:
        n = run.coordinate_count
        acceleration = 0.0
        if run.has_motions:
            forcing_at(run.offset_acceleration_functions, t, run.offset_acceleration)
            acceleration = run.offset_acceleration[e]
        for i in range(n):
            acceleration += run.deflection_rows[n * e + i] * dy[n + i]
        growth += contact.normal_damping * acceleration
    return float(growth)


def slip_rate(run: Integration, contact: ElasticContactRecord, t: float, y: Array, dy: Array) -> float:
    """How fast the slider moves in the direction of the sliding force."""
    way = local_numbers(MAX_TANGENTIAL)
    write_slip_vector(run, contact, y, way)
    rate = 0.0
    for j in range(contact.tangential):
        rate += way[j] * run.v[contact.element + j]
    return rate - contact.friction * normal_growth(run, contact, t, dy) / contact.tangential_stiffness


def add_force_rates(run: Integration, contact: ElasticContactRecord, t: float, dy: Array, y: Array) -> None:
    """The rates of the sliding force of a contact with two tangential directions; deflections were found."""
    at = 2 * run.coordinate_count + contact.inner_index
    if contact.tangential == 1:
        return
    dy[at] = 0.0
    dy[at + 1] = 0.0
    if contact.state != SLIP or contact.friction == 0.0:
        return
    way = local_numbers(MAX_TANGENTIAL)
    write_slip_vector(run, contact, y, way)
    growth = contact.friction * normal_growth(run, contact, t, dy)
    if growth < 0.0 and pressure_of(run, contact) <= FADED_TOLERANCES * run.tolerance * contact.pressing_scale:
        return  # as it opens its direction would turn without end
    first = run.v[contact.element]
    second = run.v[contact.element + 1]
    across = contact.tangential_stiffness * (second * way[0] - first * way[1])
    dy[at] = growth * way[0] - across * way[1]
    dy[at + 1] = growth * way[1] + across * way[0]


def put_on_circle(run: Integration, contact: ElasticContactRecord, y: Array) -> None:
    """Give the sliding force among the unknowns the size of the limit: only its direction is used."""
    at = 2 * run.coordinate_count + contact.inner_index
    pressure = pressure_of(run, contact)
    if contact.state == SLIP and contact.tangential > 1 and pressure > 0.0:
        size = math.hypot(y[at], y[at + 1])
        if size > NO_DIRECTION:
            y[at] *= contact.friction * pressure / size
            y[at + 1] *= contact.friction * pressure / size


def has_limit(contact: ElasticContactRecord) -> bool:
    """True if the end of stick or slip is looked for."""
    return contact.state != APART and contact.friction > 0.0


def guard_distance(run: Integration, contact: ElasticContactRecord, kind: int, t: float, y: Array, dy: Array) -> float:
    """A guard over its scale, at the deflections and rates found last; below zero: past."""
    if kind == PRESSING:
        own = pressing_of(run, contact)
        return (-own if contact.state == APART else own) / contact.pressing_scale
    if contact.state == STICK:
        force = local_numbers(MAX_TANGENTIAL + 1)
        force[1] = 0.0
        forces_of(run, contact, y, force)
        size = abs(force[0]) if contact.tangential == 1 else math.hypot(force[0], force[1])
        limit = contact.friction * pressure_of(run, contact)
        return (limit - size) / (contact.friction * contact.pressing_scale)
    return slip_rate(run, contact, t, y, dy) / contact.rate_scale


def grow_scales(run: Integration, contact: ElasticContactRecord) -> None:
    """Update the scales of guards and of deflections, at the deflections and rates found last."""
    e = contact.element
    for j in range(contact.tangential + 1):
        run.u_scale[e + j] = max(run.u_scale[e + j], abs(run.u[e + j]))
        run.v_scale[e + j] = max(run.v_scale[e + j], abs(run.v[e + j]))
    normal = e + contact.tangential
    size = contact.normal_stiffness * run.u_scale[normal]
    contact.pressing_scale = max(contact.pressing_scale, max(size, abs(pressure_of(run, contact))))
    share = contact.friction * contact.normal_stiffness / contact.tangential_stiffness
    speed = run.v_scale[e]
    if contact.tangential > 1:
        speed = math.hypot(run.v_scale[e], run.v_scale[e + 1])
    contact.rate_scale = max(contact.rate_scale, speed + share * run.v_scale[normal])


def switch_state(run: Integration, contact: ElasticContactRecord, kind: int, y: Array) -> None:
    """The state behind a guard; where contact is made, friction begins anew, and rates decide whether it sticks."""
    e = contact.element
    d = contact.tangential
    force = local_numbers(MAX_TANGENTIAL + 1)
    force[1] = 0.0
    forces_of(run, contact, y, force)
    at = 2 * run.coordinate_count + contact.inner_index
    if kind == PRESSING and contact.state != APART:
        contact.state = APART
        if d > 1:
            y[at] = 0.0
            y[at + 1] = 0.0
    elif kind == PRESSING:
        contact.slider = run.u[e]
        speed = abs(run.v[e])
        if d > 1:
            contact.second_slider = run.u[e + 1]
            speed = math.hypot(run.v[e], run.v[e + 1])
        growth = contact.friction * contact.normal_stiffness * run.v[e + d]
        jumps = contact.normal_damping != 0.0 and run.v[e + d] > 0.0  # the limit begins above zero
        contact.state = STICK
        contact.sign = 1.0 if run.v[e] >= 0.0 else -1.0
        if contact.friction == 0.0 or (contact.tangential_stiffness * speed > growth and not jumps):
            contact.state = SLIP
    elif contact.state == STICK:
        contact.state = SLIP
        contact.sign = 1.0 if force[0] > 0.0 or (force[0] == 0.0 and run.v[e] >= 0.0) else -1.0
        if d > 1:
            y[at] = force[0]
            y[at + 1] = force[1]
    else:
        contact.state = STICK
        contact.slider = run.u[e] - force[0] / contact.tangential_stiffness
        if d > 1:
            contact.second_slider = run.u[e + 1] - force[1] / contact.tangential_stiffness
            y[at] = 0.0
            y[at + 1] = 0.0
