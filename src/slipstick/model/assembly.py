"""Mass, damping and stiffness matrices from coordinates and connections.

    M q'' + C q' + K q + sum over connections j of along_j f_j(deflection_j' q) = p(t)

Free coordinates obey the equations; prescribed ones follow their motion. Rows and columns are
in the order of `names`, free and prescribed together; `free` and `prescribed` pick them apart.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from slipstick.arrays import Array
from slipstick.errors import InvalidInput
from slipstick.model.linear_forms import Form
from slipstick.model.symbol_values import symbols_of

if TYPE_CHECKING:
    from slipstick.model.system import Load, System

Indices = NDArray[np.intp]

MAX_DENSE_COORDINATES = 500  # coordinates; beyond, matrices are sparse and modes are found a few at a time


@dataclass(frozen=True, eq=False)
class Assembly:
    """The matrices and columns of a system. n coordinates, m connections.

    mass, damping, stiffness : (n, n) of the linear part; NumPy, or SciPy CSR where `is_sparse`.
    deflections : (n, m) column j gives the deflection of connection j: u_j = deflections[:, j] . q
    along : (n, m) column j is where its force acts.
    start, start_rate : (n,) displacement and velocity at time 0; zero for prescribed coordinates.
    """

    system: System
    names: tuple[str, ...]
    free: Indices
    prescribed: Indices
    mass: Any
    damping: Any
    stiffness: Any
    deflections: Any
    along: Any
    start: Array
    start_rate: Array

    @property
    def is_sparse(self) -> bool:
        return hasattr(self.mass, "toarray")

    @cached_property
    def load_columns(self) -> Array:
        """(n, loads) where each load of the system acts."""
        return np.asarray(_form_columns([load.form for load in self.system.loads], self.names))

    def load(self, t: float, frequency: float | None = None) -> Array:
        """(n,) the sum of all loads [N or N m] at time t."""
        values = [load.function.at(t, frequency) for load in self.system.loads]
        return np.asarray(self.load_columns @ np.array(values, dtype=float))

    def mean_load(self) -> Array:
        """(n,) the constant part of all loads [N or N m]."""
        values = [load.function.parts().constant for load in self.system.loads]
        return np.asarray(self.load_columns @ np.array(values, dtype=float))

    def motion(self, t: float, frequency: float | None = None, derivative: int = 0) -> Array:
        """(prescribed,) the prescribed displacements at time t, or their first or second derivative."""
        moved = [self.system.coordinates[i].motion for i in self.prescribed]
        return np.array([m.at(t, frequency, derivative) for m in moved if m is not None], dtype=float)

    def mean_motion(self) -> Array:
        """(prescribed,) the constant part of the prescribed motions."""
        moved = [self.system.coordinates[i].motion for i in self.prescribed]
        return np.array([m.parts().constant for m in moved if m is not None], dtype=float)


def assemble(system: System) -> Assembly:
    """The matrices of a system.

    Sparse if its matrices were given sparse, or beyond 500 coordinates.
    """
    refuse_symbols(system)
    names = tuple(c.name for c in system.coordinates)
    held = np.array([c.motion is not None for c in system.coordinates], dtype=bool)
    sparse = _wants_sparse(system)
    mass, damping, stiffness = _linear_part(system, names, sparse)
    return Assembly(
        system=system,
        names=names,
        free=np.flatnonzero(~held),
        prescribed=np.flatnonzero(held),
        mass=mass,
        damping=damping,
        stiffness=stiffness,
        deflections=_form_columns([c.deflection for c in system.connections], names, sparse),
        along=_form_columns([c.along for c in system.connections], names, sparse),
        start=np.array([c.displacement for c in system.coordinates], dtype=float),
        start_rate=np.array([c.velocity for c in system.coordinates], dtype=float),
    )


def refuse_symbols(system: System) -> None:
    """Raise where a number of the system is still a symbol."""
    for name in symbols_of(system):
        raise InvalidInput(
            f"{name} has no value yet; m.with_values({{{name}: 1.0, ...}}) gives the model with numbers",
            owner=f'model "{system.name}"',
        )


def _wants_sparse(system: System) -> bool:
    given = system.matrices
    if given is not None and any(hasattr(m, "toarray") for m in (given.mass, given.damping, given.stiffness)):
        return True
    return given is None and len(system.coordinates) > MAX_DENSE_COORDINATES


def _linear_part(system: System, names: tuple[str, ...], sparse: bool) -> tuple[Any, Any, Any]:
    """Mass, damping and stiffness: the given matrices in their places, and the inertias on the diagonal."""
    inertia = np.array([c.inertia for c in system.coordinates], dtype=float)
    given = system.matrices
    if given is None:
        blocks: tuple[Any, ...] = (None, None, None)
        places = np.zeros(0, dtype=np.intp)
    else:
        blocks = (given.mass, given.damping, given.stiffness)
        index = {name: i for i, name in enumerate(names)}
        places = np.array([index[name] for name in given.names], dtype=np.intp)
    mass, damping, stiffness = (_placed_block(block, places, len(names), sparse) for block in blocks)
    if not sparse:
        return mass + np.diag(inertia), damping, stiffness
    from scipy.sparse import diags_array

    return (mass + diags_array(inertia)).tocsr(), damping, stiffness


def _placed_block(block: Any, places: Indices, n: int, sparse: bool) -> Any:
    """``block`` in the rows and columns ``places`` of an n by n matrix of zeros; None is all zeros."""
    if not sparse:
        full = np.zeros((n, n))
        if block is not None:
            full[np.ix_(places, places)] = block
        return full
    from scipy.sparse import coo_array, csr_array

    if block is None:
        return csr_array((n, n))
    entries = coo_array(block)
    return csr_array((entries.data.astype(float), (places[entries.row], places[entries.col])), shape=(n, n))


def _form_columns(forms: list[Form], names: tuple[str, ...], sparse: bool = False) -> Any:
    """(n, forms) the factors of each form as a column."""
    index = {name: i for i, name in enumerate(names)}
    entries = [(index[name], j, factor) for j, form in enumerate(forms) for name, factor in form.terms.items()]
    rows, columns, factors = zip(*entries, strict=True) if entries else ((), (), ())
    if sparse:
        from scipy.sparse import csc_array

        return csc_array((np.array(factors, dtype=float), (rows, columns)), shape=(len(names), len(forms)))
    full = np.zeros((len(names), len(forms)))
    full[list(rows), list(columns)] = factors
    return full


def refuse_unsteady_loads(system: System) -> None:
    """Refuse loads and motions without a mean (ramps, sampled signals): they have no equilibrium."""
    from slipstick.errors import InvalidInput

    acting = [(_load_words(load), load.function) for load in system.loads]
    acting += [(f'the motion of "{c.name}"', c.motion) for c in system.coordinates if c.motion is not None]
    for words, function in acting:
        if not function.is_periodic:
            parts = function.parts()
            kind = "a sampled signal" if parts.signals else "a ramp" if parts.ramp else "a chirp"
            raise InvalidInput(
                f"equilibrium needs constant or periodic loads and motions; {words} has {kind}: "
                "replace it by a Constant at the instant of interest"
            )


def _load_words(load: Load) -> str:
    return f"the load on {load.form!r}"
