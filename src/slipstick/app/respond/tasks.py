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
from slipstick.app.respond.csv_tables import curve_table, jump_map_table, run_table
from slipstick.app.respond.display_data import curve_display, orbit_display, run_display
from slipstick.app.respond.jump_map import map_parameters
from slipstick.app.respond.model_parameters import ModelParameter, parameters_of
from slipstick.app.respond.page_messages import with_page_messages
from slipstick.app.respond.response_results import CurveResult, RunResult
from slipstick.app.respond.run_up import RunBase, RunUp, order_lines
from slipstick.app.respond.self_excited import SelfExcitation, self_excitation
from slipstick.app.respond.settings_text import changed_settings_text, settings_text
from slipstick.app.respond.transient_preview import preview_motion
from slipstick.app.task_worker import ReportProgress, time_limit, uninterrupted
from slipstick.errors import InvalidInput, NotConverged, SlipstickError

if TYPE_CHECKING:
    from slipstick.api import Model

PREVIEW_TIME_LIMIT = 15.0  # [s] for a computation that should be quick
CERTIFICATE_TIME_LIMIT = 0.5  # [s] for the certificate of a cancelled run: the user waits
CERTIFICATE_CANCELLED_TEXT = "its certificate was cancelled; run again to compute it"
CERTIFICATE_TIMEOUT_TEXT = (
    "the run was cancelled, and its certificate takes longer than {:g} s; run until {:.6g} {} for one of this motion"
)
CAPTION_CHARACTERS_PER_INCH = 17  # of the caption font
DEFAULT_PERIODS = 30  # of the base frequency in a run
DEFAULT_RANGE_FACTORS = (0.4, 1.6)  # times a known frequency
# [rad/s] of the papers; for the gear train the half in which its bodies move as one
SYSTEM_RANGES = {"torsional": (0.2, 2.0), "tensioner": (10.0, 125.0), "fibre": (200.0, 700.0), "gear": (4.0, 12.0)}


@dataclass(frozen=True)
class ModelDescription:
    """Parameters and default ranges of a model.   scale : of frequencies, from rad/s.   frequency : [rad/s].

    map_parameters : numbers that a jump map can vary.
    """

    name: str
    knobs: list[ModelParameter]
    map_parameters: list[ModelParameter]
    self_excitation: SelfExcitation
    unit: str
    scale: float
    time_unit: str
    begin: float
    end: float
    frequency: float | None
    until: float


def describe_model(_: ReportProgress, choice: ModelChoice) -> ModelDescription:
    """Describe a model: parameters, range of frequencies, duration of a run."""
    from slipstick.units.scales import frequency_scale

    model = choice.build()
    scale = frequency_scale(model.units.frequency)
    begin, end = _range(choice, model, scale.factor)
    base = model.frequency or 0.5 * (begin + end)
    return ModelDescription(
        name=model.name,
        knobs=parameters_of(choice),
        map_parameters=map_parameters(choice),
        self_excitation=self_excitation(choice, model),
        unit=choice.display_unit(scale.unit),
        scale=scale.factor,
        time_unit=choice.display_unit("s"),
        begin=begin,
        end=end,
        frequency=base,
        until=float(f"{DEFAULT_PERIODS * math.tau / base:.2g}"),
    )


def _range(choice: ModelChoice, model: Model, scale: float) -> tuple[float, float]:
    """Range of frequencies [rad/s], round in the display unit.   scale : of that unit, from rad/s."""
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
    """The response at equally spaced frequencies [rad/s]."""
    import numpy as np

    return _curve(choice, (begin, end), lambda: None, at=np.linspace(begin, end, points))


@with_page_messages
def follow_curve(
    report_progress: ReportProgress,
    choice: ModelChoice,
    begin: float,
    end: float,
    unit: str,
    scale: float,
    thorough: bool = False,
) -> CurveResult:
    """Trace the whole curve through folds, with progress.   thorough : and search for other branches."""
    reached, part = 0, 0.0

    def on_point(count: int, at: float) -> None:
        nonlocal reached, part
        reached, part = count, max(part, 0.99 * abs(at - begin) / abs(end - begin))  # a search goes back and forth
        report_progress(f"{count} points, at {scale * at:.4g} {unit}", part)

    def on_traced() -> None:
        report_progress(f"{reached} points; now their stability and special points", 1.0)

    options = {"thorough": True} if thorough else {}
    result = _curve(choice, (begin, end), on_traced, between=(begin, end), progress=on_point, **options)
    return replace(result, traced=True, thorough=thorough)


def _curve(
    choice: ModelChoice, ends: tuple[float, float], on_traced: Callable[[], None], **options: Any
) -> CurveResult:
    """A curve.   on_traced : called when it has all points; stability and special points may take as long again."""
    began, cancelled = perf_counter(), False
    try:
        curve = choice.response(**options)
        on_traced()
        len(curve)  # computes stability and special points, which may be interrupted
    except NotConverged as stopped:
        curve, cancelled = _partial_curve(stopped)  # marked as partial
        if cancelled:
            curve.stats.ended = "cancelled"
    units = choice.with_display_units(choice.build()).units
    for each in (curve, *curve.others):
        each.names = each.names._replace(units=units)
    display = curve_display(choice, curve, cancelled)
    return CurveResult(choice, ends, display, pickle.dumps((choice, curve)), perf_counter() - began)


