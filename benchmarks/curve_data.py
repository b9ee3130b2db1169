"""What a curve costs beyond the following: multipliers, errors, special points and measures of all points.

Each row is processor time: of the following, of `curve.stable`'s first access and of all in `curve.data`, which
includes the special points. The ratio is data over following.
"""

from __future__ import annotations

from collections.abc import Callable
from time import process_time
from typing import Any, NamedTuple

import numpy as np
from shooting import oscillator
from timing import Sheet

import slipstick as ss

RATIOS = {"harmonic-balance": 3.0, "shooting": 2.0}  # budget, data over following


class Case(NamedTuple):
    """A model and the range of its curve [rad/s]."""

    model: ss.Model
    between: tuple[float, float]
    method: str
    harmonics: int | None = None


def cubic_pair() -> ss.Model:
    """Two masses with a cubic spring, as in NLvib's second example."""
    m = ss.Model("two masses, cubic spring")
    q = [m.coordinate(f"q{i}", inertia=1.0) for i in (1, 2)]
    for u, stiffness in ((q[0], 0.0453**2), (q[1] - q[0], 0.0453**2 * 25.0), (q[1], 0.0453**2)):
        m.connect(u, ss.Linear(stiffness=stiffness, damping=0.002))
    m.connect(q[0], ss.Polynomial(coefficients=(0.0, 0.0, 0.0, 0.0042)))
    m.load(q[0], ss.Cosine(0.0110, order=1))
    return m


def seven_with_five() -> ss.Model:
    """Seven masses in a row with a slider, a gap, a contact, a cubic spring and a Masing law."""
    m = ss.Model("seven coordinates, five laws")
    q = [m.coordinate(f"q{i}", inertia=1.0) for i in range(1, 8)]
    for k, x in enumerate(q):
        m.connect(x - q[k - 1] if k else x, ss.Linear(stiffness=4.0, damping=0.08))
    m.connect(q[6], ss.Linear(stiffness=4.0, damping=0.08))
    m.connect(q[0], ss.Jenkins(stiffness=2.0, limit=0.2))
    m.connect(q[2] - q[1], ss.Freeplay(stiffness=2.0, half_gap=0.3))
    m.connect(q[3], ss.Contact(stiffness=1.0, gap=0.8))
    m.connect(q[4], ss.Polynomial(coefficients=(0.0, 0.0, 0.0, 0.5)))
    m.connect(q[6] - q[5], ss.Masing(stiffness=2.0, limit=0.3, parallel_stiffness=0.5))
    m.load(q[3], ss.Cosine(0.5, order=1))
    return m


def hundred_sliders() -> ss.Model:
    """One mass on a hundred sliders in parallel with falling limits, as an Iwan assembly."""
    m = ss.Model("hundred sliders")
    x = m.coordinate("x", inertia=1.0)
    m.connect(x, ss.Linear(stiffness=1.0, damping=0.04))
    for k, limit in enumerate(np.linspace(0.002, 0.02, 100)):
        m.connect(x, ss.Jenkins(stiffness=0.01, limit=float(limit)), name=f"slider {k}")
    m.load(x, ss.Cosine(0.5, order=1))
    return m


def readme_drive() -> ss.Model:
    """The drive of the README: a gear mesh with play, a bearing with dry friction."""
    m = ss.Model("drive")
    degree = np.pi / 180.0
    motor, wheel = m.coordinate("motor", inertia=0.003), m.coordinate("wheel", inertia=0.05)
    mesh = ss.Freeplay(stiffness=2.0 / degree, half_gap=0.4 * degree, damping=0.02)
    m.connect(motor - 3.0 * wheel, mesh, name="mesh")
    m.connect(wheel, ss.Linear(stiffness=6.0 / degree, damping=0.05), name="axle")
    m.connect(wheel, ss.DryFriction(limit=0.3), name="bearing")
    m.load(motor, ss.Constant(2.0) + ss.Cosine(1.5, order=2))
    return m


CASES: dict[str, Callable[[], Case]] = {
    "two masses, cubic spring": lambda: Case(cubic_pair(), (0.02, 0.4), "harmonic-balance", 7),
    "seven coordinates, five laws": lambda: Case(seven_with_five(), (0.3, 3.0), "harmonic-balance", 9),
    "hundred sliders": lambda: Case(hundred_sliders(), (0.5, 2.5), "harmonic-balance", 7),
    "README drive, balance": lambda: Case(readme_drive(), (60.0, 125.0), "harmonic-balance", 15),
    "torsional, balance": lambda: Case(oscillator(), (0.4, 1.6), "harmonic-balance", 7),
    "README drive, shooting": lambda: Case(readme_drive(), (60.0, 125.0), "shooting"),
    "torsional, shooting": lambda: Case(oscillator(), (0.4, 1.6), "shooting"),
}


def measured(case: Case, repeats: int = 3) -> dict[str, Any]:
    """Shortest processor times [s] of the following and of all data, with counts."""
    options = {"between": case.between, "method": case.method}
    if case.harmonics is not None:
        options["harmonics"] = case.harmonics
    case.model.frequency_response(**options).data  # noqa: B018  compiles
    followed, data = [], []
    for _ in range(repeats):
        began = process_time()
        curve = case.model.frequency_response(**options)
        followed.append(process_time() - began)
        began = process_time()
        curve.data  # noqa: B018
        data.append(process_time() - began)
    kinds = [point["kind"] for point in curve.special]
    return {"points": len(curve), "special": len(kinds), "follow": min(followed), "data": min(data)}


def table() -> None:
    """All cases, with the budget of their method."""
    columns = ("", "points", "special", "followed, ms", "data, ms", "ratio", "budget")
    sheet = Sheet("data of a curve, processor time", columns)
    for name, make in CASES.items():
        case = make()
        found = measured(case)
        follow, data = 1e3 * found["follow"], 1e3 * found["data"]
        budget = f"{RATIOS[case.method]:g}"
        counts = str(found["points"]), str(found["special"])
        sheet.row(name, *counts, f"{follow:.1f}", f"{data:.1f}", f"{data / follow:.1f}", budget)
    sheet.close()


TABLES = {"curve-data": table}
