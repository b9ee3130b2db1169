"""A mass on a belt, on a hardening spring, with friction that falls as it slides faster."""

import slipstick as ss

m = ss.Model("mass on a belt")
x = m.coordinate("x", inertia=1.0)
belt = m.coordinate("belt", motion=ss.Ramp(0.4))
m.connect(x, ss.Polynomial(coefficients=(0.0, 1.0, 0.0, 0.5)), name="spring")
m.connect(x - belt, ss.DryFriction(limit=0.5, static_limit=1.0, stribeck_velocity=0.3), name="friction")

run = m.simulate(until=25.0)
print(run.stats.reason)
print(run.certificate)
run.plot(coordinates="x", connections="friction").savefig("run_stribeck.png")
