"""Problems in which nothing varies in time by itself: constant loads, and motions at constant speeds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from slipstick.errors import Advice, InvalidInput, short_repr
from slipstick.laws.base import Law
from slipstick.model.system import dense
from slipstick.periodic.common_period import time_functions_of
from slipstick.transient.problem import Problem, pose

if TYPE_CHECKING:
    from slipstick.model.system import System

SHIFTS_REL = (0.0, 1.0, -7.3)  # deflections at which a law is compared with itself
SAME_FORCE_REL = 1e-12


def self_excited_problem(system: System, frequency: float) -> Problem:
    """The problem of a model that moves by itself, at a guess of its frequency [rad/s]."""
    return replace(pose(system, 0.0, frequency), self_excited=True)


def is_self_excited(system: System) -> bool:
    """True if nothing varies in time but motions at constant speeds."""
    return next(_time_dependences(system), None) is None


def refuse_time_dependence(system: System) -> None:
    """Refuse loads, motions and factors that vary in time, and what a moving coordinate stretches ever further."""
    for words in _time_dependences(system):
        raise InvalidInput(
            f"{words} varies in time, and a limit cycle is motion without forcing",
            advice=[Advice("{periodic} finds the response to a load; leave the load out for a limit cycle")],
        )
    for name, other in _stretched_connections(system):
        raise InvalidInput(
            f'connection "{name}" is stretched ever further by the motion of "{other}", so no motion repeats; '
            "only friction and dampers may act on a coordinate that moves at a constant speed"
        )


def moving_coordinates(system: System) -> list[str]:
    """Names of the coordinates that move at a constant speed other than zero."""
    return [c.name for c in system.coordinates if c.motion is not None and c.motion.parts().ramp]


def _time_dependences(system: System) -> Iterator[str]:
    ramped = {id(c.motion) for c in system.coordinates if c.motion is not None}
    for what, function in time_functions_of(system):
        parts = function.parts()
        varies = any(h.cos or h.sin for h in parts.harmonics) or bool(parts.signals)
        other = not function.is_periodic and not parts.signals and not parts.ramp  # a chirp
        if varies or other or (parts.ramp and id(function) not in ramped):
            yield f"{what}, {short_repr(function)},"


def _stretched_connections(system: System) -> Iterator[tuple[str, str]]:
    """Connections, or the matrices, whose force depends on where a moving coordinate is."""
    from slipstick.model.assembly import assemble

    moving = moving_coordinates(system)
    if not moving:
        return
    parts = assemble(system)
    forms = dense(parts.deflections)
    for name in moving:
        i = parts.names.index(name)
        if dense(parts.stiffness)[:, i].any():
            linear = [c.name for j, c in enumerate(system.connections) if forms[i, j] and not _slides(c.law)]
            yield (linear or ["stiffness matrix"])[0], name
        for j, connection in enumerate(system.connections):
            if forms[i, j] and not all(_slides(leaf.law) for leaf in connection.law.leaves()):
                yield connection.name, name


def _slides(law: Law) -> bool:
    """True for a law whose force does not depend on how far it has slid: friction, a damper, an inner state."""
    if law.rigid_friction is not None or law.elastic_slider is not None:
        return True
    if law.rigid_stop is not None or law.has_stack:
        return False
    try:
        memory = law.start(0.0)
        forces = [law.update(u, 1.0, memory)[0] for u in SHIFTS_REL]
    except Exception:
        return bool(law.needs_rate) and not law.has_stack
    if law.remembers and law.needs_rate:  # an inner state, which goes along
        return True
    return max(forces) - min(forces) <= SAME_FORCE_REL * max(map(abs, (*forces, 1e-300)))
