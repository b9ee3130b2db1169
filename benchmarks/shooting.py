"""Orbits by shooting on the exact flow: the torsional oscillator over frequency, and the maps of the tensioner."""

from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from time import perf_counter, process_time
from typing import Any

import numpy as np
from timing import Sheet, best

import slipstick as ss

AMPLITUDES = (13, 27, 41, 54, 67, 79, 90, 100, 110, 120, 140, 160, 200, 230, 260, 300)  # N, tensioner (59c), (60)
FREQUENCIES = np.linspace(10.0, 125.0, 116)  # rad/s, (59d)
WORKERS = 2


def oscillator() -> ss.Model:
    """The torsional oscillator under a normal load of order one: zeta 0.05, N0 0.5, A 0.3."""
    m = ss.Model("torsional")
    theta = m.coordinate("theta", inertia=1.0)
    m.connect(theta, ss.Linear(stiffness=1.0, damping=0.1), name="shaft")
    m.connect(theta, ss.DryFriction(limit=ss.Constant(0.5) + ss.Sine(0.3, order=1)), name="rub")
    m.load(theta, ss.Sine(1.0, order=1))
    return m


def torsional() -> None:
    """91 frequencies, and the same range followed by arclength, each with and without everything in the data."""
    m, at = oscillator(), np.linspace(0.2, 2.0, 91)
    sheet = Sheet(
        "torsional oscillator, n = 1, shooting", ("", "CPU ms a point", "budget", "points", "largest residual")
    )
    for name, given, budgets in (
        ("91 frequencies", {"at": at}, ("0.4", "0.6")),
        ("arclength, 0.2 to 2", {"between": (0.2, 2.0)}, ("0.4", "0.6")),
    ):
        respond = partial(m.frequency_response, method="shooting", **given)
        data = respond().data
        points, residual = data.sizes["point"], f"{float(data.residual.max()):.1e}"
        sheet.row(name, f"{1e3 * best(respond, 20, process_time) / points:.2f}", budgets[0], str(points), residual)
        whole = best(lambda respond=respond: respond().data, 10, process_time)
        sheet.row("  with data", f"{1e3 * whole / points:.2f}", budgets[1], "", "")
    sheet.close()


def curve(amplitude: float, law: str) -> tuple[int, float, float]:
    """One curve of Fig. 21: points, the largest residual and the largest error of a displacement [m]."""

    def build(omega: float) -> Any:
        return ss.systems.tensioner(law, amplitude=float(amplitude), frequency=omega)

    data = ss.frequency_response(build, at=FREQUENCIES, method="shooting").data
    found = np.isfinite(data.force_range.sel(connection="belt").values).sum()
    return int(found), float(data.residual.max()), float(data.error.max())


def warm(law: str) -> None:
    """Compile what is needed, before anything is timed."""
    ss.systems.tensioner(law, amplitude=54.0, frequency=65.0).periodic(method="shooting")


def tensioner() -> None:
    """Fig. 21 with the Masing law, 16 amplitudes by 116 frequencies, on two cores; each point is another model."""
    sheet = Sheet("tensioner, Fig. 21, Masing, shooting", ("", "s", "budget", "points", "failed", "largest residual"))
    wanted = len(AMPLITUDES) * FREQUENCIES.size
    with ProcessPoolExecutor(WORKERS, get_context("spawn"), warm, ("masing",)) as pool:
        list(pool.map(warm, ["masing"] * WORKERS))
        began = perf_counter()
        found = list(pool.map(partial(curve, law="masing"), AMPLITUDES))
        seconds = perf_counter() - began
    points = sum(each[0] for each in found)
    residual = f"{max(each[1] for each in found):.1e}"
    name = f"{len(AMPLITUDES)} curves, {WORKERS} processes"
    sheet.row(name, f"{seconds:.2f}", "4", str(points), str(wanted - points), residual)
    sheet.close()


TABLES = {"torsional": torsional, "fig21": tensioner}
