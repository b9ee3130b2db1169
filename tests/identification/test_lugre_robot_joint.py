"""Friction of a robot's joint, with Stribeck's drop and reversals: the least minimum, from any start."""

from __future__ import annotations

import numpy as np
import pytest

import slipstick as ss
from slipstick.study.command_messages import COMMAND

LUGRE_JOINT = ss.LuGre(
    bristle_stiffness=2e4, bristle_damping=5.0, viscous=3.0, coulomb=60.0, static=90.0, stribeck_velocity=1e-3
)


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
            assert abs(own.value - value) <= 4.0 * max(own.deviation, 0.01 * value), name


def test_the_spring_leaves_viscous_friction_to_the_law_beside_it() -> None:
    _, loop, _ = joint(7)
    fit = ss.identify(loop, "linear+lugre")
    assert fit.parameters["damping"].fixed
    assert not any("cannot be determined separately" in words and "damping" in words for words in fit.warnings)


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


def hard_joint(seed: int, motion: str) -> tuple[ss.Law, ss.Loop, float]:
    """A joint with any bristles, as `joint` gives it; triangle: steady rates and quick reversals, steps: five sines."""
    rng = np.random.default_rng(1000 + seed)
    t = np.linspace(0.0, 40.0, 1200)
    omega, swing = 2.0 * np.pi * rng.uniform(0.05, 0.3), 10.0 ** rng.uniform(-2.0, 0.0)
    if motion == "two sines":
        u = swing * np.sin(omega * t) + 0.3 * swing * np.sin(2.7 * omega * t + rng.uniform(0.0, 6.0))
    elif motion == "triangle":
        u = swing * 2.0 / np.pi * np.arcsin(0.98 * np.sin(omega * t))
    else:
        u = sum(swing / k * np.sin(k * omega * t + rng.uniform(0.0, 6.0)) for k in (1, 2, 3, 5, 8))
    fastest, coulomb = float(np.abs(np.gradient(u, t)).max()), rng.uniform(2.0, 8.0)
    bristles = coulomb / (swing * 10.0 ** rng.uniform(-3.5, -0.3))
    law = ss.Linear(stiffness=rng.uniform(-0.6, 1.0) * coulomb / swing, preload=rng.uniform(-2.0, 2.0)) + ss.LuGre(
        bristle_stiffness=bristles,
        bristle_damping=rng.choice([0, 1]) * rng.uniform(0.0, 0.3) * coulomb / fastest,
        viscous=rng.choice([0, 1]) * rng.uniform(0.0, 2.0) * coulomb / fastest,
        coulomb=coulomb,
        static=coulomb * rng.uniform(1.0, 3.0),
        stribeck_velocity=fastest * 10.0 ** rng.uniform(-2.0, 0.3),
    )
    torque = law.trace(u, t)
    noise = rng.choice([0.005, 0.02, 0.05]) * np.ptp(torque) * rng.standard_normal(t.size)
    return (
        law,
        ss.Loop(u, torque + noise, t, system="rotation", name=f"joint {seed}"),
        float(np.sqrt(np.mean(noise**2))),
    )


def poor_start(law: ss.Law, seed: int, reverse: bool = False) -> ss.Law:
    """The same sum with every number of friction off by up to a factor of ten, and a spring of nothing."""
    rng = np.random.default_rng(seed)
    (friction,) = (term.law for term in law.terms if isinstance(term.law, ss.LuGre))
    off = {name: value * 10.0 ** rng.uniform(-1.0, 1.0) for name, value in friction.parameters().items()}
    off["static"] = max(off["static"], off["coulomb"])
    spring, friction = ss.Linear(stiffness=0.0, preload=0.0), ss.LuGre(**off)
    return friction + spring if reverse else spring + friction


