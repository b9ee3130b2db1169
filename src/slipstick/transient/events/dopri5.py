"""One step of Dormand and Prince's pair of orders 5 and 4, with its interpolant of order 4; compiled.

Dormand, Prince, J. Comput. Appl. Math. 6 (1980) 19; interpolant: Hairer, Norsett, Wanner, Solving ODEs I, II.6.
"""

from __future__ import annotations

import math

from slipstick.native import Array, view
from slipstick.transient.events.contacts import watch_releases
from slipstick.transient.events.equations import add_energy, derivative
from slipstick.transient.events.records import Integration
from slipstick.transient.events.tolerances import DIVERGED_KINETIC, LEAST_MOTION, SMALL_PART


def attempt(run: Integration, h: float) -> float:
    """Stages 2 to 7 and the state after a step h; returns its error over the allowed one."""
    end = run.step_end
    n = run.coordinate_count
    size = 2 * n + run.inner_count
    t = run.time
    y = run.y
    new = run.y_end
    k1 = run.stages
    k2 = view(k1, size)
    k3 = view(k1, 2 * size)
    k4 = view(k1, 3 * size)
    k5 = view(k1, 4 * size)
    k6 = view(k1, 5 * size)
    k7 = view(k1, 6 * size)
    booked = run.track_energy
    watch_releases(run)
    if booked:
        begin_energy(run, y, k1, h)
    for i in range(size):
        new[i] = y[i] + h * 0.2 * k1[i]
    derivative(run, t + 0.2 * h, new, k2)
    for i in range(size):
        new[i] = y[i] + h * (0.075 * k1[i] + 0.225 * k2[i])
    derivative(run, t + 0.3 * h, new, k3)
    if booked:
        add_energy(run, t + 0.3 * h, new, h * 500 / 1113, -h * 71 / 16695)
    for i in range(size):
        new[i] = y[i] + h * (44 / 45 * k1[i] - 56 / 15 * k2[i] + 32 / 9 * k3[i])
    derivative(run, t + 0.8 * h, new, k4)
    if booked:
        add_energy(run, t + 0.8 * h, new, h * 125 / 192, h * 71 / 1920)
    for i in range(size):
        d = 19372 / 6561 * k1[i] - 25360 / 2187 * k2[i] + 64448 / 6561 * k3[i] - 212 / 729 * k4[i]
        new[i] = y[i] + h * d
    derivative(run, t + 8 / 9 * h, new, k5)
    if booked:
        add_energy(run, t + 8 / 9 * h, new, -h * 2187 / 6784, -h * 17253 / 339200)
    for i in range(size):
        d = 9017 / 3168 * k1[i] - 355 / 33 * k2[i] + 46732 / 5247 * k3[i] + 49 / 176 * k4[i] - 5103 / 18656 * k5[i]
        new[i] = y[i] + h * d
    derivative(run, end, new, k6)
    if booked:
        add_energy(run, end, new, h * 11 / 84, h * 22 / 525)
    for i in range(size):
        d = 35 / 384 * k1[i] + 500 / 1113 * k3[i] + 125 / 192 * k4[i] - 2187 / 6784 * k5[i] + 11 / 84 * k6[i]
        new[i] = y[i] + h * d
    derivative(run, end, new, k7)
    if booked:
        add_energy(run, end, new, 0.0, -h / 40)
    run.trial_at_end = True
    error = error_of(run, h)
    if booked:
        error = max(error, energy_error_ratio(run))
    return error


def begin_energy(run: Integration, y: Array, k1: Array, h: float) -> None:
    """Start the energy sums of a step with its first stage."""
    m = run.element_count
    trial = run.step_energy
    wrong = run.energy_error
    for e in range(m + 2):
        trial[e] = 0.0
        wrong[e] = 0.0
    derivative(run, run.time, y, k1)
    add_energy(run, run.time, y, h * 35 / 384, h * 71 / 57600)


def error_of(run: Integration, h: float) -> float:
    """The largest error of the step over the allowed one; NaN if any number is NaN."""
    n = run.coordinate_count
    size = 2 * n + run.inner_count
    y = run.y
    new = run.y_end
    k1 = run.stages
    scale = run.scale
    mass = run.mass
    rise = SMALL_PART * math.sqrt(most_kinetic(run))
    largest = 0.0
    for i in range(size):
        d = 71 / 57600 * k1[i] - 71 / 16695 * k1[2 * size + i] + 71 / 1920 * k1[3 * size + i]
        d += -17253 / 339200 * k1[4 * size + i] + 22 / 525 * k1[5 * size + i] - k1[6 * size + i] / 40
        own = max(max(scale[i], abs(new[i])), abs(y[i]))
        if i < n:  # avoids 0/0 for coordinates that hardly move within the step
            own = max(own, h * max(scale[n + i], rise / math.sqrt(mass[i])))
        elif i < 2 * n:
            own = max(own, rise / math.sqrt(mass[i - n]))
        else:
            own = max(own, h * abs(k1[i]))
        error = abs(h * d) / (run.tolerance * own + 1e-300)
        if not error <= largest:
            largest = error
    return largest


def most_kinetic(run: Integration) -> float:
    """Twice the largest kinetic energy so far [J], with that after the current step unless it is NaN.

    A body that other bodies first move in this step moves with a high power of time. Its error relative to its own
    motion does not fall with the step.
    """
    n = run.coordinate_count
    new = run.y_end
    mass = run.mass
    kinetic = 0.0
    for i in range(n):
        kinetic += mass[i] * new[n + i] * new[n + i]
    return kinetic if kinetic > run.max_kinetic and kinetic < DIVERGED_KINETIC else run.max_kinetic


def energy_error_ratio(run: Integration) -> float:
    """The largest error of the step's energies over the allowed one."""
    m = run.element_count
    total = run.energy
    trial = run.step_energy
    wrong = run.energy_error
    size = most_kinetic(run)
    if run.coordinate_count > 0.0:
        # loads in balance at the start: work then grows with as high a power of time as the motion
        rate = run.rate_floor[0]
        size = max(size, run.mass[0] * rate * rate / LEAST_MOTION)
    largest = 0.0
    for e in range(m + 2):
        size = max(size, abs(total[e]) + abs(trial[e]))
        largest = max(largest, abs(wrong[e]))
    return float(largest / (run.tolerance * size + 1e-300))


def between(run: Integration, h: float, x: float, out: Array) -> None:
    """The state at the fraction x of the step."""
    size = 2 * run.coordinate_count + run.inner_count
    y = run.y
    new = run.y_end
    k1 = run.stages
    for i in range(size):
        change = new[i] - y[i]
        bend = h * k1[i] - change
        other = change - h * k1[6 * size + i] - bend
        d = -12715105075 / 11282082432 * k1[i] + 87487479700 / 32700410799 * k1[2 * size + i]
        d += -10690763975 / 1880347072 * k1[3 * size + i] + 701980252875 / 199316789632 * k1[4 * size + i]
        d += -1453857185 / 822651844 * k1[5 * size + i] + 69997945 / 29380423 * k1[6 * size + i]
        out[i] = y[i] + x * (change + (1.0 - x) * (bend + x * (other + (1.0 - x) * h * d)))
