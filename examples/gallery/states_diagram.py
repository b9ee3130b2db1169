"""The diagram of a model: coordinates, laws and loads."""

import slipstick as ss
from slipstick.plot.model_diagram import draw_diagram

draw_diagram(ss.systems.gear()).savefig("states_diagram.png")
