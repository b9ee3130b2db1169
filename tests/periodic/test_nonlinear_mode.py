"""Nonlinear modes: closed forms, linear limits, error figures, what is stored."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from periodic.balance_models import chain, oscillator
from scipy.special import ellipk

import slipstick as ss
import slipstick.periodic.modes.nonlinear_mode as front
from slipstick.periodic.modes.autonomous_system import autonomous_copy
from slipstick.periodic.modes.bordered_elimination import DenseElimination, ModalElimination
from slipstick.periodic.modes.nonlinear_mode import _amplitude_request, _balance, _family


def family_of(m, number=1, amplitudes=(1.0,), coordinate=None, harmonics=5, sustain="first"):
    """The equations behind a mode."""
    balance = _balance(autonomous_copy(m), harmonics)
    return _family(
        balance, number - 1, _amplitude_request(amplitudes, None), np.zeros(balance.problem.n), coordinate, sustain
    )[0]


def slider(amplitude, stiffness, limit):
    """Stiffness, and energy lost in a cycle, of a Jenkins element under a sine: the describing function."""
    if amplitude * stiffness <= limit:
        return stiffness, 0.0
    angle = np.arccos(1.0 - 2.0 * limit / (stiffness * amplitude))
    return stiffness / np.pi * (angle - 0.5 * np.sin(2.0 * angle)), 4.0 * limit * (amplitude - limit / stiffness)


# ---- one harmonic


def test_one_harmonic_of_a_slider_is_its_describing_function():
    mass, damping, k, kt, limit = 2.0, 0.06, 3.0, 1.7, 0.4
    m = oscillator(ss.Jenkins(stiffness=kt, limit=limit), mass=mass, damping=damping, stiffness=k)
    mode = m.nonlinear_mode(1, amplitudes=[0.1, 0.25, 0.5, 1.0, 4.0, 30.0], coordinate="q", harmonics=1)
    for point in mode.points:
        stiffness, lost = slider(point.amplitude, kt, limit)
        omega = np.sqrt((k + stiffness) / mass)
        zeta = (damping * omega + lost / (np.pi * point.amplitude**2)) / (2.0 * mass * omega**2)
        # 256 samples know the corners of the loop to 1e-4 or so
        assert point.frequency == pytest.approx(omega, rel=3e-5)
        assert point.damping_ratio == pytest.approx(zeta, rel=5e-4)
        assert point.modal_amplitude == pytest.approx(np.sqrt(mass) * point.amplitude, rel=1e-12)


@pytest.mark.parametrize("amplitude", [0.004, 0.005, 0.0109, 0.02])
def test_an_amplitude_in_partial_slip_needs_no_smaller_one_before_it(amplitude):
    """What a slider loses in a cycle does not fall with the frequency: it must not be taken for a huge damper."""
    damping, k, kt, limit = 0.6, 1000.0, 600.0, 2.0
    m = oscillator(ss.Jenkins(stiffness=kt, limit=limit), damping=damping, stiffness=k)
    stiffness, lost = slider(amplitude, kt, limit)
    omega = np.sqrt(k + stiffness)
    zeta = (damping * omega + lost / (np.pi * amplitude**2)) / (2.0 * omega**2)
    alone = m.nonlinear_mode(1, amplitudes=amplitude, coordinate="q", harmonics=1).points
    listed = m.nonlinear_mode(1, amplitudes=[0.001, amplitude], coordinate="q", harmonics=1).points
    curve = m.nonlinear_mode(1, between=(amplitude, 2.0 * amplitude), coordinate="q", harmonics=1).points
    assert len(alone) == 1
    for point in (alone[0], listed[1], curve[0]):
        assert point.frequency == pytest.approx(omega, rel=3e-5)
        assert point.damping_ratio == pytest.approx(zeta, rel=5e-4)
    assert alone[0].frequency == pytest.approx(listed[1].frequency, rel=1e-9)
    assert alone[0].damping_ratio == pytest.approx(listed[1].damping_ratio, rel=1e-8)


def test_an_amplitude_at_which_a_mode_is_damped_very_much_is_reached_from_another():
    damping, k, kt, limit, amplitude = 0.6, 1000.0, 5e4, 20.0, 0.002
    m = oscillator(ss.Jenkins(stiffness=kt, limit=limit), damping=damping, stiffness=k)
    stiffness, lost = slider(amplitude, kt, limit)
    omega = np.sqrt(k + stiffness)
    zeta = (damping * omega + lost / (np.pi * amplitude**2)) / (2.0 * omega**2)
    assert zeta > 0.5  # it is not begun with there
    point = m.nonlinear_mode(1, amplitudes=[amplitude], harmonics=1).points[0]
    assert point.frequency == pytest.approx(omega, rel=1e-4)
    assert point.damping_ratio == pytest.approx(zeta, rel=5e-4)
    curve = m.nonlinear_mode(1, between=(amplitude, 1.2 * amplitude), harmonics=1)
    assert float(curve.data.amplitude[0]) == pytest.approx(amplitude, rel=1e-12)
    assert float(curve.data.damping_ratio[0]) == pytest.approx(zeta, rel=5e-4)


def test_one_harmonic_of_dry_friction_is_an_equivalent_damper():
    limit = 0.5
    m = oscillator(ss.DryFriction(limit=limit), damping=0.02)
    mode = m.nonlinear_mode(1, amplitudes=[5.0, 10.0, 40.0], harmonics=1)
    zeta = 0.01 + 2.0 * limit / (np.pi * np.array([5.0, 10.0, 40.0]))
    np.testing.assert_allclose(mode.data.frequency, 1.0, rtol=1e-9)  # friction is in phase with the velocity
    np.testing.assert_allclose(mode.data.damping_ratio, zeta, rtol=0.03)  # its sign is rounded over a tenth of the rate


def test_phase_resonances_of_the_forced_response_lie_on_the_mode():
    """Where the response lags by 90 degrees the load takes the place of the term with zeta: the same one harmonic."""
    m = oscillator(ss.Jenkins(stiffness=1.0, limit=0.5), damping=0.05)
    for force in (0.1, 0.5, 2.0):
        m.loads.clear()
        m.load(m["q"], ss.Cosine(force, order=1))
        curve = m.frequency_response(between=(0.7, 1.8), method="harmonic-balance", harmonics=1)
        phase = np.unwrap(curve.data.phase.values[:, 0])
        amplitude, omega = (
            np.interp(0.5 * np.pi, -phase, curve.data[name].values.ravel()) for name in ("amplitude", "frequency")
        )
        point = m.nonlinear_mode(1, amplitudes=[amplitude], harmonics=1).points[0]
        assert point.frequency == pytest.approx(omega, rel=3e-3)
        assert point.damping_ratio == pytest.approx(force / (2.0 * omega**2 * amplitude), rel=5e-3)


# ---- motions that are known exactly


def test_backbone_of_duffing_has_the_period_of_an_elliptic_integral():
    k, k3 = 1.3, 0.7
    m = ss.Model("duffing")
    q = m.coordinate("q", inertia=1.0)
    m.connect(q, ss.Polynomial(coefficients=(0.0, k, 0.0, k3)), name="spring")
    mode = m.nonlinear_mode(1, amplitudes=[0.05, 0.5, 2.0, 6.0], harmonics=21)
    largest = 0.5 * mode.data.peak_to_peak.values[:, 0]
    stiffness = k + k3 * largest**2
    exact = 0.5 * np.pi * np.sqrt(stiffness) / ellipk(0.5 * k3 * largest**2 / stiffness)
    np.testing.assert_allclose(mode.data.frequency, exact, rtol=1e-8)
    np.testing.assert_allclose(mode.data.damping_ratio, 0.0, atol=1e-9)
    energy = 0.5 * k * largest**2 + 0.25 * k3 * largest**4
    np.testing.assert_allclose(mode.data.energy, energy, rtol=1e-6)


def bilinear(ratio):
    """A spring that is stiffer on one side; the exact frequency of free motion is 2 w1 w2 / (w1 + w2)."""
    m = ss.Model("bilinear")
    q = m.coordinate("q", inertia=1.0)
    m.connect(q, ss.Linear(stiffness=1.0), name="spring")
    m.connect(q, ss.Contact(stiffness=ratio - 1.0, gap=0.0), name="stop")
    return m, 2.0 * np.sqrt(ratio) / (1.0 + np.sqrt(ratio))


@pytest.mark.parametrize("ratio", [2.0, 9.0])
def test_bilinear_oscillator_converges_to_its_exact_frequency_within_the_stated_error(ratio):
    m, exact = bilinear(ratio)
    wrong = []
    for harmonics in (1, 2, 4, 8, 16, 32):
        point = m.nonlinear_mode(1, amplitudes=[0.3], harmonics=harmonics).points[0]
        wrong.append(abs(point.frequency - exact))
        assert wrong[-1] < point.frequency_error < 100.0 * wrong[-1]
    assert wrong[-1] < 1e-5
    assert wrong[-1] < wrong[0] / 200.0


def test_bilinear_oscillator_swings_about_a_mean_and_is_the_same_at_all_amplitudes():
    m, _ = bilinear(4.0)
    mode = m.nonlinear_mode(1, amplitudes=[1e-3, 1.0, 1e3])
    assert np.ptp(mode.data.frequency.values) < 1e-9
    over = mode.data["mean"].values[:, 0] / mode.data.amplitude.values
    np.testing.assert_allclose(over, over[0], rtol=1e-6)
    assert over[0] < -0.1  # it goes farther on the soft side


@pytest.mark.parametrize("harmonics", [3, 7, 15])
def test_freeplay_has_its_exact_period_within_the_stated_error(harmonics):
    """Between two springs with play: 2 pi/w + 4 a/(w (X - a)), X the largest displacement."""
    half_gap, stiffness = 0.1, 4.0
    m = ss.Model("play")
    q = m.coordinate("q", inertia=1.0)
    m.connect(q, ss.Freeplay(stiffness=stiffness, half_gap=half_gap), name="play")
    mode = m.nonlinear_mode(1, amplitudes=[0.2, 0.4, 1.0, 10.0], harmonics=harmonics)
    w, largest = np.sqrt(stiffness), 0.5 * mode.data.peak_to_peak.values[:, 0]
    exact = 2.0 * np.pi / (2.0 * np.pi / w + 4.0 * half_gap / (w * (largest - half_gap)))
    # the largest displacement has an error of its own, which moves the exact frequency
    known = mode.data.frequency_error + np.abs(exact - 2.0 * np.pi / (
        2.0 * np.pi / w + 4.0 * half_gap / (w * (largest + mode.data.error - half_gap))
    ))  # fmt: skip
    assert (np.abs(mode.data.frequency - exact) < known).all()


# ---- limits


def proportional(tangential=0.8):
    """Three masses whose damping is proportional to mass, in stick and in slip."""
    mass = np.diag([1.0, 1.5, 2.0])
    stiffness = np.array([[3.0, -1.0, 0.0], [-1.0, 2.0, -1.0], [0.0, -1.0, 1.8]])
    m = ss.Model.from_matrices(mass, 0.04 * mass, stiffness, names=["a", "b", "c"])
    m.connect(m["a"], ss.Jenkins(stiffness=tangential, limit=0.2), name="left")
    m.connect(m["c"] - m["b"], ss.Jenkins(stiffness=tangential, limit=0.1), name="right")
    return m


@pytest.mark.parametrize("number", [1, 2, 3])
def test_stick_and_slip_limits_are_the_linear_modes(number):
    m = proportional()
    for state, amplitudes in (("stick", [1e-6, 1e-3]), ("slip", [1e7, 1e8])):
        linear = m.modes(state={"left": state, "right": state})[number - 1]
        mode = m.nonlinear_mode(number, amplitudes=amplitudes)
        np.testing.assert_allclose(mode.data.frequency, linear.magnitude, rtol=1e-6)
        np.testing.assert_allclose(mode.data.damped_frequency, linear.damped_frequency, rtol=1e-6)
        np.testing.assert_allclose(mode.data.damping_ratio, linear.damping_ratio, rtol=1e-6)
        shape = mode.data.shape.values[-1]
        expected = np.array(list(linear.shape.values()))
        np.testing.assert_allclose(shape / shape[np.argmax(np.abs(shape))], expected, atol=1e-6)


def test_amplitudes_that_are_left_out_go_from_stick_to_slip():
    m = proportional()
    mode = m.nonlinear_mode(1)
    stick, slip = (m.modes(state={"left": s, "right": s})[0] for s in ("stick", "slip"))
    assert mode.data.sizes["point"] == 50
    assert float(mode.data.frequency[0]) == pytest.approx(stick.magnitude, rel=1e-9)
    assert float(mode.data.frequency[-1]) == pytest.approx(slip.magnitude, rel=0.02)
    assert float(mode.data.amplitude[-1] / mode.data.amplitude[0]) > 50.0
    assert not mode.notes


def test_a_mode_without_laws_is_the_linear_one_at_every_amplitude():
    m = oscillator(damping=0.2)
    mode = m.nonlinear_mode(1)
    np.testing.assert_allclose(mode.data.frequency, 1.0, rtol=1e-12)
    np.testing.assert_allclose(mode.data.damping_ratio, 0.1, rtol=1e-12)


def test_a_mode_that_no_law_takes_part_in_is_found():
    """Two equal masses: the slider between them sees nothing of their common swing."""
    m = ss.Model("pair")
    a, b = m.coordinate("a", inertia=1.0), m.coordinate("b", inertia=1.0)
    for q, name in ((a, "left"), (b, "right")):
        m.connect(q, ss.Linear(stiffness=1.0, damping=0.02), name=name)
    m.connect(a - b, ss.Jenkins(stiffness=1.0, limit=0.1), name="joint")
    mode = m.nonlinear_mode(1, amplitudes=[0.01, 1.0, 100.0])
    np.testing.assert_allclose(mode.data.frequency, 1.0, rtol=1e-12)
    np.testing.assert_allclose(mode.data.damping_ratio, 0.01, rtol=1e-9)


def test_a_mode_that_swings_only_at_large_amplitudes_is_followed_from_there():
    m = ss.Model("play")
    q = m.coordinate("q", inertia=1.0)
    m.connect(q, ss.Freeplay(stiffness=1.0, half_gap=0.1), name="play")
    mode = m.nonlinear_mode(1)
    assert float(mode.data.amplitude[0]) > 0.1
    assert (np.diff(mode.data.frequency.values) > 0.0).all()
    assert float(mode.data.frequency[-1]) == pytest.approx(1.0, rel=0.01)


def test_a_free_train_has_modes_beside_its_rigid_one():
    m = ss.Model("train")
    a, b = m.coordinate("a", inertia=1.0), m.coordinate("b", inertia=3.0)
    m.connect(a - b, ss.Linear(stiffness=3.0), name="shaft")
    m.connect(a - b, ss.Jenkins(stiffness=1.5, limit=0.1), name="clutch")
    reduced = 0.75
    mode = m.nonlinear_mode(2, amplitudes=[1e-4, 1e4])
    np.testing.assert_allclose(mode.data.frequency, np.sqrt([4.5 / reduced, 3.0 / reduced]), rtol=1e-5)
    np.testing.assert_allclose(mode.data["mean"], 0.0, atol=1e-12)


def gears(law):
    """Three inertias in a row, free: a shaft, and a law that is all there is between two of them."""
    m = ss.Model("gears")
    a, b, c = (m.coordinate(name, inertia=inertia) for name, inertia in (("a", 1.0), ("b", 1.5), ("c", 2.0)))
    m.connect(b - a, ss.Linear(stiffness=1e4), name="shaft")
    m.connect(c - b, law, name="law")
    return m


def test_a_free_train_that_a_slider_alone_holds_together(refused):
    m = gears(ss.Jenkins(stiffness=1e4, limit=5.0))
    stick, slip = m.modes(), m.modes(state={"law": "slip"})
    with refused("mode 1 does not oscillate", ": 2, 3"):
        m.nonlinear_mode(1)
    third = m.nonlinear_mode(3, amplitudes=[1e-5, 1e2])
    np.testing.assert_allclose(third.data.frequency, [stick[2].magnitude, slip[2].magnitude], rtol=1e-4)
    second = m.nonlinear_mode(2)  # in slip it is rigid: it ends before
    assert float(second.data.frequency[0]) == pytest.approx(stick[1].magnitude, rel=1e-9)
    assert 0.3 < float(second.data.damping_ratio.max()) < 0.5
    assert any("the mode ends at amplitude" in note for note in second.notes)


def test_a_free_train_with_play_has_its_elastic_modes():
    m = gears(ss.Freeplay(stiffness=1e4, half_gap=1e-3))
    closed = gears(ss.Linear(stiffness=1e4)).modes()
    for number in (2, 3):
        mode = m.nonlinear_mode(number, amplitudes=[1e3])
        assert float(mode.data.frequency[0]) == pytest.approx(closed[number - 1].magnitude, rel=1e-5)


def test_a_mode_that_ends_is_given_up_after_a_bounded_effort(monkeypatch):
    m = gears(ss.Jenkins(stiffness=1e4, limit=5.0))
    monkeypatch.setattr(front, "MAX_EVALUATIONS", 100)
    words = r"where its damping ratio is .*, within the limit on evaluations"
    with pytest.raises(ss.NotConverged, match=words) as caught:
        m.nonlinear_mode(2, amplitudes=[1e-5, 1e-2])
    assert caught.value.partial.data.amplitude.values.tolist() == [1e-5]
    assert float(caught.value.partial.data.frequency_error[0]) < 1e-3  # errors are not part of that effort


def test_constant_loads_stay_and_others_are_left_out():
    m = ss.Model("loaded")
    q = m.coordinate("q", inertia=1.0)
    m.connect(q, ss.Polynomial(coefficients=(0.0, 1.0, 0.0, 1.0)), name="spring")
    m.load(q, ss.Constant(10.0) + ss.Cosine(3.0, order=1))
    m.load(q, ss.Ramp(1.0))
    point = m.nonlinear_mode(1, amplitudes=[1e-5]).points[0]
    assert point.mean[0] == pytest.approx(2.0, rel=1e-9)  # 2 + 2^3 = 10
    assert point.frequency == pytest.approx(np.sqrt(1.0 + 3.0 * 2.0**2), rel=1e-6)


# ---- what is stored


def test_energy_lost_in_a_cycle_is_what_the_damping_ratio_says():
    mode = chain(4, (1, 3)).nonlinear_mode(2, amplitudes=np.geomspace(0.1, 20.0, 12))
    data = mode.data
    lost = 2.0 * np.pi * data.damping_ratio * data.frequency**2 * data.modal_amplitude**2
    np.testing.assert_allclose(data.dissipated.sum("connection"), lost, rtol=1e-9)


def test_sustaining_all_harmonics_is_the_published_concept():
    """Then the lost energy belongs to all of them; both concepts differ by the square of the damping ratio."""
    m = chain(4, (1, 3))
    both = [m.nonlinear_mode(2, amplitudes=[0.1, 1.0, 5.0], sustain=s) for s in ("first", "all")]
    data, h = both[1].data, np.arange(8)[:, None]
    moved = (h**2 * np.abs(data.harmonics.values) ** 2).sum(axis=(1, 2))
    lost = 2.0 * data.damping_ratio * np.pi * data.frequency**2 * moved
    np.testing.assert_allclose(data.dissipated.sum("connection"), lost, rtol=1e-9)
    square = data.damping_ratio.values**2
    assert (np.abs(both[0].data.frequency / data.frequency - 1.0) <= square).all()
    assert (np.abs(both[0].data.damping_ratio - data.damping_ratio) <= square).all()


def test_seven_harmonics_are_as_good_as_they_say():
    m = chain()
    amplitudes = np.geomspace(0.3, 40.0, 10)
    for number in (2, 3):
        few, many = (m.nonlinear_mode(number, amplitudes=amplitudes, harmonics=h).data for h in (7, 21))
        assert (np.abs(few.frequency - many.frequency) <= few.frequency_error + many.frequency_error).all()
        assert (np.abs(few.damping_ratio - many.damping_ratio) <= few.damping_error + many.damping_error).all()
        assert float((few.frequency_error / few.frequency).max()) < 0.02


def test_amplitudes_come_back_in_the_order_they_were_asked_for():
    m = chain(4, (1, 3))
    mode = m.nonlinear_mode(1, amplitudes=[3.0, 0.1, 10.0], coordinate="q4")
    again = m.nonlinear_mode(1, amplitudes=[0.1, 3.0, 10.0], coordinate=m["q4"])
    assert mode.data.amplitude.values.tolist() == [3.0, 0.1, 10.0]
    np.testing.assert_allclose(mode.data.frequency, again.data.frequency.values[[1, 0, 2]], rtol=1e-9)
    np.testing.assert_allclose(np.abs(mode.data.harmonics[:, 1].sel(coordinate="q4")), [3.0, 0.1, 10.0], rtol=1e-9)


def test_between_follows_the_mode_by_its_length():
    m = chain()
    seen = []
    curve = m.nonlinear_mode(2, between=(0.3, 30.0), progress=lambda count, a: seen.append((count, a)))
    assert curve.stats.joined
    assert len(seen) == len(curve)
    assert sorted(curve.data.amplitude.values)[0] == pytest.approx(0.3, rel=1e-12)
    some = m.nonlinear_mode(2, amplitudes=curve.data.amplitude.values[::10])
    np.testing.assert_allclose(some.data.frequency, curve.data.frequency[::10], rtol=1e-8)


def test_a_strongly_damped_mode_is_followed_through_its_folds():
    """The ten-mass chain: its first mode loses most of its energy in a cycle, and turns back twice."""
    mode = chain().nonlinear_mode(1)
    slip = chain().modes(state={f"slider{i}": "slip" for i in (2, 4, 6, 8, 10)})[0]
    assert float(mode.data.frequency[-1]) == pytest.approx(slip.magnitude, rel=2e-3)
    assert float(mode.data.damping_ratio.max()) > 0.5


def test_two_hundred_coordinates_from_matrices():
    n = 200
    stiffness = 1e4 * (2.0 * np.eye(n) - np.eye(n, k=1) - np.eye(n, k=-1))
    m = ss.Model.from_matrices(np.eye(n), None, stiffness, modal_damping=0.005)
    for i in range(10):
        m.connect(m[f"q{20 * i + 10}"], ss.Jenkins(stiffness=50.0, limit=1.0), name=f"slider{i}")
    mode = m.nonlinear_mode(1, amplitudes=[1e-3, 1.0, 10.0, 1e6])
    stick, slip = (m.modes(state={f"slider{i}": s for i in range(10)})[0] for s in ("stick", "slip"))
    assert float(mode.data.frequency[0]) == pytest.approx(stick.magnitude, rel=1e-5)
    assert float(mode.data.frequency[-1]) == pytest.approx(slip.magnitude, rel=1e-6)
    assert float(mode.data.damping_ratio[-1]) == pytest.approx(0.005, rel=1e-3)


def test_files_give_the_same_mode_back(tmp_path):
    m = chain(4, (1, 3))
    mode = m.nonlinear_mode(2, amplitudes=[0.1, 1.0, 5.0], coordinate="q4")
    mode.save(tmp_path / "mode.nc")
    for again in (ss.open(tmp_path / "mode.nc"), pickle.loads(pickle.dumps(mode))):
        assert repr(again) == repr(mode)
        assert again.stats == mode.stats
        assert again.model == m
        for name in mode.data:
            np.testing.assert_array_equal(again.data[name], mode.data[name])


def test_repr_tells_amplitudes_frequencies_and_errors():
    words = repr(oscillator(ss.Jenkins(stiffness=1.0, limit=0.5)).nonlinear_mode(1, amplitudes=[0.1, 10.0]))
    for part in ('NonlinearMode 1 of "oscillator"', "2 points", "amplitude 0.1 to 10", "rad/s", "within"):
        assert part in words


# ---- the equations


@pytest.mark.parametrize("sustain", ["first", "all"])
@pytest.mark.parametrize(
    ("m", "coordinate"),
    [
        (chain(4, (1, 2, 4)), None),
        (chain(4, (1, 2, 4)), 2),
        (oscillator(ss.Polynomial(coefficients=(0.1, 0.2, 0.3, 0.4)) + ss.Dahl(stiffness=1.0, limit=0.3)), None),
        (oscillator(ss.DryFriction(limit=0.3, damping=0.1)), 0),
        (oscillator(ss.DynamicHysteresis(stiffness=1.0, limit=0.3)), None),
    ],
)
def test_derivatives_agree_with_differences(m, coordinate, sustain):
    family = family_of(m, coordinate=coordinate, sustain=sustain)
    rng, p, h = np.random.default_rng(3), 0.3, 1e-6
    x = family.start(p) + 0.02 * rng.standard_normal(family.size)
    found = family.linearise(x, p)
    for column, step in zip(found.by_x.T, h * np.eye(family.size), strict=True):
        numeric = (family.linearise(x + step, p).residual - family.linearise(x - step, p).residual) / (2.0 * h)
        np.testing.assert_allclose(column, numeric, atol=3e-7)
    numeric = (family.linearise(x, p + h).residual - family.linearise(x, p - h).residual) / (2.0 * h)
    np.testing.assert_allclose(found.by_p, numeric, atol=3e-7)


def test_both_ways_to_solve_the_linear_part_agree_at_an_undamped_resonance_too():
    n = 20
    m = ss.Model.from_matrices(np.eye(n), None, 2.0 * np.eye(n) - np.eye(n, k=1) - np.eye(n, k=-1))
    for i in (3, 8):
        m.connect(m[f"q{i}"], ss.Jenkins(stiffness=1.0, limit=0.3), name=f"slider{i}")
    family = family_of(m, number=2)
    assert isinstance(family.elimination, ModalElimination)
    lines = family.balance.lines
    dense = DenseElimination(
        family.balance.plain_part, family.orders, family.border, lines.rows, lines.along, family.moved
    )
    right = np.random.default_rng(0).standard_normal((6, n + 1, 4)) + 0j
    own = float(m.modes(state={"slider3": "slip", "slider8": "slip"})[1].magnitude)
    for omega, zeta in ((0.3, 0.1), (own, 0.0), (own / 3.0, 0.0)):
        for way in (family.elimination, dense):
            way.tune(omega, zeta)
        own_right = np.concatenate([family.elimination.acting(right[:, :-1]), right[:, -1:]], axis=1)
        one, other = family.elimination.solve(own_right), dense.solve(right)
        np.testing.assert_allclose(one[:, -1], other[:, -1], atol=1e-9 * np.abs(other).max())
        for h in range(6):
            np.testing.assert_allclose(family.free_pairs(one[h].T), other[h, :-1], atol=1e-9 * np.abs(other).max())


@pytest.mark.parametrize("rayleigh", [0.0, 1e-4])
def test_springs_and_dampers_that_couple_modes_are_eliminated_exactly(rayleigh, monkeypatch):
    """Beside uncoupled modes they are a few columns; the matrices of all coordinates are the other way."""
    n = 24
    k = 1e4 * (2.0 * np.eye(n) - np.eye(n, k=1) - np.eye(n, k=-1))

    def found(kind):
        m = ss.Model.from_matrices(np.eye(n), rayleigh * k, k)
        m.connect(m["q4"], ss.Linear(damping=3.0))
        m.connect(m["q22"] - m["q19"], ss.Linear(stiffness=500.0, damping=1.0))
        m.connect(m["q12"], ss.Jenkins(stiffness=500.0, limit=1.0))
        asked = {"amplitudes": [0.01, 0.1, 0.5], "harmonics": 5}
        assert type(front._checked_request(m, 2, **asked).plan.family.elimination) is kind
        data = m.nonlinear_mode(2, **asked).data
        return data["frequency"].values, data["damping_ratio"].values

    modal = found(ModalElimination)
    monkeypatch.setattr("slipstick.periodic.modes.elimination_choice.MIN_MODAL_COORDINATES", n + 1)
    dense = found(DenseElimination)
    np.testing.assert_allclose(modal[0], dense[0], rtol=1e-11)
    np.testing.assert_allclose(modal[1], dense[1], rtol=1e-9)
