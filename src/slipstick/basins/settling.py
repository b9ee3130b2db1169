"""A start is followed until its motion repeats: at rest, after some periods of the loads, or in a cycle of its own."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from slipstick.arrays import Array
from slipstick.errors import NotConverged
from slipstick.periodic.shooting.start_flow import StartFlow

IsKnown = Callable[[Array, Array], bool]

NONE, REST, ORBIT, CYCLE, DRIFT, UNBOUNDED, KNOWN = range(7)  # kinds of motion; the last: one that is known before
MAX_REPEATS = 8  # periods of the loads in one of the motion
SETTLED_REL = 1e-4  # of the motion: by which a forced one may still be away from its end
SETTLED_FREE_REL = 1e-3  # of the largest motion since the start: the same without loads
STALLED_REL = 1e-6  # of the motion: changes so small a period are those of the integration
CHANGES = 3  # successive changes taken together: on a spiral single ones may be small
NOISE_WINDOWS = 4  # whose changes are looked at together
DEFAULT_PERIODS, DEFAULT_WINDOWS = 2000, 500
CHECK_EVERY = 6
WINDOWS_OF_ONE_LENGTH = 8  # before windows double: a cycle may take longer than the slowest mode
FAR = 1e9  # times the first motion: it runs away
DISTINCT_REL = 1e-3  # of the motion: by which periods differ in a motion of several of them


class Settled(NamedTuple):
    """What a start ends on.

    kind : see above.   repeats : periods of the loads in one of the motion; 0 without.   time : [s] until it settled.
    points : (repeats, size) states at the beginning of each period; without loads (1, 4n) lowest q and v, highest.
    sizes : of displacements and of velocities: of the motion with loads, since the start without.
    """

    kind: int
    repeats: int
    time: float
    points: Array
    sizes: tuple[float, float] = (0.0, 0.0)


def settle(flow: StartFlow, state: Array, longest: float | None, is_known: IsKnown | None = None) -> Settled:
    """Follow a state until its motion repeats, for at most ``longest`` [s].

    is_known : of a state and its scales, with loads; where it is True the run ends with the kind `KNOWN`.
    """
    try:
        return _settle_forced(flow, state, longest, is_known) if flow.is_forced else _settle_free(flow, state, longest)
    except NotConverged as failure:
        if failure.interrupted:
            raise
        return Settled(NONE, 0, math.nan, np.zeros((0, 0)))


def _settle_forced(flow: StartFlow, state: Array, longest: float | None, is_known: IsKnown | None) -> Settled:
    most = DEFAULT_PERIODS if longest is None else max(int(longest / flow.time), 1)
    n, kept = flow.problem.n, 2 * CHANGES * MAX_REPEATS + 1
    drift = flow.map(flow.time).loose
    ends, far = [state], FAR * max(float(np.abs(state).max(initial=0.0)), 1.0)
    for k in range(1, most + 1):
        passed = flow.go(ends[-1])
        if not np.abs(passed.state).max(initial=0.0) < far:
            return Settled(UNBOUNDED, 0, k * flow.time, np.zeros((0, 0)))
        ends = [*ends[-kept + 1 :], passed.state]
        if k % CHECK_EVERY and k != most:
            continue
        if is_known is not None and is_known(passed.state, passed.scales):
            return Settled(KNOWN, 0, k * flow.time, np.zeros((0, 0)))
        rows = np.array(ends) / passed.scales
        rows, gone = _without_drift(rows, drift, n)
        repeats = _repeats(rows)
        if repeats:
            moved = np.abs(gone[-1] - gone[-1 - repeats]).max(initial=0.0) if drift.size else 0.0
            kind = DRIFT if moved > DISTINCT_REL else ORBIT
            sizes = float(passed.scales[:n].max()), float(passed.scales[n : 2 * n].max())
            return Settled(kind, repeats, k * flow.time, rows[-repeats:] * passed.scales, sizes)
    return Settled(NONE, 0, most * flow.time, np.zeros((0, 0)))


def _without_drift(rows: Array, drift: Array, n: int) -> tuple[Array, Array]:
    """Scaled states (k, size) without displacements that nothing pulls back, and those (k, directions)."""
    if not drift.size:
        return rows, np.zeros((len(rows), 0))
    along = rows[:, :n] @ drift
    rows = rows.copy()
    rows[:, :n] -= along @ drift.T
    return rows, along


def _repeats(rows: Array) -> int:
    """After how many of the scaled ends of periods (k, size), the last ones, a motion repeats; 0: it does not yet."""
    last = rows[::-1]
    for repeats in range(1, MAX_REPEATS + 1):
        if len(rows) < repeats + 2 * CHANGES:
            return 0
        steps = np.abs(last[: 2 * CHANGES] - last[repeats : repeats + 2 * CHANGES]).max(axis=1)
        new, old = float(steps[:CHANGES].max()), float(steps[CHANGES:].max())
        if new <= STALLED_REL:
            return repeats
        if new < old:
            rate = (new / old) ** (repeats / CHANGES)  # of one period of the motion
            if max(new, new * rate / (1.0 - rate)) <= SETTLED_REL:
                return repeats
        if new < DISTINCT_REL:  # it repeats after so many, and has not settled yet
            return 0
    return 0


def _settle_free(flow: StartFlow, state: Array, longest: float | None) -> Settled:
    """Without loads: by the extremes over windows, which a cycle and a rest keep."""
    most = DEFAULT_WINDOWS * flow.time if longest is None else longest
    n, window, elapsed = flow.problem.n, flow.time, 0.0
    drift, size, rows, expected = flow.map(window).loose, np.full(2, 1e-300), list[Array](), None
    far = math.inf
    while elapsed < most:
        passed = flow.go(state, window)
        state, elapsed = passed.state, elapsed + window
        assert passed.low is not None
        assert passed.high is not None
        rows.append(np.concatenate([passed.low, passed.high]))
        largest = np.maximum(np.abs(passed.low), np.abs(passed.high)).reshape(2, n).max(axis=1)
        size = np.maximum(size, largest)
        far = min(far, FAR * float(size.max()))
        if not np.abs(state).max(initial=0.0) < far:
            return Settled(UNBOUNDED, 0, elapsed, np.zeros((0, 0)))
        scales = np.tile(np.repeat(size, n), 2)
        own, moved = _without_drift_of_extremes(np.array(rows[-1 - NOISE_WINDOWS :]) / scales, drift, n)
        found = _limit(own)
        if found is not None and expected is not None and np.abs(found - expected).max() <= SETTLED_FREE_REL:
            sizes = float(size[0]), float(size[1])
            return Settled(_kind(found, moved, n), 0, elapsed, (found * scales)[None], sizes)
        expected = found
        if len(rows) == WINDOWS_OF_ONE_LENGTH:
            rows, window, expected = [], 2.0 * window, None
    return Settled(NONE, 0, elapsed, np.zeros((0, 0)))


def _limit(rows: Array) -> Array | None:
    """(4n,) where scaled extremes (k, 4n) of successive windows lead; None where they do not settle.

    They come and go by what the integration leaves, or each change is a constant part of the one before (Aitken).
    """
    if len(rows) < 3:
        return None
    changes = np.diff(rows, axis=0)
    before, now = np.abs(changes[-2:]).max(axis=1).tolist()
    if now <= STALLED_REL:
        return np.asarray(rows[-1])
    recent = np.abs(changes[-NOISE_WINDOWS:])
    if len(recent) == NOISE_WINDOWS and recent.max() <= SETTLED_FREE_REL:
        net = np.abs(rows[-1] - rows[-1 - NOISE_WINDOWS]).max()
        if net <= recent.max():
            return np.asarray(rows[-1])
    if not now < before:
        return None
    return np.asarray(rows[-1] + changes[-1] * now / (before - now))


def _without_drift_of_extremes(rows: Array, drift: Array, n: int) -> tuple[Array, float]:
    """Scaled extremes (k, 4n) without a steady drift, and how far it goes in a window."""
    if not drift.size:
        return rows, 0.0
    rows, moved = rows.copy(), 0.0
    for part in (slice(0, n), slice(2 * n, 3 * n)):
        along = rows[:, part] @ drift
        if len(along) > 1:
            moved = max(moved, float(np.abs(along[-1] - along[-2]).max()))
        rows[:, part] -= along @ drift.T
    return rows, moved


def _kind(limit: Array, moved: float, n: int) -> int:
    """Rest, cycle or drift, of scaled extremes (4n,) of lowest q and v, highest q and v."""
    if moved > DISTINCT_REL:
        return DRIFT
    swing = limit[2 * n :] - limit[: 2 * n]
    return REST if float(swing.max(initial=0.0)) <= 4.0 * SETTLED_FREE_REL else CYCLE
