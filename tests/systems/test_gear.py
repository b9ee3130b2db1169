"""The four-body train: its equations, and what becomes of it when the wheels are light."""

from __future__ import annotations

import numpy as np
import pytest

import slipstick as ss


def test_the_ratio_and_the_stiffness_of_the_teeth_are_those_of_the_radii():
    m = ss.systems.gear(radius_delta=0.03, radius_gamma=0.12, tooth_stiffness=2e5, tooth_half_gap=6e-4)
    mesh = m.connection("mesh")
    assert dict(mesh.deflection.terms) == pytest.approx({"delta": 1.0, "gamma": -4.0})
    assert mesh.law.stiffness == pytest.approx(0.03**2 * 2e5)
    assert mesh.law.half_gap == pytest.approx(6e-4 / 0.03)


def test_its_second_simplification_has_the_stiffness_and_the_gap_of_the_chain():
    m = ss.systems.gear()
    red = m.reduce(massless=["delta", "gamma"], frictionless=["delta", "gamma"])
    law = red.model.connection("psi-phi").law
    p, mesh = 2.0, 0.04**2 * 1e5
    assert law.stiffness == pytest.approx(1.0 / (1.0 / 40.0 + 1.0 / mesh + p**2 / 120.0), rel=1e-12)
    assert law.half_gap == pytest.approx(0.02 + 4e-4 / 0.04 + p * 0.02, rel=1e-12)


def test_torque_and_resistance_hold_each_other():
    """A constant torque against p times it at the other end: nothing moves for good, the shafts carry it."""
    m = ss.systems.gear(amplitude=0.0, mean=1.0, resisting=2.0)
    run = m.simulate(until=40.0, samples=400)
    late = run.data["force"].isel(time=-1)
    assert float(late.sel(connection="input")) == pytest.approx(1.0, abs=0.051)  # within the bearing's dry friction
    assert float(np.abs(run.data["velocity"].isel(time=-1)).max()) == pytest.approx(0.0, abs=1e-6)


@pytest.mark.parametrize("value", ["1", None, [1.0, 2.0]])
def test_a_resisting_torque_that_is_no_number_is_refused(value, refused):
    with refused("gear: resisting must be a number"):
        ss.systems.gear(resisting=value)


@pytest.mark.parametrize("value", [10**400, np.array([0.1, 0.2]), float("nan"), "1 mm"])
@pytest.mark.parametrize(
    "name",
    ["amplitude", "inertia_psi", "input_stiffness", "input_half_gap", "radius_delta", "radius_gamma", "tooth_stiffness",
     "tooth_half_gap", "limit_phi", "damping_gamma"],
)  # fmt: skip
def test_a_number_of_the_train_that_is_none_is_refused_in_one_line(name, value, refused):
    with refused("must be"):
        ss.systems.gear(**{name: value})
