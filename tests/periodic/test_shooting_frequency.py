"""Shooting over frequency: tuned models are posed ones, the derivative by frequency, figures against closed forms."""

from __future__ import annotations

import math

import numpy as np
import pytest
import xarray

import slipstick as ss
from slipstick.periodic.common_period import Period, period_of
from slipstick.periodic.shooting import exact_family
from slipstick.periodic.shooting.exact_map import ExactMap
from slipstick.periodic.shooting.exact_orbits import OrbitTrajectory
from slipstick.periodic.shooting.newton import solve_period_map
from slipstick.transient.exact import engine, workspace
from slipstick.transient.problem import pose


def everything(*, belt=False, fixed=False, mass=True):
    """Two masses with every kind of event; a prescribed belt and a load of fixed frequency on request."""
    m = ss.Model("everything")
    x, y = m.coordinate("x", inertia=1.0), m.coordinate("y", inertia=0.7 if mass else 0.0)
    m.connect(x, ss.Linear(stiffness=1.0, damping=0.05), name="ground")
    m.connect(x - y, ss.Linear(stiffness=2.0, damping=0.02), name="between")
    m.connect(y, ss.Jenkins(stiffness=1.0, limit=0.3), name="slider")
    m.connect(y, ss.Freeplay(stiffness=3.0, half_gap=0.2, damping=0.1), name="gap")
    m.connect(x, ss.DryFriction(limit=ss.Constant(0.2) + ss.Cosine(0.1, order=2)), name="rub")
    m.load(x, ss.Cosine(1.0, order=1) + ss.Sine(0.4, order=3))
    if belt:
        z = m.coordinate("belt", motion=ss.Sine(0.3, order=1) + ss.Constant(0.1))
        m.connect(y - z, ss.Linear(stiffness=0.8, damping=0.3), name="belt")
        m.connect(y - z, ss.DryFriction(limit=0.05, damping=0.02), name="belt rub")
        m.connect(y - z, ss.Masing(stiffness=0.5, limit=0.04, damping=0.01), name="belt slider")
    if fixed:
        m.load(y, ss.Sine(0.2, frequency=1.8))
    return m


def walked(problem, engine_of=None):
    """Where a period leads from two periods after the start."""
    time = period_of(problem).time
    period = ExactMap(problem, time) if engine_of is None else engine_of.retuned(problem, time)
    return period, period.go(period.go(period.first()).state).state


@pytest.mark.parametrize("kind", [{}, {"belt": True}, {"fixed": True}, {"belt": True, "fixed": True}, {"mass": False}])
def test_a_model_tuned_to_another_frequency_is_the_model_posed_there(kind):
    m = everything(**kind)
    first = pose(m, 0.0, 0.9)
    tuned, _ = walked(first)
    for omega in (1.8, 0.6, 3.6):  # at 1.8 a load of fixed frequency has the same as one with an order
        problem = first.retuned(omega)
        posed = pose(m, 0.0, omega)
        np.testing.assert_array_equal(problem.forcing.omega, posed.forcing.omega)
        for name in ("cos", "sin", "constant"):
            np.testing.assert_array_equal(getattr(problem.forcing, name), getattr(posed.forcing, name))
            np.testing.assert_array_equal(getattr(problem.offsets, name), getattr(posed.offsets, name))
        _, state = walked(problem, tuned)
        _, expected = walked(posed)
        np.testing.assert_allclose(state, expected, rtol=1e-11, atol=1e-12)


def numbered(*, spring=1.0, coupling=2.0, preload=0.0, limit=0.3, gap=0.2, damping=0.1, rub=0.2, load=1.0):
    """Two masses with most of that, and the numbers of their laws as they are given."""
    m = ss.Model("numbered")
    x, y = m.coordinate("x", inertia=1.0), m.coordinate("y", inertia=0.7)
    m.connect(x, ss.Linear(stiffness=spring, damping=0.05, preload=preload), name="ground")
    m.connect(x - y, ss.Linear(stiffness=coupling), name="between")
    m.connect(y, ss.Masing(stiffness=1.0, limit=limit, damping=damping), name="slider")
    m.connect(y, ss.Freeplay(stiffness=3.0, half_gap=gap, damping=damping), name="gap")
    m.connect(x, ss.DryFriction(limit=rub), name="rub")
    m.load(x, ss.Cosine(load, order=1))
    return m


