"""Results as plain lists in the units of their axes, with texts, for the page."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from slipstick.app.model_choice import ModelChoice
from slipstick.app.respond.display_units import display_unit
from slipstick.app.respond.page_messages import RESPOND
from slipstick.errors import Message

if TYPE_CHECKING:
    from slipstick.app.widgets import Verdict
    from slipstick.results.curve import Curve
    from slipstick.results.orbit import Orbit
    from slipstick.results.run import Run

QUANTITIES = ("amplitude", "rms", "mean", "phase", "force_range", "dissipated", "stick_share")
MAX_LOCATED_PEAKS = 6  # coordinates of a model whose peaks are solved for
MAX_LINE_POINTS = 3000  # points of a line on the page
SHARP_PEAK_REL = 0.9  # of a peak: points beside it that are lower may have missed its tip
MAX_STATE_SPANS = 1500  # of a band on the page
MAX_HISTORIES, MAX_LOOPS, MAX_BANDS = 6, 6, 8
STABILITY_LABELS = {True: "stable", False: "unstable", None: "stability not known"}


@dataclass(frozen=True)
class DisplayLine:
    """A named line: what it is, its unit, its values; x and its unit where it has places of its own."""

    name: str
    what: str
    unit: str
    y: list[float]
    x: list[float] = field(default_factory=list)
    x_unit: str = ""


@dataclass(frozen=True)
class CertificateText:
    """What a result says about its own error.   lines : below the verdict.
    kind : "unknown" where a part of it is not known, or its error is not small."""

    verdict: str
    kind: Verdict
    lines: tuple[str, ...] = ()

    @property
    def passed(self) -> bool:
        return self.kind == "passed"


class PeakRow(NamedTuple):
    """The largest amplitude of a coordinate, in `unit`, and where it is.   rms : the largest along the curve.

    sharp : it is one of some points, and those beside it are so much lower that the tip may be higher between them.
    """

    name: str
    at: float
    size: float
    unit: str
    rms: float
    stable: bool | None
    sharp: bool = False


@dataclass(frozen=True)
class CurveDisplay:
    """A response over frequency.

    frequency : in `unit`.   parts : stability and numbers of the points that have it.   special : kind and number.
    places : of special points, with the digits that their errors leave.
    span : of frequencies that was asked for.   jumps : points behind which no line is drawn.
    panels : by quantity and name ("amplitude of u1").   peaks : one of each coordinate.
    """

    model: str
    frequency: list[float]
    unit: str
    parts: list[tuple[bool | None, list[int]]]
    special: list[tuple[str, int]]
    places: list[str]
    panels: dict[str, DisplayLine]
    peaks: list[PeakRow]
    word: CertificateText
    joined: bool
    span: tuple[float, float]
    jumps: tuple[int, ...] = ()


@dataclass(frozen=True)
class RunDisplay:
    """A motion over time, or over a period.   bands : by connection, begin, end, state.

    ended : where and why, of a motion that did not come to its end.   late : from when on its bands are, if not all.
    """

    model: str
    told: str
    time_unit: str
    histories: list[DisplayLine]
    loops: list[DisplayLine]
    bands: dict[str, list[tuple[float, float, str]]]
    figures: list[tuple[str, str]]
    word: CertificateText
    multipliers: list[tuple[float, float]] = field(default_factory=list)
    ended: str = ""
    late: str = ""


# ---- curves


def curve_display(choice: ModelChoice, curve: Curve, cancelled: bool = False) -> CurveDisplay:
    """Everything a page shows of a curve.   cancelled : it was not computed to its end, though nothing failed."""
    from slipstick.plot.curve_plot import parameter_scale
    from slipstick.results.curve import format_special_place

    scale = parameter_scale(curve)
    return CurveDisplay(
        model=curve.names.model,
        frequency=[scale.factor * point.p for point in curve.points],
        unit=display_unit(choice, scale.unit),
        parts=[(stable, part.tolist()) for stable, part in curve.parts()] or [(curve.points[0].stable, [0])],
        special=[(_kind(each), int(each["point"])) for each in curve.special],
        places=[format_special_place(each, scale) for each in curve.special],
        panels=curve_panels(choice, curve),
        peaks=_peaks(choice, curve, scale.factor, cancelled),
        word=_curve_certificate(curve, cancelled),
        joined=curve.stats.joined,
        jumps=_jumps(curve),
        span=(scale.factor * curve.stats.begin, scale.factor * curve.stats.end),
    )


def _jumps(curve: Curve) -> tuple[int, ...]:
    """Numbers of separate points behind which the response jumps to another branch."""
    from slipstick.plot.branch_jumps import branch_jumps

    return () if curve.stats.joined else tuple(branch_jumps(curve).tolist())


def _kind(special: dict[str, Any]) -> str:
    return f"{special['kind']} of {special['connection']}" if special.get("connection") else str(special["kind"])


def curve_panels(choice: ModelChoice, curve: Curve) -> dict[str, DisplayLine]:
    """Every quantity of every coordinate and connection along a curve, by its words ("amplitude of u1")."""
    import numpy as np

    from slipstick.plot.curve_quantity import COORDINATE_QUANTITIES, QUANTITY_LABELS, CurveQuantity

    found = {}
    for quantity in QUANTITIES:
        names = curve.names.coordinates if quantity in COORDINATE_QUANTITIES else curve.names.connections
        for panel in CurveQuantity(quantity, list(range(len(names))), "").panels(curve):
            if np.isnan(panel.values).all():  # nothing there can stick
                continue
            what = QUANTITY_LABELS[quantity]
            unit = display_unit(choice, panel.unit)
            found[f"{what} of {panel.name}"] = DisplayLine(panel.name, what, unit, panel.values.tolist())
    return found


def _peaks(choice: ModelChoice, curve: Curve, factor: float, cancelled: bool) -> list[PeakRow]:
    """The largest amplitude of every coordinate; located between the points where the curve was followed."""
    from slipstick.plot.axis_units import column_axes

    names = curve.names.coordinates
    axes = column_axes(curve.names.units.coordinates, names, range(len(names))).each
    # whoever cancelled it does not wait for more
    locate = curve.stats.joined and len(names) <= MAX_LOCATED_PEAKS and not cancelled
    found = []
    for i, (name, axis) in enumerate(zip(names, axes, strict=True)):
        point = curve.peak(name).point if locate else max(curve.points, key=lambda each: float(each.amplitude[i]))
        rms = max(float(each.rms[i]) for each in (*curve.points, point))
        sizes = axis.factor * float(point.amplitude[i]), display_unit(choice, axis.unit), axis.factor * rms
        sharp = not locate and _is_sharp_peak([float(each.amplitude[i]) for each in curve.points])
        found.append(PeakRow(name, factor * point.p, *sizes, point.stable, sharp))
    return found


def _is_sharp_peak(sizes: Sequence[float]) -> bool:
    top = max(range(len(sizes)), key=sizes.__getitem__)
    beside = [sizes[k] for k in (top - 1, top + 1) if 0 <= k < len(sizes)]
    return bool(beside) and min(beside) < SHARP_PEAK_REL * sizes[top]


def _curve_certificate(curve: Curve, cancelled: bool) -> CertificateText:
    from slipstick.plot.axis_units import curve_error_text

    counts = {word: sum(point.stable is kind for point in curve.points) for kind, word in STABILITY_LABELS.items()}
    told = ", ".join(f"{count} {word}" for word, count in counts.items() if count)
    unknown = sum(point.stable is None or math.isnan(point.error) for point in curve.points)
    kind: Verdict = "unknown" if unknown or curve.partial or curve.rough else "passed"
    begin = "incomplete: " if curve.partial else ""
    if unknown:
        begin = f"{unknown} of {len(curve.points)} points not known: "
    if curve.doubt or (curve.partial and not cancelled):
        kind, begin = "failed", "not to be trusted: "
    known = ", the largest of a displacement along the curve, estimated" if math.isfinite(curve.error) else ""
    head, points = f"{begin}{curve_error_text(curve)}{known}", "point" if len(curve.points) == 1 else "points"
    made = f"by {curve.stats.method}; {len(curve.points)} {points}: {told}"
    lines = [curve.partial, made, curve.rough, curve.doubt, *curve.notes]
    return CertificateText(head, kind, tuple(RESPOND.message(line) for line in lines if line))


# ---- runs and orbits


def run_display(choice: ModelChoice, run: Run, cancelled: bool = False) -> RunDisplay:
    """Everything a page shows of a motion: what moves most, as lines that keep their extremes.

    cancelled : somebody ended it before its end.
    """
    import numpy as np

    from slipstick.plot.run_plot import select_columns
    from slipstick.plot.run_sampling import sample_run
    from slipstick.plot.time_histories import history_panels, thinned_history

    reading, names = sample_run(run, None, None), run.names
    s = reading.whole
    sizes = np.ptp(np.nan_to_num(s.displacement), axis=0)
    moving = select_columns("coordinate", names.coordinates, None, sizes, MAX_HISTORIES)
    histories = []
    for row in history_panels(names, reading, moving, None):
        t, x = thinned_history(s.time, row.x, MAX_LINE_POINTS)
        unit = display_unit(choice, row.unit)
        histories.append(DisplayLine(row.name, row.what, unit, x.tolist(), t.tolist(), display_unit(choice, "s")))
    what, counts = run.summary
    bands = _bands(run, reading)
    return RunDisplay(
        model=names.model,
        told=f"{what}; {counts}".replace(" s, ", f" {display_unit(choice, 's')}, ", 1),
        time_unit=display_unit(choice, "s"),
        histories=histories,
        loops=_loops(choice, run, reading.last),
        bands=bands,
        late=_bands_note(choice, bands, float(s.time[0])),
        figures=[("events", str(run.stats.events if run.stats.events is not None else "not located"))],
        word=_run_certificate(choice, run),
        ended=_end_note(choice, run, cancelled),
    )


def orbit_display(choice: ModelChoice, orbit: Orbit) -> RunDisplay:
    """The same of a period, with its multipliers."""
    from dataclasses import replace

    from slipstick.units.scales import frequency_scale

    scale = frequency_scale(orbit.names.units.frequency)
    place = f"{scale.factor * orbit.frequency:.6g} {display_unit(choice, scale.unit)}"
    period = f"{orbit.period:.6g} {display_unit(choice, 's')}"
    listed = sorted(((m.real, m.imag) for m in orbit.multipliers.tolist()), key=lambda m: -math.hypot(*m))
    found = run_display(choice, orbit)
    figures = [("frequency", place), ("period", period), ("stability", orbit.stability), *found.figures]
    return replace(found, told=f"orbit at {place}", figures=figures, multipliers=listed)


def _loops(choice: ModelChoice, run: Run, last: Any) -> list[DisplayLine]:
    """Force over deflection; of many points some, and all at which a state changes: there are the corners."""
    import numpy as np

    from slipstick.plot.axis_units import column_axes
    from slipstick.plot.run_plot import select_columns

    names = run.names
    sizes = np.ptp(np.nan_to_num(last.deflection), axis=0) * np.ptp(np.nan_to_num(last.force), axis=0)
    chosen = select_columns("connection", names.connections, None, sizes, MAX_LOOPS) if last.time.size else []
    found = []
    for j, axis in zip(chosen, column_axes(names.units.connections, names.connections, chosen).each, strict=True):
        kept = np.zeros(last.time.size, dtype=bool)
        kept[:: 1 + last.time.size // MAX_LINE_POINTS] = kept[-1] = True
        changed = np.flatnonzero(last.state[1:, j] != last.state[:-1, j])[:MAX_LINE_POINTS]
        kept[changed] = kept[changed + 1] = True
        u, f = axis.factor * last.deflection[kept, j], last.force[kept, j]
        units = display_unit(choice, axis.force), display_unit(choice, axis.unit)
        found.append(DisplayLine(names.connections[j], "force", units[0], f.tolist(), u.tolist(), units[1]))
    return found


def _bands(run: Run, reading: Any) -> dict[str, list[tuple[float, float, str]]]:
    from slipstick.plot.state_bands import state_spans

    found: dict[str, list[tuple[float, float, str]]] = {}
    for j, name in enumerate(run.names.connections):
        spans = state_spans(run, reading, j)
        if spans is None or spans.words == [""] or len(found) == MAX_BANDS:
            continue
        edges = spans.edges.tolist()
        rows = [(a, b, spans.words[k]) for a, b, k in zip(edges, edges[1:], spans.state.tolist(), strict=False)]
        found[name] = rows[-MAX_STATE_SPANS:]  # the last ones are steady
    return found


def _bands_note(choice: ModelChoice, bands: Mapping[str, Sequence[tuple[float, float, str]]], begin: float) -> str:
    """That states are shown of the last part only, where there are too many of them."""
    late = [f"{name} from {rows[0][0]:.6g} {display_unit(choice, 's')}" for name, rows in bands.items()
            if rows and rows[0][0] > begin]  # fmt: skip
    words = f"of so many states the last {MAX_STATE_SPANS} are drawn, side by side only where one zooms in:"
    return f"{words} {', '.join(late)} on" if late else ""


def _end_note(choice: ModelChoice, run: Run, cancelled: bool) -> str:
    stats, unit = run.stats, display_unit(choice, "s")
    if not stats.ended:
        return ""
    place = f"t = {stats.reached:.6g} {unit}, of {stats.until:.6g} {unit} that were asked for"
    why = "cancelled" if cancelled else "ended"
    return f"{why} at {place}{'' if cancelled else f' ({RESPOND.message(stats.ended)})'}; what was reached is shown"


def _run_certificate(choice: ModelChoice, run: Run) -> CertificateText:
    from slipstick.plot.axis_units import error_text

    c = run.certificate
    lines = list(c.reasons)
    if math.isfinite(c.error):
        size = error_text(c, run.names).replace("m or rad", display_unit(choice, "m or rad"))
        lines.append(f"error <= {size}, the largest of a displacement, estimated")
    if not c.is_none:
        lines.append(f"energy residual {c.energy_residual:.2g} of the energy exchanged, at most {c.tolerance:.2g}")
    lines += [Message.of(note).wrapped("note: ") for note in c.notes]
    kind: Verdict = "passed" if c.passed else ("failed" if c.outcome == "FAILED" else "unknown")
    return CertificateText(f"certificate {c.outcome}", kind, tuple(RESPOND.message(line) for line in lines if line))
