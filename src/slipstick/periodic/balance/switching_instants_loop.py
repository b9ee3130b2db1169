"""Where forces of laws without memory have corners along an orbit, and its samples with these instants among them;
compiled.

Between two samples a deflection is the cubic with their values and slopes. A switch is two instants, just before and
just behind it, so that each law is seen on both sides. Where the force of a damped side jumps by J = c v as it is met,
a body that is ahead by du meets it sooner by du/v: an impulse of c du, the kick of the switch.
"""

from __future__ import annotations

from typing import Any

from slipstick.native import Array, Rows, view
from slipstick.periodic.balance.multiplier_records import (
    BEHIND,
    MOST_SWITCHES,
    REGULAR,
    TURN_ROUND,
    UP_TO,
    PeriodMapState,
    Switch,
)
from slipstick.periodic.balance.records import RATE_BY_TIME, LawCorner, SampledLeaf

SWITCH_SIDE_OFFSET = 1e-6  # of the distance of samples: how far from a switch its two sides are looked at
SWITCH_MARGIN = 1e-9  # of the same: a switch is so far from the samples at least, so that it lies between two
TURN_OFFSET = 1e-3  # the same behind a turn: the deflection there is less by the square of it
SWITCH_HALVINGS = 50  # of an interval, to find a switch in it


def find_switches(maps: PeriodMapState) -> None:
    """The switches of each of many orbits in order, and the lengths of the steps that begin or end at one."""
    table = maps.laws.leaves
    orbits = maps.orbit_count
    samples = maps.sample_count
    counts = maps.switch_counts
    factors = maps.leaf_factors
    for k in range(orbits):
        counts[k] = 0.0
        for e in range(maps.leaf_count):
            leaf = table[e]
            line = leaf.line
            u = line_motion(maps, line, k)
            corners = leaf.corners
            for i in range(leaf.corner_count):
                switches_at(maps, leaf, corners[i], u, view(factors, e * samples), k)
            if leaf.memory_size < 0 and is_first(table, e):
                turns_of(maps, u, line, k)
        first = k * MOST_SWITCHES
        sort_switches(maps, first, int(counts[k]))
        stride = 1
        for i in range(maps.stride_count):
            counts[(1 + i) * orbits + k] = float(lengths_of(maps, first, int(counts[k]), stride, i * orbits + k))
            stride *= 2


def line_motion(maps: PeriodMapState, line: int, k: int) -> Any:
    """Deflections of a line along an orbit, and behind them their slopes."""
    return view(maps.motions, 2 * maps.sample_count * (k * maps.motion_count + int(maps.motion_of_line[line])))


def switches_at(maps: PeriodMapState, leaf: SampledLeaf, own: LawCorner, u: Array, factor: Array, k: int) -> None:
    """The switches of one corner of a leaf along an orbit."""
    samples = maps.sample_count
    slope = view(u, samples)
    step = 6.283185307179586 / samples
    scale = leaf.scale
    rate = maps.omegas[k] if leaf.rate_kind == RATE_BY_TIME else 1.0
    edge = own.deflection / scale
    for i in range(samples):
        after = i + 1 if i + 1 < samples else 0
        kick = 0.0
        guard = 0.0  # of the rate, beside the deflection from the edge
        if own.side == 0.0:
            switched = (u[i] > edge) != (u[after] > edge)
        else:
            was = damped_side_pushes(own, scale * u[i], scale * rate * slope[i])
            comes = damped_side_pushes(own, scale * u[after], scale * rate * slope[after])
            switched = was != comes
            if switched and comes and (scale * u[i] - own.deflection) * own.side <= 0.0:
                kick = own.damping_change * scale
            elif switched:
                guard = own.damping_change / own.stiffness_change * rate if own.stiffness_change != 0.0 else 1e300
        if switched:
            part = cubic_root(u[i] - edge, u[after] - edge, step * slope[i], step * slope[after], guard / step)
            if part >= 0.0:
                place = i + min(max(part, SWITCH_MARGIN), 1.0 - SWITCH_MARGIN)
                kick = kick * factor_at(factor, samples, place)
                add_switch(maps, k, place, kick, leaf.line, float(BEHIND))


