"""What engineers quote of a measured loop, as a table."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from slipstick.app.identify.pictures import label
from slipstick.identification.figures import frequency_of, judged_cycles
from slipstick.report.numbers import figure
from slipstick.report.rows import Table

if TYPE_CHECKING:
    from slipstick.identification.loop import Loop
    from slipstick.results.units import LoopUnits, Scale

ROUNDING = 1e-9  # of what force and deflection could take: an energy below is none
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
    scales = [units.energy if key == "area" else units.of(powers) for key, _, powers in _OF_CYCLES]
    heads += tuple(_head(said, scale.unit) for (_, said, _), scale in zip(_OF_CYCLES, scales, strict=True))
    return Table(
        (*heads, _head("noise", units.force.unit)),
        [_row(loop, units, scales, label(loop, loops)) for loop in loops],
        len(heads),
    )


def _row(loop: Loop, units: LoopUnits, scales: Sequence[Scale], name: str) -> tuple[str, ...]:
    cycles = [own._asdict() for own in loop.figures]
    cells = [
        str(len(loop)),
        str(len(cycles)),
        figure(units.deflection.factor * loop.amplitude, 4),
        _shown(frequency_of(loop)),
    ]
    large = [cycles[k] for k in judged_cycles(loop)]
    least = ROUNDING * loop.amplitude * float(abs(loop.f).max())
    for (key, _, _), scale in zip(_OF_CYCLES, scales, strict=True):
        cells.append(_shown(scale.factor * _median([_plain(own, least)[key] for own in large])))
    return (name, *cells, _shown(units.force.factor * loop.noise))


def _plain(cycle: Mapping[str, float], least: float) -> Mapping[str, float]:
    """A cycle whose energy is no more than rounding takes none."""
    return cycle if abs(cycle["area"]) > least else {**cycle, "area": 0.0, "loss_factor": 0.0, "damping": 0.0}


def _median(values: Sequence[float]) -> float:
    """Not a number where there is no full cycle."""
    import numpy as np

    return float(np.median(values)) if values else math.nan


def _shown(value: float) -> str:
    return figure(value, 4) if math.isfinite(value) else "-"


def _head(what: str, unit: str) -> str:
    return f"{what} [{unit}]" if unit not in ("", "1") else what
