"""Two of the published systems: the tensioner in time with a certificate, and a figure of the gear paper made again.

The run's certificate says how large its error is and where the energy went; the figure stands beside what is printed.
"""

from __future__ import annotations

import matplotlib as mpl

import slipstick as ss

mpl.use("Agg")

m = ss.systems.tensioner("masing", amplitude=54.0, limit=200.0)  # the paper's numbers but for these two
run = m.simulate(until=2.0)
print(run.certificate, end="\n\n")
lost = run.certificate.dissipated
print("Energy lost:", ", ".join(f"{name} {energy:.3g} J" for name, energy in lost.items()), end="\n\n")

fig = ss.paper("gear", 8)
print(fig, end="\n\n")
print("Written:", *fig.save("out"))
