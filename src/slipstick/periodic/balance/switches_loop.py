"""Where forces of laws without memory have corners along an orbit, and its samples with these instants among them;
compiled.

Between two samples a deflection is the cubic with their values and slopes. A switch is two instants, just before and
just behind it, so that each law is seen on both sides. Where the force of a damped side jumps by J = c v as it is met,
a body that is ahead by du meets it sooner by du/v: an impulse of c du, the kick of the switch.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from slipstick.native import numbers_at, view
from slipstick.periodic.balance.places import (
    BREAK_LENGTH,
    BREAK_TABLE,
    BREAKS,
    DAMPED,
    DEFLECTION,
    EDGE,
    FACTOR,
    LEAF,
    LINE,
    RATE,
    REMEMBERS,
    SAMPLES,
    SCALE,
    SIDE,
    STIFFER,
    TABLE,
    TURN,
)
from slipstick.periodic.balance.stability_places import (
    BEHIND,
    FACTORS,
    INSTANT,
    INSTANT_LENGTH,
    INSTANTS,
    KICK,
    KICK_LINE,
    KIND,
    LAWS_PLAN,
    LEAVES_COUNT,
    LENGTHS,
    LINES_COUNT,
    MOST_SWITCHES,
    MOTIONS,
    OMEGAS,
    ORBITS,
    PLACE,
    REGULAR,
    STEPS_OF_PERIOD,
    STRIDES,
    SWITCH_COUNTS,
    SWITCH_LENGTH,
    SWITCHES,
    TURN_ROUND,
    UP_TO,
)

BESIDE = 1e-6  # of the distance of samples: how far from a switch its two sides are looked at
INSIDE = 1e-9  # of the same: a switch is so far from the samples at least, so that it lies between two
PAST = 1e-3  # the same behind a turn: the deflection there is less by the square of it
HALVINGS = 50  # of an interval, to find a switch in it


def find_switches(plan: Any) -> None:
    """The switches of each of many orbits in order, and the lengths of the steps that begin or end at one."""
    table = numbers_at(int(numbers_at(int(plan[LAWS_PLAN]))[TABLE]))
    orbits = int(plan[ORBITS])
    samples = int(plan[STEPS_OF_PERIOD])
    counts = numbers_at(int(plan[SWITCH_COUNTS]))
    factors = numbers_at(int(plan[FACTORS]))
    for k in range(orbits):
        counts[k] = 0.0
        for e in range(int(plan[LEAVES_COUNT])):
            leaf = view(table, e * LEAF)
            line = int(leaf[LINE])
            u = view(numbers_at(int(plan[MOTIONS])), 2 * samples * (k * int(plan[LINES_COUNT]) + line))
            breaks = numbers_at(int(leaf[BREAK_TABLE]))
            for i in range(int(leaf[BREAKS])):
                switches_at(plan, leaf, view(breaks, BREAK_LENGTH * i), u, view(factors, e * samples), k)
            if leaf[REMEMBERS] < 0.0 and is_first(table, e):
                turns_of(plan, u, line, k)
        own = view(numbers_at(int(plan[SWITCHES])), k * MOST_SWITCHES * SWITCH_LENGTH)
        in_order(own, int(counts[k]))
        stride = 1
        for i in range(int(plan[STRIDES])):
            counts[(1 + i) * orbits + k] = float(lengths_of(plan, own, int(counts[k]), stride, i * orbits + k))
            stride *= 2


def switches_at(plan: Any, leaf: Any, own: Any, u: Any, factor: Any, k: int) -> None:
    """The switches of one corner of a leaf along an orbit."""
    samples = int(plan[STEPS_OF_PERIOD])
    slope = view(u, samples)
    step = 6.283185307179586 / samples
    scale = leaf[SCALE]
    rate = numbers_at(int(plan[OMEGAS]))[k] if leaf[RATE] == 1.0 else 1.0
    edge = own[EDGE] / scale
    for i in range(samples):
        after = i + 1 if i + 1 < samples else 0
        kick = 0.0
        guard = 0.0  # of the rate, beside the deflection from the edge
        if own[SIDE] == 0.0:
            switched = (u[i] > edge) != (u[after] > edge)
        else:
            was = pushes(own, scale * u[i], scale * rate * slope[i])
            comes = pushes(own, scale * u[after], scale * rate * slope[after])
            switched = was != comes
            if switched and comes and (scale * u[i] - own[EDGE]) * own[SIDE] <= 0.0:
                kick = own[DAMPED] * scale
            elif switched:
                guard = own[DAMPED] / own[STIFFER] * rate if own[STIFFER] != 0.0 else 1e300
        if switched:
            part = root(u[i] - edge, u[after] - edge, step * slope[i], step * slope[after], guard / step)
            if part >= 0.0:
                place = i + min(max(part, INSIDE), 1.0 - INSIDE)
                kick = kick * factor_at(factor, samples, place)
                add_switch(plan, k, place, kick, int(leaf[LINE]), float(BEHIND))


def is_first(table: Any, e: int) -> bool:
    """Whether no leaf before has a stack on the same line."""
    for i in range(e):
        if table[i * LEAF + REMEMBERS] < 0.0 and table[i * LEAF + LINE] == table[e * LEAF + LINE]:
            return False
    return True


def turns_of(plan: Any, u: Any, line: int, k: int) -> None:
    """Where a line that carries a stack of reversals turns round."""
    samples = int(plan[STEPS_OF_PERIOD])
    slope = view(u, samples)
    step = 6.283185307179586 / samples
    for i in range(samples):
        after = i + 1 if i + 1 < samples else 0
        if (slope[i] > 0.0) != (slope[after] > 0.0):
            part = root(u[i], u[after], step * slope[i], step * slope[after], 1e300)
            if part >= 0.0:
                add_switch(plan, k, i + min(max(part, INSIDE), 1.0 - INSIDE), 0.0, line, float(TURN_ROUND))


def pushes(own: Sequence[float], x: float, v: float) -> bool:
    """Whether a damped side is met and pushes."""
    beyond = (x - own[EDGE]) * own[SIDE]
    return beyond > 0.0 and own[STIFFER] * beyond + own[DAMPED] * v * own[SIDE] > 0.0


def root(x: float, y: float, a: float, b: float, guard: float) -> float:
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
    for _ in range(HALVINGS):
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


def add_switch(plan: Any, k: int, place: float, kick: float, line: int, kind: float) -> None:
    """One more switch of an orbit, as long as there is room."""
    counts = numbers_at(int(plan[SWITCH_COUNTS]))
    count = int(counts[k])
    if count < MOST_SWITCHES:
        own = view(numbers_at(int(plan[SWITCHES])), (k * MOST_SWITCHES + count) * SWITCH_LENGTH)
        own[PLACE] = place
        own[KICK] = kick
        own[KICK_LINE] = float(line)
        own[KIND] = kind
        counts[k] = count + 1.0


def factor_at(factor: Sequence[float], samples: int, place: float) -> float:
    """Between samples, along a straight line."""
    i = int(place)
    after = i + 1 if i + 1 < samples else 0
    return factor[i] + (place - i) * (factor[after] - factor[i])


def in_order(own: Any, count: int) -> None:
    """Sort switches by their place: there are few."""
    for i in range(1, count):
        j = i
        while j > 0 and own[(j - 1) * SWITCH_LENGTH + PLACE] > own[j * SWITCH_LENGTH + PLACE]:
            for c in range(SWITCH_LENGTH):
                kept = own[(j - 1) * SWITCH_LENGTH + c]
                own[(j - 1) * SWITCH_LENGTH + c] = own[j * SWITCH_LENGTH + c]
                own[j * SWITCH_LENGTH + c] = kept
            j -= 1


def lengths_of(plan: Any, own: Any, count: int, stride: int, at: int) -> int:
    """Lengths, in samples, of the steps that begin or end at a switch; how many there are."""
    out = view(numbers_at(int(plan[LENGTHS])), at * 2 * MOST_SWITCHES)
    found = 0
    for i in range(count):
        place = own[i * SWITCH_LENGTH + PLACE]
        begin = float(int(place / stride) * stride)
        end = begin + stride
        before = own[(i - 1) * SWITCH_LENGTH + PLACE] if i > 0 else -1.0
        after = own[(i + 1) * SWITCH_LENGTH + PLACE] if i + 1 < count else 2.0 * end
        out[found] = place - max(begin, before)
        found += 1
        if after >= end:
            out[found] = end - place
            found += 1
    return found


def merge(plan: Any, k: int) -> None:
    """Put the motion of an orbit, with its switches among the samples, in the plan of the laws."""
    laws = numbers_at(int(plan[LAWS_PLAN]))
    samples = int(plan[STEPS_OF_PERIOD])
    m = int(plan[LINES_COUNT])
    count = int(numbers_at(int(plan[SWITCH_COUNTS]))[k])
    switches = view(numbers_at(int(plan[SWITCHES])), k * MOST_SWITCHES * SWITCH_LENGTH)
    instants = numbers_at(int(plan[INSTANTS]))
    total = 0
    j = 0
    for i in range(samples):
        instant(view(instants, total * INSTANT_LENGTH), float(i), float(REGULAR), 0.0, 0.0)
        total += 1
        while j < count and switches[j * SWITCH_LENGTH + PLACE] < i + 1.0:
            own = view(switches, j * SWITCH_LENGTH)
            for side in range(2):
                at = view(instants, total * INSTANT_LENGTH)
                instant(at, own[PLACE], own[KIND] if side else float(UP_TO), own[KICK], own[KICK_LINE])
                total += 1
            j += 1
    plan[INSTANT] = float(total)
    laws[SAMPLES] = float(total)
    laws[TURN] = laws[DEFLECTION] + 8.0 * total
    motion = numbers_at(int(laws[DEFLECTION]))
    for line in range(m):
        given = view(numbers_at(int(plan[MOTIONS])), 2 * samples * (k * m + line))
        merge_line(plan, instants, given, view(motion, 2 * total * line))
    table = numbers_at(int(laws[TABLE]))
    for e in range(int(plan[LEAVES_COUNT])):
        factor = numbers_at(int(table[e * LEAF + FACTOR]))
        own = view(numbers_at(int(plan[FACTORS])), e * samples)
        for i in range(total):
            place = instants[i * INSTANT_LENGTH + PLACE]
            regular = instants[i * INSTANT_LENGTH + KIND] == REGULAR
            factor[i] = own[int(place)] if regular else factor_at(own, samples, place)


def instant(out: Any, place: float, kind: float, kick: float, line: float) -> None:
    out[PLACE] = place
    out[KIND] = kind
    out[KICK] = kick
    out[KICK_LINE] = line


def merge_line(plan: Any, instants: Any, given: Any, out: Any) -> None:
    """Deflections of a line at all instants, and behind them their slopes."""
    samples = int(plan[STEPS_OF_PERIOD])
    total = int(plan[INSTANT])
    step = 6.283185307179586 / samples
    slopes = view(given, samples)
    for i in range(total):
        own = view(instants, i * INSTANT_LENGTH)
        begin = int(own[PLACE])
        if own[KIND] == REGULAR:
            out[i] = given[begin]
            out[total + i] = slopes[begin]
        else:
            after = begin + 1 if begin + 1 < samples else 0
            s = own[PLACE] - begin + aside(instants, i)
            x = given[begin]
            y = given[after]
            a = step * slopes[begin]
            b = step * slopes[after]
            out[i] = cubic(x, y, a, b, s)
            out[total + i] = cubic_slope(x, y, a, b, s) / step


def aside(instants: Any, i: int) -> float:
    """How far from its switch an instant is looked at; a turn itself, and behind it so far that it is seen."""
    own = view(instants, i * INSTANT_LENGTH)
    if own[KIND] == TURN_ROUND:
        return PAST
    if own[KIND] == BEHIND:
        return BESIDE
    return 0.0 if instants[(i + 1) * INSTANT_LENGTH + KIND] == TURN_ROUND else -BESIDE
