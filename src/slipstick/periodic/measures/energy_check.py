"""Notes on curves where friction adds energy, because a law was evaluated outside its valid range."""

from __future__ import annotations

import numpy as np

from slipstick.results.curve import CurveFindings
from slipstick.results.tolerances import ENERGY_RESIDUAL_LIMIT_REL
from slipstick.transient.law_validity import can_only_dissipate
from slipstick.transient.problem import Problem

WORK_ROUNDING_REL = 1e-9  # of force times motion: work that is none


def with_energy_gain_notes(found: CurveFindings, problem: Problem) -> CurveFindings:
    """What was found of a curve, with a note for each connection of friction that gains energy somewhere."""
    if not found.points or not any(can_only_dissipate(problem)):
        return found
    work = np.array([point.dissipated for point in found.points])
    moved = np.array([np.max(point.amplitude, initial=0.0) for point in found.points])
    forces = np.array([point.force_range for point in found.points])
    allowed = (
        ENERGY_RESIDUAL_LIMIT_REL * np.abs(work).sum(axis=1, keepdims=True)
        + WORK_ROUNDING_REL * forces * moved[:, None]
    )
    notes = []
    for j, takes in enumerate(can_only_dissipate(problem)):
        gained = work[:, j] < -allowed[:, j]
        if takes and gained.any():
            name = problem.system.connections[j].name
            notes.append(
                f'the friction in "{name}" gains energy at {int(gained.sum())} of {gained.size} points, up to '
                f"{-work[:, j].min():.2g} J in a period, which is impossible: the law was evaluated outside its "
                "valid range"
            )
    return found._replace(notes=(*found.notes, *notes))
