"""A mass falls on a stop, bounces, and comes to rest on it."""

import slipstick as ss

m = ss.Model("bouncing mass")
x = m.coordinate("x", inertia=1.0, displacement=0.05)
m.connect(-x, ss.Contact(stiffness=2e4, gap=0.0, damping=40.0), name="stop")
m.load(x, ss.Constant(-9.81))

run = m.simulate(until=1.2)
print(run.events)
run.plot().savefig("run_impacts.png")
