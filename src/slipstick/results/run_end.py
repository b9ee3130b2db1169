"""`RunEnd`: the state at the end of a run, from which another run continues."""

from __future__ import annotations

import json
import math
from dataclasses import asdict, dataclass
from typing import Any

from slipstick.errors import InvalidInput


@dataclass(frozen=True)
class RunEnd:
    """Motion, memory and states at the end of a run: ``m.simulate(until, start=run.end)`` continues from there.

    time : [s].   displacement, velocity : of all coordinates that are not prescribed, by name.
    memory : of each elementary law, connection by connection.   sticking : indices of the laws that stick.
    sizes : largest displacements so far, then velocities; the exact method measures rounding by them.
    """

    time: float
    displacement: dict[str, float]
    velocity: dict[str, float]
    memory: tuple[tuple[float, ...], ...]
    sticking: tuple[int, ...] = ()
    sizes: tuple[float, ...] = ()

    def __repr__(self) -> str:
        return f"<end of a run at t = {self.time:.6g} s, {len(self.displacement)} coordinates>"

    def encoded(self) -> str:
        """JSON text for a result file."""
        return json.dumps(asdict(self))

    @classmethod
    def decoded(cls, text: str) -> RunEnd:
        """The end from the text in a result file. Raises `InvalidInput` if a number is missing or not finite."""
        try:
            given: dict[str, Any] = json.loads(text)
            end = cls(
                float(given["time"]),
                {str(name): float(x) for name, x in given["displacement"].items()},
                {str(name): float(x) for name, x in given["velocity"].items()},
                tuple(tuple(float(x) for x in own) for own in given["memory"]),
                tuple(int(e) for e in given["sticking"]),
                tuple(float(x) for x in given["sizes"]),
            )
        except (AttributeError, KeyError, OverflowError, TypeError, ValueError):
            raise InvalidInput("the end of the run in this file is damaged; simulate it again") from None
        numbers = [end.time, *end.displacement.values(), *end.velocity.values(), *end.sizes]
        if not all(map(math.isfinite, [*numbers, *(x for own in end.memory for x in own)])):
            raise InvalidInput("the end of the run in this file has numbers that are not finite; simulate it again")
        return end
