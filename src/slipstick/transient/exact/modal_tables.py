"""The linear system of one state of all units, as a table of modes for the compiled flow.

Sticking contacts are eliminated: with W the columns of their deflections, q = Nr x + Y d where W' Nr = 0, W' Y = 1
and d the part of their deflections that coordinates must follow; equations are projected by Nl with Nl' A = 0, A the
columns along which their forces act. The rest, Mr x'' + Cr x' + Kr x = f, is decomposed into modes. Zero modes are
split off as polynomials in time, so constant loads and ramps need no defective matrix. `steady_response` adds the
response to waves. Massless directions follow the others, by an equation of first order if they are damped.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from slipstick.arrays import Array, Complex
from slipstick.model.modal_algebra import null_basis
from slipstick.transient.exact import records as at
from slipstick.transient.exact.complementarity import EXCLUDED, HOLDS, factor_delassus
from slipstick.transient.exact.eigenpairs import Eigenpairs, refine_eigenpairs
from slipstick.transient.exact.first_order_form import FirstOrder, UndeterminedDirection, first_order_form
from slipstick.transient.exact.flow_storage import new_state
from slipstick.transient.exact.packed_model import ModelUnit, PackedModel
from slipstick.transient.exact.pair_columns import set_pair_columns, slip_direction
from slipstick.transient.exact.records import ModalTable
from slipstick.transient.exact.root_exclusion import LAMBDA_ROW
from slipstick.transient.exact.state_modes import NoModalTable, StateModes, product_without_rounding, split_modes
from slipstick.transient.exact.symmetric_eigenpairs import MIN_COORDINATES, classical_pairs

MAX_BLUR_REL = 100.0  # uncertainty over value: below it eigenvalues need no refinement
DEPENDENT_DEFLECTION_REL = 1e-9  # of a deflection: the part that others do not span
BASIS_ROUNDING = 1e-14  # of a unit vector: rounding of an orthonormal basis


class StateMatrices(NamedTuple):
    """The matrices of one state, with springs and dampers of all units; sticking contacts as columns.

    lost : rounding of the stiffness when springs of units were added.
    along : (stuck, n) where the reactions act; those of pairs that slide with their friction.
    """

    stiffness: Array
    damping: Array
    stuck: list[int]
    lost: Array
    pieces: Array
    along: Array


def state_matrices(packed: PackedModel, pieces: Array) -> StateMatrices:
    """The linear system in which the units are in these pieces."""
    stiffness, damping = packed.stiffness.copy(), packed.damping.copy()
    stuck, lost = [], np.zeros_like(stiffness)
    for j, (unit, p) in enumerate(zip(packed.units, pieces.astype(int), strict=True)):
        if unit.is_contact:
            if p == at.STICK:
                stuck.append(j)
            continue
        force = packed.pieces[j][p].force
        slopes = [(unit, force.u + (force.w if packed.pieces[j][p].moves else 0.0), force.v)]
        if unit.partner >= 0 and (force.partner or force.partner_rate):
            slopes.append((packed.units[unit.partner], force.partner, force.partner_rate))
        for moved, k, c in slopes:
            outer = np.outer(unit.along, moved.deflection)
            total = stiffness + k * outer
            part = total - stiffness
            lost += (stiffness - (total - part)) + (k * outer - part)
            stiffness = total
            damping += c * outer
    along = np.array([_reaction_form(packed, pieces, j) for j in stuck]).reshape(len(stuck), packed.problem.n)
    return StateMatrices(stiffness, damping, stuck, lost, pieces, along)


def _reaction_form(packed: PackedModel, pieces: Array, j: int) -> Array:
    """(n,) where the reaction of a sticking unit acts."""
    unit = packed.units[j]
    if unit.pair is None or unit.friction:
        return unit.along
    return unit.along + slip_direction(pieces[j - 1]) * unit.pair.friction * packed.units[j - 1].along


def linear_system_key(packed: PackedModel, pieces: Array) -> tuple[Any, ...]:
    """The key of a linear system: the slopes of units, and the contacts that stick."""
    return tuple(
        _contact_key(unit, p) if unit.is_contact else (own[int(p)].force[1:4], own[int(p)].force[5:], own[int(p)].moves)
        for unit, own, p in zip(packed.units, packed.pieces, pieces.tolist(), strict=True)
    )


def _contact_key(unit: ModelUnit, piece: float) -> Any:
    """Whether a contact sticks; for a tangential contact of a pair also the direction in which it slides."""
    return piece if unit.pair is not None and unit.friction else piece == at.STICK


def modal_table(packed: PackedModel, pieces: Array) -> ModalTable:
    """The modal table of one state, or a table that marks Taylor steps (possible only with inertia)."""
    state = state_matrices(packed, pieces)
    try:
        body = _modal(packed, state)
    except (NoModalTable, np.linalg.LinAlgError) as trouble:
        if packed.problem.massless:
            raise NoModalTable(str(trouble).lower()) from None
        body = {}
    return pack_table(body, state.stuck, pieces)


def fast_mode_velocities(table: ModalTable, n: int) -> Array:
    """(2, n) the largest change of each velocity if all displacements, or all velocities, change by 1.

    Rounding of a state excites fast modes: no velocity is accurate to better than 1e-16 of this.
    """
    if table.kind != at.MODAL:
        return np.zeros((2, n))
    r = table.mode_count
    speed = np.hypot(*table.eigenvalues.reshape(r, LAMBDA_ROW)[:, :2].T)
    left = np.abs(table.left.view(complex)).reshape(r, 2, n).sum(axis=2)
    right = np.abs(table.shapes.view(complex)).reshape(n, r)
    return np.asarray((right @ (speed[:, None] * left)).T)


def pack_table(body: dict[str, Any], stuck: list[int], pieces: Array) -> ModalTable:
    """A table with these fields; without any it marks a state without modes."""
    parts = {**body, "pieces": pieces}
    sections = {name: _flat(parts.pop(name, ())) for name, kind in ModalTable.fields.items() if kind == "section"}
    kind = at.MODAL if body else at.SERIES_ONLY
    sizes = {name: values.size for name, values in sections.items()}
    return ModalTable(sizes, **sections, **parts, kind=kind, has_modes=bool(body), stuck_count=len(stuck))


def _flat(values: Any) -> Array:
    array = np.asarray(values)
    if array.dtype.kind == "c":
        return np.ascontiguousarray(array, dtype=complex).view(float).ravel()
    return np.asarray(array, dtype=float).ravel()


def _modal(packed: PackedModel, state: StateMatrices) -> dict[str, Any]:
    n, units, h = packed.problem.n, packed.units, packed.omega.size
    d = np.array([u.deflection for u in units]).reshape(-1, n)
    stiffness, damping, regular = state.stiffness, state.damping, not packed.problem.massless
    own = _reduced(packed, state)
    pairs = classical_pairs(own.mass, own.damping, own.stiffness, own.lost) if regular else None
    massless: dict[str, Any] = {}
    if pairs is not None:
        modes = _from_pairs(pairs, own)
    else:
        system = _first_order(packed, own)
        modes = split_modes(system)
        if regular and not modes.zero_left.size:
            modes = _of_second_order(modes, own)
        if system.loose.size:
            _refuse_loose(packed, system.loose)
        modes = _seen(modes, system)
        massless = massless if regular else _massless(packed, state, system)
    if n >= MIN_COORDINATES:  # the fastest decaying modes are last
        order = np.argsort(-modes.values.real, kind="stable")
        right, left, forces = modes.right[:, order], modes.left[order], modes.forces[order]
        modes = modes._replace(
            values=modes.values[order], blur=modes.blur[order], right=right, left=left, forces=forces
        )
    lam = modes.values
    size = np.abs(lam)
    slow = size < np.where(lam.imag == 0.0, at.SLOW_DRIFT, at.SLOW) * size.max(initial=0.0)
    xq = modes.right * np.where(lam.imag != 0.0, 2.0, 1.0)  # displacements of each mode, with its pair
    return {
        "mode_count": lam.size, "zero_count": modes.zero_left.shape[0],
        "eigenvalues": np.array([lam.real, lam.imag, slow, modes.blur]).T,
        "left": modes.left, "left_force": modes.forces, "shapes": xq,
        "zero_left": modes.zero_left, "zero_force": modes.zero_forces, "nilpotent": modes.nilpotent,
        "zero_shapes": modes.zero_right, "response": np.zeros(2 * h * n), "response_slopes": np.zeros(2 * h * n),
        "stuck_shapes": own.y, "stuck_stiffness": stiffness @ own.y, "stuck_damping": damping @ own.y,
        "stuck_units": state.stuck, "unit_shapes": d @ xq, "unit_response": np.zeros(4 * h * len(units)),
        **_answers(packed, state, xq), **massless,
    }  # fmt: skip


class Reduced(NamedTuple):
    """The matrices of a state where sticking contacts are eliminated, with Nr, Nl (None: nothing sticks) and Y.

    lost : rounding of the stiffness.
    """

    mass: Array
    damping: Array
    stiffness: Array
    lost: Array
    right: Array | None
    left: Array | None
    y: Array


def _reduced(packed: PackedModel, state: StateMatrices) -> Reduced:
    mass, damping, stiffness = packed.mass, state.damping, state.stiffness
    if not state.stuck:
        return Reduced(mass, damping, stiffness, state.lost, None, None, np.zeros((packed.problem.n, 0)))
    right, left, y = eliminate_stuck(packed, [packed.units[j] for j in state.stuck], state.along)
    m, c, k = (product_without_rounding(left, matrix, right) for matrix in (mass, damping, stiffness))
    return Reduced(m, c, k, left.T @ state.lost @ right, right, left, y)


def _first_order(packed: PackedModel, own: Reduced) -> FirstOrder:
    """The first-order system of a state, of all coordinates."""
    regular = not packed.problem.massless
    inner = first_order_form(own.mass, own.damping, own.stiffness, regular)
    if own.right is None or own.left is None:
        return inner
    # contacts determine velocities without inertia: only momenta determine the motion of the rest
    rates = own.right.T if regular else inner.inverse @ own.left.T @ packed.mass
    return _in_full(inner, own.left, own.right, rates)


def _seen(modes: StateModes, system: FirstOrder) -> StateModes:
    """Modes of a first-order system as displacements, and their projections of (q, v)."""
    to_state = np.hstack([system.from_x, system.from_rate])  # from (q, v) to the first-order state
    return modes._replace(
        right=system.to_q @ modes.right, left=modes.left @ to_state,
        zero_right=system.to_q @ modes.zero_right, zero_left=modes.zero_left @ to_state,
    )  # fmt: skip


def _from_pairs(pairs: Eigenpairs, own: Reduced) -> StateModes:
    """The same from eigenpairs of M x'' + C x' + K x = f."""
    modes = _second_order_modes(pairs, own)
    n, right, left = own.mass.shape[0], modes.right[: own.mass.shape[0]], modes.left
    if own.right is not None:
        right, left = own.right @ right, np.hstack([left[:, :n] @ own.right.T, left[:, n:] @ own.right.T])
    return modes._replace(right=right, left=left)


