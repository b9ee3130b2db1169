"""`PackedModel`: a problem in the arrays of the compiled flow: units, pieces, guards, contacts, loads.

A unit is an element with more than one state: a broken line with or without a stretch (springs with gaps, sliders),
or a dry friction contact. Linear elements have become part of the matrices. Contacts on the same deflection are one
contact whose limits add.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from slipstick.transient.exact import records as at
from slipstick.transient.exact.guard_roots import NEXT_ROW
from slipstick.transient.exact.root_exclusion import BASIS_ROW, INFO_ROW, MODE_ROW
from slipstick.transient.folded_matrices import is_plain
from slipstick.transient.problem import Element, Problem

Array = NDArray[np.float64]

TINY_LIMIT = 1e-200
TAYLOR_ORDER = 30  # of Taylor steps: with it a step of omega h = 3.4 is exact to rounding


@dataclass(frozen=True, eq=False)
class Unit:
    """What can change its state. ``elements`` are the numbers of the problem's elements it stands for.

    deflection : (n,) u = deflection . q + offset;   along : (n,) where its force acts.
    pieces : names of its states, in the order of the packed pieces.
    shares : of a merged contact, the part of the force that each element takes.
    described : the pieces as the law describes them; none for contacts.
    """

    elements: tuple[int, ...]
    deflection: Array
    along: Array
    friction: bool
    pieces: tuple[str, ...]
    shares: tuple[float, ...] = (1.0,)
    described: tuple[Any, ...] = ()

    @property
    def driven(self) -> bool:
        """True for friction whose deflection is prescribed: it has no reaction, what it does is known beforehand."""
        return self.friction and not self.deflection.any()


@dataclass(eq=False)
class PackedModel:
    """The packed model and what is needed to read results out of it.

    mass, damping, stiffness : (n, n) with linear elements and viscous friction put in.
    omega : (h,) all frequencies.   model : the floats.
    """

    problem: Problem
    units: tuple[Unit, ...]
    linear: frozenset[int]  # elements that are part of the matrices, wholly or by their viscous friction
    mass: Array
    damping: Array
    stiffness: Array
    omega: Array
    force_waves: NDArray[np.complex128]
    offset_waves: NDArray[np.complex128]
    limit_waves: NDArray[np.complex128]
    limits: Array
    pieces: list[list[Any]]
    model: Any  # floats; compiled functions take it as a buffer
    state_size: int
    orders: Array | None = None  # (h,) of the base frequency, once they have been asked for


FRICTION_STATES = ("slip-", "stick", "slip+", "unloaded", "stick", "stick", "stick")


def pack_model(problem: Problem) -> PackedModel:
    """Pack a problem; how far a run goes is part of its state."""
    units, linear = find_units(problem)
    n, m = problem.n, len(units)
    damping, stiffness, constant = _put_in(problem, linear)
    omega, waves = _waves(problem, units, linear)
    force_waves, offset_waves, limit_waves = waves
    contacts = [j for j, unit in enumerate(units) if unit.friction]
    limits, ratios = np.array([_limit(problem, units[j]) for j in contacts]).reshape(-1, 2).T
    varies = np.array([float(limit_waves[j].any()) for j in contacts])
    sections = _Sections(at.MODEL_HEAD)
    head = {
        at.N: n, at.UNITS: m, at.WAVES: omega.size, at.CONTACTS: len(contacts),
        at.HAS_OFFSETS: float(not problem.offsets.is_zero), at.REGULAR: float(not problem.massless),
        at.ORDER: TAYLOR_ORDER,
    }  # fmt: skip
    sections.add(at.OMEGA, omega)
    epochs = _epochs(problem, units, linear, constant)
    head[at.EPOCHS] = len(epochs)
    sections.add(at.EPOCH, epochs)
    sections.add(at.F_COS, force_waves.real)
    sections.add(at.F_SIN, -force_waves.imag)
    sections.add(at.O_COS, offset_waves.real)
    sections.add(at.O_SIN, -offset_waves.imag)
    minv = np.zeros((n, n)) if problem.massless else np.linalg.inv(problem.mass)
    diagonal = bool(np.count_nonzero(problem.mass - np.diag(np.diag(problem.mass))) == 0)
    head[at.FULL_MASS] = float(not diagonal)
    sections.add(at.MINV, np.diag(minv) if diagonal else minv)
    sections.add(at.MASS, np.diag(problem.mass) if diagonal else problem.mass)
    _add_sparse(sections, stiffness, damping)
    pieces, most_guards = _add_units(sections, units)
    head[at.GUARDS_MOST] = most_guards + 3 * len(contacts)
    sections.add(at.UNIT_OF, contacts)
    d = np.array([units[j].deflection for j in contacts]).reshape(-1, n)
    a = np.array([units[j].along for j in contacts]).reshape(-1, n).T
    moved = d[d.any(axis=1)]
    head[at.REDUNDANT] = float(moved.size > 0 and np.linalg.matrix_rank(moved) < len(moved))
    sections.add(at.GRAM, d @ minv @ a)
    sections.add(at.MINV_A, minv @ a)
    sections.add(at.LIMIT, limits)
    sections.add(at.RATIO, ratios)
    sections.add(at.VARIES, varies)
    sections.add(at.DRIVEN, [float(units[j].driven) for j in contacts])
    light = np.abs(problem.null_space).any(axis=1)  # a rate that holds none of these is a state, not a balance
    sections.add(at.HEAVY, [float(not units[j].deflection[light].any()) for j in contacts])
    sections.add(at.L_COS, limit_waves[contacts].real)
    sections.add(at.L_SIN, -limit_waves[contacts].imag)
    state_size = _place_state(sections, n, m, omega.size, len(contacts), int(head[at.GUARDS_MOST]))
    model = sections.joined(head)
    return PackedModel(
        problem, units, frozenset(linear), problem.mass, damping, stiffness, omega, force_waves, offset_waves,
        limit_waves, limits, pieces, model, state_size,
    )  # fmt: skip


def _put_in(problem: Problem, linear: Iterable[int]) -> tuple[Array, Array, Array]:
    """Damping, stiffness (n, n) and constant forces (n,) with linear elements and viscous friction put in."""
    damping, stiffness, constant = problem.damping.copy(), problem.stiffness.copy(), np.zeros(problem.n)
    for e in linear:
        element = problem.elements[e]
        law: Any = element.law
        outer = element.force * np.outer(element.along, element.deflection)
        if is_plain(element):
            stiffness += law.stiffness * outer
            damping += law.damping * outer
            constant -= element.force * law.preload * element.along
        else:
            damping += law.damping * outer
    return damping, stiffness, constant


def with_law_parameters(packed: PackedModel, problem: Problem) -> PackedModel | None:
    """The packed problem of laws with other numbers, see `Problem.renewed`; None if they do not fall into the same
    places."""
    if problem.forcing.signals:
        return None
    units, linear = find_units(problem)
    if frozenset(linear) != packed.linear or not all(map(_is_like, packed.units, units)):
        return None
    if any(
        unit.friction and problem.elements[e].law != packed.problem.elements[e].law
        for unit in units
        for e in unit.elements
    ):
        return None
    damping, stiffness, constant = _put_in(problem, linear)
    used, pieces = _pattern(stiffness, damping), [list(unit.described) for unit in units]
    if not np.array_equal(used, _pattern(packed.stiffness, packed.damping)):
        return None
    new = _scaled(packed, problem)
    piece_rows, guard_rows = _piece_rows(units)
    for slot, values in (
        (at.EPOCH, _epochs(problem, units, linear, constant)), (at.K_VALUE, stiffness[used]),
        (at.C_VALUE, damping[used]), (at.PIECES, piece_rows), (at.GUARDS, guard_rows),
    ):  # fmt: skip
        flat = np.asarray(values, dtype=float).ravel()
        first = int(new.model[slot])
        new.model[first : first + flat.size] = flat
    new.units, new.damping, new.stiffness, new.pieces = units, damping, stiffness, pieces
    return new


def _is_like(one: Unit, other: Unit) -> bool:
    """True if two units take the same places."""
    counts = ([len(piece.guards) for piece in unit.described] for unit in (one, other))
    return one.elements == other.elements and one.pieces == other.pieces and next(counts) == next(counts)


def at_base_frequency(packed: PackedModel, problem: Problem) -> PackedModel | None:
    """The same packed problem at another base frequency; None if its waves do not fall into the same places."""
    if problem.scales_with_frequency:
        return _scaled(packed, problem)
    omega, (force, offset, limit) = _waves(problem, packed.units, packed.linear)
    if omega.size != packed.omega.size or problem.offsets.is_zero != packed.problem.offsets.is_zero:
        return None
    model = packed.model.copy()
    loads = [(at.OMEGA, omega), (at.F_COS, force.real), (at.F_SIN, -force.imag)]
    if not problem.offsets.is_zero:
        loads += [(at.O_COS, offset.real), (at.O_SIN, -offset.imag)]
    if packed.limit_waves.any():
        own = limit[[j for j, unit in enumerate(packed.units) if unit.friction]]
        loads += [(at.L_COS, own.real), (at.L_SIN, -own.imag)]
    for slot, values in loads:
        first = int(model[slot])
        model[first : first + values.size] = values.ravel()
    return replace(
        packed, problem=problem, omega=omega, force_waves=force, offset_waves=offset, limit_waves=limit, model=model
    )


def _scaled(packed: PackedModel, problem: Problem) -> PackedModel:
    """The same where all waves go with the base frequency."""
    orders = packed.problem.orders_of(packed.omega) if packed.orders is None else packed.orders
    omega, model = orders * (problem.frequency or 1.0), packed.model.copy()
    first = int(model[at.OMEGA])
    model[first : first + omega.size] = omega
    new = object.__new__(PackedModel)
    new.__dict__.update(packed.__dict__, problem=problem, omega=omega, model=model, orders=orders)
    return new


def tangent_model(packed: PackedModel) -> Array:
    """The packed model of small changes of a motion: without loads, offsets, limits and the constants of pieces."""
    model = np.array(packed.model)
    n, m = packed.problem.n, len(packed.units)
    model[at.WAVES] = model[at.HAS_OFFSETS] = 0.0
    model[int(model[at.EPOCH]) + at.LOADS :][: 2 * n + 2 * m] = 0.0
    model[int(model[at.LIMIT]) :][: int(model[at.CONTACTS])] = 0.0
    pieces = [piece for own in packed.pieces for piece in own]
    guards = sum(len(piece.guards) for piece in pieces)
    model[int(model[at.PIECES]) :][: at.PIECE_ROW * len(pieces)].reshape(-1, at.PIECE_ROW)[:, at.P_CONSTANT] = 0.0
    model[int(model[at.GUARDS]) :][: at.GUARD_ROW * guards].reshape(-1, at.GUARD_ROW)[:, at.G_CONSTANT] = 0.0
    return model


def find_units(problem: Problem) -> tuple[tuple[Unit, ...], list[int]]:
    """The units, and the numbers of the elements that are part of the matrices (wholly, or their viscous friction)."""
    units: list[Unit] = []
    linear: list[int] = []
    for e, element in enumerate(problem.elements):
        law = element.law
        if is_plain(element):
            linear.append(e)
            continue
        along = element.force * element.along
        if law.rigid_friction is not None:
            if law.rigid_friction.damping:
                linear.append(e)
            if not _merge(units, problem, e, element):
                units.append(Unit((e,), element.deflection, along, True, FRICTION_STATES))
            continue
        pieces = tuple(law.pieces())
        names = tuple(piece.name for piece in pieces)
        units.append(Unit((e,), element.deflection, along, False, names, described=pieces))
    return tuple(units), linear


def _merge(units: list[Unit], problem: Problem, e: int, element: Element) -> bool:
    """Put a contact into an earlier one on the same deflection, with the same modulation and static ratio."""
    for j, unit in enumerate(units):
        if not unit.friction:
            continue
        first = problem.elements[unit.elements[0]]
        if (
            np.array_equal(first.deflection, element.deflection)
            and np.array_equal(first.along, element.along)
            and first.force == element.force
            and first.modulation == element.modulation
            and first.law.static_ratio == element.law.static_ratio  # type: ignore[attr-defined]
            and _same_offsets(problem, unit.elements[0], e)
        ):
            elements = (*unit.elements, e)
            parts = np.array([problem.elements[k].law.limit for k in elements])  # type: ignore[attr-defined]
            shares = parts / parts.sum() if parts.sum() else np.full(parts.size, 1.0 / parts.size)
            units[j] = Unit(elements, unit.deflection, unit.along, True, unit.pieces, tuple(shares.tolist()))
            return True
    return False


def _same_offsets(problem: Problem, a: int, b: int) -> bool:
    o = problem.offsets
    rows = (o.constant, o.ramp, *o.cos.T, *o.sin.T, *(column for _, column in o.signals))
    return all(bool(row[a] == row[b]) for row in rows)


def _limit(problem: Problem, unit: Unit) -> tuple[float, float]:
    """The constant part of a contact's limit, and its static ratio."""
    laws: list[Any] = [problem.elements[e].law for e in unit.elements]
    total = sum(float(law.limit) for law in laws)
    if math.isinf(laws[0].static_ratio):  # it only ever breaks loose: slides on next to nothing
        return TINY_LIMIT * sum(float(law.static_limit) for law in laws), 1.0 / TINY_LIMIT
    modulation = problem.elements[unit.elements[0]].modulation
    factor = modulation[0][0].parts().constant if modulation else 1.0
    return total * factor, float(laws[0].static_ratio)


