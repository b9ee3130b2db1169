"""Fig. 21 as the paper made it: marched from rest, and looked at over [17, 20] s. Slow."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from slipstick.papers.certificate_summary import ErrorEvidence
from slipstick.systems.tensioner import tensioner

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

WINDOW, STEP, SAMPLES = (17.0, 20.0), 1e-5, 300_001  # s, s: (59a); a sample a step, as crests are narrow
METHODS = {
    "masing": "the paper's scheme (A.7), 1e-5 s, from rest, seen over [17, 20] s",
    "modified-dahl": "adaptive steps where the paper has Matlab's, from rest and the force (51), seen over [17, 20] s",
}


def tension_range_by_marching(
    law: str, force: float, frequencies: Sequence[float], **numbers: float
) -> tuple[NDArray[np.float64], ErrorEvidence]:
    """(k,) max T - min T [N] over the window at these frequencies, and what the runs say about their error.

    numbers : of the system, other than printed.
    """
    method: dict[str, Any] = {"method": "inclusion", "step": STEP} if law == "masing" else {"method": "adaptive"}
    times = np.linspace(*WINDOW, SAMPLES)
    ranges, evidence = [], []
    for omega in frequencies:
        model = tensioner(law, amplitude=float(force), frequency=float(omega), **numbers)
        run = model.simulate(WINDOW[1], samples=times, **method)
        tension = run.data["force"].sel(connection="belt", time=slice(WINDOW[0] - 0.5 * STEP, None))
        ranges.append(float(np.ptp(tension.values)))
        evidence.append(ErrorEvidence.of(run))
    return np.array(ranges), ErrorEvidence.joint(evidence)
