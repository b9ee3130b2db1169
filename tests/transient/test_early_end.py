"""Runs that end early, by every method with steps: what they say about the part that was reached."""

from __future__ import annotations

import math

import numpy as np
import pytest
from models import one_mass

import slipstick as ss
from slipstick.results.certificate import Certificate
from slipstick.results.connection_states import join_states
from slipstick.transient.events.run import AdaptiveRun
from slipstick.transient.exact import trajectory
from slipstick.transient.implicit.stepper import Stepper
from slipstick.transient.inclusion.run import InclusionRun

OPTIONS = {"inclusion": {"step": 1e-4}, "events": {}, "newmark": {"step": 1e-3}, "taylor": {"step": 1e-3}}
LOOPS = {
    "inclusion": (InclusionRun, "go"),
    "events": (AdaptiveRun, "go"),
    "newmark": (Stepper, "run"),
    "taylor": (Stepper, "run"),
}
every_method = pytest.mark.parametrize("method", OPTIONS)


def oscillator(law=None, **start):
    return one_mass({"spring": law or ss.Linear(stiffness=1.0)}, **start)


def stopped(m, method, until=10.0, **options):
    """What is left of a run that does not reach its end."""
    with pytest.raises(ss.NotConverged) as caught:
        m.simulate(until, method=method, **{**OPTIONS[method], **options})
    return caught.value


def after(part):
    """Progress that presses Ctrl-C."""

    def press(done):
        if done > part:
            raise KeyboardInterrupt

    return press


@every_method
@pytest.mark.parametrize("samples", [0, 2, 401])
def test_a_run_stopped_by_ctrl_c_has_an_honest_certificate_of_its_part(method, samples):
    m = oscillator(displacement=1.0)
    failure = stopped(m, method, samples=samples, progress=after(0.3))
    run, c = failure.partial, failure.partial.certificate
    assert failure.interrupted
    assert 3.0 < run.stats.reached < 3.3
    assert run.samples.time[-1] == run.stats.reached
    again = m.simulate(run.stats.reached, method=method, **OPTIONS[method])
    true = np.abs(again.samples.displacement[:, 0] - np.cos(again.samples.time)).max()
    assert c.passed, c
    assert 0.1 * true <= c.error <= 1e3 * true
    assert c.kinetic == pytest.approx(0.5 * math.sin(run.stats.reached) ** 2, abs=1e-3)


PUSHES = ss.Polynomial(coefficients=(0.0, 0.0, 0.0, -1.0))  # x'' = x^3 from 1 is beyond all bounds at t = 1.85
DRIVES = ss.Linear(stiffness=1.0, damping=-50.0)  # e^(50 t) is 1e100 at t = 4.6, and no number any more at 14.2


@pytest.mark.parametrize(
    ("method", "law", "bounds"),
    [
        *((method, DRIVES, (4.5, 14.3)) for method in OPTIONS),
        *((m, PUSHES, (1.0, 4.0)) for m in ("events", "inclusion")),
    ],
)
@pytest.mark.parametrize("samples", [0, 2000])
def test_a_motion_that_runs_away_is_certified_as_far_as_it_came_or_says_why_not(method, law, bounds, samples):
    run = stopped(oscillator(law, displacement=1.0), method, 20.0, samples=samples).partial
    assert bounds[0] < run.stats.reached < bounds[1]
    assert np.isfinite(run.samples.displacement).all()
    c = run.certificate
    assert not c.passed
    assert c.reasons
    assert math.isnan(c.error) or c.error > 0.0
    assert repr(run).count("\n") == 0


@every_method
def test_a_run_that_never_began_says_that_there_is_nothing_to_certify(method):
    m = oscillator(ss.Polynomial(coefficients=(0.0, 0.0, 0.0, -1.0)), displacement=1e120)
    c = stopped(m, method).partial.certificate
    assert c.verdict == "FAILED: no certificate: nothing was reached beyond the start"


