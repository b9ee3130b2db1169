"""`CurveResult` and `RunResult`: results of worker processes for the page Respond."""

from __future__ import annotations

from dataclasses import dataclass

from slipstick.app.model_choice import ModelChoice
from slipstick.app.respond.display_data import CurveDisplay, RunDisplay
from slipstick.app.respond.run_up import RunBase


@dataclass(frozen=True)
class CurveResult:
    """A curve for the page.   choice, ends : its model and requested range [rad/s].

    data : the pickled curve, for later tasks.   seconds : of its computation.   traced : through folds; else at given
    frequencies.   warnings : a line each.   thorough : branches that are not connected to it were searched, too.
    """

    choice: ModelChoice
    ends: tuple[float, float]
    display: CurveDisplay
    data: bytes
    seconds: float
    traced: bool = False
    warnings: tuple[str, ...] = ()
    thorough: bool = False


@dataclass(frozen=True)
class RunResult:
    """A run or an orbit for the page, like `CurveResult`.   partial : ended early.   frequency : or speed, of a run."""

    display: RunDisplay
    data: bytes
    seconds: float
    choice: ModelChoice | None = None
    warnings: tuple[str, ...] = ()
    partial: bool = False
    frequency: RunBase = None
