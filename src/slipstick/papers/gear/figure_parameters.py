"""Numbers of the gear paper's figures; the paper gives none, so that all are ours."""

from __future__ import annotations

from slipstick.papers.knob import Knob

HALF_WIDTH = (Knob("a", 1.0, 0.0, 3.0, "a of both projections"),)
SPRING = (
    Knob("stiffness", 2.0, 0.1, 100.0, "k of the spring", "N/m"),
    Knob("half_gap", 0.5, 0.0, 2.0, "Delta_0, half the freeplay", "m"),
)
LIMIT = Knob("limit", 0.6, 0.01, 0.95, "F_T0, the largest friction; sin t moves the block", "N")
BLOCK = (LIMIT, Knob("damping", 0.4, 0.0, 5.0, "C, viscous friction", "N s/m"))
GAPS = (
    Knob("input_half_gap", 0.02, 0.0, 0.2, "half the play of the driving shaft", "rad"),
    Knob("tooth_half_gap", 4e-4, 0.0, 1e-2, "half the clearance between teeth", "m"),
    Knob("output_half_gap", 0.02, 0.0, 0.2, "half the play of the driven shaft", "rad"),
)
TRAIN = (
    Knob("amplitude", 2.0, 0.1, 10.0, "amplitude of the torque on psi", "N m"),
    Knob("frequency", 8.0, 1.0, 40.0, "of the torque on psi", "rad/s"),
    *GAPS,
    Knob("limit_psi", 0.05, 0.0, 1.0, "dry friction of psi's bearing", "N m"),
    Knob("limit_phi", 0.05, 0.0, 1.0, "dry friction of phi's bearing", "N m"),
)
LOADED = (
    Knob("mean", 1.0, 0.1, 5.0, "mean torque on psi; phi resists twice as much", "N m"),
    *GAPS,
    Knob("damping_psi", 0.01, 0.001, 0.5, "viscous friction of psi's bearing", "N m s/rad"),
    Knob("damping_phi", 0.01, 0.001, 0.5, "viscous friction of phi's bearing", "N m s/rad"),
    # with more, the train rests under the smallest torque, or its curve cannot be followed
    Knob("limit_psi", 0.01, 0.0, 0.1, "dry friction of psi's bearing", "N m"),
    Knob("limit_phi", 0.01, 0.0, 0.05, "dry friction of phi's bearing", "N m"),
)
