"""Settings that are kept on the page Respond: names, colours, figures, differences, and the way back."""

from dataclasses import replace
from types import SimpleNamespace

import pytest
from headless_page import in_a_page
from nicegui import ui
from test_respond_components import say_nothing

from slipstick.app.linked_states import LinkedStates
from slipstick.app.model_choice import ModelChoice
from slipstick.app.project.project_file import Project, RespondPart, read_project, write_project
from slipstick.app.respond import tasks
from slipstick.app.respond.kept_panel import TOO_MANY_TEXT, KeptPanel
from slipstick.app.respond.kept_settings import (
    KEPT_COLOURS,
    MAX_KEPT,
    MAX_NAME_LENGTH,
    KeptSetting,
    kept_curves,
    plain_setting_name,
    renamed,
    with_setting,
)
from slipstick.app.respond.model_parameters import with_parameter
from slipstick.app.respond.page import RespondPage
from slipstick.app.respond.page_state import RespondState
from slipstick.app.respond.response_figures import curve_figure
from slipstick.app.respond.setting_comparison import comparison_heads, setting_differences
from slipstick.errors import InvalidInput
from slipstick.plot import style


def settled(mean):
    """The state of the page with a small curve of the torsional system."""
    state, choice = RespondState(), with_parameter(ModelChoice("torsional"), "mean", mean)
    state.set_model(choice, tasks.describe_model(say_nothing, choice))
    state.curve = tasks.preview_curve(say_nothing, choice, state.begin, state.end, 5)
    return state


@pytest.fixture(scope="module")
def three():
    """Three states with different means."""
    return [settled(mean) for mean in (0.5, 0.4, 0.3)]


def test_each_setting_has_a_letter_and_a_colour_of_its_own():
    kept = ()
    for _ in range(MAX_KEPT):
        kept = with_setting(kept, KeptSetting([]))
    assert [own.name for own in kept] == list("ABCDEF")
    assert len({own.line_colour for own in kept}) == MAX_KEPT
    assert not {own.line_colour for own in kept} & {style.BLUE, style.ACCENT}  # those of the present curve
    fewer = (*kept[:1], *kept[2:])
    again = with_setting(fewer, KeptSetting([]))
    assert (again[-1].name, again[-1].line_colour) == ("B", KEPT_COLOURS[1])


def test_a_name_has_no_markup_and_is_given_once():
    kept = with_setting(with_setting((), KeptSetting([])), KeptSetting([]))
    assert [own.name for own in renamed(kept, 0, "  stiff   rig ")] == ["stiff rig", "B"]
    assert renamed(kept, 0, "B") == renamed(kept, 0, "  ") == kept
    assert plain_setting_name('<a href="javascript:x">y</a>\n') == 'a href="javascript:x"y/a'
    assert len(plain_setting_name("x" * 100)) == MAX_NAME_LENGTH


def test_a_project_of_a_stranger_cannot_bring_markup_in_names():
    part = RespondPart(kept=tuple(KeptSetting([], name=f"<b>{k}</b>", colour=k) for k in range(9)))
    opened = read_project(write_project(Project(respond=part)), "p").respond.kept
    assert len(opened) == MAX_KEPT
    assert opened[0].name == "b0/b"
    assert replace(opened[0], colour=-7).line_colour in KEPT_COLOURS


def test_all_kept_curves_are_drawn_and_compared_with_the_present_one(three):
    first, second, now = three
    kept = renamed(with_setting(with_setting((), first.setting()), second.setting()), 1, "soft")
    below = kept_curves(kept, now.curve)
    key = next(key for key, line in now.curve.display.panels.items() if line.what == "amplitude")
    traces = {each["name"]: each for each in curve_figure(now.curve.display, key, below, False)["data"]}
    for name, own in (("A", first), ("soft", second)):
        assert [y for y in traces[name]["y"] if y is not None] == own.curve.display.panels[key].y
        assert traces[name]["line"]["dash"] == "dash"
    assert traces["A"]["line"]["color"] != traces["soft"]["line"]["color"]
    assert comparison_heads(kept) == ("quantity", "unit", "A", "soft", "now")
    rows = {row[0]: row[2:] for row in setting_differences(kept, now.setting())}
    assert rows["mean"] == ("0.5", "0.4", "0.3")
    peaks = [own.curve.display.peaks[0] for own in three]
    assert rows[f"peak of {peaks[0].name}"] == tuple(peak.size_text for peak in peaks)


def test_one_more_than_the_most_is_refused_with_a_way_out(three):
    state = replace(three[0], kept=tuple(KeptSetting([], name=str(k), colour=k) for k in range(MAX_KEPT)))

    async def story(_client):
        with pytest.raises(InvalidInput, match=TOO_MANY_TEXT):
            KeptPanel(state, lambda: None, lambda _: None).keep()

    in_a_page(story)


def test_the_page_returns_to_a_kept_setting_and_that_can_be_undone(three):
    state = replace(three[0], kept=())
    choice = state.choice

    class Pool:
        async def run(self, task, _progress, *given, **named):
            return task(say_nothing, *given, **named)

    async def story(_client):
        context = SimpleNamespace(worker_pool=Pool(), tab_state=tab_with(choice), largest=1000, links=LinkedStates())
        page = RespondPage(context, state)
        updated = []

        async def update():
            updated.append(state.settings)

        page._update = update
        page.keep()
        before = state.settings
        await page.turn("mean", 0.45)
        await page._return_to(state.kept[0])
        assert state.settings == before
        await page.undo()
        assert next(knob.value for knob in state.described.knobs if knob.name == "mean") == 0.45
        assert len(updated) == 3
        names = [own.value for own in ui.context.client.elements.values() if isinstance(own, ui.input)]
        assert "A" in names
        page._kept.forget(state.kept[0])
        assert state.kept == ()

    in_a_page(story)


def tab_with(choice):
    from slipstick.app.model_choice import SelectedModel
    from slipstick.app.tab_state import TabState

    tab = TabState("a")
    tab.of(SelectedModel).choice = choice
    return tab
