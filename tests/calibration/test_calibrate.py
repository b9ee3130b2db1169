"""Calibration on synthetic measurements whose numbers are known."""

from __future__ import annotations

import numpy as np
import pytest

import slipstick as ss
from slipstick.calibration.calibrate import _spread
from slipstick.calibration.data_sets import data_sets_of
from slipstick.periodic.balance import stepped_sine

TRUTH = {"joint.limit": 12.0, "joint.stiffness": 4e4}


def structure(limit=12.0, stiffness=4e4, inertia=20.0, damping=30.0, velocity=0.0):
    m = ss.Model("mass on a joint")
    x = m.coordinate("x", inertia=inertia, velocity=velocity, kind="translation")
    m.connect(x, ss.Masing(stiffness=stiffness, limit=limit, parallel_stiffness=6e5, damping=damping), name="joint")
    return m


def wrong_start(**change):
    return structure(**{"limit": 20.0, "stiffness": 2.5e4, **change})


def random_force(seed, count=1500):
    t = np.arange(count) / 1000.0
    noise = np.random.default_rng(seed).normal(size=count)
    return t, 300.0 * np.convolve(noise, np.hanning(9) / np.hanning(9).sum(), "same")


def forced_record(seed, noise=0.02):
    t, force = random_force(seed)
    m = structure()
    m.load(m["x"], ss.Signal(t, force))
    x = m.simulate(until=t[-1], samples=t).data.displacement.sel(coordinate="x").values
    x = x + noise * x.std() * np.random.default_rng(1000 + seed).normal(size=t.size)
    return ss.Record(t, {"x": x}, loads={"x": force}, name="rig")


def assert_within(fit, truth, relative):
    for name, value in truth.items():
        own = fit.parameters[name]
        assert own.value == pytest.approx(value, rel=relative), name
        assert own.low <= value <= own.high, name


def test_a_law_from_a_random_force_record():
    fit = ss.calibrate(wrong_start(), forced_record(0), unknown=list(TRUTH))
    assert_within(fit, TRUTH, 0.05)
    assert fit.model.connection("joint").law.limit == fit.parameters["joint.limit"].value
    assert fit.parameters["joint.limit"].unit == "N"
    assert f"rms {fit.blocks[0].rms:.3g} m  rig: x" in repr(fit)


@pytest.mark.long
def test_intervals_of_records_hold_the_truth_in_about_95_percent():
    inside = np.zeros(2)
    for seed in range(60):
        fit = ss.calibrate(wrong_start(), forced_record(seed), unknown=list(TRUTH))
        inside += [own.low <= value <= own.high for own, value in zip(fit.parameters.values(), TRUTH.values())]
    assert np.all(inside >= 51)  # 57 of 60 are 95 %, with a deviation of 1.7


@pytest.mark.long
def test_law_and_mass_from_a_stepped_sine():
    frequency = np.linspace(ss.hz(25.0), ss.hz(32.0), 15)
    rows = []
    for level in (5.0, 20.0):
        m = structure(damping=300.0)
        m.load(m["x"], ss.Cosine(level, order=1))
        data = m.frequency_response(at=frequency, method="harmonic-balance").data
        size = np.abs(data.harmonics.values[:, 1, 0]) * frequency**2
        rows.append((frequency, size * np.exp(0.01 * np.random.default_rng(int(level)).normal(size=size.size)), level))
    response = ss.MeasuredResponse(
        np.concatenate([own[0] for own in rows]), np.concatenate([own[1] for own in rows]),
        np.repeat([5.0, 20.0], frequency.size), level=np.repeat([1, 2], frequency.size), channel="x.acceleration",
    )  # fmt: skip
    fit = ss.calibrate(
        wrong_start(inertia=21.0, damping=300.0), response, unknown=["joint.limit", "joint.stiffness", "x.inertia"]
    )
    assert_within(fit, {**TRUTH, "x.inertia": 20.0}, 0.05)


def measured_decay():
    run = structure(velocity=1.5).simulate(until=3.0, samples=6001)
    record = ss.Record(run.data.time, {"x.acceleration": run.data.acceleration.sel(coordinate="x")})
    return ss.ringdown(record, near=ss.hz(28), band=ss.hz(6))


def test_the_true_model_predicts_its_ring_down():
    (own,) = data_sets_of(measured_decay(), structure())
    frequency, damping = own.predict(structure())
    assert np.allclose(frequency, own.blocks[0].measured, atol=1e-3)
    measured, reach = own.blocks[1].measured, own.blocks[1].deviation
    assert np.all(np.abs(damping - measured) <= reach + 0.05 * measured)  # a window smooths the onset of slip


