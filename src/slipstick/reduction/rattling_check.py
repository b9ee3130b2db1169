"""Light nodes that rattle in their gaps: without friction the limit of zero inertia does not exist.

A node rattles in a gap by a motion of massless nodes that no friction resists. Friction pairs constrain the rates of
these nodes; a motion that satisfies all of them is free to rattle.
"""

from __future__ import annotations

from collections.abc import Iterable

from slipstick.errors import InvalidInput
from slipstick.model.linear_forms import Form, quotient
from slipstick.reduction.neglected_parts import describe_gaps
from slipstick.reduction.network import Spring
from slipstick.reduction.reduction_steps import ReductionState, RigidRecord


def refuse_rattling(so_far: ReductionState, massless: Iterable[str]) -> None:
    """Refuse massless nodes that have a gap and, in the primary model, an inertia but no friction."""
    primary, now = so_far.primary, so_far.network
    gapped = [s for s in now.springs if s.has_gap]
    nodes = {name for name in massless if name in now.inertias and now.is_massless(name)}
    if not gapped or not nodes:
        return
    bindings = [r for r in so_far.records if isinstance(r, RigidRecord)]

    def moving(form: Form) -> Form:
        """The part of a form of the primary model that massless nodes move."""
        for record in bindings:
            form = form.substituted(record.node, record.by)
        return Form({name: form.factor(name) for name in form.names if name in nodes})

    relations: list[tuple[str, Form]] = []

    def free(form: Form) -> Form:
        """The part of a form of massless nodes that no friction resists."""
        for node, by in relations:
            form = form.substituted(node, by)
        return form

    for form in [f.form for f in primary.frictions] + [o.connection.deflection for o in primary.others]:
        left = free(moving(form))
        if left.names:
            node = next(iter(left.names))
            by = left.without(node) * quotient(-1.0, left.factor(node))
            relations = [(other, own.substituted(node, by)) for other, own in relations] + [(node, by)]
    light = {n: free(moving(Form({n: 1.0}))) for n in massless if not primary.is_massless(n)}
    for spring in gapped:
        rattling = free(moving(spring.form)).names
        loose = [n for n, form in light.items() if form.names & rattling]
        if loose:
            _rattling_error(loose, spring)


def _rattling_error(loose: list[str], spring: Spring) -> None:
    nodes = " with ".join(f'"{name}"' for name in loose)
    raise InvalidInput(
        f"{nodes} has no friction, so with less and less inertia it rattles in the gap of "
        f"{describe_gaps([spring])} for ever and has no limit; give it DryFriction with damping and name "
        "it in frictionless too, or name the gap in no_gap",
        owner="reduce",
    ).about("massless")
