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
from slipstick.app.respond.time_panel import TimePanel
from slipstick.app.worker_pool import FIRST_PROGRESS_TEXT, Debouncer, TaskFailed, TaskTimeout
from slipstick.errors import InvalidInput


@pytest.fixture
def bench():
    own, choice = RespondState(), ModelChoice("torsional")
    own.take(choice, tasks.describe_model(say_nothing, choice))
    own.curve = tasks.preview_curve(say_nothing, choice, own.begin, own.end, 3)
    return own


class Slow:
    """Somebody who computes; meanwhile another hand does something."""

    def __init__(self, meanwhile):
        self.meanwhile = meanwhile

    async def do(self, task, _tell, *given):
        self.meanwhile()
        return task(say_nothing, *given)


class Endless:
    """Somebody who computes for ever."""

    async def do(self, _task, tell, *_given):
        tell(FIRST_PROGRESS_TEXT, 0.0)
        await asyncio.sleep(60.0)


def over_frequency_of(bench, meanwhile, monkeypatch):
    """That part of the page without anything to be seen, and what it says."""
    part, said = FrequencyPanel.__new__(FrequencyPanel), []
    part.bench, part.desk, part.shown = bench, SimpleNamespace(worker_pool=Slow(meanwhile)), []
    part._bar = SimpleNamespace(do=lambda task, *given: part.desk.worker_pool.do(task, None, *given))
    part._transient_preview_on = part._refinement_pending = part._slow = False
    part._share = 0.0
    part._debouncer, part._refine_debouncer = Debouncer(part._answer), Debouncer(part._refine)
    part._status = part._preview = SimpleNamespace(set_text=lambda _: None)
    part._panel = SimpleNamespace(dim=lambda _: None)
    part.place = SimpleNamespace(is_deleted=False)
    part.show, part._notify_others = lambda: part.shown.append(bench.curve), lambda: None
    monkeypatch.setattr(frequency_panel.ui, "notify", lambda words, **_: said.append(words))
    monkeypatch.setattr(frequency_panel, "IDLE_DELAY", 0.0)
    monkeypatch.setattr(widgets, "run_in_background", asyncio.ensure_future)
    return part, said


def orbit_panel_of(bench, worker_pool):
    """The part of the page on orbits without anything to be seen."""
    panel = OrbitPanel.__new__(OrbitPanel)
    panel.bench, panel.desk, panel._wanted = bench, SimpleNamespace(worker_pool=worker_pool), Debouncer(panel._find)
    panel._ring = panel.show = lambda: None
    return panel


def over_time_of(bench, worker_pool):
    """The part of the page on runs without anything to be seen."""
    part = TimePanel.__new__(TimePanel)
    part.bench, part.desk, part.shown = bench, SimpleNamespace(worker_pool=worker_pool), []
    part._debouncer = Debouncer(part._anew)
    part.show = part.mark = lambda **_: part.shown.append((bench.run, bench.stale))
    part._notify_others = lambda: None
    return part


def run(act):
    """The driver of the browser has the loop of this thread; what was begun beside the act comes to its end."""

    async def whole():
        await act
        await asyncio.gather(*(asyncio.all_tasks() - {asyncio.current_task()}))

    with ThreadPoolExecutor(1) as aside:
        aside.submit(lambda: asyncio.run(whole())).result()


# ---- curves


def test_a_curve_is_of_these_knobs_and_this_range_or_of_others(bench):
    assert bench.is_answered
    own = bench.choice
    bench.turn(with_parameter(own, "mean", 0.2))
    assert not bench.is_answered
    bench.take(bench.choice, bench.described)  # the page is opened again
    assert not bench.is_answered
    bench.turn(own)
    assert bench.is_answered
    bench.end *= 1.01
    assert not bench.is_answered


def test_a_curve_in_rpm_is_of_the_range_that_was_asked_for(rig):
    bench = RespondState()
    bench.take(rig, tasks.describe_model(say_nothing, rig))
    bench.curve = tasks.preview_curve(say_nothing, rig, bench.begin, bench.end, 2)
    assert bench.curve.shown.unit == "rpm"
    assert bench.is_answered


