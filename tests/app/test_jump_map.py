"""The page Respond: jump maps, their words and pictures, their files, and one map in the browser."""

import csv
import re
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from headless_page import in_a_page
from test_model_page import DROP
from test_respond_components import say_nothing
from test_respond_page import downloaded

import slipstick as ss
from slipstick.app.model_choice import ModelChoice
from slipstick.app.respond import jump_map, tasks
from slipstick.app.respond.equivalent_code import jump_map_code
from slipstick.app.respond.jump_map import MapRequest, make_map, map_figure, map_parameters
from slipstick.app.respond.jump_map_panel import STALE_MAP_TEXT, JumpMapPanel
from slipstick.app.respond.model_parameters import with_parameter
from slipstick.app.respond.page_state import RespondState
from slipstick.errors import InvalidInput
from slipstick.results.jump_map import JumpLimit, JumpMap

RATTLER = """
slipstick: 1
name: rattler
coordinates: {x: {inertia: 1 kg}}
connections:
  spring: {deflection: x, law: linear, stiffness: 1 N/m, damping: 0.1 N s/m}
  stop: {deflection: x, law: freeplay, stiffness: 2 N/m, half_gap: 1000 mm}
loads:
  - {on: x, cosine: {amplitude: 150 mN, order: 1}}
"""
CHOICE = ModelChoice(system="", text=RATTLER, name="rattler.yaml")
REQUEST = MapRequest("forcing.amplitude", 50.0, 300.0, 0.8, 2.0)  # mN, rad/s


@pytest.fixture(scope="module")
def made():
    shares = []
    result = make_map(lambda _, share: shares.append(share), CHOICE, REQUEST)
    return result, shares


def by_api():
    return CHOICE.build().jump_map("forcing.amplitude", (0.05, 0.3), (0.8, 2.0))


def cut_short(**changes):
    """A map of another outcome."""
    base = JumpMap("forcing.amplitude", (0.05, 0.3), (0.8, 2.0), (), ((0.05, 0.3),), (), "rattler", "N")
    return jump_map.map_display(CHOICE, replace(base, **changes), REQUEST)


def test_a_map_is_that_of_the_api_in_the_units_of_the_page(made):
    (result, shares), found = made, by_api()
    (x, y, closed), limit = result.display.curves[0], found.largest_without_jump
    np.testing.assert_allclose(x, found.data["frequency"], rtol=1e-9)
    np.testing.assert_allclose(y, 1e3 * found.data["parameter"], rtol=1e-9)
    assert closed
    assert result.display.unit == "mN"
    words = result.display.certificate
    assert words.verdict.startswith(f"largest forcing.amplitude without a jump: {1e3 * limit.value:.6g} ± ")
    assert words.passed
    assert shares == sorted(shares)
    assert shares[-1] == 0.99  # folds of piecewise-linear laws are looked for once


def test_what_is_not_known_is_amber_and_said():
    limit = JumpLimit(0.1, float("nan"), 1.0, "unknown")
    ends = cut_short(jump_free=((0.05, 0.1),), unknown=((0.1, 0.3),), limits=(limit,)).certificate
    assert (ends.verdict, ends.kind) == (
        "no jump found up to forcing.amplitude 100 mN; UNKNOWN beyond it",
        "unknown",
    )
    at_lowest = cut_short(jump_free=(), unknown=((0.05, 0.3),)).certificate
    assert at_lowest.kind == "unknown"
    assert at_lowest.verdict.startswith("UNKNOWN: ")
    rough = cut_short(jump_free=((0.05, 0.1),), limits=(JumpLimit(0.1, 0.01, 1.0, "turn"),)).certificate
    assert rough.kind == "unknown"  # an error of a tenth is not small
    no_error = cut_short(jump_free=((0.05, 0.1),), limits=(JumpLimit(0.1, float("nan"), 1.0, "cusp"),)).certificate
    assert no_error.kind == "unknown"
    assert "not known" in no_error.verdict
    assert cut_short().certificate.passed
    assert cut_short(jump_free=()).certificate.verdict.startswith("jumps begin at or below")


def test_the_picture_has_regions_limits_and_unknown_ranges(made):
    names = [trace["name"] for trace in map_figure(made[0].display)["data"]]
    assert names == ["several motions", "fold", "limit"]
    unknown = map_figure(cut_short(jump_free=(), unknown=((0.05, 0.3),)))["data"]
    assert [trace["name"] for trace in unknown] == ["unknown"]
    assert (min(unknown[0]["y"]), max(unknown[0]["y"])) == pytest.approx((50.0, 300.0))
    assert map_figure(cut_short())["layout"]["annotations"][0]["text"] == "no folds in this range"


