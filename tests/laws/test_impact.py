"""The law `Impact`: its parameters, states, words and files."""

from __future__ import annotations

import numpy as np
import pytest

import slipstick as ss


@pytest.mark.parametrize(("value", "words"), [(1.5, "<= 1, got 1.5"), (-0.1, ">= 0, got -0.1"), ("a", "number")])
def test_a_restitution_out_of_bounds_is_refused(value, words):
    with pytest.raises(ss.InvalidInput, match=f"restitution must be .*{words}"):
        ss.Impact(gap=0.1, restitution=value)


def test_below_the_gap_there_is_no_force_and_nothing_imposes_more():
    law = ss.Impact(gap=0.1)
    np.testing.assert_array_equal(law.trace(np.linspace(-1.0, 0.1, 9)), 0.0)
    beyond = r"a rigid stop at 0\.1 cannot be at a deflection of 0\.2"
    with pytest.warns(UserWarning, match=beyond), pytest.raises(ss.NotConverged, match="inf"):
        law.trace([0.0, 0.2])


def test_a_model_file_keeps_a_stop(tmp_path):
    (tmp_path / "stop.yaml").write_text(
        "slipstick: 1\ncoordinates:\n  x: {inertia: 2 kg, velocity: 1 m/s}\n"
        "connections:\n  stop: {deflection: x, law: impact, gap: 5 mm, restitution: 0.4}\n"
    )
    m = ss.open(tmp_path / "stop.yaml")
    assert m.connections[0].law == ss.Impact(gap=0.005, restitution=0.4)
    m.save(tmp_path / "again.yaml")
    assert ss.open(tmp_path / "again.yaml").connections[0].law == m.connections[0].law


def test_modes_in_contact_are_those_of_the_coupled_bodies():
    m = ss.Model("two bodies")
    a, b = m.coordinate("a", inertia=1.0), m.coordinate("b", inertia=3.0)
    m.connect(a, ss.Linear(stiffness=16.0), name="spring")
    m.connect(a - b, ss.Impact(gap=0.0), name="stop")
    assert m.modes(state={"stop": "contact"}).magnitude == pytest.approx([2.0])
    assert sorted(m.modes(state={"stop": "free"}).magnitude) == pytest.approx([0.0, 4.0])


def test_a_series_refuses_a_rigid_stop():
    with pytest.raises(ss.InvalidInput, match=r"is a rigid stop .*use Contact"):
        ss.Series(ss.Impact(gap=0.1), ss.Linear(stiffness=1.0))


def test_an_equilibrium_beyond_a_stop_is_refused_and_one_before_it_is_not():
    m = ss.Model("pressed")
    x = m.coordinate("x", inertia=1.0)
    m.connect(x, ss.Linear(stiffness=2.0), name="spring")
    m.connect(x, ss.Impact(gap=0.6), name="stop")
    m.load(x, ss.Constant(1.0))
    assert m.equilibrium().displacement["x"] == pytest.approx(0.5)
    m.load(x, ss.Constant(1.0))
    with pytest.raises(ss.NotConverged, match=r'"stop" would rest at 1, beyond the gap 0\.6'):
        m.equilibrium()
