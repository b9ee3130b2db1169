"""Orders over speed and spectra over time."""

import math

import numpy as np
import pytest

import slipstick as ss
from slipstick.errors import InvalidInput

SPEED = ss.Constant(20.0) + ss.Ramp(4.0)


def two_tones(speed=SPEED, until=20.0, samples=20_001):
    """A prescribed motion of two orders: amplitudes 2 and 0.5 mm, phases 0.3 and -1 rad."""
    m = ss.Model("tones")
    y = m.coordinate("y", motion=ss.Cosine(2e-3, order=1, phase=0.3) + ss.Cosine(5e-4, order=2.5, phase=-1.0))
    x = m.coordinate("x", inertia=1.0)
    m.connect(x - y, ss.Linear(stiffness=1e4, damping=20.0), name="spring")
    return m.simulate(until, speed=speed, samples=samples)


def test_orders_of_two_tones_are_found_to_rounding():
    orders = two_tones().orders([1, 2.5]).data.sel(name="y")
    np.testing.assert_allclose(orders.amplitude.sel(order=1), 2e-3, rtol=1e-9)
    np.testing.assert_allclose(orders.amplitude.sel(order=2.5), 5e-4, rtol=1e-9)
    np.testing.assert_allclose(orders.phase.sel(order=1), 0.3, rtol=1e-8)
    np.testing.assert_allclose(orders.phase.sel(order=2.5), -1.0, rtol=1e-8)
    np.testing.assert_allclose(orders.residual, 0.0, atol=1e-12)
    np.testing.assert_allclose(orders.speed, 20.0 + 4.0 * orders.time, rtol=1e-12)


def test_orders_that_are_not_asked_for_are_in_the_rest():
    orders = two_tones().orders([1], revolutions=6).data.sel(name="y")
    np.testing.assert_allclose(orders.amplitude.sel(order=1), 2e-3, rtol=5e-3)
    np.testing.assert_allclose(orders.residual, 5e-4 / math.sqrt(2.0), rtol=0.05)


def test_orders_of_a_slow_run_up_are_the_steady_response():
    """At 1 rad/s in a second an oscillator follows its steady amplitude, but for the delay near the resonance."""
    m = ss.Model("slow")
    x = m.coordinate("x", inertia=1.0)
    m.connect(x, ss.Linear(stiffness=900.0, damping=6.0), name="spring")
    m.load(x, ss.Cosine(1.0, order=1))
    run = m.simulate(40.0, speed=ss.Constant(10.0) + ss.Ramp(0.25), samples=8001)
    orders = run.orders([1]).data.sel(name="x", order=1)
    steady = 1.0 / np.abs(900.0 - orders.speed**2 + 6.0j * orders.speed)
    late = orders.speed > 11.0
    np.testing.assert_allclose(orders.amplitude[late], steady[late], rtol=2e-3)


def test_orders_at_a_base_frequency_and_of_forces():
    m = ss.Model("steady")
    x = m.coordinate("x", inertia=1.0, displacement=0.1)
    m.connect(x, ss.Linear(stiffness=100.0, damping=20.0), name="spring")
    m.load(x, ss.Cosine(1.0, order=2))
    run = m.simulate(60.0, frequency=3.0, samples=12_001)
    orders = run.orders([1, 2], quantity="force").data.sel(name="spring")
    late = orders.time > 20.0
    force = abs((100.0 + 120.0j) / (100.0 - 36.0 + 120.0j))
    np.testing.assert_allclose(orders.amplitude.sel(order=2)[late], force, rtol=1e-9)
    np.testing.assert_allclose(orders.amplitude.sel(order=1)[late], 0.0, atol=1e-9)


def test_a_spectrogram_follows_the_speed():
    spectrogram = two_tones().spectrogram()
    amplitude = spectrogram.data.amplitude.sel(name="y")
    ridge = spectrogram.data.frequency.values[np.argmax(amplitude.values, axis=0)]
    expected = 20.0 + 4.0 * spectrogram.data.time.values
    width = 2.0 * math.pi / spectrogram.data.attrs["window"]
    assert np.abs(ridge - expected).max() < 2.0 * width
    assert float(amplitude.max()) < 2.1e-3


