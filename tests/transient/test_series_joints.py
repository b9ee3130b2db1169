"""Models with laws in series: explicit joints, tiny inner masses, closed forms, and results without joints."""

from __future__ import annotations

import numpy as np
import pytest

import slipstick as ss

GAP = ss.Freeplay(stiffness=100.0, half_gap=0.05)
MASING = ss.Masing(stiffness=60.0, limit=2.0, parallel_stiffness=20.0)
FREQUENCY = 3.0


def oscillator(law: ss.Law, displacement: float = 0.0) -> ss.Model:
    m = ss.Model("device")
    x = m.coordinate("x", inertia=1.0, displacement=displacement)
    m.connect(x, law, name="device")
    return frame(m, x)


def with_inner_coordinate(inertia: float) -> ss.Model:
    m = ss.Model("device")
    x = m.coordinate("x", inertia=1.0)
    z = m.coordinate("z", inertia=inertia)
    m.connect(x - z, GAP, name="gap")
    m.connect(z, MASING, name="slider")
    return frame(m, x)


def frame(m: ss.Model, x: ss.Model) -> ss.Model:
    m.connect(x, ss.Linear(stiffness=10.0, damping=0.1), name="frame")
    m.load(x, ss.Cosine(4.0, order=1), name="forcing")
    return m


def displacement(run: ss.Model) -> np.ndarray:
    return run.data["displacement"].sel(coordinate="x").values


def test_an_exact_run_is_that_of_an_explicit_coordinate_without_inertia():
    run = oscillator(ss.Series(GAP, MASING)).simulate(until=20.0, frequency=FREQUENCY)
    explicit = with_inner_coordinate(0.0).simulate(until=20.0, frequency=FREQUENCY)
    assert run.stats.method == "exact"
    assert displacement(run) == pytest.approx(displacement(explicit), abs=1e-13)
    force, gap = run.data["force"].sel(connection="device"), explicit.data["force"].sel(connection="gap")
    assert force.values == pytest.approx(gap.values, abs=1e-11)
    assert run.certificate.passed
    assert run.certificate.dissipated["device"] == pytest.approx(explicit.certificate.dissipated["slider"], rel=1e-12)
    stored = sum(explicit.certificate.stored[name] for name in ("gap", "slider"))
    assert run.certificate.stored["device"] == pytest.approx(stored, rel=1e-12)


def test_a_tiny_inner_mass_moves_in_the_same_way():
    run = oscillator(ss.Series(GAP, MASING)).simulate(until=5.0, frequency=FREQUENCY)
    near, nearer = (with_inner_coordinate(m).simulate(until=5.0, frequency=FREQUENCY) for m in (1e-5, 1e-7))
    apart = [np.abs(displacement(each) - displacement(run)).max() for each in (near, nearer)]
    assert apart[1] < 1e-6
    assert apart[1] < 0.1 * apart[0]


def test_results_and_files_show_neither_joints_nor_parts(tmp_path):
    m = oscillator(ss.Series(GAP, MASING, ss.Jenkins(stiffness=90.0, limit=3.0)))
    run = m.simulate(until=5.0, frequency=FREQUENCY)
    assert list(run.data["coordinate"].values) == ["x"]
    assert list(run.data["connection"].values) == ["device", "frame"]
    assert set(run.certificate.errors) == {"x"}
    assert set(run.certificate.dissipated) == {"device", "frame"}
    assert set(run.events["connection"]) == {"device"}
    assert len(run.events["time"]) == run.stats.events
    assert str(run.data["state"].values[0, 0]) == run.events["before"][0] == "free stick*2"
    assert run.model == m
    m.save(tmp_path / "device.yaml")
    assert ss.open(tmp_path / "device.yaml") == m
    run.save(tmp_path / "run.nc")
    assert ss.open(tmp_path / "run.nc").data["force"].values == pytest.approx(run.data["force"].values)
    assert run.plot()


