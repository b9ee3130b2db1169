"""A block on a table that shakes up and sideways: it sticks, slips, lifts off and lands."""

import slipstick as ss

m = ss.Model("block on a shaking table")
x = m.coordinate("x", inertia=1.0)
y = m.coordinate("y", inertia=1.0, displacement=0.012)
table_x = m.coordinate("table_x", motion=ss.Sine(0.01, frequency=20.0))
table_y = m.coordinate("table_y", motion=ss.Cosine(0.012, frequency=30.0))
m.load(y, ss.Constant(-9.81))
law = ss.CoulombContact(friction=0.4, restitution=0.2)
m.connect((x - table_x, table_y - y), law, name="foot")

run = m.simulate(until=1.0)
print(run.events)
print(run.certificate)
run.plot().savefig("run_sliding_block.png")
