"""Friction of a robot's joint, with Stribeck's drop and reversals: the least minimum, from any start."""

from __future__ import annotations

import numpy as np
import pytest

import slipstick as ss


def joint(seed: int, ripple: float = 0.0, samples: int = 1200) -> tuple[ss.Law, ss.Loop, float]:
    """A joint on its way, its law, and the rms of what is not of that law: noise, and a ripple over the angle."""
    rng = np.random.default_rng(seed)
    t = np.linspace(0.0, 40.0, samples)
    omega, swing = 2.0 * np.pi * rng.uniform(0.1, 0.25), rng.uniform(0.2, 0.5)
    u = swing * np.sin(omega * t) + 0.3 * swing * np.sin(2.7 * omega * t + rng.uniform(0.0, 6.0))
    fastest, coulomb = float(np.abs(np.gradient(u, t)).max()), rng.uniform(2.0, 8.0)
    law = ss.Linear(stiffness=rng.uniform(-3.0, 5.0), preload=rng.uniform(-2.0, 2.0)) + ss.LuGre(
        bristle_stiffness=coulomb / (swing * 10.0 ** rng.uniform(-3.0, -1.0)),
        bristle_damping=0.0,
        viscous=rng.uniform(0.0, 1.5) * coulomb / fastest,
        coulomb=coulomb,
        static=coulomb * rng.uniform(1.1, 2.5),
        stribeck_velocity=fastest * 10.0 ** rng.uniform(-1.6, -0.3),
    )
    torque = law.trace(u, t)
    other = 0.02 * np.ptp(torque) * rng.standard_normal(samples) + ripple * np.ptp(torque) * np.sin(60.0 * u)
    loop = ss.Loop(u, torque + other, t, system="rotation", name=f"joint {seed}")
    return law, loop, float(np.sqrt(np.mean(other**2)))


@pytest.mark.parametrize(("seed", "ripple"), [(6, 0.0), (7, 0.0), (7, 0.1)])
def test_a_fit_leaves_no_more_than_the_law_that_made_the_data_and_a_second_one_no_more_than_the_first(
    seed: int, ripple: float
) -> None:
    """The law that made the data is one of those that are sought, so the least residual is below what it leaves."""
    law, loop, left = joint(seed, ripple)
    fit = ss.identify(loop, "linear+lugre")
    assert fit.residual <= left
    assert fit.converged
    again = ss.identify(loop, fit.law)
    assert again.residual <= fit.residual * (1.0 + 1e-6)
    if not ripple:
        for name, value in law.terms[1].law.parameters().items():
            own = fit.parameters[name]
            assert abs(own.value - value) < 4.0 * max(own.deviation, 0.01 * value), name


def test_the_spring_leaves_viscous_friction_to_the_law_beside_it() -> None:
    _, loop, _ = joint(7)
    fit = ss.identify(loop, "linear+lugre")
    assert fit.parameters["damping"].fixed
    assert not any("told together" in words and "damping" in words for words in fit.warnings)


def test_a_static_friction_below_the_sliding_one_is_no_wall_for_a_search() -> None:
    """Data without static friction: the search ends where both are equal, and not beside it."""
    t = np.linspace(0.0, 10.0, 800)
    u = 0.3 * np.sin(1.3 * t)
    law = ss.LuGre(
        bristle_stiffness=200.0, bristle_damping=0.0, viscous=2.0, coulomb=4.0, static=4.0, stribeck_velocity=0.1
    )
    noise = np.random.default_rng(0).normal(0.0, 0.05, t.size)
    fit = ss.identify(ss.Loop(u, law.trace(u, t) + noise, t), ss.LuGre)
    assert fit.residual <= np.sqrt(np.mean(noise**2))
    assert fit.law.coulomb == pytest.approx(4.0, rel=0.02)
    assert fit.law.viscous == pytest.approx(2.0, rel=0.1)
