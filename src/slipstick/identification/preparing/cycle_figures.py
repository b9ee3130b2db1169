"""Figures of one cycle of a loop: energy, stiffness, loss factor, frequency and damping."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from slipstick.identification import tolerances as tol

if TYPE_CHECKING:
    from slipstick.identification.loop import Loop


class CycleFigures(NamedTuple):
    """Figures of one full cycle.

    amplitude, middle : half range and middle of the deflection.   area : energy dissipated by the cycle.
    secant : stiffness of the line between the tips.   loss_factor : area / (pi secant amplitude^2).
    frequency : [Hz], NaN without times.   damping : [N s/m] of a viscous damper with the same energy in a harmonic
        motion of this amplitude and frequency: area / (pi omega amplitude^2).
    """

    amplitude: float
    middle: float
    area: float
    secant: float
    loss_factor: float
    frequency: float
    damping: float


def representative_cycles(loop: Loop) -> tuple[int, ...]:
    """Indices of the full cycles that represent a loop: those of its amplitude, settled ones if there are any."""
    large = [
        k for k, own in enumerate(loop.figures) if own.amplitude >= tol.FULL_CYCLE_AMPLITUDE_SHARE * loop.amplitude
    ]
    starts, virgin_end = loop.cycle_starts, loop.turning.turns[1]
    settled = [k for k in large if starts[k] >= virgin_end]
    return tuple(settled or large)


def cycle_energy(loop: Loop, u: NDArray[np.float64], f: NDArray[np.float64]) -> float:
    """Energy dissipated by a cycle, from samples u and f of this loop: the median over its representative cycles."""
    starts, cycles = loop.cycle_starts, loop.cycles
    parts = [slice(starts[k], starts[k] + len(cycles[k])) for k in representative_cycles(loop)]
    return float(np.median([enclosed_area(u[part], f[part]) for part in parts])) if parts else float("nan")


def enclosed_area(u: NDArray[np.float64], f: NDArray[np.float64]) -> float:
    """Energy dissipated by one cycle of samples, closed from its end to its start."""
    around, back = np.append(u, u[0]), np.append(f, f[0])
    return float(np.sum(0.5 * (back[1:] + back[:-1]) * np.diff(around)))


def cycle_period(t: NDArray[np.float64]) -> float:
    """[s] period of one cycle, from its sample times and the closing step."""
    return float(t[-1] - t[0]) * t.size / (t.size - 1.0)


def loop_frequency(loop: Loop) -> float:
    """[Hz] as given, else from the mean period of all full cycles; NaN without times."""
    if loop.frequency is not None:
        return float(loop.frequency)
    periods = [cycle_period(cycle.t) for cycle in loop.cycles if cycle.t is not None]
    return 1.0 / float(np.mean(periods)) if periods else float("nan")


def figures_of_cycle(cycle: Loop) -> CycleFigures:
    """Figures of one cycle, closed from its end to its start."""
    u, f = cycle.u, cycle.f
    area = enclosed_area(u, f)
    high, low = int(np.argmax(u)), int(np.argmin(u))
    amplitude = 0.5 * float(u[high] - u[low])
    secant = float(f[high] - f[low]) / (2.0 * amplitude)
    frequency = float("nan")
    if cycle.t is not None:
        frequency = 1.0 / cycle_period(cycle.t)
    squared = amplitude * amplitude  # ** raises OverflowError at 1e200
    elastic = np.pi * secant * squared
    loss = area / elastic if elastic != 0.0 else float("inf")
    damping = area / (2.0 * np.pi**2 * frequency * squared) if squared != 0.0 else float("inf")
    return CycleFigures(amplitude, 0.5 * float(u[high] + u[low]), area, secant, float(loss), frequency, float(damping))
