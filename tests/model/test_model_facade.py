"""The user's Model: building, words, saving; and that importing it stays light."""

from __future__ import annotations

import subprocess
import sys

import pytest

import slipstick as ss


def pair():
    m = ss.Model("pair", frequency=2.0)
    x, y = m.coordinate("x", inertia=1.0, displacement=0.1), m.coordinate("y", inertia=0.5)
    m.connect(x - 2 * y, ss.Freeplay(stiffness=1e3, half_gap=0.01), name="mesh")
    m.connect(x, ss.DryFriction(limit=0.3), name="bearing")
    m.load(x, ss.Cosine(1.0, order=1))
    return m


def test_repr_counts():
    assert repr(pair()) == '<Model "pair": 2 coordinates, 2 connections, 1 load>'


def test_items_are_found_by_name_and_near_misses_are_named(refused):
    m = pair()
    assert m["x"].name == "x"
    assert m.connections[0].name == "mesh"
    assert m.connection("mesh").law.stiffness == 1e3
    assert m["mesh"] is m.connections[0]
    with refused('no coordinate "z", nor a connection (known: bearing, mesh, x'):
        m["z"]
    with refused('no coordinate "mesh"'):
        m.find_coordinate("mesh")
    with refused('no connection "mech" (did you mean "mesh"?)'):
        m.connection("mech")


def test_a_saved_model_opens_as_it_was(tmp_path):
    m = pair()
    m.save(tmp_path / "pair.yaml")
    again = ss.open(tmp_path / "pair.yaml")
    assert isinstance(again, ss.Model)
    assert again == m
    assert again.modes().magnitude == pytest.approx(m.modes().magnitude)


def test_a_saved_model_of_matrices_opens_as_it_was(tmp_path):
    m = ss.Model.from_matrices([[1.0, 0.0], [0.0, 2.0]], None, [[3.0, -1.0], [-1.0, 1.0]], names=["a", "b"])
    m.save(tmp_path / "matrices.yaml")
    assert ss.open(tmp_path / "matrices.yaml") == m


def test_verbs_do_not_change_the_model():
    m, untouched = pair(), pair()
    m.modes(), m.equations()
    m.connect(m["y"], ss.Linear(stiffness=1.0))
    untouched.connect(untouched["y"], ss.Linear(stiffness=1.0))
    m.equilibrium()
    assert m == untouched


def test_building_a_model_imports_nothing_heavy():
    code = """
import sys
import slipstick as ss
m = ss.systems.tensioner()
m.coordinate("extra", inertia=1.0)
heavy = [name for name in ("scipy", "sympy", "xarray", "pydantic", "numba", "matplotlib") if name in sys.modules]
assert not heavy, heavy
"""
    subprocess.run([sys.executable, "-c", code], check=True, timeout=600)


def test_modes_and_equilibrium_of_a_small_model_need_neither_scipy_nor_sympy():
    code = """
import sys
import slipstick as ss
m = ss.systems.tensioner()
m.modes(), m.equilibrium()
heavy = [name for name in ("scipy", "sympy", "xarray", "numba") if name in sys.modules]
assert not heavy, heavy
"""
    subprocess.run([sys.executable, "-c", code], check=True, timeout=600)


def test_an_unknown_argument_of_a_builder_is_refused_with_a_hint() -> None:
    with pytest.raises(ss.WrongArguments, match=r'no argument "displacment" .did you mean "displacement"'):
        ss.Model("m").coordinate("x", displacment=1.0)
    with pytest.raises(ss.WrongArguments, match="too many positional arguments; it takes name, inertia="):
        ss.Model("m").coordinate("x", 1.0)


@pytest.mark.parametrize("function", ["sin", None, {}])
def test_a_load_that_is_no_function_of_time_is_shown_one(function):
    m = ss.Model("m")
    x = m.coordinate("x", inertia=1.0)
    with pytest.raises(
        ss.InvalidInput, match=r"a load is a function of time .*; ss\.Cosine\(2\.0, frequency=3\.0\) is one$"
    ):
        m.load(x, function)
