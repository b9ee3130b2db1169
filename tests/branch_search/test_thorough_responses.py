"""Branches that are not connected to a curve, against closed forms and brute force."""

from __future__ import annotations

import itertools
import math
import pickle

import numpy as np
import pytest
from brute_force import FINE_STEPS, Oscillator, SteadyMotion, run, steady_motions
from detached_orbits import ImpactingOrbit
from models import one_mass
from numpy.typing import NDArray
from scipy.optimize import brentq

import slipstick as ss
from slipstick.branch_search import other_branches

GEAR = {"shaft": ss.Linear(stiffness=0.2, damping=0.04), "mesh": ss.Freeplay(stiffness=1.0, half_gap=0.5)}
IMPACTS_STABLE, IMPACTS_UNSTABLE = (1.75, 2.6, 5.36), (0.83, 2.3, 1.9)  # guesses of speed, contact time and phase
RATES, FORCES = (0.0, 1.0, 2.0, 10.0), (0.0, 0.5, 0.2, 1.2)
LOAD = 0.42  # between the least and the largest force of the damper at resonance
CORNER_ERROR = 2e-4  # of the force: harmonic balance samples the corners of the table


def gear():
    return one_mass(GEAR, ss.Cosine(0.2, order=1), name="gear")


@pytest.fixture(scope="module")
def detached():
    """Between 0.8 and 1.4 rad/s the small motion stays in the gap; the impacting one leaves the range at its end."""
    return gear().frequency_response(between=(0.8, 1.4), thorough=True)


def test_an_impacting_branch_beside_the_linear_one_is_that_of_the_closed_form(detached):
    for point in detached.points:
        linear = 0.2 / abs(0.2 - point.p**2 + 0.04j * point.p)
        assert point.amplitude[0] == pytest.approx(linear, rel=1e-9)
    (other,) = detached.others
    omega, found = 0.9, {}
    for i in np.flatnonzero(np.diff(np.sign(other.data.frequency.values - omega))):
        orbit = gear().periodic(frequency=omega, start=other.orbit(int(i)))
        found[orbit.stable] = float(orbit.amplitude["x"])
    for stable, guess in ((True, IMPACTS_STABLE), (False, IMPACTS_UNSTABLE)):
        closed = ImpactingOrbit(0.04, 0.2, 1.0, 0.5, 0.2, omega, guess)
        assert found[stable] == pytest.approx(closed.amplitude, rel=1e-9)


def test_a_branch_that_leaves_the_range_at_its_end_is_complete(detached):
    (other,) = detached.others
    assert not other.stats.ended
    assert {other.points[0].p, other.points[-1].p} == {0.8}
    assert [s["kind"] for s in other.special] == ["fold"]


def test_the_note_states_what_was_searched(detached):
    note = detached.notes[-1]
    assert "runs from 6 starts at each of 96 frequencies" in note
    assert "found 1 other branch" in note
    assert "not proved" in note


def test_other_branches_are_saved_opened_copied_and_drawn(detached, tmp_path):
    detached.save(tmp_path / "curve.nc")
    again = ss.open(tmp_path / "curve.nc")
    assert again.notes == detached.notes
    for curve in (again, pickle.loads(pickle.dumps(detached))):
        (kept,), (own,) = curve.others, detached.others
        assert [p.amplitude[0] for p in kept.points] == [p.amplitude[0] for p in own.points]
        assert kept.special == own.special
    assert again.others[0].orbit(2).amplitude == detached.others[0].orbit(2).amplitude
    axes = detached.plot().axes[0]
    assert "other branches" in [text.get_text() for text in axes.get_legend().get_texts()]
    assert axes.get_ylim()[1] > 4.0  # the other branch is in the picture


def damper_force(speed: float) -> float:
    """Amplitude of the first harmonic of the damper's force, over a velocity of some amplitude."""
    cuts = [math.asin(min(r / speed, 1.0)) if speed > 0.0 else 0.0 for r in RATES[1:3]]
    edges, total = [0.0, *cuts, 0.5 * math.pi], 0.0
    for k, (a, b) in enumerate(itertools.pairwise(edges)):
        slope = (FORCES[k + 1] - FORCES[k]) / (RATES[k + 1] - RATES[k])
        offset = FORCES[k] - slope * RATES[k]
        squares = 0.5 * (b - a) - 0.25 * (math.sin(2.0 * b) - math.sin(2.0 * a))
        total += slope * speed * squares + offset * (math.cos(a) - math.cos(b))
    return 4.0 / math.pi * total


