"""The mathematics of freeplay and friction: two projections, one sign, and the operators made of them.

luz(x, a)   x beyond the dead zone [-a, a]                            (gear paper, section 2)
tar(x, a)   x + a Sgn(x), the inverse graph of luz                    (gear paper, section 3)
Sgn(x)      the sign, the whole interval [-1, 1] at 0                 (tensioner paper, eq. 6)
beta(x)     the inverse graph of Sgn: 0 inside (-1, 1), a half line at each end   (eq. 7)
sat(x, a)   the projection on [-a, a]
stop, play  what a slider holds back and what it lets through, along a deflection history

``tar``, ``Sgn`` and ``beta`` are set-valued. The function of the same name gives the
single-valued selection that is zero at zero; the ``_interval`` form gives the set.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from slipstick.arrays import Array
from slipstick.errors import InvalidInput, short_repr


def sat(x: ArrayLike, a: ArrayLike) -> Any:
    """The projection of x on [-a, a], a >= 0."""
    x, a = _values(x), _half_width(a)
    return _plain(_clip(x, -a, a))


def luz(x: ArrayLike, a: ArrayLike) -> Any:
    """x beyond the dead zone: x - a above a, x + a below -a, exactly 0 between. a >= 0."""
    x, a = _values(x), _half_width(a)
    # x - sat(x, a), not the absolute-value form: that one leaves rounding dust inside the gap
    return _plain(x - _clip(x, -a, a))


def tar(x: ArrayLike, a: ArrayLike) -> Any:
    """x + a Sgn(x), a >= 0: the selection that is 0 at 0; `tar_interval` gives the set."""
    x, a = _values(x), _half_width(a)
    # copysign, not a * sign(x): that one is not a number at x = 0 where a is infinite
    return _plain(np.where(x == 0.0, x, x + np.copysign(a, x)))


def tar_interval(x: ArrayLike, a: ArrayLike) -> tuple[Any, Any]:
    """The set tar(x, a) as (low, high): one point for x != 0, [-a, a] at 0."""
    x, a = _values(x), _half_width(a)
    low, high = sgn_interval(x)
    return _plain(x + a * low), _plain(x + a * high)


def sgn(x: ArrayLike) -> Any:
    """The sign; 0 at 0. `sgn_interval` gives the set-valued Sgn of the tensioner paper (6)."""
    return _plain(np.sign(_values(x)))


def sgn_interval(x: ArrayLike) -> tuple[Any, Any]:
    """The set Sgn(x) as (low, high): (-1, -1), (1, 1), or (-1, 1) at 0."""
    x = _values(x)
    low, high = np.where(x > 0, 1.0, -1.0), np.where(x < 0, -1.0, 1.0)
    unknown = np.isnan(x)
    return _plain(np.where(unknown, np.nan, low)), _plain(np.where(unknown, np.nan, high))


def beta_interval(x: ArrayLike) -> tuple[Any, Any]:
    """The inverse graph of Sgn, tensioner (7), as (low, high).

    {0} inside (-1, 1); (-inf, 0] at -1; [0, inf) at 1; empty outside, given as (nan, nan).
    """
    x = _values(x)
    low = np.where(x == -1.0, -np.inf, 0.0)
    high = np.where(x == 1.0, np.inf, 0.0)
    outside = ~(np.abs(x) <= 1.0)
    return _plain(np.where(outside, np.nan, low)), _plain(np.where(outside, np.nan, high))


def project(x: ArrayLike, low: ArrayLike, high: ArrayLike) -> Any:
    """The projection of x on [low, high]: the resolvent of every graph of this page's kind."""
    x, lo, hi = _values(x), _values(low), _values(high)
    if not np.all(lo <= hi):  # NaN fails this too
        raise InvalidInput(f"project needs low <= high, got {short_repr(low)} and {short_repr(high)}; swap them")
    return _plain(_clip(x, lo, hi))


def play(u: ArrayLike, r: float, start: float = 0.0) -> Array:
    """The play operator along a deflection history: where a slider of half width r ends up.

    u : (n,) deflection. Exact for any history that is monotone between its samples.
    start : the slider's position before u[0].
    """
    u, r = _values(u), float(_half_width(r))
    if u.ndim != 1 or not np.all(np.isfinite(u)):
        raise InvalidInput(
            f"a deflection history must be a list of finite numbers, got {short_repr(u)}; cut the gaps out"
        )
    slider = float(start)
    if not np.isfinite(slider):
        raise InvalidInput(f"the start of the slider must be finite, got {slider}")
    out = np.empty_like(u)
    for i, x in enumerate(u.tolist()):
        slider = min(max(slider, x - r), x + r)
        out[i] = slider
    return out


def stop(u: ArrayLike, r: float, start: float = 0.0) -> Array:
    """The stop operator, tensioner (11a): the elastic stretch u - play(u, r), within [-r, r]."""
    return np.asarray(sat(_values(u) - play(u, r, start), r), dtype=float)


def _values(x: ArrayLike) -> Array:
    return np.asarray(x, dtype=float)


def _half_width(a: ArrayLike) -> Array:
    values = _values(a)
    if not np.all(values >= 0):  # NaN fails this too
        raise InvalidInput(
            f"the half width a must be >= 0, got {short_repr(a)}; pass abs(a) if its sign has no meaning"
        )
    return values


def _clip(x: Array, low: Array, high: Array) -> Array:
    """x, or the end of [low, high] that it lies beyond."""
    # np.minimum and np.maximum leave open which zero they return; a kernel and its reference must agree to the bit
    return np.where(x > high, high, np.where(x < low, low, x))


def _plain(x: Array) -> Any:
    """A float for a scalar, the array otherwise."""
    return float(x) if np.ndim(x) == 0 else x
