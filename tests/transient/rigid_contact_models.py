"""Random models with rigid contacts, for the library and for Moreau's time stepping."""

from __future__ import annotations

import numpy as np
from transient.moreau_oracle import Body, Touch

import slipstick as ss


class Chain:
    """A chain of masses with springs, dampers, harmonic loads and 1 to 2 oblique contacts."""

    def __init__(self, seed: int) -> None:
        rng = np.random.default_rng(seed)
        n = int(rng.integers(2, 6))
        self.mass = rng.uniform(0.5, 2.0, n)
        self.q, self.v = 0.1 * rng.normal(size=n), 0.5 * rng.normal(size=n)
        self.stiffness, self.damping = np.zeros((n, n)), np.zeros((n, n))
        self.model = m = ss.Model(f"chain {seed}")
        xs = [m.coordinate(f"x{i}", inertia=self.mass[i], displacement=self.q[i], velocity=self.v[i]) for i in range(n)]
        rows = [*np.eye(n), *(np.eye(n)[i] - np.eye(n)[i - 1] for i in range(1, n))]
        for row in rows:
            k, c = float(rng.uniform(1.0, 20.0)), float(rng.uniform(0.02, 0.4))
            m.connect(_form(xs, row), ss.Linear(stiffness=k, damping=c))
            self.stiffness += k * np.outer(row, row)
            self.damping += c * np.outer(row, row)
        self.constant, self.amplitude = 2.0 * rng.normal(size=n), 3.0 * rng.normal(size=n)
        self.omega, self.phase = rng.uniform(1.0, 6.0, n), rng.uniform(0.0, 6.0, n)
        for i, x in enumerate(xs):
            m.load(x, ss.Constant(self.constant[i]))
            m.load(x, ss.Cosine(self.amplitude[i], frequency=self.omega[i], phase=self.phase[i]))
        self.contacts = []
        for j in range(1 if n < 4 else 2):
            t, normal = rng.normal(size=n).round(2), rng.normal(size=n).round(2)
            gap = float(normal @ self.q + rng.uniform(0.05, 0.3))
            touch = Touch(t, normal, float(rng.uniform(0.05, 0.4)), gap, float(rng.choice([0.0, 0.3, 0.7])))
            law = ss.CoulombContact(friction=touch.friction, gap=gap, restitution=touch.restitution)
            m.connect((_form(xs, t), _form(xs, normal)), law, name=f"pad{j}")
            self.contacts.append(touch)

    @property
    def body(self) -> Body:
        """The same for the oracle."""
        mass = np.diag(self.mass)
        return Body(mass, self.damping, self.stiffness, self.load, self.contacts)

    def load(self, t: float) -> np.ndarray:
        return self.constant + self.amplitude * np.cos(self.omega * t + self.phase)


def _form(xs, row):
    return sum((float(a) * x for a, x in zip(row[1:], xs[1:], strict=True)), float(row[0]) * xs[0])
