"""One orbit: motion, states, loops, and Floquet multipliers with the unit circle."""

import slipstick as ss

m = ss.Model("gear with play")
x = m.coordinate("x", inertia=1.0)
m.connect(x, ss.Linear(stiffness=0.2, damping=0.08), name="shaft")
m.connect(x, ss.Freeplay(stiffness=1.0, half_gap=0.5), name="mesh")
m.load(x, ss.Cosine(0.2, order=1))

m.periodic(frequency=0.7).plot().savefig("states_orbit.png")
