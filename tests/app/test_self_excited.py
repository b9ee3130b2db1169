"""The page Respond: limit cycles of models without forcing, rest, and steady sliding over the speed of a belt."""

import math
import re
from types import SimpleNamespace

import numpy as np
import pytest
from headless_page import in_a_page
from test_model_page import DROP
from test_respond_components import say_nothing
from test_respond_page import cells, downloaded

from slipstick.app.model_choice import ModelChoice
from slipstick.app.project.project_file import Project, RespondPart, read_project, write_project
from slipstick.app.respond import tasks
from slipstick.app.respond.equivalent_code import cycle_code
from slipstick.app.respond.jump_map import MapRequest
from slipstick.app.respond.model_parameters import with_parameter
from slipstick.app.respond.page_state import RespondState
from slipstick.app.respond.self_excited import CycleRequest, find_cycle, self_excitation, steady_figure
from slipstick.app.respond.self_excited_panel import FORCED_TEXT, STALE_CYCLE_TEXT, SelfExcitedPanel
from slipstick.errors import InvalidInput
from slipstick.study.limit_cycle import RUN_SAMPLES

BELT = """
slipstick: 1
name: belt
coordinates:
  belt: {motion: {ramp: 800 mm/s}}
  block: {inertia: 1 kg, displacement: 2 m}
connections:
  spring: {deflection: block, law: linear, stiffness: 1 N/m, damping: 0.1 N s/m}
  pad: {deflection: block - belt, law: dry-friction, limit: 500 mN, static_limit: 1 N, stribeck_velocity: 500 mm/s, stribeck_exponent: 1}
"""  # noqa: E501
CHOICE = ModelChoice(system="", text=BELT, name="belt.yaml")
REQUEST = CycleRequest(80.0, (300.0, 2500.0))
# friction falls by (1 - 0.5) / 0.5 exp(-v / 0.5) N s/m, the damper of the spring gives 0.1 N s/m
HOPF = 1e3 * 0.5 * math.log((1.0 - 0.5) / 0.5 / 0.1)  # mm/s


@pytest.fixture(scope="module")
def found():
    shares = []
    result = find_cycle(lambda _, share: shares.append(share), CHOICE, REQUEST)
    return result, shares


def fast(speed):
    return with_parameter(CHOICE, "belt.motion.rate", speed)


def test_a_cycle_is_that_of_the_api_with_its_multipliers(found):
    (result, shares), model = found, CHOICE.build()
    orbit = model.limit_cycle(model.simulate(80.0, samples=RUN_SAMPLES))
    figures = dict(result.cycle.display.figures)
    assert figures["period"] == f"{orbit.period:.6g} s"
    assert figures["stability"].startswith("stable")
    assert result.cycle.display.multipliers[0] == pytest.approx((1.0, 0.0), abs=1e-6)
    assert result.cycle.display.certificate.passed
    assert shares == sorted(shares)


def test_steady_sliding_loses_its_stability_at_the_hopf_point_of_closed_form(found):
    steady = found[0].steady
    kind, speed, frequency, _ = steady.special[0]
    assert kind == "hopf"
    assert (speed, frequency) == pytest.approx((HOPF, 1.0), rel=1e-8)
    assert (steady.name, steady.unit) == ("belt.speed", "mm/s")
    for v, growth, stable in zip(steady.speed, steady.growth, steady.stable, strict=True):
        damping = 0.1 - math.exp(-v / 500.0)  # of both, N s/m
        assert growth == pytest.approx(-0.5 * damping, abs=1e-6)
        assert stable == (v > HOPF)
    traces = {trace["name"]: trace for trace in steady_figure(steady)["data"]}
    assert traces["unstable"]["line"]["dash"] == "dash"
    assert traces["hopf"]["x"] == pytest.approx([HOPF], rel=1e-8)


def test_a_model_that_comes_to_rest_says_so_in_one_line():
    result = find_cycle(say_nothing, fast(3.0), CycleRequest(100.0, (2000.0, 4000.0)))
    assert result.cycle is None
    assert result.why_none.startswith("The model comes to rest: at the end of the run it moves by ")
    assert all(result.steady.stable)
    assert not result.steady.special


