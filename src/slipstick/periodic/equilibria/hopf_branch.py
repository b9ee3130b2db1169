"""Limit cycles that begin at a Hopf point of a curve of equilibria."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from slipstick.errors import InvalidInput
from slipstick.periodic.equilibria.equilibrium_family import EquilibriumFamily
from slipstick.results.curve import Curve
from slipstick.results.equilibrium_curve import EquilibriumPoint


@dataclass(frozen=True)
class HopfOrigin:
    """problems : over the parameter.   within : range that was followed.   family : of the equilibria."""

    problems: Any
    within: tuple[float, float]
    family: EquilibriumFamily

    def cycles(self, special: Mapping[str, Any], point: EquilibriumPoint) -> Curve:
        """The limit cycles that begin at a Hopf point."""
        raise InvalidInput("limit cycles are not followed from Hopf points")
