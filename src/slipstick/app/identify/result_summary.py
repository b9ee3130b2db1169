"""Results of fits and rankings as rows, texts and files, the same as the commands make."""

from __future__ import annotations

import io
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from slipstick.app.equivalent_code import EquivalentCode
from slipstick.app.identify import loop_figures
from slipstick.app.identify.page_messages import IDENTIFY
from slipstick.app.identify.page_state import FitRequest, FitView, IdentificationResult, UploadedFile
from slipstick.app.identify.remedies import remedies_of
from slipstick.app.identify.starter_model import starter_model_text
from slipstick.report.fit_report import ENERGY_NOTE, fit_page, ranking_page
from slipstick.report.fit_tables import DERIVED_NOTE, fit_notes, fit_verdict, loop_table, parameter_table, ranking_table
from slipstick.report.html_page import figure_svg
from slipstick.report.report_files import FileJobs, fit_jobs, law_file, law_file_stem, output_name
from slipstick.sensitivity.next_test import next_test_sentence

if TYPE_CHECKING:
    from slipstick.results.fit import Fit
    from slipstick.results.ranking import Ranking

NOT_CONVERGED_TEXT = "the search did not converge; the values are where it stopped"


def fit_result(
    fit: Fit, files: Sequence[UploadedFile], request: FitRequest, code: EquivalentCode
) -> IdentificationResult:
    """The result of a fit of one law.   code : that does the same."""
    names = tuple(file.name for file in files)
    name = output_name(names, law_file_stem(request.laws[0]))
    figure = fit.plot()
    drawn = figure_svg(figure)
    page = fit_page(fit, name, drawn, code.command)
    file_contents = _file_bytes(fit_jobs(fit, fit, figure, drawn, page))
    view = _fit_view(fit, request.laws[0], names)
    return IdentificationResult(name, (view,), file_contents | {".csv": _samples_csv(fit)}, code)


def ranking_result(ranking: Ranking, files: Sequence[UploadedFile], code: EquivalentCode) -> IdentificationResult:
    """The result of a ranking, best law first.   code : that does the same."""
    names = tuple(file.name for file in files)
    name = output_name(names, "ranked")
    figure = ranking.plot()
    drawn = figure_svg(figure)
    page = ranking_page(ranking, name, drawn, code.command)
    file_contents = _file_bytes(fit_jobs(ranking.best, ranking, figure, drawn, page))
    fits = [(row.name, row.fit) for row in ranking.table if row.fit is not None]
    troubles = tuple(f"no fit of {row.name}: {IDENTIFY.message(row.trouble)}" for row in ranking.table if not row.fit)
    return IdentificationResult(
        name,
        tuple(_fit_view(fit, law, names) for law, fit in fits),
        file_contents | {".csv": _samples_csv(ranking.best)},
        code,
        ranking_table(ranking),
        ranking.verdict,
        ranking.within_noise,
        troubles,
        tuple(map(IDENTIFY.message, ranking.remarks)),
        remedies_of(ranking.remarks),
        next_test_sentence(ranking),
    )


def _fit_view(fit: Fit, law: str, files: tuple[str, ...]) -> FitView:
    notes = fit_notes(fit)
    advised = [note for note in notes if note.parts.advice]  # a note with something to do is shown as a warning
    warnings = (*fit.further_warnings, *advised)  # the verdict states a misfit
    return FitView(
        law=law,
        kind=fit.kind,
        verdict=fit_verdict(fit) if fit.converged else f"{fit_verdict(fit)}; {NOT_CONVERGED_TEXT}",
        good=fit.within_noise and fit.converged,
        numbers=parameter_table(fit),
        loops=loop_table(fit),
        below=f"{DERIVED_NOTE}; {ENERGY_NOTE}" if fit.derived else ENERGY_NOTE,
        warnings=tuple(map(IDENTIFY.message, warnings)),
        notes=(fit.grade.words, *(IDENTIFY.message(note) for note in notes if not note.parts.advice)),
        figures=loop_figures.fit_figures(fit),
        file=law_file(fit),
        model=starter_model_text(fit, files),
        remedies=remedies_of(warnings),
        next_test=next_test_sentence(fit),
    )


def _file_bytes(jobs: FileJobs) -> dict[str, bytes]:
    """The files of commands as bytes, by way of a temporary folder."""
    contents: dict[str, bytes] = {}
    with tempfile.TemporaryDirectory(prefix="slipstick-") as folder:
        for suffix, content in jobs.items():
            if isinstance(content, bytes):
                contents[suffix] = content
                continue
            path = Path(folder, f"result{suffix}")
            content(path)
            contents[suffix] = path.read_bytes()
    return contents


def _samples_csv(fit: Fit) -> bytes:
    """Measured and fitted samples as CSV, in the units of the file."""
    u, f = fit.units.deflection, fit.units.force
    text = io.StringIO()
    heads = [f"{what} [{scale.unit}]" if scale.unit else what for what, scale in (("u", u), ("F", f), ("fitted", f))]
    text.write(",".join(["loop", *heads, "compared"]) + "\n")
    for k, loop in enumerate(fit.loops):
        columns = (u.factor * loop.u, f.factor * loop.f, f.factor * loop.fitted, loop.counts)
        for row in zip(*(column.tolist() for column in columns), strict=True):
            text.write(f"{k + 1},{row[0]:.9g},{row[1]:.9g},{row[2]:.9g},{int(row[3])}\n")
    return text.getvalue().encode()
