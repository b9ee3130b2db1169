"""A slow run-up through a resonance: the joint begins to slip near the peak."""

import numpy as np

import slipstick as ss

t = np.linspace(0.0, 160.0, 8001)
sweep = 0.08 * np.cos((0.6 + 0.5 * 0.0075 * t) * t)  # from 0.6 to 1.8 rad/s

m = ss.Model("run-up")
x = m.coordinate("x", inertia=1.0)
m.connect(x, ss.Linear(stiffness=1.0, damping=0.05), name="spring")
m.connect(x, ss.Jenkins(stiffness=0.5, limit=0.1), name="joint")
m.load(x, ss.Signal(t, sweep))

run = m.simulate(until=160.0)
run.plot().savefig("run_run_up.png")
