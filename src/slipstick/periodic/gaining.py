"""Curves on which friction gains energy: a law is led to where it has no meaning, and a note says so."""

from __future__ import annotations

import numpy as np

from slipstick.results.certificate import LARGEST_ENERGY_RESIDUAL
from slipstick.results.curve import Findings
from slipstick.transient.meaning import only_take
from slipstick.transient.problem import Problem

ROUNDING = 1e-9  # of force times motion: work that is none


def with_gains(found: Findings, problem: Problem) -> Findings:
    """What was found of a curve, with a note for each connection of friction that gains energy somewhere."""
    if not found.points or not any(only_take(problem)):
        return found
    work = np.array([point.dissipated for point in found.points])
    moved = np.array([np.max(point.amplitude, initial=0.0) for point in found.points])
    forces = np.array([point.force_range for point in found.points])
    allowed = LARGEST_ENERGY_RESIDUAL * np.abs(work).sum(axis=1, keepdims=True) + ROUNDING * forces * moved[:, None]
    notes = []
    for j, takes in enumerate(only_take(problem)):
        gained = work[:, j] < -allowed[:, j]
        if takes and gained.any():
            name = problem.system.connections[j].name
            notes.append(
                f'the friction in "{name}" gains energy at {int(gained.sum())} of {gained.size} points, up to '
                f"{-work[:, j].min():.3g} J in a period, which it cannot: its law is led to where it has no meaning"
            )
    return found._replace(notes=(*found.notes, *notes))
