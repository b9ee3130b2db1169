"""The page Respond: what comes of an answer when knobs, ranges and views change before it is there."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from app_alone import in_a_page
from nicegui import ui
from test_respond_parts import rig as rig  # a fixture
from test_respond_parts import say_nothing

from slipstick.app import parts
from slipstick.app.choice import Choice, Chosen
from slipstick.app.model.kept import Draft
from slipstick.app.respond import orbit_panel, over_frequency, over_time, tasks
from slipstick.app.respond.curve_told import FINE
from slipstick.app.respond.kept import Bench
from slipstick.app.respond.knobs import turned
from slipstick.app.respond.motion import file_of
from slipstick.app.respond.orbit_panel import OTHER, OrbitPanel
from slipstick.app.respond.over_frequency import OverFrequency
from slipstick.app.respond.over_time import OverTime
from slipstick.app.respond.page import Room
from slipstick.app.staff import BEGUN, Latest, TaskFailed, TooLong
from slipstick.errors import InvalidInput


@pytest.fixture
def bench():
    own, choice = Bench(), Choice("torsional")
    own.take(choice, tasks.describe(say_nothing, choice))
    own.curve = tasks.quick(say_nothing, choice, own.begin, own.end, 3)
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
        tell(BEGUN, 0.0)
        await asyncio.sleep(60.0)


def over_frequency_of(bench, meanwhile, monkeypatch):
    """That part of the page without anything to be seen, and what it says."""
    part, said = OverFrequency.__new__(OverFrequency), []
    part.bench, part.desk, part.shown = bench, SimpleNamespace(staff=Slow(meanwhile)), []
    part._bar = SimpleNamespace(do=lambda task, *given: part.desk.staff.do(task, None, *given))
    part._looks = part._finer = part._slow = False
    part._share = 0.0
    part._soon, part._later = Latest(part._answer), Latest(part._refine)
    part._status = part._preview = SimpleNamespace(set_text=lambda _: None)
    part._panel = SimpleNamespace(dim=lambda _: None)
    part.place = SimpleNamespace(is_deleted=False)
    part.show, part._tell_others = lambda: part.shown.append(bench.curve), lambda: None
    monkeypatch.setattr(over_frequency.ui, "notify", lambda words, **_: said.append(words))
    monkeypatch.setattr(over_frequency, "REST", 0.0)
    monkeypatch.setattr(parts, "aside", asyncio.ensure_future)
    return part, said


def orbit_panel_of(bench, staff):
    """The part of the page on orbits without anything to be seen."""
    panel = OrbitPanel.__new__(OrbitPanel)
    panel.bench, panel.desk, panel._wanted = bench, SimpleNamespace(staff=staff), Latest(panel._find)
    panel._ring = panel.show = lambda: None
    return panel


def over_time_of(bench, staff):
    """The part of the page on runs without anything to be seen."""
    part = OverTime.__new__(OverTime)
    part.bench, part.desk, part.shown = bench, SimpleNamespace(staff=staff), []
    part._soon = Latest(part._anew)
    part.show = part.mark = lambda **_: part.shown.append((bench.run, bench.stale))
    part._tell_others = lambda: None
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
    bench.turn(turned(own, "mean", 0.2))
    assert not bench.is_answered
    bench.take(bench.choice, bench.described)  # the page is opened again
    assert not bench.is_answered
    bench.turn(own)
    assert bench.is_answered
    bench.end *= 1.01
    assert not bench.is_answered


def test_a_curve_in_rpm_is_of_the_range_that_was_asked_for(rig):
    bench = Bench()
    bench.take(rig, tasks.describe(say_nothing, rig))
    bench.curve = tasks.quick(say_nothing, rig, bench.begin, bench.end, 2)
    assert bench.curve.shown.unit == "rpm"
    assert bench.is_answered


def test_a_curve_was_followed_only_as_long_as_it_is_of_these_knobs(bench):
    bench.begin, bench.end = 0.9, 1.1
    bench.curve = tasks.follow(say_nothing, bench.choice, 0.9, 1.1, "", 1.0)
    assert bench.whole
    bench.turn(turned(bench.choice, "mean", 0.2))
    assert not bench.whole


def room_of(bench, part):
    room = Room.__new__(Room)
    room.bench, room.curve, room._compare, room._seen = bench, part, lambda: None, lambda: None
    return room


@pytest.mark.parametrize("turn", [lambda room: room.begin(), lambda room: room._turned_to(SimpleNamespace(value=""))])
@pytest.mark.parametrize("changed", ["a knob", "the range"])
def test_who_comes_back_before_the_answer_came_is_given_it(bench, monkeypatch, turn, changed):
    part, _ = over_frequency_of(bench, lambda: None, monkeypatch)
    if changed == "a knob":
        bench.turn(turned(bench.choice, "mean", 0.3))
    else:
        bench.end = 1.5
    run(turn(room_of(bench, part)))
    at = np.linspace(bench.begin, bench.end, FINE)
    by_api = bench.choice.build().frequency_response(at=at).data["amplitude"].sel(coordinate="theta")
    assert bench.curve.shown.frequency == pytest.approx(at)
    assert bench.curve.shown.panels["amplitude of theta"].y == pytest.approx(by_api.values, rel=1e-9)
    assert not any(each is None or each.choice != bench.choice for each in part.shown)


def test_a_preview_that_was_left_is_made_fine_when_somebody_comes_back(bench, monkeypatch):
    part, _ = over_frequency_of(bench, lambda: None, monkeypatch)
    preview = bench.curve
    run(room_of(bench, part).begin())
    assert part.shown == [preview, bench.curve]
    assert len(bench.curve.shown.frequency) == FINE
    run(room_of(bench, part).begin())  # and what is fine is only shown
    assert len(part.shown) == 3


@pytest.mark.parametrize(("name", "value"), [("over_time", True), ("late", None)])
def test_an_answer_for_other_knobs_is_left_out_while_a_run_or_a_first_look_is_made(bench, monkeypatch, name, value):
    before = bench.curve

    def meanwhile():
        setattr(bench, name, bench.described.knobs if name == "late" else value)
        bench.turn(turned(bench.choice, "mean", 0.3))

    part, _ = over_frequency_of(bench, meanwhile, monkeypatch)
    bench.turn(turned(bench.choice, "swing", 0.2))
    run(part._answer(bench.choice))
    assert (bench.curve, part.shown) == (before, [])


def test_a_fine_curve_is_tried_once_however_long_the_points_of_the_first_answer_took(bench, monkeypatch):
    part, _ = over_frequency_of(bench, lambda: None, monkeypatch)
    part._share = 1.0  # [s] a process that has just begun, or a machine that does other things
    run(part._refine(bench.choice))
    assert len(bench.curve.shown.frequency) == FINE

    bench.curve = preview = tasks.quick(say_nothing, bench.choice, bench.begin, bench.end, 3)
    part.desk.staff, part._finer = Endless(), True
    monkeypatch.setattr(over_frequency, "PATIENCE", 0.01)
    run(part._refine(bench.choice))
    assert (bench.curve, part._finer) == (preview, False)
    part.desk.staff = None  # nobody is asked again
    run(part._refine(bench.choice))


@pytest.mark.parametrize("points", [5, FINE])
def test_a_curve_that_a_left_page_of_the_tab_brings_late_is_shown_and_made_fine(bench, monkeypatch, points):
    """A page that is loaded again shares what was found with the one before it, whose answer may come after its own."""
    late = [tasks.quick(say_nothing, bench.choice, bench.begin, bench.end, points)]
    part, _ = over_frequency_of(bench, lambda: late and setattr(bench, "curve", late.pop()), monkeypatch)
    run(part._refine(bench.choice))
    assert part.shown[-1] is bench.curve
    assert len(bench.curve.shown.frequency) == FINE
    assert not part._finer


def test_a_fine_curve_of_a_range_that_was_changed_meanwhile_is_left_out(bench, monkeypatch):
    before = bench.curve
    part, _ = over_frequency_of(bench, lambda: setattr(bench, "end", 1.5), monkeypatch)
    run(part._refine(bench.choice))
    assert bench.curve is before


@pytest.mark.parametrize(("name", "value"), [("end", 1.0), ("choice", Choice("torsional", {"mean": 0.4}))])
def test_a_followed_curve_of_another_range_or_setting_is_left_out_with_a_word(bench, monkeypatch, name, value):
    bench.begin, bench.end, before = 0.9, 1.1, bench.curve
    part, said = over_frequency_of(bench, lambda: setattr(bench, name, value), monkeypatch)
    run(part.follow())
    assert (bench.curve, said) == (before, [OTHER])


def test_two_knobs_that_are_turned_at_once_both_count():
    bench, chosen = Bench(), SimpleNamespace(choice=Choice("tensioner"))
    bench.take(chosen.choice, tasks.describe(say_nothing, chosen.choice))

    async def later(task, _tell, *given):
        await asyncio.sleep(0.01)
        return task(say_nothing, *given)

    async def nothing():
        """No curve is asked for."""

    async def both():
        room = Room.__new__(Room)
        room.bench, room._turning = bench, asyncio.Lock()
        room.desk = SimpleNamespace(staff=SimpleNamespace(do=later), shelf=SimpleNamespace(of=lambda _: chosen))
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
    bench.turn(turned(bench.choice, "mean", 0.2))  # its answer has not come yet
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
    place = part._panel._all if isinstance(part, OverFrequency) else part._found
    files = [own for own in place.descendants() if isinstance(own, ui.button) and own.props.get("icon") == "download"]
    assert files
    return "stale" in place.classes, not any(own.enabled for own in files), part._status.text


@pytest.mark.parametrize("change", ["a knob", "the range", "another law"])
def test_a_curve_is_dimmed_and_its_files_are_off_from_the_moment_on_that_it_is_of_another_setting(change, monkeypatch):
    monkeypatch.setattr(over_frequency, "REST", 0.0)
    monkeypatch.setattr(parts, "aside", asyncio.ensure_future)
    monkeypatch.setattr(over_frequency, "FINE", 8)

    async def story(_client):
        bench, staff, chosen = Bench(), Held(), Choice("tensioner")
        bench.take(chosen, tasks.describe(say_nothing, chosen))
        bench.curve = tasks.quick(say_nothing, chosen, bench.begin, bench.end, 5)
        shelf = {Draft: Draft(), Chosen: Chosen(chosen)}
        room = Room(SimpleNamespace(staff=staff, shelf=SimpleNamespace(of=shelf.__getitem__)), bench)
        room.curve._finer = True
        room.curve.show()
        assert off(room.curve) == (False, False, "")
        if change == "the range":
            room.curve._ends[1].value = "100"
            act = asyncio.ensure_future(room.curve._ranged())
        else:
            name, value = ("amplitude", 50.0) if change == "a knob" else ("law", "modified-dahl")
            act = asyncio.ensure_future(room.turn(name, value))
        await staff.asked.wait()
        found = [off(room.curve)]
        staff.may.set()
        await act
        return [*found, off(room.curve)]

    assert in_a_page(story) == [(True, True, over_frequency.COMPUTING), (False, False, "")]


def test_an_answer_that_came_too_late_is_drawn_but_dimmed(bench):
    async def story(_client):
        part = OverFrequency(SimpleNamespace(staff=None), bench, lambda: None)
        part.show()
        other = turned(bench.choice, "mean", 0.3)
        late = tasks.quick(say_nothing, other, bench.begin, bench.end, 3)
        bench.turn(turned(bench.choice, "mean", 0.2))
        part._take(late)
        with pytest.raises(InvalidInput, match="of another setting"):  # of who was quicker than the page
            await file_of(part.desk, *part._panel._kept(), "csv")
        return bench.curve is late, off(part)

    assert in_a_page(story) == (True, (True, True, over_frequency.COMPUTING))


def test_a_run_of_other_knobs_is_dimmed_and_is_itself_again_when_they_are_back(bench):
    async def story(_client):
        bench.run = tasks.transient(say_nothing, bench.choice, 0.8, 20.0, 50)
        part, own = OverTime(SimpleNamespace(staff=None), bench, lambda: None), bench.choice
        found = [off(part)]
        bench.run = replace(bench.run, took=9.0)  # it is not made anew by itself
        for choice in (turned(own, "mean", 0.2), own):
            bench.turn(choice)
            await part.renew()
            found.append(off(part))
        return found

    assert in_a_page(story) == [(False, False, ""), (True, True, over_time.STALE), (False, False, "")]


# ---- orbits


def test_an_orbit_of_a_curve_that_is_gone_is_left_out_with_a_word(bench, monkeypatch):
    said, other = [], turned(bench.choice, "mean", 0.3)
    finer = tasks.quick(say_nothing, bench.choice, bench.begin, bench.end, 5)
    monkeypatch.setattr(orbit_panel.ui, "notify", lambda words, **_: said.append(words))
    run(orbit_panel_of(bench, Slow(lambda: setattr(bench, "curve", finer))).show_at(1))  # of the same setting
    assert (bench.orbit is not None, bench.point, said) == (True, 2, [])
    bench.orbit = None
    run(orbit_panel_of(bench, Slow(lambda: bench.turn(other))).show_at(1))
    assert (bench.orbit, said) == (None, [OTHER])


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
    monkeypatch.setattr(orbit_panel, "LIMIT", 0.01)
    with pytest.raises(TooLong, match=r"the orbit at 1\.1 ω_n takes longer than 0\.01 s; click another point"):
        run(orbit_panel_of(bench, Endless()).show_at(1))
    assert bench.orbit is None


@pytest.mark.parametrize(("later", "point"), [((3.0, 4.0, 5.0, 6.0), 2), ((7.0,), None)])
def test_an_orbit_stays_while_a_look_goes_on_but_not_beyond_its_range(later, point):
    """``later`` : the frequencies of the next part of a look, whose orbit at 5 is shown."""
    choice = Choice("gear")
    before, after = (
        SimpleNamespace(choice=choice, whole=False, shown=SimpleNamespace(frequency=w))
        for w in ((4.0, 5.0, 6.0), later)
    )
    bench = SimpleNamespace(curve=before, orbit="an orbit", point=1, long=True)
    page = SimpleNamespace(bench=bench, _looks=True, show=lambda: None, _tell_others=lambda: None)
    OverFrequency._take(page, after)
    assert bench.curve is after
    assert (bench.orbit is None) == (point is None)
    assert point is None or bench.point == point


# ---- runs


def test_a_run_of_an_older_setting_does_not_replace_that_of_the_knobs_as_they_are(bench):
    now, part = bench.choice, over_time_of(bench, None)
    old, how = turned(now, "mean", 0.4), (bench.frequency, bench.until, bench.samples)
    newer, older = (tasks.RunFound(shown=None, kept=b"", took=took) for took in (0.1, 9.0))
    for choice, found, kept in ((old, older, older), (now, newer, newer), (old, older, newer)):
        part._take(choice, how, found, [])
        assert bench.run == kept
    assert not bench.stale
    part._take(now, (bench.frequency, 0.5 * bench.until, bench.samples), older, [])  # as it was asked for before
    assert (bench.run, bench.stale) == (newer, False)


def test_a_run_that_a_knob_makes_endless_is_given_up_and_the_one_before_says_whose_it_is(bench, monkeypatch):
    monkeypatch.setattr(over_time, "PATIENCE", 0.01)
    bench.run = kept = tasks.RunFound(shown=None, kept=b"", took=0.1)
    bench.turn(turned(bench.choice, "mean", 0.4))
    part = over_time_of(bench, Endless())
    with pytest.raises(TooLong, match=r"takes longer than 0\.01 s, and the one before is still shown; press run"):
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
