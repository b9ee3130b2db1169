"""Curves by harmonic balance: the Jenkins oscillator and the chain of the budgets beside pyHarm-os, growth, a beam.

pyHarm-os is given the same matrices, sliders, harmonics and samples, and follows the same range by arclength with steps
that lead to a like number of points; its tolerance is its own. All is CPU time: of pyHarm-os for the following alone,
of slipstick for the whole call, and again with everything in ``curve.data``.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pyharm
from timing import Sheet, best

import slipstick as ss

HARMONICS, SAMPLES = 7, 256
NO_PEER = "pyHarm-os could not be had, and is left out"
STARTED = """
import time
began = time.perf_counter()
import slipstick as ss
m = ss.Model("oscillator")
x = m.coordinate("x", inertia=1.0)
m.connect(x, ss.Linear(stiffness=1.0, damping=0.1))
m.connect(x, ss.Jenkins(stiffness=1.0, limit=0.5))
m.load(x, ss.Cosine(1.0, order=1))
m.frequency_response(between=(0.3, 1.7), method="harmonic-balance", harmonics=7).data
print(time.perf_counter() - began)
"""


def oscillator() -> tuple[ss.Model, dict[str, Any]]:
    """One mass, a spring and a slider; and the same for pyHarm-os."""
    m = ss.Model("oscillator")
    x = m.coordinate("x", inertia=1.0)
    m.connect(x, ss.Linear(stiffness=1.0, damping=0.1))
    m.connect(x, ss.Jenkins(stiffness=1.0, limit=0.5))
    m.load(x, ss.Cosine(1.0, order=1))
    return m, {"M": [[1.0]], "C": [[0.1]], "K": [[1.0]], "at": [0], "limit": 0.5, "slider": 1.0, "loaded": 0}


def chain(masses: int = 10, at: tuple[int, ...] = (1, 3, 5, 7, 9)) -> tuple[ss.Model, dict[str, Any]]:
    """Masses between springs, the first held, with sliders to ground at some; and the same for pyHarm-os."""
    m = ss.Model("chain")
    bodies = [m.coordinate(f"x{i}", inertia=1.0) for i in range(masses)]
    for i, x in enumerate(bodies):
        m.connect(x - bodies[i - 1] if i else x, ss.Linear(stiffness=1.0, damping=0.05))
    for i in at:
        m.connect(bodies[i], ss.Jenkins(stiffness=1.0, limit=0.3))
    loaded = masses // 2 - 1 if masses > 1 else 0
    m.load(bodies[loaded], ss.Cosine(1.0, order=1))
    k = 2.0 * np.eye(masses) - np.eye(masses, k=1) - np.eye(masses, k=-1)
    k[-1, -1] = 1.0
    other = {"M": np.eye(masses).tolist(), "C": (0.05 * k).tolist(), "K": k.tolist(), "at": list(at)}
    return m, {**other, "limit": 0.3, "slider": 1.0, "loaded": loaded}


def beam(nodes: int = 100, sliders: int = 10) -> ss.Model:
    """A clamped beam of Euler and Bernoulli (length 1, unit stiffness and mass) with two coordinates a node, from its
    matrices, with sliders to ground along it and a load at its tip."""
    h, size = 1.0 / nodes, 2 * nodes + 2
    stiffness, mass = np.zeros((size, size)), np.zeros((size, size))
    k = np.array([[12, 6 * h, -12, 6 * h], [0, 4 * h**2, -6 * h, 2 * h**2], [0, 0, 12, -6 * h], [0, 0, 0, 4 * h**2]])
    m = np.array([
        [156, 22 * h, 54, -13 * h], [0, 4 * h**2, 13 * h, -3 * h**2], [0, 0, 156, -22 * h], [0, 0, 0, 4 * h**2]
    ])  # fmt: skip
    for i in range(nodes):
        own = slice(2 * i, 2 * i + 4)
        stiffness[own, own] += (k + np.triu(k, 1).T) / h**3
        mass[own, own] += (m + np.triu(m, 1).T) * h / 420.0
    stiffness, mass = stiffness[2:, 2:], mass[2:, 2:]
    first = float(np.sqrt(np.linalg.eigvals(np.linalg.solve(mass, stiffness)).real.min()))
    names = [f"{what}{i}" for i in range(1, nodes + 1) for what in ("w", "slope")]
    found = ss.Model.from_matrices(mass, 0.02 / first * stiffness, stiffness, names=names)
    for i in range(sliders):
        node = (i + 1) * nodes // sliders
        found.connect(found[f"w{node}"], ss.Jenkins(stiffness=1.0, limit=0.05), name=f"slider {node}")
    found.load(found[f"w{nodes}"], ss.Cosine(1.0, order=1))
    return found


def table() -> None:
    """The two budgets, beside pyHarm-os."""
    columns = ("", "points", "ms a point", "budget", "with data, ms a point", "total, ms", "times slower", "budget")
    sheet = Sheet(f"curves by harmonic balance, {HARMONICS} harmonics, {SAMPLES} samples", columns)
    peer = pyharm.available()
    remarks = [] if peer else [NO_PEER]
    for name, make, between, budgets in (
        ("Jenkins oscillator", oscillator, (0.3, 1.7), ("0.1", "150")),
        ("chain of 10 masses, 5 sliders", chain, (0.2, 1.2), ("0.5", "130")),
    ):
        model, other = make()
        follow = _following(model, between)
        points = len(follow())
        ours = best(follow, 40, time.process_time)
        whole = best(lambda follow=follow: follow().data, 15, time.process_time)
        each = 1e3 * ours / points
        sheet.row(
            name, str(points), f"{each:.3f}", budgets[0], f"{1e3 * whole / points:.3f}", f"{1e3 * ours:.1f}", "", ""
        )
        if peer:
            found = pyharm.followed({**other, "between": between, "harmonics": HARMONICS, "samples": SAMPLES})
            theirs = 1e3 * found["seconds"] / found["points"]
            sheet.row(
                "  pyHarm-os", str(found["points"]), f"{theirs:.1f}", "", "", f"{1e3 * found['seconds']:.0f}",
                f"{theirs / each:.0f} a point, {found['seconds'] / ours:.0f} in all", budgets[1],
            )  # fmt: skip
            remarks.append(
                f"{name}: largest difference of harmonics from pyHarm-os {_apart(model, between, found):.1e} m"
            )
    sheet.close(*remarks)


def growth() -> None:
    """With harmonics, with sliders, and a beam of two hundred coordinates."""
    sheet = Sheet("growth: oscillator with harmonics", ("harmonics", "unknowns", "points", "ms a point"))
    costs = []
    for count in (5, 11, 21, 51, 101):
        costs.append(_row(sheet, str(count), 2 * count + 1, _following(oscillator()[0], (0.3, 1.7), count)))
    sheet.close(_exponent(costs))
    sheet = Sheet("growth: chain with sliders, 7 harmonics", ("sliders", "unknowns", "points", "ms a point"))
    costs = []
    for count in (1, 5, 10, 20, 50):
        model, _ = chain(50, tuple(range(50 - count, 50)))
        costs.append(_row(sheet, str(count), 15 * count, _following(model, (0.3, 0.32), 7)))
    sheet.close(_exponent(costs))
    sheet = Sheet("beam of 200 coordinates with 10 sliders", ("", "points", "ms a point", "with data, s"))
    model = beam()
    follow = _following(model, (2.0, 6.0), 7)
    began = time.process_time()
    found = follow()
    taken = time.process_time() - began
    found.data  # noqa: B018
    whole = time.process_time() - began
    sheet.row("between 2 and 6 rad/s", str(len(found)), f"{1e3 * taken / len(found):.2f}", f"{whole:.2f}")
    sheet.close()


def start() -> None:
    """From the start of a process to everything of the first curve."""
    sheet = Sheet("process start to the data of the first curve", ("", "s", "budget"))
    sheet.row("Jenkins oscillator", f"{min(_process() for _ in range(3)):.2f}", "2.5")
    sheet.close()


def _process() -> float:
    return float(subprocess.run([sys.executable, "-c", STARTED], capture_output=True, text=True, check=True).stdout)


def _following(model: ss.Model, between: tuple[float, float], harmonics: int = HARMONICS) -> Callable[..., Any]:
    return lambda **more: model.frequency_response(
        between=between, method="harmonic-balance", harmonics=harmonics, **more
    )


def _row(sheet: Sheet, name: str, unknowns: int, follow: Callable[..., Any]) -> tuple[int, float]:
    points = 0

    def count(so_far: int, _: float) -> None:  # their number alone: looking at them takes longer
        nonlocal points
        points = so_far

    follow(progress=count)
    each = best(follow, 2, time.process_time) / points
    sheet.row(name, str(unknowns), str(points), f"{1e3 * each:.3f}")
    return unknowns, each


def _exponent(costs: list[tuple[int, float]]) -> str:
    """How the cost of a point grows with unknowns: overall, and at the end."""
    sizes, times = np.log([size for size, _ in costs]), np.log([cost for _, cost in costs])
    last = (times[-1] - times[-2]) / (sizes[-1] - sizes[-2])
    return f"grows like unknowns^{np.polyfit(sizes, times, 1)[0]:.1f}, at the end ^{last:.1f} (budget 3)"


def _apart(model: ss.Model, between: tuple[float, float], found: dict[str, Any]) -> float:
    """The largest difference of a harmonic of a coordinate, at frequencies that pyHarm-os has met."""
    inside = [k for k, omega in enumerate(found["frequency"]) if between[0] <= omega <= between[1]][::10]
    at = [found["frequency"][k] for k in inside]
    ours = model.frequency_response(at=at, method="harmonic-balance", harmonics=HARMONICS).data.harmonics.values
    n = ours.shape[2]
    theirs = np.array([found["unknowns"][k] for k in inside]).reshape(len(at), -1, n)  # mean, cos 1, sin 1, ...
    pairs = theirs[:, 1::2] - 1j * theirs[:, 2::2]
    return float(max(np.abs(ours[:, 1:] - pairs).max(), np.abs(ours[:, 0] - theirs[:, 0]).max()))


def hard() -> None:
    """A train that only friction holds, and a curve with folds and its special points."""
    sheet = Sheet("curves that took long", ("", "points", "curve, s", "print, s"))
    for name, model, between, harmonics in (
        ("gear train", ss.systems.gear(), (12.0, 4.0), 7),
        ("NLvib example 07", nlvib(), (0.5, 2.0), 31),
    ):
        began = time.process_time()
        found = _following(model, between, harmonics)()
        taken = time.process_time() - began
        repr(found)
        sheet.row(name, str(len(found)), f"{taken:.2f}", f"{time.process_time() - began - taken:.2f}")
    sheet.close()


def nlvib() -> ss.Model:
    """Three masses between walls with sliders, cubic springs and a contact."""
    m = ss.Model("NLvib example 07")
    q = [m.coordinate(f"q{i}", inertia=1.0) for i in (1, 2, 3)]
    for u in (q[0], q[1] - q[0], q[2] - q[1], q[2]):
        m.connect(u, ss.Linear(stiffness=1.0, damping=0.02))
    for u in (q[0], q[1] - q[0]):
        m.connect(u, ss.Jenkins(stiffness=20.0, limit=1.0))
    for u in (q[1], q[2] - q[1]):
        m.connect(u, ss.Polynomial(coefficients=(0.0, 0.0, 0.0, 1.0)))
    m.connect(q[2], ss.Contact(stiffness=1.0, gap=0.25))
    m.load(q[1], ss.Cosine(1.0, order=1))
    return m


TABLES = {
    "harmonic-balance": table,
    "harmonic-balance-growth": growth,
    "harmonic-balance-start": start,
    "harmonic-balance-hard": hard,
}
