"""A gear train made small, with the reasons, and what the smaller model tells: python examples/reduction.py"""

from __future__ import annotations

import numpy as np

import slipstick as ss

m = ss.Model("gear train")
psi = m.coordinate("psi", inertia=1.0)
delta, gamma = m.coordinate("delta", inertia=0.002), m.coordinate("gamma", inertia=0.002)
phi = m.coordinate("phi", inertia=2.0)
ss.elements.shaft(m, psi, delta, stiffness=100.0, half_gap=0.01, name="input")
ss.elements.gear_pair(m, delta, gamma, radii=(0.05, 0.1), tooth_stiffness=1.6e5, half_gap=1e-3, name="mesh")
ss.elements.shaft(m, gamma, phi, stiffness=300.0, half_gap=0.01, name="output")
for body, share in ((psi, 1.0), (delta, 0.05), (gamma, 0.05), (phi, 1.0)):
    ss.elements.bearing(m, body, limit=0.1 * share, damping=0.05 * share, name=f"bearing {body}")
m.load(psi, ss.Cosine(5.0, frequency=3.0))

red = m.reduce(massless=[delta, gamma], frictionless=[delta, gamma])
print(red)
print()
print(red.equations)
print()
comparison = red.compare(until=4.0, scales=(1.0, 0.1, 0.01))
print(comparison)
comparison.plot().savefig("reduction.png")

whole, small = m.simulate(until=4.0), red.model.simulate(until=4.0)
print(f"\n{whole.stats.steps} segments of the whole train, {small.stats.steps} of the reduced one")
mesh = float(np.abs(red.recover(small)["force"].sel(spring="mesh")).max())
torque = float(np.abs(whole.data["force"].sel(connection="mesh")).max())
print(f"largest torque in the mesh: {torque:.3f} N m, recovered {mesh:.3f} N m")
