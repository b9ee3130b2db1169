"""The loops of harmonic balance, compiled together: what they share is compiled once."""

from __future__ import annotations

from slipstick.native import Native, compile_functions
from slipstick.periodic.balance.aft_forces_loop import evaluate_laws
from slipstick.periodic.balance.assembly_loop import evaluate_equations
from slipstick.periodic.balance.corrector_loop import correct_on_plane
from slipstick.periodic.balance.multipliers_loop import period_maps
from slipstick.periodic.balance.switching_instants_loop import find_switches


def compiled(entry: str) -> Native:
    """One of the loops; those of the equations, and those of the multipliers, are compiled together."""
    if entry in ("find_switches", "period_maps"):
        return compile_functions(find_switches, period_maps, vectorized=True)[entry]
    return compile_functions(evaluate_laws, evaluate_equations, correct_on_plane)[entry]