def test_a_curve_was_followed_only_as_long_as_it_is_of_these_knobs(bench):
    bench.begin, bench.end = 0.9, 1.1
    bench.curve = tasks.follow_curve(say_nothing, bench.choice, 0.9, 1.1, "", 1.0)
    assert bench.whole
    bench.turn(with_parameter(bench.choice, "mean", 0.2))
    assert not bench.whole


def room_of(bench, part):
    room = RespondPage.__new__(RespondPage)
    room.bench, room.curve, room._compare, room._seen = bench, part, lambda: None, lambda: None
    return room


@pytest.mark.parametrize(
    "turn", [lambda room: room.begin(), lambda room: room._view_changed(SimpleNamespace(value=""))]
)
@pytest.mark.parametrize("changed", ["a knob", "the range"])
def test_who_comes_back_before_the_answer_came_is_given_it(bench, monkeypatch, turn, changed):
    part, _ = over_frequency_of(bench, lambda: None, monkeypatch)
    if changed == "a knob":
        bench.turn(with_parameter(bench.choice, "mean", 0.3))
    else:
        bench.end = 1.5
    run(turn(room_of(bench, part)))
    at = np.linspace(bench.begin, bench.end, FULL_CURVE_POINTS)
    by_api = bench.choice.build().frequency_response(at=at).data["amplitude"].sel(coordinate="theta")
    assert bench.curve.shown.frequency == pytest.approx(at)
    assert bench.curve.shown.panels["amplitude of theta"].y == pytest.approx(by_api.values, rel=1e-9)
    assert not any(each is None or each.choice != bench.choice for each in part.shown)


def test_a_preview_that_was_left_is_made_fine_when_somebody_comes_back(bench, monkeypatch):
    part, _ = over_frequency_of(bench, lambda: None, monkeypatch)
    preview = bench.curve
    run(room_of(bench, part).begin())
    assert part.shown == [preview, bench.curve]
    assert len(bench.curve.shown.frequency) == FULL_CURVE_POINTS
    run(room_of(bench, part).begin())  # and what is fine is only shown
    assert len(part.shown) == 3


@pytest.mark.parametrize(("name", "value"), [("over_time", True), ("late", None)])
def test_an_answer_for_other_knobs_is_left_out_while_a_run_or_a_first_look_is_made(bench, monkeypatch, name, value):
    before = bench.curve

    def meanwhile():
        setattr(bench, name, bench.described.knobs if name == "late" else value)
        bench.turn(with_parameter(bench.choice, "mean", 0.3))

    part, _ = over_frequency_of(bench, meanwhile, monkeypatch)
    bench.turn(with_parameter(bench.choice, "swing", 0.2))
    run(part._answer(bench.choice))
    assert (bench.curve, part.shown) == (before, [])


def test_a_fine_curve_is_tried_once_however_long_the_points_of_the_first_answer_took(bench, monkeypatch):
    part, _ = over_frequency_of(bench, lambda: None, monkeypatch)
    part._share = 1.0  # [s] a process that has just begun, or a machine that does other things
    run(part._refine(bench.choice))
    assert len(bench.curve.shown.frequency) == FULL_CURVE_POINTS

    bench.curve = preview = tasks.preview_curve(say_nothing, bench.choice, bench.begin, bench.end, 3)
    part.desk.worker_pool, part._refinement_pending = Endless(), True
    monkeypatch.setattr(frequency_panel, "PREVIEW_TIME_LIMIT", 0.01)
    run(part._refine(bench.choice))
    assert (bench.curve, part._refinement_pending) == (preview, False)
    part.desk.worker_pool = None  # nobody is asked again
    run(part._refine(bench.choice))


