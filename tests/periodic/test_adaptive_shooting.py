"""Orbits by shooting on the adaptive flow: published numbers, other methods, and the derivative against differences."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.interpolate import CubicHermiteSpline

import slipstick as ss
from slipstick.laws.envelopes import dynamic_hysteresis
from slipstick.periodic.common_period import period_of
from slipstick.periodic.continuation.curve_trace import solve_at_values
from slipstick.periodic.shooting.adaptive_family import AdaptiveShooting
from slipstick.periodic.shooting.adaptive_map import AdaptiveMap
from slipstick.periodic.shooting.adaptive_orbits import describe_adaptive_orbit
from slipstick.periodic.shooting.newton import solve_period_map
from slipstick.results.orbit import Orbit
from slipstick.transient.problem import pose


def map_of(model, omega, tolerance=1e-9):
    problem = pose(model, 0.0, omega)
    return AdaptiveMap(problem, period_of(problem).time, tolerance)


def orbit_of(model, omega, tolerance=1e-9, guess=None):
    problem = pose(model, 0.0, omega)
    period = period_of(problem)
    period_map = AdaptiveMap(problem, period.time, tolerance)
    closed = solve_period_map(period_map, period_map.first() if guess is None else guess)
    point, trajectory = describe_adaptive_orbit(period_map, period, closed, omega)
    return Orbit(trajectory, problem.system.snapshot(), point)


def oscillator(*laws, stiffness=1.0, damping=0.1, load=1.0):
    m = ss.Model("oscillator")
    x = m.coordinate("x", inertia=1.0)
    m.connect(x, ss.Linear(stiffness=stiffness, damping=damping), name="base")
    for i, law in enumerate(laws):
        m.connect(x, law, name=f"law {i}")
    m.load(x, ss.Cosine(load, order=1))
    return m


def test_a_map_of_other_numbers_integrates_as_the_one_before():
    own = AdaptiveMap(*_posed(ss.Dahl(stiffness=1.0, limit=0.3)), 3e-8, by_springs=True)
    other = own.renewed(*_posed(ss.Dahl(stiffness=1.0, limit=0.4)))
    assert (other.tolerance, other.by_springs) == (own.tolerance, own.by_springs)


def _posed(law):
    problem = pose(oscillator(law), 0.0, 0.8)
    return problem, period_of(problem).time


# ---- the belt tensioner: Bastien et al., Fig. 21, modified Dahl; ranges of tension computed by direct integration


def tensioner(amplitude, omega):
    return ss.systems.tensioner("modified-dahl", amplitude=float(amplitude), frequency=float(omega))


@pytest.mark.parametrize(
    ("amplitude", "omega", "tension"),
    [
        (13, 70, 386.34103),
        (54, 65, 628.96535),
        (120, 73, 637.11540),
        (160, 50, 679.50374),
        (300, 20, 648.53374),
        (13, 50, 54.52855),  # the orbit; the paper's window [17, 20] s gives 54.5964
    ],
)
def test_tensioner_ranges_of_tension_are_those_of_direct_integration(amplitude, omega, tension):
    orbit = orbit_of(tensioner(amplitude, omega), float(omega))
    assert orbit.force_range["belt"] == pytest.approx(tension, abs=6e-6)
    assert orbit.point.residual <= 1e-11
    assert orbit.stable


def test_a_period_of_simulation_from_the_orbit_leads_back_to_it():
    omega = 65.0
    model = tensioner(54, omega)
    orbit = orbit_of(model, omega)
    t, q = orbit.data.time.values, orbit.data.displacement.values
    assert np.abs(q[-1] - q[0]).max() <= 1e-11 * np.abs(q).max()
    assert t[-1] == pytest.approx(2.0 * math.pi / omega, rel=1e-14)
    # a long run settles there by itself: the largest multiplier is 0.64
    run = model.simulate(until=200 * 2.0 * math.pi / omega, tolerance=1e-9, samples=2)
    assert run.data.displacement.values[-1] == pytest.approx(q[-1], abs=1e-8 * np.abs(q).max())


def test_work_of_a_period_balances_and_the_certificate_says_so():
    orbit = orbit_of(tensioner(120, 73), 73.0)
    certificate = orbit.certificate
    assert certificate.passed
    assert sum(orbit.dissipated.values()) == pytest.approx(certificate.work_in, rel=1e-7)
    for name, work in certificate.dissipated.items():
        assert orbit.dissipated[name] == pytest.approx(work, rel=1e-7)


@pytest.mark.parametrize(("amplitude", "omega"), [(13, 50), (54, 65), (300, 20)])
def test_the_stated_error_covers_the_distance_to_a_much_tighter_orbit(amplitude, omega):
    model = tensioner(amplitude, omega)
    judge = orbit_of(model, float(omega), 1e-12)
    for tolerance in (1e-6, 1e-7):
        orbit = orbit_of(model, float(omega), tolerance)
        wrong = np.abs(orbit.point.x - judge.point.x)[:2].max()
        assert wrong <= 3.0 * orbit.point.error
        assert orbit.point.error <= 1e-2 * orbit.amplitude["u1"]
        assert wrong <= 3.0 * orbit.certificate.error


@pytest.mark.parametrize("amplitude", [13, 300])  # slowly forgotten, and far from its neighbours at low frequencies
def test_curves_measure_a_light_body_by_its_springs_and_are_right_all_the_same(amplitude):
    first = pose(tensioner(amplitude, 24.0), 0.0, 24.0)
    family = AdaptiveShooting(first.retuned, 24.0, over_frequency=True)
    traced = solve_at_values(family, [24.0, 23.0, 22.0, 21.0])
    assert not traced.notes
    point = family.point(traced.points[-1].x, 21.0)
    exact = orbit_of(tensioner(amplitude, 21.0), 21.0, 1e-12)
    assert point.force_range[0] == pytest.approx(exact.force_range["belt"], abs=2e-4)
    assert point.amplitude[0] == pytest.approx(exact.amplitude["u1"], abs=point.error)
    # the idler, 0.15 kg of 74, follows: of its own speed alone the steps would be twice as many
    alone = map_of(tensioner(amplitude, 21.0), 21.0, 3e-8).go(exact.point.x).flow
    assert family.map_at(21.0)[0].go(exact.point.x).flow.steps < 0.7 * alone.steps


def test_a_curve_over_frequency_has_the_orbits_of_its_points():
    model = tensioner(54, 65)
    first = pose(model, 0.0, 60.0)
    family = AdaptiveShooting(first.retuned, 60.0, over_frequency=True)
    frequencies = [60.0, 61.0, 62.0, 63.0, 64.0, 65.0]
    traced = solve_at_values(family, frequencies)
    assert not traced.notes
    for located in traced.points:
        point = family.point(located.x, located.p)
        assert located.residual <= 1e-11
        alone = orbit_of(model, located.p)
        assert point.force_range[0] == pytest.approx(alone.force_range["belt"], abs=2e-5)
        assert point.multipliers == pytest.approx(alone.multipliers, abs=1e-5)


# ---- Duffing: harmonic balance with many harmonics, and multipliers by an independent integration

DUFFING = {"stiffness": 1.0, "cubic": 0.5, "damping": 0.1, "load": 0.5}


def duffing():
    law = ss.Polynomial(coefficients=(0.0, 0.0, 0.0, DUFFING["cubic"]))
    return oscillator(law, damping=DUFFING["damping"], load=DUFFING["load"])


def duffing_multipliers(x, omega):
    """Eigenvalues of the variational equation over one period, by SciPy."""
    c, k, b, f = DUFFING["damping"], DUFFING["stiffness"], DUFFING["cubic"], DUFFING["load"]

    def rate(t, y):
        q, v, *d = y
        slope = k + 3.0 * b * q * q
        a = f * math.cos(omega * t) - c * v - k * q - b * q**3
        return [v, a, d[2], d[3], -slope * d[0] - c * d[2], -slope * d[1] - c * d[3]]

    run = solve_ivp(rate, (0.0, 2.0 * math.pi / omega), [*x, 1, 0, 0, 1], method="DOP853", rtol=1e-12, atol=1e-13)
    end = run.y[:, -1]
    assert end[:2] == pytest.approx(x, abs=1e-8)
    found = np.linalg.eigvals(end[2:].reshape(2, 2))
    return found[np.argsort(-np.abs(found), kind="stable")]


def test_duffing_orbits_are_those_of_harmonic_balance_and_their_multipliers_those_of_scipy():
    model = duffing()
    balance = model.frequency_response(between=(0.8, 2.2), method="harmonic-balance", harmonics=31)
    points = balance.points
    folds = [s["frequency"] for s in balance.special if s["kind"] == "fold"]
    assert len(folds) == 2
    inside = [k for k in range(len(points)) if min(folds) + 0.05 < points[k].frequency < max(folds) - 0.05]
    low, *_, high = inside
    unstable = next(k for k in inside if not points[k].stable)
    for k in (low, unstable, high):
        point = points[k]
        orbit = orbit_of(model, point.frequency, 1e-11, orbit_at(point))
        assert orbit.amplitude["x"] == pytest.approx(point.amplitude[0], rel=1e-8)
        assert orbit.rms["x"] == pytest.approx(point.rms[0], rel=1e-8)
        assert orbit.stable == (k != unstable)
        expected = duffing_multipliers(orbit.point.x, point.frequency)
        assert orbit.multipliers == pytest.approx(expected, abs=1e-7)
        assert (abs(expected[0]) > 1.0) == (k == unstable)


def orbit_at(point):
    """(2,) displacement and velocity at the begin of a point's period."""
    turns = 1j * np.arange(point.harmonics.shape[0]) * point.frequency
    return np.array([point.harmonics[:, 0].sum().real, (turns * point.harmonics[:, 0]).sum().real])


