"""A block on a moving belt sticks, breaks away and slides back."""

import slipstick as ss

m = ss.Model("block on a belt")
x = m.coordinate("x", inertia=1.0)
belt = m.coordinate("belt", motion=ss.Ramp(0.1))
m.connect(x, ss.Linear(stiffness=40.0, damping=0.4), name="spring")
m.connect(x - belt, ss.DryFriction(limit=2.0, static_limit=3.0), name="friction")

run = m.simulate(until=8.0)
print(run.certificate)
run.plot(coordinates="x", connections="friction").savefig("run_stick_slip.png")
