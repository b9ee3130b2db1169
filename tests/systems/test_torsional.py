"""The torsional oscillator: independent rms values, Den Hartog's amplitude, and its scaling."""

from __future__ import annotations

import math

import numpy as np
import pytest

import slipstick as ss

RMS = {  # (order, phase in degrees): rms at 0.4, 1.0, 1.6; zeta = 0.05, N0 = 0.5, A = 0.3
    (0, 0): (0.846091092, 2.571123814, 0.283681475),
    (0.5, 0): (0.777744451, 2.583815963, 0.363640260),
    (1, 0): (0.638950387, 2.578390315, 0.335271701),
    (2, 0): (0.592788117, 2.785991067, 0.304648727),
    (1, 60): (0.862961077, 2.581852579, 0.257690192),
    (1, 120): (0.741684295, 2.580829925, 0.314322513),
}


GOOD = {
    "inertia": 0.4,
    "stiffness": 250.0,
    "damping": 1.3,
    "torque": 12.0,
    "radius": 0.08,
    "friction_coefficient": 0.35,
}


@pytest.mark.parametrize(("order", "phase"), RMS)
def test_rms_over_frequency(order, phase):
    m = ss.systems.torsional(order=order, phase=math.radians(phase))
    data = m.frequency_response(at=[0.4, 1.0, 1.6]).data
    assert data["rms"].sel(coordinate="theta").values == pytest.approx(RMS[order, phase], abs=6e-10)


@pytest.mark.parametrize(
    ("zeta", "limit", "frequency", "amplitude"), [(0.0, 0.5, 0.8, 2.332234987541), (0.1, 0.5, 1.5, 0.434423245267)]
)
def test_den_hartogs_amplitude(zeta, limit, frequency, amplitude):
    orbit = ss.systems.torsional(zeta, mean=limit, swing=0.0).periodic(frequency=frequency)
    assert orbit.amplitude["theta"] == pytest.approx(amplitude, abs=1e-10)


def test_a_normal_load_of_many_harmonics_is_cut_off_below_zero():
    load = ss.Fourier(0.6, sin=(0.2, 0.3), cos=(0.1, -0.5))  # d of the paper's Fig. 2
    with pytest.warns(UserWarning, match="cut off at zero"):
        m = ss.systems.torsional(load=load)
    assert m.periodic(frequency=1.0).rms["theta"] == pytest.approx(0.7816169284, abs=6e-10)


def test_a_load_of_order_zero_is_the_value_of_its_phase():
    m = ss.systems.torsional(order=0, phase=0.7)
    assert m.connection("friction").law.limit == pytest.approx(0.5 + 0.3 * math.sin(0.7))


def test_the_scaled_system_is_the_dimensional_one():
    load = ss.Fourier(180.0, sin=(60.0,), cos=(20.0,), order=0.5)
    system = ss.systems.TorsionalSystem(**GOOD, normal_load=load)
    own, scaled = system.model(), system.scaled()
    for frequency in (0.3, 1.0, 1.7):
        big = own.periodic(frequency=frequency * system.natural_frequency)
        small = scaled.periodic(frequency=frequency)
        assert big.rms["theta"] / system.angle == pytest.approx(small.rms["theta"], rel=1e-9)
        assert big.period * system.natural_frequency == pytest.approx(small.period, rel=1e-12)
        multipliers = [np.sort_complex(orbit.multipliers) for orbit in (big, small)]
        assert np.abs(multipliers[0]) == pytest.approx(np.abs(multipliers[1]), abs=1e-8)


@pytest.mark.parametrize(
    "load",
    [
        ss.Fourier(180.0, sin=(60.0,), frequency=40.0),  # rad/s, whatever the torque's
        ss.Constant(180.0) + ss.Sine(60.0, order=1, phase=0.4),
        ss.Constant(150.0) + ss.Cosine(40.0, order=2) + ss.Sine(20.0, frequency=40.0),
    ],
    ids=["frequency", "sum", "both"],
)
def test_any_periodic_load_is_scaled_with_its_time(load):
    system = ss.systems.TorsionalSystem(**GOOD, normal_load=load)
    big = system.model().periodic(frequency=20.0)
    small = system.scaled().periodic(frequency=20.0 / system.natural_frequency)
    assert big.rms["theta"] / system.angle == pytest.approx(small.rms["theta"], rel=1e-9)
    assert big.period * system.natural_frequency == pytest.approx(small.period, rel=1e-12)


def test_a_limit_over_scaled_time_is_r_mu_n_over_the_torque():
    load = ss.Fourier(180.0, sin=(60.0,), frequency=40.0) + ss.Cosine(20.0, order=0.5)
    system = ss.systems.TorsionalSystem(**GOOD, normal_load=load)
    limit = system.scaled().connection("friction").law.limit
    t, speed = np.linspace(0.0, 1.0, 9), 31.0
    expected = 0.08 * 0.35 / 12.0 * load.at(t, speed)
    assert limit.at(system.natural_frequency * t, speed / system.natural_frequency) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"damping": -1.0}, ("damping must be a number >= 0", "-1")),
        ({"damping": "1.3"}, ("damping must be a number >= 0", "'1.3'")),
        ({"damping": math.nan}, ("damping must be a number >= 0", "nan")),
        ({"normal_load": ss.Ramp(1.0)}, ("normal_load must be a number or a periodic function", "Ramp(1)")),
        ({"normal_load": -3.0}, ("normal_load must be a number >= 0", "-3")),
    ],
)
def test_what_the_system_in_units_cannot_be_is_said(given, words, refused):
    with refused(*words):
        ss.systems.TorsionalSystem(**{**GOOD, "normal_load": 180.0, **given})


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"damping_ratio": -0.1}, ("damping_ratio must be a number >= 0", "-0.1")),
        ({"load": 0.4, "mean": 0.1}, ("load is the whole normal load", "leave out mean")),
        ({"load": 0.4, "swing": 0.0, "phase": 1.0}, ("leave out swing and phase",)),
        ({"order": 0, "swing": "0.3"}, ("must be a number", "'0.3'")),
    ],
)
def test_what_the_oscillator_cannot_be_is_said(given, words, refused):
    with refused(*words):
        ss.systems.torsional(**given)


@pytest.mark.parametrize("name", ["inertia", "stiffness", "torque", "radius", "friction_coefficient"])
def test_a_system_in_units_has_positive_numbers(name, refused):
    for value in (-2.0, 0.0):
        with refused(f"{name} must be a number > 0", f"{value:g}"):
            ss.systems.TorsionalSystem(**{**GOOD, name: value}, normal_load=1.0)
