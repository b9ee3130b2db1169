"""The same models as one writes them by hand for SciPy and CVODE: an equation for each state, restarted at each event.

What an experienced user would do is done: plain Python floats on the right-hand side, the Jacobian given, each event
function watched in one direction only, absolute tolerances of the size of the motion times the relative one.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy.integrate import solve_ivp

import slipstick as ss

State = list[float]

FIRST_STEP = 1e-7  # [s] of CVODE: fastest of 1e-5, 1e-6, 1e-7 and its own choice, which is so short that it complains


class Watch(NamedTuple):
    """An event: the function whose zero it is, the direction of its crossing, and what comes after it."""

    function: Callable[[float, Any], float]
    direction: int
    after: Callable[[float, State], tuple[State, Phase]]


class Phase(NamedTuple):
    """One state of the model. jacobian : (n, n), or None where it is not constant.  longest : of a step [s]."""

    rate: Callable[[float, Any], State]
    watches: tuple[Watch, ...]
    jacobian: Any = None
    longest: float = math.inf


class Ended(NamedTuple):
    state: np.ndarray
    events: int


def by_scipy(
    phase: Phase, until: float, y: State, method: str, rtol: float, atol: Sequence[float], start: float = 0.0
) -> Ended:
    """`solve_ivp` up to the first event, and again from there."""
    t, events = start, 0
    while True:
        functions = [_terminal(watch) for watch in phase.watches]
        given = {"jac": lambda t, y, j=phase.jacobian: j} if method == "LSODA" and phase.jacobian is not None else {}
        found = solve_ivp(
            phase.rate, (t, until), y, method=method, rtol=rtol, atol=atol, events=functions, max_step=phase.longest,
            **given,
        )  # fmt: skip
        if found.status != 1:
            return Ended(found.y[:, -1], events)
        t = float(found.t[-1])
        hit = next(k for k, times in enumerate(found.t_events) if times.size)
        y, phase = phase.watches[hit].after(t, found.y[:, -1].tolist())
        events += 1


def _terminal(watch: Watch) -> Any:
    def event(t: float, y: Any) -> float:
        return watch.function(t, y)

    event.terminal, event.direction = True, watch.direction  # type: ignore[attr-defined]
    return event


def by_cvode(phase: Phase, until: float, y: State, rtol: float, atol: Sequence[float]) -> Ended:
    """CVODE (scikit-sundae, BDF) with its own root finding, and again from there."""
    from sksundae.cvode import CVODE

    t, events = 0.0, 0
    while True:
        solver = CVODE(
            _filling(phase.rate), jacfn=_jacobian(phase), eventsfn=_roots(phase), num_events=len(phase.watches),
            rtol=rtol, atol=np.array(atol), first_step=FIRST_STEP, max_num_steps=1_000_000,
        )  # fmt: skip
        found = solver.solve(np.array([t, until]), np.array(y))
        if found.t_events is None or not len(found.t_events):
            return Ended(np.asarray(found.y[-1]), events)
        t = float(found.t_events[-1])
        hit = int(np.flatnonzero(found.i_events[-1])[0])
        y, phase = phase.watches[hit].after(t, np.asarray(found.y_events[-1]).tolist())
        events += 1


def _filling(rate: Callable[[float, Any], State]) -> Any:
    def filled(t: float, y: Any, yp: Any) -> None:
        yp[:] = rate(t, y.tolist())

    return filled


def _roots(phase: Phase) -> Any:
    functions = [watch.function for watch in phase.watches]

    def roots(t: float, y: Any, values: Any) -> None:
        for k, function in enumerate(functions):
            values[k] = function(t, y)

    roots.terminal = [True] * len(functions)  # type: ignore[attr-defined]
    roots.direction = [watch.direction for watch in phase.watches]  # type: ignore[attr-defined]
    return roots


def _jacobian(phase: Phase) -> Any:
    if phase.jacobian is None:
        return None

    def jacobian(t: float, y: Any, yp: Any, out: Any) -> None:
        out[:] = phase.jacobian

    return jacobian


# ---- the tensioner: u1, u2, v1, v2; with a modified Dahl law also its force


def masing_tensioner(model: ss.Model) -> tuple[Phase, State]:
    """`slipstick.systems.tensioner()` in the slider's states stick, slip up, slip down; it begins in stick."""
    (m1, m2), (belt, arm) = (c.inertia for c in model.coordinates), (c.law for c in model.connections)
    k, limit = arm.stiffness, arm.limit
    load, omega = _shaker(model)
    weight1, weight2 = _weights(model)

    def phase(own: float, pull: float, watches: tuple[Watch, ...]) -> Phase:
        """The slider adds own u2 + pull to the tensioner's force."""
        held, c0, f0 = arm.parallel_stiffness + own, arm.damping, arm.preload + pull
        kb, cb, t0 = belt.stiffness, belt.damping, belt.preload

        def rate(t: float, y: Any) -> State:
            u1, u2, v1, v2 = y
            tension = kb * (u1 - u2) + cb * (v1 - v2) + t0
            return [
                v1,
                v2,
                (load * math.cos(omega * t) + weight1 - tension) / m1,
                (tension - held * u2 - c0 * v2 - f0 + weight2) / m2,
            ]

        stiffness = np.array([[kb / m1, -kb / m1], [-kb / m2, (kb + held) / m2]])
        damping = np.array([[cb / m1, -cb / m1], [-cb / m2, (cb + c0) / m2]])
        return Phase(rate, watches, np.block([[np.zeros((2, 2)), np.eye(2)], [-stiffness, -damping]]))

    def stick(at: float) -> Phase:
        """The slider stands at deflection ``at``."""
        above, below = at + limit / k, at - limit / k
        up = Watch(lambda t, y: y[1] - above, 1, lambda t, y: (y, slip(1)))
        down = Watch(lambda t, y: y[1] - below, -1, lambda t, y: (y, slip(-1)))
        return phase(k, -k * at, (up, down))

    def slip(s: int) -> Phase:
        def reversed_(t: float, y: State) -> tuple[State, Phase]:
            y[3] = 0.0
            return y, stick(y[1] - s * limit / k)

        return phase(0.0, s * limit, (Watch(lambda t, y: y[3], -s, reversed_),))

    return stick(0.0), [0.0] * 4


