"""Forces of laws with several deflections in nonlinear modes: slopes by the deflections of other lines."""

from __future__ import annotations

from typing import NamedTuple

from slipstick.arrays import Complex
from slipstick.periodic.balance import HarmonicBalance
from slipstick.periodic.modes.decaying_harmonic import DecayingForces


class PairSlope(NamedTuple):
    """slopes : (width, H+1) of the force of a line by the coefficients of another one of the same law."""

    line: int
    other: int
    slopes: Complex


def pair_slopes(balance: HarmonicBalance, decaying: DecayingForces) -> tuple[PairSlope, ...]:
    """The slopes of laws with several deflections along the motion that was followed last."""
    follower, found = balance.follower, list[PairSlope]()
    for (line, other), rows in zip(follower.pairs, follower.pair_harmonics.view(complex), strict=True):
        own = rows[:-1].copy()
        own[:, 0] = decaying.of_line(line, own[:, 0])
        found.append(PairSlope(line, other, own))
    return tuple(found)
