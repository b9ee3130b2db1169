"""LuGre friction over velocity: the Stribeck dip, and the lag of a fast oscillation."""

import matplotlib.pyplot as plt
import numpy as np

import slipstick as ss
from slipstick.plot.style import house_style

law = ss.LuGre(
    bristle_stiffness=1e5, bristle_damping=300.0, viscous=0.4, coulomb=1.0, static=1.5, stribeck_velocity=1e-3
)

with house_style():
    figure, axis = plt.subplots(figsize=(6.5, 4.2))
    for hertz in (0.2, 1.0, 5.0):
        t = np.linspace(0.0, 2.0 / hertz, 8001)
        v = 5e-3 * (1.0 - np.cos(2.0 * np.pi * hertz * t)) / 2.0
        u = 5e-3 * (t - np.sin(2.0 * np.pi * hertz * t) / (2.0 * np.pi * hertz)) / 2.0
        axis.plot(1e3 * v[4000:], law.trace(u, t, rate=v)[4000:], label=f"{hertz:g} Hz")
    axis.set(title="LuGre friction", xlabel="velocity [mm/s]", ylabel="force [N]")
    axis.legend(title="velocity varies at", loc="upper right")
    figure.savefig("loops_lugre.png")
