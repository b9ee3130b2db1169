"""Large linear parts made small: Craig and Bampton's condensation.

With the coordinates that are kept (k) and the others inside (i), M and K of the linear part symmetric,

    q_i = Psi q_k + Phi eta,    Psi = -K_ii^-1 K_ik,    K_ii Phi = M_ii Phi Omega^2:

what the inside does when the kept ones move slowly, exactly, and its lowest modes with the kept ones held. Static
deflections are exact; motions are as good as the first mode that is left out is fast.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from slipstick.errors import InvalidInput, did_you_mean, shown
from slipstick.model.condense import is_symmetric
from slipstick.model.forms import Form
from slipstick.model.rebuilding import Kind
from slipstick.model.system import Coordinate, Matrices, System

Array = NDArray[np.float64]

SPARE = 2  # modes beyond twice as many
FEW = 200  # inner coordinates up to which all modes are computed, densely


@dataclass(frozen=True, eq=False)
class Condensation:
    """How a condensed model came from its primary one.

    primary : the model.   kept, inside : names.   modes : how many of the inside were taken.
    static : (inside, kept) displacements inside for a unit displacement of each kept coordinate.
    shapes : (inside, known modes).   frequencies : [rad/s] of those modes, the kept coordinates held: about twice as
    many as were taken, to tell what the others would change.
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
    def left_out(self) -> str:
        """What is not in errors of periodic responses, in words; nothing if all modes were taken."""
        if not np.isfinite(self.next_frequency):
            return ""
        return (
            f"condensed: modes of the inside from {self.next_frequency:.4g} rad/s on are left out, and that is not in "
            "the errors; twice as many modes tell what they change"
        )

    def finer(self) -> System | None:
        """The primary model condensed with all modes that are known; None if all are taken already."""
        if self.frequencies.size <= self.modes:
            return None
        return _model(replace(self, modes=self.frequencies.size))

    def inner(self, displacement: Array) -> Array:
        """(samples, inside) displacements inside, from those (samples, kept + modes) of the condensed model."""
        return np.asarray(displacement @ self.basis.T)


def condense(system: Kind, keep: Any, modes: Any) -> Kind:
    """See `Model.condense`."""
    if system.matrices is None:
        raise InvalidInput("condense is for models from matrices (Model.from_matrices); reduce() is for connections")
    if isinstance(modes, bool) or not isinstance(modes, (int, np.integer)) or modes < 0:
        raise InvalidInput(f"condense: modes must be a whole number >= 0, got {shown(modes)}").about("modes")
    given = system.matrices
    kept = _kept(system, keep)
    inside = [name for name in given.names if name not in kept]
    if not inside:
        raise InvalidInput("condense: every coordinate is kept, or a connection holds it; there is nothing to condense")
    if not (is_symmetric(given.stiffness) and is_symmetric(given.mass)):
        raise InvalidInput("condense: mass and stiffness must be symmetric; keep the coordinates that are not")
    border = [name for name in given.names if name in kept]
    place = {name: i for i, name in enumerate(given.names)}
    k_at, i_at = [place[name] for name in border], [place[name] for name in inside]
    stiffness, mass = _blocks(given.stiffness, k_at, i_at), _blocks(given.mass, k_at, i_at)
    static = _static(stiffness)
    count = min(int(modes), len(inside))
    squares, shapes = _inner_modes(stiffness[0], mass[0], min(2 * count + SPARE, len(inside)))
    frequencies = np.sqrt(np.maximum(squares, 0.0))
    return _model(Condensation(system.snapshot(), tuple(border), tuple(inside), count, static, shapes, frequencies))  # type: ignore[return-value]


def _kept(system: System, keep: Any) -> set[str]:
    """Names to keep: those asked for, and what connections and prescribed motions hold."""
    asked = [keep] if isinstance(keep, (str, Form)) else keep
    if not isinstance(asked, Iterable):
        raise InvalidInput(f"condense: keep is a list of coordinates, got {shown(keep)}").about("keep")
    known = [c.name for c in system.coordinates]
    found: set[str] = set()
    for one in asked:
        name = one.name if isinstance(one, Coordinate) else one
        if not isinstance(name, str) or name not in known:
            hint = did_you_mean(name, known) if isinstance(name, str) else ""
            raise InvalidInput(f"condense: keep: no coordinate {shown(name)}{hint}").about("keep")
        found.add(name)
    for connection in system.connections:
        found |= set(connection.deflection.terms) | set(connection.along.terms)
    return found | {c.name for c in system.coordinates if c.motion is not None}


