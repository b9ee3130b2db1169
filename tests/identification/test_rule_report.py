"""Fits begin with the papers' rules and report them beside their own numbers; results of rules are shown and drawn."""

from __future__ import annotations

import dataclasses
import re
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from identification.synthetic_loops import DAHL, FIBRE, MASING, rig, swings
from matplotlib.figure import Figure

import slipstick as ss

BLIMAN = ss.BlimanSorine(stiffness=20.0, limit=1.2, overshoot_limit=0.5, ratio=0.2)
DUHEM = ss.Duhem(rate=5.0, upper=(1.0, 0.3), lower=(-1.2, 0.2))


def fibre(noise: float = 0.0) -> list[ss.Loop]:
    return swings(FIBRE, (5e-4, 1e-3, 2e-3, 4e-3, 7e-3, 1e-2), cycles=3.25, samples=2601, noise=noise, seed=1)


# ---- beside a fit


def test_the_masing_numbers_stand_beside_the_fit_with_the_rules_that_gave_them() -> None:
    loop = rig(MASING)
    fit = ss.identify(loop, ss.Masing)
    by_hand = ss.rules.damping_from_energy(loop)
    assert set(fit.rules) == set(fit.parameters)
    assert fit.rules["damping"] == (by_hand.damping, "damping_from_energy")
    assert fit.rules["limit"] == (by_hand.geometry.limit, "masing_geometry")
    for name, own in fit.rules.items():
        assert own.value == pytest.approx(fit.parameters[name].value, rel=0.02), name
    assert fit.rules.refusals == ()
    assert f"by the paper's rule {by_hand.geometry.limit:.4g} (masing_geometry)" in repr(fit)


def test_the_modified_dahl_numbers_stand_beside_the_fit() -> None:
    loop = rig(DAHL)
    fit = ss.identify(loop, ss.ModifiedDahl)
    by_hand = ss.rules.rate_and_exponent(loop)
    assert fit.rules["rate"] == (by_hand.rate, "rate_and_exponent")
    assert fit.rules["upper.1"] == (by_hand.upper[1], "envelopes")
    assert set(fit.rules) == set(fit.parameters)
    assert fit.rules["exponent"].value == pytest.approx(fit.law.exponent, rel=0.04)


def test_duhem_and_bliman_sorine_have_their_rules() -> None:
    fit = ss.identify(swings(DUHEM, (0.3, 2.0)), ss.Duhem)
    assert fit.rules["rate"].rule == "rate_from_area"
    assert fit.rules["rate"].value == pytest.approx(5.0, rel=1e-3)
    fit = ss.identify(swings(BLIMAN, (0.3, 2.0), samples=2001), ss.BlimanSorine)
    assert {own.rule for own in fit.rules.values()} == {"overshoot_dahl"}
    assert fit.rules["ratio"].value == pytest.approx(0.2, rel=0.02)


def test_dynamic_hysteresis_has_the_backbone_where_its_exponent_is_one() -> None:
    loops = swings(ss.DynamicHysteresis(stiffness=8.0, limit=0.7), (0.05, 0.3, 1.0))
    fit = ss.identify(loops, ss.DynamicHysteresis)
    assert fit.rules["stiffness"].value == pytest.approx(8.0, rel=1e-3)
    assert fit.rules["limit"] == (pytest.approx(0.7, rel=1e-3), "backbone")
    other = swings(ss.DynamicHysteresis(stiffness=8.0, limit=0.7, exponent=1.6), (0.05, 0.3, 1.0))
    fit = ss.identify(other, ss.DynamicHysteresis)
    assert fit.rules == {}
    assert fit.rules.refusals == ("backbone: the rule is for exponent 1, the law has 1.6",)


def test_the_fibres_numbers_come_from_the_backbone_and_the_overshoot() -> None:
    fit = ss.identify(fibre(), ss.FibreShear)
    assert {name: own.rule for name, own in fit.rules.items()} == {
        "stiffness": "backbone",
        "limit": "backbone",
        "linear": "backbone",
        "cubic": "backbone",
        "overshoot": "overshoot_dahl",
        "ratio": "overshoot_dahl",
    }
    for name, own in fit.rules.items():
        assert own.value == pytest.approx(getattr(FIBRE, name), rel=0.15), name
        assert fit.parameters[name].value == pytest.approx(getattr(FIBRE, name), rel=1e-6), name


