"""The page Respond: knobs on the left, on the right what the model answers, over frequency and over time."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from html import escape
from typing import Any

from nicegui import ui

from slipstick.app import parts
from slipstick.app.choice import Choice, Chosen
from slipstick.app.frame import Desk
from slipstick.app.model import tasks as model_tasks
from slipstick.app.model.kept import Draft
from slipstick.app.model.saving import as_download
from slipstick.app.model.tasks import LIMIT
from slipstick.app.names import plain_name
from slipstick.app.respond import tasks
from slipstick.app.respond.comparing import differences
from slipstick.app.respond.kept import Bench
from slipstick.app.respond.knob_panel import KnobPanel
from slipstick.app.respond.knobs import Knob, turned
from slipstick.app.respond.over_frequency import OverFrequency
from slipstick.app.respond.over_time import OverTime
from slipstick.app.staff import TaskFailed, hearing, within

UNDER = "Turn a knob and watch the response; keep a setting to compare it with another."
BROKEN = (
    "The text on the page Model has a problem to mend. This is the last text that had none, which may have been half "
    "typed: look at the numbers here, or mend it first."
)
VIEWS = {False: "over frequency", True: "over time"}


async def build(desk: Desk) -> None:
    """Fill the page."""
    parts.heading("Respond", UNDER)
    bench = desk.shelf.of(Bench)
    waiting = parts.note("reading the model ...")
    try:
        choice, described = await _chosen(desk)
    except TaskFailed as failure:
        waiting.delete()
        parts.note(str(failure), "problem")
        parts.empty("The model cannot be read as it is: mend it on the page Model, or choose one of the systems there.")
        return
    waiting.delete()  # it has gone by itself where the page was left meanwhile
    bench.take(choice, described)
    room = Room(desk, bench)
    await parts.handled(room.begin)()


async def _chosen(desk: Desk) -> tuple[Choice, tasks.Described]:
    """The model of the tab: what was edited last, also where the page Model was left before it had looked at it."""
    chosen, draft = desk.shelf.of(Chosen), desk.shelf.of(Draft)
    edited = draft.unseen(chosen.choice)
    if edited is not None:
        try:
            described = await _described(desk, edited)
        except TaskFailed:  # the page Model says what is wrong with it
            draft.refused = edited
        else:
            chosen.choice = draft.adopted = edited
            return edited, described
    return chosen.choice, await _described(desk, chosen.choice)


async def _described(desk: Desk, choice: Choice) -> tasks.Described:
    with hearing():  # what it is warned of is told beside its curve
        return await desk.staff.do(tasks.describe, None, choice)


class Room:
    """Knobs, and the two views on what the model does."""

    def __init__(self, desk: Desk, bench: Bench) -> None:
        self.desk, self.bench = desk, bench
        self._last: tuple[Knob, Any]  # that was turned, and to what
        self._turning = asyncio.Lock()
        with ui.element("div").classes("sides"):
            with ui.element("div").classes("stack"):
                self._left()
            with ui.element("div").classes("stack"):
                self._view = ui.toggle(list(VIEWS.values()), value=VIEWS[bench.over_time]).props("no-caps unelevated")
                self._view.on_value_change(parts.handled(self._turned_to))
                self.curve, self.time = OverFrequency(desk, bench, self._compare), OverTime(desk, bench, self._compare)
        self._seen()

    def _left(self) -> None:
        described = self.bench.described
        assert described is not None
        with ui.element("div").classes("line titled"):
            ui.html(f"<h2>{escape(described.name)}</h2>", sanitize=False)
            ui.link("another model", "/model").classes("small")
        if self.desk.shelf.of(Draft).is_broken:
            parts.note(BROKEN, "warning")
        self._panel = KnobPanel(self.turn)
        self._panel.show(described.knobs)
        with ui.element("div").classes("line"):
            ui.button("keep this as A", on_click=parts.handled(self.keep)).props("outline no-caps dense")
            ui.button("reset all", on_click=parts.handled(self.reset)).props("flat no-caps dense")
            take = ui.button("model with these numbers", icon="download", on_click=parts.handled(self.save))
            take.props("flat no-caps dense").tooltip("a model file: YAML")
        self._compared = ui.element("div")

    async def begin(self) -> None:
        """Show what is there, and answer where nothing is, or what is of another setting."""
        await self.curve.resume()
        self._compare()

    async def turn(self, name: str, value: Any) -> None:
        """A knob was turned."""
        async with self._changing():
            choice, described = self._now
            own = next((knob for knob in described.knobs if knob.name == name), None)
            if own is None:  # of a law that was changed for another meanwhile
                return
            choice = turned(choice, name, own.in_si(value) if isinstance(value, float) else value)
            self._last = own, value
            if own.options:  # another law has other knobs
                await self._describe(choice)
            else:
                self._choose(choice, replace(described, knobs=[_set(knob, name, value) for knob in described.knobs]))
        try:
            await self._renew()
        except TaskFailed as failure:
            # of several turns in a row the last one is answered for, maybe while an earlier one waits here
            raise TaskFailed(in_own_unit(str(failure), *self._last), failure.details) from None

    async def reset(self) -> None:
        """All knobs back to what they usually are; words stay."""
        async with self._changing():
            choice, described = self._now
            for knob in described.knobs:
                if not knob.options and knob.value != knob.usual:
                    choice = turned(choice, knob.name, None)
            await self._describe(choice)
        await self._renew()

    @asynccontextmanager
    async def _changing(self) -> AsyncIterator[None]:
        """One change at a time, as each builds on the one before; what is shown is dimmed from the first moment on."""
        views = self.curve, self.time
        for view in views:
            view.mark(waiting=True)
        try:
            async with self._turning:
                yield
        finally:
            for view in views:
                view.mark()

    @property
    def _now(self) -> tuple[Choice, tasks.Described]:
        assert self.bench.choice is not None
        assert self.bench.described is not None
        return self.bench.choice, self.bench.described

    async def _describe(self, choice: Choice) -> None:
        described = await _described(self.desk, choice)
        self._panel.show(described.knobs)
        self._choose(choice, described)

    def _choose(self, choice: Choice, described: tasks.Described) -> None:
        self.bench.described = described
        self.bench.turn(choice)
        self.desk.shelf.of(Chosen).choice = choice

    async def _renew(self) -> None:
        await (self.time.renew() if self.bench.over_time else self.curve.renew())
        self._compare()

    async def save(self) -> None:
        """Hand over the model as the knobs are, as a file."""
        choice, described = self._now
        files = await within(self.desk.staff, LIMIT, model_tasks.save, choice)
        parts.download(*as_download(files, plain_name(f"{described.name.replace(' ', '-')}.yaml")))

    def keep(self) -> None:
        """This setting is A from now on."""
        self.bench.first = self.bench.setting()
        self.curve.show()
        self.time.show()
        self._compare()

    def forget(self) -> None:
        """No setting is A."""
        self.bench.first = None
        self.curve.show()
        self.time.show()
        self._compare()

    def _compare(self) -> None:
        self._compared.clear()
        first = self.bench.first
        if first is None:
            return
        with self._compared:
            with ui.element("div").classes("line titled"):
                parts.title("A and now")
                ui.button("forget A", on_click=parts.handled(self.forget)).props("flat dense no-caps")
            rows = differences(first, self.bench.setting())
            parts.table(("", "unit", "A", "now"), rows, numbers=2)

    async def _turned_to(self, event: Any) -> None:
        self.bench.over_time = event.value == VIEWS[True]
        self._seen()
        if not self.bench.over_time:
            await self.curve.resume()

    def _seen(self) -> None:
        self.curve.place.set_visibility(not self.bench.over_time)
        self.time.place.set_visibility(self.bench.over_time)


def _set(knob: Knob, name: str, value: Any) -> Knob:
    if knob.name != name:
        return knob
    return replace(knob, value=knob.usual if value is None else value)


def in_own_unit(line: str, knob: Knob, value: Any) -> str:
    """What a law says of a number is in SI; the number as it was set stands behind it."""
    if not isinstance(value, float) or not knob.written or knob.in_si(1.0) == 1.0 or ", got " not in line:
        return line
    return f"{line} in SI; {knob.words} is {value:g} {knob.unit}"
