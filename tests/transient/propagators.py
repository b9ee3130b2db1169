"""Exact runs with the propagator chosen: modes of every state at once, or Taylor steps throughout."""

from __future__ import annotations

from typing import Any

import numpy as np

import slipstick as ss
from slipstick.transient import exact
from slipstick.transient.exact.engine import engine_of
from slipstick.transient.problem import pose
from slipstick.transient.run_request import RunRequest

WANTED = {"modes": 0.0, "series": 1e300}  # Taylor steps in a state, before its modes are found


def run_by(propagator: str, model: ss.Model, until: float, samples: int = 400) -> Any:
    """The trajectory of an exact run by "modes", by "series", or as it comes: "default"."""
    problem = pose(model)
    if propagator in WANTED:
        engine_of(problem).first.steps_before_table = WANTED[propagator]
    return exact.run(problem, RunRequest(until=until, times=np.linspace(0.0, until, samples)))
