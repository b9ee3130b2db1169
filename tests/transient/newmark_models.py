"""Models and measures that the tests of Newmark's method share."""

from __future__ import annotations

import numpy as np
from models import one_mass

from slipstick.systems.clutch import ROTOR_PAIRS


def go(model, until, step, **arguments):
    return model.simulate(until, method="newmark", step=step, **arguments)


def end(run):
    return run.samples.displacement[-1]


def oscillator(law, load=None, **start):
    return one_mass({"law": law}, load, **start)


def order(steps, errors):
    """The order of convergence fitted over all steps."""
    return np.polyfit(np.log(steps), np.log(np.abs(errors)), 1)[0]


def deltas(run):
    """delta_1 .. delta_5 of the clutch at the end of a run."""
    names = run.names.coordinates
    return np.array([end(run)[names.index(f"theta{a}")] - end(run)[names.index(f"theta{b}")] for a, b in ROTOR_PAIRS])