@every_method
def test_ctrl_c_in_a_certificate_goes_on_to_who_asked(method, monkeypatch):
    run = oscillator(displacement=1.0).simulate(1.0, method=method, **OPTIONS[method])
    owner, name = LOOPS[method]

    def press(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(owner, name, press)
    with pytest.raises(KeyboardInterrupt):
        _ = run.certificate
    monkeypatch.undo()
    assert run.certificate.passed  # asked once more


@every_method
@pytest.mark.parametrize("call", [1, 2])
def test_an_error_that_cannot_be_found_is_no_figure_and_not_called_sensitive(method, call, monkeypatch):
    run = oscillator(displacement=1.0).simulate(1.0, method=method, **OPTIONS[method])
    owner, name = LOOPS[method]
    loop, calls = getattr(owner, name), []
    # the other run, and the one from nearby; before them the sampled methods go the same way once more
    at = call + (method in ("inclusion", "events"))

    def fail(self, *arguments, **options):
        calls.append(self)
        if len(calls) == at:
            raise ss.NotConverged("no such luck")
        return loop(self, *arguments, **options)

    monkeypatch.setattr(owner, name, fail)
    c = run.certificate
    assert math.isnan(c.error)
    assert not c.sensitive
    assert not c.passed
    assert "the error could not be estimated" in c.verdict
    assert any("no such luck" in note for note in c.notes)
    assert c.energy_residual <= c.tolerance  # what is known is told


@every_method
def test_no_certificate_is_one_too(method, monkeypatch):
    """Where even the energies cannot be had."""
    run = oscillator(displacement=1.0).simulate(1.0, method=method, **OPTIONS[method])
    owner, name = LOOPS[method]

    def fail(*_, **__):
        raise ss.NotConverged("no such luck")

    monkeypatch.setattr(owner, name, fail)
    c = run.certificate
    assert isinstance(c, Certificate)
    assert not c.passed
    assert any("no such luck" in words for words in (*c.failures, *c.notes))


# ---- events, and runs without samples


def loose():
    """A slider and a gap."""
    m = ss.Model("loose", frequency=1.3)
    x = m.coordinate("x", inertia=1.0, velocity=0.5)
    m.connect(x, ss.Jenkins(stiffness=4.0, limit=0.6), name="slider")
    m.connect(x, ss.Freeplay(stiffness=30.0, half_gap=0.3), name="gap")
    m.connect(x, ss.Linear(stiffness=1.0, damping=0.1), name="spring")
    m.load(x, ss.Cosine(1.5, order=1))
    return m


@pytest.mark.parametrize("method", ["events", "inclusion", "newmark"])
def test_no_samples_are_the_events_and_the_end(method):
    run = loose().simulate(10.0, method=method, samples=0, **OPTIONS[method])
    assert run.samples.time.tolist() == sorted({*run.events["time"].tolist(), 10.0})


@pytest.mark.parametrize("method", ["exact", "events", "inclusion"])
@pytest.mark.parametrize("samples", [0, 100])
def test_the_count_of_events_is_that_of_the_table(method, samples):
    run = loose().simulate(10.0, method=method, samples=samples, **OPTIONS.get(method, {}))
    assert run.stats.events == len(run.events) > 5


def test_events_of_laws_with_parts_join_the_states_of_the_samples(monkeypatch):
    """At each event a sample has the state after it; names are joined once a kind, not once an event."""
    m = loose()
    m.connect(m["x"], ss.Iwan(stiffnesses=(2.0, 1.0, 0.5), limits=(0.2, 0.3, 0.1)), name="sliders")
    joined = []

    def count(words):
        joined.append(words)
        return join_states(words)

    run = m.simulate(500.0, samples=0, method="exact")
    monkeypatch.setattr(trajectory, "join_states", count)
    assert len(run.events) > 1000 > 10 * len(joined) > 0
    times, state = run.samples.time, run.data.state
    for name in ("gap", "sliders"):
        own = run.events[run.events["connection"] == name]
        last = np.append(np.diff(own["time"]) > 0.0, True)  # of those at one instant, the sample shows the last
        shown = state.sel(connection=name).to_numpy()[np.searchsorted(times, own["time"])]
        assert own["after"][last].tolist() == shown[last].tolist()
        assert own["before"][1:].tolist() == own["after"][:-1].tolist()


@pytest.mark.parametrize("method", ["newmark", "taylor"])
def test_methods_that_locate_no_events_do_not_count_them(method):
    run = oscillator(displacement=1.0).simulate(1.0, method=method, **OPTIONS[method])
    assert run.stats.events is None
    assert len(run.events) == 0
    assert "locates no events" in repr(run)
    assert "events" not in run.data.attrs
