"""The clutch paper, Fig. 3: two smooth approximations of a gap."""

import slipstick as ss

figure = ss.paper("clutch", 3)
print(figure)
figure.plot().savefig("paper_clutch.png")
