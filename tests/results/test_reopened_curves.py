"""A curve from a file goes back to its orbits and leads to its other branches, as it did before it was saved."""

import numpy as np
import pytest
from models import DUFFING, one_mass, slider

import slipstick as ss


def duffing(force=1.0):
    return one_mass({"spring": DUFFING}, ss.Cosine(force, order=1), name="duffing")


def driven_slider():
    return slider(ss.Cosine(1.0, order=1))


def again(curve, folder):
    curve.save(folder / "curve.nc")
    return ss.open(folder / "curve.nc")


@pytest.mark.parametrize("method", ["shooting", "harmonic-balance"])
def test_orbit_of_a_reopened_curve(method, tmp_path):
    curve = driven_slider().frequency_response(between=(0.6, 1.6), method=method)
    opened = again(curve, tmp_path)
    for number in (0, len(curve) // 2, -1):
        orbit = opened.orbit(number)
        assert orbit.frequency == curve.points[number].frequency
        assert orbit.amplitude["x"] == pytest.approx(curve.points[number].amplitude[0], rel=1e-9)
        assert orbit.distance_to(curve.orbit(number)) < 1e-9
    assert opened.peak().amplitude == pytest.approx(curve.peak().amplitude, rel=1e-9)
    assert opened.peak().orbit().amplitude["x"] == pytest.approx(curve.peak().amplitude, rel=1e-9)


def test_unstable_orbit_and_harmonics_that_were_asked_for(tmp_path):
    curve = duffing(0.5).frequency_response(between=(0.5, 2.5), method="harmonic-balance", harmonics=5)
    opened = again(curve, tmp_path)
    number = next(k for k, point in enumerate(curve.points) if point.stable is False)
    assert opened.stats.harmonics == 5
    assert opened.orbit(number).stable is False
    assert opened.orbit(number).amplitude["x"] == pytest.approx(curve.points[number].amplitude[0], rel=1e-8)


def test_a_parameter_that_was_followed(tmp_path):
    curve = driven_slider().follow("slider.limit", between=(0.5, 0.8), frequency=0.9)
    opened = again(curve, tmp_path)
    last = opened.orbit(-1)
    assert last.amplitude["x"] == pytest.approx(curve.points[-1].amplitude[0], rel=1e-9)
    alone = ss.Model("alone")
    x = alone.coordinate("x", inertia=1.0)
    alone.connect(x, ss.Linear(stiffness=1.0, damping=0.1), name="spring")
    alone.connect(x, ss.Jenkins(stiffness=1.0, limit=0.8), name="slider")
    alone.load(x, ss.Cosine(1.0, order=1))
    assert last.amplitude["x"] == pytest.approx(alone.periodic(frequency=0.9).amplitude["x"], rel=1e-9)


def test_the_other_branch_of_a_reopened_curve(tmp_path):
    """A bilinear spring doubles the period; the branch from the file is the one from the curve."""
    model = ss.Model("bilinear")
    x = model.coordinate("x", inertia=1.0)
    model.connect(x, ss.Linear(stiffness=1.0, damping=0.05), name="spring")
    model.connect(x, ss.Contact(stiffness=9.0, gap=0.0), name="stop")
    model.load(x, ss.Cosine(1.0, order=1))
    curve = model.frequency_response(between=(2.0, 4.0), method="shooting")
    number = next(k for k, special in enumerate(curve.special) if special["kind"] == "period-doubling")
    opened = again(curve, tmp_path)
    first, other = curve.switch(number), opened.switch(number)
    assert len(first) == len(other)
    assert [p.amplitude[0] for p in other.points] == pytest.approx([p.amplitude[0] for p in first.points], rel=1e-9)
    doubled = again(other, tmp_path)
    assert doubled.stats.subharmonic == 2
    assert doubled.orbit(1).period == pytest.approx(
        2.0 * curve.points[0].period * curve.points[0].p / doubled.points[1].p
    )


@pytest.mark.parametrize("method", ["shooting", "integration"])
def test_models_of_a_function_and_integration_are_refused(method, tmp_path):
    def build(omega):
        return duffing(0.1 + 0.01 * omega)

    curve = (
        ss.frequency_response(build, at=[0.5, 0.6])
        if method == "shooting"
        else duffing(0.1).frequency_response(at=[0.5, 0.6], method=method)
    )
    with pytest.raises(ss.InvalidInput, match=r"orbits of this curve cannot be computed again.*m\.periodic"):
        again(curve, tmp_path).orbit(0)


@pytest.mark.parametrize("method", ["shooting", "harmonic-balance", "integration"])
def test_a_reopened_orbit_as_a_start(method, tmp_path):
    """It leads to the upper branch of two, where the model's own start leads to the lower one."""
    model = duffing(0.5)
    curve = model.frequency_response(between=(0.5, 2.5), method="harmonic-balance")
    high = max((p for p in curve.points if p.stable and 1.6 < p.frequency < 1.7), key=lambda p: p.amplitude[0])
    number = next(k for k, p in enumerate(curve.points) if p is high)
    curve.orbit(number).save(tmp_path / "orbit.nc")
    start = ss.open(tmp_path / "orbit.nc")
    found = model.periodic(frequency=high.frequency, method=method, start=start)
    assert found.amplitude["x"] == pytest.approx(high.amplitude[0], rel=1e-3)
    assert np.isfinite(found.distance_to(start))