def _partial_curve(stopped: NotConverged) -> tuple[Any, bool]:
    """The partial curve, and whether it was cancelled; its stability may be interrupted once more."""
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
def orbit_at_point(_: ReportProgress, data: bytes, point: int) -> RunResult:
    """The orbit at a point of a curve; of a first look, the motion there."""
    from slipstick.periodic.saved_curve_solver import SavedCurveSolver

    began = perf_counter()
    choice, curve, *preview = pickle.loads(data)
    if not 0 <= point < len(curve):
        raise InvalidInput(f"the points of this curve are 0 to {len(curve) - 1}, got {point}; click one of them")
    if preview:
        return preview_motion(choice, curve.points[point])
    curve.origin = SavedCurveSolver(curve, choice.build(), choice.at if choice.follows_frequency else None)
    result = curve.orbit(point)
    result.names = curve.names
    return RunResult(orbit_display(choice, result), pickle.dumps((choice, result)), perf_counter() - began, choice)


@with_page_messages
def simulate_model(
    report_progress: ReportProgress, choice: ModelChoice, base: RunBase, until: float, samples: int
) -> RunResult:
    """The run from the initial state; a cancelled or failed one up to its end.   base : frequency or speed."""
    began, cancelled = perf_counter(), False
    run_up = base if isinstance(base, RunUp) else None
    frequency = None if isinstance(base, RunUp) else base
    model = choice.with_display_units(choice.at(frequency))
    arguments = run_up.simulate_arguments() if run_up else {"frequency": frequency}
    try:
        run = model.simulate(
            until, **arguments, samples=samples, progress=lambda share: report_progress(f"{share:.0%}", share)
        )
    except NotConverged as stopped:
        if stopped.partial is None or stopped.partial.samples.time.size < 2:
            raise
        run, cancelled = stopped.partial, stopped.interrupted
    try:
        report_progress("its certificate", 1.0)
        with time_limit(CERTIFICATE_TIME_LIMIT) if cancelled else nullcontext():
            run.certificate  # noqa: B018  computed now
    except KeyboardInterrupt:  # a second cancellation; in a cancelled run the time limit
        late = CERTIFICATE_TIMEOUT_TEXT.format(CERTIFICATE_TIME_LIMIT, run.stats.reached, choice.display_unit("s"))
        run.leave_uncertified(late if cancelled else CERTIFICATE_CANCELLED_TEXT)
    with uninterrupted():
        display = run_display(choice, run, cancelled)
        if run_up:
            lines, note = order_lines(choice, run, run_up)
            display = replace(display, orders=lines, orders_note=note)
        data, seconds = pickle.dumps((choice, run, base)), perf_counter() - began
        return RunResult(display, data, seconds, choice, partial=bool(run.partial), frequency=base)


# ---- data and files


def is_first_look(data: bytes) -> bool:
    """True for the data of a curve by short runs (see `slipstick.app.respond.transient_preview`)."""
    return len(pickle.loads(data)) > 2


def result_data(choice: ModelChoice, result: Any, base: RunBase) -> bytes:
    """The data of a result for later tasks.   base : frequency or speed of a run."""
    return pickle.dumps((choice, result, *([] if base is None else [base])))


def result_file_bytes(_: ReportProgress, data: bytes, kind: str, quantity: str = "", certificate: str = "") -> bytes:
    """A result as "png", "svg", "nc" (netCDF) or "csv".

    quantity : of the figure of a curve.   certificate : in words, in tables and below pictures.
    """
    from slipstick.results.curve import Curve
    from slipstick.results.jump_map import JumpMap

    choice, result, *rest = pickle.loads(data)
    of = choice, result, None if isinstance(result, Curve) or not rest else rest[0]
    if kind == "csv":
        if isinstance(result, JumpMap):
            return jump_map_table(choice, result, rest[0], settings_text(*of), certificate)
        table = curve_table if isinstance(result, Curve) else run_table
        return table(choice, result, settings_text(*of), certificate)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"result.{kind}"
        if kind == "nc":
            result.save(path)
        else:
            _draw(result, path, quantity, settings_text(*of), (*changed_settings_text(*of), certificate))
        return path.read_bytes()


def _draw(result: Any, path: Path, quantity: str, settings: Sequence[str], caption: Sequence[str]) -> None:
    """Draw a result.   settings : metadata of the file.   caption : below the figure."""
    import matplotlib.pyplot as plt

    from slipstick.plot.curve_quantity import QUANTITY_LABELS
    from slipstick.plot.style import FILE_DPI, GREY

    keys = [key for key, words in QUANTITY_LABELS.items() if quantity.startswith(f"{words} of ")]
    figure = result.plot(quantity=keys[0]) if keys else result.plot()
    width = int(CAPTION_CHARACTERS_PER_INCH * figure.get_figwidth())
    below = fill("; ".join(filter(None, caption)), width)
    figure.text(0.01, 0.0, below, ha="left", va="top", fontsize=8, color=GREY)
    figure.savefig(path, dpi=FILE_DPI, bbox_inches="tight", metadata={"Description": "; ".join(settings)})
    plt.close(figure)
