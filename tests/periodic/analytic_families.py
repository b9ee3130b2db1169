"""Small families with exact curves, for tests of what follows them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from slipstick.errors import NotConverged
from slipstick.periodic.continuation.family import Family, Linearisation, SofterFamily
from slipstick.results.orbit import OrbitPoint


def plain_point(x, p, multipliers=(), events=0, **changes):
    """An orbit of a model with one coordinate and one connection, as far as a curve needs it."""
    x, multipliers = np.asarray(x, dtype=float), np.asarray(multipliers, dtype=complex)
    size = float(np.sqrt(x @ x))
    values = {
        "p": p,
        "x": x,
        "frequency": p,
        "period": 1.0,
        "multipliers": multipliers,
        "stable": bool((np.abs(multipliers) <= 1.0 + 1e-9).all()),
        "amplitude": np.array([size]),
        "rms": np.array([size / np.sqrt(2.0)]),
        "mean": np.zeros(1),
        "harmonics": np.array([[0.0], [complex(size)]]),
        "phase": np.zeros(1),
        "force_range": np.array([2.0 * size]),
        "dissipated": np.zeros(1),
        "stick_share": np.array([np.nan]),
        "lag": np.array([np.nan]),
        "error": 1e-12,
        "events": events,
    }
    return OrbitPoint(**{**values, **changes})


class Equation(Family):
    """f(x, p) = 0 in one unknown, with its derivatives; the multiplier is 1 - df/dx, as of the map x - f."""

    size, tolerance = 1, 1e-12

    def __init__(self, f, by_x, by_p, guess=0.0, scale=1.0, events=None):
        self.f, self.by_x, self.by_p, self.guess, self.scale = f, by_x, by_p, guess, scale
        self.events = events or (lambda _x, _p: 0)
        self.evaluations = 0

    def start(self, p):
        return np.array([self.guess(p) if callable(self.guess) else self.guess], dtype=float)

    def linearise(self, x, p):
        self.evaluations += 1
        y = float(x[0])
        return Linearisation(
            np.array([self.f(y, p)]), np.array([[self.by_x(y, p)]]), np.array([self.by_p(y, p)], dtype=float)
        )

    def scales(self, x, p):
        return np.array([self.scale])

    def point(self, x, p):
        y = float(x[0])
        return plain_point(x, p, [1.0 - self.by_x(y, p)], self.events(y, p))


def cubic():
    """p = x^3 - 3 x: folds at (x, p) = (-1, 2) and (1, -2)."""
    return Equation(lambda x, p: p - x**3 + 3.0 * x, lambda x, _: 3.0 - 3.0 * x**2, lambda *_: 1.0, guess=-2.5)


def circle(radius=1.0, centre=2.0):
    """x^2 + (p - centre)^2 = radius^2: closed, with folds at centre -+ radius."""
    return Equation(
        lambda x, p: x**2 + (p - centre) ** 2 - radius**2,
        lambda x, _: 2.0 * x,
        lambda _, p: 2.0 * (p - centre),
        guess=radius,
    )


class Map(Family):
    """Fixed points of the ``times``-th iterate of x -> f(x, p): f(x, p), its derivatives (n, n) and (n,) are given."""

    tolerance = 1e-12

    def __init__(self, f, by_x, by_p, guess, times=1):
        self.f, self.by_x, self.by_p, self.guess, self.times = f, by_x, by_p, guess, times
        self.size = len(guess(1.0)) if callable(guess) else len(guess)

    def start(self, p):
        return np.array(self.guess(p) if callable(self.guess) else self.guess, dtype=float)

    def flow(self, x, p):
        y, by_x, by_p = np.array(x, dtype=float), np.eye(self.size), np.zeros(self.size)
        for _ in range(self.times):
            step = np.asarray(self.by_x(y, p), dtype=float)
            by_p = step @ by_p + self.by_p(y, p)
            by_x = step @ by_x
            y = np.asarray(self.f(y, p), dtype=float)
        return y, by_x, by_p

    def linearise(self, x, p):
        y, by_x, by_p = self.flow(x, p)
        return Linearisation(y - x, by_x - np.eye(self.size), by_p)

    def scales(self, x, p):
        return np.ones(self.size)

    def point(self, x, p):
        return plain_point(x, p, np.linalg.eigvals(self.flow(x, p)[1]), period=float(self.times))

    def doubled(self):
        """The same with twice the period; the unknowns of an orbit stay what they are."""
        return Map(self.f, self.by_x, self.by_p, self.guess, 2 * self.times)


def logistic(times=1):
    """x -> p x (1 - x): 1 - 1/p doubles its period at 3, and the orbit of two again at 1 + sqrt(6)."""
    return Map(
        lambda x, p: p * x * (1.0 - x),
        lambda x, p: [[p * (1.0 - 2.0 * x[0])]],
        lambda x, _: x * (1.0 - x),
        lambda p: [1.0 - 1.0 / p],
        times,
    )


def delayed_logistic():
    """(x, y) -> (a x (1 - y), x): the fixed point 1 - 1/a loses a pair of multipliers at a = 2, at 60 degrees."""
    return Map(
        lambda z, a: np.array([a * z[0] * (1.0 - z[1]), z[0]]),
        lambda z, a: [[a * (1.0 - z[1]), -a * z[0]], [1.0, 0.0]],
        lambda z, _: np.array([z[0] * (1.0 - z[1]), 0.0]),
        lambda a: [1.0 - 1.0 / a, 1.0 - 1.0 / a],
    )


class Duffing(Family):
    """x'' + 2 z x' + x + b x^3 = f cos(w t) by one harmonic, q = a cos(w t) + s sin(w t).

    (1 - w^2) a + 2 z w s + 3/4 b r^2 a = f,  (1 - w^2) s - 2 z w a + 3/4 b r^2 s = 0, with r^2 = a^2 + s^2.
    """

    size, tolerance = 2, 1e-12

    def __init__(self, damping=0.05, cubic=1.0, force=0.3):
        self.z, self.b, self.force = damping, cubic, force

    def start(self, p):
        a = self.force / complex(1.0 - p**2, 2.0 * self.z * p)
        return np.array([a.real, -a.imag])

    def linearise(self, x, p):
        a, s = x
        k, d, g = 1.0 - p**2, 2.0 * self.z * p, 0.75 * self.b
        r2 = a * a + s * s
        residual = np.array([k * a + d * s + g * r2 * a - self.force, k * s - d * a + g * r2 * s])
        by_x = np.array(
            [[k + g * (r2 + 2.0 * a * a), d + 2.0 * g * a * s], [-d + 2.0 * g * a * s, k + g * (r2 + 2.0 * s * s)]]
        )
        by_p = np.array([-2.0 * p * a + 2.0 * self.z * s, -2.0 * p * s - 2.0 * self.z * a])
        return Linearisation(residual / self.force, by_x / self.force, by_p / self.force)

    def point(self, x, p):
        # averaging: r' and the phase's rate to first order, so stable where the determinant is positive
        jacobian = self.linearise(x, p).by_x
        largest = 1.5 if np.linalg.det(jacobian) < 0.0 else 0.5
        r = float(np.hypot(*x))
        return plain_point(
            x,
            p,
            [largest, 0.4],
            amplitude=np.array([r]),
            rms=np.array([r / np.sqrt(2.0)]),
            harmonics=np.array([[0.0], [complex(x[0], -x[1])]]),
            phase=np.array([np.arctan2(-x[1], x[0])]),
            dissipated=np.array([2.0 * np.pi * self.z * p * r**2]),
        )

    def frequencies(self, r):
        """The frequencies at which the amplitude is r (two at most), in closed form: a quadratic in w^2."""
        k = 1.0 + 0.75 * self.b * r**2
        # (k - W)^2 + 4 z^2 W = f^2 / r^2
        half = k - 2.0 * self.z**2
        root = half**2 - k**2 + (self.force / r) ** 2
        return [np.sqrt(w) for w in (half - np.sqrt(root), half + np.sqrt(root)) if w > 0.0] if root >= 0.0 else []


class Stubborn(Family):
    """A family that cannot be evaluated where ``fails(x, p)``; with softer ones where it may be asked for."""

    def __init__(self, family, fails, softer=()):
        self.family, self.fails, self.softer = family, fails, softer
        self.size, self.tolerance = family.size, family.tolerance

    def start(self, p):
        return self.family.start(p)

    def linearise(self, x, p):
        if self.fails(x, p):
            raise NotConverged("the flow broke down")
        return self.family.linearise(x, p)

    def scales(self, x, p):
        return self.family.scales(x, p)

    def point(self, x, p):
        return self.family.point(x, p)

    def softened(self):
        return tuple(SofterFamily(words, family, lambda x: x, lambda x: x) for words, family in self.softer)


def corner(slope):
    """p = x up to one, then 1 - slope (x - 1): a fold that is a corner, at x = p = 1."""
    return Equation(
        lambda x, p: p - (x if x < 1.0 else 1.0 - slope * (x - 1.0)),
        lambda x, _: -1.0 if x < 1.0 else slope,
        lambda *_: 1.0,
        guess=lambda p: p,
    )


class Neutral(Family):
    """Another family beside an unknown that nothing determines, as a slider that never slips."""

    def __init__(self, family, begin):
        self.family, self.begin = family, begin
        self.size, self.tolerance = family.size + 1, family.tolerance

    def start(self, p):
        return np.append(self.family.start(p), self.begin)

    def linearise(self, x, p):
        residual, by_x, by_p = self.family.linearise(x[:-1], p)
        whole = np.zeros((self.size, self.size))
        whole[:-1, :-1] = by_x
        return Linearisation(np.append(residual, 0.0), whole, np.append(by_p, 0.0))

    def scales(self, x, p):
        return np.append(self.family.scales(x[:-1], p), 1.0)

    def point(self, x, p):
        found = self.family.point(x[:-1], p)
        return replace(found, x=x, multipliers=np.append(found.multipliers, 1.0))


class Overdetermined(Family):
    """A family whose last equation is told twice."""

    def __init__(self, family):
        self.family, self.size, self.tolerance = family, family.size, family.tolerance

    def start(self, p):
        return self.family.start(p)

    def linearise(self, x, p):
        residual, by_x, by_p = self.family.linearise(x, p)
        return Linearisation(np.append(residual, residual[-1]), np.vstack([by_x, by_x[-1]]), np.append(by_p, by_p[-1]))

    def scales(self, x, p):
        return self.family.scales(x, p)

    def point(self, x, p):
        return self.family.point(x, p)
