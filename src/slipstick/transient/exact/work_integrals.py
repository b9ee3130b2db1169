"""Works along a run in closed form: over a segment every power is a product of two sums of exponentials.

A Gauss rule must resolve the fastest mode, which in a fine mesh oscillates millions of times. Here a velocity is

    v(s) = Re sum of X_a g_a exp(m_a s),    a over modes and waves,

and the work of a damping matrix C is, over a time h,

    1/2 Re sum over a, b of X_a' C X_b g_a g_b E(m_a + m_b) + conj(X_a)' C X_b conj(g_a) g_b E(conj(m_a) + m_b),

E(m) the integral of exp(m s). Most pairs of modes vanish where damping is proportional to mass and stiffness. Works of
constant forces and springs follow from displacements at the ends.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from slipstick.arrays import Array, Complex
from slipstick.laws.law_kernels import pointer
from slipstick.model.modal_algebra import is_symmetric
from slipstick.transient.accurate_products import accurate_product
from slipstick.transient.energy import WorkIntegrals, stored_in_matrices
from slipstick.transient.exact import records as at
from slipstick.transient.exact.compiled import kernel
from slipstick.transient.exact.records import ModalTables, entry_at, table_at
from slipstick.transient.exact.root_exclusion import LAMBDA_ROW
from slipstick.transient.exact.taylor_series import friction_share
from slipstick.transient.folded_matrices import is_plain
from slipstick.transient.problem import Problem

if TYPE_CHECKING:
    from slipstick.transient.exact.trajectory import ExactTrajectory


MIN_COORDINATES = 13  # with fewer, a Gauss rule is as quick
MIN_INTERVALS = 12  # in a run: the largest exchanged energy is evaluated at their ends
SEGMENTS_PER_BATCH = 64  # whose stored energies are computed together
SERIES_EXPONENT = 0.5  # |z| below which exp(z) - 1 cancels
MIN_COUPLING_REL = 1e-12  # of the dampings of two modes: less is rounding of the matrix, as in `symmetric_eigenpairs`


class Pairs(NamedTuple):
    """Pairs of modes and waves a <= b with their products X_a' C X_b and conj(X_a)' C X_b, twice where a < b."""

    first: NDArray[np.intp]
    second: NDArray[np.intp]
    plain: Complex
    conjugate: Complex


class Forms(NamedTuple):
    """X (n, k) of modes and waves, with pairs coupled by the damping matrix."""

    shapes: Complex
    damped: Pairs


class ModalSegment(NamedTuple):
    """A segment from its start on: exponents m and factors g of velocities (k,), and the forms that go with them."""

    forms: Forms
    exponents: Complex
    factors: Complex


class SegmentWorks(NamedTuple):
    """Works over the m intervals of a segment, in the order of `energy.powers`; q : (m + 1, n) at their ends.

    matrices : of the damping matrix alone.
    """

    q: Array
    work_in: Array
    absorbed: Array
    matrices: Array


def works_of(trajectory: ExactTrajectory) -> WorkIntegrals | None:
    """Works over a run; None if there is no closed form, or a Gauss rule is as quick."""
    problem = trajectory.problem
    if problem.n < MIN_COORDINATES or not _is_steady(problem):
        return None
    begins = trajectory.flow.times
    ends = np.append(begins[1:], trajectory.flow.time)
    longest = float(ends[-1] - begins[0]) / MIN_INTERVALS
    works = WorkIntegrals.none(problem)
    known: dict[int, Forms] = {}
    numbers = np.flatnonzero(ends > begins)
    for batch in np.split(numbers, range(SEGMENTS_PER_BATCH, numbers.size, SEGMENTS_PER_BATCH)):
        found = []
        for k in batch.tolist():
            segment = _segment(trajectory, k, known)
            if segment is None:
                return None
            edges = np.linspace(begins[k], ends[k], int((ends[k] - begins[k]) / longest) + 2)
            found.append(_segment_works(trajectory, k, segment, edges))
        stored = stored_in_matrices(problem, np.vstack([part.q for part in found]))
        inside = np.concatenate([np.arange(len(part.q)) > 0 for part in found])[1:]  # no work from segment to segment
        matrices = np.diff(stored)[inside] + np.concatenate([part.matrices for part in found])
        work_in, absorbed = (np.concatenate([part[i] for part in found]) for i in (1, 2))
        works = works.plus(work_in, absorbed, matrices)
    return works


def _is_steady(problem: Problem) -> bool:
    """True if loads are constants and waves, no motion is prescribed, and forces act along their deflections."""
    return (
        not any(element.law.rigid_contact for element in problem.elements)
        and is_symmetric(problem.stiffness)
        and problem.offsets.is_zero
        and not problem.forcing.ramp.any()
        and not problem.forcing.signals
        and not problem.forcing.sweeps
        and not any(element.modulation for element in problem.elements)
        and all(connection.is_conjugate for connection in problem.system.connections)
        and not any(element.law.kernel_law.directions for element in problem.elements)
    )


def _segment(trajectory: ExactTrajectory, k: int, known: dict[int, Forms]) -> ModalSegment | None:
    """Segment k; None if it was not propagated by modes, or some of them drift.

    known : forms by the place of their table.
    """
    flow, n = trajectory.flow, trajectory.problem.n
    engine, model = flow.engine, trajectory.packed.model
    if flow.by_series[k]:
        return None
    room, out = flow.state.copy(), np.empty(2 * n + model.contact_count + 1)
    begin = flow.times[k : k + 1].copy()
    with engine.lock:  # this call leaves the expansion of the segment in the state
        kernel("sample_run").call(
            engine.model, room.pointer, engine.tables.pointer, flow.recording.pointer, pointer(begin), 1, pointer(out),
        )  # fmt: skip
        place = _place(engine.tables, room.key)
        table = table_at(engine.tables, place)
        r, h = table.mode_count, trajectory.packed.omega.size
        values = table.eigenvalues.reshape(r, LAMBDA_ROW)
        if place not in known:
            modes = table.shapes.view(complex).reshape(n, r)
            waves = table.response.view(complex).reshape(h, n)
            known[place] = _forms(np.hstack([modes, waves.T]), trajectory.problem.damping)
    amplitudes = room.amplitudes[: at.AMPLITUDES * r].reshape(r, at.AMPLITUDES)
    drift = room.polynomial[n:]
    if drift.any() or amplitudes[:, 4:].any():
        return None
    omega, lam = trajectory.packed.omega, values[:, 0] + 1j * values[:, 1]
    c, pushed = amplitudes[:, :4].copy().view(complex).T
    waves = 1j * omega * np.exp(1j * omega * begin[0])
    return ModalSegment(known[place], np.concatenate([lam, 1j * omega]), np.concatenate([lam * c + pushed, waves]))


def _place(tables: ModalTables, key: float) -> int:
    """Where the table of a state begins, by its hash."""
    entries = (entry_at(tables, i) for i in range(tables.count))
    return next(entry.place for entry in entries if entry.key == key)


def _forms(shapes: Complex, damping: Array) -> Forms:
    re, im = shapes.real.copy(), shapes.imag.copy()
    force = accurate_product(damping, re), accurate_product(damping, im)
    real, imag, mixed = re.T @ force[0], im.T @ force[1], re.T @ force[1]
    other = im.T @ force[0]
    plain, conjugate = real - imag + 1j * (mixed + other), real + imag + 1j * (mixed - other)
    return Forms(shapes.copy(), _coupled_pairs(plain, conjugate))


def _coupled_pairs(plain: Complex, conjugate: Complex) -> Pairs:
    """The pairs that do not vanish of products (k, k), which are symmetric and Hermitian."""
    own = np.sqrt(np.abs(np.diag(conjugate)))
    size = np.maximum(np.abs(plain), np.abs(conjugate))
    first, second = np.nonzero(np.triu(size > MIN_COUPLING_REL * np.outer(own, own)))
    twice = np.where(first == second, 1.0, 2.0)
    return Pairs(first, second, twice * plain[first, second], twice * conjugate[first, second])


def _segment_works(trajectory: ExactTrajectory, k: int, segment: ModalSegment, edges: Array) -> SegmentWorks:
    """Works over the intervals of segment k between edges."""
    problem, forms = trajectory.problem, segment.forms
    q = _displacements(trajectory, k, edges)
    lengths = np.diff(edges)
    work_in, matrices = np.diff(q, axis=0) @ problem.forcing.constant, np.empty(lengths.size)
    absorbed = np.empty((lengths.size, len(problem.elements)))
    u = q @ problem.deflections.T
    dampers: list[tuple[int, float, Pairs]] = []
    for e, (constant, slope, damping) in enumerate(_lines(trajectory, k)):
        absorbed[:, e] = np.diff(constant * u[:, e] + 0.5 * slope * u[:, e] ** 2)
        if damping:
            form = problem.deflections[e] @ forms.shapes
            dampers.append((e, damping, _coupled_pairs(np.outer(form, form), np.outer(form.conj(), form))))
    for i, h in enumerate(lengths.tolist()):
        here = segment._replace(factors=segment.factors * np.exp(segment.exponents * (edges[i] - edges[0])))
        work_in[i] += _wave_work(problem, here, edges[i], h)
        matrices[i] = _quadratic(here, forms.damped, h)
        for e, damping, pairs in dampers:
            absorbed[i, e] += damping * _quadratic(here, pairs, h)
    return SegmentWorks(q, work_in, absorbed / [element.scale for element in problem.elements], matrices)


def _displacements(trajectory: ExactTrajectory, k: int, edges: Array) -> Array:
    """(edges, n) displacements at the edges of intervals of segment k; its ends were recorded."""
    flow, n = trajectory.flow, trajectory.problem.n
    q = np.empty((edges.size, n))
    q[0] = flow.motions[k, :n]
    q[-1] = flow.motions[k + 1, :n] if k + 1 < flow.recording.segment_count else flow.state.motion[:n]
    if edges.size > 2:
        q[1:-1] = trajectory.at(edges[1:-1]).q
    return q


def _lines(trajectory: ExactTrajectory, k: int) -> Iterator[tuple[float, float, float]]:
    """Of each element in segment k: force = constant + stiffness u + damping u'."""
    for e, element in enumerate(trajectory.problem.elements):
        linear, friction = element.law.linear_force, element.law.rigid_friction
        if linear is not None and is_plain(element):
            line = linear.preload, linear.stiffness, linear.damping
        elif friction is not None:
            line = _friction(trajectory, k, e), 0.0, friction.damping
        elif element.law.rigid_stop is not None:
            line = 0.0, 0.0, 0.0
        else:
            line = _broken_line(trajectory, k, e)
        constant, stiffness, damping = line
        yield element.force * constant, element.force * stiffness, element.force * damping


