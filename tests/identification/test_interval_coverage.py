"""95 % intervals of laws of real devices contain the true values as often as they say."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binom

import slipstick as ss
from slipstick.identification.search.unknowns import Unknowns

TABLE_RATES = (-6e-3, -2e-3, 0.0, 2e-3, 6e-3)
LAWS: dict[str, ss.Law] = {
    "maxwell": ss.Maxwell(stiffness=2e5, damping=3e4),
    "zener": ss.Zener(stiffness=2e5, damping=2e4, parallel_stiffness=1e5),
    "power-damper": ss.PowerDamper(coefficient=2e3, exponent=0.6),
    "asymmetric(power-damper)": ss.PowerDamper(coefficient=2e3, exponent=0.6, reverse_coefficient=800.0),
    "damper-table": ss.DamperTable(rates=TABLE_RATES, forces=(-60.0, -20.0, 0.0, 50.0, 90.0)),
    "asymmetric(masing)": ss.Masing(stiffness=4e5, limit=120.0, reverse_limit=60.0, parallel_stiffness=5e4),
    "iwan4": ss.Iwan4(stiffness=4e5, limit=120.0, chi=-0.4, beta=0.8),
    "bouc-wen-baber-noori": ss.BoucWenBaberNoori(
        stiffness=4e5, ratio=0.1, beta=3e3, gamma=1e3, strength_degradation=0.3, stiffness_degradation=0.5
    ),
    "series(freeplay, jenkins)": ss.Series(
        ss.Freeplay(stiffness=2e6, half_gap=2e-4), ss.Jenkins(stiffness=5e5, limit=120.0)
    ),
    "linear+jenkins+maxwell": ss.Linear(stiffness=5e4)
    + ss.Jenkins(stiffness=4e5, limit=80.0)
    + ss.Maxwell(stiffness=2e5, damping=3e4),
}
HELD = {"damper-table": {f"rates.{i}": rate for i, rate in enumerate(TABLE_RATES)}}  # the user chooses them
FEW, MANY = 12, 200
CHANCE = 1e-4  # of a test that fails though the intervals are right


def noisy_loop(law: ss.Law, seed: int) -> ss.Loop:
    """Six cycles of three amplitudes, with noise of 1 % of the force."""
    t = np.arange(1200) / 200.0
    u = 1e-3 * np.repeat((1.0, 0.6, 0.3), 400) * np.sin(2.0 * np.pi * t)
    f = law.trace(u, t)
    return ss.Loop(u, f + 0.01 * np.max(np.abs(f)) * np.random.default_rng(seed).standard_normal(t.size), t)


def uncovered(name: str, seeds: range) -> tuple[dict[str, int], dict[str, float]]:
    """How many intervals miss the true value, and the largest relative error, by parameter."""
    law = LAWS[name]
    unknowns = Unknowns.of(law)
    true = dict(zip(unknowns.names, unknowns.values.tolist(), strict=True))
    misses, errors = dict.fromkeys(true, 0), dict.fromkeys(true, 0.0)
    for seed in seeds:
        fit = ss.identify(noisy_loop(law, seed), law, HELD.get(name))
        for parameter in fit.free:
            own, value = fit.parameters[parameter], true[parameter]
            misses[parameter] += not own.low <= value <= own.high
            errors[parameter] = max(errors[parameter], abs(own.value / value - 1.0) if value else 0.0)
    return misses, errors


@pytest.mark.parametrize("name", LAWS)
@pytest.mark.parametrize("count", [FEW, pytest.param(MANY, marks=pytest.mark.long)])
def test_intervals_contain_the_true_values_as_often_as_they_say(name: str, count: int) -> None:
    misses, _ = uncovered(name, range(count))
    low, high = binom.ppf((CHANCE, 1.0 - CHANCE), count, 0.05)
    assert all(number <= high for number in misses.values()), misses
    assert max(misses.values()) >= low, misses  # intervals that are too wide miss nothing
