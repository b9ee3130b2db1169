"""Orbits by shooting on the exact flow: published numbers, closed forms, and the derivative against differences."""

from __future__ import annotations

import math

import numpy as np
import pytest
from transient.random_models import random_model

import slipstick as ss
from slipstick.errors import InvalidInput
from slipstick.periodic.shooting.exact_map import ExactMap
from slipstick.transient.problem import pose

# ---- the torsional oscillator: Duan and Singh, eq. (5), zeta = 0.05, N = 0.5 + 0.3 sin(n Omega tau + phi)

RMS = {
    # n, phase [deg]: at Omega = 0.4, 1.0, 1.6
    (0.5, 0.0): (0.777744451, 2.583815963, 0.363640260),
    (1.0, 0.0): (0.638950387, 2.578390315, 0.335271701),
    (2.0, 0.0): (0.592788117, 2.785991067, 0.304648727),
    (1.0, 60.0): (0.862961077, 2.581852579, 0.257690192),
    (1.0, 120.0): (0.741684295, 2.580829925, 0.314322513),
}
CONSTANT = (0.846091092, 2.571123814, 0.283681475)  # n = 0


def torsional(limit, zeta=0.05):
    m = ss.Model("torsional")
    theta = m.coordinate("theta", inertia=1.0)
    m.connect(theta, ss.Linear(stiffness=1.0, damping=2.0 * zeta), name="shaft")
    m.connect(theta, ss.DryFriction(limit=limit), name="rub")
    m.load(theta, ss.Sine(1.0, order=1))
    return m


@pytest.mark.parametrize("case", RMS)
def test_torsional_responses_have_the_rms_of_independent_computations(case):
    n, phase = case
    m = torsional(ss.Constant(0.5) + ss.Sine(0.3, order=n, phase=math.radians(phase)))
    for omega, rms in zip((0.4, 1.0, 1.6), RMS[case], strict=True):
        orbit = m.periodic(frequency=omega)
        assert orbit.rms["theta"] == pytest.approx(rms, abs=6e-10)
        assert orbit.stable
        assert orbit.point.residual <= 1e-11
        assert orbit.certificate.passed
        assert orbit.period == pytest.approx(2.0 * math.pi / omega / min(n, 1.0), rel=1e-14)


def test_torsional_response_under_a_constant_load():
    for omega, rms in zip((0.4, 1.0, 1.6), CONSTANT, strict=True):
        assert torsional(0.5).periodic(frequency=omega).rms["theta"] == pytest.approx(rms, abs=6e-10)


@pytest.mark.parametrize(
    ("zeta", "limit", "omega", "amplitude"), [(0.0, 0.5, 0.8, 2.332234987541), (0.1, 0.5, 1.5, 0.434423245267)]
)
def test_den_hartog_amplitudes_without_stops(zeta, limit, omega, amplitude):
    """Den Hartog, Trans. ASME 53 (1931): the closed form, evaluated to twelve digits."""
    orbit = torsional(limit, zeta).periodic(frequency=omega)
    assert orbit.amplitude["theta"] == pytest.approx(amplitude, rel=1e-10)
    assert orbit.stick_share["rub"] == 0.0


# ---- the belt tensioner: Bastien et al., Fig. 21: range of the tension at (f1, Omega), Masing


@pytest.mark.parametrize(
    ("amplitude", "omega", "tension"),
    [(13, 70, 145.27024), (54, 65, 579.04913), (120, 73, 636.32671), (160, 50, 684.65332), (300, 20, 636.35489)],
)
def test_tensioner_ranges_of_tension_are_those_of_direct_integration(amplitude, omega, tension):
    orbit = ss.systems.tensioner(amplitude=float(amplitude), frequency=float(omega)).periodic()
    assert orbit.force_range["belt"] == pytest.approx(tension, abs=6e-6)
    assert orbit.point.residual <= 1e-11


# ---- linear systems