def test_where_the_symmetry_of_a_duffing_oscillator_breaks_is_located():
    """Harmonic balance with 25 harmonics as the judge: its odd ones alone solve the symmetric orbits."""
    law = ss.Polynomial(coefficients=(0.0, 1.0, 0.0, 1.0), damping=0.1)
    model = ss.Model("duffing")
    x = model.coordinate("x", inertia=1.0)
    model.connect(x, law, name="spring")
    model.load(x, ss.Cosine(3.0, order=1))
    found = {}
    for method, how in (("shooting", {}), ("harmonic-balance", {"harmonics": 25})):
        curve = model.frequency_response(between=(0.8, 1.15), method=method, **how)
        found[method] = [s["frequency"] for s in curve.special if s["kind"] == "branch-point"]
        if method == "shooting":
            assert not any("not located" in note for note in curve.notes)
            assert max(point.error for point in curve.points) < 0.02  # at the branch points it has no bound by itself
    assert len(found["shooting"]) == 2
    assert found["shooting"] == pytest.approx(found["harmonic-balance"], abs=1e-6)


class Slider(ss.Law):
    """A Jenkins element as somebody would write it: its corners are told to nobody."""

    stiffness: float = ss.parameter()
    limit: float = ss.parameter()
    remembers = ("deflection", "force")

    def update(self, u, v, memory):
        last, force = memory
        force = min(max(force + self.stiffness * (u - last), -self.limit), self.limit)
        return force, (u, force)

    def start(self, u=0.0):
        return (float(u), 0.0)


