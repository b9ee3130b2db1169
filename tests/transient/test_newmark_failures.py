"""Newmark's method: what it says about its own error, and what happens when a step fails."""

from __future__ import annotations

import math

import numpy as np
import pytest
from newmark_models import end, go, oscillator
from random_models import random_model

import slipstick as ss
from slipstick.errors import InvalidInput, NotConverged
from slipstick.transient import newmark
from slipstick.transient.implicit import step_choice
from slipstick.transient.implicit.stepper import Stepper
from slipstick.transient.problem import pose
from slipstick.transient.run_request import RunRequest

# ---- certificates


def test_error_estimates_are_honest_on_random_models():
    for seed in range(40):
        m = random_model(seed, friction=False, static=False)
        run = go(m, 10.0, 0.02, samples=101)
        true = np.abs(run.samples.displacement - go(m, 10.0, 1e-4, samples=101).samples.displacement).max()
        assert 1e-3 <= true / run.certificate.error <= 10.0, seed


def test_the_error_is_known_where_only_the_end_is_asked_for():
    """At the end of whole periods the error of a phase hardly shows; in between it does."""
    m = oscillator(ss.Linear(stiffness=1.0), displacement=1.0)
    run = go(m, 10.0 * math.pi, 0.05, samples=0)
    assert run.samples.time.tolist() == [10.0 * math.pi]
    assert run.certificate.error >= 0.5 * 0.05**2 / 24.0 * 10.0 * math.pi


def test_chaos_has_no_figure_for_its_error():
    """Ueda's oscillator, x'' + 0.05 x' + x^3 = 7.5 cos t: neighbours part by e^0.1 a second."""
    m = oscillator(ss.Polynomial(coefficients=(0.0, 0.0, 0.0, 1.0), damping=0.05), ss.Cosine(7.5, frequency=1.0))
    short, long = go(m, 10.0, 0.005), go(m, 300.0, 0.005)
    assert short.certificate.passed
    assert long.certificate.sensitive
    assert "sensitive" in long.certificate.verdict


def test_a_body_that_nothing_holds_falls():
    loose = ss.Model("loose")
    loose.load(loose.coordinate("x", inertia=2.0), ss.Constant(4.0))
    assert end(go(loose, 3.0, 0.1)) == pytest.approx([9.0], rel=1e-13)


def test_samples_do_not_touch_the_run():
    m = oscillator(ss.Jenkins(stiffness=4.0, limit=0.6) + ss.Linear(stiffness=1.0), ss.Sine(1.0, frequency=1.3))
    few, many = go(m, 30.0, 0.02, samples=0), go(m, 30.0, 0.02, samples=5000)
    assert end(few).tolist() == end(many).tolist()


def test_a_step_is_chosen_and_the_certificate_says_how():
    run = ss.systems.tensioner().simulate(1.0, method="newmark")
    assert any("20th of the stiffest mode's period" in note for note in run.certificate.notes)
    slow = oscillator(ss.Linear(stiffness=1e-4), ss.Sine(1.0, frequency=9.0)).simulate(20.0, method="newmark")
    assert any("200th of the loads' shortest period" in note for note in slow.certificate.notes)
    still = oscillator(ss.Linear(stiffness=1e-4)).simulate(2.0, method="newmark")
    assert still.stats.steps == 1000


def test_a_chosen_step_does_not_run_for_ever(monkeypatch):
    monkeypatch.setattr(step_choice, "MAX_CHOSEN_STEPS", 2000)
    run = oscillator(ss.Linear(stiffness=1e8, damping=1e4), ss.Constant(1.0)).simulate(2.0, method="newmark")
    assert run.stats.steps == 2000
    assert any("chosen for 2,000 steps" in note for note in run.certificate.notes)


def test_a_tolerance_is_met_by_smaller_steps():
    m = oscillator(ss.Polynomial(coefficients=(0.0, 1.0, 0.0, 1.0)), displacement=1.5)
    run = m.simulate(20.0, method="newmark", step=0.05, tolerance=1e-4)
    assert run.certificate.error <= 1.5e-4
    assert run.stats.steps > 400


@pytest.mark.parametrize("method", ["newmark", "taylor"])
def test_a_tolerance_that_is_missed_fails_in_words(method, monkeypatch):
    m = oscillator(ss.Polynomial(coefficients=(0.0, 1.0, 0.0, 1.0)), displacement=1.5)
    monkeypatch.setattr(step_choice, "MAX_REFINEMENTS", 1)
    monkeypatch.setattr(step_choice, "REFINEMENT_MARGIN", 0.1)
    run = m.simulate(20.0, method=method, step=0.05, tolerance=1e-8)
    assert not run.certificate.passed
    assert "tolerance 1e-08 was not met: the error at step 0.00" in run.certificate.verdict
    assert "after 1 rounds of shorter steps" in run.certificate.verdict
    assert run.certificate.error > 1.5e-8


