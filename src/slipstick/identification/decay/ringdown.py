"""`ringdown`: amplitude, frequency and damping of a free decay over time, with intervals.

The record is cut at the impact, and each window of it is fitted by itself (`window_fit`). The length of the windows
follows from the band: a window cos^4 of length L [s] leaves out waves that are 3 / L [Hz] or more away.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from slipstick.arrays import Array
from slipstick.errors import Advice, InvalidInput, NotConverged, finite_float, short_repr
from slipstick.identification.decay.window_fit import NOISE_DEGREES, WindowFit, fit_window
from slipstick.identification.record import QUANTITIES, Record, split_channel
from slipstick.name_hints import did_you_mean
from slipstick.results.order_analysis import positive_numbers
from slipstick.results.ringdown import Ringdown

CONFIDENCE_LEVEL = 0.95
DEFAULT_BAND_SHARE = 0.1  # of the frequency
MIN_WINDOWS, WINDOWS_PER_LENGTH = 50, 8
MIN_PERIODS = 9.0  # of a window
MIN_SAMPLES_PER_PERIOD = 3.0
WINDOW_NULL = 3.0  # first zero of the spectrum of a window cos^4 of length 1
EDGE_SHARE = 0.25  # of a window: the first and last middles are this far from the ends of the decay
# of a causal third-order Butterworth band-pass at the edge of its band [rad/s], times that band: the slope of its
# logarithm, and its delay. They change decay rate and instant of a mode whose frequency moves.
FILTER_SLOPE, FILTER_DELAY = 3.0, 5.0
FILTER_NOTE = 0.1  # of the damping ratio: a larger change by a filter is noted
MIN_AMPLITUDE_RATIO = 4.0  # amplitude over its standard deviation; below, the decay is lost in noise
LOAD_END_SHARE = 0.02  # of the largest load: an impact has ended below it


class _Decay(NamedTuple):
    """Samples of a free decay.   t : (n,) [s].   x : (n,).   start : [s] end of the impact."""

    t: Array
    x: Array
    start: float


def ringdown(
    record: Record | Any,
    x: Any = None,
    *,
    near: float | Sequence[float] | None = None,
    band: float | None = None,
    channel: str | None = None,
    start: float | None = None,
    end: float | None = None,
) -> Any:
    """Amplitude, frequency and damping ratio of a free decay over time.

    record : a `Record`, or the times (n,) [s] of the samples ``x`` (n,).
    near : [rad/s] frequency of the mode; default the largest peak of the spectrum. A list of frequencies fits close
        modes together and returns a list.
    band : [rad/s] distance of the nearest other mode, which sets the length of the windows; default a tenth of `near`.
    channel : of the record, if it has several.
    start, end : [s] of the free decay; default from the end of the impact to the end of the record.
    """
    t, values, name = _samples(record, x, channel)
    period = 2.0 * np.pi / _checked_frequencies(near)[0] if near is not None else 0.0
    first = _impact_end(record, t, values, period) if start is None else finite_float("start", start)
    last = float(t[-1]) if end is None else finite_float("end", end)
    inside = (t >= first) & (t <= last)
    decay = _Decay(t[inside], values[inside], first)
    if decay.t.size < 16:
        words = f"the decay from {first:.4g} to {last:.4g} s has {decay.t.size} samples, at least 16 are needed"
        raise InvalidInput(words, advice=["give another start or end"])
    wanted = _checked_frequencies(near) if near is not None else np.array([_largest_peak(decay)])
    width, length = _window(decay, wanted, band)
    fits, notes = _fit_all(decay, wanted, width, length)
    decays = [_result(decay, fits, k, notes, (name, float(wanted[k]), width, length)) for k in range(wanted.size)]
    return decays if isinstance(near, (list, tuple, np.ndarray)) else decays[0]


# ---- input


def _samples(record: Any, x: Any, channel: str | None) -> tuple[Array, Array, str]:
    """Times and samples of the channel, and its name."""
    if not isinstance(record, Record):
        if x is None:
            raise InvalidInput("needs a Record, or times and samples: ringdown(t, x)", owner="ringdown")
        record = Record(record, {channel or "x": x})
        channel = None
    elif x is not None:
        raise InvalidInput(
            "samples are given with times, not with a Record; choose one with channel=", owner="ringdown"
        )
    names = tuple(record.channels)
    if channel is None and len(names) > 1:
        way = Advice("give {channel}, one of " + ", ".join(names))
        raise InvalidInput(f"the record has {len(names)} channels", owner="ringdown", advice=[way])
    chosen = names[0] if channel is None else channel
    if chosen not in names:
        hint = did_you_mean(chosen, names) if isinstance(chosen, str) else ""
        raise InvalidInput(f"the record has no channel {short_repr(chosen)}{hint}").about("channel")
    return record.t, record.channels[chosen], chosen


def _checked_frequencies(near: Any) -> Array:
    return positive_numbers("near", near, "must be a frequency > 0 [rad/s], such as ss.hz(150)")


def _impact_end(record: Any, t: Array, x: Array, period: float) -> float:
    """[s] end of the impact: of the first load, else the largest sample and a period of the mode."""
    if isinstance(record, Record) and record.loads:
        load = np.abs(next(iter(record.loads.values())))
        active = np.flatnonzero(load > LOAD_END_SHARE * load.max())
        peak = int(np.argmax(load))
        quiet = np.flatnonzero(np.diff(active[active >= peak]) > 1)
        over = active[active >= peak][quiet[0]] if quiet.size else active[-1]
        return float(t[min(over + 1, t.size - 1)] + period)
    return float(t[int(np.argmax(np.abs(x - x.mean())))])


def _largest_peak(decay: _Decay) -> float:
    """[rad/s] the largest peak of the spectrum."""
    count = decay.t.size
    even = np.linspace(decay.t[0], decay.t[-1], count)
    values = np.interp(even, decay.t, decay.x)
    spectrum = np.abs(np.fft.rfft((values - values.mean()) * np.hanning(count)))
    spectrum[: int(MIN_PERIODS)] = 0.0
    k = int(np.argmax(spectrum))
    if spectrum[k] == 0.0:
        raise InvalidInput(
            "the record does not vibrate: its spectrum is zero; choose another channel", owner="ringdown"
        )
    return float(2.0 * np.pi * k / (even[-1] - even[0]))


def _window(decay: _Decay, wanted: Array, band: float | None) -> tuple[float, float]:
    """Band [rad/s] and length of the windows [s]."""
    lowest, span = float(wanted.min()), float(decay.t[-1] - decay.t[0])
    spacing = float(np.diff(np.sort(wanted)).min()) if wanted.size > 1 else np.inf
    width = min(DEFAULT_BAND_SHARE * lowest, spacing) if band is None else finite_float("band", band)
    most = min(WINDOW_NULL / MIN_PERIODS * lowest, spacing)
    if not 0.0 < width <= most:
        limit = "the distance between the modes" if most == spacing else "a third of the frequency"
        words = f"band must be above 0 and at most {limit}, {_in_both(most)}, got {_in_both(width)}"
        raise InvalidInput(words).about("band")
    length = WINDOW_NULL * 2.0 * np.pi / width
    if length > span:
        words = f"a band of {_in_both(width)} needs windows of {length:.3g} s, the decay lasts {span:.3g} s"
        raise InvalidInput(f"{words}; give a band of at least {_in_both(width * length / span)}").about("band")
    density = 2.0 * np.pi / float(wanted.max()) * (decay.t.size - 1) / span
    if density < MIN_SAMPLES_PER_PERIOD:
        words = f"near={_in_both(float(wanted.max()))} has {density:.2g} samples a period, at least 3 are needed"
        raise InvalidInput(f"{words}; give a lower frequency or a record with a higher rate").about("near")
    unknowns = 2 * NOISE_DEGREES[1] * wanted.size
    if decay.t.size * length / span < 2 * unknowns:
        words = f"a window of {length:.3g} s has {decay.t.size * length / span:.0f} samples"
        raise InvalidInput(f"{words}, at least {2 * unknowns} are needed; give a narrower band").about("band")
    return width, length


def _in_both(frequency: float) -> str:
    """A frequency in rad/s and Hz: Python takes one, the command line either."""
    return f"{frequency:.4g} rad/s ({frequency / (2.0 * np.pi):.4g} Hz)"


# ---- windows


def _fit_all(
    decay: _Decay, wanted: Array, band: float, length: float
) -> tuple[list[tuple[float, WindowFit]], list[str]]:
    """Fits of all windows that are above the noise, and notes."""
    first, last = decay.t[0] + EDGE_SHARE * length, decay.t[-1] - EDGE_SHARE * length
    fits: list[tuple[float, WindowFit]] = []
    notes: list[str] = []
    guess, lost = wanted, 0
    count = max(MIN_WINDOWS, int(WINDOWS_PER_LENGTH * (last - first) / length))
    for middle in np.linspace(first, last, count).tolist():
        fit = _fit_at(decay, middle, length, guess, band)
        if fit is None:
            lost += 1
            continue
        fits.append((middle, fit))
        guess = fit.exponent[:, 1].imag
    if not fits:
        raise NotConverged(
            f"no decay was found within {_in_both(band)} of {_in_both(float(wanted[0]))}; give another near or band"
        )
    if lost:
        reached = fits[-1][0]
        notes.append(f"{lost} of {count} windows left out: the decay is lost in noise; the last is at {reached:.4g} s")
    return fits, notes


def _fit_at(decay: _Decay, middle: float, length: float, guess: Array, band: float) -> WindowFit | None:
    """The fit of a window; None where the noise hides the decay, or the fit leaves the band."""
    half = 0.5 * length
    a, b = np.searchsorted(decay.t, [middle - half, middle + half])
    try:
        fit = fit_window(decay.t[a:b] - middle, decay.x[a:b], half, guess)
    except (NotConverged, np.linalg.LinAlgError):
        return None
    moved = np.abs(fit.exponent[:, 1].imag - guess)
    hidden = fit.deviation[:, 0] * MIN_AMPLITUDE_RATIO > 1.0
    return None if np.any(hidden) or np.any(moved > band) else fit


def _result(
    decay: _Decay,
    fits: list[tuple[float, WindowFit]],
    mode: int,
    notes: list[str],
    setting: tuple[str, float, float, float],
) -> Ringdown:
    """The result of one mode, with intervals from noise and from the truncated exponent."""
    from scipy.special import stdtrit

    channel, near, band, length = setting
    quantile = float(stdtrit(fits[0][1].freedom, 0.5 + 0.5 * CONFIDENCE_LEVEL))
    times = np.array([middle for middle, _ in fits])
    g = np.array([fit.exponent[mode] for _, fit in fits])
    noise = quantile * np.array([fit.deviation[mode] for _, fit in fits])
    cut = np.array([fit.truncation[mode] for _, fit in fits])
    rate = np.abs(g[:, 1])
    amplitude, frequency, damping = np.exp(g[:, 0].real), g[:, 1].imag, -g[:, 1].real / rate
    reach = {
        "amplitude": amplitude * np.expm1(np.hypot(noise[:, 0], cut[:, 0].real)),
        "frequency": np.hypot(noise[:, 1], cut[:, 1].imag),
        "damping": np.hypot(noise[:, 1], cut[:, 1].real) / rate,
    }
    values = {"amplitude": amplitude, "frequency": frequency, "damping": damping}
    inside = (times - 0.5 * length >= decay.t[0]) & (times + 0.5 * length <= decay.t[-1])
    moves = np.sqrt(np.maximum(g[:, 2].imag ** 2 - noise[:, 2] ** 2, 0.0))  # beyond what noise makes of a steady one
    rate_over_band = 2.0 * moves / band  # [1/s] of the frequency
    reach["frequency_by_filter"] = reach["frequency"] + FILTER_DELAY * rate_over_band
    filtered = FILTER_SLOPE * rate_over_band / rate  # change of the damping ratio
    reach["damping_by_filter"] = reach["damping"] + filtered
    noted = inside & (filtered > FILTER_NOTE * np.abs(damping))
    name, quantity = split_channel(channel)
    return Ringdown(
        times, values, reach, ~inside, channel=channel, coordinate=name,
        order=QUANTITIES.get(quantity, 0), near=near, band=band, window=length,
        notes=(*notes, *_filter_notes(times, damping, reach["damping_by_filter"], noted)),
    )  # fmt: skip


def _filter_notes(times: Array, damping: Array, reach: Array, noted: Array) -> list[str]:
    """Where other methods may find another damping, in words.   noted : (k,) windows where they do."""
    if not noted.any():
        return []
    k = int(np.argmax(noted))
    last = k + int(np.argmin(np.append(noted[k:], False))) - 1
    low, high = 100.0 * (damping[k] - reach[k]), 100.0 * (damping[k] + reach[k])
    words = f"the frequency moves within the windows from {times[k]:.3g} to {times[last]:.3g} s"
    return [f"{words}: a filter of this band may find {low:.2g} to {high:.2g} % damping at {times[k]:.3g} s"]
