"""A start for harmonic balance from a run of the model: Fourier coefficients of its last period."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from slipstick.arrays import Array
from slipstick.errors import NotConverged, SlipstickError
from slipstick.transient.simulate import simulate

if TYPE_CHECKING:
    from slipstick.periodic.balance.harmonic_balance import HarmonicBalance


START_PERIODS = 48  # of the loads: what is left of most transients by then is no obstacle to Newton's method


def start_from_run(family: HarmonicBalance, p: float) -> Array:
    """(size,) the unknowns of the motion that the model is in some periods after it began as it says."""
    order, waves, problem = family.order, family.waves, family.problem
    period = 2.0 * np.pi * order / p
    count = -(-START_PERIODS // order)
    times = period * (count - 1.0 + np.arange(waves.samples + 1) / waves.samples)
    try:
        run = simulate(problem.system.snapshot(), float(times[-1]), frequency=p, samples=times)
        motion = run.samples.displacement
    except SlipstickError as failure:
        raise NotConverged(failure.message.wrapped("the model could not be run: ")) from None
    if motion.shape[0] != times.size:
        raise NotConverged("the run ended early")
    series = waves.coefficients(motion[:-1, problem.assembly.free].T)
    return np.asarray(family.seen @ series).ravel()
