"""`gradient`: derivatives of a figure of any result by parameters of its model."""

from __future__ import annotations

from typing import Any

from slipstick.errors import InvalidInput, short_repr
from slipstick.results.curve import Curve
from slipstick.results.gradient import Gradient
from slipstick.results.nonlinear_mode import NonlinearMode
from slipstick.results.orbit import CYCLE_NOTE, Orbit
from slipstick.results.run import Run


def gradient(result: Any, figure: Any, by: Any) -> Gradient:
    """Derivatives of a figure of a run, an orbit, a curve or a nonlinear mode."""
    if not isinstance(figure, str):
        raise InvalidInput(f'figure must be a name, such as "x.amplitude", got {short_repr(figure)}').about("figure")
    if _is_of_limit_cycles(result):
        raise InvalidInput(
            "limit cycles have no gradient here, as their period changes with the parameters",
            advice=["follow the cycle over a small range of the parameter: m.follow(..., start=orbit)"],
        )
    if isinstance(result, Curve):
        from slipstick.sensitivity.curve_gradient import curve_gradient

        return curve_gradient(result, figure, by)
    if isinstance(result, NonlinearMode):
        from slipstick.sensitivity.mode_gradient import mode_gradient

        return mode_gradient(result, figure, by)
    if isinstance(result, Orbit):
        from slipstick.sensitivity.orbit_gradient import orbit_gradient

        return orbit_gradient(result, figure, by)
    if not isinstance(result, Run):
        words = f"derivatives are those of a run, an orbit, a curve or a nonlinear mode, got {short_repr(result)}"
        raise InvalidInput(words).about("result")
    from slipstick.sensitivity.run_gradient import run_gradient

    return run_gradient(result, figure, by)


def _is_of_limit_cycles(result: Any) -> bool:
    points = (result.point,) if isinstance(result, Orbit) else result.points if isinstance(result, Curve) else ()
    return any(CYCLE_NOTE in point.notes for point in points[:1])
