"""A jump map for the page: folds in the plane of frequency and a parameter; tasks for worker processes."""

from __future__ import annotations

import math
import pickle
from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING, Any

from slipstick.app import plotly_figures
from slipstick.app.certificate_verdict import Verdict
from slipstick.app.model_choice import ModelChoice
from slipstick.app.plotly_figures import Figure, Trace
from slipstick.app.respond.display_data import CertificateText
from slipstick.app.respond.model_parameters import ModelParameter, unranged_parameters
from slipstick.app.respond.page_messages import RESPOND, with_page_messages
from slipstick.app.task_worker import ReportProgress
from slipstick.errors import InvalidInput
from slipstick.plot import style

if TYPE_CHECKING:
    from slipstick.api import Model
    from slipstick.results.jump_map import JumpLimit, JumpMap

DEFAULT_RANGE_FACTORS = (0.2, 2.0)  # times the present value
DEFAULT_NAME_ENDING = ".amplitude"  # of a load
SMALL_ERROR_REL = 1e-2  # of the limit: a larger error is not small
FOLLOWS_FREQUENCY_TEXT = (
    "the damper of this system is tuned to each frequency, and a jump map keeps all numbers but one; choose another "
    "law, or take the model with these numbers to the page Model"
)
REGION_COLOUR, UNKNOWN_COLOUR = "rgba(91, 143, 176, 0.30)", "rgba(201, 139, 43, 0.25)"


@dataclass(frozen=True)
class MapRequest:
    """parameter : by name, from low to high.   begin, end : frequencies. All in the units of the page.

    levels : how many values folds are looked for at.   thorough : other branches are searched, too.
    """

    parameter: str
    low: float
    high: float
    begin: float
    end: float
    levels: int = 5
    thorough: bool = False

    def text(self, unit: str) -> str:
        """The request in words.   unit : of frequencies."""
        how = ", other branches too" if self.thorough else ""
        ends = f"{self.low:g} to {self.high:g} over {self.begin:g} to {self.end:g} {unit}"
        return f"jumps of {self.parameter} {ends}, {self.levels} values{how}"


@dataclass(frozen=True)
class MapDisplay:
    """A jump map in the units of the page.

    curves : of folds: frequencies, values, and whether they enclose several motions.   limits : frequency, value, text.
    unknown : ranges of the parameter.   notes : a line each.
    """

    model: str
    request: MapRequest
    unit: str
    frequency_unit: str
    curves: tuple[tuple[list[float], list[float], bool], ...]
    limits: tuple[tuple[float, float, str], ...]
    unknown: tuple[tuple[float, float], ...]
    certificate: CertificateText


@dataclass(frozen=True)
class MapResult:
    """A jump map for the page, like `slipstick.app.respond.response_results.CurveResult`."""

    choice: ModelChoice
    request: MapRequest
    display: MapDisplay
    data: bytes
    seconds: float
    warnings: tuple[str, ...] = ()


def map_parameters(choice: ModelChoice) -> list[ModelParameter]:
    """The numbers of a model that a map can vary; of a system those of its model, not its keywords."""
    if not choice.system:
        return unranged_parameters(choice)
    from slipstick.model.named_parameter import parameter_names, parameter_of
    from slipstick.model.named_parameter_unit import parameter_unit

    model = choice.build()
    values = {name: parameter_of(model, name).value for name in parameter_names(model)}
    return [ModelParameter(name, parameter_unit(model, name), own, own) for name, own in values.items()]


def default_parameter(parameters: list[ModelParameter]) -> ModelParameter:
    """The amplitude of a load, or the first number there is."""
    return next(
        (own for own in parameters if own.name.endswith(DEFAULT_NAME_ENDING)), (parameters or [ModelParameter("")])[0]
    )


def default_range(parameter: ModelParameter) -> tuple[float, float]:
    """A range about the present value, in its unit."""
    value = parameter.value or 1.0
    low, high = sorted(float(f"{factor * value:.3g}") for factor in DEFAULT_RANGE_FACTORS)
    return low, high