def test_a_linear_oscillator_has_its_closed_form_and_the_multipliers_of_its_modes():
    m = ss.Model("linear")
    x = m.coordinate("x", inertia=2.0)
    m.connect(x, ss.Linear(stiffness=3.0, damping=0.4))
    m.load(x, ss.Cosine(0.7, order=1) + ss.Constant(0.6))
    omega = 1.1
    orbit = m.periodic(frequency=omega)
    answer = 0.7 / (3.0 - 2.0 * omega**2 + 0.4j * omega)
    assert orbit.amplitude["x"] == pytest.approx(abs(answer), rel=1e-12)
    assert orbit.phase["x"] == pytest.approx(np.angle(answer), abs=1e-12)
    assert orbit.mean["x"] == pytest.approx(0.2, rel=1e-12)
    assert orbit.rms["x"] == pytest.approx(math.hypot(0.2, abs(answer) / math.sqrt(2.0)), rel=1e-12)
    values = np.exp(np.roots([2.0, 0.4, 3.0]) * 2.0 * math.pi / omega)
    np.testing.assert_allclose(np.sort_complex(orbit.multipliers), np.sort_complex(values), rtol=1e-12)
    assert orbit.dissipated[m.connections[0].name] == pytest.approx(math.pi * 0.4 * omega * abs(answer) ** 2, rel=1e-12)


def test_a_jenkins_oscillator_that_never_slips_is_one_of_a_band():
    m = ss.Model("stuck")
    x = m.coordinate("x", inertia=1.0)
    m.connect(x, ss.Linear(stiffness=1.0, damping=0.2))
    m.connect(x, ss.Jenkins(stiffness=1.0, limit=5.0), name="joint")
    m.load(x, ss.Cosine(0.1, order=1))
    orbit = m.periodic(frequency=0.9)
    assert orbit.amplitude["x"] == pytest.approx(abs(0.1 / (2.0 - 0.81 + 0.18j)), rel=1e-11)
    assert orbit.stable
    assert any("joint" in note and "band" in note for note in orbit.notes)


def test_a_block_that_sticks_throughout_stays_where_it_is():
    m = ss.Model("held")
    x = m.coordinate("x", inertia=1.0, displacement=0.05)
    m.connect(x, ss.Linear(stiffness=1.0))
    m.connect(x, ss.DryFriction(limit=1.0), name="floor")
    m.load(x, ss.Cosine(0.3, order=1))
    orbit = m.periodic(frequency=0.9)
    assert orbit.amplitude["x"] == 0.0
    assert orbit.mean["x"] == pytest.approx(0.05, rel=1e-14)
    assert orbit.stick_share["floor"] == pytest.approx(1.0, rel=1e-14)
    assert any("floor" in note and "band" in note for note in orbit.notes)


def test_two_free_wheels_are_closed_but_for_their_common_turn():
    """A free gear pair under opposite torques: (J1 J2 / (J1 + J2)) u'' + c u' + k luz(u) = T; the sum does not move."""
    m = ss.Model("free")
    a, b = m.coordinate("a", inertia=1.0), m.coordinate("b", inertia=0.5)
    m.connect(a - b, ss.Linear(stiffness=2.0, damping=0.1))
    m.load(a, ss.Cosine(0.4, order=1))
    m.load(b, ss.Cosine(-0.4, order=1))
    orbit = m.periodic(frequency=1.0)
    s = orbit.data
    twist = s.displacement.sel(coordinate="a").values - s.displacement.sel(coordinate="b").values
    answer = 0.4 / (2.0 - 1.0 / 3.0 + 0.1j)
    assert 0.5 * np.ptp(twist) == pytest.approx(abs(answer), rel=1e-4)
    assert any("may be anywhere" in note for note in orbit.notes)


# ---- the derivative of the map


def test_the_derivative_through_all_events_is_that_of_differences():
    close = total = 0
    for seed in range(60):
        problem = pose(random_model(seed))
        if problem.massless:
            continue
        period = ExactMap(problem, 4.3)
        state = period.go(period.first()).state  # off the start, where much is at rest
        passed = period.go(state, derivative=True)
        sizes = np.maximum(passed.flow.sizes, 1e-6)
        total += 1
        assert passed.derivative is not None
        # one-sided: where a contact sticks at the begin, both sides differ, and the derivative is that of staying
        misses = []
        for sign in (1.0, -1.0):
            columns = []
            for k in range(period.size):
                step = np.zeros(period.size)
                step[k] = sign * 1e-7 * sizes[k]
                columns.append((period.go(state + step).state - passed.state) / (sign * 1e-7) / sizes)
            misses.append(np.abs(np.array(columns).T - passed.derivative * sizes[None, :] / sizes[:, None]).max(axis=0))
        close += bool((np.minimum(*misses) < 1e-4).all())
    assert total >= 50
    assert close >= 0.95 * total


# ---- bad input