@pytest.mark.parametrize("points", [5, FULL_CURVE_POINTS])
def test_a_curve_that_a_left_page_of_the_tab_brings_late_is_shown_and_made_fine(bench, monkeypatch, points):
    """A page that is loaded again shares what was found with the one before it, whose answer may come after its own."""
    late = [tasks.preview_curve(say_nothing, bench.choice, bench.begin, bench.end, points)]
    part, _ = over_frequency_of(bench, lambda: late and setattr(bench, "curve", late.pop()), monkeypatch)
    run(part._refine(bench.choice))
    assert part.shown[-1] is bench.curve
    assert len(bench.curve.shown.frequency) == FULL_CURVE_POINTS
    assert not part._refinement_pending


def test_a_fine_curve_of_a_range_that_was_changed_meanwhile_is_left_out(bench, monkeypatch):
    before = bench.curve
    part, _ = over_frequency_of(bench, lambda: setattr(bench, "end", 1.5), monkeypatch)
    run(part._refine(bench.choice))
    assert bench.curve is before


@pytest.mark.parametrize(("name", "value"), [("end", 1.0), ("choice", ModelChoice("torsional", {"mean": 0.4}))])
def test_a_followed_curve_of_another_range_or_setting_is_left_out_with_a_word(bench, monkeypatch, name, value):
    bench.begin, bench.end, before = 0.9, 1.1, bench.curve
    part, said = over_frequency_of(bench, lambda: setattr(bench, name, value), monkeypatch)
    run(part.follow())
    assert (bench.curve, said) == (before, [OUTDATED_ORBIT_TEXT])


def test_two_knobs_that_are_turned_at_once_both_count():
    bench, chosen = RespondState(), SimpleNamespace(choice=ModelChoice("tensioner"))
    bench.take(chosen.choice, tasks.describe_model(say_nothing, chosen.choice))

    async def later(task, _tell, *given):
        await asyncio.sleep(0.01)
        return task(say_nothing, *given)

    async def nothing():
        """No curve is asked for."""

    async def both():
        room = RespondPage.__new__(RespondPage)
        room.bench, room._turning = bench, asyncio.Lock()
        room.desk = SimpleNamespace(
            worker_pool=SimpleNamespace(do=later), tab_state=SimpleNamespace(of=lambda _: chosen)
        )
        room._panel, room._renew = SimpleNamespace(show=lambda _: None), nothing
        room.curve = room.time = SimpleNamespace(mark=lambda **_: None)
        await asyncio.gather(
            room.turn("law", "modified-dahl"), room.turn("amplitude", 50.0), room.turn("stiffness", 1.0)
        )

    run(both())
    assert chosen.choice.values == {"law": "modified-dahl", "amplitude": 50.0}  # a Masing stiffness is no more
    assert bench.choice == chosen.choice


def test_a_setting_that_came_late_is_tried_again_when_a_knob_is_far_from_it(bench):
    assert not bench.long
    bench.late = bench.described.knobs

    def with_mean(factor):
        knobs = [replace(k, value=factor * k.value) if k.name == "mean" else k for k in bench.late]
        return replace(bench.described, knobs=knobs)

    found = []
    for factor in (1.0, 1.1, 2.0, 0.5):
        bench.described = with_mean(factor)
        found.append(bench.long)
    assert found == [True, True, False, False]


def test_a_curve_that_is_drawn_for_other_knobs_is_not_kept(bench):
    assert bench.setting().curve is bench.curve
    bench.turn(with_parameter(bench.choice, "mean", 0.2))  # its answer has not come yet
    assert bench.setting().curve is None


class Held:
    """Somebody who computes when he is let."""

    def __init__(self):
        self.asked, self.may = asyncio.Event(), asyncio.Event()

    async def do(self, task, _tell, *given):
        self.asked.set()
        await self.may.wait()
        return task(say_nothing, *given)


def off(part):
    """Whether what is shown is dimmed, all of its files are off, and what is said of it."""
    place = part._panel._all if isinstance(part, FrequencyPanel) else part._found
    files = [own for own in place.descendants() if isinstance(own, ui.button) and own.props.get("icon") == "download"]
    assert files
    return "stale" in place.classes, not any(own.enabled for own in files), part._status.text


