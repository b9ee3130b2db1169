"""The paper's schemes, as models: freeplay between two bodies, and each element of `slipstick.elements`."""

from __future__ import annotations

from slipstick.api import Model
from slipstick.laws.elastic import Freeplay
from slipstick.model.elements import bearing, friction_block, gear_pair, shaft


def toothed_elements() -> Model:
    m = Model("toothed elements")
    first, second = (m.coordinate(name, inertia=1.0) for name in ("z1", "z2"))
    m.connect(first - second, Freeplay(stiffness=2.0, half_gap=0.5), name="teeth")
    return m


def teeth() -> Model:
    m = Model("gear pair")
    delta, gamma = (m.coordinate(name, inertia=1.0) for name in ("delta", "gamma"))
    gear_pair(m, delta, gamma, radii=(0.05, 0.1), tooth_stiffness=1e5, half_gap=1e-4, name="mesh")
    return m


def mounting() -> Model:
    m = Model("shaft with play")
    psi, delta = (m.coordinate(name, inertia=1.0) for name in ("psi", "delta"))
    shaft(m, psi, delta, stiffness=100.0, half_gap=0.01, name="shaft")
    return m


def block() -> Model:
    m = Model("block on a base")
    friction_block(m, "z", mass=1.0, limit=0.6, damping=0.4)
    return m


def body_in_bearing() -> Model:
    m = Model("body in a bearing")
    alpha = m.coordinate("alpha", inertia=1.0)
    bearing(m, alpha, limit=0.6, damping=0.4, name="bearing")
    return m
