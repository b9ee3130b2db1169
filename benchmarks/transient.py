"""simulate: each method on the model its budget is for, beside SciPy and CVODE on the same model in the same run.

Every figure is the shortest of several calls after a first one that compiles, so it is worth something only where the
load average beside it is low. All are CPU times, so that ratios hold on a busy machine too. Errors are of the state at
the end, against the judge that the table names.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from importlib.util import find_spec
from itertools import pairwise
from time import perf_counter, process_time
from typing import Any

import numpy as np
import peers
from scipy.integrate import solve_ivp
from scipy.signal import lsim
from timing import Sheet, best

import slipstick as ss

RELATIVE = 1e-6  # tolerance of the peers
SIZES = (1e-4, 1e-4, 1e-2, 1e-2)  # of the tensioner's motion, m and m/s: absolute tolerances are these times RELATIVE
FORCE_SIZE = 100.0  # N, of a modified Dahl law's
NO_CVODE = "CVODE is left out: scikit-sundae is not installed"


def end_of(run: Any) -> np.ndarray:
    """Displacements and velocities at the end."""
    return np.concatenate([run.samples.displacement[-1], run.samples.velocity[-1]])


def off(state: np.ndarray, judge: np.ndarray) -> str:
    """The largest error of a displacement at the end."""
    n = judge.size // 2
    return f"{np.abs(state[:n] - judge[:n]).max():.1e}"


def timed(run: Callable[[], Any], repeats: int, clock: Callable[[], float] = process_time) -> tuple[float, Any]:
    """The shortest of several calls, in CPU time unless told, and what the last one gave."""
    kept: list[Any] = [None]

    def call() -> None:
        kept[0] = run()

    return best(call, repeats, clock), kept[0]


# ---- exact


def exact_tensioner() -> None:
    """5 s of the tensioner with a Masing law."""
    m, until = ss.systems.tensioner(), 5.0
    ours, run = _warm(lambda: m.simulate(until, samples=0), 200)
    judge = end_of(run)
    sheet = Sheet("tensioner, Masing, 5 s", ("", "ms", "budget", "events", "error, m", "times slower"))
    first, start = peers.masing_tensioner(m)
    tight = peers.by_scipy(first, until, start, "DOP853", 1e-12, [1e-12 * s for s in SIZES])
    sheet.row("exact, samples=0", f"{1e3 * ours:.2f}", "1", str(run.stats.events), off(judge, tight.state), "")
    call = partial(peers.by_scipy, first, until, start, "LSODA", RELATIVE, _absolute(SIZES))
    rows = [("SciPy LSODA, events", call)]
    if find_spec("sksundae"):
        rows.append(("CVODE, root finding", partial(peers.by_cvode, first, until, start, RELATIVE, _absolute(SIZES))))
    for name, call in rows:
        theirs, ended = timed(call, 3)
        ratio = f"{theirs / ours:.0f}" + (" (budget 700)" if "LSODA" in name else "")
        sheet.row(name, f"{1e3 * theirs:.0f}", "", str(ended.events), off(ended.state, judge), ratio)
    many, run = _warm(lambda: m.simulate(until, samples=50_000).data, 20)
    sheet.row("exact, 50,000 samples, data", f"{1e3 * many:.1f}", "10", str(run.attrs["events"]), "", "")
    remarks = [] if find_spec("sksundae") else [NO_CVODE]
    parts = _parts_of_data(m, until)
    sheet.close(
        f"peers at rtol {RELATIVE:g}, judged by exact; exact (budget 1e-12 m) by SciPy DOP853 at 1e-12", parts, *remarks
    )


def _parts_of_data(m: ss.Model, until: float) -> str:
    """Where the time of 50,000 samples goes."""
    run = m.simulate(until, samples=50_000)
    samples = best(lambda: run.trajectory.samples(), 10)
    certificate = best(lambda: run.trajectory.certificate(), 10)
    return f"of 50,000 samples: samples {1e3 * samples:.1f} ms, certificate {1e3 * certificate:.1f} ms"


def block() -> None:
    """200 s of a block with dry friction, stiffness and damping under a sine."""
    k, c, limit, omega, until = 1.0, 0.1, 0.3, 0.5, 200.0
    m = ss.Model("stick-slip block")
    x = m.coordinate("x", inertia=1.0)
    m.connect(x, ss.Linear(stiffness=k, damping=c))
    m.connect(x, ss.DryFriction(limit=limit))
    m.load(x, ss.Sine(1.0, frequency=omega))
    ours, run = _warm(lambda: m.simulate(until, samples=0), 200)
    judge = end_of(run)
    first, start = peers.stick_slip_block(k, c, limit, omega)
    tight = peers.by_scipy(first, until, start, "DOP853", 1e-12, [1e-13] * 2)
    sheet = Sheet("stick-slip block, 200 s", ("", "ms", "budget", "events", "error, m", "times slower"))
    sheet.row("exact, samples=0", f"{1e3 * ours:.2f}", "0.5", str(run.stats.events), off(judge, tight.state), "")
    for method in ("LSODA", "DOP853"):
        theirs, ended = timed(partial(peers.by_scipy, first, until, start, method, RELATIVE, [RELATIVE] * 2), 5)
        ratio = f"{theirs / ours:.0f} (budget 200)"
        name = f"SciPy {method}, events"
        sheet.row(name, f"{1e3 * theirs:.0f}", "", str(ended.events), off(ended.state, judge), ratio)
    sheet.close(
        f"peers at rtol {RELATIVE:g}, judged by exact; exact by SciPy DOP853 at 1e-12",
        "Siconos could not be had here, so it is not measured",
    )


def chain_of(n: int) -> ss.Model:
    """n unit masses on springs (stiffness 1, damping 0.02) between neighbours and from the first to ground, a slider
    from each to ground (stiffness 2, limits between 0.3 and 0.6), and 2 cos(1.1 t) on every third."""
    m = ss.Model(f"chain of {n}")
    last: Any = None
    for i in range(n):
        x = m.coordinate(f"x{i}", inertia=1.0)
        m.connect(x if last is None else x - last, ss.Linear(stiffness=1.0, damping=0.02))
        m.connect(x, ss.Jenkins(stiffness=2.0, limit=0.3 + 0.3 * (7 * i % 11) / 10))
        if i % 3 == 0:
            m.load(x, ss.Cosine(2.0, frequency=1.1))
        last = x
    return m


def chain() -> None:
    """Growth with the number of masses and sliders."""
    until = 100.0
    columns = ("N", "first run, ms", "again, ms", "events", "first, us an event", "again, us an event", "states")
    sheet = Sheet("chain of N masses and N Jenkins sliders, 100 s, exact", columns)
    chain_of(2).simulate(1.0, samples=0)
    cost: dict[int, tuple[float, float]] = {}
    for n in (1, 3, 10, 30, 100):
        first, again = [], []
        for _ in range(3):
            m = chain_of(n)
            began = perf_counter()
            run = m.simulate(until, samples=0)
            first.append(perf_counter() - began)
            again.append(best(lambda m=m: m.simulate(until, samples=0), 2))
        events = run.stats.events
        cost[n] = (1e6 * min(first) / events, 1e6 * min(again) / events)
        states = str(run.stats.factorisations or "no tables")
        figures = [f"{1e3 * min(first):.1f}", f"{1e3 * min(again):.1f}", str(events), *(f"{c:.1f}" for c in cost[n])]
        sheet.row(str(n), *figures, states)
    steps = [
        f"{a}-{b}: {', '.join(f'{np.log(y / x) / np.log(b / a):.2f}' for x, y in zip(cost[a], cost[b]))}"
        for a, b in pairwise(cost)
    ]
    overall = [np.polyfit(np.log(list(cost)), np.log([c[k] for c in cost.values()]), 1)[0] for k in (0, 1)]
    sheet.close(
        "budget: 80 us an event at N = 30, first run; growth per event below N^1.5",
        f"growth exponent per event, first run and again: {'; '.join(steps)}; "
        f"fitted over all: {overall[0]:.2f}, {overall[1]:.2f}",
    )


def sampled_load(samples: int, slider: bool = True) -> ss.Model:
    """An oscillator, with a slider unless told otherwise, under noise given as samples 0.01 s apart."""
    m = ss.Model("road")
    x = m.coordinate("x", inertia=1.0)
    m.connect(x, ss.Linear(stiffness=1.0, damping=0.1))
    if slider:
        m.connect(x, ss.Jenkins(stiffness=2.0, limit=0.5))
    times = 0.01 * np.arange(samples + 1)
    m.load(x, ss.Signal(times, np.random.default_rng(0).normal(0.0, 1.0, times.size)))
    return m


def sampled() -> None:
    """Growth with the samples of a load; SciPy's lsim, which is exact too, takes the oscillator without its slider."""
    columns = ("samples", "exact, ms", "us a sample", "adaptive, ms", "without slider, ms", "SciPy lsim, ms", "ratio")
    sheet = Sheet("a load of N samples, model made anew each time", columns)
    sampled_load(100).simulate(1.0, samples=0)
    cost: dict[int, float] = {}
    for n in (2_000, 4_000, 8_000, 16_000, 32_000, 64_000):
        exact, steps = _made_anew(n, True, "exact"), _made_anew(n, True, "events")
        linear = _made_anew(n, False, "exact")
        load = sampled_load(n).loads[0].function
        system = ([[0.0, 1.0], [-1.0, -0.1]], [[0.0], [1.0]], [[1.0, 0.0]], [[0.0]])
        theirs = best(partial(lsim, system, load.values, load.times), 3, process_time)
        cost[n] = exact
        figures = (1e3 * exact, 1e6 * exact / n, 1e3 * steps, 1e3 * linear, 1e3 * theirs, theirs / linear)
        sheet.row(str(n), *(f"{figure:.3g}" for figure in figures))
    growth = np.polyfit(np.log(list(cost)), np.log(list(cost.values())), 1)[0]
    sheet.close(f"budget: growth with the samples below N^1.2; fitted over all: {growth:.2f}")


