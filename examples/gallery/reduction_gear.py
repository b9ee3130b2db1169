"""A gear train without its light wheels: the error of the reduced model over what it neglects."""

import slipstick as ss

m = ss.systems.gear()
red = m.reduce(massless=["delta", "gamma"], frictionless=["delta", "gamma"])
print(red.equations)
red.compare(until=1.0, scales=(1.0, 0.1, 0.01)).plot().savefig("reduction_gear.png")
