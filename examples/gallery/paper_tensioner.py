"""The tensioner paper, Fig. 12: loops of the modified Dahl and the Masing law."""

import slipstick as ss

figure = ss.paper("tensioner", 12)
print(figure)
figure.plot().savefig("paper_tensioner.png")
