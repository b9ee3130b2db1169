"""A linearised model as a state space.

With q = N x of the degrees of freedom x and the reactions removed by L (see `slipstick.model.modes`), the states are
z = (x, x'):  x'' = (L' M N)^-1 (L' f - L' C N x' - L' K N x).
A degree of freedom w without inertia, such as a state of a controller, has no rate among the states: with the rows 0 of
these, w' = (L0' C N0)^-1 (L0' f - L0' C N1 x' - L0' K q), where q are all displacements.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from slipstick.arrays import Array
from slipstick.errors import InvalidInput
from slipstick.model.assembly import assemble
from slipstick.model.modes import checked_states, linearisation_point, linearise
from slipstick.model.series_joints import needs_rate_joints, part_states
from slipstick.model.system import dense
from slipstick.name_hints import did_you_mean
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
    heavy = np.asarray(mass.any(axis=0) | mass.any(axis=1))
    if output == "acceleration" and not heavy.all():
        words = "a coordinate without inertia has no acceleration here; ask for the displacement or the velocity"
        raise InvalidInput(words).about("output")
    count, outputs = mass.shape[0], motion.shape[0]
    a, b = _first_order(mass, damping, stiffness, reaction.T, heavy)
    if output == "displacement":
        c, d = motion @ np.eye(count, a.shape[0]), np.zeros((outputs, b.shape[1]))
    else:
        rows = slice(count) if output == "velocity" else slice(count, None)
        c, d = motion @ a[rows], motion @ b[rows]
    names = tuple(parts.names[i] for i in parts.free)
    return LinearStateSpace(a, b, c, d, names, tuple(f"{name}.{output}" for name in names), tuple(map(str, notes)))


def _first_order(
    mass: Array, damping: Array, stiffness: Array, forces: Array, heavy: NDArray[np.bool_]
) -> tuple[Array, Array]:
    """Matrices A and B of the states (q, x').   heavy : which q have inertia.   The first rows are those of q'."""
    count = mass.shape[0]
    inert, light = np.flatnonzero(heavy), np.flatnonzero(~heavy)
    own, held = mass[np.ix_(inert, inert)], damping[np.ix_(light, light)]
    for matrix in (own, held):
        if matrix.size and np.linalg.cond(matrix) > MAX_CONDITION:
            raise InvalidInput(
                "a coordinate has no inertia and no damper; give it one, or remove it with m.reduce(massless=[...])"
            )
    # q' = rates (q, x') + loads f
    rates, loads = np.zeros((count, count + inert.size)), np.zeros((count, forces.shape[1]))
    rates[inert, count + np.arange(inert.size)] = 1.0
    if light.size:
        driving = np.hstack([-stiffness[light], -damping[np.ix_(light, inert)]])
        rates[light], loads[light] = np.linalg.solve(held, driving), np.linalg.solve(held, forces[light])
    # M x'' = f - C q' - K q
    pulled, pushed = -damping[inert] @ rates, forces[inert] - damping[inert] @ loads
    pulled[:, :count] -= stiffness[inert]
    return np.vstack([rates, np.linalg.solve(own, pulled)]), np.vstack([loads, np.linalg.solve(own, pushed)])
