"""Results as plain lists in the units of their axes, with texts, for the page."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from slipstick.app.certificate_verdict import Verdict
from slipstick.app.model_choice import ModelChoice
from slipstick.app.respond.page_messages import RESPOND
from slipstick.errors import Message

if TYPE_CHECKING:
    from slipstick.results.curve import Curve
    from slipstick.results.orbit import Orbit
    from slipstick.results.run import Run

QUANTITIES = ("amplitude", "rms", "mean", "phase", "force_range", "dissipated", "stick_share")
MAX_LOCATED_PEAKS = 6  # coordinates whose peaks are located
MIN_LOCATED_POINTS = 100  # of a curve at given frequencies; a preview with fewer has to be quick
MAX_LINE_POINTS = 3000  # of a line
SHARP_PEAK_REL = 0.9  # of a peak: with lower neighbours the true peak may lie between points
MAX_STATE_SPANS = 1500  # of a band
MAX_HISTORIES, MAX_LOOPS, MAX_BANDS = 6, 6, 8
STABILITY_LABELS = {True: "stable", False: "unstable", None: "stability not known"}


@dataclass(frozen=True)
class DisplayLine:
    """A named line: quantity, unit and values; x and its unit if it has its own."""

    name: str
    what: str
    unit: str
    y: list[float]
    x: list[float] = field(default_factory=list)
    x_unit: str = ""


@dataclass(frozen=True)
class CertificateText:
    """The certificate of a result.   lines : below the verdict.
    kind : "unknown" if a part is not known or the error is not small."""

    verdict: str
    kind: Verdict
    lines: tuple[str, ...] = ()

    @property
    def passed(self) -> bool:
        return self.kind == "passed"


class PeakRow(NamedTuple):
    """The largest amplitude of a coordinate, in `unit`, and its frequency.   rms : the largest along the curve.

    located : between the points of the curve, or an end of it; else the largest of the points.
    sharp : the neighbours of the largest point are so much lower that the true peak may lie between them.
    """

    name: str
    at: float
    size: float
    unit: str
    rms: float
    stable: bool | None
    located: bool = True
    sharp: bool = False

    @property
    def size_text(self) -> str:
        """The amplitude, with the digits that are known."""
        return f"{self.size:.6g}" if self.located else f"about {self.size:.3g}"

    @property
    def at_text(self) -> str:
        """Its frequency, with the digits that are known."""
        return f"{self.at:.6g}" if self.located else f"about {self.at:.3g}"


@dataclass(frozen=True)
class CurveDisplay:
    """A response over frequency.

    frequency : in `unit`.   parts : stability and indices of its points.   special : kind and index.
    places : of special points, with the digits that their errors leave.
    span : requested range.   jumps : points behind which no line is drawn.
    panels : by quantity and name ("amplitude of u1").   peaks : one a coordinate.
    others : branches that are not connected to it, without peaks.
    """

    model: str
    frequency: list[float]
    unit: str
    parts: list[tuple[bool | None, list[int]]]
    special: list[tuple[str, int]]
    places: list[str]
    panels: dict[str, DisplayLine]
    peaks: list[PeakRow]
    certificate: CertificateText
    joined: bool
    span: tuple[float, float]
    jumps: tuple[int, ...] = ()
    others: tuple[CurveDisplay, ...] = ()


@dataclass(frozen=True)
class RunDisplay:
    """A motion over time, or over a period.   bands : by connection, begin, end, state.

    ended : where and why a motion ended early.   bands_note : on bands that begin later than the motion.
    orders : of a run-up, amplitudes over speed.   orders_note : why there are none.
    """

    model: str
    summary: str
    time_unit: str
    histories: list[DisplayLine]
    loops: list[DisplayLine]
    bands: dict[str, list[tuple[float, float, str]]]
    figures: list[tuple[str, str]]
    certificate: CertificateText
    multipliers: list[tuple[float, float]] = field(default_factory=list)
    ended: str = ""
    bands_note: str = ""
    orders: list[DisplayLine] = field(default_factory=list)
    orders_note: str = ""


# ---- curves


def curve_display(choice: ModelChoice, curve: Curve, cancelled: bool = False) -> CurveDisplay:
    """A curve as the page shows it.   cancelled : the user ended its computation."""
    from slipstick.plot.curve_plot import parameter_scale
    from slipstick.results.curve_text import format_special_place

    scale = parameter_scale(curve)
    return CurveDisplay(
        model=curve.names.model,
        frequency=[scale.factor * point.p for point in curve.points],
        unit=choice.display_unit(scale.unit),
        parts=[(stable, part.tolist()) for stable, part in curve.parts()] or [(curve.points[0].stable, [0])],
        special=[(_kind(each), int(each["point"])) for each in curve.special],
        places=[format_special_place(each, scale) for each in curve.special],
        panels=curve_panels(curve),
        peaks=_peaks(curve, scale.factor, cancelled),
        certificate=_curve_certificate(curve, cancelled),
        joined=curve.stats.joined,
        jumps=_jumps(curve),
        span=(scale.factor * curve.stats.begin, scale.factor * curve.stats.end),
        others=tuple(replace(curve_display(choice, each, cancelled=True), peaks=[]) for each in curve.others),
    )


def _jumps(curve: Curve) -> tuple[int, ...]:
    """Indices of separate points behind which the response jumps to another branch."""
    from slipstick.plot.branch_jumps import branch_jumps

    return () if curve.stats.joined else tuple(branch_jumps(curve).tolist())


def _kind(special: dict[str, Any]) -> str:
    return f"{special['kind']} of {special['connection']}" if special.get("connection") else str(special["kind"])


def curve_panels(curve: Curve) -> dict[str, DisplayLine]:
    """Every quantity of every coordinate and connection along a curve, by name ("amplitude of u1")."""
    import numpy as np

    from slipstick.plot.curve_quantity import COORDINATE_QUANTITIES, QUANTITY_LABELS, CurveQuantity

    panels = {}
    for quantity in QUANTITIES:
        names = curve.names.coordinates if quantity in COORDINATE_QUANTITIES else curve.names.connections
        for panel in CurveQuantity(quantity, list(range(len(names))), "").panels(curve):
            if np.isnan(panel.values).all():  # no element can stick
                continue
            what = QUANTITY_LABELS[quantity]
            panels[f"{what} of {panel.name}"] = DisplayLine(panel.name, what, panel.unit, panel.values.tolist())
    return panels


def _peaks(curve: Curve, factor: float, cancelled: bool) -> list[PeakRow]:
    """The largest amplitude of every coordinate; of traced and full curves located between the points."""
    from slipstick.units.axes import column_axes

    names = curve.names.coordinates
    axes = column_axes(curve.names.units.coordinates, names, range(len(names))).each
    # after a cancellation the user does not wait for more
    fine = curve.stats.joined or len(curve.points) >= MIN_LOCATED_POINTS
    locate = fine and len(names) <= MAX_LOCATED_PEAKS and not cancelled
    ends = (curve.points[0], curve.points[-1])
    peaks = []
    for i, (name, axis) in enumerate(zip(names, axes, strict=True)):
        peak = curve.peak(name) if locate else None
        point = peak.point if peak else max(curve.points, key=lambda each: float(each.amplitude[i]))
        located = bool(peak and peak.located) or any(point is end for end in ends)
        rms = max(float(each.rms[i]) for each in (*curve.points, point))
        sizes = axis.factor * float(point.amplitude[i]), axis.unit, axis.factor * rms
        sharp = not located and _is_sharp_peak([float(each.amplitude[i]) for each in curve.points])
        peaks.append(PeakRow(name, factor * point.p, *sizes, point.stable, located, sharp))
    return peaks


def _is_sharp_peak(sizes: Sequence[float]) -> bool:
    top = max(range(len(sizes)), key=sizes.__getitem__)
    beside = [sizes[k] for k in (top - 1, top + 1) if 0 <= k < len(sizes)]
    return bool(beside) and min(beside) < SHARP_PEAK_REL * sizes[top]


def _curve_certificate(curve: Curve, cancelled: bool) -> CertificateText:
    from slipstick.plot.error_text import curve_error_text

    counts = {word: sum(point.stable is kind for point in curve.points) for kind, word in STABILITY_LABELS.items()}
    summary = ", ".join(f"{count} {word}" for word, count in counts.items() if count)
    unknown = sum(point.stable is None or math.isnan(point.error) for point in curve.points)
    kind: Verdict = "unknown" if unknown or curve.partial or curve.rough else "passed"
    begin = "incomplete: " if curve.partial else ""
    if unknown:
        begin = f"{unknown} of {len(curve.points)} points not known: "
    if curve.doubt or (curve.partial and not cancelled):
        kind, begin = "failed", "not to be trusted: "
    known = ", the largest of a displacement along the curve, estimated" if math.isfinite(curve.error) else ""
    head, points = f"{begin}{curve_error_text(curve)}{known}", "point" if len(curve.points) == 1 else "points"
    made = f"by {curve.stats.method}; {len(curve.points)} {points}: {summary}"
    lines = [curve.partial, made, curve.rough, curve.doubt, *curve.notes]
    return CertificateText(head, kind, tuple(RESPOND.message(line) for line in lines if line))


# ---- runs and orbits


def run_display(choice: ModelChoice, run: Run, cancelled: bool = False) -> RunDisplay:
    """A motion as the page shows it: the largest histories, thinned with their extremes.

    cancelled : the user ended it early.
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
        histories.append(DisplayLine(row.name, row.what, row.unit, x.tolist(), t.tolist(), choice.display_unit("s")))
    what, counts = run.summary
    bands = _bands(run, reading)
    return RunDisplay(
        model=names.model,
        summary=f"{what}; {counts}".replace(" s, ", f" {choice.display_unit('s')}, ", 1),
        time_unit=choice.display_unit("s"),
        histories=histories,
        loops=_loops(run, reading.last),
        bands=bands,
        bands_note=_bands_note(choice, bands, float(s.time[0])),
        figures=[("events", str(run.stats.events if run.stats.events is not None else "not located"))],
        certificate=_run_certificate(run),
        ended=_end_note(choice, run, cancelled),
    )


