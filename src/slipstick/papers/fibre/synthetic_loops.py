"""Two sets of synthetic loops in place of the measured ones: known laws at five frequencies, with noise."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from slipstick.datasets import FIBRE_AMPLITUDES, FIBRE_FREQUENCIES, NAMES, dataset
from slipstick.identification.loop import Loop
from slipstick.laws.nonlocal_memory import FibreShear
from slipstick.systems.fibre import SAMPLE_PARAMETERS

STRESS_NOISE = 20.0  # Pa
SAMPLES_PER_CYCLE = 240  # samples of one
CYCLE_PHASES = (
    np.arange(-2 * SAMPLES_PER_CYCLE, 5 * SAMPLES_PER_CYCLE // 2) / SAMPLES_PER_CYCLE
)  # of a cycle; two before the first are not recorded
SEEDS = {"fibre-set-1": 3, "fibre-set-2": 4}
# At 20 Hz the first set is (38), (39); of the second only `linear` is printed, the rest is chosen here so that moduli
# are a little lower, loops more open and the cubic grows faster, as in 6.3 and Fig. 16.
# Trends are relative, for a factor e of frequency.
SETS: dict[str, dict[str, float]] = {
    "fibre-set-1": SAMPLE_PARAMETERS,
    "fibre-set-2": {
        "stiffness": 1.45e6, "limit": 1.6e3, "linear": 5.91e6, "cubic": 2.75e9, "overshoot": 0.75, "ratio": 0.3
    },
}  # fmt: skip
TRENDS: dict[str, dict[str, float]] = {
    "fibre-set-1": {"cubic": 0.10},
    "fibre-set-2": {"cubic": 0.13, "linear": 0.002},
}
NOTE = "synthetic: made from a known law, never measured"


def set_law(
    name: str, hertz: float, numbers: Mapping[str, float] | None = None, growth: float | None = None
) -> FibreShear:
    """The law of a set at a frequency.   numbers : instead of the set's.   growth : instead of that of its cubic."""
    trend = TRENDS[name] if growth is None else {**TRENDS[name], "cubic": growth}
    way = np.log(hertz / 20.0)
    own = {**SETS[name], **(numbers or {})}
    return FibreShear(**{key: value * (1.0 + trend.get(key, 0.0) * way) for key, value in own.items()})


def synthetic_record(name: str, seed: int, noise: float = STRESS_NOISE, **given: Any) -> list[tuple[Any, ...]]:
    """Times [s], strains and stresses [Pa]: two and a half settled cycles for each frequency and amplitude.

    noise : [Pa] of the stress.   given : to `set_law`, other than the set's.
    """
    rng, found = np.random.default_rng(seed), []
    for hertz in FIBRE_FREQUENCIES:
        law = set_law(name, hertz, **given)
        for amplitude in FIBRE_AMPLITUDES:
            strain = amplitude * np.sin(2.0 * np.pi * CYCLE_PHASES)
            stress = law.trace(strain) + rng.normal(0.0, noise, CYCLE_PHASES.size)
            found.append(tuple(column[2 * SAMPLES_PER_CYCLE :] for column in (CYCLE_PHASES / hertz, strain, stress)))
    return found


def source_text(name: str, changed: Mapping[str, float]) -> str:
    """Where loops come from, in words."""
    return f"a synthetic set made as {name}, with other numbers" if changed else f"the shipped synthetic set {name}"


def loops(name: str, changed: Mapping[str, float]) -> list[Loop]:
    """The shipped loops, or loops computed with a changed law, ``noise`` and ``growth``."""
    if not changed:
        return dataset(name)
    numbers = {key: value for key, value in changed.items() if key in SAMPLE_PARAMETERS}
    given = {key: value for key, value in changed.items() if key in ("noise", "growth")}
    columns = synthetic_record(name, SEEDS[name], numbers=numbers, **given)
    return [
        Loop(u, f, t, name=f"synthetic {name}, {label}", notes=(NOTE,), frequency=hertz, system="stress")
        for (t, u, f), label, hertz in zip(columns, NAMES[name].labels, NAMES[name].frequencies, strict=True)
    ]
