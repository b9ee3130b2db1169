"""Undo, redo and addresses of settings."""

import math
from urllib.parse import parse_qsl, urlsplit

import pytest

from slipstick.app.identify.page_state import FitRequest, IdentifyState, ReadOptions, UploadedFile
from slipstick.app.identify.setting_steps import (
    IdentifySettings,
    follow_link,
    identify_address,
    note_change,
    restore_settings,
    settings_of,
)
from slipstick.app.linked_states import MAX_LINKED_BYTES, MAX_LINKED_STATES, LinkedStates
from slipstick.app.model.page_state import ModelDraft
from slipstick.app.model_choice import ModelChoice
from slipstick.app.papers.page_state import FigureItem, FigureRequest, figure_address, read_figure
from slipstick.app.respond.setting_address import Settings, read_address, settings_address
from slipstick.app.setting_history import ONE_STEP_TIME, SettingHistory
from slipstick.papers.knob import Knob

ONE, TWO, THREE = (Settings(ModelChoice("torsional", {"mean": mean}), 0.2, 2.0) for mean in (0.1, 0.2, 0.3))


@pytest.fixture
def history():
    """A history with a clock that only the test moves."""
    now = [0.0]
    own = SettingHistory(clock=lambda: now[0])
    own.now = now
    return own


def test_undo_and_redo_walk_through_the_changes(history):
    history.record(ONE, "mean")
    history.now[0] += 2.0 * ONE_STEP_TIME
    history.record(TWO, "mean")
    assert history.undo(THREE) == TWO
    assert history.undo(TWO) == ONE
    assert history.undo(ONE) is None
    assert history.redo(ONE) == TWO
    history.record(TWO, "swing")  # a new change: nothing is left to redo
    assert history.redo(THREE) is None


def test_a_dragged_slider_is_one_step(history):
    assert history.record(ONE, "mean")
    history.now[0] += 0.5 * ONE_STEP_TIME
    assert not history.record(TWO, "mean")
    assert history.undo(THREE) == ONE


def test_the_button_back_counts_as_undo(history):
    history.record(ONE, "mean")
    history.follow(TWO, ONE)
    assert (history.past, history.future) == ([], [TWO])
    history.follow(ONE, TWO)
    assert (history.past, history.future) == ([ONE], [])


def query(address):
    return dict(parse_qsl(urlsplit(address).query))


@pytest.mark.parametrize(
    "choice",
    [
        ModelChoice("tensioner", {"law": "modified-dahl", "amplitude": 0.1 + 0.2}),
        ModelChoice("gear", {"a": (1.5, 2.5)}),
        ModelChoice("", text="name: rig\n", name="rig.yaml", numbers={"slider.limit": 0.1 + 0.2}),
    ],
)
def test_an_address_brings_back_the_settings_to_the_last_digit(choice):
    links = LinkedStates()
    found = read_address(query(settings_address(Settings(choice, math.pi, 20.0 / 3.0), "over time", links)), links)
    assert found == (choice, (math.pi, 20.0 / 3.0), "over time")


@pytest.mark.parametrize(
    "hostile",
    [
        {"system": "os", "mean": "0.4"},
        {"from": "2", "to": "1"},
        {"from": "NaN", "to": "Infinity"},
        {"from": "1e999", "to": "2"},
        {"from": "[" * 5000, "to": "{}"},
        {"text": "../../etc/passwd"},
        {"text": ""},
    ],
)
def test_an_address_without_a_known_model_or_a_range_changes_nothing(hostile):
    assert read_address(hostile, LinkedStates())[:2] == (None, None)


@pytest.mark.parametrize("text", ["true", "null", "{}", '[["x"]]', '"' + "x" * 1000 + '"', "<script>"])
def test_a_value_that_is_no_number_or_short_word_is_left_out(text):
    assert read_address({"system": "torsional", "mean": text}, LinkedStates()).choice == ModelChoice("torsional")


# ---- states that links lead back to


def test_a_link_finds_only_states_of_its_kind():
    links = LinkedStates()
    links.keep("a", ModelChoice())
    assert links.find("a", ModelChoice) == ModelChoice()
    assert links.find("a", IdentifySettings) is None
    assert links.find("b", ModelChoice) is None


