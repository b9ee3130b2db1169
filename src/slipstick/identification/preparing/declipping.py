"""Restores a periodic deflection where its sensor was out of range."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from slipstick.arrays import Array
from slipstick.identification import tolerances as tol
from slipstick.identification.loop import Loop
from slipstick.identification.preparing.sensor_faults import Mask, find_clipped_deflection
from slipstick.identification.preparing.smoothing import refine_base_frequency, series_basis

DECLIPPING_HARMONICS = 3  # more are undetermined where the sensor saw nothing
MIN_MIDDLE_PASSAGES = 4  # a cycle and a half


class DeclippedLoop(NamedTuple):
    """loop : with the restored deflection, if `restored`.   clipped : (n,) mask of the samples out of range.
    note : what was found, in words; empty if nothing is clipped.
    """

    loop: Loop
    clipped: Mask
    note: str = ""
    restored: bool = True


def declip_deflection(loop: Loop) -> DeclippedLoop:
    """Replace clipped samples of the deflection by a Fourier series through the others."""
    clipped = find_clipped_deflection(loop)
    if not clipped.note:
        return DeclippedLoop(loop, clipped.samples)
    series = _fitted_series(loop, clipped.samples)
    if series is None:
        return DeclippedLoop(loop, clipped.samples, clipped.note, restored=False)
    u, count = series
    note = (
        f"{int(clipped.samples.sum())} of {len(loop)} samples hold an extreme deflection exactly while the force "
        f"changes: the sensor is out of range; a Fourier series of {count} harmonic{'s' * (count > 1)} through the "
        "other samples restores the motion there, and the force there is excluded"
    )
    restored = Loop(
        np.where(clipped.samples, u, loop.u), loop.f, loop.t, name=loop.name, notes=loop.notes,
        frequency=loop.frequency, system=loop.system, file=loop.file, units=loop.units, normal=loop.normal,
    )  # fmt: skip
    return DeclippedLoop(restored, clipped.samples, note)


def _fitted_series(loop: Loop, clipped: Mask) -> tuple[Array, int] | None:
    """(n,) the motion and its count of harmonics; None if it is not periodic or stays within the sensor's range."""
    middle = 0.5 * (loop.u.max() + loop.u.min())
    passed = np.flatnonzero(np.diff(np.sign(loop.u - middle)) != 0.0)
    if loop.t is None or passed.size < MIN_MIDDLE_PASSAGES:
        return None
    seen, omega = ~clipped, np.pi * (passed.size - 1) / float(loop.t[passed[-1]] - loop.t[passed[0]])
    limit = max(tol.SERIES_NOISE_RATIO * loop.turning.noise, tol.SERIES_MISFIT_REL * float(np.ptp(loop.u)))
    for count in range(1, DECLIPPING_HARMONICS + 1):
        omega, _ = refine_base_frequency(loop.t[seen], loop.u[seen], omega, count)
        basis = series_basis(loop.t, omega, count)
        u = basis @ np.linalg.lstsq(basis[seen], loop.u[seen], rcond=None)[0]
        if float(np.sqrt(np.mean((u - loop.u)[seen] ** 2))) <= limit:
            outwards = (u - loop.u) * np.sign(loop.u - loop.u.mean())
            return (u, count) if np.mean(outwards[clipped] > -limit) >= tol.MIN_SHARE_BEYOND_CLIP else None
    return None