CASES = {
    "gap and slider": ss.Series(GAP, MASING),
    "gap and rigid friction": ss.Series(GAP, ss.DryFriction(limit=2.0)),
    "spring and rigid friction": ss.Series(ss.Linear(stiffness=100.0), ss.DryFriction(limit=2.0)),
    "two gaps": ss.Series(GAP, ss.Freeplay(stiffness=50.0, half_gap=0.02)),
    "two equal limits": ss.Series(ss.Jenkins(stiffness=50.0, limit=2.0), ss.Jenkins(stiffness=70.0, limit=2.0)),
    "springs": ss.Series(ss.Linear(stiffness=50.0), ss.Linear(stiffness=70.0)),
    "nested": ss.Series(GAP, ss.Series(MASING, ss.Linear(stiffness=3.0) + ss.Series(GAP, MASING))),
    "sum": ss.Series(GAP, MASING) + ss.Linear(stiffness=5.0),
    "scaled sum": (ss.Series(GAP, MASING) + ss.Linear(stiffness=5.0)).scaled(deflection=2.0, force=0.5),
}


@pytest.mark.parametrize("displaced", [0.2, pytest.param(0.0, marks=pytest.mark.long)])
@pytest.mark.parametrize("name", [pytest.param(n, marks=[pytest.mark.long] * (n == "nested")) for n in CASES])
def test_exact_runs_with_joints_agree_with_adaptive_runs_without(name, displaced):
    m = oscillator(CASES[name], displaced)
    exact = m.simulate(until=4.0, frequency=FREQUENCY)
    adaptive = m.simulate(until=4.0, frequency=FREQUENCY, method="events", tolerance=1e-9)
    assert exact.stats.method == "exact"
    assert exact.certificate.passed
    assert adaptive.certificate.passed
    assert displacement(exact) == pytest.approx(displacement(adaptive), abs=3e-7)
    assert exact.data["force"].values == pytest.approx(adaptive.data["force"].values, abs=2e-5)
    assert exact.data["deflection"].values == pytest.approx(adaptive.data["deflection"].values, abs=3e-7)
    for each in ("device", "frame"):
        assert exact.certificate.dissipated[each] == pytest.approx(adaptive.certificate.dissipated[each], abs=1e-5)


def test_newmark_agrees_too():
    m = oscillator(ss.Series(GAP, MASING))
    exact, implicit = (m.simulate(until=4.0, frequency=FREQUENCY, method=method) for method in ("exact", "newmark"))
    assert np.abs(displacement(exact) - displacement(implicit)).max() <= 2.0 * implicit.certificate.error


@pytest.mark.parametrize("swapped", [False, True])
def test_a_spring_and_a_damper_are_the_maxwell_model(swapped):
    """By the transition matrix of x'' = -f, f' = k x' - (k/c) f, free vibration from a displacement."""
    k, c, start = 30.0, 8.0, 0.2
    parts = [ss.Linear(stiffness=k), ss.Linear(damping=c)]
    m = ss.Model("maxwell")
    x = m.coordinate("x", inertia=1.0, velocity=start)
    m.connect(x, ss.Series(*(parts[::-1] if swapped else parts)), name="device")
    run = m.simulate(until=3.0)
    assert run.stats.method == "exact"
    values, vectors = np.linalg.eig(np.array([[0.0, 1.0, 0.0], [0.0, 0.0, -1.0], [0.0, k, -k / c]]))
    weights = np.linalg.solve(vectors, [0.0, start, 0.0])
    motion = (vectors @ (weights[:, None] * np.exp(values[:, None] * run.data["time"].values))).real
    assert displacement(run) == pytest.approx(motion[0], abs=1e-11)
    assert run.data["force"].values[:, 0] == pytest.approx(motion[2], abs=1e-10)
    assert run.certificate.passed
    implicit = m.simulate(until=3.0, method="newmark", step=2e-3)
    assert displacement(implicit) == pytest.approx(motion[0], abs=1e-4)


