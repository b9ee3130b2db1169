"""What the residual of a fit consists of: shares that follow deflection, rate, branch or time, or are too fast.

A share is the variance of the means in bins of a quantity, over the sum of squares; a constant residual belongs to no
share. Shares overlap: in a harmonic motion the rate follows from the deflection and the branch. The part that is faster
than any loop, such as noise or ringing, depends on no input of a friction law.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from slipstick.arrays import Array
from slipstick.identification import tolerances as tol
from slipstick.identification.preparing.prepared_loop import PreparedLoop
from slipstick.results.fit import LoopFit

BINS = 20  # over deflection and rate, for each direction
TIME_BINS = 12  # at most, of whole cycles: in less than a cycle a misfit of the loop would look like a drift
FAST_HARMONIC = 20  # of the motion: the residual above is no part of a loop
MAX_SPECTRUM_SAMPLES = 2**17
EVEN_STEPS_REL = 0.01  # of a time step: samples this even have a spectrum
PEAK_WIDTH_REL = 0.1  # of the frequency of a peak: its neighbourhood
MIN_PEAK_SHARE = 0.3  # of the fast part: with less near its peak it is broad noise


class ResidualContent(NamedTuple):
    """Shares of the squared residual of a loop, 0 to 1.

    deflection, rate : they follow this quantity.   branch : it follows deflection and direction of motion.
    time : it changes from cycle to cycle.   fast : above `limit` [Hz]; NaN without evenly spaced times.
    peak : frequency [Hz] of the strongest line of the fast part; NaN if that is broad.
    """

    deflection: float
    rate: float
    branch: float
    time: float
    fast: float = float("nan")
    limit: float = float("nan")
    peak: float = float("nan")

    @property
    def is_fast(self) -> bool:
        """True if most of the residual is too fast for a law of friction."""
        return self.fast > tol.FAST_RESIDUAL_SHARE

    @property
    def words(self) -> str:
        """The content, such as "of the squared residual, 48 % follows the rate"; empty if all shares are small."""
        least = tol.NOTED_RESIDUAL_SHARE
        parts = []
        if self.fast > least:
            kind = f", mostly near {self.peak:.3g} Hz (ringing, squeal or hum)" if self.peak > 0.0 else " (noise)"
            parts.append(f"{_percent(self.fast)} is faster than {self.limit:.3g} Hz{kind}")
        if self.time > least:
            parts.append(f"{_percent(self.time)} changes over the record (drift, wear, heat)")
        if not self.is_fast:
            by_branch = self.branch - self.deflection > least
            if by_branch:
                parts.append(f"{_percent(self.branch)} follows the deflection, differently on loading and unloading")
            elif self.deflection > least:
                parts.append(f"{_percent(self.deflection)} follows the deflection (a curved spring)")
            if self.rate > least:
                parts.append(f"{_percent(self.rate)} follows the rate (a damper)")
        return f"of the squared residual, {', '.join(parts)}" if parts else ""


def _percent(share: float) -> str:
    return f"{100.0 * share:.0f} %"


def residual_content(r: PreparedLoop, loop: LoopFit) -> ResidualContent:
    """The content of the residual of a loop."""
    keep = loop.counts
    x = (loop.f - loop.fitted)[keep]
    u, rate = r.path.u[keep], r.path.rate[keep]
    u_bins = _bins(u, BINS)
    fast, limit, peak = _fast_part(r, loop)
    return ResidualContent(
        _share(x, u_bins),
        0.0 if r.without_times else _share(x, _bins(rate, BINS)),
        _share(x, u_bins + BINS * (rate > 0.0)),
        _share(x, _cycle_bins(r, keep.size)[keep]),
        fast,
        limit,
        peak,
    )


def worst_content(prepared: Sequence[PreparedLoop], loops: Sequence[LoopFit]) -> ResidualContent:
    """The content of the residual that is largest against its range of force."""
    r, loop = max(zip(prepared, loops, strict=True), key=lambda pair: pair[1].rms / pair[1].range)
    return residual_content(r, loop)


def _bins(x: Array, count: int) -> NDArray[np.intp]:
    """(n,) bin of each value; all bins hold equally many."""
    edges = np.quantile(x[:: max(x.size // MAX_SPECTRUM_SAMPLES, 1)], np.linspace(0.0, 1.0, count + 1)[1:-1])
    return np.searchsorted(edges, x)


def _cycle_bins(r: PreparedLoop, size: int) -> NDArray[np.intp]:
    """(size,) bin of each sample over the record; each bin holds equally many cycles."""
    cycles = max((r.loop.turning.turns.size - 1) // 2, 1)
    return np.arange(size) * (cycles // -(-cycles // TIME_BINS)) // size


def _share(x: Array, bins: NDArray[np.intp]) -> float:
    """Variance of the means of the bins over the sum of squares, less the share that noise would have."""
    counts = np.bincount(bins)
    sums = np.bincount(bins, weights=x)
    filled = counts > 0
    total = float(x @ x)
    if total <= 0.0:
        return 0.0
    share = (float(np.sum(sums[filled] ** 2 / counts[filled])) - float(x.sum()) ** 2 / x.size) / total
    chance = (np.count_nonzero(filled) - 1) / x.size
    return max((share - chance) / (1.0 - chance), 0.0)


def _fast_part(r: PreparedLoop, loop: LoopFit) -> tuple[float, float, float]:
    """Share of the residual above a frequency, this frequency, and that of the strongest line above it."""
    nothing = (float("nan"),) * 3
    period, t = r.geometry.period, r.loop.t
    if t is None or not period or r.without_times:
        return nothing
    size = min(loop.f.size, MAX_SPECTRUM_SAMPLES)
    steps = np.diff(t[:size])
    step = float(np.median(steps))
    if np.mean(np.abs(steps - step) > EVEN_STEPS_REL * step) > EVEN_STEPS_REL:
        return nothing
    x = np.where(loop.counts, loop.f - loop.fitted, 0.0)[:size]
    power = np.abs(np.fft.rfft(x * np.hanning(size))) ** 2
    frequencies = np.fft.rfftfreq(size, step)
    limit = FAST_HARMONIC / period
    above = frequencies > limit
    if not above.any() or not power.sum() > 0.0:
        return nothing
    fast = float(power[above].sum())
    smooth = np.convolve(power, np.ones(5), mode="same") * above
    peak = float(frequencies[np.argmax(smooth)])
    near = above & (np.abs(frequencies - peak) < PEAK_WIDTH_REL * peak)
    is_narrow = float(power[near].sum()) > MIN_PEAK_SHARE * fast
    return fast / float(power.sum()), limit, peak if is_narrow else float("nan")
