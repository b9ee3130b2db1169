"""The linear system of one state of all units, as a table of modes for the compiled flow.

Sticking contacts are eliminated: with W the columns of their deflections, q = Nr x + Y d where W' Nr = 0, W' Y = 1
and d is what their deflections take from the coordinates; equations are projected by Nl with Nl' A = 0, A the columns
along which their forces act. What is left, Mr x'' + Cr x' + Kr x = f, is taken apart into modes. Directions that
nothing pulls back (zero eigenvalues) are split off as polynomials in time, so constant loads and ramps need no
defective matrix. The steady response to waves is put in by `steady_response`. Massless directions follow the others, by
an equation of first order where they are damped.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from slipstick.model.modal_algebra import null_basis
from slipstick.transient.exact import records as at
from slipstick.transient.exact.classical import MIN_COORDINATES, classical_pairs
from slipstick.transient.exact.complementarity import EXCLUDED, HOLDS, factor_delassus
from slipstick.transient.exact.eigenpairs import Eigenpairs, refine_eigenpairs
from slipstick.transient.exact.first_order_form import FirstOrder, UndeterminedDirection, first_order_form
from slipstick.transient.exact.packed_model import PackedModel, Unit, new_state
from slipstick.transient.exact.records import ModalTable
from slipstick.transient.exact.root_exclusion import LAMBDA_ROW

Array = NDArray[np.float64]
Complex = NDArray[np.complex128]

MAX_MODE_CONDITION = 1e6  # condition of a mode; beyond, the matrix is close to a defective one and Taylor steps serve
ZERO_EIGENVALUE_REL = 1e-17  # of the fastest: an eigenvalue that should have been split off
SUM_ROUNDING_REL = 1e-14  # of the sizes that were added: rounding
MAX_BLUR_REL = 100.0  # blur over values: up to so much they are good as an eigensolver gives them
DEPENDENT_DEFLECTION_REL = 1e-9  # of a deflection: what others leave of it
BASIS_ROUNDING = 1e-14  # of a unit vector: rounding of an orthonormal basis
UNPULLED_REL = 1e-11  # the same, for what pulls directions that nothing pulls back: they come from a null space


class NoModalTable(Exception):
    """No usable table of modes for a state."""


class StateMatrices(NamedTuple):
    """The matrices of one state: springs and dampers of all units put in, sticking contacts as columns.

    lost : what rounding took from the stiffness when springs of units were added.
    """

    stiffness: Array
    damping: Array
    stuck: list[int]
    lost: Array


def state_matrices(packed: PackedModel, pieces: Array) -> StateMatrices:
    """The linear system in which the units are in these pieces."""
    stiffness, damping = packed.stiffness.copy(), packed.damping.copy()
    stuck, lost = [], np.zeros_like(stiffness)
    for j, (unit, p) in enumerate(zip(packed.units, pieces.astype(int), strict=True)):
        if unit.friction:
            if p == at.STICK:
                stuck.append(j)
            continue
        force = packed.pieces[j][p].force
        k, c = force.u + (force.w if packed.pieces[j][p].moves else 0.0), force.v
        outer = np.outer(unit.along, unit.deflection)
        total = stiffness + k * outer
        part = total - stiffness
        lost += (stiffness - (total - part)) + (k * outer - part)
        stiffness = total
        damping += c * outer
    return StateMatrices(stiffness, damping, stuck, lost)


def linear_system_key(packed: PackedModel, pieces: Array) -> tuple[Any, ...]:
    """What tells linear systems apart: the slopes of units, and which contacts stick."""
    return tuple(
        p == at.STICK if unit.friction else (own[int(p)].force[1:4], own[int(p)].moves)
        for unit, own, p in zip(packed.units, packed.pieces, pieces.tolist(), strict=True)
    )


def modal_table(packed: PackedModel, pieces: Array) -> ModalTable:
    """The table of modes of one state, or a table that says that Taylor steps must serve (with inertia they can)."""
    state = state_matrices(packed, pieces)
    try:
        body = _modal(packed, state)
    except (NoModalTable, np.linalg.LinAlgError) as trouble:
        if packed.problem.massless:
            raise NoModalTable(str(trouble).lower()) from None
        body = {}
    return pack_table(body, state.stuck, pieces)


def fast_mode_velocities(table: ModalTable, n: int) -> Array:
    """(2, n) by how much each velocity changes at the most where all displacements, or all velocities, change by 1.

    Rounding of a state puts that into fast modes: no state is known better than 1e-16 of this.
    """
    if table.kind != at.MODAL:
        return np.zeros((2, n))
    r = table.mode_count
    speed = np.hypot(*table.eigenvalues.reshape(r, LAMBDA_ROW)[:, :2].T)
    left = np.abs(table.left.view(complex)).reshape(r, 2, n).sum(axis=2)
    right = np.abs(table.shapes.view(complex)).reshape(n, r)
    return np.asarray((right @ (speed[:, None] * left)).T)


def pack_table(body: dict[str, Any], stuck: list[int], pieces: Array) -> ModalTable:
    """A table with these fields; without any it says that there are no modes."""
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
    if n >= MIN_COORDINATES:  # those that die soonest come last
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

    lost : what rounding took from the stiffness.
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
    right, left, y = eliminate_stuck(packed, [packed.units[j] for j in state.stuck])
    m, c, k = (_between(left, matrix, right) for matrix in (mass, damping, stiffness))
    return Reduced(m, c, k, left.T @ state.lost @ right, right, left, y)


def _first_order(packed: PackedModel, own: Reduced) -> FirstOrder:
    """The first-order system of a state, of all coordinates."""
    regular = not packed.problem.massless
    inner = first_order_form(own.mass, own.damping, own.stiffness, regular)
    if own.right is None or own.left is None:
        return inner
    # velocities without inertia are whatever the contacts ask for: only momenta tell how the rest moves on
    rates = own.right.T if regular else inner.inverse @ own.left.T @ packed.mass
    return _in_full(inner, own.left, own.right, rates)


def _seen(modes: Modes, system: FirstOrder) -> Modes:
    """Modes of a first-order system as displacements, and as what they take of (q, v)."""
    to_state = np.hstack([system.from_x, system.from_rate])  # from (q, v) to the first-order state
    return modes._replace(
        right=system.to_q @ modes.right, left=modes.left @ to_state,
        zero_right=system.to_q @ modes.zero_right, zero_left=modes.zero_left @ to_state,
    )  # fmt: skip


def _from_pairs(pairs: Eigenpairs, own: Reduced) -> Modes:
    """The same from eigenpairs of M x'' + C x' + K x = f."""
    modes = _second_order_modes(pairs, own)
    n, right, left = own.mass.shape[0], modes.right[: own.mass.shape[0]], modes.left
    if own.right is not None:
        right, left = own.right @ right, np.hstack([left[:, :n] @ own.right.T, left[:, n:] @ own.right.T])
    return modes._replace(right=right, left=left)


