"""A linearised model as a state space.

With q = N x of the degrees of freedom x and the reactions removed by L (see `slipstick.model.modes`), the states are
z = (x, x'):  x'' = (L' M N)^-1 (L' f - L' C N x' - L' K N x).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from slipstick.errors import InvalidInput, did_you_mean
from slipstick.model.assembly import assemble
from slipstick.model.modes import checked_states, linearisation_point, linearise
from slipstick.model.series_joints import needs_rate_joints, part_states
from slipstick.model.system import dense
from slipstick.results.state_space import LinearStateSpace

if TYPE_CHECKING:
    from slipstick.model.system import System

OUTPUTS = ("displacement", "velocity", "acceleration")
MAX_CONDITION = 1e14  # of the mass matrix


def state_space(
    system: System,
    state: Mapping[str, str | Sequence[str]] | None,
    at: Mapping[str, float] | None,
    output: str,
) -> LinearStateSpace:
    """See `slipstick.api.Model.state_space`."""
    if output not in OUTPUTS:
        raise InvalidInput(f"output must be one of {', '.join(OUTPUTS)}{did_you_mean(str(output), OUTPUTS)}").about(
            "output"
        )
    if any(needs_rate_joints(connection.law) for connection in system.connections):
        raise InvalidInput("a damper in series has a state of its own, which state_space does not have; use modes()")
    chosen = checked_states(system, state)
    parts = assemble(system)
    if parts.free.size == 0:
        raise InvalidInput("state_space needs a free coordinate; all coordinates have a prescribed motion")
    linear, notes = linearise(parts, part_states(system, chosen), linearisation_point(parts, at))
    mass, damping, stiffness, motion, reaction = (dense(matrix) for matrix in linear)
    if np.linalg.cond(mass) > MAX_CONDITION:
        raise InvalidInput(
            "a coordinate has no inertia; give it a small one, or remove it with m.reduce(massless=[...])"
        )
    count = mass.shape[0]
    rates = np.linalg.solve(mass, np.hstack([-stiffness, -damping]))
    forces = np.linalg.solve(mass, reaction.T)
    a = np.vstack([np.hstack([np.zeros((count, count)), np.eye(count)]), rates])
    b = np.vstack([np.zeros_like(forces), forces])
    none = np.zeros_like(motion)
    c = {
        "displacement": np.hstack([motion, none]),
        "velocity": np.hstack([none, motion]),
        "acceleration": motion @ rates,
    }[output]
    d = motion @ forces if output == "acceleration" else np.zeros((motion.shape[0], motion.shape[0]))
    names = tuple(parts.names[i] for i in parts.free)
    return LinearStateSpace(a, b, c, d, names, tuple(f"{name}.{output}" for name in names), tuple(map(str, notes)))
