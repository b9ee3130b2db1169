"""A first look at the response of a model whose curve takes long: short runs, one frequency after the other.

Gears that rattle come to no orbit that a curve could be followed along, and the bearings of the clutch make every
period slow to integrate; a run of some periods from where the last one ended still shows how large the motion is.
"""

from __future__ import annotations

import math
import pickle
from time import perf_counter
from typing import TYPE_CHECKING, Any

from slipstick.app.model_choice import ModelChoice
from slipstick.app.respond.display_data import curve_display, run_display
from slipstick.app.respond.page_messages import with_page_messages
from slipstick.app.respond.tasks import CurveResult, RunResult
from slipstick.app.task_worker import ReportProgress

if TYPE_CHECKING:
    from slipstick.api import Model
    from slipstick.results.orbit import OrbitPoint

UPWARD_POINTS = 17  # frequencies on the way up; on the way down those between them
SETTLED_REL = 1e-3  # part of the motion by which the last periods of a run may differ
PERIODS_SHOWN = 4  # periods of the motion at a point


def preview_frequencies(begin: float, end: float) -> list[float]:
    """[rad/s] in the order in which they are looked at: up, and down between those."""
    step = (end - begin) / (UPWARD_POINTS - 1)
    up = [begin + k * step for k in range(UPWARD_POINTS)]
    return up + [omega + 0.5 * step for omega in reversed(up[:-1])]


@with_page_messages
def add_preview_point(
    _: ReportProgress, choice: ModelChoice, omega: float, before: bytes, wanted: tuple[float, float]
) -> CurveResult:
    """What was seen before with one frequency [rad/s] more.   before : empty at first.   wanted : both ends."""
    from slipstick.periodic.integration.frequency_sweep import FIRST_PERIODS, SettlingOptions, sweep_frequencies
    from slipstick.results.curve import Curve, CurveFindings, CurveStats
    from slipstick.units.scales import frequency_scale

    began = perf_counter()
    known: list[OrbitPoint] = pickle.loads(before)[2] if before else []  # in the order in which they came
    model = choice.at(omega)
    how = SettlingOptions(settled=SETTLED_REL, most_periods=FIRST_PERIODS, run=_fastest_method(choice))
    state = _state(known[-1], model) if known else None
    known = [*known, *sweep_frequencies(lambda _: model, [omega], both=False, state=state, how=how).points]
    points, all_of_them = tuple(sorted(known, key=lambda point: point.p)), len(preview_frequencies(*wanted))
    lost, most = sum(point.stable is None for point in points), frequency_scale(model.units.frequency)
    stats = CurveStats("integration", begin=wanted[0], end=wanted[1], joined=False, seconds=perf_counter() - began)
    if len(points) < all_of_them:
        stats.ended = f"{len(points)} of {all_of_them} frequencies, the last {most.words(omega, 4)}"
    notes = [f"a first look: at each frequency a run of {FIRST_PERIODS} periods from where the last one ended"]
    if lost:
        notes.append(f"{lost} of {len(points)} motions have not settled by then: of them the next period is shown")
    curve = Curve(CurveFindings(points, [], tuple(notes)), choice.with_display_units(model), stats)
    kept = pickle.dumps((choice, curve, known))
    return CurveResult(
        choice, wanted, curve_display(choice, curve, cancelled=bool(stats.ended)), kept, perf_counter() - began
    )


def preview_motion(choice: ModelChoice, point: OrbitPoint) -> RunResult:
    """Some periods of the motion that was seen at a frequency, from where its run has ended."""
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
    """How a run is made: rounded laws on stiff bearings by a method that need not follow the bearings."""
    stiff = choice.system == "clutch" and choice.values.get("laws", "sqrt") != "exact"
    return {"method": "newmark"} if stiff else {}