def test_the_true_model_predicts_its_stepped_sine_also_under_a_varying_force():
    frequency = np.linspace(ss.hz(26.0), ss.hz(28.0), 5)
    force = np.linspace(4.0, 6.0, 5)
    size = []
    for omega, level in zip(frequency, force, strict=True):
        m = structure(damping=300.0)
        m.load(m["x"], ss.Cosine(level, order=1))
        data = m.periodic(frequency=omega, method="shooting").data.displacement.sel(coordinate="x")
        phase = np.exp(-1j * omega * (data.time - data.time[0]).values)
        size.append(2.0 * abs(np.trapezoid(data.values * phase, data.time)) * omega / (2.0 * np.pi))
    (own,) = data_sets_of(ss.MeasuredResponse(frequency, size, force, channel="x"), structure())
    assert np.allclose(own.predict(structure(damping=300.0))[0], own.blocks[0].measured, atol=1e-3)


@pytest.mark.parametrize("rising", [True, False])
def test_a_stepped_sine_with_folds_is_compared_on_the_branch_that_was_measured(rising):
    """One harmonic of a hardening spring: w^2 = 1 + 3/4 A^2 -+ sqrt(F^2 / A^2 - c^2 w^2), three amplitudes at a w."""
    c, force = 0.1, 0.3
    w = np.linspace(1.1, 1.5, 9)
    size = []
    for each in w:
        s = np.roots([0.5625, 1.5 * (1.0 - each**2), (1.0 - each**2) ** 2 + (c * each) ** 2, -(force**2)])
        real = np.sort(s[np.abs(s.imag) < 1e-9].real)
        assert each < 1.35 or real.size == 3
        size.append(np.sqrt(real[-1 if rising else 0]))
    m = ss.Model("hardening")
    x = m.coordinate("x", inertia=1.0, kind="translation")
    m.connect(x, ss.Linear(stiffness=1.0, damping=c), name="spring")
    m.connect(x, ss.Polynomial(coefficients=(0.0, 0.0, 0.0, 1.0)), name="cubic")
    (own,) = data_sets_of(ss.MeasuredResponse(w, size, force, channel="x"), m)
    assert np.allclose(own.predict(m)[0], np.log(size), atol=0.03)
    assert own.blocks[0].unit == "m"


@pytest.mark.long
def test_a_law_from_a_ring_down():
    decay = measured_decay()
    fit = ss.calibrate(wrong_start(), decay, unknown=list(TRUTH))
    for name, value in TRUTH.items():
        assert fit.parameters[name].value == pytest.approx(value, rel=0.05)


def test_a_loop_and_modes_together():
    t = np.linspace(0.0, 2.0, 401)
    u = 2e-3 * np.sin(2.0 * np.pi * t)
    law = structure().connection("joint").law
    force = np.asarray(law.trace(u, t)) + 0.5 * np.random.default_rng(0).normal(size=u.size)
    (first,) = structure().modes(state={"joint": "stick"}).damped_frequency[:1]
    data = [{"joint": ss.Loop(u, force, t)}, {1: (first, structure().modes().damping_ratio[0])}]
    fit = ss.calibrate(wrong_start(inertia=23.0), data, unknown=[*TRUTH, "x.inertia"])
    assert_within(fit, TRUTH, 0.05)
    assert fit.parameters["x.inertia"].value == pytest.approx(20.0, rel=1e-3)


def test_an_unknown_start_of_a_record():
    run = structure(velocity=0.7).simulate(until=0.5, samples=501)
    record = ss.Record(run.data.time, {"x": run.data.displacement.sel(coordinate="x")})
    fit = ss.calibrate(structure(velocity=0.5), record, unknown=["x.velocity"])
    assert fit.parameters["x.velocity"].value == pytest.approx(0.7, rel=1e-6)


def test_a_prior_holds_what_the_data_do_not_determine():
    record = ss.Record(*_small_motion())
    fit = ss.calibrate(structure(), record, unknown=["joint.limit"], priors={"joint.limit": (15.0, 1.0)})
    assert fit.parameters["joint.limit"].value == pytest.approx(15.0, rel=1e-3)
    assert fit.parameters["joint.limit"].deviation == pytest.approx(1.0, rel=0.05)


