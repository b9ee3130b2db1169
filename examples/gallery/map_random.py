"""Scatter of an amplitude when stiffness and limit of a joint scatter."""

import slipstick as ss


def build(stiffness, limit):
    m = ss.Model("joint", frequency=1.1)
    x = m.coordinate("x", inertia=1.0)
    m.connect(x, ss.Linear(stiffness=1.0, damping=0.1), name="spring")
    m.connect(x, ss.Jenkins(stiffness=stiffness, limit=limit), name="joint")
    m.load(x, ss.Cosine(0.5, order=1))
    return m


plan = ss.plans.latin_hypercube(200, seed=1, stiffness=(0.5, 1.5), limit=(0.1, 0.5))
found = ss.sweep(build, over=plan, measure={"amplitude": "x.amplitude"}, store="map_random.sqlite", workers=1)
figure = found.plot("amplitude", x="limit")
figure.axes[0].set(xlabel="limit [N]", ylabel="amplitude [m]")
figure.savefig("map_random.png")
