"""Detached orbits of single masses, solved for without slipstick."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import fsolve

Array = NDArray[np.float64]


class Stage:
    """x'' + c x' + k x = offset + F cos(w t + phase): the motion from x0, v0 at t = 0 in closed form."""

    def __init__(self, c: float, k: float, offset: float, load: float, w: float) -> None:
        self.rest, self.decay, self.w = offset / k, 0.5 * c, w
        self.own = np.sqrt(k - self.decay**2)
        self.forced = load / (k - w**2 + 1j * c * w)

    def state(self, t: Array | float, phase: float, x0: float, v0: float) -> tuple[Array, Array]:
        turn = np.exp(1j * phase)
        a = x0 - self.rest - (self.forced * turn).real
        b = (v0 - (1j * self.w * self.forced * turn).real + self.decay * a) / self.own
        fade, cos, sin = np.exp(-self.decay * t), np.cos(self.own * t), np.sin(self.own * t)
        swing = self.forced * turn * np.exp(1j * self.w * t)
        x = self.rest + fade * (a * cos + b * sin) + swing.real
        v = fade * ((b * self.own - self.decay * a) * cos - (a * self.own + self.decay * b) * sin)
        return x, v + (1j * self.w * swing).real


class ImpactingOrbit:
    """x'' + c x' + k x + s luz(x, a) = F cos(w t), swinging through the whole gap, its second half the first mirrored.

    It enters the contact at x = a with velocity v0, leaves it after the time tau, and reaches x = -a after half a
    period with -v0. Unknowns: v0, tau, the phase of the load at entry. guess : of these.
    """

    def __init__(self, c: float, k: float, s: float, a: float, load: float, w: float, guess: tuple[float, ...]) -> None:
        touching, free = Stage(c, k + s, s * a, load, w), Stage(c, k, 0.0, load, w)
        half = np.pi / w

        def missed(u: Array) -> list[float]:
            v0, tau, phase = u
            x1, v1 = touching.state(tau, phase, a, v0)
            x2, v2 = free.state(half - tau, phase + w * tau, float(x1), float(v1))
            return [float(x1) - a, float(x2) + a, float(v2) + v0]

        found, _, ok, _ = fsolve(missed, guess, xtol=1e-13, full_output=True)
        assert ok == 1
        v0, tau, phase = found
        self.unknowns = tuple(found)
        times = np.linspace(0.0, tau, 4001)
        _, v = touching.state(times, phase, a, v0)
        k_top = int(np.flatnonzero((v[:-1] > 0.0) & (v[1:] <= 0.0))[0])
        part = v[k_top] / (v[k_top] - v[k_top + 1])
        top, _ = touching.state(times[k_top] + part * (times[1] - times[0]), phase, a, v0)
        self.amplitude = float(top)
