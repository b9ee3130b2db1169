"""A map over friction limit and frequency: 30 x 26 orbits, kept in a ledger."""

import slipstick as ss


def build(limit, omega):
    m = ss.Model("joint", frequency=omega)
    x = m.coordinate("x", inertia=1.0)
    m.connect(x, ss.Linear(stiffness=1.0, damping=0.1), name="spring")
    m.connect(x, ss.Jenkins(stiffness=1.0, limit=limit), name="joint")
    m.load(x, ss.Cosine(1.0, order=1))
    return m


over = {"limit": [0.06 * k for k in range(1, 31)], "omega": [0.6 + 0.04 * k for k in range(26)]}
found = ss.sweep(build, over=over, measure={"amplitude": "x.amplitude"}, store="map_limit_frequency.sqlite", workers=1)
figure = found.plot("amplitude")
figure.axes[0].set(xlabel="limit [N]", ylabel="frequency [rad/s]")
figure.savefig("map_limit_frequency.png")