def _in_full(system: FirstOrder, left: Array, right: Array, rates: Array) -> FirstOrder:
    """A system of what is left when contacts stick, as one of all coordinates; the columns of ``right`` are
    orthonormal, and ``rates`` takes its velocities out of all."""
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
    """What serves where coordinates have no inertia."""
    return {
        "feed": system.feed, "loose_count": system.loose.shape[1], "loose": system.loose.T,
        "span": _spanned(packed, state.stuck),
    }  # fmt: skip


def _spanned(packed: PackedModel, stuck: list[int]) -> Array:
    """(m, 1 + stuck) of contacts whose deflection is a sum of those of independent ones that stick: 1, then how."""
    d = np.array([unit.deflection for unit in packed.units])
    chosen = [stuck[i] for i in _independent(d[stuck])] if stuck else []
    rows = np.zeros((len(d), 1 + len(stuck)))
    for j, unit in enumerate(packed.units):
        if unit.friction and not unit.driven and j not in chosen and chosen:
            parts = np.linalg.lstsq(d[chosen].T, d[j], rcond=None)[0]
            if np.linalg.norm(d[j] - parts @ d[chosen]) < DEPENDENT_DEFLECTION_REL * np.linalg.norm(d[j]):
                rows[j, 0] = 1.0
                rows[j, 1 + np.array([stuck.index(i) for i in chosen])] = parts
    return rows


