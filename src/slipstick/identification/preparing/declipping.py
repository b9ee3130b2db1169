"""The motion where a sensor of deflection was at its end, from what it saw of a periodic one."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from slipstick.identification.loop import Loop
from slipstick.identification.preparing.sensor_faults import Mask, find_clipped_deflection
from slipstick.identification.preparing.smoothing import SERIES_NOISE_RATIO, refine_base_frequency, series_basis

Array = NDArray[np.float64]

DECLIPPING_HARMONICS = 3  # more could be anything where nothing was seen
SERIES_MISFIT_REL = 1e-4  # of the range: a series that leaves less of what was seen is the motion
MIN_MIDDLE_PASSAGES = 4  # of the middle: a cycle and a half
MIN_SHARE_BEYOND_CLIP = 0.9  # of the hidden samples must lie beyond the sensor's end


class DeclippedLoop(NamedTuple):
    """loop : with the motion behind the sensor's end, where that is known.   hidden : samples there.
    words : what was found.   known : the motion there is.
    """

    loop: Loop
    hidden: Mask
    words: str = ""
    known: bool = True


def declip_deflection(loop: Loop) -> DeclippedLoop:
    """A loop whose deflection was cut off, with a Fourier series through the rest of it where it was."""
    clipped = find_clipped_deflection(loop)
    if not clipped.words:
        return DeclippedLoop(loop, clipped.samples)
    found = _fitted_series(loop, clipped.samples)
    if found is None:
        return DeclippedLoop(loop, clipped.samples, clipped.words, known=False)
    u, count = found
    words = (
        f"{int(clipped.samples.sum())} of {len(loop)} samples hold an extreme deflection exactly while the force goes "
        f"on: the sensor is at its end; the motion there is a Fourier series of {count} harmonic{'s' * (count > 1)} "
        "through the other samples, and its force is not compared"
    )
    whole = Loop(
        np.where(clipped.samples, u, loop.u), loop.f, loop.t, name=loop.name, notes=loop.notes,
        frequency=loop.frequency, system=loop.system, file=loop.file, units=loop.units,
    )  # fmt: skip
    return DeclippedLoop(whole, clipped.samples, words)


def _fitted_series(loop: Loop, hidden: Mask) -> tuple[Array, int] | None:
    """(n,) the motion and its harmonics; None where it is not periodic, or does not go beyond the sensor's end."""
    middle = 0.5 * (loop.u.max() + loop.u.min())
    passed = np.flatnonzero(np.diff(np.sign(loop.u - middle)) != 0.0)
    if loop.t is None or passed.size < MIN_MIDDLE_PASSAGES:
        return None
    seen, omega = ~hidden, np.pi * (passed.size - 1) / float(loop.t[passed[-1]] - loop.t[passed[0]])
    near = max(SERIES_NOISE_RATIO * loop.turning.noise, SERIES_MISFIT_REL * float(np.ptp(loop.u)))
    for count in range(1, DECLIPPING_HARMONICS + 1):
        omega, _ = refine_base_frequency(loop.t[seen], loop.u[seen], omega, count)
        basis = series_basis(loop.t, omega, count)
        u = basis @ np.linalg.lstsq(basis[seen], loop.u[seen], rcond=None)[0]
        if float(np.sqrt(np.mean((u - loop.u)[seen] ** 2))) <= near:
            outwards = (u - loop.u) * np.sign(loop.u - loop.u.mean())
            return (u, count) if np.mean(outwards[hidden] > -near) >= MIN_SHARE_BEYOND_CLIP else None
    return None
