"""Frequency responses of a condensed steel beam of 2,000 coordinates with ten sliders, dry frictions or gaps along it;
runs and responses of a beam that is not condensed, with a slider at its tip.

Its rates go from 52 to 134,000 rad/s and its resonance is 190 times its static deflection: what is stiff must not leave
its rounding in the response. All is CPU time: of the curve alone, and of everything that ``curve.data`` has beside it.
"""

from __future__ import annotations

import time

import numpy as np
from scipy import sparse
from timing import Sheet

import slipstick as ss

LAWS = {
    "sliders": (ss.Jenkins(stiffness=2e3, limit=0.5), (40.0, 90.0)),
    "dry frictions": (ss.DryFriction(limit=0.5), (40.0, 300.0)),
    "gaps": (ss.Freeplay(stiffness=2e3, half_gap=1e-4), (40.0, 90.0)),
}
MOST_FOLLOWED = 80  # elements, of which a curve takes less than a minute
SHAPE = np.array([[12, 6, -12, 6], [6, 4, -6, 2], [-12, -6, 12, -6], [6, 2, -6, 4]])
INERTIA = np.array([[156, 22, 54, -13], [22, 4, 13, -3], [54, 13, 156, -22], [-13, -3, -22, 4]])


def beam(law: ss.Law, elements: int = 1000) -> ss.Model:
    """A cantilever of 1 m, 10 mm square, damped by 1e-4 s times its stiffness, loaded by 5 N at its tip."""
    h = 1.0 / elements
    unit = np.outer((1.0, h, 1.0, h), (1.0, h, 1.0, h))
    stiffness = _assembled(elements, 2.1e11 * 0.01**4 / 12.0 / h**3 * unit * SHAPE)
    mass = _assembled(elements, 7800.0 * 0.01**2 * h / 420.0 * unit * INERTIA)
    m = ss.Model.from_matrices(mass, 1e-4 * stiffness, stiffness)
    for j in range(1, 11):
        m.connect(m[f"q{elements // 5 * j - 1}"], law, name=f"law {j}")
    m.load(m[f"q{2 * elements - 1}"], ss.Cosine(5.0, order=1))
    return m


def _assembled(elements: int, own: np.ndarray) -> sparse.csr_array:
    """The matrix of a clamped beam from that of an element."""
    first = 2 * np.arange(elements)[:, None, None]
    rows, columns = (np.broadcast_to(first + place, (elements, 4, 4)).ravel() for place in np.indices((4, 4)))
    return sparse.csr_array(sparse.coo_array((np.tile(own.ravel(), elements), (rows, columns))))[2:, 2:]


def table() -> None:
    """Condensed to twenty modes, five harmonics."""
    columns = ("ten", "rad/s", "condensed, s", "points", "curve, s", "ms a point", "with all data, s")
    sheet = Sheet("condensed beam of 2,000 coordinates by harmonic balance", columns)
    oscillator = ss.Model("first call")  # of which nobody counts the compiling
    x = oscillator.coordinate("x", inertia=1.0)
    oscillator.connect(x, ss.Jenkins(stiffness=1.0, limit=0.5) + ss.Linear(stiffness=1.0, damping=0.1))
    oscillator.load(x, ss.Cosine(1.0, order=1))
    oscillator.frequency_response(between=(0.9, 1.1), method="harmonic-balance").data  # noqa: B018
    for name, (law, between) in LAWS.items():
        whole = beam(law)
        began = time.process_time()
        model = whole.condense(modes=20)
        condensed = time.process_time() - began
        began = time.process_time()
        curve = model.frequency_response(between=between, method="harmonic-balance", harmonics=5)
        taken = time.process_time() - began
        points = len(curve)
        curve.data  # noqa: B018
        data = time.process_time() - began
        sheet.row(
            name, f"{between[0]:g} to {between[1]:g}", f"{condensed:.2f}", str(points), f"{taken:.2f}",
            f"{1e3 * taken / points:.2f}", f"{data:.1f}",
        )  # fmt: skip
    sheet.close()


def clamped(elements: int, rayleigh: float) -> ss.Model:
    """A steel beam of 0.4 m, 30 by 6 mm, with a slider of 20 N/mm and 5 N at its tip and a load of 20 N there."""
    h = 0.4 / elements
    unit = np.outer((1.0, h, 1.0, h), (1.0, h, 1.0, h))
    stiffness = _assembled(elements, 2.1e11 * 0.03 * 0.006**3 / 12.0 / h**3 * unit * SHAPE)
    mass = _assembled(elements, 7800.0 * 0.03 * 0.006 * h / 420.0 * unit * INERTIA)
    m = ss.Model.from_matrices(mass, mass + rayleigh * stiffness, stiffness)
    tip = m[f"q{2 * elements - 1}"]
    m.connect(tip, ss.Jenkins(stiffness=2e4, limit=5.0), name="joint")
    m.load(tip, ss.Cosine(20.0, order=1))
    return m


def whole() -> None:
    """Nothing condensed: 10 ms of motion with C = M; curves past the first mode with C = M + 1e-5 s K."""
    clamped(5, 1e-5).frequency_response(between=(190.0, 195.0)).data  # noqa: B018  # nobody counts the compiling
    sheet = Sheet(
        "clamped beam by exact and by shooting", ("elements", "run, s", "certificate, s", "residual", "curve, s")
    )
    for elements in (10, 20, 40, 80, 200, 400):
        began = time.process_time()
        run = clamped(elements, 0.0).simulate(until=0.01, frequency=200.0, samples=101)
        taken = time.process_time() - began
        residual = run.certificate.energy_residual
        certified = time.process_time() - began - taken
        curve = "-"
        if elements <= MOST_FOLLOWED:
            began = time.process_time()
            clamped(elements, 1e-5).frequency_response(between=(150.0, 260.0)).data  # noqa: B018
            curve = f"{time.process_time() - began:.1f}"
        sheet.row(str(elements), f"{taken:.2f}", f"{certified:.2f}", f"{residual:.0e}", curve)
    sheet.close()


TABLES = {"harmonic-balance-beam": table, "exact-beam": whole}
