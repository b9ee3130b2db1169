"""Recommended tests against covariances in closed form and fits with the test added."""

from __future__ import annotations

import numpy as np
import pytest
from models import one_mass

import slipstick as ss
from slipstick.errors import InvalidInput


def rig() -> ss.Model:
    return one_mass({"spring": ss.Linear(stiffness=2.0, damping=0.2)}, ss.Cosine(1.0, order=1), frequency=1.0)


@pytest.fixture(scope="module")
def fit():
    return ss.calibrate(rig(), {1: (1.4106735979665885, 0.07071067811865475)}, ["spring.stiffness", "spring.damping"])


def test_a_linear_test_narrows_as_the_sum_of_informations_says(fit):
    c, k = fit.parameters["spring.damping"], fit.parameters["spring.stiffness"]
    orbit = fit.model.periodic(frequency=2.0**0.5)  # at resonance: amplitude 1 / (c w)
    noise = 1e-3
    found = fit.advise({"resonance": (orbit, {"x.amplitude": noise})})
    relative = np.array([[k.deviation / k.value, 0.0], [0.0, c.deviation / c.value]])
    covariance = relative @ fit.correlation @ relative
    slopes = orbit.gradient("x.amplitude", ["spring.stiffness", "spring.damping"]).array * [k.value, c.value]
    expected = np.linalg.inv(np.linalg.inv(covariance) + np.outer(slopes, slopes) / noise**2)
    after = found.tests[0].deviations
    assert found.parameter == "spring.damping"
    assert after["spring.stiffness"] == pytest.approx(expected[0, 0] ** 0.5, rel=1e-9)
    assert after["spring.damping"] == pytest.approx(expected[1, 1] ** 0.5, rel=1e-9)
    assert after["spring.damping"] < 0.1 * found.now["spring.damping"]


def test_the_test_that_moves_with_the_parameter_is_recommended(fit):
    near, far = fit.model.periodic(frequency=2.0**0.5), fit.model.periodic(frequency=0.2)
    found = fit.advise({"far below": (far, {"x.amplitude": 1e-3}), "resonance": (near, {"x.amplitude": 1e-3})})
    assert found.best == "resonance"
    assert found.sentence.startswith('Measure "resonance" next: it narrows the interval of spring.damping from')
    assert "far below" in repr(found)


def test_a_loop_beyond_slip_is_recommended_for_the_limit():
    law = ss.Masing(stiffness=1e3, limit=2.0, parallel_stiffness=50.0)
    t = np.linspace(0.0, 4.0 * np.pi, 801)
    small = 2.5e-3 * np.sin(t)
    rng = np.random.default_rng(0)
    fit = ss.identify(
        ss.Loop(small, law.trace(small) + 5e-3 * rng.normal(size=t.size), t=t), ss.Masing, fixed={"preload": 0.0}
    )
    found = fit.advise({"the same again": (t, small), "far into slip": (t, 1e-2 * np.sin(t))})
    wide = found.parameter
    again = next(test for test in found.tests if test.name == "the same again")
    assert found.best == "far into slip"
    assert again.deviations[wide] < found.now[wide]


def test_wrong_candidates_say_what_is_wrong(fit):
    orbit = fit.model.periodic(frequency=1.0)
    for candidates, words in (
        ({}, "candidates must be"),
        ({"a": orbit}, "must be \\(result"),
        ({"a": (orbit, {"x.amplitude": 0.0})}, "must be > 0"),
    ):
        with pytest.raises(InvalidInput, match=words):
            fit.advise(candidates)


