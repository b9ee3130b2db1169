"""Detects a misfit caused by an offset of the loops that the law cannot follow, for want of a constant force.

The check is a trial: the same law is fitted roughly to the same loops, centred at zero.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from slipstick.errors import Message
from slipstick.identification import tolerances as tol
from slipstick.identification.loop import Loop
from slipstick.identification.preparing.imposed_path import ImposedPath
from slipstick.identification.preparing.prepared_loop import PreparedLoop
from slipstick.laws.base import Law
from slipstick.results.fit import NO_CONSTANT_FORCE, REMOVE_OFFSET_ADVICE
from slipstick.units.number_format import format_percent


def missing_offset_warning(
    law: Law, prepared: Sequence[PreparedLoop], noise_ratio: float, trial: Callable[[list[Loop]], float]
) -> str:
    """The warning; empty if the law has a constant force, the loops are centred, or the offset is not the reason.

    noise_ratio : rms over noise of the fit.   trial : the same for a rough fit of the law to other loops.
    """
    away = next((r for r in prepared if _describe_offsets(r)), None)
    if away is None or not _is_odd_law(law, away.path):
        return ""
    share = trial([r.loop.without_offset() for r in prepared]) / noise_ratio
    if share > tol.CENTRED_RESIDUAL_RATIO:
        return ""
    return Message(
        f"the law {NO_CONSTANT_FORCE}, and the middle of {away.loop.name} is at "
        f"{' and '.join(_describe_offsets(away))}: centred at zero, "
        f"the residual is {format_percent(share)} of this one",
        advice=[REMOVE_OFFSET_ADVICE],
    )


def _describe_offsets(r: PreparedLoop) -> list[str]:
    """Offsets of deflection and force that are not zero, in words."""
    g, units = r.geometry, r.loop.units
    swing = 0.5 * float(np.ptp(np.concatenate((g.up, g.down))))
    each = (
        (g.middle, tol.OFFSET_AMPLITUDE_SHARE * g.amplitude, units.deflection),
        (g.level, max(tol.OFFSET_AMPLITUDE_SHARE * swing, tol.OFFSET_NOISE_RATIO * r.loop.noise), units.force),
    )
    return [scale.words(middle, 3) for middle, least, scale in each if abs(middle) > least]


def _is_odd_law(law: Law, path: ImposedPath) -> bool:
    """True if the force along the mirrored path is the mirrored force."""
    if path.free_force_offset(law):
        return False
    mirrored = replace(path, u=-path.u, rate=-path.rate, lead_corners=-path.lead_corners)
    force = path.force(law)
    return bool(np.all(np.abs(force + mirrored.force(law)) <= tol.ODD_SYMMETRY_REL * np.ptp(force)))
