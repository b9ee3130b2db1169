"""The nonlinear mode runs through the peaks of the responses."""

import slipstick as ss

m = ss.Model("jointed mass")
x = m.coordinate("x", inertia=1.0)
m.connect(x, ss.Linear(stiffness=1.0, damping=0.02), name="spring")
m.connect(x, ss.Iwan(stiffnesses=[0.2, 0.2, 0.2], limits=[0.05, 0.1, 0.2]), name="joint")
mode = m.nonlinear_mode(1)

curves = []
for load in (0.05, 0.15, 0.3):
    m.loads.clear()
    m.load(x, ss.Cosine(load, order=1))
    curves.append(m.frequency_response(between=(0.8, 1.4)))
mode.plot(curves).savefig("mode_ridge.png")