@pytest.mark.parametrize(
    ("seed", "motion", "reverse"),
    [(2, "steps", False), (5, "steps", True), (10, "triangle", False), (4, "two sines", False)],
)
def test_a_poor_template_ends_where_the_best_start_does(seed: int, motion: str, reverse: bool) -> None:
    """The law that made the data leaves the noise; a local search from here left 1.2 to 2.8 times as much."""
    law, loop, left = hard_joint(seed, motion)
    fit = ss.identify(loop, poor_start(law, seed, reverse))
    assert fit.residual <= 1.02 * left
    assert isinstance(fit.law.terms[int(not reverse)].law, ss.LuGre)  # terms stay in their order


def test_a_template_with_another_polynomial_is_scanned_too() -> None:
    law, loop, left = hard_joint(5, "steps")
    fit = ss.identify(loop, ss.Polynomial(coefficients=(0.0, 0.0, 0.0)) + poor_start(law, 5).terms[1].law)
    assert fit.residual <= 1.02 * left
    assert len(fit.law.terms[0].law.coefficients) == 3


def test_a_beginning_that_was_mistaken_is_mended_though_the_fit_is_within_the_noise() -> None:
    """A virgin loop that looks settled: the fit left 1.08 times the noise, and one begun from it less."""
    _, loop, left = hard_joint(11, "triangle")
    fit = ss.identify(loop, "linear+lugre")
    assert fit.residual <= left
    assert ss.identify(loop, fit.law).residual <= fit.residual * (1.0 + 1e-9)


def test_a_search_that_ends_at_its_budget_keeps_its_best_point_and_names_the_option_that_raises_it() -> None:
    t = np.linspace(0.0, 3.0, 300)
    u = 1e-3 * np.sin(2.0 * np.pi * t)
    law = ss.Jenkins(stiffness=1e6, limit=300.0)
    force = law.trace(u, t) + np.random.default_rng(0).normal(0.0, 2.0, t.size)
    loop, start = ss.Loop(u, force, t), ss.Jenkins(stiffness=4e5, limit=360.0)
    last = float(np.sqrt(np.mean((force - start.trace(u, t)) ** 2)))
    for _ in range(3):
        fit = ss.identify(loop, start, evaluations=1)
        assert fit.residual <= last * (1.0 + 1e-9)
        assert not fit.converged
        start, last = fit.law, fit.residual
        (words,) = (words for words in fit.warnings if "budget" in words)
        assert "budget of 1 evaluation," in words
        assert "evaluations=2" in words
        assert "--evaluations 2" in COMMAND.message(words)
    for wrong in (0, 2.5, "many"):
        with pytest.raises(ss.SlipstickError, match="evaluations must be a whole number >= 1"):
            ss.identify(loop, start, evaluations=wrong)


@pytest.mark.long
@pytest.mark.parametrize(
    ("law", "swing"),
    [
        (ss.Linear(stiffness=2e4, damping=5.0), 2e-3),
        (ss.Polynomial(coefficients=(0.0, 2e4, 0.0, 1e9)), 2e-3),
        (LUGRE_JOINT, 1e-3),
    ],
    ids=["spring", "hard spring", "bristles that never slide"],
)
def test_loops_that_show_no_steady_sliding_lead_to_no_endless_sliding_forces(law: ss.Law, swing: float) -> None:
    """Nothing bounds the forces at which unseen sliding would begin: the search went to 1e26 and 1e304 N."""
    t = np.linspace(0.0, 6.0 * np.pi / 10.0, 1201)
    u = swing * np.sin(10.0 * t)
    force = law.trace(u, t) + 0.2 * np.random.default_rng(0).standard_normal(t.size)
    fit = ss.identify(ss.Loop(u[400:], force[400:], t[400:]), ss.LuGre)
    for name in ("coulomb", "static"):
        assert fit.parameters[name].value <= 1e4 * np.ptp(force)
    assert any("static" in words for words in fit.warnings)


def test_bounds_of_a_user_go_beyond_those_of_the_search() -> None:
    _, loop, _ = joint(7)
    fit = ss.identify(loop, "linear+lugre", bounds={"static": (1e7, 1e8)})
    assert 1e7 <= fit.parameters["static"].value <= 1e8
