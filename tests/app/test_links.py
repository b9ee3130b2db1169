"""Addresses, undo and redo on the pages Identify, Model and Papers, in a browser."""

import numpy as np
from app_browser import unfold

import slipstick as ss


def button(page, name):
    return page.get_by_role("button", name=name, exact=True)


# the address at the moment at which a result leaves the page
ADDRESS_THEN = """() => {
    const isThere = () => [...document.querySelectorAll("h2")].some((h) => h.innerText.startsWith("What was found"));
    const look = () => { if (!isThere()) { window.addressThen = location.href; observer.disconnect(); } };
    const observer = new MutationObserver(look);
    observer.observe(document.body, {subtree: true, childList: true});
}"""


def test_links_and_undo_bring_back_data_with_their_fit(open_page, tmp_path):
    t = np.linspace(0.0, 15.0, 601)
    u = 3e-3 * np.sin(2.0 * np.pi * 0.2 * t)
    force = ss.Jenkins(stiffness=1.5e5, limit=180.0).trace(u, t) + np.random.default_rng(2).standard_normal(t.size)
    file = tmp_path / "rig.csv"
    np.savetxt(file, np.column_stack([t, u, force]), delimiter=",", header="t [s],u [m],F [N]", comments="")

    page = open_page("/identify")
    page.set_input_files("main input[type=file]", file)
    page.get_by_text("What was measured").wait_for()
    page.wait_for_url("**/identify?state=*")
    measured = page.url
    button(page, "fit masing").click()
    page.get_by_text("What was found").wait_for()
    unfold(page, page.get_by_text("signs, drift, offset, holes"))
    page.get_by_role("checkbox", name="remove drift from cycle to cycle").click()
    page.get_by_text("What was found").wait_for(state="detached")
    page.wait_for_function("(before) => location.href !== before", arg=measured)
    button(page, "undo").click()
    page.get_by_text("What was found").wait_for()  # with the result of these data, at once
    page.wait_for_url(measured)
    page.evaluate(ADDRESS_THEN)
    button(page, "redo").click()
    page.get_by_text("What was found").wait_for(state="detached")
    assert page.evaluate("window.addressThen") != measured  # from the first moment: "back" leads one step back
    page.go_back()
    page.get_by_text("What was found").wait_for()

    other = page.context.new_page()  # a copied link, in another tab
    other.goto(measured)
    other.get_by_text("What was found").wait_for()
    other.goto(measured.replace("state=", "state=x"))  # leads nowhere: the tab keeps its work
    other.get_by_text("this link leads to work that slipstick no longer has").wait_for()
    other.get_by_text("What was found").wait_for()
    other.get_by_text("known parameters", exact=True).click()
    other.get_by_label("hold", exact=True).fill("damping=0")
    other.get_by_text("This result was found with other known parameters").wait_for()
    assert button(other, "use this law in a model").is_disabled()
    other.get_by_label("hold", exact=True).fill("")
    other.get_by_text("This result was found with other known parameters").wait_for(state="hidden")
    assert button(other, "use this law in a model").is_enabled()


def test_undo_back_and_links_on_the_page_model(open_page):
    page = open_page("/model")
    page.get_by_role("link", name="its response").wait_for()
    button(page, "open as text").click()
    page.wait_for_url("**/model?text=*")
    text = page.url
    page.locator(".cm-content").wait_for()
    button(page, "undo").click()
    page.wait_for_url("**/model?system=torsional*")
    page.locator(".cm-content").wait_for(state="detached")
    page.go_back()
    page.wait_for_url(text)
    page.locator(".cm-content").wait_for()

    other = page.context.new_page()
    other.goto(text)
    other.locator(".cm-content").wait_for()
    other.goto(text.replace("/model", "/respond"))  # the page Respond takes the same model
    other.locator("h2", has_text="torsional").wait_for()


def test_back_and_links_on_the_page_papers(open_page):
    page = open_page("/papers")
    page.get_by_text("Choose a figure").wait_for()
    page.goto(page.url + "?paper=gear&figure=8&limit=0.8")  # as a bookmark does
    page.get_by_text("limit 0.8 N (paper: 0.6 N)").wait_for()
    button(page, "As printed").click()
    page.wait_for_function("!location.search.includes('limit')")
    page.get_by_text("limit 0.8 N (paper: 0.6 N)").wait_for(state="detached")
    page.go_back()
    page.get_by_text("limit 0.8 N (paper: 0.6 N)").wait_for()
    assert page.get_by_label("limit").input_value() == "0.8"