def test_files_carry_the_certificate_and_the_settings(made):
    result, words = made[0], made[0].display.certificate.verdict
    head, first, *_ = csv.reader(
        tasks.result_file_bytes(say_nothing, result.data, "csv", "", words).decode().splitlines()
    )
    assert head == ["curve of folds", "frequency [rad/s]", "forcing.amplitude [mN]", "certificate", "settings"]
    assert first[3] == words
    assert "jumps of forcing.amplitude 50 to 300 over 0.8 to 2 rad/s, 5 values" in first[4]
    assert tasks.result_file_bytes(say_nothing, result.data, "png", "", words).startswith(b"\x89PNG")


def test_the_script_makes_the_same_map(made, tmp_path, monkeypatch):
    code = jump_map_code(say_nothing, CHOICE, REQUEST)
    assert not code.command  # no study makes maps
    monkeypatch.chdir(tmp_path)
    names: dict = {}
    exec(code.python, names)
    np.testing.assert_allclose(1e3 * names["found"].data["parameter"], made[0].display.curves[0][1], rtol=1e-9)
    assert (tmp_path / "jumps.png").exists()


def test_a_tuned_damper_and_a_parameter_that_is_gone_are_refused():
    with pytest.raises(InvalidInput, match="tuned to each frequency"):
        make_map(say_nothing, ModelChoice("tensioner"), replace(REQUEST, parameter="forcing.1.amplitude"))
    with pytest.raises(InvalidInput, match="the model has no number"):
        make_map(say_nothing, CHOICE, replace(REQUEST, parameter="belt.width"))


def test_a_system_offers_the_numbers_of_its_model():
    own = jump_map.default_parameter(map_parameters(ModelChoice("torsional")))
    assert own.name == "forcing.amplitude"
    assert own.value == ss.systems.torsional().loads[0].function.amplitude


def test_a_map_is_dimmed_when_a_number_or_a_field_changes(made):
    async def story(_):
        state = RespondState()
        state.set_model(CHOICE, tasks.describe_model(say_nothing, CHOICE))
        state.map_request, state.map = REQUEST, made[0]
        panel = JumpMapPanel(SimpleNamespace(worker_pool=None), state, lambda: None)
        assert panel._status.text == ""
        panel._low.set_value("60")
        assert panel._status.text == STALE_MAP_TEXT
        assert "stale" in panel._results.classes
        assert panel._current_result() == (None, "")
        panel._low.set_value("50")
        assert "stale" not in panel._results.classes
        state.set_choice(with_parameter(CHOICE, "spring.damping", 0.2))
        await panel.update()
        assert "stale" in panel._results.classes
        panel._levels.set_value("1")
        with pytest.raises(InvalidInput, match="values must be a whole number from 2 to 50, got 1"):
            panel._read()
        panel._parameter.set_value("spring.stiffness")  # a range about its value
        assert (panel._low.value, panel._high.value, panel._low.label) == ("0.2", "2", "from [N/m]")

    in_a_page(story)


def test_a_map_from_its_button_to_its_file(open_page):
    page = open_page("/model")
    page.get_by_role("button", name="model file").click()
    page.wait_for_selector(".cm-content")
    page.evaluate(DROP, ["rattler.yaml", RATTLER])
    page.wait_for_selector("section b:text-is('rattler')")
    page.get_by_role("link", name="its response").click()
    page.get_by_role("button", name="jump map").click()
    fields = {"from [mN]": "50", "to [mN]": "300", "frequency from [rad/s]": "0.8", "frequency to [rad/s]": "2"}
    for label, value in fields.items():
        page.get_by_label(label, exact=True).fill(value)
    page.get_by_role("button", name="make the map").click()
    place = page.locator(".certificate", has_text="without a jump")
    place.wait_for()
    limit = by_api().largest_without_jump
    assert f"{1e3 * limit.value:.6g} ±" in place.inner_text()
    assert "passed" in place.get_attribute("class")
    page.wait_for_function("document.querySelector('.jump-map.js-plotly-plot')?.data?.length === 3")
    table = downloaded(page, re.compile("CSV"), "main .stack:has(> .jump-map)").path().read_text()
    assert table.startswith("curve of folds,frequency [rad/s],forcing.amplitude [mN]")
    page.get_by_label("to [mN]", exact=True).fill("250")
    page.get_by_text(STALE_MAP_TEXT).wait_for()
    assert page.locator(".stale .jump-map").count() == 1
