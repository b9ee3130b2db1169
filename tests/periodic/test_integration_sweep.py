"""A sweep by integration settles at every frequency, says where it did not, and finds the jumps that folds predict."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from models import one_mass
from periodic.analytic_families import Duffing

import slipstick as ss
from slipstick.errors import InvalidInput, NotConverged
from slipstick.periodic.continuation.curve_trace import trace_curve
from slipstick.periodic.integration.frequency_sweep import SettlingOptions, sweep_frequencies
from slipstick.periodic.measures.orbit_measures import measure_connections, measure_motion
from slipstick.periodic.stability.special_points import special_points_of
from slipstick.results.trajectory import Samples


def linear(stiffness=8.0, damping=0.6, mass=2.0):
    m = ss.Model("linear")
    x = m.coordinate("x", inertia=mass)
    m.connect(x, ss.Linear(stiffness=stiffness, damping=damping), name="spring")
    m.load(x, ss.Cosine(3.0, order=1))
    return m


def test_a_linear_response_is_the_closed_form():
    found = sweep_frequencies(lambda _: linear(), [1.0, 1.7, 2.4], both=False, how=SettlingOptions(settled=1e-9))
    assert [point.p for point in found.points] == [1.0, 1.7, 2.4]
    for point in found.points:
        w = point.p
        exact = 3.0 / complex(8.0 - 2.0 * w**2, 0.6 * w)
        assert point.amplitude[0] == pytest.approx(abs(exact), rel=1e-8)
        assert point.rms[0] == pytest.approx(abs(exact) / np.sqrt(2.0), rel=1e-8)
        assert point.phase[0] == pytest.approx(np.angle(exact), abs=1e-8)
        assert point.harmonics[1, 0] == pytest.approx(exact, rel=1e-8)
        assert point.mean[0] == pytest.approx(0.0, abs=1e-8)
        assert point.dissipated[0] == pytest.approx(np.pi * 0.6 * w * abs(exact) ** 2, rel=1e-6)
        assert point.error < 1e-8
        assert point.stable is True


def test_the_error_bounds_the_distance_to_the_settled_response():
    for settled in (1e-2, 1e-4, 1e-6):
        (point,) = sweep_frequencies(lambda _: linear(damping=0.1), [1.9], how=SettlingOptions(settled=settled)).points
        exact = 3.0 / abs(complex(8.0 - 2.0 * 1.9**2, 0.1 * 1.9))
        assert abs(point.amplitude[0] - exact) <= 2.0 * point.error
        assert point.error <= settled * 2.0 * exact


def test_a_sweep_goes_up_and_down_and_jumps_where_the_curve_folds():
    # the closed form of one harmonic is good to a few thousandths here; steps of 0.05 are coarser
    family = Duffing(damping=0.05, cubic=0.3, force=0.15)
    folds = [s["frequency"] for s in special_points_of(trace_curve(family, (0.5, 2.0))).special]
    upper, lower = max(folds), min(folds)

    def model(_):
        m = ss.Model("duffing")
        x = m.coordinate("x", inertia=1.0)
        m.connect(x, ss.Polynomial(coefficients=(0.0, 1.0, 0.0, 0.3), damping=0.1), name="spring")
        m.load(x, ss.Cosine(0.15, order=1))
        return m

    at = np.arange(1.0, 1.6, 0.05)
    found = sweep_frequencies(model, at, how=SettlingOptions(settled=1e-4, run={"tolerance": 1e-6}))
    amplitude = np.array([point.amplitude[0] for point in found.points])
    assert len(amplitude) == 2 * at.size - 1
    up, down = amplitude[: at.size], amplitude[at.size - 1 :][::-1]
    assert at[np.argmin(np.diff(up)) + 1] == pytest.approx(upper, abs=0.06)
    jump = np.flatnonzero(up - down > 0.2)
    assert at[jump[0]] == pytest.approx(lower, abs=0.06)
    assert at[jump[-1]] == pytest.approx(upper, abs=0.06)


def test_a_response_of_two_periods_is_seen_and_told():
    m = ss.Model("doubling")
    x = m.coordinate("x", inertia=1.0, displacement=0.5)
    m.connect(x, ss.Contact(stiffness=20.0, gap=0.0), name="stop")
    m.connect(x, ss.Linear(stiffness=1.0, damping=0.2), name="spring")
    m.load(x, ss.Cosine(1.0, order=1))
    found = sweep_frequencies(lambda _: m, [3.3], both=False)
    (point,) = found.points
    assert point.period == pytest.approx(4.0 * np.pi / 3.3)
    assert any("at 3.3 rad/s: repeats itself only after 2 periods" in note for note in found.notes)
    assert abs(point.harmonics[1, 0]) > 1e-3 * point.amplitude[0]


def with_law(law, damping=0.1):
    m = ss.Model("with a law")
    x = m.coordinate("x", inertia=1.0)
    m.connect(x, ss.Linear(stiffness=1.0, damping=damping), name="base")
    m.connect(x, law, name="law")
    m.load(x, ss.Cosine(1.0, order=1))
    return m


@pytest.mark.parametrize(("method", "allowed"), [("exact", 1e-9), ("events", 1e-6)])
def test_ranges_and_work_of_a_slider_are_those_of_its_loop_and_not_of_samples(method, allowed):
    k, limit, w = 1.0, 0.4, 1.3
    m = with_law(ss.Jenkins(stiffness=k, limit=limit))
    (point,) = sweep_frequencies(
        lambda _: m, [w], both=False, how=SettlingOptions(settled=1e-10, run={"method": method})
    ).points
    x = point.amplitude[0]
    assert point.force_range[1] == pytest.approx(2.0 * limit, rel=allowed)
    assert point.dissipated[1] == pytest.approx(4.0 * limit * (x - limit / k), rel=allowed)
    # what is taken is what the load does
    done = -np.pi * 1.0 * point.harmonics[1, 0].imag
    assert point.dissipated.sum() == pytest.approx(done, rel=allowed)


def test_the_error_has_that_of_an_adaptive_integration_in_it():
    m, w = with_law(ss.BoucWen(stiffness=1.0, ratio=0.3, beta=1.0, gamma=0.5)), 1.3
    exact = m.periodic(w, method="shooting")
    for tolerance in (1e-5, 1e-7):
        (point,) = sweep_frequencies(
            lambda _: m, [w], both=False, how=SettlingOptions(settled=tolerance, run={"tolerance": tolerance})
        ).points
        wrong = abs(point.amplitude[0] - exact.amplitude["x"])
        assert wrong <= point.error <= 1e3 * tolerance * point.amplitude[0]
        assert point.dissipated[1] == pytest.approx(exact.dissipated["law"], rel=1e3 * tolerance)


def test_where_only_samples_tell_what_half_of_them_would_change_is_in_the_error(monkeypatch):
    monkeypatch.setattr(
        "slipstick.periodic.integration.frequency_sweep.SAMPLES_PER_PERIOD", 12
    )  # cubics between them miss extremes by some 1e-5
    m, w = with_law(ss.Jenkins(stiffness=1.0, limit=0.4)), 1.3
    exact = m.periodic(w, method="shooting").amplitude["x"]
    (point,) = sweep_frequencies(
        lambda _: m, [w], both=False, how=SettlingOptions(settled=2e-6, run={"method": "newmark", "step": 2e-3})
    ).points
    assert 5e-6 * exact < abs(point.amplitude[0] - exact) <= point.error <= 1e-2 * exact


def test_what_has_not_settled_is_told_and_has_no_error():
    found = sweep_frequencies(lambda _: linear(damping=1e-5), [1.9], both=False, how=SettlingOptions(most_periods=40))
    (point,) = found.points
    assert point.stable is None
    assert np.isnan(point.error)
    assert "at 1.9 rad/s: not settled after 40 periods" in found.notes[-1]


def test_an_interrupted_sweep_keeps_what_there_is():
    def impatient(count, frequency):
        assert frequency == pytest.approx(0.8 + 0.2 * count)
        if count == 3:
            raise KeyboardInterrupt

    with pytest.raises(NotConverged, match="interrupted") as caught:
        sweep_frequencies(lambda _: linear(), [1.0, 1.2, 1.4, 1.6], both=False, progress=impatient)
    assert [point.p for point in caught.value.partial.points] == [1.0, 1.2, 1.4]


def test_a_model_may_depend_on_the_frequency():
    found = sweep_frequencies(
        lambda omega: linear(damping=0.6 / omega), [1.0, 2.4], both=False, how=SettlingOptions(settled=1e-9)
    )
    for point in found.points:
        exact = 3.0 / abs(complex(8.0 - 2.0 * point.p**2, 0.6))
        assert point.amplitude[0] == pytest.approx(exact, rel=1e-8)


def test_bad_sweeps_are_refused(refused):
    with refused("at must have at least one frequency", error=InvalidInput):
        sweep_frequencies(lambda _: linear(), [])
    with refused("> 0 rad/s", error=InvalidInput):
        sweep_frequencies(lambda _: linear(), [1.0, -1.0])
    with refused("settled must lie between 0 and 1", error=InvalidInput):
        SettlingOptions(settled=2.0)
    with refused("most_periods must be at least", error=InvalidInput):
        SettlingOptions(most_periods=3)


# ---- figures from samples


def sampled(time, q, v, force=None, state=None):
    k = time.size
    force = np.zeros((k, 1)) if force is None else force[:, None]
    state = np.full((k, 1), "", dtype="<U9") if state is None else state[:, None]
    return Samples(time, q[:, None], v[:, None], q[:, None], force, state, np.zeros_like(q)[:, None])


def test_figures_of_motion_come_from_uneven_samples_to_fourth_order():
    def wave(t):
        return 0.3 + 2.0 * np.cos(3.0 * t - 0.7) + 0.5 * np.sin(6.0 * t)

    def rate(t):
        return -6.0 * np.sin(3.0 * t - 0.7) + 3.0 * np.cos(6.0 * t)

    fine = np.linspace(0.0, 2.0 * np.pi / 3.0, 2_000_001)
    swing = 0.5 * np.ptp(wave(fine))
    errors = []
    rng = np.random.default_rng(3)
    for count in (40, 80, 160, 320, 640):
        inner = np.arange(1, count) + 0.3 * rng.uniform(-1.0, 1.0, count - 1)
        t = np.concatenate([[0.0], inner / count, [1.0]]) * 2.0 * np.pi / 3.0
        found = measure_motion(sampled(t, wave(t), rate(t)), 1.0)
        errors.append(
            [
                abs(found.amplitude[0] - swing),
                abs(found.mean[0] - 0.3),
                abs(found.rms[0] - np.sqrt(0.09 + 2.0 + 0.125)),
                abs(found.phase[0] + 0.7),
                abs(found.harmonics[2, 0] + 0.5j),
            ]
        )
    orders = np.log2(np.array(errors)[:-1] / np.array(errors)[1:])
    assert (np.median(orders, axis=0) > 3.5).all()
    assert np.array(errors)[-1].max() < 1e-8


def test_the_phase_of_a_sub_harmonic_motion_is_that_of_the_base_frequency():
    t = np.linspace(0.0, 4.0 * np.pi, 801)
    found = measure_motion(sampled(t, np.cos(t + 0.4) + np.cos(0.5 * t), -np.sin(t + 0.4) - 0.5 * np.sin(0.5 * t)), 2.0)
    assert found.phase[0] == pytest.approx(0.4, abs=1e-8)
    assert found.harmonics.shape[0] == 41


def test_the_work_of_a_slider_is_the_area_of_its_loop():
    law = ss.Jenkins(stiffness=2.0, limit=0.5)
    t = np.linspace(0.0, 4.0 * np.pi, 8001)
    u = np.cos(t)
    force = law.trace(u)
    last = slice(4000, None)
    found = measure_connections(sampled(t[last] - t[4000], u[last], -np.sin(t[last]), force[last]), 1.0)
    assert found.force_range[0] == pytest.approx(1.0)
    assert found.dissipated[0] == pytest.approx(4.0 * 0.5 * (1.0 - 0.5 / 2.0), rel=1e-5)
    assert np.isnan(found.stick_share[0])


def test_the_share_of_stick_and_its_begin_are_read_off_the_states():
    t = np.linspace(0.0, 2.0, 201)
    state = np.where((t >= 0.5) & (t < 0.9), "stick", "slip+").astype("<U9")
    found = measure_connections(sampled(t, np.zeros(201), np.zeros(201), None, state), np.pi)
    assert found.stick_share[0] == pytest.approx(0.2)
    assert found.lag[0] == pytest.approx(0.5 * np.pi)


def test_of_several_sliders_all_have_to_stick():
    t = np.linspace(0.0, 2.0, 201)
    state = np.where(t < 0.5, "stick*2", np.where(t < 1.0, "slip+ stick", "slip+*2")).astype("<U12")
    found = measure_connections(sampled(t, np.zeros(201), np.zeros(201), None, state), np.pi)
    assert found.stick_share[0] == pytest.approx(0.25)


def test_a_growth_beyond_every_number_is_stated_without_a_warning_of_numpy():
    m = one_mass(
        {"spring": ss.Linear(stiffness=1.0, damping=0.05), "stops": ss.Freeplay(stiffness=8.0, half_gap=0.3)},
        ss.Cosine(0.5, frequency=0.8),
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        orbit = m.periodic(method="integration")
    assert "sensitive" in orbit.certificate.verdict