def test_the_states_used_least_recently_go_first_and_shared_files_count_once():
    links = LinkedStates()
    for number in range(MAX_LINKED_STATES):
        links.keep(str(number), ModelChoice(name=str(number)))
    links.keep("0", ModelChoice(name="again"))
    links.keep("new", ModelChoice())
    assert links.find("1", ModelChoice) is None
    assert links.find("0", ModelChoice).name == "again"

    links, content = LinkedStates(), bytes(MAX_LINKED_BYTES // 2 + 1)
    for key in "abc":
        links.keep(key, IdentifyState(files=(UploadedFile("rig.csv", content),)), [content])
    assert links.find("a", IdentifyState) is not None
    other = bytes(MAX_LINKED_BYTES // 2 + 2)
    links.keep("d", IdentifyState(files=(UploadedFile("rig.csv", other),)), [other])
    assert [key for key in "abcd" if links.find(key, IdentifyState)] == ["d"]


def test_an_address_that_was_replaced_leads_nowhere_but_the_one_in_its_place_does():
    links = LinkedStates()
    before, after = (
        settings_address(Settings(ModelChoice("", text=text), 1.0, 2.0), "over time", links) for text in ("a", "b")
    )
    links.forget(before, unless=after)
    links.forget(after, unless=after.replace("time", "frequency"))
    assert read_address(query(before), links).choice is None
    assert read_address(query(after), links).choice == ModelChoice("", text="b")


# ---- the pages Identify, Model and Papers


def state_of(*names, **reading):
    files = tuple(UploadedFile(name, name.encode()) for name in names)
    return IdentifyState(files=files, reading=ReadOptions(**reading))


def test_undo_on_identify_brings_back_files_columns_and_their_result():
    state = state_of("rig.csv")
    note_change(state)
    state.result = "of all"
    assert not note_change(state)  # a result is no step
    state.reading, state.result = ReadOptions(drift=True), None
    assert note_change(state)
    state.fit_request = FitRequest(fixed="limit=3 N")
    assert note_change(state)
    restore_settings(state, state.history.undo(settings_of(state)))
    assert (state.fit_request, state.reading.drift) == (FitRequest(), True)
    restore_settings(state, state.history.undo(settings_of(state)))
    assert (state.reading.drift, state.result) == (False, "of all")
    restore_settings(state, state.history.redo(settings_of(state)))
    assert (state.reading.drift, state.result) == (True, None)


def test_a_link_to_identify_leads_another_tab_to_the_same_files_and_result():
    links, state, other = LinkedStates(), state_of("rig.csv", drift=True), IdentifyState()
    before = query(identify_address(state, links))
    state.result = "masing"
    address = query(identify_address(state, links))
    assert address == before  # of the same settings; their result came since
    follow_link(other, address, links)
    assert (other.files, other.reading, other.result) == (state.files, state.reading, "masing")


def test_a_link_takes_no_result_away_that_came_meanwhile():
    links, state = LinkedStates(), state_of("rig.csv")
    address = query(identify_address(state, links))
    state.result = "masing"
    follow_link(state, address, links)
    assert state.result == "masing"


def test_a_project_gives_the_links_of_its_content_again():
    first, again = (identify_address(state_of("rig.csv", columns={"force": "F"}), LinkedStates()) for _ in "ab")
    assert first == again != identify_address(state_of("rig.csv"), LinkedStates())


def test_a_link_that_nothing_belongs_to_changes_nothing():
    state = state_of("rig.csv")
    before = settings_of(state)
    follow_link(state, {"state": "x" * 10_000}, LinkedStates())
    assert settings_of(state) == before


def test_undo_of_a_draft_walks_between_systems_and_texts():
    draft = ModelDraft()
    draft.note_change()
    draft.put({"mean": 0.4})
    assert draft.note_change()
    draft.write("name: rig\n", "rig.yaml")
    assert draft.note_change()
    draft.text += "# more\n"
    assert draft.note_change()
    draft.restore(draft.history.undo(draft.settings))
    assert draft.choice == ModelChoice("", text="name: rig\n", name="rig.yaml")
    draft.restore(draft.history.undo(draft.settings))
    assert draft.choice == ModelChoice(values={"mean": 0.4})
    draft.restore(draft.history.redo(draft.settings))
    assert draft.edits_text


FIGURE = FigureItem("gear", "8", "Fig. 8", "", "figure", (Knob("limit", 0.6, 0.1, 2.0, "F_C", "N"),), False)


def test_an_address_of_a_figure_has_its_numbers():
    request = FigureRequest("gear", "8", {"limit": 0.1 + 0.2})
    assert read_figure(query(figure_address(request)), [FIGURE]) == request


@pytest.mark.parametrize("limit", ["0.6", "9", "-1", "NaN", "lots", "true"])
def test_numbers_that_a_figure_cannot_have_are_left_out(limit):
    found = read_figure({"paper": "gear", "figure": "8", "limit": limit, "scheme": "own"}, [FIGURE])
    assert found == FigureRequest("gear", "8")


def test_an_address_without_a_known_figure_shows_none():
    assert read_figure({"paper": "gear", "figure": "800"}, [FIGURE]) is None
