"""reduce: geared chains in numbers and in symbols, and a rod of up to 2,000 coordinates condensed."""

from __future__ import annotations

import time
from functools import partial

import numpy as np
import sympy as sp
from scipy import sparse
from sympy.core.cache import clear_cache
from timing import Sheet, best

import slipstick as ss

BUDGET = {5: 0.1, 10: 0.3, 20: 1.0, 50: 5.0}


def chain(links: int, symbols: bool) -> ss.Model:
    """Bodies with bearings, geared springs with gaps between them."""
    m = ss.Model("chain")
    q = [m.coordinate(f"x{i}", inertia=1.0) for i in range(links + 1)]
    for i in range(links):
        k, a, p = sp.symbols(f"k{i} a{i} p{i}", positive=True) if symbols else (100.0 + i, 0.01 * (i + 1), 1.5)
        m.connect(q[i] - p * q[i + 1], ss.Freeplay(stiffness=k, half_gap=a), name=f"link{i}")
        m.connect(q[i], ss.DryFriction(limit=1.0, damping=1.0), name=f"bearing{i}")
    return m


def reduced(links: int, symbols: bool, told: bool = True) -> object:
    clear_cache()  # of SymPy: nothing is left over from the last time
    m = chain(links, symbols)
    inner = m.coordinates[1:-1]
    red = m.reduce(massless=inner, frictionless=inner)
    return red.steps if told else red.model


LAWS: dict[str, ss.Law] = {
    "sliders": ss.Jenkins(stiffness=1e3, limit=0.5),
    "gaps": ss.Freeplay(stiffness=1e3, half_gap=1e-3),
    "dry friction": ss.DryFriction(limit=0.5),
}


def rod(n: int, kind: str = "sliders") -> ss.Model:
    """A rod of n sparse coordinates with ten contacts."""
    stiffness = 1e4 * sparse.diags_array([-np.ones(n - 1), 2.0 * np.ones(n), -np.ones(n - 1)], offsets=[-1, 0, 1])
    m = ss.Model.from_matrices(sparse.eye_array(n) * 1e-2, 1e-5 * stiffness, stiffness)
    for i in range(1, 11):
        m.connect(m[f"q{i * n // 10}"], LAWS[kind], name=f"contact{i}")
    m.load(m[f"q{n // 3}"], ss.Cosine(2.0, order=1))
    return m


def table() -> None:
    sheet = Sheet(
        "reduce: geared chains, CPU time",
        ("links", "model, s", "with all formulas, s", "of a model in symbols, s", "budget, s"),
    )
    for links, budget in BUDGET.items():
        ways = ((False, False), (False, True), (True, True))
        times = [best(partial(reduced, links, *way), 3, time.process_time) for way in ways]
        kept = "kept" if max(times) < budget else "NOT KEPT"
        sheet.row(str(links), *(f"{t:.3f}" for t in times), f"{budget:g}, {kept}")
    sheet.close()
    sheet = Sheet("condense to ten sliders and twenty modes, CPU time", ("coordinates", "s"))
    for n in (500, 1000, 2000):
        m = rod(n)
        sheet.row(str(n), f"{best(lambda m=m: m.condense(modes=20), 3, time.process_time):.3f}")
    sheet.close()
    sheet = Sheet("2,000 coordinates condensed to ten contacts: a run of 1 s, CPU time", ("contacts", "s"))
    for kind in LAWS:
        small = rod(2000, kind).condense(modes=20)
        run = partial(small.simulate, 1.0, frequency=20.0, samples=100)
        sheet.row(kind, f"{best(run, 2, time.process_time):.3f}")
    sheet.close()
