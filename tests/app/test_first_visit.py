"""A first visit in a browser: results arrive without moving the page, terms and keys explain themselves."""

import json
from typing import Any

import numpy as np

import slipstick as ss

MAX_SHIFT = 0.05  # sum of the layout shifts while results arrive
RECORD_SHIFTS = """
window.shifts = [];
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shifts.push(entry.value);
}).observe({type: "layout-shift", buffered: true});
"""
SETTLED = "!document.querySelector('.stale') && !document.querySelector('.preview')?.innerText"


def shift(page: Any) -> float:
    """The sum of the shifts since the last call."""
    return float(sum(page.evaluate("window.shifts.splice(0)")))


def drawn(page: Any, place: str = "") -> None:
    """Wait until all figures are drawn."""
    page.wait_for_function(
        "(place) => { const all = [...document.querySelectorAll(place + '.js-plotly-plot')];"
        " return all.length && all.every((own) => own.querySelector('.main-svg')); }",
        arg=place,
    )


def test_results_arrive_without_moving_the_page(open_page, tmp_path):
    t = np.linspace(0.0, 20.0, 2001)
    u = 3.0 * np.sin(2.0 * np.pi * 0.2 * t)
    force = ss.Masing(stiffness=150.0, limit=180.0, parallel_stiffness=20.0).trace(u, t)
    noise = np.random.default_rng(1).standard_normal(t.size)
    rows = np.column_stack([t, u, force + 5.0 * noise])
    file = tmp_path / "rig.csv"
    np.savetxt(file, rows, delimiter=",", header="t [s],u [mm],F [N]", comments="")

    page = open_page("/identify")
    page.evaluate(RECORD_SHIFTS)
    page.set_input_files("main input[type=file]", file)
    page.get_by_text("What was measured").wait_for()
    drawn(page)
    assert shift(page) < MAX_SHIFT
    page.get_by_role("button", name="fit masing").click()
    page.get_by_role("button", name="use this law in a model").wait_for()
    drawn(page)
    assert shift(page) < MAX_SHIFT

    mark = page.locator("th", has_text="loss factor").locator(".help")
    mark.focus()
    assert page.locator("#help-tip").inner_text() == mark.get_attribute("data-help")
    page.keyboard.press("Escape")
    page.locator("#help-tip").wait_for(state="hidden")

    page.get_by_role("button", name="use this law in a model").click()
    page.wait_for_selector("section b:text-is('identified')")
    line = page.locator(".cm-line", has_text="stiffness:").first
    line.click()
    page.keyboard.press("End")
    page.keyboard.press("Enter")
    page.keyboard.press("Control+Space")
    page.locator(".cm-tooltip-autocomplete li", has_text="reverse_limit").wait_for()
    page.keyboard.press("Escape")
    page.keyboard.press("Control+z")
    line.locator("span").first.hover()
    page.locator(".key-help", has_text="spring of the slider").wait_for()

    page.get_by_role("link", name="its response").click()
    page.wait_for_selector(".curve .main-svg")
    page.evaluate(RECORD_SHIFTS)  # with the shifts since the page was opened
    page.wait_for_function(SETTLED)
    drawn(page)
    assert shift(page) < MAX_SHIFT

    page.get_by_role("button", name="keep this setting").click()
    page.get_by_label("name of a kept setting").fill("as measured")
    page.keyboard.press("Enter")
    before = page.evaluate("document.querySelector('.curve').data.at(-1).text?.[0]")
    page.get_by_label("forcing.amplitude [N]").fill("90")
    page.keyboard.press("Enter")
    page.wait_for_function(f"document.querySelector('.curve').data.at(-1).text?.[0] !== {json.dumps(before)}")
    page.wait_for_function(f"{SETTLED} && document.querySelector('.curve').data[0].name === 'as measured'")
    page.locator("th", has_text="as measured").wait_for()

    page.locator(".curve-and-orbit [role=group]").focus()
    page.keyboard.press("ArrowRight")
    page.wait_for_selector(".curve-and-orbit.open .history .main-svg")
    curve, orbit = (page.locator(place).first.bounding_box() for place in (".curve", ".drawer"))
    assert orbit["x"] >= curve["x"] + curve["width"]  # beside it, both in sight
    assert orbit["y"] < curve["y"] + curve["height"]
