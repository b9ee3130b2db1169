"""Growth of perturbations in models with coordinates that hardly move, or not at all: they are no part of it.

Judges: the same model without the mass at rest, and runs from beside the start.
"""

from __future__ import annotations

import re

import numpy as np
import pytest
from transient.propagators import run_by
from transient.random_models import special_model

import slipstick as ss


def told(certificate):
    """The growth that a certificate tells."""
    [words] = [note for note in certificate.notes if "perturbation" in note]
    return float(re.findall(r"[\d.]+(?:e[+-]\d+)?", words)[-1])


def stop(aside):
    m = ss.Model("stop")
    x = m.coordinate("x", inertia=1.0, displacement=0.5)
    m.connect(x, ss.Linear(stiffness=1.0, damping=0.02), name="spring")
    m.connect(x, ss.Contact(stiffness=400.0, gap=0.3), name="stop")
    m.connect(x, ss.DryFriction(limit=0.05), name="rub")
    m.load(x, ss.Cosine(0.4, frequency=0.7))
    if aside:
        rest = m.coordinate("rest", inertia=1.0)
        m.connect(rest, ss.Linear(stiffness=1.0, damping=0.1), name="its spring")
    return m


def test_a_mass_that_rests_aside_changes_nothing():
    """A nudge that is measured by the scale of what rests has no other part left."""
    alone, beside = (stop(aside).simulate(until=60.0, method="exact").certificate for aside in (False, True))
    assert alone.passed
    assert beside.passed
    assert told(beside) < 10.0 * told(alone)


def test_the_clutch_as_printed_is_not_called_sensitive():
    """From 1e-9 rad beside, every angle stays within what the certificate tells of growth; the error is of rounding."""
    model = ss.systems.clutch("paper", "exact").snapshot()
    run = run_by("default", model, 0.12, samples=2001)
    certificate, q = run.certificate(), run.samples().displacement
    assert certificate.passed
    assert certificate.error < 1e-9
    for i, c in enumerate(model.coordinates):
        if c.name in ("delta2", "delta4"):
            near = model.snapshot()
            near.coordinates[i] = type(c)(c.name, c.inertia, c.displacement + 1e-9, c.velocity, c.motion)
            beside = run_by("default", near, 0.12, samples=2001).samples().displacement
            assert 1e-10 < np.abs(beside - q).max() < 1e-9 * told(certificate)


@pytest.mark.parametrize("seed", [500, 503, 510])
def test_chaos_beside_a_mass_at_rest_is_still_called_sensitive(seed):
    model = special_model("chaotic", seed)
    alone = run_by("default", model, 150.0).certificate()
    model = model.snapshot()
    coordinate = model.coordinates[0]
    rest = type(coordinate)("rest aside", 1.0, 0.0, 0.0, None)
    model.coordinates.append(rest)
    assert run_by("default", model, 150.0).certificate().sensitive == alone.sensitive
