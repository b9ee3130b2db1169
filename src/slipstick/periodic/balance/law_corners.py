"""Where the force of a law that remembers nothing has corners."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from slipstick.arrays import Array
from slipstick.laws.base import UNREACHABLE_DEFLECTION, Law
from slipstick.periodic.balance.nonlinear_connections import ForceTerm, NonlinearConnections
from slipstick.periodic.balance.records import LawCorner
from slipstick.transient.problem import Problem

STIFFNESS_CHANGE = [*LawCorner.fields].index("stiffness_change")  # column
MAX_CORNERS = 1000  # corners: a law with more is taken as it is at samples


def corners_of_law(member: ForceTerm) -> Array:
    """(corners, 4) deflection, change of stiffness and of damping there, and the side; see `LawCorner`."""
    law = member.law
    if member.rounds or law.remembers or law.has_stack or type(law).corner is Law.corner:
        return np.zeros((0, len(LawCorner.fields)))
    jumps = law.contact_jumps()
    if jumps:
        return np.array(jumps)
    try:
        return _bends(law)
    except TypeError:  # a law with a number that has no hash
        return _bends.__wrapped__(law)


def all_corners_located(lines: NonlinearConnections) -> bool:
    """True if every corner of the laws is located between samples."""
    return all(corners_of_law(member).size for member in lines.members if member.has_corners)


def corners_located_or_rounded(lines: NonlinearConnections) -> bool:
    """True if every corner is located between samples, or rounded."""
    return all(member.rounds or corners_of_law(member).size for member in lines.members if member.has_corners)


@lru_cache(maxsize=256)  # every family over a parameter, and every softened one, asks for the same
def _bends(law: Law) -> Array:
    """The corners of a law whose force is continuous."""
    found, at = list[tuple[float, float, float, float]](), law.corner(-UNREACHABLE_DEFLECTION, 1.0, ())
    while at < UNREACHABLE_DEFLECTION and len(found) < MAX_CORNERS:
        below, above = (law.tangent(float(np.nextafter(at, end)), 0.0, ())[1] for end in (-np.inf, np.inf))
        found.append((at, above - below, 0.0, 0.0))
        at = law.corner(at, 1.0, ())
    corners = np.array(found if at >= UNREACHABLE_DEFLECTION else []).reshape(-1, len(LawCorner.fields))
    corners.setflags(write=False)  # it is handed out again
    return corners


def shortest_contact(problem: Problem, lines: NonlinearConnections) -> float:
    """[s] half a period of the quickest oscillation on a stiffness that begins or ends at a corner."""
    shortest = np.inf
    for member in lines.members:
        corners, row = corners_of_law(member), lines.rows[member.line]
        if corners.size:
            light = float(row @ np.linalg.lstsq(problem.mass, lines.along[:, member.line], rcond=1e-12)[0])
            stiffness = float(np.abs(member.strength * member.scale * corners[:, STIFFNESS_CHANGE]).max())
            shortest = min(shortest, np.pi / np.sqrt(max(stiffness * abs(light), 1e-300)))
    return shortest
