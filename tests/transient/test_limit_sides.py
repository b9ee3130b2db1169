"""What state a contact is in: one rule for all methods, in samples and in events."""

from __future__ import annotations

import math

import numpy as np
import pytest

import slipstick as ss
from slipstick.transient.limit_sides import SIDES, side_of


def pushed(limit: float | ss.Fourier, pull: float, **start: float) -> ss.Model:
    m = ss.Model("block")
    x = m.coordinate("x", inertia=1.0, **start)
    m.connect(x, ss.DryFriction(limit=limit), name="floor")
    m.load(x, ss.Constant(pull))
    return m


@pytest.mark.parametrize(
    ("force", "limit", "state"),
    [
        (0.5, 0.5, "slip+"),
        (-0.5, 0.5, "slip-"),
        (0.5 * (1.0 - 1e-15), 0.5, "slip+"),
        (0.49, 0.5, "stick"),
        (0.0, 0.5, "stick"),
        (0.0, 0.0, "unloaded"),
        (0.0, -1.0, "unloaded"),
    ],
)
def test_a_contact_is_at_its_limit_within_it_or_has_none(force, limit, state):
    assert SIDES[1 + int(side_of(force, limit))] == state


@pytest.mark.filterwarnings("ignore:DryFriction. limit is negative")
@pytest.mark.parametrize("scheme", ["explicit", "theta"])
def test_a_block_whose_normal_load_is_gone_is_unloaded_by_inclusion_as_by_exact(scheme):
    limit = ss.Fourier(0.2, cos=(0.6,), frequency=1.0)
    gone, back = math.acos(-1.0 / 3.0), 2.0 * math.pi - math.acos(-1.0 / 3.0)
    times = np.linspace(0.05, 6.05, 61)  # off the steps, and away from where the load goes and comes back
    model = pushed(limit, 0.0, velocity=3.0)
    run = model.simulate(6.05, method="inclusion", step=3.1e-4, samples=times, scheme=scheme)
    expected = np.where((times > gone) & (times < back), "unloaded", "slip+")
    assert run.samples.state[:, 0].tolist() == expected.tolist()
    exact = model.simulate(6.05, method="exact", samples=times)
    assert run.samples.state.tolist() == exact.samples.state.tolist()
    assert [(e.before, e.after) for e in run.events] == [("slip+", "unloaded"), ("unloaded", "slip+")]
    assert [e.time for e in run.events] == pytest.approx([gone, back], abs=1e-3)


def test_a_block_slides_on_between_the_steps_while_its_limit_falls():
    limit = ss.Fourier(0.5, cos=(0.4,), frequency=1.0)
    times = np.linspace(0.0101, 3.0, 200)
    run = pushed(limit, 1.0, velocity=3.0).simulate(3.0, method="inclusion", step=1e-2, samples=times)
    assert set(run.samples.state[:, 0]) == {"slip+"}


@pytest.mark.filterwarnings("ignore:DryFriction. limit is negative")
def test_a_run_that_begins_without_a_normal_load_begins_unloaded():
    limit = ss.Fourier(0.2, cos=(-0.6,), frequency=1.0)
    run = pushed(limit, 0.0, velocity=3.0).simulate(2.0, method="inclusion", step=1e-3)
    assert run.samples.state[0, 0] == "unloaded"
    assert [(e.before, e.after) for e in run.events] == [("unloaded", "slip+")]


def test_a_slider_at_its_limit_slips_whatever_the_method():
    m = ss.Model("slider")
    x = m.coordinate("x", inertia=1.0)
    m.connect(x, ss.Jenkins(stiffness=100.0, limit=1.0), name="slider")
    m.load(x, ss.Constant(3.0))
    times = np.array([0.0, 0.05, 0.5])  # u = 0.03 (1 - cos 10 t) meets 0.01 at t = acos(2/3)/10 = 0.084
    for method, options in {
        "inclusion": {"step": 1e-4},
        "newmark": {"step": 1e-4},
        "events": {},
        "exact": {},
    }.items():
        run = m.simulate(0.5, method=method, samples=times, **options)
        assert run.samples.state[:, 0].tolist() == ["stick", "stick", "slip+"], method
