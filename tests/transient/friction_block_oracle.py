"""One mass with a spring on a rubbing belt, by closed-form arcs and bisection with many digits: an oracle for tests.

    m x'' + c x' + k x = load(t) - friction;  at rest against the belt |friction| <= limit(t), else +-limit(t)

It shares nothing with the package: slip is a damped harmonic arc, stick follows the belt, and the instants between
are roots of these closed forms. A wave is a list of (amplitude, omega, phase): sum of amplitude cos(omega t + phase).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import mpmath as mp
import numpy as np

DIGITS = 40
LOOKS = 4000  # a time unit, when a sign change is looked for


class Change(NamedTuple):
    """An instant at which another phase begins: "stick", "slip+" or "slip-"."""

    time: float
    phase: str


def wave_at(waves: Any, t: Any, lib: Any, derivative: int = 0) -> Any:
    """A sum of cosines, or a derivative of it."""
    total = 0 * t
    for amplitude, omega, phase in waves:
        total = total + amplitude * omega**derivative * lib.cos(omega * t + phase + derivative * lib.pi / 2)
    return total


class Block:
    """The model; ``simulate`` gives changes and the state at the end. c < 2 sqrt(k m), and no undamped resonance."""

    def __init__(self, *, m=1, c=0, k=1, load=(), constant=0, limit=0.5, swing=(), ratio=1, speed=0, belt=()):
        number = mp.mpf
        self.m, self.c, self.k, self.constant = number(m), number(c), number(k), number(constant)
        self.limit, self.ratio, self.speed = number(limit), number(ratio), number(speed)
        self.load, self.swing, self.belt = ([tuple(map(number, w)) for w in part] for part in (load, swing, belt))

    # ---- closed forms, in floats (for looking) and in many digits (for landing)

    def arc(self, t0: Any, x0: Any, v0: Any, side: int):
        """Displacement and velocity while it slips, as functions of (t, lib)."""
        m, c, k = self.m, self.c, self.k
        mean = (self.constant - side * self.limit) / k
        waves = []
        for sign, part in ((1, self.load), (-side, self.swing)):
            for amplitude, omega, phase in part:
                answer = sign * amplitude / mp.mpc(k - m * omega**2, c * omega)
                waves.append((abs(answer), omega, phase + mp.arg(answer)))
        decay = c / (2 * m)
        own = mp.sqrt(k / m - decay**2)
        a = x0 - mean - wave_at(waves, t0, mp)
        b = (v0 - wave_at(waves, t0, mp, 1) + decay * a) / own

        def motion(t, lib):
            if lib is np:
                d, w, aa, bb, t_0 = (float(z) for z in (decay, own, a, b, t0))
                forced = [tuple(float(z) for z in wave) for wave in waves]
                still = float(mean)
            else:
                d, w, aa, bb, t_0, forced, still = decay, own, a, b, t0, waves, mean
            s = t - t_0
            fade, cosine, sine = lib.exp(-d * s), lib.cos(w * s), lib.sin(w * s)
            x = still + wave_at(forced, t, lib) + fade * (aa * cosine + bb * sine)
            rate = fade * ((bb * w - d * aa) * cosine - (aa * w + d * bb) * sine)
            return x, wave_at(forced, t, lib, 1) + rate

        return motion

    def carried(self, t0: Any, x0: Any):
        """The same while it sticks to the belt."""

        def motion(t, lib):
            belt, speed, t_0, x_0, at_start = self.belt, self.speed, t0, x0, wave_at(self.belt, t0, mp)
            if lib is np:
                belt = [tuple(float(z) for z in wave) for wave in belt]
                speed, t_0, x_0, at_start = (float(z) for z in (speed, t_0, x_0, at_start))
            x = x_0 + speed * (t - t_0) + wave_at(belt, t, lib) - at_start
            return x, speed + wave_at(belt, t, lib, 1)

        return motion

    def rub(self, t: Any, x: Any, v: Any, lib: Any) -> Any:
        """The friction that keeps the block with the belt."""
        load, belt = self.load, self.belt
        numbers = (self.constant, self.k, self.c, self.m)
        if lib is np:
            load, belt = ([tuple(float(z) for z in wave) for wave in part] for part in (load, belt))
            numbers = tuple(float(z) for z in numbers)
        constant, k, c, m = numbers
        return constant + wave_at(load, t, lib) - k * x - c * v - m * wave_at(belt, t, lib, 2)

    def bound(self, t: Any, lib: Any) -> Any:
        """What it can hold."""
        swing, limit, ratio = self.swing, self.limit, self.ratio
        if lib is np:
            swing = [tuple(float(z) for z in wave) for wave in swing]
            limit, ratio = float(limit), float(ratio)
        return ratio * (limit + wave_at(swing, t, lib))

    # ---- from change to change

    def simulate(self, until: float, x: Any = 0, v: Any = 0) -> tuple[list[Change], float, float]:
        with mp.workdps(DIGITS):
            t, x, v, until = mp.mpf(0), mp.mpf(x), mp.mpf(v), mp.mpf(until)
            changes = []
            while True:
                against = v - self.speed - wave_at(self.belt, t, mp, 1)
                if abs(against) < mp.mpf(10) ** (-DIGITS // 2):
                    phase = self._at_rest(t, x, v)
                else:
                    phase = "slip+" if against > 0 else "slip-"
                changes.append(Change(float(t), phase))
                t_next, motion = self._next(t, x, v, phase, until)
                x, v = motion(t_next, mp)
                t = t_next
                if t == until:
                    return changes, float(x), float(v)

    def _at_rest(self, t, x, v) -> str:
        tiny = mp.mpf(10) ** (-DIGITS // 2)
        need, bound = self.rub(t, x, v, mp), self.bound(t, mp)
        if abs(need) < bound - tiny:
            return "stick"
        if abs(need) < bound + tiny:  # at the bound: which way does it go?
            later = t + mp.mpf(10) ** (-DIGITS // 4)
            x_later, v_later = self.carried(t, x)(later, mp)
            if abs(self.rub(later, x_later, v_later, mp)) <= self.bound(later, mp):
                return "stick"
        return "slip+" if need > 0 else "slip-"

    def _next(self, t, x, v, phase, until):
        if phase == "stick":
            motion = self.carried(t, x)

            def guard(at, lib):
                place, rate = motion(at, lib)
                return self.bound(at, lib) - abs(self.rub(at, place, rate, lib))
        else:
            side = 1 if phase == "slip+" else -1
            motion = self.arc(t, x, v, side)

            def guard(at, lib):
                speed = float(self.speed) if lib is np else self.speed
                belt = [tuple(float(z) for z in w) for w in self.belt] if lib is np else self.belt
                return side * (motion(at, lib)[1] - speed - wave_at(belt, at, lib, 1))

        grid = np.linspace(float(t), float(until), max(3, int(LOOKS * float(until - t))))[1:]
        below = np.flatnonzero(guard(grid, np) < 0.0)
        if not below.size:
            return until, motion
        low = mp.mpf(float(grid[below[0] - 1])) if below[0] else t + (mp.mpf(float(grid[0])) - t) / 2**12
        high = mp.mpf(float(grid[below[0]]))
        for _ in range(int(3.4 * DIGITS)):
            middle = (low + high) / 2
            low, high = (middle, high) if guard(middle, mp) > 0 else (low, middle)
        return (low + high) / 2, motion
