"""Where sliders stick along a periodic motion: where the slider itself does not move (the play operator).

A force below its limit says the same only where nothing multiplies it, and only at samples. Here the deflection goes
from each point to the next as the cubic with their values and rates, is cut where it turns, and on each monotone step a
slider sticks first and slips from the place on where its spring is at its limit.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Places = NDArray[np.intp]

ROUNDING = 1e-12  # of half width and deflection: what a slider may seem to move by
HALVINGS = 60  # at most, of a step, until the place is found where slip begins


class Slider(NamedTuple):
    """half_width : limit over stiffness.   u, v : (r + 1,) deflection and rate of the slider with its spring."""

    half_width: float
    u: Array
    v: Array


class Held(NamedTuple):
    """share : part of the period in which sliders stick.   begin : [s] after the begin of the period, where that begins
    first; not a number if it does not begin."""

    share: float
    begin: float


def held(time: Array, sliders: Sequence[Slider]) -> Held:
    """Where all of some sliders stick, whose deflections are multiples of each other.

    time : (r + 1,) [s] of one period, both ends included.
    """
    steps, parts = _turns(time, sliders[0])
    places, olds = steps + 1 + np.arange(steps.size), np.ones(time.size + steps.size, dtype=bool)
    olds[places] = False

    def with_turns(values: Array, new: Array | float) -> Array:
        out = np.empty(olds.size)
        out[olds], out[places] = values, new
        return out

    times = with_turns(time, time[steps] + parts * (time[steps + 1] - time[steps]))
    stuck = np.ones(times.size - 1)
    for own in sliders:
        u, v = with_turns(own.u, _between(time, own, steps, parts)), with_turns(own.v, 0.0)
        np.minimum(stuck, _until(times, Slider(own.half_width, u, v)), out=stuck)
    begins = np.flatnonzero((stuck > 0.0) & (_rolled(stuck, -1) < 1.0))
    first = float(times[begins[0]] - time[0]) if begins.size else np.nan
    h = times[1:] - times[:-1]
    return Held(float(stuck @ h) / float(np.ones(h.size) @ h), first)  # summed alike: 1 is 1


def _rolled(values: Array, first: int) -> Array:
    """The values from one of them on, once round."""
    return np.concatenate([values[first:], values[:first]])


def _between(time: Array, own: Slider, steps: Places, parts: Array) -> Array:
    """(k,) deflections at parts of steps."""
    h, rest = time[steps + 1] - time[steps], 1.0 - parts
    ends = (1.0 + 2.0 * parts) * rest**2 * own.u[steps] + (1.0 + 2.0 * rest) * parts**2 * own.u[steps + 1]
    return np.asarray(ends + parts * rest * h * (rest * own.v[steps] - parts * own.v[steps + 1]))


def _turns(time: Array, own: Slider) -> tuple[Places, Array]:
    """(k,) steps in which a deflection turns, and the parts of them at which it does."""
    steps = np.flatnonzero(own.v[:-1] * own.v[1:] < 0.0)
    h = time[steps + 1] - time[steps]
    first, last, jump = h * own.v[steps], h * own.v[steps + 1], own.u[steps + 1] - own.u[steps]
    # the rate is a parabola a x^2 + 2 b x + first, with one root inside as its ends have different signs
    a, b = 3.0 * (first + last) - 6.0 * jump, 3.0 * jump - 2.0 * first - last
    root = -b - np.copysign(np.sqrt(np.maximum(b * b - a * first, 0.0)), b)
    with np.errstate(divide="ignore", invalid="ignore"):
        near, far = first / root, root / a
    return steps, np.clip(np.where((near > 0.0) & (near < 1.0), near, far), 0.0, 1.0)


def _until(time: Array, own: Slider) -> Array:
    """(r,) the part of each step after which a slider slips; 1 where it sticks to the end of it."""
    width, moves = own.half_width, own.u[1:] - own.u[:-1]
    if width <= 0.0:  # it holds nothing
        return np.zeros(moves.size)
    noise = ROUNDING * (width + float(np.abs(own.u).max()))
    begins, sides = _runs(moves, noise)
    if not begins:
        return np.ones(moves.size)
    first = begins[0]
    # from the first turn on, once round: a settled run does not close to the last digit, so its moves are what counts
    u = own.u[first] + np.concatenate([[0.0], np.cumsum(_rolled(moves, first))])
    ends = [begin - first for begin in begins[1:]] + [moves.size]
    slider, parts = float(u[0]), np.ones(moves.size)
    for _ in range(2):  # in the first round the motion pushes it to where it stays
        begin, inside = 0, list[tuple[int, float]]()
        for side, end in zip(sides, ends, strict=True):
            place = slider + side * width
            slips = begin + int(np.searchsorted(side * u[begin : end + 1], side * place - noise)) - 1
            parts[begin:end] = 1.0
            if side * (u[end] - place) > noise:
                parts[max(slips, begin) : end] = 0.0
                if slips >= begin:
                    inside.append((slips, place - float(u[slips])))
            slider = min(max(slider, float(u[end]) - width), float(u[end]) + width)
            begin = end
        slider += float(u[0] - u[-1])
    for k, move in inside:
        parts[k] = _crossing(time, own, (k + first) % moves.size, move)
    return _rolled(parts, -first if first else 0)


def _runs(moves: Array, noise: float) -> tuple[list[int], list[float]]:
    """Steps with which a motion begins to go the other way, and the way (1 or -1) that it goes from there on.

    moves : (r,) of each step; those below noise belong to what was before them. Nothing where all are.
    """
    sure = np.flatnonzero(np.abs(moves) > noise)
    if not sure.size:
        return [], []
    ways = np.sign(moves[sure])
    others = np.flatnonzero(ways != _rolled(ways, -1))
    if not others.size:  # it goes one way all the time
        others = np.zeros(1, dtype=np.intp)
    return sure[others].tolist(), ways[others].tolist()


def _crossing(time: Array, own: Slider, k: int, move: float) -> float:
    """The part of step k after which the deflection has moved so far."""
    h = float(time[k + 1] - time[k])
    whole, first, last = float(own.u[k + 1] - own.u[k]), h * float(own.v[k]), h * float(own.v[k + 1])
    low, high, x = 0.0, 1.0, move / whole
    for _ in range(HALVINGS):
        rest = 1.0 - x
        left = x * (rest**2 * first + x * ((3.0 - 2.0 * x) * whole - rest * last)) - move
        if left * whole < 0.0:
            low = x
        else:
            high = x
        slope = rest * (1.0 - 3.0 * x) * first + x * (6.0 * rest * whole - (2.0 - 3.0 * x) * last)
        new = x - left / slope if slope * whole > 0.0 else low
        x, old = new if low < new < high else 0.5 * (low + high), x  # Newton's step, or half of what is left
        if abs(x - old) < ROUNDING:
            break
    return x
