"""Optima against closed forms and independent searches."""

from __future__ import annotations

import importlib
import math

import numpy as np
import pytest
from models import one_mass, slider

import slipstick as ss
from slipstick.errors import InvalidInput, NotConverged
from slipstick.sensitivity.design import DesignModel
from slipstick.sensitivity.gradient import gradient

optimise_module = importlib.import_module("slipstick.sensitivity.optimise")


def rubbing(limit: float = 0.2) -> ss.Model:
    laws = {"spring": ss.Linear(stiffness=1.0), "guide": ss.DryFriction(limit=limit)}
    return one_mass(laws, ss.Cosine(1.0, order=1), frequency=1.5)


def test_the_limit_with_the_greatest_dissipation_is_that_of_den_hartogs_closed_form():
    r = 1.5  # excitation over natural frequency; amplitude a = sqrt(V^2 - (f H)^2), work 4 f a
    v, h = 1.0 / (1.0 - r * r), math.sin(math.pi / r) / (r * (1.0 + math.cos(math.pi / r)))
    best = ss.optimise(
        rubbing(),
        "guide.dissipated",
        over={"guide.limit": (0.05, 0.8)},
        frequency=1.5,
        method="shooting",
        maximise=True,
    )
    limit = abs(v) / (math.sqrt(2.0) * h)
    assert best.converged
    assert best.values["guide.limit"] == pytest.approx(limit, rel=1e-5)
    assert best.value == pytest.approx(4.0 * limit * math.sqrt(v * v - (limit * h) ** 2), rel=1e-9)
    assert best.result.amplitude["x"] == pytest.approx(math.sqrt(v * v - (limit * h) ** 2), rel=1e-5)
    assert "at its bound" not in repr(best)


@pytest.mark.long  # seven curves
def test_the_friction_damper_with_the_least_peak_is_near_that_of_one_harmonic():
    force, stiffness = 1.0, 1.0
    model = slider(ss.Cosine(force, order=1), damping=0.0, stiffness=stiffness, limit=1.0)
    best = ss.optimise(model, "x.peak", over={"slider.limit": (0.5, 2.5)}, between=(0.9, 1.6), method="shooting")
    # with one harmonic: the limit is pi F / 2, the peak pi F / k_d; others change them by a few per cent
    assert best.values["slider.limit"] == pytest.approx(0.5 * math.pi * force, rel=0.05)
    assert best.value == pytest.approx(math.pi * force / stiffness, rel=0.05)
    around = best.result.gradient("x.peak", ["slider.limit"])
    assert abs(around.relative["slider.limit"]) < 1e-4
    assert best.value < best.first


def strip(values: dict[str, float]) -> ss.Model:
    """A mass on a strip of some thickness: its stiffness grows with the cube, its inertia in proportion."""
    d = values["thickness"]
    return one_mass(
        {"strip": ss.Linear(stiffness=d**3, damping=0.1)}, ss.Cosine(1.0, order=1), inertia=d, frequency=1.0
    )


def test_a_function_that_builds_models_is_differentiated_by_the_chain_rule():
    d = 1.5  # amplitude |d^3 - d + 0.1 i|^-1
    value, slopes = DesignModel(strip).slopes(strip({"thickness": d}).periodic(), "x.amplitude", {"thickness": d})
    size = abs(complex(d**3 - d, 0.1))
    assert value == pytest.approx(1.0 / size, rel=1e-11)
    assert slopes[0] == pytest.approx(-(d**3 - d) * (3.0 * d**2 - 1.0) / size**3, rel=1e-9)


def test_a_limit_on_another_figure_is_kept():
    k, m, w, bound = 2.0, 1.0, 1.0, 3.0

    def force_range(c: float) -> float:  # of the spring with its damper
        return 2.0 * abs(complex(k, c * w) / complex(k - m * w * w, c * w))

    model = one_mass({"spring": ss.Linear(stiffness=k, damping=0.8)}, ss.Cosine(1.0, order=1), frequency=w)
    best = ss.optimise(
        model, "x.amplitude", over={"spring.damping": (0.5, 3.0)}, frequency=w, maximise=True,
        subject_to={"spring.force_range": (None, bound)},
    )  # fmt: skip
    assert best.converged
    assert best.limits["spring.force_range"] == pytest.approx(bound, rel=1e-7)
    assert force_range(best.values["spring.damping"]) == pytest.approx(bound, rel=1e-7)


