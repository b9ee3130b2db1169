"""Curve with overshoot from a few of its figures (fibre Appendix A, corrected; and the rule of Bliman and Sorine).

    tau(g) = tau_C1 (1 - e^(-r g)) - tau_C2 (1 - e^(-xi r g)),     r = sigma_1/tau_C1

rises with slope S, has its maximum tau_OS at gamma_OS and ends at tau_inf = tau_C1 - tau_C2; from gamma_p on it is
within 5 % of that. With d = tau_C2/tau_inf and c = 1/xi the maximum is where r gamma_OS = c/(c - 1) ln(c + c/d), and

    OS = tau_OS/tau_inf    = 1 + (d + 1)(c - 1) exp(-c/(c - 1) ln(c + c/d))      (the 1 is missing in print)
    K  = S gamma_OS/tau_inf = (c + c d - d)/(c - 1) ln(c + c/d).

With m = 1/(c - 1) and w = (1 + m)/d these are

    ln w + m ln(1 + (w + 1)/m) = -ln(OS - 1),        K = (1 + m)(1 + 1/w) ln(1 + (w + 1)/m).

The first rises with w, so there is one w for each m; K then falls with m, down to (1 + w)^2/w at xi = 1. There is one
solution if K lies above that, and none otherwise. Bliman and Sorine use gamma_p instead of S: the share of the
overshoot that remains at gamma_p falls with m too, from 1 to its value at xi = 1.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import exp, log, log1p
from typing import Any

import numpy as np

from slipstick.errors import InvalidInput, short_repr
from slipstick.identification import tolerances as tol
from slipstick.laws.nonlocal_memory import BlimanSorine


@dataclass(frozen=True)
class TwoExponentials:
    """stiffness, limit, overshoot_limit, ratio : sigma_1, tau_C1, tau_C2, xi.   c, d : 1/xi and tau_C2/tau_inf."""

    stiffness: float
    limit: float
    overshoot_limit: float
    ratio: float

    @property
    def c(self) -> float:
        return 1.0 / self.ratio

    @property
    def d(self) -> float:
        return self.overshoot_limit / self.final

    @property
    def final(self) -> float:
        """tau_inf."""
        return self.limit - self.overshoot_limit

    @property
    def slope(self) -> float:
        """S."""
        return self.stiffness * (1.0 - self.ratio * self.overshoot_limit / self.limit)

    @property
    def peak_at(self) -> float:
        """gamma_OS."""
        return log(self.c * (1.0 + 1.0 / self.d)) / ((1.0 - self.ratio) * self.stiffness / self.limit)

    @property
    def peak(self) -> float:
        """tau_OS."""
        return float(self.at(self.peak_at))

    @property
    def law(self) -> BlimanSorine:
        return BlimanSorine(
            stiffness=self.stiffness, limit=self.limit, overshoot_limit=self.overshoot_limit, ratio=self.ratio
        )

    def at(self, x: Any) -> Any:
        """The curve."""
        r = self.stiffness / self.limit
        return -self.limit * np.expm1(-r * x) + self.overshoot_limit * np.expm1(-self.ratio * r * x)

    def settled_at(self, within: float = tol.SETTLED_WITHIN_REL) -> float:
        """gamma_p: from here on the curve is within a share of its final value; an error if it always is."""
        from scipy.optimize import brentq

        if self.peak <= (1.0 + within) * self.final:
            raise InvalidInput(
                f"the overshoot is {self.peak / self.final - 1.0:.2%}, within {within:.2%} all along: "
                "there is no gamma_p"
            )
        far = self.peak_at
        while self.at(far) > (1.0 + within) * self.final:
            far *= 2.0
        found = brentq(
            lambda x: float(self.at(x)) - (1.0 + within) * self.final,
            self.peak_at,
            far,
            xtol=tol.ROOT_TOLERANCE_REL * far,
        )
        return float(found)


def two_exponentials_dahl(*, slope: float, peak: float, peak_at: float, final: float) -> TwoExponentials:
    """Dahl's rule: from S, tau_OS, gamma_OS and tau_inf of a virgin curve (or half a branch)."""
    given = {"slope": slope, "peak": peak, "peak_at": peak_at, "final": final}
    _check_positive("rules.two_exponentials_dahl", given)
    over, k = peak / final, slope * peak_at / final
    least = _k(tol.MAX_M, over)
    if k <= least:
        raise InvalidInput(
            f"an overshoot of {over - 1.0:.2%} needs slope * peak_at / final > {least:.4g}, got {k:.4g}: "
            "the slope is too small, or the peak too near"
        ).about("slope")
    m = _solve_falling(lambda m: _k(m, over), k, "slope * peak_at / final")
    w = _w(m, over)
    d, ratio = (1.0 + m) / w, m / (1.0 + m)
    second = d * final
    first = final + second
    return TwoExponentials(slope * first / (first - ratio * second), first, second, ratio)  # (A.6), sigma_1