def _waves(problem: Problem, units: tuple[Unit, ...], linear: Iterable[int]) -> tuple[Array, tuple[Any, Any, Any]]:
    """All frequencies, and complex amplitudes (Re a e^(i omega t)) of forces, unit offsets and unit limits."""
    n, m = problem.n, len(units)
    limits: list[tuple[int, list[tuple[float, float, float]]]] = []
    for j, unit in enumerate(units):
        first = problem.elements[unit.elements[0]]
        if unit.friction and first.modulation:
            total = sum(problem.elements[e].law.limit for e in unit.elements)  # type: ignore[attr-defined]
            found = first.modulation[0][0].harmonics_at(problem.frequency)
            limits.append((j, [(w, total * c, total * s) for w, c, s in found]))
    own, moved = problem.forcing.omega.tolist(), problem.offsets.omega.tolist()
    known = sorted({*own, *moved, *(h[0] for _, found in limits for h in found)})
    omega, index = np.array(known), {w: k for k, w in enumerate(known)}
    force = np.zeros((n, omega.size), complex)
    offset = np.zeros((m, omega.size), complex)
    limit = np.zeros((m, omega.size), complex)
    for k, w in enumerate(own):
        force[:, index[w]] += problem.forcing.cos[:, k] - 1j * problem.forcing.sin[:, k]
    for k, w in enumerate(moved):
        amplitude = problem.offsets.cos[:, k] - 1j * problem.offsets.sin[:, k]
        for j, unit in enumerate(units):
            offset[j, index[w]] += amplitude[unit.elements[0]]
        for e in linear:
            element = problem.elements[e]
            law: Any = element.law
            k_, c_ = getattr(law, "stiffness", 0.0), law.damping
            force[:, index[w]] -= element.force * element.along * (k_ + 1j * w * c_) * amplitude[e]
    for j, found in limits:
        for w, c, s in found:
            limit[j, index[w]] += c - 1j * s
    return omega, (force, offset, limit)


