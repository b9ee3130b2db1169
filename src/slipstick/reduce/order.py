"""Which steps are taken, in which order, and which limits do not exist.

Inertia goes before friction: a node with friction and ever less inertia settles on C v = luz(F, F0), and with ever less
friction that settles on equal forces. The other way round a node without friction rattles in its gap for ever, however
light it is, so there is no limit to take.
"""

from __future__ import annotations

from typing import Any

from slipstick.errors import InvalidInput
from slipstick.model.forms import Form
from slipstick.model.system import System
from slipstick.reduce import rules
from slipstick.reduce.eliminating import eliminate, named
from slipstick.reduce.network import Friction, Network, network_of
from slipstick.reduce.steps import Bound, Reduced, Step
from slipstick.symbolic import is_symbolic, is_zero


def take(
    system: System,
    massless: list[str],
    frictionless: list[str],
    rigid: list[str],
    no_gap: list[str],
    no_limit: list[str],
) -> Reduced:
    """All steps. Names have been checked to be those of the system."""
    so_far = Reduced(network_of(system))
    so_far = _without_gaps(so_far, no_gap)
    so_far = _without_inertia(so_far, system, massless)
    so_far = _without_friction(so_far, frictionless)
    so_far = _without_limits(so_far, no_limit)
    so_far = _made_rigid(so_far, system, rigid)
    _refuse_what_cannot_go(so_far.network, massless)
    going = [name for name in massless if name in so_far.network.inertias and not so_far.network.frictions_on(name)]
    staying = [name for name in massless if name in so_far.network.inertias and name not in going]
    so_far = eliminate(so_far, going)
    so_far = _first_order(so_far, staying)
    _refuse_rigid_stops(so_far.network)
    return so_far


def _without_gaps(so_far: Reduced, names: list[str]) -> Reduced:
    for name in names:
        network = so_far.network
        own = [s for s in network.springs if s.name == name]
        if not own:
            raise InvalidInput(f'reduce: connection "{name}" has no spring with a gap that could be left out')
        gap = ", ".join(f"{s.half_gap:g}" if not is_symbolic(s.half_gap) else str(s.half_gap) for s in own)
        springs = tuple(
            type(s)(s.name, s.form, s.compliance, 0.0 * s.half_gap) if s.name == name else s for s in network.springs
        )
        step = Step("no gap", (name,), f"its half gap, {gap}, is small beside its deflections", "luz(u, 0) = u")
        so_far = so_far.then(network.with_(springs=springs), step)
    return so_far


def _without_inertia(so_far: Reduced, system: System, names: list[str]) -> Reduced:
    for name in names:
        network = so_far.network
        if system[name].motion is not None:
            raise InvalidInput(f'reduce: "{name}" follows a prescribed motion; its inertia has no effect')
        gaps = [s for s in network.springs_on(name) if not is_zero(s.half_gap)]
        if not is_zero(network.inertias[name]) and gaps and not network.frictions_on(name):
            raise InvalidInput(
                f'reduce: "{name}" has no friction, so with ever less inertia it rattles in the gap of {named(gaps)} '
                "without end, and there is no limit; give it friction (DryFriction with damping) and name it in "
                "frictionless too, or name the gap in no_gap"
            )
        step = Step(
            "massless", (name,), f"the inertia of {name} is small beside what its springs and friction do", "m = 0"
        )
        inertias = {**network.inertias, name: 0.0}
        so_far = so_far.then(network.with_(inertias=inertias), step)
    return so_far


def _without_friction(so_far: Reduced, names: list[str]) -> Reduced:
    for name in names:
        network = so_far.network
        gone = network.frictions_on(name)
        if not gone:
            raise InvalidInput(f'reduce: no friction acts on "{name}"; leave it out of frictionless')
        words = ", ".join(f'"{f.name}"' for f in gone)
        after = "after its inertia" if is_zero(network.inertias[name]) else "beside its inertia and springs"
        step = Step("frictionless", (name,), f"the friction of {words} is small, {after}", "C = 0, F = 0")
        frictions = tuple(f for f in network.frictions if f not in gone)
        so_far = so_far.then(network.with_(frictions=frictions), step)
    return so_far


def _without_limits(so_far: Reduced, names: list[str]) -> Reduced:
    for name in names:
        network = so_far.network
        if not any(f.name == name and not is_zero(f.limit) for f in network.frictions):
            raise InvalidInput(f'reduce: connection "{name}" has no dry friction whose limit could be left out')
        frictions = tuple(
            Friction(f.name, f.form, f.viscous, 0.0) if f.name == name else f
            for f in network.frictions
            if f.name != name or not is_zero(f.viscous)
        )
        step = Step("no limit", (name,), f'the dry friction of "{name}" is small beside the rest', "C tar(v, 0) = C v")
        so_far = so_far.then(network.with_(frictions=frictions), step)
    return so_far


def _made_rigid(so_far: Reduced, system: System, names: list[str]) -> Reduced:
    for name in names:
        network = so_far.network
        own = [s for s in network.springs if s.name == name]
        if not own or any(c.name == name for c in network.others):
            raise InvalidInput(f'reduce: connection "{name}" has no spring that could be rigid; rigid takes springs')
        springs = tuple(
            type(s)(s.name, s.form, 0.0 * s.compliance, s.half_gap) if s.name == name else s for s in network.springs
        )
        step = Step("rigid", (name,), f'the stiffness of "{name}" is large beside those of its neighbours', "1/k = 0")
        so_far = so_far.then(network.with_(springs=springs), step)
    for spring in [s for s in so_far.network.springs if is_zero(s.compliance) and is_zero(s.half_gap)]:
        so_far = _bind(so_far, system, spring.name)
    return so_far


