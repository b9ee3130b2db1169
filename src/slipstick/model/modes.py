"""Linear modes with a chosen state of every connection.

In its state each law is k du + c v, which adds along * (k, c) * deflection' to the matrices, or it
sticks: then deflection' q' = 0 with a reaction along ``along``. A stick is eliminated with bases N of
deflection' q = 0 and L of along' q = 0 (the same where the connection is power-conjugate):
L' (M N x'' + C N x' + K N x) = 0. Prescribed coordinates are held.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from slipstick.arrays import Array
from slipstick.errors import Advice, InvalidInput, Message, SlipstickError, finite_float, short_repr
from slipstick.laws.base import Law
from slipstick.laws.directions import DirectionForce, stated_laws
from slipstick.laws.faces import Face, Linearised
from slipstick.model import tolerances as tol
from slipstick.model.assembly import MAX_DENSE_COORDINATES, Assembly, assemble
from slipstick.model.modal_algebra import MACHINE_EPS, null_basis
from slipstick.model.series_joints import add_joints, needs_rate_joints, part_states
from slipstick.model.system import Connection, dense
from slipstick.name_hints import did_you_mean
from slipstick.results.connection_states import join_states, split_states
from slipstick.results.modes import Modes

if TYPE_CHECKING:
    from slipstick.model.system import System

DEFAULT_SPARSE_MODES = 20  # modes found where the model is large and no count is given


class LinearisedSystem(NamedTuple):
    """L' (M N x'' + C N x' + K N x) = L' f; motion : (n, r) is N, so q = motion @ x; reaction : (n, r) is L."""

    mass: Any
    damping: Any
    stiffness: Any
    motion: Any
    reaction: Any


def modes(
    system: System,
    state: Mapping[str, str | Sequence[str]] | None = None,
    at: Mapping[str, float] | None = None,
    count: int | None = None,
) -> Modes:
    """The linear modes of a system; `slipstick.api.Model.modes` says what the arguments mean."""
    from slipstick.model.quadratic_eigenproblem import dense_modes, sparse_modes

    chosen = checked_states(system, state)
    if count is not None and (isinstance(count, bool) or not isinstance(count, (int, np.integer)) or count < 1):
        raise InvalidInput(f"count must be a whole number >= 1, got {short_repr(count)}")
    if any(needs_rate_joints(connection.law) for connection in system.connections):
        system = add_joints(system)
    parts = assemble(system)
    if parts.free.size == 0:
        raise InvalidInput("modes needs a free coordinate; all coordinates of this model have a prescribed motion")
    each = part_states(system, chosen)
    sliding = sliding_tangents(parts, each, linearisation_point(parts, at))
    linear, notes = linearise(parts, each, linearisation_point(parts, at), sliding)
    notes += _sliding_notes(parts, each, sliding)
    size = linear.mass.shape[0]
    if (
        parts.is_sparse
        and size > MAX_DENSE_COORDINATES
        and 3 * (wanted := min(count or DEFAULT_SPARSE_MODES, size)) < size
    ):
        if count is None:
            notes.append(Message(f"the {wanted} lowest modes of {size}", advice=[Advice("{count} asks for more")]))
        values, shapes, more = sparse_modes(linear.mass, linear.damping, linear.stiffness, wanted)
    else:
        values, shapes, more = dense_modes(*(dense(m) for m in linear[:3]))
    order = np.argsort(np.abs(values), kind="stable")[: count or values.size]
    full = np.zeros((len(parts.names), order.size), dtype=complex)
    full[parts.free] = linear.motion @ shapes[:, order]
    shown = len(parts.names) if system.joints is None else len(system.joints.system.coordinates)
    return Modes(parts.names[:shown], values[order], normalised(full[:shown].T), chosen, (*notes, *more))


