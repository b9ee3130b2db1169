"""Screen output of a curve: range and method, peaks, special points, error, notes."""

from __future__ import annotations

from collections import Counter
from itertools import groupby
from typing import TYPE_CHECKING, Any

import numpy as np

from slipstick.cli.console import BAD_STYLE, console, headline, show_notes, table, timing_text

if TYPE_CHECKING:
    from rich.console import Console

    from slipstick.results.curve import Curve
    from slipstick.study import Study
    from slipstick.units.axes import AxisUnit
    from slipstick.units.scales import Scale

MAX_AMPLITUDE_COLUMNS = 3  # coordinates beside a special point
# coordinates of a model whose peaks are located; with more, the largest points are shown
MAX_LOCATED_PEAKS = 6
STABILITY_LABELS = {True: "stable", False: "unstable", None: "stability not known"}
ALL_STABILITY_LABELS = {True: "all stable", False: "all unstable", None: "stability not known"}
MAX_UNSTABLE_RANGES = 6
MAX_ROWS_PER_KIND = 12  # special points; more share one row


def show_curve(study: Study, curve: Curve, seconds: float, looks: float) -> None:
    """The summary of a curve; seconds : that everything has taken.   looks : of that, stability and special points."""
    from slipstick.plot.curve_plot import parameter_scale
    from slipstick.plot.error_text import curve_error_text
    from slipstick.study.command_messages import COMMAND

    screen, stats = console(), curve.stats
    scale = parameter_scale(curve)
    over = "" if stats.parameter == "frequency" else f" over {stats.parameter}{_fixed_frequency_text(curve)}"
    headline(screen, f"{study.name}: ", f"{study.kind.title} of {curve.names.model}{over}")
    reason = f": {stats.reason}" if stats.reason else ""
    screen.print(f"by {stats.method}{reason}", soft_wrap=True)
    screen.print(f"{_counts(curve, scale)}; {timing_text(stats.seconds, seconds, looks)}", soft_wrap=True)
    if any(point.stable is False for point in curve.points):
        screen.print(f"unstable: {_unstable(curve, scale)}", soft_wrap=True)
    if curve.partial:
        headline(screen, COMMAND.message(curve.partial), "", BAD_STYLE)
    if curve.points:
        axes = _axes(curve)
        _peaks(screen, curve, axes, scale)
        _special(screen, curve, axes, scale)
        for other in curve.others:
            screen.print(f"other branch: {_counts(other, scale)}{_period_text(other)}", soft_wrap=True)
        screen.print()
        error = curve_error_text(curve)
        note = ": the largest of a displacement, estimated" if not np.isnan(curve.error) else ""
        screen.print(f"{error}{note}", soft_wrap=True)
        if curve.rough and not curve.doubt:
            headline(screen, curve.rough, "", "bold yellow")
        if curve.doubt:
            headline(screen, f"not to be trusted: {COMMAND.message(curve.doubt)}", "", BAD_STYLE)
    show_notes(screen, curve.notes)


def _period_text(curve: Curve) -> str:
    """Nothing, or ``, every 3 periods of the loads``."""
    return f", every {curve.stats.subharmonic} periods of the loads" if curve.stats.subharmonic > 1 else ""


def _counts(curve: Curve, scale: Scale) -> str:
    """``2 to 9 Hz, 75 points: 54 stable, 21 unstable``."""
    values = [point.p for point in curve.points]
    if not values:
        return "no points"
    ends = f"{scale.factor * min(values):.6g} to {scale.words(max(values))}"
    known = [point.stable for point in curve.points]
    each = [f"{known.count(key)} {word}" for key, word in STABILITY_LABELS.items() if key in known]
    counts = f": {', '.join(each)}" if len(each) > 1 else f", {ALL_STABILITY_LABELS[known[0]]}"
    closed = ", closed" if curve.stats.closed else ""
    count = f"{len(values)} point{'' if len(values) == 1 else 's'}"
    return f"{ends}, {count}{closed}{counts}"


def _unstable(curve: Curve, scale: Scale) -> str:
    """The ranges in which the curve is unstable, in order along it: ``5.9 to 6.4 Hz, 8 Hz``.

    They reach to the folds and other special points at their ends, which are on the edge.
    """
    words, points = [], curve.points
    edges = {s["point"] for s in curve.special if s["kind"] != "grazing"}
    for unstable, part in groupby(range(len(points)), key=lambda k: points[k].stable is False):
        if unstable:
            within = list(part)
            ends = {within[0] - 1, within[-1] + 1} & edges
            values = [scale.factor * points[k].p for k in (*within, *ends)]
            low, high = f"{min(values):.6g}", f"{max(values):.6g}"
            words.append(low if low == high else f"{low} to {high}")
    more = f" and {len(words) - MAX_UNSTABLE_RANGES} more ranges" if len(words) > MAX_UNSTABLE_RANGES else ""
    return f"{', '.join(words[:MAX_UNSTABLE_RANGES])} {scale.unit}".rstrip() + more


