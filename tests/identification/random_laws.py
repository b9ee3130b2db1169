"""Laws with random values, whose loops show all of them at amplitudes up to one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import slipstick as ss
from slipstick.laws import envelopes


def drawn(kind: Any, seed: int) -> Any:
    """A law of a kind."""
    rng = np.random.default_rng(seed)

    def between(low: float, high: float) -> float:
        return float(np.exp(rng.uniform(np.log(low), np.log(high))))

    return DRAWS[kind](rng, between)


def _iwan(rng: Any, _: Any) -> Any:
    yields, k = np.sort(rng.uniform(0.05, 0.9, 4)), rng.uniform(1.0, 5.0, 4)
    return ss.Iwan(stiffnesses=tuple(k), limits=tuple(k * yields), parallel_stiffness=rng.uniform(0.1, 1.0))


def _bouc_wen(rng: Any, between: Any) -> Any:
    n, z, share = rng.uniform(1.0, 2.5), between(0.05, 0.5), rng.uniform(0.3, 0.9)
    return ss.BoucWen(
        stiffness=between(2, 30), ratio=rng.uniform(0.05, 0.5), beta=share / z**n, gamma=(1 - share) / z**n, exponent=n
    )


def _lugre(rng: Any, between: Any) -> Any:
    c = between(0.5, 1.5)
    return ss.LuGre(
        bristle_stiffness=between(20, 100), bristle_damping=between(0.01, 0.1), viscous=between(0.01, 0.3), coulomb=c,
        static=c * rng.uniform(1.1, 1.8), stribeck_velocity=between(0.05, 0.5),
    )  # fmt: skip


def _lines(rng: Any) -> dict[str, tuple[float, float]]:
    return {
        "upper": (rng.uniform(0.5, 2.0), rng.uniform(0.1, 1.0)),
        "lower": (rng.uniform(-2.0, -0.5), rng.uniform(0.1, 1.0)),
    }


def _of_hysteresis(rng: Any, between: Any) -> Any:
    limit, i = between(0.5, 1.5), rng.uniform(0.4, 2.0)
    envelope = envelopes.dynamic_hysteresis(limit)
    return ss.GeneralisedDahl(rate=between(2, 30) / limit**i, envelope=envelope, exponent=i)


def _of_branches(make: Callable[..., Any], bends: bool, overshoots: bool) -> Callable[[Any, Any], Any]:
    """With an envelope of sigma, tau_C, then of what overshoots, then of a polynomial; its rate is sigma/tau_C."""

    def draw(rng: Any, between: Any) -> Any:
        limit, stiffness = between(0.7, 1.5), between(5, 30)
        over = (rng.uniform(0.1, 0.6), rng.uniform(0.05, 0.6))
        bend = (0.0, rng.uniform(0.1, 2.0), rng.uniform(-0.5, 0.5), rng.uniform(0.1, 2.0))
        numbers = (stiffness, limit, *(over if overshoots else ()), *((bend,) if bends else ()))
        return ss.GeneralisedDahl(rate=stiffness / limit, envelope=make(*numbers))

    return draw


DRAWS: dict[Any, Callable[[Any, Any], Any]] = {
    ss.Jenkins: lambda _, between: ss.Jenkins(stiffness=between(2, 30), limit=between(0.5, 1.5)),
    ss.Masing: lambda rng, between: ss.Masing(
        stiffness=between(2, 30), limit=between(0.5, 1.5), parallel_stiffness=between(0.1, 5),
        damping=between(0.01, 0.1), preload=rng.uniform(-3, 3),
    ),
    ss.Iwan: _iwan,
    ss.Dahl: lambda rng, between: ss.Dahl(
        stiffness=between(2, 30), limit=between(0.5, 1.5), exponent=rng.uniform(0.4, 2.0)
    ),
    ss.DynamicHysteresis: lambda rng, between: ss.DynamicHysteresis(
        stiffness=between(2, 30), limit=between(0.5, 1.5), exponent=rng.uniform(0.4, 2.0)
    ),
    ss.ModifiedDahl: lambda rng, between: ss.ModifiedDahl(
        rate=between(5, 50), exponent=rng.uniform(0.3, 1.3), **_lines(rng)
    ),
    ss.Duhem: lambda rng, between: ss.Duhem(rate=between(2, 10), **_lines(rng)),
    ss.BlimanSorine: lambda rng, between: ss.BlimanSorine(
        stiffness=between(5, 30), limit=between(0.7, 1.5), overshoot_limit=rng.uniform(0.1, 0.6),
        ratio=rng.uniform(0.05, 0.6),
    ),
    ss.FibreShear: lambda rng, between: ss.FibreShear(
        stiffness=between(2, 20), limit=between(0.5, 1.5), linear=between(0.5, 5), cubic=between(0.5, 5),
        overshoot=rng.uniform(0.1, 1.2), ratio=rng.uniform(0.05, 0.6),
    ),
    ss.BoucWen: _bouc_wen,
    ss.LuGre: _lugre,
    ss.GeneralisedDahl.with_envelope(envelopes.dynamic_hysteresis): _of_hysteresis,
    ss.GeneralisedDahl.with_envelope(envelopes.with_polynomial): _of_branches(envelopes.with_polynomial, True, False),
    ss.GeneralisedDahl.with_envelope(envelopes.bliman_sorine): _of_branches(envelopes.bliman_sorine, False, True),
    ss.GeneralisedDahl.with_envelope(envelopes.full): _of_branches(envelopes.full, True, True),
}  # fmt: skip