def sliding_tangents(parts: Assembly, state: Mapping[str, str], displacement: Array) -> dict[str, Linearised]:
    """By name the connections that a coordinate of constant speed makes slide, with their tangents at that rate.

    Those with memory, and those whose state is given as stick, are left out.
    """
    v = np.zeros(len(parts.names))
    for i in parts.prescribed:
        motion = parts.system.coordinates[i].motion
        v[i] = 0.0 if motion is None else motion.parts().ramp
    rates, u = parts.deflections.T @ v, parts.deflections.T @ displacement
    found = {}
    for j, connection in enumerate(parts.system.connections):
        chosen = state.get(connection.name)
        if not rates[j] or (chosen is not None and "stick" in split_states(chosen)):
            continue
        tangent = _tangent_at_rate(connection.law, float(u[j]), float(rates[j]))
        if tangent is not None:
            found[connection.name] = tangent
    return found


def _tangent_at_rate(law: Law, u: float, rate: float) -> Linearised | None:
    """The tangent of friction that slides, and of dampers beside it; None of other laws, and of those in time."""
    stiffness = damping = 0.0
    leaves = law.leaves()
    if all(leaf.law.rigid_friction is None for leaf in leaves):
        return None
    for leaf in leaves:
        own, scale = leaf.law, leaf.deflection
        slides = own.rigid_friction is not None
        if leaf.modulation or (not slides and (own.remembers or own.has_stack or Face.RATE in own.faces)):
            return None
        memory = (scale * u, math.copysign(1.0, scale * rate)) if slides else own.start(scale * u)
        _, k, c = own.tangent(scale * u, scale * rate, memory)
        stiffness += 0.0 if slides else leaf.force * scale * k
        damping += leaf.force * scale * c
    return Linearised(stiffness, damping)


def linearise(
    parts: Assembly,
    state: Mapping[str, str],
    displacement: Array,
    sliding: Mapping[str, Linearised] | None = None,
) -> tuple[LinearisedSystem, list[str]]:
    """The matrices of the free coordinates with every law in its state, and what a reader should know.

    sliding : by name the tangents of connections that slide at a constant rate.
    """
    u = parts.deflections.T @ displacement
    connections, at_rate = parts.system.connections, sliding or {}
    rest = _contact_states(connections, u)
    laws = [
        at_rate.get(c.name) or _linearised(c, state.get(c.name, rest.get(j)), float(u[j]))
        for j, c in enumerate(connections)
    ]
    for j, part in enumerate(laws):
        if not (math.isfinite(part.stiffness) and math.isfinite(part.damping)):
            raise InvalidInput(
                f'connection "{connections[j].name}": {type(connections[j].law).__name__} has no finite tangent at a '
                f"deflection of {float(u[j]):.3g}",
                advice=["check its update() for a root of a negative number or a division by zero there"],
            )
    free = parts.free
    b, w = parts.deflections[free], parts.along[free]
    damping = _free_block(parts.damping, free) + _connection_matrix(w, [part.damping for part in laws], b)
    stiffness = _free_block(parts.stiffness, free) + _connection_matrix(w, [part.stiffness for part in laws], b)
    for i, j, k, c in _couplings(connections, state):
        outer = w[:, [i]] @ b[:, [j]].T
        stiffness, damping = stiffness + k * outer, damping + c * outer
    stuck = [j for j, part in enumerate(laws) if part.sticks]
    motion, reaction = null_basis(b[:, stuck]), null_basis(w[:, stuck])
    names = ", ".join(connections[j].name for j in stuck)
    if motion.shape != reaction.shape:
        raise InvalidInput(f"sticking connections ({names}): their deflections and `along` forms differ in rank")
    if motion.shape[1] == 0:
        raise InvalidInput(f"nothing can move while {names} stick; choose another state, such as {{...: 'slip'}}")
    given = (_free_block(parts.mass, free), damping, stiffness)
    mass, damping, stiffness = (_projected(reaction, m, motion) for m in given)
    notes = [f"sticking, as a constraint: {names}"] if stuck else []
    return LinearisedSystem(mass, damping, stiffness, motion, reaction), notes


def _projected(left: Any, matrix: Any, right: Any) -> Any:
    """left' matrix right with rounding set to zero: a spring along a stuck deflection does nothing."""
    found = left.T @ matrix @ right
    dust = 10.0 * MACHINE_EPS * matrix.shape[0] * (abs(left).T @ abs(matrix) @ abs(right))
    return found * (abs(found) > dust)


