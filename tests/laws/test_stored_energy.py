"""Stored energy of laws: the integral of the force where nothing is lost, and never more than was put in."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from laws.example_laws import every_law
from scipy.integrate import quad

import slipstick as ss

LAWS = every_law()
SPRINGS = {
    "linear": ss.Linear(stiffness=2.0, preload=0.4),
    "damped": ss.Linear(stiffness=2.0, damping=0.3, preload=0.4),
    "polynomial": LAWS["polynomial"],
    "freeplay": LAWS["freeplay"],
    "no gap": ss.Freeplay(stiffness=3.0, half_gap=0.0),
    "two-stage": LAWS["two-stage"],
    "piecewise-linear": LAWS["piecewise-linear"],
    "contact": LAWS["contact"],
    "preloaded contact": ss.Contact(stiffness=2.0, gap=-0.3),
    "sqrt-stage": LAWS["sqrt-stage"],
    "sqrt of one stiffness": ss.TwoStage(stiffness=3.0, inner_ratio=1.0, half_gap=0.4).regularised(
        "sqrt", rounding=0.05
    ),
    "tanh-stage": LAWS["tanh-stage"],
    "sum": ss.Freeplay(stiffness=3.0, half_gap=0.4) + ss.Linear(stiffness=1.0, preload=0.2),
    "scaled": ss.Polynomial(coefficients=(0.1, 1.0, -0.3)).scaled(deflection=-2.0, force=0.7),
}
CORNERS = (-0.5, -0.4, -0.3, 0.2, 0.3, 0.4, 0.9)


@pytest.mark.parametrize("name", SPRINGS)
@pytest.mark.parametrize("u", [-1.3, -0.45, -0.1, 0.25, 0.6, 1.7])
def test_a_spring_stores_the_integral_of_its_force(name, u):
    law = SPRINGS[name]
    corners = [c for c in CORNERS if min(u, 0.0) < c < max(u, 0.0)]
    work, _ = quad(lambda x: law.update(x, 0.0, law.start())[0], 0.0, u, points=corners or None, epsabs=1e-13)
    gained = law.stored(u, law.start()) - law.stored(0.0, law.start())
    assert gained == pytest.approx(work, rel=1e-11, abs=1e-12)


def test_a_slider_stores_what_its_spring_holds():
    law = ss.Jenkins(stiffness=2.0, limit=0.6)
    assert law.stored(0.2, (0.0,)) == pytest.approx(0.5 * 2.0 * 0.2**2)
    assert law.stored(5.0, law.start(5.0)) == pytest.approx(0.5 * 0.6**2 / 2.0)  # limit^2/(2 k), however far


@settings(max_examples=40)
@given(st.lists(st.floats(-3.0, 3.0), min_size=2, max_size=12))
def test_no_slider_gives_more_than_it_took(way):
    law = ss.Iwan(stiffnesses=(1.0, 2.0), limits=(0.2, 0.7), parallel_stiffness=0.1)
    memory, work = law.start(), 0.0
    start, u = law.stored(0.0, memory), 0.0
    for target in way:
        for i in range(1, 201):  # fine steps: trapezia are exact but for those with a corner in them
            x = u + (target - u) * i / 200
            before = law.update(u + (target - u) * (i - 1) / 200, 0.0, memory)[0]
            force, memory = law.update(x, 0.0, memory)
            work += 0.5 * (before + force) * (target - u) / 200
        u = target
    corners = 1e-3 * len(way)
    assert law.stored(u, memory) - start <= work + corners


@pytest.mark.parametrize("name", ["dry-friction", "dry-friction viscous", "sqrt-friction", "tanh-friction"])
def test_friction_stores_nothing(name):
    law = LAWS[name]
    assert law.stored(0.7, law.start(0.7)) == 0.0


def test_friction_with_a_varying_limit_stores_nothing():
    law = ss.DryFriction(limit=ss.Fourier(mean=1.0, cos=(0.3,)), damping=0.2)
    assert law.stored(0.7, law.start(0.7)) == 0.0


@pytest.mark.parametrize("name", ["modified-dahl", "dahl", "dynamic-hysteresis", "fibre-shear", "bouc-wen", "lugre"])
def test_laws_that_cannot_tell_say_none(name):
    law = LAWS[name]
    assert law.stored(0.3, law.start(0.3)) is None


def test_a_varying_spring_cannot_tell():
    law = ss.Linear(stiffness=2.0).modulated(ss.Fourier(mean=1.0, cos=(0.3,)))
    assert law.stored(0.3, law.start(0.3)) is None


def test_a_sharp_tanh_stage_comes_close_to_the_freeplay_it_stands_for():
    exact = ss.Freeplay(stiffness=3.0, half_gap=0.4)
    smooth = exact.regularised("tanh", sharpness=1e4)
    assert math.isclose(smooth.stored(1.0, ()), exact.stored(1.0, ()), rel_tol=1e-6)