def is_first(table: Rows[SampledLeaf], e: int) -> bool:
    """Whether no leaf before has a stack on the same line."""
    first = True
    for i in range(e):
        first = first and not (table[i].memory_size < 0 and table[i].line == table[e].line)
    return first


def turns_of(maps: PeriodMapState, u: Array, line: int, k: int) -> None:
    """Where a line that carries a stack of reversals turns round."""
    samples = maps.sample_count
    slope = view(u, samples)
    step = 6.283185307179586 / samples
    for i in range(samples):
        after = i + 1 if i + 1 < samples else 0
        if (slope[i] > 0.0) != (slope[after] > 0.0):
            part = cubic_root(u[i], u[after], step * slope[i], step * slope[after], 1e300)
            if part >= 0.0:
                add_switch(
                    maps, k, i + min(max(part, SWITCH_MARGIN), 1.0 - SWITCH_MARGIN), 0.0, line, float(TURN_ROUND)
                )


def damped_side_pushes(own: LawCorner, x: float, v: float) -> bool:
    """Whether a damped side is met and pushes."""
    beyond = (x - own.deflection) * own.side
    push = float(own.stiffness_change * beyond + own.damping_change * v * own.side)
    return float(beyond) > 0.0 and push > 0.0


def cubic_root(x: float, y: float, a: float, b: float, guard: float) -> float:
    """Where a cubic with values x, y and slopes a, b at 0 and 1, or it and so much of its slope, is zero; or -1."""
    low = 0.0
    high = 1.0
    if guard < 1e299:
        first = x + guard * a
        last = y + guard * b
    else:
        first = a
        last = b
    if first * last > 0.0:
        return -1.0
    for _ in range(SWITCH_HALVINGS):
        s = 0.5 * (low + high)
        slope = cubic_slope(x, y, a, b, s)
        value = cubic(x, y, a, b, s) + guard * slope if guard < 1e299 else slope
        if (value > 0.0) == (last > 0.0):
            high = s
        else:
            low = s
    return 0.5 * (low + high)


def cubic(x: float, y: float, a: float, b: float, s: float) -> float:
    """With values x, y and slopes a, b at 0 and 1."""
    rest = 1.0 - s
    return rest * rest * ((1.0 + 2.0 * s) * x + s * a) + s * s * ((1.0 + 2.0 * rest) * y - rest * b)


def cubic_slope(x: float, y: float, a: float, b: float, s: float) -> float:
    rest = 1.0 - s
    return 6.0 * s * rest * (y - x) + rest * (1.0 - 3.0 * s) * a + s * (3.0 * s - 2.0) * b


def add_switch(maps: PeriodMapState, k: int, place: float, kick: float, line: int, kind: float) -> None:
    """One more switch of an orbit, as long as there is room."""
    counts = maps.switch_counts
    count = int(counts[k])
    if count < MOST_SWITCHES:
        own = maps.switches[k * MOST_SWITCHES + count]
        own.place = place
        own.impulse = kick
        own.line = float(line)
        own.kind = kind
        counts[k] = count + 1.0


def factor_at(factor: Array, samples: int, place: float) -> float:
    """Between samples, along a straight line."""
    i = int(place)
    after = i + 1 if i + 1 < samples else 0
    return float(factor[i] + (place - i) * (factor[after] - factor[i]))


def sort_switches(maps: PeriodMapState, first: int, count: int) -> None:
    """Sort the switches of an orbit by their place: there are few."""
    for i in range(1, count):
        j = i
        while j > 0 and maps.switches[first + j - 1].place > maps.switches[first + j].place:
            swap(maps.switches[first + j - 1], maps.switches[first + j])
            j -= 1


