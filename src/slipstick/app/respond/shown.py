"""What the page shows of results: plain lists in the units of their axes, and words. Made where results are."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from slipstick.app.choice import Choice
from slipstick.app.respond.units import shown_unit
from slipstick.app.respond.words import advice_on_page, as_cancelled

if TYPE_CHECKING:
    from slipstick.app.parts import Verdict
    from slipstick.results.curve import Curve
    from slipstick.results.orbit import Orbit
    from slipstick.results.run import Run

QUANTITIES = ("amplitude", "rms", "mean", "phase", "force_range", "dissipated", "stick_share")
MOST_LOCATED = 6  # coordinates of a model whose peaks are solved for
MOST_IN_LINE = 3000  # points of a line on the page
STEEP = 0.9  # of a peak: points beside it that are lower may have missed its tip
MOST_SPANS = 1500  # of a band on the page
MOST_HISTORIES, MOST_LOOPS, MOST_BANDS = 6, 6, 8
STABLE = {True: "stable", False: "unstable", None: "stability not known"}


@dataclass(frozen=True)
class Line:
    """A named line: what it is, its unit, its values; x and its unit where it has places of its own."""

    name: str
    what: str
    unit: str
    y: list[float]
    x: list[float] = field(default_factory=list)
    x_unit: str = ""


@dataclass(frozen=True)
class Word:
    """What a result says about its own error.   lines : below the verdict.
    kind : "unknown" where a part of it is not known, or its error is not small."""

    verdict: str
    kind: Verdict
    lines: tuple[str, ...] = ()

    @property
    def passed(self) -> bool:
        return self.kind == "passed"


class Peak(NamedTuple):
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
class CurveShown:
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
    panels: dict[str, Line]
    peaks: list[Peak]
    word: Word
    joined: bool
    span: tuple[float, float]
    jumps: tuple[int, ...] = ()


@dataclass(frozen=True)
class RunShown:
    """A motion over time, or over a period.   bands : by connection, begin, end, state.

    ended : where and why, of a motion that did not come to its end.   late : from when on its bands are, if not all.
    """

    model: str
    told: str
    time_unit: str
    histories: list[Line]
    loops: list[Line]
    bands: dict[str, list[tuple[float, float, str]]]
    figures: list[tuple[str, str]]
    word: Word
    multipliers: list[tuple[float, float]] = field(default_factory=list)
    ended: str = ""
    late: str = ""


# ---- curves


def shown_curve(choice: Choice, curve: Curve, cancelled: bool = False) -> CurveShown:
    """Everything a page shows of a curve.   cancelled : it was not computed to its end, though nothing failed."""
    from slipstick.plot.curve import parameter_scale
    from slipstick.results.curve import special_place

    scale = parameter_scale(curve)
    return CurveShown(
        model=curve.names.model,
        frequency=[scale.factor * point.p for point in curve.points],
        unit=shown_unit(choice, scale.unit),
        parts=[(stable, part.tolist()) for stable, part in curve.parts()] or [(curve.points[0].stable, [0])],
        special=[(_kind(each), int(each["point"])) for each in curve.special],
        places=[special_place(each, scale) for each in curve.special],
        panels=shown_panels(choice, curve),
        peaks=_peaks(choice, curve, scale.factor, cancelled),
        word=_curve_word(curve, cancelled),
        joined=curve.stats.joined,
        jumps=_jumps(curve),
        span=(scale.factor * curve.stats.begin, scale.factor * curve.stats.end),
    )


def _jumps(curve: Curve) -> tuple[int, ...]:
    """Numbers of separate points behind which the response jumps to another branch."""
    from slipstick.plot.jumps import jumps

    return () if curve.stats.joined else tuple(jumps(curve).tolist())


def _kind(special: dict[str, Any]) -> str:
    return f"{special['kind']} of {special['connection']}" if special.get("connection") else str(special["kind"])


def shown_panels(choice: Choice, curve: Curve) -> dict[str, Line]:
    """Every quantity of every coordinate and connection along a curve, by its words ("amplitude of u1")."""
    import numpy as np

    from slipstick.plot.quantity import MOVED, WORDS, Quantity

    found = {}
    for quantity in QUANTITIES:
        names = curve.names.coordinates if quantity in MOVED else curve.names.connections
        for panel in Quantity(quantity, list(range(len(names))), "").panels(curve):
            if np.isnan(panel.values).all():  # nothing there can stick
                continue
            what = WORDS[quantity]
            unit = shown_unit(choice, panel.unit)
            found[f"{what} of {panel.name}"] = Line(panel.name, what, unit, panel.values.tolist())
    return found


def _peaks(choice: Choice, curve: Curve, factor: float, cancelled: bool) -> list[Peak]:
    """The largest amplitude of every coordinate; located between the points where the curve was followed."""
    from slipstick.plot.units import axes_of

    names = curve.names.coordinates
    axes = axes_of(curve.names.units.coordinates, names, range(len(names))).each
    # whoever cancelled it does not wait for more
    locate = curve.stats.joined and len(names) <= MOST_LOCATED and not cancelled
    found = []
    for i, (name, axis) in enumerate(zip(names, axes, strict=True)):
        point = curve.peak(name).point if locate else max(curve.points, key=lambda each: float(each.amplitude[i]))
        rms = max(float(each.rms[i]) for each in (*curve.points, point))
        sizes = axis.factor * float(point.amplitude[i]), shown_unit(choice, axis.unit), axis.factor * rms
        sharp = not locate and _is_sharp([float(each.amplitude[i]) for each in curve.points])
        found.append(Peak(name, factor * point.p, *sizes, point.stable, sharp))
    return found


def _is_sharp(sizes: Sequence[float]) -> bool:
    top = max(range(len(sizes)), key=sizes.__getitem__)
    beside = [sizes[k] for k in (top - 1, top + 1) if 0 <= k < len(sizes)]
    return bool(beside) and min(beside) < STEEP * sizes[top]


def _curve_word(curve: Curve, cancelled: bool) -> Word:
    from slipstick.plot.units import error_of_curve

    counts = {word: sum(point.stable is kind for point in curve.points) for kind, word in STABLE.items()}
    told = ", ".join(f"{count} {word}" for word, count in counts.items() if count)
    unknown = sum(point.stable is None or math.isnan(point.error) for point in curve.points)
    kind: Verdict = "unknown" if unknown or curve.partial or curve.rough else "passed"
    begin = "incomplete: " if curve.partial else ""
    if unknown:
        begin = f"{unknown} of {len(curve.points)} points not known: "
    if curve.doubt or (curve.partial and not cancelled):
        kind, begin = "failed", "not to be trusted: "
    known = ", the largest of a displacement along the curve, estimated" if math.isfinite(curve.error) else ""
    head, points = f"{begin}{error_of_curve(curve)}{known}", "point" if len(curve.points) == 1 else "points"
    made = f"by {curve.stats.method}; {len(curve.points)} {points}: {told}"
    part = as_cancelled(curve.partial) if cancelled else curve.partial
    lines = [part, made, curve.rough, curve.doubt, *curve.notes]
    return Word(head, kind, tuple(advice_on_page(line) for line in lines if line))


# ---- runs and orbits


def shown_run(choice: Choice, run: Run, cancelled: bool = False) -> RunShown:
    """Everything a page shows of a motion: what moves most, as lines that keep their extremes.

    cancelled : somebody ended it before its end.
    """
    import numpy as np

    from slipstick.plot.histories import rows_of, thinned
    from slipstick.plot.reading import read
    from slipstick.plot.run import columns

    reading, names = read(run, None, None), run.names
    s = reading.whole
    sizes = np.ptp(np.nan_to_num(s.displacement), axis=0)
    moving = columns("coordinate", names.coordinates, None, sizes, MOST_HISTORIES)
    histories = []
    for row in rows_of(names, reading, moving, None):
        t, x = thinned(s.time, row.x, MOST_IN_LINE)
        unit = shown_unit(choice, row.unit)
        histories.append(Line(row.name, row.what, unit, x.tolist(), t.tolist(), shown_unit(choice, "s")))
    what, counts = run.summary
    bands = _bands(run, reading)
    return RunShown(
        model=names.model,
        told=f"{what}; {counts}".replace(" s, ", f" {shown_unit(choice, 's')}, ", 1),
        time_unit=shown_unit(choice, "s"),
        histories=histories,
        loops=_loops(choice, run, reading.last),
        bands=bands,
        late=_bands_begin(choice, bands, float(s.time[0])),
        figures=[("events", str(run.stats.events if run.stats.events is not None else "not located"))],
        word=_run_word(choice, run),
        ended=_ended(choice, run, cancelled),
    )


def shown_orbit(choice: Choice, orbit: Orbit) -> RunShown:
    """The same of a period, with its multipliers."""
    from dataclasses import replace

    from slipstick.results.units import frequency_scale

    scale = frequency_scale(orbit.names.units.frequency)
    place = f"{scale.factor * orbit.frequency:.6g} {shown_unit(choice, scale.unit)}"
    period = f"{orbit.period:.6g} {shown_unit(choice, 's')}"
    listed = sorted(((m.real, m.imag) for m in orbit.multipliers.tolist()), key=lambda m: -math.hypot(*m))
    found = shown_run(choice, orbit)
    figures = [("frequency", place), ("period", period), ("stability", orbit.stability), *found.figures]
    return replace(found, told=f"orbit at {place}", figures=figures, multipliers=listed)


def _loops(choice: Choice, run: Run, last: Any) -> list[Line]:
    """Force over deflection; of many points some, and all at which a state changes: there are the corners."""
    import numpy as np

    from slipstick.plot.run import columns
    from slipstick.plot.units import axes_of

    names = run.names
    sizes = np.ptp(np.nan_to_num(last.deflection), axis=0) * np.ptp(np.nan_to_num(last.force), axis=0)
    chosen = columns("connection", names.connections, None, sizes, MOST_LOOPS) if last.time.size else []
    found = []
    for j, axis in zip(chosen, axes_of(names.units.connections, names.connections, chosen).each, strict=True):
        kept = np.zeros(last.time.size, dtype=bool)
        kept[:: 1 + last.time.size // MOST_IN_LINE] = kept[-1] = True
        changed = np.flatnonzero(last.state[1:, j] != last.state[:-1, j])[:MOST_IN_LINE]
        kept[changed] = kept[changed + 1] = True
        u, f = axis.factor * last.deflection[kept, j], last.force[kept, j]
        units = shown_unit(choice, axis.force), shown_unit(choice, axis.unit)
        found.append(Line(names.connections[j], "force", units[0], f.tolist(), u.tolist(), units[1]))
    return found


def _bands(run: Run, reading: Any) -> dict[str, list[tuple[float, float, str]]]:
    from slipstick.plot.bands import spans_of

    found: dict[str, list[tuple[float, float, str]]] = {}
    for j, name in enumerate(run.names.connections):
        spans = spans_of(run, reading, j)
        if spans is None or spans.words == [""] or len(found) == MOST_BANDS:
            continue
        edges = spans.edges.tolist()
        rows = [(a, b, spans.words[k]) for a, b, k in zip(edges, edges[1:], spans.state.tolist(), strict=False)]
        found[name] = rows[-MOST_SPANS:]  # the last ones are steady
    return found


def _bands_begin(choice: Choice, bands: Mapping[str, Sequence[tuple[float, float, str]]], begin: float) -> str:
    """That states are shown of the last part only, where there are too many of them."""
    late = [f"{name} from {rows[0][0]:.6g} {shown_unit(choice, 's')}" for name, rows in bands.items()
            if rows and rows[0][0] > begin]  # fmt: skip
    words = f"of so many states the last {MOST_SPANS} are drawn, side by side only where one zooms in:"
    return f"{words} {', '.join(late)} on" if late else ""


def _ended(choice: Choice, run: Run, cancelled: bool) -> str:
    stats, unit = run.stats, shown_unit(choice, "s")
    if not stats.ended:
        return ""
    place = f"t = {stats.reached:.6g} {unit}, of {stats.until:.6g} {unit} that were asked for"
    why = "cancelled" if cancelled else "ended"
    return f"{why} at {place}{'' if cancelled else f' ({advice_on_page(stats.ended)})'}; what was reached is shown"


def _run_word(choice: Choice, run: Run) -> Word:
    from slipstick.plot.units import error_words

    c = run.certificate
    lines = list(c.reasons)
    if math.isfinite(c.error):
        size = error_words(c, run.names).replace("m or rad", shown_unit(choice, "m or rad"))
        lines.append(f"error <= {size}, the largest of a displacement, estimated")
    if not c.is_none:
        lines.append(f"energy residual {c.energy_residual:.2g} of the energy exchanged, at most {c.tolerance:.2g}")
    lines += [f"note: {note}" for note in c.notes]
    kind: Verdict = "passed" if c.passed else ("failed" if c.outcome == "FAILED" else "unknown")
    return Word(f"certificate {c.outcome}", kind, tuple(advice_on_page(line) for line in lines if line))
