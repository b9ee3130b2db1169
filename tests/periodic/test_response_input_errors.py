"""Frequency responses that cannot be: refused in one line before anything runs, with the way out, by every method."""

from __future__ import annotations

import math

import numpy as np
import pytest

import slipstick as ss
from slipstick.errors import InvalidInput, MissingFace, WrongArguments

METHODS = ("auto", "shooting", "harmonic-balance", "integration")
ORDER = ss.Cosine(0.2, order=1)


def gap(*loads, law=None):
    m = ss.Model("gap")
    x = m.coordinate("x", inertia=1.0)
    m.connect(x, ss.Linear(stiffness=0.2, damping=0.08), name="shaft")
    m.connect(x, law or ss.Freeplay(stiffness=1.0, half_gap=0.5), name="mesh")
    for load in loads:
        m.load(x, load)
    return m


@pytest.fixture(autouse=True)
def _nothing_runs(monkeypatch):
    """Whatever is refused is refused before a curve is begun."""

    def ran(*_, **__):
        raise AssertionError("it ran")

    for name in ("follow", "solve_at_values", "sweep_frequencies"):
        monkeypatch.setattr(f"slipstick.periodic.response.{name}", ran)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("loads", [(), (ss.Constant(3.0),), (ss.Cosine(0.0, order=1),)])
def test_no_periodic_load(loads, method, refused):
    with refused('model "gap" has no periodic load', "add a load with an order", error=InvalidInput):
        gap(*loads).frequency_response(between=(0.6, 1.0), method=method)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("load", [ss.Ramp(1.0), ss.Signal([0.0, 1.0], [0.0, 1.0])])
def test_loads_that_never_repeat(load, method, refused):
    with refused("is not periodic", "remove ramps, chirps and sampled signals", error=InvalidInput):
        gap(ORDER, load).frequency_response(between=(0.6, 1.0), method=method)


@pytest.mark.parametrize("method", METHODS)
def test_loads_that_have_no_common_period(method, refused):
    with refused("have no common period", "round them", error=InvalidInput):
        gap(ORDER, ss.Cosine(1.0, order=math.sqrt(2.0))).frequency_response(between=(0.6, 1.0), method=method)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("asked", [{"between": (0.6, 1.0)}, {"at": [0.4, 0.8]}])
def test_a_load_that_keeps_its_frequency(asked, method, refused):
    words = ("the load on x", "has the fixed frequency 0.8 rad/s", "an order instead of a frequency")
    with refused(*words, error=InvalidInput):
        gap(ORDER, ss.Cosine(1.0, frequency=0.8)).frequency_response(**asked, method=method)


def test_a_factor_that_keeps_its_frequency_is_named(refused):
    law = ss.Freeplay(stiffness=1.0, half_gap=0.5).modulated(ss.Constant(1.0) + ss.Cosine(0.1, frequency=0.6))
    with refused('a factor in connection "mesh"', "has the fixed frequency 0.6 rad/s", error=InvalidInput):
        gap(ORDER, law=law).frequency_response(between=(0.6, 1.0))


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ("HB", "harmonic-balance"),
        ("hbm", "harmonic-balance"),
        ("shoot", "shooting"),
        ("sweep", "integration"),
    ],
)
def test_a_method_by_another_name_is_asked_back(given, meant, refused):
    words = (f"unknown method '{given}' (did you mean \"{meant}\"?)", "methods: auto, shooting")
    with refused(*words, error=InvalidInput):
        gap(ORDER).frequency_response(between=(0.6, 1.0), method=given)


@pytest.mark.parametrize("given", [0, -1, 2.5, True, "7", 10**9])
def test_harmonics_that_cannot_be(given, refused):
    with refused("harmonics must be a whole number from 1 to 1000", "7 is usual", error=InvalidInput):
        gap(ORDER).frequency_response(between=(0.6, 1.0), method="harmonic-balance", harmonics=given)


def test_many_harmonics_of_a_long_period(refused):
    with refused("from 1 to 20 with subharmonic 50", "got 100", error=InvalidInput):
        gap(ORDER).frequency_response(at=[1.0], method="harmonic-balance", harmonics=100, subharmonic=50)


@pytest.mark.parametrize("method", ["shooting", "integration"])
def test_harmonics_where_there_are_none(method, refused):
    with refused(f'method "{method}" does not use harmonics', "leave harmonics= out", error=InvalidInput):
        gap(ORDER).frequency_response(between=(0.6, 1.0), method=method, harmonics=7)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("given", [0, -2, 1.5, True, "two", 10**9])
def test_subharmonics_that_cannot_be(given, method, refused):
    with refused("subharmonic must be a whole number from 1 to 1000", error=InvalidInput):
        gap(ORDER).frequency_response(between=(0.6, 1.0), method=method, subharmonic=given)


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({}, "give either between=(low, high) to follow a curve, or at=[...]"),
        ({"between": (0.6, 1.0), "at": [0.7]}, "give either between="),
        ({"between": (1.0, 1.0)}, "two different frequencies, got (1.0, 1.0); at= takes single ones"),
        ({"between": (1.0,)}, "two different frequencies"),
        ({"between": 1.0}, "two different frequencies"),
        ({"between": (1.0, 2.0, 3.0)}, "two different frequencies"),
        ({"between": (0.0, 1.0)}, "between must be finite frequencies > 0 in rad/s, got (0.0, 1.0); begin a little"),
        ({"between": (-1.0, 1.0)}, "frequencies > 0"),
        ({"between": (1.0, math.inf)}, "must be finite"),
        ({"between": "10 Hz"}, "between must be frequencies in rad/s, got '10 Hz'"),
        ({"at": []}, "at must have at least one of the frequencies in rad/s, got []"),
        ({"at": [0.0, 1.0]}, "at must be finite frequencies > 0"),
        ({"at": [math.nan]}, "at must be finite"),
        ({"at": ["fast"]}, "at must be frequencies in rad/s"),
        ({"at": [10**400]}, "at must be finite frequencies > 0 in rad/s, got [1000"),
        ({"between": ("1", "2")}, "between must be frequencies in rad/s, got ('1', '2'); without quotes 1 is a number"),
        ({"at": np.array(["1", "2"])}, "at must be frequencies in rad/s"),
        ({"between": (True, 2)}, "between must be frequencies in rad/s, got (True, 2)"),
    ],
)
def test_ranges_that_are_empty_or_cross_zero(asked, words, refused):
    with refused(words, error=InvalidInput):
        gap(ORDER).frequency_response(**asked)


