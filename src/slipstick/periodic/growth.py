"""Why a search for a motion that repeats may fail: a mode of the model grows by itself, as a damper feeds it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import numpy as np

from slipstick.errors import NotConverged, SlipstickError
from slipstick.model.assembly import LARGEST_DENSE
from slipstick.model.feeding import feeding
from slipstick.model.modes import modes
from slipstick.model.system import Connection, System
from slipstick.results.units import frequency_scale

GROWS = 1e-9  # damping ratio below minus this: it is no rounding


@contextmanager
def growth_told(system: System) -> Iterator[None]:
    """A failure inside says first which mode of the model grows, where one does: no better start helps then."""
    try:
        yield
    except NotConverged as failure:
        words = "" if failure.interrupted else growing(system)
        if words:
            failure.args = (f"{words}. The search itself: {failure}",)
        raise


def growing(system: System) -> str:
    """The mode that grows fastest, and what feeds it; nothing where none does, or none can be found."""
    if len(system.coordinates) > LARGEST_DENSE:  # whose modes take longer than the search
        return ""
    fastest: tuple[float, float] | None = None
    for state in (None, _sliding(system)):
        try:
            found = modes(system, state)
        except SlipstickError:  # nothing can move, or a law has no tangent
            continue
        swings = found.damped_frequency > 0.0  # what only creeps away may be a snap to another place of rest
        for ratio, frequency in zip(found.damping_ratio[swings], found.damped_frequency[swings], strict=True):
            if ratio < min(-GROWS, fastest[0] if fastest else np.inf):
                fastest = float(ratio), float(frequency)
    if fastest is None:
        return ""
    ratio, frequency = fastest
    said = frequency_scale(system.units.frequency).words(frequency, 4)
    return f"a mode of the model grows by itself, at {said} with a damping of {100.0 * ratio:.2g} %: {_fed_by(system)}"


def _fed_by(system: System) -> str:
    names = [f'"{c.name}"' for c in feeding(system)]
    if not names:
        return "something feeds energy in; look for the sign of a damper, a connection with along=, or the matrices"
    if not all(_is_damper(c) for c in feeding(system)):
        return (
            f"{', '.join(names)} give{'s' if len(names) == 1 else ''} energy to small motions, as in self-excited "
            'oscillators; use method="harmonic-balance", or begin near an orbit, with start='
        )
    if len(names) == 1:
        return f"connection {names[0]} feeds energy in, its damper is below zero; make it 0 or more"
    return f"connections {', '.join(names)} feed energy in, their dampers are below zero; make them 0 or more"


def _is_damper(connection: Connection) -> bool:
    """True if the damping of a connection is below zero by a number of its law, and so at any amplitude."""
    return any(getattr(leaf.law, "damping", 0.0) < 0.0 for leaf in connection.law.leaves())


def _sliding(system: System) -> Mapping[str, str]:
    """All that can slip does."""
    found = {}
    for c in system.connections:
        try:
            c.law.linearised("slip")
        except SlipstickError:  # it has no such state
            continue
        found[c.name] = "slip"
    return found