def _small_motion():
    run = structure(velocity=1e-4).simulate(until=0.5, samples=501)
    return run.data.time, {"x": run.data.displacement.sel(coordinate="x")}


def test_a_calibration_is_saved_opened_and_drawn_from(tmp_path):
    fit = ss.calibrate(wrong_start(), forced_record(0), unknown=list(TRUTH))
    fit.save(tmp_path / "fit.nc")
    again = ss.open(tmp_path / "fit.nc")
    assert repr(again) == repr(fit)
    limits = [m.connection("joint").law.limit for m in again.sample(200, seed=1)]
    own = fit.parameters["joint.limit"]
    assert np.std(limits) == pytest.approx(own.deviation, rel=0.2)
    assert fit.to_pandas()["parameter"].tolist() == list(TRUTH)
    fit.plot().savefig(tmp_path / "fit.png")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"unknown": ["joint.limt"]}, 'did you mean "limit"'),
        ({"unknown": "joint.limit"}, "unknown must be a list of names"),
        ({"unknown": ["joint.limit"], "bounds": {"joint.limit": (15.0, 30.0)}}, "its bounds are 15 to 30"),
        ({"unknown": ["joint.limit"], "priors": {"joint.stiffness": (1.0, 1.0)}}, "not in unknown"),
        ({"unknown": ["joint.limit"], "data": 3.0}, "data are Record"),
        ({"unknown": ["joint.limit"], "data": {"joint": 2.0}}, "must have a Loop"),
        ({"unknown": ["joint.limit"], "fixed": {"joint.limit": 9.0}}, "joint.limit is in unknown and in fixed"),
        ({"unknown": ["joint.limit"], "data": {1: 180.0}}, "mode 1 must be one of 1 to 1, with two numbers"),
        ({"unknown": ["joint.limit"], "data": {1: ("a", 0.1)}}, "with two numbers"),
        ({"unknown": ["joint.limit"], "data": {1: (180.0, 0.0)}}, "above 0, got (180.0, 0.0)"),
        ({"unknown": ["joint.limit"], "data": {1: (float("nan"), 0.1)}}, "above 0, got (nan, 0.1)"),
        ({"unknown": ["joint.limit"], "model": None}, "model must be a Model, got None"),
        ({"unknown": ["joint.limit"], "data": ss.Record(np.arange(9.0), {"y": np.arange(9.0)})}, "does not have"),
        (
            {
                "unknown": ["joint.limit"],
                "data": ss.Record(np.arange(9.0), {"x": np.arange(9.0)}, motions={"joint": np.arange(9.0)}),
            },
            'no coordinate "joint"',
        ),
    ],
)
def test_bad_requests_are_refused_in_one_line(refused, change, words):
    given = {"model": structure(), "data": ss.Record(np.arange(9.0), {"x": np.arange(9.0)}), **change}
    with refused(words):
        ss.calibrate(**given)


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        (([], [], []), "at least 3 different frequencies, got 0"),
        (([1.0, 2.0, 3.0], [1.0, 2.0, 3.0], "a"), "force must be"),
        (([1.0, 2.0, 3.0], [1.0, 2.0, 3.0], [1.0, 2.0]), "force must have 3 values like the frequency, got 2"),
    ],
)
def test_bad_columns_of_a_response_are_refused_in_one_line(refused, columns, words):
    with refused(words):
        ss.MeasuredResponse(*columns)


def oscillator(damping):
    m = ss.Model("oscillator")
    x = m.coordinate("x", inertia=1.0, kind="translation")
    m.connect(x, ss.Linear(stiffness=100.0, damping=damping), name="joint")
    return m


def test_a_number_leaves_the_bound_at_which_it_starts():
    """Damping ratio 0.02 at 10 rad/s and 1 kg: 2 * 0.02 * 10 = 0.4 N s/m."""
    modes = {1: (10.0 * np.sqrt(1.0 - 0.02**2), 0.02)}
    fit = ss.calibrate(oscillator(0.0), modes, unknown=["joint.damping"], bounds={"joint.damping": (0.0, None)})
    assert fit.parameters["joint.damping"].value == pytest.approx(0.4, rel=1e-6)


def test_a_model_that_misses_its_modes_is_said_to_be_wrong():
    """The frequency is fixed at 10 rad/s, 3 % below the measured one, whose noise is 0.1 %."""
    fit = ss.calibrate(oscillator(0.4), {1: (10.3, 0.02)}, unknown=["joint.damping"])
    assert "the model misses modes: frequency [rad/s] by 3" in fit.warnings[-1]
    assert ss.calibrate(oscillator(0.4), {1: (10.0, 0.02)}, unknown=["joint.damping"]).warnings == ()


