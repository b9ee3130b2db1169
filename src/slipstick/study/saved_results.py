"""Results that a study begins from, or shows beside its own: files that another study, or Python, has saved."""

from __future__ import annotations

from pathlib import Path
from typing import Any, TypeVar

from slipstick.api import open as open_result
from slipstick.errors import FileError, InvalidInput, short_repr
from slipstick.model.files.file_problems import describe_value
from slipstick.results.curve import Curve
from slipstick.results.orbit import Orbit
from slipstick.results.ringdown import Ringdown

Result = TypeVar("Result", Orbit, Curve, Ringdown)


def read_start_orbit(name: str, beside: Path) -> Orbit:
    """The orbit in a file (.nc) beside the study."""
    return _read(name, beside, Orbit, "an orbit", "name one that a study with periodic: has written")


def read_curve(name: Any, beside: Path) -> Curve:
    """The curve in a file (.nc) beside the study."""
    return _read(name, beside, Curve, "a curve", "name one that a study with frequency_response: has written")


def read_ringdown(name: Any, beside: Path) -> Ringdown:
    """The ring-down in a file (.nc) beside the study."""
    return _read(name, beside, Ringdown, "a ringdown", "name one that `slipstick ringdown` has written")


def _read(name: Any, beside: Path, kind: type[Result], what: str, way_out: str) -> Result:
    if not isinstance(name, str) or Path(name).suffix.lower() != ".nc":
        raise InvalidInput(f"must be a file with {what}, .nc, got {describe_value(name)}; {way_out}")
    target = beside / name
    try:
        found = open_result(target)
    except FileError as error:
        raise InvalidInput(f"{short_repr(str(target))}: {error.problem}") from None
    if not isinstance(found, kind):
        has = type(found).__name__.lower()
        article = "an" if has[0] in "aeiou" else "a"
        raise InvalidInput(f"{short_repr(str(target))} has {article} {has} in it, no {what.split()[1]}; {way_out}")
    return found
