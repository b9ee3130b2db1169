"""A body on contacts by harmonic balance, beside a plain NumPy alternating frequency-time Newton written for this, and
the exact flow of a chain on contacts, beside the same chain on Jenkins elements.

The peer is what one writes by hand: samples in a loop, all contacts at once in arrays, derivatives carried along as
matrices, a full Newton method on the coordinates, and the last orbit as the next start. Both have the same model,
harmonics, samples and frequencies.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from numpy.typing import NDArray
from timing import Sheet, best

import slipstick as ss

Array = NDArray[np.float64]

CONTACTS, HARMONICS, SAMPLES = 20, 7, 256  # samples as slipstick takes them
MASS, STIFFNESS, DAMPING = (1.0, 1.0, 0.1), (100.0, 200.0, 15.0), (2.0, 4.0, 0.3)
NORMAL, TANGENTIAL, FRICTION = 4.0, 3.0, 0.4
LOADS = ((3.0, 0.0), (6.0, 1.0))  # size and phase, of sines on x and z
PRELOADS = np.linspace(0.05, 0.5, CONTACTS)
PLACES = np.linspace(-0.5, 0.5, CONTACTS)
FREQUENCIES = np.linspace(6.0, 20.0, 41)


def body() -> ss.Model:
    """A body that slides, lifts and turns, on a row of contacts."""
    m = ss.Model("body on contacts")
    q = [m.coordinate(name, inertia=own) for name, own in zip(("x", "z", "turn"), MASS, strict=True)]
    for own, k, c in zip(q, STIFFNESS, DAMPING, strict=True):
        m.connect(own, ss.Linear(stiffness=k, damping=c))
    for own, (size, phase) in zip(q[:2], LOADS, strict=True):
        m.load(own, ss.Sine(size, order=1, phase=phase))
    for i, (preload, place) in enumerate(zip(PRELOADS.tolist(), PLACES.tolist(), strict=True)):
        law = ss.FrictionContact(
            normal_stiffness=NORMAL, tangential_stiffness=TANGENTIAL, friction=FRICTION, preload=preload
        )
        m.connect((q[0], q[1] + place * q[2]), law, name=f"contact {i}")
    return m


class PlainNewton:
    """Unknowns are the Fourier coefficients (3, width) of the coordinates: mean, then cosine and sine by harmonic."""

    def __init__(self) -> None:
        tau = 2.0 * np.pi * np.arange(SAMPLES) / SAMPLES
        waves = [np.ones(SAMPLES)]
        for h in range(1, HARMONICS + 1):
            waves += [np.cos(h * tau), np.sin(h * tau)]
        self.waves = np.array(waves).T  # (samples, width)
        self.width = self.waves.shape[1]
        self.back = 2.0 / SAMPLES * self.waves.T
        self.back[0] *= 0.5
        self.load = np.zeros((3, self.width))
        for i, (size, phase) in enumerate(LOADS):
            self.load[i, 1:3] = size * np.sin(phase), size * np.cos(phase)

    def linear(self, omega: float) -> Array:
        """(3, width, width) dynamic stiffness of each coordinate."""
        found = np.zeros((3, self.width, self.width))
        for i, (m, k, c) in enumerate(zip(MASS, STIFFNESS, DAMPING, strict=True)):
            found[i, 0, 0] = k
            for h in range(1, HARMONICS + 1):
                w, own = h * omega, slice(2 * h - 1, 2 * h + 1)
                found[i, own, own] = [[k - m * w * w, c * w], [-c * w, k - m * w * w]]
        return found

    def contacts(self, x: Array) -> tuple[Array, Array]:
        """Forces (3, samples) on the coordinates and their derivatives (3, samples, 3 width), settled in two cycles."""
        q = x @ self.waves.T
        n = self.width
        force, slope = np.zeros((3, SAMPLES)), np.zeros((3, SAMPLES, 3 * n))
        t, depth = q[0], q[1] + PLACES[:, None] * q[2] + PRELOADS[:, None] / NORMAL
        slider, by_slider = np.full(CONTACTS, t[0]), np.zeros((CONTACTS, 3 * n))
        by_t, by_depth = np.zeros(3 * n), np.zeros((CONTACTS, 3 * n))
        for cycle in range(2):
            for k in range(SAMPLES):
                wave = self.waves[k]
                before, by_before, t_before, by_t_before = depth[:, k - 1], by_depth, t[k - 1], by_t
                by_t, by_depth = np.zeros(3 * n), np.zeros((CONTACTS, 3 * n))
                by_t[:n] = wave
                by_depth[:, n : 2 * n], by_depth[:, 2 * n :] = wave, PLACES[:, None] * wave
                now = depth[:, k]
                if cycle == 0 and k == 0:
                    by_before, by_t_before = by_depth, by_t
                touches = (now > 0.0) & (before < 0.0)
                if touches.any():
                    part = now / np.where(touches, now - before, 1.0)
                    by_part = (by_depth - part[:, None] * (by_depth - by_before)) / np.where(
                        touches, now - before, 1.0
                    )[:, None]
                    new = t[k] - (t[k] - t_before) * part
                    by_new = by_t - part[:, None] * (by_t - by_t_before) - (t[k] - t_before) * by_part
                    slider = np.where(touches, new, slider)
                    by_slider = np.where(touches[:, None], by_new, by_slider)
                pressed = now > 0.0
                pressure, by_pressure = np.where(pressed, NORMAL * now, 0.0), pressed[:, None] * NORMAL * by_depth
                trial, limit = TANGENTIAL * (t[k] - slider), FRICTION * pressure
                slips = np.abs(trial) > limit
                sign = np.sign(trial)
                own = np.where(slips, sign * limit, trial)
                by_own = np.where(
                    slips[:, None], (sign * FRICTION)[:, None] * by_pressure, TANGENTIAL * (by_t - by_slider)
                )
                slider, by_slider = t[k] - own / TANGENTIAL, by_t - by_own / TANGENTIAL
                if cycle:
                    force[:, k] = own.sum(), pressure.sum(), PLACES @ pressure
                    slope[:, k] = by_own.sum(axis=0), by_pressure.sum(axis=0), PLACES @ by_pressure
        return force, slope

    def solve(self, omega: float, x: Array) -> tuple[Array, int]:
        """The orbit at a frequency, from a start, and the number of Newton steps."""
        linear, n = self.linear(omega), self.width
        for step in range(60):
            force, slope = self.contacts(x)
            left = np.einsum("iab,ib->ia", linear, x) + force @ self.back.T - self.load
            if np.abs(left).max() < 1e-10:
                return x, step
            matrix = np.einsum("wk,ikc->iwc", self.back, slope)
            for i in range(3):
                matrix[i, :, i * n : (i + 1) * n] += linear[i]
            x = x - np.linalg.solve(matrix.reshape(3 * n, 3 * n), left.ravel()).reshape(3, n)
        raise RuntimeError(f"Newton's method does not converge at {omega} rad/s")

    def curve(self) -> tuple[list[Array], int]:
        """Orbits at all frequencies, each from the last, and all steps."""
        x, found, steps = np.zeros((3, self.width)), [], 0
        for omega in FREQUENCIES.tolist():
            x, own = self.solve(omega, x)
            found.append(x)
            steps += own
        return found, steps


def table() -> None:
    """Time a point of both, and how far their orbits are apart."""
    m, plain = body(), PlainNewton()
    m.frequency_response(at=FREQUENCIES[:2], method="harmonic-balance", harmonics=HARMONICS)

    def follow() -> Any:
        ends = (FREQUENCIES[0], FREQUENCIES[-1])
        return m.frequency_response(between=ends, method="harmonic-balance", harmonics=HARMONICS)

    points = follow().data.sizes["point"]
    ours = best(follow, 5, time.process_time) / points
    whole = best(lambda: follow().data, 3, time.process_time) / points
    orbits, steps = plain.curve()
    theirs = best(plain.curve, 1, time.process_time) / FREQUENCIES.size
    rows = np.array([np.hypot(x[:, 1], x[:, 2]) for x in orbits])
    at = m.frequency_response(at=FREQUENCIES, method="harmonic-balance", harmonics=HARMONICS)
    own = at.data["harmonics"].isel(harmonic=1).transpose("point", "coordinate").values
    apart = np.abs(np.abs(own) - rows).max()
    sheet = Sheet(
        f"body on {CONTACTS} contacts by harmonic balance, {HARMONICS} harmonics, {SAMPLES} samples",
        ("", "points", "ms a point", "times slower"),
    )
    sheet.row("slipstick", str(points), f"{1e3 * ours:.2f}", "")
    sheet.row("slipstick, with data", str(points), f"{1e3 * whole:.2f}", "")
    sheet.row("plain NumPy Newton", str(FREQUENCIES.size), f"{1e3 * theirs:.1f}", f"{theirs / ours:.0f}")
    sheet.close(
        f"largest difference of first harmonics {apart:.1e} of {rows.max():.1e}; "
        f"the plain method took {steps / FREQUENCIES.size:.1f} steps a point"
    )


CHAINS, CHAIN_TIME = (2, 4, 8, 16), 60.0  # masses; [s] of a run


def chain(count: int, pressed: bool) -> ss.Model:
    """Masses in a row, each on a Jenkins element, or on a contact that a mass of its own presses."""
    m = ss.Model("chain", frequency=8.0)
    x = [m.coordinate(f"x{i}", inertia=1.0) for i in range(count)]
    z = [m.coordinate(f"z{i}", inertia=1.0) for i in range(count)]
    for i, (own, normal) in enumerate(zip(x, z, strict=True)):
        m.connect(own if i == 0 else own - x[i - 1], ss.Linear(stiffness=150.0, damping=0.5))
        m.connect(normal, ss.Linear(stiffness=250.0, damping=1.0))
        m.load(own, ss.Sine(3.0, order=1, phase=0.7 * i))
        m.load(normal, ss.Sine(2.0, order=1, phase=1.0 + 0.5 * i))
        if pressed:
            law = ss.FrictionContact(normal_stiffness=300.0, tangential_stiffness=150.0, friction=0.4, preload=1.0)
            m.connect((own, normal), law)
        else:
            m.connect(own, ss.Jenkins(stiffness=150.0, limit=0.4))
            m.connect(normal, ss.Linear(stiffness=300.0))
    return m


def exact_table() -> None:
    """Time of the exact flow per event, with contacts and with Jenkins elements."""
    sheet = Sheet(
        f"exact flow of a chain over {CHAIN_TIME:g} s",
        ("masses", "events, contact", "events, Jenkins", "us an event, contact", "us an event, Jenkins", "ratio"),
    )
    for count in CHAINS:
        counts, times = [], []
        for pressed in (True, False):
            m = chain(count, pressed)
            run = m.simulate(until=CHAIN_TIME, method="exact", samples=0)
            # a contact's event is one of both of its directions
            counts.append(run.stats.events // (2 if pressed else 1))
            times.append(
                1e6 * best(lambda m=m: m.simulate(until=CHAIN_TIME, method="exact", samples=0), 5) / counts[-1]
            )
        own, other = times
        sheet.row(str(2 * count), str(counts[0]), str(counts[1]), f"{own:.2f}", f"{other:.2f}", f"{own / other:.2f}")
    sheet.close()


TABLES = {"contacts": table, "exact-contacts": exact_table}

if __name__ == "__main__":
    table()
    exact_table()
