"""Dry friction ends a free vibration in finite time, at an offset."""

import slipstick as ss

m = ss.Model("spring with dry friction")
x = m.coordinate("x", inertia=1.0, displacement=0.01)
m.connect(x, ss.Linear(stiffness=400.0), name="spring")
m.connect(x, ss.DryFriction(limit=0.3), name="friction")

run = m.simulate(until=3.0)
print(f"rests at {1e3 * float(run.data.displacement[-1, 0]):.3f} mm")
run.plot().savefig("run_decay.png")
