"""Basins of the belt oscillator beside one SciPy run for each start.

The peer integrates the oscillator with friction rounded by tanh (as published), each start until 400 s, and tells rest
from stick-slip by the amplitude at the end. Both in one process, in CPU time per start.
"""

from __future__ import annotations

import sys
from pathlib import Path
from time import process_time

import numpy as np
from scipy.integrate import solve_ivp

import slipstick as ss

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests" / "basins"))
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))
from test_basins import BOX, belt_oscillator

STARTS, PEER_STARTS, UNTIL, SHARPNESS = 300, 4, 400.0, 50.0


def peer(start: np.ndarray) -> bool:
    """True if a start ends at rest."""

    def rate(_: float, y: np.ndarray) -> list[float]:
        relative = y[1] - 1.5
        size = 0.5 + 0.5 * np.exp(-abs(relative) / 0.5)
        return [y[1], -y[0] - 0.1 * y[1] - size * np.tanh(SHARPNESS * relative)]

    found = solve_ivp(rate, (0.0, UNTIL), start, rtol=1e-6, atol=1e-8, max_step=0.5)
    return bool(np.ptp(found.y[0, found.t > UNTIL - 20.0]) < 0.1)


def main() -> None:
    m = belt_oscillator(1.5)
    m.basins(BOX, count=5, workers=1)  # kernels are compiled once
    began = process_time()
    found = m.basins(BOX, count=STARTS, workers=1)
    own = (process_time() - began) / STARTS
    began = process_time()
    agree = [
        peer(start) == (label == 0) for start, label in zip(found.starts[:PEER_STARTS], found.labels, strict=False)
    ]
    theirs = (process_time() - began) / PEER_STARTS
    print(f"slipstick {1e3 * own:.2f} ms a start, SciPy {1e3 * theirs:.0f} ms a start, ratio {theirs / own:.0f}")
    print(f"{sum(agree)} of {len(agree)} starts agree; version {ss.__version__}")


if __name__ == "__main__":
    main()
