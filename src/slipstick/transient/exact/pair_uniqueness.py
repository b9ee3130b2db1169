"""Whether the states of rigid contacts with friction are unique, whatever the loads.

Each pair is separated, sticks, or slides in one of two directions; each combination makes the map from forces and
accelerations to loads linear in a cone. If all determinants of these maps are positive, for every friction up to that
of the model, the cones fill the space once: each load has one solution. A determinant is affine in the signed friction
of each pair that slides, so it is least where all have their full size: only these cases are tested. Stops and dry
friction that are coupled with the pairs have no part in this.
"""

from __future__ import annotations

from itertools import product

import numpy as np
from numpy.typing import NDArray

from slipstick.arrays import Array
from slipstick.transient.exact.records import FlowModel

Contacts = NDArray[np.intp]
Ways = tuple[float | None, ...]

MAX_PAIRS = 3  # that are coupled; for more the states at each instant are compared
MIN_DETERMINANT = 1e-9  # of the product of the compliances: below it contacts hold each other


def has_unique_pair_states(model: FlowModel) -> bool:
    """True if every state of the pairs is known to be the only one that satisfies Coulomb's law."""
    normals = np.flatnonzero(model.tangential_of >= 0.0)
    return all(_is_unique(model, group) for group in _coupled_groups(model, normals))


def _coupled_groups(model: FlowModel, normals: Contacts) -> list[Contacts]:
    """The pairs in groups whose forces do not accelerate each other, by their normal contacts."""
    from scipy.sparse.csgraph import connected_components

    c = model.contact_count
    gram = model.delassus.reshape(c, c)
    members = [np.array([i, int(model.tangential_of[i])]) for i in normals]
    coupled = np.array([[gram[np.ix_(a, b)].any() or gram[np.ix_(b, a)].any() for b in members] for a in members])
    _, labels = connected_components(coupled)
    return [normals[labels == label] for label in range(labels.max() + 1)]


def _is_unique(model: FlowModel, normals: Contacts) -> bool:
    """The same for one group of coupled pairs."""
    if normals.size > MAX_PAIRS:
        return False
    ways = product((None, 0.0, 1.0, -1.0), repeat=normals.size)
    return all(_determinant(model, normals, chosen) > MIN_DETERMINANT for chosen in ways)


def _determinant(model: FlowModel, normals: Contacts, ways: Ways) -> float:
    """The determinant of a combination, over the product of the compliances.

    ways : None separated, 0 stick, 1 and -1 slip.
    """
    c = model.contact_count
    whole = model.delassus.reshape(c, c)
    held: list[int] = []
    columns: list[Array] = []
    for i, way in zip(normals, ways, strict=True):
        if way is None:
            continue
        t = int(model.tangential_of[i])
        held.append(i)
        columns.append(whole[:, i] + way * model.friction[i] * whole[:, t] if way else whole[:, i])
        if way == 0.0:
            held.append(t)
            columns.append(whole[:, t])
    if not held:
        return 1.0
    size = 1.0 / np.sqrt(np.diag(whole)[held])
    return float(np.linalg.det(np.column_stack(columns)[held] * np.outer(size, size)))
