"""Connections that give energy to a motion instead of taking it: dampers below zero."""

from __future__ import annotations

from slipstick.errors import SlipstickError
from slipstick.model.system import Connection, System


def damping_at_rest(connection: Connection) -> float:
    """[N s/m or N m s/rad] of its law at rest, all parts of a sum together; zero for a law without a tangent."""
    try:
        return float(connection.law.linearised().damping)
    except (SlipstickError, ArithmeticError):  # a law without tangents, or modulated in time; numbers that overflow
        return 0.0


def negative_dampers(system: System) -> list[Connection]:
    """Connections whose dampers are below zero, so that motions along them grow."""
    return [c for c in system.connections if c.is_conjugate and damping_at_rest(c) < 0.0]
