"""Oscillators with laws that remember a stack of reversals."""

from __future__ import annotations

import slipstick as ss

SHEAR = ss.FibreShear(stiffness=3.0, limit=0.4, linear=0.5, cubic=0.1, overshoot=0.2, ratio=0.3)


def oscillator(law: ss.Law, cubic: float = 0.0, load: ss.Cosine | float = 0.35, mean: float = 0.0) -> ss.Model:
    m = ss.Model("stack")
    x = m.coordinate("x", inertia=1.0)
    m.connect(x, ss.Polynomial(coefficients=(0.0, 1.0, 0.0, cubic), damping=0.03), name="spring")
    m.connect(x, law, name="law")
    m.load(x, ss.Cosine(load, order=1) if isinstance(load, float) else load)
    if mean:
        m.load(x, ss.Constant(mean))
    return m
