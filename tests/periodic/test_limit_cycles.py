"""Limit cycles against published periods and closed forms."""

import math

import numpy as np
import pytest
from scipy.optimize import brentq
from self_excited_models import VAN_DER_POL_PERIOD, belt, belt_times, rayleigh, stribeck_belt

import slipstick as ss


@pytest.fixture(scope="module")
def rayleigh_run():
    return rayleigh().simulate(60.0)


def test_shooting_finds_the_published_period_of_van_der_pol(rayleigh_run):
    orbit = rayleigh().limit_cycle(rayleigh_run)
    assert orbit.stats.method == "shooting"
    assert orbit.period == pytest.approx(VAN_DER_POL_PERIOD, abs=2e-9)
    assert orbit.frequency == pytest.approx(2.0 * np.pi / orbit.period, rel=1e-14)
    assert orbit.certificate.passed
    assert abs(orbit.multipliers[0] - 1.0) < 1e-12
    assert orbit.stable
    assert any("shift in time" in note for note in orbit.notes)
    assert "stable (multipliers 1, of a shift in time" in repr(orbit)


@pytest.mark.parametrize("harmonics", [15, 30])
def test_harmonic_balance_finds_the_published_period_of_van_der_pol(rayleigh_run, harmonics):
    orbit = rayleigh().limit_cycle(rayleigh_run, "harmonic-balance", harmonics)
    assert orbit.stats.method == "harmonic-balance"
    assert orbit.period == pytest.approx(VAN_DER_POL_PERIOD, abs=1e-9)
    assert orbit.certificate.passed


def test_the_multiplier_is_the_exponential_of_the_mean_divergence(rayleigh_run):
    orbit = rayleigh().limit_cycle(rayleigh_run)
    v = orbit.data.velocity.sel(coordinate="x").values
    mean = np.trapezoid(1.0 - v**2, orbit.data.time.values)  # Liouville
    assert orbit.multipliers[1].real == pytest.approx(np.exp(mean), rel=1e-3)


def test_the_error_of_harmonic_balance_bounds_its_distance_to_shooting(rayleigh_run):
    m = rayleigh()
    exact = m.limit_cycle(rayleigh_run)
    rough = m.limit_cycle(rayleigh_run, "harmonic-balance", 5)
    apart = abs(rough.amplitude["x"] - exact.amplitude["x"])
    assert 0.0 < apart < rough.certificate.error < 100.0 * apart


@pytest.mark.parametrize(("speed", "limit", "static_limit"), [(0.5, 0.6, 1.0), (0.2, 0.5, 0.8), (1.0, 0.3, 1.5)])
def test_the_belt_oscillator_sticks_and_slides_as_long_as_in_closed_form(speed, limit, static_limit):
    m = belt(speed, limit, static_limit)
    orbit = m.limit_cycle(m.simulate(60.0))
    stick, slip = belt_times(speed, limit, static_limit)
    assert orbit.period == pytest.approx(stick + slip, rel=1e-12)
    assert orbit.stick_share["pad"] * orbit.period == pytest.approx(stick, rel=1e-11)
    assert abs(orbit.multipliers[1]) < 1e-9  # sticking forgets everything but the phase
    assert orbit.stable


def test_an_orbit_of_other_parameters_is_a_start():
    m = belt()
    orbit = m.limit_cycle(m.simulate(60.0))
    other = belt(speed=0.55, limit=0.62).limit_cycle(orbit)
    assert other.period == pytest.approx(sum(belt_times(0.55, 0.62, 1.0)), rel=1e-12)


def test_a_run_that_comes_to_rest_has_no_limit_cycle():
    m = ss.Model("damped")
    x = m.coordinate("x", inertia=1.0, displacement=1.0)
    m.connect(x, ss.Linear(stiffness=1.0, damping=1.0))
    with pytest.raises(ss.NotConverged, match="comes to rest"):
        m.limit_cycle(m.simulate(200.0))


def test_a_forced_model_is_refused():
    m = rayleigh()
    run = m.simulate(30.0)
    m.load(m["x"], ss.Cosine(1.0, frequency=2.0))
    with pytest.raises(ss.InvalidInput, match=r"varies in time.*m\.periodic"):
        m.limit_cycle(run)


def test_a_spring_to_a_moving_coordinate_is_refused():
    m = belt()
    run = m.simulate(30.0)
    m.connect(m["x"] - m["belt"], ss.Linear(stiffness=0.1), name="tie")
    with pytest.raises(ss.InvalidInput, match='"tie" is stretched ever further by the motion of "belt"'):
        m.limit_cycle(run)


@pytest.mark.parametrize("start", [None, 3.0, "run"])
def test_a_start_that_is_neither_run_nor_orbit_is_refused(start):
    with pytest.raises(ss.InvalidInput, match="start must be a run"):
        rayleigh().limit_cycle(start)


def test_harmonic_balance_refuses_a_moving_belt():
    m = ss.Model("belt")
    x = m.coordinate("x", inertia=1.0, displacement=1.2)
    moving = m.coordinate("belt", motion=ss.Ramp(0.5))
    m.connect(x, ss.Linear(stiffness=1.0))
    m.connect(x - moving, ss.DryFriction(limit=0.5), name="pad")
    with pytest.raises(ss.InvalidInput, match='"belt" moves at a constant speed'):
        m.limit_cycle(m.simulate(60.0), method="harmonic-balance")