def test_a_slider_of_your_own_is_followed_along_a_curve_within_the_stated_error():
    curve = oscillator(Slider(stiffness=1.0, limit=0.5), load=0.6).frequency_response(
        between=(1.0, 1.35), method="shooting"
    )
    judge = oscillator(ss.Jenkins(stiffness=1.0, limit=0.5), load=0.6)  # by the exact flow
    for point in curve.points[::8]:
        orbit = judge.periodic(point.frequency)
        assert abs(point.amplitude[0] - orbit.amplitude["x"]) <= point.error <= 1e-3
        assert point.force_range[1] == pytest.approx(1.0, abs=1e-12)
        assert point.dissipated[1] == pytest.approx(orbit.dissipated["law 0"], rel=2e-3)


def test_mathieu_multipliers_are_those_of_the_linear_equation():
    omega, depth, c = 1.7, 0.4, 0.06
    spring = ss.Linear(stiffness=1.0).modulated(ss.Constant(1.0) + ss.Cosine(depth, order=1))
    orbit = orbit_of(oscillator(spring, stiffness=0.0, damping=c, load=0.2), omega, 1e-11)

    def rate(t, y):
        k = 1.0 + depth * math.cos(omega * t)
        return [y[2], y[3], -k * y[0] - c * y[2], -k * y[1] - c * y[3]]

    run = solve_ivp(rate, (0.0, 2.0 * math.pi / omega), [1, 0, 0, 1], method="DOP853", rtol=1e-12, atol=1e-13)
    expected = np.linalg.eigvals(run.y[:, -1].reshape(2, 2))
    assert np.sort_complex(orbit.multipliers) == pytest.approx(np.sort_complex(expected), abs=1e-8)
    assert np.prod(orbit.multipliers).real == pytest.approx(math.exp(-c * 2.0 * math.pi / omega), rel=1e-8)  # Liouville


