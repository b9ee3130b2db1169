"""Partial results of runs that Ctrl-C or an error ends early."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from slipstick.errors import NotConverged
from slipstick.results.trajectory import Trajectory


def run_keeping_partial(trajectory: Trajectory, go: Callable[[], Any]) -> None:
    """Run; an interruption or error is raised as `NotConverged`, with the trajectory up to there as `partial`."""
    try:
        go()
    except KeyboardInterrupt:
        raise NotConverged(
            f"interrupted at t = {trajectory.reached:.6g} s", partial=trajectory, interrupted=True
        ) from None
    except NotConverged as failure:
        failure.partial = trajectory
        raise
