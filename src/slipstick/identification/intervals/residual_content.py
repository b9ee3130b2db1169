"""What the residual of a fit consists of: shares that follow deflection, rate, branch or time, or are too fast.

A share is that of the means in bins of a quantity. Shares overlap: in a harmonic motion the rate follows from the
deflection and the branch. What is faster than any loop follows nothing that a law of friction knows: noise, ringing.
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
TIME_BINS = 12
FAST_HARMONIC = 20  # of the motion: the residual above is no part of a loop
MAX_SPECTRUM_SAMPLES = 2**17
EVEN_STEPS_REL = 0.01  # of a time step: samples this even have a spectrum
PEAK_WIDTH_REL = 0.1  # of the frequency of a peak: its neighbourhood
MIN_PEAK_SHARE = 0.3  # of the fast part: a peak with less about it is broad noise


class ResidualContent(NamedTuple):
    """Shares of the squared residual of a loop, 0 to 1.

    deflection, rate : that follow one of them.   branch : that follow the deflection, differently by direction.
    time : that change slowly over the record.   fast : above `limit` [Hz], NaN without even times.
    peak : frequency [Hz] about which the fast part gathers; NaN if it is broad.
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
        """The content, such as "of the squared residual, 48 % follows the rate"; empty if it follows nothing."""
        least = tol.NOTED_RESIDUAL_SHARE
        told = []
        if self.fast > least:
            gathers = f", mostly near {self.peak:.3g} Hz (ringing, squeal or hum)" if self.peak > 0.0 else " (noise)"
            told.append(f"{_percent(self.fast)} is faster than {self.limit:.3g} Hz{gathers}")
        if self.time > least:
            told.append(f"{_percent(self.time)} changes over the record (drift, wear, heat)")
        if not self.is_fast:
            by_branch = self.branch - self.deflection > least
            if by_branch:
                told.append(f"{_percent(self.branch)} follows the deflection, differently on loading and unloading")
            elif self.deflection > least:
                told.append(f"{_percent(self.deflection)} follows the deflection (a curved spring)")
            if self.rate > least:
                told.append(f"{_percent(self.rate)} follows the rate (a damper)")
        return f"of the squared residual, {', '.join(told)}" if told else ""


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
        _share(x, np.arange(x.size) * TIME_BINS // x.size),
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


def _share(x: Array, bins: NDArray[np.intp]) -> float:
    """Share of the sum of squares in the means of the bins, less what means of noise would have."""
    counts = np.bincount(bins)
    sums = np.bincount(bins, weights=x)
    filled = counts > 0
    total = float(x @ x)
    if total <= 0.0:
        return 0.0
    share = float(np.sum(sums[filled] ** 2 / counts[filled])) / total
    chance = np.count_nonzero(filled) / x.size
    return max((share - chance) / (1.0 - chance), 0.0) if chance < 1.0 else 0.0


def _fast_part(r: PreparedLoop, loop: LoopFit) -> tuple[float, float, float]:
    """Share of the residual above a frequency, this frequency, and that about which it gathers."""
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
    gathers = float(power[near].sum()) > MIN_PEAK_SHARE * fast
    return fast / float(power.sum()), limit, peak if gathers else float("nan")
