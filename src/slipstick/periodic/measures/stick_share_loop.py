"""Where sliders stick along motions, one after the other; compiled. See `stick_share`."""

from __future__ import annotations

import math

from slipstick.native import Array, NativeRecord, Section, view

SLIDER_ROUNDING_REL = 1e-12  # of half width and deflection: what a slider may seem to move by
MAX_SLIP_HALVINGS = 60  # at most, of a step, until the place is found where slip begins


class StickSearch(NativeRecord):
    """Sliders along a period, and the steps of one of them, cut where the motion turns.

    time : (steps + 1,) [s].   widths : (sliders,) limit over stiffness.   cuts : number of steps after cutting.
    Sections have a place for each end of a cut step: times, deflections, rates, the part of each step in stick, and
    deflections from the first turn on.
    """

    time: Array
    widths: Array
    steps: int
    sliders: int
    cuts: int
    times: Section
    deflections: Section
    rates: Section
    stuck: Section
    moved: Section


def stick_shares_along(search: StickSearch, u: Array, v: Array, out: Array, count: int) -> None:
    """Of each of some motions (count, sliders, steps + 1) the part of the period in which all sliders stick, and the
    time after its start where that begins first; out (count, 2)."""
    size = search.sliders * (search.steps + 1)
    for k in range(count):
        stick_share_of_one(search, view(u, k * size), view(v, k * size), view(out, 2 * k))


def stick_share_of_one(search: StickSearch, u: Array, v: Array, out: Array) -> None:
    """The same of one motion."""
    times = search.times
    stuck = search.stuck
    for s in range(search.sliders):
        begin = s * (search.steps + 1)
        cut_at_turns(search, u, v, view(u, begin), view(v, begin))
        if s == 0:
            for i in range(search.cuts):
                stuck[i] = 1.0
        shorten_by_slip(search, search.widths[s])
    whole = 0.0
    part = 0.0
    for i in range(search.cuts):
        h = times[i + 1] - times[i]
        whole += 1.0 * h
        part += stuck[i] * h
    out[0] = part / whole  # summed alike: 1 is 1
    out[1] = math.nan
    before = stuck[search.cuts - 1]
    for i in range(search.cuts):
        if stuck[i] > 0.0 and before < 1.0:
            out[1] = times[i] - search.time[0]
            return
        before = stuck[i]


def cut_at_turns(search: StickSearch, u: Array, v: Array, own: Array, slope: Array) -> None:
    """Set times, deflections and rates of a slider (own, slope), cut where the first one (u, v) turns."""
    time = search.time
    times = search.times
    deflections = search.deflections
    rates = search.rates
    k = 0
    for i in range(search.steps):
        times[k] = time[i]
        deflections[k] = own[i]
        rates[k] = slope[i]
        k += 1
        if v[i] * v[i + 1] < 0.0:
            h = time[i + 1] - time[i]
            part = turn(h * v[i], h * v[i + 1], u[i + 1] - u[i])
            rest = 1.0 - part
            ends = (1.0 + 2.0 * part) * rest * rest * own[i] + (1.0 + 2.0 * rest) * part * part * own[i + 1]
            times[k] = time[i] + part * h
            deflections[k] = ends + part * rest * h * (rest * slope[i] - part * slope[i + 1])
            rates[k] = 0.0
            k += 1
    times[k] = time[search.steps]
    deflections[k] = own[search.steps]
    rates[k] = slope[search.steps]
    search.cuts = k


def turn(first: float, last: float, jump: float) -> float:
    """The part of a step at which a deflection turns: its rate is a parabola a x^2 + 2 b x + first, with one root
    inside as its ends have different signs."""
    a = 3.0 * (first + last) - 6.0 * jump
    b = 3.0 * jump - 2.0 * first - last
    root = -b - math.copysign(math.sqrt(max(b * b - a * first, 0.0)), b)
    found = first / root if root != 0.0 else 1.0
    if not (found > 0.0 and found < 1.0):
        found = root / a if a != 0.0 else 0.5
    return min(max(found, 0.0), 1.0)