def _made_anew(samples: int, slider: bool, method: str) -> float:
    """Seconds of the first run of a model."""
    models = iter([sampled_load(samples, slider) for _ in range(3)])
    return best(lambda: next(models).simulate(0.01 * samples, method=method, samples=0), 3)


# ---- methods that step


def inclusion() -> None:
    """Scheme (A.7), as the difference of two lengths of run."""
    m, step = ss.systems.tensioner(), 1e-5
    each = _a_step(lambda until: m.simulate(until, method="inclusion", step=step, samples=0), (1.0, 11.0), step, 7)
    sheet = Sheet("inclusion (A.7), tensioner, h = 1e-5 s", ("", "ns a step", "budget"))
    sheet.row("inclusion", f"{1e9 * each:.1f}", "30")
    sheet.close("11 s less 1 s, so that fixed costs drop out")


def clutch() -> None:
    """Newmark on the clutch of section 6.1."""
    m, step, lengths = ss.systems.clutch(), 4e-7, (0.02, 0.12)
    sheet = Sheet(
        "clutch, newmark, dt = 4e-7 s", ("", "us a step", "budget", "factorisations per 1e5 steps", "budget of those")
    )
    for newton in ("modified", "full"):

        def run(until: float, newton: str = newton) -> Any:
            return m.simulate(until, method="newmark", step=step, samples=0, newton=newton)

        each = _a_step(run, lengths, step, 3)
        stats = run(lengths[1]).stats
        share = f"{1e5 * stats.factorisations / stats.steps:.1f}"
        sheet.row(newton, f"{1e6 * each:.2f}", "2.5", share, "20" if newton == "modified" else "")
    sheet.close("0.12 s less 0.02 s")