def test_speeds_are_shown_in_the_unit_of_the_model(tmp_path):
    path = tmp_path / "model.yaml"
    path.write_text(
        """slipstick: 1
name: drive
frequency: 300 rpm
coordinates: {x: {inertia: 1 kg}}
connections:
  spring: {deflection: x, law: linear, stiffness: 100 N/m, damping: 2 N s/m}
loads:
  - {on: x, cosine: {amplitude: 1 N, order: 1}}
"""
    )
    run = ss.open(path).simulate(20.0, speed=ss.Constant(ss.rpm(120)) + ss.Ramp(ss.rpm(12)), samples=8001)
    orders = run.orders([1])
    assert "rpm, 200 windows" in repr(orders)
    panel = orders.plot().axes[0]
    assert panel.get_xlabel() == "speed [rpm]"
    assert panel.lines[0].get_xdata().max() == pytest.approx(30.0 / math.pi * float(orders.data.speed.max()))
    assert run.spectrogram().plot().axes[0].get_ylabel() == "frequency [rpm]"


def test_saved_runs_have_orders(tmp_path):
    run = two_tones()
    run.save(tmp_path / "run.nc")
    opened = ss.open(tmp_path / "run.nc")
    np.testing.assert_array_equal(opened.orders([1]).data.amplitude, run.orders([1]).data.amplitude)


def test_pictures_of_orders_and_spectra():
    run = two_tones(samples=4001)
    figure = run.orders([1, 2.5]).plot()
    assert [line.get_label() for line in figure.axes[0].lines] == ["1", "2.5"]
    assert run.spectrogram().plot().axes[0].get_ylabel() == "frequency [rad/s]"
    assert run.spectrogram().plot("y").axes[0].get_title(loc="left").startswith("y")
    with pytest.raises(InvalidInput, match="no coordinate or connection 'z'"):
        run.orders([1]).plot("z")


def test_a_spectrogram_shows_the_largest_of_many_coordinates():
    m = ss.Model("chain")
    chain = [m.coordinate(f"x{i}", inertia=1.0) for i in range(6)]
    for i in range(5):
        m.connect(chain[i] - chain[i + 1], ss.Linear(stiffness=900.0, damping=0.4))
    m.connect(chain[0], ss.Linear(stiffness=1e5, damping=1.0))
    m.load(chain[5], ss.Cosine(6.0, order=1))
    run = m.simulate(20.0, frequency=5.0, samples=2001)
    assert run.spectrogram().plot().axes[0].get_title(loc="left").startswith("x5")
    assert len(run.orders([1]).plot().axes) == 4
    with pytest.raises(InvalidInput, match="at least one name"):
        run.orders([1]).plot([])


def test_orders_of_accelerations_leave_out_a_coordinate_without_inertia():
    m = ss.Model("light")
    x, y = m.coordinate("x", inertia=1.0), m.coordinate("y")
    m.connect(x - y, ss.Linear(stiffness=100.0, damping=20.0))
    m.connect(y, ss.Linear(stiffness=100.0, damping=20.0))
    m.load(x, ss.Cosine(1.0, order=1))
    run = m.simulate(40.0, frequency=3.0, samples=8001)
    own, moved = (run.orders([1], quantity).data.sel(order=1) for quantity in ("acceleration", "displacement"))
    late = own.time > 20.0
    assert own.amplitude.sel(name="y").isnull().all()
    np.testing.assert_allclose(own.amplitude.sel(name="x")[late], 9.0 * moved.amplitude.sel(name="x")[late], rtol=1e-9)
    assert run.spectrogram("acceleration").plot().axes[0].get_title(loc="left").startswith("x")


