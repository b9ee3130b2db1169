"""What period maps share: scales for the periodicity residual, multipliers, and free bodies."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np

from slipstick.arrays import Array, Complex
from slipstick.errors import Advice, InvalidInput, NotConverged
from slipstick.laws.base import Law
from slipstick.model.modal_algebra import null_basis
from slipstick.periodic.common_period import Period
from slipstick.periodic.multipliers import multipliers_of
from slipstick.transient.problem import Element, Problem
from slipstick.units.scales import frequency_scale

NULL_SPACE_ROUNDING_REL = 1e-10  # of what is summed: nothing
REST_SIZE = 1e-290  # a motion that is no larger has no size that another could be measured by
MAX_SWINGS_PER_PERIOD = 1e6  # in a period, of the slowest mode: there is rounding of 1e-16 of the time in each event
# of its sizes that a state changes by: its square is beyond what equations can be solved with
IMPACT_CHANGE_LIMIT = 1e5


class PeriodMap(ABC):
    """problem : of the orbit's period ``time`` [s], beginning at its start.   size : of a state (q, v, memory)."""

    size: int
    slowest: float = 0.0  # [rad/s] of the modes; 0 where that is not asked for

    @abstractmethod
    def __init__(self, problem: Problem, time: float) -> None:
        self.problem, self.time = problem, time

    def renewed(self, problem: Problem, time: float) -> Any:
        """The map of a problem whose laws have other numbers, and its period [s]."""
        return type(self)(problem, time)

    @abstractmethod
    def first(self) -> Array:
        """(size,) the state in which the model begins."""

    @abstractmethod
    def go(self, state: Array, derivative: bool = False) -> Any:
        """Follow a state (size,) over one period.

        Gives where it ended (``state``), how it was gone through (``flow``), and the ``derivative``, if asked for.
        """

    @abstractmethod
    def sizes(self, flow: Any) -> Array:
        """(size,) how large the parts of a state are over the period: what differences are measured by."""

    def effort(self, passed: Any) -> int:
        """Steps of integration that a period took; 0 for a flow in closed form."""
        return 0

    @property
    def rounding(self) -> float:
        """What a state may miss itself by, over the sizes of the motion, by rounding alone; 0 where nobody knows."""
        return 0.0

    def missed(self, state: Array, passed: Any) -> Array:
        """(size,) by how much a state misses itself, over the sizes of the motion; drift of free bodies left out."""
        return self.without_drift((passed.state - state) / self.scales(passed.flow))

    def scales(self, flow: Any) -> Array:
        """(size,) like `sizes`, but alike for all displacements and all velocities.

        Events may all lie where displacements, or velocities, are zero: each is at least what the other makes it.
        """
        n, sizes, turn = self.problem.n, self.sizes(flow), 2.0 * math.pi / self.time
        q, v = (float(part.max(initial=0.0)) for part in (sizes[:n], sizes[n : 2 * n]))
        found = np.maximum(sizes, 1e-300)
        found[:n] = max(q, v / turn, 1e-300)
        found[n : 2 * n] = max(v, turn * q, 1e-300)
        return unit_scales_at_rest(found, n, turn)

    def energy_coordinates(self, flow: Any) -> tuple[Array, Array]:
        """(size, size) from steps in units of the scales to coordinates in which Newton's matrix is well conditioned,
        and back."""
        return np.eye(self.size), np.eye(self.size)

    def held(self, matrix: Array, right: Array, flow: Any) -> tuple[Array, Array]:
        """The equations (size, size) and right side (size,) of a Newton step of scaled states, where some of them say
        nothing: with those in their place that leave alone what nothing determines."""
        return matrix, right

    def without_drift(self, rows: Array) -> Array:
        """Rows (size, ...) that belong to scaled states, without what nothing pulls back: free bodies may drift."""
        if not self.drift.size:
            return rows
        n = self.problem.n
        out = rows.copy()
        out[:n] -= self.drift @ (self.drift.T @ rows[:n])
        return out

    @cached_property
    def loose(self) -> Array:
        """(n, k) displacements that change no force, as orthonormal columns."""
        return loose_directions(self.problem)

    @cached_property
    def relative(self) -> Array:
        """(size, size - 2k) orthonormal columns: states without the rigid motions of free bodies, which belong neither
        to an error nor to a verdict."""
        return self._without(self.loose, self.loose)

    @cached_property
    def _remembered(self) -> Array:
        """(size, size - k - l) likewise, without rigid displacements, and rigid velocities where nothing resists them:
        a period changes both by themselves alone, with multipliers of exactly one."""
        p = self.problem
        return self._without(
            self.loose, _unseen(np.vstack([p.stiffness, p.damping, *(e.deflection for e in p.elements)]))
        )

    def _without(self, places: Array, rates: Array) -> Array:
        n, count = self.problem.n, self.size - 2 * self.problem.n
        parts = [np.asarray(null_basis(own)) if own.size else np.eye(n) for own in (places, rates)]
        widths = [own.shape[1] for own in parts]
        found = np.zeros((self.size, sum(widths) + count))
        found[:n, : widths[0]] = parts[0]
        found[n : 2 * n, widths[0] : sum(widths)] = parts[1]
        found[2 * n :, sum(widths) :] = np.eye(count)
        return found

    def multipliers(self, derivative: Array) -> Complex:
        """Of a period with that derivative by the state, the largest first; those of rigid motions are exactly one."""
        if not self.loose.size:
            return multipliers_of(derivative)
        kept = self._remembered
        found = multipliers_of(kept.T @ derivative @ kept)
        found = np.concatenate([np.ones(self.size - found.size), found])
        return np.asarray(found[np.argsort(-np.abs(found), kind="stable")])

    @cached_property
    def drift(self) -> Array:
        """(n, k) those along which there may be a steady drift.

        What only springs and dampers connect among itself drifts as it began: then the motion without drift is meant.
        """
        p, found = self.problem, self.loose
        resisting = np.vstack([p.damping, *(e.deflection for e in p.elements)]) if p.elements else p.damping
        for rows in (p.forcing.constant[None], resisting):
            if np.abs(rows @ found).max(initial=0.0) > NULL_SPACE_ROUNDING_REL * np.abs(rows).max(initial=0.0):
                return found
        return found[:, :0]