@with_page_messages
def make_map(report_progress: ReportProgress, choice: ModelChoice, request: MapRequest) -> MapResult:
    """The jump map of a model, with progress."""
    from slipstick.units.scales import frequency_scale

    began, model = perf_counter(), choice.build()
    if choice.follows_frequency:
        raise InvalidInput(FOLLOWS_FREQUENCY_TEXT)
    parameter = parameter_named(choice, request.parameter)
    scale = frequency_scale(model.units.frequency).factor
    values, passes = 0, _passes(model, request.begin / scale)

    def on_value(points: int, value: float) -> None:
        nonlocal values
        values += 1
        share = min(values / (passes * request.levels), 0.99)
        report_progress(f"{points} points; folds at {request.parameter} {value / parameter.in_si(1.0):.4g}", share)

    found = model.jump_map(
        request.parameter,
        (parameter.in_si(request.low), parameter.in_si(request.high)),
        (request.begin / scale, request.end / scale),
        levels=request.levels,
        thorough=request.thorough,
        progress=on_value,
    )
    display = map_display(choice, found, request)
    return MapResult(choice, request, display, pickle.dumps((choice, found, request)), perf_counter() - began)


def _passes(model: Model, frequency: float) -> int:
    """How often folds are looked for: twice by harmonic balance, for errors by more harmonics."""
    from slipstick.periodic.methods import is_exact
    from slipstick.transient.problem import pose

    return 1 if is_exact(pose(model, 0.0, frequency)) else 2


def parameter_named(choice: ModelChoice, name: str) -> ModelParameter:
    """A number of the model that a map varies."""
    own = next((each for each in map_parameters(choice) if each.name == name), None)
    if own is None:
        raise InvalidInput(f"the model has no number {name} any more; choose another parameter")
    return own


# ---- display


def map_display(choice: ModelChoice, found: JumpMap, request: MapRequest) -> MapDisplay:
    """A jump map as the page shows it."""
    from slipstick.units.scales import frequency_scale

    model, parameter = choice.build(), parameter_named(choice, request.parameter)
    scale, factor = frequency_scale(model.units.frequency), 1.0 / parameter.in_si(1.0)
    unit, frequency_unit = choice.display_unit(parameter.unit), choice.display_unit(scale.unit)
    curves = tuple(
        (
            [scale.factor * p.frequency for p in curve.points],
            [factor * p.second for p in curve.points],
            curve.points[0].second == curve.points[-1].second,  # both folds up to one end of the range
        )
        for curve in found.curves
    )
    limits = tuple((scale.factor * own.frequency, factor * own.value, own.kind) for own in found.limits)
    unknown = tuple((factor * low, factor * high) for low, high in found.unknown)
    words = _Words(request.parameter, factor, unit, f"{scale.factor:.17g}", frequency_unit)
    certificate = CertificateText(
        *words.verdict(found), tuple(RESPOND.message(line) for line in (*words.ranges(found), *found.notes))
    )
    return MapDisplay(found.model, request, unit, frequency_unit, curves, limits, unknown, certificate)


