"""The paper's schemes, as models: the Masing law, and the tensioner without a belt."""

from __future__ import annotations

from slipstick.api import Model
from slipstick.laws.elastic import Linear
from slipstick.laws.friction import DryFriction
from slipstick.systems.tensioner import MASING_PARAMETERS, tensioner


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
