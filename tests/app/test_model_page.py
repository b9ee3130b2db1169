"""The page Model: from a published system or a dropped file to a reduced model, as a user goes."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from app_browser import unfold

import slipstick as ss

HOSTILE = """slipstick: 1
name: '<img src=x onerror=alert(1)> $x_{'
coordinates: {x: {inertia: 1 kg}}
connections:
  a & b: {deflection: x, law: linear, stiffness: 3 N/m}
"""
DROP = """([name, text]) => {
  const data = new DataTransfer();
  data.items.add(new File([text], name));
  const place = document.querySelector(".cm-content");
  for (const kind of ["dragenter", "dragover", "drop"])
    place.dispatchEvent(new DragEvent(kind, {dataTransfer: data, bubbles: true, cancelable: true}));
}"""


def rows(page: Any, head: str) -> list[list[str]]:
    """The rows of the table whose first column has this head."""
    table = page.locator("table", has=page.locator(f"th:text-is('{head}')")).first
    return [row.locator("td").all_inner_texts() for row in table.locator("tbody tr").all()]


def connection(page: Any, name: str) -> list[str]:
    """The lines of a connection's row: its name, its deflection, its laws with their numbers."""
    (row,) = [row for row in rows(page, "connection") if row[0].startswith(f"{name}\n")]
    return "\n".join(row).splitlines()


def seen(page: Any, name: str) -> None:
    """Wait until a model of this name is shown, with nothing wrong."""
    page.wait_for_selector(f"section b:text-is('{name}')")
    page.locator(".stale").wait_for(state="detached")


def downloaded(page: Any, button: str, folder: Path) -> Path:
    with page.expect_download() as waiting:
        page.get_by_role("button", name=button, exact=True).click()
    path = folder / waiting.value.suggested_filename
    waiting.value.save_as(path)
    return path


def text_of(page: Any) -> str:
    lines = "[...document.querySelectorAll('.cm-line')].map((line) => line.textContent).join('\\n')"
    return str(page.evaluate(lines))


def test_a_published_system_is_changed_reduced_and_taken_along(open_page: Any, tmp_path: Path) -> None:
    page = open_page("/model")
    seen(page, "torsional")
    # (5) of the paper: theta'' + 2 zeta theta' + theta + N Sgn(theta') = sin(W tau)
    first = page.locator(".equations p").first.inner_text()
    assert re.sub(r"\s", "", first) == "mθθ″+cshaftθ′+kshaftθ+FfrictionSgn(θ′)=pθ"

    page.get_by_role("button", name="gear train").click()
    seen(page, "gear train")
    page.get_by_label("resisting [N m]").fill("0.4")
    page.get_by_text("more numbers").click()
    page.get_by_label("input stiffness [N m/rad]").fill("50")
    page.wait_for_selector("dd:text-is('50 N m/rad')")
    model = ss.systems.gear(resisting=0.4, input_stiffness=50.0)
    assert [row[0] for row in rows(page, "coordinate")] == [c.name for c in model.coordinates]
    assert rows(page, "coordinate")[0] == ["psi", "0.05 kg m²", "at rest"]
    assert [row[0].splitlines()[0] for row in rows(page, "connection")] == [c.name for c in model.connections]
    freeplay = ["Freeplay", "stiffness", "50 N m/rad", "half gap", "0.02 rad"]
    assert connection(page, "input") == ["input", "on psi - delta", *freeplay]
    assert rows(page, "load on") == [["psi", "cosine of 2 N m at the base frequency"], ["phi", "-0.4 N m, constant"]]
    assert page.locator(".equations p").count() == len(str(model.equations()).splitlines())
    assert ss.open(downloaded(page, "model", tmp_path)) == model

    page.get_by_label("resisting [N m]").fill("1,000")  # one, or a thousand?
    page.wait_for_selector("text=it may mean 1.000 or 1000")
    page.get_by_label("resisting [N m]").fill("0.5")
    page.wait_for_selector("td:has-text('-0.5 N m')")  # ticks are of what was looked at
    model = ss.systems.gear(resisting=0.5, input_stiffness=50.0)

    for name in ("delta", "gamma"):
        for words in ("no inertia", "no friction"):
            row = page.locator(f".ticks > div:text-is('{name}') + div")
            row.get_by_role("checkbox", name=words).click()
    light = ["delta", "gamma"]
    red = model.reduce(massless=light, frictionless=light)
    page.wait_for_selector(f".steps li:nth-child({len(red.steps)})")
    told = page.locator(".steps li").all_inner_texts()
    assert all(step.says in words and step.assumed in words for step, words in zip(red.steps, told, strict=True))
    assert ss.open(downloaded(page, "the reduced model", tmp_path)) == red.model

    page.reload()
    page.wait_for_selector(f".steps li:nth-child({len(red.steps)})")
    page.get_by_role("button", name="go on with it").click()
    seen(page, red.model.name)
    assert "reduced by slipstick: massless delta, gamma" in text_of(page)
    assert page.get_by_role("link", name="its response").get_attribute("href").endswith("/respond")


