"""The response over a load at one frequency: the jump up and the jump down."""

import slipstick as ss

m = ss.Model("gear with play")
x = m.coordinate("x", inertia=1.0)
m.connect(x, ss.Linear(stiffness=0.2, damping=0.08), name="shaft")
m.connect(x, ss.Freeplay(stiffness=1.0, half_gap=0.5), name="mesh")
m.load(x, ss.Cosine(0.05, order=1), name="torque")

m.follow("torque.amplitude", between=(0.05, 0.3), frequency=0.75).plot().savefig("map_follow.png")