def test_an_orbit_of_a_damped_series_has_the_closed_form_of_a_linear_system():
    k, c, w = 30.0, 8.0, FREQUENCY
    m = oscillator(ss.Series(ss.Linear(stiffness=k), ss.Linear(damping=c)))
    orbit = m.periodic(frequency=w)
    dynamic = k * 1j * w * c / (k + 1j * w * c)
    amplitude = abs(4.0 / (10.0 + 0.1j * w - w**2 + dynamic))
    assert orbit.amplitude["x"] == pytest.approx(amplitude, rel=1e-10)
    assert orbit.dissipated["device"] == pytest.approx(np.pi * dynamic.imag * amplitude**2, rel=1e-10)


def test_methods_without_joints_refuse_dampers_in_series():
    law = ss.Series(ss.Linear(stiffness=30.0), ss.Linear(damping=8.0))
    for method in ("events", "inclusion"):
        with pytest.raises(ss.MissingFace, match="methods that take this model: exact, newmark, taylor"):
            oscillator(law).simulate(until=1.0, frequency=FREQUENCY, method=method)


@pytest.mark.parametrize("beside", [(), (ss.Jenkins(stiffness=40.0, limit=1.0),)], ids=["linear", "friction"])
def test_harmonic_balance_of_a_damped_series_agrees_with_shooting(beside):
    law = sum(beside, ss.Series(ss.Linear(stiffness=30.0), ss.Linear(damping=8.0)) + ss.Linear(stiffness=2.0))
    m = oscillator(law)
    exact, balanced = (m.periodic(frequency=FREQUENCY, method=method) for method in ("shooting", "harmonic-balance"))
    error, rel = max(2.0 * balanced.certificate.error, 1e-12), 0.01 if beside else 1e-6
    assert abs(balanced.amplitude["x"] - exact.amplitude["x"]) <= error
    assert balanced.force_range["device"] == pytest.approx(exact.force_range["device"], rel=rel)
    assert balanced.dissipated["device"] == pytest.approx(exact.dissipated["device"], rel=rel)
    assert list(balanced.data["coordinate"].values) == ["x"]
    assert list(balanced.data["connection"].values) == ["device", "frame"]
    assert balanced.certificate.passed
    assert balanced.stable
    largest = [np.abs(orbit.multipliers).max() for orbit in (balanced, exact)]
    assert largest[0] == pytest.approx(largest[1], rel=1e-9 if not beside else 0.02)


def test_an_orbit_is_that_of_an_explicit_coordinate_and_of_other_methods():
    m = oscillator(ss.Series(GAP, MASING))
    orbit, explicit = m.periodic(frequency=FREQUENCY), with_inner_coordinate(0.0).periodic(frequency=FREQUENCY)
    assert orbit.amplitude["x"] == pytest.approx(explicit.amplitude["x"], rel=1e-12)
    assert orbit.force_range["device"] == pytest.approx(explicit.force_range["gap"], rel=1e-12)
    assert orbit.dissipated["device"] == pytest.approx(explicit.dissipated["slider"], rel=1e-11)
    assert orbit.stick_share["device"] == pytest.approx(explicit.stick_share["slider"], rel=1e-10)
    balanced = m.periodic(frequency=FREQUENCY, method="harmonic-balance")
    assert abs(balanced.amplitude["x"] - orbit.amplitude["x"]) <= 2.0 * balanced.certificate.error
    again = m.periodic(frequency=FREQUENCY, start=balanced, method="shooting")
    assert again.amplitude["x"] == pytest.approx(orbit.amplitude["x"], rel=1e-10)


def test_the_range_of_the_force_of_a_sum_is_that_of_its_samples():
    orbit = oscillator(CASES["sum"]).periodic(frequency=FREQUENCY)
    assert orbit.force_range["device"] == pytest.approx(np.ptp(orbit.data["force"].values[:, 0]), rel=1e-12)


