"""Numbers of the torsional paper that its figures can be made with: damping, and the normal load (12a)."""

from __future__ import annotations

from slipstick.papers.knob import Knob
from slipstick.systems.torsional import NORMAL_LOAD as PRINTED

ZETA = Knob("damping_ratio", 0.05, 0.005, 0.5, "zeta, of which the paper gives none")
MEAN = Knob("mean", PRINTED["mean"], 0.0, 1.5, "N0, mean of the normal load", "T_p")
SWING = Knob("swing", PRINTED["swing"], 0.0, 1.5, "A, amplitude of the normal load", "T_p")
ORDER = Knob("order", PRINTED["order"], 0.0, 4.0, "n, order of the normal load")
PHASE = Knob("phase", PRINTED["phase"], -3.2, 3.2, "phi, phase of the normal load", "rad")
LOAD = (MEAN, SWING)
# Fig. 2: d = [0.6 0.2 0.1 0.3 -0.5]
FOUR_HARMONICS = (
    Knob("d0", 0.6, 0.0, 2.0, "mean of the normal load", "T_p"),
    Knob("d1", 0.2, -2.0, 2.0, "sin W tau in the normal load", "T_p"),
    Knob("d2", 0.1, -2.0, 2.0, "cos W tau in the normal load", "T_p"),
    Knob("d3", 0.3, -2.0, 2.0, "sin 2 W tau in the normal load", "T_p"),
    Knob("d4", -0.5, -2.0, 2.0, "cos 2 W tau in the normal load", "T_p"),
)