def loose_directions(problem: Problem) -> Array:
    """(n, k) displacements that change no force, as orthonormal columns."""
    acting = [e.deflection for e in problem.elements if e.law.rigid_friction is None and not is_damper(e.law)]
    return _unseen(np.vstack([problem.stiffness, *acting]))


def without_unused_memory(maps: Array, first: int) -> Array:
    """(P, k, k) without what a law keeps only to save time, and nothing else feels: it would have a multiplier of one.

    Each orbit by itself: what is known of one does not depend on which others are looked at with it.
    first : where memory begins.
    """
    others = maps != 0.0
    others[:, range(maps.shape[1]), range(maps.shape[1])] = False
    felt = others.any(axis=1)
    felt[:, :first] = True
    return np.where(felt[:, None, :], maps, 0.0)


def central_differences(end: Callable[[Array], Array], state: Array, sizes: Array, nudge: float) -> Array:
    """(size, size) the derivative of the end of a period by its state, by central differences: a part of its sizes."""
    out = np.empty((state.size, state.size))
    for k, size in enumerate(np.maximum(sizes, 1e-6 * sizes.max(initial=1e-300)).tolist()):
        step = np.zeros(state.size)
        step[k] = nudge * size
        out[:, k] = (end(state + step) - end(state - step)) / (2.0 * step[k])
    return out


def refuse_long(slowest: float, period: Period, unit: str) -> None:
    """Refuse a period so long that the rounding of its time hides the motion.

    slowest : [rad/s] of the modes.   unit : of frequencies in the message.
    """
    swings = slowest * period.time / (2.0 * math.pi)
    if swings > MAX_SWINGS_PER_PERIOD:
        at = frequency_scale(unit).words(period.base, 3)
        raise NotConverged(
            f"at {at} a period holds {swings:.1e} oscillations of the slowest mode "
            f"(limit {MAX_SWINGS_PER_PERIOD:.0e}), so rounding errors hide the motion",
            owner="shooting",
            advice=[Advice("take higher frequencies, or {method}", method="harmonic-balance")],
        )


def refuse_runaway(problem: Problem) -> None:
    """Refuse mean loads on what no spring or damper holds, if they are more than dry friction can take on average."""
    sliding = [e for e in problem.elements if e.law.rigid_friction is not None]
    holding = [row for e in problem.elements if e not in sliding for row in (e.deflection, e.along)]
    viscous = [e.deflection for e in sliding if e.law.damping]  # type: ignore[attr-defined]
    matrices = (problem.stiffness, problem.stiffness.T, problem.damping, problem.damping.T)
    free = _unseen(np.vstack([*matrices, *holding, *viscous]))
    mean = problem.forcing.constant
    if not np.abs(mean @ free).max(initial=0.0) > NULL_SPACE_ROUNDING_REL * np.abs(mean).max(initial=0.0):
        return
    for ways in (free @ _unseen(np.array([e.deflection @ free for e in sliding]).reshape(-1, free.shape[1])), free):
        if ways.shape[1] == 1 or ways is not free:
            _refuse_pulled(problem, sliding, ways)


def _refuse_pulled(problem: Problem, sliding: list[Element], ways: Array) -> None:
    for way in ways.T:
        way = way / np.abs(way).max()
        pull = abs(float(problem.forcing.constant @ way))
        limits = sum(mean_limit(e) * abs(float(e.deflection @ way)) for e in sliding)
        if (
            pull
            > (1.0 + NULL_SPACE_ROUNDING_REL) * limits
            + NULL_SPACE_ROUNDING_REL * np.abs(problem.forcing.constant).max()
        ):
            holds = f"which friction holds by {limits:.3g} at most" if limits else "that nothing holds"
            raise InvalidInput(
                f"the mean loads leave {pull:.3g} N (or N m) on a motion {holds}, so it runs away; "
                "balance them, or hold it by a spring"
            )


def mean_limit(element: Element) -> float:
    """The mean of a sliding limit; of one that is cut off below zero no less than that."""
    law: Any = element.law
    limit = abs(element.force) * max(law.limit, law.static_limit or 0.0)
    for function, _ in element.modulation:
        parts = function.parts()
        limit *= max(parts.constant, 0.0) + sum(abs(h.cos) + abs(h.sin) for h in parts.harmonics)
    return float(limit)


def _unseen(rows: Array) -> Array:
    """(n, k) orthonormal columns that rows (r, n) of any size see nothing of."""
    size = np.abs(rows).max(axis=1, initial=0.0)
    return np.asarray(null_basis((rows[size > 0.0] / size[size > 0.0, None]).T))


def is_damper(law: Law) -> bool:
    """True for a damper alone: no spring beside it."""
    return law.linear_force is not None and law.linear_force.stiffness == 0.0


def unit_scales_at_rest(scales: Array, n: int, turn: float) -> Array:
    """The scales of a motion of n coordinates; of one that is at rest, and has none, those of a length of one.

    turn : [rad/s] by which displacements and velocities compare.
    """
    if not n or scales[0] > REST_SIZE:
        return scales
    found = scales.copy()
    found[:n], found[n : 2 * n] = 1.0, turn
    return found
