"""Dimensions of numbers, and their SI units by kind of motion.

A law counts in (force, deflection, time): it does not know whether its deflection is a length, an angle or a strain.
The kind of motion decides that, and with it the units.
"""

from __future__ import annotations

from collections.abc import Sequence

from slipstick.errors import InvalidInput, short_repr

Dimension = tuple[float, float, float]  # exponents of force, deflection, time
Exponents = tuple[float, float, float, float]  # of length, mass, time, angle

FORCE: Dimension = (1, 0, 0)
DEFLECTION: Dimension = (0, 1, 0)
STIFFNESS: Dimension = (1, -1, 0)
DAMPING: Dimension = (1, -1, 1)
VELOCITY: Dimension = (0, 1, -1)
NUMBER: Dimension = (0, 0, 0)
INERTIA: Dimension = (1, -1, 2)
TIME: Dimension = (0, 0, 1)

TRANSLATION, ROTATION, STRESS = "translation", "rotation", "stress"
ALL_KINDS = (TRANSLATION, ROTATION, STRESS)
COORDINATE_KINDS = (TRANSLATION, ROTATION)  # of a coordinate

UNIT_SYSTEMS = {TRANSLATION: ("N", "m", "s"), ROTATION: ("N m", "rad", "s"), STRESS: ("Pa", "", "s")}
_INERTIA_UNITS = {TRANSLATION: "kg", ROTATION: "kg m^2"}  # instead of N s^2/m

FORCE_EXPONENTS: dict[str, Exponents] = {
    TRANSLATION: (1.0, 1.0, -2.0, 0.0),
    ROTATION: (2.0, 1.0, -2.0, 0.0),
    STRESS: (-1.0, 1.0, -2.0, 0.0),
}
DEFLECTION_EXPONENTS: dict[str, Exponents] = {
    TRANSLATION: (1.0, 0.0, 0.0, 0.0),
    ROTATION: (0.0, 0.0, 0.0, 1.0),
    STRESS: (0.0, 0.0, 0.0, 1.0),  # a shear strain may be written as an angle
}


def dimension_exponents(dimension: Dimension, kind: str) -> Exponents:
    """Exponents of length, mass, time and angle of a dimension, by kind of motion."""
    f, d, t = dimension
    force, deflection = FORCE_EXPONENTS[kind], DEFLECTION_EXPONENTS[kind]
    length, mass, time, angle = (f * a + d * b for a, b in zip(force, deflection, strict=True))
    return length, mass, time + t, angle


def unit_name(dimension: Dimension, system: str = TRANSLATION) -> str:
    """SI unit of a dimension: (1, -1, 0) is "N/m" in translation, "N m/rad" in rotation; inertias are in kg, kg m^2."""
    if system not in UNIT_SYSTEMS:
        raise InvalidInput(f"units are of {', '.join(UNIT_SYSTEMS)}, got {short_repr(system)}")
    if dimension == INERTIA and system in _INERTIA_UNITS:
        return _INERTIA_UNITS[system]
    return spell_dimension(dimension, UNIT_SYSTEMS[system])


def spell_dimension(dimension: Sequence[float], names: Sequence[str], exact: bool = False) -> str:
    """Powers of units by name: (1, -1, 0) of N, m and s is "N/m"; "1" where nothing is left.

    exact : powers that are not round are written to the last digit.
    """
    over: list[str] = []
    under: list[str] = []
    for name, exponent in zip(names, dimension, strict=True):
        if not name or not exponent:
            continue
        size = abs(exponent)
        digits = repr(float(size)) if exact and float(f"{size:g}") != size else f"{size:g}"
        power = name if size == 1 else f"{name}^{digits}" if name.isalpha() else f"({name})^{digits}"
        (over if exponent > 0 else under).append(power)
    if not over and not under:
        return "1"
    top = " ".join(over) or "1"
    return f"{top}/{' '.join(under)}" if len(under) <= 1 and under else top + (f"/({' '.join(under)})" if under else "")