def _answers(packed: PackedModel, state: StateMatrices, xq: Complex) -> dict[str, Any]:
    """What the reactions of sticking contacts have of forces and of the motion: of modes, its rate and acceleration."""
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
    """Directions that nothing holds stay where they are only if nothing loads them."""
    n, model = packed.problem.n, packed.model
    constants, slopes = model.load_constant.reshape(-1, n), model.load_slope.reshape(-1, n)
    loads = np.vstack([constants, slopes, np.abs(packed.force_waves).T])
    for direction in loose.T:
        if np.abs(loads @ direction).max(initial=0.0) > 0.0:
            raise UndeterminedDirection(direction)


def _between(left: Array, matrix: Array, right: Array, small: float = SUM_ROUNDING_REL) -> Array:
    """left' matrix right, where sums that cancel are zero: a direction that nothing pulls back must be exactly that."""
    exact = left.T @ matrix @ right
    size = np.abs(left).T @ np.abs(matrix) @ np.abs(right)
    return np.where(np.abs(exact) > small * size, exact, 0.0)


def eliminate_stuck(packed: PackedModel, stuck: list[Unit]) -> tuple[Array, Array, Array]:
    """Nr, Nl and Y for these sticking contacts; dependent ones add nothing to Y."""
    n = packed.problem.n
    d = np.array([u.deflection for u in stuck])
    a = np.array([u.along for u in stuck])
    right = null_basis(d.T)
    left = right if np.allclose(a, d * (a.sum() / d.sum() if d.sum() else 1.0)) else null_basis(a.T)
    independent = _independent(d)
    y = np.zeros((n, len(stuck)))
    y[:, independent] = np.linalg.pinv(d[independent])
    # rounding would let immobile coordinates move, and give a direction without inertia a share in one that has some
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
    """(s, n) rows that pick the reactions out of the forces left over; contacts that depend on others carry nothing."""
    n = packed.problem.n
    a = np.array([packed.units[j].along for j in state.stuck]).reshape(-1, n)
    rows = np.zeros((len(state.stuck), n))
    chosen = _pivots(packed, state.stuck)
    rows[chosen] = np.linalg.pinv(a[chosen].T)
    return rows


def _pivots(packed: PackedModel, stuck: list[int]) -> list[int]:
    """Which sticking contacts carry force: those that the compiled elimination chooses too."""
    if packed.problem.massless:
        return _independent(np.array([packed.units[j].along for j in stuck]))
    contacts = [j for j, unit in enumerate(packed.units) if unit.friction]
    state = new_state(packed.model)
    state.status = np.array([HOLDS if j in stuck else EXCLUDED for j in contacts])
    count = factor_delassus(packed.model, state)
    return [stuck.index(contacts[int(i)]) for i in state.basis[:count]]


class Modes(NamedTuple):
    """A z = X diag(values) L z + X0 N L0 z; of conjugate pairs one each.

    blur : by how much values change, over the relative change of the entries of matrices.
    forces, zero_forces : what modes take of forces, L B and L0 B.
    """

    values: Complex
    blur: Array
    right: Complex
    left: Complex
    forces: Complex
    zero_right: Array
    zero_left: Array
    zero_forces: Array
    nilpotent: Array


