"""Random models of straight pieces, for tests that compare methods: anything a user may put together."""

from __future__ import annotations

from typing import Any

import numpy as np

import slipstick as ss


def random_model(
    seed: int, *, most: int = 6, friction: bool = True, static: bool = True, signals: bool = True, motions: bool = True
) -> ss.Model:
    """A model with 1 to ``most`` coordinates, springs, gaps, sliders and contacts, and several loads."""
    rng = np.random.default_rng(seed)
    m = ss.Model(f"random{seed}", frequency=float(rng.uniform(0.4, 2.5)))
    n = int(rng.integers(1, most + 1))
    q: list[Any] = [
        m.coordinate(
            f"x{i}",
            inertia=float(rng.uniform(0.3, 3.0)),
            displacement=float(rng.normal() * rng.integers(0, 2)),
            velocity=float(rng.normal() * rng.integers(0, 2)),
        )
        for i in range(n)
    ]
    for i in range(n):
        if rng.random() < 0.85:
            below = q[i] if i == 0 or rng.random() < 0.3 else q[i] - q[i - 1]
            stiffness, damping = float(rng.uniform(0.3, 4.0)), float(rng.choice([0.0, 0.05, 0.3]))
            m.connect(below, ss.Linear(stiffness=stiffness, damping=damping))
    belt = None
    if motions and rng.random() < 0.35:
        belt = m.coordinate("belt", motion=_motion(rng))
    for _ in range(int(rng.integers(1, 4))):
        i, j = rng.integers(0, n, 2)
        form = q[i] if i == j else q[i] - float(rng.choice([1.0, 1.0, 0.5, -2.0])) * q[j]
        if belt is not None and rng.random() < 0.5:
            form = form - belt
        m.connect(form, _law(rng, friction, static))
    for i in range(n):
        if i == 0 or rng.random() < 0.4:
            m.load(q[i], _load(rng, signals))
    return m


def _law(rng: np.random.Generator, friction: bool, static: bool) -> ss.Law:
    k, a, c = float(rng.uniform(0.5, 6.0)), float(rng.uniform(0.05, 1.0)), float(rng.choice([0.0, 0.1, 0.4]))
    limit = float(rng.uniform(0.1, 1.0))
    kinds = ["freeplay", "contact", "two-stage", "broken", "jenkins", "masing", "iwan"]
    kind = str(rng.choice(kinds + (["dry"] * 5 if friction else [])))
    if kind == "freeplay":
        return ss.Freeplay(stiffness=k, half_gap=a, damping=c)
    if kind == "contact":
        return ss.Contact(stiffness=k, gap=float(rng.normal()), damping=c)
    if kind == "two-stage":
        return ss.TwoStage(stiffness=k, inner_ratio=float(rng.uniform(0, 1)), half_gap=a, damping=c)
    if kind == "broken":
        breaks = np.sort(rng.normal(size=3))
        slopes = rng.uniform(0.0, 4.0, size=4)
        return ss.PiecewiseLinear(breaks=breaks.tolist(), slopes=slopes.tolist(), value_at=(0.0, 0.0), damping=c)
    if kind == "jenkins":
        return ss.Jenkins(stiffness=k, limit=limit)
    if kind == "masing":
        return ss.Masing(stiffness=k, limit=limit, parallel_stiffness=float(rng.uniform(0, 1)), damping=c)
    if kind == "iwan":
        return ss.Iwan(stiffnesses=(k, 0.5 * k), limits=(limit, 2.0 * limit))
    if rng.random() < 0.2:
        swing = float(rng.uniform(0.2, 0.9)) * limit
        return ss.DryFriction(limit=ss.Fourier(limit, cos=(swing,)), damping=c)
    above = float(rng.uniform(1.0, 1.8)) * limit if static and rng.random() < 0.3 else None
    return ss.DryFriction(limit=limit, damping=c, static_limit=above)


def _load(rng: np.random.Generator, signals: bool) -> Any:
    load: Any = ss.Cosine(float(rng.uniform(0.3, 3.0)), order=1, phase=float(rng.uniform(0.0, 6.0)))
    if rng.random() < 0.5:
        load = load + ss.Constant(float(rng.normal()))
    if rng.random() < 0.3:
        load = load + ss.Sine(float(rng.uniform(0.1, 1.0)), frequency=float(rng.uniform(0.5, 6.0)))
    if rng.random() < 0.15:
        load = load + ss.Ramp(float(rng.normal()) * 0.05)
    if signals and rng.random() < 0.3:
        times = np.sort(rng.uniform(0.0, 12.0, size=5))
        load = load + ss.Signal([*times.tolist(), float(times[-1])], [*rng.normal(size=5).tolist(), 0.0])
    return load


def _motion(rng: np.random.Generator) -> Any:
    motion: Any = ss.Ramp(float(rng.normal()) * 0.5)
    if rng.random() < 0.6:
        motion = motion + ss.Sine(float(rng.uniform(0.1, 0.8)), frequency=float(rng.uniform(0.5, 4.0)))
    if rng.random() < 0.3:
        motion = motion + ss.Signal([0.0, 3.0, 7.0], [0.0, 1.0, -0.5])
    return motion


KINDS = ("grazing", "resonant", "chaotic", "static")


