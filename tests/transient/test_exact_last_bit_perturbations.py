"""Light wheels on stiff shafts, their numbers changed in the last bits: runs are the same, to what the bits make.

Whether a bearing slips hangs on forces that are far smaller than those they are summed from; processors round these
each in their own way, and so does a model whose inertias differ in the last bits.
"""

from __future__ import annotations

import numpy as np
import pytest

import slipstick as ss
from slipstick.results.run import Run


def gears(last_bits: float, light: float) -> ss.Model:
    """A body, two light wheels with play between them, the second one shrunk on a body; ``light``: what is negligible.

    last_bits : by which all inertias are larger, of them.
    """
    m = ss.Model("light wheels")
    inertias = {"psi": 1.0, "delta": 0.01 * light**2, "gamma": 0.01 * light**2, "phi": 2.0}
    psi, delta, gamma, phi = (m.coordinate(name, inertia=i * (1.0 + last_bits)) for name, i in inertias.items())
    m.connect(psi - delta, ss.Freeplay(stiffness=100.0, half_gap=0.01), name="input")
    m.connect(delta - 2.0 * gamma, ss.Freeplay(stiffness=400.0, half_gap=0.01), name="mesh")
    m.connect(gamma - phi, ss.Linear(stiffness=3e4 / light), name="output")
    for wheel in (delta, gamma):
        m.connect(wheel, ss.DryFriction(limit=0.01 * light, damping=0.05 * light), name=f"bearing {wheel}")
    m.connect(phi, ss.Linear(stiffness=20.0), name="to ground")
    m.load(psi, ss.Cosine(5.0, frequency=3.0))
    return m


def at_rest(last_bits: float) -> ss.Model:
    """A train whose last wheel is at rest until its body pulls at it with the limit of its bearing."""
    m = ss.Model("a light wheel at rest")
    inertias = {"motor": 1.3, "first": 8e-8, "second": 3.3e-7, "body": 0.94, "last": 5.4e-8}
    motor, first, second, body, last = (
        m.coordinate(name, inertia=i * (1.0 + last_bits)) for name, i in inertias.items()
    )
    m.connect(motor - 2.0 * first, ss.Linear(stiffness=105.0), name="belt")
    m.connect(first - second, ss.Freeplay(stiffness=1e4, half_gap=0.01), name="mesh")
    m.connect(second + 0.5 * body, ss.Linear(stiffness=34e3), name="shaft")
    m.connect(body + 0.5 * last, ss.Linear(stiffness=575.0), name="band")
    m.connect(last, ss.Linear(stiffness=20.0), name="to ground")
    for wheel, limit, damping in ((second, 0.0137, 0.0), (body, 0.0251, 0.0), (last, 1e-4, 5e-4)):
        m.connect(wheel, ss.DryFriction(limit=limit, damping=damping), name=f"bearing {wheel}")
    m.load(motor, ss.Cosine(4.56, frequency=2.54))
    return m


def same_to_the_last_bits(runs: list[Run]) -> bool:
    """As many events, and ends as close as the runs say themselves that rounding brings them."""
    ends = np.array([run.data.displacement.values[-1] for run in runs])
    apart = np.abs(ends - ends[0]).max()
    return len({run.stats.events for run in runs}) == 1 and apart < 2.0 * max(run.certificate.error for run in runs)


@pytest.mark.parametrize("light", [0.1, 0.01, pytest.param(0.003, marks=pytest.mark.long)])
def test_a_bearing_of_a_light_wheel_slips_alike_whatever_the_last_bits(light: float) -> None:
    """The second bearing slips and sticks with the ringing of its wheel: six million radians a second at its lightest.

    One in ten of the runs ended at a slip whose first acceleration is rounding.
    """
    runs = [gears(1e-15 * k, light).simulate(until=0.2, method="exact", samples=50) for k in range(40)]
    assert same_to_the_last_bits(runs)
    assert runs[0].stats.events > 50


def test_a_light_wheel_that_is_pulled_out_of_rest_begins_to_slip_whatever_the_last_bits() -> None:
    """At its limit forces cancel, to what rounding leaves of the body's place: one in four of the runs ended there."""
    runs = [at_rest(1e-15 * k).simulate(until=0.12, method="exact", samples=3) for k in range(40)]
    assert same_to_the_last_bits(runs)
    slips = runs[0].events["after"][runs[0].events["connection"] == "bearing last"]
    assert slips[0] == "slip+"
