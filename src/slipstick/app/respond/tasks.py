"""Tasks of the page Respond, run in worker processes."""

from __future__ import annotations

import math
import pickle
import tempfile
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from textwrap import fill
from time import perf_counter
from typing import TYPE_CHECKING, Any

from slipstick.app.model_choice import ModelChoice
from slipstick.app.respond.csv_tables import curve_table, run_table
from slipstick.app.respond.display_data import CurveDisplay, RunDisplay, curve_display, orbit_display, run_display
from slipstick.app.respond.display_units import display_unit, with_display_units
from slipstick.app.respond.model_parameters import ModelParameter, parameters_of
from slipstick.app.respond.page_messages import with_page_messages
from slipstick.app.respond.settings_text import changed_settings_text, settings_text
from slipstick.app.worker_pool import ReportProgress, time_limit, uninterrupted
from slipstick.errors import InvalidInput, NotConverged, SlipstickError

if TYPE_CHECKING:
    from slipstick.api import Model

PREVIEW_TIME_LIMIT = 15.0  # [s] for an answer that was meant to be quick
CERTIFICATE_TIME_LIMIT = 0.5  # [s] for the certificate of a run that was stopped: somebody waits
CERTIFICATE_CANCELLED_TEXT = "its certificate was cancelled; run again to have it"
CERTIFICATE_TIMEOUT_TEXT = (
    "the run was cancelled, and its certificate takes longer than {:g} s; run until {:.6g} {} for one of this motion"
)
CAPTION_CHARACTERS_PER_INCH = 17  # to an inch
DEFAULT_PERIODS = 30  # of the base frequency, that a run shows by itself
DEFAULT_RANGE_FACTORS = (0.4, 1.6)  # times a frequency that is known
# rad/s: where the papers look; and the half of the gear train's range where its bodies move as one
SYSTEM_RANGES = {"torsional": (0.2, 2.0), "tensioner": (10.0, 125.0), "fibre": (200.0, 700.0), "gear": (4.0, 12.0)}


@dataclass(frozen=True)
class ModelDescription:
    """What a page needs to know of a model.   scale : of a frequency, from rad/s.   frequency : in rad/s, or none."""

    name: str
    knobs: list[ModelParameter]
    unit: str
    scale: float
    time_unit: str
    begin: float
    end: float
    frequency: float | None
    until: float


@dataclass(frozen=True)
class CurveResult:
    """A curve as it is shown.   choice, ends : what it is of, and the range that was asked for [rad/s].

    kept : itself, for whoever asks more of it.   took : [s] all of it.   whole : it was followed; else it is at some
    frequencies.   remarks : what it was warned of, a line each.
    """

    choice: ModelChoice
    ends: tuple[float, float]
    shown: CurveDisplay
    kept: bytes
    took: float
    whole: bool = False
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True)
class RunResult:
    """The same of a run or an orbit.   partial : it did not come to its end."""

    shown: RunDisplay
    kept: bytes
    took: float
    choice: ModelChoice | None = None
    remarks: tuple[str, ...] = ()
    partial: bool = False


def describe_model(_: ReportProgress, choice: ModelChoice) -> ModelDescription:
    """Knobs, a range of frequencies, a time to run."""
    from slipstick.units.scales import frequency_scale

    model = choice.build()
    scale = frequency_scale(model.units.frequency)
    begin, end = _range(choice, model, scale.factor)
    base = model.frequency or 0.5 * (begin + end)
    return ModelDescription(
        name=model.name,
        knobs=parameters_of(choice),
        unit=display_unit(choice, scale.unit),
        scale=scale.factor,
        time_unit=display_unit(choice, "s"),
        begin=begin,
        end=end,
        frequency=base,
        until=float(f"{DEFAULT_PERIODS * math.tau / base:.2g}"),
    )


def _range(choice: ModelChoice, model: Model, scale: float) -> tuple[float, float]:
    """[rad/s] round numbers in the unit that is shown.   scale : of that, from rad/s."""
    if choice.system in SYSTEM_RANGES:
        return SYSTEM_RANGES[choice.system]
    about = model.frequency
    if about is None:
        try:
            about = next((float(w) for w in model.modes().damped_frequency if w > 0.0), None)
        except SlipstickError:
            about = None
    low, high = (float(f"{scale * factor * (about or 1.0):.2g}") / scale for factor in DEFAULT_RANGE_FACTORS)
    return low, high


@with_page_messages
def preview_curve(_: ReportProgress, choice: ModelChoice, begin: float, end: float, points: int) -> CurveResult:
    """The response at so many frequencies [rad/s], equally spaced."""
    import numpy as np

    return _curve(choice, (begin, end), lambda: None, at=np.linspace(begin, end, points))


@with_page_messages
def follow_curve(
    tell: ReportProgress, choice: ModelChoice, begin: float, end: float, unit: str, scale: float
) -> CurveResult:
    """The whole curve, around folds; words tell how far it is."""
    reached = 0

    def progress(count: int, at: float) -> None:
        nonlocal reached
        reached = count
        tell(f"{count} points, at {scale * at:.4g} {unit}", 0.99 * abs(at - begin) / abs(end - begin))

    def followed() -> None:
        tell(f"{reached} points; now their stability and special points", 1.0)

    found = _curve(choice, (begin, end), followed, between=(begin, end), progress=progress)
    return replace(found, whole=True)


