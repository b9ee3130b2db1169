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
from slipstick.transient.adaptive import places as at
from slipstick.transient.forcing import add_wave, forcing_at, frequency_of, has_signals, straight_at, wave_count

SMALL_TURN = 0.25  # rad: up to here a cosine is found by a short series
ANEW = 32  # steps over which cosines are turned on before they are found by themselves again


def derivative(plan: Sequence[float], t: float, y: Sequence[float], dy: Buffer) -> None:
    """dy/dt of (q, v, inner states) at time t; deflections, rates and forces of the elements are left in the plan."""
    n = int(plan[at.FREE])
    m = int(plan[at.ELEMENTS])
    linear = numbers_at(int(plan[at.LINEAR]))
    response = numbers_at(int(plan[at.RESPONSE]))
    heads = numbers_at(int(plan[at.HEADS]))
    forces = numbers_at(int(plan[at.FORCE]))
    pushes(plan, t, view(dy, n))
    for i in range(n):
        dy[i] = y[n + i]
        a = dy[n + i]
        for j in range(2 * n):
            a += linear[2 * n * i + j] * y[j]
        dy[n + i] = a
    offsets_at(plan, t)
    for e in range(m):
        head = view(heads, at.HEAD * e)
        kind = int(head[at.KIND])
        if kind != at.FOLDED or plan[at.LEDGER] != 0.0:
            deflect(plan, e, y)
            force = full_force(plan, e, t, y)
            forces[e] = force
            if kind == at.BY_RATE:
                state = int(head[at.STATE])
                dy[2 * n + state] = frozen_rate(plan, e, y[2 * n + state])
            if kind != at.FOLDED:
                for i in range(int(head[at.PUSH_FROM]), int(head[at.PUSH_TO])):
                    dy[n + i] += response[m * i + e] * force


def offsets_at(plan: Sequence[float], t: float) -> None:
    """What motions add to deflections and rates at time t."""
    if plan[at.MOVED] != 0.0:
        forcing_at(numbers_at(int(plan[at.OFFSETS])), t, numbers_at(int(plan[at.OFFSET])))
        forcing_at(numbers_at(int(plan[at.OFFSET_RATES])), t, numbers_at(int(plan[at.OFFSET_RATE])))


def pushes(plan: Sequence[float], t: float, out: Buffer) -> None:
    """The accelerations that loads and motions give: `forcing_at`, with cosines turned on from those of the step."""
    numbers = numbers_at(int(plan[at.FORCING]))
    if has_signals(numbers):
        forcing_at(numbers, t, out)
        return
    waves = numbers_at(int(plan[at.WAVES]))
    straight_at(numbers, t, out)
    for k in range(wave_count(numbers)):
        omega = frequency_of(numbers, k)
        x = omega * (t - plan[at.WAVE_TIME])
        if abs(x) < SMALL_TURN:
            cos, sin = small_turn(x)
            c = waves[2 * k] * cos - waves[2 * k + 1] * sin
            s = waves[2 * k + 1] * cos + waves[2 * k] * sin
        else:
            c = math.cos(omega * t)
            s = math.sin(omega * t)
        add_wave(numbers, k, c, s, out)


def small_turn(x: float) -> tuple[float, float]:
    """cos x and sin x for |x| < SMALL_TURN: a short series is exact to rounding, and a third of the cost."""
    w = x * x
    turn = w * (1 / 24 - w * (1 / 720 - w * (1 / 40320 - w * (1 / 3628800 - w / 479001600))))
    sin = x * (1.0 - w * (1 / 6 - w * (1 / 120 - w * (1 / 5040 - w * (1 / 362880 - w / 39916800)))))
    return 1.0 - w * 0.5 + w * turn, sin


def set_waves(plan: Buffer) -> None:
    """Find the cosines of loads at the beginning of a step: turned on from the last, now and then by themselves."""
    numbers = numbers_at(int(plan[at.FORCING]))
    waves = numbers_at(int(plan[at.WAVES]))
    anew = int(plan[at.ACCEPTED]) % ANEW == 0
    for k in range(wave_count(numbers)):
        omega = frequency_of(numbers, k)
        x = omega * (plan[at.TIME] - plan[at.WAVE_TIME])
        if anew or abs(x) >= SMALL_TURN:
            waves[2 * k] = math.cos(omega * plan[at.TIME])
            waves[2 * k + 1] = math.sin(omega * plan[at.TIME])
        else:
            cos, sin = small_turn(x)
            c = waves[2 * k]
            waves[2 * k] = c * cos - waves[2 * k + 1] * sin
            waves[2 * k + 1] = waves[2 * k + 1] * cos + c * sin
    plan[at.WAVE_TIME] = plan[at.TIME]


def deflect(plan: Sequence[float], e: int, y: Sequence[float]) -> None:
    """Deflection and rate of an element at a state; offsets are those of the last time they were found at."""
    n = int(plan[at.FREE])
    rows = numbers_at(int(plan[at.ROWS]))
    heads = view(numbers_at(int(plan[at.HEADS])), at.HEAD * e)
    u = 0.0
    v = 0.0
    if plan[at.MOVED] != 0.0:
        u = numbers_at(int(plan[at.OFFSET]))[e]
        v = numbers_at(int(plan[at.OFFSET_RATE]))[e]
    for i in range(int(heads[at.ROW_FROM]), int(heads[at.ROW_TO])):
        u += rows[n * e + i] * y[i]
        v += rows[n * e + i] * y[n + i]
    numbers_at(int(plan[at.U]))[e] = u
    numbers_at(int(plan[at.V]))[e] = v