def changed(change):
    m = rig()
    if change == "another coordinate":
        m.coordinate("y", inertia=1.0)
        m.connect(m["y"], ss.Linear(stiffness=1.0, damping=0.1))
    elif change == "another inertia":
        m = one_mass({"spring": ss.Linear(stiffness=2.0, damping=0.2)}, ss.Cosine(1.0, order=1), inertia=3.0)
    elif change == "another value":
        m = one_mass({"spring": ss.Linear(stiffness=4.0, damping=0.2)}, ss.Cosine(1.0, order=1))
    elif change == "another law":
        m = one_mass({"spring": ss.Linear(stiffness=2.0, damping=0.2, preload=1.0)}, ss.Cosine(1.0, order=1))
    return m


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ("another coordinate", "its coordinates are x, y, those of the fit x"),
        ("another inertia", 'its coordinate "x" has the inertia 3, in the fit 1'),
        ("another value", "its spring.stiffness is 4, in the fit 2"),
        ("another law", 'its connection "spring" has Linear('),
    ],
)
def test_results_of_another_model_are_refused(fit, refused, change, words):
    orbit = changed(change).periodic(frequency=1.0)
    with refused(f'candidate "test" is a result of another model: {words}', "compute it with fit.model"):
        fit.advise({"test": (orbit, {"x.amplitude": 1e-3})})


def test_the_model_before_the_fit_under_other_loads_is_no_other_model(fit):
    m = one_mass({"spring": ss.Linear(stiffness=2.0, damping=0.2)}, ss.Cosine(5.0, order=1))
    assert fit.advise({"test": (m.periodic(frequency=1.0), {"x.amplitude": 1e-3})}).tests


def loops_of_a_slider(amplitude):
    """Loops that reach slip only if the amplitude is above 1."""
    t = np.linspace(0.0, 2.0, 401)
    u = amplitude * np.sin(2.0 * np.pi * t)
    force = ss.Jenkins(stiffness=1.0, limit=1.0).trace(u) + 0.01 * np.random.default_rng(0).normal(size=t.size)
    return ss.Loop(u, force, t)


def test_the_cycle_that_separates_a_slider_from_a_spring_is_the_one_that_slips():
    loop = loops_of_a_slider(0.8)
    spring = ss.identify(loop, ss.Linear, fixed={"damping": 0.0})
    slider = ss.identify(loop, ss.Jenkins, fixed={"limit": 1.0})
    found = slider.advise(against=spring)
    assert found.best == "a cycle of four times the largest amplitude"
    assert found.sentence.startswith('Measure "a cycle of four times the largest amplitude" next to separate')
    assert found.sentence.endswith(" times their residual.")
    larger = max(slider.noise, slider.residual, spring.residual)
    assert found.tests[0].difference == pytest.approx(found.tests[0].ratio * larger, rel=1e-12)
    below = {test.name: test.ratio for test in found.tests}["a cycle of half the largest amplitude"]
    assert below < 0.2
    # the spring turns by x, for which both tests count: least squares of the new difference, held by the old loop
    u = 3.2 * np.sin(2.0 * np.pi * np.arange(401) / 200.0)
    apart = ss.Jenkins(stiffness=1.0, limit=1.0).trace(u) - u
    turned = (u @ apart) / (u @ u + loop.u @ loop.u)
    assert found.tests[0].difference == pytest.approx(np.sqrt(np.mean((apart - turned * u) ** 2)), rel=0.05)
    small = slider.advise({"the same again": 0.5 * loop.u}, against=spring)
    assert "None of these tests separates" in small.sentence


def test_usual_cycles_stand_in_for_candidates():
    fit = ss.identify(loops_of_a_slider(1.1), ss.Jenkins)
    found = fit.advise()
    assert {test.name for test in found.tests} > {"a cycle of twice the largest amplitude"}
    after = [test.deviations[found.parameter] for test in found.tests]
    assert after == sorted(after)
    for test in found.tests:  # information only adds
        assert all(own <= found.now[name] * (1.0 + 1e-9) for name, own in test.deviations.items())


def test_another_kind_of_result_separates_nothing(refused):
    with refused("against must be another fit"):
        ss.identify(loops_of_a_slider(1.1), ss.Jenkins).advise(against=3)
    with refused('candidate "a" must be a deflection'):
        ss.identify(loops_of_a_slider(1.1), ss.Jenkins).advise({"a": "text"})