def _fixed_frequency_text(curve: Curve) -> str:
    """The frequency of a curve that is followed over something else."""
    from slipstick.units.scales import frequency_scale

    if not curve.points:
        return ""
    return f" at {frequency_scale(curve.names.units.frequency).words(curve.points[0].frequency)}"


def _frequency_head(scale: Scale) -> str:
    return f"at [{scale.unit}]" if scale.unit else "at"


def _axes(curve: Curve) -> list[AxisUnit]:
    from slipstick.units.axes import column_axes

    names = curve.names
    return column_axes(names.units.coordinates, names.coordinates, range(len(names.coordinates))).each


def _peaks(screen: Console, curve: Curve, axes: list[AxisUnit], scale: Scale) -> None:
    """The largest amplitude of each coordinate, and where it is."""
    rows, ends = list[tuple[str, ...]](), (curve.points[0].p, curve.points[-1].p)
    for i, (name, axis) in enumerate(zip(curve.names.coordinates, axes, strict=True)):
        if len(axes) <= MAX_LOCATED_PEAKS:
            point = curve.peak(name).point
        else:
            point = max(curve.points, key=lambda each: np.nan_to_num(each.amplitude[i]))
        words = ", unstable" if point.stable is False else ""
        if point.p in ends and not curve.stats.closed:
            words += ", at the end of the curve"
        peak = f"{axis.factor * point.amplitude[i]:.6g} {axis.unit}{words}"
        rows.append((name, f"{scale.factor * point.p:.6g}", peak))
        if point.stable is False:
            rows += _largest_stable(curve, i, axis, scale)
    screen.print()
    screen.print(table(("coordinate", _frequency_head(scale), "largest amplitude"), rows, numbers=2))


def _largest_stable(curve: Curve, i: int, axis: AxisUnit, scale: Scale) -> list[tuple[str, ...]]:
    """A row for the largest amplitude that a machine would show, where the largest of all is unstable."""
    stable = [point for point in curve.points if point.stable]
    if not stable:
        return [("", "", "no stable one on this curve")]
    point = max(stable, key=lambda each: np.nan_to_num(each.amplitude[i]))
    words = f"{axis.factor * point.amplitude[i]:.6g} {axis.unit}, the largest stable one"
    return [("", f"{scale.factor * point.p:.6g}", words)]


def _special(screen: Console, curve: Curve, axes: list[AxisUnit], scale: Scale) -> None:
    """The special points in order along the curve, with the amplitudes of the coordinates that move most."""
    from slipstick.results.curve_text import format_special_place

    if not curve.special:
        return
    amplitudes = np.array([point.amplitude for point in curve.points])
    largest = np.argsort(-np.nan_to_num(amplitudes).max(axis=0), kind="stable")[:MAX_AMPLITUDE_COLUMNS]
    shown = sorted(int(i) for i in largest)
    heads = (
        "special point",
        _frequency_head(scale),
        *(f"{curve.names.coordinates[i]} [{axes[i].unit}]" for i in shown),
    )
    kinds = [s["kind"] for s in curve.special]
    rows: list[tuple[str, ...]] = []
    for s in curve.special:
        if kinds.count(s["kind"]) <= MAX_ROWS_PER_KIND:
            figures = (f"{axes[i].factor * amplitudes[s['point'], i]:.6g}" for i in shown)
            rows.append((_kind(s), format_special_place(s, scale), *figures))
    for kind in dict.fromkeys(kinds):
        if kinds.count(kind) > MAX_ROWS_PER_KIND:
            rows.append(_summary_row(kind, [s for s in curve.special if s["kind"] == kind], scale, len(shown)))
    screen.print()
    screen.print(table(heads, _merge_equal_rows(rows), numbers=len(heads) - 1))
    leaving = [kind for kind in ("branch-point", "period-doubling") if kind in kinds]
    if leaving:
        words = " and ".join(f"{kind}s" for kind in leaving)
        screen.print(
            f"other branches leave at {words}: curve.switch(special) in Python follows one, or start: an orbit on it",
            soft_wrap=True,
        )


def _kind(special: dict[str, Any]) -> str:
    """The kind of a special point; for a graze with its connection."""
    return f"{special['kind']} of {special['connection']}" if special.get("connection") else str(special["kind"])


def _merge_equal_rows(rows: list[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """Those that look the same, such as both contacts of a symmetric gap that open at once, as one row."""
    return [row if count == 1 else (f"{count} x {row[0]}", *row[1:]) for row, count in Counter(rows).items()]


def _summary_row(kind: str, special: list[dict[str, Any]], scale: Scale, columns: int) -> tuple[str, ...]:
    """One row for many points of a kind."""
    places = [scale.factor * s["parameter"] for s in special]
    of = ", ".join(dict.fromkeys(s["connection"] for s in special if s.get("connection")))
    return (
        f"{len(special)} x {kind}{f' of {of}' if of else ''}",
        f"{min(places):.6g} to {max(places):.6g}",
        *[""] * columns,
    )
