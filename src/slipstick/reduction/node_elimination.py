"""Massless nodes without friction, eliminated one after the other."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

from slipstick.errors import InvalidInput
from slipstick.model.linear_forms import nearly_equal
from slipstick.reduction import luz_tar_identities
from slipstick.reduction.model_symbols import ModelSymbols
from slipstick.reduction.neglected_parts import describe_gaps
from slipstick.reduction.network import Network, Spring
from slipstick.reduction.reduction_steps import (
    DerivedNumber,
    LooseEndRecord,
    ParallelRecord,
    ReductionState,
    ReductionStep,
    SeriesRecord,
    StarRecord,
)
from slipstick.symbolic import is_symbolic, is_zero


def eliminate_nodes(so_far: ReductionState, nodes: list[str]) -> ReductionState:
    """Eliminate nodes that have neither inertia, friction nor load, those with fewest springs first."""
    left = list(nodes)
    while left:
        left.sort(key=lambda name: len(so_far.network.springs_on(name)))
        for node in left:
            merged = _merge_parallel(so_far, so_far.network.springs_on(node))
            if _is_eliminable(merged.network.springs_on(node)):
                break
        else:
            _refuse_gaps(so_far.network, left[0])
        so_far = _eliminate_node(merged, node)
        left.remove(node)
    return _merge_derived_springs(so_far)


def _is_eliminable(springs: list[Spring]) -> bool:
    return len(springs) <= 2 or _is_loose(springs) or not any(s.has_gap or s.is_rigid for s in springs)


def _is_loose(springs: list[Spring]) -> bool:
    """True if all lead to one place."""
    return all(s.form.ratio(springs[0].form) is not None for s in springs)


def _refuse_gaps(network: Network, node: str) -> None:
    springs = network.springs_on(node)
    raise InvalidInput(
        f'"{node}" has {len(springs)} springs ({spring_names(springs)}) with gaps; two in series, '
        f"or any number "
        "without gaps, become springs between its neighbours, these do not. Leave it out of massless, or name "
        f"{describe_gaps(springs)} in no_gap",
        owner="reduce",
    ).about("massless")


def _eliminate_node(so_far: ReductionState, node: str) -> ReductionState:
    springs = so_far.network.springs_on(node)
    if not springs:
        raise InvalidInput(
            f'"{node}" is held by no spring, so without inertia its position is not determined; leave it out of '
            "massless, or connect it",
            owner="reduce",
        ).about("massless")
    _refuse_unstable(node, springs)
    if _is_loose(springs):
        return _drop_loose(so_far, node, springs)
    return (
        _eliminate_in_series(so_far, node, springs) if len(springs) == 2 else _eliminate_in_star(so_far, node, springs)
    )


def _refuse_unstable(node: str, springs: list[Spring]) -> None:
    """Refuse a node that a negative stiffness pushes away: without inertia it is nowhere."""
    e = [s.compliance.value for s in springs]
    if any(is_symbolic(own) for own in e) or min(e) >= 0.0:
        return
    gapped = any(s.has_gap for s in springs)
    stiffness = 0.0 if gapped else sum(s.form.factor(node) ** 2 / own for s, own in zip(springs, e, strict=True))
    if gapped or not (is_symbolic(stiffness) or stiffness > 0.0):
        where = "in its gap" if gapped else f"of {stiffness:g} in all"
        raise InvalidInput(
            f'"{node}" is pushed away by a negative stiffness {where} ({spring_names(springs)}), so '
            f"without inertia "
            "it has no equilibrium; leave it out of massless",
            owner="reduce",
        ).about("massless")


def _drop_loose(so_far: ReductionState, node: str, springs: list[Spring]) -> ReductionState:
    rest = tuple(s for s in so_far.network.springs if s not in springs)
    step = ReductionStep(
        "loose end",
        (node, *(s.name for s in springs)),
        f"nothing else acts on {node}",
        f"{spring_names(springs)} at its end: no force; {node} is left out with it",
    )
    return so_far.then(
        _without_node(replace(so_far.network, springs=rest), node), step, LooseEndRecord(node, tuple(springs))
    )


def _eliminate_in_series(so_far: ReductionState, node: str, springs: list[Spring]) -> ReductionState:
    network = so_far.network
    order = {name: i for i, name in enumerate(network.inertias) if name != node}
    first, second = sorted(springs, key=lambda s: min(order.get(n, len(order)) for n in s.form.names))
    plain = luz_tar_identities.combine_series(first, second, node)
    merged, scale = _renamed_spring(plain, network)
    kept = [merged if s is first else s for s in network.springs if s is not second]
    derived = () if merged.is_rigid else (DerivedNumber("k", merged.name, merged.compliance.inverse),)
    step = ReductionStep(
        "series",
        (node, first.name, second.name),
        f"{node} has neither inertia nor friction nor load, so both springs carry one force",
        f'one spring "{merged.name}" on {merged.form}: compliances and half gaps add',
        (*derived, DerivedNumber("a", merged.name, merged.half_gap)),
    )
    new = _without_node(replace(network, springs=tuple(kept)), node)
    return so_far.then(new, step, SeriesRecord(node, first, second, merged, scale))


def _eliminate_in_star(so_far: ReductionState, node: str, springs: list[Spring]) -> ReductionState:
    network = so_far.network
    pairs: list[tuple[int, int, Spring, Any]] = []
    taken: tuple[str, ...] = ()
    held = luz_tar_identities.node_stiffness(springs, node)
    derived = [DerivedNumber("S", node, held)]
    for i, j, plain in luz_tar_identities.combine_star(
        springs, node, held.called(partial(network.symbols.of, "S", node))
    ):
        spring, scale = _renamed_spring(plain, network, *taken)
        taken = (*taken, spring.name)
        own = spring.compliance.called(partial(_inverse, network.symbols, spring.name))  # keeps formulas short
        pairs.append((i, j, replace(spring, compliance=own), scale))
        derived.append(DerivedNumber("k", spring.name, spring.compliance.inverse))
    found = [merged for _, _, merged, _ in pairs]
    rest = tuple(s for s in network.springs if s not in springs)
    step = ReductionStep(
        "star",
        (node, *(s.name for s in springs)),
        f"{node} has neither inertia nor friction nor load, and no spring on it has a gap",
        f"a spring for each pair of neighbours: {', '.join(s.name for s in found)}",
        tuple(derived),
    )
    new = _without_node(replace(network, springs=rest + tuple(found)), node)
    return so_far.then(new, step, StarRecord(node, tuple(springs), tuple(pairs)))


def _inverse(symbols: ModelSymbols, name: str) -> Any:
    return 1 / symbols.of("k", name)


def _merge_derived_springs(so_far: ReductionState) -> ReductionState:
    """Springs that were made on the way, between the same coordinates, become one."""
    primary = set(so_far.primary.names)
    together: dict[frozenset[str], list[Spring]] = {}
    for spring in so_far.network.springs:
        if spring.name not in primary:
            together.setdefault(frozenset(spring.form.names), []).append(spring)
    for springs in together.values():
        so_far = _merge_parallel(so_far, springs)
    return so_far


def _merge_parallel(so_far: ReductionState, springs: list[Spring]) -> ReductionState:
    """Those of these springs that have proportional forms and equal gaps become one."""
    left = list(springs)
    while left:
        one = left.pop(0)
        group = [(one, 1)]
        for other in left:
            s = other.form.ratio(one.form)
            if s is not None and _mergeable(one, other.seen(s)):
                group.append((other, s))
        if len(group) > 1:
            left = [s for s in left if all(s is not used for used, _ in group)]
            so_far = _merge_group(so_far, group)
    return so_far


def _mergeable(one: Spring, other: Spring) -> bool:
    return not (one.is_rigid or other.is_rigid) and nearly_equal(one.half_gap.value, other.half_gap.value)


def _merge_group(so_far: ReductionState, group: list[tuple[Spring, Any]]) -> ReductionState:
    network = so_far.network
    springs = [s for s, _ in group]
    stiffness = sum(1 / s.seen(scale).compliance.value for s, scale in group)
    if is_zero(stiffness):
        raise InvalidInput(
            f"the stiffnesses of {spring_names(springs)} add up to 0; remove these springs from the model",
            owner="reduce",
        )
    names = dict.fromkeys(s.name for s in springs)
    merged = replace(
        luz_tar_identities.combine_parallel([s.seen(scale) for s, scale in group]),
        name=network.free_name("+".join(names)),
        part=0,
    )
    step = ReductionStep(
        "parallel",
        tuple(names),
        "they act along one deflection and have one half gap",
        f'one spring "{merged.name}": stiffnesses add',
        (DerivedNumber("k", merged.name, merged.compliance.inverse),),
    )
    kept = tuple(merged if s is springs[0] else s for s in network.springs if s is springs[0] or s not in springs)
    record = ParallelRecord(tuple(springs), tuple(scale for _, scale in group), merged)
    return so_far.then(replace(network, springs=kept), step, record)


def _without_node(network: Network, node: str) -> Network:
    return replace(network, inertias={name: m for name, m in network.inertias.items() if name != node})


def _renamed_spring(spring: Spring, network: Network, *also: str) -> tuple[Spring, Any]:
    """A merged spring, seen from its first coordinate and named after those that it connects; and that scale."""
    order = network.first_of(spring.form)
    scale = spring.form.factor(order[0])
    return replace(spring.seen(scale), name=network.free_name("-".join(order), *also), part=0), scale


def spring_names(springs: list[Spring]) -> str:
    return ", ".join(f'"{s.name}"' for s in springs)
