"""The right-hand side: accelerations from loads, the linear part, and laws on the branch they are on; compiled.

A law with a closed form is called with a copy of its memory at the last accepted point, so what it gives is smooth in
the deflection as long as that moves one way. A law by rate has its inner state among the unknowns; its direction is
frozen over a step, so that a trial beyond a reversal is the smooth continuation of what was before it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from slipstick.laws.loops import modulation
from slipstick.laws.parsing import Buffer
from slipstick.laws.stack import stack_size
from slipstick.native import call_function, call_value, numbers_at, view
from slipstick.transient.adaptive.places import (
    ACCEPTED,
    ALONG,
    BEHIND,
    BOOK_ERROR,
    BY_RATE,
    CLOSED,
    CONJUGATE,
    CORNER,
    CORNERS,
    DAMPING,
    DIRECTION,
    ELEMENTS,
    FACTOR,
    FOLDED,
    FORCE,
    FORCING,
    FREE,
    HEAD,
    HEADS,
    INNER_FORCE,
    KIND,
    LEDGER,
    LINEAR,
    LOADS,
    MEMORY,
    MODULATION,
    MODULATIONS,
    MOVED,
    OFFSET,
    OFFSET_RATE,
    OFFSET_RATES,
    OFFSETS,
    PARAMETERS,
    PLACE,
    PLAIN,
    PUSH_FROM,
    PUSH_TO,
    RATE,
    RESPONSE,
    ROW_FROM,
    ROW_TO,
    ROWS,
    SCRATCH,
    SHARE,
    SIZE,
    STATE,
    STIFFNESS,
    TIME,
    TRIAL_BOOK,
    U_SCALE,
    VALUE,
    WAVE_TIME,
    WAVES,
    WORK,
    ZERO,
    U,
    V,
)
from slipstick.transient.forcing import forcing_at


def derivative(plan: Sequence[float], t: float, y: Sequence[float], dy: Buffer) -> None:
    """dy/dt of (q, v, inner states) at time t; deflections, rates and forces of the elements are left in the plan."""
    n = int(plan[FREE])
    m = int(plan[ELEMENTS])
    linear = numbers_at(int(plan[LINEAR]))
    response = numbers_at(int(plan[RESPONSE]))
    heads = numbers_at(int(plan[HEADS]))
    forces = numbers_at(int(plan[FORCE]))
    pushes(plan, t, view(dy, n))
    for i in range(n):
        dy[i] = y[n + i]
        a = dy[n + i]
        for j in range(2 * n):
            a += linear[2 * n * i + j] * y[j]
        dy[n + i] = a
    if plan[MOVED] != 0.0:
        forcing_at(numbers_at(int(plan[OFFSETS])), t, numbers_at(int(plan[OFFSET])))
        forcing_at(numbers_at(int(plan[OFFSET_RATES])), t, numbers_at(int(plan[OFFSET_RATE])))
    for e in range(m):
        head = view(heads, HEAD * e)
        kind = int(head[KIND])
        if kind != FOLDED or plan[LEDGER] != 0.0:
            deflect(plan, e, y)
            force = full_force(plan, e, t, y)
            forces[e] = force
            if kind == BY_RATE:
                state = int(head[STATE])
                dy[2 * n + state] = frozen_rate(plan, e, y[2 * n + state])
            if kind != FOLDED:
                for i in range(int(head[PUSH_FROM]), int(head[PUSH_TO])):
                    dy[n + i] += response[m * i + e] * force


def pushes(plan: Sequence[float], t: float, out: Buffer) -> None:
    """The accelerations that loads and motions give: `forcing_at`, with cosines turned on from those of the step."""
    numbers = numbers_at(int(plan[FORCING]))
    rows = int(numbers[0])
    harmonics = int(numbers[1])
    if numbers[2] != 0.0:
        forcing_at(numbers, t, out)
        return
    waves = numbers_at(int(plan[WAVES]))
    for i in range(rows):
        out[i] = numbers[3 + i] + numbers[3 + rows + i] * t
    at = 3 + 2 * rows
    for k in range(harmonics):
        x = numbers[at] * (t - plan[WAVE_TIME])
        if abs(x) < 0.25:
            cos, sin = small_turn(x)
            c = waves[2 * k] * cos - waves[2 * k + 1] * sin
            s = waves[2 * k + 1] * cos + waves[2 * k] * sin
        else:
            c = math.cos(numbers[at] * t)
            s = math.sin(numbers[at] * t)
        for i in range(rows):
            out[i] += numbers[at + 1 + i] * c + numbers[at + 1 + rows + i] * s
        at += 1 + 2 * rows


def small_turn(x: float) -> tuple[float, float]:
    """cos x and sin x for |x| < 0.25: a short series is exact to rounding, and a third of the cost."""
    w = x * x
    turn = w * (1 / 24 - w * (1 / 720 - w * (1 / 40320 - w * (1 / 3628800 - w / 479001600))))
    sin = x * (1.0 - w * (1 / 6 - w * (1 / 120 - w * (1 / 5040 - w * (1 / 362880 - w / 39916800)))))
    return 1.0 - w * 0.5 + w * turn, sin


def set_waves(plan: Buffer) -> None:
    """Find the cosines of loads at the beginning of a step: turned on from the last, now and then by themselves."""
    numbers = numbers_at(int(plan[FORCING]))
    waves = numbers_at(int(plan[WAVES]))
    rows = int(numbers[0])
    anew = int(plan[ACCEPTED]) % 32 == 0
    for k in range(int(numbers[1])):
        omega = numbers[3 + 2 * rows + k * (1 + 2 * rows)]
        x = omega * (plan[TIME] - plan[WAVE_TIME])
        if anew or abs(x) >= 0.25:
            waves[2 * k] = math.cos(omega * plan[TIME])
            waves[2 * k + 1] = math.sin(omega * plan[TIME])
        else:
            cos, sin = small_turn(x)
            c = waves[2 * k]
            waves[2 * k] = c * cos - waves[2 * k + 1] * sin
            waves[2 * k + 1] = waves[2 * k + 1] * cos + c * sin
    plan[WAVE_TIME] = plan[TIME]


def deflect(plan: Sequence[float], e: int, y: Sequence[float]) -> None:
    """Deflection and rate of an element at a state; offsets are those of the last time they were found at."""
    n = int(plan[FREE])
    rows = numbers_at(int(plan[ROWS]))
    heads = view(numbers_at(int(plan[HEADS])), HEAD * e)
    u = 0.0
    v = 0.0
    if plan[MOVED] != 0.0:
        u = numbers_at(int(plan[OFFSET]))[e]
        v = numbers_at(int(plan[OFFSET_RATE]))[e]
    for i in range(int(heads[ROW_FROM]), int(heads[ROW_TO])):
        u += rows[n * e + i] * y[i]
        v += rows[n * e + i] * y[n + i]
    numbers_at(int(plan[U]))[e] = u
    numbers_at(int(plan[V]))[e] = v


def full_force(plan: Sequence[float], e: int, t: float, y: Sequence[float]) -> float:
    """The force of an element with all its factors."""
    head = view(numbers_at(int(plan[HEADS])), HEAD * e)
    f = head[FACTOR] * law_force(plan, e, y)
    at = int(head[MODULATION])
    return float(f * modulation(numbers_at(int(plan[MODULATIONS])), at, t) if at >= 0 else f)


def law_force(plan: Sequence[float], e: int, y: Sequence[float]) -> float:
    """The force of the law alone, at the deflection and rate found last."""
    heads = view(numbers_at(int(plan[HEADS])), HEAD * e)
    u = numbers_at(int(plan[U]))[e]
    v = numbers_at(int(plan[V]))[e]
    parameters = numbers_at(int(heads[PARAMETERS]))
    memory = view(numbers_at(int(plan[MEMORY])), int(heads[PLACE]))
    if heads[KIND] == BY_RATE:
        s = numbers_at(int(plan[DIRECTION]))[e]
        z = y[2 * int(plan[FREE]) + int(heads[STATE])]
        inner = int(heads[INNER_FORCE])
        if v * s >= 0.0:
            return call_function(inner, parameters, u, v, z, memory)
        # the part that is odd in v goes on as it was on the other side of v = 0
        at_rest = call_function(inner, parameters, u, 0.0, z, memory)
        return 2.0 * at_rest - call_function(inner, parameters, u, -v, z, memory)
    if heads[KIND] == PLAIN and heads[CORNERS] != 0.0:
        u = between_corners(plan, e, u)
    scratch = view(numbers_at(int(plan[SCRATCH])), int(heads[PLACE]))
    if heads[KIND] == CLOSED:
        size = int(heads[SIZE])
        if size < 0:
            size = stack_size(memory, 0)
        for i in range(size):
            scratch[i] = memory[i]
    return call_value(int(heads[VALUE]), parameters, u, v, scratch)


def between_corners(plan: Sequence[float], e: int, u: float) -> float:
    """A deflection kept on the piece on which the step began: at its end a force may jump (damped contact)."""
    s = numbers_at(int(plan[DIRECTION]))[e]
    dust = 1e-3 * ZERO * numbers_at(int(plan[U_SCALE]))[e]
    if s > 0.0:
        low = numbers_at(int(plan[BEHIND]))[e]
        high = numbers_at(int(plan[CORNER]))[e]
    elif s < 0.0:
        low = numbers_at(int(plan[CORNER]))[e]
        high = numbers_at(int(plan[BEHIND]))[e]
    else:
        return u
    return float(min(max(u, low + dust), high - dust))


def frozen_rate(plan: Sequence[float], e: int, z: float) -> float:
    """dz/dt with the direction of the step: beyond v = 0 the odd continuation."""
    heads = view(numbers_at(int(plan[HEADS])), HEAD * e)
    u = numbers_at(int(plan[U]))[e]
    v = numbers_at(int(plan[V]))[e]
    s = numbers_at(int(plan[DIRECTION]))[e]
    parameters = numbers_at(int(heads[PARAMETERS]))
    memory = view(numbers_at(int(plan[MEMORY])), int(heads[PLACE]))
    if v * s >= 0.0:
        return call_function(int(heads[RATE]), parameters, u, v, z, memory)
    return -call_function(int(heads[RATE]), parameters, u, -v, z, memory)


def book(plan: Sequence[float], t: float, y: Sequence[float], weight: float, doubt: float) -> None:
    """Add what each element absorbs, what loads and motions do and what matrices take, at a stage of this weight.

    ``doubt`` is its weight in the difference of the two orders.
    """
    n = int(plan[FREE])
    m = int(plan[ELEMENTS])
    total = numbers_at(int(plan[TRIAL_BOOK]))
    wrong = numbers_at(int(plan[BOOK_ERROR]))
    heads = numbers_at(int(plan[HEADS]))
    forces = numbers_at(int(plan[FORCE]))
    rates = numbers_at(int(plan[V]))
    pushed = numbers_at(int(plan[OFFSET_RATE]))
    along = numbers_at(int(plan[ALONG]))
    damping = numbers_at(int(plan[DAMPING]))
    stiffness = numbers_at(int(plan[STIFFNESS]))
    loads = numbers_at(int(plan[WORK]))
    forcing_at(numbers_at(int(plan[LOADS])), t, loads)
    done = 0.0
    taken = 0.0
    for i in range(n):
        done += loads[i] * y[n + i]
        for j in range(n):
            taken += y[n + i] * (damping[n * i + j] * y[n + j] + stiffness[n * i + j] * y[j])
    for e in range(m):
        if heads[HEAD * e + CONJUGATE] != 0.0:
            power = forces[e] * rates[e] / heads[HEAD * e + SHARE]
            done += forces[e] * pushed[e] / heads[HEAD * e + SHARE]
        else:
            power = 0.0
            for i in range(n):
                power += forces[e] * along[n * e + i] * y[n + i]
        total[e] += weight * power
        wrong[e] += doubt * power
    total[m] += weight * done
    wrong[m] += doubt * done
    total[m + 1] += weight * taken
    wrong[m + 1] += doubt * taken
