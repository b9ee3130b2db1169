"""A run-up: a run whose speed goes from one value to another, and its orders over that speed."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from slipstick.app.model_choice import ModelChoice
from slipstick.app.respond.display_data import MAX_HISTORIES, DisplayLine
from slipstick.app.respond.page_messages import RESPOND
from slipstick.errors import InvalidInput

if TYPE_CHECKING:
    from slipstick.results.run import Run
    from slipstick.units.scales import Scale


@dataclass(frozen=True)
class RunUp:
    """begin, end : speeds [rad/s].   over : [s] from one to the other; then the speed stays.

    orders : multiples of the speed whose amplitudes are shown.
    """

    begin: float
    end: float
    over: float
    orders: tuple[float, ...] = (1.0, 2.0)

    def simulate_arguments(self) -> dict[str, Any]:
        """The arguments of `slipstick.api.Model.simulate`."""
        import slipstick as ss

        return {"speed": ss.Signal((0.0, self.over), (self.begin, self.end))}

    @property
    def python(self) -> str:
        """The same in a script."""
        return f"speed=ss.Signal((0.0, {self.over!r}), ({self.begin!r}, {self.end!r}))"

    @property
    def study(self) -> str:
        """The same in a study file."""
        return f"  speed: {{from: {self.begin!r} rad/s, to: {self.end!r} rad/s, over: {self.over!r} s}}\n"

    def text(self, scale: Scale, unit: str, time_unit: str) -> str:
        """ "speed from 0.2 to 2 ω_n over 60 1/ω_n"."""
        ends = f"{scale.factor * self.begin:.9g} to {scale.factor * self.end:.9g} {unit}"
        return f"speed from {ends} over {self.over:.9g} {time_unit}"

    def is_close(self, other: RunUp | None) -> bool:
        """True if both differ by no more than the rounding of fields."""
        if other is None or self.orders != other.orders:
            return False
        pairs = zip((self.begin, self.end, self.over), (other.begin, other.end, other.over), strict=True)
        return all(math.isclose(a, b, rel_tol=1e-6) for a, b in pairs)


RunBase = float | RunUp | None  # the frequency of a run [rad/s], its speed, or neither


def order_lines(choice: ModelChoice, run: Run, run_up: RunUp) -> tuple[list[DisplayLine], str]:
    """Amplitudes of the orders over speed, of the coordinates that move most; or none, and the reason."""
    import numpy as np

    from slipstick.plot.run_plot import select_columns
    from slipstick.units.axes import column_axes
    from slipstick.units.scales import frequency_scale

    try:
        data = run.orders(run_up.orders).data
    except InvalidInput as problem:
        return [], f"no orders over speed: {RESPOND.message(problem.message)}"
    amplitude, names = data["amplitude"].to_numpy(), run.names
    scale = frequency_scale(names.units.frequency)
    speed = (scale.factor * data["speed"].to_numpy()).tolist()
    chosen = select_columns("coordinate", names.coordinates, None, np.nanmax(amplitude, axis=(0, 1)), MAX_HISTORIES)
    axes = column_axes(names.units.coordinates, names.coordinates, chosen).each
    lines = [
        DisplayLine(
            names.coordinates[i],
            f"order {order:g}",
            axis.unit,
            (axis.factor * amplitude[:, k, i]).tolist(),
            speed,
            choice.display_unit(scale.unit),
        )
        for i, axis in zip(chosen, axes, strict=True)
        for k, order in enumerate(run_up.orders)
    ]
    return lines, ""
