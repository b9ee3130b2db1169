"""Numbers of the fibre paper that its figures can be made with: those of the law, (38) and (39)."""

from __future__ import annotations

from slipstick.papers.knobs import Knob
from slipstick.systems.fibre import SAMPLE

FRICTION = (
    Knob("stiffness", SAMPLE["stiffness"], 1e5, 2e7, "sigma, of the dry friction at a reversal", "Pa"),
    Knob("limit", SAMPLE["limit"], 50.0, 2e4, "tau_C, the stress at which fibres slide", "Pa"),
)
LAW = (
    *FRICTION,
    Knob("linear", SAMPLE["linear"], 0.0, 5e7, "G1, the linear part", "Pa"),
    Knob("cubic", SAMPLE["cubic"], 0.0, 5e10, "G3, the stiffening", "Pa"),
    Knob("overshoot", SAMPLE["overshoot"], 0.0, 3.0, "alpha, the size of the overshoot"),
    Knob("ratio", SAMPLE["ratio"], 0.05, 0.95, "xi, how slowly the overshoot comes"),
)
# Fig. 11 is a sketch: these are ours
DIFFERENCE = (
    FRICTION[0],
    Knob("limit", 1600.0, 100.0, 1e4, "tau_C1, that of the first part", "Pa"),
    Knob("overshoot_limit", 600.0, 0.0, 1e4, "tau_C2, that of the second part", "Pa"),
    Knob("ratio", 0.3, 0.05, 0.95, "xi, of their rates"),
)