def split_modes(system: FirstOrder) -> Modes:
    """The eigenvalues and vectors of a first-order system, zero ones apart."""
    a = system.matrix
    size = a.shape[0]
    if size == 0:
        empty = np.zeros((0, 0))
        none = empty.astype(complex)
        forces = np.zeros((0, system.force.shape[1]), complex)
        return Modes(np.zeros(0, complex), np.zeros(0), none, none, forces, empty, empty, forces.real, empty)
    zero_right, zero_left = system.zero_spaces()
    z = zero_right.shape[1]
    inner = a
    if z:
        zero_left = np.asarray(np.linalg.solve(zero_left @ zero_right, zero_left), dtype=float)
        rest = null_basis(zero_left.T)  # what the zero part does not see: invariant
        inner = rest.T @ a @ rest
    found = np.linalg.eig(inner)
    values, vectors = found[0].astype(complex), found[1].astype(complex)
    scale = np.abs(values).max(initial=0.0)
    if values.size and np.abs(values).min() < ZERO_EIGENVALUE_REL * scale:
        raise NoModalTable("an eigenvalue that is almost zero")
    values, vectors, inverse = _refined(inner, values, vectors, _inverse(vectors))
    keep = values.imag >= 0.0
    blur = np.sum(np.abs(inverse) @ np.abs(inner) * np.abs(vectors.T), axis=1)
    nilpotent = np.zeros((0, 0))
    if z:
        vectors, inverse = rest @ vectors, inverse @ rest.T
        inverse = inverse - inverse @ zero_right @ zero_left
        nilpotent = _between(zero_left.T, a, zero_right, UNPULLED_REL)
    values, vectors, left = values[keep], vectors[:, keep], inverse[keep]
    pushed = left @ system.force, zero_left @ system.force
    return Modes(values, blur[keep], vectors, left, pushed[0], zero_right, zero_left, pushed[1], nilpotent)


def _of_second_order(modes: Modes, own: Reduced) -> Modes:
    """The modes of M x'' + C x' + K x = f, of which z = (x, x'), refined."""
    n = own.mass.shape[0]
    if np.all(modes.blur <= MAX_BLUR_REL * np.abs(modes.values)):
        return modes
    forces = np.linalg.solve(own.mass.T, modes.left[:, n:].T).T.astype(complex)
    given = Eigenpairs(modes.values, modes.right[:n], forces)
    better = refine_eigenpairs(own.mass, own.damping, own.stiffness, own.lost, given)
    return modes if better is None else _second_order_modes(better, own)


def _second_order_modes(pairs: Eigenpairs, own: Reduced) -> Modes:
    """The modes of z = (x, x') from eigenpairs of M x'' + C x' + K x = f."""
    values, right, left = pairs
    from_rate = left @ own.mass
    from_x = values[:, None] * from_rate + left @ own.damping
    speed = np.abs(values)  # of a value: y dK x, and the same of the others
    terms = (np.abs(left) @ np.abs(part) for part in (own.stiffness, own.damping, own.mass))
    blur = [np.sum(term * np.abs(right.T), axis=1) * speed**power for power, term in enumerate(terms)]
    n, none = right.shape[0], np.zeros((0, 0))
    return Modes(
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


def _inverse(vectors: Complex) -> Complex:
    """Of the eigenvectors; refused where they are close to dependent: then l x = 1 is the sum of large terms.

    Those terms do not depend on the units of coordinates, nor on how far modes are apart.
    """
    inverse = np.asarray(np.linalg.inv(vectors), dtype=complex)
    if not np.abs(inverse * vectors.T).sum(axis=1).max(initial=1.0) < MAX_MODE_CONDITION:
        raise NoModalTable("the modes are close to dependent")
    return inverse


def _refined(matrix: Array, values: Complex, vectors: Complex, inverse: Complex) -> tuple[Complex, Complex, Complex]:
    """Eigenvalues and vectors after one step to first order: what belongs to slow modes beside fast ones gains digits.

    With R = X^-1 A X, values are its diagonal and X is improved by 1 + E, E_ij = R_ij / (l_j - l_i).
    """
    inner = inverse @ matrix @ vectors
    better = np.where(values.imag == 0.0, np.diag(inner).real, np.diag(inner))
    apart = better[None, :] - better[:, None]
    near = np.abs(apart) < 1e-6 * np.abs(better)[None, :]
    turn = np.where(near, 0.0, inner) / np.where(near, 1.0, apart)
    vectors = vectors + vectors @ turn
    inverse = inverse - turn @ inverse
    return better, vectors, inverse + inverse @ (np.eye(values.size) - vectors @ inverse)
