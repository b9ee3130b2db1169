"""Large linear parts made small: Craig and Bampton's condensation.

With the coordinates that are kept (k) and the others inside (i), M and K of the linear part symmetric,

    q_i = Psi q_k + Phi eta,    Psi = -K_ii^-1 K_ik,    K_ii Phi = M_ii Phi Omega^2:

what the inside does when the kept ones move slowly, exactly, and its lowest modes with the kept ones held. Static
deflections are exact; motions are as good as the first mode that is left out is fast.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from slipstick.errors import InvalidInput, did_you_mean, shown
from slipstick.model.condense import is_symmetric
from slipstick.model.forms import Form
from slipstick.model.inside import RIGID, blocks, inside_of, places
from slipstick.model.rebuilding import Kind
from slipstick.model.system import Coordinate, Matrices, System

Array = NDArray[np.float64]

SPARE = 2  # modes beyond twice as many


@dataclass(frozen=True, eq=False)
class Condensation:
    """How a condensed model came from its primary one.

    primary : the model.   kept, inside : names.   modes : how many of the inside were taken.
    static : (inside, kept) displacements inside for a unit displacement of each kept coordinate.
    shapes : (inside, known modes).   frequencies : [rad/s] of those modes, the kept coordinates held: about twice as
    many as were taken or more, to tell what the others would change.
    """

    primary: System
    kept: tuple[str, ...]
    inside: tuple[str, ...]
    modes: int
    static: Array
    shapes: Array
    frequencies: Array

    @property
    def basis(self) -> Array:
        """(inside, kept + modes) displacements inside, from those of the condensed model."""
        return np.hstack([self.static, self.shapes[:, : self.modes]])

    @property
    def next_frequency(self) -> float:
        """[rad/s] of the first mode that was left out; infinite if there is none."""
        return float(self.frequencies[self.modes]) if self.frequencies.size > self.modes else np.inf

    @property
    def is_whole(self) -> bool:
        """True if every mode was taken: nothing was left out."""
        return self.modes == len(self.inside)

    @property
    def more(self) -> list[int]:
        """How many more modes tell what was left out: about twice as many as were taken, or fewer; none if all are."""
        known = self.frequencies.size - self.modes
        return list(dict.fromkeys(min(count, known) for count in (self.modes + SPARE, (self.modes + SPARE) // 2, 1)))

    def finer(self, system: System, more: int) -> System:
        """A condensed model with so many more modes, of those that are known.

        system : the condensed model as it is now: its laws, loads and starts are kept.
        """
        return self._with(system, self.shapes[:, : self.modes + more])

    def whole(self, system: System) -> System:
        """A condensed model with all modes that are known, and shapes for what they lack of static deflections: under
        loads, under the inertia of the inside where kept coordinates move, and under its damping there."""
        return self._with(system, np.hstack([self.shapes, self._lacking]))

    def inner(self, displacement: Array) -> Array:
        """(samples, inside) displacements inside, from those (samples, kept + modes) of the condensed model."""
        return np.asarray(displacement @ self.basis.T)

    @cached_property
    def _lacking(self) -> Array:
        """(inside, k) shapes for what modes that are known lack."""
        given = self.primary.matrices
        assert given is not None
        place = {name: i for i, name in enumerate(self.inside)}
        loads = np.zeros((len(self.inside), len(self.primary.loads)))
        for k, load in enumerate(self.primary.loads):
            for name in load.form.terms.keys() & place.keys():
                loads[place[name], k] = load.form.terms[name]
        columns = [loads]
        for matrix in (given.mass, given.damping):
            inner, across = blocks(matrix, *places(given.names, self.kept))
            columns.append(across.toarray() + inner @ self.static)
        return inside_of(given, self.kept).lacking(np.hstack(columns), self.frequencies, self.shapes)

    @property
    def mode_names(self) -> tuple[str, ...]:
        """Of the coordinates that are modes of the inside."""
        return self.names(self.modes)[len(self.kept) :]

    def _moved_loads(self) -> dict[frozenset[tuple[str, float]], Form]:
        """Forms of the primary model's loads by what became of them in the condensed one."""
        rows, names = dict(zip(self.inside, self.basis, strict=True)), self.names(self.modes)
        return {_key(_moved(load.form, rows, names)): load.form for load in self.primary.loads}

    def names(self, modes: int) -> tuple[str, ...]:
        """Of the kept coordinates and of so many modes."""
        taken = {c.name for c in self.primary.coordinates}
        word = next(w for w in ("mode", "inner_mode", *(f"mode_{i}_" for i in range(99))) if f"{w}1" not in taken)
        return (*self.kept, *(f"{word}{i}" for i in range(1, modes + 1)))

    def _with(self, system: System, shapes: Array) -> System:
        """A condensed model with other shapes of the inside, those that it has first."""
        basis = np.hstack([self.static, shapes])
        names = self.names(shapes.shape[1])
        new = type(system)(system.name, system.frequency)
        new.units, new.matrices = system.units, _matrices(self, basis, names)
        for c in system.coordinates:
            new.coordinate(c.name, inertia=c.inertia, displacement=c.displacement, velocity=c.velocity, motion=c.motion)
        starts = _starts(self.primary, self, shapes)
        for i in range(self.modes, shapes.shape[1]):
            new.coordinate(names[len(self.kept) + i], displacement=starts[0][i], velocity=starts[1][i])
        _connect(new, system)
        rows, primary = dict(zip(self.inside, basis, strict=True)), self._moved_loads()
        for load in system.loads:
            form = primary.get(_key(load.form))
            new.load(load.form if form is None else _moved(form, rows, names), load.function, name=load.name or None)
        return new


