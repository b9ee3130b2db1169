"""Small models for the tests of harmonic balance, and what they are compared with."""

from __future__ import annotations

import numpy as np

import slipstick as ss
from slipstick.periodic.balance import HarmonicBalance
from slipstick.periodic.balance.fourier_series import as_series
from slipstick.periodic.balance.motion_recovery import free_pairs


def oscillator(law=None, *, mass=1.0, damping=0.1, stiffness=1.0, load=None):
    """One mass on a spring and a damper, with a law beside them; the load is cos(Omega t)."""
    m = ss.Model("oscillator")
    q = m.coordinate("q", inertia=mass)
    m.connect(q, ss.Linear(stiffness=stiffness, damping=damping), name="spring")
    if law is not None:
        m.connect(q, law, name="law")
    m.load(q, ss.Cosine(1.0, order=1) if load is None else load)
    return m


def chain(masses=10, sliders=(2, 4, 6, 8, 10), limit=0.3):
    """Masses in a row, each on a spring of 1 and a damper of 0.05 to its neighbour, with sliders on some."""
    m = ss.Model("chain")
    q = [m.coordinate(f"q{i + 1}", inertia=1.0) for i in range(masses)]
    for i in range(masses):
        m.connect(q[i] - q[i - 1] if i else q[0], ss.Linear(stiffness=1.0, damping=0.05), name=f"spring{i + 1}")
    for i in sliders:
        m.connect(q[i - 1], ss.Jenkins(stiffness=1.0, limit=limit), name=f"slider{i}")
    m.load(q[4 if masses > 4 else 0], ss.Cosine(1.0, order=1))
    return m


def gear():
    """A mass with play under a small load: two folds, as shooting has them."""
    m = ss.Model("gear with play")
    x = m.coordinate("x", inertia=1.0)
    m.connect(x, ss.Linear(stiffness=0.2, damping=0.08), name="shaft")
    m.connect(x, ss.Freeplay(stiffness=1.0, half_gap=0.5), name="mesh")
    m.load(x, ss.Cosine(0.2, order=1))
    return m


def torsional(order, phase=0.0, mean=0.5, swing=0.3):
    """The oscillator of the torsional paper, zeta = 0.05."""
    limit = ss.Constant(mean) + ss.Sine(swing, order=order, phase=phase) if order else mean
    return oscillator(ss.DryFriction(limit=limit), load=ss.Sine(1.0, order=1))


def motion(solution, times):
    """(k, n) displacements of the free coordinates at times."""
    family: HarmonicBalance = solution.family
    family.linearise(solution.x, solution.p)
    series = as_series(free_pairs(family, solution.x, solution.p))
    tau = np.outer(times, np.arange(1, family.index + 1)) * solution.p / family.order
    waves = np.ones((len(times), family.waves.width))
    waves[:, 0:-1:2], waves[:, 1:-1:2] = np.cos(tau), np.sin(tau)
    return waves @ series.T
