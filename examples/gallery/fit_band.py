"""The uncertainty of a fit becomes a band around the response."""

import numpy as np

import slipstick as ss


def build(law):
    m = ss.Model("mass on a joint")
    x = m.coordinate("x", inertia=20.0)
    m.connect(x, law, name="joint")
    m.load(x, ss.Cosine(150.0, order=1))
    return m


t = np.arange(0.0, 2.0, 5e-3)
u = 1e-3 * np.sin(2.0 * np.pi * t)
true = ss.Masing(stiffness=8e5, limit=250.0, parallel_stiffness=1e5)
noise = np.random.default_rng(1).normal(0.0, 60.0, t.size)
fit = ss.identify(ss.Loop(u, true.trace(u, t) + noise, t), ss.Masing, fixed={"damping": 0.0, "preload": 0.0})
band = ss.response_band(build, fit, between=(100.0, 220.0), samples=8)
build(true).frequency_response(between=(100.0, 220.0)).plot(band=band, label="true law").savefig("fit_band.png")
