"""Rate and exponent of a modified Dahl law (tensioner 2.1.3, 3.2.1): envelopes held, loops compared until they agree.

Neither follows from a formula. The envelopes are lines through the ends of the branches; with them held, rate and
exponent are changed until measured and predicted loop differ least. The lines lie (slope/rate)^(1/exponent) inside the
envelopes, which is put back for each pair that is compared.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from slipstick.errors import InvalidInput
from slipstick.identification.drive import Drive
from slipstick.identification.geometry import Geometry, Samples
from slipstick.identification.rules.base import Row, Rule, about, once, ready_for, rows_of_lines, share_of
from slipstick.identification.rules.envelopes import SHARE, Envelopes, envelopes_of, reached
from slipstick.identification.unknowns import EXPONENTS
from slipstick.laws.dahl import ModifiedDahl
from slipstick.laws.parameters import FORCE, NUMBER

Array = NDArray[np.float64]

TRIED = (0.3, 0.6, 1.0, 1.5)  # exponents to begin with
MOST = 500  # samples of a branch that are compared: two numbers need no more
MOST_COMPARED = 15  # loops, without those for derivatives
FAR = 1e6  # residual, in widths of the loop, of a pair that makes no law


@dataclass(frozen=True)
class RateAndExponent(Rule):
    """rate, exponent : where the loops differ least, with the envelopes held.   envelopes : the lines.
    upper, lower : the envelopes themselves.   u, measured, predicted : (n,) the loops that were compared: rising
    samples in the order of deflection, then falling ones.   rms : of their difference.   comparisons : how many.
    """

    name: str
    rate: float
    exponent: float
    envelopes: Envelopes
    upper: tuple[float, float]
    lower: tuple[float, float]
    u: Array
    measured: Array
    predicted: Array
    rms: float
    comparisons: int

    @property
    def law(self) -> ModifiedDahl:
        return ModifiedDahl(rate=self.rate, exponent=self.exponent, upper=self.upper, lower=self.lower)

    @property
    def system(self) -> str:
        return self.envelopes.system

    def rows(self) -> list[Row]:
        upper = f"({self.upper[0] - self.envelopes.upper[0]:.4g} outside its line)"
        lower = f"({self.envelopes.lower[0] - self.lower[0]:.4g} outside its line)"
        return [
            Row("rate", self.rate, (round(1.0 - self.exponent, 3), -1, 0)),
            Row("exponent", self.exponent, NUMBER),
            *rows_of_lines(self.upper, self.lower, (upper, "", lower, "")),
            Row("rms", self.rms, FORCE, f"of {self.u.size} samples, after {self.comparisons} comparisons"),
        ]


def rate_and_exponent(loop: Any, *, share: float = SHARE) -> RateAndExponent:
    """Rate and exponent of a modified Dahl law, its envelopes held as lines through the ends of the branches.

    loop : a `Loop`.   share : of each branch, its last part, that gives the envelopes.
    """
    where = "rules.rate_and_exponent"
    return rate_and_exponent_of(ready_for(where, loop).geometry, share_of(where, share))


@once
def rate_and_exponent_of(geometry: Geometry, share: float = SHARE) -> RateAndExponent:
    """The same from branches."""
    from scipy.optimize import least_squares

    lines = reached(envelopes_of(geometry, share))
    drive = _around(geometry)
    width = lines.width(0.5 * (lines.low + lines.high))
    if width <= 0.0:
        raise about(geometry, f"the upper envelope lies {-width:.4g} below the lower one; the loop has no width")

    def misses(x: Array) -> Array:
        try:
            return (drive.force(_law(x, lines)) - drive.f) / width
        except InvalidInput:
            return np.full(drive.f.size, FAR)

    rise = max(geometry.slope_after_reversal(), 1e-3 * width / (lines.high - lines.low))
    starts = [np.array([np.log(rise) - mu * np.log(width), mu]) for mu in TRIED]
    begin = min(starts, key=lambda x: float(np.sum(misses(x) ** 2)))
    # forward differences: each exponent needs a table of its own, which takes longer than all samples
    bounds = ((-np.inf, EXPONENTS[0]), (np.inf, EXPONENTS[1]))
    answer = least_squares(misses, begin, bounds=bounds, x_scale="jac", xtol=1e-8, ftol=1e-10, max_nfev=MOST_COMPARED)
    law = _law(answer.x, lines)
    predicted = drive.force(law)
    return RateAndExponent(
        geometry.name, law.rate, law.exponent, lines, _pair(law.upper), _pair(law.lower), drive.u, drive.f, predicted,
        float(np.sqrt(np.mean((predicted - drive.f) ** 2))), int(answer.nfev) + len(starts),
    )  # fmt: skip


def _around(geometry: Geometry) -> Drive:
    """Samples of both branches as one settled round."""
    rising, falling = _thin(geometry.rising), _thin(geometry.falling)
    u = np.concatenate((rising.u, falling.u[::-1]))
    f = np.concatenate((rising.f, falling.f[::-1]))
    corners = np.array([u.max(), u.min()])
    return Drive(u, np.zeros_like(u), f, np.ones(u.size, dtype=bool), corners, slice(0, 0))


def _thin(branch: Samples) -> Samples:
    """Some of its samples, both ends among them."""
    if branch.u.size <= MOST:
        return branch
    keep = np.linspace(0, branch.u.size - 1, MOST).astype(np.intp)
    return Samples(branch.u[keep], branch.f[keep], branch.v[keep])


def _law(x: Array, lines: Envelopes) -> ModifiedDahl:
    """Of ln(rate) and exponent: the loop of this law runs along the lines."""
    rate, exponent = float(np.exp(x[0])), float(x[1])
    (b, a), (e, d) = lines.upper, lines.lower
    beyond = [float(np.sign(s) * (abs(s) / rate) ** (1.0 / exponent)) for s in (a, d)]
    return ModifiedDahl(rate=rate, exponent=exponent, upper=(b + beyond[0], a), lower=(e - beyond[1], d))


def _pair(line: tuple[float, ...]) -> tuple[float, float]:
    return line[0], line[1]
