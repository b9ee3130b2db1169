"""What all pages have in common."""

import re
import time
from itertools import product

import pytest
from app_browser import READY, Server, opening
from test_respond_page import settled
from test_server import descendants, run_for_hours

ANYTHING_OF_A_PAGE = {
    "/start": ".start-cards", "/identify": ".law-cards svg", "/model": "img.diagram",
    "/respond": ".certificate", "/papers": ".entries",
}  # fmt: skip
DROP_A_LOOP = """(place) => {
  const rows = Array.from({length: 200}, (_, k) => [k / 100, Math.sin(k / 9), Math.sin(k / 9 + 0.4)].join(","));
  const data = new DataTransfer();
  data.items.add(new File([["t [s],u [mm],F [N]", ...rows].join("\\n")], "own.csv"));
  for (const kind of ["dragover", "drop"])
    place.dispatchEvent(new DragEvent(kind, {dataTransfer: data, bubbles: true, cancelable: true}));
}"""


@pytest.mark.parametrize("path", ["/identify", "/model", "/respond", "/papers"])
def test_every_page_opens_leads_to_the_others_and_is_not_wider_than_the_screen(open_page, path):
    page = open_page(path)
    assert page.locator("nav a").all_inner_texts() == ["Identify", "Model", "Respond", "Papers"]
    assert page.locator("nav a[aria-current=page]").get_attribute("href").endswith(path)
    assert "token" not in page.url
    for width in (1280, 390):
        page.set_viewport_size({"width": width, "height": 900})
        page.wait_for_function(f"document.documentElement.scrollWidth <= {width}")


def test_axe_finds_nothing_on_any_page_light_or_dark(open_page):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    page, found = open_page("/start"), []
    for scheme, (path, ready) in product(("light", "dark"), ANYTHING_OF_A_PAGE.items()):
        page.emulate_media(color_scheme=scheme)
        page.goto(re.sub(r"/\w+(\?.*)?$", path, page.url))
        page.wait_for_selector(ready)
        page.wait_for_selector("body.body--dark" if scheme == "dark" else "body:not(.body--dark)")
        violations = axe.run(page).response["violations"]
        found += [f"{path} {scheme} {own['id']}: {own['nodes'][0]['html']}" for own in violations]
    assert not found, "\n".join(found)
    assert page.locator("html").get_attribute("lang") == "en"


def test_the_first_page_shows_an_example_and_a_file_may_be_dropped_anywhere(open_page):
    page = open_page("/start")
    page.get_by_role("button", name="a measured loop").click()
    page.get_by_text("loss factor", exact=True).wait_for()
    page.locator("h1").evaluate(DROP_A_LOOP)
    page.get_by_text("own.csv").first.wait_for()
    assert not page.get_by_text("tensioner-masing-synthetic.csv.gz").count()
    page.get_by_role("link", name="Respond").click()
    slider = page.get_by_role("slider", name="damping ratio")
    slider.wait_for()
    assert slider.get_attribute("aria-valuetext") == "0.05"


def test_only_a_picture_that_is_gone_when_it_is_told_of_its_size_does_not_complain(open_page):
    page, complaints = open_page("/respond"), []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    gone = "({ Plotly }) => { Plotly.Plots.resize(document.createElement('div')); }"
    page.evaluate(f"import('nicegui-plotly').then({gone})")
    page.wait_for_timeout(500)
    assert complaints == []


def test_what_else_goes_wrong_in_the_browser_is_seen_by_the_tests(server, chromium):
    def stumble():
        with opening(server, chromium) as open_page:
            page = open_page("/papers")
            with page.expect_event("pageerror"):
                page.evaluate("() => { Promise.reject(new Error('out of paper')); }")

    with pytest.raises(AssertionError, match="out of paper"):
        stumble()


