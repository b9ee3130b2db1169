"""The period map of the exact flow, and its derivative.

A state is (q, v, w): displacements, velocities, and the stretches of sliders. Where units stand within their pieces
follows from it, and where it does not (a contact at rest, a slider at its limit), from what happens next.
"""

from __future__ import annotations

import math
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from slipstick.arrays import Array
from slipstick.errors import Message, NotConverged
from slipstick.periodic.continuation.corrector import solve_scaled
from slipstick.periodic.shooting.newton import PERIODICITY_TOLERANCE
from slipstick.periodic.shooting.period_map import REST_SIZE, PeriodMap, is_damper, mean_limit, unit_scales_at_rest
from slipstick.transient.exact.engine import Engine, engine_of
from slipstick.transient.exact.flow_run import Flow
from slipstick.transient.exact.packed_model import PackedModel
from slipstick.transient.exact.workspace import WorkspaceRequest, WorkspaceRun
from slipstick.transient.problem import Problem

MACHINE_EPSILON = float(np.finfo(float).eps)
FREE_BODY_REL = 1e-12  # of the largest square of a frequency: a body that nothing holds
# of what the limits of dry friction would move: rounding of forces is well below 1e-11 of it
NEGLIGIBLE_FRICTION_REL = 3e-5


class ExactPeriod(NamedTuple):
    """One period: where it ended, its flow, and the derivative (None: not asked for).

    by_frequency : (size,) the derivative by the base frequency; None: not asked for, or not known.
    """

    state: Array
    flow: Flow
    derivative: Array | None
    by_frequency: Array | None = None


