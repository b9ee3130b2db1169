"""`RunRequest`: the options that every method receives."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Progress = Callable[[float], Any]  # called several times with the finished fraction of the run, 0 to 1


@dataclass(frozen=True)
class RunRequest:
    """A checked request of a run.

    until : [s] its end.   times : (k,) where samples are wanted, increasing, within [start, until]; for
        ``samples=0`` only the end, and methods that have events add those.
    step : [s] for methods with a fixed step; None: the method chooses.
    tolerance : relative, for methods that control their error; None: the method's default.
    """

    until: float
    times: NDArray[np.float64]
    with_events: bool = False
    step: float | None = None
    tolerance: float | None = None
    progress: Progress | None = None
