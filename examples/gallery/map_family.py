"""A family of curves: the amplitude over frequency for six friction limits."""

import slipstick as ss


def build(limit, omega):
    m = ss.Model("joint", frequency=omega)
    x = m.coordinate("x", inertia=1.0)
    m.connect(x, ss.Linear(stiffness=1.0, damping=0.1), name="spring")
    m.connect(x, ss.Jenkins(stiffness=1.0, limit=limit), name="joint")
    m.load(x, ss.Cosine(1.0, order=1))
    return m


over = {"limit": [0.25, 0.5, 0.75, 1.0, 1.5, 2.0], "omega": [0.6 + 0.02 * k for k in range(51)]}
found = ss.sweep(build, over=over, measure={"amplitude": "x.amplitude"}, store="map_family.sqlite", workers=1)
figure = found.plot("amplitude", x="omega", by="limit")
figure.axes[0].set(xlabel="frequency [rad/s]", ylabel="amplitude [m]")
figure.savefig("map_family.png")