def full_force(plan: Sequence[float], e: int, t: float, y: Sequence[float]) -> float:
    """The force of an element with all its factors."""
    head = view(numbers_at(int(plan[at.HEADS])), at.HEAD * e)
    f = head[at.FACTOR] * law_force(plan, e, y)
    here = int(head[at.MODULATION])
    return float(f * modulation(numbers_at(int(plan[at.MODULATIONS])), here, t) if here >= 0 else f)


def law_force(plan: Sequence[float], e: int, y: Sequence[float]) -> float:
    """The force of the law alone, at the deflection and rate found last."""
    heads = view(numbers_at(int(plan[at.HEADS])), at.HEAD * e)
    u = numbers_at(int(plan[at.U]))[e]
    v = numbers_at(int(plan[at.V]))[e]
    parameters = numbers_at(int(heads[at.PARAMETERS]))
    memory = view(numbers_at(int(plan[at.MEMORY])), int(heads[at.PLACE]))
    if heads[at.KIND] == at.BY_RATE:
        s = numbers_at(int(plan[at.DIRECTION]))[e]
        z = y[2 * int(plan[at.FREE]) + int(heads[at.STATE])]
        inner = int(heads[at.INNER_FORCE])
        if v * s >= 0.0:
            return call_function(inner, parameters, u, v, z, memory)
        # the part that is odd in v goes on as it was on the other side of v = 0
        at_rest = call_function(inner, parameters, u, 0.0, z, memory)
        return 2.0 * at_rest - call_function(inner, parameters, u, -v, z, memory)
    if heads[at.KIND] == at.PLAIN and heads[at.CORNERS] != 0.0:
        u = between_corners(plan, e, u)
    scratch = view(numbers_at(int(plan[at.SCRATCH])), int(heads[at.PLACE]))
    if heads[at.KIND] == at.CLOSED:
        size = int(heads[at.SIZE])
        if size < 0:
            size = stack_size(memory, 0)
        for i in range(size):
            scratch[i] = memory[i]
    return call_value(int(heads[at.VALUE]), parameters, u, v, scratch)


def between_corners(plan: Sequence[float], e: int, u: float) -> float:
    """A deflection kept on the piece on which the step began: at its end a force may jump (damped contact)."""
    s = numbers_at(int(plan[at.DIRECTION]))[e]
    dust = 1e-3 * at.ZERO * numbers_at(int(plan[at.U_SCALE]))[e]
    if s > 0.0:
        low = numbers_at(int(plan[at.BEHIND]))[e]
        high = numbers_at(int(plan[at.CORNER]))[e]
    elif s < 0.0:
        low = numbers_at(int(plan[at.CORNER]))[e]
        high = numbers_at(int(plan[at.BEHIND]))[e]
    else:
        return u
    return float(min(max(u, low + dust), high - dust))


def frozen_rate(plan: Sequence[float], e: int, z: float) -> float:
    """dz/dt with the direction of the step: beyond v = 0 the odd continuation."""
    heads = view(numbers_at(int(plan[at.HEADS])), at.HEAD * e)
    u = numbers_at(int(plan[at.U]))[e]
    v = numbers_at(int(plan[at.V]))[e]
    s = numbers_at(int(plan[at.DIRECTION]))[e]
    parameters = numbers_at(int(heads[at.PARAMETERS]))
    memory = view(numbers_at(int(plan[at.MEMORY])), int(heads[at.PLACE]))
    if v * s >= 0.0:
        return call_function(int(heads[at.RATE]), parameters, u, v, z, memory)
    return -call_function(int(heads[at.RATE]), parameters, u, -v, z, memory)


def book(plan: Sequence[float], t: float, y: Sequence[float], weight: float, doubt: float) -> None:
    """Add what each element absorbs, what loads and motions do and what matrices take, at a stage of this weight.

    ``doubt`` is its weight in the difference of the two orders.
    """
    n = int(plan[at.FREE])
    m = int(plan[at.ELEMENTS])
    total = numbers_at(int(plan[at.TRIAL_BOOK]))
    wrong = numbers_at(int(plan[at.BOOK_ERROR]))
    heads = numbers_at(int(plan[at.HEADS]))
    forces = numbers_at(int(plan[at.FORCE]))
    rates = numbers_at(int(plan[at.V]))
    pushed = numbers_at(int(plan[at.OFFSET_RATE]))
    along = numbers_at(int(plan[at.ALONG]))
    damping = numbers_at(int(plan[at.DAMPING]))
    stiffness = numbers_at(int(plan[at.STIFFNESS]))
    loads = numbers_at(int(plan[at.WORK]))
    forcing_at(numbers_at(int(plan[at.LOADS])), t, loads)
    done = 0.0
    taken = 0.0
    for i in range(n):
        done += loads[i] * y[n + i]
        for j in range(n):
            taken += y[n + i] * (damping[n * i + j] * y[n + j] + stiffness[n * i + j] * y[j])
    for e in range(m):
        if heads[at.HEAD * e + at.CONJUGATE] != 0.0:
            power = forces[e] * rates[e] / heads[at.HEAD * e + at.SHARE]
            done += forces[e] * pushed[e] / heads[at.HEAD * e + at.SHARE]
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