# ---- every law with a memory: the derivative, and orbits that a long run settles to

LAWS = {
    "polynomial": (ss.Polynomial(coefficients=(0.0, 0.0, 0.1, 0.3)),),
    "dahl": (ss.Dahl(stiffness=2.0, limit=0.3),),
    "ductile dahl": (ss.Dahl(stiffness=2.0, limit=0.3, exponent=0.5),),
    "duhem": (ss.Duhem(rate=2.0, upper=(0.5, 0.1), lower=(-0.5, 0.1)),),
    "modified dahl": (ss.ModifiedDahl(rate=2.0, exponent=0.4, upper=(0.5, 0.2), lower=(-0.4, 0.1)),),
    "curved envelopes": (ss.ModifiedDahl(rate=2.0, exponent=0.7, upper=(0.5, 0.1, 0.05), lower=(-0.5, 0.1)),),
    "bouc-wen": (ss.BoucWen(stiffness=1.0, ratio=0.3, beta=1.0, gamma=0.5),),
    "lugre": (
        ss.LuGre(
            bristle_stiffness=20.0, bristle_damping=0.5, viscous=0.1, coulomb=0.3, static=0.4, stribeck_velocity=0.2
        ),
    ),
    "forgetful bliman-sorine": (
        ss.BlimanSorine(stiffness=2.0, limit=0.4, overshoot_limit=0.1, ratio=0.3, memory=False),
    ),
    "rounded friction": (ss.DryFriction(limit=0.3).regularised("tanh", sharpness=20.0),),
    "slider beside a cubic spring": (
        ss.Jenkins(stiffness=1.0, limit=0.4),
        ss.Polynomial(coefficients=(0.0, 0.0, 0.0, 0.1)),
    ),
    "damped gap beside a cubic spring": (
        ss.Freeplay(stiffness=3.0, half_gap=0.2, damping=0.3),
        ss.Polynomial(coefficients=(0.0, 0.0, 0.0, 0.1)),
    ),
}
WITH_CORNERS = ("slider beside a cubic spring",)  # differences over a corner are of first order


def central_differences(period_map, state, tolerance=1e-12, nudge=2e-5):
    sizes = period_map.scales(period_map.go(state).flow)
    out = np.empty((state.size, state.size))
    for k in range(state.size):
        step = np.zeros(state.size)
        step[k] = nudge * sizes[k]
        ends = [period_map.at_tolerance(state + sign * step, tolerance) for sign in (1.0, -1.0)]
        out[:, k] = (ends[0] - ends[1]) / (2.0 * step[k])
    return out * sizes / sizes[:, None]


@pytest.mark.parametrize("name", LAWS)
def test_the_derivative_of_the_map_agrees_with_differences(name):
    period_map = map_of(oscillator(*LAWS[name]), 1.3, 1e-10)
    state = period_map.first()
    for _ in range(3):
        state = period_map.go(state).state
    passed = period_map.go(state, derivative=True)
    sizes = period_map.scales(passed.flow)
    found = passed.derivative * sizes / sizes[:, None]
    allowed = 2e-5 if name in WITH_CORNERS else 1e-6
    assert np.abs(found - central_differences(period_map, state)).max() <= allowed


