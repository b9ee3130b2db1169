"""Self-excited models with closed forms or published periods."""

from __future__ import annotations

import math

from models import one_mass

import slipstick as ss

VAN_DER_POL_PERIOD = 6.6632868593  # mu = 1; D. Viswanath, Int. J. Bifurcation and Chaos 11 (2001)


def rayleigh(mu: float = 1.0) -> ss.Model:
    """x'' - mu (1 - x'^2 / 3) x' + x = 0: its velocity obeys van der Pol's equation."""
    laws = {"spring": ss.Linear(stiffness=1.0, damping=-mu), "damper": ss.PowerDamper(coefficient=mu / 3.0, exponent=3)}
    return one_mass(laws, name="rayleigh", displacement=1.2)


def belt(speed: float = 0.5, limit: float = 0.6, static_limit: float = 1.0, damping: float = 0.0) -> ss.Model:
    """Unit mass and spring on a belt."""
    m = ss.Model("belt oscillator")
    x = m.coordinate("x", inertia=1.0, displacement=static_limit + 1.0)
    moving = m.coordinate("belt", motion=ss.Ramp(speed))
    m.connect(x, ss.Linear(stiffness=1.0, damping=damping), name="spring")
    m.connect(x - moving, ss.DryFriction(limit=limit, static_limit=static_limit), name="pad")
    return m


def belt_times(speed: float, limit: float, static_limit: float) -> tuple[float, float]:
    """Times of stick and of slip of the belt oscillator without damping, for unit mass and spring.

    It sticks from 2 F - F_s to F_s at the speed of the belt, and slides on a circle about F.
    """
    rise = static_limit - limit
    return 2.0 * rise / speed, 2.0 * math.pi - 2.0 * math.atan(rise / speed)


def stribeck_belt(damping: float = 0.1, limit: float = 0.5, speed: float = 0.5) -> ss.Model:
    """Unit mass and spring on a belt, with friction that falls from 1 to ``limit`` over the rate."""
    m = ss.Model("stribeck belt")
    x = m.coordinate("x", inertia=1.0)
    moving = m.coordinate("belt", motion=ss.Ramp(speed))
    m.connect(x, ss.Linear(stiffness=1.0, damping=damping), name="spring")
    friction = ss.DryFriction(limit=limit, static_limit=1.0, stribeck_velocity=0.5, stribeck_exponent=1)
    m.connect(x - moving, friction, name="pad")
    return m


def mode_coupling(damping: float) -> ss.Model:
    """Two unit masses; friction in proportion to the normal displacement y pushes x: a stiffness of x by y alone."""
    m = ss.Model("mode coupling")
    x, y = (m.coordinate(name, inertia=1.0) for name in "xy")
    m.connect(x, ss.Linear(stiffness=1.0, damping=damping), name="tangential")
    m.connect(y, ss.Linear(stiffness=1.4, damping=damping), name="normal")
    m.connect(x + y, ss.Linear(stiffness=0.5), name="oblique")
    m.connect(y, ss.Linear(stiffness=-0.3), along=x, name="friction")
    return m
