"""Tasks of the page Identify, run in worker processes: read files, fit a law, rank laws."""

from __future__ import annotations

from dataclasses import replace

from slipstick.app.identify.page_state import FileContents, FitRequest, IdentificationResult, ReadOptions, UploadedFile
from slipstick.app.worker_pool import ReportProgress
from slipstick.errors import InvalidInput, SlipstickError


def examine(tell: ReportProgress, files: tuple[UploadedFile, ...], reading: ReadOptions) -> FileContents:
    """What is in files: their begin, their loops, and what is wrong with them."""
    from slipstick.app.identify import loop_figures
    from slipstick.app.identify.file_reader import examine_files, with_fit_problems
    from slipstick.app.identify.loop_diagnostics import loop_diagnostics_table
    from slipstick.identification.reading.unitless import unitless_file_among

    tell("reading", 0.1)
    seen, loops = examine_files(files, reading)
    if not loops:
        return seen
    tell("looking at the loops", 0.6)
    seen = replace(
        seen,
        figures=loop_figures.measured_figures(loops),
        table=loop_diagnostics_table(loops),
        bare=unitless_file_among(loops),
    )
    thin = loop_figures.thinning_note(sum(map(len, loops)), len(loops))
    seen = with_fit_problems(loops, seen)
    return replace(seen, notes=(*seen.notes, thin) if thin else seen.notes)


def identify_laws(
    tell: ReportProgress, files: tuple[UploadedFile, ...], reading: ReadOptions, wanted: FitRequest
) -> IdentificationResult:
    """One law fitted, or several compared."""
    from slipstick.app.identify.page_messages import IDENTIFY

    try:
        return _identification(tell, files, reading, wanted)
    except SlipstickError as problem:
        raise InvalidInput(IDENTIFY.message(problem.message)) from None


def _identification(
    tell: ReportProgress, files: tuple[UploadedFile, ...], reading: ReadOptions, wanted: FitRequest
) -> IdentificationResult:
    from slipstick.app.identify.file_reader import loops_of
    from slipstick.app.identify.result_summary import fit_result, ranking_result
    from slipstick.identification.constraints import constraints_in_si, parse_constraints
    from slipstick.identification.identify import identify
    from slipstick.identification.law_names import DEFAULT_LAWS, law_classes_of
    from slipstick.identification.rank import rank

    for law in wanted.laws:
        law_classes_of(law)  # before any file is read
    given = parse_constraints({key: wanted.typed(key) for key in ("fixed", "bounds", "prior")})
    tell("reading", 0.0)
    loops = loops_of(files, reading)
    known = constraints_in_si(given, wanted.laws or DEFAULT_LAWS, loops)._asdict()

    def on_the_way(words: str, share: float) -> None:
        tell(words, 0.95 * share)

    if len(wanted.laws) == 1:
        fit = identify(loops, wanted.laws[0], progress=on_the_way, **known)
        tell("drawing", 0.95)
        return fit_result(fit, files, reading, wanted)
    ranking = rank(loops, wanted.laws or None, progress=on_the_way, **known)
    tell("drawing", 0.95)
    return ranking_result(ranking, files, reading, wanted)