def condense(system: Kind, keep: Any, modes: Any) -> Kind:
    """See `Model.condense`."""
    given = system.matrices
    if given is None:
        raise InvalidInput("condense is for models from matrices (Model.from_matrices); reduce() is for connections")
    if isinstance(modes, bool) or not isinstance(modes, (int, np.integer)) or modes < 0:
        raise InvalidInput(f"condense: modes must be a whole number >= 0, got {shown(modes)}").about("modes")
    kept = _kept(system, keep)
    border = [name for name in given.names if name in kept]
    if len(border) == len(given.names):
        raise InvalidInput("condense: every coordinate is kept, or a connection holds it; there is nothing to condense")
    for role, matrix in (("mass", given.mass), ("stiffness", given.stiffness)):
        if not is_symmetric(matrix):
            apart = float(abs(matrix - matrix.T).max())
            raise InvalidInput(
                f"condense: {role} must be symmetric; it differs from its transpose by {apart:.3g}: "
                f"pass ({role} + {role}.T) / 2 if that is rounding"
            )
    inside = inside_of(given, border)
    inside.check()
    count = min(int(modes), len(inside.names))
    frequencies, shapes = inside.modes(min(2 * count + SPARE, len(inside.names)))
    how = Condensation(
        system.snapshot(), tuple(border), tuple(inside.names), min(count, frequencies.size), inside.static, shapes,
        frequencies,
    )  # fmt: skip
    small = _model(system, how)
    _check_mass(small.matrices)
    return small


def _check_mass(given: Matrices | None) -> None:
    """Refuse a negative kinetic energy, which entries of a large sparse matrix alone do not tell."""
    assert given is not None
    values = np.linalg.eigvalsh(given.mass)
    if values[0] < -1e-9 * np.abs(values).max():
        raise InvalidInput("condense: mass must be positive semi-definite; a negative kinetic energy is possible")


def _kept(system: System, keep: Any) -> set[str]:
    """Names to keep: those asked for, and what connections and prescribed motions hold."""
    known = [c.name for c in system.coordinates]
    asked = [keep] if isinstance(keep, (str, int, np.integer, Form)) and not isinstance(keep, bool) else keep
    if not isinstance(asked, Iterable):
        raise InvalidInput(f"condense: keep is a list of coordinates, got {shown(keep)}").about("keep")
    found = {_named(one, known) for one in asked}
    for connection in system.connections:
        found |= set(connection.deflection.terms) | set(connection.along.terms)
    return found | {c.name for c in system.coordinates if c.motion is not None}