@pytest.mark.parametrize(
    "given",
    [{"spring": 1.3, "preload": 0.2}, {"limit": 0.1, "gap": 0.05, "damping": 0.3}, {"rub": 0.4}, {"coupling": 0.0}],
)
def test_a_model_with_other_numbers_in_its_laws_is_the_model_posed_anew(given):
    """What it takes from the first model does not depend on them; or it is made anew, as with another sliding limit."""
    first = pose(numbered(), 0.0, 0.9)
    map_of_first, _ = walked(first)
    for omega in (0.9, 1.4):
        model = numbered(**given)
        problem = first.renewed(model, omega)
        assert problem is not None
        time = period_of(problem).time
        new = map_of_first.renewed(problem, time)
        state = new.go(new.go(new.first()).state, derivative=True)
        posed = ExactMap(pose(model, 0.0, omega), time)
        expected = posed.go(posed.go(posed.first()).state, derivative=True)
        np.testing.assert_allclose(state.state, expected.state, rtol=1e-11, atol=1e-12)
        np.testing.assert_allclose(state.derivative, expected.derivative, rtol=1e-9, atol=1e-9)
        np.testing.assert_array_equal(new.drift, posed.drift)
        told = [c.law for c in problem.system.connections]
        assert told == [c.law for c in model.connections]


def test_what_differs_in_more_than_the_numbers_of_laws_is_posed_anew():
    first = pose(numbered(), 0.0, 0.9)
    heavier, rebuilt = numbered(), numbered()
    heavier.coordinates[0].inertia = 2.0
    rebuilt.connect(rebuilt["x"], ss.Linear(stiffness=1.0), name="more")
    for other in (
        numbered(load=2.0),
        numbered(damping=0.0),
        heavier,
        rebuilt,
    ):  # a Masing law has no damper without one
        assert first.renewed(other, 0.9) is None
    fixed = numbered()
    fixed.load(fixed["x"], ss.Cosine(0.1, frequency=0.45))
    assert pose(fixed, 0.0, 0.9).renewed(fixed, 1.8) is None


def test_modes_are_computed_once_for_a_whole_curve(monkeypatch):
    built = []
    table = engine.modal_table
    monkeypatch.setattr(engine, "modal_table", lambda *given: built.append(0) or table(*given))
    m = ss.Model("torsional")
    theta = m.coordinate("theta", inertia=1.0)
    m.connect(theta, ss.Linear(stiffness=1.0, damping=0.1))
    m.connect(theta, ss.DryFriction(limit=ss.Constant(0.5) + ss.Sine(0.3, order=1)))
    m.load(theta, ss.Sine(1.0, order=1))
    data = m.frequency_response(at=np.linspace(0.5, 2.0, 31), method="shooting").data
    assert data.residual.max() <= 1e-11
    assert len(built) <= 4  # slip and stick, for the first problem and for the one that is tuned
    assert data.iterations.mean() < 3.0


@pytest.mark.parametrize("omega", [0.5, 0.9, 2.1])
def test_the_derivative_by_frequency_is_that_of_differences(omega):
    problem = pose(everything(), 0.0, omega)
    assert problem.scales_with_frequency
    period = ExactMap(problem, period_of(problem).time)
    state = period.go(period.go(period.first()).state).state
    passed = period.go(state, swept=True)
    assert passed.flow.events.shape[0] >= 8
    ends, step = [], 1e-6 * omega
    for sign in (1.0, -1.0):
        beside = problem.retuned(omega + sign * step)
        ends.append(period.retuned(beside, period_of(beside).time).go(state).state)
    differences = (ends[0] - ends[1]) / (2.0 * step)
    scale = np.abs(differences).max()
    np.testing.assert_allclose(passed.by_frequency, differences, atol=2e-7 * scale)
    np.testing.assert_array_equal(passed.derivative, period.go(state, derivative=True).derivative)


