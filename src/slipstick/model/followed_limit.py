"""Friction whose limit follows the force of another connection, as a contact whose normal force acts elsewhere.

The tangential direction is the deflection of the friction. The normal one is that of the other connection, with its
stiffness, gap, preload and damping; its force acts along nothing, since the other connection applies it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from slipstick.errors import Advice, InvalidInput
from slipstick.laws.base import Law
from slipstick.laws.coulomb_contact import PressedFriction
from slipstick.laws.directions import DirectionForce
from slipstick.laws.elastic import Linear
from slipstick.laws.followed_force import FollowedForce, followed_force
from slipstick.laws.friction_contact import FrictionContact
from slipstick.laws.masing import Jenkins
from slipstick.laws.piecewise_linear import Contact
from slipstick.model.linear_forms import Form

if TYPE_CHECKING:
    from slipstick.model.system import Connection, System

JENKINS_INSTEAD = "take Jenkins(stiffness=..., limit=...), which sticks by a spring"


def followers(system: System, name: str, form: Form, law: Law) -> tuple[Connection, ...]:
    """The two connections of a law with a followed limit."""
    from slipstick.model.system import Connection

    force = followed_force(law)
    assert force is not None
    source = system.connection(force.connection)
    whole = _whole(law, force, source.law)
    parts = (DirectionForce(whole=whole, stated=law, direction=i) for i in range(2))
    sign = 1.0 if force.factor > 0.0 else -1.0
    forms = (("tangential", Form(form.terms), Form(form.terms)), ("normal", source.deflection * sign, Form({})))
    return tuple(
        Connection(f"{name}.{direction}", own, part, along)
        for (direction, own, along), part in zip(forms, parts, strict=True)
    )


def refresh_followers(system: System) -> None:
    """Set all followed limits to the present laws of the connections that they follow."""
    for i, c in enumerate(system.connections):
        if isinstance(c.law, DirectionForce) and c.law.direction == 0 and followed_force(c.law.stated) is not None:
            system.connections[i : i + 2] = followers(system, c.name.rpartition(".")[0], c.deflection, c.law.stated)


def followed_names(system: System) -> set[str]:
    """Names of the connections whose force a limit follows."""
    stated = (c.law.stated for c in system.connections if isinstance(c.law, DirectionForce))
    return {force.connection for force in map(followed_force, stated) if force is not None}


def _whole(law: Law, force: FollowedForce, source: Law) -> Law:
    """The law of both directions."""
    stiffness, damping, gap, preload = _normal(source, force)
    if isinstance(law, Jenkins):
        return FrictionContact(
            normal_stiffness=stiffness, tangential_stiffness=law.stiffness, friction=abs(force.factor),
            gap=gap, normal_damping=damping, preload=preload,
        )  # fmt: skip
    rest: Any = law
    if damping or rest.damping or rest.static_limit is not None:
        what = "the spring has a damper" if damping else "it has damping or a static_limit itself"
        words = f"DryFriction follows the force of a spring alone, and {what}; connect dampers on their own"
        raise InvalidInput(words, advice=[JENKINS_INSTEAD])
    return PressedFriction(friction=abs(force.factor), gap=gap - preload / stiffness, normal_stiffness=stiffness)


def _normal(source: Law, force: FollowedForce) -> tuple[float, float, float, float]:
    """Stiffness, damping, gap and preload of the force that is followed."""
    if isinstance(source, Linear) and source.damping:  # of either sign, where the contact here presses only
        words = f'a limit follows a spring alone, and "{force.connection}" has damping {source.damping:g}'
        raise InvalidInput(words, advice=["connect the damper on its own"])
    if isinstance(source, Linear) and source.stiffness > 0.0:
        return source.stiffness, 0.0, 0.0, source.preload if force.factor > 0.0 else -source.preload
    if isinstance(source, Contact) and force.factor > 0.0:
        return source.stiffness, source.damping, source.gap, 0.0
    whole = source.kernel_law
    if isinstance(whole, FrictionContact) and source.direction_rank == len(whole.directions) - 1 and force.factor > 0.0:
        return whole.normal_stiffness, whole.normal_damping, whole.gap, whole.preload
    raise InvalidInput(
        f"a limit follows the force of Linear (stiffness > 0), of Contact, or of the normal direction of "
        f'FrictionContact, and "{force.connection}" is {type(source).__name__}'
        + ("" if force.factor > 0.0 else ", whose force never presses with a negative factor"),
        advice=[Advice("state the friction by FrictionContact, or by a law of your own with two deflections")],
    )
