"""Dissipated energy per period of two connections over speed."""

import slipstick as ss

m = ss.Model("two masses")
a, b = m.coordinate("a", inertia=2.0), m.coordinate("b", inertia=1.0)
m.connect(a, ss.Linear(stiffness=2.0, damping=0.02), name="mount")
m.connect(b - a, ss.Masing(stiffness=1.0, limit=0.3, parallel_stiffness=0.5, damping=0.02), name="joint")
m.load(a, ss.Cosine(0.5, order=1))

curve = m.frequency_response(between=(0.3, 2.2))
curve.plot(quantity="dissipated", connections=["mount", "joint"], log=True).savefig("response_dissipation.png")