def test_a_rule_that_does_not_apply_says_why_and_the_fit_goes_on() -> None:
    fit = ss.identify(fibre()[-2:], ss.FibreShear)
    assert fit.rules == {}
    (words,) = fit.rules.refusals
    assert words.startswith("backbone: a backbone with 4 numbers needs as many amplitudes, got 2")
    assert f"rule: {words}" in repr(fit)
    assert fit.law.limit == pytest.approx(FIBRE.limit, rel=1e-3)


def test_a_loop_without_times_has_its_skeleton_but_no_damper() -> None:
    loop = rig(MASING)
    fit = ss.identify(ss.Loop(loop.u, loop.f), ss.Masing)
    assert "limit" in fit.rules
    assert "damping" not in fit.rules
    assert any(words.startswith("damping_from_energy: ") and "no times" in words for words in fit.rules.refusals)


def test_an_envelope_that_is_not_reached_is_told() -> None:
    loop = swings(ss.Duhem(rate=1.0, upper=(1.0, 0.3), lower=(-1.2, 0.2)), (0.5,), cycles=6.25, samples=2001)
    fit = ss.identify(loop, ss.Duhem)
    assert fit.rules == {}
    assert "rate_from_area: amplitude 0.5: the upper envelope is not reached" in fit.rules.refusals[0]


def test_curved_envelopes_have_no_rule() -> None:
    law = ss.ModifiedDahl(rate=8.0, exponent=1.0, upper=(1.0, 0.3, 0.1), lower=(-1.0, 0.3, -0.1))
    fit = ss.identify(swings(law, (1.0,), samples=61), law, fixed={"exponent": 1.0})
    assert fit.rules.refusals == ("rate_and_exponent: the rule is for straight envelopes, the law has others",)


def test_a_law_without_rules_has_none() -> None:
    fit = ss.identify(swings(ss.Jenkins(stiffness=8.0, limit=1.0)), ss.Jenkins)
    assert fit.rules == {}
    assert fit.rules.refusals == ()


# ---- the results of rules


def every_result() -> dict[str, Any]:
    dahl, masing, curves = rig(DAHL, seconds=1.5), rig(MASING, seconds=1.5), fibre(20.0)
    backbone = ss.rules.backbone(curves)
    return {
        "envelopes": ss.rules.envelopes(dahl),
        "rate_and_exponent": ss.rules.rate_and_exponent(dahl),
        "rate_from_area": ss.rules.rate_from_area(swings(DUHEM, (2.0,))[0]),
        "masing_geometry": ss.rules.masing_geometry(masing),
        "damping_from_energy": ss.rules.damping_from_energy(masing),
        "backbone": backbone,
        "overshoot_dahl": ss.rules.overshoot_dahl(curves[-1], moduli=backbone.moduli),
        "overshoot_bliman_sorine": ss.rules.overshoot_bliman_sorine(swings(BLIMAN, (2.0,), samples=2001)[0]),
    }


@pytest.fixture(scope="module")
def results() -> dict[str, Any]:
    return every_result()


def test_a_result_is_printed_with_its_values_a_line_each(results: dict[str, Any]) -> None:
    for name, found in results.items():
        lines = str(found).splitlines()
        assert lines[0].startswith(type(found).__name__), name
        assert len(lines) > 3, name
    assert f"{results['rate_and_exponent'].rate:.6g}" in str(results["rate_and_exponent"])
    assert "limit" in str(results["masing_geometry"])


