"""Curves over frequency with the branches that are not connected to them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from slipstick.errors import InvalidInput
from slipstick.periodic import response
from slipstick.results.curve import Curve

if TYPE_CHECKING:
    from slipstick.model.system import System


def thorough_response(
    system: System | Callable[[float], System],
    between: Any = None,
    at: Any = None,
    method: str = "auto",
    *,
    progress: Callable[[int, float], Any] | None = None,
    **how: Any,
) -> Curve:
    """See `slipstick.api.Model.frequency_response`; how : its further arguments."""
    from slipstick.branch_search.other_branches import with_other_branches

    check_thorough(at, method)
    curve = response.frequency_response(system, between, at, method, progress=progress, **how)
    return with_other_branches(curve, progress)


def check(system: System | Callable[[float], System], thorough: bool = False, **asked: Any) -> None:
    """Refuse what `Model.frequency_response` would refuse before it starts."""
    if thorough:
        check_thorough(asked.get("at"), asked.get("method"))
    response.check(system, **asked)


def check_thorough(at: Any, method: Any) -> None:
    """Refuse requests of which other branches are not searched."""
    if at is not None:
        raise InvalidInput("thorough searches a range; give between instead of at").about("thorough")
    if method == "integration":
        raise InvalidInput('thorough follows branches by "shooting" or "harmonic-balance", not by "integration"').about(
            "thorough"
        )