def two_exponentials_bliman_sorine(
    *, peak: float, peak_at: float, final: float, settled_at: float, within: float = tol.SETTLED_WITHIN_REL
) -> TwoExponentials:
    """Bliman and Sorine's rule: from tau_OS, gamma_OS, tau_inf and gamma_p of a virgin curve (or half a branch)."""
    given = {"peak": peak, "peak_at": peak_at, "final": final, "settled_at": settled_at, "within": within}
    where = "rules.two_exponentials_bliman_sorine"
    _check_positive(where, given)
    over = peak / final
    if within >= over - 1.0 or settled_at <= peak_at:
        raise InvalidInput(
            f"{where}: an overshoot of {over - 1.0:.2%} is to be within {within:.2%} from {settled_at:.4g} on, after "
            f"its peak at {peak_at:.4g}; give within below the overshoot, and settled_at beyond the peak"
        ).about("settled_at")
    beyond = settled_at / peak_at
    least = _excess_at(tol.MAX_M, over, beyond)
    if within <= least:
        raise InvalidInput(
            f"{where}: {settled_at:.4g} is too near the peak at {peak_at:.4g}: at least {least:.2%} is left there"
        ).about("settled_at")
    m = _solve_falling(lambda m: _excess_at(m, over, beyond), within, "settled_at / peak_at")
    w = _w(m, over)
    d, ratio = (1.0 + m) / w, m / (1.0 + m)
    second = d * final
    rate = (1.0 + m) * log1p((w + 1.0) / m) / peak_at
    return TwoExponentials(rate * (final + second), final + second, second, ratio)


def _check_positive(where: str, given: dict[str, Any]) -> None:
    for name, value in given.items():
        if isinstance(value, bool) or not isinstance(value, (int, float, np.number)) or not 0.0 < value < np.inf:
            raise InvalidInput(f"{where}: {name} must be a number > 0, got {short_repr(value)}").about(name)
    if given["peak"] <= given["final"]:
        raise InvalidInput(
            f"{where}: peak must be > final, got {given['peak']:.4g} and {given['final']:.4g}: there is no overshoot"
        ).about("peak")


def _w(m: float, over: float) -> float:
    """The only w of an overshoot, at m."""
    from scipy.optimize import brentq

    goal = -log(over - 1.0)

    def left(x: float) -> float:  # x = ln w
        return x + m * log1p((exp(x) + 1.0) / m) - goal

    high = max(goal, 0.0) + 1.0  # there the left side is above zero
    low = min(goal, 0.0) - 1.0 - m * log1p((exp(min(goal, 0.0)) + 1.0) / m)
    return exp(brentq(left, low, high, xtol=1e-15, rtol=tol.ROOT_TOLERANCE_REL))


def _k(m: float, over: float) -> float:
    """S gamma_OS/tau_inf at m."""
    w = _w(m, over)
    return (1.0 + m) * (1.0 + 1.0 / w) * log1p((w + 1.0) / m)


def _excess_at(m: float, over: float, beyond: float) -> float:
    """tau/tau_inf - 1 at so many times gamma_OS."""
    w = _w(m, over)
    d, x = (1.0 + m) / w, (1.0 + m) * log1p((w + 1.0) / m) * beyond
    return -(d + 1.0) * exp(-x) + d * exp(-x * m / (1.0 + m))


def _solve_falling(function: Callable[[float], float], value: float, what: str) -> float:
    """m at which a falling function has a value."""
    from scipy.optimize import brentq

    if function(tol.MIN_M) < value:
        raise InvalidInput(
            f"{what} = {value:.4g} belongs to an overshoot that never decays (ratio below {tol.MIN_M:g})"
        )
    found = brentq(
        lambda x: function(exp(x)) - value,
        log(tol.MIN_M),
        log(tol.MAX_M),
        xtol=tol.ROOT_TOLERANCE_REL,
        rtol=tol.ROOT_TOLERANCE_REL,
    )
    return exp(float(found))
