"""The page Papers: figures and tables of the five papers, computed on demand, with adjustable parameters."""

from __future__ import annotations

import asyncio
import shlex
from collections.abc import Mapping
from dataclasses import replace
from time import monotonic
from typing import Any

from nicegui import ui

from slipstick.app import widgets
from slipstick.app.code_view import code_panel
from slipstick.app.equivalent_code import EquivalentCode, keyword_arguments, script
from slipstick.app.model_choice import ModelChoice, SelectedModel
from slipstick.app.page_address import PageAddress, page_query
from slipstick.app.page_frame import PageContext
from slipstick.app.papers import tasks
from slipstick.app.papers.figure_view import show_figure
from slipstick.app.papers.page_state import (
    FigureItem,
    FigureRequest,
    FigureResult,
    PapersState,
    figure_address,
    read_figure,
)
from slipstick.app.papers.parameter_form import ParameterForm
from slipstick.app.task_warnings import collect_warnings
from slipstick.app.worker_pool import TaskFailed, WorkerPool
from slipstick.papers import TITLES

PAGE_SUBTITLE = "Figures and tables of the five papers, computed again and compared with the print."
CHOOSE_FIGURE_TEXT = "Choose a figure. It is computed and compared with the paper; then change its numbers."
NOT_MADE_TEXT = "Not computed yet: press Make."
OUTDATED_FIGURE_TEXT = "the figure below has other numbers than the fields: press Make"
KIND_LABELS = {"figure": "", "table": "table", "scheme": "diagram", "beyond": "beyond the paper"}
CITATIONS = {  # as in CITATION.cff
    "tensioner": "Bastien, Michon, Manin, Dufour: An analysis of the modified Dahl and Masing models: Application to a "
    "belt tensioner. Journal of Sound and Vibration 302 (2007) 841-864, doi 10.1016/j.jsv.2006.12.013",
    "gear": "Żardecki: Piecewise linear luz(...) and tar(...) projections. Part 2 - Application in modelling of "
    "dynamic systems with freeplay and friction. Journal of Theoretical and Applied Mechanics 44 (2006) 185-202",
    "fibre": "Piollet, Poquillon, Michon: Dynamic hysteresis modelling of entangled cross-linked fibres in shear. "
    "Journal of Sound and Vibration 383 (2016) 248-264, doi 10.1016/j.jsv.2016.06.023",
    "clutch": "Hilali, Braikat, Lahmam, Damil: Effect of regularized functions on the dynamic response of a clutch "
    "system using a high-order algorithm. Comptes Rendus Mécanique (2017)",
    "torsional": "Duan, Singh: Dynamics of a torsional system with harmonically varying dry friction torque. Journal "
    "of Physics: Conference Series",
}
_catalogues: dict[WorkerPool, tuple[FigureItem, ...]] = {}  # shared by all tabs of a server


async def build(context: PageContext) -> None:
    """Fill the page."""
    widgets.heading("Papers", PAGE_SUBTITLE)
    place = ui.element("div").classes("full-width")
    if context.worker_pool not in _catalogues:
        with place:
            widgets.note("reading the papers ...")
        _catalogues[context.worker_pool] = await context.worker_pool.run(tasks.list_figures, None)
    place.clear()
    with place:
        await PapersPage(context, _catalogues[context.worker_pool]).follow_link(page_query())


