"""A stop doubles the period: the branch that starts where a multiplier passes -1."""

import slipstick as ss

m = ss.Model("stop")
z = m.coordinate("z", inertia=1.0)
m.connect(z, ss.Contact(stiffness=20.0, gap=0.1), name="wall")
m.connect(z, ss.Linear(stiffness=1.0, damping=0.2), name="spring")
m.load(z, ss.Cosine(1.0, order=1))

single = m.frequency_response(between=(2.0, 3.4))
doubled = single.switch(next(s for s in single.special if s["kind"] == "period-doubling"))
figure = single.plot(label="one period")
doubled.plot(ax=figure.axes, label="two periods")
figure.savefig("response_doubling.png")
