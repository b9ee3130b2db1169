"""What engineers quote of a measured loop, as a table."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from slipstick.app.identify.pictures import label
from slipstick.report.numbers import figure
from slipstick.report.rows import Table

if TYPE_CHECKING:
    from slipstick.identification.loop import Loop
    from slipstick.results.units import LoopUnits

ALIKE = 0.9  # of the largest amplitude: such a cycle is one of it
# of a cycle: what it is called in `Loop.figures`, on the page, and its powers of force, deflection and time
_OF_CYCLES = (
    ("area", "energy", (1, 1, 0)),
    ("secant", "secant", (1, -1, 0)),
    ("loss_factor", "loss factor", (0, 0, 0)),
    ("damping", "damping", (1, -1, 1)),
)


def diagnostics(loops: Sequence[Loop]) -> Table:
    """A row for each loop, in the units of the first file."""
    units = loops[0].units
    heads: tuple[str, ...] = ("loop", "samples", "cycles", _head("amplitude", units.deflection.unit), "Hz")
    heads += tuple(_head(said, units.of(powers).unit) for _, said, powers in _OF_CYCLES)
    return Table(
        (*heads, _head("noise", units.force.unit)),
        [_row(loop, units, label(loop, loops)) for loop in loops],
        len(heads),
    )


def _row(loop: Loop, units: LoopUnits, name: str) -> tuple[str, ...]:
    cycles = [own._asdict() for own in loop.figures]
    hertz = loop.frequency if loop.frequency is not None else _median([own["frequency"] for own in cycles])
    cells = [str(len(loop)), str(len(cycles)), figure(units.deflection.factor * loop.amplitude, 4), _shown(hertz)]
    large = [own for own in cycles if own["amplitude"] >= ALIKE * loop.amplitude]  # of what stands beside them
    for key, _, powers in _OF_CYCLES:
        cells.append(_shown(units.of(powers).factor * _median([own[key] for own in large])))
    return (name, *cells, _shown(units.force.factor * loop.noise))


def _median(values: Sequence[float]) -> float:
    """Not a number where there is no full cycle."""
    import numpy as np

    return float(np.median(values)) if values else math.nan


def _shown(value: float) -> str:
    return figure(value, 4) if math.isfinite(value) else "-"


def _head(what: str, unit: str) -> str:
    return f"{what} [{unit}]" if unit not in ("", "1") else what
