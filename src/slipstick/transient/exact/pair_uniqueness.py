"""Whether the states of rigid contacts with friction are unique, whatever the loads.

Each pair is separated, sticks, or slides in one of two directions; each combination makes the map from forces and
accelerations to loads linear in a cone. If all determinants of these maps are positive, for every friction up to
that of the model, the cones fill the space once: each load has one solution.
"""

from __future__ import annotations

from itertools import product

import numpy as np
from numpy.typing import NDArray
from scipy.sparse.csgraph import connected_components

from slipstick.transient.exact.records import Model

Array = NDArray[np.float64]

MAX_PAIRS = 3  # that are coupled; for more the states at each instant are compared
FRICTION_SHARES = np.linspace(1.0, 0.0, 9)
MIN_DETERMINANT = 1e-9  # of the product of the compliances: below it contacts hold each other


def has_unique_pair_states(model: Model) -> bool:
    """True if every state of the pairs is known to be the only one that satisfies Coulomb's law."""
    normals = np.flatnonzero(model.tangential_of >= 0.0)
    return all(_is_unique(model, group) for group in _coupled_groups(model, normals))


def _coupled_groups(model: Model, normals: NDArray[np.intp]) -> list[NDArray[np.intp]]:
    """The pairs in groups whose forces do not accelerate each other."""
    c = model.contact_count
    gram = model.delassus.reshape(c, c)
    members = [_members(model, normals[p : p + 1]) for p in range(normals.size)]
    coupled = np.array([[gram[np.ix_(a, b)].any() or gram[np.ix_(b, a)].any() for b in members] for a in members])
    _, labels = connected_components(coupled)
    return [normals[labels == label] for label in range(labels.max() + 1)]


def _is_unique(model: Model, normals: NDArray[np.intp]) -> bool:
    """The same for some of the pairs, by their normal contacts."""
    if normals.size > MAX_PAIRS:
        return False
    c = model.contact_count
    gram = model.delassus.reshape(c, c)
    size = 1.0 / np.sqrt(np.diag(gram)[_members(model, normals)])
    return all(
        np.linalg.det(_held(model, gram, normals, ways, share) * _scale(normals.size, size, ways)) > MIN_DETERMINANT
        for share in FRICTION_SHARES
        for ways in product((None, 0.0, 1.0, -1.0), repeat=normals.size)
    )


def _members(model: Model, normals: NDArray[np.intp]) -> NDArray[np.intp]:
    """The contacts of all pairs, normal and tangential ones in turn."""
    return np.ravel([(i, int(model.tangential_of[i])) for i in normals]).astype(np.intp)


def _scale(pairs: int, size: Array, ways: tuple[float | None, ...]) -> Array:
    """Factors that make the diagonal of the matrix of a combination one without friction."""
    kept = _kept(pairs, ways)
    return np.outer(size[kept], size[kept])


def _kept(pairs: int, ways: tuple[float | None, ...]) -> list[int]:
    """The members that hold in a combination: None separated, 0 stick, 1 and -1 slip."""
    return [2 * p + k for p in range(pairs) for k in range(2) if ways[p] is not None and (k == 0 or ways[p] == 0.0)]


def _held(model: Model, gram: Array, normals: NDArray[np.intp], ways: tuple[float | None, ...], share: float) -> Array:
    """The matrix of a combination, with a share of the friction."""
    members = _members(model, normals)
    whole = gram[np.ix_(members, members)].copy()
    for p, way in enumerate(ways):
        if way is not None:
            whole[:, 2 * p] += share * way * model.friction[normals[p]] * gram[members, members[2 * p + 1]]
    kept = _kept(normals.size, ways)
    return whole[np.ix_(kept, kept)]
