"""Contact and friction states of a rattling gear train, each change located."""

import slipstick as ss

m = ss.systems.gear(amplitude=2.0, frequency=8.0)
run = m.simulate(until=3.0)
print(len(run.events), "changes of state")
run.plot(coordinates=["psi", "phi"], connections=["input", "mesh", "output"], start=1.5).savefig("states_gear.png")
