"""The orbit at a point of the curve: one that is clicked or asked for by its frequency, and the other motions there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from nicegui import ui

from slipstick.app import parts
from slipstick.app.frame import Desk
from slipstick.app.numbers import positive
from slipstick.app.respond import branches, tasks
from slipstick.app.respond.kept import Bench
from slipstick.app.respond.motion import downloads, show_motion
from slipstick.app.staff import Latest, TooLong, hearing, within

LIMIT = 30.0  # [s] for an orbit: whoever clicks another point waits for the last one
OTHER = "a knob was turned or the range changed meanwhile: what came was left out, ask for it again"
LATE = "the orbit at {} takes longer than {:g} s; click another point, or run over time at this frequency"
# the number of the point that was clicked, and not all of the picture
CLICKED = "(event) => emit(event?.points?.[0]?.customdata ?? null)"


class OrbitPanel:
    """The part of the page on orbits, below the curve.   ringed : called when another point of it is to be marked."""

    def __init__(self, desk: Desk, bench: Bench, ringed: Callable[[], None]) -> None:
        self.desk, self.bench, self._ring = desk, bench, ringed
        self._wanted = Latest(self._find)  # of several clicks in a row the last one counts
        self._asked = ui.element("div").classes("stack")
        self._found = ui.element("div").classes("stack")

    def clear(self) -> None:
        """There is no curve to ask for an orbit of."""
        self._asked.clear()
        self._found.clear()

    def watch(self, plot: ui.plotly) -> None:
        """A click on a point of the curve shows its orbit."""
        plot.on("plotly_click", parts.handled(self._clicked), js_handler=CLICKED)

    async def _clicked(self, event: Any) -> None:
        if isinstance(event.args, int):
            await self.show_at(event.args)

    async def show_at(self, point: int) -> None:
        """The orbit at a point of the curve as it is drawn now, by its number."""
        if self.bench.curve is not None:
            await self._wanted.ask(self.bench.curve, point)

    async def _find(self, curve: tasks.CurveFound, point: int) -> None:
        bench = self.bench
        try:
            with hearing() as lines:
                found = await within(self.desk.staff, LIMIT, tasks.orbit, curve.kept, point)
        except TooLong:
            place = f"{curve.shown.frequency[point]:.6g} {curve.shown.unit}"
            raise TooLong(LATE.format(place, LIMIT)) from None
        if bench.curve is None or not (bench.is_answered and bench.wants(curve.choice, curve.ends)):
            ui.notify(OTHER, position="bottom")
            return
        # a finer or a followed one of the same setting may have come meanwhile
        bench.point = point if bench.curve is curve else branches.same(curve.shown, point, bench.curve.shown)
        bench.orbit = replace(found, remarks=tuple(lines))
        self._ring()
        self.show()

    # ---- what is shown

    def show(self) -> None:
        """The field for a frequency, once, and the orbit that is there."""
        if self.bench.curve is not None and not self._asked.default_slot.children:
            with self._asked:
                self._ask(self.bench.curve.shown.unit)
        self._found.clear()
        found = self.bench.orbit
        if found is None:
            return
        first = self.bench.first.orbit if self.bench.first else None
        with self._found:
            self._tell_others_there()
            show_motion(found, first)
            name = f"{found.shown.model.replace(' ', '-')}-orbit"

            def kept() -> tuple[bytes | None, str]:
                return (found.kept if self.bench.is_answered else None), ""

            downloads(self.desk, kept, name, ("png", "svg", "csv", "nc"))

    def _ask(self, unit: str) -> None:
        parts.title("Orbit")
        with ui.element("div").classes("line"):
            parts.note("Click a point of the curve to see its orbit, or give a frequency:")
            field = ui.input(f"frequency [{unit}]").props("dense outlined").classes("number")

            async def show() -> None:
                wanted = positive(str(field.label), field.value)
                if self.bench.curve is not None:
                    await self.show_at(branches.nearest(self.bench.curve.shown, wanted))

            field.on("keydown.enter", parts.handled(show))
            ui.button("nearest orbit", on_click=parts.handled(show)).props("flat dense no-caps")

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
                await self.show_at(point)

            words = branches.said(shown, point, bench.panel)
            ui.button(words, on_click=parts.handled(show)).props("outline dense no-caps")

        with ui.element("div").classes("line others"):
            for each in others:
                button(each)
