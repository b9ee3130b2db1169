"""Newmark's method with constant average acceleration (clutch 25-27), each step solved by Newton.

Where the print is wrong: beta and gamma of (25)-(26) are Newmark's gamma and beta. The paper begins each step's
iteration at no displacement, which reverses all velocities; here a step begins with the acceleration kept.
"""

from __future__ import annotations

from typing import Any

from slipstick.errors import Advice, InvalidInput, short_repr
from slipstick.name_hints import did_you_mean
from slipstick.results.trajectory import Trajectory
from slipstick.transient.implicit.newton_solver import NewtonSolver
from slipstick.transient.implicit.step_choice import fixed_step_run, step_of
from slipstick.transient.implicit.step_matrix import undetermined_coordinates
from slipstick.transient.problem import Problem
from slipstick.transient.run_request import RunRequest

NEWTON_TOLERANCE_REL = 1e-13  # of the change over a step: the correction at which an iteration ends
NEWTON_KINDS = ("full", "modified")


def run(
    problem: Problem,
    request: RunRequest,
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
        return NewtonSolver(newton == "full", condensed, NEWTON_TOLERANCE_REL)

    return fixed_step_run(problem, request, solver)


def check(problem: Problem, request: RunRequest, *, newton: str = "modified", condensed: bool | None = None) -> None:
    """Refuse a request that cannot run."""
    if newton not in NEWTON_KINDS:
        hint = did_you_mean(newton, NEWTON_KINDS) if isinstance(newton, str) else ""
        raise InvalidInput(
            f'newton must be "full" or "modified", got {short_repr(newton)}{hint}', owner="newmark"
        ).about("newton")
    if condensed is not None and not isinstance(condensed, bool):
        raise InvalidInput(
            f"condensed must be True, False or None, got {short_repr(condensed)}", owner="newmark"
        ).about("condensed")
    step, _ = step_of(problem, request)
    lost = undetermined_coordinates(problem, step, with_laws=True) if condensed else ""
    if lost:
        raise InvalidInput(
            "the condensed form needs inertia, springs or dampers at every coordinate, and only laws "
            f"without stiffness at the start hold coordinate {lost}",
            owner="newmark",
            argument="condensed",
            advice=[Advice("leave {condensed} out, or add a small inertia")],
        )