def swap(one: Switch, other: Switch) -> None:
    """Exchange two switches."""
    place, impulse, line, kind = one.place, one.impulse, one.line, one.kind
    put_instant(one, other.place, other.kind, other.impulse, other.line)
    put_instant(other, place, kind, impulse, line)


def lengths_of(maps: PeriodMapState, first: int, count: int, stride: int, at: int) -> int:
    """Lengths, in samples, of the steps that begin or end at a switch; how many there are."""
    out = view(maps.short_steps, at * 2 * MOST_SWITCHES)
    found = 0
    for i in range(count):
        place = maps.switches[first + i].place
        begin = float(int(place / stride) * stride)
        end = begin + stride
        before = maps.switches[first + i - 1].place if i > 0 else -1.0
        after = maps.switches[first + i + 1].place if i + 1 < count else 2.0 * end
        out[found] = place - max(begin, before)
        found += 1
        if after >= end:
            out[found] = end - place
            found += 1
    return found


def merge_switches(maps: PeriodMapState, k: int) -> None:
    """Put the motion of an orbit, with its switches among the samples, in the plan of the laws."""
    laws = maps.laws
    samples = maps.sample_count
    m = maps.line_count
    count = int(maps.switch_counts[k])
    first = k * MOST_SWITCHES
    total = 0
    j = 0
    for i in range(samples):
        put_instant(maps.instants[total], float(i), float(REGULAR), 0.0, 0.0)
        total += 1
        while j < count and maps.switches[first + j].place < i + 1.0:
            switch = maps.switches[first + j]
            for side in range(2):
                at = maps.instants[total]
                put_instant(at, switch.place, switch.kind if side else float(UP_TO), switch.impulse, switch.line)
                total += 1
            j += 1
    maps.instant_count = total
    laws.sample_count = total
    laws.slope = view(laws.deflection, total)
    motion = laws.deflection
    for line in range(m):
        merge_line_motion(maps, line_motion(maps, line, k), view(motion, 2 * total * line))
    table = laws.leaves
    for e in range(maps.leaf_count):
        factor = table[e].factor
        own = view(maps.leaf_factors, e * samples)
        for i in range(total):
            place = maps.instants[i].place
            regular = maps.instants[i].kind == REGULAR
            factor[i] = own[int(place)] if regular else factor_at(own, samples, place)


def put_instant(out: Switch, place: float, kind: float, kick: float, line: float) -> None:
    out.place = place
    out.kind = kind
    out.impulse = kick
    out.line = line


def merge_line_motion(maps: PeriodMapState, given: Array, out: Array) -> None:
    """Deflections of a line at all instants, and behind them their slopes."""
    samples = maps.sample_count
    total = maps.instant_count
    step = 6.283185307179586 / samples
    slopes = view(given, samples)
    for i in range(total):
        own = maps.instants[i]
        begin = int(own.place)
        if own.kind == REGULAR:
            out[i] = given[begin]
            out[total + i] = slopes[begin]
        else:
            after = begin + 1 if begin + 1 < samples else 0
            s = own.place - begin + instant_offset(maps, i)
            x = given[begin]
            y = given[after]
            a = step * slopes[begin]
            b = step * slopes[after]
            out[i] = cubic(x, y, a, b, s)
            out[total + i] = cubic_slope(x, y, a, b, s) / step


def instant_offset(maps: PeriodMapState, i: int) -> float:
    """How far from its switch an instant is looked at; a turn itself, and behind it so far that it is seen."""
    own = maps.instants[i]
    if own.kind == TURN_ROUND:
        return TURN_OFFSET
    if own.kind == BEHIND:
        return SWITCH_SIDE_OFFSET
    return 0.0 if maps.instants[i + 1].kind == TURN_ROUND else -SWITCH_SIDE_OFFSET
