"""A measured loop: force over deflection and over time, with its notes."""

import slipstick as ss

loop = ss.dataset("tensioner-dahl")[0]
print(loop)
loop.plot().savefig("fit_loop.png")
