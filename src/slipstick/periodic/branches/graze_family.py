"""`GrazeFamily`: orbits that just reach a corner of a law, over a second parameter.

One equation is added to those of the orbit: the largest (or smallest) deflection of a period is that of the corner.
Beyond a corner derivatives change by the root of the distance, which stops Newton's method. So the corner is moved
outwards: up to the graze the orbits are the same, and beyond it they stay smooth.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from dataclasses import replace
from typing import NamedTuple

from slipstick.arrays import Array
from slipstick.errors import InvalidInput
from slipstick.laws.faces import Guard
from slipstick.periodic.branches.two_parameter_family import TwoParameterFamily
from slipstick.periodic.continuation.family import Family
from slipstick.periodic.shooting.exact_family import Shooting
from slipstick.periodic.shooting.exact_map import ExactMap
from slipstick.transient.exact.outputs import deflection_extremes
from slipstick.transient.exact.packed_model import ModelUnit
from slipstick.transient.problem import Problem

FAR = 1e3  # typical deflections by which a corner is moved outwards
REACHED_REL = 1e-4  # of the deflections: so near to a corner an extreme lies at a graze


class GrazeCorner(NamedTuple):
    """unit : of the packed model.   element : of the problem.   highest : the largest deflection reaches it, else the
    smallest.   number : among the corners of the unit; its place changes with parameters of the law.
    moved : numbers of all corners of the unit that are reached, and the sides to which they are moved.
    typical : a deflection [m or rad].
    """

    unit: int
    element: int
    highest: bool
    number: int
    moved: dict[int, float]
    typical: float


class GrazeFamily(TwoParameterFamily[Shooting]):
    """family_at : shooting over p at a value of q.   connection : whose corner is reached at (x, p, q)."""

    finest = 1e-7
    called = "grazes"

    def __init__(
        self,
        family_at: Callable[[float], Family],
        connection: str,
        at: tuple[Array, float, float],
        reach_p: float,
        reach_q: float,
    ) -> None:
        x, p, q = at

        def shooting_at(q: float) -> Shooting:
            own = family_at(q)
            assert isinstance(own, Shooting)
            return own

        def with_corner_moved(q: float) -> Shooting:
            own = shooting_at(q)
            problem_at = own.problem_at
            return Shooting(lambda p: self._without_corner(problem_at(p)), p, own.subharmonic, own.over_frequency)

        self.corner = _reached_corner(shooting_at(q), x, p, connection)
        super().__init__(with_corner_moved, q, reach_p, reach_q)

    def _without_corner(self, problem: Problem) -> Problem:
        """The same problem, with the corner far from all orbits."""
        elements, corner = list(problem.elements), self.corner
        element = elements[corner.element]
        law, count, pieces = copy(element.law), 0, []
        for piece in law.pieces():
            guards = list(piece.guards)
            for k, guard in enumerate(guards):
                if not _is_corner(guard):
                    continue
                if count in corner.moved:
                    change = guard.value.u * corner.moved[count] * FAR * corner.typical
                    guards[k] = guard._replace(value=guard.value._replace(constant=guard.value.constant - change))
                count += 1
            pieces.append(piece._replace(guards=tuple(guards)))
        described = tuple(pieces)
        object.__setattr__(law, "pieces", lambda: described)
        elements[corner.element] = replace(element, law=law)
        new = object.__new__(Problem)
        new.__dict__.update(problem.__dict__, elements=tuple(elements))
        new.__dict__.pop("kept", None)
        return new

    def condition(self, own: Shooting, x: Array, p: float) -> float:
        """How far the extreme deflection lies beyond the corner, over a typical one."""
        period_map: ExactMap = own.map_at(p)[0]
        low, high = deflection_extremes(period_map.go(x).flow, self.corner.unit)
        corner = self.corner
        moved = corner.moved[corner.number] * FAR * corner.typical
        place = _corner_places(period_map.engine.packed.units[corner.unit])[corner.number] - moved
        return ((high if corner.highest else low) - place) / corner.typical


def _reached_corner(family: Shooting, x: Array, p: float, connection: str) -> GrazeCorner:
    """The corner of a connection that an orbit reaches; `InvalidInput` where it reaches none."""
    period_map: ExactMap = family.map_at(p)[0]
    packed, flow = period_map.engine.packed, period_map.go(x).flow
    problem, found, nearest = packed.problem, None, REACHED_REL
    for j, unit in enumerate(packed.units):
        e = unit.elements[0]
        if problem.system.connections[problem.elements[e].connection].name != connection:
            continue
        places, (low, high) = _corner_places(unit), deflection_extremes(flow, j)
        typical = max(abs(low), abs(high), *map(abs, places), 1e-300)
        sides = {k: 1.0 for k, place in enumerate(places) if abs(high - place) <= REACHED_REL * typical}
        sides |= {k: -1.0 for k, place in enumerate(places) if abs(low - place) <= REACHED_REL * typical}
        for k, side in sides.items():
            distance = abs((high if side > 0.0 else low) - places[k]) / typical
            if distance <= nearest:
                nearest, found = distance, GrazeCorner(j, e, side > 0.0, k, sides, typical)
    if found is None:
        raise InvalidInput(
            "this graze is none of a largest deflection at the corner of a gap, a stop or a broken line, so it is not "
            "followed",
        ).about("special")
    return found


def _is_corner(guard: Guard) -> bool:
    """True for a guard that depends on the deflection alone."""
    value = guard.value
    return bool(value.u) and not (value.v or value.w or value.limit)


def _corner_places(unit: ModelUnit) -> list[float]:
    """Deflections at which a unit changes its piece, in the order of its guards."""
    guards = [guard for piece in unit.described for guard in piece.guards if _is_corner(guard)]
    return [-guard.value.constant / guard.value.u for guard in guards]