@pytest.mark.parametrize("omega", [0.3, 0.5])
def test_the_derivative_by_frequency_of_a_tuned_map_is_that_of_a_new_one(omega):
    """A contact breaks loose where the loads of the new frequency say; with a static limit its force jumps there."""
    m = ss.Model("sticks")
    x = m.coordinate("x", inertia=1.0)
    m.connect(x, ss.Linear(stiffness=1.0, damping=0.05))
    m.connect(x, ss.DryFriction(limit=0.4, static_limit=0.6), name="rub")
    m.load(x, ss.Cosine(1.0, order=1))
    first = pose(m, 0.0, 0.2)
    period = ExactMap(first, period_of(first).time)
    period.go(period.go(period.first()).state, swept=True)  # makes the model of small changes, at the old frequency
    problem = first.retuned(omega)
    tuned, new = period.retuned(problem, period_of(problem).time), ExactMap(problem, period_of(problem).time)
    state = new.go(new.go(new.first()).state).state
    one, other = (each.go(state, swept=True) for each in (tuned, new))
    assert one.flow.events.shape[0] == 4
    np.testing.assert_allclose(one.by_frequency, other.by_frequency, atol=1e-9)


def test_loads_of_fixed_frequency_and_prescribed_motions_have_no_such_derivative():
    for kind in ({"belt": True}, {"fixed": True}):
        problem = pose(everything(**kind), 0.0, 0.9)
        period = ExactMap(problem, period_of(problem).time)
        assert period.go(period.first(), swept=True).by_frequency is None


# ---- figures


def test_figures_of_two_waves_have_their_closed_forms():
    """q = a cos(Omega t) + b cos(2 Omega t) through a linear oscillator: extremes where a sin t + 2 b sin 2t = 0."""
    m = ss.Model("two waves")
    x = m.coordinate("x", inertia=1.0)
    m.connect(x, ss.Linear(stiffness=2.0, damping=0.3), name="spring")
    omega, a, b = 1.3, 0.8, 0.5

    def force(order, amplitude):
        w = order * omega
        load = amplitude * (2.0 - w**2 + 0.3j * w)
        return ss.Fourier(cos=(0.0,) * (order - 1) + (load.real,), sin=(0.0,) * (order - 1) + (-load.imag,), order=1)

    m.load(x, force(1, a) + force(2, b) + ss.Constant(0.6))
    orbit = m.periodic(frequency=omega)
    turns = np.array([1.0, -1.0, -a / (4.0 * b)])  # cos(Omega t) where the velocity is zero
    values = 0.3 + a * turns + b * (2.0 * turns**2 - 1.0)
    assert orbit.amplitude["x"] == pytest.approx(0.5 * np.ptp(values), rel=1e-12)
    assert orbit.mean["x"] == pytest.approx(0.3, rel=1e-12)
    assert orbit.rms["x"] == pytest.approx(math.sqrt(0.3**2 + 0.5 * (a**2 + b**2)), rel=1e-12)
    harmonics = orbit.point.harmonics[:, 0]
    np.testing.assert_allclose(harmonics[:4], [0.3, a, b, 0.0], atol=1e-12)
    assert np.abs(harmonics[4:]).max() < 1e-12
    work = math.pi * 0.3 * omega * (a**2 + (2.0 * b) ** 2)  # c times the integral of the rate's square
    assert orbit.dissipated["spring"] == pytest.approx(work, rel=1e-12)


def test_figures_of_a_mass_on_a_moving_base_have_their_closed_forms():
    m = ss.Model("base")
    x, base = m.coordinate("x", inertia=1.5), m.coordinate("base", motion=ss.Constant(0.2) + ss.Cosine(0.4, order=1))
    m.connect(x - base, ss.Linear(stiffness=2.0, damping=0.3), name="mount")
    omega = 0.9
    orbit = m.periodic(frequency=omega)
    stiffness = 2.0 + 0.3j * omega
    moved = stiffness * 0.4 / (stiffness - 1.5 * omega**2)
    assert orbit.amplitude["x"] == pytest.approx(abs(moved), rel=1e-12)
    assert orbit.amplitude["base"] == pytest.approx(0.4, rel=1e-12)
    assert orbit.mean["base"] == pytest.approx(0.2, rel=1e-12)
    assert orbit.phase["x"] == pytest.approx(np.angle(moved), abs=1e-12)
    assert orbit.force_range["mount"] == pytest.approx(2.0 * abs(stiffness * (moved - 0.4)), rel=1e-12)
    assert orbit.dissipated["mount"] == pytest.approx(math.pi * 0.3 * omega * abs(moved - 0.4) ** 2, rel=1e-12)


