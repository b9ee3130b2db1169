"""The page Respond: what comes of an answer when knobs, ranges and views change before it is there."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from headless_page import in_a_page
from nicegui import ui
from test_respond_components import rig as rig  # a fixture
from test_respond_components import say_nothing

from slipstick.app import widgets
from slipstick.app.debounce import Debouncer
from slipstick.app.linked_states import LinkedStates
from slipstick.app.model.page_state import ModelDraft
from slipstick.app.model_choice import ModelChoice, SelectedModel
from slipstick.app.respond import frequency_panel, orbit_panel, tasks, time_panel
from slipstick.app.respond.curve_notes import FULL_CURVE_POINTS
from slipstick.app.respond.frequency_panel import FrequencyPanel
from slipstick.app.respond.model_parameters import with_parameter
from slipstick.app.respond.motion_view import result_file
from slipstick.app.respond.orbit_panel import OUTDATED_ORBIT_TEXT, OrbitPanel
from slipstick.app.respond.page import RespondPage
from slipstick.app.respond.page_state import RespondState
from slipstick.app.respond.response_results import RunResult
from slipstick.app.respond.time_panel import TimePanel
from slipstick.app.worker_pool import FIRST_PROGRESS_TEXT, TaskFailed, TaskTimeout
from slipstick.errors import InvalidInput


@pytest.fixture
def state():
    own, choice = RespondState(), ModelChoice("torsional")
    own.set_model(choice, tasks.describe_model(say_nothing, choice))
    own.curve = tasks.preview_curve(say_nothing, choice, own.begin, own.end, 3)
    return own


class Slow:
    """Somebody who computes; meanwhile another hand does something."""

    def __init__(self, meanwhile):
        self.meanwhile = meanwhile

    async def run(self, task, _tell, *given):
        self.meanwhile()
        return task(say_nothing, *given)


class Endless:
    """Somebody who computes for ever."""

    async def run(self, _task, report_progress, *_given):
        report_progress(FIRST_PROGRESS_TEXT, 0.0)
        await asyncio.sleep(60.0)


def over_frequency_of(state, meanwhile, monkeypatch):
    """That part of the page without anything to be seen, and what it says."""
    part, said = FrequencyPanel.__new__(FrequencyPanel), []
    part.state, part.context, part.shown = state, SimpleNamespace(worker_pool=Slow(meanwhile)), []
    part._bar = SimpleNamespace(run=lambda task, *given: part.context.worker_pool.run(task, None, *given))
    part._transient_preview_on = part._refinement_pending = part._refinement_too_slow = False
    part._seconds_per_point = 0.0
    part._debouncer, part._refine_debouncer = Debouncer(part._compute_preview), Debouncer(part._refine)
    part._status = part._preview = SimpleNamespace(set_text=lambda _: None)
    part._panel = SimpleNamespace(dim=lambda _: None)
    part.place, part._show_range = SimpleNamespace(is_deleted=False), lambda: None
    part.show, part._notify_others = lambda: part.shown.append(state.curve), lambda: None
    monkeypatch.setattr(frequency_panel.ui, "notify", lambda words, **_: said.append(words))
    monkeypatch.setattr(frequency_panel, "IDLE_DELAY", 0.0)
    monkeypatch.setattr(widgets, "run_in_background", asyncio.ensure_future)
    return part, said


def orbit_panel_of(state, worker_pool):
    """The part of the page on orbits without anything to be seen."""
    panel = OrbitPanel.__new__(OrbitPanel)
    panel.state, panel.context, panel._debouncer = (
        state,
        SimpleNamespace(worker_pool=worker_pool),
        Debouncer(panel._compute_orbit),
    )
    panel._mark_point = panel.show = lambda: None
    panel._requested = None
    return panel


def over_time_of(state, worker_pool):
    """The part of the page on runs without anything to be seen."""
    part = TimePanel.__new__(TimePanel)
    part.state, part.context, part.shown = state, SimpleNamespace(worker_pool=worker_pool), []
    part._debouncer = Debouncer(part._rerun)
    part.show = part.mark = lambda **_: part.shown.append((state.run, state.stale))
    part._notify_others = lambda: None
    return part


def run(act):
    """The driver of the browser has the loop of this thread; what was begun beside the act comes to its end."""

    async def main():
        await act
        await asyncio.gather(*(asyncio.all_tasks() - {asyncio.current_task()}))

    with ThreadPoolExecutor(1) as aside:
        aside.submit(lambda: asyncio.run(main())).result()


# ---- curves


def test_a_curve_is_of_these_knobs_and_this_range_or_of_others(state):
    assert state.is_current
    own = state.choice
    state.set_choice(with_parameter(own, "mean", 0.2))
    assert not state.is_current
    state.set_model(state.choice, state.described)  # the page is opened again
    assert not state.is_current
    state.set_choice(own)
    assert state.is_current
    state.end *= 1.01
    assert not state.is_current


def test_a_curve_in_rpm_is_of_the_range_that_was_asked_for(rig):
    state = RespondState()
    state.set_model(rig, tasks.describe_model(say_nothing, rig))
    state.curve = tasks.preview_curve(say_nothing, rig, state.begin, state.end, 2)
    assert state.curve.display.unit == "rpm"
    assert state.is_current


def test_a_curve_was_followed_only_as_long_as_it_is_of_these_knobs(state):
    state.begin, state.end = 0.9, 1.1
    state.curve = tasks.follow_curve(say_nothing, state.choice, 0.9, 1.1, "", 1.0)
    assert state.traced
    state.set_choice(with_parameter(state.choice, "mean", 0.2))
    assert not state.traced


def room_of(state, part):
    room = RespondPage.__new__(RespondPage)
    room.state, room.panels, room._show_selected_view = state, [part], lambda: None
    room._kept = SimpleNamespace(compare=lambda: None)
    room._show_address = lambda **_: None
    return room


@pytest.mark.parametrize(
    "turn", [lambda room: room.begin(), lambda room: room._view_changed(SimpleNamespace(value="over frequency"))]
)
@pytest.mark.parametrize("changed", ["a knob", "the range"])
def test_who_comes_back_before_the_answer_came_is_given_it(state, monkeypatch, turn, changed):
    part, _ = over_frequency_of(state, lambda: None, monkeypatch)
    if changed == "a knob":
        state.set_choice(with_parameter(state.choice, "mean", 0.3))
    else:
        state.end = 1.5
    run(turn(room_of(state, part)))
    at = np.linspace(state.begin, state.end, FULL_CURVE_POINTS)
    by_api = state.choice.build().frequency_response(at=at).data["amplitude"].sel(coordinate="theta")
    assert state.curve.display.frequency == pytest.approx(at)
    assert state.curve.display.panels["amplitude of theta"].y == pytest.approx(by_api.values, rel=1e-9)
    assert not any(each is None or each.choice != state.choice for each in part.shown)


def test_a_preview_that_was_left_is_made_fine_when_somebody_comes_back(state, monkeypatch):
    part, _ = over_frequency_of(state, lambda: None, monkeypatch)
    preview = state.curve
    run(room_of(state, part).begin())
    assert part.shown == [preview, state.curve]
    assert len(state.curve.display.frequency) == FULL_CURVE_POINTS
    run(room_of(state, part).begin())  # and what is fine is only shown
    assert len(part.shown) == 3


@pytest.mark.parametrize(("name", "value"), [("view", "over time"), ("slow_knobs", None)])
def test_an_answer_for_other_knobs_is_left_out_while_a_run_or_a_first_look_is_made(state, monkeypatch, name, value):
    before = state.curve

    def meanwhile():
        setattr(state, name, state.described.knobs if name == "slow_knobs" else value)
        state.set_choice(with_parameter(state.choice, "mean", 0.3))

    part, _ = over_frequency_of(state, meanwhile, monkeypatch)
    state.set_choice(with_parameter(state.choice, "swing", 0.2))
    run(part._compute_preview(state.choice))
    assert (state.curve, part.shown) == (before, [])


def test_a_fine_curve_is_tried_once_however_long_the_points_of_the_first_answer_took(state, monkeypatch):
    part, _ = over_frequency_of(state, lambda: None, monkeypatch)
    part._seconds_per_point = 1.0  # [s] a process that has just begun, or a machine that does other things
    run(part._refine(state.choice))
    assert len(state.curve.display.frequency) == FULL_CURVE_POINTS

    state.curve = preview = tasks.preview_curve(say_nothing, state.choice, state.begin, state.end, 3)
    part.context.worker_pool, part._refinement_pending = Endless(), True
    monkeypatch.setattr(frequency_panel, "PREVIEW_TIME_LIMIT", 0.01)
    run(part._refine(state.choice))
    assert (state.curve, part._refinement_pending) == (preview, False)
    part.context.worker_pool = None  # nobody is asked again
    run(part._refine(state.choice))


@pytest.mark.parametrize("points", [5, FULL_CURVE_POINTS])
def test_a_curve_that_a_left_page_of_the_tab_brings_late_is_shown_and_made_fine(state, monkeypatch, points):
    """A page that is loaded again shares what was found with the one before it, whose answer may come after its own."""
    late = [tasks.preview_curve(say_nothing, state.choice, state.begin, state.end, points)]
    part, _ = over_frequency_of(state, lambda: late and setattr(state, "curve", late.pop()), monkeypatch)
    run(part._refine(state.choice))
    assert part.shown[-1] is state.curve
    assert len(state.curve.display.frequency) == FULL_CURVE_POINTS
    assert not part._refinement_pending


def test_a_fine_curve_of_a_range_that_was_changed_meanwhile_is_left_out(state, monkeypatch):
    before = state.curve
    part, _ = over_frequency_of(state, lambda: setattr(state, "end", 1.5), monkeypatch)
    run(part._refine(state.choice))
    assert state.curve is before


@pytest.mark.parametrize(("name", "value"), [("end", 1.0), ("choice", ModelChoice("torsional", {"mean": 0.4}))])
def test_a_followed_curve_of_another_range_or_setting_is_left_out_with_a_word(state, monkeypatch, name, value):
    state.begin, state.end, before = 0.9, 1.1, state.curve
    part, said = over_frequency_of(state, lambda: setattr(state, name, value), monkeypatch)
    run(part.follow())
    assert (state.curve, said) == (before, [OUTDATED_ORBIT_TEXT])


def test_two_knobs_that_are_turned_at_once_both_count():
    state, chosen = RespondState(), SimpleNamespace(choice=ModelChoice("tensioner"))
    state.set_model(chosen.choice, tasks.describe_model(say_nothing, chosen.choice))

    async def later(task, _tell, *given):
        await asyncio.sleep(0.01)
        return task(say_nothing, *given)

    async def nothing():
        """No curve is asked for."""

    async def both():
        room = RespondPage.__new__(RespondPage)
        room.state, room._change_lock = state, asyncio.Lock()
        room.context = SimpleNamespace(
            worker_pool=SimpleNamespace(run=later), tab_state=SimpleNamespace(of=lambda _: chosen)
        )
        room._parameters, room._update = SimpleNamespace(show=lambda _: None), nothing
        room.panels = [SimpleNamespace(mark=lambda **_: None)]
        room._new_entry, room._show_address = True, lambda **_: None
        await asyncio.gather(
            room.turn("law", "modified-dahl"), room.turn("amplitude", 50.0), room.turn("stiffness", 1.0)
        )

    run(both())
    assert chosen.choice.values == {"law": "modified-dahl", "amplitude": 50.0}  # a Masing stiffness is no more
    assert state.choice == chosen.choice


def test_a_setting_that_came_late_is_tried_again_when_a_knob_is_far_from_it(state):
    assert not state.is_slow
    state.slow_knobs = state.described.knobs

    def with_mean(factor):
        knobs = [replace(k, value=factor * k.value) if k.name == "mean" else k for k in state.slow_knobs]
        return replace(state.described, knobs=knobs)

    found = []
    for factor in (1.0, 1.1, 2.0, 0.5):
        state.described = with_mean(factor)
        found.append(state.is_slow)
    assert found == [True, True, False, False]


def test_a_curve_that_is_drawn_for_other_knobs_is_not_kept(state):
    assert state.setting().curve is state.curve
    state.set_choice(with_parameter(state.choice, "mean", 0.2))  # its answer has not come yet
    assert state.setting().curve is None


class Held:
    """Somebody who computes when he is let."""

    def __init__(self):
        self.asked, self.may = asyncio.Event(), asyncio.Event()

    async def run(self, task, _tell, *given):
        self.asked.set()
        await self.may.wait()
        return task(say_nothing, *given)


def off(part):
    """Whether what is shown is dimmed, all of its files are off, and what is said of it."""
    place = part._panel._all if isinstance(part, FrequencyPanel) else part._results
    files = [own for own in place.descendants() if isinstance(own, ui.button) and own.props.get("icon") == "download"]
    assert files
    return "stale" in place.classes, not any(own.enabled for own in files), part._status.text


@pytest.mark.parametrize("change", ["a knob", "the range", "another law"])
def test_a_curve_is_dimmed_and_its_files_are_off_from_the_moment_on_that_it_is_of_another_setting(change, monkeypatch):
    monkeypatch.setattr(frequency_panel, "IDLE_DELAY", 0.0)
    monkeypatch.setattr(widgets, "run_in_background", asyncio.ensure_future)
    monkeypatch.setattr(frequency_panel, "FULL_CURVE_POINTS", 8)

    async def story(_client):
        state, worker_pool, chosen = RespondState(), Held(), ModelChoice("tensioner")
        state.set_model(chosen, tasks.describe_model(say_nothing, chosen))
        state.curve = tasks.preview_curve(say_nothing, chosen, state.begin, state.end, 5)
        tab_state = {ModelDraft: ModelDraft(), SelectedModel: SelectedModel(chosen)}
        room = RespondPage(
            SimpleNamespace(
                worker_pool=worker_pool,
                tab_state=SimpleNamespace(of=tab_state.__getitem__),
                links=LinkedStates(),
            ),
            state,
        )
        curve = room.panels[0]
        curve._refinement_pending = True
        curve.show()
        assert off(curve) == (False, False, "")
        if change == "the range":
            curve._ends[1].value = "100"
            act = asyncio.ensure_future(curve._range_changed())
        else:
            name, value = ("amplitude", 50.0) if change == "a knob" else ("law", "modified-dahl")
            act = asyncio.ensure_future(room.turn(name, value))
        await worker_pool.asked.wait()
        found = [off(curve)]
        worker_pool.may.set()
        await act
        return [*found, off(curve)]

    assert in_a_page(story) == [(True, True, frequency_panel.COMPUTING_TEXT), (False, False, "")]


def test_an_answer_that_came_too_late_is_drawn_but_dimmed(state):
    async def story(_client):
        part = FrequencyPanel(SimpleNamespace(worker_pool=None), state, lambda: None)
        part.show()
        other = with_parameter(state.choice, "mean", 0.3)
        late = tasks.preview_curve(say_nothing, other, state.begin, state.end, 3)
        state.set_choice(with_parameter(state.choice, "mean", 0.2))
        part._set_curve(late)
        with pytest.raises(InvalidInput, match="belongs to other settings"):  # of who was quicker than the page
            await result_file(part.context, *part._panel._current_result(), "csv")
        return state.curve is late, off(part)

    assert in_a_page(story) == (True, (True, True, frequency_panel.COMPUTING_TEXT))


def test_a_run_of_other_knobs_is_dimmed_and_is_itself_again_when_they_are_back(state):
    async def story(_client):
        state.run = tasks.simulate_model(say_nothing, state.choice, 0.8, 20.0, 50)
        part, own = TimePanel(SimpleNamespace(worker_pool=None), state, lambda: None), state.choice
        found = [off(part)]
        state.run = replace(state.run, seconds=9.0)  # it is not made anew by itself
        for choice in (with_parameter(own, "mean", 0.2), own):
            state.set_choice(choice)
            await part.update()
            found.append(off(part))
        return found

    assert in_a_page(story) == [(False, False, ""), (True, True, time_panel.STALE_RUN_TEXT), (False, False, "")]


# ---- orbits


def test_an_orbit_of_a_curve_that_is_gone_is_left_out_with_a_word(state, monkeypatch):
    said, other = [], with_parameter(state.choice, "mean", 0.3)
    finer = tasks.preview_curve(say_nothing, state.choice, state.begin, state.end, 5)
    monkeypatch.setattr(orbit_panel.ui, "notify", lambda words, **_: said.append(words))
    run(orbit_panel_of(state, Slow(lambda: setattr(state, "curve", finer))).show_at(1))  # of the same setting
    assert (state.orbit is not None, state.point, said) == (True, 2, [])
    state.orbit = None
    run(orbit_panel_of(state, Slow(lambda: state.set_choice(other))).show_at(1))
    assert (state.orbit, said) == (None, [OUTDATED_ORBIT_TEXT])


def test_of_several_clicks_the_last_one_is_shown_whichever_is_computed_first(state):
    class Uneven:
        async def run(self, task, _tell, kept, point):
            await asyncio.sleep(0.2 * (point == 0))
            return task(say_nothing, kept, point)

    async def clicks():
        panel = orbit_panel_of(state, Uneven())
        await asyncio.gather(*(panel.show_at(point) for point in (0, 1, 2)))

    run(clicks())
    assert state.point == 2
    assert dict(state.orbit.display.figures)["frequency"].startswith(f"{state.curve.display.frequency[2]:.6g} ")


def test_quick_steps_along_the_curve_all_count_and_end_at_its_end(state):
    shown = []

    class Waiting:
        async def run(self, task, _tell, kept, point):
            await asyncio.sleep(0.01)
            return task(say_nothing, kept, point)

    async def steps():
        panel = orbit_panel_of(state, Waiting())
        state.point = 0
        for counts in ((1, 1), (1, 1, 1), (-1,)):
            await asyncio.gather(*(panel.step(count) for count in counts))
            shown.append(state.point)

    run(steps())
    last = len(state.curve.display.frequency) - 1
    assert shown == [2, last, last - 1]


def test_an_orbit_that_takes_too_long_is_given_up_with_a_way_out(state, monkeypatch):
    monkeypatch.setattr(orbit_panel, "ORBIT_TIME_LIMIT", 0.01)
    with pytest.raises(TaskTimeout, match=r"the orbit at 1\.1 ω_n takes longer than 0\.01 s; click another point"):
        run(orbit_panel_of(state, Endless()).show_at(1))
    assert state.orbit is None


@pytest.mark.parametrize(("later", "point"), [((3.0, 4.0, 5.0, 6.0), 2), ((7.0,), None)])
def test_an_orbit_stays_while_a_look_goes_on_but_not_beyond_its_range(later, point):
    """``later`` : the frequencies of the next part of a look, whose orbit at 5 is shown."""
    choice = ModelChoice("gear")
    before, after = (
        SimpleNamespace(choice=choice, traced=False, display=SimpleNamespace(frequency=w))
        for w in ((4.0, 5.0, 6.0), later)
    )
    state = SimpleNamespace(curve=before, orbit="an orbit", point=1, long=True)
    page = SimpleNamespace(state=state, _transient_preview_on=True, show=lambda: None, _notify_others=lambda: None)
    FrequencyPanel._set_curve(page, after)
    assert state.curve is after
    assert (state.orbit is None) == (point is None)
    assert point is None or state.point == point


# ---- runs


def test_a_run_of_an_older_setting_does_not_replace_that_of_the_knobs_as_they_are(state):
    now, part = state.choice, over_time_of(state, None)
    old, how = with_parameter(now, "mean", 0.4), (state.frequency, state.until, state.samples)
    newer, older = (RunResult(display=None, data=b"", seconds=seconds) for seconds in (0.1, 9.0))
    for choice, found, kept in ((old, older, older), (now, newer, newer), (old, older, newer)):
        part._set_run(choice, how, found, [])
        assert state.run == kept
    assert not state.stale
    part._set_run(now, (state.frequency, 0.5 * state.until, state.samples), older, [])  # as it was asked for before
    assert (state.run, state.stale) == (newer, False)


def test_a_run_that_a_knob_makes_endless_is_given_up_and_the_one_before_says_whose_it_is(state, monkeypatch):
    monkeypatch.setattr(time_panel, "PREVIEW_TIME_LIMIT", 0.01)
    state.run = kept = RunResult(display=None, data=b"", seconds=0.1)
    state.set_choice(with_parameter(state.choice, "mean", 0.4))
    part = over_time_of(state, Endless())
    with pytest.raises(TaskTimeout, match=r"takes longer than 0\.01 s, so the old one is still shown; press run"):
        run(part.update())
    assert set(part.shown) == {(kept, True)}


def test_who_asks_for_a_run_while_one_is_computed_does_not_lose_that(state):
    before = state.frequency, state.until, state.samples

    async def refuses(*_):
        raise TaskFailed("one thing at a time")

    part = over_time_of(state, None)
    part._bar, part._read = SimpleNamespace(busy=True, run=refuses), lambda: (1.0, 2.0, 3)
    with pytest.raises(TaskFailed):
        run(part.run())
    assert (state.frequency, state.until, state.samples) == before


def test_who_asks_twice_for_the_same_run_is_not_refused(state):
    async def refuses(*_):
        raise TaskFailed("one thing at a time")

    part = over_time_of(state, None)
    part._bar = SimpleNamespace(busy=True, run=refuses)
    part._read = lambda: (state.frequency, state.until, state.samples)
    run(part.run())
    assert part.shown == []
