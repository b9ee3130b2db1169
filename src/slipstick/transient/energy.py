"""The energy balance of a run, against which every run is checked.

    work of loads and motions = change of kinetic energy + change of stored energy + dissipation

A method supplies the results of its own quadrature: the work done on the system and the work absorbed by each element.
Springs without a damper cannot dissipate. For them the change of stored energy counts, not the quadrature, so the
balance exposes a method that gets their work wrong.

The terms, per second, with the sums over elements e of force F_e = force q(t) law(u, v):

    work_in      v . forcing + sum of F_e offset_e'/scale_e       (motions push elements and, through the matrices, v)
    absorbed[e]  F_e u_e'/scale_e                                 (u_e' with the offset's rate: the full deflection)
    matrices     v . (C v + K q)

An element whose force acts along another form than its deflection absorbs F_e along_e . v; offsets do no work on it.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

import numpy as np

from slipstick.arrays import Array
from slipstick.laws.composite import is_varying_limit
from slipstick.model.modal_algebra import is_symmetric
from slipstick.results.certificate import Certificate
from slipstick.results.run_end import RunEnd
from slipstick.transient.accurate_products import accurate_product
from slipstick.transient.law_validity import validity_warnings
from slipstick.transient.problem import Element, Problem
from slipstick.transient.sensitivity import ErrorEstimate

ENERGY_ROUNDING_REL = 1e-9  # of the energies involved: a dissipation above minus this is zero
MATRICES_NAME = "matrices"  # the name of a model's matrices among its connections


class Snapshot(NamedTuple):
    """The state at one instant: t [s], q and v (n,) of the free coordinates, the memory of each element's law."""

    t: float
    q: Array
    v: Array
    memories: Sequence[Any]

    def as_end(self, problem: Problem, sticking: Sequence[int] = (), sizes: Sequence[float] = ()) -> RunEnd:
        """As the end of a run, from which another one continues."""
        names = [problem.assembly.names[i] for i in problem.assembly.free]
        q, v = (dict(zip(names, part.tolist(), strict=True)) for part in (self.q, self.v))
        origins = zip(self.memories, problem.slider_origins.tolist(), strict=True)
        memory = tuple(tuple(float(x) - origin for x in own) for own, origin in origins)
        return RunEnd(self.t, q, v, memory, tuple(sticking), tuple(sizes))


class RunSpan(NamedTuple):
    """The part of a run that a balance is for.

    path : times (k,) and the free coordinates (k, n) there, with the extreme deflections of all laws.
    closed : both instants are the same state, so a law with memory has dissipated all that it absorbed.
    """

    first: Snapshot
    last: Snapshot
    path: tuple[Array, Array] | None = None
    closed: bool = False


class WorkIntegrals(NamedTuple):
    """Integrals of the powers over a run [J].

    work_in : of loads and motions.   absorbed : (elements,)   matrices : of damping and stiffness matrices.
    exchanged : the largest sum of their absolute values at any time of the run. The residual is relative to it: a
        closed motion ends with works of zero, and their rounding is that of the energies on the way.
    """

    work_in: float
    absorbed: Array
    matrices: float
    exchanged: float

    @classmethod
    def none(cls, problem: Problem) -> WorkIntegrals:
        """At the start of a run."""
        return cls(0.0, np.zeros(len(problem.elements)), 0.0, 0.0)

    def plus(self, power_in: Array, absorbed: Array, matrices: Array) -> WorkIntegrals:
        """Add the works of k intervals in a row, (k, ...), as `powers` orders them."""
        parts = np.column_stack([power_in, matrices, absorbed])
        parts[:1] += np.concatenate([[self.work_in, self.matrices], self.absorbed])
        parts = np.cumsum(parts, axis=0)
        most = float(np.abs(parts).sum(axis=1).max(initial=0.0))
        end = parts[-1]
        return WorkIntegrals(float(end[0]), end[2:], float(end[1]), max(self.exchanged, most))


class MotionSamples(NamedTuple):
    """k instants: time (k,), q and v (k, n) of the free coordinates."""

    time: Array
    q: Array
    v: Array