def test_figures_with_every_event_are_those_of_many_samples():
    orbit = everything(belt=True).periodic(frequency=0.9)
    samples, span = read(orbit, np.linspace(0.0, orbit.period, 200_001)), orbit.period
    for k, name in enumerate(("x", "y", "belt")):
        q = samples.displacement[:, k]
        assert orbit.amplitude[name] == pytest.approx(0.5 * np.ptp(q), rel=1e-9)
        assert orbit.rms[name] == pytest.approx(math.sqrt(np.trapezoid(q**2, samples.time) / span), rel=1e-8)
        third = 2.0 / span * np.trapezoid(q * np.exp(-6j * math.pi * samples.time / span), samples.time)
        assert orbit.point.harmonics[3, k] == pytest.approx(third, abs=1e-8)
    assert len(orbit.events) >= 12
    for k, connection in enumerate(orbit.model.connections):
        assert orbit.force_range[connection.name] == pytest.approx(np.ptp(samples.force[:, k]), rel=1e-4)
        # the certificate counts by a rule of its own
        lost = orbit.certificate.dissipated[connection.name]
        assert orbit.dissipated[connection.name] == pytest.approx(lost, rel=1e-10, abs=1e-12)
    sticks = np.array([state == "stick" for state in samples.state[:, 2]])
    assert orbit.stick_share["slider"] == pytest.approx(sticks[:-1].mean(), abs=1e-4)


def read(orbit, times):
    """The motion at many times."""
    problem = pose(orbit.model, 0.0, orbit.frequency)
    period = ExactMap(problem, orbit.period)
    closed = solve_period_map(period, orbit.point.x)
    return OrbitTrajectory(closed, Period(orbit.frequency, 1.0), closed.residual).read(times)


# ---- visits


def test_visited_points_are_those_of_single_orbits():
    m = everything()
    at = np.linspace(0.7, 1.1, 21)
    curve = m.frequency_response(at=at, method="shooting")
    for point in curve.points[::5]:
        problem = pose(m, 0.0, point.frequency)
        period = ExactMap(problem, period_of(problem).time)
        alone = solve_period_map(period, point.x)
        assert alone.steps == 0  # it is one already
        np.testing.assert_allclose(period.go(point.x).state, point.x, rtol=0.0, atol=1e-10)
    np.testing.assert_array_equal(curve.data.frequency, at)


def test_a_normal_load_that_would_pull_is_cut_off_at_zero():
    """Torsional paper, d = (0.6 0.2 0.1 0.3 -0.5) of 1, sin, cos, sin 2, cos 2: N would go down to -0.036."""
    m = ss.Model("torsional")
    theta = m.coordinate("theta", inertia=1.0)
    m.connect(theta, ss.Linear(stiffness=1.0, damping=0.1))
    load = ss.Fourier(mean=0.6, sin=(0.2, 0.3), cos=(0.1, -0.5))
    with pytest.warns(UserWarning, match="cut off at zero"):
        m.connect(theta, ss.DryFriction(limit=load), name="rub")
    m.load(theta, ss.Sine(1.0, order=1))
    orbit = m.periodic(frequency=1.0)
    assert orbit.rms["theta"] == pytest.approx(0.7816169284, abs=6e-11)
    assert orbit.stable


@pytest.mark.parametrize("omega", [0.6, 0.9, 1.4])
def test_a_run_in_one_call_is_the_one_of_single_segments(omega):
    problem = pose(everything(), 0.0, omega)
    period = ExactMap(problem, period_of(problem).time)
    orbit = solve_period_map(period, period.first())
    flow = period._flow(orbit.state)  # the general way to walk a period
    np.testing.assert_allclose(orbit.passed.state, flow.arrived, rtol=1e-12, atol=1e-13)
    np.testing.assert_allclose(orbit.passed.derivative, flow.derivative(), rtol=1e-10, atol=1e-12)
    np.testing.assert_array_equal(orbit.passed.flow.events, flow.events)