def _blocks(matrix: Any, k_at: list[int], i_at: list[int]) -> tuple[Any, Any]:
    """(inside, inside) and (inside, kept), sparse."""
    from scipy.sparse import csc_array

    rows = csc_array(matrix)[i_at]
    return rows[:, i_at], rows[:, k_at]


def _static(stiffness: tuple[Any, Any]) -> Array:
    """Displacements inside for a unit displacement of each kept coordinate."""
    from scipy.sparse.linalg import splu

    inner, across = stiffness
    if across.shape[1] == 0:
        return np.zeros((inner.shape[0], 0))
    try:
        with np.errstate(all="ignore"):
            found = -splu(inner).solve(across.toarray())
    except RuntimeError:
        found = np.full((1, 1), np.nan)
    if not np.isfinite(found).all():
        raise InvalidInput("condense: the inside can move while all kept coordinates are held; keep one more of it")
    return np.asarray(found)


def _inner_modes(stiffness: Any, mass: Any, count: int) -> tuple[Array, Array]:
    """Squares of frequencies and shapes of so many lowest modes inside, Phi' M Phi = 1."""
    n = stiffness.shape[0]
    if n <= FEW or 2 * count > n:
        from scipy.linalg import eigh

        squares, shapes = eigh(stiffness.toarray(), mass.toarray())
        return squares[:count], shapes[:, :count]
    from scipy.sparse.linalg import eigsh

    squares, shapes = eigsh(stiffness, count, mass, sigma=0.0, which="LM")
    order = np.argsort(squares)
    return squares[order], shapes[:, order]


def _names(system: System, count: int) -> list[str]:
    taken = {c.name for c in system.coordinates}
    word = next(w for w in ("mode", "inner_mode", *(f"mode_{i}_" for i in range(99))) if f"{w}1" not in taken)
    return [f"{word}{i}" for i in range(1, count + 1)]


def _model(how: Condensation) -> System:
    """The condensed model: kept coordinates, modes, and all connections and loads."""
    system, border, inside, basis = how.primary, how.kept, how.inside, how.basis
    given = system.matrices
    assert given is not None
    modes = _names(system, how.modes)
    names = (*border, *modes)
    whole = np.vstack([np.eye(len(border), len(names)), basis])
    order = [given.names.index(name) for name in (*border, *inside)]
    reduced = (whole.T @ (_ordered(m, order) @ whole) for m in (given.mass, given.damping, given.stiffness))
    new = type(system)(f"{system.name}, condensed", system.frequency)
    new.units, new.condensation = system.units, how
    for c in system.coordinates:
        if c.name not in inside:
            new.coordinate(c.name, inertia=c.inertia, displacement=c.displacement, velocity=c.velocity, motion=c.motion)
    starts = [_start(how, what) for what in ("displacement", "velocity")]
    for name, place, rate in zip(modes, *starts, strict=True):
        new.coordinate(name, displacement=float(place), velocity=float(rate))
    new.matrices = Matrices(names, *(_even(m) for m in reduced))
    for link in system.connections:
        new.connect(link.deflection, link.law, name=link.name, along=None if link.is_conjugate else link.along)
    rows = dict(zip(inside, basis, strict=True))
    for load in system.loads:
        new.load(_moved(load.form, rows, names), load.function, name=load.name or None)
    return new


def _start(how: Condensation, what: str) -> Array:
    """(modes,) the start of each mode: what it has of the displacement or velocity inside, beside the static part."""
    primary = how.primary
    inside = np.array([getattr(primary[name], what) for name in how.inside])
    kept = np.array([getattr(primary[name], what) for name in how.kept])
    rest = inside - how.static @ kept
    if not rest.any():
        return np.zeros(how.modes)
    return np.asarray(np.linalg.lstsq(how.shapes[:, : how.modes], rest, rcond=None)[0])


def _moved(form: Form, rows: dict[str, Array], names: tuple[str, ...]) -> Form:
    """A form of the primary model in coordinates of the condensed one."""
    new = Form({name: factor for name, factor in form.terms.items() if name not in rows})
    for name, factor in form.terms.items():
        if name in rows:
            new = new + Form(dict(zip(names, (factor * rows[name]).tolist(), strict=True)))
    return new


def _even(matrix: Array) -> Array:
    """A matrix without the rounding that products leave between it and its transpose."""
    return (matrix + matrix.T) / 2.0 if is_symmetric(matrix, 1e-9) else matrix


def _ordered(matrix: Any, order: list[int]) -> Any:
    from scipy.sparse import csr_array

    return csr_array(matrix)[order][:, order]
