"""Speeds that vary within a run, chirps, and limits that are any function of time."""

import cmath
import math

import numpy as np
import pytest
from scipy.special import wofz

import slipstick as ss
from slipstick.errors import InvalidInput
from slipstick.transient.run_up_angle import angle_of


def oscillator(load, *laws):
    m = ss.Model("oscillator")
    x = m.coordinate("x", inertia=1.0)
    for k, law in enumerate((ss.Linear(stiffness=100.0, damping=0.4), *laws)):
        m.connect(x, law, name=f"law{k}")
    m.load(x, load)
    return m


def motion(run, name="x"):
    return run.data.displacement.sel(coordinate=name).values


def swept_integral(t, w, a, pole):
    """The integral from 0 to t of exp(pole (t - s)) exp(i (w s + a s^2/2)), by the scaled error function.

    The exponent is i a/2 (s + b)^2 + rest with b = (w + i pole)/a; with z = sqrt(-i a/2) (s + b) it is a Gaussian.
    """
    root = cmath.sqrt(-0.5j * a)
    b = (w + 1j * pole) / a
    rest = pole * t - 0.5j * a * b * b

    def primitive(s):
        z = root * (s + b)
        # exp(rest) erf(z) sqrt(pi)/2 = (exp(rest) - exp(rest - z^2) w(i z)) sqrt(pi)/2 for Re z >= 0; odd in z
        sign = 1.0 if z.real >= 0.0 else -1.0
        tail = cmath.exp(rest - z * z) * wofz(1j * sign * z)
        return sign, sign * tail

    (sign1, tail1), (sign0, tail0) = primitive(t), primitive(0.0)
    whole = (sign1 - sign0) * cmath.exp(rest) - (tail1 - tail0)
    return 0.5 * math.sqrt(math.pi) / root * whole


def run_up_of_linear_oscillator(t, w, a):
    """x'' + 0.4 x' + 100 x = cos(w t + a t^2/2) from rest, in closed form (Fresnel integrals)."""
    pole = complex(-0.2, math.sqrt(100.0 - 0.04))
    response = [swept_integral(s, w, a, p) for s in t for p in (pole, pole.conjugate())]
    up, down = np.array(response[0::2]), np.array(response[1::2])
    return ((up - down) / (2j * pole.imag)).real


def test_the_run_up_of_a_linear_oscillator_is_that_of_fresnel_integrals():
    times = np.linspace(0.0, 10.0, 101)
    run = oscillator(ss.Cosine(1.0, order=1)).simulate(10.0, speed=ss.Constant(2.0) + ss.Ramp(2.0), samples=times)
    expected = run_up_of_linear_oscillator(times, 2.0, 2.0)
    assert np.abs(expected).max() > 0.05  # through the resonance
    np.testing.assert_allclose(motion(run), expected, rtol=0, atol=2e-15)
    assert run.stats.method == "exact"
    assert run.certificate.passed


@pytest.mark.parametrize("tolerance", [1e-8, 1e-10, 1e-11])
def test_the_error_of_an_adaptive_run_up_lies_within_its_certificate(tolerance):
    times = np.linspace(0.0, 10.0, 1000)  # those that the certificate compares
    run = oscillator(ss.Chirp(1.0, 2.0, 2.0)).simulate(10.0, samples=times, method="events", tolerance=tolerance)
    error = np.abs(motion(run) - run_up_of_linear_oscillator(times, 2.0, 2.0)).max()
    assert 0.5 * run.certificate.error < error < run.certificate.error


def test_a_chirp_is_a_run_up_without_a_base():
    by_order = oscillator(ss.Cosine(1.0, order=1, phase=0.3)).simulate(8.0, speed=ss.Constant(2.0) + ss.Ramp(2.0))
    chirp = oscillator(ss.Chirp(1.0, 2.0, 2.0, phase=0.3)).simulate(8.0)
    np.testing.assert_allclose(motion(chirp), motion(by_order), rtol=0, atol=1e-15)


def test_a_chirp_without_rate_is_a_cosine():
    for frequency in (3.0, -3.0, 0.0):
        t = np.linspace(0.0, 5.0, 50)
        expected = 2.0 * np.cos(frequency * t + 0.4)
        np.testing.assert_allclose(ss.Chirp(2.0, frequency, 0.0, 0.4).at(t), expected, rtol=0, atol=1e-14)


def test_a_constant_speed_is_a_frequency():
    m = oscillator(ss.Cosine(1.0, order=2), ss.Freeplay(stiffness=300.0, half_gap=0.01))
    speed, frequency = m.simulate(6.0, speed=ss.Constant(4.0)), m.simulate(6.0, frequency=4.0)
    np.testing.assert_allclose(motion(speed), motion(frequency), rtol=0, atol=1e-13)
    assert len(speed.events) == len(frequency.events) > 0


