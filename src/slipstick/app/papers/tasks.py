"""Tasks of the page Papers, run in worker processes: list of figures, a figure, keywords of its system."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from slipstick.app.certificate_verdict import Verdict
from slipstick.app.papers.page_state import FigureItem, FigureResult
from slipstick.app.task_worker import ReportProgress


def list_figures(_: ReportProgress) -> tuple[FigureItem, ...]:
    """Every figure and table of the five papers, in the order of the print."""
    from slipstick.papers import NAMES, entries
    from slipstick.papers.entry import unsupported_parameters

    return tuple(
        FigureItem(
            paper=name,
            label=one.label,
            name=one.name,
            title=one.title,
            kind=one.kind,
            knobs=one.knobs,
            has_own_scheme=one.has_own_scheme,
            fixed=one.fixed,
            opens=one.system is not None,
            case=one.case,
            left_out=unsupported_parameters(one),
        )
        for name in NAMES
        for one in entries(name)
    )


def make_figure(
    report_progress: ReportProgress, paper: str, label: str, changed: Mapping[str, float], own_scheme: bool
) -> FigureResult:
    """Compute and draw a figure.   changed : parameters that differ from the print."""
    from slipstick.papers import entry
    from slipstick.papers.entry import EntryRequest
    from slipstick.plot.style import use_headless_backend

    def report_part(words: str, share: float) -> None:
        report_progress(f"computing {words}", share)  # such as "13 N"

    use_headless_backend()
    reproduction = entry(paper, label).made(EntryRequest(progress=report_part, own_scheme=own_scheme, changed=changed))
    report_progress("drawing", 1.0)
    with TemporaryDirectory(prefix="slipstick-") as folder:  # late: a cancellation kills this process
        files = {path.name: path.read_bytes() for path in reproduction.save(Path(folder))}
    return FigureResult(
        title=reproduction.title,
        rows=tuple(row.cells for row in reproduction.rows),
        method=reproduction.method,
        certificate=reproduction.certificate,
        verdict=_certificate_verdict(reproduction.certificate),
        seconds=reproduction.seconds,
        changed=reproduction.changed,
        files=files,
    )


def _certificate_verdict(certificate: str) -> Verdict:
    from slipstick.papers.certificate_summary import FAILED_TEXT, UNKNOWN_ERROR_TEXT

    return "failed" if FAILED_TEXT in certificate else ("unknown" if UNKNOWN_ERROR_TEXT in certificate else "passed")


def figure_keywords(_: ReportProgress, paper: str, label: str, changed: Mapping[str, float]) -> dict[str, Any]:
    """Keywords of the system of a figure, checked by building it."""
    import slipstick.systems as systems
    from slipstick.papers import entry
    from slipstick.papers.entry import figure_system_keywords

    values = figure_system_keywords(entry(paper, label), changed) or {}
    getattr(systems, paper)(**values)
    return values
