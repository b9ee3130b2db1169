"""What a law knows about itself: symmetry, passivity, linear and friction coefficients, its symbol in diagrams."""

from __future__ import annotations

import contextlib
from typing import Any

import numpy as np
import pytest
from laws.example_laws import every_law

import slipstick as ss
from slipstick.laws import LAWS as NAMES
from slipstick.laws import law_class, law_name, name_in_files
from slipstick.laws.base import Law
from slipstick.laws.closed_cycle import nested_twin, settled_twin
from slipstick.laws.diagram_symbols import DASHPOT, FRICTION, GAP, HYSTERESIS, SPRING
from slipstick.laws.faces import ContactJump, ElasticSlider, LinearForce, RigidFriction

LAWS = every_law()
T = np.linspace(0.0, 3.0, 601)
U = 1.3 * np.sin(2.0 * np.pi * T) * (1.0 + 0.5 * np.sin(0.7 * T))


@pytest.mark.parametrize("name", LAWS)
def test_a_law_is_odd_exactly_if_a_mirrored_motion_gives_the_mirrored_force(name: str) -> None:
    law = LAWS[name]
    force, mirrored = law.trace(U, T), law.trace(-U, T)
    agrees = np.allclose(mirrored, -force, rtol=1e-9, atol=1e-12)
    if law.is_odd:
        assert agrees
    elif name not in ("generalised-dahl", "impact"):  # nothing is known of its envelope; a stop is never reached here
        assert not agrees


@pytest.mark.parametrize("name", [name for name, law in LAWS.items() if law.is_passive])
def test_a_passive_law_never_supplies_more_than_it_stored(name: str) -> None:
    law = LAWS[name]
    memory, lost, last = law.start(0.0), 0.0, 0.0
    before = law.stored(0.0, memory)
    for u, v in zip(U[1:], np.gradient(U, T)[1:], strict=True):
        force, memory = law.update(float(u), float(v) if (u - last) * v > 0.0 else float(u - last), memory)
        lost += force * (u - last)
        after = law.stored(float(u), memory)
        last = u
        assert before is not None
        assert after is not None
        assert lost - (after - before) >= -1e-12  # the force at the end of a step is the larger one of a spring


def test_each_question_is_answered_by_the_law_it_is_about() -> None:
    linear = ss.Linear(stiffness=2.0, damping=0.3, preload=0.4)
    assert linear.linear_force == LinearForce(2.0, 0.3, 0.4)
    assert ss.Jenkins(stiffness=2.0, limit=0.6).elastic_slider == ElasticSlider(2.0, 0.6)
    assert ElasticSlider(2.0, 0.6).width == pytest.approx(0.3)
    assert ss.DryFriction(limit=0.7, damping=0.2).rigid_friction == RigidFriction(0.7, 0.2, None)
    varying = ss.DryFriction(limit=ss.Fourier(mean=1.0, cos=(0.5,)), static_limit=ss.Fourier(mean=2.0, cos=(1.0,)))
    assert varying.rigid_friction is None
    assert varying.leaves()[0].law.rigid_friction == RigidFriction(1.0, 0.0, 2.0)
    for law in LAWS.values():
        answers = (law.linear_force, law.rigid_friction, law.elastic_slider)
        assert sum(own is not None for own in answers) <= 1


def test_only_damped_sides_make_the_force_jump() -> None:
    assert ss.Freeplay(stiffness=3.0, half_gap=0.4).contact_jumps() == ()
    both = ss.Freeplay(stiffness=3.0, half_gap=0.4, damping=0.5).contact_jumps()
    assert both == (ContactJump(0.4, 3.0, 0.5, 1.0), ContactJump(-0.4, 3.0, 0.5, -1.0))
    for name in ("freeplay damped", "contact damped"):
        law = LAWS[name]
        for jump in law.contact_jumps():
            rate, past = 0.8 * jump.side, jump.deflection + 1e-9 * jump.side
            assert law.update(past, rate, ())[0] == pytest.approx(jump.damping * rate, rel=1e-6)
            assert law.update(jump.deflection, rate, ())[0] == 0.0


