"""Spectral lines of a run: the frequency that is not a multiple of a known one, and the series of both."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from slipstick.arrays import Array, Complex
from slipstick.errors import InvalidInput, NotConverged
from slipstick.results.poincare import states_at
from slipstick.results.quasi_periodic import SETTLED_PART
from slipstick.results.run import Run

SAMPLES_A_PERIOD = 40  # of the highest of both frequencies, at least
MAX_SAMPLES, MAX_FITTED = 40_000, 6_000
MAX_LINES = 12  # examined until one is no multiple of the known frequency
SAME_LINE_BINS = 1.0  # distance in bins of the spectrum below which two lines are one
WEAKEST_REL = 1e-3  # of the motion: weaker lines are noise
REFINED_BINS = 0.5  # range, in bins, in which a frequency is improved
MIN_PERIODS = 10  # of the slower frequency within the part that is read
REFINEMENT_HARMONICS = 3


class RunHistory(NamedTuple):
    """times : (k,) equally spaced.   displacement : (k, n) of all coordinates."""

    times: Array
    displacement: Array

    @property
    def bin(self) -> float:
        """[rad/s] resolution: the distance of lines that the length separates."""
        return float(2.0 * np.pi / (self.times[-1] - self.times[0]))


def settled_history(run: Run, fastest: float) -> RunHistory:
    """The second half of a run.   fastest : [rad/s] of the motions to see."""
    stats = run.stats
    begin = stats.reached - SETTLED_PART * (stats.reached - stats.start)
    count = int(min(max((stats.reached - begin) * fastest / (2.0 * np.pi) * SAMPLES_A_PERIOD, 2000), MAX_SAMPLES))
    times = np.linspace(begin, stats.reached, count)
    return RunHistory(times, states_at(run, times)[0])


def other_frequency(history: RunHistory, known: float) -> float:
    """[rad/s] of the strongest line that is no multiple of a known frequency."""
    t = history.times - history.times[0]
    q = history.displacement[:, int(np.argmax(np.ptp(history.displacement, axis=0)))]
    rest, size = q - q.mean(), float(np.ptp(q))
    window = np.hanning(t.size) ** 2
    for _ in range(MAX_LINES if size > 0.0 else 0):
        spectrum = np.abs(np.fft.rfft(window * rest, 4 * t.size))
        step = 2.0 * np.pi / (4 * t.size * (t[1] - t[0]))
        k = int(np.argmax(spectrum[1:-1])) + 1
        a, b, c = np.log(spectrum[k - 1 : k + 2])
        omega = float(step * (k + 0.5 * (a - c) / (a - 2.0 * b + c)))
        if 2.0 * spectrum[k] / window.sum() < WEAKEST_REL * size:
            break
        if abs(omega - known * round(omega / known)) > SAME_LINE_BINS * history.bin:
            return omega
        waves = np.column_stack([np.cos(omega * t), np.sin(omega * t)])
        rest = rest - waves @ np.linalg.lstsq(waves * window[:, None], window * rest)[0]
    raise NotConverged(
        f"the run has no second frequency beside {known:.6g} rad/s",
        advice=["begin with a run that shows one, or simulate longer"],
    )


def fitted_series(history: RunHistory, orders: Array, frequencies: tuple[float, float]) -> tuple[Complex, float]:
    """(L + 1, n) lines at the orders that fit the motion best, and the root mean square of what they leave."""
    span = history.times[-1] - history.times[0]
    if span * min(frequencies) < 2.0 * np.pi * MIN_PERIODS:
        raise InvalidInput(
            f"the second half of the run has fewer than {MIN_PERIODS} periods of {min(frequencies):.4g} rad/s; "
            "simulate longer"
        ).about("start")
    every = max(history.times.size // MAX_FITTED, 1)
    t, q = history.times[::every], history.displacement[::every]
    angle = np.outer(t, orders[1:] @ frequencies)
    waves = np.column_stack([np.ones(t.size), np.cos(angle), -np.sin(angle)])
    found = np.linalg.lstsq(waves, q, rcond=1e-10)[0]
    half = orders.shape[0] - 1
    rest = float(np.sqrt(np.mean((waves @ found - q) ** 2)))
    return np.concatenate([found[:1].astype(complex), found[1 : half + 1] + 1j * found[half + 1 :]]), rest


def refined_frequency(history: RunHistory, orders: Array, known: float, guess: float) -> float:
    """The frequency near a guess whose lines, with those of the known one, fit the motion best."""
    from scipy.optimize import minimize_scalar

    few = orders[np.abs(orders).max(axis=1) <= REFINEMENT_HARMONICS]
    reach = REFINED_BINS * history.bin
    found = minimize_scalar(
        lambda omega: fitted_series(history, few, (known, float(omega)))[1],
        bounds=(guess - reach, guess + reach), method="bounded", options={"xatol": 1e-5 * reach},
    )  # fmt: skip
    return float(found.x)
