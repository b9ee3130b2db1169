"""What a connection does. One family a file; `LAWS` maps the names used in files to them."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from slipstick.errors import InvalidInput, did_you_mean

if TYPE_CHECKING:
    from slipstick.laws.base import Law

# name in files -> (module, class)
LAWS = {
    "linear": ("elastic", "Linear"),
    "polynomial": ("elastic", "Polynomial"),
    "freeplay": ("elastic", "Freeplay"),
    "two-stage": ("elastic", "TwoStage"),
    "piecewise-linear": ("elastic", "PiecewiseLinear"),
    "contact": ("elastic", "Contact"),
    "dry-friction": ("friction", "DryFriction"),
    "jenkins": ("masing", "Jenkins"),
    "masing": ("masing", "Masing"),
    "iwan": ("masing", "Iwan"),
    "dahl": ("dahl", "Dahl"),
    "duhem": ("dahl", "Duhem"),
    "modified-dahl": ("dahl", "ModifiedDahl"),
    "generalised-dahl": ("generalised_dahl", "GeneralisedDahl"),
    "dynamic-hysteresis": ("memory", "DynamicHysteresis"),
    "bliman-sorine": ("memory", "BlimanSorine"),
    "fibre-shear": ("memory", "FibreShear"),
    "bouc-wen": ("boucwen", "BoucWen"),
    "lugre": ("lugre", "LuGre"),
    "sqrt-stage": ("smooth", "SqrtStage"),
    "tanh-stage": ("smooth", "TanhStage"),
    "sqrt-friction": ("smooth", "SqrtFriction"),
    "tanh-friction": ("smooth", "TanhFriction"),
}


def law_class(name: str) -> type[Law]:
    """The law of that name, as written in files: "masing", "modified-dahl", also "ModifiedDahl"."""
    plain = {key.replace("-", ""): key for key in LAWS}
    key = plain.get(str(name).lower().replace("-", "").replace("_", ""))
    if key is None:
        raise InvalidInput(f'unknown law "{name}"{did_you_mean(name, LAWS)}')
    module, cls = LAWS[key]
    found: type[Law] = getattr(import_module(f"slipstick.laws.{module}"), cls)
    return found


def law_name(law: type[Law]) -> str | None:
    """The name of a law class in files; None for a user's own."""
    for key, (module, cls) in LAWS.items():
        if law.__module__ == f"slipstick.laws.{module}" and law.__name__ == cls:
            return key
    return None
