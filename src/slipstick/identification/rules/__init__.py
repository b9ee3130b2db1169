"""The papers' rules: each module reads parameters of a law off a loop, with intermediate values.

A rule needs no search, or a small one. `identify` starts from these values and reports them beside its own. Each rule
takes a `Loop` (`backbone` several) and returns a frozen result: the values, what they were computed from, `.law`
where a law follows, and `.plot()`. A rule that does not apply says why, in one line.

    area              rate from the loop area (exponent 1)
    backbone          friction and polynomial from tips at several amplitudes
    dahl_shape        rate and exponent of the modified Dahl law
    damping           damper of the Masing law from the energy of a cycle
    envelope_lines    straight envelopes by least squares
    masing_corners    the Masing law from corners, slopes and tips
    overshoot         overshoot by Dahl's rule and by Bliman and Sorine's
    two_exponentials  curve with overshoot from a few of its figures
    rule_base         what rules share
    rule_report       values of all rules beside a fit
"""

from __future__ import annotations

from slipstick.identification.rules.area import RateFromArea, rate_from_area
from slipstick.identification.rules.backbone import Backbone, backbone
from slipstick.identification.rules.dahl_shape import RateAndExponent, rate_and_exponent
from slipstick.identification.rules.damping import DampingFromEnergy, damping_from_energy
from slipstick.identification.rules.envelope_lines import Envelopes, envelopes
from slipstick.identification.rules.masing_corners import FittedCorner, MasingGeometry, masing_geometry
from slipstick.identification.rules.overshoot import Overshoot, overshoot_bliman_sorine, overshoot_dahl
from slipstick.identification.rules.two_exponentials import (
    TwoExponentials,
    two_exponentials_bliman_sorine,
    two_exponentials_dahl,
)

__all__ = [
    "Backbone",
    "DampingFromEnergy",
    "Envelopes",
    "FittedCorner",
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