def shorten_by_slip(search: StickSearch, width: float) -> None:
    """Shorten what is stuck of each step by the part after which a slider slips."""
    count = search.cuts
    stuck = search.stuck
    u = search.deflections
    if width <= 0.0:  # it holds nothing
        for i in range(count):
            stuck[i] = 0.0
        return
    largest = 0.0
    for i in range(count + 1):
        largest = max(largest, abs(u[i]))
    noise = SLIDER_ROUNDING_REL * (width + largest)
    first = first_turn(u, count, noise)
    if first < 0:
        return
    # from the first turn on, once round: a settled run does not close to the last digit, so its moves are what counts
    moved = search.moved
    moved[0] = u[first]
    for i in range(count):
        k = first + i if first + i < count else first + i - count
        moved[i + 1] = moved[i] + (u[k + 1] - u[k])
    slider = moved[0]
    for again in range(2):  # in the first round the motion pushes it to where it stays
        begin = 0
        while begin < count:
            end = next_turn(moved, begin, count, noise)
            side = 1.0 if moved[end] > moved[begin] else -1.0
            if again == 1:
                slip(search, slider + side * width, begin, end, noise, first)
            slider = min(max(slider, moved[end] - width), moved[end] + width)
            begin = end
        slider += moved[0] - moved[count]


def first_turn(u: Array, count: int, noise: float) -> int:
    """The first step with which a motion goes another way than before; -1 where nothing moves.

    Moves below noise belong to what was before them.
    """
    before = 0.0
    for i in range(count):
        move = u[count - i] - u[count - i - 1]
        if abs(move) > noise and before == 0.0:
            before = move
    if before == 0.0:
        return -1
    found = -1
    for i in range(count):
        move = u[i + 1] - u[i]
        if abs(move) > noise:
            if move * before < 0.0:
                return i
            if found < 0:
                found = i
            before = move
    return found  # it goes one way all the time


def next_turn(u: Array, begin: int, count: int, noise: float) -> int:
    """The end of the run that a step begins with: the first step after it that goes another way."""
    way = u[begin + 1] - u[begin]
    for i in range(begin + 1, count):
        move = u[i + 1] - u[i]
        if abs(move) > noise and move * way < 0.0:
            return i
    return count


def slip(search: StickSearch, place: float, begin: int, end: int, noise: float, first: int) -> None:
    """Shorten what is stuck of the steps of a run that leads past the place where a slider's spring is at its limit.

    first : the step that ``moved`` begins with.
    """
    count = search.cuts
    moved = search.moved
    stuck = search.stuck
    side = 1.0 if moved[end] > moved[begin] else -1.0
    if not side * (moved[end] - place) > noise:
        return
    for i in range(begin, end):
        k = first + i if first + i < count else first + i - count
        if side * moved[i] >= side * place - noise:
            stuck[k] = 0.0
        elif side * moved[i + 1] >= side * place - noise:
            h = search.times[k + 1] - search.times[k]
            whole = search.deflections[k + 1] - search.deflections[k]
            begun = h * search.rates[k]
            stuck[k] = min(stuck[k], crossing(whole, begun, h * search.rates[k + 1], place - moved[i]))


def crossing(whole: float, first: float, last: float, move: float) -> float:
    """The part of a step after which the deflection has moved so far."""
    low = 0.0
    high = 1.0
    x = move / whole
    for _ in range(MAX_SLIP_HALVINGS):
        rest = 1.0 - x
        left = x * (rest * rest * first + x * ((3.0 - 2.0 * x) * whole - rest * last)) - move
        if left * whole < 0.0:
            low = x
        else:
            high = x
        slope = rest * (1.0 - 3.0 * x) * first + x * (6.0 * rest * whole - (2.0 - 3.0 * x) * last)
        new = x - left / slope if slope * whole > 0.0 else low
        old = x
        x = new if new > low and new < high else 0.5 * (low + high)  # Newton's step, or half of what is left
        if abs(x - old) < SLIDER_ROUNDING_REL:
            break
    return x
