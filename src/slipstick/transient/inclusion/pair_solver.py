"""Moreau's contact problem of one step: rigid contacts with friction beside sliders and frictions; compiled.

A contact is active if its normal deflection would pass its gap within the step. With rates after the step r = b - A l,

    l_n >= 0,    r_n + e max(r_n-, 0) <= 0,    l_n (r_n + e max(r_n-, 0)) = 0,    |l_t| <= mu l_n against r_t

For given bounds mu l_n this is the box problem of all contacts. The bounds follow from its solution, until they stay.
"""

from __future__ import annotations

from slipstick.native import Array, view
from slipstick.transient.box_complementarity import box_solve
from slipstick.transient.inclusion.records import ContactPair, SchemeState

NO_BOUND = 1e300
MAX_ROUNDS = 500  # of bounds
SAME_FORCE_REL = 1e-14  # of the largest force: bounds that stay


def solve_with_pairs(run: SchemeState, first: int, count: int) -> None:
    """Solve the contact problem of ``count`` contacts, of which the last ones are pairs; ``settled`` if it was solved.

    first : the first contact in the problem.
    """
    begin = count - 2 * run.pair_count
    held = view(run.held, first)
    for p in range(run.pair_count):
        set_normal_bounds(run, run.pairs[p], begin + 2 * p + 1)
    run.settled = False
    for _ in range(MAX_ROUNDS):
        for p in range(run.pair_count):
            t = begin + 2 * p
            limit = run.pairs[p].friction * min(held[t + 1], run.high[t + 1])
            run.high[t] = limit
            run.low[t] = -limit
        box_solve(run.matrix, run.right_hand_side, run.low, run.high, held, count, run.workspace)
        if bounds_stay(run, held, begin):
            run.settled = True
            break
    for p in range(run.pair_count):
        add_works(run, run.pairs[p], held, begin + 2 * p, count, view(run.pair_work, 3 * p))


def row_times(row: Array, x: Array, width: int) -> float:
    total = 0.0
    for j in range(width):
        total += row[j] * x[j]
    return total


def set_normal_bounds(run: SchemeState, pair: ContactPair, n: int) -> None:
    """Bounds of the normal force of a pair, and the rate that it has to stop, with the rebound."""
    rate = row_times(view(pair.rates, run.width), run.x, run.width)
    if pair.normal_stiffness > 0.0:
        depth = row_times(pair.normal, run.x, run.width) + run.h * rate - pair.gap
        run.low[n] = pair.normal_stiffness * max(depth, 0.0)
        run.high[n] = run.low[n]
        return
    run.low[n] = 0.0
    run.high[n] = 0.0
    if row_times(pair.normal, run.x, run.width) + run.h * rate >= pair.gap:
        run.high[n] = NO_BOUND
        run.right_hand_side[n] += pair.restitution * max(rate, 0.0)


def bounds_stay(run: SchemeState, held: Array, begin: int) -> bool:
    """True if the tangential bounds are friction times the normal forces that were found."""
    size = 0.0
    apart = 0.0
    for p in range(run.pair_count):
        t = begin + 2 * p
        size = max(size, abs(held[t + 1]))
        apart = max(apart, abs(run.pairs[p].friction * held[t + 1] - run.high[t]))
    return apart <= SAME_FORCE_REL * size


def add_works(run: SchemeState, pair: ContactPair, held: Array, t: int, count: int, works: Array) -> None:
    """Add the works of a pair over the step: its forces times the mean of the rates before and after it."""
    for k in range(2 if pair.normal_stiffness == 0.0 else 1):  # a followed force does no work here
        i = t + k
        before = row_times(view(pair.rates, k * run.width), run.x, run.width)
        moved = row_times(view(pair.moves, k * run.width), run.x, run.width)
        after = run.right_hand_side[i]
        if k == 1 and run.high[i] > 0.0:
            after -= pair.restitution * max(before, 0.0)
        for j in range(count):
            after -= run.matrix[i * count + j] * held[j]
        work = 0.5 * run.h * held[i] * (before + after)
        # a tangential impulse may return energy that the normal one has taken: their sum is the loss of the contact
        works[k if work > 0.0 else 1] += work
        works[2] += run.h * held[i] * moved