def test_data_that_depend_on_no_unknown_number_say_so():
    t = np.linspace(0.0, 1.0, 101)
    fit = ss.calibrate(oscillator(0.4), ss.Record(t, {"x": np.cos(10.0 * t)}), unknown=["joint.damping"])
    assert "the data do not depend on joint.damping" in fit.warnings[1]


def test_a_record_without_its_load_is_named_first():
    record = forced_record(0)
    unloaded = ss.Record(record.t, record.channels, name="rig")
    fit = ss.calibrate(wrong_start(), unloaded, unknown=["joint.limit"])
    assert fit.warnings[0].startswith("the model does not move, unlike rig: x")


@pytest.mark.parametrize("seed", range(3))
def test_intervals_of_few_frequencies_are_not_below_the_bound_of_cramer_and_rao(seed):
    """Logarithms of |H| = |k - m w^2 + i c w|^-1 with 1 % of noise at 13 frequencies."""
    w = np.linspace(18.0, 22.0, 13)

    def logarithm(numbers):
        return -np.log(np.abs(800.0 - numbers[1] * w**2 + 1j * numbers[0] * w))

    truth = np.array([1.5, 2.0])
    slopes = np.transpose([(logarithm(truth + d) - logarithm(truth - d)) / 2e-6 for d in 1e-6 * np.eye(2)])
    bound = 0.01 * np.sqrt(np.diag(np.linalg.inv(slopes.T @ slopes)))
    noise = 1.0 + 0.01 * np.random.default_rng(seed).normal(size=w.size)
    m = ss.Model("oscillator")
    m.connect(m.coordinate("q", inertia=2.1), ss.Linear(stiffness=800.0, damping=1.9), name="s")
    response = ss.MeasuredResponse(w, np.exp(logarithm(truth)) * noise, 1.0, channel="q")
    fit = ss.calibrate(m, response, unknown=["s.damping", "q.inertia"])
    for own, least in zip(fit.parameters.values(), bound):
        assert 0.6 * least < own.deviation < 1.7 * least


def test_a_stepped_sine_is_set_up_once_a_level_and_a_jacobian_column_starts_from_the_last_orbits(monkeypatch):
    counts = {"families": 0, "orbits": 0, "from zero": 0}
    family, solve = stepped_sine.HarmonicBalance, stepped_sine.SteppedSine.solve

    def counted_family(*args, **options):
        counts["families"] += 1
        return family(*args, **options)

    def counted_solve(self, amplitude, omega, guess=None):
        counts["orbits"] += 1
        counts["from zero"] += guess is None
        return solve(self, amplitude, omega, guess)

    monkeypatch.setattr(stepped_sine, "HarmonicBalance", counted_family)
    monkeypatch.setattr(stepped_sine.SteppedSine, "solve", counted_solve)
    frequency = np.tile(np.linspace(ss.hz(26.0), ss.hz(28.0), 6), 2)
    force, size = np.linspace(4.0, 8.0, 12), np.linspace(1e-5, 2e-5, 12)
    response = ss.MeasuredResponse(frequency, size, force, level=np.repeat([1, 2], 6), channel="x")
    (own,) = data_sets_of(response, structure())
    before = own.predict(structure(damping=300.0))
    assert counts == {"families": 2, "orbits": 24, "from zero": 4}  # a rising and a falling sweep of each level
    beside = own.predict_beside(structure(damping=301.0))
    assert counts == {"families": 4, "orbits": 36, "from zero": 4}
    assert np.allclose(beside, own.predict(structure(damping=301.0)), rtol=0.0, atol=1e-7)
    assert np.abs(np.array(beside) - before).max() > 1e-5


def test_the_first_noise_of_response_control_is_not_that_of_the_held_amplitude():
    """The amplitude hardly varies there: the ratio to the force shows the resonance."""
    frequency, force = np.linspace(ss.hz(26.0), ss.hz(28.0), 6), np.array([4.0, 2.0, 1.0, 1.0, 2.0, 4.0])
    response = ss.MeasuredResponse(frequency, np.full(6, 1e-5), force, channel="x")
    (own,) = data_sets_of(response, structure())
    assert _spread(own.blocks[0]) == pytest.approx(np.std(np.log(force)))