UP_AND_DOWN = ss.Signal([0.0, 2.0, 3.0, 5.0], [3.0, 14.0, 14.0, 2.0])
LAWS = {
    "gap": ss.Freeplay(stiffness=300.0, half_gap=0.01),
    "slider": ss.Jenkins(stiffness=80.0, limit=0.6),
    "friction": ss.DryFriction(limit=0.3),
    "static": ss.DryFriction(limit=0.3, static_limit=0.45),
    "varying": ss.DryFriction(limit=ss.Fourier(0.3, cos=[0.2], order=2)),
}


@pytest.mark.parametrize("name", ["gap", "slider"])
def test_exact_and_adaptive_run_ups_agree(name):
    m = oscillator(ss.Cosine(1.0, order=1) + ss.Sine(0.4, order=2), LAWS[name])
    exact = m.simulate(6.0, speed=UP_AND_DOWN, start=0.5)
    other = m.simulate(6.0, speed=UP_AND_DOWN, start=0.5, method="events", tolerance=1e-9)
    assert exact.stats.method == "exact"
    assert len(exact.events) > 10
    np.testing.assert_allclose(motion(exact), motion(other), rtol=0, atol=1e-7 * np.abs(motion(exact)).max())


@pytest.mark.parametrize("name", sorted(LAWS))
def test_run_ups_close_their_energy(name):
    m = oscillator(ss.Cosine(1.0, order=1) + ss.Sine(0.4, order=2), LAWS[name])
    run = m.simulate(6.0, speed=UP_AND_DOWN)
    assert run.certificate.passed
    assert run.certificate.energy_residual < 1e-11
    assert len(run.events) > 10


def test_the_order_of_convergence_of_inclusion_is_one_with_friction_in_a_run_up():
    m = oscillator(ss.Cosine(1.0, order=1), LAWS["varying"])
    exact = m.simulate(2.0, speed=UP_AND_DOWN)
    errors = [
        np.abs(motion(m.simulate(2.0, speed=UP_AND_DOWN, method="inclusion", step=step)) - motion(exact)).max()
        for step in (1e-3, 5e-4, 2.5e-4)
    ]
    ratios = np.divide(errors[:-1], errors[1:])
    assert np.all((ratios > 1.6) & (ratios < 2.5)), errors


def test_prescribed_motions_follow_the_angle():
    """A base that moves by an order, with a damper: the load on the mass holds the speed of the base."""
    m = ss.Model("base")
    x = m.coordinate("x", inertia=1.0)
    base = m.coordinate("base", motion=ss.Sine(0.01, order=1))
    m.connect(x - base, ss.Linear(stiffness=100.0, damping=2.0), name="mount")
    m.connect(x - base, ss.Freeplay(stiffness=200.0, half_gap=0.01), name="stop")
    speed = ss.Constant(4.0) + ss.Ramp(2.0)
    run, other = (m.simulate(5.0, speed=speed, method=way) for way in ("exact", "newmark"))
    fine = m.simulate(5.0, speed=speed, method="events", tolerance=1e-10)
    np.testing.assert_allclose(motion(run), motion(fine), rtol=0, atol=1e-9)
    np.testing.assert_allclose(motion(run), motion(other), rtol=0, atol=2e-3 * np.abs(motion(run)).max())
    t = run.data.time.values
    np.testing.assert_allclose(motion(run, "base"), 0.01 * np.sin(4.0 * t + t * t), rtol=0, atol=1e-15)
    rate = run.data.velocity.sel(coordinate="base").values
    np.testing.assert_allclose(rate, 0.01 * np.cos(4.0 * t + t * t) * (4.0 + 2.0 * t), rtol=0, atol=1e-14)
    assert run.certificate.passed


def test_a_moved_base_that_a_mass_matrix_couples_brings_its_acceleration():
    """M q'' with the relative coordinate z = x - y: z'' + 100 z = -y''."""
    mass, stiffness = np.array([[1.0, 1.0], [1.0, 1.0]]), np.diag([100.0, 0.0])
    m = ss.Model.from_matrices(mass, 0.0 * mass, stiffness, names=["z", "y"])
    m["y"].motion = ss.Cosine(0.01, order=1)
    speed = ss.Constant(3.0) + ss.Ramp(1.5)
    z = motion(m.simulate(4.0, speed=speed), "z")
    absolute = ss.Model("absolute")
    x = absolute.coordinate("x", inertia=1.0)
    y = absolute.coordinate("y", motion=ss.Cosine(0.01, order=1))
    absolute.connect(x - y, ss.Linear(stiffness=100.0), name="spring")
    x.displacement, x.velocity = 0.01, 0.0
    both = absolute.simulate(4.0, speed=speed)
    np.testing.assert_allclose(z, motion(both, "x") - motion(both, "y"), rtol=0, atol=1e-13)


