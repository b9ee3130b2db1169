"""Set-valued friction beside smooth laws: closed forms, an independent integration, and the exact method."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import brentq
from transient.belt_oracle import BeltMass
from transient.random_mixed_models import random_mixed_model
from transient.random_models import random_model

import slipstick as ss

# ---- a block on a cubic spring, from rest: energy gives the turning points

CUBIC, LIMIT, FIRST = 2.0, 0.3, 1.5


def turning_points() -> list[float]:
    """k/4 (a^4 - b^4) = limit |a - b| from one turning point to the next, until the spring is weaker than friction."""
    found = [FIRST]
    while CUBIC * abs(found[-1]) ** 3 > LIMIT:
        a, side = abs(found[-1]), -np.sign(found[-1])

        def left(b: float, a: float = a) -> float:
            return CUBIC / 4 * (a**4 - b**4) - LIMIT * (a + b)

        rest = -min(a, (LIMIT / CUBIC) ** (1 / 3))  # with too little energy to pass the middle it stops before it
        found.append(side * brentq(left, rest, a * (1 - 1e-12), xtol=1e-15))
    return found


def cubic_block(**coordinate: float) -> ss.Model:
    m = ss.Model("block")
    x = m.coordinate("x", inertia=1.0, **(coordinate or {"displacement": FIRST}))
    m.connect(x, ss.Polynomial(coefficients=(0.0, 0.0, 0.0, CUBIC)), name="spring")
    m.connect(x, ss.DryFriction(limit=LIMIT), name="friction")
    return m


@pytest.mark.parametrize(("tolerance", "error"), [(1e-6, 1e-4), (1e-9, 1e-7), (1e-12, 1e-10)])
def test_a_block_on_a_cubic_spring_turns_where_its_energy_says(tolerance, error):
    run = cubic_block().simulate(60.0, samples=0, tolerance=tolerance)
    expected = turning_points()
    assert len(expected) > 4
    found = run.data.displacement.values[: len(expected) - 1, 0]
    np.testing.assert_allclose(found, expected[1:], atol=error)
    assert [*run.events["after"]][-1] == "stick"
    assert run.data.displacement.values[-1, 0] == pytest.approx(expected[-1], abs=error)
    assert run.data.velocity.values[-1, 0] == 0.0
    assert run.data.force.sel(connection="friction").values[-1] == pytest.approx(-CUBIC * expected[-1] ** 3, rel=1e-3)


def test_its_energy_balances_and_friction_takes_the_whole_of_it():
    run = cubic_block().simulate(60.0, tolerance=1e-10)
    last = turning_points()[-1]
    assert run.certificate.passed
    assert run.certificate.energy_residual < 1e-9
    assert run.certificate.dissipated["friction"] == pytest.approx(CUBIC / 4 * (FIRST**4 - last**4), rel=1e-8)


# ---- a mass on a belt, friction that falls with the rate: an independent integration, mode by mode

STATIC, SLIDING, STRIBECK, BELT = 1.0, 0.5, 0.3, 0.4


def belt_mass(cubic: float, law: ss.Law) -> ss.Model:
    m = ss.Model("belt")
    x, belt = m.coordinate("x", inertia=1.0, velocity=BELT), m.coordinate("belt", motion=ss.Ramp(BELT))
    m.connect(x, ss.Polynomial(coefficients=(0.0, 1.0, 0.0, cubic)))
    m.connect(x - belt, law, name="friction")
    return m


FALLING = ss.DryFriction(limit=SLIDING, static_limit=STATIC, stribeck_velocity=STRIBECK)
JUMPING = ss.DryFriction(limit=SLIDING, static_limit=STATIC)


@pytest.mark.parametrize("cubic", [0.0, 0.5])
@pytest.mark.parametrize("law", [FALLING, JUMPING], ids=["stribeck", "static"])
def test_a_belt_oscillator_follows_an_independent_integration(law, cubic):
    excess = STATIC - SLIDING if law is FALLING else 0.0
    oracle = BeltMass(
        lambda x: x + cubic * x**3, lambda v: SLIDING + excess * np.exp(-((v / STRIBECK) ** 2)), STATIC, BELT
    )
    times = np.linspace(0.0, 40.0, 401)
    expected, changes = oracle.at(times)
    run = belt_mass(cubic, law).simulate(40.0, method="events", samples=times, tolerance=1e-10)
    assert len(changes) >= 10
    np.testing.assert_allclose(run.data.displacement.sel(coordinate="x"), expected, atol=1e-8)
    np.testing.assert_allclose(run.events["time"], changes, atol=1e-8)
    assert set(run.events["after"]) == {"stick", "slip-"}
    assert run.certificate.error < 1e-8


@pytest.mark.parametrize("law", [FALLING, JUMPING], ids=["stribeck", "static"])
def test_fixed_steps_converge_with_order_five_although_events_lie_off_the_grid(law):
    times = np.linspace(0.0, 12.0, 13)
    reference = belt_mass(0.5, law).simulate(12.0, method="events", samples=times, tolerance=1e-13)
    errors = []
    for steps in (100, 200, 400, 800):
        run = belt_mass(0.5, law).simulate(12.0, method="events", samples=times, step=12.0 / steps)
        errors.append(np.abs(run.data.displacement - reference.data.displacement).values.max())
    slope = -np.polyfit(np.log([100, 200, 400, 800]), np.log(errors), 1)[0]
    assert slope > 4.8


# ---- limits that vary in time


def test_a_clutch_that_is_closed_over_time_locks_up_where_the_closed_form_says():
    """Torque T on one disk, capacity c t: w0 + T t/J1 - c t^2/2 (1/J1 + 1/J2) = 0; then T J2/(J1 + J2) is passed on."""
    j1, j2, torque, rise, speed = 0.2, 0.5, 3.0, 40.0, 50.0
    m = ss.Model("clutch")
    one, two = m.coordinate("one", inertia=j1, velocity=speed), m.coordinate("two", inertia=j2)
    m.connect(one - two, ss.DryFriction(limit=ss.Ramp(rise)), name="clutch")
    m.load(one, ss.Constant(torque))
    a, b = rise / 2 * (1 / j1 + 1 / j2), torque / j1
    lock = (b + np.sqrt(b * b + 4 * a * speed)) / (2 * a)
    run = m.simulate(2.0, method="events")
    assert [*run.events["after"]] == ["stick"]
    assert run.events["time"][0] == pytest.approx(lock, rel=1e-9)
    assert run.data.force.values[-1, 0] == pytest.approx(torque * j2 / (j1 + j2), rel=1e-12)
    assert run.certificate.passed


def test_a_limit_that_passes_zero_follows_the_exact_method():
    m = ss.Model("wobble")
    x = m.coordinate("x", inertia=1.0, displacement=1.0)
    m.connect(x, ss.Linear(stiffness=2.0))
    with pytest.warns(UserWarning, match="cut off at zero"):
        law = ss.DryFriction(limit=ss.Fourier(0.2, cos=(0.5,), frequency=1.7))
    m.connect(x, law)
    m.load(x, ss.Sine(0.8, frequency=0.9))
    exact, run = (m.simulate(20.0, method=method, tolerance=t) for method, t in (("exact", None), ("events", 1e-10)))
    assert "unloaded" in exact.events["after"]
    assert [*run.events["after"]] == [*exact.events["after"]]
    np.testing.assert_allclose(run.events["time"], exact.events["time"], atol=1e-8)
    np.testing.assert_allclose(run.data.displacement, exact.data.displacement, atol=1e-8)


# ---- against the exact method, where every law is of straight pieces


def check_against_exact(seeds: range) -> None:
    wrong = []
    for seed in seeds:
        m = random_model(seed)
        exact = m.simulate(8.0, method="exact", samples=101)
        run = m.simulate(8.0, method="events", samples=101)
        size = max(np.abs(exact.samples.displacement).max(), 1e-2)
        if np.abs(run.samples.displacement - exact.samples.displacement).max() > 1e-6 * size:
            wrong.append(seed)
    assert len(wrong) <= 0.01 * len(seeds)


def test_thirty_random_models_of_straight_pieces_agree_with_the_exact_method():
    check_against_exact(range(30))


@pytest.mark.long
def test_two_hundred_random_models_of_straight_pieces_agree_with_the_exact_method():
    check_against_exact(range(100, 300))


# ---- several contacts, and every other kind of law beside them

BESIDE = {
    "power damper": ss.PowerDamper(coefficient=0.4, exponent=2.0),
    "gap": ss.Freeplay(stiffness=4.0, half_gap=0.2, damping=0.1),
    "slider": ss.Jenkins(stiffness=3.0, limit=0.4),
    "dahl": ss.Dahl(stiffness=3.0, limit=0.4),
    "bouc-wen": ss.BoucWen(stiffness=2.0, ratio=0.3, beta=2.0, gamma=1.0),
    "lugre": ss.LuGre(
        bristle_stiffness=40.0, bristle_damping=1.0, viscous=0.1, coulomb=0.2, static=0.3, stribeck_velocity=0.1
    ),
    "stack": ss.DynamicHysteresis(stiffness=2.0, limit=0.5),
}


@pytest.mark.parametrize("law", BESIDE.values(), ids=BESIDE)
def test_friction_beside_any_law_converges_and_says_its_error(law):
    m = ss.Model("pair", frequency=0.9)
    x, y = m.coordinate("x", inertia=1.0, displacement=0.8), m.coordinate("y", inertia=0.5)
    m.connect(x, ss.Polynomial(coefficients=(0.0, 1.0, 0.0, 0.5)))
    m.connect(x - y, law, name="law")
    m.connect(x - y, ss.DryFriction(limit=0.2, static_limit=0.3), name="between")
    m.connect(y, ss.DryFriction(limit=0.15), name="ground")
    m.load(x, ss.Cosine(1.5, order=1))
    coarse, fine = (m.simulate(15.0, samples=151, tolerance=t) for t in (1e-7, 1e-11))
    assert coarse.stats.method == "events"
    gap = np.abs(coarse.samples.displacement - fine.samples.displacement).max()
    assert {"stick", "slip+", "slip-"} <= set(coarse.events["after"])
    assert gap < 1e-4
    assert gap <= 10.0 * coarse.certificate.error
    assert fine.certificate.passed


# ---- certificates, against runs with a tighter tolerance


def check_certificates(seeds: range, tolerance: float) -> None:
    off, sensitive = [], 0
    for seed in seeds:
        m = random_mixed_model(seed)
        run, fine = (m.simulate(8.0, samples=201, tolerance=t) for t in (tolerance, 0.01 * tolerance))
        assert run.stats.method == "events"
        if run.certificate.sensitive:
            sensitive += 1
            continue
        assert run.certificate.passed
        gap = np.abs(run.samples.displacement - fine.samples.displacement).max()
        size = np.abs(run.samples.displacement).max()
        stated = run.certificate.error
        if not 0.1 * stated <= gap + 1e-15 * size <= 10.0 * stated + 1e-14 * size:
            off.append(seed)
    assert len(off) <= 0.01 * len(seeds)
    assert sensitive <= 0.03 * len(seeds)


def test_certificates_of_random_mixed_models_are_right_within_a_factor_of_ten():
    check_certificates(range(15), 1e-8)


@pytest.mark.long
def test_certificates_of_two_hundred_random_mixed_models_are_right_within_a_factor_of_ten():
    check_certificates(range(100, 300), 1e-7)
