"""`PackedModel`: a problem in the arrays of the compiled flow: units, pieces, guards, contacts, loads.

A unit is an element with more than one state: a broken line with or without a stretch (springs with gaps, sliders),
or a dry friction contact. Linear elements are part of the matrices. Contacts on the same deflection form one contact
with the sum of their limits.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from slipstick.arrays import Array
from slipstick.laws.faces import RigidContact, RigidStop
from slipstick.native import Rows
from slipstick.transient.exact.flow_storage import TAYLOR_ORDER
from slipstick.transient.exact.load_waves import collect_waves, limit_function, limit_varies_by_line, sweep_sections
from slipstick.transient.exact.pair_uniqueness import has_unique_pair_states
from slipstick.transient.exact.records import FlowModel, PackedGuard, PackedPiece
from slipstick.transient.folded_matrices import is_plain
from slipstick.transient.problem import Element, Problem

TINY_LIMIT = 1e-200


@dataclass(frozen=True, eq=False)
class ModelUnit:
    """A part of the model with several states.   elements : indices of the problem's elements that it represents.

    deflection : (n,) u = deflection . q + offset;   along : (n,) where its force acts.
    pieces : names of its states, in the order of the packed pieces.
    shares : of a merged contact, the part of the force that each element takes.
    described : the pieces as the law describes them; none for contacts.
    stop : gap and restitution of a rigid stop; its ``along`` is its deflection.
    pair : of a rigid contact with friction; its tangential unit has friction, its normal one, the next, is a stop.
    partner : the unit of the next direction of a law with two deflections, whose deflection its pieces read too;
        -1: none. The partner takes the piece of this unit, its ``leader``.
    """

    elements: tuple[int, ...]
    deflection: Array
    along: Array
    friction: bool
    pieces: tuple[str, ...]
    shares: tuple[float, ...] = (1.0,)
    described: tuple[Any, ...] = ()
    stop: RigidStop | None = None
    pair: RigidContact | None = None
    partner: int = -1
    leader: int = -1

    @cached_property
    def is_contact(self) -> bool:
        """True for friction and rigid stops, whose force may be a reaction."""
        return self.friction or self.stop is not None

    @cached_property
    def driven(self) -> bool:
        """True for friction with a prescribed deflection: it has no reaction, and its sliding is known beforehand."""
        return self.friction and not self.deflection.any()


@dataclass(eq=False)
class PackedModel:
    """The packed model and the data to read its results.

    mass, damping, stiffness : (n, n) including linear elements and viscous friction.
    omega : (h,) all frequencies.
    """

    problem: Problem
    units: tuple[ModelUnit, ...]
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
    model: FlowModel
    orders: Array | None = None  # (h,) of the base frequency, computed on first use


FRICTION_STATES = ("slip-", "stick", "slip+", "unloaded", "stick", "stick", "stick")
STOP_STATES = ("free", "contact", "free", "free", "contact", "contact", "contact", "impact")
TANGENTIAL_STATES = ("slip-", "stick", "slip+", "separated", "stick", "stick", "stick")
NORMAL_STATES = ("separated", "contact", "contact", "separated", "contact", "contact", "contact", "impact")
NO_STOP = RigidStop(0.0, 0.0)


def pack_model(problem: Problem) -> PackedModel:
    """The packed model of a problem. The end of a run is part of the state, not of the model."""
    units, linear = find_units(problem)
    n, m = problem.n, len(units)
    damping, stiffness, constant = _linear_part(problem, linear)
    waves, amplitudes = collect_waves(problem, units, linear)
    force_waves, offset_waves, limit_waves = amplitudes
    omega = np.array([wave.omega for wave in waves], dtype=float)
    contacts = [j for j, unit in enumerate(units) if unit.is_contact]
    limits, ratios = np.array([_limit(problem, units[j]) for j in contacts]).reshape(-1, 2).T
    minv = np.zeros((n, n)) if problem.massless else np.linalg.inv(problem.mass)
    diagonal = bool(np.count_nonzero(problem.mass - np.diag(np.diag(problem.mass))) == 0)
    d = np.array([units[j].deflection for j in contacts]).reshape(-1, n)
    a = np.array([units[j].along for j in contacts]).reshape(-1, n).T
    moved = d[d.any(axis=1)]
    # the rate of a contact without these coordinates is part of the state, not of a force balance
    light = np.abs(problem.null_space).any(axis=1)
    sections = {
        "frequencies": omega,
        "load_cos": force_waves.real, "load_sin": -force_waves.imag,
        "offset_cos": offset_waves.real, "offset_sin": -offset_waves.imag,
        **_epochs(problem, units, linear, constant),
        **sweep_sections(problem, waves),
        "mass": np.diag(problem.mass) if diagonal else problem.mass,
        "inverse_mass": np.diag(minv) if diagonal else minv,
        **_sparse(stiffness, damping),
        **_unit_sections(units),
        "unit_of": contacts, "delassus": d @ minv @ a, "inverse_mass_along": minv @ a,
        "limit": limits, "static_ratio": ratios,
        "limit_varies": [limit_waves[j].any() or limit_varies_by_line(problem, units[j]) for j in contacts],
        "limit_cos": limit_waves[contacts].real, "limit_sin": -limit_waves[contacts].imag,
        "driven": [units[j].driven for j in contacts],
        "massive": [not units[j].deflection[light].any() for j in contacts],
        **_stop_sections([units[j].stop for j in contacts]),
        **_pair_sections([units[j] for j in contacts]),
    }  # fmt: skip
    flat = {name: np.asarray(values, dtype=float).ravel() for name, values in sections.items()}
    model = FlowModel(
        {name: values.size for name, values in flat.items()}, **flat,
        coordinate_count=n, unit_count=m, wave_count=omega.size, contact_count=len(contacts),
        max_guards=sum(max((len(p.guards) for p in u.described), default=0) for u in units) + 3 * len(contacts),
        taylor_order=TAYLOR_ORDER, full_mass=not diagonal, regular=not problem.massless,
        has_offsets=not problem.offsets.is_zero,
        redundant=bool(moved.size > 0 and np.linalg.matrix_rank(moved) < len(moved)),
        swept=problem.is_swept, has_stops=any(unit.stop is not None for unit in units),
        has_pairs=any(unit.pair is not None for unit in units),
    )  # fmt: skip
    model.pieces, model.guards = _piece_rows(units)
    model.unique = model.has_pairs and has_unique_pair_states(model)
    return PackedModel(
        problem, units, frozenset(linear), problem.mass, damping, stiffness, omega, force_waves, offset_waves,
        limit_waves, limits, [list(unit.described) for unit in units], model,
    )  # fmt: skip


def _stop_sections(stops: list[RigidStop | None]) -> dict[str, list[float]]:
    """Sections of a model: which contacts are rigid stops, their gaps and restitutions."""
    own = [stop or NO_STOP for stop in stops]
    return {
        "stop": [stop is not None for stop in stops],
        "gap": [stop.gap for stop in own],
        "restitution": [stop.restitution for stop in own],
    }


def _pair_sections(contacts: list[ModelUnit]) -> dict[str, list[float]]:
    """Sections of a model: the other contact of each pair, and its friction."""
    normal, tangential = ([-1.0] * len(contacts) for _ in range(2))
    for i, unit in enumerate(contacts):
        if unit.pair is not None and unit.friction:
            normal[i], tangential[i + 1] = i + 1.0, float(i)
    friction = [0.0 if unit.pair is None else unit.pair.friction for unit in contacts]
    return {"normal_of": normal, "tangential_of": tangential, "friction": friction}


def _linear_part(problem: Problem, linear: Iterable[int]) -> tuple[Array, Array, Array]:
    """Damping, stiffness (n, n) and constant forces (n,), including linear elements and viscous friction."""
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
    """The packed problem with other parameters of laws, see `Problem.renewed`; None if the layout differs."""
    if problem.forcing.signals or problem.is_swept:
        return None
    units, linear = find_units(problem)
    if frozenset(linear) != packed.linear or not all(map(_is_like, packed.units, units)):
        return None
    if any(
        unit.is_contact and problem.elements[e].law != packed.problem.elements[e].law
        for unit in units
        for e in unit.elements
    ):
        return None
    damping, stiffness, constant = _linear_part(problem, linear)
    used, pieces = _pattern(stiffness, damping), [list(unit.described) for unit in units]
    if not np.array_equal(used, _pattern(packed.stiffness, packed.damping)):
        return None
    new = _scaled(packed, problem)
    for name, values in _epochs(problem, units, linear, constant).items():
        setattr(new.model, name, values.ravel())
    new.model.stiffness, new.model.damping = stiffness[used], damping[used]
    new.model.pieces, new.model.guards = _piece_rows(units)
    new.units, new.damping, new.stiffness, new.pieces = units, damping, stiffness, pieces
    return new


def _is_like(one: ModelUnit, other: ModelUnit) -> bool:
    """True if two units have the same layout."""
    counts = ([len(piece.guards) for piece in unit.described] for unit in (one, other))
    return one.elements == other.elements and one.pieces == other.pieces and next(counts) == next(counts)


def at_base_frequency(packed: PackedModel, problem: Problem) -> PackedModel | None:
    """The packed problem at another base frequency; None if the layout of its waves differs."""
    if problem.scales_with_frequency:
        return _scaled(packed, problem)
    waves, (force, offset, limit) = collect_waves(problem, packed.units, packed.linear)
    omega = np.array([wave.omega for wave in waves], dtype=float)
    if omega.size != packed.omega.size or problem.offsets.is_zero != packed.problem.offsets.is_zero:
        return None
    model = packed.model.copy()
    model.frequencies = omega
    model.load_cos, model.load_sin = force.real.ravel(), -force.imag.ravel()
    model.offset_cos, model.offset_sin = offset.real.ravel(), -offset.imag.ravel()
    own = limit[[j for j, unit in enumerate(packed.units) if unit.is_contact]]
    model.limit_cos, model.limit_sin = own.real.ravel(), -own.imag.ravel()
    return replace(
        packed, problem=problem, omega=omega, force_waves=force, offset_waves=offset, limit_waves=limit, model=model
    )


def _scaled(packed: PackedModel, problem: Problem) -> PackedModel:
    """The packed problem at another base frequency, if all waves scale with it."""
    orders = packed.problem.orders_of(packed.omega) if packed.orders is None else packed.orders
    omega, model = orders * (problem.frequency or 1.0), packed.model.copy()
    model.frequencies = omega
    new = object.__new__(PackedModel)
    new.__dict__.update(packed.__dict__, problem=problem, omega=omega, model=model, orders=orders)
    return new


def tangent_model(packed: PackedModel) -> FlowModel:
    """The packed model of perturbations of a motion: without loads, offsets, limits and the constants of pieces."""
    model = packed.model.copy()
    model.wave_count, model.has_offsets, model.swept = 0, False, False
    lines = ("load_constant", "load_slope", "offset_constant", "offset_slope", "limit_constant", "limit_slope")
    for name in (*lines, "limit", "gap"):
        setattr(model, name, 0.0)
    model.pieces, model.guards = _piece_rows(packed.units)
    for name in ("constant", "given_constant"):
        model.pieces.numbers[:, [*PackedPiece.fields].index(name)] = 0.0
    model.guards.numbers[:, [*PackedGuard.fields].index("constant")] = 0.0
    return model


def find_units(problem: Problem) -> tuple[tuple[ModelUnit, ...], list[int]]:
    """The units, and the indices of elements that enter the matrices, wholly or by their viscous friction."""
    units: list[ModelUnit] = []
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
                units.append(ModelUnit((e,), element.deflection, along, True, FRICTION_STATES))
            continue
        if law.rigid_contact is not None:
            units.append(_pair_unit(e, element, law.rigid_contact))
            continue
        if law.rigid_stop is not None:
            units.append(
                ModelUnit((e,), element.deflection, element.deflection, False, STOP_STATES, stop=law.rigid_stop)
            )
            continue
        pieces = tuple(law.pieces())
        names = tuple(piece.name.rstrip("+-") if law.kernel_law.directions else piece.name for piece in pieces)
        partner, leader = (-1, -1)
        if law.kernel_law.directions:
            partner, leader = (len(units) + 1, -1) if law.direction_rank == 0 else (-1, len(units) - 1)
        units.append(
            ModelUnit((e,), element.deflection, along, False, names, described=pieces, partner=partner, leader=leader)
        )
    return tuple(units), linear


def _pair_unit(e: int, element: Element, contact: RigidContact) -> ModelUnit:
    """The unit of one direction of a rigid contact with friction."""
    stop = element.law.rigid_stop
    names = TANGENTIAL_STATES if stop is None else NORMAL_STATES
    return ModelUnit((e,), element.deflection, element.deflection, stop is None, names, stop=stop, pair=contact)


def _merge(units: list[ModelUnit], problem: Problem, e: int, element: Element) -> bool:
    """True if a contact was merged into an earlier one of the same deflection, modulation and static ratio."""
    for j, unit in enumerate(units):
        if not unit.friction or unit.pair is not None:
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
            units[j] = ModelUnit(elements, unit.deflection, unit.along, True, unit.pieces, tuple(shares.tolist()))
            return True
    return False


def _same_offsets(problem: Problem, a: int, b: int) -> bool:
    o = problem.offsets
    swept = (column for sweep in o.sweeps for column in (sweep.cos, sweep.sin))
    rows = (o.constant, o.ramp, *o.cos.T, *o.sin.T, *(column for _, column in o.signals), *swept)
    return all(bool(row[a] == row[b]) for row in rows)


def _limit(problem: Problem, unit: ModelUnit) -> tuple[float, float]:
    """The constant part of a contact's limit, and its static ratio; rigid contacts have no limit of their own."""
    if unit.stop is not None or unit.pair is not None:
        return 0.0, 1.0
    laws: list[Any] = [problem.elements[e].law for e in unit.elements]
    total = sum(float(law.limit) for law in laws)
    if math.isinf(laws[0].static_ratio):  # zero limit: after break-away it slides almost freely
        return TINY_LIMIT * sum(float(law.static_limit) for law in laws), 1.0 / TINY_LIMIT
    modulation = problem.elements[unit.elements[0]].modulation
    factor = modulation[0][0].parts().constant if modulation else 1.0
    return total * factor, float(laws[0].static_ratio)


