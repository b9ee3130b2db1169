"""What exact runs say about their own error, against the same motion computed with other rounding.

A model in other coordinates (y = x / factor) has the same motion, and every sum in it is rounded differently; by modes
and by Taylor steps it is computed in two ways. The distance to the nearer of the two is what the run is wrong by, at
least; the distance to the farther one is what it may well be wrong by.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from transient.propagators import run_by
from transient.random_models import KINDS, random_model, special_model, stretched

import slipstick as ss

ULPS = 4.0 * np.finfo(float).eps  # of the motion: less is no error
SHARE = 0.99


class Account:
    """Runs, and what was found about their certificates."""

    def __init__(self):
        self.runs = self.sensitive = 0
        self.optimistic, self.pessimistic, self.unbalanced, self.failed = [], [], [], []

    def add(self, model, until, propagator, seed):
        run = run_by(propagator, model, until)
        certificate, q = run.certificate(), run.samples().displacement
        other, factor = stretched(model, seed)
        distance = [
            np.abs(run_by(by, other, until).samples().displacement * factor - q).max() for by in ("modes", "series")
        ]
        self.runs += 1
        size = np.abs(q).max()
        if certificate.energy_residual > 1e-9:
            self.unbalanced.append((model.name, certificate.energy_residual))
        if certificate.failures:
            self.failed.append((model.name, certificate.failures))
        if certificate.sensitive:
            self.sensitive += 1
        elif size > 0.0:
            if min(distance) > max(10.0 * certificate.error, ULPS * size):
                self.optimistic.append((model.name, min(distance), certificate.error))
            if certificate.error > 1000.0 * max(*distance, ULPS * size):
                self.pessimistic.append((model.name, max(distance), certificate.error))

    def check(self):
        assert not self.unbalanced
        assert not self.failed
        assert len(self.optimistic) <= (1.0 - SHARE) * self.runs, self.optimistic
        assert len(self.pessimistic) <= (1.0 - SHARE) * self.runs, self.pessimistic


def all_kinds(account, plain, special, propagators=("default",)):
    """Random models, and those that are hard to be honest about."""
    for propagator in propagators:
        for seed in plain:
            account.add(random_model(seed), 15.0, propagator, seed)
        for kind in KINDS:
            for seed in special:
                account.add(special_model(kind, seed), 100.0 if kind == "chaotic" else 20.0, propagator, seed)


def test_errors_are_honest_over_three_hundred_models():
    account = Account()
    all_kinds(account, range(140), range(40))
    assert account.runs == 300
    account.check()
    assert 5 <= account.sensitive <= 40  # of the 40 chaotic ones


@pytest.mark.long
@pytest.mark.parametrize("propagator", ["default", "modes", "series"])
def test_errors_are_honest_over_thousands_of_models_by_each_propagator(propagator):
    account = Account()
    all_kinds(account, range(1000, 2200), range(100, 300), (propagator,))
    account.check()


# ---- sensitive or not


def growth(model, until, nudge=1e-10):
    """By how much a small change of the start has grown at most: a run from beside the start, compared directly."""
    near = model.snapshot()
    c = near.coordinates[0]
    near.coordinates[0] = type(c)(c.name, c.inertia, c.displacement + nudge, c.velocity, c.motion)
    a, b = (run_by("default", m, until, samples=2000).samples().displacement for m in (model, near))
    return np.abs(a - b).max() / nudge


def test_chaotic_motions_are_called_sensitive_and_tame_ones_are_not():
    said = {True: 0, False: 0}
    for seed in range(30):
        model = special_model("chaotic", 500 + seed)
        certificate = run_by("default", model, 150.0).certificate()
        grown = growth(model, 150.0)
        if grown > 1e8:
            assert certificate.sensitive, (model.name, grown)
            assert not certificate.passed
            assert math.isinf(certificate.error)
            assert "sensitive" in certificate.verdict
            said[True] += 1
        elif grown < 1e4:
            assert not certificate.sensitive, (model.name, grown)
            said[False] += 1
    assert said[True] >= 5
    assert said[False] >= 5


def test_random_models_that_do_not_amplify_are_not_called_sensitive():
    """Among them coordinates that hardly move, contacts that stick throughout, and gaps never reached."""
    for seed in range(200):
        model = random_model(seed)
        run = run_by("default", model, 15.0)
        if run.certificate().sensitive:
            assert growth(model, 15.0) > 1e4, model.name


TAME = {
    "oscillator": [ss.Linear(stiffness=1.0, damping=0.1)],
    "decay": [ss.Linear(stiffness=1.0), ss.DryFriction(limit=0.05)],
    "gap": [ss.Freeplay(stiffness=4.0, half_gap=0.2), ss.Linear(damping=0.05)],
    "slider": [ss.Masing(stiffness=2.0, limit=0.3, parallel_stiffness=1.0)],
    "held": [ss.DryFriction(limit=10.0)],
    "never reached": [ss.Linear(stiffness=1.0), ss.Contact(stiffness=10.0, gap=50.0)],
}


@pytest.mark.parametrize("name", TAME)
def test_tame_motions_have_an_error_of_rounding(name):
    m = ss.Model("tame")
    x = m.coordinate("x", inertia=1.0, displacement=1.0)
    for law in TAME[name]:
        m.connect(x, law)
    m.load(x, ss.Cosine(0.4, frequency=0.7))
    certificate = m.simulate(until=60.0, method="exact").certificate
    assert certificate.passed
    assert certificate.error < 1e-10
    assert certificate.energy_residual < 1e-12


@pytest.mark.parametrize("inertia", [1e-3, 1e-5])
def test_a_light_mass_that_creeps_on_a_spring_is_not_called_sensitive(inertia):
    m = ss.Model("creep")
    x, y = m.coordinate("x", inertia=1.0), m.coordinate("y", inertia=inertia)
    m.connect(y, ss.DryFriction(limit=0.05, damping=0.3), name="rub")
    m.connect(x - y, ss.Linear(stiffness=5.0), name="spring")
    m.connect(x, ss.Linear(stiffness=1.0), name="ground")
    m.load(x, ss.Sine(1.2, frequency=0.9))
    assert growth(m, 30.0) < 10.0
    certificate = run_by("default", m, 30.0).certificate()
    assert not certificate.sensitive
    assert certificate.passed


# ---- energy


def test_the_balance_is_that_of_work_stored_and_dissipated():
    """A block pulled over a floor: work F s, dissipation f s, kinetic the rest."""
    m = ss.Model("pulled")
    x = m.coordinate("x", inertia=2.0)
    m.connect(x, ss.DryFriction(limit=0.5), name="floor")
    m.connect(x, ss.Linear(stiffness=0.1), name="spring")
    m.load(x, ss.Constant(1.5))
    run = m.simulate(until=3.0, method="exact", samples=2)
    c, way, v = run.certificate, run.samples.displacement[-1, 0], run.samples.velocity[-1, 0]
    assert c.work_in == pytest.approx(1.5 * way, rel=1e-14)
    assert c.dissipated["floor"] == pytest.approx(0.5 * way, rel=1e-14)
    assert c.stored["spring"] == pytest.approx(0.05 * way**2, rel=1e-13)
    assert c.kinetic == pytest.approx(v**2, rel=1e-14)


def test_a_belt_puts_in_what_friction_takes_and_the_block_gains():
    m = ss.Model("belt")
    x, belt = m.coordinate("x", inertia=1.0), m.coordinate("belt", motion=ss.Ramp(2.0))
    m.connect(x - belt, ss.DryFriction(limit=0.5), name="rub")
    c = m.simulate(until=10.0, method="exact", samples=2).certificate
    # 4 s at 0.5 up to 2 m/s: the belt goes 8 m, the block 4
    assert c.work_in == pytest.approx(0.5 * 8.0, rel=1e-13)
    assert c.dissipated["rub"] == pytest.approx(0.5 * 4.0, rel=1e-13)
    assert c.kinetic == pytest.approx(2.0, rel=1e-13)
