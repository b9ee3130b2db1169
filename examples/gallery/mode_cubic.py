"""A hardening spring: the frequency of a mode over its amplitude."""

import slipstick as ss

m = ss.Model("hardening spring")
x = m.coordinate("x", inertia=1.0)
m.connect(x, ss.Polynomial(coefficients=(0.0, 1.0, 0.0, 0.5), damping=0.02), name="spring")

m.nonlinear_mode(1, between=(1e-2, 2.0)).plot().savefig("mode_cubic.png")