def test_what_cannot_be_periodic_is_refused_in_one_line():
    m = ss.Model("no load")
    x = m.coordinate("x", inertia=1.0)
    m.connect(x, ss.Linear(stiffness=1.0))
    with pytest.raises(InvalidInput, match="no periodic load"):
        m.periodic()
    m.load(x, ss.Cosine(1.0, frequency=1.0) + ss.Cosine(1.0, frequency=math.sqrt(2.0)))
    with pytest.raises(InvalidInput, match="no common period"):
        m.periodic()
    m = torsional(0.5)
    with pytest.raises(InvalidInput, match="base frequency"):
        m.periodic()
    with pytest.raises(InvalidInput, match="frequency must be > 0"):
        m.periodic(frequency=-1.0)
    with pytest.raises(InvalidInput, match="whole number from 1"):
        m.periodic(frequency=1.0, subharmonic=0)
    with pytest.raises(InvalidInput, match="start must be an orbit"):
        m.periodic(frequency=1.0, start=3.0)
    with pytest.raises(InvalidInput, match="unknown method"):
        m.periodic(frequency=1.0, method="guessing")
    m.load(m["theta"], ss.Ramp(1.0))
    with pytest.raises(InvalidInput, match="not periodic"):
        m.periodic(frequency=1.0)


def free_train(mean: float, *ground: ss.Law) -> ss.Model:
    m = ss.Model("train")
    a, b = m.coordinate("a", inertia=1.0), m.coordinate("b", inertia=2.0)
    m.connect(a - b, ss.Freeplay(stiffness=1.0, half_gap=0.1, damping=0.1), name="mesh")
    for k, law in enumerate(ground):
        m.connect(b, law, name=f"ground{k}")
    m.load(a, ss.Cosine(1.0, order=1) + ss.Constant(mean))
    return m


@pytest.mark.parametrize(
    ("ground", "words"),
    [
        ((), "leave 0.1 N .or N m. on a motion that nothing holds"),
        (
            (ss.DryFriction(limit=0.05), ss.DryFriction(limit=0.04)),
            "leave 0.1 N .* which friction holds by 0.09 at most",
        ),
    ],
)
@pytest.mark.parametrize("method", ["shooting", "integration"])
def test_a_free_train_under_a_mean_load_runs_away(ground, words, method):
    with pytest.raises(InvalidInput, match=words):
        free_train(0.1, *ground).periodic(frequency=1.5, method=method)
    with pytest.raises(InvalidInput, match=words):
        free_train(0.1, *ground).frequency_response(at=[1.5, 1.6], method=method)


@pytest.mark.parametrize(
    "ground", [ss.Linear(damping=0.2), ss.DryFriction(limit=0.11), ss.DryFriction(limit=0.05, damping=0.1)]
)
def test_a_free_train_that_something_slows_down_does_not_run_away(ground):
    """Its mean speed is that at which the damper takes the mean load, less dry friction; a long run has the same."""
    m = free_train(0.1, ground)
    orbit = m.periodic(frequency=1.5, method="shooting")
    assert orbit.point.residual <= 1e-11
    turned = orbit.data.displacement.sel(coordinate="b").values[[0, -1]]
    speed = (turned[1] - turned[0]) / orbit.period
    ends = orbit.period * np.array([399.0, 400.0])
    run = m.simulate(until=ends[1], frequency=1.5, samples=ends)
    settled = run.data.displacement.sel(coordinate="b").values
    assert speed == pytest.approx((settled[1] - settled[0]) / orbit.period, rel=1e-9)
    if isinstance(ground, ss.Linear):
        assert speed == pytest.approx(0.1 / 0.2, rel=1e-9)
    elif ground.damping:
        assert speed == pytest.approx((0.1 - 0.05) / 0.1, rel=1e-9)


@pytest.mark.parametrize("law", [ss.Jenkins(stiffness=1.0, limit=0.3), ss.DryFriction(limit=0.2)])
def test_a_period_of_a_thousand_million_swings_is_refused_with_the_way_out(law) -> None:
    """From below at once; the slowest mode has the frequency of both springs, or of one beside dry friction."""
    m = ss.Model("slow")
    x = m.coordinate("x", inertia=1.0)
    m.connect(x, ss.Linear(stiffness=1.0, damping=0.05), name="base")
    m.connect(x, law, name="joint")
    m.load(x, ss.Cosine(0.5, order=1))
    swings = "1.4" if isinstance(law, ss.Jenkins) else "1.0"
    with pytest.raises(ss.NotConverged, match=f"{swings}e\\+09 oscillations.*harmonic-balance"):
        m.frequency_response(between=(1e-9, 1.0), method="shooting")
