"""A motion of a nonlinear mode as it is stored."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from slipstick.arrays import Array, Complex
from slipstick.periodic.balance.balance_points import MAX_CLOSURE_GAP_REL, open_memory_note
from slipstick.periodic.balance.extremes import range_of_series
from slipstick.periodic.balance.fourier_series import as_series
from slipstick.periodic.balance.motion_recovery import ConnectionForces, all_pairs
from slipstick.periodic.modes.accuracy import mode_accuracy
from slipstick.results.mode_points import ModePoint
from slipstick.results.orbit import OrbitPoint
from slipstick.transient.series_joints import fold_point

if TYPE_CHECKING:
    from slipstick.periodic.continuation.corrector import CurvePoint
    from slipstick.periodic.modes.mode_family import ModeFamily


ENERGY_INSTANTS = 512  # instants of a cycle, among which the largest kinetic energy is found


def mode_orbit(family: ModeFamily, x: Array, p: float) -> OrbitPoint:
    """The motion x at an amplitude, as an orbit."""
    _, _, omega, _ = family.split(x, p)
    balance = family.balance_at(p)
    free = family.free_pairs(family.motion(x, p).z)
    free[:, -1] = free[:, -1].real
    acts = ConnectionForces(balance, free, omega)
    pairs = _turned(all_pairs(balance, free))
    series = as_series(pairs)
    harmonics = np.concatenate([pairs[:, -1:], pairs[:, :-1]], axis=1).conj().T
    period = 2.0 * np.pi / omega
    return OrbitPoint(
        p=p,
        x=x.copy(),
        frequency=omega,
        period=period,
        multipliers=np.zeros(0, dtype=np.complex128),
        stable=None,
        amplitude=0.5 * range_of_series(pairs, balance.fine_grid),
        rms=np.sqrt(series[:, -1] ** 2 + 0.5 * (series[:, :-1] ** 2).sum(axis=1)),
        mean=series[:, -1].copy(),
        harmonics=harmonics,
        phase=np.angle(harmonics[1]),
        force_range=acts.force_range,
        dissipated=period * (acts.force * acts.rate).mean(axis=1),
        stick_share=acts.sticks.mean(axis=1),
        lag=acts.lags(),
        error=float("nan"),
        notes=tuple(_notes(family, p)),
    )


def mode_point(family: ModeFamily, at: CurvePoint, amplitude: float) -> ModePoint:
    """The motion at a place on the curve, with its errors; amplitude : as it was asked for."""
    found, errors = family.point(at.x, at.p), mode_accuracy(family, at.x, at.p)
    problem = family.balance.problem
    c = found.harmonics[:, problem.assembly.free]
    first = c[1]
    angle = 2.0 * np.pi * np.arange(ENERGY_INSTANTS) / ENERGY_INSTANTS
    h = np.arange(c.shape[0])
    acts = partial(ConnectionForces, family.balance_at(at.p), family.free_pairs(family.motion(at.x, at.p).z))
    found = fold_point(found, problem.system, lambda own: acts(found.frequency).summed_range(own))
    velocity = (np.exp(1j * np.outer(angle, h)) @ (1j * found.frequency * h[:, None] * c)).real
    return ModePoint(
        amplitude=amplitude,
        modal_amplitude=float(np.sqrt((first.conj() @ problem.mass @ first).real)),
        frequency=found.frequency,
        damping_ratio=family.split(at.x, at.p)[3],
        energy=float(0.5 * np.einsum("ki,ij,kj->k", velocity, problem.mass, velocity, optimize=True).max()),
        harmonics=found.harmonics,
        peak_to_peak=2.0 * found.amplitude,
        rms=found.rms,
        mean=found.mean,
        dissipated=found.dissipated,
        force_range=found.force_range,
        stick_share=found.stick_share,
        frequency_error=errors.frequency,
        damping_error=errors.damping_ratio,
        error=errors.displacement,
        residual=at.residual,
        iterations=at.iterations,
        notes=(*found.notes, *errors.notes),
    )


def _turned(pairs: Complex) -> Complex:
    """The same motion from the instant at which the first harmonic that is largest is at its highest."""
    largest = pairs[np.argmax(np.abs(pairs[:, 0])), 0]
    orders = np.append(np.arange(1, pairs.shape[1]), 0)
    return np.asarray(pairs * np.exp(-1j * orders * np.angle(largest)))


def _notes(family: ModeFamily, p: float) -> list[str]:
    balance = family.balance_at(p)
    names = [balance.problem.system.connections[c].name for c in balance.lines.connections]
    return [
        open_memory_note(names[member.line], gap)
        for member, gap in zip(balance.lines.members, balance.follower.open, strict=True)
        if not gap <= MAX_CLOSURE_GAP_REL
    ]
