"""Four laws ranked on the same loop, by their misfit and their number of parameters."""

import numpy as np

import slipstick as ss

t = np.arange(0.0, 4.0, 5e-3)
u = 1e-3 * np.sin(2.0 * np.pi * t)
force = ss.Masing(stiffness=8e5, limit=250.0, parallel_stiffness=1e5).trace(u, t)
loop = ss.Loop(u, force + np.random.default_rng(1).normal(0.0, 10.0, t.size), t, name="joint")

ranking = ss.rank(loop, [ss.Masing, ss.Jenkins, ss.Dahl, ss.Linear])
print(ranking)
ranking.plot().savefig("fit_ranking.png")
