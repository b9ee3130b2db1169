"""Photographs and schemes of the papers, as models whose diagrams replace them."""

from __future__ import annotations

from slipstick.api import Model
from slipstick.laws.base import Law
from slipstick.laws.elastic import Linear, Polynomial
from slipstick.laws.friction import DryFriction
from slipstick.laws.nonlocal_memory import DynamicHysteresis, FibreShear
from slipstick.laws.piecewise_linear import Freeplay
from slipstick.model.elements import bearing, friction_block, gear_pair, shaft
from slipstick.systems.fibre import SAMPLE_AREA, SAMPLE_PARAMETERS, SAMPLE_THICKNESS
from slipstick.systems.tensioner import MASING_PARAMETERS, tensioner

# ---- fibre: the material, two samples between plates, one sample in shear


def fibre_contacts() -> Model:
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


def shear_sample() -> Model:
    """Fig. 3: the displacement u on one sample, which is sheared by u/h."""
    m = Model("one sample in shear")
    u = m.coordinate("u", inertia=0.0)
    m.connect(u, _sample(), name="sample")
    return m


def _sample() -> Law:
    return FibreShear(**SAMPLE_PARAMETERS).scaled(deflection=1.0 / SAMPLE_THICKNESS, force=SAMPLE_AREA)


# ---- gear: freeplay between two bodies, and each element of `slipstick.elements`


def toothed_elements() -> Model:
    m = Model("toothed elements")
    first, second = (m.coordinate(name, inertia=1.0) for name in ("z1", "z2"))
    m.connect(first - second, Freeplay(stiffness=2.0, half_gap=0.5), name="teeth")
    return m


def gear_teeth() -> Model:
    m = Model("gear pair")
    delta, gamma = (m.coordinate(name, inertia=1.0) for name in ("delta", "gamma"))
    gear_pair(m, delta, gamma, radii=(0.05, 0.1), tooth_stiffness=1e5, half_gap=1e-4, name="mesh")
    return m


def shaft_mounting() -> Model:
    m = Model("shaft with play")
    psi, delta = (m.coordinate(name, inertia=1.0) for name in ("psi", "delta"))
    shaft(m, psi, delta, stiffness=100.0, half_gap=0.01, name="shaft")
    return m


def block_on_base() -> Model:
    m = Model("block on a base")
    friction_block(m, "z", mass=1.0, limit=0.6, damping=0.4)
    return m


def body_in_bearing() -> Model:
    m = Model("body in a bearing")
    alpha = m.coordinate("alpha", inertia=1.0)
    bearing(m, alpha, limit=0.6, damping=0.4, name="bearing")
    return m


# ---- tensioner: the Masing law, and the tensioner without a belt


def masing_diagram() -> Model:
    """Fig. 3 (b): a spring in series with a slider, beside a spring and a damper."""
    m = Model("Masing law")
    u = m.coordinate("u", inertia=1.0)
    slider = m.coordinate("slider", inertia=0.0)
    m.connect(u - slider, Linear(stiffness=MASING_PARAMETERS["stiffness"]), name="k")
    m.connect(slider, DryFriction(limit=MASING_PARAMETERS["limit"]), name="α")
    m.connect(u, Linear(stiffness=MASING_PARAMETERS["parallel_stiffness"]), name="k₀")
    m.connect(u, Linear(stiffness=0.0, damping=MASING_PARAMETERS["damping"]), name="c")
    return m


def tensioner_alone() -> Model:
    """Fig. 7: the pulley on the arm of the tensioner."""
    whole = tensioner()
    m = Model("tensioner")
    u = m.coordinate("u", inertia=whole["u2"].inertia)
    m.connect(u, whole.connection("tensioner").law, name="tensioner")
    return m
