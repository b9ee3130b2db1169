"""Tangents of laws along orbits, and from them the effect of a period on small changes of each; compiled."""

from __future__ import annotations

from slipstick.native import call_value, view
from slipstick.periodic.balance.aft_forces_loop import evaluate_laws
from slipstick.periodic.balance.multiplier_records import TURN_ROUND, PeriodMapState
from slipstick.periodic.balance.period_map_loop import (
    carry_period,
    hand_over,
    initial_changes,
    instant_after,
    last_instant,
    note_changes,
)
from slipstick.periodic.balance.records import AT_SAMPLES, RATE_BY_PHASE, SampledLeaf
from slipstick.periodic.balance.switching_instants_loop import merge_switches

SECANT_ROUNDING = 1e-6  # of two slopes: where they differ by less, the tangent is that at the instant


def period_maps(maps: PeriodMapState) -> None:
    """The effect of a period on perturbations of each of many orbits, whose switches are known."""
    laws = maps.laws
    orbits = maps.orbit_count
    room = maps.carried_count * maps.carried_count
    laws.wanted = AT_SAMPLES
    for k in range(orbits):
        merge_switches(maps, k)
        laws.omega = maps.omegas[k]
        evaluate_laws(laws)
        reversal_derivatives(maps)
        if not maps.extrapolates:  # with smooth laws a tangent is what it is at its sample
            split_corner_tangents(maps)
        note_changes(maps)
        time_units(maps, laws.omega)
        maps.longest = maps.long_steps
        stride = 1
        for i in range(maps.stride_count):
            maps.stride = int(stride)
            average_friction_tangents(maps)
            maps.map_count = 0
            initial_changes(maps)
            carry_period(maps, i * orbits + k)
            hand_over(maps, view(maps.end_maps, (i * orbits + k) * room))
            stride *= 2


def reversal_derivatives(maps: PeriodMapState) -> None:
    """Derivatives of leaves with a stack, by deflection, rate, deflection and force of the last reversal.

    On a branch f = f_m + g(u - u_m), and where the line turns u_m and f_m are what u and f are there. A loop that is
    passed goes on along the branch of the one before, which is the same to first order.
    """
    laws = maps.laws
    for e in range(maps.leaf_count):
        carried = maps.carried_memory[e]
        if carried.has_stack:
            leaf = laws.leaves[e]
            slopes = leaf.local
            out = carried.derivatives
            for i in range(maps.instant_count):
                own = view(out, 12 * i)
                at = maps.instants[i]
                turned = at.kind == TURN_ROUND and at.line == leaf.line
                slope = slopes[2 * (i - 1)] if turned else slopes[2 * i]
                for c in range(12):
                    own[c] = 0.0
                own[0] = slope
                own[6] = -slope
                own[9] = 1.0
                if turned:
                    own[1] = 1.0
                    own[2] = slope
                    own[8] = -slope
                    own[11] = 1.0
                else:
                    own[7] = 1.0
                    own[11] = 1.0


def split_corner_tangents(maps: PeriodMapState) -> None:
    """Where a law without memory has a corner between two samples that it does not tell, the tangent at the nearer one
    is the mean over the time that belongs to it: else a stop would act up to half a sample too long."""
    table = maps.laws.leaves
    for e in range(maps.leaf_count):
        leaf = table[e]
        plain = leaf.directions == 1 and leaf.memory_size == 0
        if plain and leaf.rate_kind != RATE_BY_PHASE and leaf.corner_count == 0:
            split_leaf_tangents(maps, leaf)


def average_friction_tangents(maps: PeriodMapState) -> None:
    """Tangents of rounded friction as means over the time from halfway before an instant to halfway behind it.

    A contact turns round within a few samples, and its largest tangents may lie between two. The mean is the change of
    the force over that of the slope, so that the impulse on a small change is right with any step.
    """
    table = maps.laws.leaves
    for e in range(maps.leaf_count):
        leaf = table[e]
        if leaf.rate_kind == RATE_BY_PHASE:
            average_leaf_tangents(maps, leaf)


def average_leaf_tangents(maps: PeriodMapState, leaf: SampledLeaf) -> None:
    count = maps.instant_count
    local = leaf.local
    law = leaf.value_function
    parameters = leaf.parameters
    memory = leaf.memory
    scale = leaf.scale
    slope = view(maps.laws.slope, 2 * leaf.line * count)
    begin = 0.5 * (slope[last_instant(maps)] + slope[0])
    begun = call_value(law, parameters, 0.0, scale * begin, memory)
    k = 0
    while k < count:
        after = instant_after(maps, k)
        end = 0.5 * (slope[k] + slope[after if after < count else 0])
        ended = call_value(law, parameters, 0.0, scale * end, memory)
        if abs(end - begin) > SECANT_ROUNDING * (abs(end) + abs(begin)):
            local[2 * k + 1] = (ended - begun) / (end - begin)
        begin = end
        begun = ended
        k = after


def split_leaf_tangents(maps: PeriodMapState, leaf: SampledLeaf) -> None:
    instants = maps.instant_count
    local = leaf.local
    first = local[0]
    first_rate = local[1]
    old = first
    old_rate = first_rate
    for k in range(instants):
        after = k + 1 if k + 1 < instants else 0
        new = local[2 * after] if after > 0 else first
        new_rate = local[2 * after + 1] if after > 0 else first_rate
        if new != old:
            part = corner_between(maps, leaf, k, after, old, new)
            at = 2 * k if part < 0.5 else 2 * after
            more = 0.5 - part
            local[at] += more * (new - old)
            local[at + 1] += more * (new_rate - old_rate)
        old = new
        old_rate = new_rate


def corner_between(maps: PeriodMapState, leaf: SampledLeaf, k: int, after: int, old: float, new: float) -> float:
    """Where between two samples two straight pieces of a force meet, as a part of the way; a half if they do not."""
    laws = maps.laws
    scale = leaf.scale
    u = view(laws.deflection, 2 * leaf.line * maps.instant_count)
    way = u[after] - u[k]
    if way == 0.0:
        return 0.5
    law = leaf.value_function
    parameters = leaf.parameters
    memory = leaf.memory
    begun = call_value(law, parameters, scale * u[k], 0.0, memory)
    ended = call_value(law, parameters, scale * u[after], 0.0, memory)
    part = ((ended - begun) / way - new) / (old - new)
    return part if part >= 0.0 and part <= 1.0 else 0.5


def time_units(maps: PeriodMapState, omega: float) -> None:
    """Set ``slope_time``: 1 / omega for a leaf that takes slopes by tau instead of rates."""
    table = maps.laws.leaves
    units = maps.slope_time
    for e in range(maps.leaf_count):
        units[e] = 1.0 / omega if table[e].rate_kind == RATE_BY_PHASE else 1.0
