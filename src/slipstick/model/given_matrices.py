"""Matrices from elsewhere: checked, named, with modal damping on request.

Mass must be symmetric and positive semi-definite. Damping and stiffness are kept as they are:
a gyroscopic or follower-force model is not symmetric.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from slipstick.arrays import Array
from slipstick.errors import InvalidInput, short_repr
from slipstick.model import tolerances as tol
from slipstick.model.matrix_files import is_path, read_all, read_labelled, read_matrix
from slipstick.model.system import NAME_PATTERN, Matrices, dense

MAX_FULL_COORDINATES = 3000  # coordinates: a full matrix of 72 MB


def checked_matrices(
    mass: Any, damping: Any = None, stiffness: Any = None, names: Any = None, modal_damping: Any = None
) -> Matrices:
    """Checked matrices from arrays, sparse matrices, nested lists or files; one file may hold all three."""
    if is_path(mass) and damping is None and stiffness is None:
        held = read_all(mass)
        mass, damping, stiffness = held["mass"], held["damping"], held["stiffness"]
        names = held.get("names") if names is None else names
    elif is_path(mass) and is_path(stiffness):
        labelled = read_labelled({"mass": mass, "damping": damping, "stiffness": stiffness})
        if labelled is not None:
            own, mass, given, stiffness = labelled
            damping, names = damping if given is None else given, own if names is None else names
    if stiffness is None:
        raise InvalidInput("stiffness is missing; pass a matrix (zeros if all stiffness is in connections)")
    if damping is not None and modal_damping is not None:
        raise InvalidInput("damping and modal_damping are both given; pass one of them")
    m, k = _checked_matrix(mass, "mass"), _checked_matrix(stiffness, "stiffness")
    n = m.shape[0]
    c = _zeros_like(m) if damping is None else _checked_matrix(damping, "damping")
    for role, matrix in (("damping", c), ("stiffness", k)):
        if matrix.shape != m.shape:
            raise InvalidInput(f"{role} is {_matrix_size(matrix)} but mass is {_matrix_size(m)}; sizes must agree")
    _check_mass(m)
    if modal_damping is not None:
        c = modal_damping_matrix(m, k, modal_damping)
    return Matrices(_checked_names(names, n), m, c, k)


def modal_damping_matrix(mass: Any, stiffness: Any, ratios: Any) -> Array:
    """C = M Phi diag(2 zeta w) Phi' M: one ratio for all modes, or one each for the lowest ones. (n, n) dense.

    Phi holds the undamped modes with Phi' M Phi = 1; rigid modes stay undamped.
    """
    n = mass.shape[0]
    if n > MAX_FULL_COORDINATES:
        raise InvalidInput(
            f"modal_damping makes a full matrix, which is limited to {MAX_FULL_COORDINATES} coordinates, got "
            f"{n}; pass a damping matrix such as a * M + b * K"
        )
    m, k = dense(mass), dense(stiffness)
    zeta = _ratios(ratios, n)
    if np.abs(k - k.T).max(initial=0.0) > tol.GIVEN_SYMMETRY_REL * np.abs(k).max(initial=0.0):
        raise InvalidInput("modal_damping needs a symmetric stiffness; pass a damping matrix instead")
    from slipstick.model.modal_algebra import undamped_modes

    squares, shapes = undamped_modes(m, k)
    if squares.size and squares[0] < 0.0:
        raise InvalidInput(f"modal_damping needs a stiffness that is not negative; its lowest w^2 is {squares[0]:.4g}")
    count = min(zeta.size, squares.size)
    side = m @ shapes[:, :count]
    return np.asarray((side * (2.0 * zeta[:count] * np.sqrt(squares[:count]))) @ side.T)


def _ratios(ratios: Any, n: int) -> Array:
    if isinstance(ratios, (bool, str)) or ratios is None:
        raise InvalidInput(f"modal_damping must be a ratio or a list of ratios, got {short_repr(ratios)}")
    try:
        zeta = np.atleast_1d(np.asarray(ratios, dtype=float))
    except (TypeError, ValueError):
        raise InvalidInput(f"modal_damping must be a ratio or a list of ratios, got {short_repr(ratios)}") from None
    if zeta.ndim != 1 or not np.all(np.isfinite(zeta)) or np.any(zeta < 0.0):
        raise InvalidInput(f"modal_damping must be finite and >= 0, one ratio or one a mode, got {short_repr(ratios)}")
    if np.ndim(ratios) == 0:
        return np.full(n, zeta[0])
    if zeta.size > n:
        raise InvalidInput(f"modal_damping has {zeta.size} ratios for {n} modes; give one ratio, or one for each mode")
    return zeta


def _checked_matrix(value: Any, role: str) -> Any:
    """A real, finite, square matrix of floats: a NumPy array, or a SciPy CSR array where it was sparse."""
    where = role
    if is_path(value):
        where = f"{value}: {role}"
        value = read_matrix(value, role)
    if hasattr(value, "tocsr"):
        from scipy.sparse import csr_array

        matrix: Any = csr_array(value)
        entries = matrix.data
    else:
        matrix = _dense_matrix(value, where)
        entries = matrix
    if np.iscomplexobj(entries):
        raise InvalidInput(f"{where} is complex; pass its real part")
    if entries.dtype.kind not in "biuf":
        raise InvalidInput(f"{where} must hold numbers, got {entries.dtype}")
    if len(matrix.shape) != 2 or matrix.shape[0] != matrix.shape[1] or matrix.shape[0] == 0:
        raise InvalidInput(f"{where} must be square with at least one row, got {_matrix_size(matrix)}")
    if not np.all(np.isfinite(entries)):
        raise InvalidInput(
            f"{where} must be finite, but has {int(np.sum(~np.isfinite(entries)))} NaN or infinite entries"
        )
    return matrix.astype(float)


def _dense_matrix(value: Any, where: str) -> Any:
    try:
        return np.array(value)
    except (TypeError, ValueError):
        raise InvalidInput(f"{where} must be a matrix of numbers, got {short_repr(value)}") from None


def _zeros_like(matrix: Any) -> Any:
    if not hasattr(matrix, "tocsr"):
        return np.zeros_like(matrix)
    from scipy.sparse import csr_array

    return csr_array(matrix.shape)


def _matrix_size(matrix: Any) -> str:
    return " by ".join(str(n) for n in matrix.shape) or "a single number"


def _check_mass(mass: Any) -> None:
    """Symmetric, and positive semi-definite: by Cholesky where dense, by its 2 by 2 minors where sparse."""
    largest = abs(mass).max()
    skew = abs(mass - mass.T).max()
    if skew > tol.GIVEN_SYMMETRY_REL * largest:
        raise InvalidInput(f"mass must be symmetric; it differs from its transpose by {skew:.3g}: pass (M + M.T) / 2")
    diagonal = mass.diagonal()
    if np.any(diagonal < 0.0):
        i = int(np.argmin(diagonal))
        raise InvalidInput(f"mass must be positive semi-definite; entry ({i + 1}, {i + 1}) is {diagonal[i]:.4g}")
    if not (_has_valid_minors(mass, diagonal) and (hasattr(mass, "tocsr") or _has_cholesky(mass, diagonal))):
        raise InvalidInput(
            "mass must be positive semi-definite; a negative kinetic energy is possible: check its signs"
        )


def _has_valid_minors(mass: Any, diagonal: Array) -> bool:
    """True if no 2 by 2 minor is negative: |m_ij|^2 <= m_ii m_jj."""
    if hasattr(mass, "tocoo"):
        entries = mass.tocoo()
        rows, columns, values = entries.row, entries.col, entries.data
    else:
        rows, columns = np.nonzero(mass)
        values = mass[rows, columns]
    return bool(np.all(values**2 <= diagonal[rows] * diagonal[columns] * (1.0 + tol.GIVEN_SYMMETRY_REL)))


def _has_cholesky(mass: Array, diagonal: Array) -> bool:
    heavy = np.flatnonzero(diagonal > 0.0)
    scale = 1.0 / np.sqrt(diagonal[heavy])
    scaled = mass[np.ix_(heavy, heavy)] * np.outer(scale, scale)
    try:
        np.linalg.cholesky(scaled + tol.GIVEN_SYMMETRY_REL * np.eye(heavy.size))  # the shift lets semi-definite through
    except np.linalg.LinAlgError:
        return False
    return True


def _checked_names(names: Any, n: int) -> tuple[str, ...]:
    if names is None:
        return tuple(f"q{i + 1}" for i in range(n))
    if isinstance(names, str) or not isinstance(names, Sequence):
        raise InvalidInput(f"names must be a list of {n} names, got {short_repr(names)}")
    if len(names) != n:
        raise InvalidInput(f"names must be as many as rows, got {len(names)} for {n}")
    for name in names:
        if not isinstance(name, str) or not NAME_PATTERN.fullmatch(name):
            raise InvalidInput(f"a coordinate's name is letters, digits and _, got {short_repr(name)}")
    if len(set(names)) != n:
        twice = next(name for i, name in enumerate(names) if name in names[:i])
        raise InvalidInput(f'names must differ, but "{twice}" appears twice')
    return tuple(names)