def powers(problem: Problem, motion: Any, forces: Array) -> tuple[Array, Array, Array]:
    """The terms above at k instants: (k,) of loads and motions, (k, elements) of elements, (k,) of the matrices.

    motion : has time (k,), q and v (k, n).   forces : (k, elements) F_e.
    """
    q, v = motion.q, motion.v
    power_in = np.einsum("ki,ki->k", v, problem.forcing.over(motion.time))
    moved = None if problem.offsets.is_zero else problem.offsets.over(motion.time, 1).T
    rates = problem.deflections @ v.T
    taken = np.empty(rates.shape)
    for e, element in enumerate(problem.elements):
        if not problem.system.connections[element.connection].is_conjugate:
            taken[e] = forces[:, e] * (v @ element.along)
            continue
        if moved is not None:
            power_in += forces[:, e] * moved[e] / element.scale
            rates[e] += moved[e]
        np.multiply(forces[:, e], rates[e], out=taken[e])
        if element.scale != 1.0:
            taken[e] /= element.scale
    if not problem.damping.any() and not problem.stiffness.any():
        return power_in, taken.T, np.zeros(power_in.size)
    return power_in, taken.T, np.einsum("ki,ki->k", v, v @ problem.damping.T + q @ problem.stiffness.T)


def energy_certificate(
    problem: Problem,
    works: WorkIntegrals,
    span: RunSpan,
    estimate: ErrorEstimate,
    tolerance: float,
    *,
    failures: Sequence[str] = (),
    advice: str = "",
) -> Certificate:
    """The certificate of a run between two instants; the module's docstring names the power of each integral.

    tolerance : the largest energy residual to pass.
    failures : other reasons not to pass.
    advice : what to do if the energy does not balance.
    """
    work_in, (first, last, path, closed), errors = works.work_in, span, estimate.errors
    doubted = {} if path is None else validity_warnings(problem, np.atleast_2d(problem.deflections_at(*path)))
    # the stored energy of a law that creates energy is unknown: what it gave over a closed path was never stored
    judged = {e for e in range(len(problem.elements)) if closed or e in doubted}
    book = _EnergyAccount(problem, np.asarray(works.absorbed, dtype=float), first, last, judged)
    for e in range(len(problem.elements)):
        book.enter(e)
    book.enter_matrices(works.matrices)
    kinetic = book.kinetic(last) - book.kinetic(first)
    scale = max([abs(work_in), *book.sizes, book.kinetic(first), book.kinetic(last), works.exchanged])
    gap = abs(work_in - kinetic - sum(book.stored.values()) - sum(book.dissipated.values()))
    by_coordinate = dict.fromkeys(problem.assembly.names, 0.0)
    free = (problem.assembly.names[i] for i in problem.assembly.free)
    by_coordinate.update(zip(free, np.broadcast_to(errors, problem.n).tolist(), strict=True))
    return Certificate(
        error=float(np.max(errors, initial=0.0)),
        errors=by_coordinate,
        energy_residual=float(gap / scale) if scale > 0.0 else float(gap),
        work_in=float(work_in),
        dissipated=book.dissipated,
        stored=book.stored,
        kinetic=float(kinetic),
        tolerance=tolerance,
        notes=(*estimate.notes, *book.notes, *doubted.values(), *book.energy_suppliers(ENERGY_ROUNDING_REL * scale)),
        failures=(*failures, *book.gains(max(tolerance, ENERGY_ROUNDING_REL) * scale)),
        sensitive=bool(np.isinf(errors).any()),
        advice=advice,
    )


def stored_in_matrices(problem: Problem, q: Array) -> Array:
    """(k,) [J] of a symmetric stiffness matrix, at displacements (k, n)."""
    # on a fine mesh large forces cancel: rounding of each would spoil the balance
    return np.asarray(0.5 * np.einsum("ki,ik->k", q, accurate_product(problem.stiffness, q.T)))