def test_a_frequency_beyond_all_floats(refused):
    with refused("frequency must be finite", error=InvalidInput):
        gap(ORDER).periodic(frequency=10**400)


@pytest.mark.parametrize("start", [4, "orbit.nc", {}, [0.1, 0.2], ss.Constant(1.0)])
def test_a_start_that_is_no_orbit(start, refused):
    with refused("start must be an orbit from m.periodic", error=InvalidInput):
        gap(ORDER).frequency_response(between=(0.6, 1.0), start=start)
    with refused("start must be an orbit from m.periodic", error=InvalidInput):
        gap(ORDER).periodic(frequency=0.7, start=start)


def test_a_run_is_no_orbit(refused):
    m = gap(ORDER)
    with refused("start must be an orbit", "<Run of", error=InvalidInput):
        m.frequency_response(between=(0.6, 1.0), start=m.simulate(until=1.0, frequency=1.0))


def test_an_orbit_of_another_model(refused):
    orbit = gap(ORDER).periodic(frequency=0.7)
    other = gap(ORDER)
    y = other.coordinate("y", inertia=1.0)
    other.connect(y - other["x"], ss.Linear(stiffness=1.0, damping=0.1), name="more")
    with refused("start is an orbit of another model", "x, y", error=InvalidInput):
        other.frequency_response(between=(0.6, 1.0), start=orbit)


def test_values_of_a_parameter_in_quotes(refused):
    with refused("between must be values, got ('1', '2'); without quotes 1 is a number", error=InvalidInput):
        gap(ORDER).follow("mesh.stiffness", between=("1", "2"), frequency=0.7)


def test_an_orbit_of_a_model_with_other_laws_under_the_same_names(refused):
    def with_law(law, form=1.0):
        m = ss.Model("named alike")
        x = m.coordinate("x", inertia=1.0)
        m.connect(x, ss.Linear(stiffness=0.2, damping=0.08), name="shaft")
        m.connect(form * x, law, name="mesh")
        m.load(x, ss.Cosine(0.2, order=1))
        return m

    spring = ss.Freeplay(stiffness=1.0, half_gap=0.5)
    m = with_law(spring)
    other = with_law(ss.Polynomial(coefficients=(0.0, 1.0))).periodic(frequency=0.7)
    words = 'its connection "mesh" is Polynomial, that of this one Freeplay; m.periodic(frequency=...) finds one'
    for ask in (
        lambda: m.periodic(frequency=0.7, start=other),
        lambda: m.frequency_response(between=(0.6, 1.0), start=other),
        lambda: m.follow("shaft.stiffness", between=(0.1, 0.3), start=other),
    ):
        with refused("start is an orbit of another model", words, error=InvalidInput):
            ask()
    with refused("acts along", error=InvalidInput):
        m.periodic(frequency=0.7, start=with_law(spring, 2.0).periodic(frequency=0.7))
    # a smooth law stands for one with corners, and an orbit of it is a start
    smooth = with_law(spring.regularised("sqrt", rounding=1e-3)).periodic(frequency=0.7, method="harmonic-balance")
    assert m.periodic(frequency=0.7, start=smooth).stable


@pytest.mark.parametrize("method", ["shooting", "harmonic-balance"])
def test_an_orbit_outside_the_range(method, refused):
    orbit = gap(ORDER).periodic(frequency=2.0)
    with refused("start must lie between 0.6 rad/s and 1 rad/s", "at 2 rad/s; widen between=", error=InvalidInput):
        gap(ORDER).frequency_response(between=(1.0, 0.6), start=orbit, method=method)


def test_methods_that_are_none_and_arguments_that_are_none(refused):
    m = gap(ORDER)
    with refused("unknown method 'shoting'", 'did you mean "shooting"', error=InvalidInput):
        m.frequency_response(between=(0.6, 1.0), method="shoting")
    with refused('no argument "harmonic"', 'did you mean "harmonics"', error=WrongArguments):
        m.frequency_response(between=(0.6, 1.0), harmonic=3)


def test_a_law_that_shooting_cannot_follow_names_the_methods_that_can():
    m = gap(ORDER, law=ss.DryFriction(limit=0.3) + ss.Polynomial(coefficients=(0.0, 1.0, 0.0, 0.1)))
    m.connect(m.coordinate("light"), ss.Linear(stiffness=1.0))
    with pytest.raises(MissingFace, match=r'coordinate "light": no inertia.*harmonic-balance') as raised:
        m.frequency_response(between=(0.6, 1.0), method="shooting")
    assert "\n" not in str(raised.value)