class ExactMap(PeriodMap):
    """problem : of the orbit's period ``time`` [s], beginning at its start.   engine : its own, if there is one yet.

    turn : [rad/s] of the period, by which displacements and velocities compare.
    """

    def __init__(self, problem: Problem, time: float, engine: Engine | None = None) -> None:
        self._set_period(problem, time)
        self.engine = engine_of(problem) if engine is None else engine
        self.size = self.engine.size

    def _set_period(self, problem: Problem, time: float) -> None:
        self.problem, self.time = problem, time
        self._until, self.turn = problem.start + time, 2.0 * math.pi / time

    def retuned(self, problem: Problem, time: float, engine: Engine | None = None) -> ExactMap:
        """The map of the same problem at another base frequency; with the tables of another engine, if one is given."""
        new = object.__new__(ExactMap)
        new.__dict__.update(size=self.size, loose=self.loose, drift=self.drift)
        new._set_period(problem, time)
        new.engine = (engine or self.engine).retuned(problem)
        if problem.scales_with_frequency:  # so that loads are as large as they were
            new.__dict__["friction"] = self.friction
        return new

    def renewed(self, problem: Problem, time: float) -> ExactMap:
        new = ExactMap(problem, time, self.engine.renewed(problem))
        pairs = zip(self.problem.elements, problem.elements, strict=True)
        if all(is_damper(a.law) == is_damper(b.law) for a, b in pairs):
            new.__dict__.update(loose=self.loose, drift=self.drift)
        return new

    @cached_property
    def slowest(self) -> float:  # type: ignore[override]
        """[rad/s] the lowest frequency of the modes in which springs are as stiff as they get; 0 without springs."""
        packed = self.engine.packed
        squares = np.abs(np.linalg.eigvals(np.linalg.lstsq(packed.mass, stiffest_matrix(packed), rcond=None)[0]))
        some = squares[squares > FREE_BODY_REL * squares.max(initial=0.0)]
        return float(np.sqrt(some.min(initial=math.inf))) if some.size else 0.0

    @cached_property
    def friction(self) -> FrictionScale:
        """What its contacts of dry friction would move, at any frequency."""
        return FrictionScale(self.engine)

    @cached_property
    def yielding(self) -> Array:
        """(contacts,) the largest displacement that the limit of each contact of dry friction would cause."""
        return self.friction.moved(self.turn)

    @cached_property
    def least(self) -> float:
        """The least size that displacements are measured by, see `FrictionScale.least`."""
        return self.friction.least(self.turn)

    @property
    def sliders(self) -> list[int]:
        """The units whose stretches are part of the state."""
        return self.engine.sliders

    def first(self) -> Array:
        """The state in which the model begins."""
        return Flow(self.engine, self.problem.start).arrived

    def state_of(self, q: Array, v: Array, memories: list[Any]) -> Array:
        """(size,) a state from displacements, velocities and memories, as laws have them."""
        u, units = self.problem.deflections_at(self.problem.start, q), self.engine.packed.units
        firsts = [units[j].elements[0] for j in self.sliders]
        return np.concatenate([q, v, [u[e] - memories[e][0] for e in firsts]])  # where a spring is at rest

    def go(self, state: Array, derivative: bool = False, swept: bool = False) -> ExactPeriod:
        """Follow a state (size,) over one period; ``swept``: with both derivatives."""
        derived = 0
        if derivative or swept:
            derived = 2 if swept and self.problem.scales_with_frequency and not self.problem.massless else 1
        walked = self.engine.workspace.walk(
            self.engine, state, WorkspaceRequest(self._until, self.turn, derived, least=self.least)
        )
        if walked is not None:
            passed = self.passed(walked, derived)
        else:
            flow = self._flow(state)
            passed = ExactPeriod(flow.arrived, flow, flow.derivative() if derived else None)
        return passed

    def passed(self, walked: WorkspaceRun, derived: int) -> ExactPeriod:
        """A period from a run in the workspace, with so many derivatives."""
        flow = Flow.from_workspace(self.engine, walked, self._until, self.turn)
        by = None
        if derived == 2 and math.isfinite(sum(walked.columns[-1].tolist())):
            by = walked.columns[-1] / (self.problem.frequency or 1.0)
        return ExactPeriod(walked.ended, flow, walked.columns[:-1].T if derived else None, by)

    def sizes(self, flow: Flow) -> Array:
        """(size,) how large the parts of a state are over the period: what differences are measured by."""
        return flow.sizes

    @property
    def rounding(self) -> float:
        """Fast modes of a fine mesh make velocities of what rounding leaves of displacements; of states met so far."""
        by_q, by_v = self.engine.unrest
        return MACHINE_EPSILON * float(np.max(by_q / self.turn + by_v, initial=0.0))

    def scales(self, flow: Flow) -> Array:
        """(size,) the same, but alike for all displacements, all velocities and all stretches."""
        known = flow.known_scales
        found = known[1] if known is not None and known[0] == self.turn else flow.scales_by(self.turn, self.least)
        moves = found.size and found[0] > REST_SIZE
        return found if moves else unit_scales_at_rest(found, self.problem.n, self.turn)

    def held(self, matrix: Array, right: Array, flow: Flow) -> tuple[Array, Array]:
        """What has stuck throughout stays where it is in its band: a period says nothing of its place.

        The equation of a slider's stretch repeats that of its deflection, and gives way to one that holds it. Those of
        a contact add up to nothing along its deflection, and get one that holds it.
        """
        n, units, scales = self.problem.n, self.engine.packed.units, self.scales(flow)
        if not flow.never_slipping:
            return matrix, right
        matrix, right = matrix.copy(), right.copy()
        for j in flow.never_slipping:
            d = units[j].deflection
            if units[j].friction:
                matrix[:n, :n] += np.outer(d, d) / (d @ d)
                continue
            k = 2 * n + self.sliders.index(j)
            matrix[k], right[k] = 0.0, 0.0
            matrix[k, :n] = d * scales[:n] / scales[k]
            matrix[k, k] -= 1.0
        return matrix, right

    def energy_coordinates(self, flow: Flow) -> tuple[Array, Array]:
        """Where fast modes count: to the square roots of energies. In those the map of a linear model hardly turns
        lengths, so that Newton's matrix is as well conditioned for a fine mesh as for a coarse one."""
        n, scales = self.problem.n, self.scales(flow)
        if self.problem.massless or self.rounding <= PERIODICITY_TOLERANCE:
            return super().energy_coordinates(flow)
        try:
            elastic, inertial = self._roots
        except np.linalg.LinAlgError:  # a stiffness that does not hold: energies measure nothing
            return super().energy_coordinates(flow)
        states = flow.motions.T
        most = max(np.linalg.norm(part, axis=0).max() for part in (elastic @ states[:n], inertial @ states[n:]))
        into = np.diag(1.0 / scales)
        if most > 0.0:
            into[:n, :n], into[n : 2 * n, n : 2 * n] = elastic / most, inertial / most
        return into * scales, np.linalg.inv(into) / scales[:, None]

    @cached_property
    def _roots(self) -> tuple[Array, Array]:
        """Triangular roots of the stiffness, with what holds a free body within a period, and of the mass matrix."""
        mass = self.engine.packed.mass
        elastic, inertial = (
            np.linalg.cholesky(a).T for a in (stiffest_matrix(self.engine.packed) + self.turn**2 * mass, mass)
        )
        return np.asarray(elastic, dtype=float), np.asarray(inertial, dtype=float)

    def _flow(self, state: Array) -> Flow:
        first = self.engine.state_of(state)
        first.steps_before_table = 0.0  # modes at once: the next period will need them again
        flow = Flow(self.engine, self._until, first)
        flow.go()
        if flow.trouble:
            raise NotConverged(Message.of(flow.trouble).wrapped("", f" at t = {flow.time:.6g} s"), owner="exact")
        return flow


