"""Which steps are taken, in which order, and which limits do not exist.

Inertia goes before friction: a node with friction and ever less inertia settles on C v = luz(F, F0), and with ever less
friction that settles on equal forces. The other way round a node without friction rattles in its gap for ever, however
light it is, so there is no limit to take. Rigid parts are bound before that check: a light wheel on a heavy shaft
does not rattle.
"""

from __future__ import annotations

from dataclasses import replace

from slipstick.errors import InvalidInput
from slipstick.model.system import System
from slipstick.reduction.neglected_parts import NeglectedParts, apply_neglected, describe_gaps
from slipstick.reduction.network import Network, network_of
from slipstick.reduction.node_elimination import eliminate_nodes, spring_names
from slipstick.reduction.rattling_check import refuse_rattling
from slipstick.reduction.reduction_steps import ReductionState, ReductionStep
from slipstick.reduction.rigid_springs import eliminate_rigid_springs
from slipstick.symbolic import is_zero

ELIMINATION_RULES = ("series", "star", "loose end")  # rules that eliminate a node
FIRST_ORDER_RULE = "massless with friction"


def reduce_network(system: System, gone: NeglectedParts) -> ReductionState:
    """All steps."""
    begin = network_of(system)
    so_far = eliminate_rigid_springs(apply_neglected(ReductionState(begin, begin), system, gone), system)
    network = so_far.network
    # a node with a body bound to it has inertia and stays
    light = [name for name in gone.massless if name in network.inertias and network.is_massless(name)]
    going = [name for name in light if not network.frictions_on(name)]
    _refuse_ineliminable(network, going)
    refuse_rattling(so_far, gone.massless)
    so_far = eliminate_nodes(so_far, going)
    so_far = _first_order_steps(so_far, [name for name in light if name not in going])
    _refuse_rigid_stops(so_far.network)
    return replace(so_far, steps=tuple(_step_with_start(step, system) for step in so_far.steps))


def _step_with_start(step: ReductionStep, system: System) -> ReductionStep:
    """A step that takes the place or the rate of a coordinate from its springs, with the start that it leaves out."""
    if step.rule not in (*ELIMINATION_RULES, FIRST_ORDER_RULE):
        return step
    c = system[step.on[0]]
    first_order = step.rule == FIRST_ORDER_RULE
    kinds = ("velocity",) if first_order else ("displacement", "velocity")
    starts = {word: getattr(c, word) for word in kinds if getattr(c, word) != 0.0}
    if not starts:
        return step
    from slipstick.model.files.author_units import start_in_author_units

    words = " and ".join(f"{word} {start_in_author_units(system, c.name, own, word)}" for word, own in starts.items())
    so = "has no effect: its friction determines its rate"
    if not first_order:
        so = "is left out: its springs determine its position"
    return replace(step, says=f"{step.says}. Its start ({words}) {so}")


def _refuse_ineliminable(network: Network, names: list[str]) -> None:
    for name in names:
        for other in network.others_on(name):
            raise InvalidInput(
                f'"{name}" cannot be eliminated: "{other.name}" acts on it, and {other.why}; leave "{name}" '
                "out of massless",
                owner="reduce",
            ).about("massless")
        if network.loads_on(name):
            raise InvalidInput(
                f'"{name}" cannot be eliminated: a load acts on it, and without inertia and friction it would '
                f'have to be carried by both springs at once; leave "{name}" out of massless, keep its friction, or '
                "move the load to a neighbour",
                owner="reduce",
            ).about("massless")


def _first_order_steps(so_far: ReductionState, names: list[str]) -> ReductionState:
    for name in names:
        pairs = so_far.network.frictions_on(name)
        alone = len(pairs) == 1 and set(pairs[0].form.names) == {name}
        if alone and is_zero(pairs[0].viscous.value):
            says = f"it moves only while its springs push with the limit of {pairs[0].name}: |F| <= F0"
        elif alone:
            says = "0 in F - C tar(v, F0/C) is C v = luz(F, F0): an equation of first order"
        else:
            says = "its friction balances its springs: an equation of first order"
        words = ", ".join(f'"{p.name}"' for p in pairs)
        step = ReductionStep(FIRST_ORDER_RULE, (name,), f"{name} has friction ({words}) and no inertia", says)
        so_far = so_far.then(so_far.network, step)
    return so_far


def _refuse_rigid_stops(network: Network) -> None:
    stops = [s for s in network.springs if s.is_rigid]
    if stops:
        raise InvalidInput(
            f"{spring_names(stops)} would be a rigid stop with a gap on {stops[0].form}: no spring "
            f"is left beside "
            f"it to give way. Name {describe_gaps(stops)} in no_gap too, or make the node beside it "
            f"massless and frictionless",
            owner="reduce",
        ).about("rigid")