def _in_full(system: FirstOrder, left: Array, right: Array, rates: Array) -> FirstOrder:
    """A system reduced by sticking contacts, expanded to all coordinates; the columns of ``right`` are orthonormal, and
    ``rates`` extracts its velocities from all."""
    return replace(
        system,
        force=system.force @ left.T,
        to_q=right @ system.to_q,
        feed=right @ system.feed @ left.T,
        from_x=system.from_x @ right.T,
        from_rate=system.from_rate @ rates,
        loose=right @ system.loose,
    )


def _massless(packed: PackedModel, state: StateMatrices, system: FirstOrder) -> dict[str, Any]:
    """Fields of a table for coordinates without inertia."""
    return {
        "feed": system.feed, "loose_count": system.loose.shape[1], "loose": system.loose.T,
        "span": _spanned(packed, state.stuck),
    }  # fmt: skip


def _spanned(packed: PackedModel, stuck: list[int]) -> Array:
    """(m, 1 + stuck) for contacts whose deflection is a sum of independent sticking ones: 1, then its coefficients."""
    d = np.array([unit.deflection for unit in packed.units])
    chosen = [stuck[i] for i in _independent(d[stuck])] if stuck else []
    rows = np.zeros((len(d), 1 + len(stuck)))
    for j, unit in enumerate(packed.units):
        if unit.is_contact and not unit.driven and j not in chosen and chosen:
            parts = np.linalg.lstsq(d[chosen].T, d[j], rcond=None)[0]
            if np.linalg.norm(d[j] - parts @ d[chosen]) < DEPENDENT_DEFLECTION_REL * np.linalg.norm(d[j]):
                rows[j, 0] = 1.0
                rows[j, 1 + np.array([stuck.index(i) for i in chosen])] = parts
    return rows


