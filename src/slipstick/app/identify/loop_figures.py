"""Plots of loops and fits, thinned for the screen."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from math import isfinite
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from slipstick.app.identify.mean_cycle import SAME_AMPLITUDE_REL, MeanCycle, band_note, mean_cycles
from slipstick.app.plotly_figures import Figure, Trace, axis, figure, line, marks
from slipstick.arrays import Array
from slipstick.identification.preparing.amplitude_levels import (
    AmplitudeLevel,
    amplitude_levels_of,
    has_curve_of_amplitudes,
)
from slipstick.plot import style
from slipstick.plot.loop_plot import axis_label, in_file_units, residual_label

if TYPE_CHECKING:
    from slipstick.identification.loop import Loop
    from slipstick.results.fit import Fit, LoopFit


MAX_POINTS = 4000  # of a figure, all loops together
MIN_POINTS_PER_LOOP = 80  # ... and of each loop at least
MAX_NAMED_LOOPS = 6  # loops with a colour and a name each; more share one
SECONDARY_HEIGHT = 250  # of a figure below another
BAND_OPACITY = 0.3
# of many loops, from small amplitudes to large ones
AMPLITUDE_COLOURS = ("#5b5ea6", style.BLUE, style.GREEN, style.AMBER, style.ACCENT)


def thinned_indices(count: int, most: int, *curves: Array) -> NDArray[np.intp]:
    """Indices of the samples to draw: most evenly spread, and the extremes of the curves.

    All samples up to ``most``. Extremes are those of equal segments, so that no peak is lost. They are the smaller
    part, as extremes alone would exaggerate noise.
    """
    if count <= most:
        return np.arange(count)
    keep = set(np.linspace(0, count - 1, max(3 * most // 4, 2)).astype(int).tolist())
    segments = max(most // (8 * len(curves)), 1)
    for a, b in pairwise(np.linspace(0, count, segments + 1).astype(int).tolist()):
        for curve in curves:
            keep |= {a + int(np.argmin(curve[a:b])), a + int(np.argmax(curve[a:b]))}
    return np.array(sorted(keep))


def drawing_note(loops: Sequence[Loop]) -> str:
    """A note that not every sample is drawn; empty if all are."""
    means = [own for loop in loops for own in mean_cycles(loop)] if len(loops) <= MAX_NAMED_LOOPS else []
    if means:
        return band_note(means)
    samples, most = sum(map(len, loops)), _each(len(loops)) * len(loops)
    if samples <= most:
        return ""
    return f"pictures show about {most} of {samples} samples, every extreme among them; all are fitted and downloaded"


def measured_figures(loops: Sequence[Loop]) -> tuple[Figure, ...]:
    """Force over deflection with reversals; for a few loops with times, deflection over time.

    A long record is drawn as its mean cycle with a band.
    """
    first = loops[0]
    u_axis, f_axis = (axis(axis_label(what, first.system, first.units)) for what in ("deflection", "force"))
    few = len(loops) <= MAX_NAMED_LOOPS
    over, turns, timed = [], [], []
    for k, loop in enumerate(loops):
        u, f = first.units.deflection.factor * loop.u, first.units.force.factor * loop.f
        keep = thinned_indices(len(loop), _each(len(loops)), u, f)
        name, colour = (loop_label(loop, loops), style.PALETTE[k % len(style.PALETTE)]) if few else ("", style.BLUE)
        if means := mean_cycles(loop) if few else []:
            over += _mean_cycle_traces(means, loop, f"{name}: " if len(loops) > 1 else "", colour)
        else:
            over.append(line(u[keep], f[keep], name, colour, width=1.2))
            reversals = loop.turning.turns[1:-1]
            turns.append((u[reversals], f[reversals]))
        if few and loop.t is not None:
            timed.append(line(loop.t[keep], u[keep], name, colour, width=1.2))
    drawn = over if few else _by_amplitude(over, loops)
    if few and any(u.size for u, _ in turns):
        x, y = (np.concatenate(part) for part in zip(*turns, strict=True))
        keep = thinned_indices(x.size, MAX_POINTS // 4, x, y)
        drawn.append(marks(x[keep], y[keep], "reversals", size=6))
    figures = [figure(drawn, u_axis, f_axis)]
    if timed:
        figures.append(figure(timed, axis("time", "s"), u_axis, showlegend=False))
    return tuple(figures)


def _by_amplitude(lines: Sequence[Trace], loops: Sequence[Loop]) -> list[Trace]:
    """Many loops in a few colours, from small amplitudes to large ones, with a legend."""
    scale = loops[0].units.deflection
    sizes = [scale.factor * loop.amplitude for loop in loops]
    groups = amplitude_groups(sizes)
    traces = []
    for k, group in enumerate(groups):
        low, high = (f"{own(sizes[i] for i in group):.3g}" for own in (min, max))
        span = f"{low} {scale.unit}" if low == high else f"{low} to {high} {scale.unit}"
        colour = AMPLITUDE_COLOURS[round(k * (len(AMPLITUDE_COLOURS) - 1) / max(len(groups) - 1, 1))]
        joined = _joined(lines[i] for i in group)
        count = f"{len(group)} loop{'s' * (len(group) != 1)}"
        traces.append(joined | {"name": f"{span.strip()}: {count}", "line": {"color": colour, "width": 1.2}})
    return traces[::-1]  # small loops are drawn above large ones


def amplitude_groups(sizes: Sequence[float]) -> list[list[int]]:
    """Indices of loops by ascending amplitude: one group for each amplitude, or equal spans if there are many."""
    order = sorted(range(len(sizes)), key=sizes.__getitem__)
    groups = [[order[0]]]
    for before, k in pairwise(order):
        groups.append([k]) if sizes[k] - sizes[before] > SAME_AMPLITUDE_REL * sizes[k] else groups[-1].append(k)
    if len(groups) <= len(AMPLITUDE_COLOURS):
        return groups
    edges = np.linspace(min(sizes), max(sizes), len(AMPLITUDE_COLOURS) + 1)[1:-1]
    places = np.searchsorted(edges, np.array(sizes)[order], side="left").tolist()
    return [[k for k, own in zip(order, places, strict=True) if own == each] for each in sorted(set(places))]


def _mean_cycle_traces(cycles: Sequence[MeanCycle], loop: Loop, name: str, colour: str) -> list[Trace]:
    """The mean of each amplitude as a line, and the bands of all as filled areas."""
    du, df = loop.units.deflection.factor, loop.units.force.factor
    areas, means = [], []
    for cycle in cycles:
        for u, low, high in zip(cycle.u, cycle.low, cycle.high, strict=True):
            x = np.concatenate([u, u[::-1]])
            areas.append(line(du * x, df * np.concatenate([high, low[::-1]]), f"{name}95 % of the cycles", colour))
        means.append(line(du * cycle.u.ravel(), df * cycle.f.ravel(), "", colour))
    count = sum(cycle.count for cycle in cycles)
    band = {"fill": "toself", "opacity": BAND_OPACITY, "line": {"width": 0}, "fillcolor": colour, "hoverinfo": "skip"}
    mean_name = f"{name}mean of {count} cycles" if len(cycles) == 1 else f"{name}means of {count} cycles"
    return [_joined(areas) | band, _joined(means) | {"name": mean_name}]


def fit_figures(fit: Fit) -> tuple[Figure, ...]:
    """Measured and fitted loops, residuals; over several amplitudes backbone and energy error."""
    loops = [in_file_units(loop, fit.units) for loop in fit.loops]
    figures = [_loops(loops, fit), _residuals_figure(loops, fit)]
    levels = amplitude_levels_of(loops)
    if not has_curve_of_amplitudes(levels):
        return tuple(figures)
    has_energy = any(isfinite(level.energy_error) for level in levels)  # not where no cycle is closed
    return *figures, _backbone(levels, fit), *([_energies(levels, fit)] if has_energy else [])


def _loops(loops: Sequence[LoopFit], fit: Fit) -> Figure:
    measured, excluded, fitted = [], [], []
    for loop in loops:
        keep = thinned_indices(loop.u.size, _each(len(loops)), loop.u, loop.f)
        kept = keep[loop.counts[keep]]
        measured.append((loop.u[kept], loop.f[kept]))
        left_out = np.flatnonzero(~loop.counts)
        left_out = left_out[thinned_indices(left_out.size, _each(len(loops)), loop.f[left_out])]
        excluded.append((loop.u[left_out], loop.f[left_out]))
        smooth = thinned_indices(loop.u.size, _each(len(loops)), loop.u, loop.fitted)
        fitted.append(line(loop.u[smooth], loop.fitted[smooth], "fitted", style.BLUE))
    traces = [_markers(measured, "measured", style.GREY, size=4, opacity=0.6)]
    if any(u.size for u, _ in excluded):
        traces.append(_markers(excluded, "left out", style.GREEN, size=5, symbol="x"))
    u_axis, f_axis = _axes(fit)
    return figure([*traces, _joined(fitted)], u_axis, f_axis)


def _residuals_figure(loops: Sequence[LoopFit], fit: Fit) -> Figure:
    parts = []
    for loop in loops:
        counts = np.flatnonzero(loop.counts)
        u, left = loop.u[counts], (loop.fitted - loop.f)[counts]
        keep = thinned_indices(u.size, _each(len(loops)), left)
        parts.append((u[keep], left[keep]))
    noise = 2.0 * fit.units.force.factor * fit.noise
    traces = [_markers(parts, "residual", style.BLUE, size=3, opacity=0.6)]
    band = {"type": "rect", "xref": "paper", "x0": 0, "x1": 1, "y0": -noise, "y1": noise, "line": {"width": 0}}
    u_axis, _ = _axes(fit)
    if noise > 0.0:  # a rectangle has no legend entry: an invisible marker stands for it
        traces.append(marks([None], [None], "noise, two deviations", style.GREY, size=10, symbol="square"))
    shapes = [band | {"fillcolor": style.GREY, "opacity": 0.25, "layer": "below"}] if noise > 0.0 else []
    return figure(traces, u_axis, axis(residual_label(fit.units)), height=SECONDARY_HEIGHT, shapes=shapes)


def _backbone(levels: Sequence[AmplitudeLevel], fit: Fit) -> Figure:
    amplitudes = [level.amplitude for level in levels]
    traces = [
        marks(amplitudes, [level.measured for level in levels], "measured", style.GREY, size=12),
        marks(amplitudes, [level.fitted for level in levels], "fitted", style.BLUE, symbol="cross", size=7),
    ]
    force = axis(f"{axis_label('force', fit.system, fit.units)} at the tips")
    return figure(traces, _amplitude_axis(fit), force, height=SECONDARY_HEIGHT)


def _energies(levels: Sequence[AmplitudeLevel], fit: Fit) -> Figure:
    errors = [100.0 * level.energy_error for level in levels]
    drawn = marks([level.amplitude for level in levels], errors, "energy error", style.BLUE)
    return figure([drawn], _amplitude_axis(fit), axis("energy error", "%"), height=SECONDARY_HEIGHT)


def _axes(fit: Fit) -> tuple[dict[str, Any], dict[str, Any]]:
    u, f = (axis(axis_label(what, fit.system, fit.units)) for what in ("deflection", "force"))
    return u, f


def _amplitude_axis(fit: Fit) -> dict[str, Any]:
    return axis(f"amplitude of the {axis_label('deflection', fit.system, fit.units)}")


def loop_label(loop: Loop, loops: Sequence[Loop]) -> str:
    """The name of a loop; without the file if all loops are of one."""
    alone = len({own.file for own in loops}) == 1 < len(loops)
    return loop.name.removeprefix(f"{loop.file} ") if alone else loop.name


def _each(loops: int) -> int:
    """Points for one loop."""
    return max(MAX_POINTS // loops, MIN_POINTS_PER_LOOP)


def _markers(parts: Sequence[tuple[Array, Array]], name: str, colour: str, **more: Any) -> Trace:
    x, y = (np.concatenate(own) for own in zip(*parts, strict=True))
    return marks(x, y, name, colour, **more)


def _joined(lines: Iterable[Trace]) -> Trace:
    """Several lines as one trace, with gaps between them."""
    first, *rest = lines
    x, y = list(first["x"]), list(first["y"])
    for own in rest:
        x += [None, *own["x"]]
        y += [None, *own["y"]]
    return first | {"x": x, "y": y}
