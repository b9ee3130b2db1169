"""The response over frequency: soon at some frequencies while a knob is turned, or followed as a whole curve."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace

from nicegui import ui

from slipstick.app import parts
from slipstick.app.choice import Choice
from slipstick.app.frame import Desk
from slipstick.app.numbers import positive
from slipstick.app.respond import curve_told, looking, tasks
from slipstick.app.respond.curve_panel import CurvePanel
from slipstick.app.respond.curve_told import FINE
from slipstick.app.respond.kept import Bench
from slipstick.app.respond.orbit_panel import OTHER
from slipstick.app.respond.tasks import PATIENCE
from slipstick.app.staff import Latest, TaskFailed, TooLong, hearing, within
from slipstick.errors import InvalidInput

SOON = 0.1  # [s] that the points of a knob's answer may take
FEWEST, UNMEASURED = 20, 40  # points: of an answer at least, and of the first one
REST = 0.4  # [s] without a turn
COMPUTING = "computing ..."
LONG = (
    "This model takes too long to answer: press follow the curve, over a small range first, or look at its motion over "
    "time."
)
STOPPED = "The first look was stopped before it had found anything."
NONE = "There is no curve with these numbers: turn a knob, or reset it."


class OverFrequency:
    """The part of the page on curves.   found : called when there is another one."""

    def __init__(self, desk: Desk, bench: Bench, found: Callable[[], None]) -> None:
        self.desk, self.bench, self._tell_others = desk, bench, found
        self._soon, self._later = Latest(self._answer), Latest(self._refine)  # one of each at a time
        self._looking, self._looks = Latest(self._look), False
        self._share = 0.0  # [s] of a point, as measured
        self._finer = False  # a curve of more points is to come
        self._slow = False  # such a curve came too late once
        self._panel = CurvePanel(desk, bench, self._again)
        with ui.element("div").classes("stack full-width") as self.place:
            self._ask()
            self._bar = parts.Bar(desk.staff, keeps=True)
            with ui.element("div").classes("line above"):
                self._preview = ui.label("").classes("small preview").props('role="status"')
                self._status = ui.label("").classes("quiet small").props('role="status"')
                self._stop = ui.button("stop", on_click=self._end_look).props("flat dense no-caps")
                self._stop.set_visibility(False)
            self._panel.build()

    # ---- what is asked

    def _ask(self) -> None:
        bench, described = self.bench, self.bench.described
        assert described is not None
        with ui.element("div").classes("line"):
            ends = (bench.begin, bench.end)
            self._ends = [
                ui.input(f"{word} [{described.unit}]", value=f"{described.scale * end:.6g}").props("dense outlined")
                for word, end in zip(("from", "to"), ends, strict=True)
            ]
            for field in self._ends:
                field.classes("number").style("width: 7.5rem").on("keydown.enter", parts.handled(self._ranged))
                field.on("blur", parts.handled(self._ranged))
            self._panel.choose()
            ui.button("follow the curve", on_click=parts.handled(self.follow)).props("unelevated no-caps").tooltip(
                "by its arclength, around folds, with all special points"
            )

    async def _ranged(self) -> None:
        described = self.bench.described
        assert described is not None
        values = [positive(str(field.label), field.value) / described.scale for field in self._ends]
        if values[0] == values[1]:
            raise InvalidInput(f"from and to must differ, got {self._ends[0].value} twice; widen the range")
        begin, end = sorted(values)
        # what a field shows is rounded: unchanged words are no other range
        if any(abs(new - old) > 1e-6 * end for new, old in ((begin, self.bench.begin), (end, self.bench.end))):
            self.bench.begin, self.bench.end = begin, end
            await self.renew()

    # ---- what is computed

    async def resume(self) -> None:
        """What is there, and finer where a preview was left; an answer where it is of other knobs or another range."""
        bench = self.bench
        if bench.curve is None or not bench.is_answered:
            await self.renew()
            return
        self._finer = curve_told.is_coarse(bench)
        self.show()
        if self._finer:
            self._share = bench.curve.took / len(bench.curve.shown.frequency)
            parts.aside(self._later.ask(bench.choice))

    async def renew(self) -> None:
        """Answer for the choice as it is now: soon, and finely when it rests."""
        choice = self.bench.choice
        self.mark()
        if self.bench.long:
            await self._looking.ask(choice)
            return
        self._finer = True
        await self._soon.ask(choice)
        parts.aside(self._later.ask(self.bench.choice))  # of several turns in a row the last one counts

    async def _answer(self, choice: Choice) -> None:
        points = UNMEASURED if not self._share else int(min(max(SOON / self._share, FEWEST), FINE))
        self._status.set_text(COMPUTING)
        bench, ends = self.bench, (self.bench.begin, self.bench.end)
        knobs = bench.described.knobs if bench.described else None
        try:
            found = await self._quick(choice, points)
        except TooLong:
            if bench.wants(choice, ends):
                bench.late = knobs
                await self._looking.ask(choice)
            return
        except TaskFailed:
            if bench.wants(choice, ends):
                self._forget(NONE)  # what was found before is of another setting
            raise
        finally:
            self.mark()
        self._share = found.took / points
        if not bench.wants(choice, ends) and (bench.over_time or bench.long):
            return  # a knob was turned there, and answered for when the curve is looked at again; or a look goes on
        bench.late = None
        self._take(found)  # also of a knob that is still being turned: the next answer is on its way

    async def _look(self, choice: Choice) -> None:
        """A first look, point by point, until another setting or range is asked for, or somebody has seen enough."""
        bench, ends = self.bench, (self.bench.begin, self.bench.end)
        self._looks, kept, wanted = True, b"", looking.places(*ends)
        self._stop.set_visibility(True)
        try:
            for count, omega in enumerate(wanted):
                self._status.set_text(f"a first look: {count} of {len(wanted)} frequencies")
                with hearing() as lines:
                    found = await within(self.desk.staff, PATIENCE, looking.look, choice, omega, kept, ends)
                if bench.choice is not choice or (bench.begin, bench.end) != ends:
                    return
                if not self._looks:
                    if not kept:
                        self._forget(STOPPED, again=True)
                    return
                kept = found.kept
                self._take(replace(found, remarks=tuple(lines)))
        except TaskFailed as failure:
            if not kept and bench.wants(choice, ends):
                self._forget(LONG if isinstance(failure, TooLong) else NONE, again=True)
            raise
        finally:
            self._looks = False
            self._stop.set_visibility(False)
            self.mark()

    def _end_look(self) -> None:
        """What was seen by now is kept; it says that it is a part."""
        self._looks = False
        self._stop.set_visibility(False)

    async def _again(self) -> None:
        """Whoever asks for it has another try: a machine that was busy may be free."""
        self.bench.late = None
        await self.renew()

    async def _quick(self, choice: Choice, points: int) -> tasks.CurveFound:
        bench = self.bench
        with hearing() as lines:
            found = await within(self.desk.staff, PATIENCE, tasks.quick, choice, bench.begin, bench.end, points)
        return replace(found, remarks=tuple(lines))

    async def _refine(self, choice: Choice | None) -> None:
        """Once more with more points, if nobody has turned a knob meanwhile."""
        await asyncio.sleep(REST)
        bench, known = self.bench, self.bench.curve
        if choice is None or bench.choice != choice or not bench.is_answered:
            return  # whoever is answered next asks again
        found = None
        if bench.orbit is None and curve_told.is_coarse(bench) and not self._slow:
            try:
                found = await self._quick(choice, FINE)
            except TaskFailed as failure:  # what is there already will do
                self._slow = isinstance(failure, TooLong)
        if not bench.is_answered or self.place.is_deleted:
            return
        if bench.curve is not known:  # it was followed meanwhile, or a page that was left in this tab has answered
            self._finer = curve_told.is_coarse(bench)
            self.show()
            if self._finer:
                await self._refine(choice)
            return
        self._finer = False
        if found is not None and bench.orbit is None:
            self._take(found)
        else:
            self._tell_of_points()

    async def follow(self) -> None:
        """The whole curve, with progress; it can be cancelled."""
        bench, described = self.bench, self.bench.described
        assert described is not None
        assert bench.choice is not None
        self._looks = False
        choice, ends = bench.choice, (bench.begin, bench.end)
        with hearing() as lines:
            found = await self._bar.do(tasks.follow, choice, *ends, described.unit, described.scale)
        if found is None:
            return
        found = replace(found, remarks=tuple(lines))
        if bench.wants(choice, ends):
            self._take(found)
        else:
            ui.notify(OTHER, position="bottom")

    def _take(self, found: tasks.CurveFound) -> None:
        bench, seen = self.bench, self.bench.curve
        looked = seen if self._looks and bench.orbit is not None else None
        at = looked.shown.frequency[bench.point] if looked and looked.choice == found.choice else None
        if at is not None and at in found.shown.frequency:  # its points have other numbers now
            bench.point = found.shown.frequency.index(at)
        else:
            bench.orbit = None
        if found.whole and seen is not None and bench.long and not seen.whole:
            bench.seen = seen
        bench.curve = found
        self.show()
        self._tell_others()

    def _forget(self, words: str, again: bool = False) -> None:
        """Nothing is to be seen but what to do.   again : another try is offered."""
        self.bench.curve = self.bench.orbit = None
        self._tell_of_points()
        self._panel.clear(words, again)

    # ---- what is shown

    def show(self) -> None:
        """Everything that is there."""
        self._tell_of_points()
        self._panel.show()
        self.mark()

    def mark(self, waiting: bool = False) -> None:
        """Dim a curve of other knobs or another range while its successor is computed.   waiting : for a change."""
        if self.place.is_deleted:  # the page was left meanwhile
            return
        stale = self.bench.curve is not None and (waiting or not self.bench.is_answered)
        self._panel.dim(stale)
        self._status.set_text(COMPUTING if stale else "")

    def _tell_of_points(self) -> None:
        self._preview.set_text(curve_told.preview(self.bench, self._finer))
