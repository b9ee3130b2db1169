"""The paper's photographs and set-up, as models: the material, two samples between plates, one sample in shear."""

from __future__ import annotations

from slipstick.api import Model
from slipstick.laws.base import Law
from slipstick.laws.elastic import Linear, Polynomial
from slipstick.laws.nonlocal_memory import DynamicHysteresis, FibreShear
from slipstick.systems.fibre import SAMPLE_AREA, SAMPLE_PARAMETERS, SAMPLE_THICKNESS


def material() -> Model:
    """Fig. 1: contacts that are glued, contacts that slip, and those that come with large strains."""
    m = Model("contacts of fibres")
    strain = m.coordinate("strain", inertia=0.0)
    m.connect(strain, Linear(stiffness=SAMPLE_PARAMETERS["linear"]), name="glued")
    slip = DynamicHysteresis(stiffness=SAMPLE_PARAMETERS["stiffness"], limit=SAMPLE_PARAMETERS["limit"])
    m.connect(strain, slip, name="free")
    m.connect(strain, Polynomial(coefficients=(0.0, 0.0, 0.0, SAMPLE_PARAMETERS["cubic"])), name="new")
    return m


def double_lap() -> Model:
    """Fig. 2: a plate that is moved between two samples."""
    m = Model("double lap set-up")
    plate = m.coordinate("plate", inertia=1.0)
    for side in ("left", "right"):
        m.connect(plate, _sample(), name=f"{side} sample")
    return m


def sample() -> Model:
    """Fig. 3: the displacement u on one sample, which is sheared by u/h."""
    m = Model("one sample in shear")
    u = m.coordinate("u", inertia=0.0)
    m.connect(u, _sample(), name="sample")
    return m


def _sample() -> Law:
    return FibreShear(**SAMPLE_PARAMETERS).scaled(deflection=1.0 / SAMPLE_THICKNESS, force=SAMPLE_AREA)
