"""Self-excited motion for the page: a limit cycle from a settled run, and steady sliding over the speed of a belt."""

from __future__ import annotations

import math
import pickle
from dataclasses import dataclass
from itertools import pairwise
from time import perf_counter
from typing import TYPE_CHECKING

from slipstick.app import plotly_figures
from slipstick.app.model_choice import ModelChoice
from slipstick.app.plotly_figures import Figure
from slipstick.app.respond.display_data import orbit_display
from slipstick.app.respond.jump_map import map_parameters
from slipstick.app.respond.model_parameters import ModelParameter
from slipstick.app.respond.page_messages import RESPOND, with_page_messages
from slipstick.app.respond.response_results import RunResult
from slipstick.app.task_worker import ReportProgress
from slipstick.errors import NotConverged, SlipstickError
from slipstick.plot import style

if TYPE_CHECKING:
    from slipstick.api import Model
    from slipstick.results.equilibrium_curve import EquilibriumCurve
    from slipstick.results.run import Run

SPEED_RANGE_FACTORS = (0.25, 3.0)  # times the speed of the model
RUN_SHARE = 0.8  # of the progress
END_SHARE = 0.1  # of a run: its end
REST_REL, DECAY_REL = 0.05, 0.9  # a run that moves less at its end than this part of all and of just before decays
STILL_REL = 1e-6  # of the whole motion: no motion


@dataclass(frozen=True)
class SelfExcitation:
    """What a model needs for motion without forcing.

    possible : nothing varies in time but motions at constant speeds.   speed : of the first one; None without one.
    """

    possible: bool = False
    speed: ModelParameter | None = None

    @property
    def speed_range(self) -> tuple[float, float] | None:
        """A range about the speed, in its unit."""
        if self.speed is None or not self.speed.value:
            return None
        low, high = sorted(float(f"{factor * self.speed.value:.3g}") for factor in SPEED_RANGE_FACTORS)
        return low, high


@dataclass(frozen=True)
class CycleRequest:
    """until : end of the run [s].   speeds : range of the speed in the unit of the page; None without one."""

    until: float
    speeds: tuple[float, float] | None = None


@dataclass(frozen=True)
class SteadyDisplay:
    """Steady sliding over a speed.   growth : largest real part of the eigenvalues [1/s].

    special : kind, value, frequency [rad/s] or NaN, index of the point.   lines : remarks.
    """

    name: str
    unit: str
    speed: list[float]
    growth: list[float]
    stable: list[bool]
    special: list[tuple[str, float, float, int]]
    lines: tuple[str, ...] = ()


@dataclass(frozen=True)
class CycleResult:
    """cycle : None if there is none; `why_none` then tells why.   steady : None without a prescribed speed."""

    choice: ModelChoice
    request: CycleRequest
    cycle: RunResult | None
    why_none: str
    steady: SteadyDisplay | None
    why_no_steady: str = ""
    warnings: tuple[str, ...] = ()


def self_excitation(choice: ModelChoice, model: Model) -> SelfExcitation:
    """Whether a model can move by itself, and the speed that drives it."""
    from slipstick.periodic.cycles.self_excitation import is_self_excited, moving_coordinates

    if not is_self_excited(model):
        return SelfExcitation()
    names = [f"{name}.motion.rate" for name in moving_coordinates(model)]
    return SelfExcitation(True, next((own for own in map_parameters(choice) if own.name in names), None))


@with_page_messages
def find_cycle(report_progress: ReportProgress, choice: ModelChoice, request: CycleRequest) -> CycleResult:
    """A run that settles, the limit cycle from it, and steady sliding over the speed."""
    from slipstick.periodic.cycles.self_excitation import refuse_time_dependence
    from slipstick.study.limit_cycle import RUN_SAMPLES

    began, model = perf_counter(), choice.with_display_units(choice.build())
    refuse_time_dependence(model)
    run = model.simulate(
        request.until,
        samples=RUN_SAMPLES,
        progress=lambda share: report_progress(f"run: {share:.0%}", min(RUN_SHARE * share, RUN_SHARE)),
    )
    report_progress("looking for the limit cycle", RUN_SHARE)
    cycle, why = None, ""
    try:
        orbit = model.limit_cycle(start=run)
    except SlipstickError as failure:
        _raise_interruption(failure)
        why = _rest_text(run) or f"no limit cycle: {RESPOND.message(failure.message.with_owner(''))}"
    else:
        data = pickle.dumps((choice, orbit))
        cycle = RunResult(orbit_display(choice, orbit), data, perf_counter() - began, choice)
    report_progress("steady sliding over the speed", 0.9)
    steady, why_no_steady = None, ""
    try:
        steady = _steady_sliding(choice, model, request)
    except SlipstickError as failure:
        _raise_interruption(failure)
        why_no_steady = f"no steady sliding: {RESPOND.message(failure.message.with_owner(''))}"
    return CycleResult(choice, request, cycle, why, steady, why_no_steady)


