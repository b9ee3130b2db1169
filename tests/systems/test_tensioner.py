"""The belt-tensioner-mass system of the tensioner paper."""

from __future__ import annotations

import math
import subprocess
import sys
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

import slipstick as ss
from slipstick.model.assembly import assemble

PAPER = {"mean": 3.5, "amplitude": 122.1, "frequency": 73.15, "phase": 0.40}  # (53)


def forces_at_rest(model, t):
    """(2,) what is left of the equations of motion (38) at u1 = u2 = 0, at time t."""
    parts = assemble(model)
    laws = [c.law.update(0.0, 0.0, c.law.start())[0] for c in model.connections]
    return parts.along @ laws - parts.load(t, model.frequency)


def test_names_are_those_of_the_paper():
    m = ss.systems.tensioner()
    assert [c.name for c in m.coordinates] == ["u1", "u2"]
    assert [c.name for c in m.connections] == ["belt", "tensioner"]
    assert [c.inertia for c in m.coordinates] == [73.84, 0.15]
    assert m.frequency == 73.15


def test_start_is_in_static_balance():
    np.testing.assert_allclose(forces_at_rest(ss.systems.tensioner(**PAPER), 0.0), 0.0, atol=1e-12)


def test_preloads_at_the_papers_instant_follow_from_51_and_not_from_55():
    m = ss.systems.tensioner(**PAPER, balanced_at=1.6e-3)
    belt, arm = (c.law for c in m.connections)
    assert belt.preload == pytest.approx(834.0102, abs=5e-5)
    assert arm.preload == pytest.approx(835.4817, abs=5e-5)  # (55) prints 338
    np.testing.assert_allclose(forces_at_rest(m, 1.6e-3), 0.0, atol=1e-12)


def test_damper_follows_31():
    at = {w: ss.systems.tensioner(frequency=w).connection("tensioner").law.damping for w in (73.15, 9.4)}
    assert at[9.4] == pytest.approx(1.93e4)
    assert at[73.15] == pytest.approx(2.48e3, rel=1e-3)  # (56)
    own = ss.systems.tensioner(frequency=94.0, damping=1000.0).connection("tensioner").law
    assert own.damping == pytest.approx(100.0)


def test_load_is_of_order_one_with_mean_and_phase():
    m = ss.systems.tensioner(**PAPER)
    parts = assemble(m)
    t, w = 0.123, 50.0
    f = 3.5 + 122.1 * math.cos(w * t + 0.40)
    assert parts.load(t, w) == pytest.approx([f + 73.84 * 9.81, 0.15 * 9.81])


def test_without_load_the_rest_is_the_start():
    e = ss.systems.tensioner(amplitude=0.0).equilibrium()
    assert e.displacement == pytest.approx({"u1": 0.0, "u2": 0.0}, abs=1e-15)
    assert e.force == pytest.approx({"belt": 73.84 * 9.81, "tensioner": (73.84 + 0.15) * 9.81})


def test_modes_at_the_papers_frequency():
    m = ss.systems.tensioner()
    assert m.modes(state={"tensioner": "stick"}).magnitude[0] == pytest.approx(65.61, abs=5e-3)
    assert m.modes(state={"tensioner": "slip"}).magnitude[0] == pytest.approx(48.50, abs=5e-3)


def test_every_parameter_is_a_keyword():
    m = ss.systems.tensioner(
        mass=10.0, idler_mass=1.0, belt_stiffness=1e3, belt_damping=2.0, gravity=10.0, amplitude=0.0,
        stiffness=5.0, limit=6.0, parallel_stiffness=7.0, preload=8.0,
    )  # fmt: skip
    assert [c.inertia for c in m.coordinates] == [10.0, 1.0]
    assert m.connection("belt").law == ss.Linear(stiffness=1e3, damping=2.0, preload=100.0)
    law = m.connection("tensioner").law
    assert (law.stiffness, law.limit, law.parallel_stiffness, law.preload) == (5.0, 6.0, 7.0, 8.0)


def test_modified_dahl_has_the_identified_parameters():
    law = ss.systems.tensioner("modified-dahl").connection("tensioner").law
    printed = ss.ModifiedDahl(rate=117355, exponent=0.37, upper=(959.6, 7.146e4), lower=(397.2, 5.322e4))
    assert replace(law, start_force=None) == printed
    assert ss.systems.tensioner("modified-dahl", rate=2.0).connection("tensioner").law.rate == 2.0


