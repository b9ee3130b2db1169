"""A block on a moving belt: it sticks, is carried along, breaks away and slides back.

The friction holds 1.5 times as much at rest as it does when it slides, which is what keeps the motion alive. Every
change between stick and slip is found to rounding; the picture is in out/transient.png.
"""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl

import slipstick as ss

mpl.use("Agg")

m = ss.Model("block on a belt")
x = m.coordinate("x", inertia=1.0)
belt = m.coordinate("belt", motion=ss.Ramp(0.1))
m.connect(x, ss.Linear(stiffness=40.0, damping=0.4), name="spring")
m.connect(x - belt, ss.DryFriction(limit=2.0, static_limit=3.0), name="friction")

run = m.simulate(until=20.0, samples=4000)
print(run, end="\n\n")
print(run.certificate, end="\n\n")
print(run.events[-6:], end="\n\n")

sticking = run.data.state.sel(connection="friction") == "stick"
print(f"It sticks for {100 * float(sticking.mean()):.1f} % of the time.")
print(f"The belt has done {run.certificate.work_in:.4f} J of work.")

out = Path("out")
out.mkdir(exist_ok=True)
run.plot(coordinates="x").savefig(out / "transient.png")
run.save(out / "transient.nc")
print(f"Written: {out / 'transient.png'}, {out / 'transient.nc'}")
