"""Warnings of a certificate about motions that leave the valid range of a law."""

from __future__ import annotations

from slipstick.arrays import Array
from slipstick.transient.problem import Problem


def validity_warnings(problem: Problem, u: Array) -> dict[int, str]:
    """By element, what is wrong with its law along a motion, in words; as `Law.trace` warns of it.

    u : (k, elements) deflections, with the extremes among them.
    """
    if not u.size:
        return {}
    lows, highs = u.min(axis=0).tolist(), u.max(axis=0).tolist()
    found = {}
    for e, element in enumerate(problem.elements):
        try:
            words = element.law.doubt_about(lows[e], highs[e])
        except ArithmeticError as trouble:
            words = f"it has no slope where the motion went ({trouble})"
        if words:
            name = problem.system.connections[element.connection].name
            found[e] = f'"{name}" ({type(element.law).__name__}) went to {_extremes(lows[e], highs[e])}: {words}'
    return found


def _extremes(low: float, high: float) -> str:
    return f"u = {low:.4g} to {high:.4g}"


def energy_gain_warnings(problem: Problem, dissipated: list[float], allowed: float) -> dict[str, str]:
    """By connection, in words: friction that gained energy over a period.

    dissipated : [J] of each connection.   allowed : [J] of rounding and truncation.
    """
    names = [connection.name for connection in problem.system.connections]
    return {
        name: f'the friction in "{name}" gained {-work:.2g} J, which is impossible'
        for name, work, takes in zip(names, dissipated, can_only_dissipate(problem), strict=True)
        if takes and work < -allowed
    }


def can_only_dissipate(problem: Problem) -> list[bool]:
    """By connection: True if it cannot supply energy over a period (springs and laws with memory, none that varies)."""
    found = [False] * len(problem.system.connections)
    for j, connection in enumerate(problem.system.connections):
        own = [element for element in problem.elements if element.connection == j]
        takes = [element.law.remembers for element in own]
        plain = all(t or not e.law.needs_rate for t, e in zip(takes, own, strict=True))
        upright = all(e.force * e.scale > 0.0 and not e.modulation for e in own)
        found[j] = any(takes) and plain and upright and connection.is_conjugate
    return found
