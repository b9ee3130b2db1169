"""How the motion changes with the base frequency, where all waves go with it; compiled.

With l the logarithm of the frequency, every wave e^(i omega t) changes by i omega t e^(i omega t). Within a segment the
steady response W e^(i omega t) then changes by (omega dW/domega + i omega t W) e^(i omega t), and the rest as a motion
without loads does. So a change is carried as all others are, less the steady part at the begin and with that at the
end. An event's guard changes by what the motion has changed, and by loads and limits that are i omega t times theirs:
all of it is t times that of the motion over t under i omega times the loads, which is a model of its own.
"""

from __future__ import annotations

import math

from slipstick.laws.source_parsing import Buffer
from slipstick.native import view
from slipstick.transient.exact import records as at


def frequency_tangent_model(model: Buffer, tangent: Buffer, numbers: int, turned: Buffer) -> None:
    """The tangent model with the loads and limits of the model, times i omega."""
    n = int(model[at.N])
    h = int(model[at.WAVES])
    for i in range(numbers):
        turned[i] = tangent[i]
    turned[at.WAVES] = model[at.WAVES]
    differentiate_waves(model, turned, int(model[at.F_COS]), int(model[at.F_SIN]), n, h)
    differentiate_waves(model, turned, int(model[at.L_COS]), int(model[at.L_SIN]), int(model[at.CONTACTS]), h)


def differentiate_waves(model: Buffer, turned: Buffer, first_c: int, first_s: int, rows: int, h: int) -> None:
    """Rows c cos + s sin of all waves, times i omega: their derivatives in time."""
    omega = view(model, int(model[at.OMEGA]))
    for i in range(rows):
        for j in range(h):
            turned[first_c + i * h + j] = omega[j] * model[first_s + i * h + j]
            turned[first_s + i * h + j] = -omega[j] * model[first_c + i * h + j]


def add_steady_change(model: Buffer, table: Buffer, t: float, sign: float, change: Buffer) -> None:
    """Add what the steady response at time t changes by, times a sign."""
    n = int(model[at.N])
    omega = view(model, int(model[at.OMEGA]))
    waves = view(table, int(table[at.T_WAVES]))
    slopes = view(table, int(table[at.T_SLOPES]))
    for j in range(int(model[at.WAVES])):
        w = omega[j]
        c = sign * math.cos(w * t)
        s = sign * math.sin(w * t)
        for i in range(n):
            re = waves[2 * (j * n + i)]
            im = waves[2 * (j * n + i) + 1]
            a = slopes[2 * (j * n + i)] - w * t * im
            b = slopes[2 * (j * n + i) + 1] + w * t * re
            change[i] += a * c - b * s
            change[n + i] -= w * ((b + im) * c + (a + re) * s)


def put_rate_of_change(turned: Buffer, near: Buffer, t: float, change: Buffer) -> None:
    """A change over t into the state ``near``, at time t; its pieces are there."""
    n = int(turned[at.N])
    m = int(turned[at.UNITS])
    x = view(near, int(turned[at.X]))
    memory = view(near, int(turned[at.MEMORY]))
    for i in range(2 * n):
        x[i] = change[i] / t
    for e in range(m):
        memory[e] = change[2 * n + e] / t
    near[at.TIME] = t
