"""The papers' rules: numbers of a law read off a loop, one rule a file, each with its intermediate values.

They need no search, or a small one, and start the fit of `identify`, which reports them beside its own numbers. Each
takes a `Loop` (`backbone` several) and gives a frozen result: the values, what they were computed from, `.law` where a
law follows, and `.plot()`, the construction drawn over the loop. A rule that does not apply says why, in one line.
"""

from __future__ import annotations

from slipstick.identification.rules.area import RateFromArea, rate_from_area
from slipstick.identification.rules.backbone import Backbone, backbone
from slipstick.identification.rules.energy import DampingFromEnergy, damping_from_energy
from slipstick.identification.rules.envelopes import Envelopes, envelopes
from slipstick.identification.rules.masing import Corner, MasingGeometry, masing_geometry
from slipstick.identification.rules.overshoot import Overshoot, overshoot_bliman_sorine, overshoot_dahl
from slipstick.identification.rules.shape import RateAndExponent, rate_and_exponent
from slipstick.identification.rules.two_exponentials import (
    TwoExponentials,
    two_exponentials_bliman_sorine,
    two_exponentials_dahl,
)

__all__ = [
    "Backbone",
    "Corner",
    "DampingFromEnergy",
    "Envelopes",
    "MasingGeometry",
    "Overshoot",
    "RateAndExponent",
    "RateFromArea",
    "TwoExponentials",
    "backbone",
    "damping_from_energy",
    "envelopes",
    "masing_geometry",
    "overshoot_bliman_sorine",
    "overshoot_dahl",
    "rate_and_exponent",
    "rate_from_area",
    "two_exponentials_bliman_sorine",
    "two_exponentials_dahl",
]