def _epochs(problem: Problem, units: tuple[Unit, ...], linear: list[int], constant: Array) -> Array:
    """(epochs, row) straight lines in time of forces and offsets, between the breaks of sampled signals."""
    begins = np.concatenate([[problem.start], problem.breaks(np.inf)])
    f0, f1 = problem.forcing.lines_from(begins)
    o0, o1 = problem.offsets.lines_from(begins)
    f0 += constant
    for e in linear:
        element = problem.elements[e]
        law: Any = element.law
        k, c = getattr(law, "stiffness", 0.0), law.damping
        f0 -= np.outer(k * o0[:, e] + c * o1[:, e], element.force * element.along)
        f1 -= np.outer(k * o1[:, e], element.force * element.along)
    pick = [unit.elements[0] for unit in units]
    return np.column_stack([begins, np.append(begins[1:], np.inf), f0, f1, o0[:, pick], o1[:, pick]])


def _pattern(stiffness: Array, damping: Array) -> NDArray[np.bool_]:
    """(n, n) where either is not zero."""
    return np.asarray((stiffness != 0.0) | (damping != 0.0))


def _add_sparse(sections: _Sections, stiffness: Array, damping: Array) -> None:
    """Stiffness and damping on one pattern, row by row."""
    used = _pattern(stiffness, damping)
    starts = np.concatenate([[0], np.cumsum(used.sum(axis=1))])
    rows, columns = np.nonzero(used)
    sections.add(at.K_AT, starts)
    sections.add(at.K_COLUMN, columns)
    sections.add(at.K_VALUE, stiffness[rows, columns])
    sections.add(at.C_VALUE, damping[rows, columns])