def special_model(kind: str, seed: int) -> ss.Model:
    """A model of few coordinates that is hard to be honest about: see `KINDS`."""
    rng = np.random.default_rng([KINDS.index(kind), seed])
    m = ss.Model(f"{kind}{seed}", frequency=float(rng.uniform(0.5, 2.0)))
    if kind == "grazing":
        return _grazing(rng, m)
    if kind == "resonant":
        return _resonant(rng, m)
    if kind == "chaotic":
        return _chaotic(rng, m)
    return _stick_slip(rng, m)


def _grazing(rng: np.random.Generator, m: ss.Model) -> ss.Model:
    """A free oscillation, or a steady one, that comes within a billionth to a thousandth of a stop or of slipping."""
    k, size = float(rng.uniform(0.5, 5.0)), float(rng.uniform(0.5, 2.0))
    close = 1.0 + float(rng.choice([-1.0, 1.0])) * 10.0 ** float(rng.uniform(-9.0, -3.0))
    x = m.coordinate("x", inertia=1.0, displacement=size)
    m.connect(x, ss.Linear(stiffness=k, damping=float(rng.choice([0.0, 1e-3]))))
    stop = float(rng.uniform(2.0, 20.0))
    if rng.random() < 0.5:
        m.connect(-x, ss.Contact(stiffness=stop, gap=close * size))
    else:
        m.connect(x, ss.Jenkins(stiffness=0.5 * k, limit=0.5 * k * size * close))
    if rng.random() < 0.5:
        y = m.coordinate("y", inertia=0.5, displacement=size)
        m.connect(y, ss.Linear(stiffness=0.5 * k))
        m.connect(x - y, ss.DryFriction(limit=float(rng.uniform(0.01, 0.3))))
    return m


def _resonant(rng: np.random.Generator, m: ss.Model) -> ss.Model:
    """Driven within a billionth to a hundredth of an undamped resonance, until something slips or strikes."""
    assert m.frequency is not None
    detuned = 1.0 + float(rng.choice([-1.0, 0.0, 1.0])) * 10.0 ** float(rng.uniform(-9.0, -2.0))
    x = m.coordinate("x", inertia=2.0)
    m.connect(x, ss.Linear(stiffness=2.0 * (m.frequency * detuned) ** 2))
    m.load(x, ss.Cosine(float(rng.uniform(0.2, 1.0)), order=1))
    law = _law(rng, friction=True, static=True)
    if rng.random() < 0.7:
        y = m.coordinate("y", inertia=1.0)
        m.connect(y, ss.Linear(stiffness=float(rng.uniform(0.5, 3.0))))
        m.connect(x - y, law)
    else:
        m.connect(x, law)
    return m


def _chaotic(rng: np.random.Generator, m: ss.Model) -> ss.Model:
    """A driven mass between two wells of straight lines."""
    x = m.coordinate("x", inertia=1.0, displacement=float(rng.uniform(0.3, 0.9)))
    law = ss.PiecewiseLinear(
        breaks=(-0.5, 0.5), slopes=(1.5, -1.0, 1.5), value_at=(0.0, 0.0), damping=float(rng.uniform(0.08, 0.16))
    )
    m.connect(x, law)
    m.load(x, ss.Cosine(float(rng.uniform(0.25, 0.4)), frequency=float(rng.uniform(0.8, 1.1))))
    return m


def _stick_slip(rng: np.random.Generator, m: ss.Model) -> ss.Model:
    """Masses on a belt, with static limits above the sliding ones."""
    speed = float(rng.uniform(0.05, 0.8))
    belt = m.coordinate("belt", motion=ss.Ramp(speed))
    q: list[Any] = []
    for i in range(int(rng.integers(1, 4))):
        x = m.coordinate(f"x{i}", inertia=float(rng.uniform(0.5, 2.0)), velocity=speed * float(rng.integers(0, 2)))
        m.connect(x, ss.Linear(stiffness=float(rng.uniform(0.5, 4.0)), damping=float(rng.choice([0.0, 0.1]))))
        if q:
            m.connect(x - q[-1], ss.Linear(stiffness=float(rng.uniform(0.5, 4.0))))
        limit = float(rng.uniform(0.2, 1.0))
        m.connect(x - belt, ss.DryFriction(limit=limit, static_limit=limit * float(rng.uniform(1.05, 2.0))))
        q.append(x)
    if rng.random() < 0.5:
        m.load(q[0], ss.Cosine(float(rng.uniform(0.1, 1.0)), order=1))
    return m


def stretched(model: ss.Model, seed: int) -> tuple[ss.Model, np.ndarray]:
    """The same model in other coordinates y = x / factor, with the factors: all its rounding is different."""
    rng = np.random.default_rng(seed)
    factor = {c.name: float(rng.uniform(0.4, 2.5)) if c.motion is None else 1.0 for c in model.coordinates}
    new = ss.Model(model.name, frequency=model.frequency)
    for c in model.coordinates:
        f = factor[c.name]
        if c.motion is not None:
            new.coordinate(c.name, motion=c.motion)
        else:
            new.coordinate(c.name, inertia=c.inertia * f * f, displacement=c.displacement / f, velocity=c.velocity / f)

    def form(terms: Any) -> Any:
        return sum(
            (value * factor[name] * new[name] for name, value in terms.items()), start=0.0 * new[next(iter(terms))]
        )

    for connection in model.connections:
        new.connect(form(connection.deflection.terms), connection.law, name=connection.name)
    for load in model.loads:
        new.load(form(load.form.terms), load.function)
    return new, np.array([factor[c.name] for c in model.coordinates])
