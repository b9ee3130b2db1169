"""Where sliders stick along motions, one after the other; compiled. See `stick_share`."""

from __future__ import annotations

import math

from slipstick.native import Array, view

SLIDER_ROUNDING_REL = 1e-12  # of half width and deflection: what a slider may seem to move by
MAX_SLIP_HALVINGS = 60  # at most, of a step, until the place is found where slip begins

# of the room, each so long as a motion with all the turns it can have: times, deflections, rates, how far each step is
# stuck, deflections from the first turn on
TIMES, DEFLECTIONS, RATES, STUCK, GONE = range(5)
ROWS = 5


def stick_shares_along(
    time: Array, u: Array, v: Array, widths: Array, room: Array, out: Array, steps: int, sliders: int, count: int
) -> None:
    """Of each of some motions (count, sliders, steps + 1) the part of the period in which all sliders stick, and the
    time after its start where that begins first; out (count, 2)."""
    for k in range(count):
        begin = k * sliders * (steps + 1)
        stick_share_of_one(time, view(u, begin), view(v, begin), widths, room, view(out, 2 * k), steps, sliders)


def stick_share_of_one(
    time: Array, u: Array, v: Array, widths: Array, room: Array, out: Array, steps: int, sliders: int
) -> None:
    """The same of one motion."""
    long = 2 * steps + 2
    times = view(room, TIMES * long)
    stuck = view(room, STUCK * long)
    count = 0
    for s in range(sliders):
        own = view(u, s * (steps + 1))
        slope = view(v, s * (steps + 1))
        count = cut_at_turns(time, u, v, own, slope, room, steps)
        if s == 0:
            for i in range(count):
                stuck[i] = 1.0
        shorten_by_slip(room, widths[s], steps, count)
    whole = 0.0
    part = 0.0
    for i in range(count):
        h = times[i + 1] - times[i]
        whole += 1.0 * h
        part += stuck[i] * h
    out[0] = part / whole  # summed alike: 1 is 1
    out[1] = math.nan
    before = stuck[count - 1]
    for i in range(count):
        if stuck[i] > 0.0 and before < 1.0:
            out[1] = times[i] - time[0]
            return
        before = stuck[i]


def cut_at_turns(time: Array, u: Array, v: Array, own: Array, slope: Array, room: Array, steps: int) -> int:
    """Put times, deflections and rates of a slider in the room, with the turns of the first one (u, v) between them;
    how many steps there are then."""
    long = 2 * steps + 2
    times = view(room, TIMES * long)
    deflections = view(room, DEFLECTIONS * long)
    rates = view(room, RATES * long)
    k = 0
    for i in range(steps):
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
    times[k] = time[steps]
    deflections[k] = own[steps]
    rates[k] = slope[steps]
    return k


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


def shorten_by_slip(room: Array, width: float, steps: int, count: int) -> None:
    """Shorten what is stuck of each step by the part after which a slider slips."""
    long = 2 * steps + 2
    stuck = view(room, STUCK * long)
    u = view(room, DEFLECTIONS * long)
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
    gone = view(room, GONE * long)
    gone[0] = u[first]
    for i in range(count):
        k = first + i if first + i < count else first + i - count
        gone[i + 1] = gone[i] + (u[k + 1] - u[k])
    slider = gone[0]
    for again in range(2):  # in the first round the motion pushes it to where it stays
        begin = 0
        while begin < count:
            end = next_turn(gone, begin, count, noise)
            side = 1.0 if gone[end] > gone[begin] else -1.0
            if again == 1:
                slip(room, slider + side * width, side, begin, end, noise, first, steps, count)
            slider = min(max(slider, gone[end] - width), gone[end] + width)
            begin = end
        slider += gone[0] - gone[count]


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


def slip(
    room: Array, place: float, side: float, begin: int, end: int, noise: float, first: int, steps: int, count: int
) -> None:
    """Shorten what is stuck of the steps of a run that leads past the place where a slider's spring is at its limit."""
    long = 2 * steps + 2
    gone = view(room, GONE * long)
    stuck = view(room, STUCK * long)
    if not side * (gone[end] - place) > noise:
        return
    for i in range(begin, end):
        k = first + i if first + i < count else first + i - count
        if side * gone[i] >= side * place - noise:
            stuck[k] = 0.0
        elif side * gone[i + 1] >= side * place - noise:
            times = view(room, TIMES * long + k)
            u = view(room, DEFLECTIONS * long + k)
            v = view(room, RATES * long + k)
            h = times[1] - times[0]
            stuck[k] = min(stuck[k], crossing(u[1] - u[0], h * v[0], h * v[1], place - gone[i]))


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
