"""Dampers that are no dampers are told."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

import slipstick as ss
from slipstick.model.files import Report, examine
from slipstick.model.system import System
from slipstick.report.law_block import law_block
from slipstick.study.command_messages import COMMAND

T = np.linspace(0.0, 3.0, 3000)
U = 1e-3 * np.sin(2.0 * np.pi * T)
JOINT = ss.Masing(stiffness=8e5, limit=250.0, parallel_stiffness=1e5)


def noise(seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(0.0, 1.0, T.size)


def test_damping_that_feeds_a_motion_is_told() -> None:
    fit = ss.identify(ss.Loop(U, JOINT.trace(U) - 300.0 * np.gradient(U, T) + noise(), T), ss.Masing)
    assert any("damping is negative" in words for words in fit.warnings)
    right = ss.identify(ss.Loop(U, JOINT.trace(U) + 300.0 * np.gradient(U, T) + noise(), T), ss.Masing)
    assert not any("damping" in words for words in right.warnings)


def test_damping_that_only_rounds_a_loop_of_another_law_is_told() -> None:
    many = ss.Iwan(stiffnesses=(3e5, 2e5, 2e5, 1e5), limits=(50.0, 60.0, 100.0, 80.0), parallel_stiffness=1e5)
    fit = ss.identify(ss.Loop(U, many.trace(U) + noise(), T), ss.Masing)
    assert any("one frequency only" in words for words in fit.warnings)


def at_half_a_hertz(true: float) -> ss.Fit:
    """Five cycles of a loop with noise, as a rig measures them; true : the damping [N s/m]."""
    t = np.arange(0.0, 10.0, 0.004)
    u = 0.5e-3 * np.sin(np.pi * t)
    joint = ss.Masing(stiffness=1.2e7, limit=1800.0, parallel_stiffness=2.5e6, damping=true)
    force = joint.trace(u, t) + np.random.default_rng(3).normal(0.0, 30.0, t.size)
    return ss.identify(ss.Loop(u, force, t), ss.Masing)


def test_damping_that_noise_alone_makes_negative_is_told_and_is_not_pasted(tmp_path: Path) -> None:
    fit = at_half_a_hertz(0.0)
    damping = fit.parameters["damping"]
    assert damping.value < 0.0 < damping.high  # else this tests nothing
    (told,) = [words for words in fit.warnings if "damping is negative" in words]
    assert 'with fixed={"damping": 0}' in told
    assert "with --fixed damping=0" in COMMAND.message(told)
    pasted = model_with(fit, tmp_path / "model.yaml")
    assert pasted.model is not None
    assert not pasted.warnings
    assert pasted.model.connections[0].law == replace(fit.law, damping=0.0)


def test_damping_above_zero_is_pasted(tmp_path: Path) -> None:
    fit = at_half_a_hertz(2e4)
    assert fit.parameters["damping"].low > 0.0
    assert not any("negative" in words for words in fit.warnings)
    pasted = model_with(fit, tmp_path / "model.yaml")
    assert pasted.model is not None
    assert pasted.model.connections[0].law == fit.law


def test_damping_below_zero_that_was_asked_for_is_pasted_and_the_file_warns_of_it(tmp_path: Path) -> None:
    loop = ss.Loop(U, JOINT.trace(U) + noise(), T)
    fit = ss.identify(loop, ss.Masing, fixed={"damping": -300.0})
    pasted = model_with(fit, tmp_path / "model.yaml")
    assert pasted.model is not None
    assert pasted.model.connections[0].law.damping == -300.0
    assert len(pasted.warnings) == 1
    assert "connections.identified.damping: its damper is below zero" in pasted.warnings[0]


def test_rounding_below_zero_is_no_damper_that_feeds() -> None:
    fit = ss.identify(ss.Loop(U, JOINT.trace(U), T), ss.Masing)
    assert not any("damping" in words for words in fit.warnings)


def model_with(fit: ss.Fit, file: Path) -> Report[System]:
    """The block of a fit in a model, as it is pasted."""
    head = "slipstick: 1\ncoordinates:\n  u: {inertia: 1}\nconnections:\n"
    file.write_text(head + law_block(fit))
    return examine(file, System)