def _epochs(problem: Problem, units: tuple[ModelUnit, ...], linear: list[int], constant: Array) -> dict[str, Array]:
    """Sections of a model: lines in time of forces, offsets and limits in each epoch between breaks."""
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
    limits = [limit_function(problem, unit) for unit in units if unit.is_contact]
    lines = [np.zeros((2, begins.size)) if f is None else np.array(f.lines_from(begins))[:, :, 0] for f in limits]
    l0, l1 = np.array(lines).reshape(-1, 2, begins.size).transpose(1, 2, 0)
    l0 = l0 - [0.0 if f is None else f.constant[0] for f in limits]
    return {
        "epoch_begin": begins, "epoch_end": np.append(begins[1:], np.inf), "load_constant": f0, "load_slope": f1,
        "offset_constant": o0[:, pick], "offset_slope": o1[:, pick], "limit_constant": l0, "limit_slope": l1,
    }  # fmt: skip


def _pattern(stiffness: Array, damping: Array) -> NDArray[np.bool_]:
    """(n, n) True where either matrix is not zero."""
    return np.asarray((stiffness != 0.0) | (damping != 0.0))


def _sparse(stiffness: Array, damping: Array) -> dict[str, Array]:
    """Sections of a model: stiffness and damping as sparse rows of one pattern."""
    used = _pattern(stiffness, damping)
    starts = np.concatenate([[0], np.cumsum(used.sum(axis=1))])
    return {"row_begin": starts, "column": np.nonzero(used)[1], "stiffness": stiffness[used], "damping": damping[used]}


