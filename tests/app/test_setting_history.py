"""Undo, redo and addresses of settings of the page Respond."""

import math
from urllib.parse import parse_qsl, urlsplit

import pytest

from slipstick.app.model_choice import ModelChoice
from slipstick.app.respond.setting_history import (
    ONE_STEP_TIME,
    SettingHistory,
    Settings,
    read_address,
    settings_address,
)

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
    ],
)
def test_an_address_brings_back_the_settings_to_the_last_digit(choice):
    found = read_address(query(settings_address(Settings(choice, math.pi, 20.0 / 3.0), "over time")))
    assert found == (choice, (math.pi, 20.0 / 3.0), "over time")


@pytest.mark.parametrize(
    "hostile",
    [
        {"system": "os", "mean": "0.4"},
        {"from": "2", "to": "1"},
        {"from": "NaN", "to": "Infinity"},
        {"from": "1e999", "to": "2"},
        {"from": "[" * 5000, "to": "{}"},
    ],
)
def test_an_address_without_a_known_system_or_a_range_changes_nothing(hostile):
    assert read_address(hostile)[:2] == (None, None)


@pytest.mark.parametrize("text", ["true", "null", "{}", '[["x"]]', '"' + "x" * 1000 + '"', "<script>"])
def test_a_value_that_is_no_number_or_short_word_is_left_out(text):
    assert read_address({"system": "torsional", "mean": text}).choice == ModelChoice("torsional")
