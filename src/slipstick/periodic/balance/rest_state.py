"""Where a model that begins aside of zero would come to rest: an orbit in that well is the one a user asks for."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from slipstick.arrays import Array
from slipstick.errors import SlipstickError
from slipstick.model.equilibrium import equilibrium

if TYPE_CHECKING:
    from slipstick.periodic.balance.harmonic_balance import HarmonicBalance


class RestState(NamedTuple):
    """displacement : (n,) of the free coordinates.   stiffness : (lines,) of the laws there."""

    displacement: Array
    stiffness: Array


def rest_state_of(family: HarmonicBalance) -> RestState | None:
    """The state of rest that the model's initial displacement leads to; None where it begins at zero, or does not tell:
    what has friction or memory rests wherever it is."""
    problem, lines = family.problem, family.lines
    if not problem.displacement.any() or any(m.rounds or m.law.remembers or m.law.has_stack for m in lines.members):
        return None
    try:
        found = equilibrium(problem.system)
    except SlipstickError:
        return None
    each = [found.displacement[coordinate.name] for coordinate in problem.system.coordinates]
    q = np.array(each)[problem.assembly.free]
    u = lines.rows @ q + family.offsets[:, -1]
    stiffness = np.zeros(lines.count)
    for member, factor in zip(lines.members, family.follower.factors, strict=True):
        slope = member.law.tangent(float(member.scale * u[member.line]), 0.0, ())[1]
        stiffness[member.line] += float(factor.mean()) * member.scale * slope
    return RestState(q, stiffness) if np.isfinite(stiffness).all() else None
