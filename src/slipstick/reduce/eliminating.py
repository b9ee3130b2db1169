"""Massless nodes without friction, eliminated one after the other."""

from __future__ import annotations

from typing import Any

from slipstick.errors import InvalidInput
from slipstick.reduce import rules
from slipstick.reduce.network import Network, Spring
from slipstick.reduce.steps import InSeries, InStar, Loose, Reduced, SideBySide, Step
from slipstick.symbolic import is_symbolic, is_zero


def eliminate(so_far: Reduced, nodes: list[str]) -> Reduced:
    """Eliminate nodes that have neither inertia, friction nor load; those with fewest springs first."""
    left = list(nodes)
    while left:
        so_far = _merge_parallel(so_far, left)
        left.sort(key=lambda name: len(so_far.network.springs_on(name)))
        so_far = _eliminate_one(so_far, left.pop(0))
    return so_far


def _eliminate_one(so_far: Reduced, node: str) -> Reduced:
    springs = so_far.network.springs_on(node)
    if not springs:
        raise InvalidInput(f'reduce: "{node}" is held by no spring, so without inertia its place is not determined')
    if len(springs) == 1:
        return _drop_loose(so_far, node, springs[0])
    if len(springs) == 2:
        return _in_series(so_far, node, springs)
    if all(is_zero(s.half_gap) and not is_zero(s.compliance) for s in springs):
        return _in_star(so_far, node, springs)
    raise InvalidInput(
        f'reduce: "{node}" has {len(springs)} springs ({named(springs)}) with gaps; two in series, or any number '
        "without gaps, become springs between its neighbours, these do not. Leave it out of massless, or name "
        "their gaps in no_gap"
    )


def _drop_loose(so_far: Reduced, node: str, spring: Spring) -> Reduced:
    rest = tuple(s for s in so_far.network.springs if s is not spring)
    step = Step(
        "loose end",
        (node, spring.name),
        f"nothing else acts on {node}",
        f'the spring "{spring.name}" carries no force; both are left out',
    )
    return so_far.then(_removed(so_far.network.with_(springs=rest), node), step, Loose(node, spring))


def _in_series(so_far: Reduced, node: str, springs: list[Spring]) -> Reduced:
    network = so_far.network
    order = list(network.inertias)
    first, second = sorted(
        springs, key=lambda s: min((order.index(n) for n in s.form.terms if n != node), default=len(order))
    )
    merged = rules.series(first, second, node, "")
    if not merged.form.terms:
        raise InvalidInput(
            f'reduce: the springs "{first.name}" and "{second.name}" at "{node}" lead to the same place; what they '
            "hold is no deflection of the others"
        )
    if not is_symbolic(merged.compliance) and merged.compliance < 0.0:
        raise InvalidInput(
            f'reduce: the springs "{first.name}" and "{second.name}" at "{node}" have a compliance of '
            f"{merged.compliance:g} together; a chain with a negative stiffness has no single force"
        )
    scale = rules.factor(merged.form, next(name for name in order if name in merged.form.terms))
    merged = _named(merged, network, {first, second})
    kept = [s for s in network.springs if s is not first and s is not second]
    at = min(network.springs.index(first), network.springs.index(second))
    kept.insert(at, merged)
    step = Step(
        "series",
        (node, first.name, second.name),
        f"{node} has neither inertia nor friction nor load, so both springs carry one force",
        f'one spring "{merged.name}" on {merged.form}: compliances and half gaps add',
        {f"1/k_{merged.name}": merged.compliance, f"a_{merged.name}": merged.half_gap},
    )
    new = _removed(network.with_(springs=tuple(kept)), node)
    return so_far.then(new, step, InSeries(node, first, second, merged, scale))


def _in_star(so_far: Reduced, node: str, springs: list[Spring]) -> Reduced:
    network = so_far.network
    names = {(a.name, b.name): f"{a.name}|{b.name}" for a in springs for b in springs}
    found: list[Spring] = []
    for spring in rules.star(springs, node, names):
        found.append(_named(spring, network, {*springs}, frozenset(s.name for s in found)))
    rest = tuple(s for s in network.springs if s not in springs)
    step = Step(
        "star",
        (node, *(s.name for s in springs)),
        f"{node} has neither inertia nor friction nor load, and no spring on it has a gap",
        f"a spring for each pair of neighbours: {', '.join(s.name for s in found)}",
        {f"1/k_{s.name}": s.compliance for s in found},
    )
    new = _removed(network.with_(springs=rest + tuple(found)), node)
    return so_far.then(new, step, InStar(node, tuple(springs), tuple(found)))


def _merge_parallel(so_far: Reduced, nodes: list[str]) -> Reduced:
    """Springs of proportional forms and equal gaps that act on nodes still to be eliminated become one."""
    network = so_far.network
    for i, one in enumerate(network.springs):
        if not any(name in one.form.terms for name in nodes):
            continue
        group, scales = [one], [1]
        for other in network.springs[i + 1 :]:
            s = rules.ratio(other.form, one.form)
            if s is not None and _mergeable(one, rules.seen(other, s)):
                group.append(other)
                scales.append(s)
        if len(group) == 1:
            continue
        seen = [rules.seen(s, scale) for s, scale in zip(group, scales, strict=True)]
        merged = rules.parallel(seen, "+".join(dict.fromkeys(s.name for s in group)))
        springs = tuple(merged if s is one else s for s in network.springs if s is one or s not in group)
        step = Step(
            "parallel",
            tuple(s.name for s in group),
            "they act along one deflection and have one half gap",
            f'one spring "{merged.name}": stiffnesses add',
            {f"k_{merged.name}": 1 / merged.compliance},
        )
        record = SideBySide(tuple(group), tuple(scales), merged)
        return _merge_parallel(so_far.then(network.with_(springs=springs), step, record), nodes)
    return so_far


def _mergeable(one: Spring, other: Spring) -> bool:
    rigid = is_zero(one.compliance) or is_zero(other.compliance)
    return not rigid and rules.same(one.half_gap, other.half_gap)


def _removed(network: Network, node: str) -> Network:
    return network.with_(inertias={name: m for name, m in network.inertias.items() if name != node})


def _named(spring: Spring, network: Network, replaced: set[Spring], taken: frozenset[str] = frozenset()) -> Spring:
    """A merged spring, seen from its first coordinate and named after those that it connects."""
    order = [name for name in network.inertias if name in spring.form.terms]
    spring = rules.seen(spring, rules.factor(spring.form, order[0]))
    plain = "-".join(order)
    others = {s.name for s in network.springs if s not in replaced} | {f.name for f in network.frictions}
    used = others | {c.name for c in network.others} | taken
    name = next(n for n in (plain, *(f"{plain}-{i}" for i in range(2, len(used) + 3))) if n not in used)
    return Spring(name, spring.form, spring.compliance, spring.half_gap)


def named(springs: list[Spring]) -> Any:
    return ", ".join(f'"{s.name}"' for s in springs)
