"""Random models under periodic loads, for tests that compare methods: anything a user may put together and shake."""

from __future__ import annotations

from typing import Any

import numpy as np

import slipstick as ss

STRAIGHT = ("jenkins", "masing", "iwan", "dry", "varying", "freeplay", "contact", "broken")
CURVED = ("cubic", "dahl", "bouc-wen")
BESIDE = tuple(
    kind for kind in STRAIGHT if kind not in ("dry", "varying")
)  # curved laws: runs take no dry friction then


def random_model(seed: int) -> ss.Model:
    """A damped model with 1 to 4 coordinates, its base frequency, 1 to 3 other laws and loads of order 1, 2 and 1/2."""
    rng = np.random.default_rng(seed)
    m = ss.Model(f"orbit{seed}", frequency=float(rng.uniform(0.3, 2.5)))
    n = int(rng.integers(1, 5))
    q: list[Any] = [m.coordinate(f"x{i}", inertia=float(rng.uniform(0.5, 2.0))) for i in range(n)]
    for i in range(n):
        below = q[i] if i == 0 or rng.random() < 0.3 else q[i] - q[i - 1]
        spring = ss.Linear(stiffness=float(rng.uniform(0.5, 4.0)), damping=float(rng.uniform(0.1, 0.5)))
        m.connect(below, spring, name=f"spring{i}")
    curved = rng.random() < 0.25
    for k in range(int(rng.integers(1, 4))):
        i, j = rng.integers(0, n, 2)
        form = q[i] if i == j else q[i] - float(rng.choice([1.0, 1.0, 0.5, -2.0])) * q[j]
        kind = str(rng.choice((CURVED if k == 0 else BESIDE) if curved else STRAIGHT))
        m.connect(form, _law(rng, kind), name=f"{kind}{k}")
    for i in range(n):
        if i == 0 or rng.random() < 0.4:
            m.load(q[i], _load(rng))
    return m


def _law(rng: np.random.Generator, kind: str) -> ss.Law:
    k, a, c = float(rng.uniform(0.5, 5.0)), float(rng.uniform(0.1, 1.0)), float(rng.choice([0.0, 0.2]))
    limit = float(rng.uniform(0.1, 1.0))
    if kind == "freeplay":
        return ss.Freeplay(stiffness=k, half_gap=a, damping=c)
    if kind == "contact":
        return ss.Contact(stiffness=k, gap=float(rng.normal()), damping=c)
    if kind == "broken":
        breaks, slopes = np.sort(rng.normal(size=2)), rng.uniform(0.0, 4.0, size=3)
        return ss.PiecewiseLinear(breaks=breaks.tolist(), slopes=slopes.tolist(), value_at=(0.0, 0.0), damping=c)
    if kind == "jenkins":
        return ss.Jenkins(stiffness=k, limit=limit)
    if kind == "masing":
        return ss.Masing(stiffness=k, limit=limit, parallel_stiffness=float(rng.uniform(0.0, 1.0)), damping=c)
    if kind == "iwan":
        return ss.Iwan(stiffnesses=(k, 0.5 * k), limits=(limit, 2.0 * limit))
    if kind == "dry":
        return ss.DryFriction(limit=0.5 * limit, damping=c)
    if kind == "varying":
        swing = float(rng.uniform(0.2, 0.9)) * 0.5 * limit
        return ss.DryFriction(limit=ss.Fourier(0.5 * limit, cos=(swing,)), damping=c)
    if kind == "cubic":
        return ss.Polynomial(coefficients=(0.0, 0.0, 0.0, float(rng.uniform(0.1, 1.5))), damping=c)
    if kind == "dahl":
        slope = float(rng.uniform(0.02, 0.2)) * k  # less steep than what follows a reversal
        envelopes = {"upper": (limit, slope), "lower": (-limit, slope)}
        return ss.ModifiedDahl(rate=k / limit, exponent=float(rng.choice([1.0, 1.5])), **envelopes)
    return ss.BoucWen(stiffness=k, ratio=float(rng.uniform(0.1, 0.6)), beta=0.5 / a, gamma=0.5 / a)


def _load(rng: np.random.Generator) -> Any:
    load: Any = ss.Cosine(float(rng.uniform(0.5, 3.0)), order=1, phase=float(rng.uniform(0.0, 6.0)))
    if rng.random() < 0.5:
        load = load + ss.Constant(0.5 * float(rng.normal()))
    other = rng.random()
    if other < 0.2:
        load = load + ss.Sine(float(rng.uniform(0.2, 1.0)), order=2)
    elif other < 0.35:
        load = load + ss.Sine(float(rng.uniform(0.2, 1.0)), order=0.5)
    return load