@pytest.mark.parametrize("value", [math.nan, math.inf, "a", [1]])
def test_wrong_windows_are_refused(value):
    run = two_tones(samples=4001)
    with pytest.raises(InvalidInput, match="window"):
        run.spectrogram(window=value)
    with pytest.raises(InvalidInput, match="revolutions"):
        run.orders([1], revolutions=value)


@pytest.mark.parametrize(
    ("orders", "words"),
    [
        ([], "numbers > 0"),
        ([0.0], "numbers > 0"),
        (["a"], "numbers > 0"),
        ([1, 1], "differ"),
        ([1, 1.001], "revolutions"),
    ],
)
def test_wrong_orders_are_refused(orders, words):
    with pytest.raises(InvalidInput, match=words):
        two_tones().orders(orders)


@pytest.mark.parametrize("wrong", ["a", math.nan, -1.0, 11.0])
def test_windows_longer_than_half_a_run_are_refused(wrong):
    run = two_tones(samples=4001)
    with pytest.raises(InvalidInput, match="window must"):
        run.spectrogram(window=wrong)
    with pytest.raises(InvalidInput, match="revolutions must be a number"):
        run.orders([1], revolutions="a")


def test_a_constant_is_a_line_at_zero_frequency():
    """2 mm for half of the run and -2 mm for the other half, whose mean is zero."""
    m = ss.Model("steps")
    m.coordinate("y", motion=ss.Signal([0.0, 9.9, 10.1, 20.0], [2e-3, 2e-3, -2e-3, -2e-3]))
    m.coordinate("x", inertia=1.0)
    amplitude = m.simulate(20.0, samples=2001).spectrogram(window=2.0).data.amplitude.sel(name="y")
    np.testing.assert_allclose(amplitude.isel(frequency=0, time=0), 2e-3, rtol=1e-12)


def test_a_spectrogram_shows_the_column_that_moves_most():
    m = ss.Model("many")
    for i in range(6):
        m.coordinate(f"y{i}", motion=ss.Sine(1e-3 * (1 + i), frequency=40.0))
    x = m.coordinate("x", inertia=1.0)
    z = m.coordinate("z")
    m.connect(x - z, ss.Linear(stiffness=100.0), name="spring")
    m.connect(z, ss.Linear(stiffness=100.0, damping=5.0), name="mount")
    run = m.simulate(5.0)
    for quantity in ("displacement", "acceleration"):  # z has no inertia: its acceleration is not a number
        assert run.spectrogram(quantity).plot().axes[0].get_title(loc="left").startswith("y5")


def test_what_orders_need_is_said():
    m = ss.Model("free")
    x = m.coordinate("x", inertia=1.0, displacement=0.1)
    m.connect(x, ss.Linear(stiffness=100.0), name="spring")
    with pytest.raises(InvalidInput, match="speed= or frequency="):
        m.simulate(1.0).orders([1])
    with pytest.raises(InvalidInput, match=r"samples=[0-9]+"):
        two_tones(samples=201).orders([1])
    with pytest.raises(InvalidInput, match="keeps its sign"):
        two_tones(speed=ss.Constant(20.0) + ss.Ramp(-4.0)).orders([1])
    with pytest.raises(InvalidInput, match="is not zero"):
        two_tones(speed=ss.Constant(0.0)).orders([1])
    with pytest.raises(InvalidInput, match="where they are farthest apart"):
        two_tones(samples=np.append(np.linspace(0.0, 19.0, 20_001), [19.5, 20.0])).orders([1])
    with pytest.raises(InvalidInput, match="8 samples for 9 unknowns"):
        two_tones(speed=ss.Constant(20.0), samples=np.arange(0.01, 20.0, math.pi / 41.0)).orders([1], revolutions=2)
    with pytest.raises(InvalidInput, match="a window needs"):
        two_tones(until=0.5).orders([1])
    with pytest.raises(InvalidInput, match="quantity must be"):
        two_tones(samples=4001).orders([1], quantity=None)
    with pytest.raises(InvalidInput, match="equally spaced"):
        m.simulate(1.0, samples=np.linspace(0.0, 1.0, 100) ** 2).spectrogram()
