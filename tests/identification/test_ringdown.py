"""Ring-downs against closed forms: linear decays, a Jenkins joint, a cubic spring; coverage of the intervals."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import stdtrit

import slipstick as ss
from slipstick.identification.decay.window_fit import fit_window

RATE = 4000.0  # [Hz]
TIMES = np.arange(int(2.0 * RATE)) / RATE


def decaying(frequency, ratio, amplitude=1.0, phase=0.3):
    """A linear decay; frequency : undamped [rad/s]."""
    damped = frequency * np.sqrt(1.0 - ratio**2)
    return amplitude * np.exp(-ratio * frequency * TIMES) * np.cos(damped * TIMES + phase)


def at(decay, time):
    return decay.data.interp(time=time)


def test_a_linear_decay_is_exact():
    decay = ss.ringdown(TIMES, decaying(600.0, 0.004, 2.5), near=590.0, band=60.0, start=0.0)
    data = decay.data
    assert np.allclose(data.frequency, 600.0 * np.sqrt(1.0 - 0.004**2), rtol=1e-9)
    assert np.allclose(data.damping, 0.004, rtol=1e-6)
    assert np.allclose(data.amplitude, 2.5 * np.exp(-2.4 * data.time), rtol=1e-7)


def test_the_largest_peak_is_found_without_near():
    decay = ss.ringdown(TIMES, decaying(600.0, 0.004) + 0.2 * decaying(1500.0, 0.002))
    assert float(at(decay, 1.0).frequency) == pytest.approx(600.0, rel=1e-4)


def test_another_mode_outside_the_band_does_not_count():
    x = decaying(600.0, 0.004) + 3.0 * decaying(900.0, 0.003)
    found = at(ss.ringdown(TIMES, x, near=600.0, band=100.0, start=0.0), 0.8)
    assert float(found.frequency) == pytest.approx(600.0, rel=1e-4)
    assert float(found.damping) == pytest.approx(0.004, rel=0.02)


def test_two_close_modes_are_fitted_together():
    x = decaying(600.0, 0.004) + 0.7 * decaying(625.0, 0.006, phase=1.0)
    low, high = ss.ringdown(TIMES, x, near=[600.0, 625.0], start=0.0)
    for decay, frequency, ratio in ((low, 600.0, 0.004), (high, 625.0, 0.006)):
        found = at(decay, 0.6)
        assert float(found.frequency) == pytest.approx(frequency * np.sqrt(1.0 - ratio**2), rel=1e-6)
        assert float(found.damping) == pytest.approx(ratio, rel=1e-3)


@pytest.mark.parametrize("coloured", [False, True])
def test_95_percent_intervals_hold_the_truth_in_about_95_percent(coloured):
    tau = np.arange(-400, 401) / RATE
    truth = np.array([0.0, -2.4, 600.0])  # logarithm of the amplitude, decay rate, frequency
    clean = np.exp(-2.4 * tau) * np.cos(600.0 * tau)
    inside, seeds = np.zeros(3, dtype=int), 200
    for seed in range(seeds):
        noise = np.random.default_rng(seed).normal(size=tau.size + 20)
        noise = np.convolve(noise, np.ones(3) / 3.0, "same") if coloured else noise
        fit = fit_window(tau, clean + 0.05 * noise[10:-10], 0.1, np.array([604.0]))
        (amplitude, rate, _), (relative, slope, _) = fit.exponent[0], fit.deviation[0]
        found = np.array([amplitude.real, rate.real, rate.imag])
        half_width = stdtrit(fit.freedom, 0.975) * np.array([relative, slope, slope])
        half_width = np.hypot(half_width, np.abs([fit.truncation[0, 0].real, fit.truncation[0, 1].real,
                                                  fit.truncation[0, 1].imag]))  # fmt: skip
        inside += np.abs(found - truth) <= half_width
    assert np.all(inside >= 0.92 * seeds)  # 95 %, with a deviation of 1.3 %; the truncation adds a little
    assert np.all(inside <= 0.99 * seeds)


def jenkins_decay(amplitude, cycles):
    """Closed form of a mass 1 on a spring of 1 and a slider of stiffness 0.04 with limit 0.004: turning points.

    Returns a function of time for the displacement, and the times and heights of the maxima.
    """
    spring, stiffness, limit = 1.0, 0.04, 0.004
    stick, slip = np.sqrt(spring + stiffness), np.sqrt(spring)
    pieces, maxima, now, a, sign = [], [(0.0, amplitude)], 0.0, amplitude, 1.0
    for half in range(2 * cycles):
        middle = (stiffness * a - limit) / (spring + stiffness)
        yields = a - 2.0 * limit / stiffness
        first = np.arccos((yields - middle) / (a - middle)) / stick
        rate = -stick * (a - middle) * np.sin(stick * first)
        other = limit / spring
        radius = np.hypot(yields - other, rate / slip)
        angle = np.arctan2(-rate / slip, yields - other)
        second = (np.pi - angle) / slip
        pieces.append((now, now + first, sign, middle, a - middle, stick, 0.0))
        pieces.append((now + first, now + first + second, sign, other, radius, slip, angle))
        now, a, sign = now + first + second, radius - other, -sign
        if half % 2:
            maxima.append((now, a))

    def displacement(t):
        x = np.zeros_like(t)
        for begin, end, side, centre, size, rate, angle in pieces:
            inside = (t >= begin) & (t <= end)
            x[inside] = side * (centre + size * np.cos(rate * (t[inside] - begin) + angle))
        return x

    return displacement, np.array(maxima)


def test_a_jenkins_joint_has_its_frequency_and_damping_over_amplitude():
    displacement, maxima = jenkins_decay(2.0, 60)
    t = np.arange(0.0, maxima[-1, 0], 0.05)
    decay = ss.ringdown(t, displacement(t), near=1.0, band=0.25, start=0.0)
    full = decay.data.where(decay.data.edge == 0, drop=True)
    middle = 0.5 * (maxima[:-1, 0] + maxima[1:, 0])
    frequency = 2.0 * np.pi / np.diff(maxima[:, 0])
    decrement = -np.diff(np.log(maxima[:, 1]))
    ratio = decrement / np.hypot(2.0 * np.pi, decrement)
    assert np.allclose(full.frequency, np.interp(full.time, middle, frequency), rtol=1e-4)
    assert np.allclose(full.damping, np.interp(full.time, middle, ratio), rtol=0.02)


def test_a_cubic_spring_hardens_as_its_period_in_closed_form():
    from scipy.integrate import solve_ivp
    from scipy.special import ellipk

    ratio, cubic = 0.002, 0.2

    def motion(_, y):
        return [y[1], -2.0 * ratio * y[1] - y[0] - cubic * y[0] ** 3]

    t = np.arange(0.0, 500.0, 0.1)
    found = solve_ivp(motion, (0.0, 500.0), [1.0, 0.0], method="DOP853", rtol=1e-11, atol=1e-12, t_eval=t,
                      events=lambda _, y: y[1])  # fmt: skip
    turns, heights = found.t_events[0][1:], np.abs(found.y_events[0][1:, 0])
    decay = ss.ringdown(t, found.y[0], near=1.05, band=0.25, start=0.0)
    full = decay.data.where(decay.data.edge == 0, drop=True)
    height = np.interp(full.time, turns, heights)
    hardened = 1.0 + cubic * height**2
    period = 4.0 * ellipk(0.5 * cubic * height**2 / hardened) / np.sqrt(hardened)
    assert np.allclose(full.frequency, 2.0 * np.pi / period, rtol=1e-4)


def test_a_record_starts_its_decay_after_the_hammer():
    hammer = np.where((TIMES > 0.2) & (TIMES < 0.205), 50.0, 0.0)
    x = np.where(TIMES > 0.2, np.interp(TIMES - 0.2, TIMES, decaying(600.0, 0.004)), 0.0)
    record = ss.Record(TIMES, {"x.acceleration": x}, loads={"x": hammer})
    decay = ss.ringdown(record, near=600.0, band=60.0)
    assert float(decay.data.time[0]) > 0.205
    assert float(at(decay, 1.0).frequency) == pytest.approx(600.0 * np.sqrt(1.0 - 0.004**2), rel=1e-4)
    moved = decay.data.amplitude / decay.data.frequency**2
    assert np.allclose(decay.data.displacement_amplitude, moved)


def test_windows_in_noise_are_left_out_with_a_note():
    noise = np.random.default_rng(1).normal(size=TIMES.size)
    decay = ss.ringdown(TIMES, decaying(600.0, 0.02) + 0.05 * noise, near=600.0, band=60.0, start=0.0)
    assert "lost in noise" in decay.notes[0]
    assert float(decay.data.time[-1]) < 1.0


def test_a_ringdown_is_saved_and_opened(tmp_path):
    decay = ss.ringdown(TIMES, decaying(600.0, 0.004), near=600.0, band=60.0)
    decay.save(tmp_path / "decay.nc")
    opened = ss.open(tmp_path / "decay.nc")
    assert opened.data.identical(decay.data)
    assert repr(opened) == repr(decay)
    assert opened.setting == decay.setting


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"near": -1.0}, "near must be a frequency > 0"),
        ({"near": 600.0, "band": 0.0}, "band must be above 0"),
        ({"near": 600.0, "band": 1.0}, "needs windows of"),
        ({"near": [600.0, 625.0], "band": 60.0}, "the distance between the modes, 25 rad/s"),
        ({"near": 20000.0}, "samples a period"),
        ({"near": 600.0, "start": 1.999}, "samples, at least 16"),
    ],
)
def test_bad_settings_are_refused_in_one_line(refused, change, words):
    with refused(words):
        ss.ringdown(TIMES, decaying(600.0, 0.004), **change)


def test_a_record_with_several_channels_asks_which(refused):
    record = ss.Record(TIMES, {"a": TIMES, "b": TIMES})
    with refused("2 channels", "a, b"):
        ss.ringdown(record, near=600.0)


@pytest.mark.parametrize("seed", range(3))
def test_noise_moves_no_frequency(seed):
    """A linear decay that ends in noise: its frequency is one, whatever a window in noise finds."""
    t = np.arange(0.0, 10.0, 1.0 / 1000.0)
    x = np.exp(-1.257 * t) * np.cos(125.66 * t) + 1e-5 * np.random.default_rng(seed).normal(size=t.size)
    found = ss.ringdown(t, x)
    assert not any("moves" in note for note in found.notes)


@pytest.mark.parametrize("order", [1, 2, 3])
def test_the_range_of_filters_holds_what_they_find_on_a_moving_frequency(order):
    """x = exp(-r t) sin(w(t)) with a frequency that moves by 2.5 Hz/s, through band-passes run forward and backward."""
    scipy_signal = pytest.importorskip("scipy.signal")
    rate, near, band, decay_rate = 4000.0, 153.0, 10.0, 3.0
    t = np.arange(0.0, 2.0, 1.0 / rate)
    frequency = 150.0 + 2.5 * t
    x = np.exp(-decay_rate * t) * np.sin(2.0 * np.pi * np.cumsum(frequency) / rate)
    found = ss.ringdown(t, x, near=ss.hz(near), band=ss.hz(band)).data
    row = found.sel(time=0.8, method="nearest")
    edges = (near - 0.5 * band, near + 0.5 * band)
    sections = scipy_signal.butter(order, edges, btype="bandpass", fs=rate, output="sos")
    for sign in (1, -1):
        through = scipy_signal.sosfilt(sections, x[::sign])[::sign]
        wave = scipy_signal.hilbert(through)
        near_row = np.abs(t - float(row.time)) < 0.1
        slope = np.polyfit(t[near_row], np.unwrap(np.angle(wave[near_row])), 1)[0]
        decay = -np.polyfit(t[near_row], np.log(np.abs(wave[near_row])), 1)[0]
        assert float(row.frequency_by_filter_low) < slope < float(row.frequency_by_filter_high)
        assert float(row.damping_by_filter_low) < decay / slope < float(row.damping_by_filter_high)
    assert float(row.frequency_high - row.frequency_low) < 0.05 * float(
        row.frequency_by_filter_high - row.frequency_by_filter_low
    )
