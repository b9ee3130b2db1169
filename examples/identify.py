"""From a measured loop to a law, and to a response with a band: python examples/identify.py

A made-up rig: a Masing law, noise, and a force sensor that drifts.
"""

from __future__ import annotations

import numpy as np

import slipstick as ss

t = np.arange(0.0, 6.0, 1e-3)
u = 1e-3 * np.sin(2.0 * np.pi * t)
true = ss.Masing(stiffness=8e5, limit=250.0, parallel_stiffness=1e5)
noise = np.random.default_rng(7).normal(0.0, 4.0, t.size)
measured = ss.Loop(u, true.trace(u, t) + noise + 0.8 * t, t, name="joint")

loop = measured.without_drift().without_offset()
print(*loop.notes, sep="\n")
one = loop.figures[2]
print(f"a cycle takes {one.area:.4g} J; secant {one.secant:.4g} N/m, loss factor {one.loss_factor:.3f}")

fit = ss.identify(loop, ss.Masing, fixed={"damping": 0.0, "preload": 0.0})
print(fit)
fit.plot().savefig("identified.png")

ranking = ss.rank(loop, [ss.Masing, ss.Jenkins])
print(ranking.verdict)


def peak(law: ss.Law) -> float:
    """The largest amplitude of a mass on the joint, near its resonance."""
    m = ss.Model("mass on the joint")
    x = m.coordinate("x", inertia=20.0)
    m.connect(x, law, name="joint")
    m.load(x, ss.Cosine(150.0, order=1))
    return float(m.frequency_response(between=(100.0, 220.0)).peak("x").amplitude)


peaks = [peak(law) for law in fit.sample(8)]
print(
    f"peak {np.mean(peaks):.4g} m, spread {np.std(peaks):.2g} m over laws drawn from the fit; truth {peak(true):.4g} m"
)
