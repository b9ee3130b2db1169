"""Rigid springs without gap: one of their coordinates becomes a form of the others."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from slipstick.errors import InvalidInput
from slipstick.model.linear_forms import Form, quotient
from slipstick.model.system import Coordinate, System
from slipstick.reduction import luz_tar_identities
from slipstick.reduction.formula_numbers import FormulaNumber
from slipstick.reduction.network import Friction, Network, OpaqueConnection, Spring
from slipstick.reduction.reduction_steps import DerivedNumber, ReductionState, ReductionStep, RigidRecord
from slipstick.symbolic import is_symbolic

START_ROUNDING_REL = 1e-12  # of a start


def eliminate_rigid_springs(so_far: ReductionState, system: System) -> ReductionState:
    """Remove all rigid springs without gap, together with parallel ones between the same ends."""
    while True:
        spring = next((s for s in so_far.network.springs if s.is_rigid and not s.has_gap), None)
        if spring is None:
            return so_far
        so_far = _eliminate_rigid_spring(so_far, system, spring)


def _eliminate_rigid_spring(so_far: ReductionState, system: System, spring: Spring) -> ReductionState:
    network = so_far.network
    gone = _choose_coordinate(network, system, spring)
    by = spring.form.without(gone) * quotient(-1.0, spring.form.factor(gone))
    _refuse_start(network, system, gone, by, spring.name)
    inertias, moved, derived = _transferred_inertia(network, system, gone, by, spring.name)
    rest = {s: s.form.substituted(gone, by) for s in network.springs if s is not spring}
    alone = not network.loads_on(gone) and not network.frictions_on(gone) and not network.others_on(gone)
    record = RigidRecord(
        gone,
        by,
        spring,
        tuple(s for s in network.springs_on(gone) if s is not spring) if alone and network.is_massless(gone) else None,
        tuple(s for s, form in rest.items() if not form.names),
    )
    frictions, merged = _transferred_frictions(network, gone, by)
    new = replace(
        network,
        inertias=inertias,
        moved=moved,
        springs=tuple(replace(s, form=form) for s, form in rest.items() if form.names),
        frictions=frictions,
        loads=tuple(replace(p, form=f) for p in network.loads if (f := p.form.substituted(gone, by)).names),
        others=tuple(found for o in network.others if (found := _transferred_connection(o, gone, by, spring.name))),
    )
    step = ReductionStep(
        "rigid connection",
        (spring.name, gone),
        f'"{spring.name}" holds its ends together',
        f"{gone} = {by}; what acts on {gone} acts there",
        derived + merged,
    )
    return so_far.then(new, step, record)


def _choose_coordinate(network: Network, system: System, spring: Spring) -> str:
    """The coordinate to eliminate: one without inertia if there is one, else the last."""
    ends = network.first_of(spring.form)
    free = [name for name in ends if system[name].motion is None]
    if not free:
        raise InvalidInput(
            f'"{spring.name}" cannot be rigid: all of its ends follow prescribed motions; leave it out of rigid',
            owner="reduce",
        ).about("rigid")
    given = () if system.matrices is None else system.matrices.names
    ours = [name for name in free if name not in given]
    if not ours:
        raise InvalidInput(
            f'"{spring.name}" cannot be rigid: "{free[-1]}" belongs to the given matrices, which have no '
            "luz/tar form; leave it out of rigid, or bind the two in the matrices",
            owner="reduce",
        ).about("rigid")
    return max(ours, key=lambda name: (network.is_massless(name), ends.index(name)))


def _transferred_inertia(
    network: Network, system: System, gone: str, by: Form, name: str
) -> tuple[dict[str, FormulaNumber], dict[str, tuple[str, ...]], tuple[DerivedNumber, ...]]:
    """Inertias without the eliminated one, their origins, and the new inertia."""
    inertias = {n: m for n, m in network.inertias.items() if n != gone}
    if network.is_massless(gone):
        return inertias, network.moved, ()
    if len(by.names) > 1:
        raise InvalidInput(
            f'"{name}" makes {gone} = {by}, and its inertia would couple them; name "{gone}" in massless too',
            owner="reduce",
        ).about("rigid")
    free = [n for n in by.names if system[n].motion is None]  # prescribed motions feel no inertia
    if not free:
        return inertias, network.moved, ()
    (other,) = free
    own = () if network.is_massless(other) else network.moved.get(other, (other,))
    moved = {**network.moved, other: (*own, *network.moved.get(gone, (gone,)))}
    seen = network.inertias[gone] * by.factor(other) ** 2
    inertias[other] = seen if network.is_massless(other) else inertias[other] + seen
    return inertias, moved, (DerivedNumber("m", "_".join(moved[other]), inertias[other]),)


def _transferred_frictions(
    network: Network, gone: str, by: Form
) -> tuple[tuple[Friction, ...], tuple[DerivedNumber, ...]]:
    """Frictions with a coordinate replaced; those along one form are merged."""
    kept: list[Friction] = []
    moved: set[str] = set()
    for pair in network.frictions:
        new = replace(pair, form=pair.form.substituted(gone, by))
        if not new.form.names:
            continue
        moved |= {pair.name} if gone in pair.form.names else set()
        scales = [new.form.ratio(other.form) for other in kept]
        at = next((i for i, s in enumerate(scales) if s is not None and {kept[i].name, pair.name} & moved), None)
        if at is None:
            kept.append(new)
            continue
        name = network.free_name(f"{kept[at].name}+{pair.name}", *moved)
        kept[at] = luz_tar_identities.combine_frictions(kept[at], new.seen(scales[at]), name)
        moved.add(name)
    derived = [(f, letter) for f in kept if f.name not in network.names for letter in "CF"]
    return tuple(kept), tuple(DerivedNumber(c, f.name, f.viscous if c == "C" else f.limit) for f, c in derived)


def _transferred_connection(other: OpaqueConnection, gone: str, by: Form, name: str) -> OpaqueConnection | None:
    """A connection without luz/tar form with a coordinate replaced; None where its force acts on nothing any more."""
    c = other.connection
    deflection, along = c.deflection.substituted(gone, by), c.along.substituted(gone, by)
    if not along.names:
        return None
    if not deflection.names:
        raise InvalidInput(
            f'"{name}" cannot be rigid: "{c.name}" would have no deflection left, while its force acts along '
            f'{along}; leave "{name}" out of rigid, or put a load in its place',
            owner="reduce",
        ).about("rigid")
    return OpaqueConnection(replace(c, deflection=deflection, along=along), other.why)


def _refuse_start(network: Network, system: System, gone: str, by: Form, name: str) -> None:
    """Refuse a start that the rigid spring does not allow; what has no inertia takes any rate at once."""
    kinds = ("displacement",) if network.is_massless(gone) else ("displacement", "velocity")
    for derivative, what in enumerate(kinds):
        here = _start_value(system, gone, derivative)
        there: Any = sum(by.factor(n) * _start_value(system, n, derivative) for n in by.names)
        size = sum(abs(by.factor(n)) * _start_scale(system, n, derivative) for n in by.names)
        if not is_symbolic(there) and abs(here - there) > START_ROUNDING_REL * max(abs(here), size):
            raise InvalidInput(
                f'"{name}" cannot be rigid: it makes {gone} = {by}, and the initial {what} is {here:g} '
                f"there against {float(there):g}; change one of them",
                owner="reduce",
            ).about("rigid")


def _start_scale(system: System, name: str, derivative: int) -> float:
    """What rounding of a start is relative to: its size, or that of the oscillations in it."""
    c: Coordinate = system[name]
    motion = c.motion
    waves = [] if motion is None else motion.harmonics_at(system.frequency)
    return abs(_start_value(system, name, derivative)) + sum((abs(c) + abs(s)) * w**derivative for w, c, s in waves)


def _start_value(system: System, name: str, derivative: int) -> float:
    c: Coordinate = system[name]
    if c.motion is None:
        return c.velocity if derivative else c.displacement
    return float(c.motion.at(0.0, system.frequency, derivative))
