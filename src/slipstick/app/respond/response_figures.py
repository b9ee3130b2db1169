"""Plotly figures of the page Respond; kept settings are dashed below, each in its colour."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from slipstick.app import plotly_figures
from slipstick.app.plotly_figures import Figure, Trace
from slipstick.app.respond.display_data import STABILITY_LABELS, CurveDisplay, DisplayLine, RunDisplay
from slipstick.app.respond.kept_settings import KeptCurve, KeptRun
from slipstick.plot import style
from slipstick.plot.state_bands import FALLBACK_COLOURS, STATE_COLOURS

DASHES = {True: "", False: "dash", None: "dot"}
SPECIAL_MARKERS = {
    "fold": ("circle-open", style.ACCENT),
    "period-doubling": ("diamond-open", "#6b5b95"),
    "neimark-sacker": ("star-open", "#c98b2b"),
    "branch-point": ("square-open", style.GREEN),
    "grazing": ("line-ns-open", style.GREY),
}
SELECTED_COLOUR = "#c98b2b"
STICK_COLOUR = "#5b7285"  # visible on a dark background
HISTORY_HEIGHT, BAND_HEIGHT = 180, 34  # pixels
PANEL_SPACING = 0.06
MIN_STATE_WIDTH = 0.5  # pixels on both sides
MAX_LABELS = 6  # folds with a label each
ORDER_DASHES = ("dash", "dot", "dashdot", "longdash")


def curve_figure(
    display: CurveDisplay,
    key: str,
    kept: Sequence[KeptCurve],
    log: bool,
    selected: int | None = None,
    preview: CurveDisplay | None = None,
) -> Figure:
    """A quantity over frequency: stable parts solid, unstable ones dashed, special points marked.

    kept : curves of kept settings.   selected : index of the point whose orbit is shown.
    preview : points of the first look.
    """
    line = display.panels[key]
    traces: list[Trace] = []
    others = [branch for branch in display.others if key in branch.panels]
    for k, branch in enumerate(others):
        traces += [_other_branch(branch, key, stable, showlegend=not k) for stable in _kinds(branch)]
    for name, colour, other in kept:
        if key in other.panels:
            below = _line_with_gaps(other, other.panels[key], STABILITY_LABELS, other.jumps)
            hover = f"%{{x:.5g}} {other.unit}<br>%{{y:.6g}} {other.panels[key].unit}<extra>{name}</extra>"
            traces.append(plotly_figures.line(*below[:2], name, colour, dash="dash", width=1.5, hovertemplate=hover))
    if preview is not None and key in preview.panels:
        traces.append(plotly_figures.marks(preview.frequency, preview.panels[key].y, "first look", style.GREY, size=5))
    kinds = _kinds(display)
    traces += [] if display.joined else [_interpolated_trace(display, line, stable) for stable in kinds]
    traces += [_stability_trace(display, line, stable) for stable in kinds]
    for kind in dict.fromkeys(kind for kind, _ in display.special):
        traces.append(_marks(display, line, kind))
    traces += _peak_labels(display, line)
    if selected is not None:
        ring = {"symbol": "circle-open-dot", "size": 14, "hoverinfo": "skip"}
        traces.append(
            plotly_figures.marks(
                [display.frequency[selected]], [line.y[selected]], "shown orbit", SELECTED_COLOUR, **ring
            )
        )
    least = min(min(each.panels[key].y) for each in (display, *others))
    scale: dict[str, Any] = {"type": "log"} if log else {"rangemode": "tozero" if least >= 0.0 else "normal"}
    x, y = (
        plotly_figures.axis("frequency", display.unit, **_requested_range(display)),
        plotly_figures.axis(key, line.unit, **scale),
    )
    return plotly_figures.figure(traces, x, y, height=400)


def _requested_range(display: CurveDisplay) -> dict[str, Any]:
    """The requested range, if the curve does not fill it yet."""
    (begin, end), reached = sorted(display.span), display.frequency
    margin = 0.02 * (end - begin)
    filled = min(reached) <= begin + margin and max(reached) >= end - margin
    if filled:
        return {"autorange": True}  # always set: plotly keeps the last range otherwise
    return {"autorange": False, "range": [min(begin, *reached) - margin, max(end, *reached) + margin]}


def _stability_trace(display: CurveDisplay, line: DisplayLine, stable: bool | None) -> Trace:
    """All parts of one stability as a line with gaps; separate points as markers."""
    x, y, numbers = _line_with_gaps(display, line, (stable,), ())
    hover = f"%{{x:.5g}} {display.unit}<br>%{{y:.6g}} {line.unit}<extra>{STABILITY_LABELS[stable]}</extra>"
    mode = {"mode": "lines" if display.joined else "markers", "marker": {"size": 5}, "customdata": numbers}
    return plotly_figures.line(
        x, y, STABILITY_LABELS[stable], _colour(stable), dash=DASHES[stable], hovertemplate=hover, **mode
    )


def _kinds(display: CurveDisplay) -> list[bool | None]:
    """The stabilities that a curve has."""
    return [stable for stable in STABILITY_LABELS if any(kind is stable for kind, _ in display.parts)]


def _other_branch(display: CurveDisplay, key: str, stable: bool | None, showlegend: bool) -> Trace:
    """The parts of one stability of a branch that is not connected to the curve; its points have no orbits here."""
    line = display.panels[key]
    x, y, _ = _line_with_gaps(display, line, (stable,), ())
    name = f"other branch, {STABILITY_LABELS[stable]}"
    hover = f"%{{x:.5g}} {display.unit}<br>%{{y:.6g}} {line.unit}<extra>{name}</extra>"
    return plotly_figures.line(x, y, name, style.GREEN, dash=DASHES[stable], hovertemplate=hover, showlegend=showlegend)


def _interpolated_trace(display: CurveDisplay, line: DisplayLine, stable: bool | None) -> Trace:
    """The line through separate points, with gaps where the response jumps."""
    x, y, _ = _line_with_gaps(display, line, (stable,), display.jumps)
    how = {"hoverinfo": "skip", "showlegend": False, "dash": DASHES[stable]}
    return plotly_figures.line(x, y, f"through what is {STABILITY_LABELS[stable]}", _colour(stable), **how)


def _colour(stable: bool | None) -> str:
    return style.ACCENT if stable is False else style.BLUE


def _line_with_gaps(
    display: CurveDisplay, line: DisplayLine, kinds: Collection[bool | None], jumps: Collection[int]
) -> tuple[list[Any], list[Any], list[Any]]:
    """Frequencies, values and indices of points of some stabilities, with gaps between parts and behind jumps."""
    numbers: list[int | None] = []
    for kind, part in display.parts:
        if kind in kinds:
            broken = [each for k in part for each in ((k, None) if k in jumps else (k,))]
            numbers += [None, *broken] if numbers else broken
    x, y = ([None if k is None else values[k] for k in numbers] for values in (display.frequency, line.y))
    return x, y, numbers


def _marks(display: CurveDisplay, line: DisplayLine, kind: str) -> Trace:
    at = [k for own, k in display.special if own == kind]
    symbol, colour = SPECIAL_MARKERS.get(kind.partition(" of ")[0], ("x", style.INK))
    x, y = ([values[k] for k in at] for values in (display.frequency, line.y))
    hover = f"%{{x:.5g}} {display.unit}<br>%{{y:.6g}} {line.unit}<extra>{kind}</extra>"
    label: dict[str, Any] = {"mode": "markers+text", "text": [kind] * len(at), "textposition": "bottom center"}
    how = label if kind == "fold" and len(at) <= MAX_LABELS else {}
    return plotly_figures.marks(x, y, kind, colour, symbol=symbol, size=10, customdata=at, hovertemplate=hover, **how)


def _peak_labels(display: CurveDisplay, line: DisplayLine) -> list[Trace]:
    """The peak of the amplitude that is shown, with its value and frequency."""
    peak = next((own for own in display.peaks if own.name == line.name and line.what == "amplitude"), None)
    if peak is None:
        return []
    text = f"{peak.size_text} {peak.unit} at {peak.at_text} {display.unit}"
    how: dict[str, Any] = {
        "mode": "text",
        "text": [text],
        "textposition": "top center",
        "showlegend": False,
        "hoverinfo": "skip",
    }
    return [plotly_figures.marks([peak.at], [peak.size], "peak", cliponaxis=False, **how)]


def time_figure(display: RunDisplay, kept: Sequence[KeptRun] = ()) -> Figure:
    """Histories, and states of connections as bands, over one time axis."""
    bands = list(display.bands)
    heights = [HISTORY_HEIGHT] * len(display.histories) + ([BAND_HEIGHT * (len(bands) + 1)] if bands else [])
    whole, traces, axes = float(sum(heights)) or 1.0, list[Trace](), dict[str, Any]()
    top = 1.0
    for k, height in enumerate(heights):
        domain = [max(top - height / whole + PANEL_SPACING, 0.0) if k + 1 < len(heights) else 0.0, top]
        top -= height / whole
        name = "y" if k == 0 else f"y{k + 1}"
        if k < len(display.histories):
            line = display.histories[k]
            for own in kept:
                same = [each for each in own.display.histories if (each.name, each.what) == (line.name, line.what)]
                how = {"dash": "dash", "width": 1.2, "showlegend": k == 0}
                traces += [_history(each, name, own.name, own.colour, **how) for each in same]
            traces.append(_history(line, name, "now", style.BLUE, showlegend=bool(kept) and k == 0))
            what = line.name if line.what == "displacement" else f"{line.name}, {line.what}"
            axes[f"yaxis{name[1:]}"] = plotly_figures.axis(what, line.unit, domain=domain)
        else:
            traces += _states(display, name)
            axes[f"yaxis{name[1:]}"] = {"domain": domain, "automargin": True, "autorange": "reversed", "ticks": ""}
    x = plotly_figures.axis("time", display.time_unit, anchor=f"y{len(heights)}" if len(heights) > 1 else "y")
    if display.histories and display.histories[0].x:
        x["range"] = [display.histories[0].x[0], display.histories[0].x[-1]]
    layout = {"barmode": "overlay", "bargap": 0.25, "showlegend": bool(bands or kept)}
    return plotly_figures.figure(
        traces, x, axes.pop("yaxis", plotly_figures.axis("")), height=sum(heights) + 90, **axes, **layout
    )


def _history(line: DisplayLine, axis: str, name: str, colour: str, **more: Any) -> Trace:
    hover = f"%{{x:.5g}} {line.x_unit}<br>%{{y:.6g}} {line.unit}<extra>{line.name}</extra>"
    return plotly_figures.line(line.x, line.y, name, colour, yaxis=axis, hovertemplate=hover, **{"width": 1.6, **more})


def _states(display: RunDisplay, axis: str) -> list[Trace]:
    """A bar for every span, a colour for every state; brief states are drawn above others, at least a line wide."""
    words = sorted({word for spans in display.bands.values() for *_, word in spans if word})
    held = {
        word: [(name, a, b) for name, spans in display.bands.items() for a, b, state in spans if state == word]
        for word in words
    }
    traces = []
    for word in sorted(words, key=lambda word: -sum(b - a for _, a, b in held[word]) / len(held[word])):
        own, k = held[word], words.index(word)
        colour = (
            STICK_COLOUR if word == "stick" else STATE_COLOURS.get(word, FALLBACK_COLOURS[k % len(FALLBACK_COLOURS)])
        )
        traces.append(
            {
                "type": "bar",
                "orientation": "h",
                "name": word,
                "y": [name for name, _, _ in own],
                "base": [a for _, a, _ in own],
                "x": [b - a for _, a, b in own],
                "marker": {"color": colour, "line": {"width": MIN_STATE_WIDTH, "color": colour}},
                "yaxis": axis,
                "hovertemplate": f"%{{y}}: {word}<br>from %{{base:.5g}} {display.time_unit}<extra></extra>",
            }
        )
    return traces


def order_figure(lines: Sequence[DisplayLine], kept: Sequence[KeptRun] = ()) -> Figure:
    """Amplitudes of the orders of one coordinate over speed."""
    traces = []
    for name, colour, other in kept:
        same = [line for line in other.orders if line.name == lines[0].name]
        for k, line in enumerate(same):
            dash = ORDER_DASHES[k % len(ORDER_DASHES)]
            traces.append(plotly_figures.line(line.x, line.y, f"{name}, {line.what}", colour, dash=dash))
    for k, line in enumerate(lines):
        hover = f"%{{x:.5g}} {line.x_unit}<br>%{{y:.6g}} {line.unit}<extra>{line.what}</extra>"
        colour = style.PALETTE[k % len(style.PALETTE)]
        traces.append(plotly_figures.line(line.x, line.y, line.what, colour, hovertemplate=hover, width=1.6))
    x = plotly_figures.axis("speed", lines[0].x_unit)
    y = plotly_figures.axis(f"{lines[0].name}, amplitude", lines[0].unit, rangemode="tozero")
    return plotly_figures.figure(traces, x, y, height=320, showlegend=True)


def loop_figure(line: DisplayLine, kept: Sequence[KeptRun] = ()) -> Figure:
    """Force over deflection."""
    traces = []
    for name, colour, other in kept:
        same = [each for each in other.loops if each.name == line.name]
        traces += [plotly_figures.line(each.x, each.y, name, colour, dash="dash", width=1.2) for each in same]
    traces.append(plotly_figures.line(line.x, line.y, "now", width=1.4))
    x, y = plotly_figures.axis(f"{line.name}: deflection", line.x_unit), plotly_figures.axis("force", line.unit)
    return plotly_figures.figure(traces, x, y, height=280)