def test_the_derivative_by_frequency_agrees_with_differences():
    model, omega = oscillator(*LAWS["modified dahl"]), 1.3
    period_map = map_of(model, omega, 1e-10)
    state = period_map.go(period_map.first()).state
    passed = period_map.go(state, derivative=True, swept=True)
    d = 1e-4 * omega
    ends = [map_of(model, omega + sign * d, 1e-12).go(state).state for sign in (1.0, -1.0)]
    sizes = period_map.scales(passed.flow)
    assert passed.by_frequency / sizes == pytest.approx((ends[0] - ends[1]) / (2.0 * d) / sizes, abs=2e-6)


@pytest.mark.parametrize("name", LAWS)
def test_orbits_are_what_long_runs_settle_to(name):
    omega = 1.3
    model = oscillator(*LAWS[name], damping=0.3)
    orbit = orbit_of(model, omega)
    assert orbit.point.residual <= 1e-11
    assert orbit.stable
    assert orbit.certificate.passed
    until = 30 * 2.0 * math.pi / omega
    run = model.simulate(until=until, frequency=omega, method="events", tolerance=1e-9, samples=2)
    assert run.data.displacement.values[-1, 0] == pytest.approx(orbit.point.x[0], abs=1e-7 * orbit.amplitude["x"])


@pytest.mark.parametrize("name", LAWS)
def test_the_stated_error_covers_what_is_told_of_the_motion(name):
    """Against a much tighter integration; a step may be longer than the period of the twentieth harmonic."""
    model, omega = oscillator(*LAWS[name]), 1.3
    judge = orbit_of(model, omega, 1e-13).point
    for tolerance in (1e-6, 1e-8):
        point = orbit_of(model, omega, tolerance, judge.x).point
        for figure in ("amplitude", "rms", "mean", "harmonics"):
            wrong = np.abs(getattr(point, figure) - getattr(judge, figure)).max()
            assert wrong <= point.error, figure


@pytest.mark.parametrize("name", LAWS)
def test_work_of_a_period_is_that_of_the_load(name):
    """What connections take is what the load does, pi f times the part of the motion that is a quarter behind it."""
    orbit = orbit_of(oscillator(*LAWS[name]), 1.3, 1e-9)
    done = -math.pi * 1.0 * orbit.point.harmonics[1, 0].imag
    assert sum(orbit.dissipated.values()) == pytest.approx(done, rel=3e-6)


def test_an_orbit_of_a_band_says_so():
    """A law that knows its last reversal only rests anywhere: moved along with its force, a loop is the same loop."""
    orbit = orbit_of(oscillator(ss.GeneralisedDahl(rate=2.0, envelope=dynamic_hysteresis(0.3)), damping=0.3), 1.3)
    assert orbit.point.residual <= 1e-11
    assert orbit.multipliers[0] == pytest.approx(1.0, abs=1e-7)
    assert orbit.stable
    assert "1 multiplier of one" in orbit.notes[0]


@pytest.mark.parametrize(
    "law", [ss.Jenkins(stiffness=2.36, limit=0.62), ss.BoucWen(stiffness=2.0, ratio=0.2, beta=1.0, gamma=1.0)]
)
def test_something_at_rest_beside_it_changes_nothing(law):
    """What is at rest reverses at every step; x is a linear oscillator, known in closed form."""
    m = ss.Model("beside", frequency=1.5)
    x, y = m.coordinate("x", inertia=1.3), m.coordinate("y", inertia=1.0)
    m.connect(x, ss.Linear(stiffness=3.56, damping=0.44))
    m.connect(y, ss.Linear(stiffness=3.3, damping=0.17) + ss.Polynomial(coefficients=(0.0, 0.0, 0.0, 0.29)))
    m.connect(y, law)
    m.load(x, ss.Cosine(2.3, order=1))
    orbit = m.periodic(method="shooting")
    response = 2.3 / (3.56 - 1.3 * 1.5**2 + 0.66j)
    expected = (response * np.exp(1.5j * orbit.data.time.values)).real
    apart = np.abs(orbit.data.displacement.values[:, 0] - expected).max()
    assert apart < 1e-7
    assert apart <= 3.0 * orbit.certificate.error
    assert np.abs(orbit.data.displacement.values[:, 1]).max() == 0.0
    if isinstance(law, ss.Jenkins):  # wherever its slider is, it stays: y is a linear oscillator with both springs
        decay = np.exp(-0.17 / 2.0 * 2.0 * np.pi / 1.5)
        turn = np.sqrt(3.3 + 2.36 - 0.085**2) * 2.0 * np.pi / 1.5
        expected = np.array([1.0, decay * np.exp(1j * turn), decay * np.exp(-1j * turn)])
        for multiplier in expected:
            assert np.abs(orbit.multipliers - multiplier).min() < 1e-6
        assert "1 multiplier of one" in orbit.notes[0]


