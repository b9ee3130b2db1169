"""Signal conditioning of a loop, each step with a note: drift, offset, inertia, sign, averaging, smoothing,
resampling; `delay` has the delay of the force.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from slipstick.arrays import Array
from slipstick.errors import Advice, InvalidInput
from slipstick.identification.preparing.drift_at_varying_amplitude import drift_rates, has_varying_amplitude
from slipstick.identification.preparing.local_polynomial import local_polynomial
from slipstick.identification.preparing.loop_geometry import LoopGeometry, measure_geometry
from slipstick.identification.preparing.smoothing import savitzky_golay, window_width

if TYPE_CHECKING:
    from slipstick.identification.loop import Loop


SWAPPED_SLOPE_SHARE = 0.25  # of the range of force: a secant that rises by more is elastic
MIN_CYCLES_SPARING_FIRST = 3  # with more cycles, the first one is left out
DRIFT_REMOVED_NOTE = "drift removed"  # in the notes of a loop


class Drift(NamedTuple):
    """Drift of deflection and force per cycle."""

    deflection: float
    force: float


def estimate_drift(loop: Loop) -> Drift:
    """Slope of the means of full cycles over the cycle number; of midpoints of branches if the amplitude varies."""
    cycles = loop.cycles
    if len(cycles) < 2:
        raise InvalidInput(f"{loop.name}: removing drift needs two full cycles, got {len(cycles)}; measure more cycles")
    if _varies(loop):
        period = _mean_cycle(loop)
        return Drift(*(period * rate for rate in drift_rates(loop)))
    if len(cycles) > MIN_CYCLES_SPARING_FIRST:
        cycles = cycles[1:]  # the first may contain the virgin curve
    pairs, step = ([c.u.mean() for c in cycles], [c.f.mean() for c in cycles]), 1.0
    if len(loop.cycles) <= MIN_CYCLES_SPARING_FIRST and len((later := _later_cycle_means(loop))[0]) > 1:
        pairs, step = later, 0.5
    slopes = [float(np.polyfit(step * np.arange(len(means)), means, 1)[0]) for means in pairs]
    return Drift(*slopes)


def _varies(loop: Loop) -> bool:
    """True if the amplitude varies after the run-in, so that the means of cycles do not show the drift."""
    return has_varying_amplitude(loop, _settled_begin(loop))


def _settled_begin(loop: Loop) -> int:
    """First sample whose cycle counts: that of the second cycle if there are enough."""
    return loop.cycle_starts[len(loop.cycles) > MIN_CYCLES_SPARING_FIRST]


def _mean_cycle(loop: Loop) -> float:
    """Mean duration of a full cycle on the loop's clock."""
    starts = loop.clock[list(loop.cycle_starts)]
    return float(starts[-1] - starts[0]) / (starts.size - 1)


def _later_cycle_means(loop: Loop) -> tuple[list[float], list[float]]:
    """Means of deflection and force over cycles half a cycle apart, without the first branch.

    Each cycle runs from one passage of the middle to the next but one; passages are interpolated between samples.
    """
    turns, u = loop.turning.turns, loop.u
    middle, samples = 0.5 * float(u[turns].max() + u[turns].min()), np.arange(u.size, dtype=float)
    passed = []
    for a, b in pairwise(turns[1:].tolist()):
        sign = np.sign(u[b] - u[a])
        if sign * u[a] < sign * middle < sign * u[b]:
            k = a + int(np.argmax(sign * u[a : b + 1] >= sign * middle))
            passed.append(k - float((u[k] - middle) / (u[k] - u[k - 1])))
    at = np.array(passed)

    def means(x: Array) -> list[float]:
        sums = np.concatenate(([0.0], np.cumsum(0.5 * (x[1:] + x[:-1]))))
        integral = np.interp(at, samples, sums)
        means_: list[float] = ((integral[2:] - integral[:-2]) / (at[2:] - at[:-2])).tolist()
        return means_

    return means(u), means(loop.f)


def remove_drift(loop: Loop) -> Loop:
    """The loop without its linear drift in deflection and force; the middle cycle stays in place."""
    drift = estimate_drift(loop)
    number = (loop.clock - loop.clock.mean()) / _mean_cycle(loop) if _varies(loop) else _cycle_numbers(loop)
    u, f = loop.units.deflection.words(drift.deflection, 3), loop.units.force.words(drift.force, 3)
    note = f"{DRIFT_REMOVED_NOTE}: {u} in deflection and {f} in force a cycle"
    return loop.changed(note, u=loop.u - drift.deflection * number, f=loop.f - drift.force * number)


def _cycle_numbers(loop: Loop) -> Array:
    """(n,) cycle number of each sample, with fractions; zero in the middle of the full cycles."""
    cycles = loop.cycles
    edges = np.concatenate([[loop.cycle_starts[0]], np.cumsum([len(c) for c in cycles]) + loop.cycle_starts[0]])
    number: Array = np.interp(np.arange(len(loop)), edges, np.arange(edges.size) - 0.5 * (edges.size - 1))
    outside = np.arange(len(loop))
    number[outside < edges[0]] = number[edges[0]] + (outside[outside < edges[0]] - edges[0]) / len(cycles[0])
    number[outside > edges[-1]] = number[min(edges[-1], len(loop) - 1)] + (
        outside[outside > edges[-1]] - edges[-1]
    ) / len(cycles[-1])
    return number


