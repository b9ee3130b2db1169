"""Derivatives of runs against closed forms and central differences of runs, events included."""

from __future__ import annotations

import math

import numpy as np
import pytest
from gradient_models import build, central_difference, random_values
from models import one_mass, slider

import slipstick as ss
from slipstick.errors import InvalidInput, NotConverged
from slipstick.results.figures import read_figure

KINDS = ("jenkins", "masing", "freeplay", "friction")
FIGURES = ("x.last", "y.last_velocity", "x.mean", "y.rms", "x.highest", "y.peak_to_peak")
UNTIL, SAMPLES = 20.0, 300
RELATIVE = 1e-7


def test_a_free_oscillator_has_the_derivatives_of_its_closed_form():
    k, m, x0, t = 2.0, 1.5, 0.4, 3.0
    run = one_mass({"spring": ss.Linear(stiffness=k)}, inertia=m, displacement=x0).simulate(until=t)
    w = math.sqrt(k / m)
    found = run.gradient("x.last", ["spring.stiffness", "x.inertia", "x.displacement", "x.velocity"])
    by_w = -x0 * t * math.sin(w * t)
    assert found.value == pytest.approx(x0 * math.cos(w * t), rel=1e-12)
    assert found["spring.stiffness"] == pytest.approx(by_w * 0.5 * w / k, rel=1e-9)
    assert found["x.inertia"] == pytest.approx(-by_w * 0.5 * w / m, rel=1e-9)
    assert found["x.displacement"] == pytest.approx(math.cos(w * t), rel=1e-10)
    assert found["x.velocity"] == pytest.approx(math.sin(w * t) / w, rel=1e-10)


def test_braking_by_dry_friction_has_the_derivatives_of_its_closed_form():
    m, v0, limit = 2.0, 3.0, 4.0  # stops after v0^2 m / 2 F, at an event
    run = one_mass({"pad": ss.DryFriction(limit=limit)}, inertia=m, velocity=v0).simulate(until=5.0)
    found = run.gradient("x.last", ["pad.limit", "x.inertia", "x.velocity"])
    assert found.value == pytest.approx(0.5 * m * v0**2 / limit, rel=1e-12)
    assert found["pad.limit"] == pytest.approx(-0.5 * m * v0**2 / limit**2, rel=1e-9)
    assert found["x.inertia"] == pytest.approx(0.5 * v0**2 / limit, rel=1e-9)
    assert found["x.velocity"] == pytest.approx(m * v0 / limit, rel=1e-9)


def reader(run: ss.results.run.Run, figure: str):
    """What reads a figure off a run; extremes are those at the samples where this run has them."""
    part, _, quantity = figure.partition(".")
    if quantity not in ("highest", "peak_to_peak"):
        return lambda other: read_figure(other, figure)
    column = run.names.coordinates.index(part)
    x = run.samples.displacement[:, column]
    high, low = int(np.argmax(x)), int(np.argmin(x))

    def extreme(other: ss.results.run.Run) -> float:
        own = other.samples.displacement[:, column]
        assert own.size == x.size
        return float(own[high] - (own[low] if quantity == "peak_to_peak" else 0.0))

    assert extreme(run) == pytest.approx(read_figure(run, figure), rel=1e-12)
    return extreme


def check_run(seed: int) -> None:
    rng = np.random.default_rng(1000 + seed)
    kind = KINDS[seed % 4]
    values = random_values(kind, rng) | {"x.displacement": rng.uniform(0.3, 0.9), "y.velocity": rng.uniform(0.1, 0.5)}
    figure, name = str(rng.choice(FIGURES)), str(rng.choice(list(values)))

    def run_of(value: float) -> ss.results.run.Run:
        return build(kind, {**values, name: value}).simulate(until=UNTIL, samples=SAMPLES)

    run = run_of(values[name])
    assert run.stats.events
    found = run.gradient(figure, [name])
    read = reader(run, figure)
    expected = central_difference(lambda value: read(run_of(value)), values[name])
    size = 1e-3 * abs(found.value / values[name])
    assert found[name] == pytest.approx(expected, rel=RELATIVE, abs=RELATIVE * size), (kind, figure, name)


@pytest.mark.parametrize("seed", range(8))
def test_runs_have_the_derivatives_of_central_differences(seed):
    check_run(seed)


@pytest.mark.long  # 200 runs, each with six more
@pytest.mark.parametrize("first", range(8, 208, 20))
def test_many_runs_have_the_derivatives_of_central_differences(first):
    for seed in range(first, first + 20):
        check_run(seed)


def test_a_signal_with_kinks_has_derivatives():
    def of(limit: float) -> ss.results.run.Run:
        return slider(ss.Signal([0.0, 1.0, 4.0, 9.0], [0.0, 2.0, -1.5, 1.0]), limit=limit).simulate(
            until=9.0, samples=200
        )

    found = of(0.4).gradient("x.rms", ["slider.limit"])
    expected = central_difference(lambda v: read_figure(of(v), "x.rms"), 0.4)
    assert found["slider.limit"] == pytest.approx(expected, rel=RELATIVE)


def test_at_a_graze_the_value_is_one_sided_or_refused():
    def run_of(gap: float) -> ss.results.run.Run:
        laws = {"spring": ss.Linear(stiffness=1.0), "stop": ss.Contact(stiffness=50.0, gap=gap)}
        return one_mass(laws, inertia=1.0, displacement=-1.0).simulate(until=2.0 * math.pi, samples=100)

    untouched = run_of(1.0 + 1e-6).gradient("x.last", ["stop.gap"])
    assert untouched["stop.gap"] == 0.0
    touching = run_of(1.0)
    assert touching.stats.events == 0  # the side without contact
    assert touching.gradient("x.last", ["stop.gap"])["stop.gap"] == 0.0
    with pytest.raises(NotConverged, match="graze"):
        run_of(1.0 - 1e-12).gradient("x.last", ["stop.gap"])


@pytest.mark.parametrize(
    ("figure", "by", "words"),
    [
        ("x.lastt", "slider.limit", "did you mean"),
        ("slider.force_range", "slider.limit", "no derivatives of force_range"),
        ("x.last", "slider.limits", "limit"),
    ],
)
def test_wrong_requests_say_what_is_wrong(figure, by, words):
    run = slider(ss.Cosine(1.0, frequency=1.1)).simulate(until=5.0)
    with pytest.raises(InvalidInput, match=words):
        run.gradient(figure, by)


def test_runs_without_derivatives_say_why():
    run = slider(ss.Cosine(1.0, frequency=1.1)).simulate(until=5.0, method="newmark", step=0.01)
    with pytest.raises(InvalidInput, match="by newmark"):
        run.gradient("x.last", "slider.limit")
    ball = one_mass({"floor": ss.Impact(gap=0.0, restitution=0.5)}, ss.Constant(1.0), displacement=-1.0)
    with pytest.raises(InvalidInput, match="impacts"):
        ball.simulate(until=3.0).gradient("x.last", "floor.restitution")
    first = slider(ss.Cosine(1.0, frequency=1.1))
    second = first.simulate(until=9.0, start=first.simulate(until=5.0).end)
    with pytest.raises(InvalidInput, match="continues another"):
        second.gradient("x.last", "slider.limit")