def test_modified_dahl_rests_on_its_virgin_curve():
    e = ss.systems.tensioner("modified-dahl", amplitude=0.0).equilibrium()
    assert e.force["tensioner"] == pytest.approx((73.84 + 0.15) * 9.81, rel=1e-9)
    u = e.displacement["u2"]
    law = ss.systems.tensioner("modified-dahl", amplitude=0.0).connection("tensioner").law
    assert law.update(u, 0.0, law.start(0.0))[0] == pytest.approx(e.force["tensioner"], rel=1e-9)


def test_a_law_of_your_own_is_used_as_it_is():
    law = ss.Linear(stiffness=3e5)
    assert ss.systems.tensioner(law).connection("tensioner").law is law


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"law": "massing"}, "got 'massing' (did you mean \"masing\"?)"),
        ({"law": 3}, "got 3"),
        ({"law": ss.Linear(), "stiffness": 3.0}, "leave out stiffness beside it"),
        ({"stifness": 3.0}, 'no parameter "stifness" (did you mean "stiffness"?)'),
        ({"damping": "a"}, "damping must be a number"),
        ({"frequency": 0.0}, "frequency must be > 0"),
        ({"frequency": None}, "base frequency"),
        ({"amplitude": "a"}, "amplitude must be a number"),
        ({"mass": -1.0}, "inertia must be >= 0"),
    ],
)
def test_bad_arguments_are_refused_in_one_line(refused, arguments, words):
    with refused(words):
        ss.systems.tensioner(**arguments)


@pytest.mark.parametrize(
    "first", ["import slipstick.systems.tensioner", "from slipstick.systems.tensioner import MASING_PARAMETERS", "pass"]
)
def test_the_builder_is_found_however_its_module_was_imported(first):
    code = f"{first}\nimport slipstick as ss\nassert callable(ss.systems.tensioner)"
    subprocess.run([sys.executable, "-c", code], check=True, timeout=600)


@pytest.mark.parametrize("kind", [int, np.int64, np.float32, np.float64, Fraction])
def test_the_damper_follows_31_whatever_kind_of_number_it_is(kind):
    law = ss.systems.tensioner(frequency=50.0, damping=kind(19300)).connection("tensioner").law
    assert law.damping == pytest.approx(19300.0 * 9.4 / 50.0, rel=1e-12)


@pytest.mark.parametrize("keyword", ["mass", "idler_mass", "gravity", "balanced_at"])
@pytest.mark.parametrize("value", [None, "1", 1j, math.inf])
def test_what_is_no_number_is_refused_by_its_keyword(keyword, value, refused):
    with refused(f"tensioner: {keyword} must be a number"):
        ss.systems.tensioner(**{keyword: value})


def test_the_modified_dahl_law_begins_in_balance():
    """(51) for the case (53), where it prints 338 N; and nothing is pushed as the run begins."""
    m = ss.systems.tensioner("modified-dahl", **PAPER, balanced_at=1.6e-3)
    law = m.connection("tensioner").law
    assert law.update(0.0, 0.0, law.start(0.0))[0] == pytest.approx(835.4817, abs=5e-5)
    run = m.simulate(start=1.6e-3, until=2.6e-3, samples=[1.6e-3, 2.6e-3])
    force = run.data["force"].values[0]
    assert force[1] - force[0] == pytest.approx(0.15 * 9.81, rel=1e-12)  # the belt pulls with what the idler leaves
    assert run.certificate.passed


def test_a_start_force_of_ones_own_replaces_that_of_the_balance():
    law = ss.systems.tensioner("modified-dahl", start_force=700.0).connection("tensioner").law
    assert law.start_force == 700.0
    law = ss.systems.tensioner("modified-dahl", start_force=None).connection("tensioner").law
    assert law.update(0.0, 0.0, law.start(0.0))[0] == pytest.approx(0.5 * (959.6 + 397.2), abs=1e-9)


def test_a_start_force_comes_back_from_a_file(tmp_path):
    m = ss.systems.tensioner("modified-dahl")
    m.save(tmp_path / "tensioner.yaml")
    assert ss.open(tmp_path / "tensioner.yaml").connection("tensioner").law == m.connection("tensioner").law


def test_orbits_do_not_depend_on_the_start_force():
    ranges = [
        ss.systems.tensioner("modified-dahl", 120.0, 73.0, start_force=force).periodic().force_range["belt"]
        for force in (500.0, 847.0)
    ]
    assert ranges[0] == pytest.approx(ranges[1], rel=1e-8)


@pytest.mark.parametrize("law", [np.array([1.0, 2.0]), None, 3])
def test_what_is_no_law_is_refused(law, refused):
    with refused("tensioner: law must be"):
        ss.systems.tensioner(law)
