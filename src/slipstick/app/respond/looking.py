"""A first look at the response of a model whose curve takes long: short runs, one frequency after the other.

Gears that rattle come to no orbit that a curve could be followed along, and the bearings of the clutch make every
period slow to integrate; a run of some periods from where the last one ended still shows how large the motion is.
"""

from __future__ import annotations

import math
import pickle
from time import perf_counter
from typing import TYPE_CHECKING, Any

from slipstick.app.choice import Choice
from slipstick.app.respond.shown import shown_curve, shown_run
from slipstick.app.respond.tasks import CurveFound, RunFound
from slipstick.app.respond.units import with_units
from slipstick.app.respond.words import in_page_words
from slipstick.app.staff import Tell

if TYPE_CHECKING:
    from slipstick.api import Model
    from slipstick.results.orbit import OrbitPoint

POINTS = 17  # frequencies on the way up; on the way down those between them
SETTLED = 1e-3  # part of the motion by which the last periods of a run may differ
SHOWN = 4  # periods of the motion at a point


def places(begin: float, end: float) -> list[float]:
    """[rad/s] in the order in which they are looked at: up, and down between those."""
    step = (end - begin) / (POINTS - 1)
    up = [begin + k * step for k in range(POINTS)]
    return up + [omega + 0.5 * step for omega in reversed(up[:-1])]


@in_page_words
def look(_: Tell, choice: Choice, omega: float, before: bytes, wanted: tuple[float, float]) -> CurveFound:
    """What was seen before with one frequency [rad/s] more.   before : empty at first.   wanted : both ends."""
    from slipstick.periodic.sweep import FIRST_PERIODS, Settling, sweep
    from slipstick.results.curve import Curve, CurveStats, Findings
    from slipstick.results.units import frequency_scale

    began = perf_counter()
    known: list[OrbitPoint] = pickle.loads(before)[2] if before else []  # in the order in which they came
    model = choice.at(omega)
    how = Settling(settled=SETTLED, most_periods=FIRST_PERIODS, run=_quickest(choice))
    state = _state(known[-1], model) if known else None
    known = [*known, *sweep(lambda _: model, [omega], both=False, state=state, how=how).points]
    points, all_of_them = tuple(sorted(known, key=lambda point: point.p)), len(places(*wanted))
    lost, most = sum(point.stable is None for point in points), frequency_scale(model.units.frequency)
    stats = CurveStats("integration", begin=wanted[0], end=wanted[1], joined=False, seconds=perf_counter() - began)
    if len(points) < all_of_them:
        stats.ended = f"{len(points)} of {all_of_them} frequencies, the last {most.words(omega, 4)}"
    notes = [f"a first look: at each frequency a run of {FIRST_PERIODS} periods from where the last one ended"]
    if lost:
        notes.append(f"{lost} of {len(points)} motions have not settled by then: of them the next period is shown")
    curve = Curve(Findings(points, [], tuple(notes)), with_units(model, choice), stats)
    kept = pickle.dumps((choice, curve, known))
    return CurveFound(
        choice, wanted, shown_curve(choice, curve, cancelled=bool(stats.ended)), kept, perf_counter() - began
    )


def motion(choice: Choice, point: OrbitPoint) -> RunFound:
    """Some periods of the motion that was seen at a frequency, from where its run has ended."""
    began, model = perf_counter(), with_units(choice.at(point.p), choice)
    for coordinate, q, v in zip(model.coordinates, *_state(point, model), strict=True):
        if coordinate.motion is None:
            coordinate.displacement, coordinate.velocity = float(q), float(v)
    run = model.simulate(SHOWN * math.tau / point.p, frequency=point.p, **_quickest(choice))
    return RunFound(shown_run(choice, run), pickle.dumps((choice, run, point.p)), perf_counter() - began, choice)


def _state(point: OrbitPoint, model: Model) -> tuple[Any, Any]:
    """Displacements and velocities of all coordinates at the end of the run."""
    n = len(model.coordinates)
    return point.x[:n], point.x[n:]


def _quickest(choice: Choice) -> dict[str, Any]:
    """How a run is made: rounded laws on stiff bearings by a method that need not follow the bearings."""
    stiff = choice.system == "clutch" and choice.values.get("laws", "sqrt") != "exact"
    return {"method": "newmark"} if stiff else {}