def test_a_result_is_told_in_the_units_of_its_loop() -> None:
    loop = rig(MASING)
    for system, units, axis in (
        ("translation", {"stiffness": "N/m", "limit": "N", "rising corner": "m"}, "force [N]"),
        ("rotation", {"stiffness": "N m/rad", "limit": "N m", "rising corner": "rad"}, "force [N m]"),
        ("stress", {"stiffness": "Pa", "limit": "Pa", "rising corner": "(slope"}, "stress [Pa]"),
    ):
        found = ss.rules.masing_geometry(loop.scaled(system=system))
        for name, unit in units.items():
            assert re.search(rf"^  {name} +\S+ {re.escape(unit)}( |$)", str(found), re.MULTILINE), (system, name)
        assert found.plot().axes[0].get_ylabel() == axis
    found = ss.rules.rate_and_exponent(rig(DAHL, noise=0.0))  # f' = rate (h - f)^0.37
    assert re.search(r"^  rate +\S+ N\^0\.63/m$", str(found), re.MULTILINE)


def test_a_result_cannot_be_changed(results: dict[str, Any]) -> None:
    for found in results.values():
        with pytest.raises(dataclasses.FrozenInstanceError):
            found.name = "other"


def test_a_result_is_drawn_over_its_loop(results: dict[str, Any]) -> None:
    for name, found in results.items():
        figure = found.plot()
        assert isinstance(figure, Figure), name
        (axes,) = figure.axes
        assert len(axes.lines) > 1, name
        assert axes.get_legend() is not None, name


def test_rules_are_a_name_of_slipstick_that_loads_nothing_heavy_before_it_is_used() -> None:
    assert "rules" in dir(ss)
    script = "import slipstick, sys; print('slipstick.identification.rules' in sys.modules)"
    assert (
        subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout == "False\n"
    )
    script = (
        "import slipstick as ss, sys; ss.rules.envelopes; print([m for m in ('scipy', 'xarray') if m in sys.modules])"
    )
    assert subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout == "[]\n"


@pytest.mark.parametrize("rule", [name for name in ss.rules.__all__ if name.islower() and "exponentials" not in name])
def test_a_rule_needs_a_loop(rule: str) -> None:
    for other in (3.0, None, "loop.csv", [1.0]):
        with pytest.raises(ss.InvalidInput, match=f"rules.{rule} needs a"):
            getattr(ss.rules, rule)(other)


@pytest.mark.parametrize("rule", [name for name in ss.rules.__all__ if name.islower() and "exponentials" not in name])
def test_a_loop_that_does_not_turn_is_refused(rule: str) -> None:
    loop = ss.Loop(np.linspace(0.0, 1.0, 50), np.linspace(0.0, 1.0, 50))
    with pytest.raises(ss.InvalidInput, match="the deflection does not turn"):
        getattr(ss.rules, rule)(loop)


def test_junk_is_refused_or_answered_but_never_fails_within() -> None:
    rng = np.random.default_rng(4)
    laws = [ss.Jenkins(stiffness=8.0, limit=1.0), ss.Freeplay(stiffness=3.0, half_gap=0.3), BLIMAN, MASING]
    one = [getattr(ss.rules, name) for name in ss.rules.__all__ if name.islower() and "exponentials" not in name]
    answered = refused = 0
    for _ in range(12):
        n = int(rng.choice([8, 9, 12, 20, 40, 150]))
        t = np.linspace(0.0, float(rng.choice([0.6, 1.3, 2.25])), n)
        u = float(rng.choice([0.05, 1.0, 30.0])) * np.sin(2.0 * np.pi * t + rng.uniform(0.0, 6.0))
        f = laws[rng.integers(len(laws))].trace(u, t) if rng.random() < 0.7 else np.zeros(n)
        f = f + float(rng.choice([0.0, 0.01, 0.5])) * rng.standard_normal(n)
        loop = ss.Loop(u, f, t if rng.random() < 0.7 else None)
        for rule in one:
            try:
                str(rule([loop, loop.scaled(deflection=0.5), loop.scaled(deflection=0.2)]) if rule is ss.rules.backbone
                    else rule(loop))  # fmt: skip
                answered += 1
            except ss.InvalidInput as problem:
                refused += "\n" not in str(problem)
    assert answered > 5
    assert answered + refused == 12 * len(one)
