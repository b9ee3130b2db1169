"""Harmonic balance against exact runs, and what it says about its own error."""

from __future__ import annotations

import numpy as np
import pytest
from periodic.balance_models import chain, motion, oscillator, torsional

import slipstick as ss
from slipstick.periodic.balance import HarmonicBalance

# independent computations: rms (with the mean) of the torsional paper's oscillator, zeta = 0.05, N0 = 0.5, A = 0.3
RMS = {
    (0.4, 0): 0.846091092, (0.4, 0.5): 0.777744451, (0.4, 1): 0.638950387, (0.4, 2): 0.592788117,
    (1.0, 0): 2.571123814, (1.0, 0.5): 2.583815963, (1.0, 1): 2.578390315, (1.0, 2): 2.785991067,
    (1.6, 0): 0.283681475, (1.6, 0.5): 0.363640260, (1.6, 1): 0.335271701, (1.6, 2): 0.304648727,
}  # fmt: skip


def long_run(model, omega, periods=60):
    """Times within the last period of a run from rest, and displacements (k, n) there."""
    period = 2 * np.pi / omega
    times = (periods - 1 + np.linspace(0.0, 1.0, 200)) * period
    run = model.simulate(until=periods * period, frequency=omega, samples=times, method="exact")
    return times, run.data["displacement"].values


def distance(solution, times, expected):
    return np.abs(motion(solution, times) - expected).max()


@pytest.mark.parametrize("omega", [0.3, 0.9, 1.3])
def test_jenkins_oscillator_is_that_of_a_long_exact_run_within_the_stated_error(omega):
    model = oscillator(ss.Jenkins(stiffness=1.0, limit=0.5))
    times, expected = long_run(model, omega)
    for harmonics in (3, 7, 21):
        solution = HarmonicBalance(model, frequency=omega, harmonics=harmonics).solve(omega)
        error, stated = distance(solution, times, expected), solution.point.error
        assert error <= stated <= max(20.0 * error, 1e-6)
    assert error < 3e-4


def test_chain_with_seven_harmonics_is_that_with_many_within_the_stated_error():
    model = chain()
    times, expected = long_run(model, 0.5)
    few, many = (HarmonicBalance(model, frequency=0.5, harmonics=h).solve(0.5) for h in (7, 21))
    assert distance(few, times, motion(many, times)) <= few.point.error
    assert distance(few, times, expected) <= few.point.error < 0.01
    assert distance(many, times, expected) <= many.point.error < 5e-4
    assert few.x.size == 5 * 15


@pytest.mark.parametrize(
    "law",
    [
        ss.Freeplay(stiffness=3.0, half_gap=0.4),
        ss.Contact(stiffness=2.0, gap=0.3),
        ss.Iwan(stiffnesses=(1.0, 0.5), limits=(0.2, 0.25), parallel_stiffness=0.1),
    ],
    ids=lambda law: type(law).__name__,
)
def test_other_laws_with_corners_agree_with_exact_runs(law):
    model = oscillator(law, damping=0.3)
    times, expected = long_run(model, 0.6)
    solution = HarmonicBalance(model, frequency=0.6, harmonics=15).solve(0.6)
    assert distance(solution, times, expected) <= solution.point.error < 0.01


@pytest.mark.parametrize(
    "law",
    [
        ss.Dahl(stiffness=3.0, limit=0.4),
        ss.BoucWen(stiffness=2.0, ratio=0.2, beta=0.6, gamma=0.3),
        ss.DynamicHysteresis(stiffness=1.5, limit=0.4),
        ss.LuGre(
            bristle_stiffness=20.0, bristle_damping=0.3, viscous=0.1, coulomb=0.3, static=0.4, stribeck_velocity=0.5
        ),
    ],
    ids=lambda law: type(law).__name__,
)
def test_laws_that_remember_agree_with_adaptive_runs(law):
    model = oscillator(law, damping=0.3)
    period = 2 * np.pi / 0.6
    times = (24 + np.linspace(0.0, 1.0, 100)) * period
    run = model.simulate(until=25 * period, frequency=0.6, samples=times, method="events", tolerance=1e-8)
    expected = run.data["displacement"].values
    solution = HarmonicBalance(model, frequency=0.6, harmonics=15).solve(0.6)
    point = solution.point
    # a law with a stack remembers the overshoot of the start for ever, as an offset: the orbit is compared without it
    offset = (expected[:-1] - motion(solution, times[:-1])).mean() if law.has_stack else 0.0
    assert abs(offset) < 1e-4
    assert distance(solution, times, expected - offset) <= point.error < 0.02
    assert not any("does not close" in note for note in point.notes)


def test_work_of_a_slider_is_four_limits_times_what_it_slides():
    point = (
        HarmonicBalance(oscillator(ss.Jenkins(stiffness=1.0, limit=0.5)), frequency=1.0, harmonics=31).solve(1.0).point
    )
    # Jenkins: 4 f (X - f/k) a cycle
    assert point.dissipated[1] == pytest.approx(4 * 0.5 * (point.amplitude[0] - 0.5), rel=1e-3)
    # the spring and its damper: k q + c q', summed up from the harmonics of q at many instants;
    # the largest of 1000 samples misses an extreme by (pi / 1000)^2 / 2 at the most
    angles, order = np.linspace(0.0, 2.0 * np.pi, 20_001), np.arange(point.harmonics.shape[0])
    spring = ((1.0 + 0.1j * order) * point.harmonics[:, 0]) @ np.exp(1j * np.outer(order, angles))
    assert point.force_range == pytest.approx([np.ptp(spring.real), 1.0], rel=1e-5)
    assert 0.0 < point.stick_share[1] < 0.5
    assert np.isnan(point.stick_share[0])


