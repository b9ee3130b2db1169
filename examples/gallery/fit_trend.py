"""Parameters of a fibre sample over test frequency."""

import slipstick as ss

loops = [loop for loop in ss.dataset("fibre-set-1") if loop.frequency < 50.0 and loop.amplitude > 2e-3]
ss.trend(loops, ss.FibreShear).plot().savefig("fit_trend.png")
