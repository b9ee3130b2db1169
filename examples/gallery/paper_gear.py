"""The gear paper, Fig. 8: friction and acceleration of a block under a growing force."""

import slipstick as ss

figure = ss.paper("gear", 8)
print(figure)
figure.plot().savefig("paper_gear.png")