def test_periodic_advises_a_limit_cycle_where_a_model_excites_itself():
    with pytest.raises(ss.InvalidInput, match=r"m\.limit_cycle"):
        belt().periodic(frequency=1.0)
    passive = ss.Model("passive")
    passive.connect(passive.coordinate("x", inertia=1.0), ss.Linear(stiffness=1.0, damping=0.1))
    with pytest.raises(ss.InvalidInput) as refusal:
        passive.periodic(frequency=1.0)
    assert "limit_cycle" not in str(refusal.value)


def test_a_conservative_model_has_no_limit_cycle(refused):
    m = ss.Model("hardening spring")
    x = m.coordinate("x", inertia=1.0, displacement=1.0)
    m.connect(x, ss.Polynomial(coefficients=(0.0, 1.0, 0.0, 1.0)), name="spring")
    with refused("free vibrations of any amplitude"):
        m.limit_cycle(m.simulate(until=50.0), method="harmonic-balance")


def test_an_unstable_cycle_beside_a_graze_is_no_settled_run():
    """Below v = 1.8366 the block sticks once in each cycle; an unstable cycle without stick lies beside it."""
    v = 1.83645
    m = stribeck_belt(speed=v)
    m["x"].displacement, m["x"].velocity = 1.0 - 0.1 * v, v
    cycle = m.limit_cycle(m.simulate(until=200.0))
    assert cycle.stable or any("a run does not settle to it" in note for note in cycle.notes)


def test_a_function_that_gives_no_model_is_refused(refused):
    with refused("gave 3 at 2", "not a model"):
        belt().equilibria(lambda _: 3, between=(2.0, 0.5))


@pytest.mark.parametrize("flow", ["exact", "adaptive"])
def test_the_amplitude_of_a_running_belt_is_that_about_its_ramp(flow):
    m = ss.Model("belt that shakes")
    x = m.coordinate("x", inertia=1.0, displacement=-0.7)
    belt = m.coordinate("belt", motion=ss.Constant(0.5) + ss.Ramp(0.2))
    m.connect(x, ss.Linear(stiffness=1.0, damping=0.02))
    m.connect(x - belt, ss.DryFriction(limit=0.3, static_limit=0.6), name="pad")
    if flow == "adaptive":
        m.connect(x, ss.Polynomial(coefficients=(0.0, 0.0, 0.0, 1e-9)))
    orbit = m.limit_cycle(start=m.simulate(until=60.0))
    assert orbit.point.amplitude[1] == pytest.approx(0.0, abs=1e-12)
    assert orbit.point.rms[1] == pytest.approx(0.5, abs=1e-9)
    assert orbit.point.mean[1] == pytest.approx(0.5, abs=1e-9)


class PumpAndDamper(ss.Law):
    """mu (u^2 - 1) v: it gives energy near zero and takes it further out, none in all over a cycle."""

    mu: float = ss.parameter((1, -1, 1), above=0)

    def update(self, u, v, memory):
        return self.mu * (u * u - 1.0) * v, memory


@pytest.mark.parametrize("method", ["auto", "harmonic-balance"])
def test_a_law_that_gives_and_takes_energy_has_a_cycle(method):
    m = ss.Model("van der Pol")
    x = m.coordinate("x", inertia=1.0, displacement=1.0)
    m.connect(x, ss.Linear(stiffness=1.0))
    m.connect(x, PumpAndDamper(mu=1.0))
    orbit = m.limit_cycle(m.simulate(until=60.0), method=method)
    assert orbit.period == pytest.approx(6.6632868593, abs=1e-8)


def test_equilibria_and_basins_of_rigid_contacts_are_refused(refused):
    m = ss.Model("foot")
    x, y = m.coordinate("x", inertia=1.0), m.coordinate("y", inertia=1.0)
    m.load(y, ss.Constant(-9.81))
    m.connect(x, ss.Linear(stiffness=5.0, damping=0.1))
    m.connect((x, -y), ss.CoulombContact(friction=0.2, restitution=0.4), name="foot")
    with refused('"foot" has several deflections, which equilibria does not take'):
        m.equilibria("foot.friction", between=(0.1, 0.3))
    with refused('"foot" is a rigid contact', "FrictionContact"):
        m.basins({"x": (-1.0, 1.0)}, count=5, workers=1)


@pytest.mark.parametrize("until", [400.0, 1000.0])
def test_a_slow_cycle_is_found_from_a_run_with_few_samples_in_its_slip(until):
    """A cycle of 42 s slips for 3 s, in which the longer run has six samples."""
    model = belt(0.02, damping=0.05)
    cycle = model.limit_cycle(model.simulate(until=until))
    omega = math.sqrt(1.0 - 0.025**2)
    speed = 0.02

    def slip(t: float) -> tuple[float, float]:
        """x and v after sliding for t from where the static limit is reached, damping included."""
        start = 1.0 - 0.05 * speed - 0.6
        decay = math.exp(-0.025 * t)
        a, b = start, (speed + 0.025 * start) / omega
        x = decay * (a * math.cos(omega * t) + b * math.sin(omega * t))
        rate = -0.025 * x + omega * decay * (b * math.cos(omega * t) - a * math.sin(omega * t))
        return 0.6 + x, rate

    free = brentq(lambda t: slip(t)[1] - speed, 3.0, 3.6)  # it moves with the belt again
    stick = (1.0 - 0.05 * speed - slip(free)[0]) / speed
    assert cycle.period == pytest.approx(free + stick, rel=1e-11)
