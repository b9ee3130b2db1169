"""The torsional oscillator with dry friction under a periodic normal load, of the torsional paper.

An inertia I on a shaft (stiffness K, damper C) rubs with the torque r mu N(t) and is driven by T_p sin(w t), (1)-(3).
Angles in units of theta_c = T_p/K and times in units of 1/w_n = sqrt(I/K) leave (5):

    theta'' + 2 zeta theta' + theta + N(tau) Sgn(theta') = sin(W tau),    N = N0 + A sin(n W tau + phi)   (12a)

Where the print is wrong: the second sum of (3a) is of cosines, (3b) lacks the sign of the rate, and zeta is not given
(0.05 here). A normal load below zero has no meaning: it is cut off there.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from slipstick.api import Model
from slipstick.errors import InvalidInput
from slipstick.laws.elastic import Linear
from slipstick.laws.friction import DryFriction
from slipstick.signals import Constant, Fourier, Sine, TimeFunction
from slipstick.systems.keyword_checks import check_number, known_keywords
from slipstick.systems.system_units import with_si_units
from slipstick.units.axes import NORMALISED

NORMAL_LOAD = {"mean": 0.5, "swing": 0.3, "order": 1, "phase": 0.0}  # (12a), of the paper's figures 3 and 4


@known_keywords()
def torsional(
    damping_ratio: float = 0.05,
    mean: float = 0.5,
    swing: float = 0.3,
    order: float = 1,
    phase: float = 0.0,
    *,
    load: float | TimeFunction | None = None,
    frequency: float | None = None,
) -> Model:
    """The oscillator (5) in numbers without units; coordinate theta, connections "shaft" and "friction".

    damping_ratio : zeta.
    mean, swing, order, phase : N0, A, n and phi [rad] of the normal load (12a); a load of order 0 is constant.
    load : the whole normal load instead of these four, such as that of Fig. 2.
    frequency : the base frequency W; a response over frequency needs none.
    """
    check_number("torsional", "damping_ratio", damping_ratio, low=0.0)
    given = {"mean": mean, "swing": swing, "order": order, "phase": phase}
    beside = [name for name, value in given.items() if value != NORMAL_LOAD[name]]
    if load is not None and beside:
        words = f"torsional: load is the whole normal load, leave out {' and '.join(beside)} beside it"
        raise InvalidInput(words).about(beside[0])
    limit = _normal_load(mean, swing, order, phase) if load is None else load
    return with_si_units(_oscillator(1.0, 2.0 * damping_ratio, 1.0, 1.0, limit, frequency), NORMALISED)


@dataclass(frozen=True, kw_only=True)
class TorsionalSystem:
    """The oscillator in its own units, (1)-(3), and its scaling (4).

    inertia, damping, stiffness : I, C, K of the shaft [kg m^2], [N m s/rad], [N m/rad].
    torque : T_p, the amplitude of the driving torque [N m].
    radius, friction_coefficient : r of the rubbing surface [m] and mu [1].
    normal_load : N [N], a number or a periodic function of time (3a): with an order, of which 1/kappa is the slowest
        of it, or with a frequency of its own.
    """

    inertia: float
    stiffness: float
    torque: float
    damping: float = 0.0
    radius: float
    friction_coefficient: float
    normal_load: float | TimeFunction

    def __post_init__(self) -> None:
        for name in ("inertia", "stiffness", "torque", "radius", "friction_coefficient"):
            check_number("TorsionalSystem", name, getattr(self, name), above=0.0)
        check_number("TorsionalSystem", "damping", self.damping, low=0.0)
        if not isinstance(self.normal_load, TimeFunction):
            check_number("TorsionalSystem", "normal_load", self.normal_load, low=0.0)
        elif not self.normal_load.is_periodic:
            words = f"TorsionalSystem: normal_load must be a number or a periodic function, got {self.normal_load!r}"
            raise InvalidInput(words).about("normal_load")

    @property
    def natural_frequency(self) -> float:
        """(4a) [rad/s]; W = w/w_n, tau = w_n t (4g-h)."""
        return math.sqrt(self.stiffness / self.inertia)

    @property
    def damping_ratio(self) -> float:
        """(4b)."""
        return self.damping / (2.0 * math.sqrt(self.stiffness * self.inertia))

    @property
    def angle(self) -> float:
        """theta_c of (4c) [rad], the static deflection under the torque's amplitude."""
        return self.torque / self.stiffness

    def model(self, frequency: float | None = None) -> Model:
        """The model of (1)-(3), angles in rad; frequency: w [rad/s]."""
        limit = _rescaled(self.normal_load, self.radius * self.friction_coefficient)
        return with_si_units(
            _oscillator(self.inertia, self.damping, self.stiffness, self.torque, limit, frequency), "rad"
        )

    def scaled(self, frequency: float | None = None) -> Model:
        """The model of (5), angles in units of `angle`, times in units of 1/`natural_frequency`; frequency: W."""
        share = self.radius * self.friction_coefficient / self.torque
        limit = _rescaled(self.normal_load, share, self.natural_frequency)
        return torsional(self.damping_ratio, load=limit, frequency=frequency)


def _oscillator(
    inertia: float,
    damping: float,
    stiffness: float,
    torque: float,
    limit: float | TimeFunction,
    frequency: float | None,
) -> Model:
    m = Model("torsional", frequency=frequency)
    theta = m.coordinate("theta", inertia=inertia)
    m.connect(theta, Linear(stiffness=stiffness, damping=damping), name="shaft")
    m.connect(theta, DryFriction(limit=limit), name="friction")
    m.load(theta, Sine(torque, order=1))
    return m


def _normal_load(mean: float, swing: float, order: float, phase: float) -> float | TimeFunction:
    """(12a)."""
    if order == 0:
        return float((Constant(mean) + Sine(swing, order=1, phase=phase)).at(0.0, 1.0))
    return Constant(mean) + Sine(swing, order=order, phase=phase)


def _rescaled(load: float | TimeFunction, factor: float, clock: float = 1.0) -> float | TimeFunction:
    """The load times a factor, over the time clock * t: frequencies go down by it, and orders stay what they are."""
    if not isinstance(load, TimeFunction):
        return factor * load
    parts = load.parts()
    scaled: TimeFunction = Constant(factor * parts.constant)
    for one in parts.harmonics:
        speed = {"order": one.omega} if one.is_order else {"frequency": one.omega / clock}
        scaled = scaled + Fourier(cos=(factor * one.cos,), sin=(factor * one.sin,), **speed)
    return scaled
