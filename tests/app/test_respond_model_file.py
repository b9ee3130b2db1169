"""The page Respond with a model file in mm, g and Hz: what it shows and hands over is what the API finds."""

import csv
import math

import pytest
from test_model_page import DROP
from test_respond_page import CURVE, cells, curve, downloaded, field, followed_curve, settled

import slipstick as ss

SLIDE = """
slipstick: 1
name: slide on rails
frequency: 12 Hz
coordinates:
  slide: {inertia: 400 g}
  block: {inertia: 2 kg}
connections:
  mount: {deflection: slide, law: polynomial, coefficients: [0 N, 3 N/mm, 0 N/mm^2, 20 N/mm^3], damping: 1 N s/m}
  link: {deflection: slide - block, law: linear, stiffness: 30 N/mm, damping: 4 N s/m}
  rail: {deflection: block, sum: [{law: jenkins, stiffness: 9 N/mm, limit: 0.3 N}, {law: linear, stiffness: 4 N/mm}]}
loads:
  - {on: slide, cosine: {amplitude: 0.9 N, order: 1, phase: 30 deg}}
"""


@pytest.mark.long
def test_a_text_in_mm_and_hz_from_its_knobs_to_one_of_three_motions(open_page, tmp_path):
    page = open_page("/model")
    page.get_by_role("button", name="model file").click()
    page.wait_for_selector(".cm-content")
    page.evaluate(DROP, ["slide.yaml", SLIDE])
    page.wait_for_selector("section b:text-is('slide on rails')")
    page.get_by_role("link", name="its response").click()
    settled(page)
    assert field(page, "slide.inertia [g]").input_value() == "400"
    assert [page.get_by_label(f"{word} [Hz]", exact=True).input_value() for word in ("from", "to")] == ["4.8", "19"]

    field(page, "slide.inertia [g]").fill("0,41e3")  # a comma for the decimals
    field(page, "slide.inertia [g]").press("Enter")
    page.wait_for_function(f"{CURVE}.data[0].x.length < 120")
    settled(page)
    (tmp_path / "slide.yaml").write_text(SLIDE.replace("400 g", "410 g"))
    model = ss.open(tmp_path / "slide.yaml")
    x, y = curve(page)
    by_api = model.frequency_response(at=[ss.hz(own) for own in x])
    assert y == pytest.approx(1e3 * by_api.data["amplitude"].sel(coordinate="slide").values, rel=1e-6)

    page.get_by_role("button", name="follow the curve").click()
    followed_curve(page)
    traced = model.frequency_response(between=(ss.hz(4.8), ss.hz(19.0)))
    folds = [each["frequency"] / math.tau for each in traced.special if each["kind"] == "fold"]
    assert [row[1] for row in cells(page, "special point") if row[0] == "fold"] == [f"{own:.6g}" for own in folds]
    head, *rows = csv.reader(downloaded(page, "data (CSV)").path().read_text().splitlines())
    table = {name: [row[i] for row in rows] for i, name in enumerate(head)}
    assert [float(own) for own in table["frequency [Hz]"]] == pytest.approx(traced.data["frequency"].values / math.tau)
    block = traced.data["amplitude"].sel(coordinate="block").values
    assert [float(own) for own in table["amplitude of block [mm]"]] == pytest.approx(1e3 * block)

    page.get_by_label("frequency [Hz]", exact=True).fill(f"{sum(folds) / 2:.4f}")
    page.get_by_role("button", name="nearest orbit").click()
    page.wait_for_selector("text=2 other motions at this frequency")
    assert dict(cells(page, "figure"))["stability"].startswith("stable")
    others = page.locator(".others button")
    assert sorted(own.rpartition(", ")[2] for own in others.all_inner_texts()) == ["stable", "unstable"]
    others.filter(has_text="unstable").click()
    page.wait_for_selector("td:has-text('UNSTABLE')")
    page.wait_for_selector("text=2 other motions at this frequency")
    ring = page.evaluate(f"{CURVE}.data.find(t => t.name === 'shown orbit').y[0]")
    unstable = page.evaluate(f"{CURVE}.data.find(t => t.name === 'unstable').y")
    assert ring in unstable


def test_a_text_with_a_problem_is_told_where_its_last_state_is_answered_for(open_page):
    page = open_page("/model")
    page.get_by_role("button", name="model file").click()
    page.locator(".cm-content").wait_for()
    page.evaluate(DROP, ["slide.yaml", SLIDE])
    page.locator("section b", has_text="slide on rails").wait_for()
    page.locator(".stale").wait_for(state="detached")
    page.evaluate(DROP, ["slide.yaml", SLIDE.replace("2 kg", "2 kgg")])
    page.get_by_text("one problem to correct").wait_for()
    page.get_by_role("link", name="Respond").click()
    page.get_by_text("The text on the page Model has a problem.").wait_for()
    page.get_by_role("link", name="Model", exact=True).click()
    page.get_by_text("one problem to correct").wait_for()
    assert page.get_by_text("looking at the model ...").count() == 0
    page.evaluate(DROP, ["slide.yaml", SLIDE])
    page.locator("section b", has_text="slide on rails").wait_for()
    page.get_by_role("link", name="Respond").click()
    page.locator(".knob").first.wait_for()
    assert page.get_by_text("on the page Model has a problem").count() == 0