def test_a_clutch_under_a_ramped_capacity_locks_at_its_closed_form():
    driving, driven, rate, speed = 2.0, 3.0, 40.0, 100.0
    m = ss.Model("clutch")
    a, b = m.coordinate("a", inertia=driving, velocity=speed), m.coordinate("b", inertia=driven)
    m.connect(a - b, ss.DryFriction(limit=ss.Ramp(rate)), name="clutch")
    run = m.simulate(5.0)
    locked = math.sqrt(2.0 * speed / (rate * (1.0 / driving + 1.0 / driven)))
    events = [e for e in run.events if e.after == "stick"]
    assert events[0].time == pytest.approx(locked, rel=1e-14)
    shared = driving * speed / (driving + driven)
    np.testing.assert_allclose(run.data.velocity.values[-1], [shared, shared], rtol=1e-13)
    assert run.certificate.passed


def test_a_capacity_that_is_sampled_and_opens_again():
    """Closed over 0.8 s, held, opened: inertias that stick part when the limit falls below what they carry."""
    m = ss.Model("clutch")
    a, b = m.coordinate("a", inertia=2.0, velocity=10.0), m.coordinate("b", inertia=3.0)
    m.load(a, ss.Constant(5.0))
    m.connect(a - b, ss.DryFriction(limit=ss.Signal([0.0, 0.8, 3.0, 4.0], [0.0, 60.0, 60.0, 0.0])), name="clutch")
    run = m.simulate(4.0)
    carried = 5.0 * 3.0 / 5.0  # what the clutch carries while both turn together
    opens = [e for e in run.events if e.before == "stick"]
    assert len(opens) == 1
    assert opens[0].time == pytest.approx(4.0 - carried / 60.0, rel=1e-13)
    force = run.data.force.values[:, 0]
    assert np.all(np.abs(force) <= 60.0 * (1 + 1e-12))


def test_a_stiffness_that_is_switched_on_over_time():
    factor = ss.Signal([0.0, 1.0, 2.0], [0.0, 0.0, 1.0])
    m = oscillator(
        ss.Cosine(1.0, frequency=5.0), ss.Polynomial(coefficients=[0.0, 0.0, 0.0, 40_000.0]).modulated(factor)
    )
    fine, coarse = (m.simulate(4.0, method="events", tolerance=tolerance) for tolerance in (1e-11, 1e-7))
    free = oscillator(ss.Cosine(1.0, frequency=5.0)).simulate(4.0)
    early = fine.data.time.values <= 1.0
    np.testing.assert_allclose(motion(fine)[early], motion(free)[early], rtol=0, atol=1e-9)
    assert np.abs(motion(fine) - motion(free))[~early].max() > 1e-3
    np.testing.assert_allclose(motion(fine), motion(coarse), rtol=0, atol=1e-5)
    newmark = m.simulate(4.0, method="newmark", step=2e-4)
    np.testing.assert_allclose(motion(fine), motion(newmark), rtol=0, atol=1e-5)


def test_periodic_methods_refuse_what_never_repeats():
    m = oscillator(ss.Cosine(1.0, order=1), ss.DryFriction(limit=ss.Ramp(1.0)))
    with pytest.raises(InvalidInput, match="not periodic"):
        m.periodic(frequency=5.0)
    with pytest.raises(InvalidInput, match="not periodic"):
        oscillator(ss.Chirp(1.0, 2.0, 1.0) + ss.Cosine(1.0, order=1)).periodic(frequency=5.0)


def test_angles_are_integrals_of_speeds():
    speed = ss.Constant(1.0) + ss.Ramp(0.5) + ss.Signal([1.0, 2.0, 2.0, 4.0], [0.0, 4.0, -1.0, 3.0])
    angle = angle_of(speed)
    t = np.linspace(-1.0, 6.0, 281)
    fine = np.linspace(0.0, 6.0, 600_001)
    values = speed.at(fine)
    sums = np.concatenate([[0.0], np.cumsum(0.5 * (values[1:] + values[:-1]) * np.diff(fine))])
    late = t >= 0.0
    np.testing.assert_allclose(angle.over(t)[late], np.interp(t[late], fine, sums), rtol=0, atol=5e-5)
    np.testing.assert_allclose(angle.over(t, 1), speed.at(t), rtol=0, atol=1e-13)
    assert angle.over(0.0) == 0.0
    # before the first sample its value holds
    np.testing.assert_allclose(angle.over(-1.0), -(1.0 - 0.25), rtol=1e-14)