def falling_damper():
    rates, forces = (tuple(-x for x in own[:0:-1]) + own for own in (RATES, FORCES))
    laws = {"spring": ss.Linear(stiffness=1.0), "damper": ss.DamperTable(rates=rates, forces=forces)}
    return one_mass(laws, ss.Cosine(LOAD, order=1), name="falling damper")


@pytest.fixture(scope="module")
def isola():
    curve = falling_damper().frequency_response(
        between=(0.7, 1.4), method="harmonic-balance", harmonics=1, thorough=True
    )
    (other,) = curve.others
    return curve, other


def test_an_isola_of_a_damper_whose_force_falls_is_that_of_one_harmonic(isola):
    curve, other = isola
    assert other.stats.closed
    for point in (*curve.points, *other.points):
        amplitude = float(point.amplitude[0])
        load = math.hypot((1.0 - point.p**2) * amplitude, damper_force(amplitude * point.p))
        assert load == pytest.approx(LOAD, abs=CORNER_ERROR)
    low, high = (brentq(lambda v: damper_force(v) - LOAD, *ends) for ends in ((1.5, 2.4), (2.4, 6.0)))
    at_resonance = [p.amplitude[0] for p in other.points if abs(p.p - 1.0) < 0.02]
    assert min(at_resonance) == pytest.approx(low, rel=0.05)
    assert max(p.amplitude[0] for p in other.points) == pytest.approx(high, rel=0.05)
    assert max(p.amplitude[0] for p in curve.points) < 1.0


def luz(x: NDArray[np.float64], a: float) -> NDArray[np.float64]:
    return x - np.clip(x, -a, a)


def random_model(number: int) -> tuple[ss.Model, Oscillator]:
    """A cubic spring or one with a gap, and the same for brute force."""
    random = np.random.default_rng(1000 + number)
    damping, load = (float(np.exp(random.uniform(*np.log(ends)))) for ends in ((0.04, 0.25), (0.1, 2.0)))
    mean = float(random.choice([0.0, 0.0, 0.3])) * load
    k1 = float(random.uniform(0.05, 1.0))
    if number % 2:
        k, a = float(random.uniform(1.0, 10.0)), float(random.uniform(0.2, 1.0))
        laws = {"spring": ss.Linear(stiffness=k1, damping=damping), "gap": ss.Freeplay(stiffness=k, half_gap=a)}
        own = Oscillator(damping, lambda x: k1 * x + k * luz(x, a), load, mean)
    else:
        k3 = float(random.uniform(0.2, 2.0))
        laws = {"spring": ss.Polynomial(coefficients=(0.0, k1, 0.0, k3), damping=damping)}
        own = Oscillator(damping, lambda x: k1 * x + k3 * x * x * x, load, mean)
    return one_mass(laws, ss.Cosine(load, order=1) + ss.Constant(mean), name=f"random {number}"), own


def is_on(curve: ss.results.curve.Curve, motion: SteadyMotion) -> bool:
    """True if a curve passes a motion, within the error of brute force and of lines between points."""
    if max(curve.stats.subharmonic, 1) != motion.repeats:
        return False
    for a, b in itertools.pairwise(curve.points):
        if a.p != b.p and min(a.p, b.p) <= motion.frequency <= max(a.p, b.p):
            part = (motion.frequency - a.p) / (b.p - a.p)
            one, two = float(a.amplitude[0]), float(b.amplitude[0])
            if abs(one + part * (two - one) - motion.amplitude) < 0.02 * motion.amplitude + 0.3 * abs(two - one):
                return True
    return False