@dataclass(frozen=True)
class _Words:
    """Sentences about a map.   factor, unit : of the parameter.   scale, frequency_unit : of frequencies."""

    parameter: str
    factor: float
    unit: str
    scale: str
    frequency_unit: str

    def verdict(self, found: JumpMap) -> tuple[str, Verdict]:
        """The largest value without a jump, with its error, and whether it is known."""
        limit, low = found.largest_without_jump, min(found.between)
        at_lowest = [(a, b) for a, b in found.unknown if a == low]
        if at_lowest:
            return f"UNKNOWN: folds could not be followed for {self.span(*at_lowest[0])}", "unknown"
        if limit is None:
            if any(least == low for least, _ in found.jump_free):
                return f"no jump found for {self.span(*found.between)}", "unknown" if found.unknown else "passed"
            return f"jumps begin at or below {self.value(low)}; lower the range", "passed"
        if limit.kind == "unknown":
            return f"no jump found up to {self.value(limit.value)}; UNKNOWN beyond it", "unknown"
        return self._limit(limit), self._kind(found, limit)

    def _limit(self, limit: JumpLimit) -> str:
        error = f"± {self.factor * limit.error:.1g}" if math.isfinite(limit.error) else "with an error not known"
        return f"largest {self.parameter} without a jump: {self.factor * limit.value:.6g} {error} {self.unit}".rstrip()

    @staticmethod
    def _kind(found: JumpMap, limit: JumpLimit) -> Verdict:
        small = limit.error <= SMALL_ERROR_REL * abs(limit.value)  # false for NaN
        return "passed" if small and not found.unknown else "unknown"

    def ranges(self, found: JumpMap) -> list[str]:
        """Lines on all ranges and limits."""
        lines = [f"no jump found for {self.span(*own)}" for own in found.jump_free]
        lines += [f"UNKNOWN for {self.span(*own)}" for own in found.unknown]
        for own in found.limits:
            if own.kind != "unknown":
                place = f"{float(self.scale) * own.frequency:.6g} {self.frequency_unit}".rstrip()
                lines.append(f"{own.kind} at {self.value(own.value)}, {place}")
        return lines

    def value(self, value: float) -> str:
        return f"{self.parameter} {self.factor * value:.6g} {self.unit}".rstrip()

    def span(self, low: float, high: float) -> str:
        return f"{self.parameter} {self.factor * low:.6g} to {self.factor * high:.6g} {self.unit}".rstrip()


def map_figure(display: MapDisplay) -> Figure:
    """Regions of several motions, folds, limits, and ranges in which folds are unknown."""
    request, traces = display.request, list[Trace]()
    ends = sorted((request.begin, request.end))
    for k, (low, high) in enumerate(display.unknown):
        x, y = [*ends, *reversed(ends)], [low, low, high, high]
        how = {"fill": "toself", "fillcolor": UNKNOWN_COLOUR, "hoverinfo": "skip", "showlegend": not k, "width": 0}
        traces.append(plotly_figures.line(x, y, "unknown", style.AMBER, **how))
    for k, (x, y, closed) in enumerate(display.curves):
        if closed:
            fill = {"fill": "toself", "fillcolor": REGION_COLOUR, "hoverinfo": "skip", "width": 0}
            traces.append(plotly_figures.line(x, y, "several motions", style.BLUE, showlegend=not k, **fill))
        hover = f"%{{x:.5g}} {display.frequency_unit}<br>%{{y:.6g}} {display.unit}<extra>fold</extra>"
        traces.append(plotly_figures.line(x, y, "fold", style.BLUE, hovertemplate=hover, showlegend=not k))
    if display.limits:
        x, y, kinds = (list(own) for own in zip(*display.limits, strict=True))
        hover = f"%{{text}}<br>%{{x:.5g}} {display.frequency_unit}<br>%{{y:.6g}} {display.unit}<extra>limit</extra>"
        marks = plotly_figures.marks(x, y, "limit", style.ACCENT, symbol="diamond", size=9, hovertemplate=hover)
        traces.append(marks | {"text": kinds})
    margin = 0.03 * (request.high - request.low)
    axes = (
        plotly_figures.axis("frequency", display.frequency_unit, range=ends),
        plotly_figures.axis(
            request.parameter, display.unit, range=[request.low - margin, request.high + margin], hoverformat=".6g"
        ),
    )
    more: dict[str, Any] = {"annotations": [_centred_text("no folds in this range")]} if not traces else {}
    return plotly_figures.figure(traces, *axes, height=400, uirevision=repr(request), **more)


def _centred_text(text: str) -> dict[str, Any]:
    return {"text": text, "x": 0.5, "y": 0.5, "xref": "paper", "yref": "paper", "showarrow": False}