def orbit_display(choice: ModelChoice, orbit: Orbit) -> RunDisplay:
    """An orbit as the page shows it, with its multipliers."""
    from dataclasses import replace

    from slipstick.units.scales import frequency_scale

    scale = frequency_scale(orbit.names.units.frequency)
    place = f"{scale.factor * orbit.frequency:.6g} {choice.display_unit(scale.unit)}"
    period = f"{orbit.period:.6g} {choice.display_unit('s')}"
    multipliers = sorted(((m.real, m.imag) for m in orbit.multipliers.tolist()), key=lambda m: -math.hypot(*m))
    display = run_display(choice, orbit)
    figures = [("frequency", place), ("period", period), ("stability", orbit.stability), *display.figures]
    return replace(display, summary=f"orbit at {place}", figures=figures, multipliers=multipliers)


def _loops(run: Run, last: Any) -> list[DisplayLine]:
    """Force over deflection, thinned, with all points at which a state changes: the corners."""
    import numpy as np

    from slipstick.plot.run_plot import select_columns
    from slipstick.units.axes import column_axes

    names = run.names
    sizes = np.ptp(np.nan_to_num(last.deflection), axis=0) * np.ptp(np.nan_to_num(last.force), axis=0)
    chosen = select_columns("connection", names.connections, None, sizes, MAX_LOOPS) if last.time.size else []
    loops = []
    for j, axis in zip(chosen, column_axes(names.units.connections, names.connections, chosen).each, strict=True):
        drawn = np.zeros(last.time.size, dtype=bool)
        drawn[:: 1 + last.time.size // MAX_LINE_POINTS] = drawn[-1] = True
        changed = np.flatnonzero(last.state[1:, j] != last.state[:-1, j])[:MAX_LINE_POINTS]
        drawn[changed] = drawn[changed + 1] = True
        u, f = axis.factor * last.deflection[drawn, j], last.force[drawn, j]
        loops.append(DisplayLine(names.connections[j], "force", axis.force, f.tolist(), u.tolist(), axis.unit))
    return loops


def _bands(run: Run, reading: Any) -> dict[str, list[tuple[float, float, str]]]:
    from slipstick.plot.state_bands import state_spans

    bands: dict[str, list[tuple[float, float, str]]] = {}
    for j, name in enumerate(run.names.connections):
        spans = state_spans(run, reading, j)
        if spans is None or spans.words == [""] or len(bands) == MAX_BANDS:
            continue
        edges = spans.edges.tolist()
        rows = [(a, b, spans.words[k]) for a, b, k in zip(edges, edges[1:], spans.state.tolist(), strict=False)]
        bands[name] = rows[-MAX_STATE_SPANS:]  # the last ones are steady
    return bands


def _bands_note(choice: ModelChoice, bands: Mapping[str, Sequence[tuple[float, float, str]]], begin: float) -> str:
    """A note that only the last states are shown, if there are too many; else empty."""
    begins = [f"{name} from {rows[0][0]:.6g} {choice.display_unit('s')}" for name, rows in bands.items()
            if rows and rows[0][0] > begin]  # fmt: skip
    words = f"only the last {MAX_STATE_SPANS} states are drawn; zoom in to separate them:"
    return f"{words} {', '.join(begins)} on" if begins else ""


def _end_note(choice: ModelChoice, run: Run, cancelled: bool) -> str:
    stats, unit = run.stats, choice.display_unit("s")
    if not stats.ended:
        return ""
    place = f"t = {stats.reached:.6g} {unit}, of {stats.until:.6g} {unit} requested"
    why = "cancelled" if cancelled else "ended"
    return f"{why} at {place}{'' if cancelled else f' ({RESPOND.message(stats.ended)})'}; what was reached is shown"


def _run_certificate(run: Run) -> CertificateText:
    from slipstick.plot.error_text import error_text

    c = run.certificate
    lines = list(c.reasons)
    if math.isfinite(c.error):
        lines.append(f"error <= {error_text(c, run.names)}, the largest of a displacement, estimated")
    if not c.is_none:
        lines.append(f"energy residual {c.energy_residual:.2g} of the energy exchanged, at most {c.tolerance:.2g}")
    lines += [Message.of(note).wrapped("note: ") for note in c.notes]
    kind: Verdict = "passed" if c.passed else ("failed" if c.outcome == "FAILED" else "unknown")
    return CertificateText(f"certificate {c.outcome}", kind, tuple(RESPOND.message(line) for line in lines if line))
