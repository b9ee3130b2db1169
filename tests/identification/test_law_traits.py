"""What identification knows of each law: starts that fit, figures by closed forms, and the same for subclasses."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import numpy as np
import pytest
from identification.synthetic_loops import MASING, rig, swings

import slipstick as ss
from slipstick.identification.law_names import identified_law_names
from slipstick.identification.preparing.prepared_loop import prepare_loops
from slipstick.identification.rules.rule_report import REPORTS
from slipstick.identification.search.start_values import start_laws_of
from slipstick.laws import law_class
from slipstick.laws.base import Law

KINDS = [law_class(name) for name in identified_law_names()]
LOOPS = swings(ss.Masing(stiffness=8.0, limit=1.0, parallel_stiffness=1.0), amplitudes=(0.3, 1.0))


# ---- all of them


def test_a_law_with_a_function_or_without_a_loop_has_no_start_values() -> None:
    smooth = {"sqrt-stage", "tanh-stage", "sqrt-friction", "tanh-friction", "sqrt-stribeck", "tanh-stribeck"}
    assert not {"generalised-dahl", *smooth} & set(identified_law_names())


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_starts_of_a_law_are_of_its_kind(kind: type[Law]) -> None:
    starts = start_laws_of(kind, [r.geometry for r in prepare_loops(LOOPS)])
    assert starts
    assert all(type(start) is kind for start in starts)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_what_is_known_of_a_law_is_of_its_own_numbers(kind: type[Law]) -> None:
    own = kind.identification
    names = {f.name for f in fields(kind)}
    start = start_laws_of(kind, [r.geometry for r in prepare_loops(LOOPS)])[-1]
    assert {*own.held, *own.linear, *own.not_below, *own.not_below.values(), *own.search_factor} <= names
    assert own.paper_rules in ("", *REPORTS)
    assert not own.between_envelopes or {"upper", "lower"} <= names
    assert len({quantity.name for quantity in own.derived}) == len(own.derived)
    assert all(np.isfinite(quantity.of(start)) for quantity in own.derived)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_a_subclass_is_known_as_the_law_it_comes_from(kind: type[Law]) -> None:
    same = type("Same", (kind,), {"__module__": __name__, "__annotations__": {}})
    assert same.identification is kind.identification
    starts = start_laws_of(same, [r.geometry for r in prepare_loops(LOOPS)])
    assert all(type(start) is same for start in starts)


class Rubber(ss.Masing):
    """Masing under another name."""


class Aged(ss.Masing):
    """With a number that no loop tells."""

    years: float


class Softer(ss.Jenkins):
    """With a force of its own."""

    def update(self, u: float, v: float, memory: Any) -> tuple[float, Any]:
        return 0.5 * self.stiffness * u, memory


def test_a_subclass_of_masing_is_identified_with_figures_and_rules() -> None:
    fit = ss.identify(rig(MASING), Rubber)
    assert type(fit.law) is Rubber
    assert fit.law.limit == pytest.approx(MASING.limit, rel=0.02)
    assert fit.derived["slip_begins"].value == pytest.approx(MASING.limit / MASING.stiffness, rel=0.02)
    assert fit.rules["limit"].rule == "masing_geometry"


def test_nothing_is_known_of_another_force() -> None:
    assert Softer.identification is Law.identification
    assert not Softer.has_start_values()
    for kind in (Softer, Aged):
        with pytest.raises(ss.InvalidInput, match=f"{kind.__name__} has no start values; give a law"):
            ss.identify(LOOPS, kind)


# ---- what is held


def test_without_times_dampers_of_both_terms_are_held() -> None:
    law = ss.Linear(stiffness=1.0) + ss.Masing(stiffness=8.0, limit=1.0)
    loop = ss.Loop(LOOPS[1].u, LOOPS[1].f)
    fit = ss.identify(loop, law, fixed={"1.parallel_stiffness": 0.0, "1.preload": 0.0})
    assert all(fit.parameters[f"{k}.damping"].fixed and fit.parameters[f"{k}.damping"].value == 0.0 for k in (0, 1))
    assert any("no times are given, so 0.damping and 1.damping are held at 0" in words for words in fit.notes)


def test_the_amplitude_of_bouc_and_wen_is_held_in_a_sum_unless_it_is_asked_for() -> None:
    law = ss.BoucWen(stiffness=8.0, ratio=0.1, beta=4.0, gamma=4.0, exponent=1.0, A=1.0)
    loops = swings(law, samples=301)
    fit = ss.identify(loops, "linear+bouc-wen", fixed={"preload": 0.0, "damping": 0.0, "ratio": 0.1})
    assert fit.parameters["A"].fixed
    assert fit.law.terms[1].law.A == 1.0
    asked = ss.identify(loops, law, bounds={"A": (0.9, 1.1)}, fixed={"stiffness": 8.0, "exponent": 1.0})
    assert not asked.parameters["A"].fixed


# ---- figures


def test_each_slider_of_a_sum_begins_to_slip_by_itself() -> None:
    law = ss.Jenkins(stiffness=8.0, limit=1.0) + ss.Jenkins(stiffness=3.0, limit=1.5)
    fit = ss.identify(swings(law, amplitudes=(0.3, 1.0)), law)
    assert fit.derived["0.slip_begins"].value == pytest.approx(1.0 / 8.0, rel=1e-6)
    assert fit.derived["1.slip_begins"].value == pytest.approx(1.5 / 3.0, rel=1e-6)


def test_figures_of_a_scaled_law_are_those_of_the_loop() -> None:
    """3 * law(2 u): half of the way is as far, three times the force is its force, and six times its stiffness."""
    inner = ss.Masing(stiffness=8.0, limit=1.0, parallel_stiffness=1.0)
    law = inner.scaled(deflection=2.0, force=3.0)
    fit = ss.identify(swings(law, amplitudes=(0.1, 0.4)), law, fixed={"damping": 0.0, "preload": 0.0})
    assert fit.derived["slip_begins"].value == pytest.approx(0.0625, rel=1e-6)
    assert fit.derived["initial_stiffness"].value == pytest.approx(6.0 * 9.0, rel=1e-6)


def test_the_interval_of_a_figure_is_not_narrow_at_a_bound() -> None:
    """k + p has the deviation of p where k is all but known; half of the difference lies beyond the bound of p."""
    loops = swings(ss.Masing(stiffness=8.0, limit=1.0, parallel_stiffness=1.0), noise=0.02)
    held = {"stiffness": 8.0, "damping": 0.0, "preload": 0.0, "limit": 1.0}
    free = ss.identify(loops, ss.Masing, fixed=held).parameters["parallel_stiffness"]
    bound = ss.identify(loops, ss.Masing, fixed=held, bounds={"parallel_stiffness": (None, free.value - 1e-9)})
    assert bound.derived["initial_stiffness"].deviation == pytest.approx(free.deviation, rel=1e-3)
