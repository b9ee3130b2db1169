"""A mass on two samples of entangled fibres in shear, the mount the fibre paper leaves as ongoing work.

Each sample is 40 mm x 60 mm and 20 mm thick; displacement u gives the strain u/h, and both together
the force 2 S tau. Where the print is wrong: sigma is 1.49e6 Pa, not 1.49e9 (then G1 + 2 sigma is the
printed 9.14e6), and the amplitudes u0 = h gamma_0 are 10 to 200 um.
"""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from slipstick.api import Model
from slipstick.laws.nonlocal_memory import FibreShear
from slipstick.signals import Cosine
from slipstick.systems.keyword_checks import check_number, known_keywords
from slipstick.systems.system_units import with_si_units

SAMPLE_PARAMETERS = {
    "stiffness": 1.49e6,
    "limit": 1.07e3,
    "linear": 6.16e6,
    "cubic": 2.38e9,
    "overshoot": 0.92,
    "ratio": 0.37,
}
SAMPLE_THICKNESS = 0.020  # m
SAMPLE_AREA = 0.040 * 0.060  # m^2


@known_keywords(lambda _: [own.name for own in fields(FibreShear)])
def fibre(
    amplitude: float = 20.0,
    frequency: float = 400.0,
    *,
    mass: float = 5.0,
    thickness: float = SAMPLE_THICKNESS,
    area: float = SAMPLE_AREA,
    **sample: Any,
) -> Model:
    """The shear mount: coordinate x, connection "mount", a load of order 1.

    amplitude, frequency : of the load [N], [rad/s].   mass : [kg] on the two samples.
    thickness, area : of each sample [m], [m^2].   sample : parameters of `FibreShear` instead of (38), (39) [Pa].
    """
    thickness, area = (
        check_number("fibre", name, value, above=0.0) for name, value in (("thickness", thickness), ("area", area))
    )
    m = Model("shear mount", frequency=frequency)
    x = m.coordinate("x", inertia=mass)
    law = FibreShear(**{**SAMPLE_PARAMETERS, **sample})
    m.connect(x, law.scaled(deflection=1.0 / thickness, force=2.0 * area), name="mount")
    m.load(x, Cosine(amplitude, order=1))
    return with_si_units(m, "m")
