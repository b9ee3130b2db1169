"""Loads and prescribed motions as harmonics of the period of the response."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from slipstick.arrays import Array, Complex
from slipstick.errors import Advice, InvalidInput
from slipstick.forcing import Forcing
from slipstick.periodic.balance.nonlinear_connections import folded_of
from slipstick.periodic.common_period import excitations_of, refuse_aperiodic, time_functions_of
from slipstick.periodicity import common_period
from slipstick.transient.folded_matrices import fold
from slipstick.transient.problem import Problem, pose

if TYPE_CHECKING:
    from slipstick.model.system import System


WHOLE_ORDER_TOLERANCE = 1e-9  # how far from a whole number the order of a load may be by rounding


@dataclass(frozen=True, eq=False)
class LoadHarmonics:
    """Forces on the n free coordinates, as pairs of H harmonics (the mean last), for any base frequency.

    powers : (3, H+1, n) they are the sum of powers[i] Omega^i: what motions put on a mass grows with Omega^2.
    fixed : the only base frequency [rad/s] they hold for, if a frequency is given other than as an order; else None.
    """

    powers: Complex
    fixed: float | None

    def check(self, omega: float) -> None:
        """Refuse a base frequency that they do not hold for."""
        if self.fixed is not None and abs(omega - self.fixed) > WHOLE_ORDER_TOLERANCE * omega:
            raise InvalidInput(
                f"a load, motion or factor has a fixed frequency, so the base frequency must be {self.fixed:.9g} "
                f"rad/s, got {omega:.9g}",
                advice=[Advice("give it an {order} instead of a frequency")],
            )

    def at(self, omega: float) -> Complex:
        """(H+1, n) at the base frequency omega [rad/s]."""
        return np.asarray(self.powers[0] + omega * (self.powers[1] + omega * self.powers[2]))

    def rate_at(self, omega: float) -> Complex:
        """(H+1, n) the derivative by omega."""
        return np.asarray(self.powers[1] + 2.0 * omega * self.powers[2])

    @property
    def mean(self) -> Array:
        """(n,) mean forces."""
        return np.asarray(self.powers[0][-1].real)

    def less_mean(self, force: Array) -> LoadHarmonics:
        """These loads less a constant force (n,)."""
        powers = self.powers.copy()
        powers[0][-1] -= force
        return replace(self, powers=powers)

    @cached_property
    def moves(self) -> bool:
        """True if they depend on the base frequency."""
        return bool(self.powers[1:].any())


def period_order(system: System, frequency: float) -> int:
    """The smallest number of base periods after which all loads, motions and factors repeat."""
    refuse_aperiodic(system)
    omegas = [
        omega for _, function in time_functions_of(system) for omega, c, s in function.harmonics_at(frequency) if c or s
    ]
    if not omegas:
        return 1
    turns = common_period([*omegas, frequency]) * frequency / (2.0 * np.pi)
    return max(1, round(turns))


def highest_order(system: System, frequency: float) -> int:
    """The highest multiple of the base frequency among loads and motions, rounded up."""
    omegas = [
        omega for _, function in excitations_of(system) for omega, c, s in function.harmonics_at(frequency) if c or s
    ]
    return int(np.ceil(max(omegas, default=0.0) / frequency - WHOLE_ORDER_TOLERANCE))


def has_own_frequency(system: System) -> bool:
    """True if a function of time has a frequency of its own instead of an order."""
    return any(not h.is_order for _, function in time_functions_of(system) for h in function.parts().harmonics)


def load_harmonics_of(problem: Problem, order: int, index: int) -> LoadHarmonics:
    """The loads of a problem that is posed at a frequency; index : the highest harmonic of a period of that order."""
    base = problem.frequency
    assert base is not None
    fixed = base if has_own_frequency(problem.system) else None
    own = harmonic_pairs_of(folded_of(problem).forcing, base / order, index)
    powers = np.zeros((3, *own.shape), dtype=complex)
    powers[0] = own
    if problem.assembly.prescribed.size and fixed is None:
        # a parabola in the frequency, from three of them
        others = [
            harmonic_pairs_of(fold(pose(problem.system, 0.0, f * base)).forcing, f * base / order, index)
            for f in (2, 3)
        ]
        powers[2] = (own - 2.0 * others[0] + others[1]) / 2.0
        powers[1] = others[0] - own - 3.0 * powers[2]
        powers[0] = own - powers[1] - powers[2]
        powers[1] /= base
        powers[2] /= base**2
    return LoadHarmonics(powers, fixed)


def harmonic_pairs_of(forcing: Forcing, first: float, index: int) -> Complex:
    """(index + 1, rows) pairs of functions of time; first : frequency of harmonic 1 [rad/s]."""
    pairs = np.zeros((index + 1, forcing.rows), dtype=complex)
    pairs[-1] = forcing.constant
    for k, omega in enumerate(forcing.omega):
        at = harmonic_of(float(omega), first, index)
        pairs[at - 1] += forcing.cos[:, k] + 1j * forcing.sin[:, k]
    return pairs


def harmonic_of(omega: float, first: float, index: int) -> int:
    """Which harmonic a frequency is."""
    ratio = omega / first
    found = round(ratio)
    if abs(ratio - found) > WHOLE_ORDER_TOLERANCE * max(ratio, 1.0) or found < 1:
        raise InvalidInput(
            f"a load of {omega:.9g} rad/s is no multiple of the first harmonic of the response, {first:.9g} rad/s",
            advice=[Advice("choose a {subharmonic} that it fits, or leave it out")],
        )
    if found > index:
        raise InvalidInput(
            f"a load acts at harmonic {found} of the response, but only {index} are balanced",
            advice=[Advice("raise {harmonics} (each is one multiple of the base frequency)")],
        )
    return found
