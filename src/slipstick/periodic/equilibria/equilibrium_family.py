"""Equilibria as a family over a parameter, so that continuation and special points serve them as they do orbits.

Where orbits have multipliers, equilibria have eigenvalues s. Cayley's transform, with a time tau,

    m = (1 + s tau / 2) / (1 - s tau / 2),

puts the imaginary axis on the unit circle and zero at +1: a fold stays a fold, and a pair of eigenvalues that crosses
the axis (Hopf) is a pair of multipliers that crosses the circle.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable

import numpy as np

from slipstick.arrays import Array, Complex
from slipstick.errors import NotConverged
from slipstick.periodic.continuation.family import Family, Linearisation
from slipstick.periodic.continuation.parameter_difference import difference_by_parameter
from slipstick.periodic.equilibria.sliding_balance import Balance, SlidingBalance
from slipstick.results.orbit import OrbitPoint
from slipstick.transient.problem import Problem

MAX_CACHED_BALANCES = 8
STABLE_ROUNDING = 1e-9  # of the largest eigenvalue: real parts up to it are none


class EquilibriumFamily(Family):
    """problem_at : the problem at a value of the parameter; of all the same contacts stick.

    x : free displacements and reactions of sticking contacts.
    """

    tolerance = 1e-11
    apart = False

    def __init__(self, problem_at: Callable[[float], Problem], p: float, unit: float) -> None:
        self.problem_at, self.unit = problem_at, unit
        self._balances: OrderedDict[float, SlidingBalance] = OrderedDict()
        first = self.balance_at(p)
        self.size, self.first, self.signs = first.size, first, np.sign(first.rates)
        own = first.at(self.start(p))
        self.force = max(
            float(np.abs(own.residual).max(initial=0.0)), float(np.abs(own.forces).max(initial=0.0)), 1e-30
        )
        loads = float(np.abs(first.problem.forcing.at(0.0)).max(initial=0.0))
        self.force = max(self.force, loads)
        values, _ = first.eigenvalues(own)
        sizes = np.abs(values[np.abs(values) > 0.0])
        self.tau = 1.0 / float(np.median(sizes)) if sizes.size else 1.0
        steep = float(np.abs(np.diagonal(own.stiffness)).max(initial=0.0))
        self.length = self.force / steep if steep > 0.0 else 1.0

    def balance_at(self, p: float) -> SlidingBalance:
        """The equations at a value of the parameter."""
        if p not in self._balances:
            found = SlidingBalance.of(self.problem_at(p), getattr(self, "first", None))
            if hasattr(self, "first") and not np.array_equal(np.sign(found.rates), self.signs):
                raise NotConverged(
                    f"a contact slides another way at {self.format_parameter(p)} than elsewhere on the curve"
                )
            self._balances[p] = found
            while len(self._balances) > MAX_CACHED_BALANCES:
                self._balances.popitem(last=False)
        self._balances.move_to_end(p)
        return self._balances[p]

    def start(self, p: float) -> Array:
        own = self.balance_at(p)
        return np.concatenate([own.problem.displacement, np.zeros(len(own.stuck))])

    def linearise(self, x: Array, p: float) -> Linearisation:
        own = self.balance_at(p)
        found = own.at(x)
        rows = self._rows(own)
        return Linearisation(found.residual / rows, own.derivative(found) / rows[:, None], self._by_p(x, p) / rows)

    def _rows(self, own: SlidingBalance) -> Array:
        return np.concatenate([np.full(own.problem.n, self.force), np.full(len(own.stuck), self.length)])

    def _by_p(self, x: Array, p: float) -> Array:
        return difference_by_parameter(self, lambda q: self.balance_at(q).at(x).residual, p, self.unit)

    def scales(self, x: Array, p: float) -> Array:
        n = self.first.problem.n
        length = max(self.length, float(np.abs(x[:n]).max(initial=0.0)))
        root = np.sqrt(x.size)
        return np.asarray(np.concatenate([np.full(n, length), np.full(x.size - n, self.force)]) * root)

    def solved(self, x: Array, p: float) -> tuple[SlidingBalance, Balance]:
        """The equations at an equilibrium, and their values."""
        own = self.balance_at(p)
        return own, own.at(x)

    def multipliers_at(self, x: Array, p: float) -> Complex:
        own, found = self.solved(x, p)
        s = 0.5 * self.tau * own.eigenvalues(found)[0]
        multipliers = (1.0 + s) / (1.0 - s)
        return np.asarray(multipliers[np.argsort(-np.abs(multipliers), kind="stable")])

    def point(self, x: Array, p: float) -> OrbitPoint:
        own, _ = self.solved(x, p)
        multipliers = self.multipliers_at(x, p)
        names, m = own.problem.assembly.names, len(own.problem.system.connections)
        still, none = np.zeros(len(names)), np.full(m, np.nan)
        mean = still.copy()
        mean[own.problem.assembly.free] = x[: own.problem.n]
        return OrbitPoint(
            p=p,
            x=x,
            frequency=1.0,
            period=self.tau,
            multipliers=multipliers,
            stable=bool((np.abs(multipliers) <= 1.0 + STABLE_ROUNDING).all()),
            amplitude=np.abs(mean),
            rms=np.abs(mean),
            mean=mean,
            harmonics=np.zeros((2, len(names)), dtype=complex),
            phase=still,
            force_range=none,
            dissipated=none,
            stick_share=none,
            lag=none,
            error=self.tolerance * max(self.length, float(np.abs(mean).max(initial=0.0))),
        )