def test_a_diagram_shows_what_a_law_is() -> None:
    symbols = {
        "linear": SPRING, "polynomial": SPRING, "freeplay": GAP, "contact": GAP, "dry-friction": FRICTION,
        "sqrt-friction": FRICTION, "tanh-friction": FRICTION, "jenkins": HYSTERESIS, "masing": HYSTERESIS,
        "dahl": HYSTERESIS, "fibre-shear": HYSTERESIS, "sum": HYSTERESIS,
    }  # fmt: skip
    assert {name: LAWS[name].diagram_symbol for name in symbols} == symbols
    assert ss.Linear(damping=1.0).diagram_symbol == DASHPOT
    assert ss.Freeplay(stiffness=1.0, half_gap=0.1).scaled(force=2.0).diagram_symbol == GAP
    assert (ss.Linear(stiffness=1.0) + ss.Freeplay(stiffness=1.0, half_gap=0.1)).diagram_symbol == SPRING


class StickyWhenFast(ss.DryFriction):
    """With a force of its own."""

    def slide(self, u: float, v: float, memory: Any) -> tuple[float, Any]:
        return super().slide(u, v, memory)


class Renamed(ss.DryFriction):
    """The same force."""


def test_a_subclass_with_a_force_of_its_own_inherits_no_knowledge() -> None:
    own, same = StickyWhenFast(limit=1.0), Renamed(limit=1.0)
    assert same.rigid_friction == RigidFriction(1.0, 0.0, None)
    assert (same.is_passive, same.is_odd, same.diagram_symbol) == (True, True, FRICTION)
    assert own.rigid_friction is None
    assert (own.is_passive, own.is_odd) == (False, False)
    assert type(own).is_passive is Law.is_passive


@pytest.mark.parametrize("name", LAWS)
def test_a_law_is_linearised_in_exactly_its_states(name: str) -> None:
    law, accepted = LAWS[name], set()
    for state in ("stick", "slip", "contact", "free", "open", *(f"stage{i}" for i in range(9))):
        with contextlib.suppress(ss.InvalidInput):
            law.linearised(state)
            accepted.add(state)
    assert accepted == set(law.state_names)


@pytest.mark.parametrize("twin", [settled_twin, nested_twin])
def test_a_twin_on_closed_cycles_has_the_states_of_its_law(twin: Any) -> None:
    law = ss.DynamicHysteresis(stiffness=1.5, limit=0.8)
    assert twin(law).state_names == law.state_names
    for state in (None, *law.state_names):
        assert twin(law).linearised(state) == law.linearised(state)


# ---- names and words


@pytest.mark.parametrize("name", NAMES)
def test_a_law_has_a_title_and_is_found_by_its_name(name: str) -> None:
    kind = law_class(name)
    assert law_name(kind) == name == name_in_files(kind.__name__)
    assert kind.words is not None
    assert kind.words.title[0] != " "


def test_a_capital_after_two_small_letters_begins_a_word_of_a_name() -> None:
    names = {"ModifiedDahl": "modified-dahl", "LuGre": "lugre", "BoucWen": "bouc-wen", "Iwan4": "iwan4"}
    assert {cls: name_in_files(cls) for cls in names} == names


def test_the_title_says_what_is_given() -> None:
    words = ss.Linear.words
    assert words is not None
    assert words.title_of(("stiffness", "damping")) == "linear spring and damper"
    assert words.title_of(("stiffness",)) == "linear spring"
    assert words.title_of(("damping",)) == "viscous damper"


def test_an_example_gives_parameters_and_the_card_a_sentence() -> None:
    words = ss.Jenkins.words
    assert words is not None
    assert ss.Jenkins(**words.example_values) == ss.Jenkins(stiffness=4e5, limit=120.0)
    assert words.first_use.startswith("The simplest law")
    assert words.first_use.count(". ") == 0
