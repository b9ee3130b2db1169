"""One step of Dormand and Prince's pair of orders 5 and 4, with its interpolant of order 4; compiled.

Dormand, Prince, J. Comput. Appl. Math. 6 (1980) 19; interpolant: Hairer, Norsett, Wanner, Solving ODEs I, II.6.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from slipstick.laws.parsing import Buffer
from slipstick.native import numbers_at, view
from slipstick.transient.adaptive import places as at
from slipstick.transient.adaptive.equations import book, derivative


def attempt(plan: Buffer, h: float) -> float:
    """Stages 2 to 7 and the state after a step h; its error over what is allowed."""
    end = plan[at.END]
    n = int(plan[at.FREE])
    size = 2 * n + int(plan[at.INNER])
    t = plan[at.TIME]
    y = numbers_at(int(plan[at.Y]))
    new = numbers_at(int(plan[at.Y1]))
    k1 = numbers_at(int(plan[at.STAGES]))
    k2 = view(k1, size)
    k3 = view(k1, 2 * size)
    k4 = view(k1, 3 * size)
    k5 = view(k1, 4 * size)
    k6 = view(k1, 5 * size)
    k7 = view(k1, 6 * size)
    booked = plan[at.LEDGER] != 0.0
    if booked:
        open_book(plan, y, k1, h)
    for i in range(size):
        new[i] = y[i] + h * 0.2 * k1[i]
    derivative(plan, t + 0.2 * h, new, k2)
    for i in range(size):
        new[i] = y[i] + h * (0.075 * k1[i] + 0.225 * k2[i])
    derivative(plan, t + 0.3 * h, new, k3)
    if booked:
        book(plan, t + 0.3 * h, new, h * 500 / 1113, -h * 71 / 16695)
    for i in range(size):
        new[i] = y[i] + h * (44 / 45 * k1[i] - 56 / 15 * k2[i] + 32 / 9 * k3[i])
    derivative(plan, t + 0.8 * h, new, k4)
    if booked:
        book(plan, t + 0.8 * h, new, h * 125 / 192, h * 71 / 1920)
    for i in range(size):
        d = 19372 / 6561 * k1[i] - 25360 / 2187 * k2[i] + 64448 / 6561 * k3[i] - 212 / 729 * k4[i]
        new[i] = y[i] + h * d
    derivative(plan, t + 8 / 9 * h, new, k5)
    if booked:
        book(plan, t + 8 / 9 * h, new, -h * 2187 / 6784, -h * 17253 / 339200)
    for i in range(size):
        d = 9017 / 3168 * k1[i] - 355 / 33 * k2[i] + 46732 / 5247 * k3[i] + 49 / 176 * k4[i] - 5103 / 18656 * k5[i]
        new[i] = y[i] + h * d
    derivative(plan, end, new, k6)
    if booked:
        book(plan, end, new, h * 11 / 84, h * 22 / 525)
    for i in range(size):
        d = 35 / 384 * k1[i] + 500 / 1113 * k3[i] + 125 / 192 * k4[i] - 2187 / 6784 * k5[i] + 11 / 84 * k6[i]
        new[i] = y[i] + h * d
    derivative(plan, end, new, k7)
    if booked:
        book(plan, end, new, 0.0, -h / 40)
    plan[at.READY] = 1.0
    error = error_of(plan, h)
    if booked:
        error = max(error, book_error(plan))
    return error


def open_book(plan: Buffer, y: Sequence[float], k1: Buffer, h: float) -> None:
    """Begin the energy of a step with its first stage."""
    m = int(plan[at.ELEMENTS])
    trial = numbers_at(int(plan[at.TRIAL_BOOK]))
    wrong = numbers_at(int(plan[at.BOOK_ERROR]))
    for e in range(m + 2):
        trial[e] = 0.0
        wrong[e] = 0.0
    derivative(plan, plan[at.TIME], y, k1)
    book(plan, plan[at.TIME], y, h * 35 / 384, h * 71 / 57600)


def error_of(plan: Sequence[float], h: float) -> float:
    """The largest error of the step over what the tolerance allows; not a number if anything is not."""
    n = int(plan[at.FREE])
    size = 2 * n + int(plan[at.INNER])
    y = numbers_at(int(plan[at.Y]))
    new = numbers_at(int(plan[at.Y1]))
    k1 = numbers_at(int(plan[at.STAGES]))
    scale = numbers_at(int(plan[at.SCALE]))
    mass = numbers_at(int(plan[at.MASS]))
    rise = at.HARDLY * math.sqrt(most_kinetic(plan))
    largest = 0.0
    for i in range(size):
        d = 71 / 57600 * k1[i] - 71 / 16695 * k1[2 * size + i] + 71 / 1920 * k1[3 * size + i]
        d += -17253 / 339200 * k1[4 * size + i] + 22 / 525 * k1[5 * size + i] - k1[6 * size + i] / 40
        own = max(max(scale[i], abs(new[i])), abs(y[i]))
        if i < n:  # what moves a little within the step is not measured against nothing
            own = max(own, h * max(scale[n + i], rise / math.sqrt(mass[i])))
        elif i < 2 * n:
            own = max(own, rise / math.sqrt(mass[i - n]))
        else:
            own = max(own, h * abs(k1[i]))
        error = abs(h * d) / (plan[at.TOLERANCE] * own + 1e-300)
        if not error <= largest:
            largest = error
    return largest


def most_kinetic(plan: Sequence[float]) -> float:
    """The largest kinetic energy so far, twice [J]; that after the step at hand counts, if it is a number.

    A body that is first moved in this step, through others, moves by so high a power of time that its error over its
    own motion is the same however short the step.
    """
    n = int(plan[at.FREE])
    new = numbers_at(int(plan[at.Y1]))
    mass = numbers_at(int(plan[at.MASS]))
    kinetic = 0.0
    for i in range(n):
        kinetic += mass[i] * new[n + i] * new[n + i]
    return kinetic if kinetic > plan[at.KINETIC] and kinetic < at.ASTRAY else plan[at.KINETIC]


def book_error(plan: Sequence[float]) -> float:
    """The largest error of the step's energies over what the tolerance allows."""
    m = int(plan[at.ELEMENTS])
    total = numbers_at(int(plan[at.BOOK]))
    trial = numbers_at(int(plan[at.TRIAL_BOOK]))
    wrong = numbers_at(int(plan[at.BOOK_ERROR]))
    size = most_kinetic(plan)
    if plan[at.FREE] > 0.0:
        # loads that are in balance as a run begins: works are then as high a power of time as motions are
        rate = numbers_at(int(plan[at.FLOOR]))[0]
        size = max(size, numbers_at(int(plan[at.MASS]))[0] * rate * rate / at.LEAST)
    largest = 0.0
    for e in range(m + 2):
        size = max(size, abs(total[e]) + abs(trial[e]))
        largest = max(largest, abs(wrong[e]))
    return float(largest / (plan[at.TOLERANCE] * size + 1e-300))


def between(plan: Sequence[float], h: float, x: float, out: Buffer) -> None:
    """The state at the part x of the step."""
    size = 2 * int(plan[at.FREE]) + int(plan[at.INNER])
    y = numbers_at(int(plan[at.Y]))
    new = numbers_at(int(plan[at.Y1]))
    k1 = numbers_at(int(plan[at.STAGES]))
    for i in range(size):
        change = new[i] - y[i]
        bend = h * k1[i] - change
        other = change - h * k1[6 * size + i] - bend
        d = -12715105075 / 11282082432 * k1[i] + 87487479700 / 32700410799 * k1[2 * size + i]
        d += -10690763975 / 1880347072 * k1[3 * size + i] + 701980252875 / 199316789632 * k1[4 * size + i]
        d += -1453857185 / 822651844 * k1[5 * size + i] + 69997945 / 29380423 * k1[6 * size + i]
        out[i] = y[i] + x * (change + (1.0 - x) * (bend + x * (other + (1.0 - x) * h * d)))