def test_runs_with_more_events_than_there_is_room_for_are_walked_all_the_same(monkeypatch):
    problem = pose(everything(), 0.0, 0.9)
    time = period_of(problem).time
    expected = ExactMap(problem, time)
    expected = expected.go(expected.first(), derivative=True)
    monkeypatch.setattr(workspace, "MAX_SEGMENTS", 3)
    problem.kept.clear()
    period = ExactMap(problem, time)
    passed = period.go(period.first(), derivative=True)
    assert len(passed.flow.events) > 3
    np.testing.assert_allclose(passed.state, expected.state, rtol=1e-12, atol=1e-13)
    np.testing.assert_allclose(passed.derivative, expected.derivative, rtol=1e-10, atol=1e-12)


def test_orbits_that_there_is_no_room_to_keep_are_told_all_the_same(monkeypatch):
    at = [0.8, 0.85, 0.9, 0.95]
    kept = everything().frequency_response(at=at, method="shooting").data
    monkeypatch.setattr(exact_family, "MAX_CACHED_BYTES", 0)
    told = everything().frequency_response(at=at, method="shooting").data
    xarray.testing.assert_equal(kept, told)


def test_many_coordinates_are_visited_without_following_every_fold_between(monkeypatch):
    """Thirty masses with a stop have folds without number between these; each value has an orbit all the same."""
    n, tried = 30, []
    k = 4.0 * (2.0 * np.eye(n) - np.eye(n, k=1) - np.eye(n, k=-1))
    k[-1, -1] = 4.0
    m = ss.Model.from_matrices(np.eye(n), 0.005 * k + 0.01 * np.eye(n), k)
    m.connect(m["q30"], ss.Contact(stiffness=5.0, gap=1.0), name="stop")
    m.connect(m["q15"], ss.Jenkins(stiffness=2.0, limit=0.5), name="slider")
    m.load(m["q5"], ss.Cosine(1.0, order=1))
    linearise, corrected = exact_family.Shooting.linearise, exact_family.Shooting.corrected
    monkeypatch.setattr(exact_family.Shooting, "linearise", lambda *given: tried.append(0) or linearise(*given))
    monkeypatch.setattr(exact_family.Shooting, "corrected", lambda *given: tried.append(0) or corrected(*given))
    data = (curve := m.frequency_response(at=[0.3, 0.5], method="shooting")).data
    assert len(tried) < 300
    assert data.residual.max() <= 1e-11
    assert any("may be another branch" in note for note in curve.notes)
    for omega, amplitude in zip((0.3, 0.5), data.amplitude.values, strict=True):
        orbit = m.periodic(frequency=omega, method="shooting")
        np.testing.assert_allclose(amplitude, list(orbit.amplitude.values()), rtol=1e-8)


def test_without_inertia_a_look_at_the_points_of_a_curve_takes_one_period_each(monkeypatch):
    m = ss.Model("light")
    x, y = m.coordinate("x", inertia=1.0), m.coordinate("y", inertia=0.0)
    m.connect(x, ss.Linear(stiffness=1.0, damping=0.3), name="ground")
    m.connect(x - y, ss.Linear(stiffness=2.0), name="between")
    m.connect(y, ss.Linear(stiffness=1.0, damping=0.4), name="end")
    m.connect(y, ss.Freeplay(stiffness=1.0, half_gap=1e-3), name="gap")
    m.load(x, ss.Cosine(1.0, order=1))
    curve = m.frequency_response(between=(1.0, 1.2))
    taken, go = [], ExactMap.go
    monkeypatch.setattr(ExactMap, "go", lambda *given, **how: taken.append(1) or go(*given, **how))
    multipliers = [point.multipliers for point in curve.points]
    assert len(taken) <= len(multipliers)
    for point, known in zip(curve.points, multipliers, strict=True):
        expected = m.periodic(frequency=point.p, method="shooting").multipliers
        np.testing.assert_allclose(np.sort(np.abs(known)), np.sort(np.abs(expected)), atol=1e-8)
    assert taken
