"""Units of the published systems: of their models, of their keywords, and for display."""

from __future__ import annotations

from slipstick.api import Model
from slipstick.units.axes import NORMALISED
from slipstick.units.dimensions import DAMPING, DEFLECTION, FORCE, INERTIA, ROTATION, STIFFNESS, TRANSLATION, unit_name
from slipstick.units.scales import ModelUnits

DIMENSIONLESS_SYSTEM = "torsional"
DIMENSIONLESS_UNITS = {"rad/s": "ω_n", "s": "1/ω_n"}  # display units of its frequencies and times
# dimensions of keywords: the whole name, its beginning or its end
_ROTATION_KEYWORDS = {
    "stiffness": STIFFNESS, "damping": DAMPING, "half_gap": DEFLECTION, "inertia": INERTIA, "limit": FORCE,
}  # fmt: skip
_TRANSLATION_KEYWORDS = {
    "stiffness": STIFFNESS, "damping": DAMPING, "mass": INERTIA, "amplitude": FORCE, "mean": FORCE, "limit": FORCE,
}  # fmt: skip
_COMMON_UNITS = {"frequency": "rad/s", "phase": "rad", "phases": "rad", "gravity": "m/s^2", "balanced_at": "s"}
_SYSTEM_UNITS = {
    "gear": {
        "amplitude": "N m", "mean": "N m", "resisting": "N m", "radius_delta": "m", "radius_gamma": "m",
        "tooth_stiffness": "N/m", "tooth_half_gap": "m",
    },
    "clutch": {
        "bearing_stiffness": "N/m", "bearing_damping": "N s/m", "masses": "kg", "inertias": "kg m^2",
        "clamp_force": "N", "friction_torque": "N m", "mean_torque": "N m", "resisting_torque": "N m",
        "torque_amplitudes": "N m",
    },
    "fibre": {
        "thickness": "m", "area": "m^2", "stiffness": "Pa", "limit": "Pa", "linear": "Pa", "cubic": "Pa",
    },
    "tensioner": {"rate": "N^(1-exponent)/m", "upper": "N, N/m", "lower": "N, N/m", "preload": "N", "start_force": "N"},
}  # fmt: skip


def with_si_units(model: Model, unit: str, sliding: tuple[str, ...] = ()) -> Model:
    """The model with its units.

    unit : "m", "rad" or `NORMALISED`, of displacements and deflections.
    sliding : beginnings of names that are in m in any case.
    """
    coordinates, connections = (
        {each.name: "m" if each.name.startswith(sliding) else unit for each in every}
        for every in (model.coordinates, model.connections)
    )
    model.units = ModelUnits(coordinates, connections, "" if unit == NORMALISED else "rad/s")
    return model


def keyword_unit(system: str, name: str) -> str:
    """The SI unit of a keyword of a published system; empty for plain numbers."""
    if system == DIMENSIONLESS_SYSTEM:
        return "rad" if name == "phase" else ""
    if name in _SYSTEM_UNITS.get(system, {}):
        return _SYSTEM_UNITS[system][name]
    kind = ROTATION if system in ("gear", "clutch") else TRANSLATION
    keywords = _ROTATION_KEYWORDS if kind == ROTATION else _TRANSLATION_KEYWORDS
    known = {word: unit_name(dimension, kind) for word, dimension in keywords.items()} | _COMMON_UNITS
    fits = [word for word in known if name == word or name.endswith(f"_{word}") or name.startswith(f"{word}_")]
    return known[max(fits, key=len)] if fits else ""