def _answers(packed: PackedModel, state: StateMatrices, xq: Complex) -> dict[str, Any]:
    """The rows that give reactions of sticking contacts from forces, displacements, velocities and accelerations."""
    s, n = len(state.stuck), packed.problem.n
    rows = rk = rc = rm = np.zeros((s, n))
    answer = np.zeros((s, xq.shape[1], 3), complex)
    if s:
        rows = reaction_rows(packed, state)
        rk, rc, rm = rows @ state.stiffness, rows @ state.damping, rows @ packed.mass
        answer = np.stack([-rk @ xq, -rc @ xq, -rm @ xq], axis=-1)
    return {
        "reaction_modes": answer, "reaction_response": np.zeros(2 * packed.omega.size * s),
        "reaction_force": rows, "reaction_stiffness": rk, "reaction_damping": rc, "reaction_mass": rm,
    }  # fmt: skip


def _refuse_loose(packed: PackedModel, loose: Array) -> None:
    """Refuse loads on directions without inertia and stiffness."""
    n, model = packed.problem.n, packed.model
    constants, slopes = model.load_constant.reshape(-1, n), model.load_slope.reshape(-1, n)
    loads = np.vstack([constants, slopes, np.abs(packed.force_waves).T])
    for direction in loose.T:
        if np.abs(loads @ direction).max(initial=0.0) > 0.0:
            raise UndeterminedDirection(direction)


