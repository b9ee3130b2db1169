"""Numbers of the tensioner paper that its figures can be made with: of the laws, of the rig, of the system."""

from __future__ import annotations

from collections.abc import Mapping

from slipstick.papers.knob import Knob, printed_values
from slipstick.systems.tensioner import MASING_PARAMETERS as IN_MASING
from slipstick.systems.tensioner import MODIFIED_DAHL_PARAMETERS

MASING = (
    Knob("stiffness", IN_MASING["stiffness"], 1e4, 1e7, "k of the Masing law, the spring before the slider", "N/m"),
    Knob("limit", IN_MASING["limit"], 1.0, 2000.0, "alpha of the Masing law, the force at which it slides", "N"),
    Knob("parallel_stiffness", IN_MASING["parallel_stiffness"], 1e4, 1e7, "k0 of the Masing law", "N/m"),
    Knob("damping", IN_MASING["damping"], 0.0, 1e5, "c of the Masing law, at 9.4 rad/s", "N s/m"),
)
DAHL = (
    Knob(
        "rate", float(str(MODIFIED_DAHL_PARAMETERS["rate"])), 1e4, 1e6, "Lambda of the modified Dahl law", "N^(1-mu)/m"
    ),
    Knob("exponent", float(str(MODIFIED_DAHL_PARAMETERS["exponent"])), 0.1, 2.0, "mu of the modified Dahl law"),
)
SYSTEM = (
    Knob("amplitude", 122.1, 1.0, 400.0, "f1, amplitude of the force (53)", "N"),
    Knob("frequency", 73.15, 25.0, 125.0, "Omega of the force (53)", "rad/s"),
    Knob("mean", 3.5, -400.0, 400.0, "f0, mean of the force (53)", "N"),
    Knob("phase", 0.40, -3.2, 3.2, "phase of the force (53)", "rad"),
)
BELT = (
    Knob("mass", 73.84, 10.0, 300.0, "m1, the mass on the belt", "kg"),
    Knob("belt_stiffness", 560e3, 1e5, 1e7, "K of the belt", "N/m"),
)
RIG = (
    Knob("swing", 5.2e-4, 1e-5, 2e-3, "amplitude of the rig's deflection (32)", "m"),
    Knob("middle", 5.4e-4, -1e-3, 3e-3, "mean of the rig's deflection (32)", "m"),
    Knob("preload", 573.0, 0.0, 2000.0, "-F0 of the Masing law (36b)", "N"),
)
NOISE = Knob("noise", 5.0, 0.1, 50.0, "of the force in the synthetic loops", "N")
HEIGHT = Knob("height", 1.0, 0.1, 1.9, "alpha of alpha sigma, where the slider moves; beta is its inverse")
OF_LAW = {"masing": MASING, "modified-dahl": DAHL}


def of_law(law: str, numbers: Mapping[str, float]) -> dict[str, float]:
    """Parameters of the law of this name; those of the other are left out."""
    return {name: numbers[name] for name in printed_values(OF_LAW[law]) if name in numbers}
