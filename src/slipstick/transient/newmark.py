"""Newmark's method with constant average acceleration (clutch 25-27), each step solved by Newton.

Where the print is wrong: beta and gamma of (25)-(26) are Newmark's gamma and beta. The paper begins each step's
iteration at no displacement, which reverses all velocities; here a step begins with the acceleration kept.
"""

from __future__ import annotations

from typing import Any

from slipstick.errors import InvalidInput, did_you_mean, shown
from slipstick.results.trajectory import Trajectory
from slipstick.transient.implicit.linear_part import open_coordinates
from slipstick.transient.implicit.newton import Newton
from slipstick.transient.implicit.run import step_of, stepped
from slipstick.transient.options import Request
from slipstick.transient.problem import Problem

SOLVED_TO = 1e-13  # of the way a step makes: the correction at which an iteration ends
KINDS = ("full", "modified")


def run(
    problem: Problem,
    request: Request,
    *,
    newton: str = "modified",
    condensed: bool | None = None,
) -> Trajectory:
    """Second order in the step where forces are smooth. Works with every law that has value and tangent.

    newton : "modified" keeps the matrix of the iteration as long as it serves, "full" makes a new one each time.
    condensed : solve for the deflections that carry laws alone (the linear part is eliminated once), or for all
        coordinates; None takes the smaller of the two.
    """
    check(problem, request, newton=newton, condensed=condensed)

    def solver() -> Any:
        return Newton(newton == "full", condensed, SOLVED_TO)

    return stepped(problem, request, solver)


def check(problem: Problem, request: Request, *, newton: str = "modified", condensed: bool | None = None) -> None:
    """Refuse what cannot be run."""
    if newton not in KINDS:
        hint = did_you_mean(newton, KINDS) if isinstance(newton, str) else ""
        raise InvalidInput(f'newmark: newton must be "full" or "modified", got {shown(newton)}{hint}').about("newton")
    if condensed is not None and not isinstance(condensed, bool):
        raise InvalidInput(f"newmark: condensed must be True, False or None, got {shown(condensed)}").about("condensed")
    step, _ = step_of(problem, request)
    lost = open_coordinates(problem, step, with_laws=True) if condensed else ""
    if lost:
        raise InvalidInput(
            "newmark: condensed=True needs inertia, springs or dampers at every coordinate, and nothing but laws that "
            f"are slack at the start holds coordinate {lost}; leave condensed out, or add a small inertia"
        ).about("condensed")
