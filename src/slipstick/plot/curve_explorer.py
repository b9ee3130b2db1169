"""Interactive curve of a notebook: a click on a point shows its orbit."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from slipstick.errors import InvalidInput, SlipstickError
from slipstick.plot import style
from slipstick.plot.curve_plot import SPECIAL_MARKERS, STABILITY_LINES, parameter_scale
from slipstick.plot.curve_quantity import QUANTITY_LABELS, select_quantity
from slipstick.results.notebook_view import figure_html, text_html

if TYPE_CHECKING:
    from slipstick.results.curve import Curve
    from slipstick.results.orbit import Orbit

PLOTLY_DASHES = {True: "solid", False: "dash", None: "dot"}  # of lines, by stability
PLOTLY_MARKERS = {"o": "circle", "D": "diamond", "*": "star", "s": "square", "|": "line-ns"}
CURVE_WIDTH, CURVE_HEIGHT, SELECTED_SIZE = 560, 420, 13  # pixels
ORBIT_WIDTH = 15.0  # [cm]


class CurveExplorer:
    """A curve beside the orbit at one of its points; a notebook shows it with ``display(explorer)``.

    widget : the whole, an ipywidgets box.   figure : the curve, a plotly FigureWidget.
    point : number of the point that is shown.   orbit : its orbit, or None where it cannot be computed.
    """

    def __init__(self, curve: Curve, quantity: str = "amplitude", name: str | None = None) -> None:
        """quantity, name : of the vertical axis, as in `Curve.plot`; default the coordinate that moves most."""
        graph, widgets = _notebook_libraries()
        if not curve.points:
            raise InvalidInput("the curve has no points to explore; compute it again")
        self._curve, self.point = curve, 0
        self.orbit: Orbit | None = None
        names = None if name is None else [name]
        connections = name is not None and name in curve.names.connections and name not in curve.names.coordinates
        what = select_quantity(curve, quantity, None if connections else names, names if connections else None, 1)
        panel, scale = what.panels(curve)[0], parameter_scale(curve)
        self._x, self._y = scale.factor * np.array([point.p for point in curve.points]), panel.values
        self.figure = graph.FigureWidget(data=list(self._traces(graph)))
        unit = f" [{scale.unit}]" if scale.unit else ""
        self.figure.update_layout(
            template="simple_white", width=CURVE_WIDTH, height=CURVE_HEIGHT, margin={"t": 30, "r": 40},
            xaxis_title=f"{curve.stats.parameter}{unit}", hovermode="closest",
            yaxis_title=f"{QUANTITY_LABELS[quantity]} of {panel.name} [{panel.unit}]",
            legend={"orientation": "h", "y": 1.12}, modebar_orientation="v",
        )  # fmt: skip
        for trace in self.figure.data:
            trace.on_click(self._clicked)
        self._picture = widgets.HTML()
        self.widget = widgets.HBox([self.figure, self._picture])
        self.show(int(np.nanargmax(self._y)) if np.isfinite(self._y).any() else 0)

    def show(self, point: int) -> None:
        """Show the orbit at a point, by its number along the curve."""
        self.point, self.orbit = self._curve.numbered(point) % len(self._curve), None
        x, y = self._x[self.point], self._y[self.point]
        self.figure.data[-1].update(x=[x], y=[y])
        try:
            orbit = self._curve.orbit(self.point)
            self._picture.value = text_html(repr(orbit)) + figure_html(orbit.plot(width=ORBIT_WIDTH))
            self.orbit = orbit
        except SlipstickError as refusal:
            self._picture.value = text_html(f"no orbit at point {self.point}: {refusal}")

    def _clicked(self, trace: Any, points: Any, state: Any) -> None:
        if points.point_inds:
            self.show(int(trace.customdata[points.point_inds[0]]))

    def _traces(self, graph: Any) -> Iterator[Any]:
        """Lines by stability, special points, and the marker of the shown point, which comes last."""
        curve, named = self._curve, set()
        parts = list(curve.parts()) if curve.stats.joined else [(None, np.arange(len(curve)))]
        for stable, part in parts:
            label = STABILITY_LINES[stable][1]
            yield graph.Scatter(
                x=self._x[part], y=self._y[part], customdata=part.tolist(), name=label, legendgroup=label,
                showlegend=label not in named, mode="lines+markers" if curve.stats.joined else "markers",
                line={"color": style.BLUE, "dash": PLOTLY_DASHES[stable]}, marker={"size": 5},
            )  # fmt: skip
            named.add(label)
        for kind, (marker, colour, size) in SPECIAL_MARKERS.items():
            at = [special["point"] for special in curve.special if special["kind"] == kind]
            if at:
                shape = {"symbol": f"{PLOTLY_MARKERS[marker]}-open", "color": colour, "size": size + 4}
                yield graph.Scatter(
                    x=self._x[at], y=self._y[at], customdata=at, mode="markers", name=kind,
                    marker=shape | {"line": {"width": 2}},
                )  # fmt: skip
        shown = {"symbol": "circle-open", "size": SELECTED_SIZE, "color": style.INK, "line": {"width": 2}}
        yield graph.Scatter(x=[], y=[], customdata=[], mode="markers", marker=shown, showlegend=False, hoverinfo="skip")

    def _ipython_display_(self) -> None:
        from IPython import display

        display.display(self.widget)  # type: ignore[no-untyped-call]

    def __repr__(self) -> str:
        return f'<CurveExplorer of "{self._curve.names.model}" at point {self.point} of {len(self._curve)}>'


def _notebook_libraries() -> tuple[Any, Any]:
    """plotly.graph_objects and ipywidgets."""
    try:
        import anywidget  # noqa: F401 - FigureWidget needs it
        import ipywidgets
        from plotly import graph_objects
    except ImportError as missing:
        raise InvalidInput(
            f'curve.explore needs the package {missing.name}; install it with: pip install "slipstick[notebook]"'
        ) from missing
    return graph_objects, ipywidgets