@pytest.mark.parametrize("path", ["/model", "/papers"])
def test_whoever_goes_by_the_keyboard_sees_where_he_is(open_page, path):
    page = open_page(path)
    page.wait_for_selector("section")
    look = "(one => [one.tagName, getComputedStyle(one).outlineStyle, getComputedStyle(one).boxShadow])"
    found = []
    for _ in range(9):
        page.keyboard.press("Tab")
        found.append(page.evaluate(f"{look}(document.activeElement)"))
    assert {"A", "BUTTON"} <= {tag for tag, _, _ in found}
    marked = [outline == "solid" or shadow != "none" for tag, outline, shadow in found if tag != "INPUT"]
    assert all(marked), found  # fields have a frame of their own


def test_dark_is_kept_over_pages(open_page):
    page = open_page("/model")
    page.get_by_label("light or dark").click()
    page.wait_for_selector("body.body--dark")
    page.get_by_role("link", name="Respond").click()
    page.wait_for_url(re.compile("respond"))
    page.wait_for_selector("main h1")
    assert "body--dark" in page.locator("body").get_attribute("class")


def test_the_token_leaves_the_address_also_of_those_who_are_known(open_page):
    page = open_page("/model")
    again = open_page("/papers", context=page.context)
    assert again.url.endswith("/papers")


def test_what_a_page_computes_ends_when_it_is_left(open_page, server):
    page = open_page("/respond")
    settled(page)  # nothing else is computed
    before = set(descendants(server.process.pid))
    run_for_hours(page)
    page.get_by_text("waiting for a free process").wait_for(state="hidden")
    assert set(descendants(server.process.pid)) == before
    assert page.get_by_role("button", name="cancel").is_visible()
    page.get_by_role("link", name="Model", exact=True).click()
    page.wait_for_url(re.compile("model"))
    page.wait_for_selector("main h1")
    until = time.monotonic() + READY
    while len(before - set(descendants(server.process.pid))) == 0 and time.monotonic() < until:
        time.sleep(0.1)
    assert len(before - set(descendants(server.process.pid))) == 1  # it was killed, and another one began
    assert "Traceback" not in server.log.read_text()


OTHER_PAGES = """
import warnings
import other_pages  # tasks come from modules, not from the main script
from nicegui import ui
from slipstick.app import pages, server, widgets
from slipstick.app.page_frame import Page
from slipstick.errors import InvalidInput

def warn(_):
    warnings.warn("limit is cut off at zero", stacklevel=1)

async def failing(context):
    widgets.heading("Failing")
    widgets.note("reading ...")
    raise InvalidInput("mass must be > 0, got -1")

def warning(context):
    widgets.heading("Warning")
    run = widgets.with_error_notification(lambda: context.worker_pool.run(other_pages.warn, None))
    ui.button("compute", on_click=run)

if __name__ == "__main__":
    widgets.MIN_DISPLAY_TIME = 3600.0  # [s]: a busy machine is slow to close it
    pages.PAGES = (Page("/failing", "Failing", failing), Page("/warning", "Warning", warning))
    server.serve(port=0, browser=False, print_line=lambda line: print(line, flush=True))
"""


def test_a_page_that_fails_says_why_and_what_tasks_warn_of_is_shown(tmp_path, chromium):
    script = tmp_path / "other_pages.py"
    script.write_text(OTHER_PAGES)
    server = Server(tmp_path, script=script)
    try:
        with opening(server, chromium) as open_page:
            page = open_page("/failing")
            page.get_by_text("could not be shown").wait_for()
            assert page.locator("main .problem").all_inner_texts() == ["mass must be > 0, got -1"]
            assert page.locator("main h1").all_inner_texts() == ["Failing"]
            assert page.get_by_text("reading ...").count() == 0
            page.get_by_role("link", name="Warning").click()
            page.get_by_role("button", name="compute").click()
            said = page.locator(".q-notification", has_text="limit is cut off at zero")
            said.get_by_role("button", name="close").click()
            said.wait_for(state="detached")
    finally:
        server.stop()
