"""Files without units: the units that are assumed, and a guess at the true ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from slipstick.identification.loop import Loop

# by system of units: amplitude that friction parts hardly have in SI, and the likely unit
IMPLAUSIBLE_SI_AMPLITUDE = {"translation": (0.02, "mm"), "rotation": (1.5, "deg")}  # [m], [rad]


class UnitlessFile(NamedTuple):
    """file : its name.   taken : assumed units, by role.   amplitude : of its largest loop, in words.
    guess : likely unit of the deflection; empty if the amplitude is plausible.   alone : other files have units.
    """

    file: str
    taken: dict[str, str]
    amplitude: str
    guess: str
    alone: bool

    @property
    def words(self) -> str:
        """The missing units and their consequence."""
        lacks = "no units" if len(self.taken) > 1 else f"no unit for the {next(iter(self.taken))}"
        units = " and ".join(self.taken.values())
        return f"{self.file} has {lacks} and was taken to be in {units}: an amplitude of {self.amplitude}"


def unitless_file_among(loops: Sequence[Loop]) -> UnitlessFile | None:
    """The unitless file of largest amplitude; None if all files have units, or loops come from no file."""
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
