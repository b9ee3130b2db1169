"""Units that most files use: known without pint, whose import and registry take longer than to check a model."""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

from slipstick.units.dimensions import Exponents


class Unit(NamedTuple):
    """Factor to SI and dimension of a unit; ``per_cycle`` for Hz, which counts cycles, not radians.

    An angle has a dimension of its own, unlike in pint: 0.2 deg is no strain.
    """

    factor: Fraction
    exponents: Exponents
    per_cycle: bool = False


DEGREE, TURN = "0.017453292519943295", "6.283185307179586"  # pi/180 and 2 pi as floats
# names and factors to SI of a dimension: length, mass, time, angle
_UNITS: dict[Exponents, dict[str, str]] = {
    (1.0, 1.0, -2.0, 0.0): {"N": "1", "mN": "1e-3", "kN": "1e3", "MN": "1e6"},
    (1.0, 0.0, 0.0, 0.0): {"m": "1", "mm": "1e-3", "cm": "1e-2", "um": "1e-6", "µm": "1e-6", "km": "1e3"},
    (0.0, 1.0, 0.0, 0.0): {"kg": "1", "g": "1e-3", "t": "1e3"},
    (0.0, 0.0, 1.0, 0.0): {"s": "1", "ms": "1e-3", "us": "1e-6", "min": "60", "h": "3600"},
    (0.0, 0.0, 0.0, 1.0): {
        "rad": "1", "mrad": "1e-3", "deg": DEGREE, "degree": DEGREE, "°": DEGREE, "revolution": TURN,
    },
    (0.0, 0.0, -1.0, 1.0): {"rpm": "0.10471975511965977", "Hz": TURN, "kHz": "6283.185307179586"},
    (-1.0, 1.0, -2.0, 0.0): {"Pa": "1", "kPa": "1e3", "MPa": "1e6", "GPa": "1e9", "bar": "1e5"},
    (2.0, 1.0, -2.0, 0.0): {"J": "1"},
    (2.0, 1.0, -3.0, 0.0): {"W": "1"},
    (0.0, 0.0, 0.0, 0.0): {"%": "0.01"},
}  # fmt: skip

COMMON: dict[str, Unit] = {
    name: Unit(Fraction(factor), exponents, name.endswith("Hz"))
    for exponents, units in _UNITS.items()
    for name, factor in units.items()
}
