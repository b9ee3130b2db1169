"""Resets points of a ledger that must be computed again: damaged rows, lost arrays, chains without orbit."""

from __future__ import annotations

from collections.abc import Sequence

from slipstick.errors import FileError
from slipstick.sweeps.ledger import Ledger
from slipstick.sweeps.orbit_bytes import InvalidOrbitBytes, unpack_orbit
from slipstick.sweeps.plan import Plan
from slipstick.sweeps.point_arrays import read_arrays

MAX_NAMED_POINTS = 5  # points in a message


def repair_ledger(ledger: Ledger, plan: Plan, chain: int) -> list[str]:
    """Requeue points whose outcome is damaged; returns the findings, one line each.

    chain : points in a row that begin from each other's orbits. Where the orbit to go on from cannot be read, the chain
    starts again at its first point, so that it stays on its branch.
    """
    found = []
    with ledger.writing():
        strangers = ledger.drop_unplanned_rows()
    if strangers:
        rows = "row belongs" if strangers == 1 else "rows belong"
        found.append(f"{ledger.path}: {strangers} {rows} to no point of this sweep; removed")
    damaged = ledger.damaged()
    if damaged:
        found.append(f"{ledger.path}: {describe_damage(damaged)}; computed again")
    without = [number for number, name in ledger.points_with_arrays() if not _is_readable(ledger, name)]
    if without:
        found.append(
            f"{ledger.path}: the array files of {_describe_points(without)} are damaged or gone; computed again"
        )
    with ledger.writing():
        for number in {*damaged, *without}:
            ledger.reset_row(number, plan.parameters(number))
    ends = {number // chain: number for number, start in ledger.cut(chain) if not _is_orbit(start)} if chain > 1 else {}
    if ends:
        with ledger.writing():
            again = sum(ledger.requeue_range(own * chain, end - 1) for own, end in ends.items())
        cut = f"{len(ends)} chain{'s have' if len(ends) > 1 else ' has'} no readable orbit to continue from"
        words = f"(damaged, or kept by an older slipstick); {again} of their points are computed again"
        found.append(f"{ledger.path}: {cut} {words}")
    return found


def describe_damage(numbers: Sequence[int]) -> str:
    """``2 rows are damaged (wrong checksum): points 3, 7``."""
    rows = "row is" if len(numbers) == 1 else "rows are"
    return f"{len(numbers)} {rows} damaged (wrong checksum): {_describe_points(numbers)}"


def _describe_points(numbers: Sequence[int]) -> str:
    more = f" and {len(numbers) - MAX_NAMED_POINTS} more" if len(numbers) > MAX_NAMED_POINTS else ""
    return f"point{'s' if len(numbers) > 1 else ''} {', '.join(map(str, numbers[:MAX_NAMED_POINTS]))}{more}"


def _is_orbit(start: object) -> bool:
    try:
        unpack_orbit(start)
    except InvalidOrbitBytes:
        return False
    return True


def _is_readable(ledger: Ledger, name: str) -> bool:
    try:
        read_arrays(ledger.path, name)
    except FileError:
        return False
    return True
