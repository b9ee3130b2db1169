"""What tabs keep: each its own, over reloads, and not for ever once they are closed."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from slipstick.app.tab_state import CLOSED_TAB_LIFETIME, MAX_CLOSED_TABS_BYTES, TabState, TabStates


@dataclass
class Things:
    content: bytes = b""
    figures: tuple[dict[str, list[float]], ...] = ()
    table: np.ndarray = field(default_factory=lambda: np.zeros(0))
    other: object = None


class Story:
    """Shelves, and a clock that is turned by hand."""

    def __init__(self) -> None:
        self.now = 0.0
        self.tab_states = TabStates(lambda: self.now)

    def visit(self, tab: str, content: bytes) -> None:
        """A tab that loads something and is closed."""
        self.tab_states.opened(tab, tab).of(Things).content = content
        assert self.tab_states.left(tab, tab)

    def has(self, tab: str) -> int:
        """Bytes that a tab finds when it comes back."""
        found = len(self.tab_states.opened(tab, tab).of(Things).content)
        self.tab_states.left(tab, tab)
        return found


def test_a_tab_has_its_own_on_all_its_pages_and_after_a_reload():
    tab_states = TabStates()
    first = tab_states.opened("tab", "identify").of(Things)
    assert tab_states.opened("tab", "identify, loaded again").of(Things) is first
    assert tab_states.opened("other tab", "identify").of(Things) is not first
    assert not tab_states.left("tab", "identify")
    assert tab_states.opened("tab", "model").of(Things) is first


def test_a_closed_tab_may_come_back_within_the_time_of_grace():
    story = Story()
    story.visit("a", b"1234")
    story.now = 0.9 * CLOSED_TAB_LIFETIME
    assert story.has("a") == 4
    story.now += 1.1 * CLOSED_TAB_LIFETIME
    story.visit("another", b"")
    assert story.has("a") == 0


def test_closed_tabs_have_a_bound_together_and_go_in_the_order_in_which_they_were_left():
    story, third = Story(), bytes(MAX_CLOSED_TABS_BYTES // 3)
    open_all_along = story.tab_states.opened("open", "page").of(Things)
    open_all_along.content = third
    for tab in ("a", "b"):
        story.visit(tab, third)
    assert story.has("a") == len(third)  # so that "b" was left longest ago
    story.visit("c", third + b"and more")
    assert [story.has(tab) for tab in "abc"] == [len(third), 0, len(third) + 8]
    assert story.tab_states.opened("open", "other page").of(Things) is open_all_along


def test_what_does_not_fit_at_all_goes_with_its_tab():
    story = Story()
    story.visit("a", bytes(MAX_CLOSED_TABS_BYTES + 1))
    assert story.has("a") == 0


def test_the_size_is_that_of_the_data_and_shared_things_count_once():
    tab_state = TabState("tab")
    things = tab_state.of(Things)
    things.content = bytes(10_000)
    things.table = np.zeros(1000)
    things.other = [things.content, things]
    assert 18_000 <= tab_state.size < 18_500
    things.figures = ({"x": [0.5 * k for k in range(1000)]},)
    assert 18_000 + 8_000 <= tab_state.size < 18_500 + 64_000
