"""Figures that follow from the numbers of a law: its slope after a reversal, where slipping begins, and others."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from slipstick.laws.dahl import ModifiedDahl
from slipstick.units.dimensions import DEFLECTION, FORCE, STIFFNESS, Dimension


class DerivedFormula(NamedTuple):
    """name : of the figure.   of : its value, from a law.   dimension : its unit."""

    name: str
    of: Callable[[Any], float]
    dimension: Dimension


def _envelope_distance(law: ModifiedDahl, envelope: tuple[float, ...]) -> float:
    """(slope / rate)^(1 / exponent): where a branch runs along its envelope."""
    slope = envelope[1] if len(envelope) > 1 else 0.0
    return float((slope / law.rate) ** (1.0 / law.exponent)) if slope > 0.0 else 0.0


_SLIP_BEGINS = DerivedFormula("slip_begins", lambda law: law.limit / law.stiffness, DEFLECTION)
JENKINS = (_SLIP_BEGINS,)
MASING = (
    DerivedFormula("initial_stiffness", lambda law: law.stiffness + law.parallel_stiffness, STIFFNESS),
    _SLIP_BEGINS,
)
IWAN = (
    DerivedFormula("initial_stiffness", lambda law: sum(law.stiffnesses) + law.parallel_stiffness, STIFFNESS),
    DerivedFormula("sliding_force", lambda law: sum(law.limits), FORCE),
)
DAHL = (DerivedFormula("initial_stiffness", lambda law: law.stiffness * 2.0**law.exponent, STIFFNESS),)
BLIMAN_SORINE = (
    DerivedFormula("final_limit", lambda law: law.limit - law.overshoot_limit, FORCE),
    DerivedFormula(
        "initial_stiffness",
        lambda law: 2.0 * law.stiffness * (1.0 - law.ratio * law.overshoot_limit / law.limit),
        STIFFNESS,
    ),
)
FIBRE = (DerivedFormula("initial_modulus", lambda law: law.linear + 2.0 * law.stiffness, STIFFNESS),)  # G_i
MODIFIED_DAHL = (
    # the loop settles at these distances from its envelopes
    DerivedFormula("upper_distance", lambda law: _envelope_distance(law, law.upper), FORCE),
    DerivedFormula("lower_distance", lambda law: _envelope_distance(law, law.lower), FORCE),
)
