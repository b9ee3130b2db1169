"""Where sliders stick along a periodic motion: where the slider itself does not move (the play operator).

A force below its limit says the same only where nothing multiplies it, and only at samples. Here the deflection goes
from each point to the next as the cubic with their values and rates, is cut where it turns, and on each monotone step a
slider sticks first and slips from the place on where its spring is at its limit.
"""

from __future__ import annotations

import numpy as np

from slipstick.arrays import Array
from slipstick.laws.law_kernels import pointer
from slipstick.native import compile_functions
from slipstick.periodic.measures.stick_share_loop import StickSearch, stick_shares_along


def stick_shares(time: Array, widths: Array, u: Array, v: Array) -> tuple[Array, Array]:
    """(P,), (P,) where all of s sliders stick, whose deflections are multiples of each other, in each of P motions: the
    part of the period, and [s] after its start where that begins first; not a number if it does not begin.

    time : (r + 1,) [s] of one period, both ends included.   widths : (s,) half widths: limit over stiffness.
    u, v : (P, s, r + 1) deflections and rates of the sliders with their springs.
    """
    count, sliders, ends = u.shape
    out, room = np.empty((count, 2)), 2 * ends
    search = StickSearch(
        {"times": room, "deflections": room, "rates": room, "stuck": room, "moved": room},
        time=np.ascontiguousarray(time, dtype=np.float64), widths=np.ascontiguousarray(widths, dtype=np.float64),
        steps=ends - 1, sliders=sliders,
    )  # fmt: skip
    arrays = [np.ascontiguousarray(own, dtype=np.float64) for own in (u, v)]
    loop = compile_functions(stick_shares_along)["stick_shares_along"]
    loop.call(search.pointer, *map(pointer, (*arrays, out)), count)
    return out[:, 0], out[:, 1]
