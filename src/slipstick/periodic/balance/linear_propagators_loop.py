"""Steps of uncoupled modes under forces that go straight from their start to their end; compiled.

Each mode q'' + d q' + s q = f has closed forms. Where its rate times the step is small these cancel, and a power series
takes their place.
"""

from __future__ import annotations

import math

from slipstick.native import Array, NativeRecord, view

SMALL_NORM, SERIES_TERMS = 0.5, 14  # below this rate times step, so many terms of a series are exact to rounding
SLOW_ROOT_REL = 1e-6  # of the fastest rate: where the slow root of a damped mode is below it, its closed form cancels


class ModalSteps(NativeRecord):
    """Steps of n modes with unit mass and m lines."""

    mode_count: int  # n
    line_count: int  # m
    step_count: int
    steps: Array  # (step_count,) [s]
    squares: Array  # (n,) stiffness over mass
    dampings: Array  # (n,) damping over mass
    along: Array  # (n, m) directions of the lines' forces
    response: Array  # (6,) of one mode, see `mode_response`
    flow: Array  # (step_count, 2n, 2n) out: displacements and rates behind a step by those before
    first: Array  # (step_count, 2n, m) out: what forces at its start add, which resist
    last: Array  # (step_count, 2n, m) out: what forces at its end add


def modal_steps(own: ModalSteps) -> int:
    """Fill flow, first and last; 0 where the closed form of a mode would cancel."""
    n = own.mode_count
    m = own.line_count
    response = own.response
    for k in range(own.step_count):
        flow = view(own.flow, 4 * k * n * n)
        first = view(own.first, 2 * k * n * m)
        last = view(own.last, 2 * k * n * m)
        for i in range(n):
            if not mode_response(own.squares[i], own.dampings[i], own.steps[k], response):
                return 0
            flow[i * 2 * n + i] = response[0] + 0.5 * own.dampings[i] * response[1]
            flow[i * 2 * n + n + i] = response[1]
            flow[(n + i) * 2 * n + i] = -own.squares[i] * response[1]
            flow[(n + i) * 2 * n + n + i] = response[0] - 0.5 * own.dampings[i] * response[1]
            for line in range(m):
                push = own.along[i * m + line]
                last[i * m + line] = -response[3] * push
                last[(n + i) * m + line] = -response[4] * push
                first[i * m + line] = -response[2] * push + response[3] * push
                first[(n + i) * m + line] = -response[1] * push + response[4] * push
    return 1


def mode_response(square: float, damping: float, t: float, out: Array) -> bool:
    """Decaying cosine; sine over its root; displacement under a force of one; displacement and rate under a force that
    grows to one. False where the closed form would cancel."""
    rate = math.sqrt(abs(square)) + abs(damping)
    short = rate * t < SMALL_NORM
    if not short and abs(square) * t <= SLOW_ROOT_REL * rate:
        return False
    free_response(square, 0.5 * damping, t, out)
    if short:
        series_response(square, damping, t, out)
        return True
    unit = 1.0 if square == 0.0 else square
    pushed = (1.0 - (out[0] + 0.5 * damping * out[1])) / unit
    out[2] = pushed
    out[3] = (t - out[1] - damping * pushed) / (unit * t)
    out[4] = pushed / t
    return True


def free_response(square: float, half: float, t: float, out: Array) -> None:
    """cos(root t) and sin(root t) / root times exp(-half t); of overdamped modes by their two decays, as cosh and sinh
    would overflow."""
    beyond = half * half - square
    root = math.sqrt(abs(beyond))
    if beyond < 0.0:
        fade = math.exp(-half * t)
        angle = root * t
        out[0] = fade * math.cos(angle)
        out[1] = fade * (t if angle == 0.0 else math.sin(angle) / root)
        return
    slow = 0.0 if half + root == 0.0 else -square / (half + root)
    fade = math.exp(slow * t)
    out[0] = fade * 0.5 * (1.0 + math.exp(-2.0 * root * t))
    out[1] = fade * (t if root == 0.0 else -math.expm1(-2.0 * root * t) / (2.0 * root))


def series_response(square: float, damping: float, t: float, out: Array) -> None:
    """The last three numbers of `mode_response` by power series."""
    pushed = 0.5 * t * t
    ramp = t * t / 6.0
    ramp_rate = 0.5 * t
    before = 0.0
    term = 0.5
    power = t
    for j in range(SERIES_TERMS):
        k = j + 2
        new = -(k * damping * term + square * before) / ((k + 1) * k)
        before = term
        term = new
        power *= t
        ramp_rate += term * power
        pushed += term * power * t
        ramp += term * power * t / (k + 2)
    out[2] = pushed
    out[3] = ramp
    out[4] = ramp_rate
