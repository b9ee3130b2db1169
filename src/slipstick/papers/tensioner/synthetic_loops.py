"""Synthetic loops of the rig in place of the measured ones: a known law along (29), (32), with noise and a drift."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from slipstick.datasets import dataset
from slipstick.identification.loop import Loop
from slipstick.papers.tensioner.rig import MEAN, PHASE, SWING, rig_laws
from slipstick.systems.tensioner import IDENTIFIED_AT

if TYPE_CHECKING:
    from slipstick.laws.base import Law

FORCE_NOISE, DEFLECTION_NOISE, DRIFT = 5.0, 2e-7, 2.0  # N, m, N/s
RECORD_DURATION, SAMPLE_INTERVAL = 2.8, 2e-4  # four cycles at 5 kHz
SEEDS = {"masing": 1, "dahl": 2}
NOTE = "synthetic: made from a known law, never measured"


def imposed_deflection(t: Any, middle: float = MEAN, swing: float = SWING) -> Any:
    """[m] the deflection that is imposed."""
    return middle + swing * np.sin(IDENTIFIED_AT * t + PHASE)


def synthetic_record(law: Law, seed: int, noise: float = FORCE_NOISE, **drive: float) -> tuple[Any, Any, Any]:
    """Times [s], deflections [m] and forces [N] of four settled cycles: two before them are not recorded.

    noise : [N] of the force.   drive : of `imposed_deflection`, other than printed.
    """
    rng = np.random.default_rng(seed)
    t = np.arange(round(RECORD_DURATION / SAMPLE_INTERVAL)) * SAMPLE_INTERVAL
    before = 2.0 * np.pi / IDENTIFIED_AT * 2.0
    lead = t[0] - before + np.arange(round(before / SAMPLE_INTERVAL)) * SAMPLE_INTERVAL
    time = np.concatenate((lead, t))
    f = np.asarray(law.trace(imposed_deflection(time, **drive), time))[lead.size :] + DRIFT * t
    u = imposed_deflection(t, **drive) + rng.normal(0.0, DEFLECTION_NOISE, t.size)
    return t, u, f + rng.normal(0.0, noise, t.size)


def loops(changed: Mapping[str, float]) -> dict[str, Loop]:
    """One loop of each law: as shipped, or computed with changed numbers of rig, laws and noise."""
    if not changed:
        return {name: dataset(f"tensioner-{name}")[0] for name in SEEDS}
    own = rig_laws(changed)
    given = {"noise": changed.get("noise", FORCE_NOISE), "middle": own.middle, "swing": own.swing}
    laws = {"masing": own.wet, "dahl": own.dahl}
    found = {name: synthetic_record(laws[name], seed, **given) for name, seed in SEEDS.items()}
    return {name: Loop(u, f, t, name=f"synthetic tensioner-{name}", notes=(NOTE,)) for name, (t, u, f) in found.items()}
