"""An inner loop closes with a stack of reversals, and drifts with Dahl's law."""

from itertools import pairwise

import matplotlib.pyplot as plt
import numpy as np

import slipstick as ss
from slipstick.plot.style import house_style

turns = np.array([0.0, 0.8, -0.1, 0.4, -0.1, 0.8, 1.0]) * 1e-3
u = np.concatenate([np.linspace(a, b, 200) for a, b in pairwise(turns)])

with house_style():
    figure, axis = plt.subplots(figsize=(6.5, 4.2))
    axis.plot(1e3 * u, ss.Dahl(stiffness=6e5, limit=200.0).trace(u), label="Dahl: drifts")
    axis.plot(1e3 * u, ss.DynamicHysteresis(stiffness=3e5, limit=200.0).trace(u), label="DynamicHysteresis: closes")
    axis.set(title="An inner loop in a large one", xlabel="deflection [mm]", ylabel="force [N]")
    axis.legend(loc="lower right")
    figure.savefig("loops_inner.png")