def test_a_tolerance_that_would_take_too_long_is_not_tried():
    m = oscillator(ss.Linear(stiffness=1.0), displacement=1.0)
    run = m.simulate(100.0, method="newmark", step=0.1, tolerance=1e-13)
    assert run.stats.steps == 1000
    assert "a shorter one would take too long" in run.certificate.verdict


def test_a_tolerance_is_no_use_where_the_motion_is_sensitive():
    m = oscillator(ss.Polynomial(coefficients=(0.0, 0.0, 0.0, 1.0), damping=0.05), ss.Cosine(7.5, frequency=1.0))
    run = m.simulate(300.0, method="newmark", step=0.005, tolerance=1e-4)
    assert run.certificate.sensitive
    assert "tolerance 0.0001 was not met: the motion is sensitive" in run.certificate.verdict


def test_ctrl_c_while_a_tolerance_is_checked_keeps_the_run(monkeypatch):
    go_on = Stepper.run

    def first_only(self, until, step, progress=None, stop=math.inf):
        if stop < math.inf:
            raise KeyboardInterrupt
        go_on(self, until, step, progress, stop)

    monkeypatch.setattr(Stepper, "run", first_only)
    with pytest.raises(NotConverged, match="interrupted while the error") as caught:
        oscillator(ss.Linear(stiffness=1.0), displacement=1.0).simulate(1.0, method="newmark", step=0.1, tolerance=1e-4)
    assert caught.value.interrupted
    assert caught.value.partial.samples.time[-1] == 1.0


# ---- what goes wrong


class Wall(ss.Law):
    """A spring that is no number beyond u = 1."""

    stiffness: float

    def update(self, u, v, memory):
        if u > 1.0:
            return math.nan, memory
        return self.stiffness * u, memory


def test_a_force_that_is_no_number_ends_the_run_with_what_was_reached():
    with pytest.raises(NotConverged, match="tried a line search, full Newton and steps down to") as caught:
        go(oscillator(Wall(stiffness=1.0), velocity=2.0), 5.0, 0.01, samples=501)
    partial = caught.value.partial
    reached = partial.samples.time[-1]
    assert reached == pytest.approx(math.asin(0.5), abs=0.011)
    assert np.abs(partial.samples.displacement[:, 0] - 2.0 * np.sin(partial.samples.time)).max() <= 1e-5


def test_growth_without_end_stops_with_what_was_reached():
    with pytest.raises(NotConverged, match="no solution of the step") as caught:
        go(oscillator(ss.Linear(stiffness=1.0, damping=-50.0), velocity=1.0), 100.0, 0.01)
    assert np.all(np.isfinite(caught.value.partial.samples.displacement))


def test_ctrl_c_keeps_what_was_computed():
    def impatient(part):
        if part > 0.5:
            raise KeyboardInterrupt

    with pytest.raises(NotConverged, match="interrupted at t = ") as caught:
        go(oscillator(ss.Linear(stiffness=1.0), displacement=1.0), 10.0, 0.01, samples=1001, progress=impatient)
    partial = caught.value.partial
    s, true = partial.samples, partial.samples.displacement[:, 0] - np.cos(partial.samples.time)
    assert 5.0 <= s.time[-1] <= 5.3
    assert 0.1 * np.abs(true).max() <= partial.certificate.error <= 3.0 * np.abs(true).max()


def test_progress_is_reported_about_a_hundred_times():
    parts = []
    go(oscillator(ss.Linear(stiffness=1.0), displacement=1.0), 10.0, 1e-3, progress=parts.append)
    assert 90 <= len(parts) <= 110
    assert parts == sorted(parts)
    assert parts[-1] == 1.0


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"newton": "quasi"}, 'newton must be "full" or "modified"'),
        ({"newton": 3}, 'newton must be "full" or "modified", got 3'),
        ({"condensed": "yes"}, "condensed must be True, False or None"),
        ({"neuton": "full"}, 'did you mean "newton"?'),
        ({"step": 1e-12}, "step must be at least"),
        ({"step": 0.0}, "step must be > 0"),
    ],
)
def test_options_are_refused_in_words(options, words, refused):
    with refused(words, error=InvalidInput):
        oscillator(ss.Linear(stiffness=1.0)).simulate(10.0, method="newmark", **options)


def test_a_coordinate_that_nothing_holds_is_named_before_anything_runs(refused):
    m = ss.Model("loose")
    x, y = m.coordinate("x", inertia=1.0), m.coordinate("y")
    m.connect(x - y, ss.Freeplay(stiffness=1.0, half_gap=1.0))
    request = RunRequest(until=1.0, times=np.array([1.0]), step=0.1)
    with refused(
        "newmark: the condensed form needs inertia", 'hold coordinate "y"; leave condensed= out', error=InvalidInput
    ):
        newmark.check(pose(m), request, condensed=True)
    m.connect(y, ss.Linear(damping=1e-3))
    newmark.check(pose(m), request, condensed=True)