def _curve(choice: ModelChoice, ends: tuple[float, float], followed: Callable[[], None], **asked: Any) -> CurveResult:
    """followed : called when its points are there; the rest may take as long again."""
    began, cancelled = perf_counter(), False
    try:
        curve = choice.response(**asked)
        followed()
        len(curve)  # stability and special points are found now, or up to where somebody stops that
    except NotConverged as stopped:
        curve, cancelled = _partial_curve(stopped)  # a part of a curve says that it is one
        if cancelled:
            curve.stats.ended = "cancelled"
    curve.names = curve.names._replace(units=with_display_units(choice.build(), choice).units)
    shown = curve_display(choice, curve, cancelled)
    return CurveResult(choice, ends, shown, pickle.dumps((choice, curve)), perf_counter() - began)


def _partial_curve(stopped: NotConverged) -> tuple[Any, bool]:
    """The curve up to where it ended, and whether somebody ended it; looking at it may be stopped once more."""
    try:
        if stopped.partial is None or not len(stopped.partial):
            raise stopped
    except NotConverged as again:
        if again is stopped:
            raise
        curve, cancelled = _partial_curve(again)
        return curve, cancelled or stopped.interrupted
    return stopped.partial, stopped.interrupted


@with_page_messages
def orbit_at_point(_tell: ReportProgress, kept: bytes, point: int) -> RunResult:
    """The orbit at a point of a curve, by its number; of a first look the motion there."""
    from slipstick.periodic.saved_curve_solver import SavedCurveSolver

    began = perf_counter()
    choice, curve, *seen = pickle.loads(kept)
    if not 0 <= point < len(curve):
        raise InvalidInput(f"the curve has {len(curve)} points, got the number {point}; click one of them")
    if seen:
        from slipstick.app.respond.transient_preview import preview_motion

        return preview_motion(choice, curve.points[point])
    curve.origin = SavedCurveSolver(curve, choice.build(), choice.at if choice.follows_frequency else None)
    found = curve.orbit(point)
    found.names = curve.names
    return RunResult(orbit_display(choice, found), pickle.dumps((choice, found)), perf_counter() - began, choice)


@with_page_messages
def simulate_model(
    tell: ReportProgress, choice: ModelChoice, frequency: float | None, until: float, samples: int
) -> RunResult:
    """The motion from the initial state; one that is stopped, or fails, up to where it came."""
    began, cancelled = perf_counter(), False
    model = with_display_units(choice.at(frequency), choice)
    try:
        run = model.simulate(
            until, frequency=frequency, samples=samples, progress=lambda share: tell(f"{share:.0%}", share)
        )
    except NotConverged as stopped:
        if stopped.partial is None or stopped.partial.samples.time.size < 2:
            raise
        run, cancelled = stopped.partial, stopped.interrupted
    try:
        tell("its certificate", 1.0)
        with time_limit(CERTIFICATE_TIME_LIMIT) if cancelled else nullcontext():
            run.certificate  # noqa: B018  computed now
    except KeyboardInterrupt:  # whoever cancels a second time drops all: in a run that was cancelled time was up
        late = CERTIFICATE_TIMEOUT_TEXT.format(CERTIFICATE_TIME_LIMIT, run.stats.reached, display_unit(choice, "s"))
        run.leave_uncertified(late if cancelled else CERTIFICATE_CANCELLED_TEXT)
    with uninterrupted():
        shown = run_display(choice, run, cancelled)
        return RunResult(
            shown, pickle.dumps((choice, run, frequency)), perf_counter() - began, choice, partial=bool(run.partial)
        )


# ---- files


def result_file_bytes(_tell: ReportProgress, kept: bytes, kind: str, quantity: str = "") -> bytes:
    """A result as "png", "svg", "nc" (netCDF) or "csv".   quantity : of a curve's picture, as on the page."""
    from slipstick.results.curve import Curve

    choice, result, *rest = pickle.loads(kept)
    of = choice, result, None if isinstance(result, Curve) or not rest else rest[0]
    if kind == "csv":
        table = curve_table if isinstance(result, Curve) else run_table
        return table(choice, result, settings_text(*of))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"result.{kind}"
        if kind == "nc":
            result.save(path)
        else:
            _draw(result, path, quantity, settings_text(*of), changed_settings_text(*of))
        return path.read_bytes()


def _draw(result: Any, path: Path, quantity: str, settings: Sequence[str], caption: Sequence[str]) -> None:
    """settings : in the data of the file.   caption : those that stand below the picture."""
    import matplotlib.pyplot as plt

    from slipstick.plot.curve_quantity import QUANTITY_LABELS
    from slipstick.plot.style import FILE_DPI, GREY

    keys = [key for key, words in QUANTITY_LABELS.items() if quantity.startswith(f"{words} of ")]
    figure = result.plot(quantity=keys[0]) if keys else result.plot()
    width = int(CAPTION_CHARACTERS_PER_INCH * figure.get_figwidth())
    below = fill("; ".join(caption), width)
    figure.text(0.01, 0.0, below, ha="left", va="top", fontsize=8, color=GREY)
    figure.savefig(path, dpi=FILE_DPI, bbox_inches="tight", metadata={"Description": "; ".join(settings)})
    plt.close(figure)
