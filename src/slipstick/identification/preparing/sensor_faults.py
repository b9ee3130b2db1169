"""Sensor faults: outliers of force and deflection, and samples out of range."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from slipstick.arrays import Array
from slipstick.errors import InvalidInput
from slipstick.identification import tolerances as tol
from slipstick.identification.loop import Loop
from slipstick.units.scales import Scale

Mask = NDArray[np.bool_]

RESIDUAL_NEIGHBOURS = 5  # on either side, for the median of residuals
FORCE_NEIGHBOURS = 2  # ... and of the force, which changes along a branch
MIN_QUARTER_SAMPLES = 5  # of a quarter of a run
MIN_CLIPPED_RUN = 3  # consecutive samples that equal an extreme to the last digit
CONVERTER_LEVEL_REPEATS = 4  # mean occurrences of a value: above, values are levels of a converter, not clipped


def refuse_extreme_sizes(loop: Loop) -> None:
    """Refuse sizes whose powers overflow in the parameters of some law."""
    for what, values, unit in (
        ("deflection", loop.u, loop.units.deflection),
        ("force", loop.f, loop.units.force),
        ("time", loop.clock, Scale("s", 1.0)),
    ):
        span, most = float(np.ptp(values)), float(np.max(np.abs(values)))
        for number, inside in (
            (span, span == 0.0 or span >= tol.FITTABLE_SIZES[0]),
            (most, most <= tol.FITTABLE_SIZES[1]),
        ):
            if not inside:
                size = f"the {what} has the size {unit.words(number, 3)}"
                raise InvalidInput(
                    f"{size}, a fit takes {tol.FITTABLE_SIZES[0]:g} to {tol.FITTABLE_SIZES[1]:g} in SI: "
                    "change its unit",
                    owner=loop.name,
                )


class ClippedSamples(NamedTuple):
    """samples : (n,) mask of the samples out of range.   note : what was found, in words; empty if nothing."""

    samples: Mask
    note: str = ""


def find_clipped_force(loop: Loop) -> ClippedSamples:
    """Samples whose force stays exactly at an extreme while the deflection moves.

    The force of a slipping law without noise does the same, so noiseless data pass.
    """
    none = np.zeros(len(loop), dtype=bool)
    if loop.noise <= tol.NOISE_FLOOR_REL * float(np.ptp(loop.f)):
        return ClippedSamples(none)
    at_high, at_low = _held_at(loop.f, loop.f.max()), _held_at(loop.f, loop.f.min())
    flagged = at_high | at_low
    if not flagged.any() or flagged.mean() > tol.MAX_CLIPPED_SHARE or _is_noiseless(loop, ~flagged):
        return ClippedSamples(none)
    held = [float(value) for value, mask in ((loop.f.max(), at_high), (loop.f.min(), at_low)) if mask.any()]
    ends = " and ".join(loop.units.force.words(value) for value in held)
    count = int(flagged.sum())
    return ClippedSamples(
        flagged, f"{count} of {len(loop)} samples hold a force of {ends} exactly: the sensor is out of range; excluded"
    )


def _is_noiseless(loop: Loop, kept: Mask) -> bool:
    """True if a quarter of the samples lie on straight lines between their neighbours, as no sensor gives them."""
    step, rise = np.diff(loop.u), np.diff(loop.f)
    off = np.abs(rise[1:] * step[:-1] - rise[:-1] * step[1:])[kept[1:-1]]
    size = float(np.max(np.abs(step))) * float(np.ptp(loop.f))
    return bool(off.size and float(np.quantile(off, 0.25)) <= tol.NOISELESS_FORCE_REL * size)


def find_clipped_deflection(loop: Loop) -> ClippedSamples:
    """Samples whose deflection stays exactly at an extreme while the force changes."""
    none = np.zeros(len(loop), dtype=bool)
    flagged = _held_at(loop.u, loop.u.max()) | _held_at(loop.u, loop.u.min())
    # a rig that dwells at an extreme holds the force too, except a damper's at the first and last sample
    parts = [loop.f[a + 1 : b - 1] for a, b in _mask_runs(flagged) if b - a > MIN_CLIPPED_RUN]
    if not any(_force_keeps_changing(f, loop.noise, float(np.ptp(loop.f))) for f in parts):
        return ClippedSamples(none)
    return ClippedSamples(
        flagged,
        f"{int(flagged.sum())} of {len(loop)} samples hold an extreme deflection exactly while the force changes: the "
        "sensor is out of range; they are excluded, and the reversals are unknown",
    )


def _force_keeps_changing(f: Array, noise: float, range_: float) -> bool:
    """True if a force changes beyond its noise; medians of quarters are used where there are enough samples."""
    if f.size < 4 * MIN_QUARTER_SAMPLES:
        return bool(np.ptp(f) > tol.SAMPLE_CHANGE_NOISE_RATIO * noise + tol.SAMPLE_CHANGE_RANGE_SHARE * range_)
    middles = [float(np.median(part)) for part in np.array_split(f, 4)]
    return bool(
        np.ptp(middles)
        > tol.MEDIAN_CHANGE_NOISE_RATIO * noise / np.sqrt(f.size / 4.0) + tol.MEDIAN_CHANGE_RANGE_SHARE * range_
    )


def find_strays(u: Array, noise: float) -> Mask:
    """Mask of single samples of a deflection far from their neighbours; empty if there are many.

    A median of five keeps monotone signals, so only peaks of one or two samples differ from it. Where the motion itself
    reverses this sharply, its steps are large too.
    """
    from scipy.ndimage import median_filter

    apart = np.abs(u - median_filter(u, size=5, mode="nearest"))
    steps = median_filter(np.abs(np.diff(u, prepend=u[0])), size=2 * RESIDUAL_NEIGHBOURS + 1, mode="nearest")
    usual = float(np.ptp(np.percentile(u, (5.0, 95.0))))
    flagged: Mask = apart > np.maximum(
        tol.STRAY_STEP_RATIO * steps, max(tol.STRAY_NOISE_RATIO * noise, tol.STRAY_RANGE_SHARE * usual)
    )
    return flagged if flagged.mean() <= tol.MAX_STRAY_SHARE else np.zeros(u.size, dtype=bool)


def _held_at(x: Array, value: float) -> Mask:
    """Mask of runs of at least `MIN_CLIPPED_RUN` samples equal to a value; empty for levels of a converter."""
    same = x == value
    if same.sum() < MIN_CLIPPED_RUN or x.size / np.unique(x).size > CONVERTER_LEVEL_REPEATS:
        return np.zeros(x.size, dtype=bool)
    flagged = np.zeros(x.size, dtype=bool)
    for a, b in _mask_runs(same):
        flagged[a:b] = b - a >= MIN_CLIPPED_RUN
    return flagged


def _mask_runs(mask: Mask) -> list[tuple[int, int]]:
    """Begin and end of each run of a mask."""
    edges = np.flatnonzero(np.diff(np.concatenate(([0], mask.astype(np.int8), [0]))))
    return [(int(a), int(b)) for a, b in zip(edges[::2], edges[1::2], strict=True)]


def find_outliers(residuals: Array, f: Array, noise: float) -> Mask:
    """Mask of samples far from the median of their neighbours, in residual and in force.

    residuals : (n,) of a law.   f : (n,) measured force.   noise : standard deviation of the residuals.
    Where a law bends elsewhere than the data, residuals jump too, but the force does not.
    """
    from scipy.ndimage import median_filter

    apart = np.abs(residuals - median_filter(residuals, size=2 * RESIDUAL_NEIGHBOURS + 1, mode="nearest"))
    jumps = np.abs(f - median_filter(f, size=2 * FORCE_NEIGHBOURS + 1, mode="nearest"))
    far: Mask = (apart > tol.SPIKE_DEVIATIONS * noise) & (jumps > tol.SPIKE_FORCE_SHARE * apart)
    return far
