"""A search that fails because a damper feeds the motion says so, and names the connection."""

from __future__ import annotations

import re

import numpy as np
import pytest

import slipstick as ss
from slipstick.periodic.stability.linear_instability import fastest_growing_mode

MASS, STIFFNESS = 2.0, 800.0


def one_mass(damping: float, *more: ss.Law) -> ss.Model:
    m = ss.Model("mass")
    x = m.coordinate("x", inertia=MASS)
    m.connect(x, ss.Linear(stiffness=STIFFNESS, damping=damping), name="joint")
    for k, law in enumerate(more):
        m.connect(x, law, name=f"other{k}")
    m.load(x, ss.Cosine(3.0, order=1))
    return m


def bench(damping: float) -> ss.Model:
    """A rotor on a table, with a joint whose damper a fit has made negative."""
    m = ss.Model("bench")
    table, rotor = (m.coordinate(name, inertia=kg) for name, kg in (("table", 80.0), ("rotor", 25.0)))
    m.connect(table, ss.Linear(stiffness=6e6, damping=800.0), name="feet")
    joint = ss.Masing(stiffness=1.2e7, limit=1800.0, parallel_stiffness=2.5e6, damping=damping)
    m.connect(rotor - table, joint, name="joint")
    m.load(table, ss.Cosine(1e3, order=1))
    return m


def test_frequency_and_damping_of_the_mode_are_those_of_the_closed_form() -> None:
    damping = -8.0
    ratio = damping / (2.0 * np.sqrt(STIFFNESS * MASS))
    frequency = np.sqrt(STIFFNESS / MASS) * np.sqrt(1.0 - ratio**2)
    told = re.search(r"at (\S+) rad/s has a damping ratio of (\S+) %", fastest_growing_mode(one_mass(damping)))
    assert told is not None
    assert float(told[1]) == pytest.approx(frequency, rel=1e-3)
    assert float(told[2]) == pytest.approx(100.0 * ratio, rel=1e-2)


def test_a_mode_that_only_grows_while_a_slider_slips_is_told() -> None:
    """While it sticks nothing moves at all."""
    assert '"joint" feeds energy in' in fastest_growing_mode(one_mass(-8.0, ss.DryFriction(limit=1.0)))


@pytest.mark.parametrize(
    "model",
    [
        one_mass(8.0),
        one_mass(0.0),
        one_mass(-8.0, ss.Linear(damping=9.0)),  # which takes more than the other feeds
        one_mass(1.0, ss.Polynomial(coefficients=(0.0, -2.0 * STIFFNESS, 0.0, 1e6))),  # snaps, and does not swing up
    ],
    ids=["damped", "undamped", "held by another", "two places of rest"],
)
def test_nothing_is_said_where_no_mode_grows(model: ss.Model) -> None:
    assert fastest_growing_mode(model) == ""


def test_a_response_that_is_not_found_names_the_connection_and_the_way_out() -> None:
    with pytest.raises(ss.NotConverged) as caught:
        bench(-2200.0).frequency_response(between=(ss.hz(20.0), ss.hz(120.0)))
    words = str(caught.value)
    assert words.startswith("the model is unstable at rest: a mode at ")
    assert 'connection "joint" feeds energy in, its damper is below zero; make it 0 or more' in words
    assert words.index("make it 0 or more") < words.index("shooting: ")  # the way out, before what was tried
    assert bench(0.0).frequency_response(at=[ss.hz(20.0)]).points[0].stable


@pytest.mark.parametrize("method", ["shooting", "harmonic-balance"])
def test_curves_and_orbits_with_a_damper_below_zero_have_a_note_on_it(method: str) -> None:
    """Also where another damper takes more, so that every orbit is stable."""
    m = one_mass(-8.0, ss.Linear(damping=9.0))
    curve, orbit = m.frequency_response(at=[10.0, 12.0], method=method), m.periodic(frequency=10.0, method=method)
    for notes in (curve.notes, orbit.notes):
        assert sum('connection "joint" has a damper below zero (-8 ' in note for note in notes) == 1
    sound = one_mass(8.0).frequency_response(at=[10.0, 12.0], method=method)
    assert not any("below zero" in note for note in sound.notes)


def test_a_search_that_fails_for_another_reason_says_nothing_of_modes() -> None:
    m = one_mass(8.0)
    with pytest.raises(ss.NotConverged) as caught:
        m.frequency_response(at=[10.0, 12.0], progress=lambda *_: interrupt())
    assert "unstable at rest" not in str(caught.value)


def interrupt() -> None:
    raise KeyboardInterrupt
