"""Loops as a rig would give them, made from laws whose values are known."""

from __future__ import annotations

from typing import Any

import numpy as np

import slipstick as ss

RIG = {"omega": 9.4, "phase": 4.8, "middle": 5.4e-4, "swing": 5.2e-4}  # tensioner (29), (32)


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
    u = RIG["middle"] + RIG["swing"] * np.sin(RIG["omega"] * t + RIG["phase"])
    return ss.Loop(u, law.trace(u, t) + noise * rng.standard_normal(t.size), t, name="rig")


MASING = ss.Masing(stiffness=4.84e5, limit=163.0, parallel_stiffness=2.34e5, damping=1.93e4, preload=573.0)  # (36)
DAHL = ss.ModifiedDahl(rate=117355.0, exponent=0.37, upper=(959.6, 7.146e4), lower=(397.2, 5.322e4))  # (33), (35)
FIBRE = ss.FibreShear(stiffness=1.49e6, limit=1.07e3, linear=6.16e6, cubic=2.38e9, overshoot=0.92, ratio=0.37)
