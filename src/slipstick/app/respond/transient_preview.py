"""A first look at the response of a slow model: short runs, one frequency after the other.

Rattling gears may have no periodic orbit to continue, and the bearings of the clutch make every period slow to
integrate. A run of some periods, from the end of the last one, still shows the size of the motion.
"""

from __future__ import annotations

import math
import pickle
from time import perf_counter
from typing import TYPE_CHECKING, Any

from slipstick.app.model_choice import ModelChoice
from slipstick.app.respond.display_data import curve_display, run_display
from slipstick.app.respond.page_messages import with_page_messages
from slipstick.app.respond.response_results import CurveResult, RunResult
from slipstick.app.task_worker import ReportProgress

if TYPE_CHECKING:
    from slipstick.api import Model
    from slipstick.results.orbit import OrbitPoint

UPWARD_POINTS = 17  # frequencies upward; downward those between them
SETTLED_REL = 1e-3  # difference of the last periods of a settled run
PERIODS_SHOWN = 4  # of the motion at a point


def preview_frequencies(begin: float, end: float) -> list[float]:
    """Frequencies [rad/s] in order of computation: upward, then downward between those."""
    step = (end - begin) / (UPWARD_POINTS - 1)
    up = [begin + k * step for k in range(UPWARD_POINTS)]
    return up + [omega + 0.5 * step for omega in reversed(up[:-1])]


@with_page_messages
def add_preview_point(
    _: ReportProgress, choice: ModelChoice, omega: float, before: bytes, ends: tuple[float, float]
) -> CurveResult:
    """The preview with one frequency [rad/s] more.   before : pickled, empty at first.   ends : of the range."""
    from slipstick.periodic.integration.frequency_sweep import FIRST_PERIODS, SettlingOptions, sweep_frequencies
    from slipstick.results.curve import Curve, CurveFindings, CurveStats
    from slipstick.units.scales import frequency_scale

    began = perf_counter()
    known: list[OrbitPoint] = pickle.loads(before)[2] if before else []  # in order of computation
    model = choice.at(omega)
    how = SettlingOptions(settled=SETTLED_REL, most_periods=FIRST_PERIODS, run=_fastest_method(choice))
    state = _state(known[-1], model) if known else None
    known = [*known, *sweep_frequencies(lambda _: model, [omega], both=False, state=state, how=how).points]
    points, total = tuple(sorted(known, key=lambda point: point.p)), len(preview_frequencies(*ends))
    unsettled, scale = sum(point.stable is None for point in points), frequency_scale(model.units.frequency)
    stats = CurveStats("integration", begin=ends[0], end=ends[1], joined=False, seconds=perf_counter() - began)
    if len(points) < total:
        stats.ended = f"{len(points)} of {total} frequencies, the last {scale.words(omega, 4)}"
    notes = [f"a first look: at each frequency a run of {FIRST_PERIODS} periods from where the last one ended"]
    if unsettled:
        notes.append(f"{unsettled} of {len(points)} motions have not settled by then; their next period is shown")
    curve = Curve(CurveFindings(points, [], tuple(notes)), choice.with_display_units(model), stats)
    data = pickle.dumps((choice, curve, known))
    return CurveResult(
        choice, ends, curve_display(choice, curve, cancelled=bool(stats.ended)), data, perf_counter() - began
    )


def preview_motion(choice: ModelChoice, point: OrbitPoint) -> RunResult:
    """Some periods of the motion at a frequency, from the end of its run."""
    began, model = perf_counter(), choice.with_display_units(choice.at(point.p))
    for coordinate, q, v in zip(model.coordinates, *_state(point, model), strict=True):
        if coordinate.motion is None:
            coordinate.displacement, coordinate.velocity = float(q), float(v)
    run = model.simulate(PERIODS_SHOWN * math.tau / point.p, frequency=point.p, **_fastest_method(choice))
    return RunResult(run_display(choice, run), pickle.dumps((choice, run, point.p)), perf_counter() - began, choice)


def _state(point: OrbitPoint, model: Model) -> tuple[Any, Any]:
    """Displacements and velocities of all coordinates at the end of the run."""
    n = len(model.coordinates)
    return point.x[:n], point.x[n:]


def _fastest_method(choice: ModelChoice) -> dict[str, Any]:
    """Options of a run: an implicit method for smoothed laws on stiff bearings."""
    stiff = choice.system == "clutch" and choice.values.get("laws", "sqrt") != "exact"
    return {"method": "newmark"} if stiff else {}
