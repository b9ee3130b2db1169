"""An oblique oscillator that sticks, slips and lifts off, against a run from event to event in 30 digits.

In each state the motion is linear: with the waves of the loads as states, y' = A y. A step is a Taylor series, and a
guard, a row times y, is a polynomial on it, whose root is found by bisection.
"""

from __future__ import annotations

import mpmath as mp
import numpy as np
import pytest

import slipstick as ss

MASS, SPRING, DAMPER = (1.0, 0.5), (60.0, 90.0), (0.4, 0.6)
LOADS = ((3.0, 7.0, 0.0), (2.0, 11.0, 1.0))  # size, frequency, phase of sines on x and z
KN, KT, MU, PRELOAD, TILT = 400.0, 250.0, 0.9, 0.8, 0.3
STEP, TERMS, DIGITS = 0.02, 36, 30
SIGN = {"slip+": 1.0, "slip-": -1.0}
SIZE = 10  # x, z, their rates, the slider, 1, and cosine and sine of both loads


def oblique():
    m = ss.Model("oblique")
    q = [m.coordinate(name, inertia=mass) for name, mass in zip("xz", MASS, strict=True)]
    for own, k, c, (size, omega, phase) in zip(q, SPRING, DAMPER, LOADS, strict=True):
        m.connect(own, ss.Linear(stiffness=k, damping=c))
        m.load(own, ss.Sine(size, frequency=omega, phase=phase))
    law = ss.FrictionContact(normal_stiffness=KN, tangential_stiffness=KT, friction=MU, preload=PRELOAD)
    m.connect((q[0], q[1] + TILT * q[0]), law, name="pad")
    return m


def row(**parts):
    names = ("x", "z", "vx", "vz", "s", "one", "c0", "s0", "c1", "s1")
    return mp.matrix([[mp.mpf(parts.get(name, 0.0)) for name in names]])


NORMAL = {"x": KN * TILT, "z": KN, "one": PRELOAD}


def forces(state):
    """Rows of the tangential and the normal force."""
    if state == "apart":
        return row(), row()
    tangential = row(x=KT, s=-KT) if state == "stick" else SIGN[state] * mp.mpf(MU) * row(**NORMAL)
    return tangential, row(**NORMAL)


def rates(state):
    """A of y' = A y."""
    tangential, normal = forces(state)
    a = mp.zeros(SIZE)
    a[0, :], a[1, :] = row(vx=1.0), row(vz=1.0)
    push = [
        row(**{f"s{i}": size * mp.cos(phase), f"c{i}": size * mp.sin(phase)})
        for i, (size, _, phase) in enumerate(LOADS)
    ]
    a[2, :] = (push[0] - row(x=SPRING[0], vx=DAMPER[0]) - tangential - mp.mpf(TILT) * normal) / mp.mpf(MASS[0])
    a[3, :] = (push[1] - row(z=SPRING[1], vz=DAMPER[1]) - normal) / mp.mpf(MASS[1])
    a[4, :] = slider_rate(state)
    for i, (_, omega, _) in enumerate(LOADS):
        a[6 + 2 * i, 7 + 2 * i], a[7 + 2 * i, 6 + 2 * i] = -mp.mpf(omega), mp.mpf(omega)
    return a


def slider_rate(state):
    if state == "stick":
        return row()
    share = SIGN.get(state, 0.0) * mp.mpf(MU) * KN / KT
    return row(vx=1.0) - share * row(vx=TILT, vz=1.0)


def guards(state):
    """Rows that are positive in a state, with the state behind each."""
    normal = row(**NORMAL)
    if state == "apart":
        return [(-normal, "closes")]
    if state == "stick":
        held = row(x=KT, s=-KT)
        return [(normal, "apart"), (MU * normal - held, "slip+"), (MU * normal + held, "slip-")]
    return [(normal, "apart"), (SIGN[state] * slider_rate(state), "stick")]


def value(coefficients, t):
    return mp.polyval(coefficients[::-1], t)


def first_root(coefficients, step):
    """Where a guard falls below zero within a step; None where it does not."""
    if value(coefficients, step) >= 0:
        return None
    low, high = mp.mpf(0), mp.mpf(step)
    for _ in range(95):
        middle = (low + high) / 2
        low, high = (middle, high) if value(coefficients, middle) > 0 else (low, middle)
    return high


def own_run(until):
    """x, z at the ends of steps, and (time, state) of events."""
    y = mp.matrix([0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 0.0, 1.0, 0.0])
    time, state, found, events = mp.mpf(0), "stick", [], []
    tables = {name: rates(name) for name in ("stick", "slip+", "slip-", "apart")}
    wanted = [mp.mpf(k) * STEP for k in range(1, round(until / STEP) + 1)]
    for end in wanted:
        while time < end:
            series = [y]
            for k in range(1, TERMS):
                series.append(tables[state] * series[-1] / k)
            step, after = end - time, None
            for guard, other in guards(state):
                root = first_root([(guard * part)[0] for part in series], step)
                if root is not None:
                    step, after = root, other
            y = sum((part * step**k for k, part in enumerate(series)), mp.zeros(SIZE, 1))
            time += step
            if after is not None:
                state = behind(after, y)
                if state in ("stick", "slip+", "slip-") and after == "closes":
                    y[4] = y[0]
                events.append((float(time), state))
        found.append((float(y[0]), float(y[1])))
    return np.array(found), events


def behind(after, y):
    """Where contact is made, it sticks if it moves more slowly than the limit grows."""
    if after != "closes":
        return after
    growth = MU * KN * (y[3] + TILT * y[2])
    return "stick" if KT * abs(y[2]) <= growth else "slip+" if y[2] > 0 else "slip-"


@pytest.mark.parametrize("until", [1.0, pytest.param(8.0, marks=pytest.mark.long)])
def test_stick_slip_and_lift_off_agree_to_a_billionth(until):
    with mp.workdps(DIGITS):
        motion, events = own_run(until)
    run = oblique().simulate(until=until, method="exact", samples=round(until / STEP) + 1)
    apart = np.abs(run.data["displacement"].values[1:] - motion).max()
    own = run.events.to_pandas()
    own = own[own["connection"] == "pad.tangential"]
    assert {state for _, state in events} == {"stick", "slip+", "slip-", "apart"}
    assert len(own) == len(events)
    np.testing.assert_allclose(own["time"].to_numpy(), [time for time, _ in events], rtol=0.0, atol=1e-9)
    assert apart < 1e-9 * np.abs(motion).max()
