"""One sentence behind a "?" for each term; figures with a crosshair, and without tools that lose the settings."""

import re

import pytest
from headless_page import in_a_page
from nicegui import ui

from slipstick.app import plotly_figures, widgets
from slipstick.app.terms import TERMS, help_mark, sentence_of


@pytest.mark.parametrize("term", TERMS)
def test_each_term_has_one_plain_sentence(term):
    sentence = TERMS[term]
    assert re.fullmatch(r"[A-Z9Y].*\.", sentence)
    assert len(re.findall(r"\.(\s|$)", sentence)) == 1
    assert len(sentence.split()) < 25
    assert term == term.lower()


def test_a_head_with_a_unit_is_explained_and_its_text_stays():
    assert sentence_of("noise [N]") == sentence_of("Noise") == TERMS["noise"]
    assert help_mark("nothing known") == ""

    async def story(_client):
        widgets.table(("loop", "noise [N]"), [("a", "1")], numbers=1)
        (shown,) = [own.content for own in ui.context.client.elements.values() if isinstance(own, ui.html)]
        return shown

    shown = in_a_page(story)
    head = re.search(r'<th class="n">(.*?)</th>', shown)[1]
    assert re.sub("<.*?>", "", head) == "noise [N]"  # the style sheet draws the sign
    assert TERMS["noise"] in head
    assert shown.count("<button") == 1


def test_figures_have_a_crosshair_reserved_height_and_no_picture_without_settings():
    figure = plotly_figures.figure([], plotly_figures.axis("time", "s"), plotly_figures.axis("force", "N"), height=321)
    for axis in ("xaxis", "yaxis"):
        assert figure["layout"][axis]["showspikes"]
    assert "toImage" in figure["config"]["modeBarButtonsToRemove"]

    async def story(_client):
        return widgets.plot(figure).style["min-height"]

    assert in_a_page(story) == "321px"
