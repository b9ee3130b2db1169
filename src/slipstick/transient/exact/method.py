"""The method "exact"."""

from __future__ import annotations

from time import perf_counter

import numpy as np

from slipstick.errors import InvalidInput, Message, NotConverged
from slipstick.transient.early_end import run_keeping_partial
from slipstick.transient.exact.compiled import kernel
from slipstick.transient.exact.engine import engine_of
from slipstick.transient.exact.flow_run import Flow
from slipstick.transient.exact.impacts import START_ROUNDING_REL
from slipstick.transient.exact.trajectory import ExactTrajectory
from slipstick.transient.problem import Problem
from slipstick.transient.run_request import RunRequest
from slipstick.units.number_format import format_number


def run(problem: Problem, request: RunRequest) -> ExactTrajectory:
    """Simulate a problem exactly."""
    refuse_start_beyond_stops(problem)
    kernel("advance")  # compilation does not count as run time
    began = perf_counter()
    trajectory = ExactTrajectory(Flow(engine_of(problem), request.until), request)
    run_keeping_partial(trajectory, lambda: _walk(trajectory, request, began))
    return trajectory


def refuse_start_beyond_stops(problem: Problem) -> None:
    """Refuse a run that begins beyond a rigid stop; rounding does not count."""
    u = problem.deflections_at(problem.start, problem.displacement)
    for e, element in enumerate(problem.elements):
        stop = element.law.rigid_stop
        size = float(np.abs(element.deflection) @ np.abs(problem.displacement))
        if stop is not None and u[e] - stop.gap > START_ROUNDING_REL * (size + abs(stop.gap) + abs(float(u[e]))):
            name = problem.system.connections[element.connection].name
            raise InvalidInput(
                f'the run begins with a deflection of {format_number(float(u[e]))} at the stop "{name}", '
                f"beyond its gap {format_number(stop.gap)}",
                advice=["give the coordinates displacements at which the stop is open or just closed"],
            )


def _walk(trajectory: ExactTrajectory, request: RunRequest, began: float) -> None:
    flow = trajectory.flow
    built = flow.engine.built
    try:
        flow.go(request.progress)
    finally:
        trajectory.count(perf_counter() - began, flow.engine.built - built)
    if flow.trouble:
        raise NotConverged(Message.of(flow.trouble).wrapped("", f" at t = {flow.time:.6g} s"), owner="exact")