class PapersPage:
    """The list on the left, one figure on the right."""

    def __init__(self, context: PageContext, items: tuple[FigureItem, ...]) -> None:
        self.context, self.items = context, items
        self.state = context.tab_state.of(PapersState)
        self.latest_request = self.state.request
        self.buttons: dict[tuple[str, str], ui.button] = {}
        self.begun = 0.0
        with ui.element("div").classes("sides"):
            with ui.element("nav").classes("entries").props('aria-label="figures"'):
                self._list()
            with ui.element("section").classes("stack result"):
                self.head = ui.element("div").classes("stack")
                self.bar = widgets.TaskBar(context.worker_pool)
                self.clock = ui.label("").classes("quiet small")
                self.timer = ui.timer(1.0, self._tick, active=False)
                self.place = ui.element("div").classes("stack")
        self._address = PageAddress(context.links)
        self._mark()
        self._build_inputs()
        self._show()

    async def follow_link(self, query: Mapping[str, str]) -> None:
        """Show the figure of an address, of a bookmark for example; one by the paper's own scheme waits for Make."""
        linked = read_figure(query, self.items)
        if linked is not None and linked != self.state.request:
            self.state.request = linked
            self._mark()
            self._build_inputs()
            self._show()
        if self.state.request is not None:
            self._address.show(figure_address(self.state.request), new_entry=False)
        if linked is not None and self.state.result is None and not linked.own_scheme:
            await self.show_request(linked)

    def _list(self) -> None:
        current = self.state.request.paper if self.state.request else ""
        for paper in dict.fromkeys(item.paper for item in self.items):
            own = [item for item in self.items if item.paper == paper]
            with ui.expansion(f"{TITLES[paper]} ({len(own)})", group="papers", value=paper == current).props("dense"):
                widgets.note(CITATIONS[paper]).classes("citation")
                for item in own:
                    self.buttons[item.paper, item.label] = self._button(item)

    def _button(self, item: FigureItem) -> ui.button:
        async def choose() -> None:
            await self.choose(item)

        with (
            ui.button(on_click=widgets.with_error_notification(choose))
            .props("flat no-caps dense align=left")
            .classes("entry") as entry
        ):
            ui.label(item.name).classes("name")
            ui.label(item.title)
            if KIND_LABELS[item.kind]:
                ui.label(KIND_LABELS[item.kind]).classes("kind")
        return entry

    @property
    def item(self) -> FigureItem | None:
        """The figure that is shown."""
        request = self.state.request
        return next(
            (entry for entry in self.items if request and (entry.paper, entry.label) == (request.paper, request.label)),
            None,
        )

    async def choose(self, item: FigureItem) -> None:
        """Show a figure as printed; compute it if needed."""
        await self.show_request(FigureRequest(item.paper, item.label))

    async def show_request(self, request: FigureRequest) -> None:
        """Show a figure with these numbers, stored or computed now; a running computation is cancelled.

        Only the latest of several requests is shown.
        """
        self.latest_request = request
        while self.bar.busy:
            self.bar.cancel()
            await asyncio.sleep(0.02)
            if self.latest_request is not request:
                return
        other = self.state.request is None or (request.paper, request.label) != (
            self.state.request.paper,
            self.state.request.label,
        )
        self.state.request = request
        self._address.show(figure_address(request), new_entry=True)
        self._mark()
        if other:
            self._build_inputs()
            ui.run_javascript("document.querySelector('.result').scrollIntoView({block: 'nearest'})")
        if self.state.result is None:
            self.place.clear()
            try:
                result, lines = await self._make(request)
            except TaskFailed as failure:
                problem = widgets.error_message(failure)
                if self.latest_request is request:
                    self._show(problem)
                return
            if result is not None:
                self.state.store(request, replace(result, warnings=tuple(lines)))
        self._mark()
        if self.latest_request is request:
            self._show()

    async def _make(self, request: FigureRequest) -> tuple[FigureResult | None, list[str]]:
        """A figure, or None if it was cancelled, and its warnings; meanwhile a clock runs."""
        self.begun = monotonic()
        self.timer.activate()
        try:
            with collect_warnings() as lines:
                result = await self.bar.run(
                    tasks.make_figure, request.paper, request.label, dict(request.changed), request.own_scheme
                )
        finally:
            self.timer.deactivate()
            self.clock.set_text("")
        return result, lines

    def _tick(self) -> None:
        self.clock.set_text(f"running for {monotonic() - self.begun:.0f} s; choosing another figure ends it")

    def _mark(self) -> None:
        for item in self.items:
            button = self.buttons[item.paper, item.label]
            button.props("aria-current=true" if item is self.item else "", remove="aria-current")
            button.classes("made" if self.state.has(item) else "", remove="made")

    def _build_inputs(self) -> None:
        """Show title, parameters and buttons of the figure."""
        self.head.clear()
        item, request = self.item, self.state.request
        if item is None or request is None:
            return
        owner = f"{item.paper}, {item.name}"

        async def make() -> None:
            own_scheme = bool(scheme.value) if scheme else False
            hint.set_visibility(False)
            await self.show_request(FigureRequest(item.paper, item.label, numbers.read(owner), own_scheme))

        async def printed() -> None:
            numbers.reset()
            await self.show_request(FigureRequest(item.paper, item.label))

        def compare() -> None:
            made = self.state.request
            other = self.state.result is not None and made is not None and not numbers.match(made.changed)
            hint.set_visibility(other)

        async def respond() -> None:
            await self._respond(item, numbers.read(owner))

        with self.head:
            widgets.title(f"{TITLES[item.paper]}, {item.name}: {item.title}")
            if item.fixed:
                widgets.note(item.fixed)
            numbers = ParameterForm(item.knobs, request.changed, widgets.with_error_notification(make), compare)
            scheme: Any = None
            if item.has_own_scheme:
                scheme = ui.checkbox("by the paper's own scheme, ten to twenty minutes", value=request.own_scheme)
            with ui.element("div").classes("line"):
                ui.button("Make", on_click=widgets.with_error_notification(make)).props("unelevated no-caps")
                if item.knobs:
                    ui.button("As printed", on_click=widgets.with_error_notification(printed)).props("flat no-caps")
                if item.opens:
                    words = "Open this system in Respond"
                    ui.button(words, icon="arrow_forward", on_click=widgets.with_error_notification(respond)).props(
                        "flat no-caps"
                    )
            if item.opening_note:
                widgets.note(item.opening_note)
            hint = widgets.note(OUTDATED_FIGURE_TEXT, "small")
            hint.set_visibility(False)

    def _show(self, problem: str = "") -> None:
        """Show the figure.   problem : why it cannot be computed."""
        self.place.clear()
        with self.place:
            if problem:
                widgets.note(problem, "problem")
            elif self.state.request is None:
                widgets.placeholder(CHOOSE_FIGURE_TEXT)
            elif self.state.result is None:
                widgets.placeholder(NOT_MADE_TEXT)
            else:
                show_figure(self.state.result)
                request = self.state.request

                async def code() -> EquivalentCode:
                    return figure_code(request)

                code_panel(code)

    async def _respond(self, item: FigureItem, changed: dict[str, float]) -> None:
        values = await self.context.worker_pool.run(tasks.figure_keywords, None, item.paper, item.label, changed)
        self.context.tab_state.of(SelectedModel).choice = ModelChoice(system=item.paper, values=values)
        ui.navigate.to("/respond")


def figure_code(request: FigureRequest) -> EquivalentCode:
    """Script and command of a figure with the numbers of this request."""
    known: dict[str, object] = {"numbers": dict(request.changed)} if request.changed else {}
    known |= {"own_scheme": True} if request.own_scheme else {}
    arguments = ", ".join([repr(request.paper), repr(request.label), *([keyword_arguments(known)] if known else [])])
    table = request.label.startswith("table")
    command = ["slipstick", "paper", request.paper]
    command += ["--table", request.label.removeprefix("table")] if table else ["--figure", request.label]
    for name, value in request.changed.items():
        command += ["--number", f"{name}={value!r}"]
    command += ["--own-scheme"] * request.own_scheme
    lines = [f"figure = ss.paper({arguments})", "print(figure)", 'figure.save("papers")']
    return EquivalentCode(script(lines), shlex.join(command))