def normalised(shapes: Any) -> Any:
    """(modes, n) each divided by its largest component; real if every imaginary part is rounding."""
    if shapes.size:
        largest = np.argmax(
            np.abs(shapes) > (1.0 - tol.UNIT_COMPONENT_REL) * np.abs(shapes).max(axis=1, keepdims=True), axis=1
        )
        pivot = np.take_along_axis(shapes, largest[:, None], axis=1)
        shapes = shapes / np.where(pivot == 0.0, 1.0, pivot)
    return shapes.real.copy() if np.abs(shapes.imag).max(initial=0.0) < tol.REAL_SHAPE else shapes


def _contact_states(connections: Sequence[Connection], u: Array) -> dict[int, str]:
    """States of laws with several deflections at rest at deflections u, by number of the connection."""
    found: dict[int, str] = {}
    for each in stated_laws(connections):
        if len(each.members) > 1:
            first = connections[each.members[0]].law
            assert isinstance(first, DirectionForce)
            first.check_linearised()
            own = first.kernel_law.state_at_rest(u[list(each.members)].tolist())
            found |= {} if own is None else dict.fromkeys(each.members, own)
    return found


def _couplings(connections: Sequence[Connection], state: Mapping[str, str]) -> Iterator[tuple[int, int, float, float]]:
    """Of laws with several deflections: a connection, another one, and stiffness and damping of the force of the first
    by the deflection of the second."""
    for each in stated_laws(connections):
        law = connections[each.members[0]].law.kernel_law
        for direction, i in enumerate(each.members):
            for other, j in enumerate(each.members):
                own = state.get(connections[i].name)
                k, c = law.direction_coupling(direction, other, own) if i != j else (0.0, 0.0)
                if k or c:
                    yield i, j, k, c


def _linearised(connection: Connection, state: str | None, u: float) -> Linearised:
    law = connection.law
    try:
        return law.linearised(state, u)
    except InvalidInput:
        if state is None:
            raise
        known = sorted(law.state_names)
        hint = did_you_mean(state, known) if known else " (its law has no states; leave it out)"
        raise InvalidInput(f'connection "{connection.name}" has no state {short_repr(state)}{hint}') from None


def checked_states(system: System, state: Mapping[str, str | Sequence[str]] | None) -> dict[str, str]:
    """The state of each connection as words, one for each part of its law; signs, as runs have them, do not count."""
    if state is None:
        return {}
    if not isinstance(state, Mapping):
        raise InvalidInput(f'state is a mapping such as {{"bearing": "stick"}}, got {short_repr(state)}')
    found = {}
    several = {each.name: each.members for each in stated_laws(system.connections) if len(each.members) > 1}
    whole = {name: own for name, own in state.items() if name in several}
    state = {name: own for name, own in state.items() if name not in several}
    for name, given in whole.items():  # the state of a contact is that of all its directions
        state |= {system.connections[i].name: given for i in several[name]}
    for name, given in state.items():
        known = system.connection(name).law.state_names
        words = [given] if isinstance(given, str) else given
        if (
            not isinstance(words, Sequence)
            or not words
            or not all(isinstance(word, str) and word.strip() for word in words)
        ):
            raise InvalidInput(
                f'the state of "{name}" is a word such as "stick", or one for each part of a sum, got '
                f"{short_repr(given)}"
            )
        parts = [word for part in words for word in split_states(part)]
        found[name] = join_states([word if word in known else word.rstrip("+-") for word in parts])
    return found


def linearisation_point(parts: Assembly, at: Mapping[str, float] | None) -> Array:
    """(n,) where to linearise: the initial displacement, prescribed coordinates at time 0, changed by ``at``."""
    q = parts.start.copy()
    q[parts.prescribed] = parts.motion(0.0, parts.system.frequency or 1.0)  # at t = 0 no frequency matters
    if at is not None and not isinstance(at, Mapping):
        raise InvalidInput(
            f"at is displacement by coordinate, such as equilibrium().displacement, got {short_repr(at)}"
        )
    for name, value in (at or {}).items():
        own = parts.system.find_coordinate(name).name
        q[parts.names.index(own)] = finite_float(f'displacement of "{name}"', value, "at")
    return q


