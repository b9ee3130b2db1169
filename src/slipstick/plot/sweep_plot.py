"""Figure of a sweep: a line over one axis, a family of lines or a map over two, a scatter plot of random points."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from slipstick.errors import Advice, InvalidInput, Spelling, short_repr
from slipstick.name_hints import did_you_mean
from slipstick.plot import tolerances as tol
from slipstick.plot.style import ACCENT, BLUE, house_style, without_mathtext
from slipstick.results.sweep_units import axis_label, in_shown_units

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from slipstick.results.sweep import Sweep

MAX_NAMED_LINES = 8  # of a family in a legend; more have a colour bar
MAX_FAMILY_LINES = 24  # more values are drawn as a map
COLOUR_MAP = "viridis"


def plot_sweep(sweep: Sweep, figure: str | None, x: str | None, by: str | None, log: bool) -> Figure:
    """See `slipstick.results.sweep.Sweep.plot`."""
    import matplotlib.pyplot as plt

    sweep = _without_formulas(in_shown_units(sweep))
    name = _figure_of(sweep, figure)
    axes_of = _axes_of(sweep, name)
    across = _across(sweep, axes_of, x, by)
    _refuse_axis(by, axes_of)
    others = [axis for axis in axes_of if sweep[axis].dims != sweep[across].dims]
    colour = by or next(iter(others), None)
    if others and by is not None and by not in others:
        raise InvalidInput(f"{by} and {across} belong to the same points; draw over one, by one of {', '.join(others)}")
    with house_style():
        drawn, panel = plt.subplots(figsize=(7.6, 4.6))
        lines = True
        if len(sweep[name].dims) == 1 and _is_cloud(sweep, across):
            _cloud(panel, sweep, name, across, by)
        elif len(sweep[name].dims) == 1:
            _line(panel, sweep, name, across)
        elif by is not None or (colour is not None and sweep.sizes[sweep[colour].dims[0]] <= MAX_FAMILY_LINES):
            _family(panel, sweep, name, across, str(colour))
        else:
            lines = False
            _map(panel, sweep, name, across, str(colour), log)
        if log and lines:
            panel.set_yscale("log")
        panel.set_title(_title(sweep), loc="left")
    return without_mathtext(drawn)


def _without_formulas(sweep: Sweep) -> Sweep:
    """The sweep with every $ in axis values escaped, as their texts are made only when drawn."""
    words = [name for name in sweep.coords if sweep[name].dtype.kind in "UO"]
    return sweep.assign_coords({name: np.strings.replace(sweep[name].astype(str), "$", r"\$") for name in words})


def _figure_of(sweep: Sweep, figure: str | None) -> str:
    if not sweep.figures:
        raise InvalidInput("the sweep has no figures yet; wait for its first points")
    if figure is None:
        return sweep.figures[0]
    if figure not in sweep.figures:
        raise InvalidInput(f"the sweep has no figure {short_repr(figure)}{did_you_mean(str(figure), sweep.figures)}")
    return figure


def _axes_of(sweep: Sweep, name: str) -> list[str]:
    """Coordinates that a figure depends on; it has at most two dimensions."""
    dims = sweep[name].dims
    if not set(dims) <= set(sweep["state"].dims):
        raise InvalidInput(f"{name} is an array at each point", advice=[Advice("{array_element}")])
    if len(dims) > 2:
        first = {dims[0]: sweep[dims[0]].values[0].item()} if dims[0] in sweep.coords else {dims[0]: 0}
        example = f"{'sel' if dims[0] in sweep.coords else 'isel'}({first})"
        words = f"{name} has {len(dims)} axes, a picture at most two"
        raise InvalidInput(words, advice=[Advice("{sweep_part}", sweep_part=Spelling(example, example))])
    if not dims:
        raise InvalidInput(f"{name} is a single number, so there is no axis to draw it over")
    return [str(c) for dim in dims for c in sweep.coords if sweep[c].dims == (dim,)]


def _across(sweep: Sweep, axes: list[str], x: str | None, by: str | None) -> str:
    _refuse_axis(x, axes)
    if x is not None:
        return x
    free = [axis for axis in axes if axis != by and sweep[axis].dtype.kind in "if"]
    if by in axes and len({sweep[axis].dims for axis in axes}) > 1:
        free = [axis for axis in free if sweep[axis].dims != sweep[by].dims]
    if not free:
        raise InvalidInput(f"no axis of numbers is left to draw over; the axes are {', '.join(axes)}")
    # joint columns, as of the laws of a fit, have no order
    return max(free, key=lambda axis: (not _is_cloud(sweep, axis), sweep[axis].size))


def _refuse_axis(name: str | None, axes: list[str]) -> None:
    if name is not None and name not in axes:
        raise InvalidInput(f"there is no axis {short_repr(name)}{did_you_mean(str(name), axes)}")


def _is_cloud(sweep: Sweep, across: str) -> bool:
    """True if the points of a dimension are no axis: several columns vary together."""
    return across not in sweep.dims


def _line(panel: Axes, sweep: Sweep, name: str, across: str) -> None:
    order = np.argsort(sweep[across].values)
    panel.plot(sweep[across].values[order], sweep[name].values[order], color=BLUE, marker="o", markersize=3)
    _mark_failed(panel, sweep, across)
    panel.set_xlabel(axis_label(sweep, across))
    panel.set_ylabel(axis_label(sweep, name))


def _cloud(panel: Axes, sweep: Sweep, name: str, across: str, by: str | None) -> None:
    colours = sweep[by].values if by is not None else BLUE
    dots = panel.scatter(sweep[across].values, sweep[name].values, c=colours, s=14, cmap=COLOUR_MAP if by else None)
    if by is not None:
        panel.get_figure().colorbar(dots, ax=panel, label=axis_label(sweep, by))  # type: ignore[union-attr]
    panel.set_xlabel(axis_label(sweep, across))
    panel.set_ylabel(axis_label(sweep, name))


def _family(panel: Axes, sweep: Sweep, name: str, across: str, by: str) -> None:
    """A line for each value of the other axis, from dark to light."""
    from matplotlib import colormaps
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import ListedColormap, Normalize

    shades = ListedColormap(colormaps[COLOUR_MAP](np.linspace(0.0, tol.COLOUR_MAP_END, 256)))
    table = sweep[name].transpose(sweep[by].dims[0], sweep[across].dims[0])
    values, order = sweep[by].values, np.argsort(sweep[across].values)
    numbers = values.dtype.kind in "if"
    marker = "." if np.isnan(table.values).any() else ""  # a point between two failed ones has no line
    shade = Normalize(values.min(), values.max()) if numbers else Normalize(0, max(len(values) - 1, 1))
    for k, value in enumerate(values.tolist()):
        colour = shades(shade(value if numbers else k))
        label = f"{value:.5g}" if numbers else str(value)
        panel.plot(
            sweep[across].values[order], table.values[k][order], color=colour, label=label, linewidth=1.5, marker=marker
        )
    if numbers and len(values) > MAX_NAMED_LINES:
        bar = ScalarMappable(shade, shades)
        panel.get_figure().colorbar(bar, ax=panel, label=axis_label(sweep, by))  # type: ignore[union-attr]
    else:
        panel.legend(title=axis_label(sweep, by))
    panel.set_xlabel(axis_label(sweep, across))
    panel.set_ylabel(axis_label(sweep, name))


def _map(panel: Axes, sweep: Sweep, name: str, across: str, up: str, log: bool) -> None:
    """Colours over two axes; points without a value stay white."""
    from matplotlib.colors import LogNorm

    table = sweep[name].transpose(sweep[up].dims[0], sweep[across].dims[0]).values
    i, j = np.argsort(sweep[up].values), np.argsort(sweep[across].values)
    shading: Any = {"norm": LogNorm()} if log else {}
    mesh = panel.pcolormesh(
        sweep[across].values[j], sweep[up].values[i], table[np.ix_(i, j)], shading="nearest", cmap=COLOUR_MAP, **shading
    )
    panel.grid(False)
    panel.get_figure().colorbar(mesh, ax=panel, label=axis_label(sweep, name))  # type: ignore[union-attr]
    panel.set_xlabel(axis_label(sweep, across))
    panel.set_ylabel(axis_label(sweep, up))


def _mark_failed(panel: Axes, sweep: Sweep, across: str) -> None:
    failed = sweep[across].values[sweep["state"].values == "failed"]
    if failed.size:
        low = panel.get_ylim()[0]
        panel.plot(failed, np.full(failed.size, low), "x", color=ACCENT, label="failed", clip_on=False)
        panel.set_ylim(bottom=low)
        panel.legend()


def _title(sweep: Sweep) -> str:
    counts = sweep.counts
    total = sum(counts.values())
    words = (
        f"{counts.get('done', 0)} points"
        if counts.get("done") == total
        else f"{counts.get('done', 0)} of {total} points"
    )
    return words + (f", {counts['failed']} failed" if counts.get("failed") else "")