def _add_units(sections: _Sections, units: tuple[Unit, ...]) -> tuple[list[list[Any]], int]:
    """The pieces of each unit, and how many guards all units have at most at a time."""
    starts, columns, d_values, a_values = [0], [], [], []
    first: list[int] = []
    contact_of: list[int] = []
    found: list[list[Any]] = []
    most_guards = contacts = count = 0
    for unit in units:
        used = np.flatnonzero((unit.deflection != 0.0) | (unit.along != 0.0))
        columns += used.tolist()
        d_values += unit.deflection[used].tolist()
        a_values += unit.along[used].tolist()
        starts.append(len(columns))
        first.append(count)
        contact_of.append(contacts if unit.friction else -1)
        contacts += unit.friction
        pieces = unit.described
        found.append(list(pieces))
        most_guards += max((len(p.guards) for p in pieces), default=0)
        count += len(pieces)
    piece_rows, guard_rows = _piece_rows(units)
    for slot, values in (
        (at.D_AT, starts), (at.D_COLUMN, columns), (at.D_VALUE, d_values), (at.A_VALUE, a_values),
        (at.CONTACT_OF, contact_of), (at.FIRST_PIECE, [*first, count]), (at.PIECES, piece_rows),
        (at.GUARDS, guard_rows),
    ):  # fmt: skip
        sections.add(slot, values)
    return found, most_guards