def test_a_text_is_checked_while_one_types(open_page: Any, tmp_path: Path) -> None:
    page = open_page("/model")
    page.get_by_role("button", name="model file").click()
    page.wait_for_selector(".empty")
    page.get_by_role("button", name="a commented starter").click()
    seen(page, "starter")
    content = page.get_by_label("model file", exact=True).and_(page.locator(".cm-content"))
    page.locator(".cm-line", has_text="name: starter").click()
    page.keyboard.press("End")
    page.keyboard.type("\nfrequenzy: 3", delay=20)
    page.wait_for_selector(".cm-line.bad-line")
    assert page.locator(".cm-line.bad-line").inner_text() == "frequenzy: 3"
    assert 'did you mean "frequency"?' in page.locator(".problem", has_text="line 9").inner_text()
    assert page.locator(".stale img.diagram").count() == 1
    content.blur()
    page.locator(".cm-focused").wait_for(state="detached")
    page.get_by_role("button", name="line 9").click()
    page.wait_for_selector(".cm-focused")
    page.keyboard.press("Shift+End")
    page.keyboard.type("#")
    seen(page, "starter")
    page.locator(".bad-line").wait_for(state="detached")

    page.evaluate(DROP, ["<b>hostile</b>.yaml", HOSTILE])
    seen(page, "<img src=x onerror=alert(1)> $x_{")
    assert connection(page, "a & b") == ["a & b", "on x", "Linear spring", "stiffness", "3 N/m"]
    assert page.locator("img").count() == 1
    assert "a & b on x" in page.locator("img.diagram").get_attribute("alt")
    assert downloaded(page, "model", tmp_path).read_text() == HOSTILE

    page.evaluate(DROP, ["beam.yaml", "slipstick: 1\nmatrices: beam.npz\n"])
    page.wait_for_selector(".problem:has-text('none is opened from here')")
    page.evaluate(DROP, ["loop.csv", "u,f\n1,2\n"])
    page.wait_for_selector(".q-notification:has-text('the page Identify')")
    page.evaluate(DROP, ["long.yaml", "x" * 600_000])
    page.wait_for_selector(".q-notification:has-text('at most 500,000 bytes')")
    page.reload()
    page.wait_for_selector(".problem:has-text('none is opened from here')")
    assert text_of(page).startswith("slipstick: 1\nmatrices: beam.npz")
    other = open_page("/model", context=page.context)
    seen(other, "torsional")


def test_no_comment_of_a_text_is_cut_off(open_page: Any) -> None:
    for width in (1280, 390):
        page = open_page("/model", width=width)
        page.get_by_role("button", name="model file").click()
        page.get_by_role("button", name="a commented starter").click()
        seen(page, "starter")
        hidden = "(box) => box.scrollWidth - box.clientWidth"
        assert page.locator(".cm-scroller").evaluate(hidden) <= 0
        assert page.locator("html").evaluate(hidden) <= 0


