"""The other branch at a period doubling or a branch point."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from slipstick.errors import InvalidInput, NotConverged
from slipstick.periodic.continuation import Bounds, rescaled
from slipstick.periodic.corrector import Located, Plane, correct, scale_of
from slipstick.periodic.curves import Traced, follow_from
from slipstick.periodic.family import Family

Array = NDArray[np.float64]

DISTANCES = (1e-2, 3e-3, 1e-3, 3e-4, 1e-4)  # from the special point, in units of the orbit, at which the branch is met
SINGULAR = 5e-3  # of the largest singular value, or of one: beyond it there is no branch to switch to
ACROSS = 1.2  # [rad] of the new branch to the direction in which it leaves


def switch(family: Family, x: Array, p: float, within: Bounds) -> Traced:
    """The branch that crosses the one through x and p, from there on.

    At a period doubling the family is the one with twice the period, and x the same orbit in it; at a branch point the
    family itself. The first point of the curve is the one that both branches have.
    """
    first, begun = leave(family, x, p, within)
    try:
        traced = follow_from(family, begun, within, both=False)
    except NotConverged as failure:
        _put_before(failure.partial, first)
        raise
    return _put_before(traced, first)


def _put_before(traced: Traced, first: Located) -> Traced:
    traced.points.insert(0, first)
    traced.branches_off = True
    return traced


def leave(family: Family, x: Array, p: float, within: Bounds) -> tuple[Located, Located]:
    """The special point itself, and a point of the other branch near it, both with tangents along that."""
    z = np.append(np.asarray(x, dtype=float), p)
    scale = scale_of(family, z, within.span)
    try:
        _, values, rows = np.linalg.svd(family.linearise(z[:-1], p).by_x * scale[:-1])
    except np.linalg.LinAlgError:
        raise NotConverged(f"the derivatives of the orbit at {p:.9g} are not finite") from None
    least = values[-1] / max(values[0], 1.0)
    if not least <= SINGULAR:
        raise InvalidInput(
            f"there is no branch to switch to at {p:.9g}: the least singular value of the derivatives is {least:.1e} "
            f"there, at most {SINGULAR:g}; take a point of curve.special"
        )
    normal = np.append(rows[-1], 0.0)
    special = Located(z, scale, normal, 0, 0.0)
    reason = ""
    for side in (1.0, -1.0):
        for distance in DISTANCES:
            plane = Plane(side * normal, z, scale, distance)
            try:
                found = correct(family, z + distance * side * normal * scale, plane)
            except NotConverged as failure:
                reason = str(failure)
                continue
            if within.beyond(found.p) is not None:
                reason = f"{found.p:.9g}, where it led, is outside {within.low:g} to {within.high:g}"
            elif found.turn >= ACROSS:
                reason = f"the curve that was met turns by {found.turn:.2g} rad, at most {ACROSS:g}"
            else:
                return special._replace(tangent=side * normal), rescaled(family, found, within.span)
    distances = f"{DISTANCES[0]:g} down to {DISTANCES[-1]:g}"
    raise NotConverged(
        f"no other branch was found at {p:.9g}; tried: steps of {distances} to both sides; the last: {reason}"
    )