class _EnergyAccount:
    """Stored and dissipated energy by connection, filled element by element."""

    def __init__(
        self, problem: Problem, absorbed: Array, first: Snapshot, last: Snapshot, judged: Collection[int]
    ) -> None:
        """judged : elements that must not give energy although their stored energy is unknown."""
        self.problem, self.absorbed, self.first, self.last, self.judged = problem, absorbed, first, last, judged
        self.names = [c.name for c in problem.system.connections]
        self.dissipated = dict.fromkeys(self.names, 0.0)
        self.stored: dict[str, float] = {}
        self.sizes = [float(np.abs(absorbed).sum())]  # energies that the residual is relative to
        self.notes: list[str] = []
        self.friction: list[tuple[str, float]] = []  # dissipation of elements that cannot give energy
        self.unknown: dict[str, float] = {}  # absorbed by connections whose stored energy is unknown
        self.origins = problem.slider_origins.tolist()
        self.u = [problem.deflections_at(s.t, s.q) for s in (first, last)]

    def kinetic(self, state: Snapshot) -> float:
        return 0.5 * float(state.v @ self.problem.mass @ state.v)

    def enter(self, e: int) -> None:
        element, work = self.problem.elements[e], float(self.absorbed[e])
        name = self.names[element.connection]
        if not self.problem.system.connections[element.connection].is_conjugate:
            if not element.along.any():  # it acts along nothing: a followed force
                return
            self._once(
                f'"{name}" acts along another form than its deflection: it may create energy, and its figure '
                "is the work it took along that form"
            )
            self.dissipated[name] += work
            return
        before, after = self._stored(e, self.first), self._stored(e, self.last)
        if before is None or after is None:
            self.sizes += [abs(own) for own in (self._own(e, s) for s in (self.first, self.last)) if own is not None]
            self.dissipated[name] += work
            if e in self.judged and element.law.remembers and not element.modulation and has_positive_scale(element):
                self.friction.append((name, work))
            else:
                self.unknown[name] = self.unknown.get(name, 0.0) + work
            return
        self.sizes += [abs(before), abs(after)]
        slid = self._one_sided_work(e)
        self.stored[name] = self.stored.get(name, 0.0) + after - before - slid
        if is_conservative(element):
            return
        self.dissipated[name] += work - (after - before) + slid
        if cannot_supply_energy(element):
            self.friction.append((name, work - (after - before)))

    def _one_sided_work(self, e: int) -> float:
        """The work on a slider by half the difference of its limits, a constant force: friction, and not stored."""
        slider, origin = self.problem.elements[e].law.elastic_slider, self.origins[e]
        if slider is None or origin == 0.0:
            return 0.0
        way = self.last.memories[e][0] - self.first.memories[e][0]
        return float(self._factor(e) * slider.stiffness * origin * way)

    def _factor(self, e: int) -> float:
        """The energy of an element over that of its law."""
        element = self.problem.elements[e]
        return element.force / element.scale

    def _stored(self, e: int, state: Snapshot) -> float | None:
        element = self.problem.elements[e]
        if element.modulation and not (element.law.rigid_friction and is_varying_limit(element.leaf)):
            return None  # a varying factor does work on the stored energy
        return self._own(e, state)

    def _own(self, e: int, state: Snapshot) -> float | None:
        """The stored energy of an element without its factor in time."""
        element = self.problem.elements[e]
        first = e - element.law.direction_rank  # which has the memory of a law with several deflections
        own = element.law.stored(float(self.u[state is self.last][e]), state.memories[first])
        return None if own is None else self._factor(e) * own

    def enter_matrices(self, work: float) -> None:
        damping, stiffness = self.problem.damping, self.problem.stiffness
        if not damping.any() and not stiffness.any():
            return
        change = 0.0
        if is_symmetric(stiffness):
            before, after = stored_in_matrices(self.problem, np.array([self.first.q, self.last.q])).tolist()
            self.sizes += [abs(before), abs(after)]
            change = after - before
            self.stored[MATRICES_NAME] = self.stored.get(MATRICES_NAME, 0.0) + change
        else:
            self._once("the stiffness matrix is not symmetric: it has no stored energy and may create some")
        if damping.any() or not is_symmetric(stiffness):
            taken = work - change
            self.sizes.append(abs(taken))
            self.dissipated[MATRICES_NAME] = self.dissipated.get(MATRICES_NAME, 0.0) + taken

    def gains(self, allowed: float) -> list[str]:
        """One message for each friction element that gained energy."""
        return [
            f'the friction in "{name}" gained {-energy:.2g} J, which is impossible'
            for name, energy in self.friction
            if energy < -allowed
        ]

    def energy_suppliers(self, dust: float) -> list[str]:
        return [
            f'"{name}" gave {-work:.3g} J over the run: its law does not separate stored from dissipated energy'
            for name, work in self.unknown.items()
            if work < -dust
        ]

    def _once(self, note: str) -> None:
        if note not in self.notes:
            self.notes.append(note)


def is_conservative(element: Element) -> bool:
    """True for a plain spring, which returns all absorbed energy."""
    if element.law.kernel_law.directions:
        return not element.law.is_passive
    return not element.law.needs_rate and not element.law.remembers and element.law.rigid_stop is None


def cannot_supply_energy(element: Element) -> bool:
    """True for friction and sliders, which only absorb energy unless a negative scale reverses them."""
    return element.law.is_passive and has_positive_scale(element)


def has_positive_scale(element: Element) -> bool:
    """False if a negative scale reverses a law, so that it supplies the energy that it would absorb."""
    return element.force * element.scale > 0.0
