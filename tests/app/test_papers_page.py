"""The page Papers in a browser: from the list to the files, with the numbers of the API."""

from __future__ import annotations

import math
import re

import pytest
from app_browser import unfold

import slipstick as ss
from slipstick.papers import NAMES, entries


def rows_of(page):
    """Cells of the table that is shown."""
    return [line.locator("td").all_inner_texts() for line in page.locator("section table.plain tbody tr").all()]


def choose(page, paper, name):
    unfold(page, page.get_by_text(re.compile(f"^{paper} \\(")))
    page.get_by_role("button", name=re.compile(f"^{re.escape(name)} ")).click()
    page.wait_for_selector("img.drawn")


def in_words(text):
    """As a browser shows it: spaces are one."""
    return " ".join(text.split())


def test_a_figure_is_made_turned_and_taken_away(open_page, tmp_path):
    page = open_page("/papers")
    page.get_by_text("Choose a figure").wait_for()
    choose(page, "Gear train", "Fig. 8")
    expected = ss.paper("gear", 8)
    assert rows_of(page) == [[in_words(cell) for cell in row.cells] for row in expected.rows]
    assert page.locator(".certificate").inner_text() == expected.certificate
    assert page.get_by_text(expected.method).count() == 1
    drawn = page.locator("img.drawn")
    assert drawn.evaluate("one => one.complete && one.naturalWidth > 400")

    assert page.get_by_text("The system opens").count() == 0  # it opens none
    hint = page.get_by_text("the figure below has other numbers than the fields")
    assert not hint.is_visible()
    page.get_by_label("limit").fill("0.9")
    hint.wait_for()
    page.get_by_role("button", name="Make").click()
    page.get_by_text("numbers changed: not the paper's case: limit 0.9 N (paper: 0.6 N)").wait_for()
    turned = ss.paper("gear", 8, numbers={"limit": 0.9})
    assert rows_of(page) == [[row.quantity, row.here] for row in turned.rows]

    assert not hint.is_visible()

    page.reload()
    page.wait_for_selector("img.drawn")
    assert page.get_by_label("limit").input_value() == "0.9"
    assert rows_of(page) == [[row.quantity, row.here] for row in turned.rows]
    files = {}
    for kind in ("PNG", "SVG", "netCDF"):
        with page.expect_download() as taken:
            page.get_by_role("button", name=f"download {kind}").click()
        files[kind] = tmp_path / taken.value.suggested_filename
        taken.value.save_as(files[kind])
    assert [path.name for path in files.values()] == [f"gear-8-changed{end}" for end in (".png", ".svg", ".nc")]
    assert files["PNG"].read_bytes().startswith(b"\x89PNG")
    assert b"<svg" in files["SVG"].read_bytes()
    again = ss.open(files["netCDF"])
    assert again.changed == turned.changed
    assert again.data.equals(turned.data)

    page.get_by_role("button", name="As printed").click()
    page.get_by_text("why they differ").wait_for()
    assert page.get_by_label("limit").input_value() == "0.6"
    assert page.get_by_role("button", name="Open this system").count() == 0  # it is of a block alone


def test_what_the_paper_says_and_what_is_here_can_be_read_on_a_narrow_screen(open_page):
    page = open_page("/papers", width=390)
    choose(page, "Gear train", "Fig. 8")
    table = page.locator("section table.beside")
    assert table.evaluate("one => one.scrollWidth <= one.parentElement.clientWidth")
    expected = ss.paper("gear", 8)
    assert rows_of(page) == [[in_words(cell) for cell in row.cells] for row in expected.rows]
    heads = "all => all.map(one => getComputedStyle(one, '::before').content)"
    assert page.locator(".beside tr:first-child td").evaluate_all(heads)[1:] == [
        '"paper"',
        '"here"',
        '"why they differ"',
    ]


