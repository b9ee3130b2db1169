"""Removal of neglected parts from a network: gaps, inertias, friction, dry friction, compliances."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from slipstick.errors import InvalidInput
from slipstick.model.system import System
from slipstick.reduction.formula_numbers import ZERO_NUMBER
from slipstick.reduction.network import Network, Spring
from slipstick.reduction.reduction_steps import ReductionState, ReductionStep
from slipstick.symbolic import is_symbolic, is_zero


@dataclass(frozen=True)
class NeglectedParts:
    """Names of the neglected parts, each list in the order of the model."""

    massless: tuple[str, ...] = ()
    frictionless: tuple[str, ...] = ()
    rigid: tuple[str, ...] = ()
    no_gap: tuple[str, ...] = ()
    no_limit: tuple[str, ...] = ()


def apply_neglected(so_far: ReductionState, system: System, gone: NeglectedParts) -> ReductionState:
    """The network without all neglected parts; the names have been checked."""
    for name in gone.no_gap:
        so_far = _without_gap(so_far, name)
    for name in gone.massless:
        so_far = _without_inertia(so_far, system, name)
    for name in gone.frictionless:
        so_far = _without_friction(so_far, name)
    for name in gone.no_limit:
        so_far = _without_limit(so_far, name)
    for name in gone.rigid:
        so_far = _as_rigid(so_far, name)
    return so_far


def _without_gap(so_far: ReductionState, name: str) -> ReductionState:
    network = so_far.network
    own = [s for s in network.springs if s.name == name and s.has_gap]
    if not own:
        raise _without_part(network, name, "no_gap", "spring with a gap that could be left out")
    sizes = ", ".join(_short_number(s.half_gap.value) for s in own)
    springs = tuple(replace(s, half_gap=ZERO_NUMBER, gaps=()) if s in own else s for s in network.springs)
    step = ReductionStep("no gap", (name,), f"its half gap, {sizes}, is small beside its deflections", "luz(u, 0) = u")
    return so_far.then(replace(network, springs=springs), step)


def _without_inertia(so_far: ReductionState, system: System, name: str) -> ReductionState:
    network = so_far.network
    if system[name].motion is not None:
        raise InvalidInput(
            f'"{name}" follows a prescribed motion; its inertia has no effect, leave it out of massless', owner="reduce"
        ).about("massless")
    if network.is_massless(name):
        return so_far
    step = ReductionStep(
        "massless", (name,), f"the inertia of {name} is small beside what its springs and friction do", "m = 0"
    )
    return so_far.then(replace(network, inertias={**network.inertias, name: ZERO_NUMBER}), step)


def _without_friction(so_far: ReductionState, name: str) -> ReductionState:
    network = so_far.network
    gone = network.frictions_on(name)
    if not gone and any(name in f.form.names for f in so_far.primary.frictions):
        return so_far  # it acts between two coordinates that are both named
    if not gone:
        for other in network.others_on(name):
            raise InvalidInput(
                f'what acts on "{name}" is "{other.name}", and {other.why}; leave "{name}" out of frictionless',
                owner="reduce",
            ).about("frictionless")
        raise InvalidInput(f'no friction acts on "{name}"; leave it out of frictionless', owner="reduce").about(
            "frictionless"
        )
    words = ", ".join(f'"{f.name}"' for f in gone)
    after = "after its inertia" if network.is_massless(name) else "beside its inertia and springs"
    step = ReductionStep("frictionless", (name,), f"the friction of {words} is small, {after}", "C = 0, F = 0")
    return so_far.then(replace(network, frictions=tuple(f for f in network.frictions if f not in gone)), step)


def _without_limit(so_far: ReductionState, name: str) -> ReductionState:
    network = so_far.network
    own = [f for f in network.frictions if f.name == name and not is_zero(f.limit.value)]
    if not own:
        raise _without_part(network, name, "no_limit", "dry friction whose limit could be left out")
    frictions = tuple(
        replace(f, limit=ZERO_NUMBER) if f in own else f
        for f in network.frictions
        if f not in own or not is_zero(f.viscous.value)
    )
    step = ReductionStep(
        "no limit", (name,), f'the dry friction of "{name}" is small beside the rest', "C tar(v, 0) = C v"
    )
    return so_far.then(replace(network, frictions=frictions), step)


def _as_rigid(so_far: ReductionState, name: str) -> ReductionState:
    network = so_far.network
    own = [s for s in network.springs if s.name == name]
    if not own:
        raise _without_part(network, name, "rigid", "spring that could be rigid")
    springs = tuple(replace(s, compliance=ZERO_NUMBER) if s in own else s for s in network.springs)
    step = ReductionStep(
        "rigid", (name,), f'the stiffness of "{name}" is large beside those of its neighbours', "1/k = 0"
    )
    return so_far.then(replace(network, springs=springs), step)


def _without_part(network: Network, name: str, argument: str, part: str) -> InvalidInput:
    """The refusal of a connection that lacks the part which an argument neglects."""
    words = f'connection "{name}" has no {part}; leave it out of {argument}'
    for other in network.others:
        if other.name == name:
            words = (
                f'connection "{name}" cannot be in {argument}: {other.why}; leave it out, or give it a law of '
                "luz/tar terms (Linear, Freeplay, TwoStage, DryFriction)"
            )
    return InvalidInput(words, owner="reduce").about(argument)


def _short_number(value: Any) -> str:
    return str(value) if is_symbolic(value) else f"{value:g}"


def describe_gaps(springs: list[Spring]) -> str:
    """The connections of the primary model whose gaps are in these springs, in words."""
    return ", ".join(f'"{name}"' for name in dict.fromkeys(name for s in springs for name in s.gaps))
