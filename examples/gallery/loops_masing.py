"""Masing loops of four amplitudes: small ones are straight, large ones open."""

import matplotlib.pyplot as plt
import numpy as np

import slipstick as ss
from slipstick.plot.style import house_style

law = ss.Masing(stiffness=5e5, limit=160.0, parallel_stiffness=2e5)
phase = np.linspace(0.0, 4.0 * np.pi, 801)

with house_style():
    figure, axis = plt.subplots(figsize=(6.5, 4.2))
    for amplitude in (2e-4, 4e-4, 7e-4, 1e-3):
        u = amplitude * np.sin(phase)
        axis.plot(1e3 * u[400:], law.trace(u)[400:], label=f"{1e3 * amplitude:g} mm")
    axis.set(title="Masing loops", xlabel="deflection [mm]", ylabel="force [N]")
    axis.legend(title="amplitude", loc="upper left")
    figure.savefig("loops_masing.png")
