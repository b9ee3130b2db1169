"""Large linear parts made small: Craig and Bampton's condensation.

With the coordinates that are kept (k) and the others inside (i), M and K of the linear part symmetric,

    q_i = Psi q_k + Phi eta,    Psi = -K_ii^-1 K_ik,    K_ii Phi = M_ii Phi Omega^2:

what the inside does when the kept ones move slowly, exactly, and its lowest modes with the kept ones held. Static
deflections of kept coordinates are exact, also under loads inside; motions are accurate if the omitted modes are fast.
A model that was condensed before is condensed together with what it has left out then.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from slipstick.arrays import Array
from slipstick.errors import InvalidInput, short_repr
from slipstick.model import tolerances as tol
from slipstick.model.condensation_record import MAX_LISTED_NAMES, Condensation, copy_connections
from slipstick.model.condensed_interior import Interior, interior_blocks, interior_of, partition_indices
from slipstick.model.linear_forms import Form
from slipstick.model.modal_algebra import is_symmetric
from slipstick.model.system import Coordinate, Matrices, System
from slipstick.model.system_copy import Kind
from slipstick.name_hints import did_you_mean

SPARE_MODES = 2  # modes beyond half as many more
START_MODES_FACTOR = 5  # times as many modes for a start inside, which no static deflection represents


def condense(system: Kind, keep: Any, modes: Any) -> Kind:
    """See `Model.condense`."""
    given = system.matrices
    if given is None:
        raise InvalidInput("condense is for models from matrices (Model.from_matrices); reduce() is for connections")
    if isinstance(modes, bool) or not isinstance(modes, (int, np.integer)) or modes < 0:
        raise InvalidInput(f"modes must be a whole number >= 0, got {short_repr(modes)}", owner="condense").about(
            "modes"
        )
    kept = _kept_names(system, keep)
    border = [name for name in given.names if name in kept]
    if len(border) == len(given.names):
        raise InvalidInput(
            "nothing is left to condense: every coordinate is kept or has a connection; keep fewer", owner="condense"
        )
    for role, matrix in (("mass", given.mass), ("stiffness", given.stiffness)):
        if not is_symmetric(matrix):
            apart = float(abs(matrix - matrix.T).max())
            raise InvalidInput(
                f"{role} must be symmetric; it differs from its transpose by {apart:.3g}: "
                f"pass ({role} + {role}.T) / 2 if that is rounding",
                owner="condense",
            )
    inside = interior_of(given, border)
    inside.check()
    how = _condensation(system, given, border, inside, int(modes))
    small = _condensed_model(system, how)
    _check_mass(small.matrices)
    return small


def _check_mass(given: Matrices | None) -> None:
    """Refuse a negative kinetic energy, which the entries of a large sparse matrix do not show."""
    assert given is not None
    values = np.linalg.eigvalsh(given.mass)
    if values[0] < -tol.NEGATIVE_MASS_REL * np.abs(values).max():
        raise InvalidInput(
            "mass must be positive semi-definite, but a negative kinetic energy is possible; check its signs",
            owner="condense",
        )


def _kept_names(system: System, keep: Any) -> set[str]:
    """Names to keep: the requested ones, and those of connections and prescribed motions."""
    known = [c.name for c in system.coordinates]
    requested = [keep] if isinstance(keep, (str, int, np.integer, Form)) and not isinstance(keep, bool) else keep
    if not isinstance(requested, Iterable):
        raise InvalidInput(f"keep is a list of coordinates, got {short_repr(keep)}", owner="condense").about("keep")
    found = {_coordinate_name(one, known) for one in requested}
    for connection in system.connections:
        found |= set(connection.deflection.terms) | set(connection.along.terms)
    return found | {c.name for c in system.coordinates if c.motion is not None}


def _coordinate_name(one: Any, known: list[str]) -> str:
    """The name of a coordinate, from the coordinate, its name or its number from 0."""
    if isinstance(one, (int, np.integer)) and not isinstance(one, (bool, np.bool_)):
        if not -len(known) <= one < len(known):
            raise InvalidInput(
                f"keep: numbers are from 0 to {len(known) - 1}, one a coordinate, got {one}", owner="condense"
            ).about("keep")
        return known[int(one)]
    name = one.name if isinstance(one, Coordinate) else one
    if not isinstance(name, str) or name not in known:
        raise InvalidInput(
            f"keep: no coordinate {short_repr(name)}{_similar_names(name, known)}", owner="condense"
        ).about("keep")
    return name


def _similar_names(name: Any, known: list[str]) -> str:
    """A few names that may be meant; a large model has thousands, so never all of them."""
    hint = did_you_mean(name, known, lists=False) if isinstance(name, str) else ""
    some = ", ".join(known if len(known) <= MAX_LISTED_NAMES else [*known[: MAX_LISTED_NAMES - 1], "...", known[-1]])
    return hint or f" (there are {len(known)}: {some})"


# ---- shapes of the inside


class InteriorShapes(NamedTuple):
    """Of the inside, its modes first.

    modes : how many of them are taken.   values : (inside, shapes)   frequencies : (shapes,) [rad/s]
    starts : (2, shapes)   dropped : what modes that are taken cannot show of the start, displacement and velocity.
    """

    modes: int
    values: Array
    frequencies: Array
    starts: Array
    dropped: tuple[float, float]


def _interior_shapes(
    system: System, given: Matrices, border: list[str], inside: Interior, modes: int, loads: Array
) -> InteriorShapes:
    """Modes that are taken, about as many more, and shapes for what those lack.   loads : (inside, loads)"""
    modes = min(modes, len(inside.names))
    start = _interior_start(system, border, inside)
    known = START_MODES_FACTOR * (modes + SPARE_MODES) if start.any() else modes + modes // 2 + SPARE_MODES
    frequencies, values = inside.modes(min(known, len(inside.names)))
    if not start.any():
        frequencies, values = frequencies[:known], values[:, :known]
    modes = min(modes, frequencies.size)
    columns = [
        loads,
        *(_boundary_forces(matrix, given.names, border, inside) for matrix in (given.mass, given.damping)),
    ]
    further = inside.lacking(np.hstack(columns), start, values)
    values = np.hstack([values, further.shapes])
    starts = values.T @ (inside.mass @ start)
    missed = np.abs(start - values[:, :modes] @ starts[:modes]).max(axis=0, initial=0.0)
    missed[missed <= tol.MISSED_START_REL * np.abs(start).max(axis=0, initial=0.0)] = 0.0
    dropped = (float(missed[0]), float(missed[1]))
    return InteriorShapes(modes, values, np.concatenate([frequencies, further.frequencies]), starts.T, dropped)


def _interior_start(system: System, border: list[str], inside: Interior) -> Array:
    """(inside, 2) displacement and velocity at the start, beside what follows the kept coordinates."""
    by_name = {c.name: c for c in system.coordinates}
    own, kept = (
        np.array([(by_name[name].displacement, by_name[name].velocity) for name in names]).reshape(-1, 2)
        for names in (inside.names, border)
    )
    found = own - inside.static @ kept
    terms = np.abs(own) + np.abs(inside.static) @ np.abs(kept)
    found[np.abs(found) <= tol.CANCELLED_SUM_REL * terms.max(axis=0, initial=0.0)] = 0.0
    return np.asarray(found)


def _boundary_forces(matrix: Any, names: tuple[str, ...], border: list[str], inside: Interior) -> Array:
    """(inside, kept) forces of inertia or damping on the inside where kept coordinates move and it follows."""
    inner, across = interior_blocks(matrix, *partition_indices(names, border))
    found = across.toarray() + inner @ inside.static
    terms = abs(across).toarray() + abs(inner) @ np.abs(inside.static)
    found[:, (np.abs(found) <= tol.CANCELLED_SUM_REL * terms.max(axis=0, initial=0.0)).all(axis=0)] = 0.0
    return np.asarray(found)


# ---- the condensed model


class CondensationBase(NamedTuple):
    """The part to condense: coordinates of the matrices, then shapes left out before.

    wide : matrices of all of them.   inside, basis : names and (inside, wide) of the part that is condensed already.
    frequencies : (left,)   starts : (2, left) of those shapes.   dropped : of the start, before.
    modes : names that are modes from before, and no places.
    """

    wide: Matrices
    inside: tuple[str, ...]
    basis: Array
    frequencies: Array
    starts: Array
    dropped: tuple[float, float]
    modes: tuple[str, ...]


def _condensation_base(given: Matrices, before: Condensation | None) -> CondensationBase:
    if before is None or before.names != given.names:
        return CondensationBase(
            given, (), np.zeros((0, len(given.names))), np.zeros(0), np.zeros((2, 0)), (0.0, 0.0), ()
        )
    left, starts = before.frequencies[before.modes :], before.starts[:, before.modes :]
    return CondensationBase(before.wide, before.inside, before.basis, left, starts, before.dropped, before.mode_names)


def _condensation(system: System, given: Matrices, border: list[str], inside: Interior, modes: int) -> Condensation:
    """The part of a model to condense, with the shapes it left out before."""
    base = _condensation_base(given, system.condensation)
    all_names, left = base.wide.names, base.frequencies.size
    along = np.array([_load_row(load.form, system.condensation, given.names) for load in system.loads])
    along = along.reshape(-1, len(all_names))
    place = {name: i for i, name in enumerate(all_names)}
    i_at, k_at = [place[name] for name in inside.names], [place[name] for name in border]
    shapes = _interior_shapes(system, given, border, inside, modes, along[:, i_at].T)
    moved = np.zeros((len(all_names), len(border) + shapes.frequencies.size + left))
    moved[k_at, np.arange(len(border))] = 1.0
    moved[i_at, : moved.shape[1] - left] = np.hstack([inside.static, shapes.values])
    moved[-left + np.arange(left), -left + np.arange(left)] = 1.0
    rows = [place[name] for name in inside.names if name not in base.modes]
    names = (*border, *_mode_names([c.name for c in system.coordinates], shapes.frequencies.size + left))
    entries = (
        _condensed_matrix(m, moved, len(border)) for m in (base.wide.mass, base.wide.damping, base.wide.stiffness)
    )
    hidden = frozenset(inside.names)
    stay = [c.name for c in system.coordinates if c.name not in hidden]
    return Condensation(
        kept=tuple(border),
        inside=(*(all_names[i] for i in rows), *base.inside),
        modes=shapes.modes,
        frequencies=np.concatenate([shapes.frequencies, base.frequencies]),
        wide=Matrices(names, *entries),
        basis=np.vstack([moved[rows], base.basis @ moved]),
        loads=along @ moved,
        starts=np.hstack([shapes.starts, base.starts]),
        dropped=(shapes.dropped[0] + base.dropped[0], shapes.dropped[1] + base.dropped[1]),
        columns=(*stay, *names[len(border) : len(border) + shapes.modes]),
    )


def _load_row(form: Form, before: Condensation | None, names: tuple[str, ...]) -> Array:
    """What a load does to the coordinates of the matrices, and to shapes that were left out before."""
    if before is not None and before.names == names:
        return before.load_row(form)
    return np.array([float(form.factor(name)) for name in names])


def _mode_names(taken: list[str], count: int) -> list[str]:
    """``count`` names that are free."""
    words = ("mode", "inner_mode", *(f"mode_{i}_" for i in range(len(taken) + 1)))
    return next(found for word in words if not set(found := [f"{word}{i}" for i in range(1, count + 1)]) & set(taken))


def _condensed_model(system: Kind, how: Condensation) -> Kind:
    """The condensed model: kept coordinates, modes, and all connections and loads."""
    given, count = system.matrices, len(how.names)
    assert given is not None
    new = type(system)(f"{system.name}, condensed", system.frequency)
    new.stated_units, new.condensation = system.units, how
    inside = frozenset(given.names) - frozenset(how.kept)
    for c in system.coordinates:
        if c.name not in inside:
            new.coordinate(c.name, inertia=c.inertia, displacement=c.displacement, velocity=c.velocity, motion=c.motion)
    for name, place, rate in zip(how.mode_names, *how.starts[:, : how.modes].tolist(), strict=True):
        new.coordinate(name, displacement=place, velocity=rate)
    entries = (getattr(how.wide, role)[:count, :count] for role in ("mass", "damping", "stiffness"))
    new.matrices = Matrices(how.names, *entries)
    copy_connections(new, system)
    for load, row in zip(system.loads, how.loads, strict=True):
        beside = Form({name: factor for name, factor in load.form.terms.items() if name not in given.names})
        form = beside + Form(dict(zip(how.names, row[:count].tolist(), strict=True)))
        if not form.terms:
            raise InvalidInput(
                f"the load on {load.form} acts on no kept coordinate and on none of the {how.modes} modes; keep "
                "one of its coordinates, or take more modes",
                owner="condense",
            ).about("keep")
        new.load(form, load.function, name=load.name or None)
    return new


def _condensed_matrix(matrix: Any, whole: Array, kept: int) -> Array:
    """W' A W, without the rounding of products; the first columns of W belong to the kept coordinates."""
    found = whole.T @ (matrix @ whole)
    if not is_symmetric(found, tol.PRODUCT_SYMMETRY_REL):
        return np.asarray(found)
    found = (found + found.T) / 2.0
    own = whole[:, :kept]
    terms = np.einsum("ij,ij->j", np.abs(own), abs(matrix) @ np.abs(own))
    found[:kept, :kept] = _without_rounding(found[:kept, :kept], terms)
    return np.asarray(found)


def _without_rounding(matrix: Array, terms: Array) -> Array:
    """A stiffness or damping that rigid motions do not feel: terms (n,) are sizes of what its diagonal was summed from,
    which cancels where the mesh is fine."""
    size = np.sqrt(np.where(terms > 0.0, terms, 1.0))
    values, vectors = np.linalg.eigh(matrix / np.outer(size, size))
    rigid = np.abs(values) <= tol.RIGID_ENERGY_REL
    if not rigid.any():
        return matrix
    shapes = size[:, None] * vectors[:, ~rigid]
    return np.asarray((shapes * values[~rigid]) @ shapes.T)