# ---- where a slider sticks, against the play operator along the motion of the orbit itself


def stick_by_play(orbit, half_width, count=400_001):
    """Part of the period in which the slider rests, and the angle at which it first comes to rest."""
    t, own = orbit.data.time.values, orbit.data
    motion = CubicHermiteSpline(t, own.displacement.values[:, 0], own.velocity.values[:, 0])
    times = np.linspace(t[0], t[-1], count)
    slider, rests = 0.0, []
    for _ in range(2):
        rests = []
        for u in motion(times).tolist():
            pushed = min(max(slider, u - half_width), u + half_width)
            rests.append(pushed == slider)
            slider = pushed
    rests = np.array(rests[1:])
    begins = np.flatnonzero(rests & ~np.roll(rests, 1))
    return rests.mean(), 2.0 * np.pi * begins[0] / rests.size


JENKINS = ss.Jenkins(stiffness=2.0, limit=0.3)
SLIDERS = {
    "beside a weak cubic spring": (JENKINS, ss.Polynomial(coefficients=(0.0, 0.0, 0.0, 1e-6))),
    "a factor that hardly changes": (JENKINS.modulated(ss.Fourier(1.0, cos=(1e-9,), order=1)),),
    "a factor that changes by half": (JENKINS.modulated(ss.Fourier(1.0, cos=(0.5,), order=1)),),
    "a factor that passes zero": (JENKINS.modulated(ss.Fourier(0.5, cos=(1.0,), order=1)),),
    "two sliders, the weaker one decides": (
        ss.Iwan(stiffnesses=(2.0, 1.0), limits=(0.3, 0.3)),
        ss.Polynomial(coefficients=(0.0, 0.0, 0.0, 0.1)),
    ),
}


@pytest.mark.parametrize("method", ["shooting", "integration"])
@pytest.mark.parametrize("name", SLIDERS)
def test_a_slider_sticks_where_it_does_not_move(name, method):
    m = oscillator(*SLIDERS[name], stiffness=0.8)
    orbit = m.periodic(frequency=1.3, method=method)
    share, lag = stick_by_play(orbit, 0.15)
    assert orbit.stick_share["law 0"] == pytest.approx(share, abs=2e-5)  # four ends between samples 2.5e-6 apart
    assert orbit.lag["law 0"] == pytest.approx(lag, abs=1e-3)  # where it turns the motion is flat
    named = np.array(["slip" not in state for state in orbit.data.state.sel(connection="law 0").values[:-1]])
    assert named.mean() == pytest.approx(share, abs=4.5 / named.size)


def test_a_slider_that_holds_nothing_never_sticks_and_one_that_holds_all_always_does():
    weak = oscillator(ss.Jenkins(stiffness=1.0, limit=0.0), ss.Polynomial(coefficients=(0.0, 0.0, 0.0, 0.1)))
    strong = oscillator(ss.Jenkins(stiffness=1.0, limit=9.0), ss.Polynomial(coefficients=(0.0, 0.0, 0.0, 0.1)))
    assert orbit_of(weak, 1.3).stick_share["law 0"] == 0.0
    whole = orbit_of(strong, 1.3)
    assert whole.stick_share["law 0"] == 1.0
    assert math.isnan(whole.lag["law 0"])
