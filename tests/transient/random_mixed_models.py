"""Random models with set-valued friction beside curved laws, for tests of method events."""

from __future__ import annotations

from typing import Any

import numpy as np
from transient.random_models import random_model

import slipstick as ss


def random_mixed_model(seed: int) -> ss.Model:
    """A random model of straight pieces with one to three curved laws, and one more friction contact, added to it."""
    rng = np.random.default_rng([7, seed])
    m = random_model(seed, most=4)
    free: list[Any] = [c for c in m.coordinates if c.motion is None]
    for _ in range(int(rng.integers(1, 4))):
        i, j = rng.integers(0, len(free), 2)
        m.connect(free[i] if i == j else free[i] - free[j], _curved(rng))
    contact = free[int(rng.integers(0, len(free)))]
    limit = float(rng.uniform(0.1, 0.8))
    static = float(rng.uniform(1.0, 1.6)) * limit
    falling = float(rng.uniform(0.1, 1.0)) if rng.random() < 0.5 else None
    m.connect(contact, ss.DryFriction(limit=limit, static_limit=static, stribeck_velocity=falling))
    return m


def _curved(rng: np.random.Generator) -> ss.Law:
    k, limit = float(rng.uniform(0.3, 3.0)), float(rng.uniform(0.1, 1.0))
    kind = str(rng.choice(["cubic", "damper", "dahl", "bouc-wen", "stack", "lugre"]))
    if kind == "cubic":
        return ss.Polynomial(coefficients=(0.0, 0.0, 0.0, k))
    if kind == "damper":
        return ss.PowerDamper(coefficient=0.3 * k, exponent=2.0)
    if kind == "dahl":
        return ss.Dahl(stiffness=3.0 * k, limit=limit)
    if kind == "bouc-wen":
        return ss.BoucWen(stiffness=k, ratio=0.3, beta=2.0, gamma=1.0)
    if kind == "stack":
        return ss.DynamicHysteresis(stiffness=2.0 * k, limit=limit)
    return ss.LuGre(
        bristle_stiffness=20.0 * k,
        bristle_damping=1.0,
        viscous=0.1,
        coulomb=limit,
        static=1.5 * limit,
        stribeck_velocity=0.2,
    )
