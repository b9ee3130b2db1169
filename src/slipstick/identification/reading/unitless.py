"""Files that say no units: what their numbers are taken for, and in what they rather seem to be."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from slipstick.identification.loop import Loop

# by system of units, amplitudes that parts with friction hardly have, and the unit in which such numbers are usual
IMPLAUSIBLE_SI_AMPLITUDE = {"translation": (0.02, "mm"), "rotation": (1.5, "deg")}  # [m], [rad]


class UnitlessFile(NamedTuple):
    """file : that has no units.   taken : the units that it is taken in, by what they are of.
    amplitude : of its largest loop, in words.   guess : the unit that its deflection seems to be in; none if it is
    none too large.   alone : other files have units.
    """

    file: str
    taken: dict[str, str]
    amplitude: str
    guess: str
    alone: bool

    @property
    def words(self) -> str:
        """What it has not, and what comes of that."""
        lacks = "no units" if len(self.taken) > 1 else f"no unit for the {next(iter(self.taken))}"
        units = " and ".join(self.taken.values())
        return f"{self.file} has {lacks} and was taken to be in {units}: an amplitude of {self.amplitude}"


def unitless_file_among(loops: Sequence[Loop]) -> UnitlessFile | None:
    """Of the file with the largest amplitude; None where all files have units, or loops came from none."""
    bare = [loop for loop in loops if loop.file and loop.units.bare]
    if not bare:
        return None
    first = max(bare, key=lambda loop: loop.amplitude)
    large, guess = IMPLAUSIBLE_SI_AMPLITUDE.get(first.system, (float("inf"), ""))
    doubted = "deflection" in first.units.bare and first.amplitude >= large
    return UnitlessFile(
        first.file,
        {role: getattr(first.units, role).unit for role in first.units.bare},
        first.units.deflection.words(first.amplitude, 3),
        guess if doubted else "",
        any(loop.units.bare != first.units.bare for loop in loops),
    )
