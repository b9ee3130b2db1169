"""What the page Identify shows: what was measured, which law was found, and files to take away."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from nicegui import ui

from slipstick.app import widgets
from slipstick.app.identify.page_state import FileContents, FilePreview, FitView, IdentificationResult, IdentifyState
from slipstick.app.plotly_figures import Figure

NO_FILES_TEXT = (
    "Drop one CSV file or several with force over deflection, or try a set that comes with slipstick. "
    "A header such as t [s], u [mm], F [N] tells columns and units."
)
BACKBONE_TEXT = "force at the tips: half of what lies between the upper and the lower tip of a cycle"
NO_BACKBONE_TEXT = "a backbone is drawn from three amplitudes on, of one file or of several"
DOWNLOAD_LABELS = {
    ".html": "report (HTML)",
    ".nc": "data (netCDF)",
    ".csv": "samples (CSV)",
    ".png": "picture (PNG)",
    ".svg": "picture (SVG)",
}


def measured_view(kept: IdentifyState) -> None:
    """The begin of each file, the loops and their figures; or what to do."""
    seen = kept.seen
    if not kept.files or not seen.previews:
        widgets.placeholder(NO_FILES_TEXT)
        return
    widgets.title("What was measured")
    for words in seen.problems:
        widgets.note(words, "problem")
    if seen.table is not None:
        _figures(seen.figures)
        _diagnostics(seen)
    with ui.expansion("the first lines of each file", value=seen.table is None).props("dense").classes("full-width"):
        for preview in seen.previews:
            _preview(preview)


def result_view(result: IdentificationResult, kept: IdentifyState, use: Callable[[FitView], Any]) -> None:
    """A fit or a ranking; the law that is looked at below, with its files.   use : it in a model."""
    widgets.title("What was found")
    if result.laws is not None:
        widgets.certificate(result.verdict, result.good)
        widgets.table(*result.laws)
        _notes(result.remarks, "warning small")
        _notes(result.troubles)

    @ui.refreshable
    def law() -> None:
        _law(result, kept, use)

    if len(result.views) > 1:
        names = {k: view.law for k, view in enumerate(result.views)}

        def show(event: Any) -> None:
            kept.shown = event.value
            law.refresh()

        ui.select(names, label="law that is shown", value=kept.shown, on_change=show).props("dense outlined").classes(
            "choose"
        )
    law()


def _law(result: IdentificationResult, kept: IdentifyState, use: Callable[[FitView], Any]) -> None:
    view = result.views[kept.shown]
    with ui.element("section").classes("stack").props(f'aria-label="{view.kind}"'):
        widgets.certificate(f"{view.kind} {view.verdict}", view.good)
        _downloads(result, kept.shown, use)
        widgets.table(*view.numbers)
        _notes(view.warnings, "warning small")
        _figure_grid(view.figures)
        widgets.table(*view.loops).classes("each-loop")
        widgets.note(view.below)
        _notes(view.notes)
        widgets.title("To paste under connections: of a model")
        widgets.code(view.file.partition("\n")[2])


def _downloads(result: IdentificationResult, shown: int, use: Callable[[FitView], Any]) -> None:
    """Everything that can be had of a law."""
    view = result.views[shown]
    with ui.element("div").classes("line"):
        ui.button("use this law in a model", on_click=widgets.with_error_notification(lambda: use(view))).props(
            "no-caps unelevated dense"
        )
        law = f"{law_file_name(result, shown)}.yaml"
        _button("law (YAML)", view.file.encode(), law)
        for suffix, words in DOWNLOAD_LABELS.items():
            _button(words, result.files[suffix], f"{result.name}{suffix}")


def law_file_name(result: IdentificationResult, shown: int) -> str:
    """What the file of a law is called; of a ranking, the first has its name and others their own."""
    from slipstick.report.report_files import law_file_stem

    if shown == 0:
        return result.name
    return f"{result.name.removesuffix('ranked')}{law_file_stem(result.views[shown].law)}"


def _notes(lines: Sequence[str], kind: str = "quiet small") -> None:
    with ui.element("div"):
        for words in lines:
            widgets.note(words, kind)


def _button(words: str, content: bytes, name: str) -> None:
    ui.button(words, on_click=widgets.with_error_notification(lambda: widgets.download(content, name))).props(
        "flat dense no-caps"
    )


def _figure_grid(drawn: Sequence[Figure]) -> None:
    """Loops with what is left below them; beside them what there is over amplitudes."""
    with ui.element("div").classes("pictures"):
        for own in (drawn[:2], drawn[2:]):
            if own:
                with ui.element("div").classes("stack"):
                    for picture in own:
                        ui.plotly(picture).classes("full-width")
    widgets.note(BACKBONE_TEXT if len(drawn) > 2 else NO_BACKBONE_TEXT)


def _figures(drawn: Sequence[Figure]) -> None:
    with ui.element("div").classes("pictures"):
        for picture in drawn:
            ui.plotly(picture).classes("full-width")


def _diagnostics(seen: FileContents) -> None:
    assert seen.table is not None
    widgets.table(*seen.table).classes("each-loop")
    widgets.note(
        "energy, secant stiffness, loss factor and equivalent viscous damping: the median of the full cycles of this "
        "amplitude; noise: standard deviation of the force"
    )
    _notes(seen.notes)


def _preview(preview: FilePreview) -> None:
    widgets.note(preview.file, "small")
    widgets.table([label for _, label in preview.columns], preview.rows, len(preview.columns))
