"""Works along a run in closed form: over a segment every power is a product of two sums of exponentials.

A Gauss rule follows the fastest mode, of which a fine mesh has millions of turns in a run. Here a velocity is

    v(s) = Re sum of X_a g_a exp(m_a s),    a over modes and waves,

and the work of a damping matrix C is, over a time h,

    1/2 Re sum over a, b of X_a' C X_b g_a g_b E(m_a + m_b) + conj(X_a)' C X_b conj(g_a) g_b E(conj(m_a) + m_b),

E(m) the integral of exp(m s). Works of constant forces and springs follow from displacements at the ends.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from slipstick.laws.law_kernels import pointer
from slipstick.model.modal_algebra import is_symmetric
from slipstick.transient.energy import WorkIntegrals, stored_in_matrices
from slipstick.transient.exact import records as at
from slipstick.transient.exact.compiled import kernel
from slipstick.transient.exact.records import Tables, entry_at, table_at
from slipstick.transient.exact.root_exclusion import LAMBDA_ROW
from slipstick.transient.exact.taylor_series import friction_share
from slipstick.transient.exact.trajectory import ExactTrajectory
from slipstick.transient.folded_matrices import is_plain
from slipstick.transient.problem import Problem

Array = NDArray[np.float64]
Complex = NDArray[np.complex128]

MANY = 12  # coordinates: with fewer of them, a Gauss rule is as quick
INTERVALS = 12  # at least, in a run: at their ends it is seen how much energy is about
SMALL = 0.5  # |z| below which exp(z) - 1 cancels


class Forms(NamedTuple):
    """X (n, k) of modes and waves, and products with the damping matrix: X' C X and conj(X)' C X."""

    shapes: Complex
    plain: Complex
    conjugate: Complex


class Segment(NamedTuple):
    """A segment from its begin on: exponents m and factors g of velocities (k,), with what their forms are."""

    forms: Forms
    exponents: Complex
    factors: Complex


def works_of(trajectory: ExactTrajectory) -> WorkIntegrals | None:
    """Works over a run; None where they have no closed form here, or a Gauss rule is as quick."""
    problem = trajectory.problem
    if problem.n <= MANY or not _is_steady(problem):
        return None
    begins = trajectory.flow.times.tolist()
    ends = [*begins[1:], trajectory.flow.time]
    longest = (ends[-1] - begins[0]) / INTERVALS
    works = WorkIntegrals.none(problem)
    known: dict[int, Forms] = {}
    for k, (begin, end) in enumerate(zip(begins, ends, strict=True)):
        if end <= begin:
            continue
        segment = _segment(trajectory, k, known)
        if segment is None:
            return None
        edges = np.linspace(begin, end, int((end - begin) / longest) + 2)
        works = works.plus(*_powers(trajectory, k, segment, edges))
    return works


def _is_steady(problem: Problem) -> bool:
    """True if loads are constants and waves, nothing moves as prescribed, and forces act along their deflections."""
    return (
        is_symmetric(problem.stiffness)
        and problem.offsets.is_zero
        and not problem.forcing.ramp.any()
        and not problem.forcing.signals
        and not any(element.modulation for element in problem.elements)
        and all(connection.is_conjugate for connection in problem.system.connections)
    )


def _segment(trajectory: ExactTrajectory, k: int, known: dict[int, Forms]) -> Segment | None:
    """Segment k; None if it was not walked by modes, or some of them drift.

    known : forms by the place of their table.
    """
    flow, n = trajectory.flow, trajectory.problem.n
    engine, model = flow.engine, trajectory.packed.model
    if flow.by_series[k]:
        return None
    room, out = flow.state.copy(), np.empty(2 * n + model.contact_count + 1)
    begin = flow.times[k : k + 1].copy()
    with engine.lock:  # leaves the segment as it was expanded
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
    return Segment(known[place], np.concatenate([lam, 1j * omega]), np.concatenate([lam * c + pushed, waves]))


def _place(tables: Tables, key: float) -> int:
    """Where the table of a state begins, by its hash."""
    entries = (entry_at(tables, i) for i in range(tables.count))
    return next(entry.place for entry in entries if entry.key == key)


def _forms(shapes: Complex, damping: Array) -> Forms:
    re, im = shapes.real.copy(), shapes.imag.copy()
    force = damping @ re, damping @ im
    real, imag, mixed = re.T @ force[0], im.T @ force[1], re.T @ force[1]
    other = im.T @ force[0]
    return Forms(shapes.copy(), real - imag + 1j * (mixed + other), real + imag + 1j * (mixed - other))


def _powers(trajectory: ExactTrajectory, k: int, segment: Segment, edges: Array) -> tuple[Array, Array, Array]:
    """Works over the intervals of a segment, in the order of `energy.powers`."""
    problem, forms = trajectory.problem, segment.forms
    q = trajectory.at(edges).q
    moved, lengths = np.diff(q, axis=0), np.diff(edges)
    work_in, matrices = moved @ problem.forcing.constant, np.diff(stored_in_matrices(problem, q))
    absorbed = np.empty((lengths.size, len(problem.elements)))
    u = q @ problem.deflections.T
    lines = list(_lines(trajectory, k))
    for e, (constant, slope, _) in enumerate(lines):
        absorbed[:, e] = np.diff(constant * u[:, e] + 0.5 * slope * u[:, e] ** 2)
    for i, h in enumerate(lengths.tolist()):
        here = segment._replace(factors=segment.factors * np.exp(segment.exponents * (edges[i] - edges[0])))
        work_in[i] += _wave_work(problem, here, edges[i], h)
        twice, beside = _kernels(segment.exponents, h)
        matrices[i] += _quadratic(here.factors, forms.plain, forms.conjugate, twice, beside)
        for e, (_, _, damping) in enumerate(lines):
            if damping:
                form = problem.deflections[e] @ forms.shapes
                products = np.outer(form, form), np.outer(form.conj(), form)
                absorbed[i, e] += damping * _quadratic(here.factors, *products, twice, beside)
    return work_in, absorbed / [element.scale for element in problem.elements], matrices


def _lines(trajectory: ExactTrajectory, k: int) -> Iterator[tuple[float, float, float]]:
    """Of each element in segment k: force = constant + stiffness u + damping u'."""
    for e, element in enumerate(trajectory.problem.elements):
        linear, friction = element.law.linear_force, element.law.rigid_friction
        if linear is not None and is_plain(element):
            line = linear.preload, linear.stiffness, linear.damping
        elif friction is not None:
            line = _friction(trajectory, k, e), 0.0, friction.damping
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


def _wave_work(problem: Problem, here: Segment, begin: float, h: float) -> float:
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


def _kernels(exponents: Complex, h: float) -> tuple[Complex, Complex]:
    """Integrals of exp((m_a + m_b) s) and exp((conj(m_a) + m_b) s) over a time h."""
    grown = np.exp(exponents * h)
    return tuple(  # type: ignore[return-value]
        _integral(first[:, None] + exponents, np.outer(end, grown), h)
        for first, end in ((exponents, grown), (exponents.conj(), grown.conj()))
    )


def _integral(rates: Complex, grown: Complex, h: float) -> Complex:
    """Of exp(rates s) over a time h, with ``grown`` at its end."""
    near = np.abs(rates) * h < SMALL
    found = np.asarray((grown - 1.0) / np.where(rates == 0.0, 1.0, rates))
    z = rates[near]
    found[near] = np.where(z == 0.0, h, np.expm1(z * h) / np.where(z == 0.0, 1.0, z))
    return found


def _quadratic(g: Complex, plain: Complex, conjugate: Complex, twice: Complex, beside: Complex) -> float:
    """The integral of v' C v (see above)."""
    return 0.5 * float((g @ (plain * twice) @ g + g.conj() @ (conjugate * beside) @ g).real)
