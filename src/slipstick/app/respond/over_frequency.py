"""The response over frequency: soon at some frequencies while a knob is turned, or followed as a whole curve."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import Any

from nicegui import ui

from slipstick.app import parts
from slipstick.app.choice import Choice
from slipstick.app.frame import Desk
from slipstick.app.numbers import positive
from slipstick.app.respond import branches, looking, pictures, tasks
from slipstick.app.respond.kept import Bench
from slipstick.app.respond.motion import downloads, show_motion, show_word
from slipstick.app.respond.shown import STABLE, CurveShown
from slipstick.app.staff import Latest, TaskFailed, TooLong, hearing, within
from slipstick.errors import InvalidInput

SOON = 0.1  # [s] that the points of a knob's answer may take
FEWEST, UNMEASURED, FINE = 20, 40, 120  # points: of an answer at least, of the first one, and when the knob rests
REST = 0.4  # [s] without a turn
PATIENCE = 15.0  # [s] for an answer that was meant to be quick
MOST_SPECIAL = 12
MOVING = 0.01  # of the largest amplitude
LONG = (
    "This model takes too long to answer: press follow the curve, over a small range first, or look at its motion over "
    "time."
)
LOOK = (
    "The curve of this model takes long. This is a first look, by short runs at one frequency after the other; follow "
    "the curve for orbits with their stability, over a small range first."
)
PREVIEW = "Preview: {} points while numbers change; the full curve of {} points follows."
COARSE = "Preview: {} points; follow the curve to see all of it."
NONE = "There is no curve with these numbers: turn a knob, or reset it."
OTHER = "a knob was turned or the range changed meanwhile: what came was left out, ask for it again"


class OverFrequency:
    """The part of the page on curves.   found : called when there is another one."""

    def __init__(self, desk: Desk, bench: Bench, found: Callable[[], None]) -> None:
        self.desk, self.bench, self._tell_others = desk, bench, found
        self._soon, self._later = Latest(self._answer), Latest(self._refine)  # one of each at a time
        self._looking, self._looks = Latest(self._look), False
        self._share = 0.0  # [s] of a point, as measured
        self._finer = False  # a curve of more points is to come
        with ui.element("div").classes("stack full-width") as self.place:
            self._ask()
            self._bar = parts.Bar(desk.staff, keeps=True)
            with ui.element("div").classes("line above"):
                self._preview = ui.label("").classes("small preview").props('role="status"')
                self._status = ui.label("").classes("quiet small").props('role="status"')
                self._stop = ui.button("stop", on_click=self._end_look).props("flat dense no-caps")
                self._stop.set_visibility(False)
            self._picture = ui.element("div").classes("stack")
            self._plot: ui.plotly | None = None  # it is there while there is a curve
            self._found = ui.element("div").classes("stack")
            self._tools = ui.element("div").classes("stack")
            self._orbit = ui.element("div").classes("stack")

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
            self._select = ui.select([], label="show").props("dense outlined").classes("show")
            self._select.on_value_change(parts.handled(self._selected))
            self._log = ui.checkbox("logarithmic", value=bench.log, on_change=parts.handled(self._selected))
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
            self.bench.begin, self.bench.end, self.bench.whole = begin, end, False
            await self.renew()

    def _selected(self) -> None:
        if self._select.value:
            self.bench.panel, self.bench.log = self._select.value, self._log.value
            self.show()

    # ---- what is computed

    async def renew(self) -> None:
        """Answer for the choice as it is now: soon, and finely when it rests."""
        choice = self.bench.choice
        if self.bench.long:
            await self._looking.ask(choice)
            return
        self._finer = True
        await self._soon.ask(choice)
        parts.aside(self._later.ask(self.bench.choice))  # of several turns in a row the last one counts

    async def _answer(self, choice: Choice) -> None:
        points = UNMEASURED if not self._share else int(min(max(SOON / self._share, FEWEST), FINE))
        self._status.set_text("" if 0.0 < self._share * points < 2.0 * SOON else "computing ...")
        knobs = self.bench.described.knobs if self.bench.described else None
        try:
            found = await self._quick(choice, points)
        except TooLong:
            self.bench.late = knobs
            await self._looking.ask(choice)
            return
        except TaskFailed:
            self._forget(NONE)  # what was found before is of another setting
            raise
        finally:
            self._status.set_text("")
        self._share = found.took / points
        self.bench.late = None
        self._take(found, whole=False)

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
                if bench.choice is not choice or (bench.begin, bench.end) != ends or not self._looks:
                    return
                kept = found.kept
                self._take(replace(found, remarks=tuple(lines)), whole=False)
        except TaskFailed as failure:
            if not kept:
                self._forget(LONG if isinstance(failure, TooLong) else NONE, again=True)
            raise
        finally:
            self._looks = False
            self._status.set_text("")
            self._stop.set_visibility(False)

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
        if choice is None or bench.choice is not choice or known is None or known.choice != choice:
            return  # whoever is answered next asks again
        found = None
        if not bench.whole and len(known.shown.frequency) < FINE and self._share * FINE <= PATIENCE:
            with suppress(TaskFailed):  # what is there already will do
                found = await self._quick(choice, FINE)
        if bench.choice is not choice or bench.curve is not known or self.place.is_deleted:
            return
        self._finer = False
        if found is not None and bench.orbit is None:
            self._take(found, whole=False)
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
        if bench.choice == choice and (bench.begin, bench.end) == ends:
            self._take(found, whole=True)
        else:
            ui.notify(OTHER, position="bottom")

    def _take(self, found: tasks.CurveFound, whole: bool) -> None:
        bench, seen = self.bench, self.bench.curve
        looked = seen if self._looks and bench.orbit is not None else None
        at = looked.shown.frequency[bench.point] if looked and looked.choice == found.choice else None
        if at is not None and at in found.shown.frequency:  # its points have other numbers now
            bench.point = found.shown.frequency.index(at)
        else:
            bench.orbit = None
        if whole and seen is not None and bench.long and not bench.whole:
            bench.seen = seen
        bench.curve, bench.whole = found, whole
        self.show()
        self._tell_others()

    def _forget(self, words: str, again: bool = False) -> None:
        """Nothing is to be seen but what to do.   again : another try is offered."""
        self.bench.curve = self.bench.orbit = None
        self._plot = None
        self._tell_of_points()
        for own in (self._select, self._log):  # there is nothing to choose from
            own.set_visibility(False)
        for place in (self._picture, self._found, self._tools, self._orbit):
            place.clear()
        with self._picture:
            parts.empty(words)
            if again:
                ui.button("try again", on_click=parts.handled(self._again)).props("flat dense no-caps")

    async def _clicked(self, event: Any) -> None:
        if isinstance(event.args, int):
            await self._show_orbit_at(event.args)

    async def _show_orbit_at(self, point: int) -> None:
        bench, curve = self.bench, self.bench.curve
        if curve is None:
            return
        with hearing() as lines:
            found = await self.desk.staff.do(tasks.orbit, None, curve.kept, point)
        if bench.curve is not None and bench.curve.choice == curve.choice:  # a finer curve is of the same setting
            at = curve.shown.frequency[point]  # a finer one may have come meanwhile
            known = bench.curve.shown.frequency
            bench.point = point if bench.curve is curve else min(range(len(known)), key=lambda k: abs(known[k] - at))
            bench.orbit = replace(found, remarks=tuple(lines))
            self._draw()
            self._draw_orbit()
        else:
            ui.notify(OTHER, position="bottom")

    # ---- what is shown

    def show(self) -> None:
        """Everything that is there."""
        bench = self.bench
        if bench.curve is None:
            return
        keys = list(bench.curve.shown.panels)
        if bench.panel not in keys:
            bench.panel = _moving(bench.curve.shown)
        if self._select.options != keys:
            self._select.set_options(keys)
        if self._select.value != bench.panel:
            self._select.set_value(bench.panel)
        self._draw()
        self._found.clear()
        with self._found:
            parts.remarks(bench.curve.remarks)
            if bench.long and not bench.whole:
                self._tell_of_look()
            self._tell(bench.curve.shown)
        if not self._tools.default_slot.children:
            with self._tools:
                self._offer(bench.curve.shown)
        self._draw_orbit()

    def _tell_of_points(self) -> None:
        """That a curve is a preview, as long as it is one."""
        bench = self.bench
        count = len(bench.curve.shown.frequency) if bench.curve else FINE
        coarse = count < FINE and not bench.whole and not bench.long
        self._preview.set_text((PREVIEW if self._finer else COARSE).format(count, FINE) if coarse else "")

    def _draw(self) -> None:
        bench = self.bench
        self._tell_of_points()
        if bench.curve is None:
            return
        first = bench.first.curve if bench.first else None
        below = None if first is None or first is bench.curve else first.shown
        chosen = bench.point if bench.orbit is not None else None
        looked = bench.seen.shown if bench.whole and bench.seen and bench.seen.choice == bench.choice else None
        picture = pictures.curve_picture(bench.curve.shown, bench.panel, below, bench.log, chosen, looked)
        if self._plot is not None:
            self._plot.update_figure(picture)
            return
        self._picture.clear()
        for own in (self._select, self._log):
            own.set_visibility(True)
        with self._picture:
            self._plot = ui.plotly(picture).classes("full-width curve")
            self._plot.on("plotly_click", parts.handled(self._clicked), js_handler=CLICKED)

    def _tell_of_look(self) -> None:
        parts.note(LOOK)
        if self.bench.late is not None:
            ui.button("try a quick curve again", on_click=parts.handled(self._again)).props("flat dense no-caps")

    def _tell(self, shown: CurveShown) -> None:
        show_word(shown.word)
        heads = ("coordinate", f"at [{shown.unit}]", "largest amplitude", "largest rms, with the mean", "")
        rows = [
            (name, f"{at:.6g}", f"{size:.6g} {unit}", f"{rms:.6g} {unit}", STABLE[stable])
            for name, at, size, unit, rms, stable in shown.peaks
        ]
        parts.table(heads, rows)
        if shown.special:
            _specials(shown, self.bench.panel)

    def _offer(self, shown: CurveShown) -> None:
        """Files, and orbits; the same for all curves of a model, so that they are made once."""
        name = f"{shown.model.replace(' ', '-')}-curve"
        downloads(self.desk, self._kept, name, ("png", "svg", "csv", "nc"))
        self._ask_for_orbit(shown.unit)

    def _kept(self) -> tuple[bytes | None, str]:
        return (self.bench.curve.kept if self.bench.curve else None), self.bench.panel

    def _ask_for_orbit(self, unit: str) -> None:
        parts.title("Orbit")
        with ui.element("div").classes("line"):
            parts.note("Click a point of the curve to see its orbit, or give a frequency:")
            field = ui.input(f"frequency [{unit}]").props("dense outlined").classes("number")

            async def show() -> None:
                wanted = positive(str(field.label), field.value)
                if self.bench.curve is not None:
                    await self._show_orbit_at(branches.nearest(self.bench.curve.shown, wanted))

            field.on("keydown.enter", parts.handled(show))
            ui.button("nearest orbit", on_click=parts.handled(show)).props("flat dense no-caps")

    def _draw_orbit(self) -> None:
        self._orbit.clear()
        if self.bench.orbit is None:
            return
        first = self.bench.first.orbit if self.bench.first else None
        with self._orbit:
            found = self.bench.orbit
            self._tell_others_there()
            show_motion(found, first)
            name = f"{found.shown.model.replace(' ', '-')}-orbit"
            downloads(self.desk, lambda: (found.kept, ""), name, ("png", "svg", "csv", "nc"))

    def _tell_others_there(self) -> None:
        """The other motions at the frequency of the one that is shown, each with a way to it."""
        bench = self.bench
        if bench.curve is None:
            return
        shown = bench.curve.shown
        _, *others = branches.passes(shown, bench.point)
        place = f"{shown.frequency[bench.point]:.6g} {shown.unit}"
        if not shown.joined:
            parts.note(f"At {place}. One motion is looked for at each frequency; follow the curve to see others there.")
            return
        count = f"{len(others)} other motion{'s' * (len(others) != 1)}" if others else "no other motion"
        more = ": click its branch in the curve, or one of these" if others else " of this curve"
        parts.note(f"At {place}: {branches.said(shown, bench.point, bench.panel)}; {count} at this frequency{more}.")

        def button(point: int) -> None:
            async def show() -> None:
                await self._show_orbit_at(point)

            words = branches.said(shown, point, bench.panel)
            ui.button(words, on_click=parts.handled(show)).props("outline dense no-caps")

        with ui.element("div").classes("line others"):
            for each in others:
                button(each)


# the number of the point that was clicked, and not all of the picture
CLICKED = "(event) => emit(event?.points?.[0]?.customdata ?? null)"


def _moving(shown: CurveShown) -> str:
    """What is shown first: the amplitude of the first coordinate that moves, beside the others."""
    sizes = {key: max(map(abs, line.y)) for key, line in shown.panels.items() if line.what == "amplitude"}
    largest = max(sizes.values(), default=0.0)
    return next((key for key, size in sizes.items() if size >= MOVING * largest), next(iter(shown.panels)))


def _specials(shown: CurveShown, panel: str) -> None:
    line = shown.panels[panel]
    rows = [(kind, f"{shown.frequency[k]:.6g}", f"{line.y[k]:.6g}") for kind, k in shown.special]
    unit = f" [{line.unit}]" if line.unit else ""
    parts.table(("special point", f"at [{shown.unit}]", f"{panel}{unit}"), rows[:MOST_SPECIAL], numbers=2)
    if len(rows) > MOST_SPECIAL:
        parts.note(f"and {len(rows) - MOST_SPECIAL} more; the data have all of them")
