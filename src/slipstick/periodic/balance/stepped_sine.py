"""Orbits of a stepped-sine test by harmonic balance: one family, with a drive whose amplitude may vary."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from slipstick.arrays import Array, Complex
from slipstick.errors import NotConverged
from slipstick.periodic.balance.balance_points import free_pairs_of, refuse_drift
from slipstick.periodic.balance.harmonic_balance import HarmonicBalance
from slipstick.periodic.balance.orbit_batch import batch_size, evaluate_batch
from slipstick.periodic.continuation.corrector import correct, parameter_plane, scale_of
from slipstick.signals import Cosine

if TYPE_CHECKING:
    from slipstick.model.system import System


class SteppedSine:
    """A model under a cosine on one coordinate, whose amplitude may differ from frequency to frequency.

    Only loads change between amplitudes, so that the equations are set up once.

    model : without other periodic loads.   load : name of the driven coordinate.
    amplitude, frequency : [N or N m], [rad/s] typical ones.
    """

    def __init__(self, model: System, load: str, amplitude: float, frequency: float) -> None:
        driven = model.snapshot()
        driven.ready = None
        driven.load(driven[load], Cosine(amplitude, order=1))
        self.family = HarmonicBalance(driven, frequency=frequency)
        self.amplitude, self.loads = amplitude, self.family.loads
        self.unit = np.zeros((self.family.problem.n, 1), dtype=complex)
        row = self.row_of(load)
        if row is not None:  # a prescribed motion takes any load
            self.unit[row] = 1.0

    def row_of(self, coordinate: str) -> int | None:
        """Row of a coordinate among the free ones; None for a prescribed motion."""
        assembly = self.family.problem.assembly
        rows = np.flatnonzero(np.asarray(assembly.free) == list(assembly.names).index(coordinate))
        return int(rows[0]) if rows.size else None

    def solve(self, amplitude: float, omega: float, guess: Array | None = None) -> Array:
        """(size,) unknowns of the orbit, by Newton from a guess or from a linear model; raises `NotConverged`."""
        powers = self.loads.powers.copy()
        powers[0, self.family.order - 1] += (amplitude - self.amplitude) * self.unit[:, 0]
        self.family.change_loads(powers)
        z = np.append(self.family.start(omega) if guess is None else guess, omega)
        return correct(self.family, z, parameter_plane(z, omega, scale_of(self.family, z, omega))).x

    def sweep(self, amplitude: Array, omega: Array, falling: bool = False) -> Array:
        """(n, size) orbits, each by Newton from the one before; not a number where there is none."""
        found = np.full((omega.size, self.family.size), np.nan)
        before: Array | None = None
        for i in range(omega.size)[:: -1 if falling else 1]:
            for guess in (None,) if before is None else (before, None):
                try:
                    before = found[i] = self.solve(float(amplitude[i]), float(omega[i]), guess)
                    break
                except NotConverged:
                    before = None
        return found

    def beside(self, orbits: Array, amplitude: Array, omega: Array) -> Array:
        """(n, size) orbits by Newton from those of a model with almost the same parameters."""
        rows = zip(amplitude.tolist(), omega.tolist(), orbits, strict=True)
        return np.array([self.solve(*row) for row in rows])

    def first_harmonics(self, orbits: Array, amplitude: Array, omega: Array, coordinate: str) -> Complex:
        """(n,) of the displacement, relative to the cosine that drives; not a number where there is no orbit."""
        row, harmonic = self.row_of(coordinate), self.family.order - 1
        found = np.full(omega.size, np.nan, dtype=complex)
        if row is None:
            raise NotConverged(f"{coordinate} is a prescribed motion, which no load changes")
        self.family.change_loads(self.loads.powers)
        usable = np.flatnonzero(np.all(np.isfinite(orbits), axis=1))
        each = batch_size(self.family)
        for begin in range(0, usable.size, each):
            own = usable[begin : begin + each]
            known = evaluate_batch(self.family, orbits[own], omega[own])
            refuse_drift(known)
            more = self.family.compliance.values(known.s[:, harmonic], self.unit)[:, row, 0]
            pairs = free_pairs_of(known)[:, row, harmonic] + (amplitude[own] - self.amplitude) * more
            found[own] = pairs.conj()
        return found
