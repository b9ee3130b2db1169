"""From a measured loop to a law, and to a response with a band: python examples/identify.py

A made-up rig: a Masing law, noise, and a force sensor that drifts.
"""

from __future__ import annotations

import numpy as np

import slipstick as ss

t = np.arange(0.0, 6.0, 5e-3)
u = 1e-3 * np.sin(2.0 * np.pi * t)
true = ss.Masing(stiffness=8e5, limit=250.0, parallel_stiffness=1e5)
noise = np.random.default_rng(1).normal(0.0, 10.0, t.size)
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


def mass_on_the_joint(law: ss.Law) -> ss.Model:
    """A machine with this law in it."""
    m = ss.Model("mass on the joint")
    x = m.coordinate("x", inertia=20.0)
    m.connect(x, law, name="joint")
    m.load(x, ss.Cosine(150.0, order=1))
    return m


# what is not known of the law is not known of the response: a band over frequency, from laws drawn from the fit
band = ss.response_band(mass_on_the_joint, fit, between=(100.0, 220.0), samples=20)
print(band)
curve = mass_on_the_joint(true).frequency_response(between=(100.0, 220.0))
curve.plot(band=band, label="the true law").savefig("band.png")
peak = curve.peak("x")
at = int(np.argmin(np.abs(band.frequency - peak.frequency)))
print(f"at {peak.frequency:.1f} rad/s: {band.low[at, 0]:.4g} to {band.high[at, 0]:.4g} m; truth {peak.amplitude:.4g} m")
