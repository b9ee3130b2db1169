"""The phase plane of stick-slip, coloured by state."""

import matplotlib.pyplot as plt

import slipstick as ss
from slipstick.plot.style import ACCENT, BLUE, house_style

m = ss.Model("block on a belt")
x = m.coordinate("x", inertia=1.0)
belt = m.coordinate("belt", motion=ss.Ramp(0.1))
m.connect(x, ss.Linear(stiffness=40.0, damping=0.4), name="spring")
m.connect(x - belt, ss.DryFriction(limit=2.0, static_limit=3.0), name="friction")
data = m.simulate(until=12.0, samples=6000).data.sel(coordinate="x", connection="friction")

with house_style():
    figure, axis = plt.subplots(figsize=(6.5, 4.2))
    for state, colour in (("slip", BLUE), ("stick", ACCENT)):
        part = data.where(data.state.str.startswith(state))
        axis.plot(1e3 * part.displacement, part.velocity, color=colour, label=state)
    axis.set(title="Stick-slip in the phase plane", xlabel="displacement [mm]", ylabel="velocity [m/s]")
    axis.legend(loc="lower left")
    figure.savefig("states_phase_plane.png")