def eliminate_stuck(packed: PackedModel, stuck: list[ModelUnit], a: Array) -> tuple[Array, Array, Array]:
    """Nr, Nl and Y for these sticking contacts, whose reactions act along ``a``; dependent ones add nothing to Y."""
    n = packed.problem.n
    d = np.array([u.deflection for u in stuck])
    right = null_basis(d.T)
    left = right if np.allclose(a, d * (a.sum() / d.sum() if d.sum() else 1.0)) else null_basis(a.T)
    independent = _independent(d)
    y = np.zeros((n, len(stuck)))
    y[:, independent] = np.linalg.pinv(d[independent])
    # rounding would move immobile coordinates, and give inertia to massless directions
    right, left, y = (
        np.where(np.abs(part) > BASIS_ROUNDING * np.abs(part).max(axis=0), part, 0.0) for part in (right, left, y)
    )
    return right, left, y


def _independent(rows: Array) -> list[int]:
    """The first rows that span all of them."""
    chosen: list[int] = []
    basis = np.zeros((0, rows.shape[1]))
    for i, row in enumerate(rows):
        rest = row - basis.T @ (basis @ row)
        rest -= basis.T @ (basis @ rest)
        if np.linalg.norm(rest) > DEPENDENT_DEFLECTION_REL * np.linalg.norm(row):
            chosen.append(i)
            basis = np.vstack([basis, rest / np.linalg.norm(rest)])
    return chosen


def reaction_rows(packed: PackedModel, state: StateMatrices) -> Array:
    """(s, n) rows that extract reactions from residual forces; contacts that depend on others carry nothing."""
    n = packed.problem.n
    rows = np.zeros((len(state.stuck), n))
    chosen = _pivots(packed, state)
    rows[chosen] = np.linalg.pinv(state.along[chosen].T)
    return rows


def _pivots(packed: PackedModel, own: StateMatrices) -> list[int]:
    """The sticking contacts that carry force: those that the compiled elimination chooses too."""
    stuck = own.stuck
    if packed.problem.massless:
        return _independent(own.along)
    contacts = [j for j, unit in enumerate(packed.units) if unit.is_contact]
    state = new_state(packed.model)
    state.status = np.array([HOLDS if j in stuck else EXCLUDED for j in contacts])
    state.piece = own.pieces
    set_pair_columns(packed.model, state)
    count = factor_delassus(packed.model, state)
    return [stuck.index(contacts[int(i)]) for i in state.basis[:count]]


def _of_second_order(modes: StateModes, own: Reduced) -> StateModes:
    """The modes of M x'' + C x' + K x = f, of which z = (x, x'), refined."""
    n = own.mass.shape[0]
    if np.all(modes.blur <= MAX_BLUR_REL * np.abs(modes.values)):
        return modes
    forces = np.linalg.solve(own.mass.T, modes.left[:, n:].T).T.astype(complex)
    given = Eigenpairs(modes.values, modes.right[:n], forces)
    better = refine_eigenpairs(own.mass, own.damping, own.stiffness, own.lost, given)
    return modes if better is None else _second_order_modes(better, own)


def _second_order_modes(pairs: Eigenpairs, own: Reduced) -> StateModes:
    """The modes of z = (x, x') from eigenpairs of M x'' + C x' + K x = f."""
    values, right, left = pairs
    from_rate = left @ own.mass
    from_x = values[:, None] * from_rate + left @ own.damping
    speed = np.abs(values)  # of a value: y dK x, y dC x l, y dM x l^2
    terms = (np.abs(left) @ np.abs(part) for part in (own.stiffness, own.damping, own.mass))
    blur = [np.sum(term * np.abs(right.T), axis=1) * speed**power for power, term in enumerate(terms)]
    n, none = right.shape[0], np.zeros((0, 0))
    return StateModes(
        values=values,
        blur=np.sum(blur, axis=0),
        right=np.vstack([right, right * values]),
        left=np.hstack([from_x, from_rate]),
        forces=left if own.left is None else left @ own.left.T,
        zero_right=np.zeros((2 * n, 0)),
        zero_left=np.zeros((0, 2 * n)),
        zero_forces=none,
        nilpotent=none,
    )
