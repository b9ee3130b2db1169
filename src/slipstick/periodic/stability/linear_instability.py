"""Dampers below zero: notes on them, and failed searches explained by a linear mode that grows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import numpy as np

from slipstick.errors import Advice, Message, NotConverged, SlipstickError
from slipstick.model.assembly import MAX_DENSE_COORDINATES
from slipstick.model.modes import modes
from slipstick.model.negative_damping import damping_at_rest, negative_dampers
from slipstick.model.system import Connection, System
from slipstick.units.number_format import format_percent
from slipstick.units.scales import frequency_scale

_OTHER_METHOD = Advice("or try {method}, which follows unstable orbits too", method="harmonic-balance")
MIN_GROWTH_RATIO = 1e-9  # damping ratio below minus this: it is no rounding


@contextmanager
def explaining_growth(system: System) -> Iterator[None]:
    """A failure inside says first which mode of the model grows, where one does: no better start helps then."""
    try:
        yield
    except NotConverged as failure:
        words = Message("") if failure.interrupted else fastest_growing_mode(system)
        if words:
            search = f"the search itself: {failure.message.statement}"  # its advice does not help here
            failure.message = Message(words.parts.problem, advice=(*words.parts.advice, search))
        raise


def fastest_growing_mode(system: System) -> Message:
    """The mode that grows fastest, and what feeds it; nothing where none does, or none can be found."""
    if len(system.coordinates) > MAX_DENSE_COORDINATES:  # whose modes take longer than the search
        return Message("")
    fastest: tuple[float, float] | None = None
    for state in (None, _with_all_slipping(system)):
        try:
            found = modes(system, state)
        except SlipstickError:  # nothing can move, or a law has no tangent
            continue
        swings = found.damped_frequency > 0.0  # what only creeps away may be a snap to another place of rest
        for ratio, frequency in zip(found.damping_ratio[swings], found.damped_frequency[swings], strict=True):
            if ratio < min(-MIN_GROWTH_RATIO, fastest[0] if fastest else np.inf):
                fastest = float(ratio), float(frequency)
    if fastest is None:
        return Message("")
    ratio, frequency = fastest
    said = frequency_scale(system.units.frequency).words(frequency, 4)
    words = f"the model is unstable at rest: a mode at {said} has a damping ratio of {format_percent(ratio)}: "
    return _fed_by(system).wrapped(words)


def negative_damper_notes(system: System) -> list[str]:
    """A note on each connection whose law has a damper below zero."""
    return [
        Message(
            f'connection "{c.name}" has a damper below zero ({damping_at_rest(c):.3g} in SI units) and feeds energy in',
            advice=["check its sign, unless the machine is self-excited"],
        )
        for c in negative_dampers(system)
        if _is_damper(c)
    ]


def _fed_by(system: System) -> Message:
    names = [f'"{c.name}"' for c in negative_dampers(system)]
    if not names:
        way = Advice("look for the sign of a damper, a connection with {along}, or the matrices")
        return Message("something feeds energy in", advice=[way])
    if not all(_is_damper(c) for c in negative_dampers(system)):
        return Message(
            f"{', '.join(names)} give{'s' if len(names) == 1 else ''} energy to small motions, as in self-excited "
            "oscillators",
            advice=[Advice("use {method}, or begin near an orbit, with {start}", method="harmonic-balance")],
        )
    if len(names) == 1:
        words = f"connection {names[0]} feeds energy in, its damper is below zero"
        return Message(words, advice=["make it 0 or more", _OTHER_METHOD])
    words = f"connections {', '.join(names)} feed energy in, their dampers are below zero"
    return Message(words, advice=["make them 0 or more", _OTHER_METHOD])


def _is_damper(connection: Connection) -> bool:
    """True if the damping of a connection is below zero by a number of its law, and so at any amplitude."""
    return any(getattr(leaf.law, "damping", 0.0) < 0.0 for leaf in connection.law.leaves())


def _with_all_slipping(system: System) -> Mapping[str, str]:
    """All that can slip does."""
    found = {}
    for c in system.connections:
        try:
            c.law.linearised("slip")
        except SlipstickError:  # it has no such state
            continue
        found[c.name] = "slip"
    return found
