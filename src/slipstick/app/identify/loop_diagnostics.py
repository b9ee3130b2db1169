"""Table of loop figures: amplitude, frequency, energy, stiffness, damping, noise."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from slipstick.app.identify.loop_figures import loop_label
from slipstick.identification.preparing.cycle_figures import loop_frequency, representative_cycles
from slipstick.report.table import Table
from slipstick.units.number_format import format_cell, format_number

if TYPE_CHECKING:
    from slipstick.identification.loop import Loop
    from slipstick.units.scales import LoopUnits, Scale

ZERO_ENERGY_REL = 1e-9  # of amplitude times force: smaller energies count as zero
# name in `Loop.figures`, name on the page, exponents of force, deflection and time
_CYCLE_COLUMNS = (
    ("area", "energy", (1, 1, 0)),
    ("secant", "secant", (1, -1, 0)),
    ("loss_factor", "loss factor", (0, 0, 0)),
    ("damping", "damping", (1, -1, 1)),
)


def loop_diagnostics_table(loops: Sequence[Loop]) -> Table:
    """A row for each loop, in the units of the first file."""
    units = loops[0].units
    heads: tuple[str, ...] = ("loop", "samples", "cycles", _column_head("amplitude", units.deflection.unit), "Hz")
    scales = [units.energy if key == "area" else units.of(powers) for key, _, powers in _CYCLE_COLUMNS]
    heads += tuple(_column_head(said, scale.unit) for (_, said, _), scale in zip(_CYCLE_COLUMNS, scales, strict=True))
    return Table(
        (*heads, _column_head("noise", units.force.unit)),
        [_row(loop, units, scales, loop_label(loop, loops)) for loop in loops],
        len(heads),
    )


def _row(loop: Loop, units: LoopUnits, scales: Sequence[Scale], name: str) -> tuple[str, ...]:
    cycles = [own._asdict() for own in loop.figures]
    cells = [
        str(len(loop)),
        str(len(cycles)),
        format_number(units.deflection.factor * loop.amplitude, 4),
        format_cell(loop_frequency(loop)),
    ]
    large = [cycles[k] for k in representative_cycles(loop)]
    least = ZERO_ENERGY_REL * loop.amplitude * float(abs(loop.f).max())
    for (key, _, _), scale in zip(_CYCLE_COLUMNS, scales, strict=True):
        cells.append(format_cell(scale.factor * _median([_without_rounding_energy(own, least)[key] for own in large])))
    return (name, *cells, format_cell(units.force.factor * loop.noise))


def _without_rounding_energy(cycle: Mapping[str, float], least: float) -> Mapping[str, float]:
    """A cycle with zero energy if that is within rounding."""
    return cycle if abs(cycle["area"]) > least else {**cycle, "area": 0.0, "loss_factor": 0.0, "damping": 0.0}


def _median(values: Sequence[float]) -> float:
    """The median; NaN without full cycles."""
    import numpy as np

    return float(np.median(values)) if values else math.nan


def _column_head(what: str, unit: str) -> str:
    return f"{what} [{unit}]" if unit not in ("", "1") else what