def remove_offset(loop: Loop) -> Loop:
    """The loop centred at zero: without the middle of the reversals and the mean force over deflection."""
    geometry = measure_geometry(loop)
    middle, force = geometry.middle, geometry.level
    words = f"{loop.units.deflection.words(middle)} in deflection, {loop.units.force.words(force)} in force"
    note = f"offsets removed: {words}"
    return loop.changed(note, u=loop.u - middle, f=loop.f - force)


def remove_inertia(loop: Loop, mass: float) -> Loop:
    """The loop without the inertia force of a fixture that moves with the deflection: force less mass * acceleration.

    mass : [kg, or kg m^2] between the specimen and the force sensor. The acceleration is the second derivative of local
    cubics through the deflection.
    """
    t = times_of(loop, "an acceleration")
    if not 0.0 <= mass < np.inf:
        raise InvalidInput(f"must be a finite number >= 0, got {mass:.4g}", owner=loop.name, subject="mass", value=mass)
    if loop.system == "stress":
        words = "has no meaning for stresses over strains; remove the inertia before dividing by area and length"
        raise InvalidInput(words, owner=loop.name, subject="mass")
    even = np.linspace(t[0], t[-1], t.size)
    width = min(window_width(loop.turning.turns), loop.u.size - (loop.u.size + 1) % 2)
    step = float(even[1] - even[0])
    bend = local_polynomial(np.interp(even, t, loop.u), width, min(3, width - 1), 2, step)
    inertia = mass * np.interp(t, even, bend)
    size = loop.units.force.words(float(np.max(np.abs(inertia))), 3)
    unit = "kg" if loop.system == "translation" else "kg m^2"
    return loop.changed(f"inertia force of {mass:g} {unit} removed, up to {size}", f=loop.f - inertia)


def correct_sign(loop: Loop) -> Loop:
    """The loop with the force of the other sign if its cycles deliver energy, as no friction does."""
    geometry = measure_geometry(loop)
    if geometry.area >= 0.0 or is_swapped(loop, geometry):
        return loop
    given = loop.units.of((1, 1, 0)).words(-geometry.area, 3)
    return loop.changed(f"sign of the force turned: a cycle delivered {given}", f=-loop.f)


def is_swapped(loop: Loop, geometry: LoopGeometry) -> bool:
    """True for a loop that delivers energy though its force grows with the deflection: its columns are swapped."""
    return geometry.area < 0.0 and geometry.secant * geometry.amplitude > SWAPPED_SLOPE_SHARE * float(np.ptp(loop.f))


def times_of(loop: Loop, what: str) -> Array:
    """Times of a loop; an error without them.   what : that needs them."""
    if loop.t is None:
        raise InvalidInput(f"{what} needs times", owner=loop.name, advice=[Advice("{times}")])
    return loop.t


def average_cycles(loop: Loop, samples: int = 400) -> Loop:
    """One cycle: the mean of all full cycles, at equal phases."""
    cycles = loop.cycles
    if not cycles:
        raise InvalidInput(f"{loop.name}: there is no full cycle to average; it turns {loop.turning.reversals} times")
    share = np.linspace(0.0, 1.0, samples)
    u = np.mean([np.interp(share, _cycle_shares(c), c.u) for c in cycles], axis=0)
    f = np.mean([np.interp(share, _cycle_shares(c), c.f) for c in cycles], axis=0)
    t = None
    if loop.t is not None:
        t = np.mean([np.interp(share, _cycle_shares(c), c.t - c.t[0]) for c in cycles if c.t is not None], axis=0)
        t = np.where(np.arange(samples) > 0, t, 0.0)
    note = f"the mean of {len(cycles)} cycle{'s' * (len(cycles) != 1)}"
    return loop.changed(note, u=u, f=f, t=t)


def _cycle_shares(cycle: Loop) -> Array:
    """(n,) phase of each sample in its cycle, 0 to 1: by time, or by sample number without times."""
    x = cycle.clock - cycle.clock[0]
    shares: Array = x / x[-1]
    return shares


def smooth_loop(loop: Loop, window: int | None = None) -> Loop:
    """Deflection and force smoothed by a Savitzky-Golay filter of degree 3; window : samples, odd."""
    width = window_width(loop.turning.turns) if window is None else window
    if width < 5 or width % 2 == 0 or width > len(loop):
        raise InvalidInput(f"{loop.name}: window must be odd, >= 5 and at most {len(loop)} samples, got {width}")
    note = f"smoothed by cubics through {width} neighbours"
    return loop.changed(note, u=savitzky_golay(loop.u, width), f=savitzky_golay(loop.f, width))


def resample_loop(loop: Loop, samples: int) -> Loop:
    """Samples at equal steps of time (or of sample number without times), by linear interpolation."""
    if samples < 8:
        raise InvalidInput(f"{loop.name}: samples must be >= 8, got {samples}")
    x = loop.clock
    new = np.linspace(x[0], x[-1], samples)
    note = f"resampled from {len(loop)} to {samples} samples"
    t = None if loop.t is None else new
    return loop.changed(note, u=np.interp(new, x, loop.u), f=np.interp(new, x, loop.f), t=t)