def _friction(trajectory: ExactTrajectory, k: int, e: int) -> float:
    """The force of a contact that slides; one that sticks takes no work."""
    j, packed = trajectory.unit_of[e], trajectory.packed
    unit = packed.units[j]
    contact = int(packed.model.contact_of[j])
    total = sum(trajectory.problem.elements[i].law.limit for i in unit.elements)  # type: ignore[attr-defined]
    share = friction_share(packed.model, int(trajectory.piece(j, slice(k, k + 1))[0]), contact)
    return float(share * total * unit.shares[unit.elements.index(e)])


def _broken_line(trajectory: ExactTrajectory, k: int, e: int) -> tuple[float, float, float]:
    j, here = trajectory.unit_of[e], slice(k, k + 1)
    piece = trajectory.packed.pieces[j][int(trajectory.piece(j, here)[0])]
    memory = float(trajectory.memory(j, here)[0])
    constant, u, v, w = piece.force[:4]
    return (constant - w * memory, u + w, v) if piece.moves else (constant + w * memory, u, v)


def _wave_work(problem: Problem, here: ModalSegment, begin: float, h: float) -> float:
    """The work of loads that are waves, over a time h from ``begin`` on."""
    total = 0.0
    for j, omega in enumerate(problem.forcing.omega.tolist()):
        load = (problem.forcing.cos[:, j] - 1j * problem.forcing.sin[:, j]) * np.exp(1j * omega * begin)
        for force, rate in ((load, 1j * omega), (load.conj(), -1j * omega)):
            z = here.exponents + rate
            total += 0.5 * float(
                np.sum((force @ here.forms.shapes) * here.factors * _integral(z, np.exp(z * h), h)).real
            )
    return total


def _integral(rates: Complex, grown: Complex, h: float) -> Complex:
    """Of exp(rates s) over a time h, with ``grown`` at its end."""
    near = np.abs(rates) * h < SERIES_EXPONENT
    found = np.asarray((grown - 1.0) / np.where(rates == 0.0, 1.0, rates))
    z = rates[near]
    found[near] = np.where(z == 0.0, h, np.expm1(z * h) / np.where(z == 0.0, 1.0, z))
    return found


def _quadratic(here: ModalSegment, pairs: Pairs, h: float) -> float:
    """The integral of v' C v over a time h (see above)."""
    a, b = pairs.first, pairs.second
    m, g, grown = here.exponents, here.factors, np.exp(here.exponents * h)
    plain = pairs.plain * g[a] * g[b] * _integral(m[a] + m[b], grown[a] * grown[b], h)
    other = pairs.conjugate * g.conj()[a] * g[b] * _integral(m.conj()[a] + m[b], grown.conj()[a] * grown[b], h)
    return 0.5 * float(np.sum(plain + other).real)
