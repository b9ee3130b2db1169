"""The method "exact"."""

from __future__ import annotations

from time import perf_counter

from slipstick.errors import NotConverged
from slipstick.transient.ending import carry
from slipstick.transient.exact.compiled import kernel
from slipstick.transient.exact.engine import Flow, engine_of
from slipstick.transient.exact.trajectory import ExactTrajectory
from slipstick.transient.options import Request
from slipstick.transient.problem import Problem


def run(problem: Problem, request: Request) -> ExactTrajectory:
    """Simulate a problem exactly."""
    kernel("advance")  # compiling is no part of a run's time
    engine = engine_of(problem)
    flow = Flow(engine, request.until)
    trajectory = ExactTrajectory(flow, request)
    carry(trajectory, lambda: _walk(trajectory, request))
    return trajectory


def _walk(trajectory: ExactTrajectory, request: Request) -> None:
    flow = trajectory.flow
    began, built = perf_counter(), flow.engine.built
    try:
        flow.go(request.progress)
    finally:
        trajectory.count(perf_counter() - began, flow.engine.built - built)
    if flow.trouble:
        raise NotConverged(f"exact: {flow.trouble} at t = {flow.time:.9g} s; what was reached is kept")
