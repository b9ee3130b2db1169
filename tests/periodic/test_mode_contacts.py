"""Nonlinear modes with friction contacts: Jenkins, one-sided springs, linear modes, differences."""

from __future__ import annotations

import numpy as np
import pytest

import slipstick as ss
from slipstick.periodic.modes.nonlinear_mode import _checked_request

LAW = {"normal_stiffness": 300.0, "tangential_stiffness": 150.0}
AMPLITUDES = [1e-3, 5e-3, 6e-3, 1e-2, 3e-2, 0.1]


def oblique(**options):
    m = ss.Model("pressed")
    x, z = (m.coordinate(name, inertia=1.0) for name in "xz")
    m.connect(x, ss.Linear(stiffness=100.0, damping=0.5))
    m.connect(z, ss.Linear(stiffness=210.0, damping=0.5))
    m.connect((x, z + 0.3 * x), ss.FrictionContact(**{**LAW, "friction": 0.4, "preload": 2.0, **options}), name="pad")
    return m


@pytest.mark.parametrize("damping", [0.0, 2.0])
def test_derivatives_of_the_equations_are_those_of_differences(damping):
    family = _checked_request(oblique(normal_damping=damping), mode=1, between=(1e-3, 0.05)).plan.family
    p = np.log10(0.02)
    x = family.start(p)
    x = x + 0.02 * np.random.default_rng(0).normal(size=x.size)
    found, h = family.linearise(x, p), 1e-7
    for k in range(0, x.size, 4):
        step = h * np.eye(x.size)[k]
        change = (family.linearise(x + step, p).residual - family.linearise(x - step, p).residual) / (2.0 * h)
        assert change == pytest.approx(found.by_x[:, k], abs=1e-7)
    change = (family.linearise(x, p + h).residual - family.linearise(x, p - h).residual) / (2.0 * h)
    assert change == pytest.approx(found.by_p, abs=1e-7)


def test_a_constant_normal_load_has_the_mode_of_jenkins():
    modes = []
    for is_contact in (True, False):
        m = ss.Model("constant load")
        x, n = m.coordinate("x", inertia=1.0), m.coordinate("n", motion=ss.Constant(0.0))
        m.connect(x, ss.Linear(stiffness=100.0, damping=0.5))
        if is_contact:
            m.connect((x, n), ss.FrictionContact(**LAW, friction=0.4, preload=2.0))
        else:
            m.connect(x, ss.Jenkins(stiffness=150.0, limit=0.8))
        modes.append(m.nonlinear_mode(amplitudes=AMPLITUDES).data)
    for name in ("frequency", "damping_ratio"):
        assert modes[0][name].values == pytest.approx(modes[1][name].values, rel=1e-11)
    assert np.ptp(modes[0]["damping_ratio"].values) > 0.05


def test_without_friction_it_is_a_one_sided_spring():
    modes = []
    for is_contact in (True, False):
        m = ss.Model("opens")
        z, x = m.coordinate("z", inertia=1.0), m.coordinate("x", inertia=1.0)
        m.connect(z, ss.Linear(stiffness=210.0, damping=0.5))
        m.connect(x, ss.Linear(stiffness=2e3, damping=0.5))
        if is_contact:
            m.connect((x, z), ss.FrictionContact(**LAW, friction=0.0, preload=2.0))
        else:
            m.connect(z, ss.Contact(stiffness=300.0, gap=-2.0 / 300.0))
        modes.append(m.nonlinear_mode(amplitudes=AMPLITUDES, coordinate="z").data)
    apart = np.abs(modes[0]["frequency"].values - modes[1]["frequency"].values)
    assert (apart <= sum(mode["frequency_error"].values for mode in modes) + 1e-12).all()
    assert np.ptp(modes[0]["frequency"].values) > 1.0  # it opens


def test_small_motions_are_the_linear_modes_in_stick():
    linear = oblique().modes(state={"pad": "stick"})
    for k in (0, 1):
        mode = oblique().nonlinear_mode(mode=k + 1, amplitudes=[1e-5]).data
        assert mode["frequency"].values[0] == pytest.approx(linear.magnitude[k], rel=1e-6)


def test_larger_motions_are_softer_and_lose_energy_by_slip_and_lift_off():
    mode = oblique().nonlinear_mode(mode=1, between=(1e-3, 0.05)).data
    frequency = mode["frequency"].values
    assert frequency[-1] < 0.75 * frequency[0]
    assert mode["damping_ratio"].values.max() > 3.0 * mode["damping_ratio"].values[0]
