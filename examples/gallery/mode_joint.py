"""A jointed chain: frequency falls and damping peaks as its joint begins to slip."""

import slipstick as ss

m = ss.Model("jointed chain")
q = [m.coordinate(f"q{i + 1}", inertia=1.0) for i in range(4)]
for i in range(4):
    m.connect(q[i] - q[i - 1] if i else q[0], ss.Linear(stiffness=400.0, damping=0.1), name=f"spring{i + 1}")
m.connect(q[1], ss.Jenkins(stiffness=60.0, limit=0.5), name="joint")

m.nonlinear_mode(1, coordinate="q4").plot().savefig("mode_joint.png")
