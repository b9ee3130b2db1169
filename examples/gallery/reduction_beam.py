"""A rod of 200 coordinates with a slider, condensed to 2 and to 6 modes."""

import numpy as np
from scipy import sparse

import slipstick as ss

n = 200
stiffness = 1e4 * sparse.diags_array([-np.ones(n - 1), 2.0 * np.ones(n), -np.ones(n - 1)], offsets=[-1, 0, 1])
rod = ss.Model.from_matrices(1e-2 * sparse.eye_array(n), 2e-4 * stiffness, stiffness)
rod.connect(rod["q100"], ss.Jenkins(stiffness=100.0, limit=0.5), name="slider")
rod.load(rod["q100"], ss.Cosine(1.0, order=1))

figure = None
for modes in (2, 6):
    curve = rod.condense(keep=["q100"], modes=modes).frequency_response(between=(8.0, 60.0), method="harmonic-balance")
    figure = curve.plot("q100", log=True, label=f"{modes} modes", ax=figure and figure.axes)
figure.savefig("reduction_beam.png")
