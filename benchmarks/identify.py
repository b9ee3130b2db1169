"""identify: CPU seconds beside the budgets, the growth with samples and loops, and plain least squares as a peer."""

from __future__ import annotations

import time
import warnings

import numpy as np
from scipy.optimize import least_squares
from timing import Sheet, best

import slipstick as ss

MASING = ss.Masing(stiffness=4.84e5, limit=163.0, parallel_stiffness=2.34e5, damping=1.93e4, preload=573.0)
FIBRE = ss.FibreShear(stiffness=1.49e6, limit=1.07e3, linear=6.16e6, cubic=2.38e9, overshoot=0.92, ratio=0.37)
RANKED = [ss.Jenkins, ss.Masing, ss.Dahl, ss.ModifiedDahl, ss.BoucWen, ss.DynamicHysteresis]


def rig(samples: int = 10_000) -> ss.Loop:
    """Two seconds of the tensioner's rig with 5 N of noise."""
    t = np.linspace(0.0, 2.0, samples)
    u = 5.4e-4 + 5.2e-4 * np.sin(9.4 * t + 4.8)
    return ss.Loop(u, MASING.trace(u, t) + np.random.default_rng(0).normal(0.0, 5.0, samples), t, name="rig")


def fibre(loops: int = 10, samples: int = 2000) -> list[ss.Loop]:
    """The fibre mount at several amplitudes with 20 Pa of noise."""
    t, rng = np.linspace(0.0, 0.4, samples), np.random.default_rng(1)
    made = []
    for amplitude in np.linspace(5e-4, 1e-2, loops):
        u = amplitude * np.sin(2.0 * np.pi * 20.0 * t)
        made.append(ss.Loop(u, FIBRE.trace(u) + rng.normal(0.0, 20.0, samples), t, name=f"{amplitude:g}"))
    return made


def plainly(loop: ss.Loop, start: ss.Masing) -> ss.Masing:
    """What one would write: SciPy's least squares over `trace`, from the same start, scaled by it."""
    names = ("stiffness", "limit", "parallel_stiffness", "damping", "preload")
    sizes = np.array([abs(getattr(start, name)) or 1e4 for name in names])

    def law(x: np.ndarray) -> ss.Masing:
        return ss.Masing(**dict(zip(names, (x * sizes).tolist(), strict=True)))

    def left(x: np.ndarray) -> np.ndarray:
        return law(x).trace(loop.u, loop.t) - loop.f

    begin = np.array([getattr(start, name) for name in names]) / sizes
    low = np.array([1e-6, 1e-6, -np.inf, -np.inf, -np.inf])
    answer = least_squares(left, begin, bounds=(low, np.inf), x_scale="jac", ftol=1e-12, xtol=1e-12)
    return law(answer.x)


def table() -> None:
    warnings.simplefilter("ignore")
    sheet = Sheet("identify, CPU time of one process", ("work", "s", "budget"))
    loop, loops = rig(), fibre()
    for words, run, repeats, budget in (
        ("Masing, 10,000 samples", lambda: ss.identify(loop, ss.Masing), 5, "1"),
        ("FibreShear, ten loops of 2,000 samples", lambda: ss.identify(loops, ss.FibreShear), 3, "3"),
        ("rank of six laws, 10,000 samples", lambda: ss.rank(loop, RANKED), 1, "30"),
    ):
        run()
        sheet.row(words, f"{best(run, repeats, time.process_time):.2f}", budget)
    sheet.close(_peer(loop), *_growth())


def _peer(loop: ss.Loop) -> str:
    fit = ss.identify(loop, ss.Masing)
    start = ss.Masing(**{name: own.start for name, own in fit.parameters.items()})
    ours = best(lambda: ss.identify(loop, start), 5, time.process_time)
    theirs = best(lambda: plainly(loop, start), 5, time.process_time)
    other = plainly(loop, start)
    gap = max(abs(getattr(other, name) / own.value - 1.0) for name, own in fit.parameters.items())
    return (
        f"Masing from one start: {1e3 * ours:.0f} ms with intervals, outliers and warnings; least_squares over trace "
        f"{1e3 * theirs:.0f} ms ({theirs / ours:.1f} times), values {gap:.1e} apart"
    )


def _growth() -> list[str]:
    by_samples, by_loops = [], []
    for samples in (1_000, 10_000, 100_000):
        loop = rig(samples)
        seconds = best(lambda loop=loop: ss.identify(loop, ss.Masing), 2, time.process_time)
        by_samples.append(f"{samples:,}: {seconds:.2f} s")
    for count in (1, 10, 50):
        loops = fibre(count)
        seconds = best(lambda loops=loops: ss.identify(loops, ss.FibreShear), 1, time.process_time)
        by_loops.append(f"{count}: {seconds:.2f} s")
    return ["Masing, samples: " + ", ".join(by_samples), "FibreShear, loops of 2,000 samples: " + ", ".join(by_loops)]