@pytest.mark.parametrize("change", ["a knob", "the range", "another law"])
def test_a_curve_is_dimmed_and_its_files_are_off_from_the_moment_on_that_it_is_of_another_setting(change, monkeypatch):
    monkeypatch.setattr(frequency_panel, "IDLE_DELAY", 0.0)
    monkeypatch.setattr(widgets, "run_in_background", asyncio.ensure_future)
    monkeypatch.setattr(frequency_panel, "FULL_CURVE_POINTS", 8)

    async def story(_client):
        bench, worker_pool, chosen = RespondState(), Held(), ModelChoice("tensioner")
        bench.take(chosen, tasks.describe_model(say_nothing, chosen))
        bench.curve = tasks.preview_curve(say_nothing, chosen, bench.begin, bench.end, 5)
        tab_state = {ModelDraft: ModelDraft(), SelectedModel: SelectedModel(chosen)}
        room = RespondPage(
            SimpleNamespace(worker_pool=worker_pool, tab_state=SimpleNamespace(of=tab_state.__getitem__)), bench
        )
        room.curve._refinement_pending = True
        room.curve.show()
        assert off(room.curve) == (False, False, "")
        if change == "the range":
            room.curve._ends[1].value = "100"
            act = asyncio.ensure_future(room.curve._ranged())
        else:
            name, value = ("amplitude", 50.0) if change == "a knob" else ("law", "modified-dahl")
            act = asyncio.ensure_future(room.turn(name, value))
        await worker_pool.asked.wait()
        found = [off(room.curve)]
        worker_pool.may.set()
        await act
        return [*found, off(room.curve)]

    assert in_a_page(story) == [(True, True, frequency_panel.COMPUTING_TEXT), (False, False, "")]


def test_an_answer_that_came_too_late_is_drawn_but_dimmed(bench):
    async def story(_client):
        part = FrequencyPanel(SimpleNamespace(worker_pool=None), bench, lambda: None)
        part.show()
        other = with_parameter(bench.choice, "mean", 0.3)
        late = tasks.preview_curve(say_nothing, other, bench.begin, bench.end, 3)
        bench.turn(with_parameter(bench.choice, "mean", 0.2))
        part._take(late)
        with pytest.raises(InvalidInput, match="of another setting"):  # of who was quicker than the page
            await result_file(part.desk, *part._panel._kept(), "csv")
        return bench.curve is late, off(part)

    assert in_a_page(story) == (True, (True, True, frequency_panel.COMPUTING_TEXT))


def test_a_run_of_other_knobs_is_dimmed_and_is_itself_again_when_they_are_back(bench):
    async def story(_client):
        bench.run = tasks.simulate_model(say_nothing, bench.choice, 0.8, 20.0, 50)
        part, own = TimePanel(SimpleNamespace(worker_pool=None), bench, lambda: None), bench.choice
        found = [off(part)]
        bench.run = replace(bench.run, took=9.0)  # it is not made anew by itself
        for choice in (with_parameter(own, "mean", 0.2), own):
            bench.turn(choice)
            await part.renew()
            found.append(off(part))
        return found

    assert in_a_page(story) == [(False, False, ""), (True, True, time_panel.STALE_RUN_TEXT), (False, False, "")]


# ---- orbits


def test_an_orbit_of_a_curve_that_is_gone_is_left_out_with_a_word(bench, monkeypatch):
    said, other = [], with_parameter(bench.choice, "mean", 0.3)
    finer = tasks.preview_curve(say_nothing, bench.choice, bench.begin, bench.end, 5)
    monkeypatch.setattr(orbit_panel.ui, "notify", lambda words, **_: said.append(words))
    run(orbit_panel_of(bench, Slow(lambda: setattr(bench, "curve", finer))).show_at(1))  # of the same setting
    assert (bench.orbit is not None, bench.point, said) == (True, 2, [])
    bench.orbit = None
    run(orbit_panel_of(bench, Slow(lambda: bench.turn(other))).show_at(1))
    assert (bench.orbit, said) == (None, [OUTDATED_ORBIT_TEXT])