def test_a_run_is_optimised_and_a_bound_is_named():
    model = one_mass({"spring": ss.Linear(stiffness=1.0, damping=0.1)}, displacement=1.0)
    best = ss.optimise(model, "x.rms", over={"spring.damping": (0.05, 0.5)}, until=20.0)
    assert best.active == ("spring.damping",)
    assert best.values["spring.damping"] == pytest.approx(0.5, rel=1e-6)
    assert np.all(np.isfinite(best.history))


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"frequency": None}, "needs one of between"),
        ({"over": {}}, "over must have"),
        ({"over": {"guide.limit": (0.5, 0.3)}}, "low < high"),
        ({"over": {"guide.limit": (0.5, 0.8)}}, "outside its range"),
        ({"subject_to": {"x.rms": 3.0}}, "subject_to of x.rms"),
        ({"model_or_build": 3}, "must be a Model"),
        ({"figure": 3}, "figure must be a name"),
    ],
)
def test_wrong_requests_say_what_is_wrong(changed, words):
    request = {
        "model_or_build": rubbing(), "figure": "x.amplitude", "over": {"guide.limit": (0.1, 0.3)}, "frequency": 1.5,
    }  # fmt: skip
    with pytest.raises(InvalidInput, match=words):
        ss.optimise(**{**request, **changed})


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"foo": 3}, 'no option "foo"'),
        ({"subject_to": [1]}, "subject_to must have (low, high) by name"),
        ({"subject_to": {"x.rms": (3.0, 2.0)}}, "low <= high"),
    ],
)
def test_options_and_limits_that_cannot_be_are_refused(refused, options, words):
    with refused(words):
        ss.optimise(damped(), "x.amplitude", over={"spring.damping": (0.05, 0.5)}, frequency=1.0, **options)


def test_a_peak_that_leaves_the_band_on_the_way_does_not_end_the_search():
    """The peak F / (c w_d) is lower, the stiffer the spring; trials with a stiffer one have it above the band."""
    c, bound = 0.2, 1.45
    model = one_mass({"spring": ss.Linear(stiffness=1.1, damping=c)}, ss.Cosine(1.0, order=1))
    best = ss.optimise(
        model, "x.peak", over={"spring.stiffness": (0.9, 8.0)}, between=(0.8, 1.5),
        subject_to={"x.peak_frequency": (None, bound)},
    )  # fmt: skip
    assert best.converged
    assert best.values["spring.stiffness"] == pytest.approx(bound**2 + 0.5 * c**2, rel=1e-6)  # w_peak^2 = k - c^2 / 2
    assert best.value == pytest.approx(1.0 / (c * math.sqrt(bound**2 + 0.25 * c**2)), rel=1e-7)


def test_limits_that_no_point_meets_are_named():
    limits = {"x.rms": (None, 1e-3)}
    found = ss.optimise(damped(), "x.amplitude", over={"spring.damping": (0.05, 0.5)}, frequency=1.0, subject_to=limits)
    assert not found.converged
    assert "no point within the limits was found: x.rms is" in found.message


def damped():
    m = ss.Model("linear")
    x = m.coordinate("x", inertia=1.0)
    m.connect(x, ss.Linear(stiffness=1.0, damping=0.1), name="spring")
    m.load(x, ss.Cosine(1.0, order=1))
    return m


@pytest.mark.parametrize("trials", [1, 100])
def test_a_trial_without_derivatives_does_not_end_the_search(monkeypatch, trials):
    """The first trials have none, as at a corner of a peak; a search that meets nothing else ends with its best."""
    model = one_mass({"spring": ss.Linear(stiffness=2.0, damping=0.8)}, ss.Cosine(1.0, order=1), frequency=1.0)
    asked = []

    def gradient_but_for_some(result, figure, by):
        asked.append(result.model.connections[0].law.damping)
        if asked[0] != asked[-1] and len(set(asked)) <= 1 + trials:
            raise NotConverged("a corner of the curve")
        return gradient(result, figure, by)

    monkeypatch.setattr(optimise_module, "gradient", gradient_but_for_some)
    how = {"over": {"spring.damping": (0.5, 3.0)}, "frequency": 1.0, "maximise": True}
    how["subject_to"] = {"spring.force_range": (None, 3.0)}
    if trials > 1:
        with pytest.raises(NotConverged, match="a corner of the curve") as caught:
            ss.optimise(model, "x.amplitude", **how)
        assert caught.value.partial.values["spring.damping"] == pytest.approx(0.8)
        return
    best = ss.optimise(model, "x.amplitude", **how)
    damping = best.values["spring.damping"]
    assert best.converged
    assert 2.0 * abs(complex(2.0, damping) / complex(1.0, damping)) == pytest.approx(3.0, rel=1e-7)
