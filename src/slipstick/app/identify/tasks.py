"""Tasks of the page Identify, run in worker processes: read files, fit a law, rank laws."""

from __future__ import annotations

from dataclasses import replace

from slipstick.app.identify.page_state import FileContents, FitRequest, IdentificationResult, ReadOptions, UploadedFile
from slipstick.app.task_worker import ReportProgress
from slipstick.errors import InvalidInput, SlipstickError


def examine(report_progress: ReportProgress, files: tuple[UploadedFile, ...], reading: ReadOptions) -> FileContents:
    """The contents of files: first rows, loops and problems."""
    from slipstick.app.identify import loop_figures
    from slipstick.app.identify.loop_diagnostics import loop_diagnostics_table
    from slipstick.app.identify.uploaded_loops import examine_files, with_fit_problems
    from slipstick.identification.reading.unitless import unitless_file_among

    report_progress("reading", 0.1)
    contents, loops = examine_files(files, reading)
    if not loops:
        return contents
    report_progress("looking at the loops", 0.6)
    contents = replace(
        contents,
        figures=loop_figures.measured_figures(loops),
        table=loop_diagnostics_table(loops),
        unitless=unitless_file_among(loops),
    )
    thinning = loop_figures.drawing_note(loops)
    contents = with_fit_problems(loops, contents, files, reading)
    return replace(contents, notes=(*contents.notes, thinning) if thinning else contents.notes)


def identify_laws(
    report_progress: ReportProgress, files: tuple[UploadedFile, ...], reading: ReadOptions, request: FitRequest
) -> IdentificationResult:
    """Fit one law, or rank several."""
    from slipstick.app.identify.page_messages import IDENTIFY

    try:
        return _identification(report_progress, files, reading, request)
    except SlipstickError as problem:
        raise InvalidInput(IDENTIFY.message(problem.message)) from None


def _identification(
    report_progress: ReportProgress, files: tuple[UploadedFile, ...], reading: ReadOptions, request: FitRequest
) -> IdentificationResult:
    from slipstick.app.identify.equivalent_code import identification_code
    from slipstick.app.identify.result_summary import fit_result, ranking_result
    from slipstick.app.identify.uploaded_loops import loops_of
    from slipstick.identification.constraints import constraints_in_si, parse_constraints
    from slipstick.identification.identify import identify
    from slipstick.identification.law_names import DEFAULT_LAWS, law_classes_of
    from slipstick.identification.rank import rank

    for law in request.laws:
        law_classes_of(law)  # before any file is read
    constraints = parse_constraints({key: request.typed(key) for key in ("fixed", "bounds", "prior")})
    report_progress("reading", 0.0)
    loops = loops_of(files, reading)
    known = constraints_in_si(constraints, request.laws or DEFAULT_LAWS, loops)._asdict()
    code = identification_code(files, reading, request, known)

    def report_search(text: str, share: float) -> None:
        report_progress(text, 0.95 * share)

    if len(request.laws) == 1:
        fit = identify(loops, request.laws[0], progress=report_search, **known)
        report_progress("drawing", 0.95)
        return fit_result(fit, files, request, code)
    ranking = rank(loops, request.laws or None, progress=report_search, **known)
    report_progress("drawing", 0.95)
    return ranking_result(ranking, files, code)