def test_a_curve_is_that_of_an_explicit_coordinate():
    curve = oscillator(ss.Series(GAP, MASING)).frequency_response(between=(1.0, 2.0))
    explicit = with_inner_coordinate(0.0).frequency_response(between=(1.0, 2.0))
    assert curve.stats.method == "shooting"
    assert list(curve.data["coordinate"].values) == ["x"]
    assert list(curve.data["connection"].values) == ["device", "frame"]
    expected = explicit.data["amplitude"].sel(coordinate="x").values
    assert curve.data["amplitude"].values[:, 0].max() == pytest.approx(expected.max(), rel=1e-6)
    folds, others = ([s["frequency"] for s in c.special if s["kind"] == "fold"] for c in (curve, explicit))
    assert len(folds) >= 2
    assert folds == pytest.approx(others, rel=1e-6)
    assert {s["connection"] for s in curve.special if "connection" in s} <= {"device"}


def test_a_parameter_of_a_part_is_followed():
    m = oscillator(ss.Series(GAP, MASING))
    curve = m.follow("device.limit", between=(2.0, 2.5), frequency=FREQUENCY)
    last = oscillator(ss.Series(GAP, ss.Masing(stiffness=60.0, limit=2.5, parallel_stiffness=20.0)))
    assert curve.data["amplitude"].values[-1, 0] == pytest.approx(
        last.periodic(frequency=FREQUENCY).amplitude["x"], rel=1e-8
    )


def test_statics_and_modes_take_the_series_at_rest():
    m = ss.Model("hanging")
    x = m.coordinate("x", inertia=2.0)
    m.connect(x, ss.Series(ss.Linear(stiffness=30.0), ss.Linear(stiffness=60.0, damping=1.0)), name="device")
    m.load(x, 5.0)
    assert m.equilibrium().displacement["x"] == pytest.approx(5.0 / 20.0, rel=1e-9)
    at_rest = m.connections[0].law.linearised()
    assert at_rest.stiffness == pytest.approx(20.0, rel=1e-14)
    assert at_rest.damping == pytest.approx(20.0**2 * 1.0 / 60.0**2, rel=1e-14)  # of slow motions


@pytest.mark.parametrize(
    "law",
    [
        ss.Series(ss.Dahl(stiffness=60.0, limit=2.0), ss.Linear(stiffness=100.0)),
        ss.Zener(stiffness=30.0, damping=8.0, parallel_stiffness=3.0) + ss.Dahl(stiffness=60.0, limit=2.0),
    ],
    ids=["series", "zener"],
)
def test_numbers_that_a_law_keeps_to_save_time_have_no_multiplier(law):
    m = oscillator(law)
    shot, balanced = (m.periodic(frequency=FREQUENCY, method=way) for way in ("shooting", "harmonic-balance"))
    assert "edge" not in repr(shot)
    largest = [np.abs(orbit.multipliers).max() for orbit in (shot, balanced)]
    assert largest[0] == pytest.approx(largest[1], rel=0.02)


def test_integration_measures_a_settled_response_without_joints():
    zener = ss.Zener(stiffness=30.0, damping=8.0, parallel_stiffness=3.0)
    m = oscillator(zener + ss.Jenkins(stiffness=40.0, limit=1.0))
    settled, shot = (m.periodic(frequency=FREQUENCY, method=way) for way in ("integration", "shooting"))
    assert settled.amplitude["x"] == pytest.approx(shot.amplitude["x"], rel=1e-3)
    assert settled.force_range["device"] == pytest.approx(shot.force_range["device"], rel=1e-2)


def test_a_nonlinear_mode_shows_the_model_as_written():
    """Small motions have the frequency and damping of the linear mode."""
    m = oscillator(ss.Zener(stiffness=3.0, damping=8.0, parallel_stiffness=3.0) + ss.Jenkins(stiffness=40.0, limit=1.0))
    linear = next((k, mode) for k, mode in enumerate(m.modes(), start=1) if mode.kind == "oscillating")
    mode = m.nonlinear_mode(linear[0], amplitudes=[1e-4, 0.5])
    assert mode.data["damping_ratio"].values[0] == pytest.approx(linear[1].damping_ratio, rel=1e-6)
    assert list(mode.data["coordinate"].values) == ["x"]
    assert list(mode.data["connection"].values) == ["device", "frame"]
