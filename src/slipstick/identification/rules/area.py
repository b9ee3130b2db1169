"""Rate for exponent 1 from the area of a loop (tensioner 2.1.3), in closed form.

With exponent 1 a rising branch is f' = rate (h_u - f) with h_u = a u + b. It runs along the line l_u = h_u - a/rate,
and its distance from that line decays as e^(-rate x); a falling branch does the same with l_l = h_l + d/rate. In a
settled loop over a range D of deflection, the distances y and z at the start of the rising and falling branch satisfy

    y + q z = W_low,   q y + z = W_high,   q = e^(-rate D),   W = l_u - l_l at the ends,

so y + z = (W_low + W_high)/(1 + q), and its area is D W - (y + z)(1 - q)/rate, with the mean width W:

    area / (D W) = 1 - tanh(x)/x,   x = rate D / 2.

The right side rises from 0 to 1: there is one rate for each area below D W, between the bounds from
x^2/3 >= 1 - tanh(x)/x >= 1 - 1/x.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from slipstick.identification import tolerances as tol
from slipstick.identification.preparing.loop_geometry import LoopGeometry
from slipstick.identification.rules.envelope_lines import Envelopes, envelopes_of, require_reached
from slipstick.identification.rules.rule_base import (
    ENERGY,
    Rule,
    RuleRow,
    cached_by_geometry,
    checked_branch_share,
    line_rows,
    prepare_for_rule,
    rule_error,
)
from slipstick.laws.dahl import Duhem


@dataclass(frozen=True)
class RateFromArea(Rule):
    """rate : of a Duhem law.   area : of the loop.   between : area between the lines, over the range of deflection.
    filled : area / between.   envelopes : the lines.   upper, lower : the envelopes, a/rate outside the lines.
    """

    name: str
    rate: float
    area: float
    between: float
    filled: float
    envelopes: Envelopes
    upper: tuple[float, float]
    lower: tuple[float, float]

    @property
    def law(self) -> Duhem:
        return Duhem(rate=self.rate, upper=self.upper, lower=self.lower)

    @property
    def system(self) -> str:
        return self.envelopes.system

    def rows(self) -> list[RuleRow]:
        return [
            RuleRow("rate", self.rate, (0, -1, 0)),
            *line_rows(self.upper, self.lower),
            RuleRow("area", self.area, ENERGY, f"of {self.between:.6g} between the lines ({self.filled:.1%})"),
        ]


def rate_from_area(loop: Any, *, share: float = tol.DEFAULT_END_SHARE) -> RateFromArea:
    """The rate of a Duhem law (exponent 1) from the area of a loop.

    loop : a `Loop`.   share : last part of each branch, which gives the envelopes.
    """
    where = "rules.rate_from_area"
    return rate_from_area_of(prepare_for_rule(where, loop).geometry, checked_branch_share(where, share))


@cached_by_geometry
def rate_from_area_of(geometry: LoopGeometry, share: float = tol.DEFAULT_END_SHARE) -> RateFromArea:
    """The same from a geometry."""
    lines = require_reached(envelopes_of(geometry, share))
    way = lines.high - lines.low
    between = way * lines.width(0.5 * (lines.low + lines.high))
    filled = geometry.area / between if between > 0.0 else np.inf
    if not tol.ZERO_AREA_REL < filled < 1.0:
        raise rule_error(
            geometry,
            f"the loop has an area of {geometry.area:.4g}, between its envelopes there is {between:.4g}; "
            "a rate follows only if the first is above 0 and below the second",
        )
    rate = 2.0 * _inverse_filled_share(filled) / way
    (b, a), (e, d) = lines.upper, lines.lower
    upper, lower = (b + a / rate, a), (e - d / rate, d)
    return RateFromArea(geometry.name, rate, geometry.area, between, filled, lines, upper, lower)


def filled_share(x: float) -> float:
    """1 - tanh(x)/x: share of the area between the lines that a loop fills, x = rate times half the range."""
    if x < 0.05:  # series, as the difference would lose digits
        return x * x / 3.0 - 2.0 * x**4 / 15.0 + 17.0 * x**6 / 315.0
    return float(1.0 - np.tanh(x) / x)


def _inverse_filled_share(filled: float) -> float:
    """Inverse of `filled_share`."""
    from scipy.optimize import brentq

    low, high = np.sqrt(3.0 * filled), 1.0 / (1.0 - filled)
    return float(
        brentq(
            lambda x: filled_share(x) - filled,
            min(low, high) * (1.0 - 1e-9),
            max(low, high) * 2.0,
            xtol=tol.ROOT_TOLERANCE_REL,
        )
    )
