"""The exponent of a Bouc-Wen law sets how sharply the loop turns from stick to slip."""

import matplotlib.pyplot as plt
import numpy as np

import slipstick as ss
from slipstick.plot.style import house_style

u = 2e-3 * np.sin(np.linspace(0.0, 4.0 * np.pi, 1601))

with house_style():
    figure, axis = plt.subplots(figsize=(6.5, 4.2))
    for exponent in (1.0, 2.0, 8.0):
        shape = 0.5 * (1.0 / 5e-4) ** exponent  # the same limit for each exponent
        law = ss.BoucWen(stiffness=2e5, ratio=0.1, A=1.0, beta=shape, gamma=shape, exponent=exponent)
        axis.plot(1e3 * u[800:], law.trace(u)[800:], label=f"{exponent:g}")
    axis.set(title="Bouc-Wen loops", xlabel="deflection [mm]", ylabel="force [N]")
    axis.legend(title="exponent", loc="upper left")
    figure.savefig("loops_bouc_wen.png")