@pytest.mark.parametrize(
    ("typed", "said"), [("7", "between 0.01 N and 0.95 N, got 7"), ("", "limit is empty"), ("x", "'x'")]
)
def test_a_number_that_cannot_be_is_refused_in_one_line(open_page, typed, said):
    page = open_page("/papers")
    choose(page, "Gear train", "Fig. 8")
    page.get_by_label("limit").fill(typed)
    page.get_by_label("limit").press("Enter")
    page.locator(".q-notification", has_text=said).wait_for()
    assert page.locator("img.drawn").count() == 1


def test_all_figures_are_listed_with_their_titles(open_page):
    page = open_page("/papers")
    page.wait_for_selector(".entries")
    there = [one for name in NAMES for one in entries(name)]
    texts = page.locator(".entries .entry").evaluate_all("all => all.map(one => one.textContent)")
    assert len(texts) == len(there)
    for text, one in zip(texts, there, strict=True):
        assert text.startswith(one.name + one.title)


def test_long_work_is_stopped_and_another_figure_can_be_chosen(open_page):
    page = open_page("/papers")
    unfold(page, page.get_by_text("Belt tensioner ("))
    page.get_by_role("button", name="Fig. 21b ").click()
    page.get_by_role("button", name="cancel").click()
    page.get_by_text("Not computed yet").wait_for()
    page.get_by_role("button", name="Fig. 21c ").click()
    page.get_by_role("status").get_by_text(re.compile(r"computing \d+ N")).wait_for()
    page.get_by_text(re.compile(r"running for [1-9]\d* s")).wait_for()
    page.get_by_role("button", name="Fig. 4 ").click()  # ends the other
    page.wait_for_selector("img.drawn")
    assert page.locator("section h2").inner_text() == "Belt tensioner, Fig. 4: two multi-valued graphs"


def test_a_system_is_opened_where_it_answers_and_other_tabs_keep_their_own(open_page):
    page = open_page("/papers")
    choose(page, "Gear train", "levels")
    other = open_page("/papers", context=page.context)
    other.get_by_text("Choose a figure").wait_for()
    choose(other, "Clutch", "Fig. 4")
    assert page.get_by_text("The system opens as the whole train.").count() == 1
    page.get_by_label("amplitude").fill("1.5")
    page.get_by_role("button", name="Open this system in Respond").click()
    page.wait_for_url(re.compile("/respond"))
    page.wait_for_selector("main h1")
    amplitude = page.get_by_role("textbox", name=re.compile("^amplitude"))
    amplitude.wait_for()
    assert float(amplitude.input_value()) == 1.5
    page.go_back()
    page.wait_for_selector("img.drawn")
    assert "Gear train" in page.locator("section h2").inner_text()
    assert "Clutch" in other.locator("section h2").inner_text()


def test_what_a_figure_warns_of_and_what_its_system_lacks_is_told(open_page):
    page = open_page("/papers")
    choose(page, "Torsional oscillator", "zeta")
    assert page.locator("section .warning").count() == 0
    page.get_by_label("swing").fill("0.9")
    page.get_by_role("button", name="Make").click()
    share = 100.0 * math.acos(0.5 / 0.9) / math.pi  # of a period in which 0.5 + 0.9 sin is below zero
    page.locator("section .warning", has_text=f"limit is negative for {share:.3g} %").wait_for()
    assert page.locator(".q-notification").count() == 0
    unfold(page, page.get_by_text("Belt tensioner ("))
    page.get_by_role("button", name="Fig. 17 ").click()
    said = "The system opens with the Masing law; rate and exponent stay here, since it has no such numbers."
    page.get_by_text(said).wait_for()


def test_a_table_of_printed_numbers_says_why_there_is_nothing_to_turn(open_page):
    page = open_page("/papers")
    choose(page, "Clutch", "Table 1")
    page.get_by_text("No number can be changed: these are the numbers of the print themselves").wait_for()
    assert page.locator(".fields input").count() == 0
