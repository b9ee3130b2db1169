"""Curves of equilibria over a parameter: the entry point."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

from slipstick.arrays import Array
from slipstick.errors import Advice, InvalidInput, NotConverged
from slipstick.native.blas_threads import one_blas_thread
from slipstick.periodic.continuation.curve_trace import CurveTrace, trace_curve
from slipstick.periodic.cycles.parametric_problem import ParametricProblem, parametric_problem
from slipstick.periodic.equilibria.equilibrium_family import EquilibriumFamily
from slipstick.periodic.equilibria.sliding_balance import SlidingBalance
from slipstick.periodic.request_checks import checked_values
from slipstick.periodic.stability.special_points import special_points_of
from slipstick.results.curve import CurveFindings
from slipstick.results.equilibrium_curve import (
    FLUTTER,
    FOLD,
    HOPF,
    STICK,
    EquilibriumCurve,
    EquilibriumFindings,
    EquilibriumPoint,
    EquilibriumStats,
)

if TYPE_CHECKING:
    from slipstick.model.system import System

Progress = Callable[[int, float], Any]

KINDS = {"neimark-sacker": HOPF, "fold": FOLD, "branch-point": "branch-point"}
SPEED_CHECKS = 9  # values of the parameter at which rates are looked at
REST_MARGIN_REL = 1e-9  # of the range: so near to a speed of zero a curve of sliding ends
BISECTIONS = 60
STABLE_GROWTH_REL = 1e-9  # of the largest eigenvalue: growth that is rounding


def follow_equilibria(
    system: System, parameter: Any, between: Any, progress: Progress | None = None
) -> EquilibriumCurve:
    """See `slipstick.api.Model.equilibria`."""
    began = perf_counter()
    values = checked_values("between", between)
    _refuse_several_deflections(system)
    problems = parametric_problem(system, parameter, values)
    first, last = _sliding_range(problems, float(values[0]), float(values[1]))
    stats = EquilibriumStats(problems.name, problems.unit, float(values[0]), float(values[1]))
    with one_blas_thread():
        family = EquilibriumFamily(problems.problem, first, max(abs(first), abs(last)))
        traced, failure = _trace(family, (first, last), progress)
        found = special_points_of(traced)
    findings = _findings(family, found, problems)
    stats.seconds = perf_counter() - began
    stats.ended = _end_words(findings, (first, last), values, failure)
    curve = EquilibriumCurve(findings, problems.at(float(values[0])).snapshot(), stats)
    from slipstick.periodic.equilibria.hopf_branch import HopfOrigin

    curve.origin = HopfOrigin(problems, (first, last), family)
    return curve


def _refuse_several_deflections(system: System) -> None:
    """Refuse laws with several deflections, whose states this curve does not follow."""
    for c in system.connections:
        if c.law.kernel_law.directions:
            words = f'"{c.name.rpartition(".")[0]}" has several deflections, which equilibria does not take'
            raise InvalidInput(words, advice=["m.equilibrium() finds one state of rest, m.simulate the motion"])


def _trace(
    family: EquilibriumFamily, between: tuple[float, float], progress: Progress | None
) -> tuple[CurveTrace, str]:
    """The curve, and why it ended early."""
    count = 0

    def watch(point: Any) -> None:
        nonlocal count
        count += 1
        if progress is not None:
            progress(count, float(point.z[-1]))

    try:
        return trace_curve(family, between, watch=watch), ""
    except NotConverged as failure:
        if isinstance(failure.partial, CurveTrace) and len(failure.partial.points) > 1:
            return failure.partial, str(failure)
        raise NotConverged(
            failure.message.wrapped("no equilibrium was found: "),
            advice=[Advice("start the model nearer to it ({displacement})")],
        ) from None


def _sliding_range(problems: ParametricProblem, first: float, last: float) -> tuple[float, float]:
    """The range, without what lies beyond the value at which a contact that slides at first has no rate."""
    SlidingBalance.of(problems.problem(first))  # refuses what has no sliding force

    def signs(p: float) -> Array:
        problem = problems.problem(p)
        return np.asarray(np.sign(problem.rates_at(0.0, np.zeros(problem.n))))

    own, inside = signs(first), first
    for p in np.linspace(first, last, SPEED_CHECKS)[1:].tolist():
        if not np.array_equal(signs(p), own):
            outside = p
            for _ in range(BISECTIONS):
                middle = 0.5 * (inside + outside)
                inside, outside = (middle, outside) if np.array_equal(signs(middle), own) else (inside, middle)
                if abs(outside - inside) <= REST_MARGIN_REL * abs(last - first):
                    break
            if inside == first:
                raise InvalidInput(
                    f"a contact begins to slide at {first:.6g}", argument="between", advice=["begin a little beside it"]
                )
            return first, inside
        inside = p
    return first, last


def _findings(family: EquilibriumFamily, found: CurveFindings, problems: ParametricProblem) -> EquilibriumFindings:
    """Equilibria and special points of what continuation has found; it ends where a contact cannot hold any more."""
    points = [_point(family, own.x, own.p) for own in found.points]
    special = []
    for each in found.special:
        kind = KINDS.get(each["kind"])
        if kind is None:
            continue
        own: dict[str, Any] = {"kind": kind, "parameter": each["parameter"], "point": each["point"]}
        own["error"] = each.get("error", 0.0)
        own["over"] = problems.name
        if kind == HOPF:
            values = points[each["point"]].eigenvalues
            swinging = values[np.abs(values.imag) > 0.0]
            own["frequency"] = float(abs(swinging[np.argmin(np.abs(swinging.real))].imag))
        special.append(own)
    for k in reversed(_flutter_starts(points, special)):
        inside, width = _stability_limit(family, points[k], points[k + 1])
        points.insert(k + 1, inside)
        for each in special:
            each["point"] += each["point"] > k
        meeting = float(np.abs(inside.eigenvalues[np.argmax(inside.eigenvalues.real)].imag))
        own = {"kind": FLUTTER, "parameter": inside.parameter, "point": k + 1, "error": width, "over": problems.name}
        special.append({**own, "frequency": meeting})
    special.sort(key=lambda each: each["point"])
    ended = _slips_at(family, points)
    if ended is not None:
        k, name = ended
        points = points[: k + 1]
        special = [own for own in special if own["point"] < k]
        special.append({"kind": STICK, "parameter": points[k].parameter, "point": k, "error": 0.0, "connection": name})
        special[-1]["over"] = problems.name
    else:
        special += _stick_ends(family, points, problems.name)
    return EquilibriumFindings(tuple(points), special, tuple(found.notes))


def _point(family: EquilibriumFamily, x: Array, p: float) -> EquilibriumPoint:
    own, balance = family.solved(x, p)
    problem = own.problem
    values, shapes = own.eigenvalues(balance)
    count = len(problem.assembly.names)
    displacement, shape = np.zeros(count), np.zeros(count, dtype=complex)
    displacement[problem.assembly.free] = x[: problem.n]
    if values.size:
        shape[problem.assembly.free] = shapes[:, 0]
    force = np.zeros(len(problem.system.connections))
    for e, element in enumerate(problem.elements):
        force[element.connection] += balance.forces[e]
    largest = float(np.abs(values).max(initial=1e-300))
    stable = bool((values.real <= STABLE_GROWTH_REL * largest).all())
    residual = float(np.abs(balance.residual).max(initial=0.0)) / family.force
    return EquilibriumPoint(p, displacement, force, values, stable, x, shape, residual)


def _flutter_starts(points: list[EquilibriumPoint], special: list[dict[str, Any]]) -> list[int]:
    """Numbers of the points after which two undamped modes meet: no eigenvalue crosses the imaginary axis there, on
    which all are on one side."""
    marked, found = {each["point"] for each in special}, []
    for k, (a, b) in enumerate(pairwise(points)):
        if a.stable == b.stable or {k, k + 1} & marked:
            continue
        stable, other = (a.eigenvalues, b.eigenvalues) if a.stable else (b.eigenvalues, a.eigenvalues)
        neutral = np.abs(stable.real) <= STABLE_GROWTH_REL * np.abs(stable).max(initial=1e-300)
        if np.count_nonzero(neutral & (stable.imag > 0.0)) > 1 and other[np.argmax(other.real)].imag != 0.0:
            found.append(k)
    return found


def _stability_limit(
    family: EquilibriumFamily, a: EquilibriumPoint, b: EquilibriumPoint
) -> tuple[EquilibriumPoint, float]:
    """The last stable equilibrium between two points, by bisection, and the interval of the parameter that is left."""
    from slipstick.periodic.continuation.corrector import newton_at, scale_of

    inside, outside = (a, b) if a.stable else (b, a)
    span = abs(a.parameter - b.parameter)
    for _ in range(BISECTIONS):
        middle = 0.5 * (np.append(inside.x, inside.parameter) + np.append(outside.x, outside.parameter))
        z = newton_at(family, middle, float(middle[-1]), scale_of(family, middle, family.unit)).z
        found = _point(family, z[:-1], float(z[-1]))
        inside, outside = (found, outside) if found.stable else (inside, found)
        if abs(outside.parameter - inside.parameter) <= REST_MARGIN_REL * span:
            break
    return inside, abs(outside.parameter - inside.parameter)


def _slips_at(family: EquilibriumFamily, points: list[EquilibriumPoint]) -> tuple[int, str] | None:
    """The number of the first point at which a sticking contact is at its limit, and its connection."""
    for k, point in enumerate(points):
        own, balance = family.solved(point.x, point.parameter)
        margins = own.held_margins(balance)
        if margins.size and margins.min() < 0.0:
            name = own.problem.system.connections[
                own.problem.elements[own.stuck[int(np.argmin(margins))]].connection
            ].name
            if k == 0:
                raise InvalidInput(
                    f'"{name}" cannot stick at the start of the range; simulate shows where it slides to'
                )
            points[k] = _limit_between(family, points[k - 1], point)
            return k, name
    return None


def _limit_between(family: EquilibriumFamily, inside: EquilibriumPoint, outside: EquilibriumPoint) -> EquilibriumPoint:
    """The equilibrium at which a contact has no margin left, by bisection between two points."""
    from slipstick.periodic.continuation.corrector import newton_at, scale_of

    a, b = np.append(inside.x, inside.parameter), np.append(outside.x, outside.parameter)
    for _ in range(BISECTIONS):
        middle = 0.5 * (a + b)
        found = newton_at(family, middle, float(middle[-1]), scale_of(family, middle, family.unit)).z
        own, balance = family.solved(found[:-1], float(found[-1]))
        a, b = (found, b) if own.held_margins(balance).min() >= 0.0 else (a, found)
    return _point(family, a[:-1], float(a[-1]))


def _stick_ends(family: EquilibriumFamily, points: list[EquilibriumPoint], over: str) -> list[dict[str, Any]]:
    """An end of the curve at which a sliding contact has lost its rate."""
    found: list[dict[str, Any]] = []
    width = 2.0 * REST_MARGIN_REL * abs(points[-1].parameter - points[0].parameter)
    for k in (0, len(points) - 1):
        p = points[k].parameter
        own = family.balance_at(p)
        elements = own.problem.elements
        for e, rate in enumerate(own.rates.tolist()):
            most = abs(family.first.rates[e])
            if elements[e].law.rigid_friction is not None and 0.0 < abs(rate) <= 10.0 * REST_MARGIN_REL * max(
                most, 1e-300
            ):
                name = own.problem.system.connections[elements[e].connection].name
                own_point = {"kind": STICK, "parameter": p, "point": k, "error": width}
                found.append({**own_point, "connection": name, "over": over})
    return found


def _end_words(found: EquilibriumFindings, followed: tuple[float, float], values: Array, failure: str) -> str:
    sticks = [own for own in found.special if own["kind"] == STICK]
    if sticks:
        own = sticks[-1]
        return f'at {own["parameter"]:.6g} "{own["connection"]}" changes between stick and slip'
    reached = {point.parameter for point in (found.points[0], found.points[-1])}
    if float(values[1]) in reached or followed[1] in reached:
        return ""
    return failure or "the curve left the range where it began"