def test_of_several_clicks_the_last_one_is_shown_whichever_is_computed_first(bench):
    class Uneven:
        async def do(self, task, _tell, kept, point):
            await asyncio.sleep(0.2 * (point == 0))
            return task(say_nothing, kept, point)

    async def clicks():
        panel = orbit_panel_of(bench, Uneven())
        await asyncio.gather(*(panel.show_at(point) for point in (0, 1, 2)))

    run(clicks())
    assert bench.point == 2
    assert dict(bench.orbit.shown.figures)["frequency"].startswith(f"{bench.curve.shown.frequency[2]:.6g} ")


def test_an_orbit_that_takes_too_long_is_given_up_with_a_way_out(bench, monkeypatch):
    monkeypatch.setattr(orbit_panel, "ORBIT_TIME_LIMIT", 0.01)
    with pytest.raises(TaskTimeout, match=r"the orbit at 1\.1 ω_n takes longer than 0\.01 s; click another point"):
        run(orbit_panel_of(bench, Endless()).show_at(1))
    assert bench.orbit is None


@pytest.mark.parametrize(("later", "point"), [((3.0, 4.0, 5.0, 6.0), 2), ((7.0,), None)])
def test_an_orbit_stays_while_a_look_goes_on_but_not_beyond_its_range(later, point):
    """``later`` : the frequencies of the next part of a look, whose orbit at 5 is shown."""
    choice = ModelChoice("gear")
    before, after = (
        SimpleNamespace(choice=choice, whole=False, shown=SimpleNamespace(frequency=w))
        for w in ((4.0, 5.0, 6.0), later)
    )
    bench = SimpleNamespace(curve=before, orbit="an orbit", point=1, long=True)
    page = SimpleNamespace(bench=bench, _transient_preview_on=True, show=lambda: None, _notify_others=lambda: None)
    FrequencyPanel._take(page, after)
    assert bench.curve is after
    assert (bench.orbit is None) == (point is None)
    assert point is None or bench.point == point


# ---- runs


def test_a_run_of_an_older_setting_does_not_replace_that_of_the_knobs_as_they_are(bench):
    now, part = bench.choice, over_time_of(bench, None)
    old, how = with_parameter(now, "mean", 0.4), (bench.frequency, bench.until, bench.samples)
    newer, older = (tasks.RunResult(shown=None, kept=b"", took=took) for took in (0.1, 9.0))
    for choice, found, kept in ((old, older, older), (now, newer, newer), (old, older, newer)):
        part._take(choice, how, found, [])
        assert bench.run == kept
    assert not bench.stale
    part._take(now, (bench.frequency, 0.5 * bench.until, bench.samples), older, [])  # as it was asked for before
    assert (bench.run, bench.stale) == (newer, False)


def test_a_run_that_a_knob_makes_endless_is_given_up_and_the_one_before_says_whose_it_is(bench, monkeypatch):
    monkeypatch.setattr(time_panel, "PREVIEW_TIME_LIMIT", 0.01)
    bench.run = kept = tasks.RunResult(shown=None, kept=b"", took=0.1)
    bench.turn(with_parameter(bench.choice, "mean", 0.4))
    part = over_time_of(bench, Endless())
    with pytest.raises(TaskTimeout, match=r"takes longer than 0\.01 s, and the one before is still shown; press run"):
        run(part.renew())
    assert set(part.shown) == {(kept, True)}


def test_who_asks_for_a_run_while_one_is_computed_does_not_lose_that(bench):
    before = bench.frequency, bench.until, bench.samples

    async def refuses(*_):
        raise TaskFailed("one thing at a time")

    part = over_time_of(bench, None)
    part._bar, part._read = SimpleNamespace(busy=True, do=refuses), lambda: (1.0, 2.0, 3)
    with pytest.raises(TaskFailed):
        run(part.run())
    assert (bench.frequency, bench.until, bench.samples) == before


def test_who_asks_twice_for_the_same_run_is_not_refused(bench):
    async def refuses(*_):
        raise TaskFailed("one thing at a time")

    part = over_time_of(bench, None)
    part._bar = SimpleNamespace(busy=True, do=refuses)
    part._read = lambda: (bench.frequency, bench.until, bench.samples)
    run(part.run())
    assert part.shown == []
