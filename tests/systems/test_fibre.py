"""The shear mount of the fibre paper."""

from __future__ import annotations

import math

import pytest

import slipstick as ss


def test_small_motion_feels_the_initial_modulus_of_both_samples() -> None:
    m = ss.systems.fibre(mass=5.0)
    initial = 6.16e6 + 2 * 1.49e6  # G1 + 2 sigma, the printed 9.14e6 Pa
    stiffness = 2 * 0.040 * 0.060 / 0.020 * initial
    assert m.modes().magnitude[0] == pytest.approx(math.sqrt(stiffness / 5.0), rel=1e-12)


def test_sliding_samples_leave_the_linear_modulus() -> None:
    m = ss.systems.fibre(mass=5.0)
    stiffness = 2 * 0.040 * 0.060 / 0.020 * 6.16e6
    assert m.modes(state={"mount": "slip"}).magnitude[0] == pytest.approx(math.sqrt(stiffness / 5.0), rel=1e-12)


def test_the_force_of_the_mount_is_the_stress_on_both_samples() -> None:
    m = ss.systems.fibre()
    force = m.connection("mount").law.trace([0.0, 1e-3 * 0.020])[1]
    assert force == pytest.approx(2 * 0.040 * 0.060 * 7166.742433, rel=1e-9)  # the tip stress at a strain of 1e-3


def test_a_sample_parameter_can_be_changed_and_an_unknown_one_is_refused() -> None:
    assert ss.systems.fibre(linear=5.91e6).connection("mount").law != ss.systems.fibre().connection("mount").law
    with pytest.raises(ss.InvalidInput, match="linaer"):
        ss.systems.fibre(linaer=5.91e6)


@pytest.mark.parametrize("keyword", ["thickness", "area"])
@pytest.mark.parametrize("value", [0.0, -0.02, None, "a", math.nan])
def test_a_sample_without_a_size_is_refused(keyword, value, refused):
    with refused(f"fibre: {keyword} must be a number > 0"):
        ss.systems.fibre(**{keyword: value})
