"""Samples that a fit must not believe: outliers, and what a sensor at its end of range hides."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from slipstick.errors import InvalidInput
from slipstick.identification.loop import Loop
from slipstick.units.scales import Scale

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]

OUTLIER_DEVIATIONS = 6.0  # standard deviations: a sample so far from its neighbours is no noise
RESIDUAL_NEIGHBOURS = 5  # on either side
FORCE_NEIGHBOURS = 2  # ... for the force, which runs on by itself
MIN_QUARTER_SAMPLES = 5  # samples of a quarter of a row, at least
MIN_CLIPPED_RUN = 3  # samples in a row that are equal to the last digit, at an extreme
STRAY_STEPS, STRAY_NOISE, STRAY_SHARE = 5.0, 10.0, 0.05  # steps of neighbours, noise, range: a deflection is off
MAX_STRAY_SHARE = 0.01  # of all samples: more are the motion itself
MAX_CLIPPED_SHARE = 0.4  # of all samples: more are a law that slips, without noise
NOISELESS_FORCE_REL = 1e-7  # of the range of force: samples so near to a line have no noise
FITTABLE_SIZES = 1e-30, 1e30  # sizes of deflection, force and time that can be fitted, in SI
QUANTISED_REPEATS = 4  # values that occur so often on average: the levels of a converter, not a sensor's end


def refuse_extreme_sizes(loop: Loop) -> None:
    """Refuse sizes whose powers, in the numbers of some law, would be no floating-point numbers any more."""
    for what, values, unit in (
        ("deflection", loop.u, loop.units.deflection),
        ("force", loop.f, loop.units.force),
        ("time", loop.clock, Scale("s", 1.0)),
    ):
        span, most = float(np.ptp(values)), float(np.max(np.abs(values)))
        for number, inside in ((span, span == 0.0 or span >= FITTABLE_SIZES[0]), (most, most <= FITTABLE_SIZES[1])):
            if not inside:
                size = f"the {what} has the size {unit.words(number, 3)}"
                raise InvalidInput(
                    f"{size}, a fit takes {FITTABLE_SIZES[0]:g} to {FITTABLE_SIZES[1]:g} in SI: change its unit",
                    owner=loop.name,
                )


class ClippedSamples(NamedTuple):
    """Which samples lie at the end of a sensor's range, and where that is; nothing where none does."""

    samples: Mask
    words: str = ""


def find_clipped_force(loop: Loop) -> ClippedSamples:
    """Samples whose force stays at its largest or smallest value to the last digit while the deflection moves.

    Without noise a law that slips does the same, so that nothing is said of data that have none.
    """
    none = np.zeros(len(loop), dtype=bool)
    if loop.noise <= 1e-9 * float(np.ptp(loop.f)):
        return ClippedSamples(none)
    at_high, at_low = _held_at(loop.f, loop.f.max()), _held_at(loop.f, loop.f.min())
    found = at_high | at_low
    if not found.any() or found.mean() > MAX_CLIPPED_SHARE or _is_noiseless(loop, ~found):
        return ClippedSamples(none)
    held = [float(value) for value, mask in ((loop.f.max(), at_high), (loop.f.min(), at_low)) if mask.any()]
    ends = " and ".join(loop.units.force.words(value) for value in held)
    count = int(found.sum())
    return ClippedSamples(
        found, f"{count} of {len(loop)} samples hold a force of {ends} exactly: the sensor is at its end; left out"
    )


def _is_noiseless(loop: Loop, kept: Mask) -> bool:
    """True if a quarter of the samples lie between their neighbours on straight lines: no sensor is so quiet."""
    step, rise = np.diff(loop.u), np.diff(loop.f)
    off = np.abs(rise[1:] * step[:-1] - rise[:-1] * step[1:])[kept[1:-1]]
    size = float(np.max(np.abs(step))) * float(np.ptp(loop.f))
    return bool(off.size and float(np.quantile(off, 0.25)) <= NOISELESS_FORCE_REL * size)


