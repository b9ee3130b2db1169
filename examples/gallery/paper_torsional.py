"""Den Hartog's oscillator of the torsional paper: motions with and without stops."""

import slipstick as ss

figure = ss.paper("torsional", "den-hartog")
print(figure)
figure.plot().savefig("paper_torsional.png")
