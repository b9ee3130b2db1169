"""Static equilibrium: where a model rests under constant loads and the means of periodic ones.

Dry friction holds any force up to its limit, so states of rest form a band. The one taken is that of the slide
from the initial displacement: contacts that can hold do, the others have slid one way and rest at their limit. It
minimises potential energy plus friction work (`slipstick.model.equilibrium_solver`), and is what a load that is put on
slowly
leads to, as long as no contact turns back on the way. A contact that has not moved holds up to its static limit.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from slipstick.arrays import Array, Flags
from slipstick.errors import Advice, InvalidInput, Message, MissingFace, NotConverged
from slipstick.model import tolerances as tol
from slipstick.model.assembly import MAX_DENSE_COORDINATES, assemble, refuse_unsteady_loads
from slipstick.model.equilibrium_solver import (
    EquilibriumState,
    is_balanced,
    local_stiffness,
    solve_rest,
    tangent_matrix,
)
from slipstick.model.statics import StaticProblem, static_problem
from slipstick.results.equilibrium import Equilibrium
from slipstick.units.number_format import format_number

if TYPE_CHECKING:
    from slipstick.model.system import System


def equilibrium(system: System) -> Equilibrium:
    """The state of rest of a system; see `slipstick.api.Model.equilibrium`."""
    if not system.coordinates:
        raise InvalidInput("equilibrium needs at least one coordinate", advice=[Advice("add one with {coordinate}")])
    refuse_unsteady_loads(system)
    _refuse_rigid_contacts(system)
    problem = static_problem(assemble(system))
    found, limit, moved = _solve_with_friction(problem)
    _refuse_closed_stops(problem, found)
    result = _result(problem, found, limit, moved)
    if found.drift is not None:
        raise NotConverged(_explain_no_equilibrium(problem, found), partial=result)
    return result


def _refuse_rigid_contacts(system: System) -> None:
    """Refuse rigid contacts with friction: nothing in the balance determines their forces."""
    for c in system.connections:
        if c.law.rigid_contact is not None and c.law.rigid_contact.normal_stiffness > 0.0:
            raise MissingFace(
                f'"{c.name}" is dry friction that follows a force, which equilibrium does not take',
                advice=["take Jenkins(stiffness=..., limit=...), which sticks by a spring"],
            )
        if c.law.rigid_contact is not None:
            raise MissingFace(
                f'"{c.name}" is a rigid contact, which equilibrium does not take',
                advice=["simulate with damping until the model rests, or take FrictionContact"],
            )


def _refuse_closed_stops(problem: StaticProblem, found: EquilibriumState) -> None:
    """Refuse a state of rest beyond a rigid stop: the reaction of the stop is not part of the balance."""
    u = problem.deflection(found.q)
    for j, c in enumerate(problem.parts.system.connections):
        for leaf in c.law.leaves():
            stop = leaf.law.rigid_stop
            if stop is not None and leaf.deflection * u[j] > stop.gap:
                raise NotConverged(
                    f'without its stop "{c.name}" would rest at {format_number(float(u[j]))}, beyond the gap '
                    f"{format_number(stop.gap)}, and equilibrium has no rigid stops",
                    advice=["use Contact for a stop with a spring, or simulate until it rests in contact"],
                )


def _solve_with_friction(problem: StaticProblem) -> tuple[EquilibriumState, Array, Flags]:
    """The rest state, the limit of each contact there, and which contacts have moved (m,).

    Contacts hold up to their static limit until they move; then the sliding limit counts, and all is solved again.
    """
    moved = np.zeros(problem.limit.size, dtype=bool)
    found = None
    while True:
        limit = np.where(moved, problem.limit, problem.static_limit)
        found = _snap_unmoved(problem, solve_rest(problem, limit, near=found))
        dust = tol.SLIDING_REL * problem.force_scale(found.q, found.friction) / local_stiffness(problem)
        sliding = (limit > 0.0) & (np.abs(found.friction) >= limit) & (np.abs(problem.slid(found.q)) > dust)
        if found.drift is not None or not np.any(sliding & ~moved & (problem.static_limit > problem.limit)):
            return found, limit, moved | sliding
        moved |= sliding


def _snap_unmoved(problem: StaticProblem, found: EquilibriumState) -> EquilibriumState:
    """Displacements with changes by rounding only set back to the start."""
    dust = tol.UNMOVED_REL * problem.force_scale(found.q, found.friction) / problem.steepest
    q = np.where(np.abs(found.q - problem.start) <= dust, problem.start, found.q)
    left = problem.unbalanced(q, found.friction)
    return replace(found, q=q, unbalanced=left) if is_balanced(problem, q, found.friction, left) else found


def _result(problem: StaticProblem, found: EquilibriumState, limit: Array, moved: Flags) -> Equilibrium:
    parts, connections = problem.parts, problem.parts.system.connections
    q = parts.start.copy()
    q[parts.free], q[parts.prescribed] = found.q, parts.mean_motion()
    force = problem.law_forces(found.q) + found.friction
    margin = {c.name: float(limit[j] - abs(found.friction[j])) for j, c in enumerate(connections) if limit[j] > 0.0}
    return Equilibrium(
        displacement=dict(zip(parts.names, q.tolist(), strict=True)),
        force={c.name: float(force[j]) for j, c in enumerate(connections)},
        residual=float(np.abs(found.unbalanced).max(initial=0.0)),
        margin=margin,
        notes=tuple(_notes(problem, found, limit, moved)),
    )


def _notes(problem: StaticProblem, found: EquilibriumState, limit: Array, moved: Flags) -> list[str]:
    system = problem.parts.system
    notes = []
    swinging = [c.motion for c in system.coordinates if c.motion is not None] + [load.function for load in system.loads]
    if any(function.parts().harmonics for function in swinging):
        notes.append("periodic loads and motions act with their means")
    for j, c in enumerate(system.connections):
        if limit[j] > 0.0:
            notes.append(_friction_note(c.name, found.friction[j], limit[j], problem.slid(found.q)[j], bool(moved[j])))
        if not c.law.kernel_law.directions and any(
            (leaf.law.remembers or leaf.law.has_stack) and leaf.law.rigid_friction is None for leaf in c.law.leaves()
        ):
            notes.append(f'"{c.name}" has memory: its force is on the virgin curve from deflection 0')
    notes += _contact_notes(problem, found)
    return notes + _shared_note(problem, limit, moved) + _tangent_notes(problem, found)


def _contact_notes(problem: StaticProblem, found: EquilibriumState) -> list[str]:
    """The states of laws with several deflections."""
    u, notes = problem.deflection(found.q), []
    for contact in problem.contacts:
        states = contact.law.states(contact.forces(u)[:, None])
        state = "" if states is None else f" in {states[0]}"
        if contact.law.remembers:
            notes.append(f'"{contact.name}" rests{state}, after a straight path from zero deflections')
    return notes


def _friction_note(name: str, held: float, limit: float, slid: float, moved: bool) -> str:
    if moved:
        return (
            f'"{name}" slid by {slid:.4g} and rests at its limit {limit:.4g}: '
            f"friction would hold any force in a band of +-{limit:.4g}"
        )
    return f'"{name}" holds {held:.4g} of +-{limit:.4g} by friction: a band of rest, margin {limit - abs(held):.4g}'


def _shared_note(problem: StaticProblem, limit: Array, moved: Flags) -> list[str]:
    """Sticking contacts that hold the same direction share its force in no unique way."""
    stuck = np.flatnonzero((limit > 0.0) & ~moved)
    columns = problem.along[:, stuck]
    columns = columns.toarray() if hasattr(columns, "toarray") else columns
    if stuck.size < 2 or np.linalg.matrix_rank(columns) == stuck.size:
        return []
    names = ", ".join(problem.parts.system.connections[j].name for j in stuck)
    return [f"sticking contacts share a direction ({names}): the sum of their forces is certain, the split is not"]


def _tangent_notes(problem: StaticProblem, found: EquilibriumState) -> list[str]:
    """Directions that nothing holds, and unstable ones; for models of up to 500 coordinates."""
    n = problem.load.size
    if not 0 < n <= MAX_DENSE_COORDINATES or not problem.is_conservative:
        return []
    tangent = tangent_matrix(problem, found.slopes)
    tangent = tangent.toarray() if hasattr(tangent, "toarray") else tangent
    size = 1.0 / np.sqrt(problem.steepest)
    values, vectors = np.linalg.eigh(0.5 * (tangent + tangent.T) * np.outer(size, size))
    names = np.array(problem.parts.names)[problem.parts.free]
    notes = []
    for words, which in (
        ("no force holds {}: it stays nearest to the initial position", np.abs(values) < tol.NEUTRAL_STIFFNESS),
        ("the equilibrium is unstable: a displacement of {} grows", values < -tol.NEUTRAL_STIFFNESS),
    ):
        moving = np.abs(vectors[:, which]).max(axis=1, initial=0.0) > 0.1
        if moving.any():
            notes.append(words.format(", ".join(names[moving][:6]) + (" ..." if moving.sum() > 6 else "")))
    return notes


def _explain_no_equilibrium(problem: StaticProblem, found: EquilibriumState) -> str:
    """The coordinates that run away and the force that nothing balances."""
    assert found.drift is not None
    names = np.array(problem.parts.names)[problem.parts.free]
    if not np.isfinite(found.unbalanced).all():
        i = int(np.argmin(np.isfinite(found.unbalanced)))
        words = f'no equilibrium found: "{names[i]}" runs away, its forces grow beyond all numbers'
        return Message(words, advice=[Advice("start nearer to one ({displacement}); springs soften there")])
    if not found.runs_away:
        i = int(np.argmax(np.abs(found.unbalanced)))
        return Message(
            f'no equilibrium found: {abs(found.unbalanced[i]):.4g} is left unbalanced at "{names[i]}"',
            advice=[Advice("start nearer to one ({displacement}), or check for springs that soften")],
        )
    drift = found.drift / found.drift[int(np.argmax(np.abs(found.drift)))]
    moving = names[np.abs(drift) > 0.1]
    which = ", ".join(f'"{name}"' for name in moving[:4]) + (" ..." if moving.size > 4 else "")
    force = -float(drift @ found.unbalanced)
    return f"no equilibrium: nothing balances a force of {force:.4g} on {which}; add a spring, a stop or friction there"