def adaptive() -> None:
    """20 s of the tensioner with a modified Dahl law at 1e-6."""
    m, until = ss.systems.tensioner("modified-dahl"), 20.0

    def run(tolerance: float) -> Any:
        return m.simulate(until, method="events", tolerance=tolerance, samples=0)

    judge = end_of(run(1e-11))
    ours, found = _warm(lambda: run(1e-6), 7)
    sheet = Sheet("tensioner, ModifiedDahl, 20 s at 1e-6", ("", "ms", "budget", "steps", "error, m", "times slower"))
    sheet.row("events", f"{1e3 * ours:.1f}", "60", str(found.stats.steps), off(end_of(found), judge), "")
    first, start = peers.dahl_tensioner(m)
    absolute = [*_absolute(SIZES), RELATIVE * FORCE_SIZE]
    for method in ("LSODA", "RK45"):
        theirs, ended = timed(partial(peers.by_scipy, first, until, start, method, RELATIVE, absolute), 1)
        error = off(ended.state[:4], judge)
        sheet.row(f"SciPy {method}, v = 0 located", f"{1e3 * theirs:.0f}", "", "", error, f"{theirs / ours:.0f}")
    sheet.close(f"judged by adaptive at 1e-11; SciPy found {ended.events} reversals, timed once")


