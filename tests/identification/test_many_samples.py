"""Long records: the search ends on decimated samples first, the result holds for all of them."""

from __future__ import annotations

import numpy as np

import slipstick as ss
from slipstick.identification.search.start_selection import DECIMATED_SAMPLES

LAW = ss.Masing(stiffness=4e5, limit=150.0, parallel_stiffness=5e4)


def test_a_long_record_takes_few_evaluations_on_all_samples():
    t = np.arange(3 * DECIMATED_SAMPLES) / 2000.0
    u = 1e-3 * (1.0 + 0.3 * np.sin(0.4 * t)) * np.sin(2.0 * np.pi * t)
    f = LAW.trace(u) + 2.0 * np.random.default_rng(1).standard_normal(t.size)
    fit = ss.identify(ss.Loop(u=u, f=f, t=t), ss.Masing, fixed={"damping": 0.0})
    assert fit.within_noise
    assert fit.evaluations <= 8  # on all samples
    assert fit.loops[0].samples == t.size
    for name in ("stiffness", "limit", "parallel_stiffness"):
        own = fit.parameters[name]
        assert abs(own.value - getattr(LAW, name)) < 3.0 * own.deviation, name