def _piece_rows(units: tuple[Unit, ...]) -> tuple[list[list[float]], list[list[float]]]:
    """All pieces, unit by unit, and all guards, piece by piece."""
    pieces: list[list[float]] = []
    guards: list[list[float]] = []
    for unit in units:
        index = {p.name: k for k, p in enumerate(unit.described)}
        for p in unit.described:
            pieces.append([*p.force[:4], float(p.moves), float(len(guards)), float(len(p.guards))])
            guards += [[*g.value[:4], float(index[g.to])] for g in p.guards]
    return pieces, guards


def _place_state(sections: _Sections, n: int, m: int, h: int, c: int, guards: int) -> int:
    """Where the sections of the state begin; their sizes depend on the model alone."""
    orders, modes = TAYLOR_ORDER + 3, 2 * n
    sizes = {
        at.X: 2 * n, at.PIECE: m, at.MEMORY: m, at.SCALE: 2 * n, at.WANDER: n,
        at.WAVE_C: orders * h, at.WAVE_S: orders * h, at.Q_SERIES: orders * n,
        at.Q_SIZE: orders * n, at.U_SERIES: orders * m, at.FORCE: n, at.FORCE_SIZE: n,
        at.STATUS: c, at.REACTION: c, at.BOUND: 3 * c, at.FACTOR: c * c, at.BASIS: c, at.RATES: c, at.RELEASED: c,
        at.PENDING: m, at.F_LINE: 2 * n, at.MODES_C: at.AMPLITUDES * modes, at.POLY: (at.DEGREE + 1) * n,
        at.G_MODES: MODE_ROW * guards * modes, at.G_POLY: guards * (at.DEGREE + 1), at.G_WAVES: 2 * guards * h,
        at.G_INFO: INFO_ROW * guards, at.G_NEXT: NEXT_ROW * guards, at.BASIS_E: 2 * (BASIS_ROW * modes + 2 * h),
        at.WORK: 10 * n + 4 * c + 4 * m + 8, at.L_SERIES: orders * c, at.SPEEDS: modes, at.NOW: 4 * modes,
        at.R_SERIES: orders * c, at.R_SIZE: c, at.NOISE: modes, at.JUMP: 3 * n, at.SHIFT: 2 * n + m + 1,
        at.G_SERIES: orders, at.OLD_PIECE: m, at.TRIED: 4 * n, at.KEPT: 2 * m,
        at.IMMOBILE: n * (1 + c), at.ECHELON: c * (n + c), at.RELEASE_ERROR: 2 * n,
    }  # fmt: skip
    place = at.STATE_HEAD
    for slot, size in sizes.items():
        sections.head[slot] = place
        place += size
    return place + 1


class _Sections:
    """Sections of the packed model, put one behind the other after its head."""

    def __init__(self, start: int) -> None:
        self.head: dict[int, float] = {}
        self.parts: list[Array] = []
        self.size = start

    def add(self, slot: int, values: Any) -> None:
        flat = np.asarray(values, dtype=float).ravel()
        self.head[slot] = self.size
        self.parts.append(flat)
        self.size += flat.size

    def joined(self, head: dict[int, float]) -> Array:
        top = np.zeros(at.MODEL_HEAD)
        for slot, value in {**self.head, **head}.items():
            top[slot] = value
        return np.concatenate([top, *self.parts, [0.0]])
