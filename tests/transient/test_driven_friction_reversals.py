"""Friction of a prescribed motion whose rate has multiple zeros: it turns at those of odd order, to rounding, and
passes by those of even order. Rates are powers of a sine, whose zeros are known."""

import math

import numpy as np
import pytest

import slipstick as ss

LIMIT, X, OMEGA = 0.3, 0.8, 1.3
PERIOD = 2.0 * math.pi / OMEGA
BESIDE = {
    "nothing": None,
    "friction that holds": ss.DryFriction(limit=LIMIT),
    "friction that slips": ss.DryFriction(limit=0.1),
    "slider": ss.Jenkins(stiffness=2.0, limit=0.1),
    "contact": ss.Contact(stiffness=20.0, gap=0.0),
}


def odd_power(n):
    """A motion whose rate is sin^n, n odd: sin^n t = 2^(1-n) sum over k of (-1)^((n-1)/2-k) C(n, k) sin (n-2k)t."""
    cos = [0.0] * n
    for k in range((n + 1) // 2):
        order = n - 2 * k
        cos[order - 1] = -X * (-1) ** ((n - 1) // 2 - k) * math.comb(n, k) / 2 ** (n - 1) / order
    return ss.Fourier(cos=tuple(cos), order=1)


def rubbed(power):
    """Friction of a prescribed motion alone, beside a mass at rest: what it takes is known in closed form."""
    model = ss.Model()
    base = model.coordinate("base", motion=odd_power(power))
    mass = model.coordinate("mass", inertia=1.0)
    model.connect(mass, ss.Linear(stiffness=2.0, damping=0.2), name="spring")
    model.connect(base, ss.DryFriction(limit=LIMIT), name="rub")
    return model


def pushed(motion, beside=None, inertia=1.0):
    """A mass on a spring and damper that friction of a base pushes."""
    model = ss.Model()
    base = model.coordinate("base", motion=motion)
    mass = model.coordinate("mass", inertia=inertia)
    model.connect(mass, ss.Linear(stiffness=1.0, damping=0.2), name="spring")
    model.connect(base, ss.DryFriction(limit=LIMIT), name="rub", along=mass)
    if beside is not None:
        model.connect(mass, beside, name="own")
    return model


def turns_of(run):
    return np.array([event.time for event in run.events if event.connection == "rub" and event.time > 0.0])


@pytest.mark.parametrize("beside", BESIDE)
@pytest.mark.parametrize("power", [3, 5, 9])
def test_a_multiple_zero_is_found_to_rounding(power, beside):
    run = pushed(odd_power(power), BESIDE[beside]).simulate(
        until=6.1 * PERIOD, frequency=OMEGA, method="exact", samples=0
    )
    assert turns_of(run) == pytest.approx(np.arange(1, 13) * 0.5 * PERIOD, rel=1e-14)
    assert run.stats.steps < 3000  # points that were looked at: a simple zero takes some tens
    assert run.certificate.passed


@pytest.mark.parametrize("inertia", [1.0, 0.0])
def test_late_in_a_run(inertia):
    run = pushed(odd_power(5), BESIDE["slider"], inertia).simulate(
        until=300.1 * PERIOD, frequency=OMEGA, method="exact", samples=0
    )
    assert turns_of(run) == pytest.approx(np.arange(1, 601) * 0.5 * PERIOD, rel=1e-14)


@pytest.mark.parametrize(
    ("power", "periods"),
    [(power, 3) for power in (3, 5, 7, 9, 11, 13)]
    + [(3, 1000), (7, 1000), (11, 1000), pytest.param(13, 1000, marks=pytest.mark.long)],
)
def test_zeros_of_high_order_are_counted_however_late(power, periods):
    run = rubbed(power).simulate(until=(periods + 0.25) * PERIOD, frequency=OMEGA, method="exact", samples=0)
    assert turns_of(run) == pytest.approx(np.arange(1, 2 * periods + 1) * 0.5 * PERIOD, rel=1e-14)
    # 2^n (m!)^2 / n! with n = 2m + 1 is the integral of sin^n over half a period
    half = power // 2
    stroke = X * 2.0**power * math.factorial(half) ** 2 / math.factorial(power)
    assert run.certificate.dissipated["rub"] == pytest.approx(LIMIT * (2 * periods + 0.5) * stroke, rel=1e-11)
    assert len(run.certificate.notes) == 1


@pytest.mark.parametrize("power", [17, 21])
def test_a_zero_that_rounding_hides_is_put_in_the_middle_and_said(power):
    runs = [
        pushed(odd_power(n)).simulate(until=20.1 * PERIOD, frequency=OMEGA, method="exact", samples=200)
        for n in (power, 1)
    ]
    late = np.abs(turns_of(runs[0]) - np.arange(1, 41) * 0.5 * PERIOD)
    assert late.max() < 0.01  # of 0.2 and more where the rate is below rounding
    mass = [run.data.displacement.sel(coordinate="mass").values for run in runs]
    assert 1e-6 < np.abs(mass[0] - mass[1]).max() < runs[0].certificate.errors["mass"]
    assert any("zero to rounding" in note for note in runs[0].certificate.notes)


@pytest.mark.parametrize("power", [3, 5])
def test_motion_is_that_of_a_simple_zero(power):
    """Only the sign of the rate counts: the same square wave pushes, and the same motion comes of it."""
    times = np.linspace(0.0, 4.0 * PERIOD, 101)
    for beside in BESIDE.values():
        found = [
            pushed(motion, beside).simulate(until=4.0 * PERIOD, frequency=OMEGA, samples=times, method="exact")
            for motion in (odd_power(power), odd_power(1))
        ]
        mass = [run.data.displacement.sel(coordinate="mass").values for run in found]
        assert mass[0] == pytest.approx(mass[1], abs=1e-12)


@pytest.mark.parametrize(
    "motion",
    [
        ss.Ramp(X * OMEGA) + ss.Sine(-X, order=1),  # the rate is 1 - cos
        ss.Ramp(1.5 * X * OMEGA) + ss.Fourier(sin=(-2.0 * X, 0.25 * X), order=1),  # (1 - cos)^2
    ],
)
def test_a_zero_of_even_order_is_passed_by(motion):
    for beside in BESIDE.values():
        run = pushed(motion, beside).simulate(until=6.1 * PERIOD, frequency=OMEGA, method="exact", samples=0)
        assert turns_of(run).size == 0
        assert run.stats.steps < 3000


def test_zeros_that_are_near_but_apart_are_all_met():
    """sin^3 less a little of sin: three zeros around every one of the sine."""
    apart = 1e-3
    motion = odd_power(3) + ss.Cosine(X * apart**2, order=1)  # its rate is X (sin^3 - apart^2 sin)
    run = pushed(motion, BESIDE["friction that slips"]).simulate(
        until=1.25 * PERIOD, frequency=OMEGA, method="exact", samples=0
    )
    near = math.asin(apart) / OMEGA
    expected = [near, *(at * 0.5 * PERIOD + shift for at in (1, 2) for shift in (-near, 0.0, near))]
    assert turns_of(run) == pytest.approx(expected, rel=1e-9)
