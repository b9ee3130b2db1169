"""The torque of a mesh, recovered from a model in which its wheels are gone."""

import matplotlib.pyplot as plt

import slipstick as ss
from slipstick.plot.style import house_style

m = ss.systems.gear()
red = m.reduce(massless=["delta", "gamma"], frictionless=["delta", "gamma"])
whole, small = m.simulate(until=3.0), red.model.simulate(until=3.0)
torque = red.recover(small)["force"].sel(spring="mesh")

with house_style():
    figure, axis = plt.subplots(figsize=(6.5, 4.2))
    axis.plot(whole.data.time, whole.data.force.sel(connection="mesh"), lw=1.0, label="four bodies")
    axis.plot(torque.time, torque, lw=1.4, label="two bodies, recovered")
    axis.set(title="Torque of the mesh", xlabel="time [s]", ylabel="torque [N m]", xlim=(2.0, 3.0))
    axis.legend(loc="upper right")
    figure.savefig("reduction_recover.png")
