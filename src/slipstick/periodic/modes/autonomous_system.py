"""A model left alone: what varies in time taken out of it, so that it has modes."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from slipstick.errors import InvalidInput, MissingFace
from slipstick.laws.faces import Face
from slipstick.signals import Constant, TimeFunction

if TYPE_CHECKING:
    from slipstick.model.system import System


def autonomous_copy(system: System) -> System:
    """A copy with the constant parts of its loads and motions only; laws that cannot be followed are refused."""
    for connection in system.connections:
        for leaf in connection.law.leaves():
            where, name = f'connection "{connection.name}"', type(leaf.law).__name__
            if leaf.modulation:
                raise InvalidInput(
                    f"{name} varies in time, and a nonlinear mode needs constant laws; use its mean", owner=where
                )
            friction = leaf.law.rigid_friction
            if friction is not None:
                if friction.static_limit is not None:
                    raise MissingFace(
                        "a nonlinear mode does not take DryFriction with a static_limit; leave the static limit out",
                        owner=where,
                    )
            elif leaf.law.rigid_contact is not None:
                raise MissingFace(
                    "a nonlinear mode does not take a rigid contact; use FrictionContact, which has stiffnesses",
                    owner=where,
                )
            elif Face.VALUE not in leaf.law.faces:
                raise MissingFace(
                    f"{name} has no value and tangent, which a nonlinear mode needs",
                    owner=where,
                    advice=["give it update(u, v, memory)"],
                )
    new = system.snapshot()
    new.loads = [replace(load, function=kept) for load in system.loads if (kept := _constant(load.function)).value]
    for coordinate in new.coordinates:
        if coordinate.motion is not None:
            coordinate.motion = _held_motion(coordinate.name, coordinate.motion)
    return new


def _constant(function: TimeFunction) -> Constant:
    return Constant(function.parts().constant)


def _held_motion(name: str, motion: TimeFunction) -> Constant:
    parts = motion.parts()
    if parts.ramp or parts.signals:
        raise InvalidInput(
            f'the motion of "{name}" is not periodic ({motion!r}); hold it by a Constant for a nonlinear mode'
        )
    return Constant(parts.constant)
