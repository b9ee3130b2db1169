"""Set-valued friction beside a curved spring: events beside SciPy's LSODA with events written by hand.

Both are judged at the end of the run by DOP853 at 2e-14, mode by mode. The peer's tolerance is the loosest power of ten
at which its true error is at most ours. All times are CPU time.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from scipy.integrate import solve_ivp
from timing import Sheet
from transient import timed

import slipstick as ss

State = np.ndarray
UNTIL = 100.0
STATIC, SLIDING, STRIBECK, BELT = 1.0, 0.5, 0.3, 0.4
LIMIT, LOAD, OMEGA = 0.4, 0.8, 0.7


class Peer:
    """One mass: rest on a support of constant speed, or slip, each until its event.

    spring, load : functions of displacement and time.   slide : sliding force over the relative speed.
    """

    def __init__(self, spring: Callable, load: Callable, slide: Callable, static: float, speed: float) -> None:
        self.spring, self.load, self.slide, self.static, self.speed = spring, load, slide, static, speed

    def push(self, t: float, x: float) -> float:
        return self.load(t) - self.spring(x)

    def run(self, state: State, **options: Any) -> State:
        """The state at the end."""
        t, y, side = 0.0, state, 0.0
        while t < UNTIL:
            if side == 0.0:
                side = np.sign(self.push(t, y[0])) if abs(self.push(t, y[0])) > self.static else 0.0
            t, y = self._phase(t, y, side, options)
            # at rest again, or just broken loose in the direction of the push
            side = float(np.sign(self.push(t, y[0]))) if side == 0.0 else self._after(t, y)
        return y

    def _after(self, t: float, y: State) -> float:
        push = self.push(t, y[0])
        return 0.0 if abs(push) <= self.static else float(np.sign(push))

    def _phase(self, t: float, y: State, side: float, options: dict[str, Any]) -> tuple[float, State]:
        def sticks(_: float, __: State) -> list[float]:
            return [self.speed, 0.0]

        def slips(now: float, state: State) -> list[float]:
            return [state[1], self.push(now, state[0]) - side * self.slide(abs(state[1] - self.speed))]

        def released(now: float, state: State) -> float:
            return abs(self.push(now, state[0])) - self.static

        def stopped(_: float, state: State) -> float:
            return side * (state[1] - self.speed)

        event = released if side == 0.0 else stopped
        event.terminal, event.direction = True, 1.0 if side == 0.0 else -1.0  # type: ignore[attr-defined]
        run = solve_ivp(sticks if side == 0.0 else slips, (t, UNTIL), y, events=event, **options)
        end = run.y[:, -1].copy()
        if run.status == 1:
            end[1] = self.speed
        return float(run.t[-1]), end


def belt() -> tuple[ss.Model, Peer, State]:
    """A mass on a belt, linear spring, Stribeck friction."""
    m = ss.Model("belt")
    x, b = m.coordinate("x", inertia=1.0, velocity=BELT), m.coordinate("belt", motion=ss.Ramp(BELT))
    m.connect(x, ss.Linear(stiffness=1.0))
    m.connect(x - b, ss.DryFriction(limit=SLIDING, static_limit=STATIC, stribeck_velocity=STRIBECK))
    peer = Peer(
        lambda x: x,
        lambda _: 0.0,
        lambda v: SLIDING + (STATIC - SLIDING) * np.exp(-((v / STRIBECK) ** 2)),
        STATIC,
        BELT,
    )
    return m, peer, np.array([0.0, BELT])


def block() -> tuple[ss.Model, Peer, State]:
    """A block on a cubic spring, driven, that sticks and slips."""
    m = ss.Model("block")
    x = m.coordinate("x", inertia=1.0)
    m.connect(x, ss.Polynomial(coefficients=(0.0, 0.5, 0.0, 1.0)))
    m.connect(x, ss.DryFriction(limit=LIMIT))
    m.load(x, ss.Sine(LOAD, frequency=OMEGA))
    peer = Peer(lambda x: 0.5 * x + x**3, lambda t: LOAD * np.sin(OMEGA * t), lambda _: LIMIT, LIMIT, 0.0)
    return m, peer, np.zeros(2)


def friction() -> None:
    """100 s of each model at two tolerances."""
    for name, make in (("belt oscillator, Stribeck", belt), ("stick-slip block, cubic spring", block)):
        m, peer, start = make()
        judge = peer.run(start, method="DOP853", rtol=2.3e-14, atol=1e-15)
        sheet = Sheet(f"{name}, {UNTIL:g} s", ("", "ms", "events", "error", "times slower"))
        for tolerance in (1e-7, 1e-9):
            call = partial(m.simulate, UNTIL, method="events", tolerance=tolerance, samples=0)
            call()  # compiles
            ours, run = timed(call, 20)
            error = abs(run.samples.displacement[-1, 0] - judge[0])
            sheet.row(f"events at {tolerance:g}", f"{1e3 * ours:.2f}", str(run.stats.events), f"{error:.1e}", "")
            for power in range(5, 13):
                rtol = 10.0**-power
                theirs, end = timed(partial(peer.run, start, method="LSODA", rtol=rtol, atol=1e-2 * rtol), 1)
                if abs(end[0] - judge[0]) <= error or power == 12:
                    break
            found = f"{abs(end[0] - judge[0]):.1e}"
            sheet.row(
                f"LSODA of this error or less, {tolerance:g}", f"{1e3 * theirs:.0f}", "", found, f"{theirs / ours:.0f}"
            )
        sheet.close("judged by DOP853 with the same events")


TABLES = {"friction": friction}