def _named(one: Any, known: list[str]) -> str:
    """The name of a coordinate, given by itself, its name or its number from 0."""
    if isinstance(one, (int, np.integer)) and not isinstance(one, (bool, np.bool_)):
        if not -len(known) <= one < len(known):
            raise InvalidInput(
                f"condense: keep: numbers are from 0 to {len(known) - 1}, one a coordinate, got {one}"
            ).about("keep")
        return known[int(one)]
    name = one.name if isinstance(one, Coordinate) else one
    if not isinstance(name, str) or name not in known:
        hint = did_you_mean(name, known) if isinstance(name, str) else ""
        raise InvalidInput(f"condense: keep: no coordinate {shown(name)}{hint}").about("keep")
    return name


def _model(system: Kind, how: Condensation) -> Kind:
    """The condensed model: kept coordinates, modes, and all connections and loads."""
    basis, names, inside = how.basis, how.names(how.modes), frozenset(how.inside)
    new = type(system)(f"{system.name}, condensed", system.frequency)
    new.units, new.condensation = system.units, how
    for c in system.coordinates:
        if c.name not in inside:
            new.coordinate(c.name, inertia=c.inertia, displacement=c.displacement, velocity=c.velocity, motion=c.motion)
    starts = _starts(system, how, how.shapes[:, : how.modes])
    for name, place, rate in zip(names[len(how.kept) :], *starts, strict=True):
        new.coordinate(name, displacement=place, velocity=rate)
    new.matrices = _matrices(how, basis, names)
    _connect(new, system)
    rows = dict(zip(how.inside, basis, strict=True))
    for load in system.loads:
        new.load(_moved(load.form, rows, names), load.function, name=load.name or None)
    return new


def _matrices(how: Condensation, basis: Array, names: tuple[str, ...]) -> Matrices:
    """Of the kept coordinates and the shapes inside."""
    from scipy.sparse import csr_array

    given = how.primary.matrices
    assert given is not None
    whole = np.vstack([np.eye(len(how.kept), len(names)), basis])
    k_at, i_at = places(given.names, how.kept)
    order = [*k_at, *i_at]
    ordered = (csr_array(m)[order][:, order] for m in (given.mass, given.damping, given.stiffness))
    mass, damping, stiffness = (_condensed(m, whole, len(how.kept)) for m in ordered)
    return Matrices(names, mass, damping, stiffness)


def _condensed(matrix: Any, whole: Array, kept: int) -> Array:
    """W' A W, without the rounding of products; the first columns of W are of so many kept coordinates."""
    found = whole.T @ (matrix @ whole)
    if not is_symmetric(found, 1e-9):
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
    rigid = np.abs(values) <= RIGID
    if not rigid.any():
        return matrix
    shapes = size[:, None] * vectors[:, ~rigid]
    return np.asarray((shapes * values[~rigid]) @ shapes.T)


def _connect(new: System, system: System) -> None:
    for link in system.connections:
        new.connect(link.deflection, link.law, name=link.name, along=None if link.is_conjugate else link.along)


def _starts(primary: System, how: Condensation, shapes: Array) -> tuple[list[float], list[float]]:
    """The start of each shape: what it has of displacement and velocity inside, beside the static part."""
    by_name = {c.name: c for c in primary.coordinates}
    found = []
    for what in ("displacement", "velocity"):
        inside, kept = (np.array([getattr(by_name[name], what) for name in own]) for own in (how.inside, how.kept))
        rest = inside - how.static @ kept
        nothing = np.zeros(shapes.shape[1])
        found.append((np.linalg.lstsq(shapes, rest, rcond=None)[0] if rest.any() else nothing).tolist())
    return found[0], found[1]


def _key(form: Form) -> frozenset[tuple[str, float]]:
    """By which forms that are the same are found."""
    return frozenset(form.terms.items())


def _moved(form: Form, rows: dict[str, Array], names: tuple[str, ...]) -> Form:
    """A form of the primary model in coordinates of the condensed one."""
    new = Form({name: factor for name, factor in form.terms.items() if name not in rows})
    for name, factor in form.terms.items():
        if name in rows:
            new = new + Form(dict(zip(names, (factor * rows[name]).tolist(), strict=True)))
    return new
