"""The acceleration amplitude of orbits and curves: half peak to peak, in every method, with jumps at events."""

from __future__ import annotations

import numpy as np
import pytest

import slipstick as ss

OMEGA, FORCE = 2.0, 3.0


def oscillator(*laws):
    m = ss.Model("oscillator")
    x = m.coordinate("x", inertia=1.5, kind="translation")
    m.connect(x, ss.Linear(stiffness=4.0, damping=0.6), name="spring")
    for i, law in enumerate(laws):
        m.connect(x, law, name=f"law{i}")
    m.load(x, ss.Cosine(FORCE, order=1))
    return m


@pytest.mark.parametrize("method", ["shooting", "harmonic-balance", "integration"])
def test_a_linear_response_accelerates_by_the_square_of_its_frequency(method):
    curve = oscillator().frequency_response(at=[OMEGA], method=method)
    known = OMEGA**2 * FORCE / abs(4.0 - 1.5 * OMEGA**2 + 0.6j * OMEGA)
    rel = 1e-4 if method == "integration" else 1e-12
    assert curve.data.acceleration_amplitude.values[0, 0] == pytest.approx(known, rel=rel)
    assert "m/s²" in curve.data.acceleration_amplitude.attrs["long_name"]


def test_a_prescribed_motion_has_its_own_acceleration():
    m = ss.Model("shaken")
    base = m.coordinate("base", motion=ss.Sine(0.2, order=2))
    x = m.coordinate("x", inertia=1.0)
    m.connect(x - base, ss.Linear(stiffness=9.0, damping=0.3), name="mount")
    m.connect(x - base, ss.DryFriction(limit=0.01), name="friction")
    orbit = m.periodic(frequency=1.3)
    assert orbit.acceleration_amplitude["base"] == pytest.approx(0.2 * 2.6**2, rel=1e-13)


def test_jumps_of_friction_count():
    """A free block under a square law of Coulomb friction: a = F cos - limit sgn(v), largest right after v turns."""
    m = ss.Model("block")
    x = m.coordinate("x", inertia=1.0)
    m.connect(x, ss.DryFriction(limit=0.2), name="ground")
    m.connect(x, ss.Linear(stiffness=0.5, damping=0.2), name="spring")
    m.load(x, ss.Cosine(1.0, order=1))
    orbit = m.periodic(frequency=1.5)
    a = orbit.data.acceleration.values[:, 0]  # events are among the samples, with the value right after them
    assert orbit.acceleration_amplitude["x"] == pytest.approx(0.5 * np.ptp(a), rel=2e-3)
    assert orbit.acceleration_amplitude["x"] >= 0.5 * np.ptp(a) * (1.0 - 1e-12)


def test_adaptive_shooting_agrees_with_harmonic_balance():
    m = oscillator(ss.Polynomial(coefficients=(0.0, 0.0, 0.0, 0.8)))
    shot, balanced = (
        m.frequency_response(at=[1.2], method=method).data.acceleration_amplitude.values[0, 0]
        for method in ("shooting", "harmonic-balance")
    )
    assert shot == pytest.approx(balanced, rel=1e-5)


def test_the_figure_is_kept_in_files_and_drawn(tmp_path):
    curve = oscillator().frequency_response(at=[1.0, 1.5])
    curve.save(tmp_path / "curve.nc")
    again = ss.open(tmp_path / "curve.nc")
    np.testing.assert_array_equal(again.data.acceleration_amplitude, curve.data.acceleration_amplitude)
    axes = curve.plot(quantity="acceleration_amplitude").axes[0]
    assert "m/s²" in axes.get_ylabel()
