"""A friction damper at five loads: too little slip and too much slip both damp less."""

import matplotlib.pyplot as plt

import slipstick as ss
from slipstick.plot.style import house_style

m = ss.Model("damped by a slider")
x = m.coordinate("x", inertia=1.0)
m.connect(x, ss.Linear(stiffness=1.0, damping=0.04), name="spring")
m.connect(x, ss.Jenkins(stiffness=1.0, limit=0.5), name="slider")

with house_style():
    figure, axis = plt.subplots(figsize=(6.5, 4.2))
    for load in (0.02, 0.3, 1.0, 3.0, 20.0):
        m.loads.clear()
        m.load(x, ss.Cosine(load, order=1))
        data = m.frequency_response(between=(0.6, 1.8)).data
        axis.semilogy(data.frequency, data.amplitude.sel(coordinate="x") / load, label=f"{load:g} N")
    axis.set(title="Damped by a slider", xlabel="frequency [rad/s]", ylabel="amplitude over load [m/N]")
    axis.legend(title="load", loc="upper right")
    figure.savefig("response_loads.png")