def find_clipped_deflection(loop: Loop) -> ClippedSamples:
    """Samples whose deflection stays at an extreme to the last digit while the force goes on."""
    none = np.zeros(len(loop), dtype=bool)
    found = _held_at(loop.u, loop.u.max()) | _held_at(loop.u, loop.u.min())
    # a rig that dwells at an extreme holds the force as well, but for a damper's at the first sample and the last
    parts = [loop.f[a + 1 : b - 1] for a, b in _mask_runs(found) if b - a > MIN_CLIPPED_RUN]
    if not any(_force_keeps_changing(f, loop.noise, float(np.ptp(loop.f))) for f in parts):
        return ClippedSamples(none)
    return ClippedSamples(
        found,
        f"{int(found.sum())} of {len(loop)} samples hold an extreme deflection exactly while the force goes on: the "
        "sensor is at its end; they are left out, and where the motion turned is not known",
    )


def _force_keeps_changing(f: Array, noise: float, range_: float) -> bool:
    """True if a force changes beyond its noise: medians of quarters tell more of it than single samples."""
    if f.size < 4 * MIN_QUARTER_SAMPLES:
        return bool(np.ptp(f) > 20.0 * noise + 0.02 * range_)
    middles = [float(np.median(part)) for part in np.array_split(f, 4)]
    return bool(np.ptp(middles) > 8.0 * noise / np.sqrt(f.size / 4.0) + 0.01 * range_)


def find_strays(u: Array, noise: float) -> Mask:
    """Single samples of a deflection that stand far off their neighbours; none where there are many.

    A median of five leaves whatever goes one way as it is, so that only peaks of one sample or two are looked at; where
    a motion turns so sharply its neighbours are far apart as well.
    """
    from scipy.ndimage import median_filter

    apart = np.abs(u - median_filter(u, size=5, mode="nearest"))
    steps = median_filter(np.abs(np.diff(u, prepend=u[0])), size=2 * RESIDUAL_NEIGHBOURS + 1, mode="nearest")
    usual = float(np.ptp(np.percentile(u, (5.0, 95.0))))
    found: Mask = apart > np.maximum(STRAY_STEPS * steps, max(STRAY_NOISE * noise, STRAY_SHARE * usual))
    return found if found.mean() <= MAX_STRAY_SHARE else np.zeros(u.size, dtype=bool)


def _held_at(x: Array, value: float) -> Mask:
    """Samples equal to a value that stand in a row of at least `MIN_CLIPPED_RUN`, if the data are not mere levels."""
    same = x == value
    if same.sum() < MIN_CLIPPED_RUN or x.size / np.unique(x).size > QUANTISED_REPEATS:
        return np.zeros(x.size, dtype=bool)
    found = np.zeros(x.size, dtype=bool)
    for a, b in _mask_runs(same):
        found[a:b] = b - a >= MIN_CLIPPED_RUN
    return found


def _mask_runs(mask: Mask) -> list[tuple[int, int]]:
    """Where each row of samples of a mask begins and ends."""
    edges = np.flatnonzero(np.diff(np.concatenate(([0], mask.astype(np.int8), [0]))))
    return [(int(a), int(b)) for a, b in zip(edges[::2], edges[1::2], strict=True)]


def find_outliers(left: Array, f: Array, noise: float) -> Mask:
    """Samples far from the median of their neighbours, in residual and in force.

    left : (n,) residuals of a law.   f : (n,) measured force.   noise : standard deviation of the residuals.
    A law that bends elsewhere than the data leaves residuals that stand out too, but there the force itself runs on.
    """
    from scipy.ndimage import median_filter

    apart = np.abs(left - median_filter(left, size=2 * RESIDUAL_NEIGHBOURS + 1, mode="nearest"))
    jumps = np.abs(f - median_filter(f, size=2 * FORCE_NEIGHBOURS + 1, mode="nearest"))
    far: Mask = (apart > OUTLIER_DEVIATIONS * noise) & (jumps > 0.3 * apart)
    return far
