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
    system = ss.systems.TorsionalSystem(
        inertia=0.4,
        stiffness=250.0,
        damping=1.3,
        torque=12.0,
        radius=0.08,
        friction_coefficient=0.35,
        normal_load=ss.Fourier(180.0, sin=(60.0,), cos=(20.0,), order=0.5),
    )
    own, scaled = system.model(), system.scaled()
    for frequency in (0.3, 1.0, 1.7):
        big = own.periodic(frequency=frequency * system.natural_frequency)
        small = scaled.periodic(frequency=frequency)
        assert big.rms["theta"] / system.angle == pytest.approx(small.rms["theta"], rel=1e-9)
        assert big.period * system.natural_frequency == pytest.approx(small.period, rel=1e-12)
        multipliers = [np.sort_complex(orbit.multipliers) for orbit in (big, small)]
        assert np.abs(multipliers[0]) == pytest.approx(np.abs(multipliers[1]), abs=1e-8)


@pytest.mark.parametrize("name", ["inertia", "stiffness", "torque", "radius", "friction_coefficient"])
def test_a_system_in_units_has_positive_numbers(name, refused):
    good = {"inertia": 1.0, "stiffness": 1.0, "torque": 1.0, "radius": 1.0, "friction_coefficient": 1.0}
    with refused(f"{name} must be a number > 0", "-2"):
        ss.systems.TorsionalSystem(**{**good, name: -2.0}, normal_load=1.0)