def test_a_model_with_a_varying_load_is_refused_before_its_run():
    torsional = ModelChoice("torsional")
    assert not self_excitation(torsional, torsional.build()).possible
    with pytest.raises(InvalidInput, match="varies in time"):
        find_cycle(say_nothing, torsional, CycleRequest(1e9))


def test_the_script_and_the_study_give_the_same_cycle(found, tmp_path, monkeypatch):
    code = cycle_code(say_nothing, CHOICE, REQUEST, True)
    monkeypatch.chdir(tmp_path)
    names: dict = {}
    exec(code.python, names)
    assert dict(found[0].cycle.display.figures)["period"] == f"{names['cycle'].period:.6g} s"
    np.testing.assert_allclose(names["steady"].special[0]["parameter"], 1e-3 * HOPF, rtol=1e-8)
    assert code.file_text.endswith("limit_cycle:\n  until: 80.0 s\n")
    assert "limit_cycle" not in cycle_code(say_nothing, CHOICE, REQUEST, False).python


def test_a_motion_is_dimmed_when_a_number_or_a_field_changes(found):
    async def story(_):
        state = RespondState()
        state.set_model(CHOICE, tasks.describe_model(say_nothing, CHOICE))
        state.cycle_request, state.cycle = REQUEST, found[0]
        panel = SelfExcitedPanel(SimpleNamespace(worker_pool=None), state, lambda: None)
        assert [own.label for own in panel._speeds] == ["speed from [mm/s]", "speed to [mm/s]"]
        assert panel._status.text == ""
        panel._until.set_value("90")
        assert panel._status.text == STALE_CYCLE_TEXT
        assert panel._current_cycle() == (None, "")
        panel._until.set_value("80")
        assert "stale" not in panel._results.classes
        state.set_choice(fast(0.9))
        await panel.update()
        assert "stale" in panel._results.classes

        forced = RespondState()
        forced.set_model(ModelChoice("torsional"), tasks.describe_model(say_nothing, ModelChoice("torsional")))
        other = SelfExcitedPanel(SimpleNamespace(worker_pool=None), forced, lambda: None)
        assert any(FORCED_TEXT in getattr(own, "content", "") for own in other._results.descendants())

    in_a_page(story)


def test_a_project_keeps_what_was_asked_for():
    asked = MapRequest("pad.limit", 100.0, 900.0, 0.5, 2.0, 7, True)
    part = RespondPart(map_request=asked, cycle_request=REQUEST, view="jump map")
    kept = read_project(write_project(Project(respond=part)), "rig.slipstick").respond
    assert (kept.map_request, kept.cycle_request, kept.view) == (asked, REQUEST, "jump map")


def test_a_limit_cycle_from_its_button_to_its_file(open_page):
    page = open_page("/model")
    page.get_by_role("button", name="model file").click()
    page.wait_for_selector(".cm-content")
    page.evaluate(DROP, ["belt.yaml", BELT])
    page.wait_for_selector("section b:text-is('belt')")
    page.get_by_role("link", name="its response").click()
    page.get_by_role("button", name="self-excited").click()
    page.get_by_label("run for [s]").fill("80")
    page.get_by_role("button", name="find the motion").click()
    page.locator(".self-excited .history").wait_for()
    rows = dict(cells(page, "figure"))
    model = CHOICE.build()
    assert rows["period"] == f"{model.limit_cycle(model.simulate(80.0, samples=RUN_SAMPLES)).period:.6g} s"
    assert cells(page, "belt.speed [mm/s]")[0][:2] == ["hopf", f"{HOPF:.6g}"]
    assert downloaded(page, re.compile("CSV"), ".self-excited").path().read_text().startswith("time [s],")
    page.get_by_label("run for [s]").fill("90")
    page.get_by_text(STALE_CYCLE_TEXT).wait_for()
