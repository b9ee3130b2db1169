"""Equal motions among those that many starts end on, and bands of them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from slipstick.arrays import Array
from slipstick.basins.settling import CYCLE, DRIFT, NONE, ORBIT, REST, UNBOUNDED, Settled
from slipstick.periodic.shooting.start_flow import StartFlow

Numbers = NDArray[np.int64]

SAME_FORCED_REL, SAME_FREE_REL = 3e-3, 1e-2  # of the largest motion: states of one orbit, extremes of one cycle
SAME_REST_REL = 5e-3  # of the largest displacement at rest
BAND_GAP_REL = 0.05  # of the extent of single motions: wider gaps separate bands
RANDOM_GAP, MAX_GAP_REL = 6.0, 0.25  # the largest gap of few random ones, times their mean gap; and no more than that
MIN_BAND = 3  # different motions; fewer are isolated
KIND_NAMES = {REST: "rest", ORBIT: "orbit", CYCLE: "cycle", DRIFT: "drift", NONE: "none", UNBOUNDED: "unbounded"}


class Cluster:
    """members : numbers of starts, in order.   kind, repeats : as of `Settled`.   is_band : no two are equal."""

    def __init__(self, members: Sequence[int], kind: int, repeats: int, is_band: bool = False) -> None:
        self.members, self.kind, self.repeats, self.is_band = sorted(members), kind, repeats, is_band


def clusters_of(ends: Sequence[Settled], groups: Sequence[slice], has_bands: bool) -> list[Cluster]:
    """The different motions, the most frequent of each kind first.

    groups : columns of points that share a scale: displacements, velocities, each memory.
    has_bands : friction or memory can hold a continuum of motions.
    """
    found = list[Cluster]()
    for kind in KIND_NAMES:
        of_kind = [i for i, end in enumerate(ends) if end.kind == kind]
        for repeats in sorted({ends[i].repeats for i in of_kind}):
            own = [i for i in of_kind if ends[i].repeats == repeats]
            if kind in (NONE, UNBOUNDED, DRIFT):
                found.append(Cluster(own, kind, repeats))
                continue
            points = np.array([ends[i].points for i in own])
            largest = np.max([ends[i].sizes for i in own], axis=0)
            scales = _scales(points, groups, largest, moving=2 if kind == ORBIT else 4)
            found += _of_kind(own, points / scales, kind, has_bands)
    order = list(KIND_NAMES)
    return sorted(found, key=lambda c: (order.index(c.kind), -len(c.members), c.members[0]))


def state_groups(flow: StartFlow) -> list[slice]:
    """The columns of points that share a scale."""
    n = flow.problem.n
    if not flow.is_forced:
        return [slice(0, n), slice(n, 2 * n), slice(2 * n, 3 * n), slice(3 * n, 4 * n)]
    size = flow.map(flow.time).size
    return [slice(0, n), slice(n, 2 * n), *(slice(k, k + 1) for k in range(2 * n, size))]


def _scales(points: Array, groups: Sequence[slice], sizes: Array, moving: int) -> Array:
    """(columns,) the largest number of each group; of displacements and velocities no less than ``sizes``.

    moving : groups of these, the first ones; without loads both come twice, lowest and highest.
    """
    found = np.ones(points.shape[-1])
    for k, group in enumerate(groups):
        least = float(sizes[k % 2]) if k < moving else 0.0
        found[group] = max(float(np.abs(points[..., group]).max(initial=0.0)), least, 1e-300)
    return found


def _of_kind(numbers: list[int], points: Array, kind: int, has_bands: bool) -> list[Cluster]:
    """Clusters of motions (k, repeats, columns) of one kind with scaled points."""
    if kind == REST:
        points, same = _places(points), SAME_REST_REL
    else:
        same = SAME_FORCED_REL if kind == ORBIT else SAME_FREE_REL
    left, isolated = list(range(len(numbers))), list[list[int]]()
    while left:
        near = _distances(points[left[0]], points[left]) <= same
        isolated.append([left[i] for i in np.flatnonzero(near)])
        left = [left[i] for i in np.flatnonzero(~near)]
    repeats = 0 if kind != ORBIT else points.shape[1]
    linked = _linked(points, isolated) if has_bands else [[own] for own in isolated]
    found = []
    for parts in linked:
        is_band = len(parts) >= MIN_BAND or (len(parts) > 1 and _gap_between(points, *parts) <= same)
        members = [[i for own in parts for i in own]] if is_band else parts
        found += [Cluster([numbers[i] for i in own], kind, repeats, is_band) for own in members]
    return found


def _places(points: Array) -> Array:
    """(k, 1, n) places at rest from extremes (k, 1, 4n)."""
    n = points.shape[-1] // 4
    return np.asarray(0.5 * (points[..., :n] + points[..., 2 * n : 3 * n]))


def _linked(points: Array, groups: list[list[int]]) -> list[list[list[int]]]:
    """Groups of equal motions, in lists of those that small gaps between their nearest members link."""
    first = points[[own[0] for own in groups]]
    extent = float(np.ptp(first, axis=0).max(initial=0.0))
    gap = min(max(BAND_GAP_REL, RANDOM_GAP / len(groups)), MAX_GAP_REL) * extent
    left, found = list(range(len(groups))), list[list[list[int]]]()
    while left:
        linked, front = list[int](), [left.pop(0)]
        while front:
            here = front.pop()
            linked.append(here)
            near = _groups_near(points, groups, here, left, gap)
            front += [k for k in left if k in near]
            left = [k for k in left if k not in near]
        found.append([groups[k] for k in linked])
    return found


def _groups_near(points: Array, groups: list[list[int]], here: int, others: list[int], gap: float) -> set[int]:
    """Those of other groups of which a member is within a gap of a member of a group; compared all at once."""
    if not others:
        return set()
    members = points[[i for k in others for i in groups[k]]]
    owners = np.repeat(others, [len(groups[k]) for k in others])
    gaps = np.min([_distances(points[i], members) for i in groups[here]], axis=0)
    return set(owners[gaps <= gap].tolist())


def _gap_between(points: Array, one: list[int], other: list[int]) -> float:
    """Distance of the nearest members of two groups."""
    few, many = sorted((one, other), key=len)
    return min(float(_distances(points[i], points[many]).min()) for i in few)


def _distances(one: Array, others: Array) -> Array:
    """(k,) the largest difference of a motion (repeats, columns) and others (k, ...), in the best order in time."""
    orders = (np.roll(one, shift, axis=0) for shift in range(len(one)))
    return np.asarray(np.min([np.abs(others - own).max(axis=(1, 2)) for own in orders], axis=0))


def names_of(clusters: Sequence[Cluster]) -> list[str]:
    """Names: ``orbit 1``, ``orbit 2`` by share; of kinds that are one motion, or none, the kind alone."""
    found, counts = [], dict[int, int]()
    for own in clusters:
        counts[own.kind] = counts.get(own.kind, 0) + 1
        plain = own.kind in (NONE, UNBOUNDED, DRIFT)
        found.append(KIND_NAMES[own.kind] if plain else f"{KIND_NAMES[own.kind]} {counts[own.kind]}")
    return found