@pytest.mark.parametrize(
    ("speed", "words"),
    [
        (5.0, "must be a function of time"),
        (ss.Cosine(1.0, frequency=2.0), "made of straight lines"),
    ],
)
def test_wrong_speeds_are_refused(speed, words):
    with pytest.raises(InvalidInput, match=words):
        oscillator(ss.Cosine(1.0, order=1)).simulate(1.0, speed=speed)


def test_speed_and_frequency_are_not_both_given():
    with pytest.raises(InvalidInput, match="not both"):
        oscillator(ss.Cosine(1.0, order=1)).simulate(1.0, speed=ss.Constant(2.0), frequency=2.0)


@pytest.mark.parametrize("masses", [1, 14])  # few and many coordinates begin their steps differently
def test_a_shaft_that_never_turns_holds_its_loads(masses):
    """cos(2 phase) at phase 0 is a constant: 1 (1 - cos(omega t))/k of an undamped oscillator."""
    m = ss.Model("held")
    for i in range(masses):
        x = m.coordinate(f"x{i}", inertia=1.0)
        m.connect(x, ss.Linear(stiffness=100.0), name=f"spring{i}")
        m.load(x, ss.Cosine(1.0, order=2))
    run = m.simulate(3.0, speed=ss.Constant(0.0))
    expected = 0.01 * (1.0 - np.cos(10.0 * run.data.time.values))
    np.testing.assert_allclose(motion(run, f"x{masses - 1}"), expected, rtol=0, atol=1e-15)
    assert run.certificate.passed


def test_a_jump_of_the_speed_is_refused_where_a_mass_matrix_would_pass_it_on():
    """The velocity of the moved base jumps with the speed, and that of the relative coordinate would, too."""
    mass, stiffness = np.array([[1.0, 1.0], [1.0, 1.0]]), np.diag([100.0, 0.0])
    m = ss.Model.from_matrices(mass, 0.0 * mass, stiffness, names=["z", "y"])
    m["y"].motion = ss.Sine(0.01, order=1)
    jump = ss.Signal([0.0, 2.0, 2.0], [5.0, 5.0, -15.0])
    with pytest.raises(InvalidInput, match=r'"y": the speed jumps at t = 2 s.*spread the jump'):
        m.simulate(4.0, speed=jump)
    assert m.simulate(4.0, start=2.0, speed=jump).certificate.passed
    corners = ss.Signal([0.0, 0.7, 1.1], [3.0, 5.1, -1.3]) + ss.Ramp(0.1)
    assert m.simulate(4.0, speed=corners).certificate.passed


IN_SERIES = {
    "maxwell": ss.Maxwell(stiffness=80.0, damping=5.0),
    "zener": ss.Zener(stiffness=80.0, damping=5.0, parallel_stiffness=20.0),
    "gap and slider": ss.Series(
        of=(ss.Freeplay(stiffness=200.0, half_gap=0.005), ss.Jenkins(stiffness=300.0, limit=0.5))
    ),
}


@pytest.mark.parametrize("name", sorted(IN_SERIES))
def test_run_ups_of_laws_in_series_are_those_of_another_method(name):
    """Taylor steps cannot follow a joint without inertia: auto leaves exact."""
    m = oscillator(ss.Cosine(1.0, order=1), IN_SERIES[name])
    speed = ss.Ramp(3.0)
    run = m.simulate(4.0, speed=speed, tolerance=1e-10)
    assert run.stats.method == "events"
    assert "joint without inertia" in run.stats.reason
    other = m.simulate(4.0, speed=speed, method="newmark", step=2e-4)
    np.testing.assert_allclose(motion(run), motion(other), rtol=0, atol=1e-4 * np.abs(motion(run)).max())


def test_friction_beside_a_joint_takes_a_limit_of_time():
    m = oscillator(ss.Cosine(1.0, frequency=5.0), IN_SERIES["maxwell"], ss.DryFriction(limit=ss.Ramp(0.2)))
    run = m.simulate(1.0)
    assert run.stats.method == "events"
    assert run.certificate.passed  # the energies of spring, joint and friction close
    force, limit = np.abs(run.data.force.sel(connection="law2")), 0.2 * run.data.time
    assert np.all(force <= limit + 1e-9)
    assert float(force.max()) > 0.5 * float(limit.max())


def test_friction_times_a_ramp_is_sent_to_its_limit():
    m = oscillator(ss.Cosine(1.0, frequency=5.0), ss.DryFriction(limit=1.0).modulated(ss.Ramp(1.0)))
    with pytest.raises(ss.MissingFace, match=r'give "law1" the function as its limit'):
        m.simulate(1.0)