class FrictionScale:
    """Displacements that the limits of dry friction would cause at a frequency: the scale for motions close to zero.

    Springs resist by K, as stiff as they get, and inertia by omega^2 M. Contacts with prescribed motion do not count.
    """

    def __init__(self, engine: Engine) -> None:
        packed, problem = engine.packed, engine.packed.problem
        contacts = [unit for unit in packed.units if unit.friction and not unit.driven and unit.pair is None]
        limits = np.array([sum(mean_limit(problem.elements[e]) for e in unit.elements) for unit in contacts])
        self.contacts = len(contacts)
        self._stiffness, self._mass = stiffest_matrix(packed), packed.mass
        self._forces = np.array([unit.deflection for unit in contacts]).reshape(-1, problem.n).T * limits
        self._shares = _load_shares(problem, limits)

    def moved(self, omega: float) -> Array:
        """(contacts,) the largest displacement that each limit would cause at a frequency [rad/s]."""
        if not self.contacts:
            return np.zeros(0)
        resisting = self._stiffness + omega**2 * self._mass
        return np.asarray(np.abs(solve_scaled(resisting, self._forces, np.ones(len(resisting)))).max(axis=0))

    def least(self, omega: float) -> float:
        """The least size that displacements are measured by where there is dry friction; else 0.

        Where slip has just begun the motion is arbitrarily small, and large forces cancel in it but for rounding. So it
        is measured by a small part of what the limits would move, or the loads where these are less.
        """
        return NEGLIGIBLE_FRICTION_REL * float((self._shares * self.moved(omega)).max()) if self.contacts else 0.0


def stiffest_matrix(packed: PackedModel) -> Array:
    """(n, n) stiffness with every spring in its stiffest state; contacts of dry friction and stops left out."""
    found = packed.stiffness
    for unit, pieces in zip(packed.units, packed.pieces, strict=True):
        if not unit.is_contact:
            most = max(abs(piece.force.u + piece.force.w) for piece in pieces)
            found = found + most * np.outer(unit.deflection, unit.deflection)
    return np.asarray(found)


def _load_shares(problem: Problem, limits: Array) -> Array:
    """(contacts,) the part of each limit that the loads reach; 1 where the loads are not known."""
    forcing, loads = problem.forcing, math.inf
    if problem.offsets.is_zero and not (forcing.signals or forcing.ramp.any()):
        loads = float(sum(np.abs(part).sum() for part in (forcing.constant, forcing.cos, forcing.sin)))
    return np.minimum(1.0, loads / np.maximum(limits, 1e-300))