def _bind(so_far: Reduced, system: System, name: str) -> Reduced:
    """A rigid spring without gap: one of its coordinates becomes a form of the others."""
    network = so_far.network
    spring = next((s for s in network.springs if s.name == name), None)
    if spring is None:  # another rigid spring holds the same ends
        return so_far
    free = [n for n in network.inertias if n in spring.form.terms and system[n].motion is None]
    if not free:
        raise InvalidInput(f'reduce: "{name}" cannot be rigid: both of its ends follow prescribed motions')
    gone = free[-1]
    by = rules.without(spring.form, gone) * (-1 / rules.factor(spring.form, gone))
    _refuse_start(system, gone, by, name)
    inertias = _moved_inertia(network, gone, by, name)
    loads = tuple(
        type(p)(f, p.function, p.name) for p in network.loads if (f := rules.substituted(p.form, gone, by)).terms
    )
    springs = tuple(
        type(s)(s.name, f, s.compliance, s.half_gap)
        for s in network.springs
        if s is not spring and (f := rules.substituted(s.form, gone, by)).terms
    )
    frictions = _moved_frictions(network, gone, by)
    others = tuple(
        type(c)(c.name, rules.substituted(c.deflection, gone, by), c.law, rules.substituted(c.along, gone, by))
        for c in network.others
    )
    step = Step(
        "rigid connection",
        (name, gone),
        f'"{name}" holds its ends together',
        f"{gone} = {by}; its inertia, friction and loads act there",
        {f"m_{n}": m for n, m in inertias.items() if not rules.same(m, network.inertias[n])},
    )
    return so_far.then(Network(inertias, springs, frictions, loads, others), step, Bound(gone, by, spring))


def _moved_inertia(network: Network, gone: str, by: Form, name: str) -> dict[str, Any]:
    inertias = {n: m for n, m in network.inertias.items() if n != gone}
    own = network.inertias[gone]
    if is_zero(own):
        return inertias
    if len(by.terms) > 1:
        raise InvalidInput(
            f'reduce: "{name}" makes {gone} = {by}, and its inertia would couple them; name "{gone}" in massless too'
        )
    for other, factor in by.terms.items():
        inertias[other] = inertias[other] + factor**2 * own
    return inertias


def _moved_frictions(network: Network, gone: str, by: Form) -> tuple[Friction, ...]:
    """Frictions with a coordinate replaced; what comes to act along one form becomes one pair."""
    kept: list[Friction] = []
    for pair in network.frictions:
        form = rules.substituted(pair.form, gone, by)
        if not form.terms:
            continue
        moved = gone in pair.form.terms
        new = Friction(pair.name, form, pair.viscous, pair.limit)
        for i, other in enumerate(kept):
            scale = rules.ratio(form, other.form)
            if moved and scale is not None:
                kept[i] = rules.together([other, rules.seen_friction(new, scale)], f"{other.name}+{pair.name}")
                break
        else:
            kept.append(new)
    return tuple(kept)


def _refuse_start(system: System, gone: str, by: Form, name: str) -> None:
    for what in ("displacement", "velocity"):
        here = getattr(system[gone], what)
        there = sum(factor * getattr(system[n], what) for n, factor in by.terms.items())
        if not is_symbolic(there) and not rules.same(here, float(there)):
            raise InvalidInput(
                f'reduce: "{name}" cannot be rigid: it makes {gone} = {by}, and the initial {what} is {here:g} '
                f"there against {float(there):g}; change one of them"
            )


def _refuse_what_cannot_go(network: Network, names: list[str]) -> None:
    for name in (n for n in names if n in network.inertias and not network.frictions_on(n)):
        others = network.others_on(name)
        if others:
            raise InvalidInput(
                f'reduce: "{name}" cannot be eliminated: {type(others[0].law).__name__} of "{others[0].name}" has no '
                f'luz/tar form; leave "{name}" out of massless'
            )
        if network.loads_on(name):
            raise InvalidInput(
                f'reduce: "{name}" cannot be eliminated: a load acts on it, and without inertia and friction it would '
                f'have to be carried by both springs at once; leave "{name}" out of massless, keep its friction, or '
                "move the load to a neighbour"
            )


def _first_order(so_far: Reduced, names: list[str]) -> Reduced:
    for name in names:
        pairs = so_far.network.frictions_on(name)
        alone = len(pairs) == 1 and set(pairs[0].form.terms) == {name}
        if alone and is_zero(pairs[0].viscous):
            says = f"it moves only while its springs push with the limit of {pairs[0].name}: |F| <= F0"
        elif alone:
            says = "0 in F - C tar(v, F0/C) is C v = luz(F, F0): an equation of first order"
        else:
            says = "its friction balances its springs: an equation of first order"
        words = ", ".join(f'"{p.name}"' for p in pairs)
        step = Step("massless with friction", (name,), f"{name} has friction ({words}) and no inertia", says)
        so_far = so_far.then(so_far.network, step)
    return so_far


def _refuse_rigid_stops(network: Network) -> None:
    stops = [s for s in network.springs if is_zero(s.compliance)]
    if stops:
        raise InvalidInput(
            f"reduce: {named(stops)} would be a rigid stop with a gap on {stops[0].form}: no spring is left beside "
            "it to give way. Name its gap in no_gap too, or make the node beside it massless and frictionless"
        )
