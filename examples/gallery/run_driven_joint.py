"""A driven joint: force and deflection over time, with the loop beside them."""

import slipstick as ss

m = ss.Model("mass on a joint")
x = m.coordinate("x", inertia=20.0)
joint = ss.Masing(stiffness=5e5, limit=160.0, parallel_stiffness=2e5, damping=300.0)
m.connect(x, joint, name="joint")
m.load(x, ss.Cosine(300.0, order=1))

run = m.simulate(until=1.0, frequency=ss.hz(17.0))
run.plot().savefig("run_driven_joint.png")
