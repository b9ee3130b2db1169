"""Where sliders stick along a periodic motion: where the slider itself does not move (the play operator).

A force below its limit says the same only where nothing multiplies it, and only at samples. Here the deflection goes
from each point to the next as the cubic with their values and rates, is cut where it turns, and on each monotone step a
slider sticks first and slips from the place on where its spring is at its limit.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Places = NDArray[np.intp]

ROUNDING = 1e-12  # of half width and deflection: what a slider may seem to move by
HALVINGS = 40  # of a step, until the place is found where slip begins


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
    times = np.insert(time, steps + 1, time[steps] + parts * (time[steps + 1] - time[steps]))
    stuck = np.ones(times.size - 1)
    for own in sliders:
        u = np.insert(own.u, steps + 1, _between(time, own, steps, parts))
        v = np.insert(own.v, steps + 1, 0.0)
        np.minimum(stuck, _until(times, Slider(own.half_width, u, v)), out=stuck)
    begins = np.flatnonzero((stuck > 0.0) & (np.roll(stuck, 1) < 1.0))
    first = float(times[begins[0]] - time[0]) if begins.size else np.nan
    h = np.diff(times)
    return Held(math.fsum(stuck * h) / math.fsum(h), first)


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
    width, at = own.half_width, own.u.tolist()
    if width <= 0.0:  # it holds nothing
        return np.zeros(len(at) - 1)
    noise = ROUNDING * (width + float(np.abs(own.u).max()))
    slider, now = at[0], 1.0
    for _ in range(2):  # in the first round the motion pushes it to where it stays
        out, inside, places = [], list[int](), list[float]()
        for k, (begin, end) in enumerate(pairwise(at)):
            if abs(end - begin) > noise:  # else what it does goes on
                side = 1.0 if end > begin else -1.0
                place = slider + side * width
                now = 1.0 if side * (place - begin) > noise else 0.0
                if now and side * (end - place) > noise:
                    inside.append(k)
                    places.append(place)
                    now = 0.0
                slider = min(max(slider, end - width), end + width)
            out.append(now)
        slider += at[0] - at[-1]  # a settled run does not close to the last digit
    parts = np.array(out)
    parts[inside] = _crossing(time, own, np.array(inside, dtype=np.intp), np.array(places))
    return parts


def _crossing(time: Array, own: Slider, steps: Places, places: Array) -> Array:
    """(k,) the parts of steps at which the deflection is at places between those of their ends."""
    rises = own.u[steps + 1] > own.u[steps]
    low, high = np.zeros(steps.size), np.ones(steps.size)
    for _ in range(HALVINGS if steps.size else 0):
        middle = 0.5 * (low + high)
        is_before = (_between(time, own, steps, middle) < places) == rises
        low, high = np.where(is_before, middle, low), np.where(is_before, high, middle)
    return 0.5 * (low + high)