def test_words_that_change_nothing_leave_what_is_shown_as_it_is(open_page: Any) -> None:
    page = open_page("/model")
    page.get_by_role("button", name="model file").click()
    page.get_by_role("button", name="a commented starter").click()
    seen(page, "starter")
    unfold(page, page.get_by_text("numbers behind the symbols"))
    page.locator(".symbols").wait_for()
    page.locator(".ticks > div:text-is('plate') + div").get_by_role("checkbox", name="no inertia").click()
    page.wait_for_selector(".steps li")
    page.evaluate("document.querySelector('table.connections').id = 'mine'")
    page.locator(".cm-line").first.click()
    page.keyboard.press("Control+Home")
    page.keyboard.type("words: 1\n")
    page.get_by_text("one problem to correct").wait_for()
    page.keyboard.press("Control+Home")
    page.keyboard.type("# ")
    page.get_by_text("one problem to correct").wait_for(state="detached")  # what is a comment now was looked at
    assert page.locator("#mine").count() == 1
    assert page.locator(".symbols").first.is_visible()
    page.locator(".cm-line", has_text="name: starter").click()
    page.keyboard.press("End")
    page.keyboard.type("s")
    seen(page, "starters")
    assert page.locator("#mine").count() == 0
    page.get_by_role("button", name="a commented starter").click()
    seen(page, "starter")
    assert page.locator(".steps li").count() == 0


@pytest.mark.long
def test_what_is_typed_is_not_lost_by_what_is_done_at_once_after_it(open_page: Any) -> None:
    page = open_page("/model")
    page.get_by_role("button", name="model file").click()
    page.get_by_role("button", name="a commented starter").click()
    seen(page, "starter")

    def put(words: str) -> None:
        page.locator(".cm-line").first.click()
        page.keyboard.press("Control+Home")
        page.keyboard.type(f"# {words}\n")

    put("one")
    page.get_by_role("button", name="published system").click()
    seen(page, "torsional")
    page.get_by_label("mean", exact=True).fill("0.7")
    page.get_by_role("button", name="model file").click()
    seen(page, "starter")
    assert "# one" in text_of(page)
    put("two")
    page.get_by_role("link", name="its response").click()
    page.wait_for_selector("h1:text-is('Respond')")
    page.get_by_role("link", name="Model", exact=True).click()
    seen(page, "starter")
    assert "# two" in text_of(page)
    put("three")
    page.reload()
    seen(page, "starter")
    assert "# three" in text_of(page)
    page.get_by_role("button", name="published system").click()
    seen(page, "torsional")
    assert page.get_by_label("mean", exact=True).input_value() == "0.7"
    page.get_by_label("mean", exact=True).fill("0.8")
    page.get_by_role("button", name="fibre mount").click()
    seen(page, "shear mount")
    page.get_by_role("button", name="oscillator").click()
    seen(page, "torsional")
    assert page.get_by_label("mean", exact=True).input_value() == "0.8"


LAW = """# paste this under connections: of a model
  identified:
    deflection: u        # put your coordinates here
    law: jenkins
    stiffness: 998.4 N/mm  # 95 %: 990 to 1007
    limit: 25 N            # 95 %: 24 to 26
"""


def test_what_was_edited_and_replaced_is_brought_back_also_after_a_reload(open_page: Any, tmp_path: Path) -> None:
    page = open_page("/model")
    page.get_by_role("button", name="model file").click()
    page.get_by_label("model file", exact=True).and_(page.locator(".cm-content")).wait_for()
    page.evaluate(DROP, ["belt.yaml", HOSTILE.replace("'<img src=x onerror=alert(1)> $x_{'", "belt")])
    seen(page, "belt")
    assert page.locator(".former").count() == 0
    page.locator(".cm-content").click()
    page.keyboard.press("Control+Home")
    page.keyboard.type("# my own words\n")
    while not downloaded(page, "model", tmp_path).read_text().startswith("# my own words"):
        """Until it has come to the server."""
    page.evaluate(DROP, ["loop-jenkins.yaml", LAW])
    seen(page, "identified")
    assert page.get_by_text("this file was a law alone, so a mass and a load were assumed").is_visible()
    assert "stiffness: 998.4 N/mm  # 95 %: 990 to 1007" in text_of(page)
    page.reload()
    seen(page, "identified")
    page.get_by_role("button", name="belt.yaml").click()
    seen(page, "belt")
    assert text_of(page).startswith("# my own words")
    page.get_by_role("button", name="loop-jenkins.yaml").wait_for()
    assert page.get_by_text("this file was a law alone").count() == 0


def test_a_law_that_is_pasted_is_made_a_model_of_on_request(open_page: Any) -> None:
    page = open_page("/model")
    page.get_by_role("button", name="model file").click()
    page.locator(".cm-content").click()
    page.keyboard.insert_text(LAW)
    page.get_by_text("this is a law alone").wait_for()
    page.get_by_role("button", name="make a small model of this law").click()
    seen(page, "identified")
