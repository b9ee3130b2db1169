"""Sweeps up and down by integration jump at the folds of the curve."""

import slipstick as ss

m = ss.Model("gear with play")
x = m.coordinate("x", inertia=1.0)
m.connect(x, ss.Linear(stiffness=0.2, damping=0.08), name="shaft")
m.connect(x, ss.Freeplay(stiffness=1.0, half_gap=0.5), name="mesh")
m.load(x, ss.Cosine(0.2, order=1))

figure = m.frequency_response(between=(0.6, 1.2)).plot(label="continuation")
swept = m.frequency_response(between=(0.6, 1.2), method="integration").data
axis = figure.axes[0]
axis.plot(swept.frequency, swept.amplitude.sel(coordinate="x"), "o", fillstyle="none", label="sweeps up and down")
axis.legend(frameon=False)
figure.savefig("response_jumps.png")
