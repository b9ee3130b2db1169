"""Rules read one loop: where a motion has not one amplitude they say so instead of giving numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from identification.synthetic_loops import DAHL, MASING
from numpy.typing import NDArray

import slipstick as ss

Array = NDArray[np.float64]

T = np.linspace(0.0, 4.0, 4001)
REFUSED = "the rule reads one loop: give it a part of the motion with one amplitude"


def random(t: Array) -> Array:
    rng = np.random.default_rng(4)
    waves = sum(rng.normal() * np.sin(2.0 * np.pi * f * t) for f in rng.uniform(0.5, 3.0, 8))
    return np.asarray(1e-3 * waves / np.max(np.abs(waves)))


def ramped(t: Array) -> Array:
    return np.asarray(1e-3 * np.sin(2.0 * np.pi * 2.0 * t) * t / t[-1])


def slowly_ramped(t: Array) -> Array:
    """Neighbouring branches differ by 2 %, the first and the last of those that are whole by ten."""
    return np.asarray(1e-3 * np.sin(2.0 * np.pi * 6.0 * t) * (0.6 + 0.4 * t / t[-1]))


def wandering(t: Array) -> Array:
    """One amplitude about a middle that moves by a third of it."""
    return np.asarray(1e-3 * (np.sin(2.0 * np.pi * 3.0 * t) + 0.3 * np.sin(2.0 * np.pi * 0.2 * t)))


def broken_off(t: Array) -> Array:
    """Every branch goes back a little halfway."""
    phase = 2.0 * np.pi * 2.0 * t
    return np.asarray(1e-3 * (np.sin(phase) + 0.45 * np.sin(3.0 * phase)))


@pytest.mark.parametrize("motion", [random, ramped, slowly_ramped, wandering, broken_off], ids=lambda m: m.__name__)
@pytest.mark.parametrize(
    ("rule", "law"),
    [
        (ss.rules.masing_geometry, MASING),
        (ss.rules.damping_from_energy, MASING),
        (ss.rules.envelopes, DAHL),
        (ss.rules.rate_and_exponent, DAHL),
        (ss.rules.rate_from_area, DAHL),
        (ss.rules.overshoot_dahl, MASING),
        (ss.rules.overshoot_bliman_sorine, MASING),
    ],
    ids=lambda x: getattr(x, "__name__", ""),
)
def test_a_rule_refuses_a_motion_without_one_amplitude(
    rule: Callable[..., Any], law: Any, motion: Callable[[Array], Array]
) -> None:
    u = motion(T)
    with pytest.raises(ss.InvalidInput, match=REFUSED):
        rule(ss.Loop(u, law.trace(u, T), T))


def test_a_backbone_refuses_one_loop_of_several_that_is_ramped() -> None:
    law = ss.DynamicHysteresis(stiffness=8.0, limit=1.0)
    loops = [ss.Loop(a * np.sin(6.0 * T), law.trace(a * np.sin(6.0 * T)), T, name=f"{a:g}") for a in (0.2, 0.5, 1.0)]
    ss.rules.backbone(loops, powers=())
    u = 1e3 * ramped(T)
    with pytest.raises(ss.InvalidInput, match=f"ramped: .*{REFUSED}"):
        ss.rules.backbone([*loops, ss.Loop(u, law.trace(u), T, name="ramped")], powers=())


@pytest.mark.parametrize("motion", [random, ramped], ids=lambda m: m.__name__)
def test_a_fit_tells_why_a_rule_gave_no_number(motion: Callable[[Array], Array]) -> None:
    u = motion(T)
    f = MASING.trace(u, T) + np.random.default_rng(1).normal(0.0, 2.0, T.size)
    fit = ss.identify(ss.Loop(u, f, T, name="rig"), ss.Masing)
    assert fit.law.limit == pytest.approx(MASING.limit, rel=0.02)
    assert not fit.rules
    assert len(fit.rules.refusals) == 1
    assert str(fit.rules.refusals[0]).startswith("masing_geometry: rig: ")
    assert REFUSED in str(fit.rules.refusals[0])
    assert REFUSED in str(fit)


def test_the_range_of_branches_is_told() -> None:
    """Ramped evenly to 1 mm over eight cycles: turns are near a quarter of a cycle after each half."""
    u = ramped(T)
    with pytest.raises(ss.InvalidInput, match=r"branch lengths vary from 0\.000[12]\d* m to 0\.001[78]\d* m"):
        ss.rules.masing_geometry(ss.Loop(u, MASING.trace(u, T), T))


def test_cycles_to_get_going_do_no_harm() -> None:
    """Two growing cycles before ten steady ones: the rule reads the steady ones, and is exact."""
    t = np.linspace(0.0, 12.0, 24_001)
    u = 1e-3 * np.sin(2.0 * np.pi * t) * np.minimum(t / 2.0, 1.0)
    law = ss.Masing(stiffness=5e5, limit=160.0, parallel_stiffness=2e5, damping=2e3, preload=30.0)
    found = ss.rules.damping_from_energy(ss.Loop(u, law.trace(u, t), t))
    assert found.geometry.stiffness == pytest.approx(5e5, rel=2e-3)
    assert found.geometry.limit == pytest.approx(160.0, rel=2e-3)
    assert found.damping == pytest.approx(2e3, rel=1e-2)