def missed_and_invented(
    number: int, between: tuple[float, float], frequencies: int
) -> tuple[list[SteadyMotion], list[float]]:
    """Motions of brute force that no branch passes, and by how much stable orbits miss themselves after a period.

    Motions count that settled after at most 4 periods of the load and from at least 3 % of the starts.
    """
    model, own = random_model(number)
    curve = model.frequency_response(between=between, thorough=True)
    branches = [curve, *curve.others]
    shown = steady_motions(own, between, 4.0, frequencies=frequencies, side=6)
    missed = [
        motion
        for motion in shown
        if motion.repeats <= 4 and motion.share > 0.03 and not any(is_on(each, motion) for each in branches)
    ]
    return missed, [_return_error(own, other) for other in curve.others]


def _return_error(own: Oscillator, branch: ss.results.curve.Curve) -> float:
    """By how much a stable orbit of a branch differs after a period of it, by Runge-Kutta, over its amplitude."""
    stable = [p for p in branch.points if p.stable]
    if not stable:
        return 0.0
    point = stable[len(stable) // 2]
    repeats = max(branch.stats.subharmonic, 1)
    q, v, _, _ = run(own, np.array([point.p]), point.x[:1], point.x[1:2], repeats, FINE_STEPS)
    apart = max(abs(float(q[-1, 0]) - point.x[0]), abs(float(v[-1, 0]) - point.x[1]) / point.p)
    return apart / float(point.amplitude[0])


@pytest.mark.parametrize("number", [17])
def test_branches_that_brute_force_shows_are_found_and_none_is_invented(number):
    missed, errors = missed_and_invented(number, (1.7, 2.7), 4)
    assert not missed
    assert max(errors, default=0.0) < 1e-2


@pytest.mark.long
def test_of_100_random_models_95_have_all_branches_that_brute_force_shows():
    complete = 0
    for number in range(100):
        missed, errors = missed_and_invented(number, (0.3, 4.0), 20)
        assert max(errors, default=0.0) < 1e-2, number
        complete += not missed
    assert complete >= 95


def test_requests_without_a_range_are_refused(refused):
    with refused("thorough searches a range", "between"):
        gear().frequency_response(at=[1.0], thorough=True)
    with refused("not by", "integration"):
        gear().frequency_response(between=(0.8, 1.4), method="integration", thorough=True)


def test_an_interrupted_search_keeps_the_curve_and_what_was_found():
    def interrupt(count: int, _: float) -> None:
        if count > 60:  # points: the impacting branch is known
            raise KeyboardInterrupt

    with pytest.raises(ss.NotConverged, match="interrupted") as stopped:
        gear().frequency_response(between=(0.8, 1.4), thorough=True, progress=interrupt)
    part = stopped.value.partial
    assert stopped.value.interrupted
    assert len(part.others) == 1
    assert "PARTIAL" in repr(part)


def test_laws_without_a_state_of_fixed_size_are_searched_by_switching_alone():
    mesh = ss.Series(ss.Freeplay(stiffness=1.0, half_gap=0.5), ss.Linear(stiffness=10.0))
    m = one_mass({"shaft": GEAR["shaft"], "mesh": mesh}, ss.Cosine(0.2, order=1))
    curve = m.frequency_response(between=(1.2, 1.4), thorough=True)
    assert "no runs (model " in curve.notes[-1]
    assert curve.others == []


def test_a_refusal_at_some_frequencies_keeps_what_was_searched_at_the_others(monkeypatch):
    settle = other_branches.settled_orbits

    def refusing(problem, starts):
        if 1.0 < problem.frequency < 1.05:
            raise ss.InvalidInput("the table ends here")
        return settle(problem, starts)

    monkeypatch.setattr(other_branches, "settled_orbits", refusing)
    curve = gear().frequency_response(between=(0.8, 1.4), thorough=True)
    note = curve.notes[-1]
    assert len(curve.others) == 1
    searched = int(note.partition("at each of ")[2].split()[0])
    refused = int(note.partition("not at ")[2].split()[0])
    assert searched + refused == 96
    assert refused in (8, 9)  # 95 steps of 1 / (0.5 (1 / 0.6 + 1 / ln 1.75)) / 95 rad/s at 1 rad/s, over 0.05 rad/s
    assert "(the table ends here)" in note
    assert "no runs" not in note
