"""Small models that many tests build: one mass with laws, and chains."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from typing import Any

import slipstick as ss

DUFFING = ss.Polynomial(coefficients=(0.0, 1.0, 0.0, 1.0), damping=0.1)  # u + u^3


def one_mass(
    laws: Mapping[str, ss.Law],
    load: Any = None,
    *,
    name: str = "oscillator",
    frequency: float | None = None,
    inertia: float = 1.0,
    **start: float,
) -> ss.Model:
    """One mass x.   laws : on x, by name of the connection.   load : on x.   start : displacement, velocity."""
    m = ss.Model(name, frequency=frequency)
    x = m.coordinate("x", inertia=inertia, **start)
    for connection, law in laws.items():
        m.connect(x, law, name=connection)
    if load is not None:
        m.load(x, load)
    return m


def slider(
    load: Any = None, *, name: str = "slider", frequency: float | None = None, damping: float = 0.1,
    stiffness: float = 1.0, limit: float = 0.5, **start: float,
) -> ss.Model:  # fmt: skip
    """One mass x on a spring of stiffness 1 and a Jenkins element: connections "spring" and "slider".

    damping : of the spring.   stiffness, limit : of the Jenkins element.
    """
    laws = {
        "spring": ss.Linear(stiffness=1.0, damping=damping),
        "slider": ss.Jenkins(stiffness=stiffness, limit=limit),
    }
    return one_mass(laws, load, name=name, frequency=frequency, **start)


def chain(n: int, law: ss.Law, *, mass: float = 1.0, fixed: bool = True) -> ss.Model:
    """n masses x1 ... xn in a row with the same law between neighbours, and from the first to ground if ``fixed``."""
    m = ss.Model("chain")
    bodies = [m.coordinate(f"x{i + 1}", inertia=mass) for i in range(n)]
    if fixed:
        m.connect(bodies[0], law)
    for a, b in itertools.pairwise(bodies):
        m.connect(b - a, law)
    return m
