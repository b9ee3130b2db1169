"""The linear limits of Fig. 21: a tensioner that always sticks, and one that always slips."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from slipstick.laws.dahl import ModifiedDahl
from slipstick.systems.tensioner import tensioner

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from slipstick.api import Model


def linear_limits(
    law: str, frequencies: Sequence[float] | NDArray[np.float64], **numbers: float
) -> dict[str, NDArray[np.float64]]:
    """(k,) range of tension per newton of force, "stick" and "slip".   numbers : of the system, other than printed.

    Masing: both springs and the damper, or without the friction's spring. Modified Dahl: a small motion turns between
    branches that meet halfway between the envelopes, where their slopes are the same (stick); a large one follows the
    envelopes, whose mean slope is left (slip). Neither has any damping but the belt's.
    """
    lines: dict[str, list[float]] = {"stick": [], "slip": []}
    for omega in frequencies:
        model = tensioner(law, frequency=float(omega), **numbers)
        for name, holder in _tensioner_stiffness(model).items():
            lines[name].append(2.0 * _tension(model, float(omega), holder))
    return {name: np.array(values) for name, values in lines.items()}


def _tensioner_stiffness(model: Model) -> dict[str, complex]:
    """The tensioner in stick and in slip: stiffness and i omega damping [N/m]."""
    law: Any = model.connection("tensioner").law
    place = 0.0
    if isinstance(law, ModifiedDahl):  # its middle line bears what hangs on it
        held = sum(load.function.parts().constant for load in model.loads)
        place = (held - law.midway(0.0)) / law.linearised("slip").stiffness
    each = {state: law.linearised(state, place) for state in ("stick", "slip")}
    return {state: one.stiffness + 1j * float(model.frequency or 0.0) * one.damping for state, one in each.items()}


def _tension(model: Model, omega: float, holder: complex) -> float:
    """[1] amplitude of the tension over that of the force, with a linear tensioner."""
    mass, idler = (float(one.inertia) for one in model.coordinates)
    law: Any = model.connection("belt").law
    belt, held = law.stiffness + 1j * omega * law.damping, holder - idler * omega**2
    series = belt * held / (belt + held)
    return float(abs(series / (series - mass * omega**2)))
