"""Orbits and curves through the public names, by every method: what they agree on, where they begin, what they vary."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.interpolate import CubicHermiteSpline

import slipstick as ss
from slipstick.periodic.continuation.path import Path

METHODS = ("shooting", "harmonic-balance", "integration")


def jenkins(force: float = 1.0, limit: float = 0.5) -> ss.Model:
    m = ss.Model("jenkins")
    x = m.coordinate("x", inertia=1.0)
    m.connect(x, ss.Linear(stiffness=1.0, damping=0.1), name="base")
    m.connect(x, ss.Jenkins(stiffness=1.0, limit=limit), name="slider")
    m.load(x, ss.Cosine(force, order=1))
    return m


def bilinear(damping: float = 0.1) -> ss.Model:
    """A stop at rest, nine times as stiff as the other side."""
    m = ss.Model("bilinear")
    x = m.coordinate("x", inertia=1.0)
    m.connect(x, ss.Linear(stiffness=1.0, damping=damping), name="base")
    m.connect(x, ss.Contact(stiffness=8.0, gap=0.0), name="stop")
    m.load(x, ss.Cosine(1.0, order=1))
    return m


@pytest.fixture(scope="module")
def orbits() -> dict:
    return {method: jenkins().periodic(frequency=0.8, method=method) for method in METHODS}


def _read(orbit, t):
    data = orbit.data
    return CubicHermiteSpline(data.time, data.displacement[:, 0], data.velocity[:, 0])(t)


@pytest.mark.parametrize("method", METHODS[1:])
def test_methods_agree_within_what_they_say(orbits, method) -> None:
    exact, other = orbits["shooting"], orbits[method]
    assert exact.certificate.error < 1e-10
    assert 0.0 < other.certificate.error < 0.01
    t = np.linspace(0.0, exact.period, 101)
    apart = np.abs(_read(exact, t) - _read(other, t))
    assert apart.max() <= other.certificate.error + 1e-8  # of reading between samples
    assert other.certificate.passed
    assert other.stable is True


@pytest.mark.parametrize("method", METHODS)
def test_over_a_period_all_work_is_dissipated(orbits, method) -> None:
    certificate = orbits[method].certificate
    assert certificate.energy_residual < 1e-6
    if method != "integration":
        dissipated = orbits[method].dissipated
        assert sum(certificate.dissipated.values()) == pytest.approx(certificate.work_in, rel=1e-6)
        assert certificate.dissipated["slider"] == pytest.approx(dissipated["slider"], rel=1e-3)


def test_an_orbit_of_harmonic_balance_shows_its_period_with_both_ends(orbits) -> None:
    data = orbits["harmonic-balance"].data
    assert data.time.values[0] == 0.0
    assert data.time.values[-1] == pytest.approx(2.0 * np.pi / 0.8)
    for name in ("displacement", "velocity", "force"):
        np.testing.assert_allclose(data[name].values[0], data[name].values[-1], atol=1e-12)
    slip = data.state.sel(connection="slider") != "stick"
    force = data.force.sel(connection="slider")
    np.testing.assert_allclose(np.abs(force[slip]), 0.5, rtol=1e-9)
    assert (np.abs(force[~slip]) <= 0.5).all()


@pytest.mark.parametrize("start", METHODS)
@pytest.mark.parametrize("method", METHODS[:2])
def test_an_orbit_by_any_method_is_a_start_for_any_other(orbits, method, start) -> None:
    near = jenkins().periodic(frequency=0.81, method=method, start=orbits[start])
    far = jenkins().periodic(frequency=0.81, method=method)
    assert near.amplitude["x"] == pytest.approx(far.amplitude["x"], rel=1e-9)
    assert near.stats.steps <= 4


def test_a_subharmonic_start_keeps_its_period() -> None:
    """Twice the natural frequency of the bilinear oscillator: 2 * 2 w1 w2 / (w1 + w2) = 3 rad/s."""
    m = bilinear()
    orbit = m.periodic(frequency=3.0, subharmonic=2)
    assert orbit.stable
    assert orbit.period == pytest.approx(4.0 * np.pi / 3.0)
    for method in METHODS[:2]:
        near = m.periodic(frequency=3.02, method=method, start=orbit)
        assert near.period == pytest.approx(4.0 * np.pi / 3.02)
        assert near.amplitude["x"] > 2.0 * m.periodic(frequency=3.02, method=method).amplitude["x"]
    curve = m.frequency_response(between=(2.9, 3.1), start=orbit)
    assert np.allclose(curve.data.period * curve.data.frequency, 4.0 * np.pi)


def _multipliers_of_bilinear(state, omega):
    """By integrating motion and small changes over a period, which has to come back to its state."""

    def rate(t, y):
        stiffness = 9.0 if y[0] > 0.0 else 1.0
        changes = np.array([[0.0, 1.0], [-stiffness, -0.1]]) @ y[2:].reshape(2, 2)
        return [y[1], np.cos(omega * t) - stiffness * y[0] - 0.1 * y[1], *changes.ravel()]

    period = 2.0 * np.pi / omega
    start = [*state, 1.0, 0.0, 0.0, 1.0]
    end = solve_ivp(rate, (0.0, period), start, rtol=1e-10, atol=1e-12, max_step=period / 200).y[:, -1]
    np.testing.assert_allclose(end[:2], state, atol=1e-6)
    return np.linalg.eigvals(end[2:].reshape(2, 2))


@pytest.mark.parametrize(("method", "harmonics"), [("shooting", None), ("harmonic-balance", 25)])
def test_the_branch_with_twice_the_period(method, harmonics) -> None:
    curve = bilinear().frequency_response(between=(2.2, 2.45), method=method, harmonics=harmonics)
    doublings = [s for s in curve.special if s["kind"] == "period-doubling"]
    assert len(doublings) == 1
    if not harmonics:
        multipliers = _multipliers_of_bilinear(curve.points[doublings[0]["point"]].x, doublings[0]["frequency"])
        assert np.abs(multipliers + 1.0).min() < 1e-5
    else:
        exact = bilinear().frequency_response(between=(2.2, 2.45), method="shooting")
        place = next(s["frequency"] for s in exact.special if s["kind"] == "period-doubling")
        assert doublings[0]["frequency"] == pytest.approx(place, abs=2e-4)
    other = curve.switch(doublings[0])
    assert other.stats.branch == f"the other branch at {doublings[0]['frequency']:.6g} rad/s"
    assert (other.stats.method, other.stats.reason) == (curve.stats.method, curve.stats.reason)
    data = other.data
    assert np.allclose(data.period[1:] * data.frequency[1:], 4.0 * np.pi)
    at_end = other.points[-1]
    assert at_end.frequency == pytest.approx(2.45)
    run = bilinear().simulate(until=600.0 * 2.0 * np.pi / 2.45, frequency=2.45, samples=60_001)
    tail = run.data.displacement.values[-400:, 0]
    assert at_end.amplitude[0] == pytest.approx(0.5 * np.ptp(tail), rel=1e-3)


# ---- from a curve back to its orbits


@pytest.mark.parametrize("method", ["shooting", "harmonic-balance"])
def test_a_curve_leads_back_to_its_orbits_also_unstable_ones(method) -> None:
    m = ss.Model("gap")
    x = m.coordinate("x", inertia=1.0)
    m.connect(x, ss.Linear(stiffness=0.05, damping=0.06), name="base")
    m.connect(x, ss.Freeplay(stiffness=1.0, half_gap=1.0), name="gap")
    m.load(x, ss.Cosine(0.2, order=1))
    curve = m.frequency_response(between=(1.2, 0.4), method=method)
    first, last = (s["point"] for s in curve.special if s["kind"] == "fold")
    middle = (first + last) // 2
    orbit = curve.orbit(middle)
    assert orbit.stable is False
    assert orbit.frequency == curve.points[middle].frequency
    assert orbit.amplitude["x"] == pytest.approx(curve.points[middle].amplitude[0], rel=1e-9)
    assert 0.5 * np.ptp(orbit.data.displacement.values) == pytest.approx(orbit.amplitude["x"], rel=1e-4)
    assert orbit.distance_to(orbit) == 0.0
    with pytest.raises(ss.InvalidInput, match="cannot be compared"):
        orbit.distance_to(curve.orbit(0))
    with pytest.raises(ss.InvalidInput, match=f"the points of this curve are 0 to {len(curve) - 1}"):
        curve.orbit(len(curve))


# ---- a model for each frequency


def test_models_may_depend_on_the_frequency() -> None:
    def build(omega: float) -> ss.Model:
        m = ss.Model("hysteretic damping")
        x = m.coordinate("x", inertia=2.0)
        m.connect(x, ss.Linear(stiffness=8.0, damping=0.8 / omega), name="spring")
        m.load(x, ss.Cosine(3.0, order=1))
        return m

    for method in ("shooting", "harmonic-balance"):
        curve = ss.frequency_response(build, between=(1.0, 3.0), method=method)
        w = curve.data.frequency.values
        exact = 3.0 / np.abs(8.0 - 2.0 * w**2 + 0.8j)
        np.testing.assert_allclose(curve.data.amplitude.values[:, 0], exact, rtol=1e-9)
    visited = ss.frequency_response(build, at=[1.5, 2.0], method="integration")
    np.testing.assert_allclose(
        visited.data.amplitude.values[:, 0], 3.0 / np.abs(8.0 - 2.0 * np.array([1.5, 2.0]) ** 2 + 0.8j), rtol=1e-5
    )


def test_what_is_built_must_be_a_model() -> None:
    with pytest.raises(ss.InvalidInput, match="must return a model"):
        ss.frequency_response(lambda omega: omega, at=[1.0])
    with pytest.raises(ss.InvalidInput, match="must be a function from a frequency"):
        ss.frequency_response(3.0, at=[1.0])


# ---- any parameter


@pytest.mark.parametrize("method", ["shooting", "harmonic-balance"])
def test_a_linear_response_is_proportional_to_its_load(method) -> None:
    m = ss.Model("linear")
    x = m.coordinate("x", inertia=2.0)
    m.connect(x, ss.Linear(stiffness=8.0, damping=0.8), name="spring")
    m.load(x, ss.Cosine(3.0, order=1))
    start = m.periodic(frequency=1.5, method=method)
    curve = m.follow("forcing.amplitude", between=(1.0, 5.0), start=start)
    f = curve.data.parameter.values
    assert f.min() == 1.0
    assert f.max() == 5.0
    np.testing.assert_allclose(curve.data.amplitude.values[:, 0], f / abs(8.0 - 2.0 * 1.5**2 + 1.2j), rtol=1e-9)
    softer = m.follow("spring.stiffness", between=(8.0, 3.0), start=start)
    k = softer.data.parameter.values
    np.testing.assert_allclose(softer.data.amplitude.values[:, 0], 3.0 / np.abs(k - 2.0 * 1.5**2 + 1.2j), rtol=1e-9)
    heavier = m.follow("x.inertia", between=(2.0, 6.0), frequency=1.5, method=method)
    np.testing.assert_allclose(
        heavier.data.amplitude.values[:, 0],
        3.0 / np.abs(8.0 - heavier.data.parameter.values * 1.5**2 + 1.2j),
        rtol=1e-9,
    )


def test_following_a_parameter_and_the_frequency_meet() -> None:
    """From (0.8 rad/s, 1 N) to (0.9, 1.3) by both ways round."""
    start = jenkins().periodic(frequency=0.8)
    up = jenkins().follow("forcing.amplitude", between=(1.0, 1.3), start=start)
    over = jenkins(1.3).frequency_response(between=(0.8, 0.9))
    assert up.points[-1].amplitude[0] == pytest.approx(over.points[0].amplitude[0], rel=1e-9)
    assert up.stats.parameter == "forcing.amplitude"
    built = jenkins().follow(lambda force: jenkins(force), between=(1.0, 1.3), frequency=0.8)
    assert built.points[-1].amplitude[0] == pytest.approx(up.points[-1].amplitude[0], rel=1e-9)


def test_what_cannot_be_followed_is_refused() -> None:
    m = jenkins()
    for arguments, words in (
        ({"parameter": "slider.limits", "between": (0.1, 1.0), "frequency": 0.8}, 'did you mean "limit"'),
        ({"parameter": "frequency", "between": (0.1, 1.0), "frequency": 0.8}, "frequency_response"),
        ({"parameter": "slider.limit", "between": (0.1, 1.0)}, "a frequency is needed"),
        ({"parameter": "slider.limit", "between": (0.1, 0.1), "frequency": 0.8}, "two different values"),
        ({"parameter": "slider.limit", "between": (-1.0, 0.1), "frequency": 0.8}, "limit must be"),
        ({"parameter": "slider.limit", "between": (0.1, 1.0), "start": 3.0}, "start must be an orbit"),
        (
            {"parameter": "slider.limit", "between": (0.1, 1.0), "frequency": 0.8, "method": "integration"},
            "not by",
        ),
    ):
        with pytest.raises(ss.InvalidInput, match=words):
            m.follow(**arguments)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("well", [1.0, -1.0])
def test_a_model_that_begins_in_a_well_has_the_orbit_of_that_well(well, method):
    """Static: the wells of x^3 - x are at 1 and -1. A small load moves it little from there."""
    m = ss.Model("two wells")
    x = m.coordinate("x", inertia=1.0, displacement=0.7 * well)
    m.connect(x, ss.Polynomial(coefficients=(0.0, -1.0, 0.0, 1.0), damping=0.2), name="spring")
    m.load(x, ss.Cosine(0.02, order=1), name="forcing")
    orbit = m.periodic(frequency=0.5, method=method)
    assert orbit.mean["x"] == pytest.approx(well, abs=1e-2)
    assert orbit.stable
    if method != "integration":
        curve = m.frequency_response(between=(0.5, 0.9), method=method)
        assert np.allclose([point.mean[0] for point in curve.points], well, atol=2e-2)
        over = m.follow("forcing.amplitude", between=(0.01, 0.03), frequency=0.5, method=method)
        assert np.allclose([point.mean[0] for point in over.points], well, atol=2e-2)


def test_an_orbit_on_which_nothing_stays_says_where_to_look():
    m = ss.Model("two wells")
    x = m.coordinate("x", inertia=1.0)
    m.connect(x, ss.Polynomial(coefficients=(0.0, -1.0, 0.0, 1.0), damping=0.2))
    m.load(x, ss.Cosine(0.02, order=1))
    orbit = m.periodic(frequency=0.5, method="harmonic-balance")  # between the wells, where it begins
    assert not orbit.stable
    assert any(note.startswith("unstable: ") and "displacement=" in note for note in orbit.notes)


def test_an_orbit_of_a_model_with_other_numbers_is_a_guess_and_said_to_be():
    m, start = jenkins(), jenkins(force=1.05).periodic(frequency=0.7)
    note = "start is an orbit of a model with other parameters"
    orbit = m.periodic(frequency=0.7, start=start)
    assert any(note in each for each in orbit.notes)
    assert orbit.distance_to(m.periodic(frequency=0.7)) < 1e-9
    assert any(note in each for each in m.frequency_response(between=(0.65, 0.75), start=start).notes)
    assert not any(note in each for each in m.periodic(frequency=0.7, start=orbit).notes)


def test_progress_is_told_of_steps_that_fail_and_can_end_a_curve_there(monkeypatch):
    told, attempt = [], Path.attempt

    def fails(path: Path, *given: Any) -> Any:
        if len(path.points) >= 4:
            raise ss.NotConverged("hard")
        return attempt(path, *given)

    def watch(count: int, value: float) -> None:
        told.append((count, value))
        if told.count((count, value)) == 5:
            raise KeyboardInterrupt

    monkeypatch.setattr(Path, "attempt", fails)
    with pytest.raises(ss.NotConverged, match="interrupted") as failure:
        jenkins().frequency_response(between=(0.6, 1.6), method="shooting", progress=watch)
    assert [count for count, _ in told] == [1, 2, 3, 4, 4, 4, 4, 4]
    assert told[-1][1] == failure.value.partial.data.frequency.values[-1]
