"""The fibre paper, Fig. 6: loops, and the backbone through their tips."""

import slipstick as ss

figure = ss.paper("fibre", 6)
print(figure)
figure.plot().savefig("paper_fibre.png")