def _a_step(run: Callable[[float], Any], lengths: tuple[float, float], step: float, repeats: int) -> float:
    """Seconds a step, from runs of two lengths."""
    run(lengths[0])
    short, long = (best(lambda until=until: run(until), repeats) for until in lengths)
    return (long - short) / ((lengths[1] - lengths[0]) / step)


def run_up() -> None:
    """A drive with a gap and two orders, run up from 20 to 140 rad/s; growth with the length of the run."""
    sheet = Sheet("run-up of a drive with a gap", ("", "ms", "budget", "events", "error, rad", "times slower"))
    for until in (10.0, 40.0):
        m = ss.Model("drive")
        motor, wheel = m.coordinate("motor", inertia=0.12), m.coordinate("wheel", inertia=0.3)
        m.connect(motor - wheel, ss.Linear(stiffness=900.0, damping=0.4))
        m.connect(motor - wheel, ss.Freeplay(stiffness=2500.0, half_gap=0.02))
        m.connect(wheel, ss.Linear(stiffness=50.0, damping=0.3))
        m.load(motor, ss.Cosine(6.0, order=1) + ss.Cosine(2.0, order=2))
        rate = 120.0 / until
        speed = ss.Constant(20.0) + ss.Ramp(rate)
        ours, run = _warm(lambda m=m, until=until, speed=speed: m.simulate(until, speed=speed, samples=0), 20)
        budget = "50" if until == 10.0 else ""
        sheet.row(f"exact, {until:g} s", f"{1e3 * ours:.2f}", budget, str(run.stats.events), "rounding", "")

        def slopes(t: float, y: Any, rate: float = rate) -> list[float]:
            angle, u, v = 20.0 * t + 0.5 * rate * t * t, y[0] - y[1], y[2] - y[3]
            shaft = 900.0 * u + 0.4 * v + 2500.0 * (max(u - 0.02, 0.0) + min(u + 0.02, 0.0))
            load = 6.0 * math.cos(angle) + 2.0 * math.cos(2.0 * angle)
            return [y[2], y[3], (load - shaft) / 0.12, (shaft - 50.0 * y[1] - 0.3 * y[3]) / 0.3]

        options = {"method": "LSODA", "rtol": RELATIVE, "atol": RELATIVE * 1e-2}
        theirs, ended = timed(partial(solve_ivp, slopes, (0.0, until), [0.0] * 4, **options), 1)
        name, ratio = f"SciPy LSODA, no events, {until:g} s", f"{theirs / ours:.0f}"
        sheet.row(name, f"{1e3 * theirs:.0f}", "", "", off(ended.y[:, -1], end_of(run)), ratio)
    sheet.close(f"peer at rtol {RELATIVE:g}, judged by exact")


def _warm(run: Callable[[], Any], repeats: int) -> tuple[float, Any]:
    """After a first call."""
    run()
    return timed(run, repeats)


def _absolute(sizes: tuple[float, ...]) -> list[float]:
    return [RELATIVE * size for size in sizes]


TABLES = {
    "tensioner": exact_tensioner,
    "inclusion": inclusion,
    "block": block,
    "events": adaptive,
    "clutch": clutch,
    "chain": chain,
    "sampled": sampled,
    "run-up": run_up,
}
