"""A cantilever of six masses with two friction joints: frequency and damping over amplitude.

The first mode is laid over the responses to three loads: it runs through their peaks. Pictures are in out/.
"""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl
import numpy as np

import slipstick as ss

mpl.use("Agg")

m = ss.Model("cantilever with joints")
q = [m.coordinate(f"q{i + 1}", inertia=1.0) for i in range(6)]
for i in range(6):
    m.connect(q[i] - q[i - 1] if i else q[0], ss.Linear(stiffness=400.0, damping=0.1), name=f"spring{i + 1}")
m.connect(q[1], ss.Jenkins(stiffness=40.0, limit=0.5), name="joint2")
m.connect(q[4], ss.Iwan(stiffnesses=[10.0, 10.0, 10.0], limits=[0.2, 0.5, 1.0]), name="joint5")

for number in (1, 2):
    mode = m.nonlinear_mode(number, coordinate="q6")
    print(mode)
first = m.nonlinear_mode(1, coordinate="q6")
damping = first.data.damping_ratio
worst = int(np.argmax(damping.values))
print(f"Most damping: {100 * float(damping[worst]):.2f} % at {1e3 * float(first.data.amplitude[worst]):.1f} mm.")
lost = first.data.dissipated[worst].to_series().drop([f"spring{i + 1}" for i in range(6)])
print((lost / lost.sum()).round(3).to_string())

curves = []
low, high = (float(f) for f in (0.8 * first.data.frequency.min(), 1.2 * first.data.frequency.max()))
for force in (0.1, 0.4, 1.0):
    m.loads.clear()
    m.load(q[5], ss.Cosine(force, order=1))
    curves.append(m.frequency_response(between=(low, high), method="harmonic-balance"))
    peak = int(np.argmax(curves[-1].data.amplitude.sel(coordinate="q6").values))
    print(f"Load {force:.2f} N: peak at {float(curves[-1].data.frequency[peak]):.4f} rad/s.")

out = Path("out")
out.mkdir(exist_ok=True)
first.plot().savefig(out / "nonlinear_mode.png")
first.plot(curves).savefig(out / "nonlinear_mode_over.png")
first.save(out / "nonlinear_mode.nc")
print(f"Written: {out / 'nonlinear_mode.png'}, {out / 'nonlinear_mode_over.png'}, {out / 'nonlinear_mode.nc'}")
