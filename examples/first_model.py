"""A first model: a block on a spring, rubbing on a table, that can hit a stop.

What needs no time integration: its equations, where it rests, and how it vibrates in each state.
"""

from __future__ import annotations

import slipstick as ss

m = ss.Model("block")
x = m.coordinate("x", inertia=2.0)
m.connect(x, ss.Linear(stiffness=800.0, damping=4.0), name="spring")
m.connect(x, ss.DryFriction(limit=3.0), name="table")
m.connect(x, ss.Contact(stiffness=5e4, gap=0.02), name="stop")

print("The equation of motion:")
print(m.equations(), end="\n\n")

for load in (2.0, 10.0, 50.0):
    loaded = ss.Model("block")
    y = loaded.coordinate("x", inertia=2.0)
    for c in m.connections:
        loaded.connect(y, c.law, name=c.name)
    loaded.load(y, ss.Constant(load))
    rest = loaded.equilibrium()
    print(f"Pulled with {load:g} N it rests at {1e3 * rest.displacement['x']:.3f} mm;", rest.notes[0])

print("\nSliding, away from the stop and against it:")
print(m.modes(state={"table": "slip"}))
print(m.modes(state={"table": "slip", "stop": "contact"}))