def _unit_sections(units: tuple[ModelUnit, ...]) -> dict[str, Any]:
    """The sections of a model that describe its units."""
    starts, columns, deflection, along = [0], list[int](), list[float](), list[float]()
    for unit in units:
        used = np.flatnonzero((unit.deflection != 0.0) | (unit.along != 0.0))
        columns += used.tolist()
        deflection += unit.deflection[used].tolist()
        along += unit.along[used].tolist()
        starts.append(len(columns))
    contacts = np.cumsum([unit.is_contact for unit in units])
    return {
        "unit_begin": starts, "unit_coordinate": columns, "deflection": deflection, "along": along,
        "contact_of": [contacts[j] - 1 if unit.is_contact else -1 for j, unit in enumerate(units)],
        "first_piece": [0, *np.cumsum([len(unit.described) for unit in units])],
        "partner": [unit.partner for unit in units], "leader": [unit.leader for unit in units],
    }  # fmt: skip


def _piece_rows(units: tuple[ModelUnit, ...]) -> tuple[Rows[PackedPiece], Rows[PackedGuard]]:
    """Records of all pieces, unit by unit, and of all guards, piece by piece."""
    described = [piece for unit in units for piece in unit.described]
    pieces, guards = Rows(PackedPiece, len(described)), Rows(PackedGuard, sum(len(piece.guards) for piece in described))
    first = count = 0
    for unit in units:
        index = {p.name: k for k, p in enumerate(unit.described)}
        for p in unit.described:
            row = pieces[count]
            row.constant, row.u, row.v, row.w = p.force[:4]
            row.partner, row.partner_rate = p.force.partner, p.force.partner_rate
            row.moves, row.first_guard, row.guard_count = p.moves, first, len(p.guards)
            if p.stretch is not None:
                row.given, row.given_constant, row.given_partner = True, p.stretch.constant, p.stretch.partner
            for k, g in enumerate(p.guards):
                guard = guards[first + k]
                guard.constant, guard.u, guard.v, guard.w = g.value[:4]
                guard.partner, guard.partner_rate = g.value.partner, g.value.partner_rate
                guard.to = index[g.to]
            first += len(p.guards)
            count += 1
    return pieces, guards
