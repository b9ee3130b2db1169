"""Results as CSV tables, with the units of the page in the header."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterable, Sequence
from itertools import chain, repeat
from typing import TYPE_CHECKING, Any

from slipstick.app.model_choice import ModelChoice
from slipstick.app.respond.display_data import curve_panels
from slipstick.app.respond.jump_map import MapRequest, map_display

if TYPE_CHECKING:
    from slipstick.results.curve import Curve
    from slipstick.results.jump_map import JumpMap
    from slipstick.results.run import Run

TableColumn = tuple[str, Sequence[Any]]


def curve_table(choice: ModelChoice, curve: Curve, settings: Sequence[str], certificate: str) -> bytes:
    """One row a point: frequency, every quantity of every coordinate and connection, stability, error.

    certificate, settings : in the first row of the last columns.
    """
    from slipstick.plot.curve_plot import parameter_scale
    from slipstick.units.axes import axis_unit, column_axes

    scale, names = parameter_scale(curve), curve.names
    axes = column_axes(names.units.coordinates, names.coordinates, range(len(names.coordinates)))
    axis = axes.shared or axis_unit("")
    columns = [
        _column_head("frequency", choice.display_unit(scale.unit), [scale.factor * point.p for point in curve.points])
    ]
    columns += [_column_head(key, line.unit, line.y) for key, line in curve_panels(curve).items()]
    columns.append(("stable", [{True: "yes", False: "no", None: ""}[point.stable] for point in curve.points]))
    errors = [axis.factor * point.error for point in curve.points]
    columns.append(_column_head("error of displacements", axis.unit, errors))
    return _csv_text(columns, certificate, settings)


def run_table(choice: ModelChoice, run: Run, settings: Sequence[str], certificate: str) -> bytes:
    """One row a sample: displacements and velocities of coordinates, deflections and forces of connections.

    certificate, settings : in the first row of the last columns.
    """
    from slipstick.units.axes import column_axes

    names, s = run.names, run.samples
    columns = [_column_head("time", choice.display_unit("s"), s.time.tolist())]
    axes = column_axes(names.units.coordinates, names.coordinates, range(len(names.coordinates))).each
    for i, (name, axis) in enumerate(zip(names.coordinates, axes, strict=True)):
        places = (axis.factor * s.displacement[:, i]).tolist(), (axis.factor * s.velocity[:, i]).tolist()
        columns.append(_column_head(f"displacement of {name}", axis.unit, places[0]))
        columns.append(_column_head(f"velocity of {name}", axis.rate, places[1]))
    axes = column_axes(names.units.connections, names.connections, range(len(names.connections))).each
    for j, (name, axis) in enumerate(zip(names.connections, axes, strict=True)):
        deflection = (axis.factor * s.deflection[:, j]).tolist()
        columns.append(_column_head(f"deflection of {name}", axis.unit, deflection))
        columns.append(_column_head(f"force of {name}", axis.force, s.force[:, j].tolist()))
    return _csv_text(columns, certificate, settings)


def jump_map_table(
    choice: ModelChoice, found: JumpMap, request: MapRequest, settings: Sequence[str], certificate: str
) -> bytes:
    """One row a point of a curve of folds: number of the curve, frequency, parameter.

    certificate, settings : in the first row of the last columns; without folds in a row of their own.
    """
    display = map_display(choice, found, request)
    rows: list[tuple[Any, ...]] = [
        (k, *point) for k, (x, y, _) in enumerate(display.curves) for point in zip(x, y, strict=True)
    ]
    number, frequency, value = (list(own) for own in zip(*(rows or [("", "", "")]), strict=True))
    columns = [
        _column_head("curve of folds", "", number),
        _column_head("frequency", display.frequency_unit, frequency),
        _column_head(request.parameter, display.unit, value),
    ]
    return _csv_text(columns, certificate, settings)


def _column_head(what: str, unit: str, values: Sequence[Any]) -> TableColumn:
    return (f"{what} [{unit}]" if unit else what), values


def _csv_text(columns: Iterable[TableColumn], certificate: str, settings: Sequence[str]) -> bytes:
    heads, values = zip(*columns, strict=True)
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    # without commas: some readers do not know quotes
    notes = {"certificate": certificate.replace(",", ";"), "settings": "; ".join(settings)}
    writer.writerow([*heads, *notes])
    in_first_row = (chain([text], repeat("")) for text in notes.values())  # zip stops with the other columns
    writer.writerows(_without_nan(row) for row in zip(*values, *in_first_row, strict=False))
    return text.getvalue().encode()


def _without_nan(row: Iterable[Any]) -> list[Any]:
    """Empty cells for NaN."""
    return ["" if isinstance(value, float) and math.isnan(value) else value for value in row]
