"""Shows measured loops, fitted laws and their downloads on the page Identify."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from typing import Any, NamedTuple

from nicegui import ui

from slipstick.app import widgets
from slipstick.app.code_view import code_panel
from slipstick.app.equivalent_code import EquivalentCode
from slipstick.app.identify.law_cards import offered_laws
from slipstick.app.identify.page_state import (
    FileContents,
    FilePreview,
    FitView,
    IdentificationResult,
    IdentifyState,
    Remedy,
)
from slipstick.app.plotly_figures import Figure

NO_FILES_TEXT = (
    "Drop one CSV file or several with force over deflection, or try a set that comes with slipstick. "
    "A header such as t [s], u [mm], F [N] names columns and units."
)
BACKBONE_TEXT = "force at the tips: half the difference between the upper and the lower tip of a cycle"
NO_BACKBONE_TEXT = "a backbone needs three amplitudes, of one file or of several"
DOWNLOAD_LABELS = {
    ".html": "report (HTML)",
    ".nc": "data (netCDF)",
    ".csv": "samples (CSV)",
    ".png": "picture (PNG)",
    ".svg": "picture (SVG)",
}


class ResultActions(NamedTuple):
    """What the buttons of a result do.

    use : a law in a model.   remedy : follow it, with the law that its message is about.
    compare : the usual laws, or these.
    """

    use: Callable[[FitView], Any]
    remedy: Callable[[Remedy, str], Any]
    compare: Callable[[tuple[str, ...]], Any]


def measured_view(state: IdentifyState, remedy: Callable[[Remedy, str], Any]) -> None:
    """The loops, their figures, and the first rows of each file; or what to do."""
    contents = state.contents
    if not state.files or not contents.previews:
        widgets.placeholder(NO_FILES_TEXT)
        return
    widgets.title("What was measured")
    for words in contents.problems:
        with ui.element("div").classes("problem"):
            widgets.note(words, "")
            _remedy_buttons(words, contents.remedies, lambda own: remedy(own, ""))
    if contents.table is not None:
        _figures(contents.figures)
        _diagnostics(contents)
    with (
        ui.expansion("the first lines of each file", value=contents.table is None).props("dense").classes("full-width")
    ):
        for preview in contents.previews:
            _preview(preview)


def result_view(result: IdentificationResult, state: IdentifyState, actions: ResultActions) -> None:
    """A fit or a ranking, with the selected law and its downloads: verdict and figures first, notes folded."""
    widgets.title("What was found")
    if result.laws is not None:
        widgets.certificate(result.verdict, result.good, "within noise")
        if not result.good:
            _compare_button(f"compare all {len(offered_laws())} laws", tuple(offered_laws()), actions)
        _warnings(result.remarks, result.remedies, lambda own: actions.remedy(own, ""))

    @ui.refreshable
    def law() -> None:
        _law(result, state, actions)

    if len(result.views) > 1:
        names = {k: view.law for k, view in enumerate(result.views)}

        def show(event: Any) -> None:
            state.selected = event.value
            law.refresh()

        ui.select(names, label="law that is shown", value=state.selected, on_change=show).props(
            "dense outlined"
        ).classes("choose")
    law()
    if result.laws is not None:
        widgets.title(f"Comparison of {len(result.laws.rows)} laws")
        widgets.table(*result.laws)
        if result.next_test:
            widgets.note(result.next_test)
        _notes(result.troubles)

    async def code() -> EquivalentCode:
        return result.code

    code_panel(code)


def _law(result: IdentificationResult, state: IdentifyState, actions: ResultActions) -> None:
    view = result.views[state.selected]
    with ui.element("section").classes("stack").props(f'aria-label="{widgets.escaped_prop(view.kind)}"'):
        widgets.certificate(f"{view.kind} {view.verdict}", view.good, "within noise")
        if not view.good and result.laws is None:
            _compare_button("compare laws", (), actions)
        causes = [] if view.good else [words for words in view.warnings if _is_data_cause(words, view.remedies)]
        _warnings(causes, view.remedies, lambda own: actions.remedy(own, view.law))
        _figure_grid(view.figures)
        others = [words for words in view.warnings if words not in causes]
        _warnings(others, view.remedies, lambda own: actions.remedy(own, view.law))
        widgets.table(*view.numbers)
        if view.next_test:
            widgets.note(view.next_test)
        _downloads(result, state.selected, actions.use)
        with _folded("each loop"):
            widgets.table(*view.loops).classes("each-loop")
            widgets.note(view.below)
        above = state.contents.notes  # with the measured loops; there without the name of a single file
        shown = {*above, *(f"{file.name}: {note}" for file in state.files for note in above)}
        if notes := [words for words in dict.fromkeys(view.notes) if words not in shown]:
            with _folded(f"notes ({len(notes)})"):
                _notes(notes)
        with _folded("to paste under connections: of a model"):
            widgets.code(view.file.partition("\n")[2])


def _is_data_cause(words: str, remedies: Sequence[Remedy]) -> bool:
    """True if a message names a cause in the data that a button can remove, such as a drift."""
    return any(remedy.message == words and remedy.ticks for remedy in remedies)


def _compare_button(label: str, laws: tuple[str, ...], actions: ResultActions) -> None:
    button = ui.button(label, on_click=widgets.with_error_notification(lambda: actions.compare(laws)))
    button.props("no-caps unelevated dense").classes("start")


def _folded(words: str) -> ui.expansion:
    return ui.expansion(words).props("dense").classes("full-width")


def _remedy_buttons(words: str, remedies: Sequence[Remedy], apply: Callable[[Remedy], Any]) -> None:
    """The buttons of the remedies of a message, if it has any."""
    own = [remedy for remedy in remedies if remedy.message == words]
    with ui.element("div").classes("line remedies") if own else nullcontext():
        for remedy in own:
            action = widgets.with_error_notification(lambda _, remedy=remedy: apply(remedy))
            ui.button(remedy.label, on_click=action).props("no-caps outline dense")


def _downloads(result: IdentificationResult, selected: int, use: Callable[[FitView], Any]) -> None:
    """Buttons for the downloads of a law."""
    view = result.views[selected]
    with ui.element("div").classes("line"):
        ui.button("use this law in a model", on_click=widgets.with_error_notification(lambda: use(view))).props(
            "no-caps unelevated dense"
        )
        law = f"{law_file_name(result, selected)}.yaml"
        _button("law (YAML)", view.file.encode(), law)
        for suffix, words in DOWNLOAD_LABELS.items():
            if suffix not in result.files:  # of an opened project
                continue
            _button(words, result.files[suffix], f"{result.name}{suffix}")


def law_file_name(result: IdentificationResult, selected: int) -> str:
    """The name of the file of a law; in a ranking all but the first have their own."""
    from slipstick.report.report_files import law_file_stem

    if selected == 0:
        return result.name
    return f"{result.name.removesuffix('ranked')}{law_file_stem(result.views[selected].law)}"


def _notes(lines: Sequence[str]) -> None:
    with ui.element("div"):
        for words in lines:
            widgets.note(words)


def _warnings(lines: Sequence[str], remedies: Sequence[Remedy], apply: Callable[[Remedy], Any]) -> None:
    """Warnings, each followed by the buttons of its remedies.   apply : follows a remedy."""
    with ui.element("div"):
        for words in lines:
            widgets.note(words, "warning small")
            _remedy_buttons(words, remedies, apply)


def _button(words: str, content: bytes, name: str) -> None:
    ui.button(words, on_click=widgets.with_error_notification(lambda: widgets.download(content, name))).props(
        "flat dense no-caps"
    )


def _figure_grid(figures: Sequence[Figure]) -> None:
    """Loops and residuals; beside them backbone and energies."""
    with ui.element("div").classes("pictures"):
        for own in (figures[:2], figures[2:]):
            if own:
                with ui.element("div").classes("stack"):
                    for figure in own:
                        widgets.plot(figure)
    widgets.note(BACKBONE_TEXT if len(figures) > 2 else NO_BACKBONE_TEXT)


def _figures(figures: Sequence[Figure]) -> None:
    with ui.element("div").classes("pictures"):
        for figure in figures:
            widgets.plot(figure)


def _diagnostics(contents: FileContents) -> None:
    assert contents.table is not None
    widgets.table(*contents.table).classes("each-loop")
    widgets.note(
        "energy, secant stiffness, loss factor and equivalent viscous damping: the median of the full cycles of this "
        "amplitude; noise: standard deviation of the force"
    )
    _notes(contents.notes)


def _preview(preview: FilePreview) -> None:
    widgets.note(preview.file, "small")
    widgets.table([label for _, label in preview.columns], preview.rows, len(preview.columns))
