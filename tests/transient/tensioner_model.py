"""The case (52)-(53) of the tensioner paper, and what its tables and figures measure."""

from __future__ import annotations

import numpy as np

import slipstick as ss

PAPER = {"mean": 3.5, "amplitude": 122.1, "frequency": 73.15, "phase": 0.40}  # (53)
BEGIN = 1.6e-3  # [s] the run begins, in balance

FIG_21 = [(13, 70), (54, 65), (120, 73), (160, 50), (300, 20)]  # f1 [N], Omega [rad/s] of its golden points
WINDOW = 3.0 + 1e-5 * np.arange(15_001)  # the times of (58)


def two_dof(law: str = "masing") -> ss.Model:
    """The belt-tensioner-mass system, at rest at `BEGIN`."""
    return ss.systems.tensioner(law, **PAPER, balanced_at=BEGIN)


def ratios(force: np.ndarray) -> tuple[float, float]:
    """max|(F-T)/T| and max|(F-T)/F| (58) from the forces of belt and tensioner (k, 2)."""
    belt, arm = force.T
    return float(np.abs((arm - belt) / belt).max()), float(np.abs((arm - belt) / arm).max())
