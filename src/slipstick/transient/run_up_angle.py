"""Angles of rotation whose speed is a function of time."""

from __future__ import annotations

import numpy as np

from slipstick.angle import Angle
from slipstick.errors import InvalidInput, short_repr
from slipstick.signals import TimeFunction


def angle_of(speed: TimeFunction) -> Angle:
    """The angle whose speed [rad/s] is a constant, a ramp, sampled, or a sum of these; zero at t = 0."""
    if not isinstance(speed, TimeFunction):
        way = "use ss.Ramp, ss.Signal, ss.Constant or a sum of them, in rad/s; frequency= takes a number"
        raise InvalidInput(f"speed must be a function of time, got {short_repr(speed)}", advice=[way]).about("speed")
    constant, ramp, harmonics, signals = speed.parts()
    if harmonics:
        way = "sample it: ss.Signal(t, values)"
        raise InvalidInput(f"speed must be made of straight lines, got {speed!r}", advice=[way]).about("speed")
    breaks = np.unique(np.concatenate([[0.0], *(signal.arrays[0] for signal in signals)]))
    begins = np.concatenate([breaks[:1] - 1.0, breaks])  # a piece before the first sample too
    rates, slopes = constant + ramp * begins, np.full(begins.size, ramp)
    for signal in signals:
        rates, slopes = rates + signal.sampled(begins), slopes + signal.sampled(begins, 1)
    spans = np.diff(begins)
    angles = np.concatenate([[0.0], np.cumsum(spans * (rates[:-1] + 0.5 * slopes[:-1] * spans))])
    whole = Angle(*(tuple(part.tolist()) for part in (begins, angles, rates, slopes)))
    zero = float(whole.over(0.0))
    return whole._replace(angle=tuple((angles - zero).tolist()))
