"""Contents of a model as tables of text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from slipstick.units.axes import axis_unit
from slipstick.units.scales import FREQUENCY_FACTORS, frequency_scale

if TYPE_CHECKING:
    from slipstick.model.system import System
    from slipstick.units.axes import AxisUnit

LONG_NUMBER = re.compile(r"\b\d+\.\d{4,}(e[-+]?\d+)?")


class ModelTable(NamedTuple):
    """heads : of columns.   rows : of text."""

    heads: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]


def base_frequency_text(model: System) -> str:
    """The base frequency of a model in words; empty without one."""
    if model.frequency is None:
        return ""
    return "base frequency " + " = ".join(frequency_scale(unit).words(model.frequency) for unit in FREQUENCY_FACTORS)


def model_tables(model: System) -> list[ModelTable]:
    """Tables of coordinates, connections and loads, without empty ones."""
    held = () if model.matrices is None else model.matrices.names
    tables = [
        ModelTable(
            ("coordinate", "inertia", "start"),
            [
                _coordinate(c, axis_unit(model.units.coordinates.get(c.name, "")), c.name in held)
                for c in model.coordinates
            ],
        ),
        ModelTable(
            ("connection", "deflection", "law (SI units)"),
            [(c.name, _deflection_text(c), _rounded(repr(c.law))) for c in model.connections],
        ),
        ModelTable(
            ("load on", "function of time"), [(repr(load.form), _rounded(repr(load.function))) for load in model.loads]
        ),
    ]
    return [table for table in tables if table.rows]


def _coordinate(c: Any, axis: AxisUnit, in_matrices: bool) -> tuple[str, str, str]:
    """Name, inertia and initial state, in the units of the file."""
    inertia = f"{c.inertia:.6g} {axis.inertia}" if c.inertia or c.motion is None else "-"
    if in_matrices:
        inertia = f"{inertia} beside the matrices" if c.inertia else "in the matrices"
    if c.motion is not None:
        return c.name, inertia, f"moves as {c.motion!r}"
    if c.displacement == 0.0 and c.velocity == 0.0:
        return c.name, inertia, "at rest"
    starts = [(c.displacement, "displacement", axis.unit), (c.velocity, "velocity", axis.rate)]
    return c.name, inertia, ", ".join(f"{word} {axis.factor * value:.6g} {unit}" for value, word, unit in starts)


def _rounded(text: str) -> str:
    """A representation with its numbers to six digits, which units in a file turn into many."""
    return LONG_NUMBER.sub(lambda number: f"{float(number[0]):.6g}", text)


def _deflection_text(connection: Any) -> str:
    text = repr(connection.deflection)
    return text if connection.is_conjugate else f"{text} along {connection.along!r}"
