"""Laws with a different force in each direction of motion, identified by their names."""

from __future__ import annotations

import numpy as np
import pytest

import slipstick as ss
from slipstick.identification.law_names import law_classes_of


def motion(cycles: float = 3.0, samples: int = 900) -> tuple[np.ndarray, np.ndarray]:
    t = np.linspace(0.0, cycles, samples)
    return t, 1e-2 * np.sin(2.0 * np.pi * t)


def noisy_loop(law: ss.Law, noise: float, seed: int = 1) -> ss.Loop:
    t, u = motion()
    scatter = noise * np.random.default_rng(seed).standard_normal(t.size)
    return ss.Loop(u=u, f=law.trace(u, t) + scatter, t=t)


def assert_within_intervals(fit: ss.Fit, true: dict[str, float]) -> None:
    for name, value in true.items():
        own = fit.parameters[name]
        assert own.value == pytest.approx(value, rel=0.01) or own.low <= value <= own.high, (name, own)


def test_a_damper_that_differs_by_direction_is_found_from_its_name():
    law = ss.PowerDamper(coefficient=900.0, exponent=0.6, reverse_coefficient=350.0)
    fit = ss.identify(noisy_loop(law, 0.5), "asymmetric(power-damper)")
    assert fit.within_noise
    assert_within_intervals(fit, {"coefficient": 900.0, "exponent": 0.6, "reverse_coefficient": 350.0})


def test_friction_beside_such_a_damper_is_found_from_its_name():
    damper = ss.PowerDamper(coefficient=900.0, exponent=0.6, reverse_coefficient=350.0)
    law = ss.Linear(stiffness=3e3, preload=-20.0) + ss.Jenkins(stiffness=2e5, limit=60.0) + damper
    fit = ss.identify(noisy_loop(law, 0.5), "linear+jenkins+asymmetric(power-damper)")
    assert fit.within_noise
    assert fit.parameters["damping"].fixed  # the power damper replaces it
    assert_within_intervals(fit, {"0.stiffness": 3e3, "limit": 60.0, "exponent": 0.6, "reverse_coefficient": 350.0})


def test_a_slider_with_two_limits_is_found_from_its_name_and_its_preload_is_held():
    law = ss.Masing(stiffness=1e5, limit=150.0, reverse_limit=60.0, parallel_stiffness=4e3)
    fit = ss.identify(noisy_loop(law, 0.5), "asymmetric(masing)", fixed={"damping": 0.0})
    assert fit.within_noise
    assert fit.parameters["preload"].fixed
    assert_within_intervals(fit, {"stiffness": 1e5, "limit": 150.0, "reverse_limit": 60.0})


def test_a_template_with_a_linear_damper_keeps_it_beside_a_power_damper():
    law = ss.Linear(stiffness=3e3, damping=40.0) + ss.PowerDamper(coefficient=900.0, exponent=0.3)
    fit = ss.identify(noisy_loop(law, 0.5), law)
    assert not fit.parameters["damping"].fixed


@pytest.mark.parametrize("name", ["asymmetric(dahl)", "linear+asymmetric(jenkins)"])
def test_a_law_without_both_senses_is_refused_with_those_that_have_them(name: str):
    with pytest.raises(ss.InvalidInput, match=r"no parameter for each direction.*asymmetric\(masing\)"):
        law_classes_of(name)