def _rest_text(run: Run) -> str:
    """A line if the motion dies out in a run; else empty."""
    import numpy as np

    free = [k for k, own in enumerate(run.model.coordinates) if own.motion is None]
    time, moved = run.samples.time, run.samples.displacement[:, free]
    share = (time - time[0]) / (time[-1] - time[0])
    parts = (share >= 1.0 - END_SHARE, (share >= 1.0 - 2.0 * END_SHARE) & (share < 1.0 - END_SHARE), share >= 0.0)
    late, before, whole = (float(np.ptp(moved[part], axis=0).max(initial=0.0)) for part in parts)
    if late > REST_REL * whole or late > max(DECAY_REL * before, STILL_REL * whole):
        return ""
    return f"The model comes to rest: at the end of the run it moves by {late:.2g} m or rad, in all by {whole:.2g}."


def _raise_interruption(failure: SlipstickError) -> None:
    if isinstance(failure, NotConverged) and failure.interrupted:
        raise failure


def _steady_sliding(choice: ModelChoice, model: Model, request: CycleRequest) -> SteadyDisplay | None:
    speed = self_excitation(choice, model).speed
    if speed is None or request.speeds is None:
        return None
    ends = sorted((speed.in_si(own) for own in request.speeds), key=abs, reverse=True)  # at high speeds all slides
    found = model.equilibria(speed_name(speed), between=(ends[0], ends[1]))
    return steady_display(found, speed)


def speed_name(speed: ModelParameter) -> str:
    """ "belt.speed" of "belt.motion.rate"."""
    return f"{speed.name.removesuffix('.motion.rate')}.speed"


def steady_display(found: EquilibriumCurve, speed: ModelParameter) -> SteadyDisplay:
    """Steady sliding in the unit of a speed."""
    factor, points = 1.0 / speed.in_si(1.0), found.points
    special = [
        (str(own["kind"]), factor * own["parameter"], float(own.get("frequency", math.nan)), int(own["point"]))
        for own in found.special
    ]
    return SteadyDisplay(
        name=speed_name(speed),
        unit=speed.unit,
        speed=[factor * p.parameter for p in points],
        growth=[float(p.eigenvalues.real.max(initial=-math.inf)) for p in points],
        stable=[p.stable for p in points],
        special=special,
        lines=tuple(RESPOND.message(line) for line in (found.partial, *found.notes) if line),
    )


def steady_figure(display: SteadyDisplay) -> Figure:
    """Growth of small motions over the speed: stable parts solid, unstable ones dashed, special points marked."""
    traces, count = [], len(display.speed)
    for stable, name, colour, dash in ((True, "stable", style.BLUE, ""), (False, "unstable", style.ACCENT, "dash")):
        shown = {k for i, j in pairwise(range(count)) if display.stable[j] is stable for k in (i, j)}
        if shown:
            y = [display.growth[k] if k in shown else math.nan for k in range(count)]
            traces.append(plotly_figures.line(display.speed, y, name, colour, dash=dash))
    for kind in dict.fromkeys(own[0] for own in display.special):
        at = [(value, display.growth[k]) for own, value, _, k in display.special if own == kind]
        x, y = ([each[i] for each in at] for i in (0, 1))
        traces.append(plotly_figures.marks(x, y, kind, style.INK, symbol="circle-open", size=10))
    return plotly_figures.figure(
        traces, plotly_figures.axis(display.name, display.unit), plotly_figures.axis("growth", "1/s"), height=300
    )
