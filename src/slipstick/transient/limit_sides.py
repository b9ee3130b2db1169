"""The side of its limit at which a slider or a friction contact is; one rule, also for compiled loops."""

from __future__ import annotations

AT_LIMIT = 1.0 - 1e-12  # of the limit: a force below it by rounding is at the limit
UNLOADED = 2  # no side: without normal load there is no friction
SIDES = ("slip-", "stick", "slip+", "unloaded")  # of the sides -1, 0, 1 and UNLOADED


def side_of(force: float, limit: float) -> float:
    """1 or -1 at the limit, 0 within it, UNLOADED if the limit is zero."""
    if limit <= 0.0:
        return UNLOADED
    if force >= AT_LIMIT * limit:
        return 1.0
    if force <= -AT_LIMIT * limit:
        return -1.0
    return 0.0
