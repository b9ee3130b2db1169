"""The keywords of the published systems as fields: what each is called, its number in the paper and its unit.

Those that are functions of time or numbers by contact have no field; they are for Python.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from slipstick.app.number_input import parse_number

VISIBLE_FIELDS = 6  # fields that stand at the top; the others are folded away

_CHOICES = {
    ("tensioner", "law"): ("masing", "modified-dahl"),
    ("clutch", "reading"): ("consistent", "paper", "printed"),
    ("clutch", "laws"): ("sqrt", "tanh", "exact"),
}
_HIDDEN_KEYWORDS = {("torsional", "load"), ("clutch", "rounding"), ("clutch", "width"), ("clutch", "sharpness")}
_DIMENSIONLESS_SYSTEM = "torsional"  # its equation is in numbers without units

_ROTATION_UNITS = {
    "stiffness": "N m/rad",
    "damping": "N m s/rad",
    "half_gap": "rad",
    "inertia": "kg m²",
    "limit": "N m",
}
_TRANSLATION_UNITS = {"stiffness": "N/m", "damping": "N s/m", "mass": "kg", "amplitude": "N", "mean": "N", "limit": "N"}
_COMMON_UNITS = {"frequency": "rad/s", "phase": "rad", "phases": "rad", "gravity": "m/s²", "balanced_at": "s"}
_SYSTEM_UNITS = {
    "gear": {
        "amplitude": "N m", "mean": "N m", "resisting": "N m", "radius_delta": "m", "radius_gamma": "m",
        "tooth_stiffness": "N/m", "tooth_half_gap": "m",
    },
    "clutch": {
        "bearing_stiffness": "N/m", "bearing_damping": "N s/m", "masses": "kg", "inertias": "kg m²",
        "clamp_force": "N", "friction_torque": "N m", "mean_torque": "N m", "resisting_torque": "N m",
        "torque_amplitudes": "N m",
    },
    "fibre": {
        "thickness": "m", "area": "m²", "stiffness": "Pa", "limit": "Pa", "linear": "Pa", "cubic": "Pa",
    },
    "tensioner": {"rate": "N^(1-exponent)/m", "upper": "N, N/m", "lower": "N, N/m", "preload": "N", "start_force": "N"},
}  # fmt: skip


@dataclass(frozen=True)
class SystemField:
    """One keyword.

    default : of the paper; None where leaving it out means something else.   unit : empty for a number without one.
    options : of a word that is one of several.   many : it is several numbers.
    """

    name: str
    default: Any
    unit: str = ""
    options: tuple[str, ...] = ()
    many: bool = False

    @property
    def label(self) -> str:
        words = self.name.replace("_", " ")
        return f"{words} [{self.unit}]" if self.unit else words

    def text(self, value: Any) -> str:
        """As it stands in the field."""
        if value is None:
            return ""
        return ", ".join(f"{one:.12g}" for one in value) if self.many else f"{value:.12g}"

    def read(self, text: str) -> Any:
        """What was typed; None for nothing, which is the paper's own."""
        if not text.strip():
            return None
        if self.many:
            return tuple(parse_number(self.name, part) for part in text.split(","))
        return parse_number(self.name, text)


def system_fields(system: str, values: Mapping[str, Any]) -> list[SystemField]:
    """The fields of a system, in the order of its keywords; those of a law follow the law that is chosen."""
    from slipstick.systems.keyword_defaults import keyword_defaults

    published, known = keyword_defaults(system), keyword_defaults(system, values.get("law"))
    return [
        _field(system, name, published.get(name, own))
        for name, own in known.items()
        if (system, name) not in _HIDDEN_KEYWORDS
    ]


def _field(system: str, name: str, default: Any) -> SystemField:
    options = _CHOICES.get((system, name), ())
    return SystemField(name, default, "" if options else _unit(system, name), options, isinstance(default, tuple))


def _unit(system: str, name: str) -> str:
    if system == _DIMENSIONLESS_SYSTEM:
        return "rad" if name == "phase" else ""
    kind = _ROTATION_UNITS if system in ("gear", "clutch") else _TRANSLATION_UNITS
    known = kind | _COMMON_UNITS
    fits = [word for word in known if name == word or name.endswith(f"_{word}") or name.startswith(f"{word}_")]
    return _SYSTEM_UNITS.get(system, {}).get(name) or (known[max(fits, key=len)] if fits else "")
