"""Harmonic balance with 3 and 15 harmonics against exact shooting."""

import slipstick as ss

m = ss.Model("play on one side")
x = m.coordinate("x", inertia=1.0)
m.connect(x, ss.Linear(stiffness=1.0, damping=0.1), name="spring")
m.connect(x, ss.Contact(stiffness=3.0, gap=0.3), name="stop")
m.load(x, ss.Cosine(0.3, order=1))

figure = m.frequency_response(between=(0.25, 1.0)).plot(label="shooting")
for harmonics in (3, 15):
    curve = m.frequency_response(between=(0.25, 1.0), method="harmonic-balance", harmonics=harmonics)
    curve.plot(ax=figure.axes, label=f"{harmonics} harmonics")
figure.savefig("response_methods.png")
