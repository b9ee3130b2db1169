"""From a curve as it was followed to the result that a user gets, whole or in part."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from time import perf_counter
from typing import Any

from slipstick.errors import NotConverged
from slipstick.periodic.curves import Traced
from slipstick.periodic.special import findings
from slipstick.results.curve import Curve, CurveStats

OtherBranch = Callable[[Mapping[str, Any]], Curve]


def hand_over(
    solve: Callable[[], Traced],
    model: Any,
    stats: CurveStats,
    other_branch: Callable[[Curve], OtherBranch] | None = None,
) -> Curve:
    """The curve that ``solve`` follows; orbits are measured and special points located when they are looked at.

    model : a snapshot that belongs to the curve.   stats : method, reason, parameter and its range.
    other_branch : makes `Curve.switch` of a curve.

    `NotConverged` has the curve so far as ``partial``, if there is one.
    """
    began = perf_counter()
    try:
        traced = solve()
    except NotConverged as failure:
        if isinstance(failure.partial, Traced):
            failure.partial = _curve(failure.partial, model, stats, began, other_branch)
        raise
    return _curve(traced, model, stats, began, other_branch)


def _curve(
    traced: Traced,
    model: Any,
    stats: CurveStats,
    began: float,
    other_branch: Callable[[Curve], OtherBranch] | None,
) -> Curve:
    told = replace(stats, ended=traced.ended, closed=traced.closed, joined=traced.along, seconds=perf_counter() - began)
    curve = Curve(partial(findings, traced), model, told)
    if other_branch is not None:
        curve.other_branch = other_branch(curve)
    return curve
