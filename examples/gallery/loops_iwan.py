"""Iwan's parallel sliders: more sliders make a smoother loop with the same end points."""

import matplotlib.pyplot as plt
import numpy as np

import slipstick as ss
from slipstick.plot.style import house_style

u = 1e-3 * np.sin(np.linspace(0.0, 4.0 * np.pi, 1601))

with house_style():
    figure, axis = plt.subplots(figsize=(6.5, 4.2))
    for count in (1, 3, 20):
        slip = 8e-4 * (np.arange(count) + 0.5) / count  # deflections at which the sliders slip [m]
        law = ss.Iwan(stiffnesses=np.full(count, 4e5 / count), limits=4e5 / count * slip)
        axis.plot(1e3 * u[800:], law.trace(u)[800:], label=f"{count}")
    axis.set(title="Iwan loops", xlabel="deflection [mm]", ylabel="force [N]")
    axis.legend(title="sliders", loc="upper left")
    figure.savefig("loops_iwan.png")
