"""Whether a law fits badly because loops are not about zero, and it has no constant force that would lift its own.

That is tried and not guessed: the same law is fitted, roughly, to the same loops put about zero.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from slipstick.identification.drive import Drive
from slipstick.identification.loop import Loop
from slipstick.identification.preparing import Ready
from slipstick.laws.base import Law
from slipstick.results.fit import ABOUT_ZERO, NO_CONSTANT

AWAY = 0.02  # of the amplitude: a middle that is farther from zero
BEYOND = 3.0  # times the noise, and
MUCH_LESS = 0.5  # of what is left: so much less about zero is no chance
ODD = 1e-6  # of the range of force


def lacks_a_constant(law: Law, readied: Sequence[Ready], off: float, trial: Callable[[list[Loop]], float]) -> str:
    """The warning; nothing where the law has a constant force, loops are about zero, or that is not the reason.

    off : what the law leaves, over the noise.   trial : the same of a rough fit of it to other loops.
    """
    away = next((r for r in readied if _middles(r)), None)
    if away is None or not _is_odd(law, away.drive):
        return ""
    share = trial([r.loop.without_offset() for r in readied]) / off
    if share > MUCH_LESS:
        return ""
    return (
        f"the law {NO_CONSTANT}, and the middle of {away.loop.name} is at {' and '.join(_middles(away))}: about zero "
        f"it leaves {100.0 * share:.2g} % of what it leaves there; {ABOUT_ZERO}"
    )


def _middles(r: Ready) -> list[str]:
    """Of deflection and force, in words, those that are not zero."""
    g, units = r.geometry, r.loop.units
    swing = 0.5 * float(np.ptp(np.concatenate((g.up, g.down))))
    each = (
        (g.middle, AWAY * g.amplitude, units.deflection),
        (g.level, max(AWAY * swing, BEYOND * r.loop.noise), units.force),
    )
    return [scale.words(middle, 3) for middle, least, scale in each if abs(middle) > least]


def _is_odd(law: Law, drive: Drive) -> bool:
    """True if the mirrored path has the mirrored force: nothing in the law tells up from down."""
    if drive.keeps_its_force(law):
        return False
    mirrored = replace(drive, u=-drive.u, rate=-drive.rate, corners=-drive.corners)
    force = drive.force(law)
    return bool(np.all(np.abs(force + mirrored.force(law)) <= ODD * np.ptp(force)))
