"""Loops as a rig would give them, made from laws whose values are known."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

import slipstick as ss

Array = NDArray[np.float64]

RIG = {"omega": 9.4, "phase": 4.8, "middle": 5.4e-4, "swing": 5.2e-4}  # tensioner (29), (32)
PERIOD = 2.0 * np.pi / RIG["omega"]
STEP = 1e-3  # s, between samples of `times`


def swings(
    law: Any, amplitudes: tuple[float, ...] = (0.3, 1.0), cycles: float = 2.25, samples: int = 901, noise: float = 0.0,
    seed: int = 0,
) -> list[ss.Loop]:  # fmt: skip
    """Virgin loops of one hertz, one for each amplitude."""
    rng = np.random.default_rng(seed)
    t = np.linspace(0.0, cycles, samples)
    made = []
    for amplitude in amplitudes:
        u = amplitude * np.sin(2.0 * np.pi * t)
        f = law.trace(u, t) + noise * rng.standard_normal(samples)
        made.append(ss.Loop(u, f, t, name=f"amplitude {amplitude:g}"))
    return made


def rig(law: Any, noise: float = 5.0, seed: int = 0, seconds: float = 2.0) -> ss.Loop:
    """The tensioner's rig at 5 kHz."""
    rng = np.random.default_rng(seed)
    t = np.arange(0.0, seconds, 2e-4)
    u = motion(t)
    return ss.Loop(u, law.trace(u, t) + noise * rng.standard_normal(t.size), t, name="rig")


MASING = ss.Masing(stiffness=4.84e5, limit=163.0, parallel_stiffness=2.34e5, damping=1.93e4, preload=573.0)  # (36)
DAHL = ss.ModifiedDahl(rate=117355.0, exponent=0.37, upper=(959.6, 7.146e4), lower=(397.2, 5.322e4))  # (33), (35)
FIBRE = ss.FibreShear(stiffness=1.49e6, limit=1.07e3, linear=6.16e6, cubic=2.38e9, overshoot=0.92, ratio=0.37)


def fibres(law: Any = FIBRE, noise: float = 0.0, seed: int = 0) -> list[ss.Loop]:
    """Ten amplitudes from 5e-4 to 1e-2, two seconds at 20 Hz and 5 kHz."""
    rng = np.random.default_rng(seed)
    t = np.arange(10_000) / 5000.0
    made = []
    for amplitude in np.linspace(5e-4, 1e-2, 10):
        u = amplitude * np.sin(2.0 * np.pi * 20.0 * t)
        made.append(ss.Loop(u, law.trace(u) + noise * rng.standard_normal(t.size), t, name=f"{amplitude:g}"))
    return made


# ---- the rig's motion with noise of several kinds


def times(cycles: float) -> Array:
    return np.arange(0.0, cycles * PERIOD, STEP)


def motion(t: Array) -> Array:
    return RIG["middle"] + RIG["swing"] * np.sin(RIG["omega"] * t + RIG["phase"])


def loop_with(noise: Array | float, t: Array, **options: object) -> ss.Loop:
    u = motion(t)
    return ss.Loop(u, MASING.trace(u, t) + noise, t, **options)  # type: ignore[arg-type]


def white(n: int, size: float = 5.0, seed: int = 0) -> Array:
    return np.random.default_rng(seed).normal(0.0, size, n)


def filtered(n: int, window: int, size: float = 5.0, seed: int = 0) -> Array:
    """Means of neighbours, weighted by a hump: smooth from sample to sample."""
    hump = np.hanning(window + 2)[1:-1]
    raw = np.random.default_rng(seed).standard_normal(n + window - 1)
    return size * np.convolve(raw, hump / np.sqrt(hump @ hump), mode="valid")


def hum(t: Array, size: float = 5.0) -> Array:
    return size * np.sqrt(2.0) * np.sin(2.0 * np.pi * 47.0 * t)


def given_parameters(law: ss.Law) -> dict[str, float]:
    """The parameters of a law that have a value."""
    return {name: value for name, value in law.parameters().items() if value is not None}
