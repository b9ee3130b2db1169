"""The orbit that a study begins from: a file that another study, or Python, has saved."""

from __future__ import annotations

from pathlib import Path

from slipstick.api import open as open_result
from slipstick.errors import FileError, InvalidInput, shown
from slipstick.results.orbit import Orbit

WAY_OUT = "name one that a study with periodic: has written, or orbit.save in Python"


def read_start(name: str, beside: Path) -> Orbit:
    """The orbit in a file (.nc) beside the study."""
    target = beside / name
    if target.suffix.lower() != ".nc":
        raise InvalidInput(f"must be a file with an orbit, .nc, got {shown(name)}; {WAY_OUT}")
    try:
        found = open_result(target)
    except FileError as error:
        raise InvalidInput(f"{shown(str(target))}: {error.problem}") from None
    if not isinstance(found, Orbit):
        raise InvalidInput(f"{shown(str(target))} has a {type(found).__name__.lower()} in it, no orbit; {WAY_OUT}")
    return found
