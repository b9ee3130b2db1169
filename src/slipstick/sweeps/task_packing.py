"""A task as bytes, for worker processes."""

from __future__ import annotations

from slipstick.sweeps.point_task import PointTask
from slipstick.workers.packing import packed


def pack_task(task: PointTask) -> bytes:
    """The pickled task, with the functions of the user."""
    measures = task.measures
    return packed(task, [task.build, *([measures] if callable(measures) else (measures or {}).values())])
