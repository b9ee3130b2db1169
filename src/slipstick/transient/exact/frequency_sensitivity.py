"""The derivative of the motion by the base frequency, if all waves scale with it; compiled.

With l the logarithm of the frequency, every wave e^(i omega t) changes by i omega t e^(i omega t). Within a segment the
steady response W e^(i omega t) then changes by (omega dW/domega + i omega t W) e^(i omega t), and the rest as a motion
without loads does. So a change is carried as all others are, less the steady part at the start and plus that at the
end. An event's guard changes with the motion, and with loads and limits times i omega t. All of this is t times the
guard of the motion over t under loads times i omega, which is a model of its own.
"""

from __future__ import annotations

import math

from slipstick.native import Array
from slipstick.transient.exact.records import FlowModel, ModalTable, State


def frequency_tangent_model(model: FlowModel, tangent: FlowModel, numbers: int, turned: FlowModel) -> None:
    """Write the tangent model with the waves of the model, and its loads and limits times i omega.

    numbers : of a model's block.   The tangent model may be that of another base frequency.
    """
    for i in range(numbers):
        turned.block[i] = tangent.block[i]
    turned.wave_count = model.wave_count
    for j in range(model.wave_count):
        turned.frequencies[j] = model.frequencies[j]
    differentiate_waves(model, model.load_cos, model.load_sin, model.coordinate_count, turned.load_cos, turned.load_sin)
    differentiate_waves(
        model, model.limit_cos, model.limit_sin, model.contact_count, turned.limit_cos, turned.limit_sin
    )


def differentiate_waves(model: FlowModel, cos: Array, sin: Array, rows: int, new_cos: Array, new_sin: Array) -> None:
    """Rows c cos + s sin of all waves, times i omega: their derivatives in time."""
    h = model.wave_count
    for i in range(rows):
        for j in range(h):
            new_cos[i * h + j] = model.frequencies[j] * sin[i * h + j]
            new_sin[i * h + j] = -model.frequencies[j] * cos[i * h + j]


def add_steady_change(model: FlowModel, table: ModalTable, t: float, sign: float, change: Array) -> None:
    """Add the derivative of the steady response at time t, times a sign."""
    n = model.coordinate_count
    omega = model.frequencies
    waves = table.response
    slopes = table.response_slopes
    for j in range(model.wave_count):
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


def put_rate_of_change(turned: FlowModel, near: State, t: float, change: Array) -> None:
    """Write a change over t to the state ``near``, at time t; its pieces are set."""
    n = turned.coordinate_count
    m = turned.unit_count
    x = near.motion
    memory = near.memory
    for i in range(2 * n):
        x[i] = change[i] / t
    for e in range(m):
        memory[e] = change[2 * n + e] / t
    near.time = t
