"""exact, inclusion and adaptive on the same random models: each within what it says about its own error."""

from __future__ import annotations

import numpy as np
import pytest
from transient.random_models import random_model

UNTIL, STEP = 8.0, 2e-3
THETA = {"scheme": "theta", "theta": 1.0}  # first order like (A.7), and no step limit for springs without damping
MARGIN = 10.0  # times the stated error
SHARE = 0.99


def motion(m, method, **options):
    """Displacements at common times, and the stated error: None where the motion is called sensitive."""
    run = m.simulate(until=UNTIL, method=method, samples=201, **options)
    return run.samples.displacement, None if run.certificate.sensitive else run.certificate.error


def compared(seed, friction):
    """A model without static limits by exact and one other method: the distance over the stated error, and the size."""
    m = random_model(seed, friction=friction, static=False)
    truth, own = motion(m, "exact")
    if own is None:
        return None
    q, error = motion(m, "inclusion", step=STEP, **THETA) if friction else motion(m, "events")
    return None if error is None else (np.abs(q - truth).max() / max(error + own, 1e-12), q, truth)


def check(seeds, friction):
    found = [pair for seed in seeds if (pair := compared(seed, friction)) is not None]
    assert len(found) >= 0.97 * len(seeds)
    beyond = sum(ratio > MARGIN for ratio, _, _ in found)
    assert beyond <= (1.0 - SHARE) * len(found)
    return found


def test_adaptive_agrees_with_exact_on_a_hundred_models_without_dry_friction():
    for _, q, truth in check(range(100), friction=False):
        assert np.abs(q - truth).max() < 1e-4 * max(np.abs(truth).max(), 1e-2)


def test_inclusion_agrees_with_exact_on_a_hundred_models_with_dry_friction():
    for _, q, truth in check(range(100, 200), friction=True):
        assert np.abs(q - truth).max() < 0.1 * max(np.abs(truth).max(), 1e-1)


def test_inclusion_extrapolated_comes_closer_to_exact_by_its_order():
    """2 q(h/2) - q(h) takes away what is of first order; events off the grid leave a part of higher order."""
    gains, errors = [], []
    for seed in range(200, 260):
        m = random_model(seed, static=False)
        truth, own = motion(m, "exact")
        if own is None:
            continue
        once, twice = (motion(m, "inclusion", step=h, **THETA)[0] for h in (STEP, 0.5 * STEP))
        size = max(np.abs(truth).max(), 1e-2)
        first, best = np.abs(once - truth).max() / size, np.abs(2.0 * twice - once - truth).max() / size
        gains.append(first / max(best, 1e-15))
        errors.append(best)
    assert np.median(gains) > 10.0
    assert np.median(errors) < 1e-4


@pytest.mark.long
@pytest.mark.parametrize("friction", [False, True])
def test_methods_agree_on_a_thousand_models(friction):
    check(range(1000, 2000), friction)
