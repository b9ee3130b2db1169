"""How runs begin: laws at the deflection where the model stands, with the memory that led there."""

from __future__ import annotations

import math

import numpy as np
import pytest
from laws.example_laws import RELAXING, every_law

import slipstick as ss
from slipstick.laws.faces import Face
from slipstick.transient.problem import pose

METHODS = [{"method": "events"}, {"method": "newmark", "step": 1e-3}]
LAWS = {name: law for name, law in every_law().items() if Face.VALUE in law.faces}


def standing(law, u):
    m = ss.Model("standing")
    x = m.coordinate("x", inertia=1.0, displacement=u)
    m.connect(x, law, name="law")
    return m


def first_force(law, u, **method):
    return float(standing(law, u).simulate(until=0.01, samples=[0.0, 0.01], **method).data.force[0, 0])


@pytest.mark.parametrize("method", METHODS, ids=lambda m: m["method"])
@pytest.mark.parametrize("u", [0.3, -0.2])
def test_dahl_begins_on_its_virgin_branch(method, u):
    stiffness, limit = 2.0, 0.5
    law = ss.Dahl(stiffness=stiffness, limit=limit)
    branch = math.copysign(limit * -math.expm1(-stiffness * abs(u) / limit), u)
    assert first_force(law, u, **method) == pytest.approx(branch, rel=1e-12)
    assert law.trace([0.0, u])[-1] == pytest.approx(branch, rel=1e-12)


@pytest.mark.parametrize("method", METHODS, ids=lambda m: m["method"])
def test_a_sum_begins_as_its_parts(method):
    law = ss.Dahl(stiffness=2.0, limit=0.5) + ss.Polynomial(coefficients=(0.0, 1.0, 0.0, 2.0))
    expected = -0.5 * math.expm1(-2.0 * 0.3 / 0.5) + 0.3 + 2.0 * 0.3**3
    assert first_force(law, 0.3, **method) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("method", METHODS, ids=lambda m: m["method"])
def test_envelope_laws_begin_midway_between_their_envelopes(method):
    upper, lower = (1.0, 0.4), (-0.8, 0.3)
    u = 0.5
    middle = 0.5 * (upper[0] + upper[1] * u + lower[0] + lower[1] * u)
    for law in (
        ss.Duhem(rate=3.0, upper=upper, lower=lower),
        ss.ModifiedDahl(rate=3.0, exponent=0.4, upper=upper, lower=lower),
    ):
        assert first_force(law, u, **method) == pytest.approx(middle, rel=1e-12)


@pytest.mark.parametrize("method", METHODS, ids=lambda m: m["method"])
def test_envelope_laws_begin_with_the_force_that_they_are_given(method):
    upper, lower = (1.0, 0.4), (-0.8, 0.3)
    for law in (
        ss.Duhem(rate=3.0, upper=upper, lower=lower, start_force=-0.3),
        ss.ModifiedDahl(rate=3.0, exponent=0.4, upper=upper, lower=lower, start_force=-0.3),
        ss.ModifiedDahl(rate=3.0, exponent=0.4, upper=upper, lower=(-0.8, 0.3, 0.1), start_force=-0.3),
    ):
        assert first_force(law, 0.5, **method) == pytest.approx(-0.3, rel=1e-12)
        assert first_force(law.scaled(deflection=2.0, force=5.0), 0.25, **method) == pytest.approx(-1.5, rel=1e-12)


@pytest.mark.parametrize("name", [name for name in LAWS if name not in RELAXING])
@pytest.mark.parametrize("u", [0.0, 0.35, -0.6])
def test_a_run_and_a_law_by_itself_begin_alike(name, u):
    law = LAWS[name]
    problem = pose(standing(law, u))
    own = law.start(u)
    force = sum(
        e.force * e.law.update(e.scale * u, 0.0, memory)[0]
        for e, memory in zip(problem.elements, problem.start_memories(), strict=True)
    )
    assert force == pytest.approx(law.update(u, 0.0, own)[0], rel=1e-13, abs=1e-15)
    # and what they do next is alike too, there and back
    path = u + 0.4 * np.sin(np.linspace(0.0, 9.0, 31))
    memories, together = problem.start_memories(), own
    for at in path.tolist():
        parts = [e.law.update(e.scale * at, 0.0, m) for e, m in zip(problem.elements, memories, strict=True)]
        memories = [part[1] for part in parts]
        f, together = law.update(at, 0.0, together)
        assert sum(e.force * part[0] for e, part in zip(problem.elements, parts, strict=True)) == pytest.approx(
            f, rel=1e-12, abs=1e-14
        )
