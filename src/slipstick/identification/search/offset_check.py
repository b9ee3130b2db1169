"""Whether a law fits badly because loops are not about zero, and it has no constant force that would lift its own.

That is tried and not guessed: the same law is fitted, roughly, to the same loops put about zero.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from slipstick.errors import Message
from slipstick.identification.loop import Loop
from slipstick.identification.preparing.imposed_path import ImposedPath
from slipstick.identification.preparing.prepared_loop import PreparedLoop
from slipstick.laws.base import Law
from slipstick.results.fit import NO_CONSTANT_FORCE, REMOVE_OFFSET_ADVICE

OFFSET_AMPLITUDE_SHARE = 0.02  # of the amplitude: a middle that is farther from zero
MISFIT_NOISE_RATIO = 3.0  # times the noise, and
CENTRED_RESIDUAL_RATIO = 0.5  # of what is left: so much less about zero is no chance
ODD_SYMMETRY_REL = 1e-6  # of the range of force


def missing_offset_warning(
    law: Law, prepared: Sequence[PreparedLoop], off: float, trial: Callable[[list[Loop]], float]
) -> str:
    """The warning; nothing where the law has a constant force, loops are about zero, or that is not the reason.

    off : what the law leaves, over the noise.   trial : the same of a rough fit of it to other loops.
    """
    away = next((r for r in prepared if _describe_offsets(r)), None)
    if away is None or not _is_odd_law(law, away.drive):
        return ""
    share = trial([r.loop.without_offset() for r in prepared]) / off
    if share > CENTRED_RESIDUAL_RATIO:
        return ""
    return Message(
        f"the law {NO_CONSTANT_FORCE}, and the middle of {away.loop.name} is at "
        f"{' and '.join(_describe_offsets(away))}: about zero it leaves {100.0 * share:.2g} % of what it leaves there",
        advice=[REMOVE_OFFSET_ADVICE],
    )


def _describe_offsets(r: PreparedLoop) -> list[str]:
    """Of deflection and force, in words, those that are not zero."""
    g, units = r.geometry, r.loop.units
    swing = 0.5 * float(np.ptp(np.concatenate((g.up, g.down))))
    each = (
        (g.middle, OFFSET_AMPLITUDE_SHARE * g.amplitude, units.deflection),
        (g.level, max(OFFSET_AMPLITUDE_SHARE * swing, MISFIT_NOISE_RATIO * r.loop.noise), units.force),
    )
    return [scale.words(middle, 3) for middle, least, scale in each if abs(middle) > least]


def _is_odd_law(law: Law, drive: ImposedPath) -> bool:
    """True if the mirrored path has the mirrored force: nothing in the law tells up from down."""
    if drive.free_force_offset(law):
        return False
    mirrored = replace(drive, u=-drive.u, rate=-drive.rate, corners=-drive.corners)
    force = drive.force(law)
    return bool(np.all(np.abs(force + mirrored.force(law)) <= ODD_SYMMETRY_REL * np.ptp(force)))