def dahl_tensioner(model: ss.Model) -> tuple[Phase, State]:
    """`slipstick.systems.tensioner("modified-dahl")` with a state for each direction of the rate."""
    (m1, m2), (belt, arm) = (c.inertia for c in model.coordinates), (c.law for c in model.connections)
    load, omega = _shaker(model)
    weight1, weight2 = _weights(model)
    kb, cb, t0 = belt.stiffness, belt.damping, belt.preload
    rate_, mu = arm.rate, arm.exponent

    def phase(s: int) -> Phase:
        h0, h1 = arm.upper if s > 0 else arm.lower

        def rate(t: float, y: Any) -> State:
            u1, u2, v1, v2, force = y
            tension = kb * (u1 - u2) + cb * (v1 - v2) + t0
            inside = s * (h0 + h1 * u2 - force)
            return [
                v1,
                v2,
                (load * math.cos(omega * t) + weight1 - tension) / m1,
                (tension - force + weight2) / m2,
                rate_ * math.copysign(abs(inside) ** mu, inside) * v2,
            ]

        return Phase(rate, (Watch(lambda t, y: y[3], -s, lambda t, y: ([*y[:3], 0.0, y[4]], phase(-s))),))

    force = arm.midway(0.0)
    first = belt.preload - force + weight2  # at rest: which way it goes
    return phase(1 if first > 0.0 else -1), [0.0, 0.0, 0.0, 0.0, force]


def _shaker(model: ss.Model) -> tuple[float, float]:
    """Amplitude and frequency of the cosine on u1."""
    ((omega, amplitude, sine),) = model.loads[0].function.harmonics_at(model.frequency)
    assert (sine, model.loads[0].function.parts().constant) == (0.0, 0.0)
    return amplitude, omega


def _weights(model: ss.Model) -> tuple[float, float]:
    return tuple(load.function.parts().constant for load in model.loads[1:])  # type: ignore[return-value]


# ---- the stick-slip block: x, v


def stick_slip_block(k: float, c: float, limit: float, omega: float) -> tuple[Phase, State]:
    """Unit mass under sin(omega t), from rest at x = 0."""

    def slip(s: int) -> Phase:
        def rate(t: float, y: Any) -> State:
            x, v = y
            return [v, math.sin(omega * t) - k * x - c * v - s * limit]

        return Phase(rate, (Watch(lambda t, y: y[1], -s, stopped),), np.array([[0.0, 1.0], [-k, -c]]))

    def stopped(t: float, y: State) -> tuple[State, Phase]:
        """At rest: it stays if the force does not reach the limit."""
        pull = math.sin(omega * t) - k * y[0]
        return [y[0], 0.0], stick(y[0]) if abs(pull) <= limit else slip(1 if pull > 0.0 else -1)

    def stick(x: float) -> Phase:
        up = Watch(lambda t, y: math.sin(omega * t) - k * x - limit, 1, lambda t, y: (y, slip(1)))
        down = Watch(lambda t, y: math.sin(omega * t) - k * x + limit, -1, lambda t, y: (y, slip(-1)))
        # nothing moves, so nothing but this keeps the solver from stepping over an event
        return Phase(lambda t, y: [0.0, 0.0], (up, down), np.zeros((2, 2)), longest=0.25 * math.pi / omega)

    return stick(0.0), [0.0, 0.0]
