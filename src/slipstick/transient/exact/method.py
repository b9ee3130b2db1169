"""The method "exact"."""

from __future__ import annotations

from time import perf_counter

from slipstick.errors import Message, NotConverged
from slipstick.transient.early_end import run_keeping_partial
from slipstick.transient.exact.compiled import kernel
from slipstick.transient.exact.engine import Flow, engine_of
from slipstick.transient.exact.trajectory import ExactTrajectory
from slipstick.transient.problem import Problem
from slipstick.transient.run_request import RunRequest


def run(problem: Problem, request: RunRequest) -> ExactTrajectory:
    """Simulate a problem exactly."""
    kernel("advance")  # compilation does not count as run time
    began = perf_counter()
    trajectory = ExactTrajectory(Flow(engine_of(problem), request.until), request)
    run_keeping_partial(trajectory, lambda: _walk(trajectory, request, began))
    return trajectory


def _walk(trajectory: ExactTrajectory, request: RunRequest, began: float) -> None:
    flow = trajectory.flow
    built = flow.engine.built
    try:
        flow.go(request.progress)
    finally:
        trajectory.count(perf_counter() - began, flow.engine.built - built)
    if flow.trouble:
        raise NotConverged(Message.of(flow.trouble).wrapped("", f" at t = {flow.time:.6g} s"), owner="exact")