def test_error_of_dry_friction_falls_like_one_over_harmonics():
    errors, stated = [], []
    for harmonics in (5, 10, 20, 40):
        solution = HarmonicBalance(torsional(2), frequency=1.6, harmonics=harmonics).solve(1.6)
        point = solution.point
        errors.append(abs(point.rms[0] - RMS[1.6, 2]))
        stated.append(point.error)
    slope = np.polyfit(np.log([5, 10, 20, 40]), np.log(errors), 1)[0]
    assert -1.4 < slope < -0.7
    assert all(e <= s <= 12 * e for e, s in zip(errors, stated, strict=True))


@pytest.mark.parametrize(("omega", "order"), list(RMS))
def test_torsional_table_within_the_stated_error(omega, order):
    solution = HarmonicBalance(torsional(order), frequency=omega, harmonics=15).solve(omega)
    point = solution.point
    assert abs(point.rms[0] - RMS[omega, order]) <= point.error < 0.15 * point.amplitude[0]
    assert any("smoothed" in note and "shooting" in note for note in point.notes)


@pytest.mark.parametrize(("phase", "rms"), [(60.0, 0.257690192), (120.0, 0.314322513)])
def test_torsional_phases_within_the_stated_error(phase, rms):
    point = HarmonicBalance(torsional(1, phase=np.radians(phase)), frequency=1.6, harmonics=15).solve(1.6).point
    assert abs(point.rms[0] - rms) <= point.error < 0.1


def test_a_law_that_never_closes_says_so():
    # each inner loop leaves the fibre law's stress a little lower: no cycle with inner loops closes
    law = ss.FibreShear(stiffness=1.5, limit=0.8, linear=0.4, cubic=0.3, overshoot=0.9, ratio=0.4)
    family = HarmonicBalance(oscillator(law), frequency=0.2, harmonics=3)
    x = np.zeros(family.size)
    x[0], x[2], x[3] = 1.0, 0.8, 0.3
    assert any('"law": the cycle does not close' in note for note in family.point(x, 0.2).notes)
    x[2:4] = 0.0
    assert not any("does not close" in note for note in family.point(x, 0.2).notes)


def test_a_slider_that_never_slips_is_named_with_its_multiplier():
    model = oscillator(ss.Jenkins(stiffness=1.0, limit=5.0))
    point = HarmonicBalance(model, frequency=0.5).solve(0.5).point
    assert any('"law" never slips' in note for note in point.notes)
    assert point.multipliers[0] == pytest.approx(1.0, abs=1e-12)
    assert point.stick_share[1] == 1.0


def test_too_few_samples_show_in_the_error():
    model = oscillator(ss.Freeplay(stiffness=3.0, half_gap=0.4), damping=0.3)
    coarse, fine = (HarmonicBalance(model, frequency=0.6, harmonics=11, samples=n).solve(0.6).point for n in (32, 512))
    assert coarse.error > 3.0 * fine.error
    assert any("raise harmonics=" in note for note in coarse.notes)


def test_several_sliders_on_a_moving_wall_follow_the_exact_orbit():
    m = ss.Model("wall")
    wall = m.coordinate("wall", motion=ss.Cosine(1.0, order=1))
    x, y = m.coordinate("x", inertia=1.0), m.coordinate("y", inertia=1.0)
    m.connect(x, ss.Linear(stiffness=1.0, damping=0.1))
    m.connect(y - x, ss.Linear(stiffness=1.0, damping=0.1))
    m.connect(x - wall, ss.Jenkins(stiffness=1.0, limit=0.5))
    m.connect(y - wall, ss.Jenkins(stiffness=1.0, limit=0.3))
    exact = m.periodic(frequency=1.2, method="shooting")
    found = m.periodic(frequency=1.2, method="harmonic-balance", harmonics=15)
    assert found.point.error < 1e-3
    assert found.point.amplitude == pytest.approx(exact.point.amplitude, abs=found.point.error)


@pytest.mark.parametrize(
    "law",
    [
        ss.Jenkins(stiffness=2.0, limit=0.3),
        ss.Jenkins(stiffness=2.0, limit=0.3).modulated(ss.Fourier(1.0, cos=(0.5,), order=1)),
        ss.Iwan(stiffnesses=(2.0, 1.0), limits=(0.3, 0.3)),
        ss.Jenkins(stiffness=4.0, limit=0.6).scaled(deflection=2.0),
    ],
    ids=["slider", "a factor in time", "two", "twice the deflection"],
)
def test_sliders_stick_where_they_do_not_move_between_samples_too(law):
    m = ss.Model()
    x = m.coordinate("x", inertia=1.0)
    m.connect(x, ss.Linear(stiffness=0.8, damping=0.1), name="spring")
    m.connect(x, law, name="law")
    m.load(x, ss.Cosine(1.0, order=1, phase=0.5))
    point = HarmonicBalance(m, frequency=1.3, harmonics=15).solve(1.3).point
    half_width = 0.075 if law.leaves()[0].deflection == 2.0 else 0.15  # of the slider that slips first
    angles = np.linspace(0.0, 2.0 * np.pi, 400_001)
    u = np.real(point.harmonics[:, 0] @ np.exp(1j * np.outer(np.arange(len(point.harmonics)), angles)))
    slider, rests = 0.0, []
    for _ in range(2):
        rests = []
        for here in u.tolist():
            pushed = min(max(slider, here - half_width), here + half_width)
            rests.append(pushed == slider)
            slider = pushed
    rests = np.array(rests[1:])
    begins = np.flatnonzero(rests & ~np.roll(rests, 1))
    assert point.stick_share[1] == pytest.approx(rests.mean(), abs=2e-5)
    assert point.lag[1] == pytest.approx(angles[begins[0]], abs=1e-4)