def _sliding_notes(parts: Assembly, state: Mapping[str, str], sliding: Mapping[str, Linearised]) -> list[str]:
    """A note on each connection whose friction slides by a prescribed motion or an initial velocity: in which state, or
    at which rate, it was taken."""
    system = parts.system
    rates = parts.deflections.T @ _velocity(parts)
    notes: list[str] = []
    for connection, rate in zip(system.connections, rates.tolist(), strict=True):
        if connection.name in sliding:
            slope = sliding[connection.name].damping
            if connection.name in state and not slope:
                continue
            words = (
                f'"{connection.name}" slides at {abs(rate):.3g} m/s or rad/s, and is linearised there: '
                f"its force changes by {slope:.3g} per m/s or rad/s"
            )
            notes.append(Message(words, advice=[Advice("{state} holds it", state={connection.name: "stick"})]))
    for connection, rate in zip(system.connections, rates.tolist(), strict=True):
        law, chosen = connection.law, state.get(connection.name)
        way: Advice | str = "a run shows whether it is stable"
        if rate == 0.0 or connection.name in sliding or not _feels_sliding(law, rate):
            continue
        sticks = {"stick", "slip"} <= set(law.state_names)
        if chosen is not None and "slip" in split_states(chosen):
            if not any(_changes_with_rate(leaf.law) for leaf in law.leaves()):
                continue
            taken = "in slip without what its force does over the rate"
        elif sticks:
            taken, way = "in stick", Advice("{state} takes it sliding", state={connection.name: "slip"})
        else:
            taken = "at rest"
        words = (
            f'"{connection.name}" slides at {abs(rate):.3g} m/s or rad/s by a prescribed motion or initial velocity, '
            f"and is taken {taken}: motions are held still here, so squeal does not show"
        )
        notes.append(Message(words, advice=[way]))
    return notes


def _velocity(parts: Assembly) -> Array:
    """(n,) initial velocities; of prescribed coordinates how fast they move, of those that swing the largest."""
    v = np.array([c.velocity for c in parts.system.coordinates], dtype=float)
    for i in parts.prescribed:
        motion = parts.system.coordinates[i].motion
        assert motion is not None
        own, base = motion.parts(), parts.system.frequency or 1.0
        steady = own.ramp + sum(float(signal.at(0.0, None, 1)) for signal in own.signals)
        swing = sum(np.hypot(h.cos, h.sin) * h.omega * (base if h.is_order else 1.0) for h in own.harmonics)
        v[i] = steady if steady else swing
    return v


def _changes_with_rate(law: Law) -> bool:
    """True for friction that is another at another rate: by a static limit, or by an inner state."""
    return Face.RATE in law.faces or getattr(law, "static_limit", None) is not None


def _feels_sliding(law: Law, rate: float) -> bool:
    """True if a law at a rate is another than at rest: friction, or a damper that is not in proportion."""
    if "slip" in law.state_names:
        return True
    for leaf in law.leaves():
        if not leaf.law.needs_rate:
            continue
        try:
            memory = leaf.law.start(0.0)
            still, sliding = (leaf.law.tangent(0.0, v, memory)[2] for v in (0.0, leaf.deflection * rate))
        except SlipstickError:  # it has no tangent of its own
            continue
        if abs(still - sliding) > tol.RATE_DEPENDENCE_REL * max(abs(still), abs(sliding)):
            return True
    return False


def _free_block(matrix: Any, free: Any) -> Any:
    return matrix[free][:, free] if hasattr(matrix, "toarray") else matrix[np.ix_(free, free)]


def _connection_matrix(w: Any, factors: list[float], b: Any) -> Any:
    """Sum over connections of along * factor * deflection'."""
    if not hasattr(w, "toarray"):
        return (w * np.array(factors, dtype=float)) @ b.T
    from scipy.sparse import diags_array

    return w @ diags_array(np.array(factors, dtype=float), shape=(len(factors), len(factors))) @ b.T
