"""A map of two hundred points over the friction limit and the frequency, that survives whatever happens.

Kill it and run it again: it goes on where it was. It writes sweep.sqlite, sweep.nc and sweep.png to out/.
"""

from pathlib import Path

import slipstick as ss

OUT = Path("out")


def build(limit, omega):
    """A mass on a spring and a joint that slips, shaken at omega."""
    m = ss.Model("joint", frequency=omega)
    x = m.coordinate("x", inertia=1.0)
    m.connect(x, ss.Linear(stiffness=1.0, damping=0.1), name="spring")
    m.connect(x, ss.Jenkins(stiffness=1.0, limit=limit), name="joint")
    m.load(x, ss.Cosine(1.0, order=1))
    return m


def main() -> None:
    OUT.mkdir(exist_ok=True)
    over = {"limit": [0.25 * k for k in range(1, 9)], "omega": [0.6 + 0.05 * k for k in range(25)]}
    found = ss.sweep(
        build,
        over=over,
        measure={"amplitude": "x.amplitude", "dissipated": "joint.dissipated"},
        store=OUT / "sweep.sqlite",
    )
    print(f"{found.counts}, certificates passed: {int(found['certificate_passed'].sum())}")
    best = found["amplitude"].max("omega")
    for limit, amplitude in zip(found["limit"].values, best.values):
        print(f"limit {limit:.2f}: largest amplitude {amplitude:.3f}")
    found.save(OUT / "sweep.nc")
    found.plot("amplitude").savefig(OUT / "sweep.png")


main()
