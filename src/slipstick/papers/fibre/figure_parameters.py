"""Numbers of the fibre paper that its figures can be made with: those of the law, (38) and (39)."""

from __future__ import annotations

from dataclasses import replace

from slipstick.papers.fibre.synthetic_loops import SETS, STRESS_NOISE, TRENDS
from slipstick.papers.knob import Knob
from slipstick.systems.fibre import SAMPLE_PARAMETERS

FRICTION = (
    Knob("stiffness", SAMPLE_PARAMETERS["stiffness"], 1e5, 2e7, "sigma, of the dry friction at a reversal", "Pa"),
    Knob("limit", SAMPLE_PARAMETERS["limit"], 50.0, 2e4, "tau_C, the stress at which fibres slide", "Pa"),
)
LAW = (
    *FRICTION,
    Knob("linear", SAMPLE_PARAMETERS["linear"], 0.0, 5e7, "G1, the linear part", "Pa"),
    Knob("cubic", SAMPLE_PARAMETERS["cubic"], 0.0, 5e10, "G3, the stiffening", "Pa"),
    Knob("overshoot", SAMPLE_PARAMETERS["overshoot"], 0.0, 3.0, "alpha, the size of the overshoot"),
    Knob("ratio", SAMPLE_PARAMETERS["ratio"], 0.05, 0.95, "xi, how slowly the overshoot comes"),
)
# of the synthetic sets: the first is (38), (39); of the second only G1 is printed
NOISE = Knob("noise", STRESS_NOISE, 0.5, 200.0, "of the stress in the synthetic loops", "Pa")
GROWTH = Knob("growth", TRENDS["fibre-set-1"]["cubic"], -0.3, 0.3, "of G3, relative, for a factor e of frequency")
FIRST_SET = (*LAW, NOISE)
SECOND_SET = (*(replace(knob, value=SETS["fibre-set-2"][knob.name]) for knob in LAW), NOISE)
BOTH_SETS = (
    *(replace(knob, meaning=f"{knob.meaning}; of set 1") for knob in (*LAW, GROWTH)),
    replace(GROWTH, name="growth_2", value=TRENDS["fibre-set-2"]["cubic"], meaning=f"{GROWTH.meaning}; of set 2"),
    NOISE,
)
MASS = Knob("mass", 5.0, 0.5, 50.0, "on the two samples", "kg")
# resonances are looked for beside the natural frequency of G1 alone; without stiffening they grow beyond all strains
_MOUNT_LOWER_BOUNDS = {"linear": 1e6, "cubic": 2.5e8}
MOUNT = (MASS, *(replace(knob, low=_MOUNT_LOWER_BOUNDS.get(knob.name, knob.low)) for knob in LAW))
PUSH = (
    Knob("push", 900.0, 1.0, 3000.0, "the largest force of the half sine", "N"),
    Knob("duration", 2e-3, 2e-4, 2e-2, "of the half sine", "s"),
    MASS,
    *LAW,
)
# Fig. 11 is a sketch: these are ours
DIFFERENCE = (
    FRICTION[0],
    Knob("limit", 1600.0, 100.0, 1e4, "tau_C1, that of the first part", "Pa"),
    Knob("overshoot_limit", 600.0, 0.0, 1e4, "tau_C2, that of the second part", "Pa"),
    Knob("ratio", 0.3, 0.05, 0.95, "xi, of their rates"),
)
